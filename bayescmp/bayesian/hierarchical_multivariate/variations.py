"""The hierarchical multivariate test under other assumptions, by reweighting or by another fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from bayescmp.bayesian.hierarchical_multivariate.observed import Draws, Observed
from bayescmp.bayesian.hierarchical_multivariate.prior import MultivariatePrior
from bayescmp.bayesian.hierarchical_multivariate.refit import refitted
from bayescmp.bayesian.sampling.reweighting import varied
from bayescmp.rho import other_rhos
from bayescmp.verdict import winners

if TYPE_CHECKING:
    from bayescmp.bayesian.hierarchical_multivariate.posterior import (
        HierarchicalMultivariatePosterior,
    )
    from bayescmp.typing import Variation

__all__ = ["Change", "changes", "reweighted"]

#: Draws that are reweighted by likelihoods, at most.
MOST = 1000


@dataclass(frozen=True, eq=False)
class Change:
    """Another assumption: what the model would be given under it.

    Attributes
    ----------
    question, setting : str
        What is varied, and how, in words.
    observed : Observed
        The data sets then, with the scales of the prior.
    prior : MultivariatePrior
        The rest of the prior.
    dropped : int or None
        The data set that is left out.
    """

    question: str
    setting: str
    observed: Observed
    prior: MultivariatePrior
    dropped: int | None = None


def changes(
    posterior: HierarchicalMultivariatePosterior, observed: Observed, *, datasets: bool
) -> Iterator[Change]:
    """Other priors and correlations, and each data set left out in turn; of two none can be."""
    prior = posterior.prior
    yield from _priors(observed, prior)
    for rho in other_rhos(float(np.median(observed.rho))):
        yield Change("rho", f"{rho:.3g}", observed.with_rho(rho, posterior.n), prior)
    for i, name in enumerate(posterior.datasets if datasets and len(posterior.n) > 2 else ()):
        yield Change("without", name, observed.without(i), prior, i)


def reweighted(
    posterior: HierarchicalMultivariatePosterior,
    observed: Observed,
    *,
    datasets: bool,
    refit: bool,
) -> Iterator[Variation]:
    """What becomes of the regions' probabilities, with k-hat of the weights.

    See Also
    --------
    bayescmp.Posterior.variations : What it yields.
    """
    shares, draws = winners(posterior.masses()), posterior.fit.draws
    every = max(draws["nu"].size // MOST, 1)
    few, few_shares = {k: v[:, ::every] for k, v in draws.items()}, shares[:, ::every]
    own = observed.log_likelihood(few)
    density = _log_prior(observed, draws, posterior.prior)
    for change in changes(posterior, observed, datasets=datasets):
        if change.question == "prior":
            ratios, of = _log_prior(change.observed, draws, change.prior) - density, shares
        elif change.dropped is not None:
            ratios, of = -own[..., change.dropped], few_shares
        else:
            ratios, of = (change.observed.log_likelihood(few) - own).sum(axis=-1), few_shares
        again = partial(_another_fit, posterior, change)
        average = partial(_average, of)
        yield change.question, *varied(change.setting, ratios, average, again, refit=refit)


def _average(shares: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return np.asarray((weights[..., None] * shares).sum(axis=(0, 1)))


def _another_fit(posterior: HierarchicalMultivariatePosterior, change: Change) -> np.ndarray:
    other = refitted(posterior, change.observed, change.prior)
    return np.asarray(winners(other.masses()).mean(axis=(0, 1)))


def _log_prior(observed: Observed, draws: Draws, prior: MultivariatePrior) -> np.ndarray:
    """Log prior density of each draw, up to a constant."""
    parts = observed.log_prior(draws, prior)
    own = parts["delta0"].sum(axis=-1) + parts["tau"].sum(axis=-1)
    return np.asarray(own + parts["correlations"] + parts["nu"])


def _priors(observed: Observed, prior: MultivariatePrior) -> Iterator[Change]:
    weak = MultivariatePrior.weakly_informative()
    errors = np.sqrt(np.diagonal(observed.C, axis1=1, axis2=2)).mean(axis=0)
    scale = weak.tau_factor * np.maximum(observed.xbar.std(axis=0, ddof=1), errors)
    yield Change(
        "prior",
        f"half-t({weak.tau_df:g}, {weak.tau_factor:g} sd) of τ",
        replace(observed, tau_scale=scale),
        replace(prior, tau_df=weak.tau_df),
    )
    if (prior.alpha, prior.beta) != (weak.alpha, weak.beta):
        words = f"ν − 1 ~ Gamma({weak.alpha[0]:g}, {weak.beta[0]:g})"
        yield Change("prior", words, observed, replace(prior, alpha=weak.alpha, beta=weak.beta))
    if observed.xbar.shape[1] > 1 and prior.lkj != 1:
        yield Change("prior", "correlations ~ LKJ(1)", observed, replace(prior, lkj=1.0))
    wider = replace(observed, delta0_sd=10 * observed.delta0_sd)
    yield Change("prior", "δ0 ten times as wide", wider, prior)
