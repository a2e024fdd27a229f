"""Two or more proportions from independent trials: integrals checked by other ways."""

from decimal import Decimal
from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import betaln

import bayescmp as bc
from bayescmp.bayesian import proportions
from bayescmp.bayesian.proportions import probabilities_best, upper_tail
from tests.rows import each_row

#: From few trials to many, with proportions of 0 and 1 and unequal sizes.
PAIRS = [
    ((14.5, 6.5), (17.5, 3.5)),
    ((0.5, 5.5), (5.5, 0.5)),
    ((140.5, 60.5), (170.5, 30.5)),
    ((3.5, 1.5), (201.5, 99.5)),
    ((1.0, 1.0), (1.0, 1.0)),
]


def by_quad(first, second, x):
    """P(p₂ − p₁ > x) by SciPy's adaptive quadrature over p₂ = sin²θ, in pieces about its bulk."""
    one, two = stats.beta(*first), stats.beta(*second)
    levels = [1e-9, 1e-4, 0.02, 0.3, 0.7, 0.98, 1 - 1e-4, 1 - 1e-9]
    cuts = np.clip([0, 1, *two.ppf(levels), *(x + one.ppf(levels))], max(x, 0), 1)
    (c, d), constant = second, betaln(*second)

    def integrand(angle):
        density = 2 * np.sin(angle) ** (2 * c - 1) * np.cos(angle) ** (2 * d - 1)
        return density * one.cdf(np.sin(angle) ** 2 - x)

    edges = np.unique(np.arcsin(np.sqrt(cuts)))
    parts = [
        integrate.quad(integrand, low, high, epsabs=3e-11, epsrel=0, limit=400)[0]
        for low, high in pairwise(edges)
    ]
    return sum(parts) / np.exp(constant)


@each_row(("first", "second"), PAIRS)
@each_row("x", [-0.3, -0.02, 0.0, 0.001, 0.05, 0.4])
def test_probabilities_by_quadrature_of_the_other_variable(first, second, x):
    """SciPy 1.17.1's quad to 1e-10, over the density of the second instead of the first."""
    own, error = upper_tail(first, second, x)
    assert own == pytest.approx(by_quad(first, second, x), abs=1e-9)
    assert error < 1e-9
    assert own + upper_tail(second, first, -x)[0] == pytest.approx(1, abs=1e-11)


def test_probability_in_closed_form():
    """Whole parameters: Σ_i B(a₁ + i, b₁ + b₂) / ((b₂ + i)·B(1 + i, b₂)·B(a₁, b₁))."""
    (a, b), (c, d) = (15, 7), (18, 4)
    total = sum(
        np.exp(betaln(a + i, b + d) - betaln(1 + i, d) - betaln(a, b)) / (d + i) for i in range(c)
    )
    assert upper_tail((a, b), (c, d), 0.0)[0] == pytest.approx(total, abs=1e-12)


@each_row(
    ("counts", "rope", "prior", "expected"),
    [
        (((14, 20), (17, 20)), 0, 0.5, ".1279 0 .8721"),
        (((14, 20), (17, 20)), 0.02, 0.5, ".0981 .0657 .8362"),
        (((14, 20), (17, 20)), 0.05, 0.5, ".063646 .1656 .7707"),
        (((14, 20), (17, 20)), 0, 1, ".1386 0 .8614"),
        (((14, 20), (17, 20)), 0.02, 1, ".1068 .0696 .8236"),
        (((14, 20), (17, 20)), 0.05, 1, ".0698 .1749 .7553"),
        (((140, 200), (170, 200)), 0.05, 0.5, "7.845e-7 .007838 .992161"),
        (((0, 5), (5, 5)), 0.01, 0.5, "1.957e-4 5.3e-5 .999751"),
    ],
)
def test_verdicts(counts, rope, prior, expected):
    """Values that were computed with other code (fixed quadrature of SciPy's beta on a grid).

    Each to half a unit of its last digit.
    """
    verdict = proportions(*counts, rope=rope, prior=(prior, prior)).verdict()
    p = verdict.p_left, verdict.p_rope, verdict.p_right
    for own, text in zip(p, expected.split(), strict=True):
        last = Decimal(text).as_tuple().exponent
        assert own == pytest.approx(float(text), abs=0.51 * 10.0**last)


@each_row("prior", [(2.0, 0.5), (0.5, 4.0)])
def test_weights_of_a_prior_are_of_successes_and_failures(prior):
    """SciPy's Beta(a + s, b + n − s), and their moments; the difference by quadrature of them."""
    a, b = prior
    first, second = stats.beta(a + 3, b + 9), stats.beta(a + 7, b + 2)
    posterior = proportions((3, 12), (7, 9), rope=0.1, prior=prior)
    expected = by_quad((a + 3, b + 9), (a + 7, b + 2), 0.1)
    assert posterior.verdict().p_right == pytest.approx(expected, abs=1e-9)
    table = posterior.summary()
    for name, law in (("first", first), ("second", second)):
        row = [law.mean(), law.std(), *law.ppf([0.5, 0.025, 0.975])]
        own = table.loc[name, ["mean", "sd", "median", "2.5%", "97.5%"]]
        assert own.tolist() == pytest.approx(row, rel=1e-9)
    delta = table.loc["delta", ["mean", "sd"]].tolist()
    assert delta == pytest.approx(
        [second.mean() - first.mean(), np.hypot(first.std(), second.std())], rel=1e-9
    )
    best = bc.compare_counts({"a": (3, 12), "b": (7, 9), "c": (0, 1)}, prior=prior).p_best
    third = stats.beta(a, b + 1)
    wanted = integrate.quad(
        lambda x: second.pdf(x) * first.cdf(x) * third.cdf(x), 0, 1, epsabs=1e-10, limit=400
    )[0]
    assert best["b"] == pytest.approx(wanted, abs=1e-7)


def test_a_verdict_by_draws():
    """Two million draws of NumPy's Beta; within four standard errors."""
    rng = np.random.default_rng(5)
    d = rng.beta(9.5, 1.5, 2_000_000) - rng.beta(30.5, 9.5, 2_000_000)
    verdict = proportions((30, 39), (9, 10), rope=(-0.1, 0.05)).verdict()
    drawn = [(d < -0.1).mean(), ((d >= -0.1) & (d <= 0.05)).mean(), (d > 0.05).mean()]
    assert [*verdict.probabilities.values()] == pytest.approx(drawn, abs=4 * 0.5 / np.sqrt(2e6))
    assert verdict.mean_interval[0] == pytest.approx(np.quantile(d, [0.025, 0.975]), abs=2e-3)
    assert verdict.estimate[0] == pytest.approx(np.median(d), abs=1e-3)


def test_quantiles_and_density_agree_with_the_tails():
    posterior = proportions("14/20", "17/20", rope=0.05)
    for p in (0.025, 0.5, 0.9):
        assert posterior.tail(posterior.quantile(p), upper=False)[0] == pytest.approx(p, abs=1e-10)
    x, density = posterior.density()
    assert np.trapezoid(density, x) == pytest.approx(0.9998, abs=1e-4)
    own = posterior.draws["delta"]
    assert own.mean() == pytest.approx(posterior.summary().loc["delta", "mean"], abs=0.006)


def test_swapping_turns_the_verdict():
    one = proportions({"a": (3, 9), "b": (11, 12)}, rope=(-0.1, 0.02))
    other = proportions({"b": (11, 12), "a": (3, 9)}, rope=(-0.02, 0.1))
    same = proportions({"b": (11, 12), "a": (3, 9)}, rope=(-0.1, 0.02), names=("a", "b"))
    turned = other.verdict().swapped().probabilities
    assert [*one.verdict().probabilities.values()] == pytest.approx([*turned.values()], abs=1e-12)
    assert same.verdict() == one.verdict()


def test_without_a_rope_the_direction_is_judged():
    posterior = proportions("140/200", "170/200")
    assert posterior.rope.empty
    assert posterior.verdict().decision == "second"
    assert posterior.verdict(rope=0.3).decision == "equivalent"
    assert posterior.rope_curve([0, 0.1, 0.3])["p_rope"].is_monotonic_increasing


def test_probability_of_being_best():
    """The pair's own integral, and two million draws for five of very different sizes."""
    for first, second in PAIRS:
        best = probabilities_best([first, second])
        assert best[1] == pytest.approx(upper_tail(first, second, 0.0)[0], abs=1e-9)
    weights = [(14.5, 6.5), (17.5, 3.5), (5.5, 0.5), (0.5, 20.5), (1e6, 2e5)]
    rng = np.random.default_rng(0)
    drawn = np.array([rng.beta(*w, 2_000_000) for w in weights]).argmax(axis=0)
    shares = np.bincount(drawn, minlength=5) / 2e6
    assert probabilities_best(weights) == pytest.approx(shares, abs=4 * 0.5 / np.sqrt(2e6))
    assert probabilities_best([(8.5, 3.5)] * 4) == pytest.approx([0.25] * 4, abs=1e-12)


@each_row("n", [1, 10**6, 10**9])
def test_hostile_counts(n):
    """One trial or very many, none or all successes, and ties, have probabilities."""
    for first in (0, n // 2, n):
        for second in (0, n):
            v = proportions((first, n), (second, n), rope=0.01).verdict()
            assert sum(v.probabilities.values()) == pytest.approx(1, abs=1e-9)
            assert np.isfinite(v.mean_interval).all()
            if first == second:
                assert v.p_left == pytest.approx(v.p_right, abs=1e-9)


@each_row("prior", [(0, 1), 0.5, (1, 2, 3), "jeffreys", (np.nan, 1), (0.01, 1), None])
def test_wrong_priors(prior):
    with pytest.raises(bc.InputError, match=r"prior must be two weights from 0\.05"):
        proportions("14/20", "17/20", prior=prior)


def test_a_plan_names_the_call_for_separate_trials():
    """The named call runs, and its variance is p₁(1 − p₁) + p₂(1 − p₂)."""
    posterior = proportions("14/20", "17/20", rope=0.02)
    with pytest.raises(bc.InputError) as error:
        posterior.plan()
    call = str(error.value).split("use ")[1].rstrip(".")
    plan = eval(call, {"bayescmp": bc})
    assert plan.frame["decided"].is_monotonic_increasing
    first, second = stats.beta(14.5, 6.5).mean(), stats.beta(17.5, 3.5).mean()
    expected = (second - first, first * (1 - first) + second * (1 - second), 0.0)
    assert plan.benchmark == pytest.approx(expected, rel=5e-3)  # it is named with three digits
    assert not posterior.has_plan


def test_fragility_is_of_trials():
    """Without two failures of the first, the verdict that it is worse is no longer decided."""
    posterior = proportions("14/20", "40/41", rope=0)
    found = posterior.fragility()
    failures = found.size
    assert found.names == ("failure of first",) * failures
    assert proportions((14, 20 - failures), "40/41", rope=0).verdict().decision == "undecided"
    rest = proportions((14, 20 - failures + 1), "40/41", rope=0).verdict()
    assert rest.decision == posterior.verdict().decision == "second"
