"""Whether a posterior can be trusted: diagnostics of samplers and of the built-in engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bayescmp.results import arviz
from bayescmp.wording.text import format_count, write_number

RHAT_LIMIT = 1.01
ESS_LIMIT = 400
CERTIFICATE_LIMIT = 0.1


@dataclass(frozen=True)
class Diagnostics:
    """Diagnostics of one fit; those that do not apply are None.

    Attributes
    ----------
    exact : bool
        Whether the posterior was computed, in closed form or by quadrature, and not sampled.
    rhat : float
        Largest rank-normalised split r-hat of the parameters of the upper level.
    ess_bulk, ess_tail : float
        Their smallest effective sample sizes.
    divergences, max_treedepth : int
        Divergent transitions; transitions that hit the limit of the tree's depth.
    ebfmi : float
        Smallest energy Bayesian fraction of missing information of a chain.
    certificate : float
        For the built-in engine, the standard deviation of the log ratio between the grid's density
        and that by another rule, at draws from the grid.
    apart : float
        Largest difference between the marginal probabilities of two of its integrations that start
        from different points. Neither this nor the certificate bounds the error.
    adapt_delta : float
        The target acceptance with which the sampler was run in the end.
    refitted : bool
        Whether a first run failed and this is the second.
    messages : tuple of str
        What is wrong, in words; empty if nothing is.
    misfit : tuple of str
        Features of the data that the model hardly ever predicts, in words. They are not evidence
        against the computation, and do not change ``ok``.
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
        misfit = f"; misfit: {'; '.join(self.misfit)}" if self.misfit else ""
        return f"{self._computation()}{misfit}"

    def _computation(self) -> str:
        """Say in a line whether the numbers can be trusted."""
        state = "ok" if self.ok else "FAILED: " + "; ".join(self.messages)
        if self.exact:
            checks = {"from other starts": self.apart, "by another rule": self.certificate}
            sizes = [
                f"{write_number(size, '.1e')} {how}"
                for how, size in checks.items()
                if size is not None
            ]
            by = f"quadrature; differs by {', '.join(sizes)}" if sizes else "exact"
            return f"{state} ({by})"
        chains = f"r-hat {self.rhat:.4f}, ess bulk {self.ess_bulk:.0f}, tail {self.ess_tail:.0f}"
        if self.divergences is None:  # no Hamiltonian sampler
            return f"{state} ({chains})"
        refit = ", refitted" if self.refitted else ""
        return (
            f"{state} ({chains}, divergences {self.divergences}, treedepth hits "
            f"{self.max_treedepth}, e-bfmi {self.ebfmi:.2f}{refit})"
        )


def diagnose(
    draws: Mapping[str, np.ndarray],
    stats: Mapping[str, np.ndarray],
    names: Sequence[str],
    *,
    max_treedepth: int,
    adapt_delta: float,
) -> Diagnostics:
    """Diagnose a sampler's draws.

    Draws have shape (chain, draw, ...), and their statistics, "diverging", "tree_depth" and
    "energy", (chain, draw). `names` are the scalar variables to judge by. Vehtari, Gelman,
    Simpson, Carpenter & Bürkner (2021), Bayesian Analysis 16:667-718; Betancourt (2016),
    arXiv:1604.00695, for e-bfmi.
    """
    rhat = max(arviz.rhat(draws[n]) for n in names)
    bulk = min(arviz.ess(draws[n], "bulk") for n in names)
    tail = min(arviz.ess(draws[n], "tail") for n in names)
    divergences = int(stats["diverging"].sum())
    hits = int((stats["tree_depth"] >= max_treedepth).sum())
    energy = stats["energy"]
    ebfmi = float(np.min(np.mean(np.diff(energy, axis=1) ** 2, axis=1) / np.var(energy, axis=1)))
    return Diagnostics(
        rhat=rhat,
        ess_bulk=bulk,
        ess_tail=tail,
        divergences=divergences,
        max_treedepth=hits,
        ebfmi=ebfmi,
        adapt_delta=adapt_delta,
        messages=_messages(rhat, min(bulk, tail), divergences, hits, ebfmi),
    )


def diagnose_chains(draws: Mapping[str, np.ndarray]) -> Diagnostics:
    """Diagnose the chains of a sampler that computes no statistics.

    Each variable is a scalar to judge by, of shape (chain, draw). Vehtari, Gelman, Simpson,
    Carpenter & Bürkner (2021), Bayesian Analysis 16:667-718.
    """
    rhat = max(arviz.rhat(d) for d in draws.values())
    bulk, tail = (min(arviz.ess(d, kind) for d in draws.values()) for kind in ("bulk", "tail"))
    return Diagnostics(
        rhat=rhat, ess_bulk=bulk, ess_tail=tail, messages=_messages(rhat, min(bulk, tail), 0, 0, 1)
    )


def _messages(
    rhat: float, ess: float, divergences: int, hits: int, ebfmi: float
) -> tuple[str, ...]:
    problems = []
    if not rhat <= RHAT_LIMIT:
        problems.append(f"r-hat {rhat:.3f} is over {RHAT_LIMIT}: the chains disagree")
    if not ess >= ESS_LIMIT:
        problems.append(f"effective sample size {ess:.0f} is under {ESS_LIMIT}")
    if divergences:
        count = format_count(divergences, "divergent transition")
        problems.append(f"{count}: parts of the posterior were missed")
    if hits:
        problems.append(f"{format_count(hits, 'transition')} hit the treedepth limit")
    if not ebfmi >= 0.2:
        problems.append(f"e-bfmi {ebfmi:.2f} is under 0.2")
    return tuple(problems)


def inner(p: np.ndarray, size: float) -> np.ndarray:
    """Move shares of 0 and 1 of `size` draws by half a draw, into (0, 1): none is certain."""
    return np.where((p > 0) & (p < 1), p, (p * size + 0.5) / (size + 1))


def share_errors(shares: np.ndarray, *, independent: bool = False) -> np.ndarray:
    """Estimate Monte Carlo standard errors of shares of the draws, such as regions' probabilities.

    `shares` have, for each draw, an indicator or a number between 0 and 1: (chain, draw, ...). If
    draws are not independent, their effective number is estimated. The errors, shape (...), are sd
    / √ess; for an indicator √(p (1 − p) / ess). Draws that all agree have neither spread nor ess.
    In this case the share is moved by half a draw, with the smallest ess of the others (or the
    number of draws), so that the error is never zero.
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
    """Estimate Monte Carlo standard errors of means over the draws: sd / √ess.

    `values` are (chain, draw, ...); for shares see `share_errors`. If draws are not independent,
    their effective number is estimated. The errors, shape (...), are 0 if all draws are equal.
    """
    total = float(values.shape[0] * values.shape[1])
    sd = values.std(axis=(0, 1), ddof=1)
    ess = np.full(sd.shape, total)
    if not independent:
        for at in map(tuple, np.argwhere(sd > 0)):
            ess[at] = min(arviz.ess(values[(..., *at)], "mean"), total)
    return np.asarray(sd / np.sqrt(ess))
