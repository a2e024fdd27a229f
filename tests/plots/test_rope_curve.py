"""The rope curve: its lines are the numbers of the verdicts."""

from __future__ import annotations

import pytest

import bayescmp as bc
from bayescmp import plots
from bayescmp.bayesian import correlated_t, sign
from bayescmp.plots.rope_curve import DASHES


def test_the_lines_are_the_curve():
    posterior = correlated_t([0.01, 0.03, 0.02, -0.01], rho=0.1, rope=0.01, names=("a", "b"))
    ax = plots.plot_rope_curve(posterior)
    table = posterior.rope_curve()
    lines = {line.get_label(): line for line in ax.lines}
    assert lines["a better"].get_ydata() == pytest.approx(table["p_left"])
    assert lines["b better"].get_ydata() == pytest.approx(table["p_right"])
    # at no rope its probability is 0 by definition: the line starts after that
    assert lines["equivalent"].get_ydata() == pytest.approx(table["p_rope"].iloc[1:])
    assert len({DASHES[r] for r in ("left", "rope", "right")}) == 3
    assert 0.01 in [line.get_xdata()[0] for line in ax.lines]


def test_rope_curve_of_given_widths():
    posterior = sign([0.01, 0.03, 0.02, -0.01], rope=0)
    ax = plots.plot_rope_curve(posterior, widths=[0, 0.01, 0.05])
    assert ax.get_xlim() == (0, 0.05)
    with pytest.raises(bc.InputError, match="no rope"):
        plots.plot_rope_curve(posterior)
