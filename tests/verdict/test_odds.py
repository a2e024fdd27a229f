"""Odds of two regions, and what they are where one was never seen."""

from __future__ import annotations

import math

import pytest

from bayescmp.verdict.odds import grade, odds_of


@pytest.mark.parametrize(
    ("p", "other", "floor", "value", "bound"),
    [(0.6, 0.2, 0.0, 3.0, ""), (0.0, 0.5, 0.001, 0.002, "under"), (0.5, 0.0, 0.001, 500, "over"),
     (0.5, 0.0005, 0.001, 500, "over"), (0.5, 0.0, 0.0, 5e14, "over")],
)  # fmt: skip
def test_odds_are_never_infinite(p, other, floor, value, bound):
    odds = odds_of("left", "right", p, other, floor)
    assert odds.value == pytest.approx(value)
    assert odds.bound == bound
    assert math.isfinite(odds.value)


def test_neither_seen():
    odds = odds_of("left", "right", 0.0, 0.0, 0.0)
    assert math.isnan(odds.value)
    assert (odds.grade, str(odds)) == ("none", "neither seen")


def test_a_grade_is_that_of_the_region_favoured():
    assert odds_of("left", "right", 0.04, 0.96, 0.0).grade == "strong"
    assert odds_of("left", "right", 0.04, 0.96, 0.0).favours == "right"
    assert str(odds_of("left", "right", 0.8, 0.2, 0.0)) == "4 : 1 for left (positive)"
    assert grade(math.nan) == "none"
