"""Simulation-based calibration of the programs for several metrics and of robust_t."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import pytest
from scipy import stats
from scipy.linalg import helmert

import bayescmp as bc
from bayescmp.bayesian import MultivariatePrior, robust_t
from bayescmp.bayesian.hierarchical_multivariate.fit import read_rows
from bayescmp.bayesian.hierarchical_multivariate.problem import KEEP, pose
from bayescmp.bayesian.multivariate.problem import MetricRows
from bayescmp.engines import FitRequest, SamplerSettings, find_engine
from tests.calibration.uniform import check_uniform, figures, randomised_rank

pytestmark = [pytest.mark.calibration, pytest.mark.stan]


# Simulation-based calibration of the programs for several metrics (Talts et al. 2018).
#
# Parameters are drawn from a program's own prior, data from the model, and the parameters' ranks
# among the posterior's draws have to be uniform. With ``-m calibration -s`` the counts in the bins
# and their chi-square p-values are printed.


REPLICATES, BINS, THIN = 400, 10, 10
#: One chain; ranks among 99 thinned draws fall into ten bins of equal probability.
SETTINGS = SamplerSettings(chains=1, warmup=500, draws=990, adapt_delta=0.9)
#: Prior of the covariance in the first program.
LOG_SIGMA_MEAN, LOG_SIGMA_SD, LKJ, CENTRE_SD, FLOOR, NU_MEAN = 0.0, 0.5, 1.5, 1.0, 0.2, 10.0


@pytest.fixture
def record(evidence, stan_engine):
    """Takes rows of this file's table of evidence."""
    return partial(evidence, "sbc_multivariate", engine=stan_engine)


def rank(truth: float, draws: np.ndarray) -> int:
    return int(np.sum(np.ravel(draws)[::THIN] < truth))


def check(ranks: dict[str, list[int]], what: str, record) -> None:
    """Every bin of every parameter within a band that holds all of them in 99% of suites."""
    cells = BINS * len(ranks)
    low, high = stats.binom(REPLICATES, 1 / BINS).ppf([0.005 / cells, 1 - 0.005 / cells])
    print(
        f"\n{what}: {REPLICATES} replicates, "
        f"bins of {REPLICATES // BINS} expected, "
        f"99% band {low:.0f} to {high:.0f}"
    )
    for name, actual in ranks.items():
        counts = np.bincount(np.array(actual) * BINS // 100, minlength=BINS)
        p = stats.chisquare(counts).pvalue
        even = (np.array(actual) + 0.5) / 100  # a rank is among 0 to 99
        record(**figures(what, name, counts, p, stats.kstest(even, "uniform").pvalue))
        print(f"  {name:<14} {counts.min():>3} to {counts.max():>3}, chi-square p {p:.3f}")
        assert low <= counts.min(), (name, counts)
        assert counts.max() <= high, (name, counts)
        assert p > 0.01 / len(ranks), (name, counts)


def draw_covariance(rng, p, student):
    """Σ from the prior of the first program."""
    sigma = np.exp(LOG_SIGMA_MEAN + LOG_SIGMA_SD * rng.normal(size=p))
    omega = draw_lkj(rng, LKJ)
    floor = FLOOR if student else 0.0
    return np.outer(sigma, sigma) * omega + floor**2 * np.eye(p)


def draw_lkj(rng, eta):
    """LKJ(η) for two metrics: (1 + r)/2 ~ Beta(η, η)."""
    r = 2 * rng.beta(eta, eta) - 1
    return np.array([[1.0, r], [r, 1.0]])


def fit(engine, model, data, wanted, inits, seed):
    request = FitRequest(model, data, seed, wanted, inits, SETTINGS)
    return find_engine(engine, model).fit(request).draws


def keep(student):
    """Variables whose ranks are looked at; none is a scalar."""
    return {"delta": False, "Sigma": False, **({"nu": False} if student else {})}


def covariance_prior(p):
    return {
        "eta": LKJ,
        "log_sigma_mean": np.full(p, LOG_SIGMA_MEAN),
        "log_sigma_sd": LOG_SIGMA_SD,
        "centre_sd": np.full(p, CENTRE_SD),
        "floor_sd": np.full(p, FLOOR),
        "nu_mean": NU_MEAN,
    }


def noise(rng, shape, nu):
    """Standard normal, or multivariate t over all but the first axis."""
    z = rng.normal(size=shape)
    if nu is None:
        return z
    return z / np.sqrt(rng.chisquare(nu, (shape[0], *[1] * (len(shape) - 1))) / nu)


def covariance_ranks(ranks, Sigma, draws, nu):
    flat = draws["Sigma"][0]
    add(ranks, "Sigma_11", Sigma[0, 0], flat[:, 0, 0])
    add(ranks, "Sigma_12", Sigma[0, 1], flat[:, 0, 1])
    add(ranks, "det Sigma", np.linalg.det(Sigma), np.linalg.det(flat))
    if nu is not None:
        add(ranks, "nu", nu, draws["nu"])


def add(ranks, name, truth, draws):
    ranks.setdefault(name, []).append(rank(truth, draws))


@pytest.mark.parametrize("student", [False, True])
def test_multivariate_correlated_t(stan_engine, student, record):
    rng = np.random.default_rng([2018, student])
    p, n, rho = 2, 8, 0.2
    ranks: dict[str, list[int]] = {}
    for i in range(REPLICATES):
        Sigma = draw_covariance(rng, p, student)
        nu = 1 + rng.exponential(NU_MEAN) if student else None
        centre = CENTRE_SD * rng.normal(size=p)
        A = np.linalg.cholesky(Sigma)
        z = noise(rng, (n + 1, p), nu)
        x = centre + np.sqrt(1 - rho) * z[1:] @ A.T
        delta = centre - np.sqrt(rho) * A @ z[0]
        folds = MetricRows.from_rows(x[:, None], rho, student, None, None)
        at, root = folds.start(x[:, None])
        data = {
            "m": 1,
            "p": p,
            "n": n,
            "rho": rho,
            "student": int(student),
            "xbar": x.mean(axis=0)[None],
            "scatter": np.cov(x.T) * (n - 1),
            "x": x[:, None] if student else np.zeros((0, 1, p)),
            "at": at,
            "root": root,
            **covariance_prior(p),
        }
        draws = fit(stan_engine, "multivariate_correlated_t", data, keep(student), (), i)
        for k in range(p):
            add(ranks, f"delta_{k + 1}", delta[k], draws["delta"][..., 0, k])
        covariance_ranks(ranks, Sigma, draws, nu)
    check(ranks, f"multivariate_correlated_t, {'t' if student else 'normal'} noise", record)


@pytest.mark.parametrize("student", [False, True])
def test_several_algorithms(stan_engine, student, record):
    rng = np.random.default_rng([2019, student])
    L, n, p, rho = 3, 6, 2, 0.2
    H = helmert(L)  # (L - 1) x L, rows orthonormal
    ranks: dict[str, list[int]] = {}
    for i in range(REPLICATES):
        Sigma = draw_covariance(rng, p, student)
        nu = 1 + rng.exponential(NU_MEAN) if student else None
        A = np.linalg.cholesky(Sigma)
        z = noise(rng, (n + 1, L, p), nu) @ A.T
        centre = H.T @ (CENTRE_SD * rng.normal(size=(L - 1, p)))
        tau = centre - np.sqrt(rho) * (z[0] - z[0].mean(axis=0))
        x = centre + np.sqrt(1 - rho) * z[1:] + 3 * rng.normal(size=(n, 1, p))  # (n, L, p)
        y = H @ x
        errors = (y - y.mean(axis=0)).reshape(-1, p)
        at, root = MetricRows.from_rows(y, rho, student, None, None).start(y)
        data = {
            "m": L - 1,
            "p": p,
            "n": n,
            "rho": rho,
            "student": int(student),
            "xbar": y.mean(axis=0),
            "scatter": errors.T @ errors,
            "x": y if student else np.zeros((0, L - 1, p)),
            "at": at,
            "root": root,
            **covariance_prior(p),
        }
        draws = fit(stan_engine, "multivariate_correlated_t", data, keep(student), (), i)
        effects = H.T @ draws["delta"]
        add(ranks, "tau_11", tau[0, 0], effects[..., 0, 0])
        add(ranks, "tau_2 - tau_3", tau[1, 1] - tau[2, 1], effects[..., 1, 1] - effects[..., 2, 1])
        covariance_ranks(ranks, Sigma, draws, nu)
    check(
        ranks, f"multivariate_correlated_t of three, {'t' if student else 'normal'} noise", record
    )


def test_hierarchical_multivariate_t(stan_engine, record):
    rng = np.random.default_rng(2020)
    prior = MultivariatePrior(
        delta0_sd=(1.0, 0.5),
        tau_scale=(0.5, 1.0),
        tau_df=3,
        lkj=1.5,
        within_df=6,
        within_sd=(1.0, 2.0),
    )
    q, n, p, rho = 6, 7, 2, np.array([0.1, 0.2, 0.0, 0.1, 0.3, 0.1])
    ranks: dict[str, list[int]] = {}
    for i in range(REPLICATES):
        delta0 = rng.normal(size=p) * prior.delta0_sd
        tau = np.abs(rng.standard_t(prior.tau_df, p)) * prior.tau_scale
        omega = draw_lkj(rng, prior.lkj)
        nu = 1 + rng.gamma(rng.uniform(*prior.alpha), 1 / rng.uniform(*prior.beta))
        delta = delta0 + noise(rng, (q, p), nu) @ np.linalg.cholesky(np.outer(tau, tau) * omega).T
        within = prior.within_df * np.diag(np.square(prior.within_sd))
        xs = []
        for k in range(q):
            A = np.linalg.cholesky(stats.invwishart(prior.within_df, within).rvs(random_state=rng))
            z = rng.normal(size=(n + 1, p))
            xs.append(delta[k] + (np.sqrt(rho[k]) * z[:1] + np.sqrt(1 - rho[k]) * z[1:]) @ A.T)
        problem = pose(read_rows(xs, rho, None, None, None, None), prior)
        draws = fit(
            stan_engine, "hierarchical_multivariate_t", problem.data, KEEP, problem.inits(i, 1), i
        )
        unit, sign = problem.unit, problem.sign
        for k in range(p):
            add(ranks, f"delta0_{k + 1}", delta0[k], sign * unit[k] * draws["delta0"][..., k])
            add(ranks, f"tau_{k + 1}", tau[k], unit[k] * draws["tau"][..., k])
        add(ranks, "correlation", omega[0, 1], draws["Omega"][..., 0, 1])
        add(ranks, "nu", nu, draws["nu"])
        third = int(np.flatnonzero(problem.order == 2)[0])
        add(ranks, "delta_31", delta[2, 0], sign * unit[0] * draws["delta"][:, :, third, 0])
    check(ranks, "hierarchical_multivariate_t", record)


# Simulation-based calibration of `robust_t` (Talts et al. 2018).
#
# The prior of (δ, σ) is flat in δ and log σ, the right Haar measure of shifts and changes of
# scale: with ν from its prior, and any δ and σ, the ranks of all three are uniform nevertheless.


N, RHO, DELTA, SIGMA, ROBUST_REPLICATES = 12, 0.2, 0.3, 1.7, 400


@pytest.mark.parametrize("nu_mean", [29.0, 3.0])
def test_ranks_are_uniform(stan_engine, nu_mean, evidence):
    """The default prior, and one of heavier tails, which the data tell more of."""
    rng = np.random.default_rng([2013, int(nu_mean)])
    values: dict[str, list[float]] = {"delta": [], "sigma": [], "nu": []}
    for i in range(ROBUST_REPLICATES):
        truth = {"delta": DELTA, "sigma": SIGMA, "nu": 1 + rng.exponential(nu_mean)}
        z = rng.standard_t(truth["nu"], N + 1)
        x = DELTA + SIGMA * (np.sqrt(RHO) * z[0] + np.sqrt(1 - RHO) * z[1:])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", bc.DiagnosticWarning)  # a single chain
            post = robust_t(
                x,
                rho=RHO,
                rope=0.5,
                engine=stan_engine,
                seed=i,
                nu_mean=nu_mean,
                chains=1,
                warmup=500,
                draws=990,
            )
        for name, list_of in values.items():
            list_of.append(randomised_rank(truth[name], post.draws[name][:, ::10], rng))
    record = partial(evidence, "sbc_robust", engine=stan_engine)
    check_uniform(values, f"robust_t, mean of nu {1 + nu_mean:g}", record)
