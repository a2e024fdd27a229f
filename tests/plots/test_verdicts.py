"""Verdicts as bars and in cells, under other assumptions, and as more data come."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import same_color
from matplotlib.figure import Figure

import bayescmp as bc
from bayescmp.bayesian import bootstrap, groups, hierarchical_t
from bayescmp.plots import (
    caption,
    plot_pairs_sensitivity,
    plot_plan,
    plot_sensitivity,
    plot_verdict_bar,
    plot_verdicts,
)
from bayescmp.plots.drawing import fill
from bayescmp.plots.verdicts import COLUMNS, MOST, pairs_sensitivity_size, sensitivity_size
from bayescmp.results.plan import Plan
from bayescmp.scores.rope import as_rope, as_ropes
from bayescmp.study.planning.deciding import frame_of
from bayescmp.wording.regions import COLOURS
from tests.plots.scenes import comparisons


def four(rope=(0.01, 0.02)):
    p = {"equivalent": 0.1, "first": 0.25, "second": 0.6, "trade_off": 0.05}
    if 0 in rope:
        p |= {"equivalent": 0.0, "first": 0.35}
    metrics = ("tpr", "fpr")
    return bc.Verdict(
        p,
        dict.fromkeys(p, 0.01),
        ("knn", "gbm"),
        as_ropes(rope, metrics),
        metrics=metrics,
        floor=1e-4,
    )


def lengths(ax, row=0):
    """Region to length of a row's coloured parts."""
    result = {}
    for patch in ax.patches:
        if patch.get_fill() and abs(patch.get_y() + patch.get_height() / 2 - row) < 1e-9:
            region = next(
                r
                for r in COLOURS
                if patch.get_facecolor()[:3] == pytest.approx(fill(r)["facecolor"])
            )
            result[region] = patch.get_width()
    return result


def test_one_verdict():
    ax = plot_verdict_bar(four())
    actual = lengths(ax)
    # colours of the first of equal names: "left" is the first's, "rope" that of equivalence
    assert actual == pytest.approx({"left": 0.25, "rope": 0.1, "trade_off": 0.05, "right": 0.6})
    labels = [t.get_text() for t in ax.get_legend().get_texts()]
    assert "gbm dominates  0.600" in labels
    assert "trade-off  0.050" in labels
    assert len(labels) == 4


def test_a_region_that_can_not_be_is_not_drawn():
    ax = plot_verdict_bar(four(rope=(0, 0.02)))
    assert "rope" not in lengths(ax)
    assert len(ax.get_legend().get_texts()) == 3


def test_one_metric_has_three_regions():
    p = {"left": 0.7, "rope": 0.2, "right": 0.1}
    v = bc.Verdict(p, dict.fromkeys(p, 0.01), ("a", "b"), as_rope(0.01))
    assert lengths(plot_verdict_bar(v)) == pytest.approx(p)


def test_all_pairs_and_bold_where_decided():
    rng = np.random.default_rng(1)
    x = 0.7 + rng.normal(size=(3, 20, 2)) * 0.02
    x[2] += 0.1
    post = groups(x, rho=0.1, rope=0.01, seed=1)
    verdicts = post.verdicts()
    ax = plot_verdict_bar(verdicts)
    labels = ax.get_yticklabels()
    assert [t.get_text() for t in labels] == ["A1 – A2", "A1 – A3", "A2 – A3"]
    for row, (label, v) in enumerate(zip(labels, verdicts.values(), strict=True)):
        assert (label.get_fontweight() == "bold") == (v.decision != "undecided")
        assert lengths(ax, row)["right"] == pytest.approx(v.probabilities["second"])
        assert sum(lengths(ax, row).values()) == pytest.approx(1)


def test_bad_input():
    with pytest.raises(bc.InputError, match="verdicts must be a verdict"):
        plot_verdict_bar({})
    p = {"left": 0.7, "rope": 0.2, "right": 0.1}
    three = bc.Verdict(p, dict.fromkeys(p, 0.01), ("a", "b"), as_rope(0.01))
    with pytest.raises(bc.InputError, match="different regions"):
        plot_verdict_bar({"a": four(), "b": three})


def test_results_of_comparisons_are_drawn_as_their_verdicts():
    x = np.random.default_rng(1).normal([0.80, 0.81, 0.87], 0.02, (15, 3))
    scores = bc.Scores.from_means(
        pd.DataFrame(x, columns=["knn", "gbm", "svm"]), metric="accuracy"
    )
    comparisons = bc.compare_all(scores, rope=0.01, seed=1)
    ax = plot_verdict_bar(comparisons.results)
    for row, result in enumerate(comparisons.results.values()):
        assert lengths(ax, row)["left"] == pytest.approx(result.verdict.p_left)


@pytest.fixture(scope="module")
def result():
    rng = np.random.default_rng(2)
    x = rng.normal(0.012, 0.01, (11, 1)) + rng.normal(0, 0.01, (11, 5))
    post = hierarchical_t(x, rho=0.2, rope=0.01, engine="quadrature", names=("knn", "gbm"))
    return post.sensitivity()


def test_bars_are_the_tables_rows(result):
    ax = plot_sensitivity(result, ax=Figure(figsize=sensitivity_size(result)).add_subplot())
    left, rope, right = ax.containers
    rows = result.frame
    without = rows[rows["question"] == "without"].sort_values("change", ascending=False)
    shown = [*rows[rows["question"] != "without"]["p_right"], *without["p_right"].head(MOST)]
    assert [bar.get_width() for bar in right] == pytest.approx(shown)
    ends = [bar.get_x() + bar.get_width() for bar in right]
    assert ends == pytest.approx([1.0] * len(shown), abs=1e-6)
    assert [c.get_label() for c in (left, rope, right)] == [
        "knn better",
        "equivalent",
        "gbm better",
    ]
    labels = [t.get_text() for t in ax.get_yticklabels()]
    assert labels[0] == "as fitted"
    half = result.verdict.rope.high
    assert [x for x in labels if x.startswith("ROPE")] == [
        f"ROPE ±{m * half:g}" for m in (0.5, 1, 2)
    ]
    assert sum(label.startswith("without") for label in labels) == MOST


def test_dots_and_bold_labels_mark_other_decisions(result):
    ax = plot_sensitivity(result, ax=Figure(figsize=sensitivity_size(result)).add_subplot())
    bold = [t.get_position()[1] for t in ax.get_yticklabels() if t.get_fontweight() == "bold"]
    assert 0 < len(bold) < len(ax.get_yticklabels())
    np.testing.assert_allclose(ax.lines[0].get_ydata(), bold)


X = np.random.default_rng(1).normal([[0.70], [0.71], [0.75]], 0.02, (3, 10))


@pytest.fixture(scope="module")
def of_pairs():
    return groups(X, rho=0.1, rope=0.01, variances="equal", seed=3).sensitivity()


def test_cells_are_decisions_and_dots_are_changes(of_pairs):
    ax = plot_pairs_sensitivity(of_pairs)
    frame = of_pairs.frame
    assert [t.get_text() for t in ax.get_xticklabels()] == ["A1, A3", "A2, A3"]
    assert set(of_pairs["A1", "A2"].frame["decision"]) == {"undecided"}
    for text in (ax.get_xlabel(), caption(ax)):
        assert "not drawn: 1 of 3 pairs, never decided" in text
    frame = frame[frame["second"] == "A3"]
    settings = len(frame) // 2
    assert len(ax.get_yticklabels()) == settings
    decided = frame[frame["decision"] != "undecided"]
    assert len(ax.patches) == len(decided)
    place = {("A1", "A3"): 0, ("A2", "A3"): 1}
    frame = frame.reset_index(drop=True)
    changed = frame[frame["changes"]]
    wanted = {(place[r.first, r.second], r.Index % settings) for r in changed.itertuples()}
    x, y = ax.lines[0].get_data()
    assert set(zip(x, y, strict=True)) == wanted


def test_pairs_that_are_decided_not_worse_are_drawn():
    result = groups(X, rho=0.1, rope=(-0.05, np.inf), variances="equal", seed=3).sensitivity()
    fits = {pair: each.frame["decision"].iloc[0] for pair, each in result.pairs.items()}
    assert set(fits.values()) == {"not worse"}
    ax = plot_pairs_sensitivity(result)
    assert len(ax.get_xticklabels()) == 3
    assert "never decided" not in caption(ax)
    assert "none of" not in caption(ax)
    assert len(ax.patches) == sum(result.frame["decision"] == "not worse")


def test_nothing_decided_has_no_legend():
    result = bootstrap([[0.8, 0.9], [0.9, 0.8]], rope=0.01, seed=1, draws=100).sensitivity()
    assert set(result.frame["decision"]) == {"undecided"}
    ax = plot_pairs_sensitivity(result)
    assert ax.get_legend() is None
    assert "none of 1 pair is ever decided" in ax.get_xlabel()


def test_of_many_pairs_the_first_are_shown():
    means = np.random.default_rng(1).normal(0.7, 0.1, (3, 1)) + 0.1 * np.arange(10)
    result = bootstrap(means, rope=0.01, seed=1, draws=100).sensitivity(datasets=False)
    ax = plot_pairs_sensitivity(result)
    assert len(ax.get_xticklabels()) == COLUMNS < len(result.pairs)
    assert "not drawn: 15 pairs beyond the first 30" in ax.get_xlabel()
    assert pairs_sensitivity_size(result)[0] < 12


LIMIT = {"first": 0.02, "equivalent": 0.18, "second": 0.8}
DECIDED = {
    (0, 0): ["undecided"] * 10,
    (5, 0): ["second"] * 4 + ["undecided"] * 6,
    (10, 0): ["second"] * 8 + ["equivalent", "undecided"],
    (0, 9): ["second"] * 2 + ["undecided"] * 8,
}


@pytest.fixture
def ax():
    plan = Plan(frame_of(DECIDED), LIMIT, ("knn", "gbm"), 0.95, 10, 1, "undecided")
    return plot_plan(plan, ax=Figure().add_subplot())


def test_curves_are_the_tables_columns(ax):
    lines = {line.get_label(): line for line in ax.lines}
    np.testing.assert_allclose(lines["gbm better"].get_ydata(), [0, 0.4, 0.8])
    np.testing.assert_allclose(lines["equivalent"].get_ydata(), [0, 0, 0.1])
    decided, with_folds = ax.containers
    np.testing.assert_allclose(decided.lines[0].get_ydata().astype(float), [0, 0.4, 0.9])
    np.testing.assert_allclose(with_folds.lines[0].get_ydata().astype(float), [0.2])
    assert with_folds.get_label() == "decided, 9 more folds"
    across, limit = ax.get_xlabel().split("\n", 1)
    assert across == "more data sets"
    words = "with infinitely many data sets: knn better 0.020, equivalent 0.180, gbm better 0.800"
    assert words in limit.replace("\n", " ")
    assert words in caption(ax)
    assert caption(ax).startswith(
        "Power by the number of data sets (knn and gbm; 10 simulated studies). Setting: threshold "
        "0.95."
    )


def test_marks_at_the_edge_are_the_limit(ax):
    marks = {ln.get_ydata()[0]: ln for ln in ax.lines if [*ln.get_xdata()] == [1.02]}
    assert sorted(marks) == sorted(LIMIT.values())
    assert same_color(marks[0.8].get_color(), COLOURS["right"])


def test_the_line_of_all_decisions_is_in_the_colour_of_text():
    style = "dark_background"
    plan = Plan(frame_of(DECIDED), LIMIT, ("knn", "gbm"), 0.95, 10, 1, "undecided")
    with plt.style.context(style):
        line = plot_plan(plan).containers[0].lines[0]
        assert same_color(line.get_color(), plt.rcParams["text.color"])


def test_against_a_control_names_and_order_are_those_of_the_matrix():
    results = comparisons(("A", "B", "C", "D"), control="A")
    bars, matrix = plot_verdict_bar(results.results), plot_verdicts(results)
    labels = [[t.get_text() for t in ax.get_yticklabels()] for ax in (bars, matrix)]
    assert labels[0] == labels[1] == ["D", "C", "B"]
    heads = [t.get_text().replace("\n", " ") for t in matrix.get_xticklabels()]
    assert [t.get_text() for t in bars.get_legend().get_texts()] == heads
    for row, name in enumerate(labels[0]):
        assert lengths(bars, row)["right"] == pytest.approx(results.verdict("A", name).p_right)


def test_names_of_a_control_are_cut_as_no_other_is():
    names = tuple(f"network_{k:02d}_with_layers" for k in range(1, 5))
    bars = plot_verdict_bar(comparisons(names, control=names[0]).results)
    (own,) = {t.get_text() for t in bars.get_legend().get_texts() if "01" in t.get_text()}
    assert own.endswith("better")
    assert bars.get_xlabel().endswith("each against network_01_with_layers")


def test_the_settings_left_out_of_the_picture_are_counted(result):
    ax = plot_sensitivity(result)
    for text in (ax.get_xlabel(), caption(ax)):
        assert f"without: the {MOST} of 11 that change most" in text
