"""The joint model under other assumptions, by reweighting its draws or by another fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from bayescmp.bayesian.joint.observed import Contrasts
from bayescmp.bayesian.joint.refit import refitted
from bayescmp.bayesian.sampling.reweighting import varied
from bayescmp.pairs import Pair, PairVariation
from bayescmp.rho import other_rhos

if TYPE_CHECKING:
    from bayescmp.bayesian.joint.posterior import JointPosterior

__all__ = ["Change", "changes", "reweighted"]

#: Draws that are reweighted by likelihoods, at most.
MOST = 1000
#: Another prior of ν − offset: Gamma of this shape and rate (Juárez & Steel 2010).
WEAK = 2.0, 0.1
#: Scale and floor with which the prior of μ is flat.
FLAT = 1e6, 1e6


@dataclass(frozen=True, eq=False)
class Change:
    """Another assumption: what the model would be given under it.

    Attributes
    ----------
    question, setting : str
        What is varied, and how, in words.
    contrasts : Contrasts
        The data sets then, and the prior.
    dropped : int or None
        The data set that is left out.
    """

    question: str
    setting: str
    contrasts: Contrasts
    dropped: int | None = None


def changes(contrasts: Contrasts, names: tuple[str, ...]) -> Iterator[Change]:
    """Other priors of ν and μ, other correlations, and each data set of those named left out."""
    (a, b), offset = WEAK, float(contrasts.nu_prior[-1])
    weak = replace(contrasts, nu_prior=np.array([a, a, b, b, offset]))
    yield Change("prior", f"ν − {offset:g} ~ Gamma({a:g}, {b:g})", weak)
    yield Change("prior", "μ flat", replace(contrasts, mean_prior=np.array(FLAT)))
    for rho in other_rhos(float(np.median(contrasts.rho))):
        yield Change("rho", f"{rho:.3g}", contrasts.with_rho(rho))
    for i, name in enumerate(names if len(contrasts.y) > 2 else ()):
        yield Change("without", name, contrasts.without(i), i)


def reweighted(
    posterior: JointPosterior,
    contrasts: Contrasts,
    shares_of: Callable[[JointPosterior], np.ndarray],
    *,
    datasets: bool,
    refit: bool,
) -> Iterator[PairVariation]:
    """What becomes of all pairs' probabilities, with k-hat of the weights.

    Parameters
    ----------
    posterior : JointPosterior
    contrasts : Contrasts
        Its own.
    shares_of : callable
        Which region each draw of a posterior decides for, of every pair: (chain, draw, P, 3).
    datasets : bool
        Whether to leave out each data set in turn.
    refit : bool
        Whether to fit again where k-hat is over 0.7.

    See Also
    --------
    bayescmp.pairs.PairsPosterior.pair_variations : What it yields.
    """
    shares, mu, nu = shares_of(posterior), posterior.mu, posterior.nu
    every = max(nu.size // MOST, 1)
    few = tuple(x[:, ::every] for x in (posterior.mu, posterior.Sigma0, nu))
    own = contrasts.log_likelihood(*few)
    for change in changes(contrasts, posterior.datasets if datasets else ()):
        other, thin = change.contrasts, every
        if change.question == "prior":
            ratios, thin = other.log_prior(mu, nu) - contrasts.log_prior(mu, nu), 1
        elif change.dropped is not None:
            ratios = -own[..., change.dropped]
        else:
            ratios = (other.log_likelihood(*few) - own).sum(axis=-1)
        average = partial(_average, posterior.pairs, shares[:, ::thin])
        again = partial(_another_fit, posterior, other, shares_of) if other.links else None
        yield change.question, *varied(change.setting, ratios, average, again, refit=refit)


def _average(pairs: list[Pair], shares: np.ndarray, weights: np.ndarray) -> dict[Pair, np.ndarray]:
    return dict(zip(pairs, np.einsum("cd,cdpr->pr", weights, shares), strict=True))


def _another_fit(
    posterior: JointPosterior,
    contrasts: Contrasts,
    shares_of: Callable[[JointPosterior], np.ndarray],
) -> dict[Pair, np.ndarray]:
    shares = shares_of(refitted(posterior, contrasts))
    return dict(zip(posterior.pairs, shares.mean(axis=(0, 1)), strict=True))
