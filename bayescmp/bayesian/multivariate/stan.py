"""Sampling the multivariate correlated t test: normal and multivariate t noise, by Stan.

For callers::

    sample_multivariate(x, *, rho, noise="t", prior=None, engine="auto", seed=None, metrics=None,
                        resolution=None, lkj=1.0, nu_mean=29.0, chains=4, warmup=1000, draws=1000,
                        adapt_delta=0.9, progress=False) -> Sampled

    sampled.draws: {"delta": (chain, draw, p), "centre" alike, "Sigma": (chain, draw, p, p),
        "nu": (chain, draw)}, in the metrics' own units; "nu" with t noise only
    sampled.fit: the Fit of these draws (engine, version, sample_stats)
    sampled.diagnostics, sampled.notes, sampled.seed, sampled.prior_text

x has full rank: dependent and constant metrics are left to the caller. With noise="normal" and
prior="jeffreys" (its default) it is the posterior of the closed form.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from bayescmp import checks
from bayescmp.bayesian.sampling.folds import (
    Folds,
    Sampled,
    check_noise,
    in_units,
    inits,
    judged,
    keep,
    prior_data,
    prior_text,
)
from bayescmp.bayesian.sampling.run import checked_settings, sample
from bayescmp.engines.base import FitRequest
from bayescmp.engines.registry import find_engine
from bayescmp.errors import InputError
from bayescmp.text import counted

if TYPE_CHECKING:
    from bayescmp.checks import Seed
    from bayescmp.engines.base import StanData


__all__ = ["Sampled", "sample_multivariate"]

MODEL = "multivariate_correlated_t"


def sample_multivariate(
    x: ArrayLike,
    *,
    rho: float,
    noise: str = "t",
    prior: str | None = None,
    engine: str = "auto",
    seed: Seed = None,
    metrics: Sequence[str] | None = None,
    resolution: ArrayLike | None = None,
    lkj: float = 1.0,
    nu_mean: float = 29.0,
    chains: int = 4,
    warmup: int = 1000,
    draws: int = 1000,
    adapt_delta: float = 0.9,
    progress: bool = False,
) -> Sampled:
    """Draws of the mean difference of p metrics on one data set.

    The differences are x_j = δ + A(√rho·z_0 + √(1 − rho)·z_j), AA′ = Σ, with z standard normal or
    multivariate t with ν degrees of freedom. The weak prior: Σ = diag(σ) Ω diag(σ), log σ_k normal
    about the data's own with sd 5, Ω ~ LKJ(lkj), what the folds scatter about normal with 1000
    times the differences' root mean square, ν − 1 ~ Exponential.

    Parameters
    ----------
    x : array_like of shape (n, p)
        Differences, second minus first, positive where the second is better; n > p.
    rho : float
        Correlation of two folds' differences.
    noise : str
        "normal" or "t".
    prior : str, optional
        "jeffreys" or "weak". With normal noise Jeffreys' unless given, |Σ|^(−(p+1)/2),
        which has the closed form t_{n−p}(D̄, c·S/(n−p)); with t noise always the weak one, since
        Jeffreys' has no proper posterior with Σ bounded from below.
    engine : str
        "auto", "cmdstan", "bundled" or "pystan".
    seed : int or numpy Generator, optional
        The same seed gives the same draws on the same engine.
    metrics : sequence of str, optional
        Names for messages.
    resolution : float or array_like of shape (p,), optional
        Smallest step h of each metric; with t noise Σ is not allowed under the spread of rounding
        to it, diag(h²/12). Where it is not known and over half of a metric's differences are
        equal, the smallest step seen.
    lkj : float
        Shape of the weak prior of the correlations; 1 is uniform.
    nu_mean : float
        Mean of the exponential prior of ν − 1.
    chains, warmup, draws, adapt_delta
        Settings of the sampler.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    Sampled
        Draws of delta (chain, draw, p), Sigma (chain, draw, p, p) and, with t noise, nu.

    Raises
    ------
    InputError
        n <= p, missing or infinite differences, metrics that are constant or linearly dependent,
        a bad rho, noise, prior, resolution, lkj, nu_mean or seed.
    EngineError, EngineNotFound
        If the engine can't fit the model or none is installed.

    References
    ----------
    Corani & Benavoli (2015), Machine Learning 100:285-304; Kruschke (2013), Journal of
    Experimental Psychology: General 142:573-603; Lewandowski, Kurowicka & Joe (2009), Journal of
    Multivariate Analysis 100:1989-2001, for LKJ.
    """
    values = _differences(x)
    student, which = check_noise(noise, prior)
    folds = Folds.of(values[:, None, :], rho, student, metrics, resolution)
    number = checks.seed_of(seed)
    # The mirrored problem has the mirrored draws, and the order of the folds can't matter.
    sign = -1.0 if (values / folds.unit).sum() < 0 else 1.0
    scaled = sign * values / folds.unit
    scaled = scaled[np.lexsort(scaled.T)]
    p = scaled.shape[1]
    rms = np.sqrt((scaled**2).mean(axis=0))
    data = {**_data(scaled, folds), **prior_data(which, p, rms, lkj, nu_mean)}
    sizes = {"u": p, "log_t": p, "t_below": p * (p - 1) // 2}
    request = FitRequest(
        MODEL,
        data,
        number,
        keep("delta", student),
        inits(number, chains, student, sizes),
        checked_settings(chains, warmup, draws, adapt_delta),
        progress,
    )
    fit, diagnostics = sample(find_engine(engine, MODEL), request, judged("delta", student))
    return Sampled(
        in_units(fit, "delta", sign * folds.unit, folds.unit),
        diagnostics,
        number,
        prior_text(which, student, lkj, nu_mean),
        folds.notes,
    )


def _differences(x: ArrayLike) -> np.ndarray:
    accepted = "(n, p) differences, n folds and p metrics, n > p"
    values = checks.numbers(x, "x", accepted)
    if values.ndim != 2 or 0 in values.shape:
        raise InputError(f"x has shape {values.shape}; accepted: {accepted}")
    checks.finite(
        values,
        "x",
        lambda at: f"metric {at[1] + 1} in fold {at[0] + 1}",
        "every fold needs a finite score of both",
    )
    n, p = values.shape
    if n <= p:
        raise InputError(
            f"x has {counted(n, 'fold')} for {counted(p, 'metric')}; more folds than metrics are "
            "needed: leave out metrics, or add repeats of the cross-validation"
        )
    return values


def _data(x: np.ndarray, folds: Folds) -> StanData:
    """The program's data but for the prior, x in units and sorted."""
    n, p = x.shape
    mean = x.mean(axis=0)
    at, root = folds.start(x[:, None, :])
    return {
        "p": p,
        "n": n,
        "rho": folds.rho,
        "student": int(folds.student),
        "xbar": mean,
        "scatter": (x - mean).T @ (x - mean),
        "x": x if folds.student else np.zeros((0, p)),
        "at": at[0],
        "root": root,
        "floor_sd": folds.floor,
        "log_sigma_mean": np.log(np.linalg.norm(root, axis=1)),
    }
