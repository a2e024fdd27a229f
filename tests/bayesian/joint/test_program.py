"""The joint program's log density against SciPy's distributions, at the draws of a short run."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import polygamma

from bayescmp.bayesian.joint.problem import MODEL, JointPrior, pose
from bayescmp.bayesian.joint.table import read_table
from bayescmp.engines import FitRequest, SamplerSettings, find_engine

pytestmark = [pytest.mark.slow, pytest.mark.stan]

PARAMETERS = {
    "mu": False,
    "Sigma0": False,
    "root_psi": False,
    "log_A": True,
    "raw": False,
    "log_omega": False,
    "log_nu_raw": True,
    "alpha_unit": True,
    "beta_unit": True,
    "kappa": False,
    "lambda": False,
}


def log_density(data, p):
    """Of one draw, on the scale that the sampler moves on, up to a constant."""
    prior = JointPrior()
    nu = prior.nu_offset + np.exp(p["log_nu_raw"])
    low, root_psi = np.sqrt(data["psi_floor"]), p["root_psi"]
    squares, A2 = root_psi**4, np.exp(2 * p["log_A"])
    omega = np.exp(p["log_omega"])
    alpha, beta = (
        ends[0] + (ends[1] - ends[0]) * p[name]
        for name, ends in (("alpha_unit", prior.alpha), ("beta_unit", prior.beta))
    )
    # the contrasts of mu: uniform direction; far over the floor, the variance over the scale's
    # square is beta prime(1, 1/2), so that s has 2 s times its density, over s^(L - 2) of spheres
    L = len(p["mu"])
    s = np.std(p["mu"], ddof=1)
    total = -(L - 3) * np.log(np.hypot(s, prior.mean_floor))
    total += stats.betaprime.logpdf((s / prior.mean_scale) ** 2, 1, 0.5)
    kappa, lam, dof = p["kappa"], p["lambda"], np.asarray(data["dof"])
    total += stats.norm.logpdf(p["log_A"], np.log(prior.scale_median), prior.scale_sd)
    total += stats.norm.logpdf(p["raw"]).sum()
    total += (
        stats.t.logpdf(omega, 4, scale=prior.factor_scale / np.sqrt(data["K"])) + np.log(omega)
    ).sum()
    # d(psi^2 / A^2) / d log(root_psi - low) = 4 root_psi^3 (root_psi - low) / A^2
    total += stats.betaprime.logpdf(squares / A2, 0.25, 1).sum()
    total += np.log(4 * root_psi**3 * (root_psi - low) / A2).sum()
    total += stats.gamma.logpdf(nu - 1, alpha, scale=1 / beta) + np.log(nu - 1)
    total += sum(np.log(v) + np.log1p(-v) for v in (p["alpha_unit"], p["beta_unit"]))
    # log kappa = its mean + sd z, sd² = trigamma(nu / 2)
    total += (stats.gamma.logpdf(kappa, nu / 2, scale=2 / nu) + np.log(kappa)).sum()
    total += data["q"] / 2 * np.log(polygamma(1, nu / 2))
    total += (stats.gamma.logpdf(lam, dof / 2, scale=2 / dof) + np.log(lam)).sum()
    for i in range(data["q"]):
        k = int((1 - np.asarray(data["pad"][i])).sum())
        B, C = np.asarray(data["B"][i])[:k], np.asarray(data["C"][i])[:k, :k]
        between = np.diag(squares) + p["loadings"] @ p["loadings"].T
        V = B @ between @ B.T / kappa[i] + C / lam[i]
        total += stats.multivariate_normal.logpdf(np.asarray(data["y"][i])[:k], B @ p["mu"], V)
    return total


@pytest.mark.parametrize("missing", [False, True])
def test_log_density_is_that_of_the_model(stan_engine, scores_of, missing):
    x = scores_of(5, 30, 4)
    if missing:
        x[1, :, 2] = x[3, :, 0] = np.nan
    table = read_table(x, metric=None, rho=0.1, test="it")
    problem = pose(table, JointPrior())
    settings = SamplerSettings(chains=1, warmup=100, draws=50)
    inits = problem.inits(1, 1)
    fit = find_engine(stan_engine, MODEL).fit(
        FitRequest(MODEL, problem.data, 1, PARAMETERS, inits, settings)
    )
    draws = {k: v[0] for k, v in fit.draws.items()}
    Q = np.asarray(problem.data["Q"])
    draws["loadings"] = Q @ (draws["raw"] * np.exp(draws["log_omega"])[:, None])
    ours = [log_density(problem.data, {k: v[d] for k, v in draws.items()}) for d in range(50)]
    differences = np.array(ours) - fit.sample_stats["lp"][0]
    assert np.ptp(fit.sample_stats["lp"]) > 1
    np.testing.assert_allclose(differences, differences[0], atol=1e-6)
