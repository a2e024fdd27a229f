"""What the posteriors of two models on the same items share."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad, trapezoid
from scipy.stats import beta

import bayescmp as bc
from bayescmp.bayesian import cluster_bootstrap, paired_proportions
from bayescmp.bayesian.paired.items import check_one_benchmark, order_source, upper_tail
from tests.items.tables import TWO, answers
from tests.rows import each_row

POSTERIORS = [
    paired_proportions([[40, 5], [14, 25]], rope=0.02, seed=1),
    cluster_bootstrap([0.1, 0.2, 0.0, 0.3, -0.1, 0.2, 0.15], rope=0.02, seed=1),
]


@each_row("posterior", POSTERIORS, ids=lambda p: p.kind)
@each_row("p", [1e-6, 0.5])
def test_quantiles_are_the_inverse_of_the_tails(posterior, p):
    at = posterior.quantile(p)
    assert posterior.tail(at, upper=False)[0] == pytest.approx(p, abs=1e-9)
    assert posterior.tail(at, upper=True)[0] == pytest.approx(1 - p, abs=1e-9)


def test_quantiles_are_of_probabilities():
    for posterior, p in [(POSTERIORS[0], 0), (POSTERIORS[1], 1.5)]:
        with pytest.raises(bc.InputError, match="must be a number between 0 and 1"):
            posterior.quantile(p)


@each_row("posterior", POSTERIORS, ids=lambda p: p.kind)
def test_the_verdict_is_of_three_regions(posterior):
    verdict = posterior.verdict()
    assert sum(verdict.probabilities.values()) == pytest.approx(1, abs=1e-12)
    assert verdict.exact
    assert posterior.verdict(rope=0).p_rope == 0
    assert verdict.mean_interval == ((posterior.quantile(0.025), posterior.quantile(0.975)),)
    assert posterior.rope_curve([0, 0.1])["p_rope"].is_monotonic_increasing


@each_row("posterior", POSTERIORS, ids=lambda p: p.kind)
def test_it_is_drawn(posterior):
    ax = posterior.plot()
    assert ax.get_xlabel().startswith("mean improvement of second over first")


def test_one_benchmark_at_a_time():
    pair = bc.Items(TWO).pair("a", "b")
    assert check_one_benchmark(pair.on("x"), "this test").benchmarks == ("x",)
    with pytest.raises(bc.InputError, match=r"one benchmark for this test \(got 2\).*x\.on\("):
        check_one_benchmark(pair, "this test")


def test_names_are_those_of_the_pair():
    pair = bc.Items(TWO).pair("a", "b").on("x")
    assert order_source(pair, None)[1]["names"] == ("a", "b")
    assert order_source(pair, ["a", "b"])[0] is pair
    turned, source = order_source(pair, ["b", "a"])
    assert turned.names == source["names"] == ("b", "a")
    assert turned.x.tolist() == (-pair.x).tolist()
    with pytest.raises(bc.InputError, match="in either order"):
        order_source(pair, ["c", "d"])
    words = {"unit": "benchmark", "subject": "model", "sample": "question"}
    own = {"names": ("first", "second"), "dataset": "", "pairing": "paired as given", **words}
    assert order_source([1, 2], None) == ([1, 2], own)


@each_row("posterior", POSTERIORS, ids=lambda p: p.kind)
def test_other_priors_are_those_of_other_fits(posterior):
    others = {
        "one in each cell": paired_proportions([[40, 5], [14, 25]], rope=0.02, prior=1),
        "concentration 1 (Rubin's)": cluster_bootstrap(
            [0.1, 0.2, 0.0, 0.3, -0.1, 0.2, 0.15], rope=0.02, concentration=1
        ),
    }
    settings = {setting: p for _, setting, p in posterior.variations()}
    (setting,) = settings.keys() & others.keys()
    expected = others[setting].verdict().probabilities
    assert settings[setting].tolist() == list(expected.values())
    assert set(posterior.sensitivity().frame["question"]) >= {"prior", "rope", "threshold"}


COUNTS = [[40, 5], [14, 25]]


def by_two_steps(a: float, b: float, c: float, x: float) -> float:
    """P(θ_a − θ_b > x), the other way round: θ_a first, then θ_b among what is left."""

    def inside(p: float) -> float:
        return float(beta.pdf(p, a, b + c) * beta.cdf((p - x) / (1 - p), b, c))

    mean, sd = beta.mean(a, b + c), beta.std(a, b + c)
    peak = [p for p in mean + sd * np.arange(-12, 13, 4) if x < p < 1]
    return quad(inside, x, 1, limit=500, epsabs=1e-13, epsrel=1e-12, points=peak)[0]


@each_row("x", [0.001, 0.02])
@each_row("weights", [(14.5, 5.5, 66), (2, 9, 4000)])
def test_the_tail_by_another_factorisation(weights, x):
    p, error = upper_tail(*weights, x)
    assert p == pytest.approx(by_two_steps(*weights, x), abs=1e-11)
    assert error < 1e-11


def test_the_verdict_by_brute_force():
    """Four million draws of the whole table."""
    theta = np.random.default_rng(1).dirichlet([40.5, 5.5, 14.5, 25.5], 1_000_000)
    delta = theta[:, 2] - theta[:, 1]
    expected = [(delta < -0.02).mean(), (np.abs(delta) <= 0.02).mean(), (delta > 0.02).mean()]
    own = paired_proportions(COUNTS, rope=0.02).verdict().probabilities
    for p, e in zip(own.values(), expected, strict=True):
        assert p == pytest.approx(e, abs=4 * np.sqrt(max(e, 1e-5) / 1e6))


def test_without_a_rope_agreement_does_not_matter():
    """θ_b / (θ_a + θ_b) is a Beta, whatever both get right."""
    verdict = paired_proportions(COUNTS, rope=0).verdict()
    assert verdict.p_right == pytest.approx(beta.sf(0.5, 14.5, 5.5), rel=1e-12)
    assert verdict.p_rope == 0


def test_the_prior_is_in_items_and_stated():
    heavy = paired_proportions(COUNTS, rope=0.02, prior=1.5)
    table = paired_proportions(np.array(COUNTS) + 1, rope=0.02)
    assert heavy.verdict().p_right == pytest.approx(table.verdict().p_right, abs=1e-12)
    assert heavy.verdict().prior == "Dirichlet(1.5, 1.5, 1.5, 1.5)"


def test_either_accuracy_has_a_uniform_prior():
    for model in ["first", "second"]:
        row = paired_proportions([[3, 1], [2, 4]], rope=0).summary().loc[model]
        right = {"first": 4, "second": 5}[model]
        own = beta(right + 1, 10 - right + 1)
        assert row["mean"] == pytest.approx(own.mean())
        assert row["97.5%"] == pytest.approx(own.ppf(0.975))


def test_moments_and_quantiles_are_those_of_draws():
    posterior = paired_proportions(COUNTS, rope=0.02, seed=1)
    row, delta = posterior.summary().loc["delta"], posterior.draws["delta"].ravel()
    assert row["mean"] == pytest.approx(delta.mean(), abs=4 * delta.std() / 100)
    assert row["sd"] == pytest.approx(delta.std(), rel=0.03)
    assert row["2.5%"] == pytest.approx(np.quantile(delta, 0.025), abs=0.01)
    x, density = posterior.density()
    assert trapezoid(density, x) == pytest.approx(1, abs=1e-3)


def test_items_are_counted_and_named():
    pair = bc.Items(answers({"a": [1, 1, 0, 0, 0], "b": [1, 0, 1, 1, 0]})).pair("a", "b")
    posterior = paired_proportions(pair, rope=0.1)
    assert posterior.counts.tolist() == [[1, 1], [2, 1]]
    assert posterior.names == ("a", "b")
    assert posterior.size_text == "5 questions"
    assert posterior.details == "right for both 1, only for a 1, only for b 2, for neither 1"
    assert posterior.verdict().target == "new questions"


def test_the_verdict_speaks_of_new_questions_of_the_benchmark():
    pair = bc.Items(TWO).pair("a", "b").on("y")
    verdict = paired_proportions(pair, rope=0.1).verdict()
    assert verdict.target == "new questions of y"
    assert "on new questions of y" in verdict.explain()


@each_row(
    ("arguments", "message"),
    [
        (([1, 0, 2], [1, 0, 1]), r"first must be 1 for right or 0 for wrong \(got 2\)"),
        (([1, 0], [1, 0, 1]), r"second must have as many items as first, 2 \(got 3\)"),
        (([[0, 0], [0, 0]],), "first must count at least one item .got only zeros"),
        (([[1, 2, 3]],), "first must be a table of counts"),
    ],
)
def test_bad_answers_are_refused(arguments, message):
    with pytest.raises(bc.InputError, match=message):
        paired_proportions(*arguments, rope=0.1)


@each_row("prior", [0, np.nan, [1, 2], "flat"])
def test_a_bad_prior_is_refused(prior):
    with pytest.raises(bc.InputError, match="prior"):
        paired_proportions(COUNTS, rope=0.1, prior=prior)


def test_several_benchmarks_are_refused():
    with pytest.raises(bc.InputError, match=r"x must have one benchmark .*got 2\).*x\.on\(name\)"):
        paired_proportions(bc.Items(TWO).pair("a", "b"), rope=0.1)
