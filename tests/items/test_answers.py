"""Every model's score on every question."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bayescmp import InputError
from bayescmp.items.answers import Answers
from bayescmp.items.roles import recognise
from tests.items.tables import TWO, answers


def read(frame: pd.DataFrame, missing: str = "error") -> Answers:
    return Answers.read(frame, recognise(frame), missing)


def test_items_of_one_name_in_two_benchmarks_are_two():
    known = read(TWO)
    assert known.benchmark.tolist() == [0, 0, 0, 1, 1, 1]
    assert known.of("b")[1].tolist() == [1, 0, 1, 0, 1, 1]


def test_the_order_of_rows_does_not_matter():
    shuffled = TWO.sample(frac=1, random_state=1).reset_index(drop=True)
    one, other = read(TWO), read(shuffled)
    for name in ("a", "b"):
        by_item = dict(zip(other.question, other.items[other.question], strict=True))
        assert len(by_item) == 6
        assert one.of(name)[1].sum() == other.of(name)[1].sum()


def test_means_over_epochs_are_those_of_pandas():
    rng = np.random.default_rng(1)
    table = pd.DataFrame({
        "model": rng.choice(["a", "b", "c"], 500), "benchmark": rng.choice(["x", "y"], 500),
        "item": rng.integers(0, 20, 500), "epoch": np.arange(500), "score": rng.random(500),
    })  # fmt: skip
    known = read(table)
    model = np.repeat(known.models, np.diff(known.starts))
    index = [model, np.array(known.benchmarks)[known.benchmark[known.question]],
             known.items[known.question]]  # fmt: skip
    own = pd.Series(known.score, index=pd.MultiIndex.from_arrays(index)).sort_index()
    expected = table.groupby(["model", "benchmark", "item"])["score"].mean().sort_index()
    np.testing.assert_allclose(own.to_numpy(), expected.to_numpy(), rtol=1e-14)
    assert known.epochs.sum() == 500


def test_many_names_in_few_rows_need_no_table_of_all():
    """Beyond a million possible questions, they are sorted instead."""
    n = 2000
    table = pd.DataFrame({"model": ["a"] * n, "benchmark": [f"b{i}" for i in range(n)],
                          "item": np.arange(n), "score": np.arange(n) % 2})  # fmt: skip
    assert read(table).of("a")[1].tolist() == (np.arange(n) % 2).tolist()


def test_an_item_twice_needs_epochs():
    twice = pd.concat([TWO, TWO.iloc[[4]]], ignore_index=True)
    with pytest.raises(InputError, match=r"1 duplicate row: item '2' of benchmark 'y' appears "
                       "more than once for model 'a'; several attempts .* 'epoch'"):  # fmt: skip
        read(twice)
    with pytest.raises(InputError, match="epoch 3 of item '1' of benchmark 'benchmark'"):
        read(pd.concat([answers({"a": [1.0]}, epoch=3)] * 2))


def test_missing_scores_are_refused_or_counted():
    table = answers({"a": [1.0, np.nan, 0.0], "b": [1.0, 1.0, np.nan]})
    with pytest.raises(InputError, match=r"missing \(NaN\) for model 'a', item '2', and 1 more"):
        read(table)
    known = read(table, "common")
    assert known.empty == 2
    assert [known.of(name)[0].tolist() for name in ("a", "b")] == [[0, 2], [0, 1]]
    with pytest.raises(InputError, match="holds no score at all"):
        read(answers({"a": [np.nan]}), "common")


def test_clusters_are_of_their_benchmark():
    known = read(TWO.assign(cluster=["p", "p", "q"] * 4))
    assert known.cluster.tolist() == [0, 0, 1, 2, 2, 3]


def test_an_item_in_two_clusters_is_refused():
    with pytest.raises(InputError, match="item '1' of benchmark 'x' is in the clusters"):
        read(TWO.assign(cluster=["p"] * 6 + ["q"] * 6))


def test_a_table_without_rows_is_refused():
    with pytest.raises(InputError, match="no rows"):
        read(TWO.iloc[:0])
