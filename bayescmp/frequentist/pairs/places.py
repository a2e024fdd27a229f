"""Which pairs of algorithms are compared, by their places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bayescmp.errors import InputError, unknown_name

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["as_matrix", "index_of", "pairs_of"]


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


def as_matrix(values: np.ndarray, pairs: np.ndarray, names: tuple[str, ...]) -> pd.DataFrame:
    """P-values of pairs as a symmetric table.

    Parameters
    ----------
    values : ndarray of shape (m,)
    pairs : ndarray of int, shape (m, 2)
        Whose they are.
    names : tuple of str
        Of the L algorithms.

    Returns
    -------
    DataFrame of shape (L, L)
        1 on the diagonal, NaN for pairs that are not compared.
    """
    import pandas as pd

    table = np.full((len(names), len(names)), np.nan)
    np.fill_diagonal(table, 1.0)
    first, second = pairs.T
    table[first, second] = table[second, first] = values
    return pd.DataFrame(table, index=names, columns=names)


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
