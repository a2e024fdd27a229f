"""Ranks of several algorithms by their effects, with Monte Carlo errors."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.bayesian import groups
from tests.bayesian.groups.tables import scores


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
        *(([t[c] for t in tables], [t[e] for t in tables]) for c, e in (
            ("expected_rank", "se_rank"), ("p_best", "se_best"),
            ("p_undominated", "se_undominated"))),
        ([c["joint"] for c in cliques], [c["se_joint"] for c in cliques]),
        (ranks, [p.rank_errors("m1") for p in posts]),
        ([p.joint(outcome) for p in posts], [p.joint_error(outcome) for p in posts]),
    ):  # fmt: skip
        ratio = np.std(np.array(values), axis=0, ddof=1) / np.mean(np.array(errors), axis=0)
        assert np.all((ratio > 0.6) & (ratio < 1.5))  # χ²_39: 0.6 to 1.5 at 1e-4
