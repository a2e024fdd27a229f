"""The items that several models have in common."""

from __future__ import annotations

import pandas as pd
import pytest

from bayescmp import InputError
from bayescmp.items.answers import Answers
from bayescmp.items.roles import recognise
from bayescmp.items.shared import in_common
from tests.items.tables import TWO


def read(frame):
    return Answers.read(frame, recognise(frame))


def test_the_same_item_stands_at_the_same_place():
    shuffled = TWO.iloc[[11, 3, 5, 1, 7, 9, 0, 2, 4, 6, 8, 10]]
    shared = in_common(read(shuffled), ["a", "b"], None, "error")
    pairs = sorted(zip(shared.benchmark, *shared.scores.tolist(), strict=True))
    names = read(shuffled).benchmarks
    expected = TWO.pivot(index=["benchmark", "item"], columns="model", values="score")
    own = sorted((names[b], x, y) for b, x, y in pairs)
    assert own == sorted((b, x, y) for (b, _), (x, y) in zip(expected.index, expected.to_numpy(),
                                                             strict=True))  # fmt: skip


def test_an_item_of_one_model_only_is_refused_by_name():
    with pytest.raises(InputError, match=r"item '3' of benchmark 'y' has a score of 'a' and none "
                       r"of 'b' \(1 such\)"):  # fmt: skip
        in_common(read(TWO.iloc[:-1]), ["a", "b"], None, "error")


def test_what_only_one_has_is_left_out_and_counted():
    table = TWO.drop(index=[2, 9, 10, 11])  # item 3 of x for a, all of y for b
    shared = in_common(read(table), ["a", "b"], None, "common")
    assert shared.scores.tolist() == [[0, 0], [1, 0]]
    assert str(shared.left_out) == (
        "left out, without a score of both: 1 benchmark ('y') and 1 item"
    )


def test_nothing_in_common():
    table = TWO[(TWO["model"] == "a") == (TWO["benchmark"] == "x")]
    with pytest.raises(InputError, match="'a', 'b' have no item in common"):
        in_common(read(table), ["a", "b"], None, "common")


def test_benchmarks_may_be_named():
    shared = in_common(read(TWO), ["a", "b"], ["y"], "error")
    assert shared.scores.tolist() == [[1, 1, 1], [0, 1, 1]]
    with pytest.raises(InputError, match=r"unknown benchmark 'z'.*known: 'x', 'y'"):
        in_common(read(TWO), ["a", "b"], ["z"], "error")
    with pytest.raises(InputError, match="benchmarks is empty"):
        in_common(read(TWO), ["a", "b"], [], "error")


def test_epochs_are_those_of_the_items_in_common():
    epochs = TWO.assign(epoch=1)
    table = read(pd.concat([epochs, epochs.iloc[[0]].assign(epoch=2)]))
    assert in_common(table, ["a", "b"], ["x"], "error").epochs == (1, 2)
    assert in_common(table, ["a", "b"], ["y"], "error").epochs == (1, 1)
