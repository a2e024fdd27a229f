"""The gibbs engine: that it samples the model of the program, and when it stops."""

from __future__ import annotations

import joblib
import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import JointPrior, joint_t
from bayescmp.bayesian.joint.problem import KEEP, MODEL, pose
from bayescmp.bayesian.joint.table import read_table
from bayescmp.engines import FitRequest, SamplerSettings, find_engine, gibbs
from bayescmp.engines.gibbs import Walks
from tests.calibration import test_sbc_joint as simulated
from tests.marks import first_and_slow

SHORT = SamplerSettings(chains=2, warmup=20, draws=40)


def scores_of(q, n, L, seed=1):
    """Scores of algorithms that get better from the first to the last."""
    rng = np.random.default_rng(seed)
    means = 0.8 + np.linspace(0, 0.02, L) + rng.normal(0, 0.02, (q, L))
    return means[:, None] + rng.normal(0, 0.02, (q, n, L))


def problem(scores, prior=None):
    table = read_table(scores, metric=None, rho=0.1, test="joint_t")
    return pose(table, prior or JointPrior())


def from_the_prior(walks: Walks, rng: np.random.Generator) -> None:
    """Every walk where the prior has it, drawn by NumPy and SciPy."""
    n, L, K, q = walks.walks, walks.L, walks.K, walks.q
    low = np.ones(n, bool)
    while low.any():
        size = (int(low.sum()), L)
        walks.log_A[low] = np.log(walks.data["A_median"]) + 1.5 * rng.normal(size=size[0])
        ratio = stats.betaprime(0.25, 1).rvs(size, random_state=rng)
        walks.log_psi[low] = walks.log_A[low, None] + 0.5 * np.log(ratio)
        low = walks.log_psi.min(axis=1) < walks.floor
    omega = np.abs(stats.t(4).rvs((n, K), random_state=rng)) * 0.3 / np.sqrt(K)
    walks.log_omega = np.log(omega)
    walks.load = rng.normal(size=(n, L, K)) * omega[:, None]
    walks.nu = 1 + rng.gamma(rng.uniform(0.5, 5, n), 1 / rng.uniform(0.05, 0.15, n))
    walks.kappa = rng.gamma(walks.nu[:, None] / 2, 2 / walks.nu[:, None], (n, q))
    walks.lam = rng.gamma(walks.dof / 2, 2 / walks.dof, (n, q))
    walks.mu = np.array([simulated.averages(rng) for _ in range(n)])
    walks._spread_of_mu()


def reported(walks: Walks) -> dict[str, np.ndarray]:
    own = np.exp(2 * walks.log_psi)
    S = walks.load @ np.swapaxes(walks.load, 1, 2) + own[:, :, None] * np.eye(walks.L)
    return {
        "nu": walks.nu,
        "A": walks.log_A,
        "psi": walks.log_psi[:, 0],
        "least psi": walks.log_psi.min(axis=1),
        "omega": walks.log_omega.sum(axis=1),
        "loadings": (walks.load**2).sum(axis=(1, 2)),
        "one loading": walks.load[:, 0, 0],
        "v": S[:, 0, 0] + S[:, 1, 1] - 2 * S[:, 0, 1],
        "correlation": S[:, 0, 1] / np.sqrt(S[:, 0, 0] * S[:, 1, 1]),
        "difference": walks.mu[:, 0] - walks.mu[:, 1],
        "kappa": walks.kappa[:, 0],
        "all kappa": np.log(walks.kappa).sum(axis=1),
        "lambda": walks.lam[:, 0],
    }


@pytest.mark.parametrize("missing", first_and_slow(True, False))
def test_sweeps_leave_the_joint_distribution_as_it_is(missing, monkeypatch):
    """From the prior, sweeps with new data before each must stay there (Geweke 2004).

    Walks that start where the prior is and never leave its distribution have, each by itself, as
    many values above as below where they began: 13 quantities, Bonferroni at 0.001, of their means
    and of their spreads.
    """
    monkeypatch.setattr(simulated, "NOISE", 0.4)
    rng = np.random.default_rng([1, missing])
    data = simulated.simulate(rng, missing)[1] | {"A_median": 1.0}
    walks = Walks(data, 4000, rng)
    from_the_prior(walks, rng)
    before = reported(walks)
    B, root = (
        np.asarray(data["B"]),
        np.linalg.cholesky(data["C"] + np.eye(3) * data["pad"][:, None]),
    )
    for _ in range(3):
        e = rng.normal(size=(4000, walks.q, walks.L)) * np.exp(walks.log_psi)[:, None]
        e += rng.normal(size=(4000, walks.q, walks.K)) @ np.swapaxes(walks.load, 1, 2)
        u = walks.mu[:, None] + e / np.sqrt(walks.kappa)[..., None]
        noise = np.einsum("ipr,cir->cip", root, rng.normal(size=(4000, walks.q, walks.L - 1)))
        y = np.einsum("ipl,cil->cip", B, u) + noise / np.sqrt(walks.lam)[..., None]
        walks.y = np.einsum("ipl,cip->cil", B, y)
        walks.sweep()
    for name, after in reported(walks).items():
        both = stats.rankdata(np.concatenate([before[name], after]))
        first, last = both.reshape(2, -1) / len(both) - 0.5
        for moved in (last - first, last**2 - first**2):
            z = moved.mean() / stats.sem(moved)
            assert abs(z) < stats.norm.isf(0.001 / 52), name


def test_draws_are_by_name_and_shape_those_of_the_program():
    posed = problem(scores_of(6, 12, 5))
    fit = find_engine("auto", MODEL).fit(FitRequest(MODEL, posed.data, 1, KEEP, settings=SHORT))
    shapes = {name: draws.shape[2:] for name, draws in fit.draws.items()}
    assert (fit.engine, fit.sample_stats) == ("gibbs", {})
    assert shapes == {
        "mu": (5,), "nu": (), "log_v": (10,), "Sigma0": (5, 5), "kappa": (6,), "lambda": (6,)
    }  # fmt: skip
    assert {draws.shape[:2] for draws in fit.draws.values()} == {(2, 40)}
    S = fit.draws["Sigma0"]
    v = S[..., 0, 0] + S[..., 1, 1] - 2 * S[..., 0, 1]
    assert fit.draws["log_v"][..., 0] == pytest.approx(np.log(v), abs=1e-9)
    assert fit.draws["mu"].sum(axis=-1) == pytest.approx(0, abs=1e-9)


def test_a_seed_gives_the_same_draws_and_another_does_not():
    posed, engine = problem(scores_of(5, 12, 3)), find_engine("gibbs", MODEL)
    one, again, other = (
        engine.fit(FitRequest(MODEL, posed.data, seed, KEEP, settings=SHORT)).draws["nu"]
        for seed in (1, 1, 2)
    )
    assert np.array_equal(one, again)
    assert not np.isin(other, one).any()


def test_threads_leave_the_draws_as_they_are(monkeypatch):
    """Eight walks in batches of two, one after the other and by three threads."""
    monkeypatch.setattr(gibbs, "BATCH", 2 * 6 * 6**2)
    x = scores_of(6, 20, 6)
    x[1, :, 2] = np.nan
    request = FitRequest(MODEL, problem(x).data, 1, KEEP, settings=SHORT)
    drawn = []
    for processors in (1, 3):
        monkeypatch.setattr(joblib, "effective_n_jobs", lambda n_jobs, k=processors: k)
        drawn.append(find_engine("gibbs", MODEL).fit(request).draws)
    for name, draws in drawn[0].items():
        assert np.array_equal(draws, drawn[1][name]), name
    assert len(np.unique(drawn[0]["nu"])) > 30  # of 80: no two batches draw the same


@pytest.mark.parametrize(("right", "sweeps"), [(1, 14), (2, 19), (99, 240)])
def test_it_goes_on_until_it_has_enough_or_to_the_end(monkeypatch, right, sweeps):
    """10 draws of each of 4 walks after a quarter of warm-up; 1.4 times as many; 4 x (20 + 40)."""
    asked, counted = [], []
    sweep = Walks.sweep
    monkeypatch.setattr(Walks, "sweep", lambda self: counted.append(1) or sweep(self))

    def enough(draws):
        asked.append(draws["nu"].shape)
        return len(asked) == right

    posed = problem(scores_of(3, 4, 3))
    request = FitRequest(MODEL, posed.data, 1, KEEP, settings=SHORT, enough=enough)
    find_engine("gibbs", MODEL).fit(request)
    assert len(counted) == sweeps
    assert set(asked) == {(2, 40)}


def test_draws_that_are_too_few_fail():
    with pytest.warns(bc.DiagnosticWarning, match="effective sample size"):
        posterior = joint_t(
            scores_of(5, 12, 3), rho=0.1, rope=0.01, seed=1, chains=2, warmup=20, draws=40
        )
    assert not posterior.diagnostics.ok
    assert str(posterior.diagnostics).startswith("FAILED")
    assert posterior.diagnostics.divergences is None


def test_without_factors():
    posed = problem(scores_of(6, 12, 4), JointPrior(factors=0))
    fit = find_engine("gibbs", MODEL).fit(FitRequest(MODEL, posed.data, 1, KEEP, settings=SHORT))
    off = fit.draws["Sigma0"][..., ~np.eye(4, dtype=bool)]
    assert off == pytest.approx(0, abs=0)


def test_a_number_is_drawn_from_its_density():
    """A gamma's, far from where it starts, in a hundred draws one after the other."""
    walks = Walks.__new__(Walks)
    walks.rng = np.random.default_rng(1)
    x = np.zeros(4000)
    for _ in range(100):
        x = walks._pick(lambda x: 30 * x - 2 * np.exp(x), x)
    assert stats.kstest(np.exp(x), stats.gamma(30, scale=0.5).cdf).pvalue > 0.001


@pytest.mark.slow
@pytest.mark.stan
@pytest.mark.parametrize("kind", ["complete", "missing", "twins"])
def test_it_agrees_with_stan(kind, stan_engine):
    """Means of all that is reported, within four of their Monte Carlo errors."""
    from bayescmp.results.arviz import ess

    x = scores_of(10, 20, 5, seed=2)
    rng = np.random.default_rng(3)
    if kind == "missing":
        x[1, :, 2] = x[3, :, 0] = x[4, :, 4] = np.nan
    if kind == "twins":
        x[..., 3] = (
            x[..., 1] + 0.0005 * rng.normal(size=(10, 1)) + 0.001 * rng.normal(size=(10, 20))
        )
    posed = problem(x)
    one, other = (
        find_engine(name, MODEL).fit(posed.request(1, SamplerSettings(4, 1000, draws, 0.95))).draws
        for name, draws in ((stan_engine, 2000), ("gibbs", 8000))
    )
    for name in ("mu", "nu", "log_v", "kappa", "lambda"):
        a, b = (d[name].reshape(*d["nu"].shape, -1) for d in (one, other))
        if name in ("nu", "kappa", "lambda"):
            a, b = np.log(a), np.log(b)
        for k in range(a.shape[-1]):
            error = np.hypot(*(y.std() / np.sqrt(ess(y, "mean")) for y in (a[..., k], b[..., k])))
            assert abs(a[..., k].mean() - b[..., k].mean()) < 4 * error, (name, k)
