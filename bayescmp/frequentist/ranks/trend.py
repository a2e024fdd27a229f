"""Page's test: do the algorithms improve in an order that was expected beforehand?"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from bayescmp import checks
from bayescmp.errors import InputError
from bayescmp.frequentist.ranks.table import as_table
from bayescmp.frequentist.ranks.within import block_scores
from bayescmp.frequentist.results import TestResult

__all__ = ["page_trend"]


def page_trend(
    scores: ArrayLike,
    *,
    order: Sequence[str] | None = None,
    lower_is_better: bool = False,
    tie_tolerance: float | None = None,
    method: str = "auto",
) -> TestResult:
    """Page's test of an ordered alternative: do scores improve from the first algorithm on?

    For algorithms with a natural order that is known before the results are: more layers, more
    data, less pruning. Against an order it has more power than `friedman`, which asks for any
    difference.

    Parameters
    ----------
    scores : array_like of shape (q, L) or DataFrame
        One row per data set, one column per algorithm.
    order : sequence of str, optional
        The algorithms from the one expected to be the worst to the best; that of the columns if
        not given.
    lower_is_better, tie_tolerance
        As for `friedman`.
    method : {"auto", "exact", "asymptotic"}
        SciPy's exact distribution, which is for ranks without ties, or the normal distribution
        with the variance of the actual ranks. "auto" is exact without ties where it is fast (up to
        8 algorithms and 20 data sets).

    Returns
    -------
    TestResult
        L = Σ j·R_j with the sums R_j of ranks that grow with the score, and the one-sided p-value;
        ``estimate`` holds the mean ranks (1 the best).

    Raises
    ------
    InputError
        As for `friedman`; an order that does not name every algorithm once; method="exact" with
        ties.

    See Also
    --------
    friedman : Against any difference.
    posthoc : Which algorithms differ.
    bayescmp.bayesian.signed_rank : Compares a pair over the data sets, with a rope.

    References
    ----------
    Page 1963, JASA 58; Hollander & Wolfe 1999, sec. 7.2 (ties); ``scipy.stats.page_trend_test``.

    Examples
    --------
    AUC of three variants of C4.5 on six data sets (Demšar 2006, table 6), from the least to the
    most tuned:

    >>> import pandas as pd
    >>> from bayescmp.frequentist import page_trend
    >>> scores = pd.DataFrame(
    ...     [
    ...         [0.763, 0.768, 0.798], [0.599, 0.591, 0.569], [0.954, 0.971, 0.967],
    ...         [0.628, 0.661, 0.657], [0.882, 0.888, 0.898], [0.936, 0.931, 0.931],
    ...     ],
    ...     index=["adult", "breast", "wisconsin", "cmc", "ionosphere", "iris"],
    ...     columns=["C4.5", "C4.5+m", "C4.5+m+cf"],
    ... )
    >>> print(page_trend(scores))
    Page's trend test
      L = 74.5, n = 6, p = 0.23 (increasing)
      mean ranks: C4.5+m 1.750, C4.5+m+cf 1.917, C4.5 2.333
      expected, from the worst to the best: C4.5, C4.5+m, C4.5+m+cf
      approximate p-value, with the variance of the tied ranks
    """
    table = as_table(scores, test="page_trend", lower_is_better=lower_is_better)
    checks.choice("method", method, ("auto", "exact", "asymptotic"))
    places = _places(order, table.algorithms)
    blocks = block_scores("friedman", table, tie_tolerance)
    n, k = blocks.a.shape
    ranks = (k + 1 - blocks.a)[:, places]  # the best has rank k
    weights = np.arange(1.0, k + 1)
    statistic = float(ranks.sum(axis=0) @ weights)
    if method == "exact" and blocks.ties:
        raise InputError("method='exact' is for scores without ties; accepted: 'asymptotic'")
    exact = method == "exact" or (method == "auto" and not blocks.ties and k <= 8 and n <= 20)
    if exact:
        test = stats.page_trend_test(ranks, ranked=True, method="exact")
        pvalue, how = float(test.pvalue), "exact p-value"
    else:
        error = math.sqrt(blocks.scale * float(np.sum((weights - weights.mean()) ** 2)))
        pvalue = float(stats.norm.sf((statistic - n * k * (k + 1) ** 2 / 4) / error))
        of = "tied ranks" if blocks.ties else "ranks"
        how = f"approximate p-value, with the variance of the {of}"
    return TestResult(
        method="Page's trend test",
        statistic=statistic,
        pvalue=pvalue,
        alternative="increasing",
        estimate=blocks.centres,
        names=table.algorithms,
        n=n,
        symbol="L",
        notes=(
            "expected, from the worst to the best: "
            + ", ".join(table.algorithms[i] for i in places),
            how,
        ),
    ).of(table)


def _places(order: Sequence[str] | None, algorithms: tuple[str, ...]) -> list[int]:
    if order is None:
        return list(range(len(algorithms)))
    named = [str(name) for name in order]
    if sorted(named) != sorted(algorithms):
        raise InputError(
            f"order={named}; accepted: every algorithm once, from the worst to the best: "
            f"{', '.join(algorithms)}"
        )
    return [algorithms.index(name) for name in named]
