"""The signed-rank test: published values, errors, seeds."""

import json
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bayescmp.bayesian import signed_rank
from bayescmp.bayesian.signs import signed_rank as walsh


def brute_masses(z, rope, s, place, weights):
    """The masses by the definition: a double sum over pairs, a pair at ±2r counting half."""
    low, high = 2 * rope[0], 2 * rope[1]

    def half(a):
        return (a > 1e-12) + 0.5 * (np.abs(a) <= 1e-12)

    points = np.r_[0.0, z]
    sums = points[:, None] + points
    right, left = half(sums - high), half(low - sums)
    if place != "rope":
        share = {"left": (1.0, 0.0), "right": (0.0, 1.0), "sides": (0.5, 0.5)}[place]
        left[0], left[:, 0] = share[0], share[0]
        right[0], right[:, 0] = share[1], share[1]
    masses = [np.einsum("ni,ij,nj->n", weights, region, weights) for region in (left, right)]
    return np.stack([masses[0], 1 - masses[0] - masses[1], masses[1]], axis=1)


CASES = [
    (q, digits, rope, s, place)
    for q, digits in ((2, 1), (3, 0), (7, 1), (15, 2))
    for rope, s, place in (
        ((-0.5, 0.5), 0.5, "rope"),
        ((0, 0), 1.0, "rope"),
        ((-0.3, 1.0), 2.0, "left"),
        ((-1, 0), 0.5, "rope"),
        ((-0.25, 0.25), 0.4, "sides"),
        ((-2, 2), 0, "right"),
    )
]


@pytest.mark.parametrize(("q", "digits", "rope", "s", "place"), CASES)
def test_masses_are_those_of_the_definition(q, digits, rope, s, place):
    """Same distribution as double sums over draws of numpy's Dirichlet, ties included."""
    rng = np.random.default_rng(q + digits)
    z = rng.normal(0.2, 1, q).round(digits)
    weights = rng.dirichlet(np.r_[max(s, 1e-9), np.ones(q)], 20_000)
    expected = brute_masses(z, rope, s, place, weights)
    actual = signed_rank(z, rope=rope, prior=s, place=place, draws=40_000, seed=1).masses()[0]
    for k in range(3):
        if expected[:, k].std() < 1e-9:
            assert actual[:, k] == pytest.approx(expected[0, k], abs=1e-9)
        else:
            # antithetic draws: each half of the pairs is an independent sample
            assert stats.ks_2samp(actual[::2, k], expected[:, k]).pvalue > 1e-4
            assert stats.ks_2samp(actual[1::2, k], expected[:, k]).pvalue > 1e-4


@pytest.mark.parametrize(("q", "digits", "rope", "s", "place"), CASES)
def test_expected_masses_are_exact(q, digits, rope, s, place):
    """E[w_i w_j] = α_i (α_j + [i = j]) / (A (A + 1)), summed over the pairs of the definition."""
    z = np.random.default_rng(q + digits).normal(0.2, 1, q).round(digits)
    alpha = np.r_[s, np.ones(q)]
    moments = (np.outer(alpha, alpha) + np.diag(alpha)) / (alpha.sum() * (alpha.sum() + 1))
    summed = [0.0, 0.0, 0.0]
    for i in range(q + 1):
        for j in range(q + 1):
            unit = np.zeros((2, q + 1))
            unit[0, i] += 0.5
            unit[0, j] += 0.5
            unit[1, i], unit[1, j] = 0.5, -0.5
            a, b = brute_masses(z, rope, s, place, unit)  # form(u+v) - form(u-v) picks the pair
            summed = summed + moments[i, j] * (
                a - b if i != j else brute_masses(z, rope, s, place, np.eye(q + 1)[[i]])[0]
            )
    expected = signed_rank(z, rope=rope, prior=s, place=place).verdict().expected
    left, _, right = summed
    assert [expected["left"], expected["right"]] == pytest.approx([left, right], abs=1e-12)
    assert sum(expected.values()) == pytest.approx(1, abs=1e-12)


def test_two_data_sets_by_integration_over_the_simplex():
    """The verdict from a fine grid on the simplex of (w0, w1, w2) ~ Dirichlet(1, 1, 1)."""
    z, rope = np.array([-0.4, 1.0]), (-0.2, 0.2)
    k = 900
    i, j = np.meshgrid(np.arange(k), np.arange(k), indexing="ij")
    inside = i + j < k - 1  # the lower of each cell's two triangles
    grid = (np.stack([i[inside], j[inside]], axis=1) + 1 / 3) / k
    weights = np.column_stack([grid, 1 - grid.sum(axis=1)])
    masses = brute_masses(z, rope, 1.0, "rope", weights)
    shares = (masses == masses.max(axis=1, keepdims=True)).mean(axis=0)
    posterior = signed_rank(z, rope=rope, prior=1.0, draws=400_000, seed=1).verdict()
    assert list(posterior.probabilities.values()) == pytest.approx(shares, abs=4e-3)
    for region, p in zip(("left", "rope", "right"), shares, strict=True):
        assert abs(posterior.probabilities[region] - p) < 4 * posterior.errors[region] + 1.5e-3


def test_kept_weights_are_the_drawn_ones(monkeypatch):
    x = np.random.default_rng(1).normal(0.01, 0.02, 30)
    kept = signed_rank(x, rope=0.01, seed=7).masses()
    monkeypatch.setattr(walsh, "KEPT", 0)
    assert np.array_equal(signed_rank(x, rope=0.01, seed=7).masses(), kept)


def test_memory_is_bounded():
    x = np.random.default_rng(1).normal(0.01, 0.02, 3000)
    tracemalloc.start()
    signed_rank(x, rope=0.01, draws=4000, seed=1).verdict()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6  # all weights at once would be 96 MB twice over


PUBLISHED = {
    case["name"]: case
    for case in json.loads(
        (Path(__file__).parents[2] / "reference" / "paired_published.json").read_text()
    )["cases"]
}
#: Where the slides of the tutorial put the prior's weight.
PLACE = {"main": "sides", "z0_minus_inf": "left", "z0_plus_inf": "right"}


def p_of(posterior, rope=None):
    v = posterior.verdict(rope)
    return [v.p_left, v.p_rope, v.p_right]


@pytest.fixture(scope="module")
def means(reference_dir):
    return pd.read_csv(reference_dir / "accuracy_means_uci54.csv")


@pytest.mark.parametrize("name", [n for n in PUBLISHED if n.startswith("bayes_signrank_s0")])
def test_signed_rank_test_of_the_tutorial(means, name):
    case = PUBLISHED[name]
    p = case["parameters"]
    x = means[p["b"]] - means[p["a"]]
    posterior = signed_rank(x, rope=p["rope"], prior=p["prior_strength"], seed=1)
    assert p_of(posterior) == pytest.approx(
        case["expected"]["left_rope_right"], abs=case["tolerance"]
    )


@pytest.mark.parametrize("slide", PLACE)
def test_nine_pairs_under_three_priors(means, slide):
    """The printed tables come of prior weight 0.4, split to both sides or at either infinity."""
    case = PUBLISHED[f"bayes_signrank_slides_{slide}"]
    p = case["parameters"]
    for pair, published in zip(p["rows"], case["expected"]["left_rope_right"], strict=True):
        first, second = pair.split("-")
        posterior = signed_rank(
            means[second] - means[first],
            rope=p["rope"],
            seed=1,
            prior=p["prior_strength"],
            place=PLACE[slide],
        )
        assert p_of(posterior) == pytest.approx(published, abs=case["tolerance"] + 0.001)


def test_baycomp_documentation(reference_dir):
    case = PUBLISHED["baycomp_docs_signrank_nbc_j48"]
    table = pd.read_csv(reference_dir / "baycomp_docs_means_percent.csv")
    posterior = signed_rank(table["j48"] - table["nbc"], rope=1, prior=0.5, seed=1)
    assert p_of(posterior) == pytest.approx(
        case["expected"]["left_rope_right"], abs=case["tolerance"]
    )


def test_errors_are_the_spread_over_seeds():
    x = np.random.default_rng(3).normal(0.01, 0.03, 12)
    runs = [signed_rank(x, rope=0.01, draws=2000, seed=s).verdict() for s in range(150)]
    for region in ("left", "rope", "right"):
        spread = np.std([v.probabilities[region] for v in runs], ddof=1)
        claimed = np.mean([v.errors[region] for v in runs])
        assert claimed == pytest.approx(spread, rel=0.25)


def test_no_draw_for_a_region_leaves_an_error_and_a_bound():
    v = signed_rank(np.linspace(0.1, 0.2, 20), rope=0.01, draws=1000, seed=1).verdict()
    assert v.p_right == 1
    assert v.floor == 1e-3
    assert all(e > 0 for e in v.errors.values())
    assert v.odds["left", "right"].bound == "under"


def test_asymmetric_rope_mirrors():
    x = np.array([0.3, -0.1, 0.02, 0.05, -0.2])
    a = signed_rank(x, rope=(-0.05, 0.02), seed=1)
    b = signed_rank(-x, rope=(-0.02, 0.05), seed=1)
    assert p_of(a) == pytest.approx(p_of(b)[::-1], abs=1e-12)


def test_same_seed_same_numbers_and_another_rope_redraws_from_them():
    x = np.random.default_rng(1).normal(0.01, 0.02, 30)
    one, again = (signed_rank(x, rope=0.01, seed=7) for _ in range(2))
    assert np.array_equal(one.masses(), again.masses())
    assert not np.array_equal(one.masses(), signed_rank(x, rope=0.01, seed=8).masses())
    wide = signed_rank(x, rope=0.03, seed=7)
    assert np.array_equal(one.masses(0.03), wide.masses())
    assert p_of(one, 0.03) == p_of(wide)


def test_odd_numbers_of_draws_are_raised():
    assert signed_rank([0.1, 0.2], rope=0, draws=11, seed=1).masses().shape == (1, 12, 3)
