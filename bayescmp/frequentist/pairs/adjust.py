"""Adjusted p-values for families of hypotheses, one front for all procedures."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from bayescmp.errors import InputError, unknown_name
from bayescmp.frequentist.pairs.closed import bergmann_hommel, shaffer_counts
from bayescmp.frequentist.pairs.ranges import normal_range_sf
from bayescmp.frequentist.pairs.rom import rom_adjusted, rom_critical

__all__ = ["METHODS", "adjust", "canonical"]


def adjust(
    p: ArrayLike,
    method: str = "holm",
    *,
    n_algorithms: int | None = None,
    alpha: float | None = None,
) -> np.ndarray:
    """Adjusted p-values: the smallest level at which the procedure rejects each hypothesis.

    Parameters
    ----------
    p : array_like of shape (m,)
        Raw p-values, in any order. For the procedures that use the logic of all pairs (shaffer,
        bergmann-hommel, nemenyi) there are m = L(L-1)/2, in the order (1,2), (1,3), ..., (L-1,L).
    method : str
        ========================  ===========================================  ==============
        name (and others)         procedure                                    controls
        ========================  ===========================================  ==============
        none                      no adjustment                                nothing
        bonferroni (bonferroni-   single step, m p                             FWER
        dunn, dunn)
        holm                      step-down                                    FWER
        holland                   step-down, Šidák factors                     FWER [1]_
        hochberg                  step-up                                      FWER [1]_
        hommel                    closed Simes                                 FWER [1]_
        rom                       step-up, exact under independence            FWER [1]_
        li                        two-step, by the largest p                   independence [3]_
        finner                    step-down, 1 - (1-p)^(m/i)                   global null [2]_
        benjamini-hochberg (bh,   step-up                                      FDR [1]_
        fdr)
        nemenyi (range)           single step, studentized range; all pairs    FWER
        shaffer                   step-down, logically possible; all pairs     FWER
        bergmann-hommel           closure over exhaustive sets; all pairs, to  FWER
        (bergmann)                10 algorithms
        ========================  ===========================================  ==============
    n_algorithms : int, optional
        Number of algorithms L, for the procedures on all pairs; read from m if not given.
    alpha : float, optional
        For ``method="rom"`` only: use the multipliers alpha/c_i of this one level, as García et
        al. (2010) do. Decisions at alpha are the same, but the numbers are not adjusted p-values
        at other levels; without it the recursion is solved for each p-value.

    Returns
    -------
    ndarray of shape (m,)
        In the order of the input, at least the raw p-values and at most 1. A smaller p never gets
        a larger adjusted one.

    Raises
    ------
    InputError
        Unknown method; p-values that are missing, outside [0, 1] or no vector; a number of
        p-values that is not that of all pairs where the method needs them; more than 10
        algorithms for bergmann-hommel.

    See Also
    --------
    posthoc : Adjusts its comparisons.

    Notes
    -----
    .. [1] Under independence or suitable positive dependence of the p-values (Sarkar 1998 for
       Simes's inequality); Bonferroni, Holm, Shaffer and Bergmann-Hommel need no such condition.
    .. [2] As printed by García et al. (2010), with the critical values 1 - (1-α)^(i/m), the level
       is held if all hypotheses are true. Once i - 1 false ones are rejected, the next is tested
       at about iα/m, as in Benjamini-Hochberg: with 5 of 10 hypotheses true the family-wise error
       is 14 % at α = 5 %, with 20 of 45 it is 45 %. Offered to reproduce papers.
    .. [3] Li's level is α for independent p-values. Comparisons with a control are not: among 5
       to 10 equal algorithms it rejects something in 6 to 7.6 % of tables at α = 5 %, where all
       other procedures stay at 5.2 % or below. Offered to reproduce papers.

    Bergmann and Hommel's closed procedure by itself may reject a pair and retain one with a
    smaller p (it happens in about one table of ten). As in the R package scmamp a hypothesis is
    rejected here only with all those of smaller p: the adjusted values are made monotone, which
    can only raise them.

    References
    ----------
    García, Fernández, Luengo & Herrera 2010, Information Sciences 180, sec. 4.3 (Bonferroni-Dunn
    to Li); Holm 1979, Scand. J. Stat. 6; Hochberg 1988, Biometrika 75; Hommel 1988, Biometrika 75;
    Holland & Copenhaver 1987, Biometrics 43; Rom 1990, Biometrika 77; Finner 1993, JASA 88;
    Li 2008, JSPI 138; Benjamini & Hochberg 1995, JRSS B 57; Shaffer 1986, JASA 81; Bergmann &
    Hommel 1988; García & Herrera 2008, JMLR 9, sec. 2 (all pairs).

    Examples
    --------
    >>> from bayescmp.frequentist import adjust
    >>> adjust([0.01, 0.04, 0.03], "holm")
    array([0.03, 0.06, 0.06])
    >>> adjust([0.01, 0.04, 0.03], "hochberg")
    array([0.03, 0.04, 0.04])
    """
    p = _check_p(p)
    name = canonical(method)
    if alpha is not None and name != "rom":
        raise InputError(f"alpha={alpha!r} is for method 'rom' only, and the method is {name!r}")
    if name in _ALL_PAIRS:
        adjusted = _ALL_PAIRS[name](p, _n_algorithms(len(p), n_algorithms, name))
    else:
        order = np.argsort(p, kind="stable")
        adjusted = np.empty_like(p)
        ranked = p[order]
        adjusted[order] = _rom(ranked, alpha) if name == "rom" else _MARGINAL[name](ranked)
    return np.clip(adjusted, p, 1.0)


def canonical(method: str) -> str:
    """The procedure's own name, from any of its names.

    Parameters
    ----------
    method : str
        Upper or lower case, with hyphens, underscores or spaces.

    Returns
    -------
    str
        One of `METHODS`.

    Raises
    ------
    InputError
        Where there is no such procedure.
    """
    plain = re.sub(r"[\s_]+", "-", str(method).strip().lower())
    plain = _ALIASES.get(plain, plain)
    if plain not in METHODS:
        raise unknown_name("adjustment", method, METHODS)
    return plain


# -- procedures that see the sorted p-values alone; p ascending ---------------------------------


def _step_down(values: np.ndarray) -> np.ndarray:
    """A hypothesis is rejected only with all before it: running maximum."""
    return np.maximum.accumulate(values)


def _step_up(values: np.ndarray) -> np.ndarray:
    """A hypothesis is rejected with any after it: running minimum from the largest p."""
    return np.minimum.accumulate(values[::-1])[::-1]


def _remaining(p: np.ndarray) -> np.ndarray:
    """Hypotheses not yet rejected at each step: m, m-1, ..., 1."""
    return np.arange(len(p), 0, -1, dtype=float)


def _sidak(p: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    """1 - (1-p)^exponent, accurate for small p."""
    with np.errstate(divide="ignore"):  # p = 1 is log 0: the answer is 1
        return -np.expm1(exponent * np.log1p(-p))


def _none(p: np.ndarray) -> np.ndarray:
    return p.copy()


def _bonferroni(p: np.ndarray) -> np.ndarray:
    return len(p) * p


def _holm(p: np.ndarray) -> np.ndarray:
    return _step_down(_remaining(p) * p)


def _holland(p: np.ndarray) -> np.ndarray:
    return _step_down(_sidak(p, _remaining(p)))


def _finner(p: np.ndarray) -> np.ndarray:
    return _step_down(_sidak(p, len(p) / np.arange(1.0, len(p) + 1)))


def _hochberg(p: np.ndarray) -> np.ndarray:
    return _step_up(_remaining(p) * p)


def _benjamini_hochberg(p: np.ndarray) -> np.ndarray:
    return _step_up(len(p) / np.arange(1.0, len(p) + 1) * p)


def _li(p: np.ndarray) -> np.ndarray:
    below = p + (1 - p[-1])  # in this order: exact where the largest p is 1
    return np.divide(p, below, out=np.zeros_like(p), where=below > 0)


def _hommel(p: np.ndarray) -> np.ndarray:
    """Closure of Simes's test (Wright 1992's algorithm, as in R's ``p.adjust``)."""
    m = len(p)
    best = np.full(m, np.min(m * p / np.arange(1, m + 1)))
    for size in range(m - 1, 1, -1):
        head = m - size + 1
        tail = np.min(size * p[head:] / np.arange(2, size + 1))
        simes = np.minimum(size * p[:head], tail)
        best[:head] = np.maximum(best[:head], simes)
        best[head:] = np.maximum(best[head:], simes[-1])
    return best


def _rom(p: np.ndarray, alpha: float | None) -> np.ndarray:
    from_largest = p[::-1]
    if alpha is None:
        return _step_up(rom_adjusted(from_largest)[::-1])
    if not 0 < alpha <= 0.5:
        raise InputError(f"alpha={alpha!r}; accepted: over 0 and at most 0.5")
    critical = rom_critical(np.array([alpha]), len(p))[:, 0]
    return _step_up((alpha / critical * from_largest)[::-1])


# -- procedures on all pairs; p in the order of the pairs ----------------------------------------


def _nemenyi(p: np.ndarray, n_algorithms: int) -> np.ndarray:
    """Two-sided normal p-values, referred to the range of as many normals (Nemenyi 1963)."""
    return normal_range_sf(math.sqrt(2) * stats.norm.isf(p / 2), n_algorithms)


def _shaffer(p: np.ndarray, n_algorithms: int) -> np.ndarray:
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = _step_down(shaffer_counts(n_algorithms) * p[order])
    return adjusted


def _bergmann_hommel(p: np.ndarray, n_algorithms: int) -> np.ndarray:
    order = np.argsort(p, kind="stable")
    ranked = p[order]
    highest = _step_down(bergmann_hommel(p, n_algorithms)[order])
    return highest[np.searchsorted(ranked, p, side="right") - 1]  # equal p, equal adjusted p


_MARGINAL: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "none": _none,
    "bonferroni": _bonferroni,
    "holm": _holm,
    "holland": _holland,
    "hochberg": _hochberg,
    "hommel": _hommel,
    "finner": _finner,
    "li": _li,
    "benjamini-hochberg": _benjamini_hochberg,
}
_ALL_PAIRS: dict[str, Callable[[np.ndarray, int], np.ndarray]] = {
    "nemenyi": _nemenyi,
    "shaffer": _shaffer,
    "bergmann-hommel": _bergmann_hommel,
}

#: Every procedure by its own name.
METHODS = (*_MARGINAL, "rom", *_ALL_PAIRS)

_ALIASES = {
    "bonferroni-dunn": "bonferroni",
    "dunn": "bonferroni",
    "bh": "benjamini-hochberg",
    "fdr": "benjamini-hochberg",
    "fdr-bh": "benjamini-hochberg",
    "bergmann": "bergmann-hommel",
    "shaffer-static": "shaffer",
    "range": "nemenyi",
}


# -- validation --------------------------------------------------------------------------------


def _check_p(p: ArrayLike) -> np.ndarray:
    accepted = "accepted: a vector of numbers from 0 to 1"
    try:
        values = np.array(p, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"p is not numeric; {accepted}") from None
    if values.ndim != 1 or not len(values):
        raise InputError(f"p has shape {values.shape}; {accepted}, at least one")
    bad = np.flatnonzero(~((values >= 0) & (values <= 1)))
    if len(bad):
        raise InputError(f"p[{bad[0]}] is {values[bad[0]]}; {accepted}")
    return values


def _n_algorithms(m: int, given: int | None, method: str) -> int:
    """L, where m = L(L-1)/2."""
    count = (1 + math.isqrt(1 + 8 * m)) // 2
    if count * (count - 1) // 2 != m:
        raise InputError(
            f"method {method!r} needs the p-values of all pairs, L(L-1)/2 of them; p has {m}. "
            "Against a control use 'holm', 'hommel' or 'bonferroni'"
        )
    if given is not None and given != count:
        raise InputError(
            f"n_algorithms={given!r} would make {given * (given - 1) // 2} pairs; p has {m}"
        )
    return count
