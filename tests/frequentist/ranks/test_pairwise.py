"""Conover's t and the exact distribution: R, Eisinga et al., enumeration, the null rate."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

import bayescmp.frequentist as f
from bayescmp.errors import InputError
from bayescmp.frequentist.ranks.pairwise import conover, difference_distribution
from bayescmp.frequentist.ranks.table import as_table
from bayescmp.frequentist.ranks.within import block_scores


@pytest.mark.parametrize("name", ["plain", "tied"])
@pytest.mark.parametrize(("test", "key"), [("friedman", "conover"), ("quade", "quade")])
def test_t_as_in_pmcmrplus(rr, name, test, key):
    """PMCMRplus 1.9.10, frdAllPairsConoverTest and quadeAllPairsTest(dist="TDist"), "none"."""
    x = rr[name].reshape(12, 5)
    result = f.posthoc(x, test=test, distribution="t", adjust="none")
    assert result.pvalue == pytest.approx(rr[f"{name}_{key}"], rel=1e-10)


def test_exact_as_in_pmcmrplus(rr):
    """PMCMRplus 1.9.10, frdAllPairsExactTest(y, g, b, "none")."""
    result = f.posthoc(rr["plain"].reshape(12, 5), distribution="exact", adjust="none")
    assert result.pvalue == pytest.approx(rr["plain_exact"], rel=1e-12)


@pytest.mark.parametrize(("d", "k", "n"), [(100, 100, 100), (20, 5, 5), (30, 10, 10), (12, 4, 40)])
def test_tails_as_by_eisinga(rr, d, k, n):
    """pexactfrsd(d, k, n, "pvalue") of Eisinga et al. 2017, who print 0.8085251 for the first."""
    values, mass = difference_distribution(np.tile(np.arange(1.0, k + 1), (n, 1)))
    assert mass[np.abs(values) >= d].sum() == pytest.approx(rr[f"eisinga_{d}_{k}_{n}"], rel=1e-11)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("test", ["friedman", "aligned", "quade"])
def test_exact_by_enumeration(test, ties):
    """All permutations of the scores within four data sets."""
    x = np.random.default_rng(5).normal(size=(4, 3))
    x = np.round(x) if ties else x
    observed = np.abs(f.posthoc(x, test=test).difference)
    orders = [list(o) for o in itertools.permutations(range(3))]
    differences = [
        f.posthoc(
            np.array([row[o] for row, o in zip(x, choice, strict=True)]), test=test
        ).difference[0]
        for choice in itertools.product(orders, repeat=4)
    ]
    expected = [np.mean(np.abs(differences) >= d - 1e-9) for d in observed]
    assert f.posthoc(x, test=test, distribution="exact", adjust="none").pvalue == pytest.approx(
        expected, abs=1e-12
    )


def test_distribution_is_symmetric_and_whole():
    a = np.random.default_rng(1).integers(1, 5, size=(9, 6)).astype(float)
    values, mass = difference_distribution(a)
    assert mass.sum() == pytest.approx(1, abs=1e-12)
    assert mass == pytest.approx(mass[::-1], abs=1e-15)
    deviation = a - a.mean(axis=1, keepdims=True)
    assert mass @ values**2 == pytest.approx(2 * np.sum(deviation**2) / 5)


def test_conovers_error_is_that_of_an_analysis_of_variance_of_ranks():
    ranks = block_scores("friedman", as_table(np.random.default_rng(2).random((10, 4)), test=""))
    error, df = conover(ranks)
    table = f.anova(ranks.a.T)
    assert (error, df) == (pytest.approx(np.sqrt(2 * table.mean_square_error / 10)), 27)


def test_margin_and_notes():
    x = np.random.default_rng(3).random((15, 4))
    result = f.posthoc(x, distribution="t", adjust="bonferroni")
    limit = result.critical_difference(0.05)
    expected = stats.t.isf(0.05 / 12, 42) * result.standard_error
    assert limit == pytest.approx(expected)
    assert "df = 42" in str(result)
    assert "Conover post-hoc test" in str(result)
    assert "t = " in str(result)
    assert f.posthoc(x, distribution="exact", adjust="none").critical_difference() is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"distribution": "gauss"}, "unknown distribution 'gauss'"),
        ({"distribution": "t", "test": "aligned"}, "'exact' with 'aligned'"),
        ({"distribution": "t", "test": "wilcoxon"}, "its own distribution"),
        ({"distribution": "t", "adjust": "nemenyi"}, "adjust='nemenyi'"),
        ({"distribution": "exact", "variance": "published"}, "variance='published'"),
    ],
)
def test_refused(options, message):
    with pytest.raises(InputError, match=message):
        f.posthoc(np.random.default_rng(1).random((8, 4)), **options)


def test_no_error_is_left_where_all_rank_alike():
    x = np.tile([1.0, 2.0, 3.0], (6, 1))
    with pytest.raises(InputError, match="leaves no error"):
        f.posthoc(x, distribution="t")
    exact = f.posthoc(x, distribution="exact", adjust="none")
    assert exact.pvalue[1] == pytest.approx(2 / 6**6)  # the first last, the last first, 6 times
