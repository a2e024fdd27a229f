"""Heat map of p-values: cells, order, shades, numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import bayescmp as bc
import bayescmp.frequentist as f
from bayescmp.plots._ink import ink, luminance
from bayescmp.plots.pvalues import SHADES, figure_size, plot_pvalues


@pytest.fixture(autouse=True)
def _close():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def result_of(k=4, **options):
    rng = np.random.default_rng(1)
    names = [f"algorithm-{i:02d}" for i in range(k)]
    frame = pd.DataFrame(rng.normal(size=(25, k)) + 0.4 * np.arange(k), columns=names)
    return f.posthoc(frame, **options)


def labels(axis):
    return [t.get_text() for t in axis.get_ticklabels() if t.get_text()]


@pytest.mark.parametrize("raw", [False, True])
def test_cells_are_the_p_values(raw):
    result = result_of()
    ax = plot_pvalues(result, raw=raw)
    rows, columns = labels(ax.yaxis), labels(ax.xaxis)
    ordered = [result.names[i] for i in result.order]
    assert (rows, columns) == (ordered[1:], ordered[:-1])
    shown = ax.images[0].get_array()
    matrix = result.matrix(raw=raw)
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            if j <= i:
                assert shown[i, j] == matrix.loc[row, column]
            else:
                assert np.ma.getmaskarray(shown)[i, j]
    assert len(ax.texts) == 6


def test_shade_says_what_is_significant():
    """Purple up to the level, itself included; grey above."""
    p = np.array([0.0009, 0.009, 0.05, 0.0500001, 0.2, 0.05])
    result = f.PosthocResult(
        method="t", adjust="none", names=tuple("abcd"),
        pairs=np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]), difference=np.zeros(6),
        statistic=np.zeros(6), pvalue=p, adjusted=p, centres=np.arange(4.0),
    )  # fmt: skip
    image = plot_pvalues(result).images[0]
    shade = {float(v): to_hex(image.cmap(image.norm(v))) for v in p}
    assert shade[0.0009] == SHADES[0]
    assert shade[0.009] == SHADES[1]
    assert shade[0.05] == SHADES[2]
    assert shade[0.0500001] == to_hex(ink(0.15))
    assert luminance(shade[0.2]) > luminance(ink(0.15))
    texts = [t.get_text() for t in plot_pvalues(result).texts]
    assert "0.0500" not in texts[3]  # 0.0500001 is not shown as the level itself


def test_a_control_has_one_column():
    result = result_of(control="algorithm-01")
    ax = plot_pvalues(result)
    assert labels(ax.xaxis) == ["algorithm-01"]
    assert len(labels(ax.yaxis)) == 3
    assert np.isfinite(np.asarray(ax.images[0].get_array())).all()


def test_thirty_algorithms():
    result = result_of(30)
    ax = plot_pvalues(result)
    assert len(ax.texts) == 0
    assert len(labels(ax.yaxis)) == 29
    figure = ax.figure
    figure.canvas.draw()
    boxes = [t.get_window_extent() for t in ax.yaxis.get_ticklabels() if t.get_text()]
    heights = np.sort([b.y0 for b in boxes])
    letters = ax.yaxis.get_ticklabels()[0].get_fontsize() * figure.dpi / 72
    assert np.diff(heights).min() > letters
    assert ax.get_legend() is not None


def test_given_axes_are_used():
    ax = Figure().add_subplot()
    assert plot_pvalues(result_of(), ax=ax) is ax
    assert figure_size(result_of())[0] == pytest.approx(3.4)


def test_axis_says_the_direction():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.uniform(size=(10, 3)), columns=["a", "b", "c"])
    means = bc.Scores.from_means(frame, metric="rmse").means()
    result = f.posthoc(means, lower_is_better=True)
    assert plot_pvalues(result).get_xlabel() == "adjusted p-values on rmse ↓"
    assert plot_pvalues(result, raw=True).get_xlabel() == "raw p-values on rmse ↓"
    assert plot_pvalues(result_of()).get_xlabel() == "adjusted p-values"
