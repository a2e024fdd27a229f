"""The histogram, where there is no rope: its draws and the verdict."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp as bc
from bayescmp import plots
from bayescmp.bayesian import sign, signed_rank
from bayescmp.plots._ink import fill
from tests.plots.drawing import texts


@pytest.mark.parametrize("test", [sign, signed_rank])
def test_histogram_has_the_draws_and_the_verdict(test):
    posterior = test([0.01, 0.03, 0.02, -0.01, 0.04], rope=0, seed=1, names=("a", "b"))
    ax = posterior.plot()
    v = posterior.verdict()
    assert f"a\nbetter\n{v.p_left:.3f}" in texts(ax)
    assert f"b\nbetter\n{v.p_right:.3f}" in texts(ax)
    right = posterior.masses()[..., 2].ravel()
    beyond = sum(b.get_height() * b.get_width() for b in ax.patches if b.get_x() >= 0.5 - 1e-9)
    assert beyond == pytest.approx((right >= 0.5).mean(), abs=1e-6)
    colours = {tuple(np.round(b.get_facecolor()[:3], 6)) for b in ax.patches}
    assert colours == {tuple(np.round(fill(r, 0.8)["facecolor"], 6)) for r in ("left", "right")}


def test_histogram_and_simplex_know_their_place():
    posterior = signed_rank([0.01, 0.03, 0.02, -0.01, 0.04], rope=0.01, seed=1)
    assert posterior.plot().get_xlabel() == ""  # the simplex has no axes
    assert "probability that" in posterior.plot(rope=0).get_xlabel()
    with pytest.raises(bc.InputError, match="plot_simplex"):
        plots.plot_histogram(posterior, rope=0.01)
    with pytest.raises(bc.InputError, match="bins=51"):
        plots.plot_histogram(posterior, bins=51)
