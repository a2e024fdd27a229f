"""Rows of one metric on one data set, one per algorithm, checked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp import checks
from bayescmp.errors import InputError

if TYPE_CHECKING:
    pass


__all__ = ["Groups", "as_groups"]


@dataclass(frozen=True, eq=False)
class Groups:
    """Scores of L algorithms on one data set, one row per algorithm.

    Attributes
    ----------
    rows : tuple of ndarray
        The scores of each algorithm, higher better.
    names : tuple of str
    sign : float
        -1 where lower scores are better and the rows have been negated.
    """

    rows: tuple[np.ndarray, ...]
    names: tuple[str, ...]
    sign: float

    @property
    def matrix(self) -> np.ndarray:
        """The rows as one array of shape (L, n)."""
        return np.array(self.rows)


def as_groups(
    x: Any,
    *,
    block: bool,
    names: Iterable[str] | None,
    lower_is_better: bool,
    test: str,
) -> Groups:
    """Check scores of L algorithms on one data set.

    Parameters
    ----------
    x : array_like of shape (L, n), DataFrame with one row per algorithm, or sequence of L vectors
        Without blocks the rows may differ in length.
    block : bool
        Whether columns are blocks (the same folds for all).
    names : iterable of str, optional
    lower_is_better : bool
    test : str

    Returns
    -------
    Groups

    Raises
    ------
    InputError
    """
    framed = hasattr(x, "index") and hasattr(x, "columns")
    source: Any = x.to_numpy() if framed else x
    if not hasattr(source, "__len__") or len(source) < 2:
        raise InputError(f"x has fewer than 2 rows; {test} needs (L, n): one row per algorithm")
    given = x.index if framed and names is None else names
    labels = checks.labels("names", given, len(source), "A")
    rows = tuple(
        checks.vector(row, name=f"x, row {label!r},", test=test)
        for row, label in zip(source, labels, strict=True)
    )
    lengths = sorted({len(r) for r in rows})
    if block and len(lengths) > 1:
        raise InputError(
            f"x has rows of {lengths[0]} to {lengths[-1]} scores; with blocks every algorithm "
            "needs a score in every one (use block=False for unpaired scores)"
        )
    sign = -1.0 if lower_is_better else 1.0
    return Groups(tuple(sign * r for r in rows), labels, sign)
