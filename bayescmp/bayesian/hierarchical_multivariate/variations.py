"""The hierarchical multivariate test under other assumptions, by reweighting its draws."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from bayescmp._arviz import psis
from bayescmp.bayesian.hierarchical.predictive import log_density_of_nu
from bayescmp.bayesian.hierarchical_multivariate.observed import Draws, Observed, log_half_t
from bayescmp.bayesian.hierarchical_multivariate.prior import MultivariatePrior
from bayescmp.bayesian.sampling.posterior import RELIABLE
from bayescmp.engines.quadrature import NuPrior
from bayescmp.rho import other_rhos
from bayescmp.verdict import winners

if TYPE_CHECKING:
    from bayescmp.bayesian.hierarchical_multivariate.posterior import (
        HierarchicalMultivariatePosterior,
    )
    from bayescmp.typing import Variation

__all__ = ["reweighted"]

#: Draws that are reweighted by likelihoods, at most.
MOST = 1000


def reweighted(
    posterior: HierarchicalMultivariatePosterior, observed: Observed, *, datasets: bool
) -> Iterator[Variation]:
    """Other priors and correlations, and each data set left out, with k-hat of the weights.

    See Also
    --------
    bayescmp.Posterior.variations : What it yields.
    """
    shares, draws = winners(posterior.masses()), posterior.fit.draws
    for setting, ratios in _priors(draws, observed, posterior.prior):
        yield "prior", *_weighted(setting, ratios, shares)
    every = max(draws["nu"].size // MOST, 1)
    draws = {k: v[:, ::every] for k, v in draws.items()}
    shares = shares[:, ::every]
    own = observed.log_likelihood(draws)
    for rho in other_rhos(float(np.median(observed.rho))):
        factor = _error(posterior.n, rho) / _error(posterior.n, observed.rho)
        ratios = (observed.log_likelihood(draws, factor) - own).sum(axis=-1)
        yield "rho", *_weighted(f"{rho:.3g}", ratios, shares)
    for i, name in enumerate(posterior.datasets if datasets and len(posterior.n) > 2 else ()):
        yield "without", *_weighted(name, -own[..., i], shares)


def _weighted(setting: str, log_ratios: np.ndarray, shares: np.ndarray) -> tuple[str, np.ndarray]:
    """The setting with its k-hat, and the regions' probabilities."""
    weights, k_hat = psis(log_ratios)
    doubt = ", not reliable" if k_hat > RELIABLE else ""
    p = (weights[..., None] * shares).sum(axis=(0, 1))
    return f"{setting} (k-hat {k_hat:.2f}{doubt})", p


def _priors(
    draws: Draws, observed: Observed, prior: MultivariatePrior
) -> Iterator[tuple[str, np.ndarray]]:
    """Other priors in words, and logs of their densities over those of the fit."""
    weak = MultivariatePrior.weakly_informative()
    own = observed.log_prior(draws, prior)
    errors = np.sqrt(np.diagonal(observed.C, axis1=1, axis2=2)).mean(axis=0)
    scale = weak.tau_factor * np.maximum(observed.xbar.std(axis=0, ddof=1), errors)
    half_t = log_half_t(draws["tau"], weak.tau_df, scale)
    yield (
        f"half-t({weak.tau_df:g}, {weak.tau_factor:g} sd) of τ",
        (half_t - own["tau"]).sum(axis=-1),
    )
    if (prior.alpha, prior.beta) != (weak.alpha, weak.beta):
        nu = log_density_of_nu(NuPrior(weak.alpha, weak.beta, 1.0), draws["nu"])
        yield f"ν − 1 ~ Gamma({weak.alpha[0]:g}, {weak.beta[0]:g})", nu - own["nu"]
    if draws["Omega"].shape[-1] > 1 and prior.lkj != 1:
        yield "correlations ~ LKJ(1)", -own["correlations"]
    z2 = ((draws["delta0"] / observed.delta0_sd) ** 2).sum(axis=-1)
    yield "δ0 ten times as wide", 0.5 * z2 * (1 - 0.01)


def _error(n: np.ndarray, rho: np.ndarray | float) -> np.ndarray:
    """Variance of a mean of n correlated differences, over that of independent ones."""
    return np.asarray((1 + (n - 1) * rho) / (1 - rho))
