"""Rows of numbers, one per data set, read and checked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from bayescmp import checks
from bayescmp.errors import InputError
from bayescmp.text import counted

__all__ = [
    "as_rows",
    "check_rows",
    "frozen",
    "means_of",
    "per_row",
    "runs_of",
    "shape_of",
    "without_noise",
]


def as_rows(x: Any, name: str = "x") -> tuple[np.ndarray, ...]:
    """Read-only one-dimensional float arrays from whatever was given."""
    accepted = "accepted: a (q, n) array, or a sequence of q one-dimensional arrays"
    if hasattr(x, "to_numpy"):
        x = x.to_numpy()
    if hasattr(x, "toarray"):
        checks.check_real(x, name)
    if isinstance(x, (str, bytes)) or not hasattr(x, "__len__"):
        raise InputError(f"{name} is {type(x).__name__}; {accepted}")
    if len(x) == 0:
        raise InputError(f"{name} is empty; {accepted}")
    if all(type(r) is np.ndarray and r.ndim == 1 and r.dtype == float for r in x):
        return _copied(list(x))
    for part in (x, *(r for r in x if np.ndim(r))):
        checks.check_real(part, name)
    try:
        rows = [np.array(r, dtype=float) for r in ([x] if np.ndim(x[0]) == 0 else x)]
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{name} holds something that is not a number ({error}); {accepted}"
        ) from None
    if any(r.ndim != 1 for r in rows):
        raise InputError(f"{name} has rows of more than one dimension; {accepted}")
    for r in rows:
        r.flags.writeable = False
    return tuple(rows)


def _copied(rows: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
    """Copies of rows of floats, all in one read-only array."""
    starts = np.cumsum([0, *map(len, rows[:-1])])
    return tuple(runs_of(frozen(np.concatenate(rows)), starts))


def check_rows(rows: Sequence[np.ndarray], datasets: Sequence[str]) -> None:
    """Refuse empty rows, and differences that are missing or infinite."""
    if all(map(len, rows)) and np.isfinite(np.concatenate(rows)).all():
        return
    for row, dataset in zip(rows, datasets, strict=True):
        if len(row) == 0:
            raise InputError(f"x has no difference for data set {dataset!r}")
        bad = np.flatnonzero(~np.isfinite(row))
        if len(bad):
            kind = "missing (NaN)" if np.isnan(row[bad[0]]) else "infinite"
            raise InputError(
                f"x has a difference that is {kind} for data set {dataset!r} at position "
                f"{bad[0]} (and {len(bad) - 1} more); every fold needs a finite score of both"
            )


def per_row(values: np.ndarray, q: int) -> np.ndarray:
    """One number per row, read-only: one for all, or one each."""
    return frozen(np.broadcast_to(values, (q,)) if values.ndim == 0 else values)


def frozen(values: np.ndarray) -> np.ndarray:
    """A read-only copy."""
    copy = np.array(values)
    copy.flags.writeable = False
    return copy


def without_noise(rows: Sequence[np.ndarray], noise: np.ndarray) -> tuple[np.ndarray, ...]:
    """Rows whose numbers no larger than their row's noise, a few units of rounding, are zero."""
    sizes = [len(r) for r in rows]
    flat = np.concatenate(rows)
    zero = np.abs(flat) <= np.repeat(noise, sizes)
    if not np.any(zero & (flat != 0)):
        return tuple(rows)
    return tuple(runs_of(frozen(np.where(zero, 0.0, flat)), np.cumsum([0, *sizes[:-1]])))


def runs_of(values: np.ndarray, starts: np.ndarray) -> list[np.ndarray]:
    """Views of the runs that start there; for many of them faster than `numpy.split`."""
    bounds = [*starts.tolist(), len(values)]
    return [values[i:j] for i, j in pairwise(bounds)]


def means_of(rows: Sequence[np.ndarray]) -> np.ndarray:
    """Mean of each row, to the last bit that of the row by itself; shape (q,).

    Rows of one length are summed as a matrix, each in the order in which numpy sums a vector.
    """
    sizes = np.array([len(r) for r in rows])
    means = np.empty(len(rows))
    for size in np.unique(sizes):
        of_size = np.flatnonzero(sizes == size)
        means[of_size] = np.array([rows[int(i)] for i in of_size]).mean(axis=1)
    return means


def shape_of(rows: Sequence[np.ndarray]) -> str:
    """Data sets and folds, in words."""
    sizes = sorted({len(r) for r in rows})
    per = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    return f"{counted(len(rows), 'data set')} x {per} folds"
