"""Likelihoods of folds by SciPy; what is drawn given the location has the model's distribution."""

from types import SimpleNamespace

import arviz
import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import softmax

import bayescmp as bc
from bayescmp.bayesian import correlated_t, groups, multivariate_t, robust_t, two_sample_t
from bayescmp.bayesian.sampling import (
    FoldModel,
    check_settings,
    dataset_log_likelihood,
    given_location,
    reweigh_setting,
    sample,
)
from bayescmp.engines import Fit, FitRequest
from bayescmp.engines.base import SamplerSettings
from bayescmp.errors import EngineNotFound
from bayescmp.results.arviz import psis
from tests.rows import each_row


def request(adapt_delta=0.8):
    return FitRequest("a model", {}, 1, settings=SamplerSettings(4, 10, 500, adapt_delta))


class Scripted:
    """Returns the draws it was given, one set a call."""

    name, independent = "scripted", False

    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests = []

    def available(self):
        raise NotImplementedError

    def supports(self, model):
        return True

    def fit(self, request):
        self.requests.append(request)
        answer = self.answers.pop(0)
        if not isinstance(answer, dict):
            return Fit(self.name, "1", density=answer)
        shape = (4, 500)
        rng = np.random.default_rng(0)
        stats = {
            "diverging": np.zeros(shape, bool),
            "tree_depth": np.full(shape, 3),
            "energy": rng.normal(size=shape),
        }
        return Fit(self.name, "1", answer, stats)


def good(seed=0, shape=()):
    return {"a": np.random.default_rng(seed).normal(size=(4, 500, *shape))}


def stuck(chain=1):
    draws = good()
    draws["a"][chain] += 9
    return draws


def test_a_run_that_passes_is_the_only_one():
    engine = Scripted(good())
    fit, result = sample(engine, request(), ["a"])
    assert result.ok
    assert not result.refitted
    assert np.array_equal(fit.draws["a"], good()["a"])


@each_row(("first", "second"), [(0.8, 0.98), (0.9, 0.99), (0.95, 0.995)])
def test_a_run_that_fails_is_repeated_at_a_tenth_of_the_distance(first, second):
    engine = Scripted(stuck(), good(1))
    fit, result = sample(engine, request(first), ["a"])
    assert [r.settings.adapt_delta for r in engine.requests] == pytest.approx([first, second])
    assert result.ok
    assert result.refitted
    assert result.adapt_delta == pytest.approx(second)
    assert np.array_equal(fit.draws["a"], good(1)["a"])


def test_there_is_no_third_run():
    engine = Scripted(stuck(), stuck())
    _, result = sample(engine, request(), ["a"])
    assert not result.ok
    assert result.refitted
    assert len(engine.requests) == 2


def test_every_element_of_a_variable_is_judged():
    draws = good(shape=(2, 3))
    draws["a"][0, :, 1, 2] += 9
    _, result = sample(Scripted(draws, good(shape=(2, 3))), request(), ["a"])
    assert result.refitted


def test_constants_and_the_twins_of_a_symmetric_matrix_are_left_out():
    """A correlation matrix: ones have no r-hat, and would give NaN."""
    r = np.random.default_rng(0).uniform(-0.5, 0.5, (4, 500))
    one = np.ones_like(r)
    draws = {"a": np.stack([np.stack([one, r], -1), np.stack([r, one], -1)], -1)}
    _, result = sample(Scripted(draws), request(), ["a"])
    assert result.ok


def density(sd, warnings=()):
    return SimpleNamespace(
        warnings=warnings,
        agreement=SimpleNamespace(apart=2e-4),
        certificate=lambda: SimpleNamespace(sd_log_ratio=sd, passed=sd < 0.1),
    )


def test_a_density_is_judged_by_its_certificate_and_computed_once():
    engine = Scripted(density(0.2, ("the grid is coarse",)))
    _, result = sample(engine, request(), ["a"])
    assert len(engine.requests) == 1
    assert result.exact
    assert result.certificate == 0.2
    assert not result.refitted
    assert result.messages[0] == "the grid is coarse"
    assert "the density by another rule differs by 0.2, over 0.1" in result.messages[1]
    assert result.apart == 2e-4
    _, result = sample(Scripted(density(0.05)), request(), ["a"])
    assert result.ok


@each_row(
    ("given", "name"),
    [
        ((0, 1, 4, 0.8), "chains"),
        ((1, 0, 4, 0.8), "warmup"),
        ((1, 1, 3, 0.8), "draws"),
        ((1, 1, 4, 0), "adapt_delta"),
        ((1, 1, 4, 1), "adapt_delta"),
        ((1, 1, 4, "high"), "adapt_delta"),
    ],
)
def test_settings_are_checked(given, name):
    with pytest.raises(bc.InputError, match=f"{name} must be"):
        check_settings(*given)
    assert check_settings(1, 1, 4, 0.8) == SamplerSettings(1, 1, 4, 0.8)


Z = np.random.default_rng(1).standard_normal((4, 1000))
#: Log ratios of N(0.5, 1) and of N(0, 4²) over N(0, 1).
NEAR, FAR = 0.5 * Z, (1 - 1 / 16) * Z**2 / 2


def mean(weights):
    return float((weights * Z).sum())


def test_a_mean_under_another_density():
    setting, value = reweigh_setting("shifted", NEAR, mean)
    assert setting.setting == "shifted"
    assert setting.k_hat <= 0.7
    assert not setting.refitted
    assert value == pytest.approx(0.5, abs=4 / np.sqrt(Z.size))


def test_what_the_weights_cannot_tell_is_fitted_again():
    def again():
        return 7.0

    alone, doubtful = (
        reweigh_setting("wide", FAR, mean, *other, refit=False)[0] for other in ((), (again,))
    )
    assert alone.k_hat == doubtful.k_hat > 0.7
    assert (alone.can_refit, doubtful.can_refit) == (False, True)
    setting, value = reweigh_setting("wide", FAR, mean, again)
    assert setting == ("wide", alone.k_hat, True, False)
    assert value == 7.0
    assert reweigh_setting("shifted", NEAR, mean, again)[1] != 7.0


def test_an_engine_that_is_not_here_leaves_the_weights():
    def again():
        raise EngineNotFound("none")

    setting, value = reweigh_setting("wide", FAR, mean, again)
    assert (setting.refitted, setting.can_refit) == (False, False)
    assert value == reweigh_setting("wide", FAR, mean)[1]


@each_row("shift", [0.5, -0.5])
def test_moments_under_another_density(shift):
    """Of N(shift, 1), from draws of N(0, 1): within five Monte Carlo standard errors."""
    kept = Z.copy()
    weights, k_hat = psis(shift * Z)
    error = 5 / np.sqrt(Z.size)
    assert mean(weights) == pytest.approx(shift, abs=error)
    assert (weights * Z**2).sum() == pytest.approx(1 + shift**2, abs=2 * error)
    assert weights.shape == Z.shape
    assert weights.sum() == pytest.approx(1)
    assert k_hat < 0.5
    assert np.array_equal(Z, kept)


def test_what_is_given_is_not_written_into():
    given = NEAR.copy()
    psis(given)
    assert np.array_equal(given, NEAR)


def test_the_smaller_variance_is_exact_in_its_tail():
    """N(0, 1/4) over N(0, 1): ratios are bounded, and the variance is a quarter."""
    weights, k_hat = psis(-1.5 * Z**2)
    assert (weights * Z**2).sum() == pytest.approx(0.25, abs=0.03)
    assert k_hat < 0.5


@each_row("tail", [0.2, 0.6, 1.0])
def test_the_shape_is_the_tails(tail):
    ratio = np.log(stats.pareto(1 / tail).rvs(10_000, random_state=np.random.default_rng(2)))
    assert psis(ratio)[1] == pytest.approx(tail, abs=0.15)


def test_equal_ratios_need_no_smoothing():
    weights, k_hat = psis(np.zeros((4, 250)))
    assert k_hat == -np.inf
    assert np.ptp(weights) == 0


def test_a_tail_of_four_tells_nothing():
    """Few draws, or few that differ: a shape cannot be told, and is not called a small one."""
    few = np.zeros(1000)
    few[:4] = 5.0, 6.0, 7.0, 8.0
    for ratio in (Z[0, :20], few):
        weights, k_hat = psis(ratio)
        assert k_hat == np.inf
        np.testing.assert_allclose(weights, softmax(ratio))
    assert np.isfinite(psis(np.where(np.arange(1000) < 100, Z[0], -np.inf))[1])


CASES = {
    "ordinary": (0.02, 1e-4, 8, 0.01, 0.02, 3.0),
    "far away": (0.5, 1e-4, 8, 0.01, 0.02, 10.0),
    "noise alone": (0.5, 1e-2, 3, 0.01, 1e-4, 30.0),
    "many folds": (0.0, 1e-4, 98, 0.01, 0.001, 2.0),
    "heavy tails": (0.02, 1e-4, 1, 0.01, 0.02, 1.05),
}


@each_row("case", CASES)
def test_one_metric_by_the_integral_over_its_mean(case):
    y, C, dof, at, tau, nu = CASES[case]
    delta = np.unique(
        [m + s * np.sinh(np.linspace(-25, 25, 100_001)) for m, s in ((y, C**0.5), (at, tau))]
    )
    both = stats.t.pdf(y, dof, delta, C**0.5) * stats.t.pdf(delta, nu, at, tau)
    computed = dataset_log_likelihood(
        np.array([y]),
        np.array([[C]]),
        dof,
        np.array([[at]]),
        np.array([[[tau**2]]]),
        np.array([nu]),
    )
    assert computed == pytest.approx(np.log(integrate.trapezoid(both, delta)), abs=5e-4)


def test_two_metrics_by_draws():
    rng = np.random.default_rng(1)
    y, at = np.array([0.3, -0.2]), np.array([0.1, 0.1])
    C, scale = np.array([[0.2, 0.1], [0.1, 0.3]]), np.array([[0.5, -0.2], [-0.2, 0.4]])
    drawn = stats.multivariate_t.rvs(at, scale, 5.0, size=200_000, random_state=rng)
    density = stats.multivariate_t.pdf(y - drawn, np.zeros(2), C, 8)
    computed = dataset_log_likelihood(y, C, 8, at[None], scale[None], np.array([5.0]))
    error = density.std() / density.mean() / np.sqrt(len(density))
    assert computed == pytest.approx(np.log(density.mean()), abs=4 * error)


def test_units_and_order_do_not_matter():
    y, at, nu = np.array([0.3, -0.2]), np.array([[0.1, 0.1]]), np.array([5.0])
    C, scale = np.array([[0.2, 0.1], [0.1, 0.3]]), np.array([[[0.5, -0.2], [-0.2, 0.4]]])
    own = dataset_log_likelihood(y, C, 8, at, scale, nu)
    turned = dataset_log_likelihood(
        100 * y[::-1], 1e4 * C[::-1, ::-1], 8, 100 * at[:, ::-1], 1e4 * scale[:, ::-1, ::-1], nu
    )
    assert turned == pytest.approx(own - 2 * np.log(100), abs=1e-9)


NEW = int(arviz.__version__.split(".")[0]) >= 1
RNG = np.random.default_rng(1)
Y = RNG.normal(0.02, 0.03, (8, 2))
SIGMA = np.array([[0.02, 0.005], [0.005, 0.03]])


def model(nu=None, m=1):
    centre = RNG.normal(0, 0.1, (2, 3, m, 2))
    y = RNG.normal(0, 0.2, (5, m, 2))
    nu = None if nu is None else np.full((2, 3), nu)
    return FoldModel(y, centre, np.broadcast_to(SIGMA, (2, 3, 2, 2)), 0.3, nu)


def test_normal_folds():
    one = model(m=3)
    at = one.log_likelihood()[1, 2, 4]
    rows = stats.multivariate_normal.logpdf(one.y[4] - one.centre[1, 2], cov=0.7 * SIGMA)
    assert at == pytest.approx(rows.sum())


def test_folds_with_t_noise():
    """Rows of a fold are jointly t: one block matrix."""
    one = model(nu=4.0, m=3)
    at = one.log_likelihood()[0, 1, 2]
    away = (one.y[2] - one.centre[0, 1]).ravel()
    wanted = stats.multivariate_t.logpdf(away, shape=np.kron(np.eye(3), 0.7 * SIGMA), df=4)
    assert at == pytest.approx(wanted)


def test_replicates_have_the_covariance():
    y, centre = np.zeros((50, 1, 2)), np.ones((4, 500, 1, 2))
    Sigma = np.broadcast_to(SIGMA, (4, 500, 2, 2))
    for nu, factor in ((None, 1.0), (np.full((4, 500), 9.0), 9 / 7)):
        drawn = FoldModel(y, centre, Sigma, 0.3, nu).replicates(np.random.default_rng(2))
        drawn = drawn.reshape(-1, 2)
        np.testing.assert_allclose(drawn.mean(axis=0), 1, atol=0.005)
        np.testing.assert_allclose(np.cov(drawn.T), 0.7 * factor * SIGMA, rtol=0.05)


@each_row("rho", [0.0, 0.3])
def test_the_spread_given_the_location_is_its_posterior(rho):
    """Averaged over the location's posterior, (1 − rho)·ss/σ² is χ² with n − 1 degrees."""
    posterior = correlated_t(Y[:, 0], rho=rho, rope=0.01, seed=3)
    drawn = given_location(
        Y[:, :1, None], posterior.draws["delta"][..., None, None], rho, posterior.seed
    )
    ss = ((Y[:, 0] - Y[:, 0].mean()) ** 2).sum()
    chi2 = ss / (1 - rho) / drawn.Sigma[..., 0, 0].ravel()
    assert stats.kstest(chi2, stats.chi2(7).cdf).pvalue > 1e-4
    z = (drawn.centre[..., 0, 0] - Y[:, 0].mean()) / np.sqrt(drawn.Sigma[..., 0, 0])
    error = np.sqrt((1 - rho) / 8)
    assert stats.kstest(z.ravel() / error, "norm").pvalue > 1e-4


def test_several_metrics_given_the_location():
    """Of a covariance matrix's own posterior: ν·E[Σ⁻¹] is the inverse of the scatter."""
    posterior = multivariate_t(Y, rho=0.2, rope=0.01, seed=3)
    drawn = given_location(
        Y[:, None, :], posterior.draws["delta"][..., None, :], 0.2, posterior.seed
    )
    scatter = 7 * np.cov(Y, rowvar=False) / 0.8
    mean = np.linalg.inv(drawn.Sigma).mean(axis=(0, 1)) / 7
    np.testing.assert_allclose(mean @ scatter, np.eye(2), atol=0.05)


def test_dependent_metrics_have_no_density():
    y = np.stack([Y[:, 0], 2 * Y[:, 0]], axis=1)
    assert given_location(y[:, None, :], np.zeros((1, 2, 1, 2)), 0.2, 1) is None
    data = multivariate_t(y, rho=0.2, rope=0.01, seed=3).to_arviz()
    assert not hasattr(data, "log_likelihood")


def posteriors():
    return {
        "correlated_t": correlated_t(Y[:, 0], rho=0.2, rope=0.01, seed=1),
        "multivariate_t": multivariate_t(Y, rho=0.2, rope=0.01, seed=1),
        "robust_t": robust_t(Y[:, 0], rho=0.2, rope=0.01, engine="fake", seed=1),
        "multivariate t noise": multivariate_t(
            Y, rho=0.2, rope=0.01, noise="t", engine="fake", seed=1
        ),
        "groups": groups(Y.T + np.array([[0.7], [0.8]]), rho=0.2, rope=0.01, seed=1),
        "groups t noise": groups(
            np.stack([Y.T[0], Y.T[1], Y.T[1] ** 2]),
            rho=0.2,
            rope=0.01,
            noise="t",
            engine="fake",
            seed=1,
        ),
    }


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of Matplotlib, to ArviZ
@pytest.mark.filterwarnings("ignore:Estimated shape parameter:UserWarning")  # draws are made up
def test_arvizs_functions_run(fake):
    for name, posterior in posteriors().items():
        data = posterior.to_arviz()
        assert int(arviz.loo(data).n_data_points) == len(Y), name
        observed = data["observed_data"]
        (variable,) = list(observed.data_vars)
        assert data["posterior_predictive"][variable].shape[2:] == observed[variable].shape
        if NEW:
            arviz.plot_ppc_dist(data, var_names=[variable])
        else:
            arviz.plot_ppc(data, num_pp_samples=5)
            for component in ("likelihood", "prior"):
                name = "tau" if "tau" in data["posterior"] else "delta"
                sensitivity = arviz.psens(data, component=component, var_names=[name])
                assert np.all(np.isfinite(np.asarray(sensitivity)))
        plt.close("all")


def test_two_samples():
    first, second = Y[:, 0], Y[:5, 1]
    posterior = two_sample_t(first, second, rope=0.01, seed=2)
    data = posterior.to_arviz()
    posterior_group = data["posterior"]
    sigma, mu = (np.asarray(posterior_group[f"{n}_first"])[1, 4] for n in ("sigma", "mu"))
    wanted = stats.norm.logpdf(first, mu, sigma)
    np.testing.assert_allclose(np.asarray(data["log_likelihood"]["first"])[1, 4], wanted)
    gap = posterior_group["mu_second"] - posterior_group["mu_first"]
    np.testing.assert_allclose(np.asarray(gap), np.asarray(posterior_group["delta"]))
    chi2 = 7 * first.var(ddof=1) / np.asarray(posterior_group["sigma_first"]) ** 2
    assert stats.kstest(chi2.ravel(), stats.chi2(7).cdf).pvalue > 1e-4
    assert int(arviz.loo(data, var_name="first").n_data_points) == 8
