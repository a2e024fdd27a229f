"""Matrices of pairs: what is drawn is what the verdicts, the tests and the wins say."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import bayescmp as bc
import bayescmp.frequentist as f
from bayescmp.errors import InputError
from bayescmp.frequentist import WinsTable
from bayescmp.plots.drawing import fixed_width, ink, luminance
from bayescmp.plots.matrices import SHADES, plot_pvalues, plot_wins, pvalues_size, tint, wins_size
from bayescmp.plots.verdicts import number_in_cell
from bayescmp.study.procedure import procedure
from bayescmp.wording.regions import COLOURS
from tests.plots.measuring import boxes, outside, overlapping
from tests.plots.scenes import comparisons
from tests.rows import each_row
from tests.study.procedure.cases import declared, many


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


@each_row(("k", "written"), [(11, True), (12, False)])
def test_from_twelve_algorithms_on_cells_have_signs_alone(k, written):
    results = comparisons(tuple(f"A{i}" for i in range(k)))
    ax = results.plot()
    assert {t.get_text() in "+=−" for t in ax.texts} == {not written}
    assert len(ax.texts) == k * (k - 1)
    assert ("shade: probability of the most probable outcome" in ax.get_xlabel()) is not written
    assert all(t.get_text() not in "+=−" for t in results.plot(numbers=True).texts)
    below = "below the diagonal: mean difference"
    assert (below in bc.plots.caption(ax)) is written


def test_the_caption_says_what_is_not_drawn(means):
    result = bc.compare_all(means, rope=0.022, seed=1)
    text = bc.plots.caption(result.plot(undecided_only=True))
    assert text.startswith("Verdicts on pairs of algorithms, undecided pairs only: ")
    failed = type(result)(
        result.algorithms,
        {pair: r for pair, r in result.results.items() if pair != ("knn", "gbm")},
        {("knn", "gbm"): bc.InputError("no")},
        None,
        "accuracy",
        result.rope,
    )
    assert "crossed out: 1 pair that could not be compared" in bc.plots.caption(failed.plot())


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


def test_below_the_diagonal_are_ratios_of_the_row_to_the_column(means):
    result = bc.compare_all(means, rope=0.01, seed=1, scale="log_ratio")
    ax = result.plot()
    names = [t.get_text().replace("\\$", "$") for t in ax.get_yticklabels()]
    logarithms = np.log(means.means("accuracy")).mean()
    below = [t for t in ax.texts if t.get_position()[1] > t.get_position()[0]]
    assert len(below) == 6
    for t in below:
        column, row = (names[int(place)] for place in t.get_position())
        drawn = t.get_text().partition("%")[0].replace("−", "-")
        percent = 100 * np.expm1(logarithms[row] - logarithms[column])
        assert drawn[0] == ("-" if percent < 0 else "+")
        assert float(drawn) == float(f"{percent:.2g}")


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
    with pytest.raises(bc.InputError, match=r"decided must be over 0.5"):
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
    known = {pair: answer for pair, answer in result.results.items() if pair[0] == "svm"}
    failures = {("svm", "knn"): bc.InputError("no")}
    ax = type(result)(
        ("svm", "knn", *(b for _, b in known)), known, failures, "svm", "accuracy", result.rope
    ).plot()
    assert len(ax.texts) == 3 * len(known)
    assert len(ax.lines) == 2 * 3  # two strokes for each of three cells


def test_numbers_in_cells():
    for p, message in [
        (1, ">0.999"),
        (0.9991, ">0.999"),
        (0.99, "0.990"),
        (0.9501, "0.950"),
        (0.94999, "0.949"),
        (0.5, "0.500"),
        (0.0004, "<0.001"),
        (0, "<0.001"),
    ]:
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


def result_of(k=4, **options):
    rng = np.random.default_rng(1)
    names = [f"algorithm-{i:02d}" for i in range(k)]
    frame = pd.DataFrame(rng.normal(size=(25, k)) + 0.4 * np.arange(k), columns=names)
    return f.posthoc(frame, **options)


def labels(axis):
    return [t.get_text() for t in axis.get_ticklabels() if t.get_text()]


def test_cells_are_the_p_values():
    raw = True
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
        method="t",
        adjust="none",
        names=tuple("abcd"),
        pairs=np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]),
        difference=np.zeros(6),
        statistic=np.zeros(6),
        pvalue=p,
        adjusted=p,
        centres=np.arange(4.0),
    )
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


def test_names_are_numbered_where_columns_have_no_room_for_them():
    """The lower triangle has rows from the second on, and columns from the first."""
    ax = plot_pvalues(result_of(20), ax=Figure(figsize=(1.5, 1.5)).add_subplot())
    assert [text.split(" · ")[1] for text in labels(ax.yaxis)] == [str(i) for i in range(2, 21)]
    assert labels(ax.xaxis) == ["1", "5", "10", "15"]
    assert pvalues_size(result_of(90))[0] < 7.1 < pvalues_size(result_of(90))[1]


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


def test_cells_of_p_values_are_as_large_as_those_of_verdicts():
    k = 14
    names = tuple(f"algorithm-{i:02d}" for i in range(k))
    cells = []
    for ax, columns in ((plot_pvalues(result_of(k)), k - 1), (comparisons(names).plot(), k)):
        ax.figure.draw_without_rendering()
        box = ax.get_window_extent()
        cells.append(np.array([box.width, box.height]) / columns / ax.figure.dpi)
    assert cells[0] == pytest.approx(cells[1], rel=0.1)


def test_given_axes_are_used():
    ax = Figure().add_subplot()
    assert plot_pvalues(result_of(), ax=ax) is ax
    assert pvalues_size(result_of())[0] == pytest.approx(3.4)


def test_axis_says_the_direction():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.uniform(size=(10, 3)), columns=["a", "b", "c"])
    means = bc.Scores.from_means(frame, metric="rmse").means()
    result = f.posthoc(means, lower_is_better=True)
    assert plot_pvalues(result).get_xlabel() == "adjusted p-values on rmse ↓"
    assert plot_pvalues(result, raw=True).get_xlabel() == "raw p-values on rmse ↓"
    assert plot_pvalues(result_of()).get_xlabel() == "adjusted p-values"


# Table 6.3 of Aslan (2009), with its column "total".
NAMES = ("k-NN", "C4.5", "Ripper", "LP", "NB")
THESIS = [[0, 7, 5, 7, 15], [3, 0, 3, 6, 14], [3, 8, 0, 6, 14], [7, 8, 7, 0, 14], [0] * 5]
TOTAL = np.array([15, 14, 14, 14, 0])


@pytest.fixture
def thesis():
    return WinsTable(np.array(THESIS), 15, NAMES, TOTAL)


def cells(ax):
    """Number and place (row, column) of each cell's text."""
    names = [t.get_text() for t in ax.get_yticklabels()]
    return {
        (names[round(t.get_position()[1])], names[round(t.get_position()[0])]): int(t.get_text())
        for t in ax.texts
        if not hasattr(t, "xyann")
    }


def framed(ax):
    names = [t.get_text() for t in ax.get_yticklabels()]
    actual = set()
    for patch in ax.patches:
        if isinstance(patch, Rectangle) and not patch.get_fill():
            x, y = patch.get_x() + 0.45, patch.get_y() + 0.45
            actual.add((names[round(y)], names[round(x)]))
    return actual


def test_the_thesis_table(thesis):
    ax = plot_wins(thesis, tests=thesis.sign_tests())
    drawn = cells(ax)
    assert len(drawn) == 20
    for (row, column), wins in drawn.items():
        assert wins == THESIS[NAMES.index(row)][NAMES.index(column)]
    # table 6.4: NB differs from all others, and no other pair
    assert framed(ax) == {(other, "NB") for other in NAMES[:4]}
    order = [t.get_text() for t in ax.get_yticklabels()]
    assert order[0] == "k-NN"
    assert order[-1] == "NB"
    assert [t.get_text() for t in ax.texts if hasattr(t, "xyann")] == ["15", "14", "14", "14", "0"]
    key = ax.get_xlabel().replace("\n", " ")
    assert "of 15 data sets" in key
    assert "framed: significantly more often (sign test, bonferroni, level 0.05)" in key


def test_bars_are_as_long_as_the_data_sets_won(thesis):
    ax = plot_wins(thesis)
    widths = sorted(p.get_width() for p in ax.patches if p.get_fill())
    assert np.array(widths) / widths[-1] == pytest.approx(np.sort(TOTAL) / 15)
    assert framed(ax) == set()
    assert "framed" not in ax.get_xlabel()


def test_sorted_by_wins_minus_losses_whatever_the_totals():
    """C wins on few data sets, but there over both others."""
    table = WinsTable(np.array([[0, 5, 1], [4, 0, 1], [3, 3, 0]]), 9, ("A", "B", "C"),
                      np.array([6, 5, 3]))  # fmt: skip
    ax = plot_wins(table)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["C", "A", "B"]
    assert "bars: data sets with a win over at least one other" in ax.get_xlabel()
    assert "sorted by wins minus losses" in bc.plots.caption(ax)


def test_without_totals_ordered_by_wins_minus_losses():
    table = WinsTable.from_counts(np.array([[0, 1, 1], [3, 0, 2], [5, 4, 0]]), 9)
    ax = plot_wins(table, tests=table.sign_tests())
    assert [t.get_text() for t in ax.get_yticklabels()] == ["A3", "A2", "A1"]
    assert "no pair differs significantly" in ax.get_xlabel()
    assert not [t for t in ax.texts if hasattr(t, "xyann")]


def test_of_a_procedure():
    frame, _ = many(q=12, L=4, n=10, p=1, seed=3, spread=0.0)
    frame["m0"] += 3.0 * frame["algorithm"].isin(["A2"])
    r = procedure(declared(frame), alpha=0.01)
    ax = plot_wins(r)
    pairs = r.sign_tests.frame[r.sign_tests.different(0.01)]
    assert len(framed(ax)) == len(pairs) > 0
    assert all(row == "A2" for row, _ in framed(ax))
    assert "level 0.01" in ax.get_xlabel().replace("\n", " ")


@pytest.mark.parametrize("k", [2, 8, *(pytest.param(k, marks=pytest.mark.slow) for k in (30, 60))])
def test_many_algorithms_fit_a_page(k):
    rng = np.random.default_rng(k)
    wins = rng.integers(0, 40, size=(k, k))
    table = WinsTable(wins, 100, tuple(f"algorithm-{i:02d}" for i in range(k)), wins.max(axis=1))
    assert wins_size(table)[0] <= 7.01
    ax = plot_wins(table)
    ax.figure.draw_without_rendering()
    assert len(cells(ax)) in (0, k * (k - 1))  # numbers too small to read are left out


def test_bad_input(thesis):
    frame, _ = many(q=3, L=3)
    r = procedure(declared(frame), metrics=("m0", "m1"))
    with pytest.raises(InputError, match="result must be a procedure with costs"):
        plot_wins(r)
    other = WinsTable.from_counts(np.zeros((3, 3), int), 5).sign_tests()
    with pytest.raises(InputError, match=r"tests must be of k-NN, C4\.5, Ripper, LP, NB,"):
        plot_wins(thesis, tests=other)
    with pytest.raises(InputError, match="alpha must be"):
        plot_wins(thesis, alpha=2)


def test_the_key_lies_within_the_figure():
    """With few algorithms the key is wider than the cells; a plain savefig cut it off."""
    k = 2
    names = tuple(f"a long name {i}" for i in range(k))
    table = WinsTable(np.triu(np.full((k, k), 20), 1), 20, names, np.arange(k)[::-1])
    ax = plot_wins(table, tests=table.sign_tests())
    assert "framed" in ax.get_xlabel()
    ax.figure.canvas.draw()
    key = ax.xaxis.label.get_window_extent()
    assert key.x0 >= 0
    assert key.x1 <= ax.figure.bbox.width
