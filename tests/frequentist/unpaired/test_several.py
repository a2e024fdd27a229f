"""The Kruskal-Wallis test: R, order, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp.frequentist as f
from bayescmp.errors import InputError


def test_as_in_r(gr):
    """R 4.2.2, kruskal.test(list(r, s, q)), with ties."""
    result = f.kruskal_wallis([gr["runs_first"], gr["runs_second"], gr["runs_third"]])
    assert [result.statistic, result.df, result.pvalue] == pytest.approx(gr["kruskal"])


def test_two_are_the_mann_whitney_test():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=20), rng.normal(size=25)
    result = f.kruskal_wallis([a, b], names=["a", "b"])
    plain = f.mann_whitney(a, b, method="asymptotic")  # with SciPy's continuity correction
    assert result.pvalue == pytest.approx(plain.pvalue, rel=0.05)


def test_the_best_has_the_lowest_rank():
    result = f.kruskal_wallis([[1, 2, 3], [7, 8, 9], [4, 5, 6]], names=["a", "b", "c"])
    assert result.estimate.tolist() == [8, 2, 5]
    assert result.names == ("a", "b", "c")


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        ([[1, 2]], "at least 2"),
        ([[1, 1], [1, 1]], "equal"),
        ([[1, 2], [np.nan]], "'A2'"),
        (None, "samples=None; accepted"),
        (5, "samples=5; accepted"),
    ],
)
def test_refused(samples, message):
    with pytest.raises(InputError, match=message):
        f.kruskal_wallis(samples)
