"""The projection on learned measures."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp.frequentist as f
from bayescmp.blocks import Blocks
from bayescmp.errors import InputError
from bayescmp.plots.projection import figure_size, plot_projection


@pytest.fixture(autouse=True)
def _close():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def measures(L=4, p=3, block=False):
    rng = np.random.default_rng(2)
    x = rng.normal(size=(L, 15, p)) + 3 * rng.normal(size=(1, 15, p)) + 2 * rng.normal(
        size=(L, 1, p))  # fmt: skip
    return f.learned_measures(Blocks(x, lower_is_better=[False] * np.shape(x)[-1]), block=block)


def means(ax):
    marks = [line for line in ax.lines if len(line.get_xdata()) == 1]
    return np.array([[m.get_xdata()[0], m.get_ydata()[0]] for m in marks])


def cloud(ax):
    return np.concatenate([np.asarray(c.get_offsets()) for c in ax.collections])


def test_two_measures():
    m = measures()
    ax = plot_projection(m)
    assert means(ax) == pytest.approx(m.project()[:, :, :2].mean(axis=1))
    assert ax.get_xlabel() == f"M1 ({m.share[0]:.0%} of the differences)"
    assert ax.get_ylabel().startswith("M2 (")
    other = plot_projection(m, which=(3, 1))
    assert means(other) == pytest.approx(m.project()[:, :, [2, 0]].mean(axis=1))


def test_fold_means_are_taken_out_where_folds_are_blocks():
    m = measures(block=True)
    blocked, raw = plot_projection(m), plot_projection(m, centre=False)
    assert means(blocked) == pytest.approx(means(raw))  # the algorithms' means stay
    assert cloud(blocked).std(axis=0).sum() < cloud(raw).std(axis=0).sum()
    by_fold = cloud(blocked)
    assert len(by_fold) == 60
    points = m.project()[:, :, :2]
    expected = points - points.mean(axis=0) + points.mean(axis=(0, 1))
    assert np.sort(by_fold[:, 0]) == pytest.approx(np.sort(expected[..., 0].ravel()))


def test_one_measure_is_a_row_of_histograms():
    m = measures(L=2)
    assert len(m.eigenvalues) == 1
    ax = plot_projection(m)
    assert [t.get_text() for t in ax.get_yticklabels()] == list(m.names)
    assert means(ax)[:, 0] == pytest.approx(m.project()[:, :, 0].mean(axis=1))
    assert figure_size(m)[1] < figure_size(measures())[1]
    assert plot_projection(measures(), which=[2]).get_xlabel().startswith("M2")


@pytest.mark.parametrize("which", [(1, 4), (0, 1), (), (1, 2, 3)])
def test_bad_measures(which):
    with pytest.raises(InputError, match="one or two of the measures 1 to 3"):
        plot_projection(measures(), which=which)


def test_folds_that_differ():
    rng = np.random.default_rng(0)
    m = f.learned_measures([rng.normal(size=(n, 2)) for n in (8, 9, 10)],
                           metrics=["tpr", "auc"], block=False)  # fmt: skip
    with pytest.raises(InputError, match="differ in their folds"):
        plot_projection(m)


def test_one_measure_needs_no_list():
    assert plot_projection(measures(), which=2).get_xlabel().startswith("M2")


def test_no_measure():
    with pytest.raises(InputError, match="no metric varies"):
        plot_projection(
            f.learned_measures(np.ones((3, 5, 2)), metrics=["tpr", "auc"], block=False)
        )
