"""Several algorithms on one data set: Bayesian ANOVA and MANOVA with folds as blocks."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import correlated_t, groups, multivariate_t
from bayescmp.frequentist import anova


def scores(seed=0, L=4, n=15, p=2, spread=0.02):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(p, p)) * 0.03
    folds = rng.normal(size=(1, n, p)) * 0.05
    return 0.7 + spread * rng.normal(size=(L, 1, p)) + folds + rng.normal(size=(L, n, p)) @ root.T


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10_000), st.integers(1, 3), st.sampled_from([0.0, 0.1]))
def test_two_algorithms_are_the_multivariate_test(seed, p, rho):
    x = scores(seed, 2, 12, p)
    several = groups(x, rho=rho, rope=0.01, seed=1)
    pair = several.pair("A1", "A2")
    alone = multivariate_t(x[1] - x[0], rho=rho, rope=0.01, seed=1)
    assert pair.df == alone.df
    scale = pair.scale**2 if p == 1 else pair.scale
    np.testing.assert_allclose(scale, alone.scale if p > 1 else alone.scale[0, 0], rtol=1e-8)
    if p == 1:
        one = correlated_t((x[1] - x[0])[:, 0], rho=rho, rope=0.01)
        assert several.verdict().probabilities == pytest.approx(one.verdict().probabilities)
    else:
        found, expected = several.verdict().probabilities, alone.verdict().probabilities
        assert found == pytest.approx(expected, abs=1e-4)


def test_one_metric_is_the_blocked_anovas_t():
    # contrasts of a randomised complete block design: t with (L−1)(n−1) d.o.f., 2c·MS_E
    x = scores(3, 4, 15, 1)
    table = anova(x[..., 0], block=True)
    post = groups(x, rho=0.1, rope=0.01)
    c = 1 / 15 + 0.1 / 0.9
    mse = table.mean_squares[2]
    pair = post.pair("A2", "A4")
    assert pair.df == 3 * 14
    assert pair.scale == pytest.approx(np.sqrt(2 * c * mse), rel=1e-10)
    assert pair.location == pytest.approx(x[3].mean() - x[1].mean())
    expected = stats.t(42, pair.location, pair.scale)
    v = post.verdict("A2", "A4")
    assert v.p_left == pytest.approx(expected.cdf(-0.01), abs=1e-12)
    assert v.p_right == pytest.approx(expected.sf(0.01), abs=1e-12)


def test_joint_draws_have_the_contrasts_posterior():
    post = groups(scores(1), rho=0.1, rope=0.01, seed=2)
    tau = post.effects
    np.testing.assert_allclose(tau.sum(axis=1), 0, atol=1e-12)
    for i, j in ((0, 1), (1, 3)):
        pair = post.pair(f"A{i + 1}", f"A{j + 1}")
        d = tau[:, j] - tau[:, i]
        radius = pair.distribution.distance(d)
        assert stats.kstest(radius**2 / 2, stats.f(2, pair.df).cdf).pvalue > 1e-3
        for k in range(2):
            z = (d[:, k] - pair.location[k]) / np.sqrt(pair.scale[k, k])
            assert stats.kstest(z, stats.t(pair.df).cdf).pvalue > 1e-3
    # two pairs with one algorithm in common: their contrasts correlate at one half
    d1, d2 = tau[:, 1] - tau[:, 0], tau[:, 2] - tau[:, 0]
    assert np.corrcoef(d1[:, 0], d2[:, 0])[0, 1] == pytest.approx(0.5, abs=0.04)


def test_verdicts_of_all_pairs_are_those_of_each():
    post = groups(scores(1, 5), rho=0.1, rope=[0.01, 0.02], seed=2)
    found = post.verdicts()
    assert list(found) == post.pairs
    assert len(found) == 10
    for pair in (("A1", "A2"), ("A3", "A5")):
        assert found[pair].probabilities == pytest.approx(post.verdict(*pair).probabilities)
    turned = post.verdict("A5", "A3")
    assert turned.probabilities["first"] == pytest.approx(
        found["A3", "A5"].probabilities["second"], abs=1e-4
    )
    frame = post.frame()
    assert list(frame["first"] + frame["second"]) == ["".join(p) for p in post.pairs]
    total = frame[["p_equivalent", "p_first", "p_second", "p_trade_off"]].sum(axis=1)
    np.testing.assert_allclose(total, 1)
    from_draws = post.effects[:, 1] - post.effects[:, 0]
    share = (np.abs(from_draws) <= [0.01, 0.02]).all(axis=1).mean()
    assert share == pytest.approx(found["A1", "A2"].probabilities["equivalent"], abs=0.02)


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


def test_lower_is_better_metrics_rank_the_other_way():
    x = scores(5, 3, 20, 1, spread=0.05)
    up = groups(x, rho=0.1, rope=0.01, seed=1, metrics=["accuracy"])
    down = groups(1 - x, rho=0.1, rope=0.01, seed=1, metrics=["error"])
    assert up.p_best() == pytest.approx(down.p_best(), abs=1e-9)
    assert up.verdict("A1", "A2").p_right == pytest.approx(down.verdict("A1", "A2").p_right)
    told = groups(1 - x, rho=0.1, rope=0.01, lower_is_better=[True], seed=1)
    assert told.p_best() == pytest.approx(up.p_best(), abs=1e-9)


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


def test_dependent_counts_live_on_a_subspace():
    rng = np.random.default_rng(4)
    tp, fp = rng.integers(30, 40, (3, 12)), rng.integers(3, 9, (3, 12))
    x = np.stack([tp, 50 - tp, fp, 50 - fp], axis=-1).astype(float)
    post = groups(x, ["tp", "fn", "fp", "tn"], rho=0.1, rope=1.0, seed=1)
    assert post.rank == 2
    assert post.df == 2 * 11 - 2 + 1
    assert any("subspace of dimension 2 of 4" in n for n in post.notes)
    two = groups(x[..., [0, 2]], ["tp", "fp"], rho=0.1, rope=1.0, seed=1)
    for pair in post.pairs:
        assert post.verdict(*pair).probabilities == pytest.approx(
            two.verdict(*pair).probabilities, abs=1e-4
        )


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


def test_from_scores_and_blocks(table):
    post = groups(bc.Scores(table), "accuracy", dataset="iris", rope=0.01, seed=1)
    assert post.names == ("knn", "gbm", "svm")
    assert post.rho == pytest.approx(0.2)
    assert post.dataset == "iris"
    framed = groups(table, ["accuracy", "log_loss"], dataset="iris", rope=[0.01, 0.1], seed=1,
                    algorithms=["svm", "knn"])  # fmt: skip
    assert framed.names == ("svm", "knn")
    means = table.query("dataset == 'iris'").groupby("algorithm")["log_loss"].mean()
    # log_loss is flipped: positive where the second has less of it
    assert framed.pair("svm", "knn").location[1] == pytest.approx(means["svm"] - means["knn"])
    blocks = bc.scores_blocks(bc.Scores(table), dataset="iris", metrics=["accuracy"])
    again = groups(blocks, rope=0.01, seed=1)
    np.testing.assert_array_equal(again.location, post.location)


@pytest.mark.parametrize(
    ("x", "options", "message"),
    [
        (scores(), {"rho": None}, "rho is missing"),
        (scores(L=1), {}, "1 algorithm on 15 folds"),
        (scores(n=1), {}, "4 algorithms on 1 fold"),
        (np.full((2, 5, 2), np.nan), {}, "missing"),
        (scores(L=2, n=4, p=5), {}, "Drop 2 of"),
        (scores(), {"noise": "cauchy"}, "unknown noise"),
        (scores(), {"noise": "t", "engine": "exact"}, "noise='t' needs"),
        (scores(), {"chains": 2}, "unknown option"),
        (scores(), {"rope": [0.1, 0.1, 0.1]}, "holds 3"),
        (scores(), {"names": ["a", "a", "b", "c"]}, "twice"),
    ],
)
def test_bad_input(x, options, message):
    with pytest.raises(bc.InputError, match=message):
        groups(x, **{"rho": 0.1, "rope": 0.01, **options})


def test_bad_pairs():
    post = groups(scores(), rho=0.1, rope=0.01)
    for pair, message in ((("A1", "A9"), "unknown algorithm"), (("A1", "A1"), "nothing to"),
                          ((None, None), "are needed")):  # fmt: skip
        with pytest.raises(bc.InputError, match=message):
            post.verdict(*pair)
    with pytest.raises(bc.InputError, match="no rope curve"):
        post.rope_curve()


def test_saved_loaded_and_told(tmp_path):
    post = groups(scores(), rho=0.1, rope=[0.01, 0.02], seed=3, metrics=["tpr", "fpr"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        post.save(tmp_path / "g.nc")
        back = bc.load(tmp_path / "g.nc")
    assert str(back) == str(post)
    assert back.verdicts() == post.verdicts()
    assert "ranked by dominance" in str(post)
    assert isinstance(post.summary(), pd.DataFrame)


def test_same_seed_same_numbers():
    first, second = (groups(scores(), rho=0.1, rope=0.01, seed=3) for _ in range(2))
    np.testing.assert_array_equal(first.effects, second.effects)
    assert first.verdicts() == second.verdicts()


def test_shares_of_draws_have_their_errors():
    """Over seeds p_best and joint() scatter as their standard errors say."""
    x = scores(5, 3, 20, 2, spread=0.02)
    posts = [groups(x, rho=0.1, rope=0.01, seed=s) for s in range(40)]
    outcome = {("A1", "A2"): "first"}
    tables = [p.ranking("m1").sort_index() for p in posts]
    for found, told in (
        (np.array([t["p_best"] for t in tables]), np.array([t["se_best"] for t in tables])),
        (np.array([p.joint(outcome) for p in posts]), [p.joint_error(outcome) for p in posts]),
    ):
        ratio = found.std(axis=0, ddof=1) / np.mean(told, axis=0)
        assert np.all((ratio > 0.6) & (ratio < 1.5))  # χ²_39: 0.6 to 1.5 at 1e-4


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
