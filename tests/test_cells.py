"""Cells of a table: what is a number, what is text, and what is neither."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.cells import check_labels, kind_of, numbers_of


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
    found = numbers_of(frame, {"note"})
    assert set(found) == {"nullable", "objects", "auc"}
    for name, expected in (("nullable", 0.5), ("objects", 0.25), ("auc", np.nan)):
        assert np.array_equal(found[name], [expected, np.nan], equal_nan=True)
        assert found[name].dtype == float


def test_labels_are_names():
    check_labels(pd.Series(["a", 1, None, ("b",)[0]], dtype=object))
    with pytest.raises(bc.InputError, match="column 'who' holds a dict in row 1"):
        check_labels(pd.Series(["a", {}], name="who", dtype=object))


def test_kinds_in_words():
    assert kind_of("0.5") == "text"
    assert kind_of([1]) == "a list"
