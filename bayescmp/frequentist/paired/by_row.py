"""The corrected resampled t test on each of many data sets at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import stats

from bayescmp.differences import Differences
from bayescmp.frequentist.paired.student import standard_errors

__all__ = ["RowTests", "corrected_t_by_row"]


class RowTests(NamedTuple):
    """What a two-sided test says of each data set, arrays of shape (q,).

    Attributes
    ----------
    statistic, pvalue : ndarray
    estimate : ndarray
        Positive where the second algorithm is better.
    """

    statistic: np.ndarray
    pvalue: np.ndarray
    estimate: np.ndarray


def corrected_t_by_row(x: Differences) -> RowTests:
    """`corrected_t` on each data set by itself, to the last digit.

    Parameters
    ----------
    x : Differences
        At least two differences on each data set, and their correlation.

    Returns
    -------
    RowTests

    References
    ----------
    Nadeau & Bengio 2003, Machine Learning 52, eq. 19.

    See Also
    --------
    bayescmp.frequentist.corrected_t : On one data set, with intervals and an effect size.
    """
    tests = RowTests(*np.empty((3, x.q)))
    for n in np.unique(x.n):
        rows = np.flatnonzero(x.n == n)
        table, rho = np.concatenate([x.x[i] for i in rows]).reshape(-1, n), x.rho[rows]
        mean = table.mean(axis=1)
        error = standard_errors(table, 1 / n + rho / (1 - rho))
        statistic = np.divide(mean, error, out=np.copysign(np.inf, mean), where=error > 0)
        statistic[(mean == 0) & (error == 0)] = 0.0
        pvalue = 2 * stats.t.sf(np.abs(statistic), n - 1)
        for column, values in zip(tests, (statistic, pvalue, mean), strict=True):
            column[rows] = values
    return tests
