"""The tests on one data set: which are made, and what they say in the end cases."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bayescmp.blocks import Blocks
from bayescmp.errors import InputError
from bayescmp.procedure.decisions import decide, pairwise_of
from tests.procedure.cases import counts_of

OPTIONS = {"adjust": "holm", "rho": 0.0, "alpha": 0.05}


def blocks(L=3, n=12, p=2, seed=0, spread=1.0):
    rng = np.random.default_rng(seed)
    return Blocks(rng.normal(size=(L, n, p)) + spread * rng.normal(size=(L, 1, p)), rho=0.1)


def test_the_pairwise_test_that_fits():
    assert pairwise_of(None, n_metrics=1) == "tukey"
    assert pairwise_of(None, n_metrics=2) == "hotelling"
    assert pairwise_of("Two_Sample", n_metrics=4) == "two-sample"
    with pytest.raises(InputError, match="unknown pairwise test for one metric 'two-sample'"):
        pairwise_of("two-sample", n_metrics=1)


def test_equal_scores_are_not_tested():
    x = np.broadcast_to(np.random.default_rng(0).normal(size=(1, 6, 2)), (4, 6, 2))
    d = decide(Blocks(x), pairwise="hotelling", **OPTIONS)
    assert (d.omnibus_pvalue, d.rank, d.dimension) == (1.0, 0, 0)
    assert d.adjusted == pytest.approx(np.ones(6))
    two = decide(Blocks(x[:2]), pairwise="hotelling", **OPTIONS)
    assert two.dimension is None


def test_two_equal_among_others_are_not_different():
    b = blocks(L=4, spread=4.0)
    x = b.x.copy()
    x[1] = x[0]
    d = decide(Blocks(x), pairwise="hotelling", **OPTIONS)
    assert d.pvalue[0] == 1.0
    assert d.statistic[0] == 0.0
    assert d.omnibus_pvalue < 0.05


def test_two_algorithms_have_one_test():
    b = blocks(L=2)
    d = decide(b, pairwise="hotelling", **OPTIONS)
    delta = b.x[1] - b.x[0]
    t2 = 12 * delta.mean(axis=0) @ np.linalg.solve(np.cov(delta.T), delta.mean(axis=0))
    assert d.omnibus_statistic == pytest.approx(t2, rel=1e-10)
    assert d.omnibus_pvalue == pytest.approx(stats.f.sf(10 / 22 * t2, 2, 10), rel=1e-9)
    assert d.omnibus_df == (2.0, 10.0)
    assert d.pvalue == pytest.approx([d.omnibus_pvalue])


def test_one_metric_of_two_algorithms_needs_no_tukey():
    b = blocks(L=2, p=1)
    for test in ("tukey", "t"):
        d = decide(b, pairwise=test, **OPTIONS)
        expected = stats.ttest_rel(b.x[1, :, 0], b.x[0, :, 0])
        assert d.omnibus_statistic == pytest.approx(expected.statistic)
        assert d.pvalue == pytest.approx([expected.pvalue])


def test_the_dimension_of_means_on_a_line():
    """Four algorithms that differ along one direction only, far beyond the noise."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(4, 40, 3)) + 5 * np.arange(4)[:, None, None] * np.array([1, -1, 2])
    assert decide(Blocks(x), pairwise="hotelling", **OPTIONS).dimension == 1
    x[0] += np.array([0, 9, 0])
    assert decide(Blocks(x), pairwise="hotelling", **OPTIONS).dimension == 2


def test_counts_have_the_rank_of_their_independent_part():
    fp_fn = np.random.default_rng(1).uniform(1, 9, size=(3, 10, 2))
    d = decide(Blocks(counts_of(fp_fn)), pairwise="hotelling", **OPTIONS)
    same = decide(Blocks(fp_fn), pairwise="hotelling", **OPTIONS)
    assert d.rank == same.rank == 2
    assert d.pvalue == pytest.approx(same.pvalue, rel=1e-8)
    assert d.omnibus_pvalue == pytest.approx(same.omnibus_pvalue, rel=1e-8)


def test_adjusted_by_the_procedure_named():
    b = blocks(L=4)
    d = decide(b, pairwise="hotelling", adjust="bonferroni", rho=0.0, alpha=0.05)
    assert d.adjusted == pytest.approx(np.minimum(1, 6 * d.pvalue))
