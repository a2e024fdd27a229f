"""Maximal cliques by trying every subset, and how they are written."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bayescmp.cliques import bracketed, maximal_cliques, underlined


def all_cliques(alike):
    """Maximal cliques by trying every subset."""
    size = len(alike)
    cliques = [
        set(c)
        for r in range(2, size + 1)
        for c in itertools.combinations(range(size), r)
        if all(alike[i, j] for i, j in itertools.combinations(c, 2))
    ]
    return sorted(tuple(sorted(c)) for c in cliques if not any(c < d for d in cliques))


@settings(max_examples=80)
@given(size=st.integers(2, 7), seed=st.integers(0, 10**6), share=st.floats(0, 1))
def test_cliques_by_trying_every_subset(size, seed, share):
    alike = np.triu(np.random.default_rng(seed).uniform(size=(size, size)) < share, 1)
    alike |= alike.T
    assert list(maximal_cliques(alike)) == all_cliques(alike)


def test_underlines():
    text = underlined(["aa", "b", "cccc"], ["1.0", "2.0", "3.0"], [(0, 1), (1, 2)])
    assert text.split("\n") == ["aa   b    cccc", "1.0  2.0  3.0", "────────", "     ─────────"]


def test_lines_stand_beside_names_that_do_not_fit_a_row():
    names = [f"RandomForestClassifier(n_estimators={i}00)" for i in (1, 2, 3)]
    lines = underlined(names, ["1.0", "2.0", "3.0"], [(0, 2), (1, 2)]).splitlines()
    assert lines == [f"{names[0]}  1.0  │", f"{names[1]}  2.0    │", f"{names[2]}  3.0  │ │"]


def test_brackets():
    assert bracketed(["a", "b", "c", "d"], [(1, 3), (0, 2)]) == "{(a, c), (b, d)}"
    assert bracketed(["a", "b"], []) == "{a, b}"
