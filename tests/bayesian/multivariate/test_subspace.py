"""The subspace in which errors vary: root, rank, kept metrics and the map back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayescmp as bc
from bayescmp.bayesian.multivariate.subspace import Subspace

NAMES = ("a", "b", "c", "d")


def subspace(x, steps=np.nan, **options):
    steps = np.array(np.broadcast_to(steps, x.shape[1]), dtype=float)
    return Subspace.of(
        x - x.mean(axis=0), np.abs(x).max(axis=0), NAMES[: x.shape[1]], steps,
        **{"freedom": len(x) - 1, "have": f"{len(x)} folds", **options},
    )  # fmt: skip


def dependent(seed, n=12):
    """Four metrics of which the second is twice the first, and the last does not vary."""
    x = np.random.default_rng(seed).normal(size=(n, 2))
    return np.c_[x[:, 0], 2 * x[:, 0], x[:, 1], np.full(n, 0.3)]


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10_000), st.lists(st.integers(-8, 8), min_size=4, max_size=4))
def test_root_and_map_back_in_any_units(seed, powers):
    units = 10.0 ** np.array(powers)
    x = dependent(seed) * units
    found = subspace(x)
    e = x - x.mean(axis=0)
    scatter = e.T @ e / np.outer(units, units)
    root = found.root(len(x)) / units[:, None]
    np.testing.assert_allclose(root @ root.T, scatter, atol=1e-9)
    assert (found.constant, found.dependent, found.kept) == (("d",), ("b",), [0, 2])
    assert (found.rank, found.df) == (2, 12 - 2)
    mapped = e[:, found.kept] @ found.map_back
    np.testing.assert_allclose(mapped / units, e / units, atol=1e-9)


def test_a_constant_metric_scatters_as_rounding_to_its_resolution():
    found = subspace(dependent(1), [np.nan, np.nan, np.nan, 0.02])
    root = found.root(12)
    assert (found.rank, found.df, found.known.tolist()) == (3, 12 - 3, [3])
    assert (root @ root.T)[3].tolist() == pytest.approx([0, 0, 0, 12 * 0.02**2 / 12])


def test_notes_name_the_metrics():
    told = "{metric} is still"
    assert subspace(dependent(1)).notes(told) == (
        "b is a linear combination of a and c",
        "d is still: its resolution is not known, so all mass is on the mean difference",
        "the posterior lies on a subspace of dimension 2 of 4 metrics; verdicts are over all of "
        "them",
    )
    known = subspace(dependent(1)[:, [0, 3]], [np.nan, 0.02])
    assert known.notes(told) == ("b is still: spread from its resolution, h = 0.02",)
    assert subspace(np.random.default_rng(1).normal(size=(9, 3))).notes(told) == ()


def test_more_metrics_than_degrees_of_freedom():
    with pytest.raises(bc.InputError, match=r"3 metrics and 3 folds.*Drop 1 of"):
        subspace(np.random.default_rng(1).normal(size=(3, 3)))
    # the spread of rounding needs a degree of freedom too
    x = np.c_[np.random.default_rng(1).normal(size=(3, 2)), np.zeros(3)]
    assert subspace(x).df == 1
    with pytest.raises(bc.InputError, match="Drop 1 of"):
        _ = subspace(x, 0.1).df
