"""The simplest candidate of a search that is practically equivalent to the best."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.stats import t as student
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, RepeatedKFold
from sklearn.tree import DecisionTreeClassifier

import bayescmp as bc

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
    x = np.array([results[f"split{j}_test_score"][1] - results[f"split{j}_test_score"][best]
                  for j in range(10)])  # fmt: skip
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
    with pytest.raises(bc.InputError, match="no candidate with a finite score"):
        _rule()(results)


def test_rho_follows_from_the_searchs_own_splits():
    assert _rule(resampling=RepeatedKFold(n_splits=5, n_repeats=2)).rho == 0.2
    assert _rule(resampling="random splits 0.25").rho == 0.25
    assert _rule(resampling=None, rho=0.3).rho == 0.3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"resampling": None}, "resampling is missing"),
        ({"rho": 0.1}, "both given"),
        ({"complexity": []}, "complexity is empty"),
        ({"threshold": 0.2}, "threshold"),
    ],
)
def test_bad_options_are_refused_before_the_search(options, message):
    with pytest.raises(bc.InputError, match=message):
        _rule(**options)


@pytest.mark.parametrize(
    ("options", "results", "message"),
    [
        ({"complexity": "dept"}, {}, "unknown parameter in complexity 'dept'.*'depth'"),
        ({"metric": "auc"}, {}, "unknown metric 'auc'"),
        ({}, {"split0_test_auc": np.zeros(2)}, "metric is missing"),
        ({}, {"iter": np.zeros(2)}, "successive-halving"),
        ({}, {"params": [{"depth": "a"}, {"depth": 1}]}, "candidate 0: parameter 'depth' is 'a'"),
    ],
)
def test_bad_results(options, results, message):
    with pytest.raises(bc.InputError, match=message):
        _rule(**options)({**_results([0.0, 0.0]), **results})


def test_not_a_searchs_results():
    with pytest.raises(bc.InputError, match="not what a search writes"):
        _rule()({})


def test_in_a_search():
    X, y = load_iris(return_X_y=True)
    depths = [1, 2, 3, 4, 5, 6]
    search = GridSearchCV(
        DecisionTreeClassifier(random_state=0), {"max_depth": depths}, cv=10,
        refit=bc.sklearn.practically_best(0.05, complexity="max_depth", resampling=10),
    )  # fmt: skip
    search.fit(X, y)
    chosen = search.cv_results_["params"][search.best_index_]
    assert search.best_estimator_.max_depth == chosen["max_depth"] == 3
    assert search.refit.frame.loc[search.best_index_, "chosen"]
    assert clone(search).fit(X, y).best_params_ == chosen
    assert pickle.loads(pickle.dumps(search.refit)).rho == 0.1
