"""How folds were drawn: what a table, a splitter and the items of each fold tell."""

import numpy as np
import pandas as pd
import pytest
from sklearn import model_selection as ms
from sklearn.dummy import DummyClassifier

import bayescmp as bc
from bayescmp import InputError, Resampling
from bayescmp.scores import designs as splits
from bayescmp.scores.designs import Evidence, infer, resampling_of_rho
from tests.rows import each_row


def _evidence(repeats, folds, **sizes):
    repeat = np.repeat(np.arange(repeats), folds)
    sizes = {k: np.broadcast_to(np.asarray(v, float), len(repeat)) for k, v in sizes.items()}
    return Evidence(repeat, np.tile(np.arange(folds), repeats), where="iris", **sizes)


@each_row(("repeats", "folds"), [(1, 2), (5, 2), (1, 20)])
def test_labels(repeats, folds):
    posterior = infer(_evidence(repeats, folds))
    assert (posterior.design, posterior.folds, posterior.repeats) == ("k-fold", folds, repeats)
    assert posterior.rho == 1 / folds


def test_share_of_sizes():
    assert _evidence(1, 4).share is None
    assert _evidence(1, 4, n_test=0.3).share == pytest.approx(0.3)
    assert _evidence(1, 4, n_test=30).share is None
    assert _evidence(1, 4, n_train=[70, 70, 70, np.nan], n_test=30).share is None
    with pytest.raises(InputError, match="n_train and n_test of data set 'iris' must be positive"):
        _ = _evidence(1, 4, n_train=0, n_test=5).share


def test_growth_of_training_sets():
    assert _evidence(1, 4, n_train=[10, 20, 30, 40], n_test=10).grows
    assert not _evidence(1, 4, n_train=[10, 20, 30, 25], n_test=10).grows
    assert not _evidence(1, 4, n_train=30, n_test=10).grows
    assert _evidence(4, 1, n_train=[10, 20, 30, 40], n_test=10).grows  # each split a run


def test_runs_of_differing_length_need_their_sizes():
    repeat, fold = np.array([1, 1, 1, 2, 2]), np.array([1, 2, 3, 1, 2])
    with pytest.raises(InputError, match=r"'iris' must have the same number of folds.*got 2 to 3"):
        infer(Evidence(repeat, fold, where="iris"))
    sizes = {"n_train": np.full(5, 20.0), "n_test": np.full(5, 10.0)}
    assert infer(Evidence(repeat, fold, **sizes)).rho == pytest.approx(1 / 3)


def test_a_declaration_is_completed():
    posterior = infer(_evidence(1, 30), Resampling.k_fold(10))
    assert (posterior.repeats, posterior.evidence) == (3, "declared")


def test_folds_without_labels_ask():
    evidence = Evidence(np.zeros(5), np.arange(5), unlabelled=True, where="iris")
    with pytest.raises(InputError, match="got 5 folds of data set 'iris'"):
        infer(evidence)
    assert infer(evidence, Resampling.k_fold(5)).rho == 0.2
    sized = Evidence(
        np.zeros(5), np.arange(5), np.full(5, 75.0), np.full(5, 25.0), unlabelled=True
    )
    assert infer(sized).rho == 0.25


def _table(n, *, repeat=None, fold="fold", **columns):
    """Accuracies of two algorithms on one data set, n folds each."""
    rng = np.random.default_rng(3)
    one = pd.DataFrame({"dataset": "iris", fold: np.arange(n), **columns})
    if repeat is not None:
        one = one.drop(columns=fold).assign(repeat=repeat[0], fold=repeat[1])
    both = [one.assign(algorithm=a, accuracy=rng.integers(30, 51, n) / 50) for a in "ab"]
    return pd.concat(both, ignore_index=True)


def _rho(frame, **options):
    return bc.Scores(frame, **options).differences("a", "b", "accuracy").rho.tolist()


# Labels and sizes.


def test_folds_and_repeats():
    runs = np.repeat(np.arange(10), 10), np.tile(np.arange(10), 10)
    differences = bc.Scores(_table(100, repeat=runs)).differences("a", "b")
    assert differences.rho.tolist() == [0.1]
    assert differences.rho_sentence == "rho 0.1: 10 folds, 10 repeats"
    assert "rho 0.1: 10 folds, 10 repeats" in repr(differences)


def test_sizes_that_contradict_the_labels_win():
    """30 splits of 67% and 33%, labelled as folds 0 to 29: rho was 1/30."""
    table = _table(30, n_train=201, n_test=99)
    assert _rho(table) == [pytest.approx(0.33)]
    design = bc.Scores(table).resampling.of("iris")
    assert str(design) == "rho 0.33: 30 random splits, 33% tested, by n_train and n_test"


def test_sizes_within_a_tenth_of_the_labels_agree_with_them():
    assert _rho(_table(10, n_train=135, n_test=15)) == [0.1]
    assert _rho(_table(10, n_train=134, n_test=16)) == [0.1]  # .1067
    assert _rho(_table(10, n_train=132, n_test=18)) == [pytest.approx(0.12)]


@each_row(("n", "offered"), [(23, "'random splits"), (30, "'3x10-fold'"), (100, "'10x10-fold'")])
def test_many_folds_of_one_run_ask(n, offered):
    with pytest.raises(bc.InputError, match=rf"{n} of data set 'iris'.*resampling={offered}.*rho"):
        _rho(_table(n))
    assert _rho(_table(20)) == [0.05]


def test_flattened_runs_can_be_declared():
    table = _table(100)
    assert _rho(table, resampling="10x10-fold") == [0.1]
    assert _rho(table, resampling=Resampling.k_fold(10)) == [0.1]
    assert _rho(table, resampling=ms.RepeatedKFold(n_splits=10, n_repeats=10)) == [0.1]
    assert _rho(table, resampling={"iris": "100-fold"}) == [0.01]
    assert bc.Scores(table).differences("a", "b", rho=0.2).rho_sentence == "rho 0.2: as given"


@each_row(
    ("declared", "rho"),
    [
        ("hold-out 33%", 0.33),
        ("windows, rho 0.4", 0.4),
        ("bootstrap rho=0.6", 0.6),
        ("6 folds, 5 repeats", 1 / 6),
        ("30-fold", 1 / 30),
        ("one test set 30", 28 / 29),
    ],
)
def test_declared_in_words(declared, rho):
    assert _rho(_table(30), resampling=declared) == [pytest.approx(rho)]


@each_row("declared", ["10x10-fold", "one test set 10"])
def test_declarations_are_checked(declared):
    with pytest.raises(bc.InputError, match="the table has 30 folds"):
        _rho(_table(30), resampling=declared)


def test_labelled_runs_contradict_another_number_of_folds():
    runs = np.repeat([1, 2], 5), np.tile(np.arange(5), 2)
    with pytest.raises(bc.InputError, match="the table has repeats of 5 folds"):
        _rho(_table(10, repeat=runs), resampling="10-fold")


def test_windows_ask_for_rho():
    table = _table(5, n_train=[20, 40, 60, 80, 100], n_test=20)
    with pytest.raises(bc.InputError, match=r"rho must be given.*training sets grow"):
        _rho(table)
    assert _rho(table, resampling="windows rho 0.4") == [0.4]
    # training sets of a k-fold differ by an item or two, and do not grow
    assert _rho(_table(5, n_train=[40, 41, 41, 41, 41], n_test=[11, 10, 10, 10, 10])) == [0.2]


def test_train_and_test_are_no_folds():
    with pytest.raises(
        bc.InputError,
        match=r"column 'split' must hold folds.*got parts of the data, 'test', 'train'",
    ):
        bc.Scores(_table(2, fold="split", **{}).replace({"split": {0: "train", 1: "test"}}))
    one = _table(1, fold="split").replace({"split": {0: "test"}})
    assert not bc.Scores(one).has_folds


def test_seeds():
    """Seeds on one split are independent given the split; without it they may be splits."""
    with pytest.raises(bc.InputError, match=r"for numbered runs.*resampling='seeds'"):
        _rho(_table(8, fold="seed"))
    design = bc.Scores(_table(8, fold="seed").assign(split=0)).resampling.of("iris")
    assert design.rho == 0
    assert "another seed on this split, not about new data" in str(design)
    folds = pd.concat([_table(5).assign(seed=s) for s in (1, 2)])
    assert _rho(folds) == [0.2]
    assert "seed" not in bc.Scores(folds).metrics


def test_each_data_set_has_its_own_design():
    one = _table(10)
    two = _table(10, n_train=70, n_test=30).assign(dataset="wine")
    differences = bc.Scores(pd.concat([one, two])).differences("a", "b")
    assert differences.rho.tolist() == [0.1, 0.3]
    assert differences.rho_sentence == (
        "rho 0.1 to 0.3: 10 folds; 10 random splits, 30% tested, by n_train and n_test"
    )
    assert differences.row("wine").rho_sentence.startswith("rho 0.3: 10 random splits")
    assert differences.swapped().rho_sentence == differences.rho_sentence


def test_a_declaration_travels_with_the_table(tmp_path):
    scores = bc.Scores(_table(30), resampling="random splits 0.25")
    scores.frame.to_csv(tmp_path / "scores.csv", index=False)
    read = bc.Scores.read(tmp_path / "scores.csv")
    assert read.metrics == ("accuracy",)
    assert read.differences("a", "b").rho.tolist() == [0.25]
    assert scores.replaced(scores.frame).differences("a", "b").rho.tolist() == [0.25]


@each_row("bad", ["1-fold", "random splits 2", "rho 1"])
def test_designs_that_are_none(bad):
    with pytest.raises(bc.InputError):
        _rho(_table(10), resampling=bad)


def test_seeds_stay_seeds_in_a_part_of_the_table():
    rows = [
        {"dataset": d, "algorithm": a, "seed": s, "split": 0, "accuracy": 0.8 + s / 100}
        for d in ("iris", "wine")
        for a in ("knn", "svm", "mlp")
        for s in range(5)
    ]
    scores = bc.Scores(pd.DataFrame(rows))
    assert scores.resampling.of("iris").design == "seeds"
    for part in (
        scores.select(datasets=["wine"]),
        scores.select(algorithms=["knn", "mlp"]),
        scores.replaced(scores.frame),
        scores.on_scale("log_ratio").select(datasets=["wine"]),
    ):
        design = part.resampling.of("wine")
        assert (design.design, design.rho) == ("seeds", 0.0)
        assert "another seed on this split" in part.differences("knn", "mlp").rho_sentence


@each_row(
    "odd",
    [
        lambda t: t.assign(n_train=80, n_test=np.where(t.dataset == "d1", 40, 20)),
        lambda t: t.assign(fold_correlation=np.where(t.dataset == "d1", 0.4, np.nan)),
        lambda t: t.assign(resampling=np.where(t.dataset == "d1", "rho 0.3", None)),
    ],
)
def test_designs_of_all_rows_are_those_of_each_data_set(odd):
    """Where most are alike, those that differ are not taken for the first one."""
    rows = [
        {"dataset": f"d{d}", "algorithm": a, "fold": f, "accuracy": 0.5 + f / 10}
        for d in range(4)
        for a in "xy"
        for f in range(5)
    ]
    scores = bc.Scores(odd(pd.DataFrame(rows)))
    together = scores.resampling.of_algorithm("x")
    assert together == [scores.resampling.of(d) for d in scores.datasets]
    assert len({design.rho for design in together}) == 2


def test_designs_of_an_algorithm_are_kept_for_its_other_pairs(table, monkeypatch):
    designs = bc.Scores(table).resampling
    first = designs.of_algorithm("gbm")
    designs.of_algorithm("gbm").clear()  # a list of the caller's own
    monkeypatch.setattr(designs, "of", lambda *_: pytest.fail("looked up again"))
    assert designs.of_algorithm("gbm") == first
    assert [str(d) for d in first] == ["rho 0.2: 5 folds, 2 repeats"] * 3


def test_given_correlations_stay_with_their_data_sets():
    assert [d.rho for d in resampling_of_rho([0.1, 0.3, 0.1], 3)] == [0.1, 0.3, 0.1]
    assert [d.rho for d in resampling_of_rho(0.2, 2)] == [0.2, 0.2]


N = 60
X, Y = np.zeros((N, 1)), np.arange(N) % 2
GROUPS = np.repeat(np.arange(6), 10)

SPLITTERS = [
    (ms.KFold(5), 1 / 5),
    (ms.LeaveOneOut(), 0.0),
    (bc.HoldoutResample(folds=10, random_state=0), 8 / 9),
]


@each_row(("cv", "rho"), SPLITTERS, ids=lambda v: type(v).__name__)
def test_splitters_through_cross_validate(cv, rho):
    groups = GROUPS if "Group" in type(cv).__name__ else None
    results = {
        a: ms.cross_validate(DummyClassifier(), X, Y, cv=cv, groups=groups, return_indices=True)
        for a in "ab"
    }
    scores = bc.Scores.from_cv_results(results)
    assert scores.differences("a", "b").rho.tolist() == [pytest.approx(rho)]
    assert scores.differences("a", "b").n.tolist() == [len(results["a"]["test_score"])]
    by_items = scores.resampling.of("data")
    assert by_items.evidence == "indices"


@each_row(("cv", "rho"), SPLITTERS, ids=lambda v: type(v).__name__)
def test_splitters_through_run_experiment(cv, rho):
    grouped = "Group" in type(cv).__name__
    data = {"iris": (X, Y, GROUPS) if grouped else (X, Y)}
    scores = bc.run_experiment(
        {"a": DummyClassifier(), "b": DummyClassifier()}, data, cv=cv, seed=1
    )
    assert scores.differences("a", "b").rho.tolist() == [pytest.approx(rho, rel=0.02)]


def test_random_splits_are_told_from_their_items():
    """103 of these 200 seeds gave 1/2 or 1/3, as the first test sets happened to be disjoint."""
    for seed in range(200):
        parts = list(ms.ShuffleSplit(30, test_size=0.1, random_state=seed).split(X))
        result = splits.of_indices(*zip(*parts, strict=True))
        assert (result.design, result.rho) == ("random splits", pytest.approx(0.1)), seed


@each_row("cv", [ms.TimeSeriesSplit(5), ms.TimeSeriesSplit(5, max_train_size=10)])
def test_windows_are_refused(cv):
    results = {
        a: ms.cross_validate(DummyClassifier(), X, Y, cv=cv, return_indices=True) for a in "ab"
    }
    with pytest.raises(bc.InputError, match=r"no correlation.*windows in time do"):
        bc.Scores.from_cv_results(results)
    given_rho = bc.Scores.from_cv_results(results, resampling="windows rho 0.4")
    assert given_rho.differences("a", "b").rho.tolist() == [0.4]
    with pytest.raises(bc.InputError, match=r"correlation of folds is known .*TimeSeriesSplit"):
        bc.Scores.from_cv_results(results, resampling=cv)


def test_growing_windows_of_an_experiment_ask_for_rho():
    scores = bc.run_experiment(
        {"a": DummyClassifier(), "b": DummyClassifier()},
        {"iris": (X, Y)},
        cv=ms.TimeSeriesSplit(5),
        seed=1,
    )
    with pytest.raises(bc.InputError, match=r"no correlation.*windows in time do"):
        scores.differences("a", "b")
    assert scores.differences("a", "b", rho=0.3).rho.tolist() == [0.3]


def test_bootstrap_samples_are_refused():
    rng = np.random.default_rng(0)
    trains = [rng.integers(0, N, N) for _ in range(10)]
    tests = [np.setdiff1d(np.arange(N), t) for t in trains]
    with pytest.raises(bc.InputError, match=r"no correlation.*bootstrap samples do"):
        splits.of_indices(trains, tests)


def test_one_split_with_several_seeds():
    train, test = np.arange(40), np.arange(40, 60)
    assert splits.of_indices([train] * 5, [test] * 5).design == "seeds"
    with pytest.raises(bc.InputError, match="test the same items after training on others"):
        splits.of_indices([train, train[:30], train[:20]], [test] * 3)


def test_items_that_are_trained_and_tested_on():
    with pytest.raises(bc.InputError, match="one item in both, split 2"):
        splits.of_indices([[0, 1], [2, 3]], [[2, 3], [3]])


def test_different_splits_do_not_pair():
    """Two unseeded splitters: scores were paired although the indices prove them different."""
    results = {
        a: ms.cross_validate(
            DummyClassifier(),
            X,
            Y,
            return_indices=True,
            cv=ms.KFold(5, shuffle=True, random_state=s),
        )
        for s, a in enumerate("ab")
    }
    with pytest.raises(bc.InputError, match="other items in split 1, on which 'a' and 'b' test"):
        bc.Scores.from_cv_results(results)


@each_row("n", [5, 10, 30])
def test_unlabelled_scores_ask(n):
    results = {a: {"test_score": np.linspace(0, 1, n)} for a in "ab"}
    with pytest.raises(bc.InputError, match=rf"must be given, .*\(got {n} scores of"):
        bc.Scores.from_cv_results(results)


@each_row(("declared", "rho"), [("10-fold", 0.1), ("random splits 0.25", 0.25), (10, 0.1)])
def test_unlabelled_scores_with_a_declaration(declared, rho):
    results = {a: {"test_score": np.linspace(0, 1, 10)} for a in "ab"}
    scores = bc.Scores.from_cv_results(results, resampling=declared)
    assert scores.differences("a", "b").rho.tolist() == [rho]


def test_a_declaration_that_the_items_contradict():
    results = {
        a: ms.cross_validate(DummyClassifier(), X, Y, cv=ms.KFold(5), return_indices=True)
        for a in "ab"
    }
    with pytest.raises(bc.InputError, match="source in the format 'cross_validate':"):
        bc.Scores.from_cv_results(results, resampling="10-fold")


@each_row("cv", [ms.LeavePOut(2), ms.LeaveOneGroupOut(), ms.ShuffleSplit(5, test_size=10)])
def test_splitters_that_do_not_tell(cv):
    with pytest.raises(bc.InputError, match=r"resampling must .*got a \w+(Out|Split)"):
        splits.of_splitter(cv)


def test_splits_that_are_none_or_not_as_many():
    def results(*counts):
        items = range(4)
        return {
            name: {
                "test_score": np.zeros(n),
                "indices": {
                    "train": [np.delete(items, i) for i in range(n)],
                    "test": [np.array([i]) for i in range(n)],
                },
            }
            for name, n in zip("ab", counts, strict=True)
        }

    with pytest.raises(bc.InputError, match="source in the format 'cross_validate':"):
        bc.Scores.from_cv_results(results(3, 2))
    with pytest.raises(bc.InputError, match="data set 'data' must hold one split"):
        bc.Scores.from_cv_results(results(0, 0))
