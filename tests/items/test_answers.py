"""Every model's score on every question."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bayescmp import InputError
from bayescmp.items.answers import Answers, label_codes, recognise, score_cells
from tests.items.tables import TWO, answers
from tests.rows import each_row


def frame(*columns: str) -> pd.DataFrame:
    return pd.DataFrame({c: [1.0, 0.0] for c in columns})


def test_common_spellings_are_understood():
    table = frame("LLM", "task_name", "Question ID", "passage", "attempt", "is_correct")
    assert recognise(table) == {
        "model": "LLM",
        "benchmark": "task_name",
        "item": "Question ID",
        "cluster": "passage",
        "epoch": "attempt",
        "score": "is_correct",
    }


def test_the_only_column_of_numbers_is_the_score():
    table = frame("model", "item", "bleurt").assign(model="a", item="q")
    assert recognise(table)["score"] == "bleurt"


@each_row(
    ("columns", "message"),
    [
        (("item", "score"), "must have a column for the model .*'item', 'score'"),
        (("model", "score"), "must have a column for the item"),
        (("model", "item", "f", "g"), "several columns may be the score .*'f', 'g'.*Name one"),
        (("model", "item"), "must have a column of scores"),
    ],
)
def test_what_is_not_there_is_named(columns, message):
    with pytest.raises(InputError, match=message):
        recognise(frame(*columns))


def test_unknown_parts_and_columns_are_refused():
    with pytest.raises(InputError, match=r"part of a table of items must be .*\(got 'question'\)"):
        recognise(frame("model", "item", "score"), {"question": "item"})
    with pytest.raises(
        InputError, match=r"column must be .*\(got 'scor'\)\. Did you mean 'score'"
    ):
        recognise(frame("model", "item", "score"), metric="scor")
    with pytest.raises(InputError, match="'item' must have one role"):
        recognise(frame("model", "item", "score"), {"cluster": "item"})


@each_row(
    "cells",
    [
        pd.Series([True, False]),
        pd.Series([1, 0]),
        pd.Series([True, False], dtype=object),
        pd.Series(["1", "0"]),
        pd.Series(["pass", "fail"]),
        pd.Series(["C", "I"]),
        pd.Series([1, 0], dtype="Int64"),
        pd.Series([True, False], dtype="boolean"),
    ],
)
def test_scores_of_any_type_are_numbers(cells):
    assert score_cells(cells).tolist() == [1.0, 0.0]


def test_an_empty_score_is_nan():
    assert np.isnan(score_cells(pd.Series([1.0, None]))).tolist() == [False, True]
    assert np.isnan(score_cells(pd.Series([True, None], dtype=object))).tolist() == [False, True]


@each_row("value", ["maybe", "0,5", [1], np.inf])
def test_other_scores_are_refused_with_their_row(value):
    cells = pd.Series([1.0, value], name="score", dtype=object)
    with pytest.raises(InputError, match=r"column 'score' must .* in row 1, the first of 1 row\)"):
        score_cells(cells)


def test_labels_are_numbered_in_order_of_appearance():
    codes, names = label_codes(pd.Series(["b", "a", "b"]), "model")
    assert (codes.tolist(), names.tolist()) == ([0, 1, 0], ["b", "a"])


@each_row(
    ("cells", "message"),
    [
        (["a", None], "column 'model' must have a model in every row"),
        (["a", " "], "column 'model' must hold names that are not empty .got ' '"),
        (["a", "a "], "'a' and 'a ', which read alike"),
        ([1, "1"], "1 and '1', which read alike"),
        ([["a"], ["b"]], "something other than a name"),
    ],
)
def test_labels_that_are_no_names_are_refused(cells, message):
    with pytest.raises(InputError, match=message):
        label_codes(pd.Series(cells, name="model", dtype=object), "model")


def read(frame: pd.DataFrame, missing: str = "error") -> Answers:
    return Answers.read(frame, recognise(frame), missing)


def test_items_of_one_name_in_two_benchmarks_are_two():
    known = read(TWO)
    assert known.benchmark.tolist() == [0, 0, 0, 1, 1, 1]
    assert known.score[known.find_answers("b")].tolist() == [1, 0, 1, 0, 1, 1]


def test_the_order_of_rows_does_not_matter():
    shuffled = TWO.sample(frac=1, random_state=1).reset_index(drop=True)
    one, other = read(TWO), read(shuffled)
    for name in ("a", "b"):
        by_item = dict(zip(other.question, other.items[other.question], strict=True))
        assert len(by_item) == 6
        first, second = (a.score[a.find_answers(name)] for a in (one, other))
        assert first.sum() == second.sum()


def test_means_over_epochs_are_those_of_pandas():
    rng = np.random.default_rng(1)
    table = pd.DataFrame(
        {
            "model": rng.choice(["a", "b", "c"], 500),
            "benchmark": rng.choice(["x", "y"], 500),
            "item": rng.integers(0, 20, 500),
            "epoch": np.arange(500),
            "score": rng.random(500),
        }
    )
    known = read(table)
    model = np.repeat(known.models, np.diff(known.starts))
    index = [
        model,
        np.array(known.benchmarks)[known.benchmark[known.question]],
        known.items[known.question],
    ]
    own = pd.Series(known.score, index=pd.MultiIndex.from_arrays(index)).sort_index()
    expected = table.groupby(["model", "benchmark", "item"])["score"].mean().sort_index()
    np.testing.assert_allclose(own.to_numpy(), expected.to_numpy(), rtol=1e-14)
    assert known.epochs.sum() == 500


def test_many_names_in_few_rows_need_no_table_of_all():
    """Beyond a million possible questions, they are sorted instead."""
    n = 2000
    table = pd.DataFrame(
        {
            "model": ["a"] * n,
            "benchmark": [f"b{i}" for i in range(n)],
            "item": np.arange(n),
            "score": np.arange(n) % 2,
        }
    )
    known = read(table)
    assert known.score[known.find_answers("a")].tolist() == (np.arange(n) % 2).tolist()


def test_an_item_twice_needs_epochs():
    twice = pd.concat([TWO, TWO.iloc[[4]]], ignore_index=True)
    with pytest.raises(
        InputError,
        match=r"1 duplicate row, item '2' of benchmark 'y' "
        r"more than once for model 'a'.. Several attempts .* 'epoch'",
    ):
        read(twice)
    with pytest.raises(InputError, match="epoch 3 of item '1' of benchmark 'benchmark'"):
        read(pd.concat([answers({"a": [1.0]}, epoch=3)] * 2))


def test_missing_scores_are_refused_or_counted():
    table = answers({"a": [1.0, np.nan, 0.0], "b": [1.0, 1.0, np.nan]})
    with pytest.raises(InputError, match=r"got nan for model 'a', item '2', and 1 more"):
        read(table)
    known = read(table, "common")
    assert known.empty == 2
    assert [known.question[known.find_answers(name)].tolist() for name in ("a", "b")] == [
        [0, 2],
        [0, 1],
    ]
    with pytest.raises(InputError, match="must hold scores"):
        read(answers({"a": [np.nan]}), "common")


def test_clusters_are_of_their_benchmark():
    known = read(TWO.assign(cluster=["p", "p", "q"] * 4))
    assert known.cluster.tolist() == [0, 0, 1, 2, 2, 3]


def test_an_item_in_two_clusters_is_refused():
    with pytest.raises(
        InputError, match=r"item '1' of benchmark 'x' must be in one cluster .got 'p' and 'q'"
    ):
        read(TWO.assign(cluster=["p"] * 6 + ["q"] * 6))


def test_a_table_without_rows_is_refused():
    with pytest.raises(InputError, match="the table must have at least one row"):
        read(TWO.iloc[:0])
