"""Rope, Verdict, odds and grades."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayescmp as bc
from bayescmp.results.verdict import (
    DIFFER,
    EDGE,
    FEW,
    DatasetSpread,
    IfKnown,
    cause_of,
    ends_within,
    grade,
    lead_of,
    odds_of,
    swap_interval,
    winners,
)
from bayescmp.scores.metrics import Direction
from bayescmp.scores.pairing import LeftOut
from bayescmp.scores.rope import as_rope, as_ropes, ropes_in_words
from bayescmp.summaries.verdict import list_odds
from tests.results.made import full, verdict
from tests.rows import each_row


def test_intervals_turn_with_the_algorithms():
    assert swap_interval((-0.01, 0.03)) == (-0.03, 0.01)
    s = DatasetSpread(0.02, (0.01, 0.03), (-0.04, 0.06), "τ")
    assert s.swapped() == DatasetSpread(0.02, (0.01, 0.03), (-0.06, 0.04), "τ")


def test_central_intervals_of_draws():
    draws = np.stack([np.linspace(0, 1, 401), np.linspace(-2, 2, 401)], axis=-1)
    actual = lead_of(draws.reshape(1, 401, 2))["mean_interval"]
    assert actual[0] == pytest.approx((0.025, 0.975))
    assert actual[1] == pytest.approx((-1.9, 1.9))


def test_known_is_of_the_largest_mass():
    # draws whose largest mass is 0.50, 0.51, ..., 0.90, at any of the three places
    largest = np.linspace(0.5, 0.9, 41)
    masses = np.stack([largest, 1 - largest, np.zeros(41)], axis=-1)
    masses[::2] = masses[::2, [1, 2, 0]]
    known = IfKnown.from_masses(masses)
    assert known.median == pytest.approx(0.7)
    assert known.interval == pytest.approx((0.51, 0.89))


def test_plain_for_json():
    plain = json.dumps(
        [
            IfKnown(0.5, (0.4, 0.6)).to_dict(),
            DatasetSpread(0.02, (0.01, 0.03), (-0.04, 0.06)).to_dict(),
        ]
    )
    assert json.loads(plain) == [
        {"median": 0.5, "interval": [0.4, 0.6]},
        {"symbol": "σ0", "median": 0.02, "interval": [0.01, 0.03], "next": [-0.04, 0.06]},
    ]


@each_row(
    ("p", "other", "floor", "value", "bound"),
    [
        (0.6, 0.2, 0.0, 3.0, ""),
        (0.0, 0.5, 0.001, 0.002, "under"),
        (0.5, 0.0, 0.001, 500, "over"),
        (0.5, 0.0005, 0.001, 500, "over"),
        (0.5, 0.0, 0.0, 5e14, "over"),
    ],
)
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


def cause_verdict(p=0.6, rope=0.01, **options):
    named = {"left": 0.0, "rope": 1 - p, "right": p}
    return bc.Verdict(named, dict.fromkeys(named, 0.0), ("knn", "gbm"), as_rope(rope), **options)


@each_row(
    ("known", "interval", "rope", "cause"),
    [
        # one outcome could never be probable enough: whatever the mean, data sets differ
        ((0.4, 0.94), (0.008, 0.012), 0.01, DIFFER),
        ((0.4, 0.94), (-0.1, 0.1), 0.01, DIFFER),
        # it could: known closely, at the rope's end, or not known closely enough
        ((0.4, 0.96), (0.008, 0.012), 0.01, EDGE),
        ((0.4, 0.96), (-0.012, 0.008), 0.01, FEW),
        ((0.4, 0.96), (0.005, 0.04), 0.01, FEW),
        # the mean is settled, the spread of the data sets is not
        ((0.4, 0.96), (0.02, 0.03), 0.01, FEW),
        # no rope: there is no edge
        ((0.4, 0.96), (-0.001, 0.001), 0.0, FEW),
        # one data set
        (None, (0.008, 0.012), 0.01, EDGE),
        (None, (-0.012, -0.008), (-0.01, 0.02), EDGE),
        (None, (-0.02, 0.02), 0.01, FEW),
    ],
)
def test_causes(known, interval, rope, cause):
    known = None if known is None else IfKnown(0.5, known)
    v = cause_verdict(rope=rope, known=known, mean_interval=(interval,))
    assert v.cause == cause_of(v) == cause


def test_the_threshold_says_what_is_probable_enough():
    v = cause_verdict(known=IfKnown(0.6, (0.5, 0.9)), mean_interval=((0.02, 0.03),), threshold=0.8)
    assert v.cause == FEW
    assert cause_verdict(known=IfKnown(0.6, (0.5, 0.9)), threshold=0.91).cause == DIFFER


def test_no_cause_without_facts_or_where_something_is_decided():
    assert cause_verdict().cause == ""
    assert cause_verdict(0.96, mean_interval=((0, 1),)).cause == ""
    borderline = bc.Verdict(
        {"left": 0.06, "rope": 0.0, "right": 0.94},
        {"right": 0.01},
        ("a", "b"),
        as_rope(0.01),
        mean_interval=((0, 1),),
    )
    assert borderline.decision == "borderline"
    assert borderline.cause == ""


@each_row(
    ("intervals", "cause"),
    [
        (((0.008, 0.012), (0.1, 0.2)), EDGE),  # tpr at an end of its rope, fpr settled
        (((0.1, 0.2), (-0.1, 0.2)), FEW),
        (((0.008, 0.012), (-0.1, 0.2)), FEW),  # one at the edge, one not known
    ],
)
def test_several_metrics(intervals, cause):
    p = {"equivalent": 0.3, "first": 0.3, "second": 0.4, "trade_off": 0.0}
    metrics = ("tpr", "fpr")
    v = bc.Verdict(
        p,
        dict.fromkeys(p, 0.0),
        ("knn", "gbm"),
        as_ropes([0.01, 0.02], metrics),
        metrics=metrics,
        mean_interval=intervals,
    )
    assert v.cause == cause


def test_ends_of_the_rope_that_an_interval_holds():
    assert ends_within((-0.02, 0.02), as_rope(0.01)) == [-0.01, 0.01]
    assert ends_within((0.005, 0.02), as_rope(0.01)) == [0.01]
    assert ends_within((0.02, 0.03), as_rope(0.01)) == []
    assert ends_within((-0.02, 0.03), as_rope(0)) == [0.0]


def test_ropes_in_words():
    metrics = ("tpr", "fpr", "auc")
    assert ropes_in_words(as_rope(0.01), metrics) == "±0.01"
    assert ropes_in_words(as_ropes([0.01, 0.02, 0.01], metrics), metrics) == (
        "±0.01 in tpr and auc and ±0.02 in fpr"
    )
    assert ropes_in_words(as_ropes([0.01, 0, 0.02], metrics), metrics) == (
        "±0.01 in tpr and ±0.02 in auc"
    )
    assert ropes_in_words(as_ropes(0, metrics), metrics) == ""


def test_the_notebook_names_each_probability():
    html = full()._repr_html_()
    order = [html.index(f">{t}</") for t in ("most probable outcome", "predictive", "mean")]
    assert order == sorted(order)
    for text in ("0.700", "0.500", "0.900", "&lt;0.001"):
        assert f">{text}</td>" in html


def test_the_notebook_says_where_the_numbers_come_from():
    ways, gone = (Direction("rmse", lower=True),), LeftOut((), {"iris": 3})
    html = full(
        metric="rmse", directions=ways, resampling="rho 0.2: 5 folds", left_out=gone
    )._repr_html_()
    assert ">rmse ↓, ROPE ±0.01</div>" in html
    assert ">rho 0.2: 5 folds</td>" in html
    assert ">3 folds</td>" in html


@each_row(
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


@each_row(
    ("bad", "message"),
    [
        (-0.01, "rope must .*got -0.01"),
        ("wide", "rope must be a finite half-width"),
        ((0.01, 0.02), r"rope must .*got \(0.01, 0.02\)"),
        (math.nan, "rope must .*got nan"),
        ((-1, 0, 1), "rope must be a finite half-width"),
    ],
)
def test_bad_rope(bad, message):
    with pytest.raises(bc.InputError, match=message):
        as_rope(bad)


# Corani et al. 2017, section 3.3: 1-3 weak, 3-20 positive, over 20 strong
@each_row(
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
    assert list_odds(verdict(0.1, 0.3, 0.6)) == [
        "equivalent : knn better = 3 (weak)",
        "gbm better : knn better = 6 (positive)",
        "gbm better : equivalent = 2 (weak)",
    ]
    assert list_odds(verdict(0.0, 0.0, 1.0)) == [
        "knn better : equivalent, neither seen",
        "gbm better : knn better = over 1e+03 (strong)",
        "gbm better : equivalent = over 1e+03 (strong)",
    ]


def test_no_odds_on_a_region_that_is_not_there():
    v = bc.Verdict({"left": 0.2, "rope": 0.0, "right": 0.8}, {}, ("a", "b"), as_rope(0))
    assert list(v.odds) == [("left", "right")]
    assert v.evidence == "positive"


@each_row(
    ("p", "decision"),
    [
        ((0.95, 0.05, 0), "first"),
        ((0, 0.96, 0.04), "equivalent"),
        ((0, 0.04, 0.96), "second"),
        ((0.94, 0.06, 0), "undecided"),
    ],
)
def test_decision_at_the_threshold(p, decision):
    assert verdict(*p).decision == decision


def test_threshold_is_an_argument():
    assert verdict(0.85, 0.15, 0, threshold=0.8).decision == "first"


# a decision needs p - 2 se >= threshold; within two standard errors it is borderline
@each_row(
    ("p", "error", "decision"),
    [
        (0.9601, 0.005, "second"),
        (0.9599, 0.005, "borderline"),
        (0.9401, 0.005, "borderline"),
        (0.9399, 0.005, "undecided"),
        (0.9501, 0.0, "second"),
        (0.9499, 0.0, "undecided"),
    ],
)
def test_a_decision_clears_the_threshold_by_two_standard_errors(p, error, decision):
    assert verdict(0, 1 - p, p, error=error).decision == decision


def test_two_standard_errors_to_the_digit_are_borderline():
    assert verdict(0.25, 0.25, 0.5, error=0.125, threshold=0.75).decision == "borderline"


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
