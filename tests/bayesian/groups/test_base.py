"""Several algorithms on one data set: pairs, joint statements, cliques, closed forms, refusals."""

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import correlated_t, groups, multivariate_t
from bayescmp.bayesian.groups.base import (
    dominance,
    errors_of,
    holders,
    joint_equivalence,
    mean_ranks,
    pair_regions,
    rank_shares,
    ranked_scores,
)
from bayescmp.bayesian.groups.fit import GroupsData
from bayescmp.frequentist import anova
from bayescmp.scores.rope import as_ropes
from bayescmp.wording.text import format_probability
from tests.bayesian.groups.tables import scores
from tests.rows import each_row


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


@settings(max_examples=25)
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
        with pytest.raises(bc.InputError, match=r"rank by|by must"):
            ranked_scores(EFFECTS, metrics, ROPES, bad)
    with pytest.raises(bc.InputError, match=r"rank by must be .*'dominance'"):
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


@each_row(
    ("metrics", "rope", "regions"),
    [
        (1, 0.1, "first better, equivalent, second better"),
        (1, 0, "first better, second better"),
        (1, (-0.1, np.inf), "second worse, second not worse"),
        (2, 0.1, "equivalent, first dominates, second dominates, trade-off"),
        (2, (-np.inf, 0.1), "first not worse, first worse"),
    ],
)
def test_all_pairs_in_full_have_the_regions_that_there_are(metrics, rope, regions):
    x = np.random.default_rng(1).normal(0, 0.1, (3, 12, metrics))
    post = groups(x, rho=0.1, rope=[rope] * metrics, seed=1)
    pairs = post.full().split("All pairs\n\n")[1]
    assert f"probabilities of {regions}" in " ".join(pairs.split())
    for row, pair in zip(pairs.splitlines()[1:], post.pairs, strict=False):
        verdict = post.verdict(*pair)
        kept = [p for r, p in verdict.probabilities.items() if r in verdict.shape.possible]
        wanted = [format_probability(p) for p in kept if rope != 0 or p > 0]
        assert row.split()[2 : 2 + len(wanted)] == wanted
        assert len(wanted) == regions.count(",") + 1


def test_dominance_is_the_same_in_any_order_of_the_algorithms():
    for rope in [(-0.1, np.inf), (-np.inf, 0.1), (-0.1, 0.05)]:
        ropes = as_ropes([rope, rope], ("a", "b"))
        beats, beaten = dominance(EFFECTS, ropes)
        for there, here in zip(dominance(EFFECTS[:, ::-1], ropes), (beats, beaten), strict=True):
            assert np.array_equal(there[:, ::-1], here)
        symmetric = as_ropes([0.1, 0.1], ("a", "b"))
        assert np.array_equal(beats, dominance(EFFECTS, symmetric)[0])
        assert beats.any()


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
        with pytest.raises(bc.InputError, match=r"rank by|by must"):
            post.rank_probabilities(bad)


@pytest.mark.slow
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
    frame = post.frame
    assert list(frame["first"] + frame["second"]) == ["".join(p) for p in post.pairs]
    total = frame[["p_equivalent", "p_first", "p_second", "p_trade_off"]].sum(axis=1)
    np.testing.assert_allclose(total, 1)
    from_draws = post.effects[:, 1] - post.effects[:, 0]
    share = (np.abs(from_draws) <= [0.01, 0.02]).all(axis=1).mean()
    assert share == pytest.approx(actual["A1", "A2"].probabilities["equivalent"], abs=0.02)


def test_bad_pairs():
    post = groups(scores(), rho=0.1, rope=0.01)
    for pair, message in (
        (("A1", "A9"), r"algorithm must be"),
        (("A1", "A1"), "second must differ from first"),
        ((None, None), r"first must be given with second\. There are"),
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
    with pytest.raises(bc.InputError, match=r"outcome must be"):
        post.joint({("A1", "A2"): "better"})


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


def test_learned_measures_have_unit_spread_within_algorithms():
    for variances in ["equal", "own"]:
        x = scores(6, 4, 25, 3, spread=0.05)
        post = groups(x, rho=0.1, rope=0.01, variances=variances, seed=1)
        learned = post.learned(2, rope=0.1)
        np.testing.assert_allclose(learned.within, np.eye(2), atol=1e-8)
        assert learned.select("M2").metrics == ("M2",)


def test_refused_by_the_result():
    two = groups(scores(1, 3, 20, 2), rho=0.1, rope=0.01, seed=1)
    one = groups(scores(1, 3, 20, 1), rho=0.1, rope=0.01, seed=1)
    for k in (0, -1, 9, "a"):
        with pytest.raises(bc.InputError, match=r"k(=| must)"):
            two.learned(k)
    with pytest.raises(bc.InputError, match="metrics must name at least one"):
        two.select([])
    with pytest.raises(bc.InputError, match=r"must be 'm1' .got 'dominance'"):
        one.ranking("dominance")


# Several algorithms on one data set: Bayesian ANOVA and MANOVA with folds as blocks.


@settings(max_examples=20)
@example(1486, 3, 0.0)  # two errors and a half apart
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
        actual, expected = several.verdict(), alone.verdict()
        for region, mass in expected.probabilities.items():
            error = np.hypot(actual.errors[region], expected.errors[region])
            assert abs(actual.probabilities[region] - mass) < 5 * error + 1e-6


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


def test_ends_of_intervals_are_quantiles_of_the_t():
    """Of every pair and metric, both ends: the lower one at (1 − prob)/2."""
    for p in [1, 2]:
        post = groups(scores(4, 3, 12, p), rho=0.1, rope=0.01, variances="equal", seed=1)
        table = post.intervals(0.8)
        for first, second in post.pairs:
            pair = post.pair(first, second)
            scales = [pair.scale] if p == 1 else np.sqrt(np.diag(pair.scale))
            for j, metric in enumerate(post.metrics):
                t = stats.t(pair.df, np.atleast_1d(pair.location)[j], scales[j])
                row = table.loc[(first, second, metric)]
                assert row["low"] == pytest.approx(t.ppf(0.1), abs=1e-12)
                assert row["high"] == pytest.approx(t.ppf(0.9), abs=1e-12)
                assert row["mean"] == pytest.approx(t.mean(), abs=1e-12)


@settings(max_examples=15)
@given(st.integers(0, 10_000), st.integers(1, 2))
def test_symmetries_with_equal_variances(seed, p):
    """Swap, order of algorithms and folds, units, and another rope against a fit with it."""
    x = scores(seed, 4, 9, p)
    ropes = [(-0.01, 0.02), 0.02][:p]
    post = groups(x, rho=0.1, rope=ropes, variances="equal", seed=1)
    v = post.verdict("A1", "A3")

    def same(w):
        worst = max(*v.errors.values(), *w.errors.values())
        for region, mass in v.probabilities.items():
            assert w.probabilities[region] == pytest.approx(mass, abs=8 * worst + 1e-9)

    order = [2, 0, 3, 1]
    turned = groups(
        x[order][:, ::-1],
        rho=0.1,
        rope=ropes,
        variances="equal",
        seed=2,
        names=[post.algorithms[i] for i in order],
    )
    same(turned.verdict("A1", "A3"))
    same(post.verdict("A3", "A1", rope=[(-0.02, 0.01), 0.02][:p]).swapped())
    units = np.array([100.0, 1e-3])[:p]
    scaled = [
        tuple(np.multiply(r if isinstance(r, tuple) else (-r, r), u))
        for r, u in zip(ropes, units, strict=True)
    ]
    other = groups(x * units, rho=0.1, rope=scaled, variances="equal", seed=3)
    same(other.verdict("A1", "A3"))
    assert other.p_best("m1") == pytest.approx(post.p_best("m1"), abs=0.04)
    refit = groups(x, rho=0.1, rope=0.05, variances="equal", seed=1).verdict("A1", "A3")
    wider = post.verdict("A1", "A3", rope=[0.05] * p)
    assert wider.probabilities == pytest.approx(refit.probabilities, abs=1e-12)


# What `groups` reads, and what it refuses.


def data_of(x, declared=np.nan, rope=0.01):
    blocks = bc.Blocks(x, rho=0.1, lower_is_better=[False] * x.shape[2])
    declared = np.broadcast_to(np.asarray(declared, dtype=float), x.shape[2])
    return GroupsData.from_blocks(blocks, as_ropes(rope, blocks.metrics), declared)


def test_errors_are_those_of_the_blocked_anova():
    x = scores(3, 4, 15, 1)
    squares = anova(x[..., 0], block=True).mean_squares[2] * 3 * 14
    assert np.sum(errors_of(x) ** 2) == pytest.approx(squares)
    data = data_of(x)
    assert (data.root @ data.root.T)[0, 0] == pytest.approx(squares)
    assert data.inflation == pytest.approx(1 / 15 + 0.1 / 0.9)


def test_equal_shares_have_the_pooled_scatter():
    """E(1/L) = I/L where the pooled scatter is I, metrics without errors included."""
    x = np.concatenate([scores(1, 4, 12, 2), np.ones((4, 12, 1))], axis=2)
    data = data_of(x, [np.nan, np.nan, 0.01])
    levels = data.levels(1)
    equal = np.full((2, 4), 0.25)
    np.testing.assert_allclose(data.errors(levels, equal), [np.eye(3) / 4] * 2, atol=1e-12)
    # contrasts of a metric of rounding alone: n h²/12 a difference of two
    assert data.root[2, 2] ** 2 * 2 / 3 == pytest.approx(12 * 0.01**2 / 12)


def test_levels_only_where_something_tells_them_apart():
    assert data_of(scores(1, 2)).levels(1) is None
    assert data_of(np.ones((3, 5, 1))).levels(1) is None
    assert data_of(scores(1, 3)).levels(1) is not None


def test_a_check_that_speaks_against_one_covariance_is_told():
    x = scores(1, 4, 12, 1)
    assert data_of(x).against_equal(1) == ()
    x[2:] += np.random.default_rng(1).normal(size=(2, 12, 1))
    assert "variances='own'" in data_of(x).against_equal(1)[0]


def test_resolution_of_a_metric_without_errors():
    """As declared, else the smallest step of the scores, else the ROPE's width, with a warning."""
    x = np.round(scores(1, 3, 8, 2), 2)
    x[..., 1] = x[:1, :, 1] + np.array([0, 0.05, 0.1])[:, None]
    assert data_of(x).space.steps.size[1] == pytest.approx(0.01)
    assert data_of(x, [np.nan, 0.5]).space.steps.size[1] == 0.5
    same = np.concatenate([x[..., :1], np.full((3, 8, 1), 0.7)], axis=2)
    data = data_of(same, rope=0.03)
    assert data.space.steps.size[1] == pytest.approx(0.06)
    with pytest.warns(bc.DiagnosticWarning, match="m2 has no error left once fold effects"):
        data.space.warn_if_borrowed()


def test_a_verdict_without_a_resolution_is_that_of_a_fit_with_its_rope():
    same = np.concatenate([scores(1, 3, 8, 1), np.full((3, 8, 1), 0.7)], axis=2)
    for x in (same, np.full((3, 8, 1), 0.7)):
        fits = {}
        for rope in (0.01, 0.05):
            with pytest.warns(bc.DiagnosticWarning, match="give resolution="):
                fits[rope] = bc.bayesian.groups(x, rho=0.1, rope=rope, seed=1, variances="equal")
        for rope, other in ((0.01, 0.05), (0.05, 0.01)):
            asked = fits[rope].verdicts(other)
            for pair, v in fits[other].verdicts().items():
                assert asked[pair].probabilities == pytest.approx(v.probabilities, abs=1e-12)
                assert fits[rope].verdict(*pair, rope=other).probabilities == pytest.approx(
                    v.probabilities, abs=1e-12
                )


def test_from_scores_and_blocks(table):
    post = groups(bc.Scores(table), "accuracy", dataset="iris", rope=0.01, seed=1)
    assert post.names == ("knn", "gbm", "svm")
    assert post.rho == pytest.approx(0.2)
    assert post.dataset == "iris"
    framed = groups(
        table,
        ["accuracy", "log_loss"],
        dataset="iris",
        rope=[0.01, 0.1],
        seed=1,
        algorithms=["svm", "knn"],
    )
    assert framed.names == ("svm", "knn")
    means = table.query("dataset == 'iris'").groupby("algorithm")["log_loss"].mean()
    # log_loss is flipped: positive where the second has less of it
    assert framed.pair("svm", "knn").location[1] == pytest.approx(means["svm"] - means["knn"])
    blocks = bc.scores_blocks(bc.Scores(table), dataset="iris", metrics=["accuracy"])
    again = groups(blocks, rope=0.01, seed=1)
    np.testing.assert_array_equal(again.location, post.location)


@each_row(
    ("x", "options", "message"),
    [
        (scores(), {"rho": None}, "rho must be given"),
        (scores(L=1), {}, "x must have at least two algorithms on at"),
        (scores(L=2, n=4, p=5), {}, "Drop 2 of"),
        (
            scores(),
            {"noise": "t", "engine": "exact"},
            "engine must be a sampler with noise='t', or",
        ),
        (scores(), {"rope": [0.1, 0.1, 0.1]}, "got 3"),
        (scores(), {"names": ["a", "a", "b", "c"]}, "twice"),
    ],
)
def test_bad_input(x, options, message):
    with pytest.raises(bc.InputError, match=message):
        groups(x, **{"rho": 0.1, "rope": 0.01, **options})


def test_lower_is_better_metrics_rank_the_other_way():
    x = scores(5, 3, 20, 1, spread=0.05)
    up = groups(x, rho=0.1, rope=0.01, seed=1, metrics=["accuracy"])
    down = groups(1 - x, rho=0.1, rope=0.01, seed=1, metrics=["error"])
    assert up.p_best() == pytest.approx(down.p_best(), abs=1e-9)
    assert up.verdict("A1", "A2").p_right == pytest.approx(down.verdict("A1", "A2").p_right)
    posterior = groups(1 - x, rho=0.1, rope=0.01, lower_is_better=[True], seed=1)
    assert posterior.p_best() == pytest.approx(up.p_best(), abs=1e-9)


def test_same_seed_same_numbers():
    first, second = (groups(scores(), rho=0.1, rope=0.01, seed=3) for _ in range(2))
    np.testing.assert_array_equal(first.effects, second.effects)
    assert first.verdicts() == second.verdicts()
