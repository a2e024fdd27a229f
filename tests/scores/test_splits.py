"""Designs of splitters and of the items that folds hold, and what experiments make of them."""

import numpy as np
import pytest
from sklearn import model_selection as ms
from sklearn.dummy import DummyClassifier

import bayescmp as bc
from bayescmp.scores import designs as splits

N = 60
X, Y = np.zeros((N, 1)), np.arange(N) % 2
GROUPS = np.repeat(np.arange(6), 10)

SPLITTERS = [
    (ms.KFold(5), 1 / 5),
    (ms.StratifiedKFold(4), 1 / 4),
    (ms.RepeatedKFold(n_splits=5, n_repeats=3, random_state=0), 1 / 5),
    (ms.RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=0), 1 / 2),
    (ms.GroupKFold(3), 1 / 3),
    (ms.LeaveOneGroupOut(), 1 / 6),
    (ms.LeaveOneOut(), 0.0),
    (ms.ShuffleSplit(30, test_size=0.1, random_state=0), 0.1),
    (ms.StratifiedShuffleSplit(10, test_size=1 / 3, random_state=0), 1 / 3),
    (ms.ShuffleSplit(10, train_size=30, test_size=15, random_state=0), 1 / 3),
    (ms.GroupShuffleSplit(10, test_size=0.5, random_state=0), 1 / 2),
    (ms.PredefinedSplit(np.arange(N) % 4), 1 / 4),
    # half of the items are in every training set: no partition, so the share tested counts
    (ms.PredefinedSplit(np.where(np.arange(N) < 30, -1, np.arange(N) % 3)), 1 / 6),
    (bc.HoldoutResample(folds=10, random_state=0), 8 / 9),
]


@pytest.mark.parametrize(("cv", "rho"), SPLITTERS, ids=lambda v: type(v).__name__)
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


@pytest.mark.parametrize(("cv", "rho"), SPLITTERS, ids=lambda v: type(v).__name__)
def test_splitters_through_run_experiment(cv, rho):
    grouped = "Group" in type(cv).__name__
    data = {"iris": (X, Y, GROUPS) if grouped else (X, Y)}
    scores = bc.run_experiment(
        {"a": DummyClassifier(), "b": DummyClassifier()}, data, cv=cv, seed=1
    )
    assert scores.differences("a", "b").rho.tolist() == [pytest.approx(rho, rel=0.02)]


@pytest.mark.parametrize("seed", range(200))
def test_random_splits_are_told_from_their_items(seed):
    """103 of these 200 seeds gave 1/2 or 1/3, as the first test sets happened to be disjoint."""
    parts = list(ms.ShuffleSplit(30, test_size=0.1, random_state=seed).split(X))
    result = splits.of_indices(*zip(*parts, strict=True))
    assert (result.design, result.rho) == ("random splits", pytest.approx(0.1))


@pytest.mark.parametrize("cv", [ms.TimeSeriesSplit(5), ms.TimeSeriesSplit(5, max_train_size=10)])
def test_windows_are_refused(cv):
    results = {
        a: ms.cross_validate(DummyClassifier(), X, Y, cv=cv, return_indices=True) for a in "ab"
    }
    with pytest.raises(bc.InputError, match="windows in time do, and no correlation"):
        bc.Scores.from_cv_results(results)
    given_rho = bc.Scores.from_cv_results(results, resampling="windows rho 0.4")
    assert given_rho.differences("a", "b").rho.tolist() == [0.4]
    with pytest.raises(bc.InputError, match="TimeSeriesSplit, and no correlation"):
        bc.Scores.from_cv_results(results, resampling=cv)


def test_growing_windows_of_an_experiment_ask_for_rho():
    scores = bc.run_experiment(
        {"a": DummyClassifier(), "b": DummyClassifier()},
        {"iris": (X, Y)},
        cv=ms.TimeSeriesSplit(5),
        seed=1,
    )
    with pytest.raises(bc.InputError, match="windows in time do, and no correlation"):
        scores.differences("a", "b")
    assert scores.differences("a", "b", rho=0.3).rho.tolist() == [0.3]


def test_bootstrap_samples_are_refused():
    rng = np.random.default_rng(0)
    trains = [rng.integers(0, N, N) for _ in range(10)]
    tests = [np.setdiff1d(np.arange(N), t) for t in trains]
    with pytest.raises(bc.InputError, match="bootstrap samples do, and no correlation"):
        splits.of_indices(trains, tests)


def test_one_split_with_several_seeds():
    train, test = np.arange(40), np.arange(40, 60)
    assert splits.of_indices([train] * 5, [test] * 5).design == "seeds"
    with pytest.raises(bc.InputError, match="test the same items after training on others"):
        splits.of_indices([train, train[:30], train[:20]], [test] * 3)


def test_items_that_are_trained_and_tested_on():
    with pytest.raises(bc.InputError, match="split 2: trained and tested on one item"):
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
    with pytest.raises(bc.InputError, match="'a' and 'b' test on different items in split 1"):
        bc.Scores.from_cv_results(results)


@pytest.mark.parametrize("n", [5, 10, 30])
def test_unlabelled_scores_ask(n):
    results = {a: {"test_score": np.linspace(0, 1, n)} for a in "ab"}
    with pytest.raises(bc.InputError, match=f"holds {n} scores, and nothing says how"):
        bc.Scores.from_cv_results(results)


@pytest.mark.parametrize(
    ("declared", "rho"),
    [
        ("10-fold", 0.1),
        ("2x5-fold", 0.2),
        ("5x2cv", 0.5),
        ("random splits 0.25", 0.25),
        (10, 0.1),
        (ms.ShuffleSplit(10), 0.1),
        (ms.RepeatedKFold(n_splits=2, n_repeats=5), 0.5),
    ],
)
def test_unlabelled_scores_with_a_declaration(declared, rho):
    results = {a: {"test_score": np.linspace(0, 1, 10)} for a in "ab"}
    scores = bc.Scores.from_cv_results(results, resampling=declared)
    assert scores.differences("a", "b").rho.tolist() == [rho]


def test_a_declaration_that_the_items_contradict():
    results = {
        a: ms.cross_validate(DummyClassifier(), X, Y, cv=ms.KFold(5), return_indices=True)
        for a in "ab"
    }
    with pytest.raises(bc.InputError, match=r"but the indices say: rho 0.2: 5 folds"):
        bc.Scores.from_cv_results(results, resampling="10-fold")


@pytest.mark.parametrize(
    "cv", [ms.LeavePOut(2), ms.LeaveOneGroupOut(), ms.ShuffleSplit(5, test_size=10)]
)
def test_splitters_that_do_not_tell(cv):
    with pytest.raises(bc.InputError, match="resampling is a"):
        splits.of_splitter(cv)
