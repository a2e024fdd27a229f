"""Critical-difference diagrams: what is drawn is what the result says."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import bayescmp as bc
import bayescmp.frequentist as f
from bayescmp.bayesian import bootstrap, groups
from bayescmp.errors import InputError
from bayescmp.plots import plot_rank_probabilities, plot_ranks, plot_top_sets
from bayescmp.plots.critical_difference import (
    Scale,
    diagram_of,
    figure_size,
    lanes_of,
    plot_critical_difference,
    ticks_of,
)
from bayescmp.plots.ranks import MOST, MOST_SETS, plot_best, ranks_size
from bayescmp.wording.regions import QUANTITY
from bayescmp.wording.text import format_probability
from tests.rows import each_row


def test_bars_on_one_line_keep_a_gap():
    assert lanes_of([(0, 1), (1.05, 2), (1.5, 3), (2.5, 4)], gap=0.1) == [0, 1, 0, 1]
    assert lanes_of([], gap=0.1) == []


def test_the_best_is_at_the_left_whichever_way_the_values_go():
    low_is_best = Scale(1, 5, 0.0, 2.0, reverse=False)
    assert [low_is_best(v) for v in (1, 3, 5)] == [0, 1, 2]
    high_is_best = Scale(1, 5, 0.0, 2.0, reverse=True)
    assert [high_is_best(v) for v in (1, 3, 5)] == [2, 1, 0]


def test_ticks_are_round_and_within_the_range():
    for low, high, room, ticks in [
        (1, 5, 6, [1, 2, 3, 4, 5]),
        (1.2, 2.9, 4, [1.5, 2, 2.5]),
        (0, 100, 2, [0, 50, 100]),
    ]:
        assert ticks_of(low, high, room) == pytest.approx(ticks)


def test_a_diagram_is_read_from_the_result():
    scores = pd.DataFrame(
        {"c": [0.6, 0.5, 0.7, 0.6], "a": [0.9, 0.8, 0.9, 0.95], "b": [0.8, 0.7, 0.8, 0.9]}
    )
    diagram = diagram_of(f.nemenyi(scores), 0.05, None)
    assert diagram.names == ["a", "b", "c"]
    assert diagram.values.tolist() == [1, 2, 3]
    assert diagram.labels == ["1.00", "2.00", "3.00"]
    assert diagram.difference == pytest.approx(2.3437 * (3 * 4 / (6 * 4)) ** 0.5, rel=1e-3)
    assert diagram.groups == [[0, 1], [1, 2]]
    assert diagram.low_is_best
    assert diagram.control is None


def frame_of(seed, n, k, slope):
    rng = np.random.default_rng(seed)
    names = [f"algorithm-{i:02d}" for i in range(k)]
    return pd.DataFrame(rng.normal(size=(n, k)) + slope * np.arange(k), columns=names)


def bars(ax):
    """Thick pieces and dotted ones, as (style, ends along the bar, place across it)."""
    result = []
    for line in ax.lines:
        if to_hex(line.get_color()) == QUANTITY.lower() and len(line.get_xdata()) == 2:
            x, y = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
            along, across = (y, x) if x[0] == x[1] else (x, y)
            solid = line.get_linestyle() == "-" and line.get_linewidth() > 2
            if line.get_linestyle() != "None":
                result.append((solid, (along.min(), along.max()), round(float(across[0]), 6)))
    return result


def test_one_bar_a_group_over_its_members():
    result = f.nemenyi(frame_of(1, 20, 6, 0.5))
    ax = plot_critical_difference(result)
    groups = result.cliques()
    assert len(groups) > 1
    # the text of each name ends at a line that leads to its place: read places off those lines
    places = leads(ax, result)
    lanes = {}
    for solid, ends, across in bars(ax):
        assert solid  # Nemenyi's groups are neighbours
        lanes.setdefault(across, []).append(ends)
    drawn = set()
    for pieces in lanes.values():
        low = high = None
        for a, b in sorted(pieces):
            if low is None or a > high + 1e-6:
                if low is not None:
                    drawn.add((round(low, 3), round(high, 3)))
                low, high = a, b
            high = max(high, b)
        drawn.add((round(low, 3), round(high, 3)))
    expected = set()
    for group in groups:
        xs = [places[name] for name in group]
        expected.add((round(min(xs) - 0.025, 3), round(max(xs) + 0.025, 3)))
    assert drawn == expected


def leads(ax, result):
    """Where the line from each name meets the axis, by name."""
    outcome = {}
    for text in ax.texts:
        name = next((n for n in result.names if n in text.get_text()), None)
        if name is None:
            continue
        for line in ax.lines:
            ys = np.asarray(line.get_ydata())
            if len(ys) == 3 and abs(ys[2] - text.get_position()[1]) < 1e-9:
                at_left = text.get_ha() == "right"
                xs = np.asarray(line.get_xdata())
                if (xs[2] < xs[0]) == at_left:
                    outcome[name] = float(xs[0])
    return outcome


def test_places_on_the_axis_are_the_mean_ranks():
    result = f.nemenyi(frame_of(1, 20, 6, 0.5))
    ax = plot_critical_difference(result)
    places = leads(ax, result)
    ranks = dict(zip(result.names, result.centres, strict=True))
    slope, start = np.polyfit([ranks[n] for n in places], [places[n] for n in places], 1)
    assert slope > 0  # the best at the left
    for name, x in places.items():
        assert x == pytest.approx(start + slope * ranks[name], abs=1e-9)
    texts = " ".join(t.get_text() for t in ax.texts)
    for name, rank in ranks.items():
        assert name in texts
        assert f"{rank:.2f}" in texts
    # the critical difference is drawn to scale
    limit = result.critical_difference()
    assert f"CD = {limit:.3g}" in texts
    spans = [np.ptp(line.get_xdata()) for line in ax.lines if np.ptp(line.get_ydata()) == 0]
    assert any(s == pytest.approx(slope * limit) for s in spans)


def test_no_critical_difference_for_stepwise_procedures():
    ax = plot_critical_difference(f.posthoc(frame_of(1, 20, 5, 0.5), adjust="holm"))
    assert not any("CD" in t.get_text() for t in ax.texts)


def outsider():
    """c and a are alike, b between them differs from both; d is far off."""
    p = np.array([0.01, 0.5, 0.001, 0.01, 0.001, 0.001])
    return f.PosthocResult(
        method="test",
        adjust="none",
        names=("c", "b", "a", "d"),
        pairs=np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]),
        difference=np.zeros(6),
        statistic=np.zeros(6),
        pvalue=p,
        adjusted=p,
        centres=np.array([3.0, 2.0, 1.0, 4.0]),
    )


@each_row("layout", ["line", "list"])
def test_an_outsider_in_between_is_dotted_over(layout):
    ax = plot_critical_difference(outsider(), layout=layout)
    actual = bars(ax)
    assert sum(not solid for solid, *_ in actual) == 1
    marked = [
        line
        for line in ax.lines
        if line.get_marker() == "o" and to_hex(line.get_color()) == QUANTITY.lower()
    ]
    assert [len(line.get_xdata()) for line in marked] == [2]  # a and c are marked, b is not


def test_thirty_algorithms_are_listed():
    result = f.nemenyi(frame_of(2, 30, 30, 0.12))
    ax = plot_critical_difference(result)
    names = [t for t in ax.texts if t.get_text().startswith("algorithm")]
    assert [t.get_text() for t in names] == [result.names[i] for i in result.order]
    ys = np.array([t.get_position()[1] for t in names])
    assert np.all(np.diff(ys) < 0)
    # rows are farther apart than the letters are high, on the figure as made
    height = ax.figure.get_figheight() / abs(np.diff(ax.get_ylim())[0])
    assert abs(np.diff(ys)).min() * height * 72 > names[0].get_fontsize()
    assert ax.figure.get_figwidth() <= 3.5
    lanes = {across for *_, across in bars(ax)}
    assert 1 < len(lanes) <= len(result.cliques())
    assert "CD" in " ".join(t.get_text() for t in ax.texts)


def test_texts_do_not_overlap_or_leave_the_figure():
    for result in (f.nemenyi(frame_of(2, 30, 30, 0.12)), f.nemenyi(frame_of(3, 20, 7, 0.3))):
        ax = plot_critical_difference(result)
        figure = ax.figure
        figure.canvas.draw()
        boxes = [t.get_window_extent() for t in ax.texts]
        for i, a in enumerate(boxes):
            assert a.x0 >= -1
            assert a.x1 <= figure.bbox.x1 + 1
            for b in boxes[i + 1 :]:
                overlap = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
                assert min(overlap) <= 2.5  # dots: boxes hold room for descenders


def test_long_names_leave_room_for_the_axis():
    """Cut in the middle, so that they differ; in axes without a grid by the axes' own width."""
    layout = "line"
    frame = frame_of(3, 20, 5, 0.3).rename(columns=lambda name: f"boosted trees, early {name}")
    whole = plot_critical_difference(f.nemenyi(frame), layout=layout)
    part = Figure(figsize=(7, 2)).add_axes((0.2, 0.1, 0.3, 0.8))
    for ax in (whole, plot_critical_difference(f.nemenyi(frame), layout=layout, ax=part)):
        names = [t.get_text() for t in ax.texts if "…" in t.get_text()]
        assert len(set(names)) == 5
        size = ax.figure.get_figwidth() * ax.figure.dpi * (1 if ax is whole else 0.3)
        boxes = [t.get_window_extent() for t in ax.texts if t.get_text() in names]
        assert max(box.width for box in boxes) < 0.6 * size


def test_control_stands_out():
    for k in (5, 14):
        frame = frame_of(4, 30, k, 0.3)
        result = f.posthoc(frame, control="algorithm-02", adjust="dunn")
        ax = plot_critical_difference(result)
        bold = [t.get_text() for t in ax.texts if t.get_fontweight() == "bold"]
        assert len(bold) == 1
        assert "algorithm-02" in bold[0]
        assert len({across for *_, across in bars(ax)}) == 1


def test_means_and_wins_are_drawn_the_best_first():
    x = np.random.default_rng(1).normal(size=(4, 10)) + np.arange(4)[:, None]
    ax = plot_critical_difference(f.tukey(x))
    places = leads(ax, f.tukey(x))
    assert places["A4"] < places["A1"]


def test_given_axes_are_used_and_labels_tell_ranks_apart():
    figure = Figure(figsize=(7, 2))
    ax = figure.add_subplot()
    result = f.posthoc(frame_of(5, 30, 4, 0.2))
    assert plot_critical_difference(result, ax=ax, digits=4) is ax
    assert any(f"{result.centres[0]:.4f}" in t.get_text() for t in ax.texts)
    width, height = figure_size(result)
    assert width == pytest.approx(3.4)
    assert 0.8 < height < 2
    assert figure_size(f.nemenyi(frame_of(2, 30, 30, 0.12)))[1] > 4


def test_unknown_layout():
    with pytest.raises(InputError, match="layout"):
        plot_critical_difference(outsider(), layout="lines")


def test_axis_says_the_direction():
    layout = "list"
    frame = frame_of(1, 12, 4, 0.1)
    means = bc.Scores.from_means(frame.abs(), metric="rmse").means()
    for table, words in ((means, "mean rank,\nrmse ↓"), (frame, "mean rank")):
        ax = plot_critical_difference(f.posthoc(table, lower_is_better=True), layout=layout)
        assert words in [t.get_text() for t in ax.texts]


def test_ranks_start_at_one_and_level_and_sample_are_said():
    layout = "line"
    result = f.nemenyi(frame_of(1, 20, 6, 0.5))
    ax = plot_critical_difference(result, alpha=0.1, layout=layout)
    texts = [t.get_text() for t in ax.texts]
    numbers = [float(t) for t in texts if t.replace(".", "", 1).isdigit() and "." not in t]
    assert min(numbers) == 1
    head = f"CD = {result.critical_difference(0.1):.3g}, α = 0.1, n = 20; joined: not significant"
    assert head in texts
    stepwise = plot_critical_difference(f.posthoc(frame_of(1, 20, 6, 0.5)), layout=layout)
    assert "α = 0.05, n = 20; joined: not significant" in [t.get_text() for t in stepwise.texts]


# Several algorithms: their ranks, which is best, and sets of the best.


@pytest.fixture(scope="module")
def posterior():
    rng = np.random.default_rng(1)
    x = 0.7 + 0.02 * np.array([2, 0, 1])[:, None, None] + rng.normal(size=(3, 20, 2)) * 0.03
    return groups(
        x, rho=0.1, rope=0.01, metrics=("tpr", "tnr"), seed=1, names=("gbm", "knn", "$x_1")
    )


def test_cells_are_the_probabilities_sorted_by_expected_rank(posterior):
    ax = posterior.plot(by="tpr")
    table, ranking = posterior.rank_probabilities("tpr"), posterior.ranking("tpr")
    names = [t.get_text().replace("\\$", "$") for t in ax.get_yticklabels()]
    assert names == list(ranking.index)
    np.testing.assert_allclose(ax.images[0].get_array(), table.loc[names])
    np.testing.assert_allclose(ax.lines[0].get_xdata() + 1, ranking["expected_rank"])
    for t in ax.texts:
        x, y = t.get_position()
        p = table.loc[names[round(y)], round(x) + 1]
        assert t.get_text() == format_probability(p)


def test_says_what_was_ranked_by(posterior):
    for by, message in [
        (None, "dominance"),
        ("tnr", "tnr"),
        ([1, 1], "a weighted sum of metrics"),
    ]:
        ax = plot_rank_probabilities(posterior, by=by)
        assert ax.get_xlabel().replace("\n", " ") == f"columns: rank by {message}; ▲ expected rank"


def test_grows_with_the_algorithms(posterior):
    more = groups(np.random.default_rng(1).normal(size=(12, 9)), rho=0.1, rope=0.01, seed=1)
    assert ranks_size(more)[1] > ranks_size(posterior)[1]
    assert len(more.plot().get_yticks()) == 12


MEANS = [[0.50, 0.51, 0.10], [0.60, 0.61, 0.20], [0.90, 0.40, 0.30]]


def test_cells_are_the_probabilities_by_expected_rank():
    on = "average"
    posterior = bc.bayesian.bootstrap(MEANS, rope=0.02, seed=1)
    ax = plot_ranks(posterior, on=on)
    names = [t.get_text() for t in ax.get_yticklabels()]
    np.testing.assert_allclose(ax.images[0].get_array(), posterior.ranks(on).loc[names])
    assert posterior.spoken[on] in ax.get_xlabel()


def test_cells_too_small_for_numbers_say_how_dark_they_are():
    posterior = bc.bayesian.bootstrap(np.random.default_rng(1).random((6, 40)), rope=0.02, seed=1)
    ax = plot_ranks(posterior, ax=Figure(figsize=(2.5, 2.5)).add_subplot())
    darkest = posterior.ranks("next").to_numpy().max()
    assert not ax.texts
    assert ax.images[0].get_clim() == (0, darkest)
    assert ax.get_xlabel().endswith(f"shade: probability, the darkest {darkest:.3f}")


def test_an_unknown_target_is_named():
    with pytest.raises(bc.InputError, match=r"on must be .*\(got 'all'\)"):
        plot_ranks(bc.bayesian.bootstrap(MEANS, rope=0.02, seed=1), on="all")


def test_dots_are_the_probabilities_and_lines_two_errors():
    posterior = bootstrap(MEANS, rope=0.02, seed=1)
    ax = posterior.plot()
    table = posterior.overview()
    assert [t.get_text() for t in ax.get_yticklabels()] == list(table.index)
    for container, on in zip(ax.containers, ("next", "average"), strict=True):
        line, _, bars = container
        np.testing.assert_allclose(line.get_xdata(), table[f"p_{on}"])
        ends = bars[0].get_segments()[0][:, 0]
        p, error = table[f"p_{on}"].iloc[0], table[f"se_{on}"].iloc[0]
        assert ends[1] - p == pytest.approx(2 * error)
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["new data set", "on average"]


def test_of_many_algorithms_the_first_are_drawn_and_it_is_said():
    means = np.random.default_rng(1).random((6, MOST + 5))
    posterior = bootstrap(means, rope=0.02, seed=1)
    for plot, most, one in ((plot_best, MOST, "algorithms"), (plot_top_sets, MOST_SETS, "sets")):
        ax = plot(posterior)
        assert len(ax.get_yticks()) == most
        part = f"the first {most} of {MOST + 5} {one}"
        assert part in ax.get_xlabel()
        assert part in bc.plots.caption(ax)


def test_bars_are_the_joint_probabilities_filled_above_the_threshold():
    posterior = bootstrap(MEANS, rope=0.02, seed=1)
    ax = plot_top_sets(posterior, threshold=0.6)
    sets = posterior.top_sets()
    np.testing.assert_allclose([bar.get_width() for bar in ax.patches], sets["p_joint"])
    assert [t.get_text() for t in ax.get_yticklabels()] == ["A1", "+ A2", "+ A3"]
    white = [bar.get_facecolor()[:3] == (1, 1, 1) for bar in ax.patches]
    assert white == [False, False, True]
    assert ax.lines[0].get_xdata()[0] == 0.6


def test_another_rope_and_target():
    posterior = bootstrap(MEANS, rope=0.02, seed=1)
    ax = plot_top_sets(posterior, on="average", rope=0.5)
    assert ax.patches[1].get_width() > 0.9
    assert "on average" in ax.get_xlabel().replace("\n", " ")
