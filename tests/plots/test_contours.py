"""Outlines hold the share that they claim."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.path import Path

from bayescmp.plots._contours import outlines


@pytest.mark.parametrize("prob", [0.5, 0.95])
def test_the_outline_of_a_gaussian_is_the_ellipse_that_holds_the_share(prob):
    """The radius's square is the quantile of chi-square with two degrees of freedom."""
    draws = np.random.default_rng(1).normal(size=(40_000, 2)) * [1.0, 3.0]
    (line,) = outlines(draws, prob)
    radius = np.hypot(*(line / [1.0, 3.0]).T)
    assert radius == pytest.approx(np.sqrt(-2 * np.log1p(-prob)), rel=0.12)
    assert Path(line).contains_points(draws).mean() == pytest.approx(prob, abs=0.02)


def test_two_clouds_have_two_outlines():
    draws = np.random.default_rng(1).normal(size=(4000, 2))
    draws[::2] += 40
    assert len(outlines(draws, 0.5)) == 2
