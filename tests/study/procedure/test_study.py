"""What the procedure reads: tables by threshold, metrics, costs."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.curves import threshold_sweep
from bayescmp.errors import InputError
from bayescmp.study.procedure import scores_at_thresholds
from bayescmp.study.procedure.study import as_study, listed
from tests.study.procedure.cases import counts_of, declared, many, scores_of


@pytest.fixture
def counts():
    """(q, L, T, n, 4) = (2, 3, 4, 6, 4), every number different."""
    return np.arange(2 * 3 * 4 * 6 * 4, dtype=float).reshape(2, 3, 4, 6, 4)


def test_every_count_finds_its_row(counts):
    at = (0.2, 0.4, 0.6, 0.8)
    tables = scores_at_thresholds(
        counts, thresholds=at, datasets=["x", "y"], algorithms=["a", "b", "c"], folds=3
    )
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


NOTHING = {"metrics": None, "algorithms": None, "datasets": None, "costs": None, "rho": None}


def counted_scores(seed=0, L=2):
    x = counts_of(np.random.default_rng(seed).uniform(1, 9, size=(L, 5, 2)))
    return scores_of(x, ["tp", "fn", "fp", "tn"]), x


def test_thresholds_are_sorted_with_their_tables():
    tables = {t: counted_scores(i)[0] for i, t in enumerate((0.9, 0.1, 0.5))}
    study = as_study(tables, **NOTHING)
    assert study.thresholds == (0.1, 0.5, 0.9)
    assert study.risk.shape == (3, 1, 2)
    for at, seed in ((0, 1), (1, 2), (2, 0)):
        x = counted_scores(seed)[1].mean(axis=1)
        theta = study.thresholds[at]
        expected = 2 * theta * x[:, 2] + 2 * (1 - theta) * x[:, 1]
        assert study.risk[at, 0] == pytest.approx(expected)
    assert study.costs is None


def test_the_costs_of_a_threshold_make_it_the_best_choice():
    """Calling positive above θ has the least risk: an item of probability p costs the less so."""
    study = as_study({t: counted_scores()[0] for t in (0.2, 0.7)}, **NOTHING)
    fp, fn = counted_scores()[1].mean(axis=1)[0, [2, 1]]
    for at, theta in enumerate(study.thresholds):
        cost_fp = 2 * theta
        cost_fn = 2 * (1 - theta)
        assert study.risk[at, 0, 0] == pytest.approx(cost_fp * fp + cost_fn * fn)
        for p in (theta - 0.01, theta + 0.01):
            positive, negative = cost_fp * (1 - p), cost_fn * p  # risks of either call
            assert (positive < negative) == (p > theta)


def test_costs_may_follow_the_threshold():
    options = {**NOTHING, "costs": lambda t: {"fp": t, "fn": 1}}
    study = as_study({0.25: counted_scores()[0], 0.5: counted_scores()[0]}, **options)
    x = counted_scores()[1].mean(axis=1)
    assert study.risk[0, 0] == pytest.approx(0.25 * x[:, 2] + x[:, 1])
    assert study.risk[1, 0] == pytest.approx(0.5 * x[:, 2] + x[:, 1])


def test_one_threshold_in_a_mapping_is_one_threshold():
    study = as_study({0.5: counted_scores()[0]}, **NOTHING)
    assert study.thresholds == ()
    assert study.costs == {"fp": 1.0, "fn": 1.0}


def test_a_single_metric_is_its_own_risk():
    frame, x = many(q=2, L=3, p=1)
    named = {**NOTHING, "metrics": "m0"}
    assert as_study(declared(frame), **named).risk[0] == pytest.approx(-x[..., 0].mean(axis=2))
    low = as_study(declared(frame, lower_is_better=["m0"]), **named)
    assert low.risk[0] == pytest.approx(x[..., 0].mean(axis=2))
    assert low.rho == pytest.approx([1 / 12, 1 / 12])


def test_names():
    assert listed("algorithms", None, ("a", "b"), 2) == ("a", "b")
    assert listed("datasets", "a", ("a", "b"), 1) == ("a",)
    with pytest.raises(InputError, match=r"algorithms has 1, \('a',\)"):
        listed("algorithms", "a", ("a", "b"), 2)


def test_tables_that_differ():
    left, _ = counted_scores(L=3)
    right, _ = counted_scores(L=2)
    with pytest.raises(InputError, match=r"at threshold 0\.7: unknown algorithm 'A3'"):
        as_study({0.2: left, 0.7: right}, **NOTHING)


def test_tables_of_more_at_a_later_threshold():
    """They were left out without a word."""
    left, _ = counted_scores(L=2)
    right, _ = counted_scores(L=3)
    with pytest.raises(InputError, match=r"at threshold 0\.7 there are algorithms .*lacks, 'A3'"):
        as_study({0.2: left, 0.7: right}, **NOTHING)
    named = {**NOTHING, "algorithms": ["A1", "A2"]}
    assert as_study({0.2: left, 0.7: right}, **named).first.L == 2
