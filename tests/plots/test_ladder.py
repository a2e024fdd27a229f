"""The ladder: order, arrows, brackets, by how much the first leads, and a key of what is drawn."""

from __future__ import annotations

import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.plots import caption, plot_ladder
from bayescmp.plots.ladder import ladder_size
from bayescmp.results.ladder import Ladder, LadderStep
from tests.rows import each_row

RUNGS = tuple(
    LadderStep(relation, "a better", 0.9)
    for relation in ("better", "equivalent", "undecided", "worse", "failed")
)
NAMES = ("svm", "knn", "$gbm$", "tree", "RandomForestClassifier(n_estimators=1000, a=1)", "lda")


def ladder(**changes) -> Ladder:
    given = {
        "names": NAMES,
        "rungs": RUNGS,
        "steps": ((0, 1), (1, 3)),
        "single": ((2, 5),),
        "equivalent": ((1, 2), (2, 3, 5)),
        "joint": (0.97, 0.5),
        "pairs": 15,
        "decided": 9,
    }
    return Ladder(**{**given, **changes})


@each_row("probabilities", [False, True])
def test_all_text_is_inside_the_figure(probabilities):
    ax = plot_ladder(ladder(), probabilities=probabilities)
    figure = ax.figure
    figure.canvas.draw()
    frame = figure.bbox
    for text in ax.texts:
        if text.get_text():
            box = text.get_window_extent()
            assert box.x0 >= frame.x0 - 1, text.get_text()
            assert box.x1 <= frame.x1 + 1, text.get_text()
            assert box.y0 >= frame.y0 - 1, text.get_text()
            assert box.y1 <= frame.y1 + 1, text.get_text()


def arrows(ax) -> list[tuple[float, float]]:
    """Tail and head of each arrow that is no part of the key."""
    drawn = [(t.xyann[1], t.xy[1]) for t in ax.texts if not t.get_text()]
    return sorted((tail, head) for tail, head in drawn if max(tail, head) <= len(NAMES) - 1)


def words(ax) -> list[str]:
    return [t.get_text() for t in ax.texts if t.get_text()]


def bars(ax) -> list[float]:
    """Rows at which an arrow has a bar at its tail."""
    return sorted(
        line.get_ydata()[0]
        for line in ax.lines
        if line.get_marker() == "_" and line.get_ydata()[0] <= len(NAMES)
    )


def test_arrows_lead_where_the_ladder_says():
    """On the rail 0 -> 1 and, as the lower one is better, 4 -> 3; the step 0 -> 1 is on it."""
    ax = plot_ladder(ladder())
    assert arrows(ax) == [(0, 1), (1, 3), (2, 5), (4, 3)]
    assert bars(ax) == [0, 1]


def test_single_pairs_of_one_algorithm_share_a_line():
    ax = plot_ladder(ladder(single=((2, 4), (2, 5))))
    heads = {t.xy: t.xyann for t in ax.texts if not t.get_text() and t.xyann[1] == 2}
    assert sorted(head for _, head in heads) == [4, 5]
    assert len({x for x, _ in heads}) == 1


def test_two_neighbours_that_are_equivalent_need_no_bracket():
    ax = plot_ladder(ladder(joint=()))
    brackets = [tuple(line.get_ydata()) for line in ax.lines if line.get_linewidth() == 1.2]
    assert (2, 5) in brackets
    assert (1, 2) not in brackets


def test_probabilities_on_demand():
    assert words(plot_ladder(ladder())).count("0.900") == 0
    assert words(plot_ladder(ladder(), probabilities=True)).count("0.900") == 4


def test_too_many_single_pairs_are_counted():
    single = tuple((i, j) for i in range(6) for j in range(6) if j not in (i, i + 1))
    ax = plot_ladder(ladder(single=single))
    assert words(ax)[-1] == f"9 of 15 pairs decided, {len(single)} of them not drawn"
    assert f"{len(single)} of them not drawn" in caption(ax)


ALL_ABOVE = "all at or above the bar are practically better than all from the head down"


def test_the_key_names_the_marks_that_are_drawn_and_no_others():
    everything = " ".join(words(plot_ladder(ladder())))
    for mark in (
        "practically better than the next",
        ALL_ABOVE,
        "practically better than those at the heads",
        "practically equivalent to the next",
        "every two are practically equivalent; number: all at once",
        "undecided between neighbours",
        "no mark between neighbours: not compared",
    ):
        assert mark in everything
    few = ladder(
        rungs=(LadderStep("better", "", 0.9),), names=("a", "b"), steps=((0, 1),), single=(),
        equivalent=(), joint=(), pairs=1, decided=1,
    )  # fmt: skip
    assert " ".join(words(plot_ladder(few))) == f"a b {ALL_ABOVE} 1 of 1 pair decided"


def test_no_line_joins_algorithms_that_are_equivalent_or_undecided():
    """One continuous line through several algorithms would be read as "all are equal"."""
    ax = plot_ladder(ladder())
    rail = {line.get_xdata()[0] for line in ax.lines if line.get_marker() == "o"}
    through = [
        line
        for line in ax.lines
        if line.get_linestyle() != "None" and set(line.get_xdata()) <= rail
    ]
    assert not through
    between = {(t.get_position()[1], t.get_text()) for t in ax.texts if t.get_text() in "=?"}
    assert {(1.5, "="), (2.5, "?")} <= between


def test_the_axes_given_are_used():
    _, ax = plt.subplots(figsize=ladder_size(ladder()))
    assert plot_ladder(ladder(), ax=ax) is ax
    assert ax.get_ylim()[0] > ax.get_ylim()[1]


def means(shift=(0.0, 0.004, 0.05)):
    rng = np.random.default_rng(1)
    x = rng.normal(0.8, 0.02, (20, 1)) - np.array(shift) + rng.normal(0, 0.004, (20, 3))
    return bc.Scores.from_means(pd.DataFrame(x, columns=["svm", "knn", "tree"]), metric="accuracy")


def leads(ax, names) -> dict[str, tuple[float, float, float]]:
    """By how much the first leads each: middle and ends, read off the picture's own axis."""
    ticks = [t for t in ax.texts if re.fullmatch(r"−?[\d.]+", t.get_text())]
    at = [t.get_position()[0] for t in ticks]
    slope, start = np.polyfit(at, [float(t.get_text().replace("−", "-")) for t in ticks], 1)
    read = {}
    for line in ax.lines:
        if line.get_marker() in ("o", ">", "<", "s") and len(line.get_xdata()) == 1:
            y = line.get_ydata()[0]
            ends = [
                np.asarray(other.get_xdata())
                for other in ax.lines
                if len(other.get_xdata()) == 2
                and set(other.get_ydata()) == {y}
                and other.get_linewidth() in (1.0, 1.6)
            ]
            if y in range(len(names)):
                whole = [line.get_xdata()[0], *(ends[0] if ends else [])]
                read[names[int(y)]] = tuple(start + slope * np.array(whole))
    return read


def test_at_the_right_is_by_how_much_the_first_leads():
    """Of a bootstrap, the median and the central interval of its draws."""
    posterior = bc.bayesian.bootstrap(means(), metric="accuracy", rope=0.01, seed=1)
    ax = plot_ladder(posterior)
    drawn = leads(ax, posterior.ladder().names)
    assert set(drawn) == {"knn", "tree"}
    for name, (middle, low, high) in drawn.items():
        at = [posterior.algorithms.index(n) for n in ("svm", name)]
        lead = posterior.averages[:, at[0]] - posterior.averages[:, at[1]]
        ends = np.quantile(lead, [0.025, 0.975])
        assert (low, high) == pytest.approx(ends, abs=2e-5)
        assert middle == pytest.approx(np.median(lead), abs=2e-5)
    assert "mean lead of svm, 95% intervals" in words(ax)
    assert "right: mean lead of svm, 95% intervals; band: practically equivalent" in caption(ax)


def test_tests_without_intervals_have_the_mean_of_the_data_sets():
    scores = means()
    comparisons = bc.compare_all(scores, rope=0.01, seed=1, test="signed_rank", progress=False)
    ax = plot_ladder(comparisons)
    table = scores.means("accuracy")
    for name, (middle,) in leads(ax, comparisons.order).items():
        assert middle == pytest.approx((table["svm"] - table[name]).mean(), abs=1e-6)
    assert "mean lead of svm" in words(ax)
    assert words(ax)[0] == "accuracy ↑, 20 data sets, ROPE ±0.01"


def test_against_a_control_it_is_the_control_that_leads():
    comparisons = bc.compare_all(
        means(), rope=0.01, seed=1, test="signed_rank", control="tree", progress=False
    )
    ax = plot_ladder(comparisons)
    assert "mean lead of tree" in words(ax)
    assert all(middle < 0 for (middle,) in leads(ax, comparisons.order).values())
    assert "2 of 2 pairs decided; 1 not compared" in words(ax)
    assert "no mark between neighbours: not compared" in words(ax)


def test_a_lead_that_is_no_mean_difference_is_named():
    posterior = bc.bayesian.friedman(means(), metric="accuracy", rope=0.5, seed=1)
    assert "lead of svm (mean difference of ranks), 95% intervals" in words(plot_ladder(posterior))


def test_ratios_are_told_in_percent():
    comparisons = bc.compare_all(
        means(), rope=0.01, seed=1, test="signed_rank", scale="log_ratio", progress=False
    )
    ax = plot_ladder(comparisons)
    assert "svm's accuracy larger by" in words(ax)
    assert any(re.fullmatch(r"\d+ %", text) for text in words(ax))
    assert "ROPE ±1%" in words(ax)[0]


def test_many_rows_move_together():
    def height(k):
        rungs = (LadderStep("undecided", "", 0.5),) * (k - 1)
        many = ladder(names=tuple(f"A{i}" for i in range(k)), rungs=rungs, steps=(), single=(),
                      equivalent=(), joint=())  # fmt: skip
        return ladder_size(many)[1]

    assert height(20) - height(10) == pytest.approx(2.4)
    assert height(40) - height(20) < 0.1
    assert height(60) - height(40) == pytest.approx(2.4)  # 0.12 inches each
