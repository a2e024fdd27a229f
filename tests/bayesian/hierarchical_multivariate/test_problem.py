"""What the hierarchical program of several metrics is given."""

import dataclasses
import math
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import HierarchicalPrior, MultivariatePrior, hierarchical_multivariate_t
from bayescmp.bayesian.hierarchical_multivariate.fit import read_rows
from bayescmp.bayesian.hierarchical_multivariate.problem import log_half_t, pose
from bayescmp.scores.rope import Rope
from tests.bayesian.hierarchical_multivariate.cases import fitted, simulated
from tests.rows import each_row


@each_row(
    ("options", "message"),
    [
        ({"lkj": 0}, "lkj must be"),
        ({"tau_scale": -1}, "tau_scale"),
        ({"within_df": -1}, "within_df must be"),
        ({"within_df": 3}, r"within_sd must be given with within_df > 0\."),
        ({"alpha": (2, 1)}, "alpha must be"),
    ],
)
def test_bad_priors(options, message):
    with pytest.raises(bc.InputError, match=message):
        MultivariatePrior(**options)


def test_the_default_of_nu_is_that_of_the_test_for_one_metric():
    several, one = MultivariatePrior(), HierarchicalPrior.corani2017()
    assert (several.alpha, several.beta) == (one.alpha, one.beta)
    assert several.tau_factor == one.sigma0_factor
    assert MultivariatePrior(alpha=2).alpha == (2.0, 2.0)


POSITIVE = st.floats(1e-6, 1e6)
ENDS = st.tuples(POSITIVE, POSITIVE).map(sorted).map(tuple)
SCALES = st.none() | POSITIVE | st.tuples(POSITIVE, POSITIVE)


@st.composite
def priors(draw):
    """Any prior; many differ in one part only."""
    return MultivariatePrior(
        delta0_sd=draw(st.none() | SCALES),
        tau_scale=draw(st.none() | SCALES),
        tau_df=draw(st.just(3.0) | POSITIVE),
        lkj=draw(st.just(2.0) | POSITIVE),
        alpha=draw(st.just((0.5, 5.0)) | POSITIVE | ENDS),
        beta=draw(st.just((0.05, 0.15)) | POSITIVE | ENDS),
        within_df=draw(st.sampled_from([0.0, 0.0, 3.0]) | POSITIVE),
        within_sd=draw(POSITIVE | st.tuples(POSITIVE, POSITIVE)),
        tau_factor=draw(st.just(1000.0) | POSITIVE),
    )


def distribution(prior):
    """What the prior is: parts that others overrule are none of it."""
    overruled = {
        "tau_factor": 1.0 if prior.tau_scale is not None else prior.tau_factor,
        "within_sd": prior.within_sd if prior.within_df else None,
    }
    return dataclasses.replace(prior, **overruled)


@given(one=priors(), other=priors())
def test_two_priors_that_differ_never_read_the_same(one, other):
    assert (str(one) == str(other)) == (distribution(one) == distribution(other))
    nearly = dataclasses.replace(one, tau_df=math.nextafter(one.tau_df, math.inf))
    assert str(one) != str(nearly)


def test_every_part_is_printed():
    """Of a prior whose other parts are its own."""
    for name in ["lkj", "tau_scale", "within_df"]:
        own = {"within_df": 3.0, "within_sd": 0.1}
        changed = {"alpha": 2.0, "beta": 0.1}.get(name, 0.25)
        assert str(MultivariatePrior(**own)) != str(MultivariatePrior(**{**own, name: changed}))


def test_the_scale_of_the_weak_prior_is_that_of_the_means():
    weak = MultivariatePrior.weakly_informative()
    assert "τ ~ half-t(3, scale 2.5 × the larger of the means' sd and standard error)" in str(weak)


def test_the_likelihood_of_a_data_set_is_its_correlated_multivariate_t(fake):
    """Jeffreys' prior: n - p degrees of freedom, scale c S/(n - p), c = 1/n + rho/(1 - rho)."""
    xs = [x[: 10 + i] for i, x in enumerate(simulated())]
    rho = np.array([0.1, 0.2, 0.1, 0.0, 0.5, 0.1])
    posterior = fitted(xs, rho=rho)
    data = fake.requests[0].data
    assert data["q"] == 6
    assert data["p"] == 2
    by_n = {int(d) + 2: i for i, d in enumerate(data["dof"])}
    unit = np.mean([x.std(axis=0, ddof=1) for x in xs], axis=0)
    signs = set()
    for x, r in zip(xs, rho, strict=True):
        i, n = by_n[len(x)], len(x)
        c = 1 / n + r / (1 - r)
        scale = c * np.cov(x.T, ddof=0) * n / (n - 2)
        assert data["C"][i] * np.outer(unit, unit) == pytest.approx(scale, rel=1e-9)
        ratio = data["xbar"][i] * unit / x.mean(axis=0)
        assert np.abs(ratio) == pytest.approx(1)
        signs |= set(np.sign(ratio))
    assert len(signs) == 1
    assert posterior.means == pytest.approx(np.array([x.mean(axis=0) for x in xs]))


def test_an_inverse_wishart_prior_within_data_sets(fake):
    """Against the conjugate update by hand: dof n + m - p, the prior's scatter added."""
    xs = simulated(q=3, n=8)
    fitted(xs, prior=MultivariatePrior(within_df=5, within_sd=(0.02, 0.05)))
    data = fake.requests[0].data
    assert data["dof"] == pytest.approx(8 + 5 - 2)
    unit = np.mean([x.std(axis=0, ddof=1) for x in xs], axis=0)
    total = [(x - x.mean(0)).T @ (x - x.mean(0)) / 0.9 + 5 * np.diag([0.0004, 0.0025]) for x in xs]
    wanted = sorted((1 + 7 * 0.1) / 8 * t[0, 1] / 11 / unit[0] / unit[1] for t in total)
    assert sorted(c[0, 1] for c in data["C"]) == pytest.approx(wanted)


def test_scales_of_the_prior(fake):
    xs = simulated()
    fitted(xs, metrics=("accuracy", "things"))
    data = fake.requests[0].data
    unit = np.mean([x.std(axis=0, ddof=1) for x in xs], axis=0)
    largest = np.abs(np.concatenate(xs))[:, 1].max()
    assert data["delta0_sd"] * unit == pytest.approx([1.0, largest])
    means = np.array([x.mean(axis=0) for x in xs])
    assert data["tau_scale"] * unit == pytest.approx(1000 * means.std(axis=0, ddof=1))
    fitted(xs, prior=MultivariatePrior(delta0_sd=0.3, tau_scale=(0.1, 0.2)))
    data = fake.requests[1].data
    assert data["delta0_sd"] * unit == pytest.approx([0.3, 0.3])
    assert data["tau_scale"] * unit == pytest.approx([0.1, 0.2])


def test_order_of_data_sets_and_of_algorithms_cannot_matter(fake):
    xs = simulated()
    a, b = fitted(xs), fitted(xs[::-1], datasets=list("654321"))
    assert np.array_equal(a.draws["delta0"], b.draws["delta0"])
    assert np.array_equal(a.draws["delta"], b.draws["delta"][:, :, ::-1])
    c = fitted([-x for x in xs], rope=Rope(-0.02, 0.01), names=("second", "first"))
    mirrored = fitted(xs, rope=Rope(-0.01, 0.02)).verdict().swapped()
    assert c.verdict().probabilities == pytest.approx(mirrored.probabilities, abs=1e-12)


def test_dependent_metrics_leave_fewer_dimensions(fake):
    """fn = -tp after flipping would be +; here third = 2 first - second, and a fourth is zero."""
    xs = [np.column_stack([x, 2 * x[:, 0] - x[:, 1], 0 * x[:, 0]]) for x in simulated()]
    posterior = fitted(xs, metrics=("a", "b", "c", "d"))
    assert fake.requests[0].data["p"] == 2
    assert posterior.mixing == pytest.approx(np.array([[1, 0, 2, 0], [0, 1, -1, 0]]), abs=1e-9)
    assert "c, d are linear functions of a, b" in posterior.notes[0]
    delta = posterior.draws["delta"]
    assert delta[..., 2] == pytest.approx(2 * delta[..., 0] - delta[..., 1])
    assert np.all(delta[..., 3] == 0)
    group = posterior.to_arviz()["posterior"]
    assert group["delta"].dims == ("chain", "draw", "dataset", "coordinate")
    assert np.isnan(posterior.correlations[..., 0, 3]).all()
    two = fitted([x[:, :2] for x in xs])
    few, many = (f.verdict((Rope(-9, 9),) * 2 if f is two else 9) for f in (two, posterior))
    assert few.probabilities == pytest.approx(many.probabilities)


def test_a_data_set_without_spread_gets_that_of_rounding(fake):
    xs = simulated()
    xs[2] = np.column_stack([np.full(20, 0.03), xs[2][:, 1]])
    posterior = fitted(xs, resolution=(0.01, 0.001))
    assert "1 data set with metrics that are constant or linearly dependent there (3)" in str(
        posterior
    )
    data = fake.requests[0].data
    scatter = [np.cov(x.T, ddof=0) * 20 for x in xs]
    scatter[2] += 20 * np.diag([0.01**2, 0.001**2]) / 12
    unit = np.mean([np.sqrt(np.diag(s) / 19) for s in scatter], axis=0)
    c = 1 / 20 + 0.1 / 0.9
    got = sorted(C[0, 0] * unit[0] ** 2 for C in data["C"])
    assert got == pytest.approx(sorted(c * s[0, 0] / 18 for s in scatter))
    # and at a tenth of it, whether the verdict depends on it
    again = [C[0, 0] for C in fake.requests[1].data["C"]]
    assert min(again) < min(C[0, 0] for C in data["C"]) / 50
    assert "h = m1 0.01, m2 0.001; at h/10 a probability moves by 0.0" in posterior.notes[0]
    # without a resolution, the smallest step seen, whatever the rope
    coarse = [np.round(x, 2) for x in xs]
    for rope in (0.02, 0.5):
        assert "h = m1 0.01, m2 0.01" in fitted(coarse, rope=rope).notes[0]


def test_dependence_on_one_data_set_only(fake):
    xs = simulated()
    xs[0] = np.column_stack([xs[0][:, 0], 3 * xs[0][:, 0]])
    posterior = fitted(xs, resolution=0.01)
    assert fake.requests[0].data["p"] == 2
    assert "linearly dependent there (1)" in posterior.notes[0]
    assert np.linalg.eigvalsh(fake.requests[0].data["C"]).min() > 0


# The data sets as the program sees them: likelihood, prior, replicates.


RHO, FOLDS = 0.3, 6
RNG = np.random.default_rng(1)
XS = RNG.normal([-0.02, -0.01], 0.02, (4, 1, 2)) + RNG.normal(0, 0.02, (4, FOLDS, 2))


@pytest.fixture
def posterior(fake):
    return hierarchical_multivariate_t(
        XS, rho=RHO, rope=0.01, engine="fake", seed=1, chains=2, draws=500
    )


def test_the_data_sets_are_those_given(posterior):
    """Also where the program sees them mirrored, sorted and in other units."""
    o = posterior.observed
    np.testing.assert_allclose(o.xbar, XS.mean(axis=1))
    for i, x in enumerate(XS):
        scatter = (FOLDS - 1) * np.cov(x, rowvar=False)
        inflation = 1 / FOLDS + RHO / (1 - RHO)
        np.testing.assert_allclose(o.C[i], inflation * scatter / (FOLDS - 2))
    assert o.dof.tolist() == [FOLDS - 2] * 4
    assert o.rho.tolist() == [RHO] * 4


def test_a_data_sets_likelihood_by_draws(posterior):
    d, o = posterior.fit.draws, posterior.observed
    root = d["tau"][1, 3][:, None] * np.linalg.cholesky(d["Omega"][1, 3])
    drawn = stats.multivariate_t.rvs(
        d["delta0"][1, 3], root @ root.T, d["nu"][1, 3], size=100_000, random_state=3
    )
    density = stats.multivariate_t.pdf(o.xbar[2] - drawn, np.zeros(2), o.C[2], o.dof[2])
    error = density.std() / density.mean() / np.sqrt(len(density))
    computed = o.log_likelihood({k: v[1:, 3:4] for k, v in d.items()})[0, 0, 2]
    assert computed == pytest.approx(np.log(density.mean()), abs=4 * error)


def test_the_prior_by_scipy(posterior):
    d, o = posterior.fit.draws, posterior.observed
    prior = MultivariatePrior(alpha=2.0, beta=0.1, lkj=3.0)
    log_prior = o.log_prior(d, prior)
    wanted = stats.norm.logpdf(d["delta0"], scale=o.delta0_sd)
    np.testing.assert_allclose(log_prior["delta0"], wanted)
    half_t = np.log(2) + stats.t.logpdf(d["tau"] / o.tau_scale, 3) - np.log(o.tau_scale)
    np.testing.assert_allclose(log_prior["tau"], half_t)
    np.testing.assert_allclose(log_half_t(0.3, 4.0, 2.0), np.log(stats.t.pdf(0.15, 4)))
    gamma = stats.gamma.logpdf(d["nu"] - 1, 2, scale=10)
    np.testing.assert_allclose(log_prior["nu"], gamma, atol=1e-3)
    np.testing.assert_allclose(log_prior["correlations"], 2 * np.log(np.linalg.det(d["Omega"])))
    drawn = o.prior_draws(prior, (4, 5000), np.random.default_rng(1))
    assert stats.kstest(drawn["nu"].ravel() - 1, stats.gamma(2, scale=10).cdf).pvalue > 1e-4
    z = drawn["tau"][..., 1].ravel() / o.tau_scale[1]
    assert stats.kstest(z, lambda x: 2 * stats.t.cdf(x, 3) - 1).pvalue > 1e-4


def test_replicates_have_the_models_covariance(posterior):
    o, size = posterior.observed, (4, 20_000)
    draws = {
        "delta0": np.zeros((*size, 2)),
        "tau": np.full((*size, 2), 0.02),
        "Omega": np.broadcast_to([[1, 0.5], [0.5, 1]], (*size, 2, 2)),
        "nu": np.full(size, 12.0),
    }
    drawn = o.replicates(draws, np.random.default_rng(2))[..., 1, :].reshape(-1, 2)
    between = 0.02**2 * np.array([[1, 0.5], [0.5, 1]]) * 12 / 10
    wanted = between + o.C[1] * o.dof[1] / (o.dof[1] - 2)
    np.testing.assert_allclose(np.cov(drawn, rowvar=False), wanted, rtol=0.15, atol=2e-5)


# Swap, units, orders and ropes: the problem that is posed, and the verdict.


few = settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
fewer = settings(few, max_examples=4)
SEEDS = st.integers(0, 10_000)


def posed(xs):
    return pose(read_rows(xs, 0.1, None, None, None, None), MultivariatePrior())


def rounded(seed, constant=0):
    """Six data sets of scores in hundredths; on some of them the first metric is constant."""
    return with_constant([np.round(x, 2) for x in simulated(seed=seed)], constant)


def with_constant(xs, constant):
    for x in xs[:constant]:
        x[:, 0] = 0.02
    return xs


def same_data(a, b, rel=1e-9):
    for name, value in a.data.items():
        assert np.asarray(b.data[name]) == pytest.approx(np.asarray(value), rel=rel, abs=1e-12)


@few
@given(SEEDS, st.integers(0, 3))
def test_swapped_algorithms_pose_the_same_problem_mirrored(seed, constant):
    xs = rounded(seed, constant)
    one, other = posed(xs), posed([-x for x in xs])
    same_data(one, other)
    assert one.sign == -other.sign


@few
@example(8943, 0)  # two means that differ by rounding alone
@example(136, 3)  # two that differ in the sign of one metric
@given(SEEDS, st.integers(0, 3))
def test_the_order_of_data_sets_and_folds_poses_the_same_problem(seed, constant):
    xs = rounded(seed, constant)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(xs))
    moved = posed([rng.permutation(xs[i]) for i in order])
    one = posed(xs)
    same_data(one, moved)
    np.testing.assert_allclose(moved.means, one.means[order], atol=1e-15)


@few
@given(SEEDS, st.sampled_from([1e-4, 100.0]), st.sampled_from([1e-4, 100.0]), st.integers(0, 3))
def test_units_pose_the_same_problem(seed, first, second, constant):
    units = np.array([first, second])
    xs = with_constant(simulated(seed=seed), constant)  # no two means alike: their order is told
    one, other = posed(xs), posed([x * units for x in xs])
    same_data(one, other, rel=1e-6)
    np.testing.assert_allclose(other.unit, one.unit * units, rtol=1e-9)


@fewer
@given(SEEDS, st.sampled_from([0.005, 0.03, [(-0.01, 0.02)] * 2]), st.integers(0, 3))
def test_a_verdict_under_another_rope_is_that_of_a_fit_with_it(fake, seed, rope, constant):
    """With the same draws: the rope is no part of the problem, not even of constant rows."""
    xs = rounded(seed, constant)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.DiagnosticWarning)  # it may hang on the resolution
        own, other = fitted(xs, rope=0.01, draws=100), fitted(xs, rope=rope, draws=100)
    asked, wanted = own.verdict(rope), other.verdict()
    assert asked.probabilities == pytest.approx(wanted.probabilities, abs=1e-12)
    assert asked.errors == pytest.approx(wanted.errors, abs=1e-12)


@fewer
@given(SEEDS)
def test_swapped_algorithms_swap_the_verdict(fake, seed):
    """The fake draws about what it is given, so that mirrored data have mirrored draws."""
    xs = rounded(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.DiagnosticWarning)
        a, b = (fitted(v, draws=200).verdict() for v in (xs, [-x for x in xs]))
    p, q = a.probabilities, b.probabilities
    error = max(*a.errors.values(), *b.errors.values(), 1e-3)
    assert p["first"] == pytest.approx(q["second"], abs=5 * error)
    assert p["second"] == pytest.approx(q["first"], abs=5 * error)
    assert p["trade_off"] == pytest.approx(q["trade_off"], abs=5 * error)
