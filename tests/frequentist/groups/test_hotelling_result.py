"""Cliques, orderings and tables of pairwise Hotelling tests."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayescmp as bc
import bayescmp.frequentist as f
from bayescmp.errors import InputError


def clusters(means, seed=0, n=20):
    """Algorithms with given means of (tpr, fpr), and small independent errors."""
    rng = np.random.default_rng(seed)
    x = np.array(means)[:, None, :] + rng.normal(size=(len(means), n, 2))
    x -= x.mean(axis=1, keepdims=True) - np.array(means)[:, None, :]  # means exactly as given
    return bc.Blocks(x, algorithms=[f"a{i}" for i in range(len(means))], metrics=["tpr", "fpr"])


def test_case_of_the_paper():
    """Yıldız & Alpaydın, sec. 3.5: lda and rf alike, three others each distinct."""
    names = ("c4.5", "lda", "rf", "qda", "knn")
    means = [[0, 9], [5, 4], [5.1, 4.1], [3, 1], [9, 14]]
    x = bc.Blocks(clusters(means).x, algorithms=names, metrics=["tpr", "fpr"])
    result = f.pairwise_hotelling(x, adjust="holm")
    assert result.cliques() == (("lda", "rf"),)
    assert result.bracketed() == "{c4.5, (lda, rf), qda, knn}"
    # best first: high tpr, low fpr; the clique is underlined in both orderings
    lines = result.underline("tpr", digits=1).splitlines()
    assert lines[0].split() == ["knn", "rf", "lda", "qda", "c4.5"]
    assert lines[1].split() == ["9.0", "5.1", "5.0", "3.0", "0.0"]
    assert lines[2].index("─") == lines[0].index("rf")
    assert len(lines[2].rstrip()) == lines[0].index("lda") + 3
    lines = result.underline("fpr", digits=1).splitlines()
    assert lines[0].split() == ["qda", "lda", "rf", "c4.5", "knn"]
    assert len(lines) == 3


def test_cliques_overlap_and_lines_have_gaps():
    result = f.pairwise_hotelling(clusters([[0, 0], [0.6, 0], [1.2, 0], [0.3, 9]]))
    assert result.cliques() == (("a0", "a1"), ("a1", "a2"))
    assert result.bracketed() == "{(a0, a1), (a1, a2), a3}"
    first, _, *lines = result.underline().splitlines()
    assert first.split() == ["a2", "a1", "a3", "a0"]
    assert len(lines) == 2
    assert any("─ " in line.strip() for line in lines)  # a3 lies between a1 and a0


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000), alpha=st.sampled_from([0.01, 0.05, 0.3]))
def test_cliques_by_brute_force(seed, alpha):
    """All maximal sets without a rejected pair, by looking at every subset."""
    rng = np.random.default_rng(seed)
    result = f.pairwise_hotelling(clusters(rng.normal(size=(6, 2)), seed), adjust="none")
    differ = {frozenset(p) for p in result.pairs[result.different(alpha)].tolist()}
    fine = [
        set(s) for k in range(2, 7) for s in itertools.combinations(range(6), k)
        if not any(frozenset(p) in differ for p in itertools.combinations(s, 2))
    ]  # fmt: skip
    maximal = {frozenset(f"a{i}" for i in s) for s in fine if not any(s < t for t in fine)}
    assert {frozenset(c) for c in result.cliques(alpha)} == maximal


def test_order_of_algorithms_does_not_matter():
    blocks = clusters([[0, 0], [0.6, 0], [1.2, 0], [0.3, 9]])
    moved = blocks.select(algorithms=["a3", "a1", "a0", "a2"])
    one, other = (f.pairwise_hotelling(b) for b in (blocks, moved))
    assert {frozenset(c) for c in one.cliques()} == {frozenset(c) for c in other.cliques()}
    for a, b in itertools.combinations(blocks.algorithms, 2):
        p = one.matrix(raw=True).loc[a, b]
        assert other.matrix(raw=True).loc[a, b] == pytest.approx(p, rel=1e-8)


def test_all_alike_and_all_different():
    alike = f.pairwise_hotelling(clusters([[0, 0]] * 3))
    assert alike.cliques() == (("a0", "a1", "a2"),)
    assert alike.bracketed() == "{(a0, a1, a2)}"
    apart = f.pairwise_hotelling(clusters([[0, 0], [9, 9], [20, 0]]))
    assert apart.cliques() == ()
    assert apart.bracketed() == "{a0, a1, a2}"


def test_against_a_control():
    result = f.pairwise_hotelling(clusters([[0, 0], [0.1, 0], [9, 0], [0, 0.1]]), control="a0")
    assert result.cliques() == (("a0", "a1", "a3"),)
    assert result.matrix().isna().to_numpy().sum() == 6


def test_tables():
    blocks = clusters([[0, 0], [1, 2], [2, 1]])
    result = f.pairwise_hotelling(blocks, rho=0.05)
    assert result.frame["second"].tolist() == ["a1", "a2", "a2"]
    row = result.differences.iloc[0]
    assert (row["tpr"], row["fpr"]) == (pytest.approx(1), pytest.approx(-2))  # flipped
    matrix = result.matrix()
    assert np.array_equal(matrix, matrix.T)
    assert matrix.loc["a0", "a2"] == result.adjusted[1]
    assert np.diag(matrix).tolist() == [1, 1, 1]
    assert "cliques at 0.05" in str(result)
    assert "<table" in result._repr_html_()
    assert json.loads(json.dumps(result.to_dict()))["cliques"] == [["a1", "a2"]]


def test_post_hoc_on_one_metric():
    blocks = clusters([[0, 0], [1, 2], [2, 1]])
    result = f.pairwise_hotelling(blocks, rho=0.05).univariate("fpr", adjust="holm")
    other = f.pairwise_t(blocks.x[:, :, 1], adjust="holm", rho=0.05, lower_is_better=True,
                         names=blocks.algorithms)  # fmt: skip
    assert np.array_equal(result.adjusted, other.adjusted)
    assert result.difference == pytest.approx([-2, -1, 1])
    one_way = f.pairwise_hotelling(blocks, block=False).univariate("tpr")
    tukey = f.tukey(blocks.x[:, :, 0], block=False)
    assert one_way.adjusted == pytest.approx(tukey.adjusted)
    with pytest.raises(InputError, match="unknown metric 'f1'"):
        f.pairwise_hotelling(blocks).univariate("f1")


def test_many_pairs_are_cut_in_the_text():
    result = f.pairwise_hotelling(clusters(np.zeros((12, 2)).tolist()))
    assert "... and 6 more" in str(result)
