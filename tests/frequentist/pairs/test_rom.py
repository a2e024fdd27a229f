"""Rom's critical values: exact level, by hand, of many."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.polynomial import Polynomial

from bayescmp.frequentist.pairs.rom import rom_critical


def probability_of_no_rejection(critical):
    """P(U_(1) > c_m, ..., U_(m) > c_1) of m independent uniforms, by iterated integration."""
    m = len(critical)
    inner = Polynomial([1.0])
    for c in critical[::-1]:  # smallest order statistic first
        integral = inner.integ()
        inner = integral - integral(c)
    return float(np.prod(np.arange(1, m + 1)) * inner(1.0))


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.2, 0.5])
def test_roms_level_is_exact_under_independence(alpha):
    critical = rom_critical(np.array([alpha]), 8)[:, 0]
    for m in range(1, 9):
        assert 1 - probability_of_no_rejection(critical[:m]) == pytest.approx(alpha, rel=1e-9)


def test_roms_first_critical_values_by_hand():
    """Rom 1990, eq. 4 written out for up to four hypotheses."""
    a = 0.05
    c3 = (a + a**2 - 3 * (a / 2) ** 2) / 3
    c4 = (a + a**2 + a**3 - 4 * (a / 2) ** 3 - 6 * c3**2) / 4
    assert c3 == pytest.approx(0.016875)
    assert rom_critical(np.array([a]), 4)[:, 0] == pytest.approx([a, a / 2, c3, c4], rel=1e-13)


def test_rom_of_many():
    """The recursion stays stable: r·c_r grows to -log(1-α), as e^x - 1 = α/(1-α) in the limit."""
    scaled = rom_critical(np.array([0.05, 0.5]), 2000) * np.arange(1, 2001)[:, None]
    assert scaled[-1] == pytest.approx(-np.log1p([-0.05, -0.5]), rel=1e-3)
    assert np.all(np.diff(scaled, axis=0) > -1e-12)
