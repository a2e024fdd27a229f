"""Rows that belong together, by labels and never by position."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.pairing import Pairing, starts_of


@pytest.fixture
def pairing(table):
    return Pairing(table.sample(frac=1, random_state=5).reset_index(drop=True))


def test_pairs_agree_with_a_merge(pairing):
    """pandas' own merge on the labels gives the same pairs of rows."""
    frame = pairing.frame.assign(row=np.arange(len(pairing.frame)))
    keys = ["dataset", "repeat", "fold"]
    one, other = (frame[frame.algorithm == name] for name in ("gbm", "knn"))
    merged = one.merge(other, on=keys)[["row_x", "row_y"]].to_numpy()
    assert {tuple(map(int, p)) for p in zip(*pairing.pair("gbm", "knn"), strict=True)} == {
        tuple(map(int, p)) for p in merged
    }


def test_blocks_hold_one_fold_a_column(pairing):
    rows = pairing.blocks("wine", ["svm", "knn", "gbm"])
    frame = pairing.frame
    assert (frame["dataset"].to_numpy()[rows] == "wine").all()
    assert frame["algorithm"].to_numpy()[rows].tolist() == [
        [name] * rows.shape[1] for name in ("svm", "knn", "gbm")
    ]
    for label in ("repeat", "fold"):
        seen = frame[label].to_numpy()[rows]
        assert (seen == seen[0]).all()


def test_repeats_of_rows(pairing):
    rows = pairing.rows("knn", "iris")
    assert pairing.repeats(rows).tolist() == pairing.frame["repeat"].to_numpy()[rows].tolist()
    assert (np.diff(pairing.repeats(rows)) >= 0).all()


def test_a_place_has_no_fold_where_the_table_has_none():
    means = pd.DataFrame({"dataset": ["a"], "algorithm": ["x"], "repeat": [1], "fold": [1]})
    assert Pairing(means, has_folds=False).where(0) == "dataset 'a', algorithm 'x'"
    assert Pairing(means).where(0) == "dataset 'a', algorithm 'x', repeat 1, fold 1"


def test_starts_of_runs():
    assert starts_of(np.array([1, 1, 2, 2, 2])).tolist() == [0, 2]
    assert starts_of(np.array([1, 1, 2]), np.array(["a", "b", "b"])).tolist() == [0, 1, 2]


def test_unknown_names(pairing):
    with pytest.raises(bc.InputError, match=r"unknown data set 'wines'.*'wine'"):
        pairing.rows("knn", "wines")
    with pytest.raises(bc.InputError, match=r"unknown algorithm 'kn'.*'knn'"):
        pairing.rows("kn")


@pytest.mark.parametrize("sizes", [False, True])
def test_cost_is_linear_in_the_table(sizes):
    """5,000 data sets of 100 folds, a million scores: 22 s before rows were sorted once."""
    q, n = 5000, 100
    frame = pd.DataFrame(
        {
            "dataset": np.repeat([f"d{i}" for i in range(q)], 2 * n),
            "algorithm": np.tile(np.repeat(["a", "b"], n), q),
            "repeat": np.tile(np.repeat(np.arange(10), 10), 2 * q),
            "fold": np.tile(np.arange(10), 20 * q),
            "accuracy": np.random.default_rng(0).integers(0, 1000, 2 * n * q) / 1000,
            **({"n_test": 100, "n_train": 900} if sizes else {}),
        }
    )
    scores = bc.Scores(frame)
    start = time.process_time()
    d = scores.differences("a", "b")
    seconds = time.process_time() - start
    assert d.q == q
    assert set(d.rho) == {0.1}
    assert seconds < 1.0


def test_columns_that_would_make_duplicates_distinct_are_named():
    """Those that pandas finds to leave no duplicate; a column that changes elsewhere is none."""
    keys = ["dataset", "algorithm", "repeat", "fold"]
    rows = itertools.product(["a", "b"], ["knn", "svm", "gbm"], [1], [1, 2, 3], ["lin", "rbf"])
    frame = pd.DataFrame(rows, columns=[*keys, "kernel"])
    frame["batch"] = np.arange(len(frame)) // 2  # differs by fold, not within one
    frame["depth"] = frame["kernel"].eq("rbf") * frame["fold"]
    unused = ["kernel", "batch", "depth"]
    named = [c for c in unused if not frame.duplicated([*keys, c]).any()]
    assert named == ["kernel", "depth"]
    with pytest.raises(bc.InputError, match=r"columns 'kernel', 'depth' would tell them apart"):
        Pairing(frame)


@pytest.mark.parametrize("dataset", ["iris", "wine", "digits"])
def test_a_row_a_fold_is_of_that_data_set(pairing, dataset):
    frame = pairing.frame.iloc[pairing.one_a_fold(dataset)]
    assert set(frame["dataset"]) == {dataset}
    wanted = pairing.frame[pairing.frame["dataset"] == dataset][["repeat", "fold"]]
    wanted = wanted.drop_duplicates()
    assert len(frame) == len(wanted)
    assert set(frame[["repeat", "fold"]].itertuples(index=False, name=None)) == set(
        wanted.itertuples(index=False, name=None)
    )
