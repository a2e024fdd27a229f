"""Permutation distribution: enumeration, printed tables, random permutations."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

import bayescmp.frequentist as f


def scores_of(seed, n, k, ties=False):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, k)) + 2 * rng.normal(size=(n, 1))
    return np.round(x, 0) if ties else x


def enumerated(statistic, x):
    """Share of all within-block permutations of the scores with at least the statistic."""
    orders = list(itertools.permutations(range(x.shape[1])))
    observed = statistic(x)
    hits = total = 0
    for choice in itertools.product(orders, repeat=len(x) - 1):  # the first block may stay
        moved = np.array([x[0], *(x[i + 1, list(o)] for i, o in enumerate(choice))])
        hits += statistic(moved) >= observed - 1e-9
        total += 1
    return hits / total


def scipy_friedman(x):
    return stats.friedmanchisquare(*x.T).statistic


def plain_quade(x):
    """Conover 1999, sec. 5.8, written out; low ranks first."""
    n, k = x.shape
    weights = stats.rankdata(np.ptp(x, axis=1).round(9))[:, None]
    s = weights * (stats.rankdata(x, axis=1) - (k + 1) / 2)
    a, b = np.sum(s**2), np.sum(s.sum(axis=0) ** 2) / n
    return (n - 1) * b / (a - b) if a > b * (1 + 1e-12) else np.inf


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(("n", "k"), [(5, 3), (3, 4)])
def test_exact_by_enumeration(n, k, ties):
    for seed in range(2):
        x = scores_of(seed, n, k, ties)
        expected = enumerated(scipy_friedman, x)
        assert f.friedman(x, method="exact").pvalue == pytest.approx(expected, rel=1e-12)
        assert f.iman_davenport(x, method="exact").pvalue == pytest.approx(expected, rel=1e-12)
        expected = enumerated(plain_quade, x)
        assert f.quade(x, method="exact").pvalue == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("n", "k", "statistic", "p"),
    [(3, 3, 6.0, 0.028), (4, 3, 6.5, 0.042), (4, 3, 8.0, 0.0046), (3, 4, 7.4, 0.033),
     (4, 4, 7.8, 0.036)],
)  # fmt: skip
def test_exact_as_tabulated(n, k, statistic, p):
    """Friedman's table (Siegel & Castellan 1988, table N)."""
    rng = np.random.default_rng(0)
    for _ in range(20000):
        x = np.array([rng.permutation(k) for _ in range(n)], dtype=float)
        result = f.friedman(x)
        if result.statistic == pytest.approx(statistic):
            break
    assert result.statistic == pytest.approx(statistic)
    assert f.friedman(x, method="exact").pvalue == pytest.approx(p, abs=6e-4)


def test_random_permutations_approach_the_exact_p():
    x = scores_of(4, 8, 4, ties=True)
    exact = f.friedman(x, method="exact").pvalue
    drawn = f.friedman(x, method="permutation", resamples=20000, seed=1).pvalue
    assert drawn == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 20000))
    again = f.friedman(x, method="permutation", resamples=20000, seed=1).pvalue
    assert drawn == again
