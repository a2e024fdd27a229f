"""Rope, Verdict, odds and grades."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayescmp as bc
from bayescmp.verdict import as_rope, grade, winners
from tests.verdict.made import full, verdict


@pytest.mark.parametrize(
    ("given", "low", "high"),
    [
        (0.01, -0.01, 0.01),
        (0, 0, 0),
        ((-0.02, 0.01), -0.02, 0.01),
        ((0, 1), 0, 1),
        (np.float32(1), -1, 1),
    ],
)
def test_rope(given, low, high):
    assert (as_rope(given).low, as_rope(given).high) == (low, high)


def test_rope_facts():
    assert as_rope(0).empty
    assert as_rope((-0.02, 0.01)).swapped() == bc.Rope(-0.01, 0.02)
    assert as_rope((-0.02, 0.04)).middle == pytest.approx(0.01)
    assert as_rope((-0.02, 0.04)).half_width == pytest.approx(0.03)
    assert str(as_rope(0.01)) == "±0.01"


@pytest.mark.parametrize(
    ("bad", "message"),
    [(-0.01, "is negative"), ("wide", "not a number"), ((0.01, 0.02), "does not hold zero"),
     (math.nan, "not finite"), ((-1, 0, 1), "shape"), (None, "rope")],
)  # fmt: skip
def test_bad_rope(bad, message):
    with pytest.raises(bc.InputError, match=message):
        as_rope(bad)


# Corani et al. 2017, section 3.3: 1-3 weak, 3-20 positive, over 20 strong
@pytest.mark.parametrize(
    ("odds", "name"),
    [(1, "weak"), (3, "weak"), (3.01, "positive"), (20, "positive"), (21, "strong")],
)
def test_grades(odds, name):
    assert grade(odds) == name


def test_odds_of_each_pair():
    v = verdict(0.1, 0.3, 0.6)
    assert v.odds["left", "right"].value == pytest.approx(1 / 6)
    assert v.odds["left", "right"].favours == "right"
    assert v.odds["left", "right"].grade == "positive"
    assert v.odds["rope", "right"].value == pytest.approx(0.5)
    assert v.evidence == "weak"
    assert str(v.odds["left", "right"]) == "6 : 1 for right (positive)"


def test_zero_in_n_draws_is_over_n_and_never_infinite():
    odds = verdict(0.0, 0.0, 1.0).odds
    assert odds["left", "right"].value == pytest.approx(1e-3)
    assert odds["left", "right"].bound == "under"
    assert str(odds["left", "right"]) == "over 1e+03 : 1 for right (strong)"
    assert math.isnan(odds["left", "rope"].value)
    assert odds["left", "rope"].grade == "none"


def test_odds_in_words_name_the_more_probable_first():
    assert verdict(0.1, 0.3, 0.6).odds_in_words() == [
        "equivalent : knn better = 3 (weak)",
        "gbm better : knn better = 6 (positive)",
        "gbm better : equivalent = 2 (weak)",
    ]
    assert verdict(0.0, 0.0, 1.0).odds_in_words() == [
        "knn better : equivalent, neither seen",
        "gbm better : knn better = over 1e+03 (strong)",
        "gbm better : equivalent = over 1e+03 (strong)",
    ]


def test_no_odds_on_a_region_that_is_not_there():
    v = bc.Verdict({"left": 0.2, "rope": 0.0, "right": 0.8}, {}, ("a", "b"), as_rope(0))
    assert list(v.odds) == [("left", "right")]
    assert v.evidence == "positive"


@pytest.mark.parametrize(
    ("p", "decision"),
    [((0.95, 0.05, 0), "first"), ((0, 0.96, 0.04), "equivalent"), ((0, 0.04, 0.96), "second"),
     ((0.94, 0.06, 0), "undecided")],
)  # fmt: skip
def test_decision_at_the_threshold(p, decision):
    assert verdict(*p).decision == decision


def test_threshold_is_an_argument():
    assert verdict(0.85, 0.15, 0, threshold=0.8).decision == "first"


# a decision needs p - 2 se >= threshold; within two standard errors it is borderline
@pytest.mark.parametrize(
    ("p", "error", "decision"),
    [(0.9601, 0.005, "second"), (0.9599, 0.005, "borderline"), (0.9401, 0.005, "borderline"),
     (0.9399, 0.005, "undecided"), (0.9501, 0.0, "second"), (0.9499, 0.0, "undecided")],
)  # fmt: skip
def test_a_decision_clears_the_threshold_by_two_standard_errors(p, error, decision):
    assert verdict(0, 1 - p, p, error=error).decision == decision


@given(st.tuples(*[st.floats(0.001, 1)] * 3))
def test_swapping_the_algorithms_swaps_the_sides(weights):
    p = np.array(weights) / sum(weights)
    v = verdict(*p)
    w = v.swapped()
    assert (w.p_left, w.p_rope, w.p_right) == (v.p_right, v.p_rope, v.p_left)
    assert w.names == ("gbm", "knn")
    turned = {"first": "second", "second": "first"}
    assert w.decision == turned.get(v.decision, v.decision)


def test_winners_share_ties():
    masses = np.array([[0.5, 0.2, 0.3], [0.4, 0.2, 0.4], [0.1, 0.8, 0.1]])
    assert winners(masses).tolist() == [[1, 0, 0], [0.5, 0, 0.5], [0, 1, 0]]


def test_to_dict_is_json():
    plain = json.loads(json.dumps(verdict(0.0, 0.0, 1.0).to_dict(), allow_nan=False))
    assert plain["decision"] == "second"
    assert plain["odds"][0]["value"] is None
    assert plain["quantity"] == "mean difference"
    assert plain["predictive"] is None


def test_to_dict_has_each_probability_under_its_own_name():
    plain = json.loads(json.dumps(full().to_dict(), allow_nan=False))
    assert plain["quantity"] == "most probable outcome"
    assert plain["probabilities"] == {"left": 0.1, "rope": 0.2, "right": 0.7}
    assert plain["predictive"] == {"left": 0.2, "rope": 0.3, "right": 0.5}
    assert plain["mean"] == {"left": 0.0, "rope": 0.1, "right": 0.9}
    assert plain["mean_interval"] == [[0.004, 0.02]]
    assert plain["spread"] == [
        {"symbol": "σ0", "median": 0.03, "interval": [0.02, 0.04], "next": [-0.05, 0.07]}
    ]
    assert plain["known"] == {"median": 0.52, "interval": [0.4, 0.6]}
    assert plain["cause"] == "data sets differ"


def test_swapping_turns_intervals_too():
    v = full().swapped()
    assert v.mean_interval == ((-0.02, -0.004),)
    assert v.spread[0].following == (-0.07, 0.05)
    assert v.spread[0].interval == (0.02, 0.04)
    assert v.expected["left"] == 0.5
    assert v.location["left"] == 0.9
    assert v.swapped() == full()
