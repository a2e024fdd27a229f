"""Probabilities, errors, counts and lists as text."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayescmp.wording.text import (
    counted,
    cut,
    cut_all,
    exactly,
    fact,
    listed,
    plus_minus,
    probability,
    pvalue,
    side_by_side,
    written,
)


@pytest.mark.parametrize(
    ("p", "floor", "text"),
    [
        (0.5, 0.0, "0.500"),
        (0.0, 0.0, "<0.001"),
        (1.0, 0.0, ">0.999"),
        (0.001, 0.0, "0.001"),
        (0.00099, 0.0, "<0.001"),
        (0.999, 0.0, "0.999"),
        (0.99901, 0.0, ">0.999"),
        (0.9994, 0.0, ">0.999"),
        (0.0, 1 / 4000, "<0.001"),
        (0.0, 0.001, "<0.001"),
        (0.0, 1 / 900, "<0.002"),
        (1.0, 1 / 100, ">0.990"),
        (0.0, 1 / 300, "<0.004"),
        (0.005, 1 / 100, "<0.010"),
        (math.nan, 0.0, "-"),
    ],
)
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
    [
        (0.0123, False, "± 0.01"),
        (0.001, False, "± 0.001"),
        (0.00099, False, "± <0.001"),
        (0.0, False, ""),
        (1e-15, True, ""),
        (0.00099, True, ""),
        (0.002, True, "± 0.002"),
        (math.nan, False, ""),
    ],
)
def test_errors(error, exact, text):
    assert plus_minus(error, exact=exact) == text


@pytest.mark.parametrize(
    ("n", "words", "text"),
    [
        (0, ("pair",), "0 pairs"),
        (1, ("pair",), "1 pair"),
        (2, ("pair",), "2 pairs"),
        (1, ("match", "matches"), "1 match"),
        (3, ("match", "matches"), "3 matches"),
    ],
)
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


NAN = float("nan")
REGIONS = ("left", "rope", "right", "trade_off")


def row(p, predictive=(NAN,) * 3, mean=(NAN,) * 3, **more):
    parts = zip(("p", "predictive", "mean"), (p, predictive, mean), strict=True)
    columns = {
        f"{part}_{r}": v for part, values in parts for r, v in zip(REGIONS, values, strict=False)
    }
    return {"first": "a", **columns, "last": 1, **more}


def test_kinds_of_probabilities_stand_side_by_side_in_their_place():
    result = side_by_side(pd.DataFrame([row((0.0, 0.25, 0.75), (0.1, 0.2, 0.7), (0.3, 0.3, 0.4))]))
    assert list(result.columns) == ["first", "most probable outcome", "predictive", "mean", "last"]
    assert result.iloc[0, 1:4].tolist() == [
        "<0.001 0.250 0.750",
        "0.100 0.200 0.700",
        "0.300 0.300 0.400",
    ]


def test_a_kind_stands_where_its_first_region_stood():
    frame = pd.DataFrame([{"p_left": 0.1, "between": "x", "p_rope": 0.2, "p_right": 0.7}])
    assert list(side_by_side(frame).columns) == ["mean difference", "between"]


@pytest.mark.parametrize(
    ("rows", "title"),
    [
        ([row((0.1, 0.2, 0.7))], "mean difference"),
        ([row((0.1, 0.2, 0.7), (0.1, 0.2, 0.7))], "most probable outcome"),
        ([row((0.1, 0.2, 0.7)), row((0.1, 0.2, 0.7), (0.1, 0.2, 0.7))], "that decides"),
    ],
)
def test_what_decides_has_its_own_name(rows, title):
    assert list(side_by_side(pd.DataFrame(rows)).columns)[1] == title


def test_a_region_that_is_not_there_is_not_shown():
    frame = pd.DataFrame([row((0.3, 0.0, 0.7, NAN)), row((0.5, 0.0, 0.5, NAN))])
    assert side_by_side(frame, rope=False)["mean difference"].tolist() == [
        "0.300 0.700",
        "0.500 0.500",
    ]
    missing = pd.DataFrame([row((0.1, 0.2, 0.3, 0.4)), row((NAN, NAN, NAN, NAN))])
    assert side_by_side(missing)["mean difference"].tolist() == [
        "0.100 0.200 0.300 0.400",
        "- - - -",
    ]
    assert list(side_by_side(pd.DataFrame([row((NAN,) * 3)])).columns) == ["first", "last"]


def test_long_facts_are_wrapped_under_their_own_start():
    lines = fact("prior", "word " * 40).splitlines()
    assert lines[0].startswith("prior        word")
    assert [line[:13] for line in lines[1:]] == [" " * 13] * (len(lines) - 1)
    assert max(map(len, lines)) <= 99 < sum(map(len, lines))


def test_signs_in_ascii():
    from bayescmp.wording.text import spelled

    assert "".join(map(spelled, "ν = 3 ± 0.1 ↑ é 漢")) == "nu = 3 +- 0.1 (higher is better) e ?"
    assert all(spelled(chr(i)).isascii() for i in range(0x3000))


def test_a_pair_that_failed_does_not_change_what_the_others_are_called():
    rows = [row((0.0, 0.25, 0.75), (0.1, 0.2, 0.7)), row((NAN,) * 3, (NAN,) * 3)]
    shown = side_by_side(pd.DataFrame(rows))
    assert shown["most probable outcome"].tolist() == ["<0.001 0.250 0.750", "- - -"]


@pytest.mark.parametrize(
    ("p", "shown"),
    [
        (None, "–"),
        (0.0, "<0.0001"),
        (0.00009, "<0.0001"),
        (0.0001, "0.0001"),
        (0.0123, "0.012"),
        (0.099, "0.099"),
        (0.1, "0.10"),
        (0.5, "0.50"),
        (0.998, "1.00"),
        (1.0, "1.00"),
    ],
)
def test_pvalues(p, shown):
    assert pvalue(p) == shown


def test_p_values_are_no_probabilities():
    """Whatever their column is called; a probability is that of something."""
    frame = pd.DataFrame({"p": [2e-4, 0.99991], "pvalue": [2e-4, 0.5], "p_best": [2e-4, 0.99991]})
    assert written(frame).to_numpy().tolist() == [
        ["0.0002", "0.0002", "<0.001"],
        ["1.00", "0.50", ">0.999"],
    ]


def test_infinite_numbers_have_their_sign():
    assert written(pd.DataFrame({"t": [np.inf, -np.inf, -0.0, 12345.6]}))["t"].tolist() == [
        "∞",
        "-∞",
        "0",
        "1.235e+04",
    ]


NAMES = st.lists(
    st.text("abcdef_=() 0123456789", min_size=1, max_size=60), max_size=8, unique=True
)


@given(NAMES, st.integers(10, 30))
def test_names_stay_different_and_fit(names, most):
    labels = cut_all(names, most)
    assert len(set(labels)) == len(names)
    assert all(len(label) <= most for label in labels)
    assert [n for n in names if len(n) <= most] == [
        label for n, label in zip(names, labels, strict=True) if len(n) <= most
    ] or len({cut(n, most) for n in names}) < len(names)


@pytest.mark.parametrize(("most", "shown"), [(22, "RandomForestClassifier"), (12, "Random…ifier")])
def test_both_ends_are_kept(most, shown):
    assert cut("RandomForestClassifier", most) == shown
