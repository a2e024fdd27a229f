"""Simulation-based calibration of the joint test with its shipped prior (Talts et al. 2018).

Parameters are drawn from `JointPrior()`, in the units in which it is stated, and data from the
model. The noise of the folds enters as the program has it, given the scatter of each data set.
Ranks for the documentation, adding the replicates that the file does not have yet:

    python -m tests.calibration.test_sbc_joint 300 evidence/joint_sbc.csv pystan
    python -m tests.calibration.test_sbc_joint 300 evidence/joint_sbc_gibbs.csv gibbs
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import helmert

from bayescmp.bayesian import JointPrior
from bayescmp.bayesian.joint.problem import FLOOR, KEEP, MODEL, true_means
from bayescmp.engines import FitRequest, SamplerSettings, find_engine
from tests.calibration.uniform import check_uniform, randomised_rank

pytestmark = [pytest.mark.calibration, pytest.mark.stan]

L, Q, DOF, NOISE = 4, 8, 8.0, 2.0
PRIOR = JointPrior()
K = PRIOR.columns(L, Q)
#: One chain; ranks among 99 thinned draws.
THIN = 15
SETTINGS = SamplerSettings(chains=1, warmup=700, draws=99 * THIN, adapt_delta=0.95)
NAMES = ("mu_12", "mu_23", "log_v_12", "log_v_13", "log_v_23", "nu", "u_12", "u_23")
CELLS = ("complete", "missing")


def parameters(rng):
    """mu, Sigma0 and nu from the prior, whose floor of psi holds for all psi and A at once."""
    psi = np.zeros(L)
    while psi.min() < FLOOR:
        scale = PRIOR.scale_median * np.exp(PRIOR.scale_sd * rng.normal())
        psi = scale * np.sqrt(rng.gamma(0.25, size=L) / rng.gamma(1.0, size=L))
    omega = PRIOR.factor_scale * np.abs(rng.standard_t(4, size=K)) / np.sqrt(K)
    loadings = omega * rng.normal(size=(L, K))
    nu = PRIOR.nu_offset + rng.gamma(rng.uniform(*PRIOR.alpha), 1 / rng.uniform(*PRIOR.beta))
    return averages(rng), np.diag(psi**2) + loadings @ loadings.T, nu


def averages(rng):
    """mu: its variance from a beta prime, accepted as often as the floor has it; any direction."""
    s, accepted = 0.0, 0.0
    while rng.random() >= accepted:
        s = PRIOR.mean_scale * np.sqrt(rng.gamma(1.0) / rng.gamma(0.5))
        accepted = (s / np.hypot(s, PRIOR.mean_floor)) ** (L - 3)
    mu = rng.normal(size=L)
    mu -= mu.mean()
    return s * mu / mu.std(ddof=1)


def level_one(rng, missing):
    """Contrasts, scale matrices of their noise and padding; each second data set lacks one."""
    B, C, pad = np.zeros((Q, L - 1, L)), np.zeros((Q, L - 1, L - 1)), np.zeros((Q, L - 1))
    for i in range(Q):
        seen = np.delete(np.arange(L), i // 2 % L) if missing and i % 2 else np.arange(L)
        p = len(seen) - 1
        B[i][:p, seen] = helmert(p + 1)
        half = rng.normal(size=(p, 4))
        C[i, :p, :p] = (NOISE * np.exp(rng.normal())) ** 2 * half @ half.T / 4
        pad[i, p:] = 1
    return B, C, pad


def simulate(rng, missing):
    """True effects, and data of the program."""
    mu, Sigma0, nu = parameters(rng)
    B, C, pad = level_one(rng, missing)
    kappa, lam = rng.gamma(nu / 2, 2 / nu, Q), rng.gamma(DOF / 2, 2 / DOF, Q)
    u = mu + rng.multivariate_normal(np.zeros(L), Sigma0, Q) / np.sqrt(kappa)[:, None]
    noise = np.array([rng.multivariate_normal(np.zeros(L - 1), c) for c in C])
    y = np.einsum("ikl,il->ik", B, u) + noise / np.sqrt(lam)[:, None]
    values = _values(u, Sigma0, nu, mu)
    shape = {"L": L, "q": Q, "K": K, "y": y, "B": B, "C": C, "pad": pad, "dof": np.full(Q, DOF)}
    axes = np.vstack([helmert(L), np.full(L, 1 / np.sqrt(L))]).T
    centre = np.linalg.lstsq(B.reshape(-1, L), y.ravel(), rcond=None)[0]
    spread = float(np.median(np.abs(y - B @ centre)[pad == 0]))
    return values, shape | {
        "Q": axes,
        "m_at": axes[:, :-1].T @ centre,
        "m_sd": 2 * spread / np.sqrt(Q),
        "A_median": PRIOR.scale_median,
        "A_sd": PRIOR.scale_sd,
        "psi_floor": FLOOR,
        "omega_scale": PRIOR.factor_scale,
        "mean_scale": PRIOR.mean_scale,
        "mean_floor": PRIOR.mean_floor,
        "alpha_lower": PRIOR.alpha[0],
        "alpha_upper": PRIOR.alpha[1],
        "beta_lower": PRIOR.beta[0],
        "beta_upper": PRIOR.beta[1],
        "nu_offset": PRIOR.nu_offset,
    }


def start(data, rng):
    """Initial values at the size of the data."""
    size = np.log(data["m_sd"])
    return {
        "m": rng.normal(data["m_at"], data["m_sd"]).tolist(),
        "root_psi": np.sqrt(np.maximum(np.exp(rng.normal(size, 0.3, L)), 2 * FLOOR)).tolist(),
        "log_A": float(size + 1),
        "raw": rng.normal(0, 0.5, (L, K)).tolist(),
        "log_omega": rng.normal(-0.5, 0.2, K).tolist(),
        "log_nu_raw": 2.0,
        "alpha_unit": 0.5,
        "beta_unit": 0.5,
        "z": (0.1 * rng.normal(size=Q)).tolist(),
        "log_lambda": (0.1 * rng.normal(size=Q)).tolist(),
    }


def _values(u, Sigma0, nu, mu):
    """What is ranked, from arrays that may have a leading axis of draws."""
    log_v = {
        f"log_v_{a + 1}{b + 1}": np.log(
            Sigma0[..., a, a] + Sigma0[..., b, b] - 2 * Sigma0[..., a, b]
        )
        for a, b in ((0, 1), (0, 2), (1, 2))
    }
    steps = {
        f"{name}_{a + 1}{a + 2}": x[..., a + 1] - x[..., a]
        for name, x in (("mu", mu), ("u", u[..., 0, :]))
        for a in (0, 1)
    }
    return {**log_v, **steps, "nu": nu}


def ranks(replicates: range, missing: bool, name: str) -> Iterator[dict[str, float]]:
    """Ranks of the truth in each replicate, which has its own seed, by the engine of that name."""
    engine = find_engine(name, MODEL)
    for i in replicates:
        rng = np.random.default_rng([2016, missing, i])
        truth, data = simulate(rng, missing)
        request = FitRequest(MODEL, data, i, KEEP, [start(data, rng)], SETTINGS)
        draws = {k: v[0, ::THIN] for k, v in engine.fit(request).draws.items()}
        u = true_means(data, draws, rng)
        drawn = _values(u, draws["Sigma0"], draws["nu"], draws["mu"])
        yield {name: randomised_rank(truth[name], drawn[name], rng) for name in NAMES}


@pytest.mark.parametrize("engine", ["gibbs", "pystan"])
@pytest.mark.parametrize("cells", CELLS)
def test_ranks_are_uniform(cells, engine):
    rows = list(ranks(range(300), cells == "missing", engine))
    values = {name: [row[name] for row in rows] for name in NAMES}
    check_uniform(values, f"joint, {cells}, {engine}")


def resume(replicates: int, file: Path, engine: str) -> None:
    """Adds the replicates to the file that it lacks."""
    lines = file.read_text().splitlines() if file.exists() else []
    with file.open("a") as out:
        if not lines:
            out.write(",".join(("cells", *NAMES)) + "\n")
        for cells in CELLS:
            done = sum(line.startswith(f"{cells},") for line in lines)
            for row in ranks(range(done, replicates), cells == "missing", engine):
                out.write(",".join((cells, *(f"{row[name]:.4f}" for name in NAMES))) + "\n")
                out.flush()


if __name__ == "__main__":
    resume(int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
