"""Rows of one metric on one data set, one per algorithm, checked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayescmp import checks
from bayescmp.blocks import Blocks
from bayescmp.errors import InputError
from bayescmp.frequentist.described import Described
from bayescmp.text import counted

__all__ = ["Groups", "as_groups"]


@dataclass(frozen=True, eq=False)
class Groups(Described):
    """Scores of L algorithms on one data set, one row per algorithm.

    Attributes
    ----------
    rows : tuple of ndarray
        The scores of each algorithm, higher better.
    names : tuple of str
    sign : float
        -1 where lower scores are better and the rows have been negated.
    rho : float
        Correlation of folds.
    """

    rows: tuple[np.ndarray, ...]
    names: tuple[str, ...]
    sign: float
    rho: float

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
    rho: float | None = None,
) -> Groups:
    """Check scores of L algorithms on one data set.

    Parameters
    ----------
    x : array_like of shape (L, n), DataFrame with one row per algorithm, or sequence of L vectors
        Without blocks the rows may differ in length. Or Blocks of one metric.
    block : bool
        Whether columns are blocks (the same folds for all).
    names : iterable of str, optional
    lower_is_better : bool
        Blocks know it themselves.
    test : str
    rho : float, optional
        That of Blocks if not given, 0 for plain numbers.

    Returns
    -------
    Groups

    Raises
    ------
    InputError
    """
    if isinstance(x, Blocks):
        return _of_blocks(x, names, lower_is_better, test, rho)
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
    given_rho = checks.one_rho(rho or 0.0)
    groups = Groups(tuple(sign * r for r in rows), labels, sign, given_rho)
    return groups.of(x, rho=given_rho or None)


def _of_blocks(
    blocks: Blocks, names: Iterable[str] | None, lower: bool, test: str, rho: float | None
) -> Groups:
    """Rows of Blocks of one metric, which know their direction and their folds."""
    if blocks.p != 1:
        raise InputError(
            f"x holds {counted(blocks.p, 'metric')}, {', '.join(blocks.metrics)}; {test} takes "
            "one: x.select(metrics=[...])"
        )
    if lower and not blocks.lower_is_better[0]:
        raise InputError(
            f"lower_is_better=True, and but x says that higher is better for {blocks.metrics[0]!r}"
        )
    blocks = blocks if names is None else blocks.select(algorithms=names)
    blocks = blocks if rho is None else replace(blocks, rho=rho)
    rows = as_groups(
        blocks.x[..., 0],
        block=True,
        names=blocks.algorithms,
        lower_is_better=blocks.lower_is_better[0],
        test=test,
        rho=blocks.rho,
    )
    return rows.of(blocks)
