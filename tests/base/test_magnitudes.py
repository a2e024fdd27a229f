"""Rows are put into one order, whatever order they come in and whatever rounding left of ties."""

import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayescmp as bc
from bayescmp import bayesian as b
from bayescmp import frequentist as f
from bayescmp.base.magnitudes import (
    check_size,
    places_by,
    smallest_step,
    smallest_steps,
    span,
    step_seen,
    steps_of_runs,
    underflow_is_zero,
)
from tests.rows import each_row

rng = np.random.default_rng(1)
X, Z = rng.normal(0.01, 0.02, (5, 10)), rng.normal(0.01, 0.02, 12)
TABLE = pd.DataFrame(
    [
        {"dataset": d, "algorithm": a, "fold": k, "accuracy": rng.uniform(0.7, 0.9)}
        for d in "abc"
        for a in ("p", "q")
        for k in range(10)
    ]
)


def hierarchical(**options):
    return b.hierarchical_t(X, **{"rho": 0.1, "rope": 0.01, "engine": "quadrature", **options})


def robust(**options):
    return b.robust_t(X[0], rho=0.1, rope=0.01, **options)


def compared(**options):
    return bc.compare(TABLE, "p", "q", **{"rope": 0.01, "engine": "quadrature", **options})


WRONG = [
    *(("engine", lambda v: hierarchical(engine=v), v) for v in (3, "")),
    *(
        ("names", lambda v: hierarchical(names=v), v)
        for v in ("ab", {"a": 1, "b": 2}, [None, "a"])
    ),
    *(("resolution", lambda v: robust(resolution=v), v) for v in ("x", np.inf)),
    *(("span", lambda v: bc.Differences(X, rho=0.1, span=v), v) for v in (0, [1, 2], 1j)),
    ("prior", lambda v: hierarchical(prior=v), "corani2017"),
    *(("prior", lambda v: b.signed_rank(Z, rope=0.01, prior=v), v) for v in ([1], 1e300)),
    ("draws", lambda v: b.signed_rank(Z, rope=0.01, draws=v), 10**9),
    ("draws", lambda v: b.sign(Z, rope=0.01, draws=v), 10**9),
    ("chains", lambda v: robust(chains=v), 10**9),
    ("draws", lambda v: robust(draws=v), 10**9),
    ("warmup", lambda v: robust(warmup=v), 10**9),
    *(("metric", lambda v: compared(metric=v), v) for v in ({}, [3])),
    ("rope", lambda v: compared(rope=v), 1j),
]


@each_row(("argument", "call", "value"), WRONG)
def test_wrong_types_are_one_line_that_names_the_argument(argument, call, value):
    with pytest.raises(bc.InputError, match=argument) as caught:
        call(value)
    assert "\n" not in str(caught.value)


CALLS = {
    "correlated": lambda: b.correlated_t(X[0], rho=0.1, rope=0.01),
    "hierarchical": hierarchical,
    "signed rank": lambda: b.signed_rank(Z, rope=0.01, seed=1),
    "groups": lambda: b.groups(np.abs(X), rho=0.1, rope=0.01),
    "multivariate": lambda: b.multivariate_t(X.T[:, :2], rho=0.1, rope=0.01),
    "all pairs": lambda: bc.compare_all(TABLE, "accuracy", 0.01, engine="quadrature"),
    "tukey": lambda: f.tukey(np.abs(X)),
    "corrected": lambda: f.corrected_t(X[0], rho=0.1),
}


@each_row("name", CALLS)
def test_numpys_error_state_does_not_matter(name):
    expected = str(CALLS[name]().__class__)
    with np.errstate(all="raise"):
        result = CALLS[name]()
        assert str(result)
        for part in ("summary", "by_dataset"):
            if hasattr(result, part):
                getattr(result, part)()
    assert str(result.__class__) == expected


def test_sizes_and_spans():
    check_size(np.zeros(3), "x")
    check_size(np.array([0, 1e-300, 1.0]), "x")
    check_size(np.array([np.nan, 1.0]), "x")
    for size in (1e-71, 1e71):
        with pytest.raises(bc.InputError, match=r"x must be 1e-70 to"):
            check_size(np.array([np.nan, 0, -size]), "x")
    assert span(None) is None
    assert span(np.float64(2)) == 2


def test_only_underflow_is_forgiven():
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        underflow_is_zero(np.exp)(1e4)


@each_row("name", [5, 3.5, pd.Timestamp("2020")])
def test_a_column_that_is_no_text_is_read_by_its_text(name):
    frame = TABLE.rename(columns={"accuracy": name})
    scores = bc.Scores(frame, higher_is_better=[str(name)])
    posterior = bc.compare(scores, "p", "q", rope=0.01, engine="quadrature")
    assert posterior.metric == str(name)


@each_row(
    "columns",
    [
        [0, 1, 2, 3],
        [b"dataset", "algorithm", "fold", "accuracy"],
        [("dataset", 1), "algorithm", "fold", "accuracy"],
    ],
)
def test_columns_that_name_nothing_are_one_line(columns):
    frame = TABLE.set_axis(pd.Index(columns, dtype=object), axis=1)
    with pytest.raises(bc.InputError, match=r"dataset|column") as caught:
        bc.Scores(frame)
    assert "\n" not in str(caught.value)


# Limits.

#: Whole numbers that are no counts of what is computed: places, sizes of the data, digits.
NO_COUNTS = {
    "first",
    "second",
    "repeat",
    "fold",
    "which",
    "control",
    "k",
    "ddof",
    "digits",
    "in_full",
    "runs",
    "algorithms",
    "n_datasets",
    "n_algorithms",
    "L",
    "q",
    "wins",
    "losses",
    "ties",
    "errors",
    "threads",
}
REFUSED = """
import matplotlib; matplotlib.use("agg")
import numpy as np, bayescmp as bc
from bayescmp import bayesian as b, curves, frequentist as f, plots
x = np.random.default_rng(1).normal(0.01, 0.02, (8, 6))
S, R, Z = 0.8 + x, {"sac": np.abs(x)}, x[0]
P = dict(rope=0.01, rho=0.1)
N = 10**12
robust = lambda **o: b.robust_t(Z, **P, **o)
plan = lambda **o: bc.plan(delta0=0.02, sigma0=0.01, **P, **o)
later = lambda **o: b.hierarchical_t(x, engine="quadrature", **P).plan(**o)
calibrate = lambda **o: bc.calibrate(**P, **o)
items = lambda **o: bc.plan_items(difference=0.02, between=0.2, rope=0.01, **o)
answered = b.paired_proportions([[30, 12], [5, 20]], rope=0.01)
CALLS = {
    "draws": [
        lambda: b.bootstrap(S, draws=N, **P), lambda: b.friedman(S, rho=0.1, draws=N),
        lambda: b.sign(Z, rope=0.01, draws=N), lambda: b.signed_rank(Z, rope=0.01, draws=N),
        lambda: b.confusion([30, 5, 8, 20], [31, 4, 7, 21], rope=0.01, draws=N),
        lambda: b.aggregate_runs(R, draws=N), lambda: b.performance_profiles(R, [0.1], draws=N),
        lambda: b.probability_of_improvement(x, x, draws=N), lambda: robust(draws=N),
        lambda: b.multivariate_t(x[:, :2], **P).direction(draws=N),
    ],
    "chains": [lambda: robust(chains=N)],
    "warmup": [lambda: robust(warmup=N)],
    "resamples": [
        lambda: f.friedman(S, resamples=N), lambda: f.quade(S, method="permutation", resamples=N),
        lambda: f.iman_davenport(S, method="permutation", resamples=N),
        lambda: f.friedman_aligned_ranks(S, method="permutation", resamples=N),
        lambda: f.multiple_sign(S, control=0, resamples=N),
        lambda: f.aggregate_runs(R, resamples=N),
        lambda: f.performance_profiles(R, [0.1], resamples=N),
        lambda: f.probability_of_improvement(x, x, resamples=N),
    ],
    "n": [
        lambda: f.paired_permutation(Z, n=N), lambda: f.two_sample_permutation(Z, Z, n=N),
        lambda: f.permutation_test(None, S, [0, 1] * 4, n=N),
    ],
    "simulations": [
        lambda: f.mardia(x[:, :2], simulations=N), lambda: plan(simulations=N),
        lambda: calibrate(simulations=N), lambda: later(simulations=N),
    ],
    "datasets": [
        lambda: plan(datasets=[N]), lambda: calibrate(datasets=[N]), lambda: later(datasets=[N]),
    ],
    "more_folds": [lambda: later(more_folds=N)],
    "folds": [
        lambda: plan(folds=N), lambda: calibrate(folds=N), lambda: bc.Resampling.k_fold(N),
    ],
    "repeats": [
        lambda: f.permutation_test(None, S, [0, 1] * 4, repeats=N),
        lambda: bc.Resampling.k_fold(5, repeats=N),
    ],
    "points": [lambda: b.multivariate_t(x[:, :2], **P).verdict(points=N)],
    "grid": [lambda: curves.roc_curves([[0, 1]], [[0.1, 0.9]]).average(grid=N)],
    "bins": [lambda: plots.plot_histogram(b.sign(Z, rope=0), bins=N)],
    "cells": [lambda: plots.plot_simplex(b.sign(Z, rope=0.01), cells=N)],
    "dpi": [lambda: plots.save(plots.plot_density(b.correlated_t(Z, **P)), "none.png", dpi=N)],
    "n_pos": [lambda: curves.auc_interval(0.8, N, 20)],
    "n_neg": [lambda: curves.auc_interval(0.8, 20, N)],
    "n_jobs": [lambda: plan(n_jobs=N)],
    "questions": [lambda: items(questions=[N]), lambda: answered.plan(questions=[N])],
    "epochs": [lambda: items(epochs=[N]), lambda: answered.plan(epochs=[N], within=0.1)],
    "seen_epochs": [lambda: answered.plan(seen_epochs=N)],
    "most": [lambda: b.correlated_t(Z, **P).fragility(most=N)],
}
for name, calls in CALLS.items():
    for call in calls:
        try:
            call()
        except bc.InputError as error:
            print(f"{name}|{error}")
        else:
            print(f"{name}|accepted")
"""


def test_every_count_has_a_limit():
    """In a process of its own: what is not refused takes forever, or all of the memory."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", REFUSED],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    lines = [line.split("|") for line in done.stdout.splitlines()]
    assert len(lines) >= 22
    for name, message in lines:
        accepted = r"a whole number from \d+ to [\d,]+|a number of processes, .*, at most 1,000"
        assert re.fullmatch(rf"{name} must be ({accepted}) \(got 1000000000000\)\.", message)


def test_what_is_held_for_each_data_set_lowers_the_limit():
    means = np.random.default_rng(1).normal(0.8, 0.05, (1000, 3))
    with pytest.raises(bc.InputError, match=r"draws must be a whole number from 8 to 200,000 "):
        b.bootstrap(means, rope=0.01, draws=10**6)


@each_row("nu", [0.01, "5", True])
def test_degrees_of_freedom_no_grid_can_hold(nu):
    with pytest.raises(bc.InputError, match=r"nu must be a number of at least 0.5"):
        bc.plan(delta0=0.02, sigma0=0.01, rope=0.01, rho=0.1, nu=nu)
    with pytest.raises(bc.InputError, match=r"nu must be a number of at least 0.5"):
        bc.calibrate(rope=0.01, rho=0.1, nu=nu)


def test_data_sets_too_far_apart_for_a_grid():
    far = X + 1e38 * np.array([[0], [0], [1], [0], [0]])
    refused = pytest.raises(
        bc.InputError, match=r"x must have data sets that lie closer .* 100,000\)\."
    )
    with np.errstate(all="ignore"), refused:
        b.hierarchical_t(far, rho=0.1, rope=0.01, engine="quadrature")


def test_smallest_step_ignores_rounding_noise():
    assert smallest_step(np.array([0.1 + 0.2, 0.3, 0.35])) == pytest.approx(0.05)
    assert np.isnan(smallest_step(np.array([0.5, 0.5])))


def test_smallest_steps_of_many_rows_are_those_of_each():
    rng = np.random.default_rng(4)
    group = np.r_[np.repeat([2, 0, 3, 1], [7, 5, 6, 4]), [4, 4]]
    scores = np.r_[rng.integers(0, 40, 22) / 40, 0.3, 0.1 + 0.2]  # the last two differ by rounding
    expected = [smallest_step(scores[group == g]) for g in range(5)]
    assert np.isnan(expected[4])
    assert np.array_equal(smallest_steps(scores, group), expected, equal_nan=True)


def test_a_step_from_zero_counts_among_differences():
    assert step_seen([np.array([0.02, 0.02]), np.array([0.0, 0.06])]) == pytest.approx(0.02)
    assert np.isnan(step_seen([np.zeros(3)]))


@each_row("sizes", [[7, 7, 7], [7, 4, 1]])
def test_groups_of_one_size_and_of_several(sizes):
    rng = np.random.default_rng(1)
    group = np.repeat(np.arange(3), sizes)[(order := rng.permutation(sum(sizes)))]
    scores = (rng.integers(0, 50, sum(sizes)) / 100)[order]
    expected = [smallest_step(scores[group == g]) for g in range(3)]
    np.testing.assert_array_equal(smallest_steps(scores, group), expected)


@each_row("sizes", [[7, 7, 7], [7, 4, 1], [1, 1, 1]])
def test_steps_of_two_algorithms_are_those_of_their_scores_together(sizes):
    rng = np.random.default_rng(2)
    starts = np.cumsum([0, *sizes[:-1]])
    scores = rng.integers(-50, 50, (2, sum(sizes))) / 100
    scores[:, 0], scores[:, starts[-1] :] = (0.3, 0.1 + 0.2), 0.25  # rounding; all equal
    parts = np.split(scores, starts[1:], axis=1)
    expected = [smallest_step(part.ravel()) for part in parts]
    assert np.isnan(expected[-1])
    np.testing.assert_array_equal(steps_of_runs(scores, starts), expected)


@given(st.integers(0, 10**6), st.sampled_from([1e-6, 1.0, 1e6]))
def test_the_order_is_that_of_the_keys_and_of_no_table(seed, unit):
    rng = np.random.default_rng(seed)
    keys = rng.integers(0, 3, (2, 6)) * 0.1 * unit
    noisy = keys * (1 + rng.uniform(-1e-15, 1e-15, keys.shape))
    moved = rng.permutation(6)
    one, other = keys[:, places_by(*keys)], noisy[:, moved]
    other = other[:, places_by(*other)]
    assert other == pytest.approx(one, rel=1e-12)
    assert (np.diff(one[0]) >= 0).all()


def test_keys_of_zeros_keep_the_order():
    assert places_by([0.0, 0.0, 0.0]).tolist() == [0, 1, 2]
