"""The subspace in which errors vary: root, rank, kept metrics and the map back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian.multivariate.subspace import Steps, Subspace
from bayescmp.verdict import as_ropes

NAMES = ("a", "b", "c", "d")


def subspace(x, declared=np.nan, rope=0.2, **options):
    p = x.shape[1]
    declared = np.array(np.broadcast_to(declared, p), dtype=float)
    steps = Steps.of(declared, np.full(p, np.nan), as_ropes(rope, NAMES[:p]))
    return Subspace.of(
        x - x.mean(axis=0), np.abs(x).max(axis=0), NAMES[:p], steps,
        **{"freedom": len(x) - 1, "have": f"{len(x)} folds", **options},
    )  # fmt: skip


def dependent(seed, n=12):
    """Four metrics of which the second is twice the first, and the last does not vary."""
    x = np.random.default_rng(seed).normal(size=(n, 2))
    return np.c_[x[:, 0], 2 * x[:, 0], x[:, 1], np.full(n, 0.3)]


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.lists(st.integers(-8, 8), min_size=4, max_size=4))
def test_root_and_map_back_in_any_units(seed, powers):
    units = 10.0 ** np.array(powers)
    x = dependent(seed) * units
    result = subspace(x)
    e = x - x.mean(axis=0)
    scatter = e.T @ e / np.outer(units, units)
    root = result.root(len(x))[:, :2] / units[:, None]
    np.testing.assert_allclose(root @ root.T, scatter, atol=1e-9)
    white = result.residuals @ result.whitener
    np.testing.assert_allclose(white.T @ white, np.eye(2), atol=1e-9)
    np.testing.assert_allclose(white @ root.T, result.residuals / units, atol=1e-9)
    assert (result.constant, result.dependent, result.kept) == (("d",), ("b",), [0, 2])
    assert (result.rank, result.df) == (3, 12 - 3)
    mapped = e[:, result.kept] @ result.map_back
    np.testing.assert_allclose(mapped / units, e / units, atol=1e-9)


def test_a_constant_metric_scatters_as_rounding_to_its_resolution():
    result = subspace(dependent(1), [np.nan, np.nan, np.nan, 0.02])
    root = result.root(12)
    assert (result.rank, result.df, result.still.tolist()) == (3, 12 - 3, [3])
    assert (root @ root.T)[3].tolist() == pytest.approx([0, 0, 0, 12 * 0.02**2 / 12])
    draws = result.rounding_draws((200, 100), 12 * 0.3, seed=1)
    assert draws[..., :3].any() == 0
    # t with 11 degrees of freedom and scale √(0.3·12·h²/12/11)
    assert (
        stats.kstest(draws[..., 3].ravel() / np.sqrt(0.3 * 0.02**2 / 11), stats.t(11).cdf).pvalue
        > 1e-3
    )


def test_resolution_as_declared_else_as_seen_else_the_ropes_width():
    ropes = as_ropes([0.1, (-0.02, 0.03), 0.1], ("a", "b", "c"))
    steps = Steps.of(np.array([0.5, np.nan, np.nan]), np.array([0.1, np.nan, 0.2]), ropes)
    assert steps.size.tolist() == pytest.approx([0.5, 0.05, 0.2])
    assert steps.borrowed.tolist() == [False, True, False]


def test_notes_name_the_metrics_and_a_borrowed_resolution_warns():
    still = "{metric} is still"
    assert subspace(dependent(1), 0.1).notes(still) == (
        "b is a linear combination of a and c",
        "d is still: spread from its resolution, h = 0.1",
        "the posterior lies on a subspace of dimension 3 of 4 metrics; verdicts are over all of "
        "them",
    )
    two = subspace(dependent(1)[:, [0, 3]])
    assert two.notes(still) == (
        "b is still: spread from the rope's width, h = 0.4, because "
        "nothing indicates the metric's resolution; give resolution=",
    )
    with pytest.warns(bc.DiagnosticWarning, match="b is still: spread from the rope's width"):
        two.warn_if_borrowed(still)
    assert subspace(np.random.default_rng(1).normal(size=(9, 3))).notes(still) == ()


def test_more_metrics_than_degrees_of_freedom():
    with pytest.raises(bc.InputError, match=r"3 metrics and 3 folds.*Drop 1 of"):
        subspace(np.random.default_rng(1).normal(size=(3, 3)))
    # the spread of rounding needs a degree of freedom too
    x = np.c_[np.random.default_rng(1).normal(size=(3, 2)), np.zeros(3)]
    with pytest.raises(bc.InputError, match="Drop 1 of"):
        _ = subspace(x).df
