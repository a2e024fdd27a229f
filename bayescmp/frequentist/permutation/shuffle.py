"""Random data sets under the two null hypotheses: labels permuted, columns permuted in classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.errors import InputError

if TYPE_CHECKING:
    import pandas as pd
    from scipy import sparse

__all__ = ["columns_within_classes", "kind_of", "take_rows"]


def kind_of(X: object) -> str:
    """What a table of features is: "frame", "sparse" or "array"."""
    from scipy import sparse

    if sparse.issparse(X):
        return "sparse"
    return "frame" if hasattr(X, "iloc") and hasattr(X, "columns") else "array"


def take_rows(X: Any, rows: np.ndarray) -> Any:
    """Some rows of a table of features."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def columns_within_classes(
    X: Any, codes: np.ndarray, rng: np.random.Generator
) -> np.ndarray | pd.DataFrame | sparse.csr_matrix:
    """Permute every column by itself within each class.

    Each column keeps its values in each class, missing ones included; what joins the columns of a
    class is lost.

    Parameters
    ----------
    X : ndarray, DataFrame or sparse matrix of shape (n, m)
        Not modified.
    codes : ndarray of int, shape (n,)
        Classes, 0, 1, ...
    rng : Generator

    Returns
    -------
    same kind as X
        Columns keep their types; a sparse matrix comes back in row format.

    References
    ----------
    Ojala & Garriga 2009, ICDM, test 2.
    """
    if len(np.shape(X)) != 2:
        raise InputError(f"X has shape {np.shape(X)}; test='columns' needs a table, (n, m)")
    members = [np.flatnonzero(codes == c) for c in range(int(codes.max()) + 1)]
    kind = kind_of(X)
    if kind == "sparse":
        return _sparse(X, codes, members, rng)
    if kind == "frame":
        return _frame(X, members, rng)
    shuffled = np.array(X)
    for rows in members:
        shuffled[rows] = rng.permuted(shuffled[rows], axis=0)
    return shuffled


def _frame(X: pd.DataFrame, members: list[np.ndarray], rng: np.random.Generator) -> pd.DataFrame:
    import pandas as pd

    order = np.tile(np.arange(len(X))[:, None], (1, X.shape[1]))
    for rows in members:
        order[rows] = rng.permuted(order[rows], axis=0)
    columns = {j: X.iloc[:, j].array.take(order[:, j]) for j in range(X.shape[1])}
    shuffled = pd.DataFrame(columns, index=X.index)
    shuffled.columns = X.columns
    return shuffled


def _sparse(
    X: sparse.spmatrix, codes: np.ndarray, members: list[np.ndarray], rng: np.random.Generator
) -> sparse.csr_matrix:
    """Move the stored values of each column and class to distinct rows of the class, at random."""
    from scipy import sparse

    stored = X.tocoo()
    group = stored.col.astype(np.int64) * len(members) + codes[stored.row]
    sizes = np.array([len(rows) for rows in members])
    places = _distinct_places(group, sizes[codes[stored.row]], rng)
    first = np.cumsum(np.r_[0, sizes[:-1]])
    rows = np.concatenate(members)[first[codes[stored.row]] + places]
    return sparse.csr_matrix((stored.data, (rows, stored.col)), shape=X.shape)


def _distinct_places(group: np.ndarray, size: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random place below ``size`` for each entry, no place twice in a group; shape (entries,).

    Clashes are drawn again, which favours no set of places: the rule knows only which places are
    equal. Groups more than half full, where clashes would be many, are permuted instead.
    """
    _, inverse, filled = np.unique(group, return_inverse=True, return_counts=True)
    inverse = inverse.reshape(-1)
    places = np.empty(len(group), dtype=np.int64)
    full = 2 * filled[inverse] > size
    by_group = np.flatnonzero(full)[np.argsort(inverse[full], kind="stable")]
    starts = np.flatnonzero(np.diff(inverse[by_group], prepend=-1))
    for entries in np.split(by_group, starts[1:]):
        if len(entries):
            places[entries] = rng.permutation(size[entries[0]])[: len(entries)]
    few = np.flatnonzero(~full)
    again = few
    while len(again):
        places[again] = rng.integers(0, size[again])
        key = inverse[few] * (int(size.max()) + 1) + places[few]
        _, kept = np.unique(key, return_index=True)
        again = np.delete(few, kept)
    return places
