"""Curves of folds; Ojala & Garriga's figure 3 from the project's own run, and what it says."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from bayescmp import curves
from bayescmp.errors import InputError
from bayescmp.plots import plot_curves, plot_null_distribution, plot_permutation_power
from bayescmp.wording.regions import COLOURS
from tests.frequentist.test_permutation import result_of
from tests.rows import each_row


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
    with pytest.raises(InputError, match="must be two names, first and second"):
        plot_curves(curves.roc_curves(y, a), names=("a", "b", "c"))


def results():
    rng = np.random.default_rng(0)
    labels = result_of(test="labels", null=rng.integers(40, 60, 300) / 100, n=300)
    return [labels, result_of(null=rng.integers(10, 30, 300) / 100, n=300)]


def test_bars_hold_all_random_data_sets():
    ax = plot_null_distribution(results())
    for container in ax.containers:
        assert sum(bar.get_height() for bar in container) == pytest.approx(1.0)
    words = [t.get_text() for t in ax.get_legend().get_texts()]
    assert len(words) == 3
    assert any("test 1: labels permuted, p = 0.00332" in w for w in words)
    assert any("on the data: 0.25" in w for w in words)


def test_line_at_the_original():
    ax = plot_null_distribution(results()[0])
    (line,) = [line for line in ax.lines if len(set(line.get_xdata())) == 1]
    assert line.get_xdata()[0] == pytest.approx(0.25)
    ticks = ax.lines[1]
    np.testing.assert_allclose(ticks.get_xdata(), [0.2, 0.3])


def test_discrete_errors_fall_in_the_middle_of_bars():
    """Errors of 20 cases come in steps of 0.05: no bar stays empty between two of them."""
    null = np.repeat(np.arange(4, 12) / 20, [1, 2, 3, 4, 4, 3, 2, 1])
    ax = plot_null_distribution(result_of(null=null, n=20, original=np.array([0.1])))
    heights = {
        round(float(bar.get_x() + bar.get_width() / 2), 3): round(bar.get_height() * 20)
        for bar in ax.containers[0]
    }
    assert heights[0.35] == 4
    assert [heights[k / 20] for k in range(4, 12)] == [1, 2, 3, 4, 4, 3, 2, 1]


def test_bars_hold_whole_steps_of_the_score():
    """As many scores on every step: all bars are alike, but for a last one that is not full."""
    for steps in [41, 90, 200]:
        null = np.tile(0.4 + np.arange(steps) / 100, 3)
        ax = plot_null_distribution(result_of(null=null, n=len(null), original=np.array([0.2])))
        heights = [bar.get_height() for bar in ax.patches if bar.get_height() > 0]
        assert len(heights) > 15
        assert heights[:-1] == pytest.approx([heights[0]] * (len(heights) - 1))


@each_row("null", [np.full(5, 0.3), np.array([0.3, np.nan])])
def test_one_value_only(null):
    result = result_of(null=null, original=np.array([0.3]))
    assert len(plot_null_distribution(result).containers) == 1
    assert len(result.plot().containers) == 1


def test_bad_input():
    with pytest.raises(InputError, match="error, auc"):
        plot_null_distribution([result_of(), result_of(metric="auc")])
    with pytest.raises(InputError, match="none"):
        plot_null_distribution([])


DATA = Path(__file__).parents[2] / "examples" / "data" / "permutation_power.csv"


@pytest.fixture
def table():
    return pd.read_csv(DATA)


def test_panels_hold_the_table(table):
    ax = plot_permutation_power(table)
    panels = ax.figure.axes
    assert [p.get_title() for p in panels] == list(table["classifier"].unique())
    for panel in panels:
        rows = table[table["classifier"] == panel.get_title()]
        line = panel.lines[0]
        np.testing.assert_array_equal(line.get_xdata(), np.sort(rows["rho"].unique()))
        means = rows[rows["test"] == "columns"].sort_values("rho")["null_mean"]
        drawn = panel.containers[1].lines[0].get_ydata()
        np.testing.assert_array_equal(drawn, means)
        bars = panel.containers[1].lines[2][0].get_segments()
        lows = rows[rows["test"] == "columns"].sort_values("rho")["null_low"]
        np.testing.assert_allclose([b[0][1] for b in bars], lows)


def test_bad_tables(table):
    with pytest.raises(InputError, match="got no 'rho'"):
        plot_permutation_power(table.drop(columns="rho"))
    with pytest.raises(InputError, match=r"axes must be 4, .* \(got 1\)"):
        plot_permutation_power(table, axes=[Figure().subplots()])


def test_test_1_always_rejects(table):
    """There is no class noise: at level 0.01, for every classifier and correlation."""
    assert (table.loc[table["test"] == "labels", "pvalue"] <= 0.01).all()


def test_naive_bayes_never_rejects_test_2(table):
    rows = table[(table["classifier"] == "naive Bayes") & (table["test"] == "columns")]
    assert len(rows) == 11
    assert (rows["pvalue"] > 0.01).all()
    assert (rows["error"] >= rows["null_low"]).all()


def test_the_others_reject_test_2_beyond_a_correlation_of_04(table):
    """At level 0.01 by the figure's own rule, the error under the bar, from |rho| = 0.6 on.

    By the mean of ten p-values too, but for the tree at -0.6: 0.012.
    """
    for name in ["decision tree", "1 nearest neighbour", "support vector machine"]:
        rows = table[(table["classifier"] == name) & (table["test"] == "columns")]
        far = rows[rows["rho"].abs() > 0.45]
        assert len(far) == 6
        assert (far["error"] < far["null_low"]).all()
        over = far[far["pvalue"] > 0.01]
        assert [(name, r) for r in over["rho"]] in ([], [("decision tree", -0.6)])
        assert (far["pvalue"] < 0.0125).all()
        assert (rows.loc[rows["rho"] == 0, "pvalue"] > 0.01).all()
