"""Bundles of curves: what is drawn is what the curves hold."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp import curves
from bayescmp.errors import InputError
from bayescmp.plots import plot_curves
from bayescmp.wording.regions import COLOURS


@pytest.fixture
def data():
    rng = np.random.default_rng(1)
    y = rng.permuted(np.tile(np.arange(50) < 20, (6, 1)), axis=1).astype(int)
    return y, *(
        1 / (1 + np.exp(-(rng.normal(size=y.shape) + s * (2 * y - 1)))) for s in (0.4, 1.0)
    )


def test_roc_bundles(data):
    y, a, b = data
    first, second = curves.roc_curves(y, a), curves.roc_curves(y, b)
    ax = plot_curves(first, second, names=("nb", "svm"))
    thin = [line for line in ax.lines if line.get_linewidth() == 0.6]
    assert len(thin) == 12
    np.testing.assert_array_equal(thin[0].get_xdata(), first.points(0)[0])
    np.testing.assert_array_equal(thin[6].get_ydata(), second.points(0)[1])
    means = [line for line in ax.lines if line.get_linewidth() == 1.8]
    assert [line.get_color() for line in means] == [COLOURS["left"], COLOURS["right"]]
    np.testing.assert_allclose(means[1].get_ydata(), second.average(grid=201).mean)
    assert means[0].get_label() == f"nb: area {first.area.mean():.3f}"
    marked = [c.get_offsets() for c in ax.collections]
    np.testing.assert_allclose(marked[0], first.at(0.5))
    np.testing.assert_allclose(marked[3][0], second.at(0.5).mean(axis=0))


def test_pr_lines_are_hyperbolas_between_points(data):
    y, a, _ = data
    result = curves.pr_curves(y, np.round(a))
    ax = plot_curves(result, threshold=None, band=True)
    x, height = ax.lines[0].get_data()
    inside = (x > 0.3) & (x < 0.31)
    assert inside.any()
    expected = result.heights(0, x[inside])
    np.testing.assert_allclose(height[inside], expected)
    assert np.all(np.diff(x) >= 0)
    assert len(ax.collections) == 1  # the band; no threshold is marked
    assert ax.get_xlabel() == "recall"


def test_threshold_that_selects_nothing(data):
    y, a, _ = data
    ax = plot_curves(curves.pr_curves(y, a), threshold=2.0)
    assert len(ax.collections) == 0


def test_kinds_are_not_mixed(data):
    y, a, b = data
    with pytest.raises(InputError, match="precision-recall"):
        plot_curves(curves.roc_curves(y, a), curves.pr_curves(y, b))
