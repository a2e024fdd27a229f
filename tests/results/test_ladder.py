"""The ladder says of every pair what its verdict says, in as few arrows as it can."""

from __future__ import annotations

import itertools
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayescmp as bc
from bayescmp.present.groups import bracket_groups, underline_groups
from bayescmp.results.ladder import Ladder, maximal_cliques
from bayescmp.results.regions import THREE
from bayescmp.results.verdict import Verdict


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
    text = underline_groups(["aa", "b", "cccc"], ["1.0", "2.0", "3.0"], [(0, 1), (1, 2)])
    assert text.split("\n") == ["aa   b    cccc", "1.0  2.0  3.0", "────────", "     ─────────"]


def test_lines_stand_beside_names_that_do_not_fit_a_row():
    names = [f"RandomForestClassifier(n_estimators={i}00)" for i in (1, 2, 3)]
    lines = underline_groups(names, ["1.0", "2.0", "3.0"], [(0, 2), (1, 2)]).splitlines()
    assert lines == [f"{names[0]}  1.0  │", f"{names[1]}  2.0    │", f"{names[2]}  3.0  │ │"]


def test_brackets():
    assert bracket_groups(["a", "b", "c", "d"], [(1, 3), (0, 2)]) == "{(a, c), (b, d)}"
    assert bracket_groups(["a", "b"], []) == "{a, b}"


DECIDED = {
    "first": (0.98, 0.01, 0.01),
    "equivalent": (0.01, 0.98, 0.01),
    "second": (0.01, 0.01, 0.98),
    "undecided": (0.4, 0.3, 0.3),
}


def ladder_of(decisions: dict[tuple[int, int], str], size: int) -> Ladder:
    names = [f"a{i}" for i in range(size)]

    def verdict(first: str, second: str) -> Verdict:
        p = DECIDED[decisions[names.index(first), names.index(second)]]
        rope = bc.Rope(-0.01, 0.01)
        return Verdict.of(THREE, p, (0, 0, 0), names=(first, second), rope=rope, exact=True)

    return Ladder.from_verdicts(names, verdict)


@st.composite
def tables(draw):
    size = draw(st.integers(2, 8))
    pairs = list(combinations(range(size), 2))
    chosen = draw(
        st.lists(st.sampled_from(sorted(DECIDED)), min_size=len(pairs), max_size=len(pairs))
    )
    return size, dict(zip(pairs, chosen, strict=True))


@given(tables())
@settings(max_examples=150)
def test_arrows_say_exactly_what_is_decided(table):
    size, decisions = table
    ladder = ladder_of(decisions, size)
    wins = {(i, j) for (i, j), d in decisions.items() if d == "first"}
    wins |= {(j, i) for (i, j), d in decisions.items() if d == "second"}
    by_steps = {(a, b) for i, j in ladder.steps for a in range(i + 1) for b in range(j, size)}
    assert by_steps | set(ladder.single) == wins
    assert not by_steps & set(ladder.single)
    alike = {pair for pair, d in decisions.items() if d == "equivalent"}
    in_sets = {pair for members in ladder.equivalent for pair in combinations(members, 2)}
    assert in_sets == alike
    assert ladder.decided == len(wins) + len(alike)
    assert ladder.pairs == size * (size - 1) // 2


@given(tables())
@settings(max_examples=60)
def test_no_step_is_part_of_another(table):
    size, decisions = table
    steps = ladder_of(decisions, size).steps
    for (i, j), (k, m) in combinations(steps, 2):
        assert i < k
        assert j < m


def test_a_staircase_by_hand():
    # a0 beats a2 and a3, a1 beats a3 only, the rest is open.
    decisions = dict.fromkeys(combinations(range(4), 2), "undecided")
    decisions |= {(0, 2): "first", (0, 3): "first", (1, 3): "first"}
    ladder = ladder_of(decisions, 4)
    assert ladder.steps == ((0, 2), (1, 3))
    assert ladder.single == ()
    assert [r.relation for r in ladder.rungs] == ["undecided"] * 3
    assert ladder.rungs[0].label == "a0 better"
    assert ladder.rungs[0].probability == 0.4


def test_one_algorithm_has_no_ladder():
    with pytest.raises(bc.InputError, match="names must be at least two algorithms for a"):
        Ladder.from_verdicts(["knn"], lambda a, b: None)


def test_pairs_that_failed_are_neither_better_nor_equivalent():
    ladder = Ladder.from_verdicts(["a", "b"], lambda a, b: None)
    assert ladder.rungs[0].relation == "failed"
    assert (ladder.steps, ladder.single, ladder.equivalent, ladder.decided) == ((), (), (), 0)


def test_comparisons_and_groups_have_one():
    rng = np.random.default_rng(1)
    x = rng.normal([[0.80], [0.801], [0.87]], 0.01, (3, 20))
    means = pd.DataFrame(x.T, columns=["knn", "gbm", "svm"])
    pairs = bc.compare_all(
        bc.Scores.from_means(means, metric="accuracy"), rope=0.02, seed=1, progress=False
    )
    posterior = bc.bayesian.groups(x, rho=0.1, rope=0.02, names=["knn", "gbm", "svm"], seed=1)
    for ladder in (pairs.ladder(), posterior.ladder()):
        assert ladder.names[0] == "svm"
        assert ladder.steps == ((0, 1),)
        assert ladder.equivalent == ((1, 2),)
    assert pairs.ladder().joint == ()
    assert posterior.ladder().joint == tuple(posterior.cliques()["joint"])


def test_equivalence_of_pairs_makes_no_class_of_equals():
    """Gaps of 0.007, a rope of 0.01: neighbours are equal, and yet the last beats the first."""
    noise = np.random.default_rng(1).normal(0, 0.0005, (3, 10))
    scores = 0.8 + 0.007 * np.arange(3)[:, None] + noise
    ladder = bc.bayesian.groups(scores, rho=0.1, rope=0.01, seed=1).ladder()
    assert ladder.names == ("A3", "A2", "A1")
    assert [rung.relation for rung in ladder.rungs] == ["equivalent", "equivalent"]
    assert (ladder.steps, ladder.single) == (((0, 2),), ())
    assert ladder.equivalent == ((0, 1), (1, 2))
