"""Critical differences: how far apart mean ranks have to be for a difference that counts."""

from __future__ import annotations

import math
from functools import partial

from scipy import stats

from bayescmp import checks
from bayescmp.errors import InputError
from bayescmp.frequentist.pairs.ranges import normal_range_ppf
from bayescmp.frequentist.ranks.within import BlockScores

__all__ = ["critical_difference", "margin_of"]


def critical_difference(L: int, q: int, *, alpha: float = 0.05, control: bool = False) -> float:
    """Critical difference of mean ranks, q_α √(L(L+1)/(6q)).

    Parameters
    ----------
    L : int
        Algorithms, at least 2.
    q : int
        Data sets, at least 1.
    alpha : float
        Family-wise level.
    control : bool
        For comparisons with a control (Bonferroni-Dunn) instead of all pairs (Nemenyi).

    Returns
    -------
    float
        With q_α the quantile of the studentized range with infinite d.o.f. over √2, or the normal
        quantile at α/(2(L-1)) for a control.

    Raises
    ------
    InputError
        Too few algorithms or data sets, a level outside (0, 1).

    See Also
    --------
    nemenyi : The test.
    bayescmp.plots.plot_critical_difference : The diagram.

    References
    ----------
    Demšar 2006, JMLR 7, table 5. (The R package scmamp takes L(q-1) d.o.f. instead.)

    Examples
    --------
    Four algorithms on 14 data sets (Demšar 2006, sec. 3.2.4): all pairs, and against a control:

    >>> from bayescmp.frequentist import critical_difference
    >>> round(critical_difference(4, 14), 2)
    1.25
    >>> round(critical_difference(4, 14, control=True), 2)
    1.17
    """
    if L < 2 or q < 1:
        raise InputError(f"L={L}, q={q}; accepted: at least 2 algorithms and 1 data set")
    alpha = checks.level(alpha, "alpha")
    method = "bonferroni" if control else "nemenyi"
    pairs = L - 1 if control else L * (L - 1) // 2
    return _margin(alpha, method, math.sqrt(L * (L + 1) / (6 * q)), L, pairs)


def margin_of(
    method: str,
    distribution: str,
    error: float,
    df: float,
    blocks: BlockScores,
    pairs: int,
) -> partial[float] | None:
    """The critical difference where there is one: single-step, and no discrete distribution."""
    if distribution == "exact" or method not in ("none", "bonferroni", "nemenyi"):
        return None
    k = blocks.a.shape[1]
    return partial(_margin, method=method, error=error, k=k, pairs=pairs, df=df)


def _margin(
    alpha: float, method: str, error: float, k: int, pairs: int, df: float = math.inf
) -> float:
    """Critical difference of a single-step procedure."""
    if method == "nemenyi":
        return normal_range_ppf(alpha, k) / math.sqrt(2) * error
    tail = alpha / (2 * (pairs if method == "bonferroni" else 1))
    return float(stats.norm.isf(tail) if math.isinf(df) else stats.t.isf(tail, df)) * error
