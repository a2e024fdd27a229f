"""Rope, Verdict, odds and grades."""

import json
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayescmp as bc
from bayescmp.results.verdict import (
    DIFFER,
    EDGE,
    FEW,
    Known,
    Spread,
    cause_of,
    decision,
    ends_within,
    grade,
    lead_of,
    odds_of,
    sentences,
    swap_interval,
    winners,
)
from bayescmp.scores.metrics import Direction
from bayescmp.scores.pairing import LeftOut
from bayescmp.scores.rope import as_rope, as_ropes, ropes_in_words
from tests.results.made import full, verdict, whole


def test_intervals_turn_with_the_algorithms():
    assert swap_interval((-0.01, 0.03)) == (-0.03, 0.01)
    s = Spread(0.02, (0.01, 0.03), (-0.04, 0.06), "τ")
    assert s.swapped() == Spread(0.02, (0.01, 0.03), (-0.06, 0.04), "τ")


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
    known = Known.from_masses(masses)
    assert known.median == pytest.approx(0.7)
    assert known.interval == pytest.approx((0.51, 0.89))


def test_plain_for_json():
    plain = json.dumps(
        [Known(0.5, (0.4, 0.6)).to_dict(), Spread(0.02, (0.01, 0.03), (-0.04, 0.06)).to_dict()]
    )
    assert json.loads(plain) == [
        {"median": 0.5, "interval": [0.4, 0.6]},
        {"symbol": "σ0", "median": 0.02, "interval": [0.01, 0.03], "next": [-0.04, 0.06]},
    ]


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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
    known = None if known is None else Known(0.5, known)
    v = cause_verdict(rope=rope, known=known, mean_interval=(interval,))
    assert v.cause == cause_of(v) == cause


def test_the_threshold_says_what_is_probable_enough():
    v = cause_verdict(known=Known(0.6, (0.5, 0.9)), mean_interval=((0.02, 0.03),), threshold=0.8)
    assert v.cause == FEW
    assert cause_verdict(known=Known(0.6, (0.5, 0.9)), threshold=0.91).cause == DIFFER


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


@pytest.mark.parametrize(
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


IRIS = "the data set iris"


def three(*p, rope=0.01, error=0.0, expected=None, location=None, **options):
    """A verdict over three regions."""
    regions = ("left", "rope", "right")
    options = {"metric": "accuracy", **options}
    return bc.Verdict(
        dict(zip(regions, p, strict=True)),
        dict.fromkeys(regions, error),
        ("knn", "gbm"),
        as_rope(rope),
        expected=expected and dict(zip(regions, expected, strict=True)),
        location=location and dict(zip(regions, location, strict=True)),
        **options,
    )


def four(*p, rope=(0.01, 0.02), expected=None, location=None, **options):
    """A verdict over four regions."""
    regions = ("equivalent", "first", "second", "trade_off")
    options = {"metric": "tpr, fpr", "metrics": ("tpr", "fpr"), **options}
    return bc.Verdict(
        dict(zip(regions, p, strict=True)),
        dict.fromkeys(regions, 0.0),
        ("knn", "gbm"),
        as_ropes(rope, ("tpr", "fpr")),
        expected=expected and dict(zip(regions, expected, strict=True)),
        location=location and dict(zip(regions, location, strict=True)),
        **options,
    )


def says(v, *expected):
    """The sentences are these, and no others."""
    assert whole(v) == " ".join(expected)


TAKEN = "Taking differences in accuracy within ±0.01 as practically equivalent, "


def test_decided_over_data_sets_with_everything_known():
    # the case of the specification: 300 data sets, δ ~ N(.012, .03), rope .01
    v = three(
        0.0,
        0.0002,
        0.9998,
        expected=(0.2322, 0.2286, 0.5392),
        location=(0.0, 0.1288, 0.8712),
        mean_interval=((0.00855, 0.0155),),
        known=Known(0.5391, (0.4985, 0.5791)),
        spread=(Spread(0.0301, (0.0276, 0.0329), (-0.0474, 0.0716)),),
        method="Bayesian hierarchical correlated t test, Corani et al. 2017",
        prior="corani2017: δ0 ~ U(-1, 1)",
    )
    says(
        v,
        TAKEN + "the most probable outcome on a new data set is, with posterior probability "
        ">0.999, that gbm is practically better; with probability <0.001, that the two are "
        "practically equivalent; and with probability <0.001, that knn is practically better.",
        "The predictive probability that gbm is practically better than knn on a new data set is "
        "0.539, that the two are practically equivalent 0.229, and that knn is practically better "
        "0.232.",
        "The scale of the differences between data sets, σ0, has posterior median 0.0301 (central "
        "95 % interval 0.0276 to 0.0329); the difference on a new data set lies between −0.0474 "
        "and 0.0716 with predictive probability 0.95.",
        "For the mean difference over data sets the probabilities are 0.871 (gbm better), 0.129 "
        "(equivalent) and <0.001 (knn better).",
        "The mean difference over data sets lies between 0.00855 and 0.0155 with probability 0.95 "
        "(positive where gbm is better).",
        "Decision at the threshold of 0.95: the most probable outcome on a new data set is that "
        "gbm is practically better.",
        "Method: Bayesian hierarchical correlated t test, Corani et al. 2017.",
        "Prior: corani2017: δ0 ~ U(−1, 1).",
    )
    assert decision(v) == "gbm is practically better (threshold 0.95, evidence strong)"


def test_undecided_because_data_sets_differ():
    v = three(
        0.1, 0.3, 0.6, expected=(0.25, 0.3, 0.45), known=Known(0.54, (0.47, 0.62)), threshold=0.9
    )
    assert sentences(v)[-2:] == [
        "No decision is reached at the threshold of 0.9; the evidence for 'gbm better' over "
        "'equivalent' is weak.",
        "The data sets differ: if the parameters were known exactly, the most probable outcome on "
        "a new data set would have a probability of 0.540 (posterior median; central 95 % "
        "interval 0.470 to 0.620). More data sets can show which outcome is the most probable, "
        "but are not expected to raise its predictive probability to 0.9.",
    ]
    assert decision(v) == "undecided: data sets differ (threshold 0.9, evidence weak)"


@pytest.mark.parametrize(
    ("rope", "interval", "text"),
    [
        (0.01, (-0.02, 0.05), "−0.02 to 0.05, is wider than the rope"),
        (0, (-0.02, 0.05), "−0.02 to 0.05, contains zero"),
        (0.01, (-0.02, 0.0), "−0.02 to 0, is wider than the rope"),  # as wide is not narrower
    ],
)
def test_undecided_because_the_mean_is_not_known(rope, interval, text):
    v = three(0.0, 0.2 if rope else 0.0, 0.8, rope=rope, mean_interval=(interval,), target=IRIS)
    assert sentences(v)[-1] == (
        f"There is too little data: the central 95 % interval of the mean difference, {text}."
    )
    assert decision(v).startswith("undecided: too little data (threshold 0.95")


def test_undecided_because_it_is_not_known_how_far_data_sets_differ():
    v = three(
        0.1,
        0.0,
        0.9,
        expected=(0.2, 0.1, 0.7),
        known=Known(0.71, (0.52, 0.9995)),
        mean_interval=((0.02, 0.03),),
    )
    assert sentences(v)[-1] == (
        "There is too little data to tell how far data sets differ: if the parameters were known "
        "exactly, the most probable outcome on a new data set would have a probability of 0.710 "
        "(posterior median; central 95 % interval 0.520 to >0.999)."
    )


def test_undecided_at_a_threshold_that_asks_for_more_than_the_interval():
    v = three(0.0, 0.03, 0.97, mean_interval=((0.0105, 0.012),), target=IRIS, threshold=0.99)
    assert sentences(v)[-1] == "There is too little data for a threshold of 0.99."


@pytest.mark.parametrize(
    ("rope", "interval", "text"),
    [
        (
            0.01,
            (0.008, 0.0131),
            "0.008 to 0.0131, is narrower than the rope and contains its end 0.01",
        ),
        (
            (-0.02, 0.01),
            (-0.03, -0.01),
            "−0.03 to −0.01, is narrower than the rope and contains its end −0.02",
        ),
    ],
)
def test_undecided_at_the_edge_of_the_rope(rope, interval, text):
    v = three(0.0, 0.4, 0.6, rope=rope, mean_interval=(interval,), target=IRIS)
    assert sentences(v)[-1] == (
        "The mean difference is at the edge of the rope: its central 95 % interval, " + text + "."
    )
    assert decision(v) == "undecided: edge of the rope (threshold 0.95, evidence weak)"


def test_undecided_for_no_known_cause():
    v = three(0.3, 0.3, 0.4, metric="")
    says(
        v,
        "Taking differences within ±0.01 as practically equivalent, the posterior probability "
        "that gbm is practically better than knn on a new data set is 0.400, that knn is "
        "practically better 0.300, and that the two are practically equivalent 0.300.",
        "All refer to the mean difference on a new data set alone.",
        "No decision is reached at the threshold of 0.95; the evidence for 'gbm better' over "
        "'knn better' is weak.",
    )
    assert decision(v) == "undecided (threshold 0.95, evidence weak)"


def test_borderline_of_a_sampler_and_of_a_quadrature():
    v = three(0.0, 0.047, 0.953, error=0.0042, expected=(0.1, 0.3, 0.6))
    assert sentences(v)[-1] == (
        "Borderline at the threshold of 0.95: with a Monte Carlo standard error of 0.004 the "
        "largest probability, 0.9530, may be on either side of it; more draws are needed."
    )
    assert decision(v) == "borderline: more draws needed (threshold 0.95, evidence strong)"
    assert v.explain().endswith("More draws would settle it.")
    v = three(0.0, 0.0501, 0.9499, error=0.0002, exact=True)
    assert sentences(v)[-1] == (
        "Borderline at the threshold of 0.95: with a numerical error of 0.0002 the largest "
        "probability, 0.9499, may be on either side of it."
    )
    assert decision(v) == "borderline (threshold 0.95, evidence positive)"
    assert "More draws" not in v.explain()


def test_one_data_set_has_one_quantity_and_says_which():
    v = three(
        0.0121,
        0.0279,
        0.96,
        target=IRIS,
        mean_interval=((0.0095, 0.041),),
        exact=True,
        method="Bayesian correlated t test, Corani & Benavoli 2015",
        prior="p(δ, σ) ∝ 1/σ",
    )
    says(
        v,
        TAKEN + "the posterior probability that gbm is practically better than knn on the data "
        "set iris is 0.960, that the two are practically equivalent 0.028, and that knn is "
        "practically better 0.012.",
        "All refer to the mean difference on the data set iris alone.",
        "The mean difference lies between 0.0095 and 0.041 with probability 0.95 (positive where "
        "gbm is better).",
        "Decision at the threshold of 0.95: gbm is practically better on the data set iris.",
        "Method: Bayesian correlated t test, Corani & Benavoli 2015.",
        "Prior: p(δ, σ) ∝ 1/σ.",
    )


def test_another_quantity_has_its_own_name():
    v = three(
        0.97,
        0.02,
        0.01,
        rope=0,
        target="items like those of the test set",
        quantity="difference",
        mean_interval=((-0.2, -0.01),),
    )
    says(
        v,
        "In accuracy, the posterior probability that knn is better than gbm on items like those "
        "of the test set is 0.970 and that gbm is better 0.010.",
        "All refer to the difference on items like those of the test set alone.",
        "The difference lies between −0.2 and −0.01 with probability 0.95 (positive where gbm is "
        "better).",
        "Decision at the threshold of 0.95: knn is better on items like those of the test set.",
    )


def test_equivalent_is_first_where_it_is_the_most_probable():
    v = three(0.01, 0.98, 0.01, target=IRIS)
    assert sentences(v)[0] == (
        TAKEN + "the posterior probability that the two are practically equivalent on the data "
        "set iris is 0.980, that knn is practically better 0.010, and that gbm is practically "
        "better 0.010. All refer to the mean difference on the data set iris alone."
    )
    assert sentences(v)[-1] == (
        "Decision at the threshold of 0.95: the two are practically equivalent on the data set "
        "iris."
    )
    assert decision(v) == "practically equivalent (threshold 0.95, evidence strong)"


def test_without_a_rope_nothing_is_practically_so():
    v = three(
        0.02,
        0.0,
        0.98,
        rope=0,
        expected=(0.3, 0.0, 0.7),
        location=(0.01, 0.0, 0.99),
        target="the average of two new data sets",
    )
    says(
        v,
        "In accuracy, the most probable outcome on the average of two new data sets is, with "
        "posterior probability 0.980, that gbm is better; and with probability 0.020, that knn "
        "is better.",
        "The predictive probability that gbm is better than knn on the average of two new data "
        "sets is 0.700 and that knn is better 0.300.",
        "For the mean difference over data sets the probabilities are 0.990 (gbm better) and "
        "0.010 (knn better).",
        "Decision at the threshold of 0.95: the most probable outcome on the average of two new "
        "data sets is that gbm is better.",
    )
    assert decision(v) == "gbm is better (threshold 0.95, evidence strong)"


def test_bounds_follow_the_number_of_draws():
    v = three(0.0, 0.0, 1.0, floor=1 / 400, target=IRIS)
    assert sentences(v)[0].startswith(
        TAKEN + "the posterior probability that gbm is practically better than knn on the data "
        "set iris is >0.997, that knn is practically better <0.003, and that the two are "
        "practically equivalent <0.003."
    )


FOUR_TAKEN = "Taking differences within ±0.01 in tpr and ±0.02 in fpr as practically equivalent, "
DOMINATES = (
    "One algorithm dominates where it is practically better in at least one of tpr and fpr and "
    "practically worse in none; in a trade-off each is practically better in one of them."
)


def test_four_regions_on_one_data_set():
    v = four(0.011, 0.013, 0.96, 0.016, target=IRIS, mean_interval=((0.01, 0.04), (-0.02, 0.03)))
    says(
        v,
        FOUR_TAKEN + "the posterior probability that gbm dominates knn on the data set iris is "
        "0.960, that there is a trade-off 0.016, that knn dominates 0.013, and that the two are "
        "practically equivalent in all metrics 0.011.",
        "All refer to the mean differences on the data set iris alone.",
        DOMINATES,
        "The mean differences lie between 0.01 and 0.04 in tpr and −0.02 and 0.03 in fpr, each "
        "with probability 0.95 (positive where gbm is better).",
        "Decision at the threshold of 0.95: gbm dominates on the data set iris.",
    )
    assert decision(v) == "gbm dominates (threshold 0.95, evidence strong)"


def test_four_regions_over_data_sets():
    v = four(
        0.0,
        0.01,
        0.02,
        0.97,
        expected=(0.1, 0.2, 0.3, 0.4),
        location=(0.0, 0.1, 0.1, 0.8),
        mean_interval=((0.01, 0.04), (-0.05, -0.03)),
        spread=(
            Spread(0.02, (0.01, 0.03), (-0.02, 0.07), "τ"),
            Spread(0.03, (0.02, 0.04), (-0.1, 0.02), "τ"),
        ),
    )
    says(
        v,
        FOUR_TAKEN + "the most probable outcome on a new data set is, with posterior probability "
        "0.970, that there is a trade-off; with probability 0.020, that gbm dominates; with "
        "probability 0.010, that knn dominates; and with probability <0.001, that the two are "
        "practically equivalent in all metrics.",
        DOMINATES,
        "The predictive probability that there is a trade-off on a new data set is 0.400, that "
        "gbm dominates 0.300, that knn dominates 0.200, and that the two are practically "
        "equivalent in all metrics 0.100.",
        "The scale of the differences between data sets, τ, has posterior median 0.02 (central "
        "95 % interval 0.01 to 0.03) in tpr and 0.03 (central 95 % interval 0.02 to 0.04) in fpr; "
        "the differences on a new data set lie between −0.02 and 0.07 in tpr and −0.1 and 0.02 in "
        "fpr, each with predictive probability 0.95.",
        "For the mean differences over data sets the probabilities are 0.800 (trade-off), 0.100 "
        "(gbm dominates), 0.100 (knn dominates) and <0.001 (equivalent).",
        "The mean differences over data sets lie between 0.01 and 0.04 in tpr and −0.05 and −0.03 "
        "in fpr, each with probability 0.95 (positive where gbm is better).",
        "Decision at the threshold of 0.95: the most probable outcome on a new data set is that "
        "there is a trade-off.",
    )


def test_four_regions_undecided_name_the_metric():
    p = (0.3, 0.0, 0.6, 0.1)
    v = four(*p, target=IRIS, mean_interval=((0.008, 0.012), (0.01, 0.03)))
    assert sentences(v)[-1] == (
        "The mean difference is at the edge of the rope: its central 95 % interval, in tpr 0.008 "
        "to 0.012, is narrower than the rope and contains its end 0.01; and, in fpr 0.01 to 0.03, "
        "is narrower than the rope and contains its end 0.02."
    )
    v = four(*p, target=IRIS, mean_interval=((0.008, 0.012), (-0.01, 0.05)))
    assert sentences(v)[-1] == (
        "There is too little data: the central 95 % interval of the mean difference in fpr, −0.01 "
        "to 0.05, is wider than the rope."
    )
    assert sentences(v)[-2] == (
        "No decision is reached at the threshold of 0.95; the evidence for 'gbm dominates' over "
        "'equivalent' is weak."
    )


def test_four_regions_without_ropes_or_with_one():
    v = four(0.0, 0.01, 0.96, 0.03, rope=0, target=IRIS)
    assert sentences(v)[:2] == [
        "The posterior probability that gbm dominates knn on the data set iris is 0.960, that "
        "there is a trade-off 0.030, and that knn dominates 0.010. All refer to the mean "
        "differences on the data set iris alone.",
        "One algorithm dominates where it is better in at least one of tpr and fpr and worse in "
        "none; in a trade-off each is better in one of them.",
    ]
    v = four(0.0, 0.01, 0.96, 0.03, rope=[0, 0.02], target=IRIS)
    assert sentences(v)[0].startswith(
        "Taking differences within ±0.02 in fpr as practically equivalent, the posterior"
    )


def test_metrics_without_names():
    v = four(0.0, 0.0, 1.0, 0.0, metrics=(), metric="", mean_interval=((0.1, 0.2), (0.3, 0.4)))
    text = whole(v)
    assert "within ±0.01 in metric 1 and ±0.02 in metric 2 as" in text
    assert "in at least one of the metrics and" in text
    assert "between 0.1 and 0.2 in metric 1 and 0.3 and 0.4 in metric 2, each" in text
    assert re.search(r"n metric 1 gbm is ahead by .*; in metric 2 gbm is ahead by ", v.explain())


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


@pytest.mark.parametrize(
    ("lower", "evidence", "way"),
    [
        (False, "known", "higher is better"),
        (True, "declared", "lower is better"),
        (False, "assumed", "higher is assumed to be better"),
    ],
)
def test_the_first_sentence_says_which_way_is_better(lower, evidence, way):
    known = {"metric": "score", "directions": (Direction("score", lower, evidence),)}
    start = three(0.3, 0.3, 0.4, **known).explain("paper")
    assert start.startswith(f"Taking differences in score ({way}) within ±0.01 as practically ")
    start = three(0.5, 0.0, 0.5, rope=0, **known).explain("paper")
    assert start.startswith(f"In score ({way}), the posterior probability that knn is better ")


def test_several_metrics_say_which_way_each_is_better():
    ways = Direction("tpr"), Direction("fpr", lower=True)
    text = four(0.2, 0.3, 0.4, 0.1, directions=ways).explain("paper")
    assert "in one of them. Higher is better in tpr and lower is better in fpr. No " in text
    ways = Direction("tpr"), Direction("fpr")
    assert ". Higher is better in tpr and fpr. " in four(1, 0, 0, 0, directions=ways).explain(
        "paper"
    )


def test_resampling_and_what_was_left_out_stand_with_the_method():
    v = three(
        0.3,
        0.3,
        0.4,
        method="A test",
        prior="flat",
        resampling="rho 0.1: 10 folds",
        left_out=LeftOut(("iris",), {"wine": 2}),
    )
    assert v.explain("methods").endswith(
        "Method: A test. Resampling, rho 0.1: 10 folds. Left out, without a score of both: 1 data "
        "set ('iris') and 2 folds. Prior: flat."
    )
    short = three(0.3, 0.3, 0.4, resampling="rho 0")
    assert short.explain("methods").endswith(". Resampling, rho 0.")


def test_a_checklist_says_what_varies_what_was_resampled_and_what_is_assumed():
    made = {"method": "A test", "prior": "flat"}
    folds = "rho 0.1: 10 folds"
    over = full(resampling=folds, **made).explain("checklist")
    assert "They capture how data sets differ and how the scores on each data set vary" in over
    assert "averages over training sets of this size, not single trained models" in over
    assert "Assumed: the model of the A test; that these data sets are a sample of" in over
    one = three(0.3, 0.3, 0.4, target="the data set iris", resampling=folds, **made)
    text = one.explain("checklist")
    assert "how the scores on the data set iris vary over test and training sets, and not" in text
    assert "a correlation of folds (rho 0.1) that the folds themselves can't tell. Prior" in text
    seeds = replace(one, resampling="rho 0: 5 seeds on one split, as declared")
    assert "iris vary over 5 seeds on one split, and" in seeds.explain("checklist")
    for none in ("", "runs that do not pair"):
        runs = replace(one, target="runs like these", resampling=none).explain("checklist")
        assert "They capture how runs like these vary. Assumed: the model of the A test." in runs
        assert "training sets" not in runs


def test_the_screen_names_each_probability():
    assert str(full(error=0.004)) == (
        "knn and gbm: undecided (data sets differ)                             rope ±0.01\n"
        "\n"
        "On a new data set, gbm being practically better is the most probable outcome:\n"
        "probability only 0.700 (0.95 asked). On average over the data sets gbm is ahead\n"
        "by 0.004 to 0.020 (95 %); on a single new one gbm is practically better with\n"
        "probability 0.500.\n"
        "\n"
        "The data sets differ: were all else known, the most probable outcome on a new\n"
        "data set would still have a probability of 0.520, which more data sets can't\n"
        "change.\n"
        "\n"
        "                               knn better     equivalent     gbm better\n"
        "most probable on a new one  0.100 ± 0.004  0.200 ± 0.004  0.700 ± 0.004\n"
        "a new data set                      0.200          0.300          0.500\n"
        "the average of data sets           <0.001          0.100          0.900\n"
        "chances of being likeliest (decides), of happening next, of holding on average"
    )


def test_the_screen_names_the_only_probability_and_no_error_of_closed_forms():
    assert str(verdict(0.1, 0.0, 0.9, error=1e-15, exact=True)) == (
        "knn and gbm: undecided                                                rope ±0.01\n"
        "\n"
        "On a new data set, gbm being practically better has a probability of only 0.900\n"
        "(0.95 asked).\n"
        "\n"
        "                 knn better  equivalent  gbm better\n"
        "mean difference       0.100      <0.001       0.900"
    )


@pytest.mark.parametrize(
    ("sign", "lower", "subject"),
    [(1, False, "gbm"), (-1, False, "knn"), (1, True, "knn"), (-1, True, "gbm")],
)
def test_a_lead_in_logarithms_is_told_in_percent(sign, lower, subject):
    """e^0.01 − 1 and its ends; of an error the one that is behind has the larger."""
    interval = tuple(sorted((0.004 * sign, 0.02 * sign)))
    options = {
        "metric": "error (log ratio)",
        "directions": (Direction("error", lower, "declared", "log_ratio"),),
        "mean_interval": (interval,),
    }
    text = full(estimate=(0.01 * sign,), **options).explain()
    assert f"{subject}'s error is 1.0 % larger (95 %: 0.4 % to 2.0 %)" in text
    assert f"{subject}'s error is 0.4 % to 2.0 % larger (95 %)" in full(**options).explain()


def test_a_region_that_is_not_there_is_not_shown():
    v = bc.Verdict({"left": 0.2, "rope": 0.0, "right": 0.8}, {}, ("a", "b"), as_rope(0))
    assert "equivalent" not in str(v)
    assert "±" not in str(v)
    assert "equivalent" not in v._repr_html_()


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
    assert ">rmse ↓, rope ±0.01</p>" in html
    assert ">rho 0.2: 5 folds</td>" in html
    assert ">3 folds</td>" in html


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
    [
        (-0.01, "is negative"),
        ("wide", "not a number"),
        ((0.01, 0.02), "does not hold zero"),
        (math.nan, "not finite"),
        ((-1, 0, 1), "shape"),
        (None, "rope"),
    ],
)
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
@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    ("interval", "lead"),
    [
        ((-0.05, 0.03), "knn is 0.030 behind to 0.050 ahead (95 %)"),
        ((-0.03, 0.05), "gbm is 0.030 behind to 0.050 ahead (95 %)"),
        ((-0.05, -0.03), "knn is ahead by 0.030 to 0.050 (95 %)"),
    ],
)
def test_without_an_estimate_the_interval_says_who_is_ahead(interval, lead):
    v = three(0.3, 0.3, 0.4, mean_interval=(interval,), target=IRIS)
    assert lead in v.explain()


@pytest.mark.parametrize(
    ("rope", "heads"),
    [
        (0.01, ["logi…sion better", "equivalent", "naïv…ayes better"]),
        ((-0.01, np.inf), ["naï…es worse", "naï…es not worse"]),
    ],
)
def test_columns_name_the_outcome_whole(rope, heads):
    options = {"names": ("logistic regression", "naïve bayes"), "target": IRIS}
    v = replace(three(0.3, 0.3, 0.4, rope=rope), **options)
    lines = str(v).splitlines()
    first = next(line for line in lines if heads[0] in line)
    assert re.split(r"  +", first.strip()) == heads


@pytest.mark.parametrize("estimate", [0.0, 0.0001, -0.0001])
def test_without_a_lead_neither_is_ahead(estimate):
    options = {"estimate": (estimate,), "mean_interval": ((-0.03, 0.03),), "target": IRIS}
    name = "knn" if estimate < 0 else "gbm"
    text = three(0.3, 0.4, 0.3, **options).explain()
    assert f"Neither is ahead (95 %: {name} 0.030 behind to 0.030 ahead)." in text
    options["directions"] = (Direction("error", scale="log_ratio"),)
    text = three(0.3, 0.4, 0.3, metric="error (log ratio)", **options).explain()
    assert f"Neither's error is larger (95 %: {name}'s −3.0 % to 3.0 %)." in text


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
