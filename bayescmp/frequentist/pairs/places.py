"""Which pairs of algorithms are compared, by their places."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayescmp.errors import InputError, unknown_name

__all__ = ["index_of", "pairs_of"]


def pairs_of(n_algorithms: int, control: int | None = None) -> np.ndarray:
    """The pairs that are compared, as (first, second).

    Parameters
    ----------
    n_algorithms : int
        L.
    control : int, optional
        The first of every pair; all pairs if not given.

    Returns
    -------
    ndarray of int, shape (m, 2)
        (0,1), (0,2), ..., (L-2,L-1), or (control, j) for all others j.
    """
    if control is None:
        return np.column_stack(np.triu_indices(n_algorithms, k=1))
    others = np.delete(np.arange(n_algorithms), control)
    return np.column_stack([np.full(len(others), control), others])


def index_of(control: str | int, algorithms: Sequence[str]) -> int:
    """Place of a control algorithm, given by name or by number.

    Parameters
    ----------
    control : str or int
    algorithms : sequence of str

    Returns
    -------
    int

    Raises
    ------
    InputError
    """
    if isinstance(control, int | np.integer) and not isinstance(control, bool):
        if not 0 <= control < len(algorithms):
            raise InputError(
                f"control={control} is not a column; accepted: 0 to {len(algorithms) - 1}, or a "
                "name"
            )
        return int(control)
    if str(control) not in algorithms:
        raise unknown_name("algorithm (control)", control, algorithms)
    return list(algorithms).index(str(control))
