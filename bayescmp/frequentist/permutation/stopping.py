"""Rules that end a Monte Carlo test as soon as its decision is settled."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import stats

from bayescmp.errors import InputError, unknown_name

__all__ = ["BesagClifford", "Gandy", "Settled", "gandy_boundaries", "make_rule", "pvalue_interval"]

RULES = ("besag-clifford", "gandy")

#: Gandy spends ε·n/(k+n) of the risk until the n-th permutation; his k = 1000 is for runs without
#: an end. With about 1000 permutations in all k = 100 spends it when it is of use.
SPENDING = 100


@dataclass(frozen=True)
class Settled:
    """A decision: after how many permutations, and whether p is at most α."""

    n: int
    significant: bool


@dataclass
class BesagClifford:
    """Stop once enough random data sets did as well that p can't come down to α.

    The decision is that of the full run, always; only runs that end not significant are shortened.

    Parameters
    ----------
    alpha : float
    n : int
        Permutations of the full run.

    References
    ----------
    Besag & Clifford 1991, Biometrika 78.
    """

    alpha: float
    n: int

    def first(self, share: np.ndarray, draws: np.ndarray) -> Settled | None:
        """Where the rule stops a run.

        Parameters
        ----------
        share : ndarray of shape (k,)
            For each random data set the share of the original's repeats that it is as good as.
        draws : ndarray of shape (k,)
            Not used.

        Returns
        -------
        Settled or None
        """
        # (count + 1)/(n + 1) > α whatever follows
        most = self.alpha * (self.n + 1) - 1
        reached = np.flatnonzero(np.cumsum(share) > most + 1e-9)
        return Settled(int(reached[0]) + 1, False) if len(reached) else None


@dataclass
class Gandy:
    """Stop where the count leaves a corridor; the probability of a wrong decision is at most risk.

    The corridor is for a count of coin tosses. Where the original has several repeats, the random
    data set is compared with one of them at random (``draws``), which is a toss whose probability
    is the averaged p-value, so that the bound holds as it stands.

    Parameters
    ----------
    alpha, risk : float
    n : int
        Permutations of the full run.

    References
    ----------
    Gandy 2009, JASA 104, sec. 3.
    """

    alpha: float
    risk: float
    n: int

    def first(self, share: np.ndarray, draws: np.ndarray) -> Settled | None:
        """Where the rule stops a run; see `BesagClifford.first`."""
        lower, upper = gandy_boundaries(self.alpha, self.risk, self.n)
        count = np.cumsum(draws < share)
        k = len(count)
        out = np.flatnonzero((count <= lower[:k]) | (count >= upper[:k]))
        return Settled(int(out[0]) + 1, bool(count[out[0]] <= lower[out[0]])) if len(out) else None


@lru_cache(maxsize=8)
def gandy_boundaries(alpha: float, risk: float, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Corridor of the count of exceedances after 1, 2, ..., n permutations.

    With p = α the count leaves above, or below, before or at the i-th permutation with probability
    at most ε_i = risk·i/(100 + i), which the boundaries use up as far as they can.

    Parameters
    ----------
    alpha, risk : float
        Between 0 and 1; risk at most ¼.
    n : int

    Returns
    -------
    lower, upper : ndarray of int, shape (n,)
        Stop at a count ≤ lower (p under α) or ≥ upper (p over α).

    References
    ----------
    Gandy 2009, JASA 104, eq. 4.
    """
    lower, upper = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    inside, first = np.ones(1), 0  # probability of each count from `first` on, not yet stopped
    gone_low = gone_high = 0.0
    for i in range(1, n + 1):
        inside = np.append((1 - alpha) * inside, 0.0) + np.append(0.0, alpha * inside)
        spent = risk * i / (SPENDING + i)
        below = gone_low + np.cumsum(inside)  # had the boundary been at this count
        above = gone_high + np.cumsum(inside[::-1])
        low = int(np.searchsorted(below, spent, side="right"))
        high = int(np.searchsorted(above, spent, side="right"))
        gone_low, gone_high = (
            below[low - 1] if low else gone_low,
            above[high - 1] if high else gone_high,
        )
        lower[i - 1] = first + low - 1
        upper[i - 1] = first + len(inside) - high
        inside, first = inside[low : len(inside) - high], first + low
    lower.flags.writeable = upper.flags.writeable = False  # they are cached
    return lower, upper


def make_rule(stop: str | None, alpha: float, risk: float, n: int) -> BesagClifford | Gandy | None:
    """The stopping rule of that name, None for none.

    Parameters
    ----------
    stop : {"besag-clifford", "gandy"} or None
    alpha, risk : float
    n : int

    Returns
    -------
    BesagClifford, Gandy or None

    Raises
    ------
    InputError
        An unknown rule, or a risk that is none.
    """
    if stop is None:
        return None
    if stop not in RULES:
        raise unknown_name("stop", stop, RULES)
    if isinstance(risk, str) or risk is None or not 0 < risk <= 0.25:
        raise InputError(f"risk={risk!r}; accepted: over 0, at most 0.25")
    return BesagClifford(alpha, n) if stop == "besag-clifford" else Gandy(alpha, risk, n)


def pvalue_interval(count: float, n: int, level: float) -> tuple[float, float]:
    """Clopper-Pearson interval of the p-value that infinitely many permutations would give.

    Parameters
    ----------
    count : float
        Random data sets at least as good as the original; an average over repeats need not be
        whole.
    n : int
        Random data sets.
    level : float

    Returns
    -------
    (float, float)
    """
    tail = (1 - level) / 2
    low = float(stats.beta.ppf(tail, count, n - count + 1)) if count > 0 else 0.0
    high = float(stats.beta.ppf(1 - tail, count + 1, n - count)) if count < n else 1.0
    return low, high
