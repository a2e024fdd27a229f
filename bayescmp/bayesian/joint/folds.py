"""What the folds of each data set tell of its means: contrasts and the covariance of their noise.

On data set i, with n folds correlated at rho and W the scatter of its p contrasts over the folds,
the means' contrasts are multivariate t around their true values with scale matrix c W / dof,
c = 1/n + rho/(1 − rho), and dof = n − 2 degrees of freedom: then every pair has exactly the kernel
of the test of two with its flat prior on sigma, and leaving out an algorithm changes nothing for
the others.

That needs more folds than algorithms. With few folds, W is a poor estimate of a covariance, and
has none at all in n − 1 < p dimensions. There its prior is an inverse Wishart distribution around
the shape R that the data sets' noise has in common, scaled to each one's size ω: W + δωR takes the
place of W and n − 2 + δ of n − 2, with the weight δ that makes the folds most probable.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import multigammaln

from bayescmp.bayesian.joint.table import FoldTable
from bayescmp.steps import step_seen

__all__ = ["FoldNoise", "fold_noise", "helmert"]

#: So many folds an algorithm make a data set's own scatter enough.
ENOUGH = 3
#: Weights of the common shape that are tried, in folds.
WEIGHTS = (1.0, 2.0, 3.0, 5.0, 8.0, 13.0, 21.0, 34.0, 55.0, 89.0, 144.0)
#: Least variance of a contrast in the common shape, relative to their mean.
SMALLEST = 1e-4
#: Contrasts with less of the largest one's scatter are constant.
CONSTANT = 1e-9
#: Sums of squares below this are those of rounding.
NOTHING = 1e-20


@dataclass(frozen=True, eq=False)
class FoldNoise:
    """Level one of the joint model; rows beyond p_i of the contrasts are padding, all zero.

    Attributes
    ----------
    y : ndarray of shape (q, L - 1)
        Contrasts of the means.
    B : ndarray of shape (q, L - 1, L)
        The contrasts, orthonormal.
    C : ndarray of shape (q, L - 1, L - 1)
        Scale matrices of their noise.
    pad : ndarray of shape (q, L - 1)
        1 on the padding.
    dof : ndarray of shape (q,)
        Degrees of freedom.
    weight : float
        Of the common shape, in folds; 0 where each data set's scatter is used as it is.
    """

    y: np.ndarray
    B: np.ndarray
    C: np.ndarray
    pad: np.ndarray
    dof: np.ndarray
    weight: float


def helmert(size: int) -> np.ndarray:
    """Orthonormal contrasts of ``size`` things, shape (size - 1, size): each against those before.

    Examples
    --------
    >>> from bayescmp.bayesian.joint.folds import helmert
    >>> helmert(2).round(3).tolist()
    [[0.707, -0.707]]
    """
    H = np.zeros((size - 1, size))
    for k in range(1, size):
        H[k - 1, :k] = 1
        H[k - 1, k] = -k
    return H / np.sqrt((H**2).sum(axis=1, keepdims=True))


def fold_noise(table: FoldTable, *, pool: bool | None = None) -> FoldNoise:
    """Level one of the joint model for a table with two folds or more on each data set.

    Parameters
    ----------
    table : FoldTable
    pool : bool, optional
        Whether to pull each data set's covariance to the shape they have in common; if not given,
        where any data set has fewer than three folds an algorithm.
    """
    q, L = table.q, table.L
    p = table.seen.sum(axis=1) - 1
    B, y = np.zeros((q, L - 1, L)), np.zeros((q, L - 1))
    pad = (np.arange(L - 1) >= p[:, None]).astype(float)
    scatters = []
    for i in range(q):
        seen = table.seen[i]
        H = helmert(p[i] + 1)
        B[i, : p[i], seen] = H.T
        y[i, : p[i]] = H @ table.means[i, seen]
        centred = table.centred(i)[:, seen] @ H.T
        scatters.append(centred.T @ centred)
    if pool is None:
        pool = bool((table.n < ENOUGH * p).any())
    few = (table.n - 1 < p) & any(S.max() > NOTHING for S in scatters)
    steps = _resolutions(table)
    scatters = [
        S if pool and few[i] else _filled(S, table.n[i], steps[i]) for i, S in enumerate(scatters)
    ]
    weight, priors = _common(table, scatters, B) if pool else (0.0, None)
    C, dof = np.zeros((q, L - 1, L - 1)), np.maximum(table.n - 2.0, 1.0) + weight
    for i, (S, c) in enumerate(zip(scatters, table.inflation(), strict=True)):
        total = S if priors is None else S + weight * priors[i]
        C[i, : p[i], : p[i]] = c * total / dof[i]
    return FoldNoise(y, B, C, pad, dof, weight)


def _resolutions(table: FoldTable) -> np.ndarray:
    """Smallest step of the metric on each data set, as far as the scores tell."""
    steps = np.array([step_seen([x[~np.isnan(x)] - np.nanmin(x)]) for x in table.x])
    least = np.nanmin(steps) if not np.isnan(steps).all() else 1e-3
    return np.where(np.isnan(steps), least, steps)


def _filled(S: np.ndarray, n: int, step: float) -> np.ndarray:
    """A scatter whose constant contrasts have the spread of rounding to the metric's step.

    A pair whose folds are all equal gets the sum of squares n step² / 12, as in the test of two.
    """
    size, axes = np.linalg.eigh(S)
    null = size < max(CONSTANT * size.max(), NOTHING)
    return np.asarray(S + n * step**2 / 24 * axes[:, null] @ axes[:, null].T)


def _common(
    table: FoldTable, scatters: list[np.ndarray], B: np.ndarray
) -> tuple[float, list[np.ndarray]]:
    """Weight of the common shape, and the shape on each data set's scale.

    The shape is estimated by the variances of pairs' differences, which also tables with gaps
    give; on any set of algorithms, contrasts of a matrix Γ of such variances have covariance
    −½ B Γ Bᵀ.
    """
    p = table.seen.sum(axis=1) - 1
    df = table.n - 1.0
    size = np.array([np.trace(S) / (d * k) for S, d, k in zip(scatters, df, p, strict=True)])
    size = np.maximum(size, 1e-12 * size.max())
    gamma = _variogram(table, size)
    if gamma.max() < NOTHING:  # folds are constant: no shape is known
        gamma = 1 - np.eye(table.L)
    priors = []
    for i, k in enumerate(p):
        contrasts = B[i, :k]
        shape = -0.5 * contrasts @ gamma @ contrasts.T
        least = SMALLEST * np.trace(shape) / k
        values, axes = np.linalg.eigh(shape)
        shape = (axes * np.maximum(values, least)) @ axes.T
        priors.append(size[i] * shape * k / np.trace(shape))
    likelihoods = [
        sum(_evidence(S, d, w, P) for S, d, P in zip(scatters, df, priors, strict=True))
        for w in WEIGHTS
    ]
    return WEIGHTS[int(np.argmax(likelihoods))], priors


def _variogram(table: FoldTable, size: np.ndarray) -> np.ndarray:
    """Variances of all pairs' differences on one scale, pooled over data sets, (L, L)."""
    total, count = (np.zeros((table.L, table.L)) for _ in range(2))
    for i in range(table.q):
        x, seen = table.centred(i) / np.sqrt(size[i]), table.seen[i]
        G = x.T @ x
        d = np.diag(G)
        both = np.outer(seen, seen)
        total += np.where(both, d[:, None] + d - 2 * G, 0.0)
        count += both * (table.n[i] - 1)
    known = total[count > 0].sum() / max(count[~np.eye(table.L, dtype=bool)].sum(), 1)
    return np.where(count > 0, total / np.maximum(count, 1), known)


def _evidence(S: np.ndarray, df: float, weight: float, P: np.ndarray) -> float:
    """Log density of a scatter with its covariance integrated out, up to what weight leaves alone.

    S | G ~ Wishart(df, G), G ~ inverse Wishart(weight + p − 1, weight · P); where df < p, that of
    the folds themselves, which differs by a factor without the weight.
    """
    k = len(S)
    a = weight + k - 1
    prior = weight * P
    return float(
        multigammaln((a + df) / 2, k)
        - multigammaln(a / 2, k)
        + a / 2 * np.linalg.slogdet(prior)[1]
        - (a + df) / 2 * np.linalg.slogdet(prior + S)[1]
    )
