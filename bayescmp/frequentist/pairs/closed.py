"""What is logically possible among all pairs: Shaffer's counts and Bergmann and Hommel's sets."""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np

from bayescmp.errors import InputError

__all__ = ["MOST_ALGORITHMS", "bergmann_hommel", "exhaustive_sets", "shaffer_counts"]

#: Bell(10) = 115 975 partitions take half a second; each further algorithm takes six times more.
MOST_ALGORITHMS = 10


@cache
def _possible_counts(n_algorithms: int) -> int:
    """Possible numbers of true hypotheses among all pairs, as the set bits of an integer.

    If j algorithms are all equal and the rest has s true hypotheses, there are C(j, 2) + s.
    """
    if n_algorithms < 2:
        return 1
    counts = 0
    for j in range(1, n_algorithms + 1):
        counts |= _possible_counts(n_algorithms - j) << (j * (j - 1) // 2)
    return counts


def shaffer_counts(n_algorithms: int) -> np.ndarray:
    """How many hypotheses can still be true when i - 1 are rejected, for i = 1..m.

    Parameters
    ----------
    n_algorithms : int
        L, with m = L(L-1)/2 pairs.

    Returns
    -------
    ndarray of shape (m,)
        The largest possible number of true hypotheses that is at most m - i + 1.

    References
    ----------
    Shaffer 1986, JASA 81, "static" procedure; García & Herrera 2008, eq. in sec. 2.1.
    """
    m = n_algorithms * (n_algorithms - 1) // 2
    for small in range(2, n_algorithms):  # fills the cache without deep recursion
        _possible_counts(small)
    bits = _possible_counts(n_algorithms)
    possible = np.array([s for s in range(m + 1) if bits >> s & 1])
    remaining = np.arange(m, 0, -1)
    return possible[np.searchsorted(possible, remaining, side="right") - 1].astype(float)


def _partitions(n_algorithms: int) -> np.ndarray:
    """All partitions of L algorithms into groups, as restricted growth strings, (Bell(L), L)."""
    labels = np.zeros((1, 1), dtype=np.int8)
    for _ in range(1, n_algorithms):
        choices = labels.max(axis=1).astype(int) + 2  # any group there is, or a new one
        rows = np.repeat(labels, choices, axis=0)
        ends = np.cumsum(choices)
        group = np.arange(ends[-1]) - np.repeat(ends - choices, choices)
        labels = np.column_stack([rows, group.astype(np.int8)])
    return labels


@lru_cache(maxsize=4)
def exhaustive_sets(n_algorithms: int) -> np.ndarray:
    """Sets of pair hypotheses that can be exactly the true ones.

    Equality is an equivalence, so that the true hypotheses are the pairs within the groups of
    some partition of the algorithms: one set a partition (the one with no true hypothesis is
    left out). The published recursion (García & Herrera 2008, figure 1) lists the same sets.

    Parameters
    ----------
    n_algorithms : int

    Returns
    -------
    ndarray of bool, shape (Bell(L) - 1, L(L-1)/2)
        Pairs in the order (1,2), (1,3), ..., (L-1,L).
    """
    labels = _partitions(n_algorithms)
    first, second = np.triu_indices(n_algorithms, k=1)
    sets = labels[:, first] == labels[:, second]
    sets = sets[sets.any(axis=1)]
    sets.flags.writeable = False  # it is cached
    return sets


def bergmann_hommel(p: np.ndarray, n_algorithms: int) -> np.ndarray:
    """Bergmann and Hommel's adjusted p-values, exactly (before they are made monotone).

    adjusted_i = max{ |I|·min_{j∈I} p_j : I exhaustive, i ∈ I } (Wright 1992).

    Parameters
    ----------
    p : ndarray of shape (L(L-1)/2,)
    n_algorithms : int
        At most `MOST_ALGORITHMS`.

    Returns
    -------
    ndarray of shape (L(L-1)/2,)

    Raises
    ------
    InputError
        For more algorithms.

    References
    ----------
    Bergmann & Hommel 1988; Wright 1992, Biometrics 48; García & Herrera 2008, sec. 2.2.
    """
    if n_algorithms > MOST_ALGORITHMS:
        raise InputError(
            f"bergmann-hommel for {n_algorithms} algorithms: "
            "the exhaustive sets grow like the Bell numbers and are computed for at most "
            f"{MOST_ALGORITHMS}. Use 'shaffer', which is "
            "nearly as powerful, or compare against a control"
        )
    sets = exhaustive_sets(n_algorithms)
    size = sets.sum(axis=1)
    smallest = np.full(len(sets), np.inf)
    for pair, value in enumerate(p):
        np.minimum(smallest, value, out=smallest, where=sets[:, pair])
    bound = size * smallest
    return np.array([bound.max(where=sets[:, pair], initial=0.0) for pair in range(len(p))])
