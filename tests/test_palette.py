"""Every region has its colour, and what tells it apart in print."""

from __future__ import annotations

import pytest
from matplotlib.colors import rgb_to_hsv, to_rgb

from bayescmp.palette import ALGORITHMS, COLOURS, DASHES, HATCHES, MARKERS, ORDER, SIGNS, WORDS
from bayescmp.verdict.shapes import FOUR, THREE

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
