"""The correlation of folds, from their sizes or from the number of runs."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bayescmp import checks
from bayescmp.errors import InputError
from bayescmp.resampling import Resampling

__all__ = ["inflation", "of_runs", "other_rhos", "rho_from_sizes"]


def of_runs(n: int, runs: int) -> Resampling:
    """The design of a row of n scores from this many runs of cross-validation."""
    runs = checks.whole("runs", runs)
    if n % runs or n // runs < 2:
        raise InputError(
            f"runs={runs} does not divide a row of {n} scores into runs of at least two folds"
        )
    return Resampling.k_fold(n // runs, repeats=runs)


def rho_from_sizes(n_train: ArrayLike, n_test: ArrayLike) -> np.ndarray:
    """Correlation of two random splits' scores: n_test / (n_train + n_test).

    Parameters
    ----------
    n_train, n_test : int or array_like
        Sizes of the training and the test sets.

    Returns
    -------
    ndarray

    References
    ----------
    Nadeau & Bengio (2003), section 4, eq. (8) and following.

    Examples
    --------
    >>> import bayescmp as bc
    >>> float(bc.rho_from_sizes(90, 10))
    0.1
    """
    train, test = np.asarray(n_train, dtype=float), np.asarray(n_test, dtype=float)
    if not (np.all(train > 0) and np.all(test > 0)):
        raise InputError(f"n_train={n_train!r}, n_test={n_test!r}; accepted: positive sizes")
    return test / (train + test)


def inflation(n: int, rho: float) -> float:
    """Variance of the mean of n differences over their own: 1/n + rho/(1 − rho).

    References
    ----------
    Nadeau & Bengio (2003), Machine Learning 52:239-281.
    """
    return 1 / n + rho / (1 - rho)


def other_rhos(rho: float) -> list[float]:
    """Correlations that a verdict is tried with: none, twice a fit's own, and one half."""
    return sorted({0.0, min(2 * rho, 0.9), 0.5} - {rho})
