"""Whitening: the generalised inverse, ranks free of units, what is said of dependent metrics."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayescmp.base.whitening import describe, few_folds, whiten

ABCD = ["a", "b", "c", "d"]


def residuals(seed, n=10, p=4, rank=None):
    rng = np.random.default_rng(seed)
    rank = p if rank is None else rank
    x = rng.normal(size=(n, rank)) @ rng.normal(size=(rank, p))
    return x - x.mean(axis=0)


@given(seed=st.integers(0, 10_000), rank=st.integers(1, 4))
def test_moore_penrose(seed, rank):
    """|Aᵀy|² = yᵀE⁺y in scaled metrics, for y where E varies; AᵀEA = I; nothing is outside."""
    r = residuals(seed, rank=rank)
    space = whiten(r, np.abs(r).max(axis=0))
    assert space.rank == rank
    y = r[:3]
    scaled = r / np.linalg.norm(r, axis=0)
    inverse = np.linalg.pinv(scaled.T @ scaled, rcond=1e-12)
    z = y / np.linalg.norm(r, axis=0)
    squared = (space.coordinates(y) ** 2).sum(axis=-1)
    assert squared == pytest.approx(np.einsum("ij,jk,ik->i", z, inverse, z), rel=1e-6)
    white = space.coordinates(r)
    expected = np.diag((np.arange(4) < rank).astype(float))
    assert white.T @ white == pytest.approx(expected, abs=1e-6)
    assert np.all(space.project_outside(y) == 0)


@given(seed=st.integers(0, 10_000), powers=st.lists(st.integers(-12, 12), min_size=4, max_size=4))
def test_rank_is_free_of_units(seed, powers):
    r = residuals(seed, rank=3) * 10.0 ** np.array(powers)
    assert whiten(r, np.abs(r).max(axis=0)).rank == 3


def test_what_is_outside():
    r = residuals(1, p=3)
    flat = np.column_stack([r, np.zeros(10)])
    largest = np.array([1, 1, 1, 0.5])
    space = whiten(flat, largest)
    outside = space.project_outside(np.array([[1, 2, 3, 0], [1, 2, 3, 1e-3], [1, 2, 3, 1e-14]]))
    assert (outside != 0).tolist() == [[False] * 4, [False, False, False, True], [False] * 4]
    assert outside[1, 3] == pytest.approx(2e-3)  # in units of the metric's own size


def test_rounding_is_judged_by_the_scores():
    """Differences of 1e-16 between scores near 1 are rounding; between scores near 1e-16 not."""
    noise = residuals(2, p=2) * 1e-16
    assert whiten(noise, np.ones(2)).rank == 0
    assert whiten(noise, np.abs(noise).max(axis=0)).rank == 2
    assert whiten(np.zeros((5, 2)), np.zeros(2)).constant.all()


def test_many_at_once():
    many = np.stack([residuals(seed, rank=rank) for seed, rank in ((1, 4), (2, 2), (3, 1))])
    y = many[:, :1]
    together = whiten(many, np.abs(many).max(axis=1))
    assert together.rank.tolist() == [4, 2, 1]
    for k in range(3):
        alone = whiten(many[k], np.abs(many[k]).max(axis=0))
        one, other = together.coordinates(y)[k], alone.coordinates(y[k])
        assert (one**2).sum() == pytest.approx((other**2).sum(), rel=1e-9)


def test_names_of_dependent_metrics():
    """Each of those that follow from the ones before it, in their order."""
    r = residuals(4, p=2)
    x = np.column_stack([r[:, 0], -2 * r[:, 0], r[:, 1], np.zeros(10)])
    space = whiten(x, np.ones(4))
    assert describe(x, space, ABCD) == (("d",), ("b",))
    swapped = describe(x[:, [1, 0, 3, 2]], whiten(x[:, [1, 0, 3, 2]], np.ones(4)), ABCD)
    assert swapped == (("c",), ("b",))
    full = residuals(5)
    assert describe(full, whiten(full, np.ones(4)), ABCD) == ((), ())


def test_what_to_drop():
    """The metric that the others nearly determine: d is b but for a little."""
    x = residuals(6, n=4)
    x[:, 3] = 1000 * (x[:, 1] + 1e-3 * x[:, 3])
    message = str(few_folds(x, 3, ABCD, "4 folds"))
    assert message.startswith("x must have at most 3 metrics")
    assert "Drop 1 of 'a', 'b', 'c' and 'd' (most nearly determined by the others:" in message
