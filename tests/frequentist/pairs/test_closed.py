"""Exhaustive sets and Shaffer's counts: by trying all, by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from bayescmp.frequentist import adjust
from bayescmp.frequentist.pairs.closed import exhaustive_sets, shaffer_counts


def closed_subsets(k):
    """Sets of pairs that are all the equalities of some k values, by trying every subset."""
    pairs = list(itertools.combinations(range(k), 2))
    actual = set()
    for bits in itertools.product([False, True], repeat=len(pairs)):
        equal = {p for p, b in zip(pairs, bits, strict=True) if b}
        near = lambda a, b: a == b or (min(a, b), max(a, b)) in equal  # noqa: B023, E731
        transitive = all(
            near(a, c) for a, b, c in itertools.permutations(range(k), 3) if near(a, b)
            and near(b, c)
        )  # fmt: skip
        if transitive and equal:
            actual.add(bits)
    return actual


@pytest.mark.parametrize("k", [2, 3, 4])
def test_exhaustive_sets_by_trying_all(k):
    assert {tuple(row) for row in exhaustive_sets(k).tolist()} == closed_subsets(k)


@pytest.mark.parametrize(("k", "bell"), [(3, 5), (4, 15), (5, 52), (6, 203), (9, 21147)])
def test_as_many_exhaustive_sets_as_partitions(k, bell):
    """Bell's numbers (OEIS A000110), less the partition without equalities."""
    assert exhaustive_sets(k).shape == (bell - 1, k * (k - 1) // 2)


@pytest.mark.parametrize(
    ("k", "possible"),
    [(3, {0, 1, 3}), (4, {0, 1, 2, 3, 6}), (5, {0, 1, 2, 3, 4, 6, 10}),
     (6, {0, 1, 2, 3, 4, 6, 7, 10, 15})],
)  # fmt: skip
def test_shaffers_counts_by_hand(k, possible):
    """Sums of C(g, 2) over the groups g of each partition of k, by hand."""
    m = k * (k - 1) // 2
    expected = [max(s for s in possible if s <= m - i + 1) for i in range(1, m + 1)]
    assert shaffer_counts(k).tolist() == expected


def test_shaffers_counts_of_many_are_those_of_the_partitions():
    sizes = set(exhaustive_sets(8).sum(axis=1).tolist()) | {0}
    expected = [max(s for s in sizes if s <= 28 - i) for i in range(28)]
    assert shaffer_counts(8).tolist() == expected
    assert shaffer_counts(60)[0] == 60 * 59 / 2


def test_bergmann_hommel_by_the_definition():
    """Every exhaustive set that holds the pair; then no larger p with a smaller adjusted one."""
    rng = np.random.default_rng(2)
    for _ in range(50):
        p = rng.uniform(size=6) ** 2
        actual = np.array(
            [
                max(
                    sum(s) * min(p[j] for j in range(6) if s[j]) for s in closed_subsets(4) if s[i]
                )
                for i in range(6)
            ]
        )
        expected = [min(1.0, max(actual[p <= p[i]])) for i in range(6)]
        assert adjust(p, "bergmann-hommel") == pytest.approx(expected, rel=1e-13)
