"""Parts of a table of items, and its cells."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bayescmp import InputError
from bayescmp.items.roles import label_codes, recognise, score_cells


def frame(*columns: str) -> pd.DataFrame:
    return pd.DataFrame({c: [1.0, 0.0] for c in columns})


def test_common_spellings_are_understood():
    table = frame("LLM", "task_name", "Question ID", "passage", "attempt", "is_correct")
    assert recognise(table) == {
        "model": "LLM", "benchmark": "task_name", "item": "Question ID", "cluster": "passage",
        "epoch": "attempt", "score": "is_correct",
    }  # fmt: skip


def test_the_only_column_of_numbers_is_the_score():
    table = frame("model", "item", "bleurt").assign(model="a", item="q")
    assert recognise(table)["score"] == "bleurt"


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (("item", "score"), "no column for the model; found: 'item', 'score'"),
        (("model", "score"), "no column for the item"),
        (("model", "item", "f", "g"), "several columns may be the score: 'f', 'g'; name one"),
        (("model", "item"), "no column of scores"),
    ],
)
def test_what_is_not_there_is_named(columns, message):
    with pytest.raises(InputError, match=message):
        recognise(frame(*columns))


def test_unknown_parts_and_columns_are_refused():
    with pytest.raises(InputError, match="unknown part of a table of items 'question'"):
        recognise(frame("model", "item", "score"), {"question": "item"})
    with pytest.raises(InputError, match=r"unknown column 'scor': did you mean 'score'\?"):
        recognise(frame("model", "item", "score"), metric="scor")
    with pytest.raises(InputError, match="'item' is to be both the item and the cluster"):
        recognise(frame("model", "item", "score"), {"cluster": "item"})


@pytest.mark.parametrize(
    "cells",
    [
        pd.Series([True, False]),
        pd.Series([1, 0]),
        pd.Series([True, False], dtype=object),
        pd.Series(["1", "0"]),
        pd.Series([1, 0], dtype="Int64"),
        pd.Series([True, False], dtype="boolean"),
    ],
)
def test_scores_of_any_type_are_numbers(cells):
    assert score_cells(cells).tolist() == [1.0, 0.0]


def test_an_empty_score_is_nan():
    assert np.isnan(score_cells(pd.Series([1.0, None]))).tolist() == [False, True]
    assert np.isnan(score_cells(pd.Series([True, None], dtype=object))).tolist() == [False, True]


@pytest.mark.parametrize("value", ["C", "right", [1], np.inf])
def test_other_scores_are_refused_with_their_row(value):
    cells = pd.Series([1.0, value], name="score", dtype=object)
    with pytest.raises(InputError, match=r"column 'score' is .* in row 1 \(1 such row\)"):
        score_cells(cells)


def test_labels_are_numbered_in_order_of_appearance():
    codes, names = label_codes(pd.Series(["b", "a", "b"]), "model")
    assert (codes.tolist(), names.tolist()) == ([0, 1, 0], ["b", "a"])


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["a", None], "column 'model' is empty in row 1"),
        (["a", " "], "holds an empty name"),
        (["a", "a "], "'a' and 'a ', which read alike"),
        ([1, "1"], "1 and '1', which read alike"),
        ([["a"], ["b"]], "something other than a name"),
    ],
)
def test_labels_that_are_no_names_are_refused(cells, message):
    with pytest.raises(InputError, match=message):
        label_codes(pd.Series(cells, name="model", dtype=object), "model")
