"""The simplest candidate of a search that is practically equivalent to the best."""

import pickle

import numpy as np
import pytest
from scipy.stats import t as student
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, RepeatedKFold, ShuffleSplit
from sklearn.tree import DecisionTreeClassifier

import bayescmp as bc
from tests.rows import each_row

RNG = np.random.default_rng(11)
SPLITS = RNG.normal(0.8, 0.02, 10)


def _results(gains, noise=0.004, **more):
    """Candidates of depth 1, 2, ... with these mean gains over the same ten splits."""
    scores = [SPLITS + gain + RNG.normal(0, noise, 10) for gain in gains]
    table = np.array(scores)
    return {
        "params": [{"depth": i + 1} for i in range(len(gains))],
        **{f"split{j}_test_score": table[:, j] for j in range(10)},
        "mean_test_score": table.mean(axis=1),
        **more,
    }


def _rule(**options):
    given = {"complexity": "depth", "resampling": 10, **options}
    return bc.sklearn.practically_best(0.01, **given)


def test_the_simplest_equivalent_one():
    rule, results = _rule(), _results([-0.1, 0.0, 0.001, 0.002])
    assert rule(results) == 1
    frame = rule.frame
    assert frame.index.tolist() == [0, 1, 2, 3]
    assert frame.loc[1, "decision"] == "equivalent"
    assert frame["chosen"].tolist() == [False, True, False, False]
    # The same probability by scipy: t with 9 degrees of freedom, c = 1/10 + (1/10)/(9/10).
    best = frame.index[frame["best"]][0]
    x = np.array(
        [
            results[f"split{j}_test_score"][1] - results[f"split{j}_test_score"][best]
            for j in range(10)
        ]
    )
    scale = np.sqrt((1 / 10 + (1 / 10) / (9 / 10)) * x.var(ddof=1))
    inside = np.diff(student.cdf([-0.01, 0.01], 9, x.mean(), scale))[0]
    assert frame.loc[1, "p_rope"] == pytest.approx(inside, abs=1e-9)


def test_the_best_one_where_no_simpler_one_is_equivalent():
    rule = _rule()
    assert rule(_results([-0.1, -0.05, 0.0, -0.001])) == 2
    assert rule.frame.loc[2, "decision"] == "best"
    assert rule(_results([-0.004, 0.0], noise=0.03)) == rule.frame.index[rule.frame["best"]][0]


def test_what_is_simple_is_said():
    results = _results([0.0, 0.001, 0.0, 0.001], mean_fit_time=np.array([4.0, 3.0, 1.0, 2.0]))
    assert _rule(complexity="mean_fit_time")(results) == 2
    assert _rule(complexity=lambda p: -p["depth"])(results) == 3
    assert _rule(complexity=["depth", "mean_fit_time"])(results) == 0
    results["params"][0] = {"depth": None}  # no limit: the most complex
    assert _rule()(results) == 1


def test_failed_candidates_are_counted_and_left_out():
    results = _results([0.0, 0.0, 0.001])
    results["split3_test_score"][0] = np.nan
    with pytest.warns(bc.DiagnosticWarning, match="1 of 3 candidates failed"):
        assert _rule()(results) == 1
    for j in range(10):
        results[f"split{j}_test_score"][:] = np.nan
    with pytest.raises(bc.InputError, match="cv_results must have a candidate"):
        _rule()(results)


def test_rho_follows_from_the_searchs_own_splits():
    assert _rule(resampling=RepeatedKFold(n_splits=5, n_repeats=2)).rho == 0.2
    assert _rule(resampling="random splits 0.25").rho == 0.25
    assert _rule(resampling=None, rho=0.3).rho == 0.3


@each_row(
    ("options", "results", "message"),
    [
        ({}, {"split0_test_auc": np.zeros(2)}, "metric must be given"),
        ({}, {"iter": np.zeros(2)}, "successive-halving"),
        (
            {"metric": "auc"},
            {"split0_test_auc": np.zeros(2)},
            "cv_results must have at least two splits for",
        ),
        (
            {},
            {"params": [{"depth": "a"}, {"depth": 1}]},
            r"candidate 0: complexity must be .*got 'a' for 'depth'",
        ),
    ],
)
def test_bad_results(options, results, message):
    with pytest.raises(bc.InputError, match=message):
        _rule(**options)({**_results([0.0, 0.0]), **results})


def test_not_a_searchs_results():
    with pytest.raises(bc.InputError, match="must be what a search writes"):
        _rule()({})


def test_in_a_search():
    X, y = load_iris(return_X_y=True)
    depths = [1, 2, 3, 4, 5, 6]
    search = GridSearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": depths},
        cv=10,
        refit=bc.sklearn.practically_best(0.05, complexity="max_depth", resampling=10),
    )
    search.fit(X, y)
    chosen = search.cv_results_["params"][search.best_index_]
    assert search.best_estimator_.max_depth == chosen["max_depth"] == 3
    assert search.refit.frame.loc[search.best_index_, "chosen"]
    assert clone(search).fit(X, y).best_params_ == chosen
    assert pickle.loads(pickle.dumps(search.refit)).rho == 0.1


def _chosen_by_hand(search, name, rope, rho, threshold=0.95):
    """The least depth whose t test against the best has its mass within the rope; by SciPy."""
    keys = [k for k in search.cv_results_ if k.startswith("split") and k.endswith(f"_test_{name}")]
    scores = np.array([search.cv_results_[k] for k in keys]).T
    means = np.where(np.isnan(scores).any(axis=1), -np.inf, scores.mean(axis=1))
    best, n = int(means.argmax()), len(keys)
    for i in range(best):  # the grids below go from simple to complex
        x = scores[i] - scores[best]
        scale = np.sqrt((1 / n + rho / (1 - rho)) * x.var(ddof=1))
        inside = np.diff(student.cdf([-rope, rope], n - 1, x.mean(), scale))[0]
        if np.isfinite(x).all() and inside >= threshold:
            return i
    return best


def fails_at_two(estimator, X, y):
    if estimator.max_depth == 2:
        raise ValueError("out of memory")
    return estimator.score(X, y)


@each_row(
    ("scoring", "name", "rope", "cv", "rho"),
    [
        ("neg_mean_absolute_error", "score", 0.04, RepeatedKFold(n_splits=4, n_repeats=2), 0.25),
        ({"acc": "accuracy", "f1": "f1_macro"}, "f1", 0.06, ShuffleSplit(6, test_size=0.25), 0.25),
        ({"acc": "accuracy", "f1": "f1_macro"}, "acc", 0.06, 4, 0.25),
    ],
    ids=["negated errors, repeated folds", "several metrics, random splits", "several metrics"],
)
def test_in_searches_of_every_kind(scoring, name, rope, cv, rho):
    if hasattr(cv, "random_state"):
        cv.random_state = 3
    metric = None if isinstance(scoring, str) else name
    rule = bc.sklearn.practically_best(rope, complexity="max_depth", resampling=cv, metric=metric)
    search = GridSearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 2, 3, 4]},
        cv=cv,
        refit=rule,
        scoring=scoring,
    ).fit(*load_iris(return_X_y=True))
    assert search.best_index_ == _chosen_by_hand(search, name, rope, rho)
    assert search.best_estimator_.max_depth == search.best_params_["max_depth"]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
@pytest.mark.filterwarnings("ignore:Scoring failed:UserWarning")
@pytest.mark.filterwarnings("ignore:One or more of the test scores:UserWarning")
def test_failed_candidates_of_a_search_are_left_out():
    rule = bc.sklearn.practically_best(0.1, complexity="max_depth", resampling=4)
    search = GridSearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 2, 3]},
        cv=4,
        refit=rule,
        scoring=fails_at_two,
    )
    with pytest.warns(bc.DiagnosticWarning, match="1 of 3 candidates failed on some split"):
        search.fit(*load_iris(return_X_y=True))
    assert search.best_params_ == {"max_depth": 3}
    assert rule.frame.index.tolist() == [0, 2]


def test_the_simplest_of_those_that_tie_is_the_best():
    """Their means differ by rounding: the same scores in another order."""
    scores = np.array([0.1, 0.2, 0.7, 0.35, 0.61])
    table = np.stack([scores - 0.3, np.roll(scores, 3), scores, scores[::-1]])
    assert len(set(table[1:].mean(axis=1))) > 1
    results = {
        "params": [{"depth": k} for k in (1, 2, 3, 4)],
        **{f"split{j}_test_score": table[:, j] for j in range(5)},
    }
    rule = _rule(resampling=5)
    assert rule(results) == 1
    assert rule.frame.loc[1, "decision"] == "best"


@each_row(
    ("options", "message"),
    [
        ({"resampling": None}, "resampling must be given"),
        ({"rho": 0.1}, "resampling must be left out with rho, which"),
        ({"complexity": []}, "complexity must be a parameter"),
        ({"threshold": 0.2}, "threshold"),
    ],
)
def test_bad_options_are_refused_before_the_search(options, message):
    with pytest.raises(bc.InputError, match=message):
        _rule(**options)
