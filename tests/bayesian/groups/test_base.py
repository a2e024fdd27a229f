"""Pairs of several algorithms, joint statements, cliques."""

from __future__ import annotations

import warnings
from itertools import pairwise, permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import bayescmp as bc
from bayescmp.bayesian import groups
from bayescmp.bayesian.groups.ranks import (
    dominance,
    holders,
    joint_equivalence,
    mean_ranks,
    pair_regions,
    rank_shares,
    ranked_scores,
)
from bayescmp.scores.rope import as_ropes
from tests.bayesian.groups.tables import scores


def shares_by_permutation(scores):
    """Average over all orders that the scores allow, ties in every order."""
    size = scores.shape[1]
    total = np.zeros((size, size))
    for row in scores:
        allowed = [
            o for o in permutations(range(size)) if all(row[a] >= row[b] for a, b in pairwise(o))
        ]
        for order in allowed:
            for rank, i in enumerate(order):
                total[i, rank] += 1 / len(allowed)
    return total / len(scores)


@settings(max_examples=50)
@given(arrays(int, (6, 4), elements=st.integers(0, 3)))
def test_rank_shares_by_counting_all_orders(scores):
    result = rank_shares(scores.astype(float))
    np.testing.assert_allclose(result, shares_by_permutation(scores), atol=1e-12)
    np.testing.assert_allclose(result.sum(axis=0), 1)
    np.testing.assert_allclose(result.sum(axis=1), 1)


def test_rank_shares_of_many_draws_go_in_pieces():
    scores = np.random.default_rng(1).normal([0, 0.5, 1], size=(5000, 3))
    order = np.argsort(-scores, axis=1)
    for rank in range(3):
        for i in range(3):
            expected = (order[:, rank] == i).mean()
            assert rank_shares(scores)[i, rank] == pytest.approx(expected)


EFFECTS = np.array([[[0.0, 0.0], [0.2, 0.0], [0.05, -0.2]]])  # one draw, three algorithms
ROPES = as_ropes([0.1, 0.1], ("a", "b"))


def test_who_dominates_whom():
    # 2nd over 1st: better in a. 3rd: worse than 1st in b only. 2nd over 3rd: better in both.
    beats, beaten = dominance(EFFECTS, ROPES)
    assert beats.tolist() == [[1, 2, 0]]
    assert beaten.tolist() == [[1, 0, 2]]
    codes = pair_regions(EFFECTS, np.array([[0, 1], [0, 2], [1, 2], [2, 1]]), ROPES)
    assert codes.tolist() == [[2, 1, 1, 2]]


def test_joint_equivalence_is_not_that_of_the_pairs():
    effects = np.array([[[0.0], [0.08], [0.16]], [[0.0], [0.01], [0.02]]])
    rope = as_ropes(0.1, ("a",))
    assert joint_equivalence(effects, (0, 1), rope).mean() == 1
    assert joint_equivalence(effects, (1, 2), rope).mean() == 1
    assert joint_equivalence(effects, (0, 1, 2), rope).mean() == 0.5
    assert joint_equivalence(effects, (0, 1), as_ropes(0, ("a",))).mean() == 0
    one_sided = as_ropes((-0.001, 0.1), ("a",))
    assert (
        joint_equivalence(effects, (1, 0), one_sided).mean() == 1
    )  # the order named does not matter


def test_mean_ranks_and_holders_share_ties():
    scores = np.array([[3.0, 3.0, 1.0, 0.0], [1.0, 2.0, 3.0, 4.0]])
    assert mean_ranks(scores).tolist() == [[1.5, 1.5, 3, 4], [4, 3, 2, 1]]
    assert holders(scores, 1).tolist() == [[0.5, 0.5, 0, 0], [0, 0, 0, 1]]
    assert holders(scores, 3).tolist() == [[0, 0, 1, 0], [0, 1, 0, 0]]


def test_ranked_by_a_metric_by_weights_and_by_dominance():
    metrics = ("a", "b")
    assert ranked_scores(EFFECTS, metrics, ROPES).tolist() == [[0, 2, -2]]
    assert ranked_scores(EFFECTS, metrics, ROPES, "b").tolist() == [[0, 0, -0.2]]
    np.testing.assert_allclose(
        ranked_scores(EFFECTS, metrics, ROPES, [2, 1]), [[0, 0.4, -0.1]], atol=1e-15
    )
    for bad in ("c", [1, 2, 3], [np.nan, 1]):
        with pytest.raises(bc.InputError, match=r"rank by|by="):
            ranked_scores(EFFECTS, metrics, ROPES, bad)
    with pytest.raises(bc.InputError, match="rank by 'dominance'"):
        ranked_scores(EFFECTS[..., :1], ("a",), as_ropes(0.1, ("a",)), "dominance")


def test_one_metric_ranks_against_independent_normals():
    # with many folds and one metric P(best) is that of normals whose differences have this scale
    x = scores(5, 3, 400, 1, spread=0.002)
    post = groups(x, rho=0.0, rope=0.001, seed=1)
    sd = np.linalg.norm(post.factor) / np.sqrt(2)
    rng = np.random.default_rng(1)
    free = post.location[:, 0] + sd * rng.normal(size=(200_000, 3))
    best = np.bincount(free.argmax(axis=1), minlength=3) / 200_000
    assert list(post.p_best().values()) == pytest.approx(best.tolist(), abs=0.02)
    ranking = post.ranking()
    assert list(ranking["expected_rank"]) == sorted(ranking["expected_rank"])
    assert ranking["expected_rank"].sum() == pytest.approx(6)
    table = post.rank_probabilities()
    np.testing.assert_allclose(table.sum(axis=0), 1)
    np.testing.assert_allclose(table.sum(axis=1), 1)


def test_ranking_by_metric_weights_and_dominance():
    x = scores(2, 3, 30, 2, spread=0.0)
    x[0, :, 0] += 0.2  # best in the first metric
    x[1, :, 1] += 0.2  # best in the second
    post = groups(x, rho=0.1, rope=0.01, metrics=["tpr", "tnr"], seed=1)
    assert post.p_best("tpr")["A1"] > 0.99
    assert post.p_best("tnr")["A2"] > 0.99
    assert post.p_best([0, 1]) == post.p_best("tnr")
    table = post.ranking()
    assert table.loc["A1", "p_undominated"] > 0.9
    assert table.loc["A2", "p_undominated"] > 0.9
    assert table.index[-1] == "A3"
    for bad in ("auc", [1, 2, 3], [1, np.nan]):
        with pytest.raises(bc.InputError, match=r"rank by|by="):
            post.rank_probabilities(bad)


def test_numbers_from_draws_have_their_errors():
    """Over seeds ranks, p_best, p_undominated, cliques and joint() scatter as their errors say."""
    x = scores(5, 3, 20, 2, spread=0.008)
    posts = [groups(x, rho=0.1, rope=0.03, variances="equal", seed=s) for s in range(40)]
    outcome = {("A1", "A2"): "equivalent"}
    tables = [p.ranking("m1").sort_index() for p in posts]
    cliques = [p.cliques(threshold=0.5001) for p in posts]
    assert {tuple(c["members"]) for c in cliques} == {tuple(cliques[0]["members"])}
    ranks = [p.rank_probabilities("m1") for p in posts]
    for values, errors in (
        *(
            ([t[c] for t in tables], [t[e] for t in tables])
            for c, e in (
                ("expected_rank", "se_rank"),
                ("p_best", "se_best"),
                ("p_undominated", "se_undominated"),
            )
        ),
        ([c["joint"] for c in cliques], [c["se_joint"] for c in cliques]),
        (ranks, [p.rank_errors("m1") for p in posts]),
        ([p.joint(outcome) for p in posts], [p.joint_error(outcome) for p in posts]),
    ):
        ratio = np.std(np.array(values), axis=0, ddof=1) / np.mean(np.array(errors), axis=0)
        assert np.all((ratio > 0.6) & (ratio < 1.5))  # χ²_39: 0.6 to 1.5 at 1e-4


def test_verdicts_of_all_pairs_are_those_of_each():
    post = groups(scores(1, 5), rho=0.1, rope=[0.01, 0.02], seed=2)
    actual = post.verdicts()
    assert list(actual) == post.pairs
    assert len(actual) == 10
    for pair in (("A1", "A2"), ("A3", "A5")):
        assert actual[pair].probabilities == pytest.approx(post.verdict(*pair).probabilities)
    turned = post.verdict("A5", "A3")
    assert turned.probabilities["first"] == pytest.approx(
        actual["A3", "A5"].probabilities["second"], abs=1e-4
    )
    frame = post.frame()
    assert list(frame["first"] + frame["second"]) == ["".join(p) for p in post.pairs]
    total = frame[["p_equivalent", "p_first", "p_second", "p_trade_off"]].sum(axis=1)
    np.testing.assert_allclose(total, 1)
    from_draws = post.effects[:, 1] - post.effects[:, 0]
    share = (np.abs(from_draws) <= [0.01, 0.02]).all(axis=1).mean()
    assert share == pytest.approx(actual["A1", "A2"].probabilities["equivalent"], abs=0.02)


def test_bad_pairs():
    post = groups(scores(), rho=0.1, rope=0.01)
    for pair, message in (
        (("A1", "A9"), "unknown algorithm"),
        (("A1", "A1"), "nothing to"),
        ((None, None), "are needed"),
    ):
        with pytest.raises(bc.InputError, match=message):
            post.verdict(*pair)


def test_joint_probability_and_cliques():
    rng = np.random.default_rng(1)
    x = 0.7 + rng.normal(size=(1, 60, 1)) * 0.02 + rng.normal(size=(4, 60, 1)) * 0.01
    x[3] += 0.1
    post = groups(x, rho=0.1, rope=0.025, seed=1)
    cliques = post.cliques()
    assert cliques["members"].tolist() == [("A1", "A2", "A3")]
    lone = post.verdict("A1", "A2").p_rope
    joint = cliques["joint"][0]
    assert joint <= lone + 0.01
    trio = {("A1", "A2"): "equivalent", ("A1", "A3"): "equivalent", ("A3", "A2"): "equivalent"}
    assert post.joint(trio) == pytest.approx(joint)
    everything = {**trio, ("A4", "A1"): "first", ("A2", "A4"): "second", ("A3", "A4"): "second"}
    assert post.joint() == pytest.approx(post.joint(everything))
    assert post.joint({}) == 1
    with pytest.raises(bc.InputError, match="unknown outcome"):
        post.joint({("A1", "A2"): "better"})


def test_saved_loaded_and_told(tmp_path):
    post = groups(scores(), rho=0.1, rope=[0.01, 0.02], seed=3, metrics=["tpr", "fpr"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        post.save(tmp_path / "g.nc")
        back = bc.load(tmp_path / "g.nc")
    assert str(back) == str(post)
    assert back.verdicts() == post.verdicts()
    assert " ranks first by dominance" in str(post)
    assert "and not how data sets differ. Resampling, rho 0.1" in back.explain("checklist")
    assert isinstance(post.summary(), pd.DataFrame)


def test_linear_maps_and_learned_measures():
    x = scores(6, 4, 25, 3, spread=0.05)
    post = groups(x, rho=0.1, rope=0.01, seed=1)
    M = np.array([[1.0, 1, 0], [0, 1, -1], [0.5, 0, 2]])
    mapped, refitted = post.transform(M), groups(x @ M.T, rho=0.1, rope=0, seed=1)
    np.testing.assert_allclose(mapped.location, refitted.location, atol=1e-12)
    a, b = mapped.pair("A1", "A3"), refitted.pair("A1", "A3")
    assert a.df == b.df
    np.testing.assert_allclose(a.scale, b.scale, rtol=1e-8, atol=1e-15)
    learned = post.learned(2, rope=0.1)
    assert learned.metrics == ("M1", "M2")
    # unit standard deviation within algorithms, uncorrelated; the first separates most
    W = learned.factor @ learned.factor.T * learned.df / (2 * learned.inflation)
    np.testing.assert_allclose(W / ((4 - 1) * 24), np.eye(2), atol=1e-8)
    spread = learned.location.var(axis=0)
    assert spread[0] > spread[1]
    assert any("M1 = " in n for n in learned.notes)
    only = post.select("m2")
    assert only.metrics == ("m2",)
    assert only.verdict("A1", "A2").p_rope >= 0


@pytest.mark.parametrize("variances", ["equal", "own"])
def test_learned_measures_have_unit_spread_within_algorithms(variances):
    x = scores(6, 4, 25, 3, spread=0.05)
    post = groups(x, rho=0.1, rope=0.01, variances=variances, seed=1)
    learned = post.learned(2, rope=0.1)
    np.testing.assert_allclose(learned.within, np.eye(2), atol=1e-8)
    assert learned.select("M2").metrics == ("M2",)


def test_refused_by_the_result():
    two = groups(scores(1, 3, 20, 2), rho=0.1, rope=0.01, seed=1)
    one = groups(scores(1, 3, 20, 1), rho=0.1, rope=0.01, seed=1)
    for k in (0, -1, 9, "a"):
        with pytest.raises(bc.InputError, match="k="):
            two.learned(k)
    with pytest.raises(bc.InputError, match="metrics is empty"):
        two.select([])
    with pytest.raises(bc.InputError, match=r"'dominance': known: 'm1'$"):
        one.ranking("dominance")
