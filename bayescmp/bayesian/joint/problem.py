"""From a table of folds and a prior to the data of the joint program, and the way back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.cluster.hierarchy import linkage

from bayescmp.bayesian.joint.folds import FoldNoise, fold_noise
from bayescmp.bayesian.joint.prior import JointPrior
from bayescmp.bayesian.joint.table import FoldTable
from bayescmp.bayesian.sampling.run import steady
from bayescmp.engines.base import FitRequest, SamplerSettings, StanData

__all__ = [
    "ADAPT_DELTA",
    "JUDGED",
    "KEEP",
    "MODEL",
    "WARMUP",
    "JointProblem",
    "pose",
    "program_data",
    "true_means",
]

MODEL = "joint_correlated_t"
#: Settings of the sampler, if not given.
WARMUP, ADAPT_DELTA = 1000, 0.9
#: What the diagnostics judge by: everything that is reported.
JUDGED = ("mu", "nu", "log_v")
KEEP = {"mu": False, "nu": True, "log_v": False, "Sigma0": False, "kappa": False, "lambda": False}
#: Least spread of an algorithm of its own, in units of the scale: keeps it from degenerating
#: together with a factor.
FLOOR = 1e-3


@dataclass(frozen=True, eq=False)
class JointProblem:
    """The program's data, in units of the typical spread between data sets.

    Attributes
    ----------
    data : dict
        Data block of the program.
    scale : float
        Units of the metric per unit of the data.
    noise : FoldNoise
        Level one, in units of the metric.
    """

    data: StanData
    scale: float
    noise: FoldNoise

    def request(self, seed: int, settings: SamplerSettings, progress: bool = False) -> FitRequest:
        """What an engine is asked for."""
        inits = self.inits(seed, settings.chains)
        return FitRequest(MODEL, self.data, seed, KEEP, inits, settings, progress)

    def inits(self, seed: int, chains: int) -> list[StanData]:
        """Initial values near the data, one mapping a chain."""
        rng = np.random.default_rng([seed, 1])
        L, q, K = (self.data[k] for k in ("L", "q", "K"))
        at, sd = np.asarray(self.data["m_at"]), self.data["m_sd"]
        return [
            {
                "m": (at + 0.3 * sd * rng.normal(size=L - 1)).tolist(),
                "root_psi": np.exp(rng.normal(-0.25, 0.15, size=L)).tolist(),
                "log_A": float(rng.normal(1.5, 0.5)),
                "raw": rng.normal(0, 0.5, size=(L, K)).tolist(),
                "log_omega": rng.normal(-1.5, 0.2, size=K).tolist(),
                "log_nu_raw": float(np.log(rng.uniform(2, 20))),
                "alpha_unit": rng.uniform(0.25, 0.75),
                "beta_unit": rng.uniform(0.25, 0.75),
                "z": (0.1 * rng.normal(size=q)).tolist(),
                "log_lambda": (0.1 * rng.normal(size=q)).tolist(),
            }
            for _ in range(chains)
        ]


def pose(table: FoldTable, prior: JointPrior, *, pool: bool | None = None) -> JointProblem:
    """Data of the program.

    Parameters
    ----------
    table : FoldTable
        Three algorithms or more, two folds or more on each data set.
    prior : JointPrior
    pool : bool, optional
        As for `fold_noise`.
    """
    noise = fold_noise(table, pool=pool)
    scale = _scale(table.means, noise)
    columns = prior.columns(table.L, table.q)
    return JointProblem(program_data(noise, table.means, scale, prior, columns), scale, noise)


def program_data(
    noise: FoldNoise, means: np.ndarray, scale: float, prior: JointPrior, columns: int
) -> StanData:
    """Data of the program, in units of the scale.

    Parameters
    ----------
    noise : FoldNoise
        Level one.
    means : ndarray of shape (q, L)
        Mean scores, up to a constant of each data set; NaN where an algorithm was not run.
    scale : float
        Units of the metric per unit of the data.
    prior : JointPrior
    columns : int
        Dimensions in which algorithms vary together.
    """
    q, L = means.shape
    Q = _axes(means)
    return {
        "L": L,
        "q": q,
        "K": columns,
        "y": steady(noise.y / scale),
        "B": noise.B,
        "C": steady(noise.C / scale**2),
        "pad": noise.pad,
        "dof": noise.dof,
        "Q": Q,
        "m_at": steady(Q[:, :-1].T @ (_centres(means) / scale)),
        "m_sd": 2.0 / np.sqrt(q),
        "A_median": prior.scale_median,
        "A_sd": prior.scale_sd,
        "psi_floor": FLOOR,
        "omega_scale": prior.factor_scale,
        "mean_scale": prior.mean_scale,
        "mean_floor": prior.mean_floor,
        "alpha_lower": prior.alpha[0],
        "alpha_upper": prior.alpha[1],
        "beta_lower": prior.beta[0],
        "beta_upper": prior.beta[1],
        "nu_offset": prior.nu_offset,
    }


def _scale(means: np.ndarray, noise: FoldNoise) -> float:
    """Median over pairs of the sd of their mean differences, over √2."""
    sds = []
    for a in range(means.shape[1]):
        d = means[:, a + 1 :] - means[:, [a]]
        there = ~np.isnan(d)
        count = there.sum(axis=0)
        centre = np.where(there, d, 0).sum(axis=0) / np.maximum(count, 1)
        squares = (np.where(there, d - centre, 0) ** 2).sum(axis=0)
        sds += [np.sqrt(s / (c - 1)) for s, c in zip(squares, count, strict=True) if c > 1]
    positive = [s for s in sds if s > 0]
    if positive:
        return float(np.median(positive)) / np.sqrt(2)
    traces = np.trace(noise.C, axis1=1, axis2=2) / np.maximum((1 - noise.pad).sum(axis=1), 1)
    return float(np.sqrt(np.median(traces)))


def _centres(means: np.ndarray) -> np.ndarray:
    """Rough effects of the algorithms: medians of their leads over those seen beside them."""
    leads = means - np.nanmean(means, axis=1, keepdims=True)
    centre = np.nanmedian(leads, axis=0)
    return np.asarray(centre - centre.mean())


def _axes(means: np.ndarray) -> np.ndarray:
    """Orthonormal axes along which algorithms move apart; the last one is constant.

    The algorithms are joined one by one into ever larger groups, those first whose difference
    varies least from data set to data set, and each axis is the difference of two groups' means.
    Two nearly identical algorithms thus have an axis of their own, along which the posterior of
    the loadings may be a hundred times as narrow as along others.
    """
    L = means.shape[1]
    groups = {k: np.eye(L)[k] for k in range(L)}  # weights of a mean
    axes = []
    for step, (a, b, *_) in enumerate(linkage(_spreads(means), method="average")):
        first, second = groups[int(a)], groups[int(b)]
        axis = first - second
        axes.append(axis / np.linalg.norm(axis))
        sizes = 1 / (first**2).sum(), 1 / (second**2).sum()
        groups[L + step] = (sizes[0] * first + sizes[1] * second) / sum(sizes)
    return np.stack([*axes, np.full(L, 1 / np.sqrt(L))], axis=1)


def _spreads(means: np.ndarray) -> np.ndarray:
    """Median absolute deviation of each pair's mean differences, condensed."""
    deviations = []
    for a in range(means.shape[1]):
        for b in range(a + 1, means.shape[1]):
            d = means[:, b] - means[:, a]
            d = d[~np.isnan(d)]
            deviations.append(np.median(np.abs(d - np.median(d))) if len(d) > 1 else np.inf)
    spreads = np.array(deviations)
    known = spreads[np.isfinite(spreads)]
    return np.where(np.isfinite(spreads), spreads, known.max(initial=1.0))


def true_means(
    data: StanData, draws: dict[str, np.ndarray], rng: np.random.Generator
) -> np.ndarray:
    """Draws of the data sets' true effects u_i given the other parameters, by Matheron's rule.

    Parameters
    ----------
    data : dict
        Data block of the program.
    draws : dict of str to ndarray
        "mu" (D, L), "Sigma0" (D, L, L), "kappa" and "lambda" (D, q), in units of the data.
    rng : numpy Generator

    Returns
    -------
    ndarray of shape (D, q, L)
        Only contrasts over the algorithms are known. Those that were not run have draws from
        their distribution given the others.
    """
    D, L = draws["mu"].shape
    q = data["q"]
    root = np.linalg.cholesky(draws["Sigma0"])
    u = np.empty((D, q, L))
    for i in range(q):
        B, C, pad, y = (np.asarray(data[k][i], dtype=float) for k in ("B", "C", "pad", "y"))
        values, axes = np.linalg.eigh(C)
        C_root = axes * np.sqrt(np.maximum(values, 0.0))
        between = draws["Sigma0"] / draws["kappa"][:, i, None, None]
        prior = np.einsum("dkl,dl->dk", root, rng.standard_normal((D, L)))
        prior = draws["mu"] + prior / np.sqrt(draws["kappa"][:, i, None])
        noise = rng.standard_normal((D, L - 1)) @ C_root.T / np.sqrt(draws["lambda"][:, i, None])
        V = B @ between @ B.T + C / draws["lambda"][:, i, None, None] + np.diag(pad)
        miss = y - prior @ B.T - noise
        u[:, i] = prior + np.einsum(
            "dlk,dk->dl", between @ B.T, np.linalg.solve(V, miss[..., None])[..., 0]
        )
    return u
