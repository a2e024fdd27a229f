"""Kendall's W: how far data sets agree on the ranking of algorithms."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from bayescmp.frequentist.paired.effects import EffectSize
from bayescmp.frequentist.ranks.table import as_table
from bayescmp.frequentist.ranks.within import block_scores

if TYPE_CHECKING:
    from bayescmp.frequentist.ranks.within import BlockScores

__all__ = ["concordance", "kendalls_w"]


def kendalls_w(
    scores: ArrayLike, *, lower_is_better: bool = False, tie_tolerance: float | None = None
) -> EffectSize:
    """Kendall's W, the effect size of Friedman's test: from 0 (chance) to 1 (full agreement).

    W = χ²/(n(L-1)), ties corrected for. The mean of Spearman's correlations of all pairs of data
    sets is r = (nW - 1)/(n - 1); its interval is by the jackknife over data sets, on Fisher's
    scale.

    Parameters
    ----------
    scores : array_like of shape (q, L) or DataFrame
        One row per data set, one column per algorithm.
    lower_is_better, tie_tolerance
        As for `friedman`.

    Returns
    -------
    EffectSize
        In simulations of 10 to 30 data sets and 3 to 10 algorithms, its 95 % intervals contain the
        true value in 93 to 98 % of cases.

    Raises
    ------
    InputError
        As for `friedman`.

    See Also
    --------
    friedman : The test.
    bayescmp.bayesian.signed_rank : Compares a pair over the data sets, with a rope.

    References
    ----------
    Kendall & Babington Smith 1939, Ann. Math. Stat. 10; Arvesen 1969 (jackknife of U-statistics);
    R's ``effectsize::kendalls_w`` (which bootstraps its interval).

    Examples
    --------
    AUC of three variants of C4.5 on six data sets (Demšar 2006, table 6):

    >>> from bayescmp.frequentist import kendalls_w
    >>> print(kendalls_w([
    ...     [0.763, 0.768, 0.798], [0.599, 0.591, 0.569], [0.954, 0.971, 0.967],
    ...     [0.628, 0.661, 0.657], [0.882, 0.888, 0.898], [0.936, 0.931, 0.931],
    ... ]))
    Kendall's W 0.0942, 95 % interval 0 to 0.6734, n = 6
    """
    table = as_table(scores, test="kendalls_w", lower_is_better=lower_is_better)
    return concordance(block_scores("friedman", table, tie_tolerance)).of(table)


def concordance(blocks: BlockScores) -> EffectSize:
    """Kendall's W of ranks within data sets."""
    n = len(blocks.a)
    deviation = blocks.a - blocks.a.mean(axis=1, keepdims=True)
    w = float(np.sum(blocks.totals**2) / (n * np.sum(deviation**2)))
    return EffectSize("Kendall's W", w, n, partial(_interval, w, deviation))


def _left_out(deviation: np.ndarray) -> np.ndarray:
    """Mean of Spearman's correlations of all pairs of data sets, each data set left out."""
    n = len(deviation) - 1
    totals = deviation.sum(axis=0) - deviation
    squares = np.sum(deviation**2) - np.sum(deviation**2, axis=1)
    above = np.sum(totals**2, axis=1)
    w = np.divide(above, n * squares, out=np.zeros(n + 1), where=squares > 0)
    return np.asarray((n * w - 1) / (n - 1))


def _interval(w: float, deviation: np.ndarray, level: float) -> tuple[float, float]:
    n = len(deviation)
    if w >= 1 - 1e-12:
        return 1.0, 1.0
    if n < 3:
        return 0.0, 1.0
    r, least = (n * w - 1) / (n - 1), -1 / (n - 1)
    error = math.sqrt((n - 1) * float(_left_out(deviation).var())) / (1 - r**2)
    half = float(stats.t.isf((1 - level) / 2, n - 1)) * error
    ends = [math.tanh(math.atanh(max(r, least)) + side * half) for side in (-1, 1)]
    low, high = (min(max((1 + (n - 1) * end) / n, 0.0), 1.0) for end in ends)
    return low, high
