"""What both layouts of the critical-difference diagram share: scale, ticks, lanes, labels."""

from __future__ import annotations

import pandas as pd
import pytest

import bayescmp.frequentist as f
from bayescmp.plots._diagram import Scale, diagram_of, lanes_of, ticks_of


def test_bars_on_one_line_keep_a_gap():
    assert lanes_of([(0, 1), (1.05, 2), (1.5, 3), (2.5, 4)], gap=0.1) == [0, 1, 0, 1]
    assert lanes_of([], gap=0.1) == []


def test_the_best_is_at_the_left_whichever_way_the_values_go():
    low_is_best = Scale(1, 5, 0.0, 2.0, reverse=False)
    assert [low_is_best(v) for v in (1, 3, 5)] == [0, 1, 2]
    high_is_best = Scale(1, 5, 0.0, 2.0, reverse=True)
    assert [high_is_best(v) for v in (1, 3, 5)] == [2, 1, 0]


@pytest.mark.parametrize(
    ("low", "high", "room", "ticks"),
    [(1, 5, 6, [1, 2, 3, 4, 5]), (1.2, 2.9, 4, [1.5, 2, 2.5]), (0, 100, 2, [0, 50, 100])],
)
def test_ticks_are_round_and_within_the_range(low, high, room, ticks):
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
