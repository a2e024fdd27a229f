"""The sign test: published values, and its verdict in closed form."""

import json
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import sign, signed_rank, signs
from bayescmp.bayesian.signs import PLACES, count_regions, larger_side, largest_component
from bayescmp.scores.rope import as_rope
from tests.rows import each_row


@pytest.mark.slow
@given(st.lists(st.floats(0.3, 200), min_size=3, max_size=3))
def test_largest_component_against_scipys_gammas(alpha):
    """P(k is largest) = ∫ Π_{j≠k} F_j(F_k⁻¹(u)) du; midpoints of a rising integrand in [0, 1]
    err by half a step at most."""
    p, error = largest_component(np.array(alpha))
    assert error < 1e-10
    u = (np.arange(20_000) + 0.5) / 20_000
    for k in range(3):
        g = stats.gamma(alpha[k]).ppf(u)
        others = [stats.gamma(a).cdf(g) for i, a in enumerate(alpha) if i != k]
        assert p[k] == pytest.approx(np.mean(others[0] * others[1]), abs=2.6e-5)


def test_largest_component_against_draws():
    for alpha in [(3.0, 1.0, 4.5), (0.1, 0.2, 0.3), (400, 420, 5)]:
        alpha = np.array(alpha)
        assert largest_component(alpha)[1] < 1e-10
        draws = np.random.default_rng(1).dirichlet(alpha, 400_000).argmax(axis=1)
        share = np.bincount(draws, minlength=3) / len(draws)
        assert largest_component(alpha)[0] == pytest.approx(share, abs=4e-3)


def test_a_component_without_weight_is_never_the_largest():
    p, _ = largest_component(np.array([0.0, 2.0, 3.0]))
    # P(X < 1/2), X ~ Beta(2, 3): 1 - Σ_{k<2} C(4, k) / 2^4 = 11/16
    assert p == pytest.approx([0, 5 / 16, 11 / 16], abs=1e-12)


def test_the_larger_side_against_scipys_beta():
    """θ_right / (θ_left + θ_right) ~ Beta(α_right, α_left), whatever lies between."""
    for alpha in [(3.0, 1.0, 4.5), (0.5, 7.0, 0.5), (30.0, 0.0, 12.0)]:
        left, inside, right = larger_side(np.array(alpha))
        assert inside == 0
        assert right == pytest.approx(stats.beta(alpha[2], alpha[0]).sf(0.5), abs=1e-12)
        assert left + right == pytest.approx(1, abs=1e-12)


def test_a_side_without_weight_is_never_the_larger():
    assert larger_side(np.array([0.0, 5.0, 1.0])).tolist() == [0, 0, 1]
    assert larger_side(np.array([1.0, 5.0, 0.0])).tolist() == [1, 0, 0]
    assert larger_side(np.array([0.0, 5.0, 0.0])).tolist() == [0.5, 0, 0.5]


def test_counts_at_the_ends_of_the_rope():
    z = np.array([-0.2, -0.1, 0.0, 0.3 - 0.2, 0.11])  # 0.3 - 0.2 is not 0.1 to the last bit
    assert count_regions(z, as_rope(0.1)).tolist() == [1, 3, 1]
    assert count_regions(z, as_rope((-0.2, 0.1))).tolist() == [0, 4, 1]
    assert count_regions(z, as_rope(0)).tolist() == [2, 1, 2]


def test_the_weight_of_a_place_is_one():
    assert all(sum(shares) == 1 for shares in PLACES.values())


def p_of(posterior, rope=None):
    v = posterior.verdict_without_limits(rope)
    return [v.p_left, v.p_rope, v.p_right]


ROWS = st.lists(st.integers(-30, 30), min_size=2, max_size=25).map(lambda v: np.array(v) / 100)
ROPE = st.sampled_from([0.0, 0.005, 0.01, 0.02, 0.1])
TEST = st.sampled_from([sign, signed_rank])
BASE_PLACES = st.sampled_from(["left", "rope", "right", "sides"])
MIRROR = {"left": "right", "right": "left", "rope": "rope", "sides": "sides"}


@given(TEST, ROWS, ROPE, BASE_PLACES)
def test_swap_order_units_sum(test, x, rope, place):
    """To the last draw, not only in distribution."""
    options = {"seed": 1, "draws": 500} | ({"prior": 0.5} if test is sign else {})
    left, inside, right = p_of(test(x, rope=rope, place=place, **options))
    assert left + inside + right == pytest.approx(1, abs=1e-12)
    swapped = p_of(test(-x, rope=rope, place=MIRROR[place], **options))
    assert swapped == pytest.approx([right, inside, left], abs=1e-12)
    assert p_of(test(x[::-1], rope=rope, place=place, **options)) == [left, inside, right]
    scaled = p_of(test(x * 8, rope=rope * 8, place=place, **options))
    assert scaled == pytest.approx([left, inside, right], abs=1e-12)


@given(TEST, ROWS, st.lists(st.floats(0, 0.2), min_size=2, max_size=5).map(sorted))
def test_the_rope_gains_as_it_widens(test, x, widths):
    """Exactly, for every rope has the same weights. The sides need not fall: they also compete."""
    result = test(x, rope=0.01, draws=500, seed=1)
    p = result.rope_curve(widths)["p_rope"]
    assert (np.diff(p) >= -1e-9).all()


def test_all_differences_zero():
    for test in [sign, signed_rank]:
        assert p_of(test(np.zeros(5), rope=0.01, seed=1)) == pytest.approx([0, 1, 0], abs=1e-12)
        assert p_of(test(np.zeros(5), rope=0, seed=1)) == pytest.approx([0.5, 0, 0.5], abs=1e-12)


def test_two_data_sets_are_enough():
    for test in [sign, signed_rank]:
        left, _, right = p_of(test([0.1, 0.3], rope=0.01, seed=1))
        assert right > 0.5
        assert left == pytest.approx(0, abs=1e-12)


@each_row("test", [sign, signed_rank])
@each_row(
    ("x", "options", "message"),
    [
        ([0.1], {}, r"two data sets .*\(got only '1'\).*correlated_t"),
        ([], {}, "got nothing"),
        (["a", "b"], {}, "x must hold real numbers"),
        (0.1, {}, "x must .*got 0.1"),
        ([0.1, 0.2], {"rope": -1}, "rope must .*got -1"),
        ([0.1, 0.2], {"prior": "much"}, "prior must be a weight .*got 'much'"),
        ([0.1, 0.2], {"draws": 2.5}, "draws must be"),
        ([0.1, 0.2], {"seed": -1}, "seed must be"),
    ],
)
def test_bad_input(test, x, options, message):
    with pytest.raises(bc.InputError, match=message):
        test(x, **{"rope": 0.01, **options})


def test_rows_are_averaged():
    rows = [[0.1, 0.3], [0.0, -0.1, 0.4]]
    given_rows = signed_rank(rows, rope=0.01, seed=1)
    assert given_rows.z == pytest.approx([0.2, 0.1])
    d = bc.Differences(rows, rho=0.1, names=("a", "b"), datasets=["iris", "wine"], metric="auc")
    posterior = signed_rank(d, rope=0.01, seed=1)
    assert (posterior.names, posterior.datasets, posterior.metric) == (
        ("a", "b"),
        ("iris", "wine"),
        "auc",
    )
    assert p_of(posterior) == p_of(given_rows)
    assert p_of(signed_rank(pd.Series([0.2, 0.1], index=["x", "y"]), rope=0.01, seed=1)) == (
        pytest.approx(p_of(posterior))
    )


def test_explain_says_what_the_probability_is_of():
    for test, target in [
        (sign, "on a new data set"),
        (signed_rank, "on the average of two new data sets"),
    ]:
        v = test([0.1, 0.02, -0.05, 0.2], rope=0.01, seed=3, names=("knn", "gbm")).verdict()
        text = v.explain("paper")
        for part in (
            f"For the most probable outcome {target}, the posterior probabilities are",
            "±0.01",
            "in the ROPE",
            f"the predictive probabilities are {v.expected['right']:.3f} that gbm is practically",
        ):
            assert part in text
        assert "in the ROPE" not in test([0.1, 0.2], rope=0).verdict().explain("paper")


def test_the_prior_in_words_knows_whether_there_is_a_rope():
    x = [0.1, 0.02, -0.05]
    for test, words in ((sign, "half on each side"), (signed_rank, "at zero")):
        result = test(x, rope=0.01)
        assert result.verdict().prior.endswith("in the ROPE")
        assert result.verdict(0).prior.endswith(words)
        assert test(x, rope=0).prior_text.endswith(words)


@given(TEST, ROWS, ROPE, ROPE, BASE_PLACES)
def test_a_verdict_under_another_rope_is_that_of_a_fit_with_it(test, x, own, other, place):
    options = {"seed": 1, "place": place, "draws": 500}
    asked, fitted = test(x, rope=own, **options), test(x, rope=other, **options)
    assert p_of(asked, other) == p_of(fitted)
    assert asked.verdict(other) == fitted.verdict()


PUBLISHED = {
    case["name"]: case
    for case in json.loads(
        (Path(__file__).parents[1] / "reference" / "paired_published.json").read_text()
    )["cases"]
}


@pytest.fixture(scope="module")
def means(reference_dir):
    return pd.read_csv(reference_dir / "accuracy_means_uci54.csv")


def test_sign_test_of_the_tutorial(means):
    for name in [n for n in PUBLISHED if n.startswith("bayes_sign_")]:
        case = PUBLISHED[name]
        p = case["parameters"]
        x = means[p["b"]] - means[p["a"]]
        posterior = sign(x, rope=p["rope"], prior=p["prior_strength"], place=p["prior_place"])
        assert p_of(posterior) == pytest.approx(
            case["expected"]["left_rope_right"], abs=case["tolerance"]
        )


def test_without_a_rope_it_is_a_beta():
    """θ_right / (θ_left + θ_right) ~ Beta(wins + s/2, losses + s/2), whatever the ties."""
    for wins, losses, ties in [(7, 3, 0), (12, 9, 6), (1, 4, 2)]:
        x = np.r_[np.ones(wins), -np.ones(losses), np.zeros(ties)]
        left, inside, right = p_of(sign(x, rope=0))
        assert inside == 0
        assert right == pytest.approx(stats.beta(wins + 0.5, losses + 0.5).sf(0.5), abs=1e-12)
        bare = p_of(sign(x, rope=0, prior=0))
        assert bare[2] == pytest.approx(stats.beta(wins, losses).sf(0.5), abs=1e-12)
        assert left + right == pytest.approx(1, abs=1e-12)
        for place, shift in (("right", 1.5), ("left", -1.5)):
            a, b = wins + max(shift, 0), losses - min(shift, 0)
            actual = p_of(sign(x, rope=0, prior=1.5, place=place))
            assert actual[2] == pytest.approx(stats.beta(a, b).sf(0.5), abs=1e-12)
        sides = p_of(sign(x, rope=0, prior=1, place="sides"))
        assert sides[2] == pytest.approx(stats.beta(wins + 0.5, losses + 0.5).sf(0.5), abs=1e-12)


def test_draws_of_the_sign_test_agree_with_its_verdict():
    x = np.array([0.02] * 6 + [-0.03] * 4 + [0.001] * 3)
    for rope in (0.01, 0):
        posterior = sign(x, rope=rope, draws=200_000, seed=1)
        masses = posterior.masses()[0]
        best = masses == masses.max(axis=1, keepdims=True)
        assert best.mean(axis=0) == pytest.approx(p_of(posterior), abs=4e-3)
        assert masses.mean(axis=0) == pytest.approx(
            list(posterior.verdict().expected.values()), abs=2e-3
        )


def test_ends_of_the_rope_belong_to_it():
    x = [0.1, -0.1, 0.3 - 0.2, 0.11, -0.11]  # 0.3 - 0.2 is not 0.1 to the last bit
    assert sign(x, rope=0.1).counts().tolist() == [1, 3, 1]
    assert sign(x, rope=(-0.1, 0.11)).counts().tolist() == [1, 4, 0]


def test_two_wins_decide_nothing_without_a_rope():
    """A prior in a rope that is not there was lost: P was 1, with odds over 1e12."""
    for place in ["rope", "sides"]:
        posterior = sign([0.1, 0.2], rope=0, place=place)
        right = stats.beta(2.5, 0.5).sf(0.5)
        assert posterior.verdict().p_right == pytest.approx(right, abs=1e-12)
        assert posterior.verdict().decision == "undecided"
        share = (posterior.masses()[0][:, 2] > 0.5).mean()
        assert share == pytest.approx(right, abs=4 * np.sqrt(right * (1 - right) / 50_000))


# The signed-rank test: published values, errors, seeds.


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


def test_masses_are_those_of_the_definition():
    """Same distribution as double sums over draws of numpy's Dirichlet, ties included."""
    for q, digits, rope, s, place in CASES:
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


def test_expected_masses_are_exact():
    """E[w_i w_j] = α_i (α_j + [i = j]) / (A (A + 1)), summed over the pairs of the definition."""
    for q, digits, rope, s, place in CASES:
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
                a, b = brute_masses(
                    z, rope, s, place, unit
                )  # form(u+v) - form(u-v) picks the pair
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
    monkeypatch.setattr(signs, "KEPT", 0)
    assert np.array_equal(signed_rank(x, rope=0.01, seed=7).masses(), kept)


def test_memory_is_bounded():
    x = np.random.default_rng(1).normal(0.01, 0.02, 3000)
    tracemalloc.start()
    signed_rank(x, rope=0.01, draws=4000, seed=1).verdict()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6  # all weights at once would be 96 MB twice over


#: Where the slides of the tutorial put the prior's weight.
PLACE = {"main": "sides", "z0_minus_inf": "left", "z0_plus_inf": "right"}


def test_signed_rank_test_of_the_tutorial(means):
    for name in [n for n in PUBLISHED if n.startswith("bayes_signrank_s0")]:
        case = PUBLISHED[name]
        p = case["parameters"]
        x = means[p["b"]] - means[p["a"]]
        posterior = signed_rank(x, rope=p["rope"], prior=p["prior_strength"], seed=1, draws=50_000)
        assert p_of(posterior) == pytest.approx(
            case["expected"]["left_rope_right"], abs=case["tolerance"]
        )


def test_more_draws_are_made_only_near_the_threshold(means):
    """By the same weights: a verdict near the threshold is that of 50,000 draws."""
    x = means["j48gr"] - means["aode"]
    adaptive, whole = (
        signed_rank(x, rope=0.01, seed=1),
        signed_rank(x, rope=0.01, seed=1, draws=50_000),
    )
    exact = whole.verdict()
    clear, near = adaptive.verdict(threshold=0.99), adaptive.verdict(threshold=max(p_of(whole)))
    assert near.probabilities == exact.probabilities
    assert clear.floor == 1 / 4000 > exact.floor
    for region, p in clear.probabilities.items():
        assert abs(p - exact.probabilities[region]) < 4 * clear.errors[region]


def test_nine_pairs_under_three_priors(means):
    """The printed tables come of prior weight 0.4, split to both sides or at either infinity."""
    for slide in PLACE:
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
                draws=50_000,
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
