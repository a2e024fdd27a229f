"""Verdicts as bars: lengths are probabilities."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb

import bayescmp as bc
from bayescmp.bayesian import groups
from bayescmp.plots import plot_verdict_bar
from bayescmp.plots.drawing import fill, fixed_width
from bayescmp.plots.verdicts import number_in_cell, tint
from bayescmp.scores.rope import as_rope, as_ropes
from bayescmp.wording.regions import COLOURS
from tests.plots.measuring import boxes, outside, overlapping
from tests.plots.scenes import comparisons


@pytest.fixture(scope="module")
def means():
    rng = np.random.default_rng(3)
    values = np.array([0.70, 0.72, 0.80, 0.701]) + rng.normal(0, 0.01, (14, 4))
    frame = pd.DataFrame(values, columns=["knn", "gbm", "svm", "$x_1$"])
    return bc.Scores.from_means(frame, metric="accuracy")


def test_every_cell_says_what_its_verdict_says(means):
    result = bc.compare_all(means, rope=0.01, seed=1)
    ax = result.plot()
    names = [t.get_text().replace("\\$", "$") for t in ax.get_yticklabels()]
    assert names[0] == "svm"  # best on average first
    assert len(ax.texts) == 12
    for t in ax.texts:
        column, row = t.get_position()
        if row > column:
            continue
        v = result.verdict(names[int(row)], names[int(column)])
        region = max(v.probabilities, key=v.probabilities.get)
        sign_of, number = t.get_text().split("\n")
        assert sign_of == {"left": "+", "rope": "=", "right": "−"}[region]
        assert number == number_in_cell(v.probabilities[region], 0.95)
        assert (t.get_fontweight() == "bold") == (v.decision != "undecided")
    frames = [p for p in ax.patches if not p.get_fill()]
    assert len(frames) == (result.frame["decision"] != "undecided").sum() > 0


def test_thirty_algorithms_fit_a_column_and_can_be_read():
    """Names at the rows alone, with the numbers that every fifth column has."""
    names = tuple(f"RandomForestClassifier(n_estimators={i}00)" for i in range(1, 31))
    with fixed_width(3.3):
        ax = bc.plots.plot_verdicts(comparisons(names))
    drawn = boxes(ax.figure)
    assert outside(drawn, ax.figure) == overlapping(drawn) == []
    rows = ax.get_yticklabels()
    assert [t.get_text().rpartition(" · ")[2] for t in rows] == [str(i) for i in range(1, 31)]
    assert [t.get_text() for t in ax.get_xticklabels()] == ["1", "5", "10", "15", "20", "25", "30"]
    assert min(t.get_fontsize() for t in (*rows, *ax.get_xticklabels())) >= 5.5
    assert len(ax.texts) == 30 * 29  # a sign in every cell
    assert min(t.get_fontsize() for t in ax.texts) >= 3.5


def test_below_the_diagonal_are_means_and_data_sets_won(means):
    """Ismail-Fawaz et al. (2023), figure 3: row minus column; won, within the rope, lost."""
    result = bc.compare_all(means, rope=0.01, seed=1)
    ax = result.plot()
    names = [t.get_text().replace("\\$", "$") for t in ax.get_yticklabels()]
    table = means.means("accuracy")
    below = [t for t in ax.texts if t.get_position()[1] > t.get_position()[0]]
    assert len(below) == 6
    for t in below:
        column, row = (names[int(place)] for place in t.get_position())
        lead = (table[row] - table[column]).to_numpy()
        counts = (lead > 0.01).sum(), (np.abs(lead) <= 0.01).sum(), (lead < -0.01).sum()
        words = f"{lead.mean():+.3f}\n{'/'.join(map(str, counts))}"
        assert t.get_text() == words.replace("-", "−")


def test_decided_pairs_can_be_left_out(means):
    result = bc.compare_all(means, rope=0.022, seed=1)
    ax = result.plot(undecided_only=True)
    undecided = result.frame[result.frame["decision"] == "undecided"]
    assert len(ax.texts) == 2 * len(undecided) > 0
    assert not [p for p in ax.patches if not p.get_fill()]


def test_threshold_of_the_frames(means):
    result = bc.compare_all(means, rope=0.01, seed=1)
    ax = result.plot(decided=0.51)
    most = result.frame[["p_left", "p_rope", "p_right"]].max(axis=1)
    assert len([p for p in ax.patches if not p.get_fill()]) == (most >= 0.51).sum()
    assert "0.51" in ax.get_xlabel()
    with pytest.raises(bc.InputError, match="threshold"):
        result.plot(decided=0.3)


def test_against_a_control_a_row_has_three_probabilities(means):
    result = bc.compare_all(means, rope=0.01, seed=1, control="svm")
    ax = result.plot()
    assert len(ax.texts) == 9
    heads = [t.get_text() for t in ax.get_xticklabels()]
    assert heads == ["svm\nbetter", "equivalent", "other\nbetter"]
    names = [t.get_text().replace("\\$", "$") for t in ax.get_yticklabels()]
    for t in ax.texts:
        column, row = t.get_position()
        p = list(result.verdict("svm", names[int(row)]).probabilities.values())
        assert t.get_text() == number_in_cell(p[int(column)], 0.95)


def test_failed_pairs_are_crossed_out(means):
    result = bc.compare_all(means, rope=0.01, seed=1)
    broken = dict(result.results)
    del broken["knn", "gbm"]
    ax = type(result)(
        result.algorithms,
        broken,
        {("knn", "gbm"): bc.InputError("no")},
        None,
        "accuracy",
        result.rope,
    ).plot()
    assert len(ax.texts) == 10
    assert len(ax.lines) == 4 + 2 * 2  # the diagonal, and two strokes for each of two cells


@pytest.mark.parametrize(
    ("p", "message"),
    [
        (1, ">0.999"),
        (0.9991, ">0.999"),
        (0.99, "0.990"),
        (0.9501, "0.950"),
        (0.94999, "0.949"),
        (0.5, "0.500"),
        (0.0004, "<0.001"),
        (0, "<0.001"),
    ],
)
def test_numbers_in_cells(p, message):
    assert number_in_cell(p, 0.95) == message


def test_paler_is_less_probable():
    shades = [tint("left", p).sum() for p in (0.34, 0.6, 0.95)]
    assert shades[0] > shades[1] > shades[2] > np.sum(to_rgb(COLOURS["left"]))


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 30])
def test_numbers_of_two_and_of_thirty_algorithms_fit_their_cells(k):
    values = np.random.default_rng(0).normal(size=(6, k)) + np.arange(k)
    names = [f"algorithm number {i}" for i in range(k)]
    table = bc.Scores.from_means(
        pd.DataFrame(values, columns=names), metric="utility", higher_is_better=["utility"]
    )
    ax = bc.compare_all(table, rope=0.5, test="sign", seed=1, draws=2000).plot()
    ax.figure.canvas.draw()
    renderer = ax.figure.canvas.get_renderer()
    side = ax.transData.transform([[0, 0], [1, 1]])
    cell = np.abs(np.diff(side, axis=0))[0]
    for t in ax.texts[:20]:
        box = t.get_window_extent(renderer)
        assert (box.width, box.height) <= (1.02 * cell[0], 1.02 * cell[1])


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
    with pytest.raises(bc.InputError, match="empty"):
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
