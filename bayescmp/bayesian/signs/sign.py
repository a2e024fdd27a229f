"""Tests of two algorithms on the means of q data sets: sign and signed-rank (Benavoli 2014)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bayescmp.bayesian.signs.dirichlet import PLACES
from bayescmp.bayesian.signs.signed_rank import SignedRankPosterior, SignPosterior
from bayescmp.diagnostics import Diagnostics
from bayescmp.differences import Differences, as_differences
from bayescmp.errors import InputError, unknown_name
from bayescmp.posterior import seed_of
from bayescmp.verdict import as_rope

__all__ = ["sign", "signed_rank"]


def sign(
    x: Any,
    *,
    rope: Any,
    prior: float = 1.0,
    place: str = "rope",
    draws: int = 50_000,
    seed: Any = None,
    names: Sequence[str] | None = None,
) -> SignPosterior:
    """Bayesian sign test of two algorithms on several data sets.

    Data sets left of, in and right of the rope are counted; the probabilities θ that a new data
    set falls there have a Dirichlet posterior. The verdict, the probability of each θ to be the
    largest, is computed by quadrature, with no Monte Carlo error.

    Parameters
    ----------
    x : Differences or array_like of shape (q,)
        Mean differences of scores on q >= 2 data sets, second minus first. Rows of several
        differences are averaged.
    rope : float or (float, float)
        Region of practical equivalence, in units of the metric; a difference exactly at its end
        is within. With 0, differences of zero count half to each side.
    prior : float
        Weight of the prior, in data sets, > 0 or 0 for none.
    place : {"rope", "left", "right", "sides"}
        Where the prior's weight lies; "sides" puts half on each side.
    draws : int
        Draws for plots and ArviZ.
    seed : int or numpy Generator, optional
        The same seed gives the same draws.
    names : (str, str), optional
        The two algorithms.

    Returns
    -------
    SignPosterior

    Raises
    ------
    InputError
        Missing or infinite differences, fewer than two data sets, a bad rope, prior, place, number
        of draws or seed.

    References
    ----------
    Benavoli, Corani, Demšar & Zaffalon (2017), Journal of Machine Learning Research 18(77).
    """
    common = _validated(x, rope, prior, place, draws, seed, names, "sign test")
    return SignPosterior(**common)


def signed_rank(
    x: Any,
    *,
    rope: Any,
    prior: float = 0.5,
    place: str = "rope",
    draws: int = 50_000,
    seed: Any = None,
    names: Sequence[str] | None = None,
) -> SignedRankPosterior:
    """Bayesian signed-rank test of two algorithms on several data sets.

    A Dirichlet process puts weights w ~ Dirichlet(s, 1, ..., 1) on a pseudo-observation z0 and the
    q differences. A draw's masses are θ_right = Σ_ij w_i w_j [z_i + z_j > 2r], θ_left alike, and
    θ_rope the rest: the probabilities that the mean of two data sets' differences falls there.
    Sums exactly at ±2r count half. The verdict is the share of draws in which each is the largest.

    Parameters
    ----------
    x : Differences or array_like of shape (q,)
        Mean differences of scores on q >= 2 data sets, second minus first. Rows of several
        differences are averaged.
    rope : float or (float, float)
        Region of practical equivalence, in units of the metric.
    prior : float
        Weight s of the pseudo-observation, >= 0.
    place : {"rope", "left", "right", "sides"}
        Where z0 is: at zero, at minus or plus infinity, or half to each side.
    draws : int
        Number of draws; an odd one is raised by one, for weights are used in pairs.
    seed : int or numpy Generator, optional
        The same seed gives the same numbers.
    names : (str, str), optional
        The two algorithms.

    Returns
    -------
    SignedRankPosterior

    Raises
    ------
    InputError
        Missing or infinite differences, fewer than two data sets, a bad rope, prior, place, number
        of draws or seed.

    References
    ----------
    Benavoli, Mangili, Corani, Zaffalon & Ruggeri (2014), A Bayesian Wilcoxon signed-rank test
    based on the Dirichlet process, ICML 32; Benavoli, Corani, Demšar & Zaffalon (2017), Journal
    of Machine Learning Research 18(77).
    """
    common = _validated(x, rope, prior, place, draws, seed, names, "signed-rank test")
    return SignedRankPosterior(**common)


def _validated(
    x: Any, rope: Any, prior: Any, place: str, draws: Any, seed: Any,
    names: Sequence[str] | None, test: str,
) -> dict[str, Any]:  # fmt: skip
    d = _means(x, names)
    if d.q < 2:
        raise InputError(
            f"x has one data set only ({d.datasets[0]!r}); the {test} needs at least two: use "
            "bayescmp.bayesian.correlated_t on the folds of one data set"
        )
    if place not in PLACES:
        raise unknown_name("place of the prior", place, PLACES)
    if isinstance(draws, bool) or not isinstance(draws, (int, np.integer)) or draws < 2:
        raise InputError(f"draws={draws!r}; accepted: a whole number, at least 2")
    z = d.means
    z.flags.writeable = False
    return {
        "z": z, "datasets": d.datasets, "names": d.names, "metric": d.metric,
        "rope": as_rope(rope), "prior": _weight(prior), "place": place,
        "size": int(draws) + int(draws) % 2, "seed": seed_of(seed), "engine": "exact",
        "engine_version": _version(), "diagnostics": Diagnostics(exact=True),
    }  # fmt: skip


def _means(x: Any, names: Sequence[str] | None) -> Differences:
    """Differences with one row a data set; a bare (q,) array is q data sets of one mean each."""
    if isinstance(x, Differences):
        return as_differences(x, names=names)
    if hasattr(x, "to_numpy"):
        x = x.to_numpy()
    if isinstance(x, Sequence | np.ndarray) and not isinstance(x, str) and len(x):
        x = [[value] for value in x] if np.ndim(x[0]) == 0 else x
    return as_differences(x, rho=0.0, names=names)


def _weight(prior: Any) -> float:
    accepted = "accepted: a weight >= 0, in data sets (place says where it lies)"
    try:
        weight = float(prior)
    except (TypeError, ValueError):
        raise InputError(f"prior is {type(prior).__name__}, no number; {accepted}") from None
    if not 0 <= weight < float("inf"):
        raise InputError(f"prior={prior!r}; {accepted}")
    return weight


def _version() -> str:
    from bayescmp import __version__

    return f"built in, bayescmp {__version__}"
