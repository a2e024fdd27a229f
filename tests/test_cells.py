"""Cells of a table: what is a number, what is text, and what is neither."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.cells import check_labels, check_sizes, kind_of, numbers_of


def test_numbers_in_another_guise():
    frame = pd.DataFrame(
        {
            "plain": [0.1, 0.2],
            "nullable": pd.array([0.5, None], dtype="Float64"),
            "objects": pd.Series([Decimal("0.25"), None], dtype=object),
            "note": ["x", "y"],
            "auc": pd.Series([None, None], dtype=object),
        }
    )
    actual = numbers_of(frame, {"note"})
    assert set(actual) == {"nullable", "objects", "auc"}
    for name, expected in (("nullable", 0.5), ("objects", 0.25), ("auc", np.nan)):
        assert np.array_equal(actual[name], [expected, np.nan], equal_nan=True)
        assert actual[name].dtype == float


def test_labels_are_names():
    check_labels(pd.Series(["a", 1, None, ("b",)[0]], dtype=object))
    with pytest.raises(bc.InputError, match="column 'who' holds a dict in row 1"):
        check_labels(pd.Series(["a", {}], name="who", dtype=object))


def test_kinds_in_words():
    assert kind_of("0.5") == "text"
    assert kind_of([1]) == "a list"


@pytest.mark.parametrize(
    ("values", "share", "message"),
    [
        (["a", 2], False, "column 'n_test' is 'a' in row 0; accepted: a number of items"),
        ([3, -1.0], False, "column 'n_test' is -1.0 in row 1"),
        ([3, 0], False, "column 'n_test' is 0 in row 1"),
        ([3, np.inf], False, "column 'n_test' is inf in row 1"),
        (["x"], True, "accepted: a correlation in "),
    ],
)
def test_sizes_are_numbers(values, share, message):
    with pytest.raises(bc.InputError, match=message):
        check_sizes(pd.Series(values, name="n_test"), share=share)


def test_sizes_may_be_missing_or_in_text():
    actual = check_sizes(pd.Series(["30", None, 0.25], name="n_test"), share=False)
    np.testing.assert_array_equal(actual, [30, np.nan, 0.25])
