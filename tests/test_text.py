"""Probabilities, errors, counts and lists as text."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayescmp.text import counted, exactly, listed, plus_minus, probability


@pytest.mark.parametrize(
    ("p", "floor", "text"),
    [
        (0.5, 0.0, "0.500"), (0.0, 0.0, "<0.001"), (1.0, 0.0, ">0.999"),
        (0.001, 0.0, "0.001"), (0.00099, 0.0, "<0.001"), (0.999, 0.0, "0.999"),
        (0.99901, 0.0, ">0.999"), (0.9994, 0.0, ">0.999"), (0.0, 1 / 4000, "<0.001"),
        (0.0, 0.001, "<0.001"), (0.0, 1 / 900, "<0.002"), (1.0, 1 / 100, ">0.990"),
        (0.0, 1 / 300, "<0.004"), (0.005, 1 / 100, "<0.010"), (math.nan, 0.0, "-"),
    ],
)  # fmt: skip
def test_probability(p, floor, text):
    assert probability(p, floor) == text


@given(st.floats(0, 1), st.floats(1e-9, 0.3))
def test_a_probability_never_reads_zero_or_one_and_its_bound_is_true(p, floor):
    text = probability(p, floor)
    assert text not in ("0.000", "1.000")
    if text[0] == "<":
        assert p < float(text[1:])
        assert float(text[1:]) >= floor - 1e-9
    elif text[0] == ">":
        assert p > float(text[1:])
    else:
        assert abs(p - float(text)) <= 0.0005 + 1e-9


@pytest.mark.parametrize(
    ("error", "exact", "text"),
    [(0.0123, False, "± 0.01"), (0.001, False, "± 0.001"), (0.00099, False, "± <0.001"),
     (0.0, False, ""), (1e-15, True, ""), (0.00099, True, ""), (0.002, True, "± 0.002"),
     (math.nan, False, "")],
)  # fmt: skip
def test_errors(error, exact, text):
    assert plus_minus(error, exact=exact) == text


@pytest.mark.parametrize(
    ("n", "words", "text"),
    [(0, ("pair",), "0 pairs"), (1, ("pair",), "1 pair"), (2, ("pair",), "2 pairs"),
     (1, ("match", "matches"), "1 match"), (3, ("match", "matches"), "3 matches")],
)  # fmt: skip
def test_counts(n, words, text):
    assert counted(n, *words) == text


@pytest.mark.parametrize(
    ("items", "text"),
    [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")],
)
def test_lists(items, text):
    assert listed(items) == text


def test_lists_with_another_word():
    assert listed(["a", "b", "c"], "or") == "a, b or c"


@given(st.floats(1e-12, 1e12), st.floats(1e-12, 1e12))
def test_settings_that_differ_read_differently(a, b):
    assert (exactly(a) == exactly(b)) == (a == b)
    assert float(exactly(a)) == a
