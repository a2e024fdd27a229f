"""Dunnett's distribution: the multivariate t, printed quantiles, one comparison, the far tail."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bayescmp.frequentist.pairs.largest import largest_t_ppf, largest_t_sf

HALF = np.sqrt(0.5)


@pytest.mark.parametrize("two_sided", [True, False])
@pytest.mark.parametrize("df", [3, 12, 200])
def test_one_comparison_is_students(two_sided, df):
    for c in (0.5, 2.0, 6.0):
        actual = largest_t_sf(c, np.array([HALF]), df, two_sided=two_sided)
        expected = stats.t.sf(c, df) * (2 if two_sided else 1)
        assert actual == pytest.approx(expected, rel=1e-8)


def test_as_the_multivariate_t():
    """SciPy 1.17.1, multivariate_t.cdf, loadings of unequal samples; its error is about 1e-4."""
    loadings, df, c = np.array([0.4, 0.7, 0.8]), 9, 1.9
    shape = np.outer(loadings, loadings)
    np.fill_diagonal(shape, 1)
    t = stats.multivariate_t(shape=shape, df=df, seed=1)
    one = 1 - t.cdf(np.full(3, c), maxpts=200_000)
    two = 1 - t.cdf(np.full(3, c), lower_limit=np.full(3, -c), maxpts=200_000)
    assert largest_t_sf(c, loadings, df, two_sided=False) == pytest.approx(one, abs=2e-4)
    assert largest_t_sf(c, loadings, df) == pytest.approx(two, abs=2e-4)


@pytest.mark.parametrize(
    ("m", "df", "two_sided", "printed"),
    [(9, 20, True, 2.95), (2, 5, False, 2.44), (4, 15, False, 2.36), (9, np.inf, False, 2.42)],
)
def test_printed_quantiles(m, df, two_sided, printed):
    """Dunnett 1955, table 1a (one-sided), and 1964, table II (two-sided), 5 %."""
    actual = largest_t_ppf(0.05, np.full(m, HALF), df, two_sided=two_sided)
    assert actual == pytest.approx(printed, abs=0.0051)


def test_far_tail():
    """With many degrees of freedom the largest of m is nearly m times as probable as one."""
    loadings = np.full(4, HALF)
    actual = largest_t_sf(9.0, loadings, 500)
    assert actual == pytest.approx(4 * 2 * stats.t.sf(9.0, 500), rel=1e-3)
    assert largest_t_sf(np.inf, loadings, 5) == 0
    assert largest_t_sf(0.0, loadings, 5) == pytest.approx(1, abs=1e-9)
