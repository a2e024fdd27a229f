"""The posterior predictive check of the data sets' spread."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import MultivariatePrior, hierarchical_multivariate_t, pair_blocks
from bayescmp.bayesian.hierarchical_multivariate.check import spread_pvalues, too_narrow
from bayescmp.bayesian.hierarchical_multivariate.problem import pose
from bayescmp.bayesian.hierarchical_multivariate.rows import read_rows
from bayescmp.engines.base import Fit

SCORES = Path(__file__).parents[3] / "examples" / "data" / "scores.csv"


@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_normal_data_sets(scale):
    """With many folds and ν large, terms of T of replicated means are χ² of one degree, capped."""
    rng = np.random.default_rng(1)
    q, n, tau = 8, 4000, np.array([0.03, 3.0])
    centre = np.array([0.01, -2.0])
    xs = [centre + tau * rng.normal(size=2) + 0.01 * tau * rng.normal(size=(n, 2))
          for _ in range(q)]  # fmt: skip
    rows = read_rows(xs, 0.0, None, None, None, None)
    problem = pose(rows, MultivariatePrior())
    shape = (4, 5000)
    draws = {"delta0": np.broadcast_to(centre, (*shape, 2)), "nu": np.full(shape, 1e6),
             "tau": np.broadcast_to(scale * tau, (*shape, 2))}  # fmt: skip
    actual = spread_pvalues(problem, Fit("fake", "1", draws, {}), seed=1)
    means = np.array([x.mean(axis=0) for x in xs])
    variance = (scale * tau) ** 2 + np.array([x.var(axis=0, ddof=1) / n for x in xs])
    observed = np.minimum((means - centre) ** 2 / variance, 9).sum(axis=0)
    replicated = np.minimum(stats.chi2(1).rvs((200_000, q), random_state=2), 9).sum(axis=1)
    expected = [np.mean(replicated >= t) for t in observed]
    assert actual == pytest.approx(expected, abs=4 * np.sqrt(0.25 / 20_000))


def test_only_a_small_p_is_told():
    assert too_narrow(["tpr", "fpr"], np.array([0.4, 0.12])) == ""
    assert "in fpr (p 0.001) by" in too_narrow(["tpr", "fpr"], np.array([0.4, 0.001]))


@pytest.mark.slow
@pytest.mark.stan
def test_metrics_that_nearly_determine_each_other_are_warned_of(stan_engine):
    """accuracy and f1: τ is 0.0008; hierarchical_t has 0.023 and 0.030 of either alone."""
    xs = pair_blocks(bc.Scores.read(SCORES), "knn", "gbm", metrics=("accuracy", "f1"))
    with pytest.warns(bc.DiagnosticWarning, match="scatter more than the fitted model allows"):
        posterior = hierarchical_multivariate_t(xs, rope=0.01, engine=stan_engine, seed=1)
    assert "leave out those that follow" in posterior.notes[0]
    assert np.median(posterior.tau) < 0.002
    assert not posterior.diagnostics.ok
    assert "FAILED: the data sets scatter" in str(posterior)


@pytest.mark.slow
@pytest.mark.stan
def test_rates_of_the_two_classes_are_not(stan_engine):
    xs = pair_blocks(bc.Scores.read(SCORES), "knn", "gbm", metrics=("tpr", "fpr"))
    posterior = hierarchical_multivariate_t(
        xs, rope=0.01, engine=stan_engine, seed=1
    )  # no warning
    assert not any("scatter" in note for note in posterior.notes)
    assert posterior.verdict().metric == "tpr, fpr"
