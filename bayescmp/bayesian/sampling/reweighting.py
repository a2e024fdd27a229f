"""Draws of one density as draws of another: Pareto-smoothed weights, or another fit."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

import numpy as np

from bayescmp._arviz import psis
from bayescmp.errors import EngineNotFound

__all__ = ["RELIABLE", "varied"]

Result = TypeVar("Result")

#: Largest k-hat of weights that can be relied on (Vehtari et al. 2024).
RELIABLE = 0.7


def varied(
    setting: str,
    log_ratios: np.ndarray,
    average: Callable[[np.ndarray], Result],
    again: Callable[[], Result] | None = None,
    *,
    refit: bool = True,
) -> tuple[str, Result]:
    """A variation of a sampled posterior, with the k-hat of its weights.

    Parameters
    ----------
    setting : str
        What is varied, in words.
    log_ratios : ndarray of shape (chain, draw)
        Log of the other density over the one that was drawn from, up to a constant.
    average : callable
        From weights of the draws, which sum to one, to the result.
    again : callable, optional
        The result by another fit; None where none can be made.
    refit : bool
        Whether to make it where the weights can't be relied on.

    Returns
    -------
    setting : str
        With k-hat, and with what was done where it is over 0.7.
    result

    References
    ----------
    Vehtari, Simpson, Gelman, Yao & Gabry (2024), Journal of Machine Learning Research 25(72).
    """
    weights, k_hat = psis(log_ratios)
    words = f"{setting} (k-hat {k_hat:.2f}"
    if k_hat <= RELIABLE:
        return f"{words})", average(weights)
    if again is not None and refit:
        with suppress(EngineNotFound):  # a posterior may have been saved on another machine
            return f"{words}, refitted)", again()
    doubt = "not reliable" if again is None or refit else "needs a refit"
    return f"{words}, {doubt})", average(weights)
