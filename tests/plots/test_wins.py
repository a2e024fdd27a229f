"""The wins diagram: what is drawn is what the table says."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.patches import Rectangle

from bayescmp.errors import InputError
from bayescmp.frequentist import WinsTable
from bayescmp.plots.wins import figure_size, plot_wins
from bayescmp.procedure import procedure
from tests.procedure.cases import declared, many

# Table 6.3 of Aslan (2009), with its column "total".
NAMES = ("k-NN", "C4.5", "Ripper", "LP", "NB")
THESIS = [[0, 7, 5, 7, 15], [3, 0, 3, 6, 14], [3, 8, 0, 6, 14], [7, 8, 7, 0, 14], [0] * 5]
TOTAL = np.array([15, 14, 14, 14, 0])


@pytest.fixture(autouse=True)
def _close():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


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


@pytest.mark.parametrize("k", [2, 8, 30, 60])
def test_many_algorithms_fit_a_page(k):
    rng = np.random.default_rng(k)
    wins = rng.integers(0, 40, size=(k, k))
    table = WinsTable(wins, 100, tuple(f"algorithm-{i:02d}" for i in range(k)), wins.max(axis=1))
    assert figure_size(table)[0] <= 7.01
    ax = plot_wins(table)
    ax.figure.canvas.draw()
    assert len(cells(ax)) in (0, k * (k - 1))  # numbers too small to read are left out


def test_bad_input(thesis):
    frame, _ = many(q=3, L=3)
    r = procedure(declared(frame), metrics=("m0", "m1"))
    with pytest.raises(InputError, match="give costs to the procedure"):
        plot_wins(r)
    other = WinsTable.from_counts(np.zeros((3, 3), int), 5).sign_tests()
    with pytest.raises(InputError, match="tests is of A1, A2, A3, the wins of k-NN"):
        plot_wins(thesis, tests=other)
    with pytest.raises(InputError, match="level=2"):
        plot_wins(thesis, alpha=2)


@pytest.mark.parametrize("k", [2, 3, 5, 8])
def test_the_key_lies_within_the_figure(k):
    """With few algorithms the key is wider than the cells; a plain savefig cut it off."""
    names = tuple(f"a long name {i}" for i in range(k))
    table = WinsTable(np.triu(np.full((k, k), 20), 1), 20, names, np.arange(k)[::-1])
    ax = plot_wins(table, tests=table.sign_tests())
    assert "framed" in ax.get_xlabel()
    ax.figure.canvas.draw()
    key = ax.xaxis.label.get_window_extent()
    assert key.x0 >= 0
    assert key.x1 <= ax.figure.bbox.width
