"""Algorithms against a control on one data set: Dunnett's test, blocked or one-way."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from bayescmp import checks
from bayescmp.blocks import Blocks
from bayescmp.frequentist.groups.anova import sums_of_squares, without_rounding
from bayescmp.frequentist.groups.rows import as_groups
from bayescmp.frequentist.pairs.largest import largest_t_ppf, largest_t_sf
from bayescmp.frequentist.pairs.places import index_of, pairs_of
from bayescmp.frequentist.pairs.result import PosthocResult

__all__ = ["dunnett"]


def dunnett(
    x: ArrayLike | Blocks,
    *,
    control: str | int,
    alternative: str = "two-sided",
    block: bool = True,
    rho: float | None = None,
    lower_is_better: bool = False,
    names: Iterable[str] | None = None,
) -> PosthocResult:
    """Dunnett's test of every algorithm against a control, with the error of the model used.

    The comparisons share the control and the error, which their joint distribution takes account
    of, so that it has more power than a Bonferroni or Holm adjustment of `tukey`'s errors.

    Parameters
    ----------
    x, block, rho, names
        As for `anova`. Rows may differ in length without blocks.
    control : str or int
        The algorithm to compare with, by name or row.
    alternative : {"two-sided", "less", "greater"}
        "greater": others are better than the control.
    lower_is_better : bool
        As for `tukey`.

    Returns
    -------
    PosthocResult
        ``pvalue`` and ``adjusted`` are the same, as the test adjusts by itself.
        ``confidence_interval()`` gives simultaneous two-sided intervals.

    Raises
    ------
    InputError
        As for `anova`; an unknown control.

    See Also
    --------
    tukey : All pairs.
    anova : Whether any differ.
    bayescmp.bayesian.groups : The Bayesian twin.

    References
    ----------
    Dunnett 1955, JASA 50; Nadeau & Bengio 2003 (rho); ``scipy.stats.dunnett`` (without blocks),
    R's ``multcomp::glht`` (with them).

    Examples
    --------
    Accuracy of three classifiers in five folds (breast cancer, UCI):

    >>> import pandas as pd
    >>> from bayescmp.frequentist import dunnett
    >>> x = {
    ...     "tree": [0.886, 0.939, 0.939, 0.921, 0.947],
    ...     "bayes": [0.921, 0.965, 0.912, 0.939, 0.956],
    ...     "knn": [0.930, 0.991, 0.956, 0.965, 0.982],
    ... }
    >>> x = pd.DataFrame(x).T
    >>> print(dunnett(x, control="tree"))
    Dunnett test, blocked, against tree, adjusted by dunnett, n = 5
      tree  → bayes     0.0122  t =     1.57  p = 0.256     adjusted p = 0.256
      tree  → knn       0.0384  t =    4.943  p = 0.00208   adjusted p = 0.00208
      error mean square 0.00015087 with 8 d.o.f.
    """
    groups = as_groups(
        x, block=block, names=names, lower_is_better=lower_is_better, test="dunnett", rho=rho
    )
    rho = groups.rho
    checks.choice("alternative", alternative, checks.ALTERNATIVES)
    at = index_of(control, groups.names)
    df, squares = sums_of_squares(groups, block)
    freedom, mean_square = float(df[-2]), float(squares[-2] / df[-2])
    pairs = pairs_of(len(groups.rows), at)
    means = np.array([row.mean() for row in groups.rows])
    share = np.array([1 / len(row) for row in groups.rows]) + rho / (1 - rho)
    error = np.sqrt(mean_square * (share[at] + share[pairs[:, 1]]))
    loadings = np.sqrt(share[at] / (share[at] + share[pairs[:, 1]]))
    largest = max(float(np.abs(row).max()) for row in groups.rows)
    difference = without_rounding(means[pairs[:, 1]] - means[at], largest)
    infinite = np.where(difference == 0, 0.0, np.copysign(np.inf, difference))
    t = np.divide(difference, error, out=infinite, where=error > 0)
    p = np.array([_pvalue(value, loadings, freedom, alternative) for value in t])
    return PosthocResult(
        method="Dunnett test, " + ("blocked" if block else "one-way"),
        adjust="dunnett",
        names=groups.names,
        pairs=pairs,
        difference=difference,
        statistic=t,
        pvalue=p,
        adjusted=p.copy(),
        centres=groups.sign * means,
        measure="mean",
        low_is_best=groups.sign < 0,
        control=groups.names[at],
        standard_error=error,
        n=max(len(row) for row in groups.rows),
        symbol="t",
        notes=(
            f"error mean square {mean_square:.5g} with {freedom:g} d.o.f.",
            *(() if alternative == "two-sided" else (f"one-sided: {alternative}",)),
        ),
        margin=partial(_margin, error=error, loadings=loadings, df=freedom),
        intervals=True,
    ).of(groups)


def _pvalue(t: float, loadings: np.ndarray, df: float, alternative: str) -> float:
    """P-value of one comparison among all; 1 where nothing differs and nothing varies."""
    if alternative == "two-sided":
        return largest_t_sf(abs(t), loadings, df)
    return largest_t_sf(-t if alternative == "less" else t, loadings, df, two_sided=False)


def _margin(alpha: float, error: np.ndarray, loadings: np.ndarray, df: float) -> np.ndarray:
    return largest_t_ppf(alpha, loadings, df) * np.asarray(error)
