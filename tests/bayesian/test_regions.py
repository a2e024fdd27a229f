"""What posteriors of several metrics share: ropes, curves of them, words, saving."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import integrate, stats
from scipy.special import stdtr

import bayescmp as bc
from bayescmp.bayesian import multivariate_t
from bayescmp.bayesian.regions import (
    REGIONS,
    MultivariateT,
    classify,
    membership,
    region_probabilities,
)
from bayescmp.scores.rope import Rope, as_ropes
from tests.marks import first_and_slow
from tests.rows import each_row

METRICS = ("a", "b", "c")
ROPES = as_ropes([0.1, (-0.2, 0.3), 0.1], METRICS)


@each_row(
    ("x", "region"),
    [
        ((0, 0, 0), "equivalent"),
        ((0.1, 0.3, -0.1), "equivalent"),  # ends belong to the rope
        ((0.1, -0.2, 0.1), "equivalent"),
        ((0.11, 0, 0), "second"),
        ((0.5, 0.5, 0.5), "second"),
        ((0, -0.21, 0), "first"),
        ((-1, -1, 0), "first"),
        ((0.11, -0.21, 0), "trade_off"),
        ((-1, 1, 1), "trade_off"),
    ],
)
def test_region_of_a_point(x, region):
    assert REGIONS[classify(np.array(x, dtype=float), ROPES)] == region


def by_definition(x, ropes):
    worse = any(v < r.low for v, r in zip(x, ropes, strict=True))
    better = any(v > r.high for v, r in zip(x, ropes, strict=True))
    if worse and better:
        return "trade_off"
    return "first" if worse else "second" if better else "equivalent"


points = arrays(float, (7, 3), elements=st.floats(-1, 1))


@given(points)
def test_all_as_the_definition_says_and_sums_to_one(x):
    defined = [by_definition(row, ROPES) for row in x]
    assert [REGIONS[i] for i in classify(x, ROPES)] == defined
    shares = membership(x, ROPES)
    assert np.all(shares.sum(axis=-1) == 1)
    assert shares.mean(axis=0) == pytest.approx([defined.count(r) / 7 for r in REGIONS])


@given(points)
def test_the_other_order_mirrors(x):
    p, q = membership(x, ROPES), membership(-x, ROPES.swapped())
    np.testing.assert_array_equal(q, p[:, [0, 2, 1, 3]])


@given(points, st.permutations(range(3)))
def test_the_metrics_order_does_not_matter(x, order):
    turned = as_ropes([ROPES[j] for j in order], METRICS)
    np.testing.assert_array_equal(membership(x[:, order], turned), membership(x, ROPES))


def test_without_a_rope_equivalence_is_not_possible():
    ropes = as_ropes([0, 0.1, 0.1], METRICS)
    x = np.array([[0, 0, 0], [0.01, 0, 0], [-0.01, 0, 0], [0.01, -0.2, 0]])
    assert membership(x, ropes).tolist() == [
        [0, 0.5, 0.5, 0],
        [0, 0, 1, 0],
        [0, 1, 0, 0],
        [0, 0, 0, 1],
    ]


def random_t(seed, p, r=None):
    rng = np.random.default_rng(seed)
    return MultivariateT(
        float(rng.uniform(2, 40)), rng.normal(size=p) * 0.7, rng.normal(size=(p, r or p))
    )


def ropes_of(p, *halves):
    return as_ropes(list(halves) * p if len(halves) == 1 else list(halves), list("abcdefg"[:p]))


@each_row("seed", range(8))
def test_quadrants_of_two_metrics_are_scipys(seed):
    t = random_t(seed, 2)
    p, errors = t.regions(ropes_of(2, 0), seed=seed)

    def below(signs):  # P(s1 x1 <= 0, s2 x2 <= 0)
        s = np.array(signs, dtype=float)
        shape = t.scale * np.outer(s, s)
        return stats.multivariate_t.cdf(
            np.zeros(2), s * t.location, shape, t.df, maxpts=30_000, random_state=1
        )

    expected = [0, below((1, 1)), below((-1, -1)), below((1, -1)) + below((-1, 1))]
    np.testing.assert_allclose(p, expected, atol=1e-4)
    assert errors.max() < 1e-5


ALIKE, ONE = np.array([[1.0], [2.0]]), np.array([[1.0]])
INF = np.inf


@each_row(
    ("factor", "rope", "impossible"),
    [
        (None, (-0.1, INF), ["second", "trade_off"]),
        (None, (-INF, 0.1), ["first", "trade_off"]),
        (None, (0, INF), ["second", "trade_off"]),
        (ALIKE, [0.1, 0.2], ["trade_off"]),  # the second metric is twice the first
        (ONE, [0.3], ["trade_off"]),
    ],
)
@each_row("p", [2, 3])
@each_row("points", [None, 256])
def test_what_cannot_be_has_a_probability_of_exactly_zero(factor, rope, impossible, p, points):
    """By corners and by lines: rounding gives no region a probability."""
    for seed in range(20):
        t = random_t(seed, p)
        given = (t.location, t.factor) if factor is None else (factor[:, 0] * seed / 9, factor)
        t = MultivariateT(np.rint(t.df), *given)
        ropes = as_ropes(rope, METRICS[: len(t.location)])
        shares = dict(zip(REGIONS, t.regions(ropes, points=points)[0].tolist(), strict=True))
        assert [shares[region] for region in impossible] == [0.0] * len(impossible)
        assert sum(shares.values()) == pytest.approx(1, abs=1e-12)


@each_row("df", [1, 2, 3, 8, 57, 298])
@each_row("r", [-0.9999, -0.6, 0.0, 0.3, 0.999999])
def test_corners_of_two_metrics_are_scipys(df, r):
    """Given the first, the second is Student's t with one more degree of freedom."""
    t = MultivariateT(
        float(df), np.array([0.2, -0.3]), np.array([[1, 0], [r, np.sqrt(1 - r * r)]])
    )
    low, high = np.array([-0.5, 0.0]), np.array([0.4, 0.8])
    ropes = as_ropes(list(zip(low, high, strict=True)), METRICS[:2])

    def mass(first, second):
        (a, b), ends = np.array([first, second]) - t.location[:, None]
        at_zero = stats.t.pdf(0, df)

        def inside(x):
            scale = np.sqrt((1 - r * r) * (df + x * x) / (df + 1))
            density = at_zero * (1 + x * x / df) ** (-(df + 1) / 2)
            return density * np.diff(stdtr(df + 1, (ends - r * x) / scale))[0]

        steps = ends[np.isfinite(ends)] / (r or 1)
        width = 10 * np.sqrt(1 - r * r)
        knots = [*steps, *(steps - width), *(steps + width), -30, -2, 2, 30]
        edges = np.unique([a, *(z for z in knots if a < z < b), b])
        return sum(integrate.quad(inside, *ab, epsabs=1e-12)[0] for ab in pairwise(edges))

    far = np.inf
    box = mass((low[0], high[0]), (low[1], high[1]))
    first = mass((-far, high[0]), (-far, high[1])) - box
    second = mass((low[0], far), (low[1], far)) - box
    p, errors = t.regions(ropes)
    np.testing.assert_allclose(p, [box, first, second, 1 - box - first - second], atol=1e-9)
    assert errors.max() == 1e-15
    lines, _ = t.regions(ropes, points=16_384)
    np.testing.assert_allclose(lines, p, atol=1e-5)


@each_row("df", [8, 9])
def test_ropes_of_two_metrics_without_an_end(df):
    t = MultivariateT(float(df), np.array([0.1, 0.2]), np.array([[0.1, 0.3], [0.2, -0.1]]))
    p, _ = t.regions(as_ropes([(-0.1, np.inf), (-1e9, np.inf)], METRICS[:2]))
    worse = stats.t.cdf(-0.2 / np.hypot(0.1, 0.3), df)
    np.testing.assert_allclose(p, [1 - worse, worse, 0, 0], atol=1e-12)


@each_row("df", [3.0, 30.0])
def test_box_of_two_metrics_by_brute_force(df):
    t = MultivariateT(df, np.array([0.3, -0.1]), np.array([[0.5, 0.0], [0.3, 0.4]]))
    ropes = ropes_of(2, 0.4, (-0.2, 0.6))
    top, inverse = stats.multivariate_t.pdf([0, 0], shape=t.scale, df=df), np.linalg.inv(t.scale)

    def density(x):
        z = x - t.location
        return top * (1 + z @ inverse @ z / df) ** (-(df + 2) / 2)

    def mass(xs, ys):
        return integrate.dblquad(lambda y, x: density(np.array([x, y])), *xs, *ys, epsabs=1e-9)[0]

    far = 400.0
    box = mass((-0.4, 0.4), (-0.2, 0.6))
    second = mass((-0.4, 3), (-0.2, 3)) + mass((3, far), (-0.2, 3)) + mass((-0.4, far), (3, far))
    p, errors = t.regions(ropes, seed=4)
    assert p[0] == pytest.approx(box, abs=1e-6)
    assert p[2] == pytest.approx(second - box, abs=2e-5)
    assert errors.max() < 1e-6


@each_row(("p", "r"), [(3, 3), (4, 4), (5, 5), (4, 2), (3, 1), (6, 4)])
def test_more_metrics_and_subspaces_agree_with_plain_draws(p, r):
    t = random_t(100 + p, p, r)
    ropes = ropes_of(p, 0.5)
    actual, errors = t.regions(ropes, seed=2)
    n = 200_000
    shares = membership(t.sample(np.random.default_rng(3), (n,)), ropes).mean(axis=0)
    tolerance = 4.5 * np.sqrt(shares * (1 - shares) / n + errors**2) + 5 / n
    assert np.all(np.abs(actual - shares) < tolerance)


@pytest.mark.parametrize("p", first_and_slow(3, 4, 5))
def test_stated_errors_are_honest(p):
    t, ropes = random_t(7, p), ropes_of(p, 0.3)
    runs = [t.regions(ropes, seed=s) for s in range(40)]
    values, errors = (np.array([run[i] for run in runs]) for i in (0, 1))
    spread, stated = values.std(axis=0, ddof=1), np.sqrt((errors**2).mean(axis=0))
    live = values.mean(axis=0) > 1e-3
    # 39 degrees of freedom: the ratio of the two is within 0.6 to 1.6 but for bad luck of 1e-4
    assert np.all((spread / stated)[live] > 0.6)
    assert np.all((spread / stated)[live] < 1.6)


def test_a_metric_without_spread():
    t = MultivariateT(9.0, np.array([0.1, 0.05]), np.array([[0.2], [0.0]]))
    p, _ = t.regions(ropes_of(2, 0.1, 0.05))  # the second lies at the end, which is within
    right, left = stats.t.sf(0, 9), stats.t.cdf(-1.0, 9)
    np.testing.assert_allclose(p, [1 - right - left, left, right, 0], atol=1e-14)
    p, _ = t.regions(ropes_of(2, 0.1, 0.04))  # now the second is better there in any case
    np.testing.assert_allclose(p, [0, 0, 1 - left, left], atol=1e-14)


def test_all_mass_on_a_point():
    t = MultivariateT(9.0, np.array([0.1, -0.5]), np.zeros((2, 0)))
    assert t.regions(ropes_of(2, 0.1))[0].tolist() == [0, 1, 0, 0]
    assert t.regions(ropes_of(2, 0.05))[0].tolist() == [0, 0, 0, 1]
    zero = MultivariateT(9.0, np.zeros(2), np.zeros((2, 0)))
    assert zero.regions(ropes_of(2, 0))[0].tolist() == [0, 0.5, 0.5, 0]


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.integers(1, 4))
def test_mirror_and_units(seed, p):
    t = random_t(seed, p)
    ropes = ropes_of(p, (-0.3, 0.5))
    result, errors = t.regions(ropes, seed=1)
    np.testing.assert_allclose(result.sum(), 1, atol=1e-12)
    turned = MultivariateT(t.df, -t.location, t.factor).regions(ropes.swapped(), seed=1)[0]
    np.testing.assert_allclose(turned[[0, 2, 1, 3]], result, atol=5 * errors.max() + 1e-12)
    scaled = MultivariateT(t.df, 100 * t.location, 100 * t.factor)
    np.testing.assert_allclose(scaled.regions(ropes.scaled(100), seed=1)[0], result, atol=1e-12)


def test_same_seed_same_numbers():
    t, ropes = random_t(1, 3), ropes_of(3, 0.2)
    assert np.array_equal(t.regions(ropes, seed=5)[0], t.regions(ropes, seed=5)[0])
    assert not np.array_equal(t.regions(ropes, seed=5)[0], t.regions(ropes, seed=6)[0])


def test_many_locations_at_once():
    t, ropes = random_t(1, 3), ropes_of(3, 0.2)
    locations = np.array([t.location, -t.location, [0, 0, 0]])
    p, errors = region_probabilities(t.df, locations, t.factor, ropes, seed=3)
    for k, location in enumerate(locations):
        alone = MultivariateT(t.df, location, t.factor).regions(ropes, seed=3)
        np.testing.assert_allclose(p[k], alone[0], atol=1e-14)
        np.testing.assert_allclose(errors[k], alone[1], atol=1e-14)


def test_linear_maps_and_distance():
    t = random_t(8, 3)
    M = np.array([[1.0, -1, 0], [0, 2, 1]])
    u = t.linear(M)
    np.testing.assert_allclose(u.scale, M @ t.scale @ M.T, atol=1e-12)
    assert u.rank == 2
    x = np.array([0.4, -0.2, 1.0])
    away = x - t.location
    assert t.distance(x) == pytest.approx(np.sqrt(away @ np.linalg.solve(t.scale, away)))
    line = MultivariateT(5.0, np.zeros(2), np.array([[1.0], [2.0]]))
    assert line.distance(np.array([0.5, 1.0])) == pytest.approx(0.5)
    assert line.distance(np.array([0.5, 1.1])) == np.inf


def test_draws_have_the_marginals():
    t = random_t(11, 2)
    x = t.sample(np.random.default_rng(1), (20_000,))
    for j in range(2):
        z = (x[:, j] - t.location[j]) / t.scales[j]
        assert stats.kstest(z, stats.t(t.df).cdf).pvalue > 1e-3


@pytest.fixture(scope="module")
def posterior():
    rng = np.random.default_rng(1)
    x = np.array([0.02, -0.005]) + 0.02 * rng.normal(size=(20, 2))
    return multivariate_t(x, rho=0.1, rope=(0.01, 0.02), metrics=("auc", "f1"), seed=1)


def test_ropes_are_its_own_or_those_given(posterior):
    assert posterior.p == 2
    assert posterior.ropes() == (Rope(-0.01, 0.01), Rope(-0.02, 0.02))
    assert posterior.ropes({"f1": 0.3, "auc": 0.1}) == (Rope(-0.1, 0.1), Rope(-0.3, 0.3))


def test_all_ropes_widen_together(posterior):
    curve = posterior.rope_curve([0.5, 1, 2])
    assert curve.index.name == "factor"
    for factor, row in curve.iterrows():
        v = posterior.verdict((0.01 * factor, 0.02 * factor))
        for region, p in v.probabilities.items():
            assert row[f"p_{region}"] == p
            assert row[f"se_{region}"] == v.errors[region]
    assert np.all(np.diff(curve["p_equivalent"]) > 0)
    assert len(posterior.rope_curve()) == 41


@each_row("widths", [[-1], [np.inf], [[1, 2]], "wide"])
def test_bad_multiples(posterior, widths):
    with pytest.raises(bc.InputError, match="widths"):
        posterior.rope_curve(widths)


def test_without_a_rope_there_is_nothing_to_widen():
    bare = multivariate_t([[0.1, 0.2], [0.2, 0.1], [0.0, 0.4]], rho=0.1, rope=0)
    with pytest.raises(bc.InputError, match="must have a ROPE in at least one metric"):
        bare.rope_curve()


def test_the_heading_names_metrics_and_ropes(posterior):
    lines = posterior.full().splitlines()
    assert any("first vs second on auc, f1" in line for line in lines)
    rope = next(line for line in lines if line.startswith("rope:"))
    for part in ("auc", "0.01", "f1", "0.02"):
        assert part in rope


def test_a_verdict_speaks_of_all_metrics(posterior):
    v = posterior.verdict()
    assert v.metrics == ("auc", "f1")
    assert list(v.probabilities) == ["equivalent", "first", "second", "trade_off"]
    assert v.target == posterior.target
