"""Tables from what scikit-learn's cross_validate returns."""

from __future__ import annotations

import pytest

import bayescmp as bc


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
    with pytest.raises(bc.InputError, match="12 scores, and nothing says how"):
        bc.Scores.from_cv_results(_cross_validated(cv))
    declared = bc.Scores.from_cv_results(_cross_validated(cv), folds=4)
    read = bc.Scores.from_cv_results(_cross_validated(cv, return_indices=True))
    for scores in (declared, read):
        assert scores.differences("knn", "tree", "score").rho.tolist() == [0.25]
    assert read.differences("knn", "tree", "score").n.tolist() == [12]


@pytest.mark.parametrize("bad", [{}, {"knn": {}}, {"knn": {"fit_time": [1.0]}}, [1, 2]])
def test_bad_cross_validate_results(bad):
    with pytest.raises(bc.InputError):
        bc.Scores.from_cv_results(bad)


def test_folds_that_do_not_divide():
    with pytest.raises(bc.InputError, match="folds=3 does not divide the 5 scores"):
        bc.Scores.from_cv_results({"iris": _cross_validated(5)}, folds=3)
