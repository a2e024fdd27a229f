"""The Bayesian bootstrap over clusters of items."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import trapezoid
from scipy.stats import beta, norm

import bayescmp as bc
from bayescmp.bayesian import cluster_bootstrap
from bayescmp.bayesian.paired.clusters import probability_positive
from tests.items.tables import TWO, answers
from tests.rows import each_row


def partial_fractions(e: np.ndarray) -> float:
    """P(Σ e_j·g_j > 0) for exponential g_j and distinct e_j (Feller 1971, sec. I.13)."""
    return sum(
        float(np.prod([e[j] / (e[j] - e[k]) for k in range(len(e)) if k != j]))
        for j in range(len(e))
        if e[j] > 0
    )


def test_exponentials_by_partial_fractions():
    for K in [2, 5, 8]:
        e = np.linspace(-1.1, 1.7, K)
        assert probability_positive(e, np.ones(K)) == pytest.approx(
            partial_fractions(e), abs=1e-10
        )


def test_two_gammas_are_a_beta():
    """a·g1 > b·g2 where g1/(g1 + g2) ~ Beta is over b/(a + b)."""
    for shapes in [(0.2, 0.2), (50.0, 40.0), (5000.0, 4000.0)]:
        own = probability_positive(np.array([1.0, -1.3]), np.array(shapes))
        assert own == pytest.approx(beta.sf(1.3 / 2.3, *shapes), abs=1e-11)


def test_one_large_shape_and_a_small_one_are_a_beta():
    """Of 20 equal questions and half of another at either bound; SciPy's Beta(1/2, 20.5)."""
    for x in [0.001, 0.05, 0.9]:
        p = probability_positive(np.array([-x, -x, 1 - x]), np.array([20, 0.5, 0.5]))
        assert p == pytest.approx(beta(0.5, 20.5).sf(x), rel=1e-9)


def test_equal_weights_add_their_shapes():
    one = probability_positive(np.array([1.0, -2.0]), np.array([3.0, 2.0]))
    many = probability_positive(np.array([1.0, 1.0, -2.0, 0.0]), np.array([1.0, 2.0, 2.0, 5.0]))
    assert one == pytest.approx(many, abs=1e-12)


def test_very_many_are_normal():
    e = np.random.default_rng(1).normal(size=50_000) - 0.004
    z = e.sum() / np.sqrt((e**2).sum())
    assert probability_positive(e, np.ones(len(e))) == pytest.approx(norm.cdf(z), abs=2e-3)


def test_small_probabilities_keep_their_digits():
    own = probability_positive(np.array([1.0, -1.0]), np.array([1.0, 200.0]))
    assert own == pytest.approx(2.0**-200, rel=1e-9)


def test_one_sign_alone_is_certain():
    assert probability_positive(np.array([0.0, 2.0]), np.ones(2)) == 1.0
    assert probability_positive(np.array([0.0, -2.0]), np.ones(2)) == 0.0


RNG = np.random.default_rng(4)
LABELS = np.repeat(np.arange(12), [1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6])
X = np.round(0.04 + RNG.normal(0, 0.1, 12)[LABELS] + RNG.normal(0, 0.1, len(LABELS)), 2)


def brute_force(a: float, draws: int = 100_000) -> np.ndarray:
    """Draws of Σ w_k S_k / Σ w_k n_k with Dirichlet(a, …, a) weights, as the definition has it."""
    w = np.random.default_rng(1).dirichlet(np.full(12, a), draws)
    sums = np.array([X[k == LABELS].sum() for k in range(12)])
    return (w @ sums) / (w @ np.bincount(LABELS))


def test_the_verdict_by_brute_force():
    for a in [1.0, 1 - 4 / 12, 0.3]:
        delta = brute_force(a)
        posterior = cluster_bootstrap(X, clusters=LABELS, rope=0.02, concentration=a)
        expected = [(delta < -0.02).mean(), (np.abs(delta) <= 0.02).mean(), (delta > 0.02).mean()]
        for p, e in zip(posterior.verdict().probabilities.values(), expected, strict=True):
            assert p == pytest.approx(e, abs=4 * np.sqrt(e * (1 - e) / len(delta)))
        row = posterior.summary().loc["delta"]
        assert row["mean"] == pytest.approx(delta.mean(), abs=4 * delta.std() / 300)
        assert row["sd"] == pytest.approx(delta.std(), rel=0.015)


def test_the_default_has_the_variance_of_the_t_test():
    """Items without clusters: that of Student's t with n − 1 degrees of freedom."""
    x = np.random.default_rng(2).normal(0.1, 1, 40)
    own = cluster_bootstrap(x, rope=0).summary().loc["delta", "sd"]
    assert own == pytest.approx(stats.t(39, 0, stats.sem(x)).std(), rel=1e-4)


def test_the_default_has_the_standard_error_of_leaving_out_clusters():
    """Of t with K − 1 degrees of freedom; computed by leaving out, one cluster at a time."""
    for labels in [np.repeat(np.arange(200), 5), np.arange(1000) % 211 % 160]:
        rng = np.random.default_rng(3)
        K = len(np.unique(labels))
        x = rng.normal(0, 1, K)[labels] + rng.normal(0, 1, len(labels))
        without = np.array([x[labels != k].mean() for k in range(K)])
        error = np.sqrt(np.sum((without - x.mean()) ** 2))
        own = cluster_bootstrap(x, clusters=labels, rope=0).summary().loc["delta", "sd"]
        assert own == pytest.approx(error * np.sqrt((K - 1) / (K - 3)), rel=2e-3)


def test_the_concentration_gives_clusters_of_one_size_their_variance():
    """Weights are Dirichlet(a, …, a), so that δ, linear in them, has Σ r²/n² K/(aK + 1)."""
    labels = np.repeat(np.arange(10), 4)
    x = np.random.default_rng(3).normal(0, 1, 10)[labels]
    posterior = cluster_bootstrap(x, clusters=labels, rope=0)
    without = np.array([x[labels != k].mean() for k in range(10)])
    squares = np.sum((np.bincount(labels, weights=x - x.mean()) / 40) ** 2)
    variance = squares * 10 / (posterior.concentration * 10 + 1)
    assert variance == pytest.approx(np.sum((without - x.mean()) ** 2) * 9 / 7)
    alone = cluster_bootstrap(x[::4], clusters=np.arange(10), rope=0)
    assert alone.concentration == pytest.approx(1 - 4 / 10)


def test_clusters_widen_the_interval():
    apart = cluster_bootstrap(X, rope=0.02).interval
    together = cluster_bootstrap(X, clusters=LABELS, rope=0.02).interval
    assert together[1] - together[0] > 1.2 * (apart[1] - apart[0])


def test_draws_and_density_are_of_the_same_posterior():
    posterior = cluster_bootstrap(X, clusters=LABELS, rope=0.02, seed=1)
    at = np.linspace(*posterior.ends, 400)
    below = [posterior.tail(x, upper=False)[0] for x in at]
    delta = posterior.draws["delta"].ravel()
    assert stats.kstest(delta, lambda t: np.interp(t, at, below)).pvalue > 1e-3
    x, density = posterior.density()
    assert trapezoid(density, x) == pytest.approx(1, abs=1e-3)


def test_equal_clusters_are_taken_together():
    few = cluster_bootstrap([0, 0, 0, 1, 1, -1, 0, 1], rope=0.1)
    assert few.times.tolist() == [1, 4, 3]


def test_very_many_clusters_are_binned_without_a_trace():
    x = np.random.default_rng(5).normal(0.002, 1, 30_000)
    posterior = cluster_bootstrap(x, rope=0)
    assert len(posterior.sums) < 4100
    z = x.mean() / np.sqrt(((x - x.mean()) ** 2).sum()) * np.sqrt(len(x)) * np.sqrt(len(x) - 3)
    assert posterior.verdict().p_right == pytest.approx(stats.norm.cdf(z), abs=2e-3)


def test_no_spread_is_no_certainty():
    posterior = cluster_bootstrap([0.0] * 10, rope=0.05, span=1)
    verdict = posterior.verdict()
    assert 0.5 < verdict.p_rope < 0.99
    assert "half a cluster at either extreme, ±1" in posterior.notes[0]
    assert verdict.p_left == pytest.approx(verdict.p_right, abs=1e-12)


def test_no_spread_and_nothing_to_go_by():
    with pytest.raises(
        bc.InputError,
        match=r"span must be given if all scores are equal.*Give e\.g\. 1 for scores",
    ):
        cluster_bootstrap([0.0] * 10, rope=0.05)


def test_few_clusters_are_said_to_be_few():
    few = cluster_bootstrap(X[:19], clusters=LABELS[:19], rope=0)
    assert few.notes == (
        "6 clusters: with fewer than 8 the interval may be too narrow (95% intervals of 6 cover "
        "0.86 to 0.96 in simulations)",
    )
    assert cluster_bootstrap(X, clusters=LABELS, rope=0).notes == ()
    assert cluster_bootstrap(X, rope=0).notes == ()


def test_too_few_clusters_decide_nothing():
    """Three clusters of two items, all won; the fewest with which a sign test rejects are six."""
    for options in [{}, {"concentration": 1}, {"span": 1}]:
        with pytest.raises(bc.InputError, match=r"at least 6 clusters .got 3 of 6 questions"):
            cluster_bootstrap([1.0] * 6, clusters=[1, 1, 2, 2, 3, 3], rope=0.01, **options)
        with pytest.raises(bc.InputError, match=r"x must have at least 6 questions .got 5"):
            cluster_bootstrap([1.0] * 5, rope=0.01, **options)
        decided = cluster_bootstrap([1.0] * 12, clusters=[*range(6)] * 2, rope=0.01, **options)
        assert decided.verdict().decision == "second"
        assert stats.binomtest(5, 5).pvalue > 0.05 > stats.binomtest(6, 6).pvalue


def test_of_items():
    table = answers({"a": [0, 0, 1, 1, 1, 0, 1], "b": [1, 0, 1, 0, 1, 1, 1]}, benchmark="x")
    pair = bc.Items(table.assign(cluster=[*"ppqrstu"] * 2)).pair("a", "b")
    posterior = cluster_bootstrap(pair, rope=0.1)
    assert (posterior.size_text, posterior.dataset) == ("7 questions in 6 clusters", "x")
    assert posterior.verdict().measured == "accuracy ↑"


def test_equal_graded_scores_take_the_range_of_the_metric():
    table = answers({"a": [0.5, 0.25, 1.0] * 2, "b": [0.5, 0.25, 1.0] * 2})
    posterior = cluster_bootstrap(bc.Items(table).pair("a", "b"), rope=0.1)
    assert posterior.span == 1


@each_row(
    ("options", "message"),
    [
        ({"clusters": [1, 2]}, r"clusters must .*shape \(2,\) for 6 differences"),
        ({"clusters": [1] * 6}, "at least 6 clusters .got 1 of 6 questions"),
        ({"concentration": 0}, "concentration must be"),
        ({"span": -1}, "span must be"),
        ({"rope": -1}, "rope"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(bc.InputError, match=message):
        cluster_bootstrap([0.1, 0.2, 0.4] * 2, **{"rope": 0.1, **options})


def test_clusters_of_items_are_their_own():
    pair = bc.Items(TWO).pair("a", "b").on("x")
    with pytest.raises(
        bc.InputError, match=r"clusters must be left out, since an ItemPair has its own"
    ):
        cluster_bootstrap(pair, clusters=[1, 2, 3], rope=0.1)


def test_its_name_says_what_is_weighted(tmp_path):
    x = np.linspace(-0.1, 0.3, 12)
    for clusters, units in ((None, "questions"), (np.arange(12) // 2, "clusters")):
        post = cluster_bootstrap(x, clusters=clusters, rope=0.02)
        post.save(tmp_path / "post.npz")
        for one in (post, bc.load(tmp_path / "post.npz")):
            assert one.method == f"Bayesian bootstrap over {units}"
            assert f"Dirichlet weights of the {units}, concentration" in one.prior_text
