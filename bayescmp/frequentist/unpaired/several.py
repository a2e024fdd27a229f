"""Several algorithms whose runs have seeds of their own: the Kruskal-Wallis test."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from bayescmp import checks
from bayescmp.errors import InputError
from bayescmp.frequentist.results import TestResult

__all__ = ["kruskal_wallis"]


def kruskal_wallis(
    samples: Sequence[ArrayLike] | np.ndarray, *, names: Iterable[str] | None = None
) -> TestResult:
    """The Kruskal-Wallis test that several algorithms' runs have one distribution.

    Parameters
    ----------
    samples : sequence of array_like
        The scores of each algorithm's runs, which do not pair and may differ in number; higher is
        better.
    names : iterable of str, optional
        The algorithms.

    Returns
    -------
    TestResult
        χ² with L - 1 degrees of freedom, ties corrected for; ``estimate`` holds mean ranks among
        all runs, 1 the best.

    Raises
    ------
    InputError
        Fewer than 2 algorithms, missing or infinite scores, all scores equal.

    See Also
    --------
    mann_whitney : Two algorithms.
    anova : With block=False, of means.
    friedman : For scores on the same data sets.
    bayescmp.bayesian.two_sample_t : A pair, with a rope.

    References
    ----------
    Kruskal & Wallis 1952, JASA 47; ``scipy.stats.kruskal``.

    Examples
    --------
    Final returns of runs with seeds of their own:

    >>> from bayescmp.frequentist import kruskal_wallis
    >>> print(kruskal_wallis([[212, 180, 195, 201], [230, 224, 199, 241], [205, 260, 251]],
    ...                      names=["dqn", "sac", "ppo"]))
    Kruskal-Wallis test
      χ² = 4.8939, df = 2, n = 11, p = 0.0866
      mean ranks: ppo 3.333, sac 5.250, dqn 8.750
    """
    if not isinstance(samples, (Sequence, np.ndarray)):
        raise InputError(f"samples={samples!r}; accepted: the scores of each algorithm, in a list")
    if len(samples) < 2:
        raise InputError(f"samples has {len(samples)} algorithm; kruskal_wallis needs at least 2")
    labels = checks.labels("names", names, len(samples), "A")
    rows = [
        checks.vector(row, name=f"samples, {label!r},", least=1, test="kruskal_wallis")
        for row, label in zip(samples, labels, strict=True)
    ]
    if np.ptp(np.concatenate(rows)) == 0:
        raise InputError("all scores are equal: there is nothing to rank")
    test = stats.kruskal(*rows)
    ranks = stats.rankdata(-np.concatenate(rows))
    means = [part.mean() for part in np.split(ranks, np.cumsum([len(r) for r in rows])[:-1])]
    return TestResult(
        method="Kruskal-Wallis test",
        statistic=float(test.statistic),
        pvalue=float(test.pvalue),
        df=float(len(rows) - 1),
        estimate=np.array(means),
        names=labels,
        n=len(ranks),
        symbol="χ²",
    )
