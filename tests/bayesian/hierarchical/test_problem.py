"""The data that the engine sees: scale, bounds of the prior, constant rows, initial values."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayescmp as bc
from bayescmp.bayesian import HierarchicalPrior
from bayescmp.bayesian.hierarchical.problem import pose
from bayescmp.engines.base import SamplerSettings
from bayescmp.scores.rope import as_rope
from tests.bayesian.hierarchical.data import by_grid, constant_rows, probabilities, simulated
from tests.rows import each_row


def test_presets_are_those_of_the_papers():
    """Corani et al. 2017, section 3; Benavoli et al. 2017 and the Stan program of its packages."""
    corani, benavoli = HierarchicalPrior.corani2017(), HierarchicalPrior.benavoli2017()
    assert (corani.alpha, corani.beta) == ((0.5, 5.0), (0.05, 0.15))
    assert (benavoli.alpha, benavoli.beta) == ((1.0, 2.0), (0.01, 0.1))
    assert not corani.largest_difference
    assert benavoli.largest_difference
    for prior in (corani, benavoli):
        assert (prior.sigma0_factor, prior.sigma_factor) == (1000, 1000)


@each_row(
    "options",
    [
        {"alpha": (2, 1)},
        {"beta": (0, 1)},
        {"nu_offset": 2},
        {"delta0_bound": -1},
        {"sigma_factor": 0},
        {"sigma0_factor": float("inf")},
    ],
)
def test_bad_priors(options):
    (name,) = options
    with pytest.raises(bc.InputError, match=f"{name} must be"):
        HierarchicalPrior(**options)


def test_to_dict_gives_the_prior_back():
    prior = HierarchicalPrior(alpha=(1, 3), delta0_bound=0.5, name="mine")
    assert HierarchicalPrior(**prior.to_dict()) == prior


POSITIVE = st.floats(1e-6, 1e6)
ENDS = st.tuples(POSITIVE, POSITIVE).map(sorted).map(tuple)


@st.composite
def priors(draw):
    """Any prior; many differ in one part only."""
    return HierarchicalPrior(
        alpha=draw(st.sampled_from([(0.5, 5.0), (0.5, 0.5)]) | ENDS),
        beta=draw(st.sampled_from([(0.05, 0.15)]) | ENDS),
        nu_offset=draw(st.sampled_from([0.0, 1.0]) | st.floats(0, 1)),
        delta0_bound=draw(st.none() | POSITIVE),
        largest_difference=draw(st.booleans()),
        sigma0_factor=draw(st.sampled_from([1000.0]) | POSITIVE),
        sigma_factor=draw(st.sampled_from([1000.0]) | POSITIVE),
    )


def distribution(prior):
    """What the prior is: a bound that is given leaves no rule for one."""
    return dataclasses.replace(
        prior, largest_difference=prior.largest_difference and prior.delta0_bound is None
    )


@given(one=priors(), other=priors(), bound=POSITIVE)
def test_two_priors_that_differ_never_read_the_same(one, other, bound):
    same = distribution(one) == distribution(other)
    assert (str(one) == str(other)) == same
    nearly = dataclasses.replace(one, sigma_factor=math.nextafter(one.sigma_factor, math.inf))
    assert str(one) != str(nearly)
    resolved = [p.in_words(bound, bound, bound) for p in (one, other)]
    assert (resolved[0] == resolved[1]) == same


@each_row(
    ("span", "options", "rule"),
    [
        (1.0, {}, "U(−1, 1) [range of the metric], σ0"),
        (None, {}, "U(−0.05, 0.05) [max|x|], σ0"),
        (1.0, {"largest_difference": True}, "U(−0.05, 0.05) [max|x|], σ0"),
        (0.05, {}, "U(−0.05, 0.05) [range of the metric], σ0"),  # as long as the largest
        (1.0, {"delta0_bound": 0.3}, "U(−0.3, 0.3), σ0"),
    ],
)
def test_a_fit_says_by_which_rule_it_has_its_bound(span, options, rule):
    x = [[0.02, 0.03, 0.01, 0.04], [0.01, 0.0, 0.02, 0.01], [0.03, 0.05, 0.02, 0.03]]
    d = bc.Differences(x, rho=0.25, span=span, metric="accuracy")
    posterior = bc.bayesian.hierarchical_t(
        d, rope=0.01, engine="quadrature", prior=HierarchicalPrior(**options)
    )
    assert f"custom: δ0 ~ {rule}" in posterior.prior_text
    prior = posterior.prior_text
    assert prior in posterior.explain("paper")
    shown = posterior.full()
    assert max(map(len, shown.splitlines())) <= 99
    assert f"prior: {prior}" in " ".join(shown.split())


def test_where_the_means_agree_the_bound_of_the_spread_is_that_of_their_errors():
    """Bounds by hand: 1000 sd of the means, or 100 standard errors where that is more."""
    x = [[0.02, 0.03, 0.01, 0.04]] * 3
    posterior = bc.bayesian.hierarchical_t(
        bc.Differences(x, rho=0.25), rope=0.01, engine="quadrature"
    )
    within = np.std(x[0], ddof=1)
    error = within * np.sqrt((1 + 3 * 0.25) / (4 * 0.75))
    assert (
        f"σ0 ~ U(0, {100 * error:.4g}) [1000 × sd of the means, or 100 standard errors of a mean "
        f"if larger], σ_i ~ U(0, {1000 * within:.4g})"
    ) in posterior.prior_text


def test_bounds_are_those_of_the_paper():
    x = simulated()
    d = bc.Differences(x, rho=0.1, span=1.0)
    p = pose(d, HierarchicalPrior.corani2017(), as_rope(0.01))
    within = x.std(axis=1, ddof=1).mean()
    assert p.scale == pytest.approx(within)
    assert p.data["sigma_upper"] == pytest.approx(1000)
    assert p.data["sigma0_upper"] * p.scale == pytest.approx(1000 * x.mean(axis=1).std(ddof=1))
    assert p.data["delta0_bound"] * p.scale == pytest.approx(1)
    tutorial = pose(d, HierarchicalPrior.benavoli2017(), as_rope(0.01))
    assert tutorial.data["delta0_bound"] * p.scale == pytest.approx(np.abs(x).max())
    assert (tutorial.data["alpha_lower"], tutorial.data["beta_upper"]) == (1.0, 0.1)


def test_bound_of_delta0_by_the_metric():
    prior, rope = HierarchicalPrior.corani2017(), as_rope(0.01)

    def bound(x, **options):
        p = pose(bc.Differences(x, rho=0.1, **options), prior, rope)
        return p.data["delta0_bound"] * p.scale

    x = simulated()
    assert bound(x, span=2.0) == pytest.approx(2)
    assert bound(x) == pytest.approx(np.abs(x).max())
    assert bound(x * 1000) == pytest.approx(np.abs(x).max() * 1000)
    clusters = np.array([[1.5, -1.0, 0.2], [0.4, 0.1, -0.3]])  # contributions to means within it
    assert bound(clusters, span=1.0, unit="benchmark") == pytest.approx(1.5)


def test_constant_rows_get_the_resolution_and_no_noise():
    x = constant_rows(1)
    a, b = (by_grid(x, rho=0.1, rope=0.01, seed=s, resolution=0.02) for s in (1, 2))
    assert np.array_equal(probabilities(a), probabilities(b))
    assert a.statistics.ss[0] == pytest.approx(20 * 0.02**2 / 12)
    assert "h = 0.02" in a.notes[-1]
    assert "(1)" in a.notes[-1]  # the data set's name
    assert np.all(np.isfinite(probabilities(a)))


def test_a_resolution_that_is_not_known_is_the_smallest_step_seen_in_any_row():
    """The rope has no say in it, nor have rows whose resolution is known."""
    x = np.zeros((4, 5))
    x[1:3] = [[0.1, 0.3, 0.1, 0.5, 0.3], [0.25, 0.25, 0.0, 0.5, 0.25]]
    for rope in (0.01, 0.2):
        d = bc.Differences(x, rho=0.1)
        assert pose(d, HierarchicalPrior(), as_rope(rope)).step[0] == pytest.approx(0.1)
    known = bc.Differences(x, rho=0.1, resolution=[np.nan, 0.05, 0.25, 0.02])
    step = pose(known, HierarchicalPrior(), as_rope(0.2)).step
    assert step[[0, 3]] == pytest.approx([0.02, 0.02])


def test_a_verdict_under_another_rope_is_that_of_a_fit_with_it():
    """Four constant rows of eight: .205 or .968 when the rope gave the resolution."""
    rng = np.random.default_rng(8)
    x = np.round(rng.normal(0.004, 0.01, (8, 10)), 2)
    x[:4] = 0.0
    with pytest.warns(bc.DiagnosticWarning, match="depends on it"):
        wide, narrow = (by_grid(x, rho=0.1, rope=r, seed=1) for r in (0.02, 0.002))
    assert probabilities(wide, 0.002) == pytest.approx(probabilities(narrow), abs=1e-12)
    assert wide.verdict(0.002).expected == pytest.approx(narrow.verdict().expected, abs=1e-12)


def test_where_all_differences_are_zero_the_rope_is_the_resolution_and_says_so(tmp_path):
    """Another rope then is another problem: it is fitted again."""
    zeros = bc.Differences(np.zeros((4, 10)), rho=0.1, span=1.0)
    with pytest.warns(bc.DiagnosticWarning, match=r"h = 0.02, which is the ROPE's width"):
        wide = by_grid(zeros, rope=0.01, seed=1)
    with pytest.warns(bc.DiagnosticWarning, match=r"h = 0.2, .*Give resolution"):
        other = by_grid(zeros, rope=0.1, seed=1)
    assert wide.problem.from_rope
    assert probabilities(wide, 0.1) == pytest.approx(probabilities(other), abs=1e-12)
    assert wide.by_dataset(0.1).equals(other.by_dataset())
    assert np.array_equal(wide.masses(0.1), other.masses())
    assert probabilities(wide, 0) == pytest.approx([0.5, 0, 0.5], abs=1e-9)
    wide.save(tmp_path / "p.npz")
    again = bc.load(tmp_path / "p.npz")
    assert probabilities(again, 0.1) == pytest.approx(probabilities(other), abs=1e-12)


def test_a_row_is_constant_by_its_own_rounding():
    """A row of errors of 1e-8 beside one of 1e3; and what is left of subtracting equal scores."""
    x = np.array([[1e-8, 1.4e-8, 0.7e-8], [1e3, 2e3, 5e2]])
    assert not pose(bc.Differences(x, rho=0.1), HierarchicalPrior(), as_rope(0)).constant.any()
    x = np.array([[0.3 - 0.2 - 0.1, 0.0, 0.0], [0.01, 0.02, 0.03], [0.1, 0.3 - 0.2, 0.1]])
    p = pose(bc.Differences(x, rho=0.1), HierarchicalPrior(), as_rope(0.01))
    assert p.constant.tolist() == [True, False, True]


@each_row("q", [2, 3])
def test_units_have_no_effect_on_bare_differences(q):
    """The prior's bound on δ0 was 1 whatever the units: .625 or .695 at q = 2."""
    x = simulated(q=q, seed=4)
    one, hundred = (by_grid(x * c, rho=0.1, rope=0.01 * c) for c in (1, 100))
    assert probabilities(hundred) == pytest.approx(probabilities(one), abs=1e-9)


def test_all_rows_constant():
    x = np.tile([[0.02], [0.0], [0.01], [0.03]], (1, 10))
    v = by_grid(x, rho=0.1, rope=0.05, resolution=0.01).verdict()
    assert v.decision == "equivalent"
    zeros = np.zeros((4, 10))
    with pytest.raises(
        bc.InputError, match=r"rope must be given if all differences are.*Use rope=0\.01"
    ):
        by_grid(zeros, rho=0.1, rope=0)


def test_the_request_names_the_program_and_the_order_of_data_sets_cannot_matter():
    d = bc.Differences(simulated(), rho=0.1)
    back = bc.Differences(simulated()[::-1], rho=0.1)
    prior = HierarchicalPrior.corani2017()
    one, other = (pose(x, prior, as_rope(0.01)).request(3, SamplerSettings()) for x in (d, back))
    assert one.model == "hierarchical_correlated_t"
    assert one.seed == 3
    assert len(one.inits) == 4
    for name, value in one.data.items():
        assert np.array_equal(value, other.data[name]), name


def test_initial_values_are_inside_the_bounds():
    x = bc.Differences(simulated() * 1e-3, rho=0.1)
    problem = pose(x, HierarchicalPrior.corani2017(), as_rope(1e-5))
    for init in problem.inits(1, 4):
        assert np.isfinite(init["delta0_logit"])
        assert init["sigma0_logit"] < 0
        assert 0 < init["alpha_unit"] < 1
