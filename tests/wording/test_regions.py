"""Verdicts over the four regions of several metrics; one rope per metric."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import rgb_to_hsv, to_rgb

import bayescmp as bc
from bayescmp.scores.rope import Ropes, as_ropes, rope_from_ends
from bayescmp.wording.regions import (
    ALGORITHMS,
    COLOURS,
    DASHES,
    FOUR,
    HATCHES,
    MARKERS,
    ORDER,
    SIGNS,
    THREE,
    WORDS,
    shape_of,
)

REGIONS = [*THREE.regions, *FOUR.regions]


@pytest.mark.parametrize("region", REGIONS)
def test_every_region_has_its_marks(region):
    for marks in (COLOURS, MARKERS, DASHES):
        assert region in marks
    assert region in ORDER


@pytest.mark.parametrize("regions", [THREE.regions, FOUR.regions])
def test_no_two_regions_look_the_same(regions):
    for marks in (COLOURS, MARKERS, DASHES):
        assert len({marks[r] for r in regions}) == len(regions)


def test_the_same_answer_looks_the_same_by_one_metric_and_by_several():
    for one, several in (("left", "first"), ("rope", "equivalent"), ("right", "second")):
        for marks in (COLOURS, MARKERS, DASHES):
            assert marks[one] == marks[several]
        assert HATCHES.get(one) == HATCHES.get(several)


def test_equivalence_has_no_colour_of_its_own():
    assert rgb_to_hsv(to_rgb(COLOURS["rope"]))[1] == 0
    assert rgb_to_hsv(to_rgb(COLOURS["left"]))[1] > 0.9


def test_signs_and_words_are_of_the_regions_of_one_metric():
    assert set(SIGNS) == set(WORDS) == set(THREE.regions)


def test_algorithms_have_distinct_colours():
    assert len(set(ALGORITHMS)) == len(ALGORITHMS)


METRICS = ("tpr", "fpr")
SHAPES_REGIONS = ("equivalent", "first", "second", "trade_off")


def verdict(*p, rope=(0.01, 0.02), **options):
    named = dict(zip(SHAPES_REGIONS, p, strict=True))
    options = {"metric": "tpr, fpr", "metrics": METRICS, "floor": 1e-3, **options}
    errors = dict.fromkeys(named, 0.0)
    return bc.Verdict(named, errors, ("knn", "gbm"), as_ropes(rope, METRICS), **options)


@pytest.mark.parametrize(
    ("given", "ends"),
    [
        (0.01, [[-0.01, 0.01]] * 2),
        (bc.Rope(-0.02, 0.01), [[-0.02, 0.01]] * 2),
        ((0.01, 0.02), [[-0.01, 0.01], [-0.02, 0.02]]),
        ([0.01, (-0.02, 0.03)], [[-0.01, 0.01], [-0.02, 0.03]]),
        ({"fpr": 0.02, "tpr": 0}, [[0, 0], [-0.02, 0.02]]),
        (np.array([0.01, 0.02]), [[-0.01, 0.01], [-0.02, 0.02]]),
    ],
)
def test_one_rope_a_metric(given, ends):
    ropes = as_ropes(given, METRICS)
    assert ropes.ends == ends
    assert rope_from_ends(json.loads(json.dumps(ropes.ends))) == ropes
    assert isinstance(ropes, tuple)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([0.01], "holds 1 for 2 metrics"),
        ([0.01, 0.02, 0.03], "holds 3 for 2 metrics"),
        ([0.01, -0.02], "negative.*for metric 'fpr'"),
        ({"tpr": 0.01}, "no region for 'fpr'"),
        ({"tpr": 0.01, "fpp": 0.02}, "unknown metric in rope 'fpp': did you mean 'fpr'"),
        (-0.01, "negative"),
        ("wide", "not a number"),
    ],
)
def test_bad_ropes(bad, message):
    with pytest.raises(bc.InputError, match=message):
        as_ropes(bad, METRICS)


def test_ropes_answer_as_one_rope_does():
    ropes = as_ropes([0.01, (-0.02, 0.03)], METRICS)
    assert ropes.swapped() == Ropes([bc.Rope(-0.01, 0.01), bc.Rope(-0.03, 0.02)])
    assert ropes.scaled(2).high.tolist() == [0.02, 0.06]
    assert not ropes.empty
    assert as_ropes([0, 0.02], METRICS).empty
    assert str(as_ropes(0.01, METRICS)) == "±0.01"


def test_as_for_one_metric_a_pair_is_a_pair_of_ends():
    assert as_ropes((-0.01, 0.02), ("acc",)) == (bc.Rope(-0.01, 0.02),)


@pytest.mark.parametrize(
    ("p", "decision"),
    [
        ((0.96, 0.02, 0.01, 0.01), "equivalent"),
        ((0.01, 0.96, 0.02, 0.01), "first"),
        ((0.01, 0.02, 0.96, 0.01), "second"),
        ((0.01, 0.02, 0.01, 0.96), "trade-off"),
        ((0.94, 0.02, 0.02, 0.02), "undecided"),
    ],
)
def test_decision(p, decision):
    v = verdict(*p)
    assert v.decision == decision
    assert json.loads(json.dumps(v.to_dict(), allow_nan=False))["decision"] == decision


def test_odds_between_any_two_regions():
    v = verdict(0.1, 0.2, 0.6, 0.1)
    assert len(v.odds) == 6
    assert v.odds["first", "second"].value == pytest.approx(1 / 3)
    assert v.odds["equivalent", "trade_off"].value == pytest.approx(1)
    assert v.evidence == "weak"
    # without a rope in one metric equivalence can't be, so no odds speak of it
    assert len(verdict(0, 0.2, 0.7, 0.1, rope=[0, 0.02]).odds) == 3


def test_words_name_the_regions():
    v = verdict(0.1, 0.2, 0.6, 0.1)
    assert "gbm dominates : knn dominates = 3 (weak)" in v.odds_in_words()
    assert v.label("trade_off") == "trade-off"
    text = str(v)
    assert "gbm dominates  0.600" in text
    assert "undecided (threshold 0.95, evidence weak)" in text


def test_of_one_metric_only_and_of_several_only():
    v = verdict(0.1, 0.2, 0.6, 0.1)
    with pytest.raises(AttributeError, match=r"no region 'left'.*trade_off"):
        _ = v.p_left
    with pytest.raises(bc.InputError, match="accepted: the regions"):
        shape_of(["left", "right"])


@given(st.tuples(*[st.floats(0.001, 1)] * 4))
def test_swapping_the_algorithms_swaps_who_dominates(weights):
    p = np.array(weights) / sum(weights)
    v = verdict(*p, rope=[0.01, (-0.02, 0.03)])
    w = v.swapped()
    turned = [p[0], p[2], p[1], p[3]]
    assert [w.probabilities[r] for r in SHAPES_REGIONS] == turned
    assert w.rope[1] == bc.Rope(-0.03, 0.02)
    assert w.swapped() == v
    mirror = {"first": "second", "second": "first"}
    assert w.decision == mirror.get(v.decision, v.decision)
