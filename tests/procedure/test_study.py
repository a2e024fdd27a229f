"""What the procedure reads: tables by threshold, metrics, costs."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.errors import InputError
from bayescmp.procedure.study import as_study, listed
from tests.procedure.cases import counts_of, declared, many, scores_of

NOTHING = {"metrics": None, "algorithms": None, "datasets": None, "costs": None, "rho": None}


def counts(seed=0, L=2):
    x = counts_of(np.random.default_rng(seed).uniform(1, 9, size=(L, 5, 2)))
    return scores_of(x, ["tp", "fn", "fp", "tn"]), x


def test_thresholds_are_sorted_with_their_tables():
    tables = {t: counts(i)[0] for i, t in enumerate((0.9, 0.1, 0.5))}
    study = as_study(tables, **NOTHING)
    assert study.thresholds == (0.1, 0.5, 0.9)
    assert study.risk.shape == (3, 1, 2)
    for at, seed in ((0, 1), (1, 2), (2, 0)):
        x = counts(seed)[1].mean(axis=1)
        theta = study.thresholds[at]
        expected = 2 * theta * x[:, 2] + 2 * (1 - theta) * x[:, 1]
        assert study.risk[at, 0] == pytest.approx(expected)
    assert study.costs is None


def test_the_costs_of_a_threshold_make_it_the_best_choice():
    """Calling positive above θ has the least risk: an item of probability p costs the less so."""
    study = as_study({t: counts()[0] for t in (0.2, 0.7)}, **NOTHING)
    fp, fn = counts()[1].mean(axis=1)[0, [2, 1]]
    for at, theta in enumerate(study.thresholds):
        cost_fp = 2 * theta
        cost_fn = 2 * (1 - theta)
        assert study.risk[at, 0, 0] == pytest.approx(cost_fp * fp + cost_fn * fn)
        for p in (theta - 0.01, theta + 0.01):
            positive, negative = cost_fp * (1 - p), cost_fn * p  # risks of either call
            assert (positive < negative) == (p > theta)


def test_costs_may_follow_the_threshold():
    options = {**NOTHING, "costs": lambda t: {"fp": t, "fn": 1}}
    study = as_study({0.25: counts()[0], 0.5: counts()[0]}, **options)
    x = counts()[1].mean(axis=1)
    assert study.risk[0, 0] == pytest.approx(0.25 * x[:, 2] + x[:, 1])
    assert study.risk[1, 0] == pytest.approx(0.5 * x[:, 2] + x[:, 1])


def test_one_threshold_in_a_mapping_is_one_threshold():
    study = as_study({0.5: counts()[0]}, **NOTHING)
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
    left, _ = counts(L=3)
    right, _ = counts(L=2)
    with pytest.raises(InputError, match=r"at threshold 0\.7: unknown algorithm 'A3'"):
        as_study({0.2: left, 0.7: right}, **NOTHING)


def test_tables_of_more_at_a_later_threshold():
    """They were left out without a word."""
    left, _ = counts(L=2)
    right, _ = counts(L=3)
    with pytest.raises(InputError, match=r"at threshold 0\.7 there are algorithms .*lacks, 'A3'"):
        as_study({0.2: left, 0.7: right}, **NOTHING)
    named = {**NOTHING, "algorithms": ["A1", "A2"]}
    assert as_study({0.2: left, 0.7: right}, **named).first.L == 2
