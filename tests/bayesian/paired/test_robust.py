"""The robust correlated t test: its limit, brute force, outliers, engines, edges."""

import doctest
import inspect

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.interpolate import CubicSpline

import bayescmp as bc
from bayescmp.bayesian import RobustPosterior, correlated_t, robust_t
from bayescmp.engines import engines
from tests.conftest import stan_engines
from tests.rows import each_row

X = np.array([0.3, 0.5, 0.1, 0.45, 0.2, 0.38, 0.6, 0.28, 0.33, 0.41])


def test_what_the_program_is_given(fake):
    d = bc.Differences([X], rho=0.1, names=("a", "b"), datasets=["iris"], resolution=0.05)
    posterior = robust_t(d, rope=0.1, engine="fake", seed=4, chains=3, draws=500)
    data = fake.requests[0].data
    assert len(fake.requests[0].inits) == 3
    assert data["n"] == 10
    assert data["rho"] == 0.1
    assert data["nu_mean"] == 29
    unit = stats.median_abs_deviation(X, scale="normal")
    assert data["x"] == pytest.approx(np.sort(X - np.median(X)) / unit, rel=1e-4)
    assert data["sigma_lower"] == pytest.approx(0.05 / np.sqrt(12) / unit, rel=1e-4)
    assert posterior.draws["delta"].shape == (3, 500)
    assert posterior.draws["delta"].mean() == pytest.approx(np.median(X), abs=0.02)
    assert posterior.draws["sigma"].mean() == pytest.approx(unit, rel=0.02)
    assert "iris" in posterior.verdict().target


def test_where_most_folds_tie_the_spread_is_kept_above_rounding(fake):
    """A t density would shrink onto equal values without bound: its mode is at σ = 0."""
    x = np.array([0, 0, 0.3 - 0.2 - 0.1, 0.02, 0, -0.04, 0, 0, 0.02])  # -3e-17 is zero
    posterior = robust_t(x, rho=0.1, rope=0.01, engine="fake", seed=4)
    sd = x.std(ddof=1)
    assert fake.requests[0].data["sigma_lower"] == pytest.approx(0.02 / np.sqrt(12) / sd)
    assert "h = 0.02" in posterior.notes[0]
    robust_t(x, rho=0.1, rope=0.01, engine="fake", seed=4, resolution=0.01)
    assert fake.requests[1].data["sigma_lower"] == pytest.approx(0.01 / np.sqrt(12) / sd)


def p_of(posterior, rope=None):
    return list(posterior.verdict_without_limits(rope).probabilities.values())


# Without Stan.


def test_the_verdict_averages_the_cdf_of_t(fake):
    """δ = c − σ√rho·z given the draws, by scipy.stats.t; it agrees with the draws of δ."""
    posterior = robust_t(X, rho=0.1, rope=(-0.1, 0.3), engine="fake", seed=4)
    d = posterior.draws
    t = stats.t(d["nu"], d["centre"], d["sigma"] * np.sqrt(0.1))
    left, right = t.cdf(-0.1).mean(), t.sf(0.3).mean()
    assert p_of(posterior) == pytest.approx([left, 1 - left - right, right], abs=1e-12)
    shares = [(d["delta"] < -0.1).mean(), (d["delta"] > 0.3).mean()]
    assert [left, right] == pytest.approx(shares, abs=4 * np.sqrt(0.25 / d["delta"].size))
    assert p_of(posterior, 0)[1] == 0


@pytest.mark.slow
def test_errors_are_the_spread_over_seeds_and_smaller_than_those_of_shares(fake):
    runs = [robust_t(X, rho=0.1, rope=0.3, engine="fake", seed=s) for s in range(60)]
    p = np.array([p_of(run) for run in runs])
    for k, region in enumerate(("left", "rope", "right")):
        errors = [run.verdict().errors[region] for run in runs]
        assert np.mean(errors) == pytest.approx(p[:, k].std(ddof=1), rel=0.3)
    shares = [(run.draws["delta"] > 0.3).mean() for run in runs]
    assert p[:, 2].std() < np.std(shares)


def test_independent_folds_leave_shares_of_the_draws(fake):
    posterior = robust_t(X, rho=0, rope=0.3, engine="fake", seed=4)
    delta = posterior.draws["delta"]
    assert posterior.draws["centre"] == pytest.approx(delta)
    assert posterior.verdict().p_right == pytest.approx((delta > 0.3).mean(), abs=1e-12)
    right = posterior.verdict().p_right
    error = np.sqrt(right * (1 - right) / delta.size)
    assert posterior.verdict().errors["right"] == pytest.approx(error, rel=0.15)


def test_a_mean_that_does_not_exist_is_not_told(fake):
    """E|z| of t_ν grows as 1/(ν − 1) towards ν = 1, which its prior reaches."""
    row = robust_t(X, rho=0.1, rope=0.3, engine="fake", seed=4).summary().loc["delta"]
    assert row[["mean", "sd"]].isna().all()
    assert row[["median", "2.5%", "97.5%"]].notna().all()
    table = robust_t(X, rho=0, rope=0.3, engine="fake", seed=4).summary()
    assert table.notna().all(axis=None)
    assert list(table.index) == ["delta", "sigma", "nu"]


def test_a_failed_run_is_repeated_with_smaller_steps(fake):
    fake.stuck = 1
    posterior = robust_t(X, rho=0.1, rope=0.1, engine="fake", seed=4)
    assert [r.settings.adapt_delta for r in fake.requests] == pytest.approx([0.9, 0.99])
    assert posterior.diagnostics.ok
    assert posterior.diagnostics.refitted


def test_a_run_that_fails_twice_warns(fake):
    fake.stuck = 2
    with pytest.warns(bc.DiagnosticWarning, match="robust.*r-hat"):
        posterior = robust_t(X, rho=0.1, rope=0.1, engine="fake", seed=4)
    assert "FAILED" in str(posterior)


def test_density_is_one_in_all_and_follows_the_draws(fake):
    posterior = robust_t(X, rho=0.1, rope=0.1, engine="fake", seed=4)
    x, y = posterior.density()
    assert np.sum((y[1:] + y[:-1]) / 2 * np.diff(x)) == pytest.approx(1, abs=0.005)
    assert x[np.argmax(y)] == pytest.approx(np.median(X), abs=0.05)


@each_row(
    ("x", "options", "message"),
    [
        ([0.1, 0.2], {}, r"x must have at least 3 folds on a data set \(got 2 on '1'\)"),
        ([0.0] * 5, {}, "resolution must be given if x is zero throughout.*or use correlated_t"),
        ([[0.1] * 3, [0.2] * 3], {}, r"one data set for this test \(got 2\).*x\.row\(name\)"),
        (X, {"nu_mean": 0}, "nu_mean must be"),
        (X, {"rho": None}, "rho must be given"),
        (X, {"rope": -1}, "rope must be"),
    ],
)
def test_bad_input(fake, x, options, message):
    with pytest.raises(bc.InputError, match=message):
        robust_t(x, **{"rho": 0.1, "rope": 0.01, "engine": "fake", **options})
    assert fake.requests == []


def test_no_engine_can_do_it_without_stan(monkeypatch):
    with pytest.raises(bc.EngineError, match="'quadrature' does not fit the model 'robust_corr"):
        robust_t(X, rho=0.1, rope=0.1, engine="quadrature")


# With Stan.


@pytest.mark.stan
def test_without_outliers_and_with_normal_noise_it_is_the_correlated_t_test(stan_engine):
    """As the prior mean of ν grows, the closed form."""
    posterior = robust_t(
        X, rho=0.1, rope=0.25, engine=stan_engine, seed=1, nu_mean=1e7, draws=5000
    )
    exact = correlated_t(X, rho=0.1, rope=0.25)
    v = posterior.verdict()
    one_draw = 1 / posterior.draws["delta"].size  # what is rarer has no known error
    for region, p in exact.verdict().probabilities.items():
        assert abs(v.probabilities[region] - p) < 4 * v.errors[region] + one_draw
    quantiles = np.quantile(posterior.draws["delta"], [0.05, 0.5, 0.95])
    assert quantiles == pytest.approx(exact.quantile([0.05, 0.5, 0.95]), abs=0.008)


@pytest.mark.stan
def test_brute_force_integration(stan_engine):
    """The posterior on a grid, and δ = centre - σ√rho z with z ~ t_ν.

    The grid's own error is 1e-6, by halving its steps: only the draws' error counts.
    """
    x, rho = np.r_[X[:6], 2.0], 0.2
    posterior = robust_t(x, rho=rho, rope=0.25, engine=stan_engine, seed=1, draws=5000)
    assert np.abs(brute_force_misses(posterior, x, rho)).max() < 4.5


def brute_force_misses(posterior, x, rho):
    """How far the posterior is from a grid of (centre, σ, ν), in Monte Carlo standard errors."""
    *axes, weight = brute_force(x, rho)
    d, v = posterior.draws, posterior.verdict()
    drawn = d["centre"], np.log(d["sigma"]), np.log(d["nu"] - 1)
    misses = []
    for axis, (values, draws) in enumerate(zip(axes, drawn, strict=True)):
        share = weight.sum(axis=tuple({0, 1, 2} - {axis}))
        cdf = CubicSpline(values.ravel(), share).antiderivative()
        for cut in values.ravel()[np.searchsorted(np.cumsum(share), [0.25, 0.5, 0.75])]:
            below = (draws < cut).astype(float)
            misses.append((below.mean() - cdf(cut) / cdf(values.max())) / mcse(below))
    grid = axes[0], np.exp(axes[1]), 1 + np.exp(axes[2])
    for end, p in ((-0.25, v.p_left), (0.25, 1 - v.p_right)):
        share = (below_given(end, rho, *grid) * weight).sum()
        error = mcse(below_given(end, rho, d["centre"], d["sigma"], d["nu"]))
        misses.append((p - share) / error)
    return misses


def brute_force(x, rho):
    """Centre, log σ, log(ν - 1), and how probable they are."""
    centre = np.linspace(-1.5, 3, 181)[:, None, None]
    log_sigma = np.linspace(-6, 3, 91)[:, None]
    log_nu = np.linspace(-6, 5.5, 61)
    scale, nu = np.exp(log_sigma) * np.sqrt(1 - rho), 1 + np.exp(log_nu)
    log_p = sum(stats.t.logpdf(one, nu, centre, scale) for one in x)
    log_p += log_nu - np.exp(log_nu) / 29  # Exponential(1/29), and the Jacobian
    weight = np.exp(log_p - log_p.max())
    return centre, log_sigma, log_nu, weight / weight.sum()


def below_given(end, rho, centre, sigma, nu):
    """P(δ < end) = P(z > (centre - end) / (σ√rho))."""
    return stats.t.sf((centre - end) / (sigma * np.sqrt(rho)), nu)


def mcse(draws):
    """Standard error of a mean over draws (chain, draw)."""
    import arviz

    return float(arviz.mcse(draws, method="mean"))


@pytest.mark.stan
@pytest.mark.parametrize("outlier", [5.0, -50.0])
def test_outlying_folds_do_not_move_it(stan_engine, outlier):
    rng = np.random.default_rng(2)
    x = rng.normal(0.02, 0.02, 50)
    spoiled = x.copy()
    spoiled[[3, 30]] = outlier
    clean, robust = (
        robust_t(v, rho=0.1, rope=0.01, engine=stan_engine, seed=1) for v in (x, spoiled)
    )
    moved = np.median(robust.draws["delta"]) - np.median(clean.draws["delta"])
    assert abs(moved) < 0.15 * x.std()
    assert p_of(robust) == pytest.approx(p_of(clean), abs=0.06)
    plain = correlated_t(spoiled, rho=0.1, rope=0.01)
    assert abs(plain.location - x.mean()) > 2 * x.std()  # what it is there for


@pytest.mark.stan
@pytest.mark.parametrize("name", stan_engines())
def test_the_seed_reaches_every_engine(name):
    a, b, c = (robust_t(X, rho=0.1, rope=0.1, engine=name, seed=s) for s in (1, 1, 2))
    assert np.array_equal(a.draws["delta"], b.draws["delta"])
    assert not np.array_equal(a.draws["delta"], c.draws["delta"])
    assert a.engine == name
    assert engines()[name].available().version in a.engine_version


@pytest.mark.stan
def test_its_examples_run_where_there_is_an_engine(stan_engine, capsys):
    """They are marked to be skipped where the other modules' examples run."""
    source = inspect.getsource(robust_t) + inspect.getsource(RobustPosterior)
    source = source.replace("  # doctest: +SKIP", "")
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    tests = [parser.get_doctest(d, {}, "robust", None, None) for d in source.split('"""')[1::2]]
    for test in tests:
        runner.run(test)
    assert runner.tries > 5
    assert runner.failures == 0, capsys.readouterr().out


# Invariances, of what the program is given and of what becomes of its draws.

ROWS = st.lists(st.integers(-40, 40), min_size=3, max_size=20, unique=True).map(
    lambda v: np.array(v) / 100
)
with_fake = settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])


@with_fake
@given(x=ROWS, rho=st.sampled_from([0.0, 0.1, 0.5]))
def test_swap_and_order_mirror_the_data_and_the_draws(fake, x, rho):
    assume(sorted(x) != sorted(-x))  # its own mirror image: the same request, the same draws
    one = robust_t(x, rho=rho, rope=(-0.1, 0.3), engine="fake", seed=4, draws=250)
    back = robust_t(-x, rho=rho, rope=(-0.3, 0.1), engine="fake", seed=4, draws=250)
    robust_t(x[::-1], rho=rho, rope=(-0.1, 0.3), engine="fake", seed=4, draws=250)
    first, second, third = (r.data for r in fake.requests[-3:])
    assert second["x"].tolist() == first["x"].tolist()  # one of the two is mirrored
    assert third["x"].tolist() == first["x"].tolist()  # in whatever order
    assert second["sigma_lower"] == first["sigma_lower"]
    for name, sign in (("delta", -1), ("centre", -1), ("sigma", 1), ("nu", 1)):
        assert back.draws[name] == pytest.approx(sign * one.draws[name], rel=1e-9, abs=1e-9)
    assert p_of(back) == pytest.approx(p_of(one)[::-1], abs=1e-9)


@with_fake
@given(x=ROWS, c=st.sampled_from([1e-6, 0.3, 100.0, 1e6]))
def test_units_do_not_matter(fake, x, c):
    one = robust_t(x, rho=0.1, rope=0.05, engine="fake", seed=4, draws=250)
    other = robust_t(x * c, rho=0.1, rope=0.05 * c, engine="fake", seed=4, draws=250)
    assert p_of(other) == pytest.approx(p_of(one), abs=1e-9)
    assert other.draws["delta"] == pytest.approx(c * one.draws["delta"], rel=1e-6, abs=1e-9 * c)


@with_fake
@given(x=ROWS, own=st.floats(0, 0.3), other=st.floats(0, 0.3))
def test_a_verdict_under_another_rope_is_that_of_a_fit_with_it(fake, x, own, other):
    asked, fitted = (
        robust_t(x, rho=0.1, rope=r, engine="fake", seed=4, draws=250) for r in (own, other)
    )
    assert asked.verdict(other) == fitted.verdict()
    wider = asked.verdict(other + 0.1)
    assert wider.p_rope >= fitted.verdict().p_rope
    assert wider.p_left <= fitted.verdict().p_left


@pytest.mark.stan
def test_by_stan_swapping_order_and_units_change_no_draw(stan_engine):
    x = np.random.default_rng(3).normal(0.01, 0.02, 12)
    one, swapped, shuffled, percent = (
        robust_t(y, rho=0.1, rope=r, engine=stan_engine, seed=4)
        for y, r in ((x, 0.01), (-x, 0.01), (x[::-1], 0.01), (100 * x, 1.0))
    )
    for name in ("delta", "sigma", "nu"):
        scale = 1 if name == "nu" else 100
        mirror = -1 if name == "delta" else 1
        np.testing.assert_allclose(mirror * swapped.draws[name], one.draws[name], atol=1e-12)
        np.testing.assert_allclose(shuffled.draws[name], one.draws[name], atol=1e-12)
        np.testing.assert_allclose(percent.draws[name] / scale, one.draws[name], atol=1e-12)
