"""Why a verdict is undecided."""

from __future__ import annotations

import pytest

import bayescmp as bc
from bayescmp.verdict import Known, as_rope, as_ropes
from bayescmp.verdict.cause import DIFFER, EDGE, FEW, cause_of, ends_within


def verdict(p=0.6, rope=0.01, **options):
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
    v = verdict(rope=rope, known=known, mean_interval=(interval,))
    assert v.cause == cause_of(v) == cause


def test_the_threshold_says_what_is_probable_enough():
    v = verdict(known=Known(0.6, (0.5, 0.9)), mean_interval=((0.02, 0.03),), threshold=0.8)
    assert v.cause == FEW
    assert verdict(known=Known(0.6, (0.5, 0.9)), threshold=0.91).cause == DIFFER


def test_no_cause_without_facts_or_where_something_is_decided():
    assert verdict().cause == ""
    assert verdict(0.96, mean_interval=((0, 1),)).cause == ""
    borderline = bc.Verdict({"left": 0.06, "rope": 0.0, "right": 0.94}, {"right": 0.01},
                            ("a", "b"), as_rope(0.01), mean_interval=((0, 1),))  # fmt: skip
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
    v = bc.Verdict(p, dict.fromkeys(p, 0.0), ("knn", "gbm"), as_ropes([0.01, 0.02], metrics),
                   metrics=metrics, mean_interval=intervals)  # fmt: skip
    assert v.cause == cause


def test_ends_of_the_rope_that_an_interval_holds():
    assert ends_within((-0.02, 0.02), as_rope(0.01)) == [-0.01, 0.01]
    assert ends_within((0.005, 0.02), as_rope(0.01)) == [0.01]
    assert ends_within((0.02, 0.03), as_rope(0.01)) == []
    assert ends_within((-0.02, 0.03), as_rope(0)) == [0.0]
