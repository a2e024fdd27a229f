"""Draws of true means: the correlated t posterior of every pair, and runs that are missing."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian.joint.resampled import TrueMeans
from bayescmp.bayesian.joint.table import read_table


def table(x, rho=0.1):
    return read_table(x, metric=None, rho=rho, test="it")


@pytest.mark.parametrize("n", [4, 12])  # fewer folds than algorithms, and more
def test_every_pair_has_its_correlated_t_posterior(n):
    rng = np.random.default_rng(n)
    x = rng.normal(0.8, 0.02, (2, n, 7))
    u = TrueMeans.of(table(x)).drawn(20_000, rng)
    for a, b in ((0, 1), (2, 6)):
        pair = bc.bayesian.correlated_t(x[1, :, b] - x[1, :, a], rho=0.1, rope=0.01)
        z = (u[:, 1, b] - u[:, 1, a] - pair.location) / pair.scale
        assert stats.kstest(z, stats.t(pair.df).cdf).pvalue > 0.001


def test_without_folds_the_means_are_what_they_are():
    true = TrueMeans.of(table([[0.1, 0.2], [0.3, 0.1]]))
    assert true.fixed
    assert true.drawn(50, np.random.default_rng(1)).tolist() == [[[0.1, 0.2], [0.3, 0.1]]]


def test_a_missing_run_takes_the_lead_of_another_data_set_over_those_run_on_both():
    x = [[0.5, 0.6, np.nan], [0.2, 0.1, 0.4], [0.7, 0.9, 0.1]]
    u = TrueMeans.of(table(x)).drawn(4000, np.random.default_rng(1))
    # leads of the third over the other two: 0.4 - 0.15 and 0.1 - 0.8; on the first they have 0.55
    assert sorted({round(float(v), 6) for v in u[:, 0, 2]}) == [-0.15, 0.8]
    assert np.mean(u[:, 0, 2] > 0) == pytest.approx(0.5, abs=0.04)
    assert (u[:, 0, :2] == x[0][:2]).all()


def test_a_run_that_no_data_set_can_lend_is_named():
    x = [[0.5, 0.6, np.nan, np.nan], [0.5, 0.6, 0.1, np.nan], [np.nan, np.nan, 0.1, 0.3],
         [np.nan, np.nan, 0.1, 0.3], [0.5, 0.6, np.nan, np.nan]]  # fmt: skip
    with pytest.raises(bc.InputError, match=r"'A4' was never run together.*data set '1'"):
        TrueMeans.of(table(x)).drawn(5, np.random.default_rng(1))


def test_leads_have_the_interval_of_their_contrast():
    rng = np.random.default_rng(3)
    x = rng.normal(0.8, 0.02, (2, 10, 3))
    actual = TrueMeans.of(table(x)).leads().loc[("2", "A3")]
    lead = x[1, :, 2] - x[1].mean(axis=1)
    pair = bc.bayesian.correlated_t(lead, rho=0.1, rope=0.01)
    low, high = stats.t(pair.df, pair.location, pair.scale).ppf([0.025, 0.975])
    assert actual.tolist() == pytest.approx([lead.mean(), low, high])
