"""The projection on learned measures."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import StepPatch

import bayescmp as bc
import bayescmp.frequentist as f
from bayescmp.errors import InputError
from bayescmp.plots.metrics import (
    MARKERS,
    ellipse,
    ellipses_size,
    height_ratios,
    plot_ellipses,
    plot_projection,
    style_of,
)
from bayescmp.plots.metrics import projection_size as projection_figure_size
from bayescmp.scores.blocks import Blocks
from bayescmp.wording.regions import ALGORITHMS
from tests.plots.measuring import axes
from tests.rows import each_row


def blocks(L=3, n=20, names=("tpr", "fpr", "error"), seed=0):
    x = np.random.default_rng(seed).uniform(0, 1, size=(L, n, len(names)))
    return Blocks(x, metrics=names, rho=0.1)


def means(ax):
    """The big markers, in the order of the algorithms."""
    marks = [line for line in ax.lines if len(line.get_xdata()) == 1]
    return np.array([[m.get_xdata()[0], m.get_ydata()[0]] for m in marks])


def outlines(ax):
    return [line for line in ax.lines if len(line.get_xdata()) > 2]


def test_an_ellipse_holds_its_share_of_the_gaussian():
    """Of 200,000 correlated normals the share inside is the level; the outline is 1 path."""
    level = 0.9
    from matplotlib.path import Path

    rng = np.random.default_rng(1)
    root = np.array([[2.0, 0.0], [1.5, 0.3]])
    cloud = rng.normal(size=(200_000, 2)) @ root.T + [3.0, -1.0]
    inside = Path(ellipse(cloud, level).T).contains_points(cloud)
    assert inside.mean() == pytest.approx(level, abs=0.004)


def test_the_ellipse_of_points_on_a_line_is_that_line():
    cloud = np.outer(np.arange(9.0), [1.0, 2.0])
    x, y = ellipse(cloud, 0.5)
    assert y == pytest.approx(2 * x, abs=1e-6)
    assert ellipse(np.ones((5, 2)), 0.5) == pytest.approx(np.ones((2, 121)))


def test_what_is_drawn():
    b = blocks()
    ax = plot_ellipses(b)
    assert ax.get_xlabel() == "fpr (lower is better)"  # fpr across, as in ROC plots
    assert ax.get_ylabel() == "tpr (higher is better)"
    assert means(ax) == pytest.approx(b.x[:, :, [1, 0]].mean(axis=1))
    assert len(outlines(ax)) == 3 * 2  # three algorithms, 50% and 90%
    assert sum(len(c.get_offsets()) for c in ax.collections) == 3 * 20
    assert [t.get_text() for t in ax.get_legend().get_texts()] == list(b.algorithms)


def test_other_metrics_and_levels():
    b = blocks(L=5)
    ax = plot_ellipses(b, metrics=("error", "tpr"), levels=(0.2, 0.4, 0.6))
    assert means(ax) == pytest.approx(b.x[:, :, [2, 0]].mean(axis=1))
    assert len(outlines(ax)) == 15
    assert len(outlines(plot_ellipses(b))) == 5


def test_folds_that_coincide_are_one_larger_point():
    x = np.zeros((2, 10, 2))
    x[:, :, 0] = np.repeat([0.1, 0.2], [9, 1])
    ax = plot_ellipses(Blocks(x, metrics=["precision", "recall"]))
    for points in ax.collections:
        assert len(points.get_offsets()) == 2
        assert points.get_sizes()[0] == pytest.approx(3 * points.get_sizes()[1])


def test_histograms_above():
    b = blocks(L=4)
    upper, lower = Figure(figsize=ellipses_size(b.algorithms, histogram=True)).subplots(
        2, 1, height_ratios=height_ratios(4)
    )
    ax = plot_ellipses(b, histogram="error", ax=(upper, lower))
    assert ax is lower
    assert [t.get_text() for t in upper.get_yticklabels()] == list(b.algorithms)
    steps = [p for p in upper.patches if isinstance(p, StepPatch)]
    values = b.x[:, :, 2]
    edges = steps[0].get_data().edges
    scale = 0.88 / max(np.histogram(row, edges)[0].max() for row in values)
    for i, row in enumerate(values):
        data = steps[2 * i].get_data()
        counts = (np.asarray(data.values) - data.baseline) / scale
        assert counts == pytest.approx(np.histogram(row, edges)[0])
        assert counts.sum() == pytest.approx(20)
    assert lower.get_legend() is None
    assert (
        plot_ellipses(b, histogram="error").get_xlabel().split("\n")[0] == "fpr (lower is better)"
    )


@each_row(
    ("L", "levels", "words"),
    [
        (3, None, "ellipses: 50 and 90% of a Gaussian; large: means"),
        (4, 0.8, "ellipses: 80% of a Gaussian; large: means"),
    ],
)
def test_the_levels_of_ellipses_are_said(L, levels, words):
    ax = plot_ellipses(blocks(L=L), levels=levels)
    assert ax.get_legend().get_title().get_text() == words
    assert words[1:] in bc.plots.caption(ax)


def test_equal_errors_have_one_bar():
    b = blocks()
    x = b.x.copy()
    x[:, :, 2] = 0.25
    plot_ellipses(Blocks(x, metrics=b.metrics), histogram="error")


def test_fifty_algorithms_have_a_look_of_their_own():
    assert len({style_of(i)[:2] for i in range(len(ALGORITHMS) * len(MARKERS))}) == 56


def test_more_than_eight_algorithms_have_a_panel_each():
    b = blocks(L=9)
    panels = plot_ellipses(b).figure.axes
    assert [panel.get_title() for panel in panels] == list(b.algorithms)
    for i, panel in enumerate(panels):
        everything, own = (np.asarray(c.get_offsets()) for c in panel.collections)
        assert len(everything) == 9 * b.n
        np.testing.assert_array_equal(own, b.x[i][:, [1, 0]])  # fpr across, tpr up
    given = axes()
    assert plot_ellipses(b, ax=given) is given


@each_row(
    ("options", "message"),
    [
        ({"metrics": ("tpr",)}, "must be two of tpr, fpr, error"),
        ({"metrics": ("tpr", "fp")}, r"metric must be .*\(got 'fp'\)"),
        ({"levels": (0.5, 1.0)}, "levels must be"),
        ({"ax": tuple(Figure().subplots(2))}, "ax must be one axes without histogram"),
    ],
)
def test_bad_input(options, message):
    with pytest.raises(InputError, match=message):
        plot_ellipses(blocks(), **options)
    with pytest.raises(InputError, match="ax must have two axes with histogram:"):
        plot_ellipses(blocks(), histogram="error", ax=Figure().add_subplot())


def test_one_metric_is_too_few():
    with pytest.raises(InputError, match="two of error"):
        plot_ellipses(blocks(names=("error",)))


def test_one_fold_is_drawn_without_an_ellipse():
    ax = plot_ellipses(blocks(n=1))
    assert len(ax.lines) == 3  # the means
    assert len(ax.collections) == 3


def test_small_values_are_drawn_where_they_are():
    x = 1e-13 * np.random.default_rng(0).uniform(1, 2, size=(2, 6, 2))
    ax = plot_ellipses(Blocks(x))
    for points, cloud in zip(ax.collections, x, strict=True):
        drawn = np.asarray(points.get_offsets())
        assert np.sort(drawn, axis=0) == pytest.approx(np.sort(cloud, axis=0), rel=1e-9)


def test_one_level_needs_no_list():
    one, same = plot_ellipses(blocks(), levels=0.5), plot_ellipses(blocks(), levels=[0.5])
    assert len(one.lines) == len(same.lines) == 6


def test_an_array_is_no_blocks():
    with pytest.raises(InputError, match=r"blocks must be Blocks \(got an array"):
        plot_ellipses(np.zeros((2, 5, 2)))


def measures(L=4, p=3, block=False):
    rng = np.random.default_rng(2)
    x = (
        rng.normal(size=(L, 15, p))
        + 3 * rng.normal(size=(1, 15, p))
        + 2 * rng.normal(size=(L, 1, p))
    )
    return f.learned_measures(Blocks(x, lower_is_better=[False] * np.shape(x)[-1]), block=block)


def cloud(ax):
    return np.concatenate([np.asarray(c.get_offsets()) for c in ax.collections])


def test_two_measures():
    m = measures()
    ax = plot_projection(m)
    assert means(ax) == pytest.approx(m.project()[:, :, :2].mean(axis=1))
    assert ax.get_xlabel() == f"M1 ({100 * m.share[0]:.0f}% of the differences)"
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
    assert projection_figure_size(m)[1] < projection_figure_size(measures())[1]
    assert plot_projection(measures(), which=[2]).get_xlabel().startswith("M2")


@each_row("which", [(1, 4), (1, 2, 3)])
def test_bad_measures(which):
    with pytest.raises(InputError, match="one or two of the measures 1 to 3"):
        plot_projection(measures(), which=which)


def test_folds_that_differ():
    rng = np.random.default_rng(0)
    m = f.learned_measures(
        [rng.normal(size=(n, 2)) for n in (8, 9, 10)], metrics=["tpr", "auc"], block=False
    )
    with pytest.raises(InputError, match="must be of algorithms with the same folds"):
        plot_projection(m)


def test_no_measure():
    with pytest.raises(InputError, match="measures must have a metric that varies"):
        plot_projection(
            f.learned_measures(np.ones((3, 5, 2)), metrics=["tpr", "auc"], block=False)
        )


def test_one_measure_needs_no_list():
    assert plot_projection(measures(), which=2).get_xlabel().startswith("M2")
