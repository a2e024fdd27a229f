"""The Bayesian Friedman test, against the moments of its Dirichlet process and brute force."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import friedman

TABLES = Path(__file__).parents[2] / "reference" / "tables"


def test_mean_ranks_have_the_moments_of_the_dirichlet_process():
    means = np.random.default_rng(1).integers(0, 5, (12, 4)) / 10  # with ties
    result = friedman(means, seed=1, draws=40_000)
    ranks = stats.rankdata(-means, axis=1)
    every = np.vstack([ranks, np.full(4, 2.5)])  # and a data set where all tie, of weight 1
    np.testing.assert_allclose(result.mean_ranks()["mean"], every.mean(axis=0), atol=0.01)
    cov = np.cov(every.T, ddof=0) / (len(every) + 1)
    np.testing.assert_allclose(np.cov(result.averages.T), cov, rtol=0.1, atol=0.003)


def test_without_prior_two_data_sets_are_a_coin():
    posterior = friedman([[1, 2, 3], [3, 2, 1]], prior=0, seed=1, draws=40_000)
    # mean ranks of the outer two are 1 + 2w and 3 - 2w, of the middle one 2: never alone best
    assert posterior.best("average") == pytest.approx({"A1": 0.5, "A2": 0, "A3": 0.5}, abs=0.01)
    assert posterior.best() == pytest.approx({"A1": 0.5, "A2": 0, "A3": 0.5}, abs=0.01)


def test_the_prior_is_a_data_set_where_all_tie():
    posterior = friedman([[1, 2, 3]] * 3, prior=2, seed=1, draws=40_000)
    # next: one of three data sets with probability 3/5, else all tie
    expected = {"A1": 2 / 15, "A2": 2 / 15, "A3": 3 / 5 + 2 / 15}
    assert posterior.best() == pytest.approx(expected, abs=0.01)


def test_large_tables_agree_with_the_frequentist_test():
    """On the table of García & Herrera (2008)."""
    frame = pd.read_csv(TABLES / "friedman_gh2008.csv")
    numbers = frame.select_dtypes("number")
    posterior = friedman(numbers, seed=1)
    ranks = bc.frequentist.average_ranks(numbers).mean_ranks
    order = posterior.mean_ranks()["mean"].sort_values().index
    assert list(order) == list(np.array(numbers.columns)[np.argsort(ranks)])
    best, worst = order[0], order[-1]
    assert posterior.verdict(worst, best).decision == "second"


def test_leads_within_the_noise_count_little():
    rng = np.random.default_rng(1)
    x = 0.8 + rng.normal(0, 0.05, (30, 10, 2))
    x[..., 1] += 0.001 - (x[..., 1].mean(axis=1) - x[..., 0].mean(axis=1))[:, None]
    with_folds, on_means = friedman(x, rho=0.1, seed=1), friedman(x.mean(axis=1), seed=1)
    assert on_means.best()["A2"] > 0.95
    assert with_folds.best()["A2"] == pytest.approx(0.5, abs=0.1)


def test_a_rope_in_ranks():
    posterior = friedman([[1, 2, 3]] * 9, rope=1, prior=0, seed=1)
    assert posterior.verdict("A2", "A3").decision == "equivalent"
    assert posterior.verdict("A1", "A3").decision == "second"
    assert posterior.ranking()["p_near"].to_dict() == {"A3": 1, "A2": 1, "A1": 0}


def test_bad_priors():
    for bad in (-1, np.inf, "much"):
        with pytest.raises(bc.InputError, match="prior"):
            friedman([[1, 2], [2, 1]], prior=bad)
