"""Labels that fit: widths of texts are those that are drawn, lines break, legends stay inside."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from bayescmp.plots._labels import (
    label_below,
    legend_above,
    legend_columns,
    letters,
    room,
    row_text,
    text_width,
    wrapped,
)
from tests.plots.drawing import axes
from tests.plots.measuring import boxes, outside, overlapping


@pytest.mark.parametrize("text", ["iiii", "WWWW", "gradient boosting", "אלגוריתם", "a\\$b"])
def test_the_width_of_a_text_is_that_which_is_drawn(text):
    ax = axes()
    ax.figure.set_dpi(300)
    drawn = ax.text(0, 0, text, fontsize=8)
    ax.figure.draw_without_rendering()
    inches = drawn.get_window_extent().width / 300
    assert inches <= text_width(text, 8) <= 1.12 * inches + 0.02
    assert text_width(" ", 8) == 0
    assert text_width(f"{text}\ni", 8) == text_width(text, 8)


def test_lines_break_at_spaces_where_they_must():
    text = "probability of the most probable outcome\non a new data set"
    lines = wrapped(text, 1.5, 8).split("\n")
    assert " ".join(lines) == text.replace("\n", " ")
    assert all(text_width(line, 8) <= 1.5 for line in lines)
    assert wrapped(text, 9.0, 8) == text
    assert wrapped("unbreakable", 0.1, 8) == "unbreakable"


def test_rows_and_names_shrink_with_the_room():
    assert [letters(inches, 8) for inches in (0.1, 1.0, 9.0)] == [9, 15, 28]
    assert row_text(0.3) == 7.5
    assert row_text(0.1) == pytest.approx(7.2 / 1.45)


def test_legends_have_the_most_columns_that_fit():
    labels = ["first better", "equivalent", "second better"]
    assert [legend_columns(labels, inches, 7) for inches in (0.5, 2.3, 9.0)] == [1, 2, 3]


@pytest.mark.parametrize("inches", [2.0, 3.3, 6.5])
def test_labels_and_legends_beside_long_names_stay_in_the_figure(inches):
    figure = Figure(figsize=(inches, 2.5), layout="constrained")
    ax = figure.add_subplot()
    handles = ax.plot([0, 1], [0, 1], [0, 1], [1, 0])
    ax.set_yticks([0, 1], ["gradient boosting", "random forest"])
    label_below(ax, "probability that the second is practically better on a new data set", 8)
    legend_above(ax, handles, ["gradient boosting better", "random forest better"])
    assert room(ax) < inches
    drawn = boxes(figure)
    assert outside(drawn, figure) == []
    assert overlapping(drawn) == []
