"""Counts at many thresholds as tables of scores."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.curves import threshold_sweep
from bayescmp.errors import InputError
from bayescmp.procedure import scores_at_thresholds


@pytest.fixture
def counts():
    """(q, L, T, n, 4) = (2, 3, 4, 6, 4), every number different."""
    return np.arange(2 * 3 * 4 * 6 * 4, dtype=float).reshape(2, 3, 4, 6, 4)


def test_every_count_finds_its_row(counts):
    at = (0.2, 0.4, 0.6, 0.8)
    tables = scores_at_thresholds(counts, thresholds=at, datasets=["x", "y"],
                                  algorithms=["a", "b", "c"], folds=3)  # fmt: skip
    assert tuple(tables) == at
    for t, (threshold, scores) in enumerate(tables.items()):
        assert threshold == at[t]
        frame = scores.frame
        assert len(frame) == 2 * 3 * 6
        for row in frame.itertuples():
            d, a = "xy".index(row.dataset), "abc".index(row.algorithm)
            fold = (row.repeat - 1) * 3 + row.fold - 1
            assert [row.tp, row.fn, row.fp, row.tn] == list(counts[d, a, t, fold])


def test_names_and_folds_that_are_not_given(counts):
    scores = scores_at_thresholds(counts, thresholds=[0, 0.1, 0.2, 1])[0.0]
    assert scores.datasets == ("D1", "D2")
    assert scores.algorithms == ("A1", "A2", "A3")
    assert sorted(set(scores.frame["fold"])) == [1, 2, 3, 4, 5, 6]
    assert set(scores.frame["repeat"]) == {1}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"thresholds": [0.1, 0.2]}, r"thresholds holds \[0\.1, 0\.2\]; accepted: 4"),
        ({"thresholds": [0.1, 0.1, 0.2, 0.3]}, "all different"),
        ({"datasets": ["x"]}, "datasets holds"),
        ({"algorithms": ["a", "b", "b"]}, "algorithms holds"),
        ({"folds": 4}, "folds=4; accepted: a number that divides the 6 folds"),
    ],
)
def test_bad_labels(counts, options, message):
    with pytest.raises(InputError, match=message):
        scores_at_thresholds(counts, **{"thresholds": [0.1, 0.2, 0.3, 0.4], **options})


def test_bad_counts(counts):
    with pytest.raises(InputError, match=r"shape \(2, 3, 4, 6\)"):
        scores_at_thresholds(counts[..., 0], thresholds=[0.1, 0.2, 0.3, 0.4])
    counts[0, 0, 0, 0, 0] = np.nan
    with pytest.raises(InputError, match="negative or missing"):
        scores_at_thresholds(counts, thresholds=[0.1, 0.2, 0.3, 0.4])


def test_sweeps_of_the_curves():
    """Counts at each threshold beside counting by hand; data sets differ in their folds."""
    rng = np.random.default_rng(6)
    items = {
        d: (rng.integers(0, 2, (n, 40)), {a: rng.random((n, 40)) for a in ("knn", "svm")})
        for d, n in (("x", 4), ("y", 6))
    }
    sweeps = {d: {a: threshold_sweep(y, p) for a, p in by.items()} for d, (y, by) in items.items()}
    tables = scores_at_thresholds(sweeps, folds=2)
    assert list(tables) == pytest.approx(np.linspace(0, 1, 21))
    for t in (0.0, 0.35, 1.0):
        scores = tables[t]
        assert scores.datasets == ("x", "y")
        for row in scores.frame.itertuples():
            fold = (row.repeat - 1) * 2 + row.fold - 1
            y, p = items[row.dataset][0][fold], items[row.dataset][1][row.algorithm][fold]
            assert row.tp == np.sum((p > t) & (y == 1))
            assert row.fp == np.sum((p > t) & (y == 0))
            assert row.fn == np.sum((p <= t) & (y == 1))
            assert row.tn == np.sum((p <= t) & (y == 0))


def test_bad_sweeps():
    y, p = np.array([0, 1, 0, 1]), np.array([0.1, 0.2, 0.3, 0.4])
    one, other = threshold_sweep(y, p), threshold_sweep(y, p, thresholds=[0.5])
    with pytest.raises(InputError, match="sweep of 'b' on 'x' is over other thresholds"):
        scores_at_thresholds({"x": {"a": one, "b": other}})
    with pytest.raises(InputError, match="counts has ThresholdSweep for 'x'"):
        scores_at_thresholds({"x": one})
    with pytest.raises(InputError, match="counts has list for 'a' on 'x'"):
        scores_at_thresholds({"x": {"a": [1, 2]}})
    with pytest.raises(InputError, match="counts is empty"):
        scores_at_thresholds({})
    with pytest.raises(InputError, match="thresholds is missing"):
        scores_at_thresholds(np.ones((1, 2, 1, 3, 4)))
