"""An order that numbers decide, the same however they were handed in."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["places_by"]

#: Digits by which keys are compared: what sums in another order leave the same.
DIGITS = 9


def places_by(*keys: ArrayLike) -> np.ndarray:
    """Places by increasing keys, the first before the others.

    Parameters
    ----------
    *keys : array_like of shape (q,)
        Those that differ by rounding alone, seen from the largest of a key, are equal.

    Returns
    -------
    ndarray of int, shape (q,)

    Examples
    --------
    >>> from bayescmp.ordering import places_by
    >>> places_by([0.3, 0.1 + 0.2, 0.1], [2, 1, 3]).tolist()
    [2, 1, 0]
    """
    table = np.array(keys, dtype=float)
    largest = np.abs(table).max(axis=1, keepdims=True, initial=0.0)
    return np.lexsort(np.round(table / np.where(largest > 0, largest, 1.0), DIGITS)[::-1])
