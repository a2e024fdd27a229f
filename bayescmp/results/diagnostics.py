"""Diagnostics of samplers and of the built-in engine, and Monte Carlo errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayescmp.results import arviz


@dataclass(frozen=True)
class Diagnostics:
    """Diagnostics of one fit; those that do not apply are None.

    Attributes
    ----------
    exact : bool
        Whether the posterior was computed, in closed form or by quadrature, and not sampled.
    rhat, ess_bulk, ess_tail : float
        Largest rank-normalised split r-hat of the upper level, and smallest effective sample
        sizes.
    divergences, max_treedepth : int
        Divergent transitions; transitions that hit the limit of the tree's depth.
    ebfmi : float
        Smallest energy Bayesian fraction of missing information of a chain.
    certificate : float
        For the built-in engine, the standard deviation of the log ratio between the grid's density
        and another rule's, at draws from the grid.
    apart : float
        Largest difference between marginal probabilities of two integrations that start from
        different points. Neither this nor the certificate bounds the error.
    adapt_delta, refitted : float, bool
        The target acceptance in the end, and whether a first run failed.
    messages : tuple of str
        What is wrong, in words; empty if nothing is.
    misfit : tuple of str
        Features of the data that the model hardly ever predicts; they do not change ``ok``.
    """

    exact: bool = False
    rhat: float | None = None
    ess_bulk: float | None = None
    ess_tail: float | None = None
    divergences: int | None = None
    max_treedepth: int | None = None
    ebfmi: float | None = None
    certificate: float | None = None
    apart: float | None = None
    adapt_delta: float | None = None
    refitted: bool = False
    messages: tuple[str, ...] = ()
    misfit: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.messages

    @property
    def unchecked(self) -> bool:
        """Whether there was nothing to check: a closed form."""
        return self.exact and self.apart is None and self.certificate is None

    def __str__(self) -> str:
        from bayescmp.summaries.fitted import describe_diagnostics

        return describe_diagnostics(self)


def inner(p: np.ndarray, size: float) -> np.ndarray:
    """Move shares of 0 and 1 of `size` draws by half a draw, into (0, 1): none is certain."""
    return np.where((p > 0) & (p < 1), p, (p * size + 0.5) / (size + 1))


def share_errors(shares: np.ndarray, *, independent: bool = False) -> np.ndarray:
    """Estimate Monte Carlo standard errors of shares of the draws, such as regions' probabilities.

    `shares` are indicators or numbers from 0 to 1, (chain, draw, ...). Errors, (...), are sd /
    √ess. If draws all agree, the share is moved by half a draw, with the smallest ess of the
    others (or the number of draws), so that the error is never zero.
    """
    total = float(shares.shape[0] * shares.shape[1])
    variance = shares.var(axis=(0, 1))
    half = inner(np.zeros_like(variance), total)
    least = half * (1 - half)
    ess = np.full(variance.shape, total)
    if not independent:
        mixed = [at for at in np.ndindex(variance.shape) if variance[at] >= least[at]]
        sizes = [min(arviz.ess(shares[(..., *at)], "mean"), total) for at in mixed]
        ess[...] = min(sizes, default=total)
        for at, size in zip(mixed, sizes, strict=True):
            ess[at] = size
    return np.asarray(np.sqrt(np.maximum(variance, least) / ess))


def mean_errors(values: np.ndarray, *, independent: bool = False) -> np.ndarray:
    """Estimate Monte Carlo standard errors of means over draws (chain, draw, ...): sd / √ess."""
    total = float(values.shape[0] * values.shape[1])
    sd = values.std(axis=(0, 1), ddof=1)
    ess = np.full(sd.shape, total)
    if not independent:
        for at in map(tuple, np.argwhere(sd > 0)):
            ess[at] = min(arviz.ess(values[(..., *at)], "mean"), total)
    return np.asarray(sd / np.sqrt(ess))
