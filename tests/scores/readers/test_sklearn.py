"""What scikit-learn and skore return, and that their folds pair."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn import model_selection as ms
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier

import bayescmp as bc
from bayescmp.scores.readers.sklearn import candidate_names
from bayescmp.scores.resampling import UNCHECKED
from tests.rows import each_row


def _cross_validated(cv, **options):
    from sklearn.datasets import load_iris
    from sklearn.model_selection import cross_validate
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier

    X, y = load_iris(return_X_y=True)
    makers = {"knn": KNeighborsClassifier(), "tree": DecisionTreeClassifier(random_state=0)}
    return {a: cross_validate(m, X, y, cv=cv, **options) for a, m in makers.items()}


def test_cross_validate_results_one_run():
    results = _cross_validated(5)
    scores = bc.Scores.from_cv_results({"iris": results}, resampling="5-fold")
    differences = scores.differences("knn", "tree", "score")
    assert differences.rho.tolist() == [0.2]
    expected = results["tree"]["test_score"] - results["knn"]["test_score"]
    assert differences.x[0] == pytest.approx(expected)
    pairs = {("iris", a): r for a, r in results.items()}
    flat = bc.Scores.from_cv_results(pairs, resampling=5)
    assert flat.differences("knn", "tree", "score").x[0] == pytest.approx(expected)


def test_cross_validate_results_repeated():
    from sklearn.model_selection import RepeatedStratifiedKFold

    cv = RepeatedStratifiedKFold(n_splits=4, n_repeats=3, random_state=0)
    with pytest.raises(bc.InputError, match=r"resampling must be given, .*got 12 scores"):
        bc.Scores.from_cv_results(_cross_validated(cv))
    declared = bc.Scores.from_cv_results(_cross_validated(cv), folds=4)
    read = bc.Scores.from_cv_results(_cross_validated(cv, return_indices=True))
    for scores in (declared, read):
        assert scores.differences("knn", "tree", "score").rho.tolist() == [0.25]
    assert read.differences("knn", "tree", "score").n.tolist() == [12]


@each_row(
    ("bad", "message"),
    [
        ({}, "must be in the format 'cross_validate'"),
        ({"knn": {}}, "must be in the format 'cross_validate'"),
        ({"knn": {"fit_time": [1.0]}}, "must be in the format 'cross_validate'"),
        ([1, 2], "must be in the format 'cross_validate'"),
        (
            {"knn": {"test_a": [1, 2]}, "svm": 3},
            r"results\['svm'\] must be a result of cross_validate",
        ),
        (
            {"iris": {"knn": {"fit_time": [1, 2]}, "svm": {"test_a": [1, 2]}}},
            "'knn' on 'iris' must have a 'test_...' array.*got 'fit_time'",
        ),
    ],
)
def test_bad_cross_validate_results(bad, message):
    with pytest.raises(bc.InputError, match=message):
        bc.Scores.from_cv_results(bad, folds=2)


def test_folds_that_do_not_divide():
    with pytest.raises(
        bc.InputError, match=r"divide the 5 scores of .* on 'iris' \(got 3 folds\)"
    ):
        bc.Scores.from_cv_results({"iris": _cross_validated(5)}, folds=3)


# Whether folds pair.


def _seeded(**options):
    """Two data sets, each model split with a seed of its own."""
    from sklearn.model_selection import KFold

    first, second = (KFold(5, shuffle=True, random_state=seed) for seed in (0, 1))
    apart = {
        "knn": _cross_validated(first, **options)["knn"],
        "tree": _cross_validated(second, **options)["tree"],
    }
    return {"iris": apart, "again": apart}


def test_models_that_were_split_with_different_seeds():
    with pytest.raises(bc.InputError, match="other items in split 1"):
        bc.Scores.from_cv_results(_seeded(return_indices=True))
    scores = bc.Scores.from_cv_results(_seeded(), folds=5)
    text = " ".join(str(scores.differences("knn", "tree")).split())
    assert text.endswith(f"as declared; {UNCHECKED}")


@pytest.fixture(scope="module")
def unchecked():
    return bc.Scores.from_cv_results(_seeded(), folds=5)


DOUBTFUL = {
    "of a pair": lambda s: str(bc.compare(s, "knn", "tree", rope=0.01, seed=1)),
    "explained": lambda s: (
        bc.compare(s, "knn", "tree", rope=0.01, seed=1).verdict().explain("paper")
    ),
    "of a data set": lambda s: str(
        bc.bayesian.correlated_t(s.differences("knn", "tree").row("iris"), rope=0.01)
    ),
    "of all pairs": lambda s: str(bc.compare_all(s, rope=0.01, seed=1)),
    "beside its twins": lambda s: str(bc.crosscheck(s, rope=0.01, seed=1)),
    "of blocks": lambda s: str(
        bc.bayesian.multivariate_t(bc.scores_blocks(s, dataset="iris"), rope=0.01)
    ),
    "a joint one": lambda s: str(bc.bayesian.bootstrap(s, rope=0.01, draws=100, seed=1)),
    "a frequentist one": lambda s: str(
        bc.frequentist.corrected_t(s.differences("knn", "tree").row("iris"))
    ),
}


@pytest.mark.filterwarnings("ignore")
@each_row(
    "shown",
    [DOUBTFUL[name] for name in ("of a pair", "explained", "of all pairs", "a frequentist one")],
)
def test_results_say_that_nobody_saw_whether_folds_pair(unchecked, shown):
    assert UNCHECKED in " ".join(shown(unchecked).split())


@pytest.mark.filterwarnings("ignore")
def test_the_report_says_so_in_its_methods_paragraph(unchecked, tmp_path):
    bc.report(unchecked, tmp_path / "report.md", rope=0.01, seed=1)
    text = (tmp_path / "report.md").read_text("utf-8").replace("\\", "")
    methods = next(line for line in text.splitlines() if line.startswith("We compared 2 algo"))
    assert UNCHECKED in methods


OTHERWISE = {
    "some": lambda s: s.select(datasets=["iris"]),
    "from its table": lambda s: bc.Scores(s.frame, higher_is_better="score"),
    "arrays": lambda s: bc.Scores.read(
        {"knn": [0.5, 0.6, 0.7], "tree": [0.6, 0.5, 0.6]},
        resampling="3-fold",
        metric="score",
        higher_is_better="score",
    ),
    "some with indices": lambda s: bc.Scores.from_cv_results(
        {
            "knn": _cross_validated(5)["knn"],
            "tree": _cross_validated(5, return_indices=True)["tree"],
        }
    ),
}


@each_row("scores", OTHERWISE.values(), ids=OTHERWISE)
def test_the_doubt_stays_with_the_table(unchecked, scores, tmp_path):
    table = scores(unchecked)
    differences = table.differences("knn", "tree", "score")
    assert differences.rho_sentence.endswith(UNCHECKED)
    path = tmp_path / "scores.csv"
    table.frame.to_csv(path, index=False)
    again = bc.Scores.read(path, higher_is_better="score")
    assert again.differences("knn", "tree", "score").rho_sentence.endswith(UNCHECKED)
    assert table.differences("knn", "tree", "score", rho=0.1).rho_sentence == (
        f"rho 0.1: as given; {UNCHECKED}"
    )
    own = bc.bayesian.correlated_t(differences.row(differences.datasets[0]), rope=0.1, rho=0.1)
    assert own.resampling == f"rho 0.1: as given; {UNCHECKED}"


def test_indices_of_all_models_leave_no_doubt():
    scores = bc.Scores.from_cv_results(_cross_validated(5, return_indices=True))
    assert scores.differences("knn", "tree", "score").rho_sentence == (
        "rho 0.2: 5 folds, by the items tested"
    )


def test_a_name_as_a_number_and_as_text_is_refused():
    one = {"test_score": [0.5, 0.6]}
    for results in ({7: {"a": one}, "7": {"a": one}}, {"d": {1: one, "1": one}}):
        with pytest.raises(bc.InputError, match="twice: as a number and as text"):
            bc.Scores.from_cv_results(results, folds=2)


X, Y = load_iris(return_X_y=True)
MODELS = {"knn": KNeighborsClassifier(), "dummy": DummyClassifier()}
CV = ms.StratifiedKFold(5, shuffle=True, random_state=0)


def test_cross_validate_and_cross_val_score_agree():
    several = {
        n: ms.cross_validate(m, X, Y, cv=CV, return_indices=True) for n, m in MODELS.items()
    }
    arrays = {n: ms.cross_val_score(m, X, Y, cv=CV) for n, m in MODELS.items()}
    a = bc.Scores.read(several).differences("knn", "dummy")
    b = bc.Scores.read(arrays, resampling=CV).differences("knn", "dummy")
    assert a.x[0] == pytest.approx(b.x[0], abs=1e-15)
    assert a.rho.tolist() == b.rho.tolist() == [0.2]
    assert a.direction == b.direction
    assert a.direction.evidence == "declared"


def test_arrays_by_pairs_and_by_data_set():
    x = [0.5, 0.6, 0.7]
    for source in ({("iris", "knn"): x, ("iris", "svm"): x}, {"iris": {"knn": x, "svm": x}}):
        scores = bc.Scores.read(source, resampling=3, metric="f1")
        assert (scores.datasets, scores.algorithms) == (("iris",), ("knn", "svm"))
        assert scores.metrics == ("f1",)


def _search(grid, **options):
    model = Pipeline([("model", KNeighborsClassifier())])
    search = ms.GridSearchCV(model, grid, cv=options.pop("cv", CV), refit=False, **options)
    return search.fit(X, Y)


@each_row("metric", ["error", "log_loss", "rmse"])
def test_arrays_have_the_direction_of_their_metric(metric):
    """As cross_validate's do: a loss is a loss, and a scorer's is negative."""
    x = {"knn": np.array([0.1, 0.2, 0.15]), "svm": np.array([0.2, 0.3, 0.25])}
    losses = bc.Scores.read(x, metric=metric, resampling=3)
    negated = bc.Scores.read({k: -v for k, v in x.items()}, metric=metric, resampling=3)
    wrapped = bc.Scores.from_cv_results({k: {f"test_{metric}": v} for k, v in x.items()}, folds=3)
    for scores, arrow in ((losses, "↓"), (negated, "↑"), (wrapped, "↓")):
        assert str(scores.direction(metric)) == f"{metric} {arrow}"
        assert scores.differences("knn", "svm").means.tolist() == pytest.approx([-0.1])
    gains = bc.Scores.read(x, metric=metric, resampling=3, higher_is_better=metric)
    assert gains.differences("knn", "svm").means.tolist() == pytest.approx([0.1])


def test_scores_without_a_telling_name_are_a_scorers():
    x = {"knn": [0.1, 0.2, 0.15], "svm": [0.2, 0.3, 0.25]}
    scores = bc.Scores.read(x, resampling=3)
    assert scores.recognised == "arrays of scikit-learn scores, higher is better"
    assert scores.direction("score").evidence == "declared"


def test_a_search_tells_its_candidates_and_its_splits():
    search = _search({"model__n_neighbors": [1, 15], "model__weights": ["uniform"]})
    scores = bc.Scores.read(search, dataset="iris")
    assert scores.algorithms == ("n_neighbors=1", "n_neighbors=15")
    differences = scores.differences("n_neighbors=1", "n_neighbors=15")
    expected = [ms.cross_val_score(KNeighborsClassifier(k), X, Y, cv=CV) for k in (1, 15)]
    assert differences.x[0] == pytest.approx(expected[1] - expected[0], abs=1e-12)
    assert (differences.rho.tolist(), differences.datasets) == ([0.2], ("iris",))


def test_the_results_of_a_search_alone_do_not_tell_the_splits(tmp_path):
    results = _search({"model__n_neighbors": [1, 15]}).cv_results_
    with pytest.raises(bc.InputError, match=r"results of a search do not show.*Give resampling"):
        bc.Scores.read(results)
    pd.DataFrame(results).to_csv(tmp_path / "search.csv", index=False)
    with pytest.raises(bc.InputError, match=r"format 'cross_validate' .*'sklearn-search'"):
        bc.Scores.from_cv_results(results)
    for source in (results, pd.DataFrame(results), tmp_path / "search.csv"):
        scores = bc.Scores.read(source, resampling="5-fold")
        assert scores.differences(*scores.algorithms).rho.tolist() == [0.2]
    assert scores.algorithms == ("model__n_neighbors=1", "model__n_neighbors=15")


def test_a_search_by_several_metrics():
    scoring = {"acc": "accuracy", "loss": "neg_log_loss"}
    scores = bc.Scores.read(_search({"model__n_neighbors": [5, 15]}, scoring=scoring, cv=3))
    assert scores.metrics == ("acc", "loss")
    assert [str(scores.direction(m)) for m in scores.metrics] == ["acc ↑", "loss ↑"]


def test_the_best_candidates_of_a_search():
    """scikit-learn's own ranks say which are the best; the best stands first."""
    search = _search({"model__n_neighbors": [40, 5, 60, 1, 15]})
    ranks = search.cv_results_["rank_test_score"]
    assert len(set(search.cv_results_["mean_test_score"].round(9))) == 5  # none tie
    expected = [
        f"n_neighbors={search.cv_results_['params'][i]['model__n_neighbors']}"
        for i in np.argsort(ranks, kind="stable")
    ]
    assert expected[:2] != ["n_neighbors=40", "n_neighbors=5"]
    for keep in (2, 3, "2"):
        scores = bc.Scores.read(search, best=keep)
        assert list(scores.algorithms) == expected[: int(keep)]
        assert f"over 5 candidates, the best {keep} candidates by their means" in repr(scores)
    assert expected[0] == f"n_neighbors={search.best_params_['model__n_neighbors']}"
    everything = bc.Scores.read(search)
    np.testing.assert_array_equal(
        scores.differences(*scores.algorithms).x, everything.differences(*expected[:2]).x
    )
    assert set(bc.Scores.read(search, best=9).algorithms) == set(expected)
    for wrong in (0, -1, 1.5, "two", True):
        with pytest.raises(bc.InputError, match="best must be"):
            bc.Scores.read(search, best=wrong)


def test_the_best_of_several_searches():
    """Each bears the name of its search; scikit-learn says which it is, and what it scored."""
    near, far = (_search({"model__n_neighbors": grid}) for grid in ([5, 1], [60, 40]))
    scores = bc.Scores.read({"near": near, "far": far})
    assert scores.algorithms == ("near", "far")
    wanted = [
        [s.cv_results_[f"split{i}_test_score"][s.best_index_] for i in range(5)]
        for s in (near, far)
    ]
    x = scores.differences("near", "far")
    np.testing.assert_allclose(x.x[0], np.subtract(*wanted[::-1]), atol=1e-12)
    assert x.rho.tolist() == [0.2]
    best = [s.best_params_["model__n_neighbors"] for s in (near, far)]
    assert f"near (n_neighbors={best[0]}), far (n_neighbors={best[1]})" in repr(scores)
    both = bc.Scores.read({"near": near, "far": far}, best=2).algorithms
    assert both[0] == f"near, n_neighbors={best[0]}"
    assert len(both) == 4
    results = {"near": near.cv_results_, "far": far.cv_results_}
    with pytest.raises(bc.InputError, match="do not show how the data were split"):
        bc.Scores.read(results)
    assert UNCHECKED in str(bc.Scores.read(results, resampling=5).resampling.of("data"))


@each_row("seed", [7, None])
def test_searches_on_other_splits_do_not_pair(seed):
    def searched(seed):
        cv = KFold(5, shuffle=True, random_state=seed)
        return _search({"model__n_neighbors": [1, 15]}, cv=cv)

    first = searched(None if seed is None else 1)
    with pytest.raises(
        bc.InputError, match=r"'a' and 'b' must split the data in the same way.*Run both"
    ):
        bc.Scores.read({"a": first, "b": searched(seed)})


def test_the_best_by_one_of_several_metrics():
    scoring = {"acc": "accuracy", "loss": "neg_log_loss"}
    grid = {"model__n_neighbors": [1, 5, 15, 40]}
    search = _search(grid, scoring=scoring, cv=3)
    with pytest.raises(bc.InputError, match=r"name the metric of the means.*metric='acc'"):
        bc.Scores.read(search, best=2)
    for metric in scoring:
        scores = bc.Scores.read(search, best=1, metric=metric)
        best = search.cv_results_["params"][search.cv_results_[f"rank_test_{metric}"].argmin()]
        assert scores.algorithms == (f"n_neighbors={best['model__n_neighbors']}",)
        assert scores.metrics == (metric,)
    with pytest.raises(
        bc.InputError, match=r"metric must be .*\(got 'lost'\)\. Did you mean 'loss'"
    ):
        bc.Scores.read(search, best=2, metric="lost")


@each_row(
    ("metric", "options", "expected"),
    [
        ("error", {}, ("C=2", "C=3")),
        ("zeta", {}, ("C=1", "C=4")),  # the search took the highest
        ("zeta", {"lower_is_better": "zeta"}, ("C=2", "C=3")),
        ("error", {"higher_is_better": "error"}, ("C=1", "C=4")),
    ],
)
def test_the_best_are_those_of_the_metrics_direction(metric, options, expected):
    """Of equal means the first; a candidate that failed is the last."""
    results = {"params": [{"C": i} for i in range(5)]}
    cells = [np.nan, 0.9, 0.1, 0.2, 0.9]
    splits = {f"split{i}_test_{metric}": cells for i in range(3)}
    scores = bc.Scores.read({**results, **splits}, resampling=3, best=2, **options)
    assert scores.algorithms == expected


def test_the_losses_of_a_search_have_their_direction():
    """A scorer that was made without greater_is_better=False gives losses as they are."""
    results = {"params": [{"C": 1}, {"C": 2}]}
    splits = {f"split{i}_test_error": [0.1, 0.2] for i in range(3)}
    scores = bc.Scores.read({**results, **splits}, resampling=3)
    assert str(scores.direction("error")) == "error ↓"
    turned = {k: [-v for v in column] for k, column in splits.items()}
    scores = bc.Scores.read({**results, **turned}, resampling=3)
    assert scores.differences("C=1", "C=2").means.tolist() == pytest.approx([-0.1])


@each_row(
    ("params", "names"),
    [
        ([{"C": 1, "k": "a"}, {"C": 2, "k": "a"}], ["C=1", "C=2"]),
        ([{"a__C": 1, "b__C": 1}, {"a__C": 2, "b__C": 3}], ["a__C=1, b__C=1", "a__C=2, b__C=3"]),
        (
            [{"model": LogisticRegression()}, {"model": DecisionTreeClassifier()}],
            ["model=LogisticRegression", "model=DecisionTreeClassifier"],
        ),
        (
            [{"m": LogisticRegression(C=1)}, {"m": LogisticRegression(C=2)}],
            ["m=LogisticRegression #1", "m=LogisticRegression #2"],
        ),
        (
            [{"C": 0.1, "kernel": "rbf", "gamma": 1e-3}, {"C": 0.1, "kernel": "linear"}],
            ["kernel=rbf, gamma=0.001", "kernel=linear"],
        ),
        ([{}], ["default"]),
    ],
)
def test_names_of_candidates(params, names):
    assert candidate_names(params) == names


def test_arrays_of_differing_length_do_not_pair():
    scores = bc.Scores.read({"a": np.ones(4), "b": np.ones(5)}, resampling="rho 0.2")
    with pytest.raises(bc.InputError, match="must have the same folds"):
        scores.differences("a", "b")


FIXTURE = Path(__file__).parent / "skore.csv"


def test_the_table_of_a_comparison():
    scores = bc.Scores.read(FIXTURE, resampling="5-fold", dataset="iris")
    raw = pd.read_csv(FIXTURE, index_col=0).loc["accuracy"]
    differences = scores.differences("dummy", "tree", "accuracy")
    assert differences.x[0] == pytest.approx(
        [raw[f"tree_split_{i}"] - raw[f"dummy_split_{i}"] for i in range(5)]
    )
    assert differences.datasets == ("iris",)
    assert [scores.direction(m).arrow for m in scores.metrics] == ["↑", "↑", "↓"]


def test_the_table_does_not_tell_the_splits():
    with pytest.raises(bc.InputError, match="the table of skore does not show how"):
        bc.Scores.read(FIXTURE)


def _report(seed):
    parts = list(KFold(5, shuffle=True, random_state=seed).split(np.zeros(50)))
    return SimpleNamespace(split_indices=parts)


def _comparison(reports):
    frame = pd.read_csv(FIXTURE, index_col=0)
    summary = SimpleNamespace(frame=lambda aggregate: frame)
    return SimpleNamespace(reports_=reports, metrics=SimpleNamespace(summarize=lambda: summary))


def test_a_report_brings_its_splits():
    scores = bc.Scores.read(_comparison({"dummy": _report(0), "tree": _report(0)}))
    assert str(scores.resampling.of("data")) == "rho 0.2: 5 folds, by the items tested"
    with pytest.raises(bc.InputError, match="other items in split 1"):
        bc.Scores.read(_comparison({"dummy": _report(0), "tree": _report(1)}))
    with pytest.raises(bc.InputError, match="got single splits"):
        bc.Scores.read(_comparison({"dummy": SimpleNamespace(), "tree": _report(1)}))


def test_means_are_refused():
    with pytest.raises(bc.InputError, match="aggregate=None"):
        bc.Scores.read(pd.read_csv(FIXTURE).assign(mean_tree=1.0))
