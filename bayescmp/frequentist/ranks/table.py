"""A table of scores, data sets by algorithms, checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayescmp.errors import InputError, unknown_name

__all__ = ["Table", "as_table", "choice", "vector", "whole"]


@dataclass(frozen=True, eq=False)
class Table:
    """A table of scores, with labels; higher is better once ``oriented``.

    Attributes
    ----------
    values : ndarray of shape (q, L)
        Scores as given.
    algorithms, datasets : tuple of str
    lower_is_better : bool
    """

    values: np.ndarray
    algorithms: tuple[str, ...]
    datasets: tuple[str, ...]
    lower_is_better: bool

    @property
    def oriented(self) -> np.ndarray:
        """The scores with higher the better."""
        return -self.values if self.lower_is_better else self.values


def as_table(
    scores: Any,
    *,
    test: str,
    lower_is_better: bool = False,
    missing: bool = False,
    least_algorithms: int = 3,
    least_datasets: int = 2,
) -> Table:
    """Check a table of scores, data sets by algorithms.

    Parameters
    ----------
    scores : array_like of shape (q, L), or DataFrame
        One row a data set, one column an algorithm.
    test : str
        Who asks, for messages.
    lower_is_better : bool
    missing : bool
        Whether NaN is accepted.
    least_algorithms, least_datasets : int
        How many the test needs.

    Returns
    -------
    Table

    Raises
    ------
    InputError
        No two-dimensional table of numbers, missing or infinite scores (with their places), too
        few algorithms or data sets, duplicate names.
    """
    values = _numbers(scores, "scores", "(q, L): one row a data set, one column an algorithm")
    if values.ndim != 2:
        raise InputError(
            f"scores has shape {values.shape}; accepted: (q, L), one row a data set, one column "
            "an algorithm"
        )
    datasets, algorithms = _labels(scores, values.shape)
    _check_least(test, values.shape, least_algorithms, least_datasets)
    _check_cells(values, datasets, algorithms, test, missing)
    return Table(values, algorithms, datasets, bool(lower_is_better))


def _check_least(test: str, shape: tuple[int, ...], algorithms: int, datasets: int) -> None:
    q, L = shape
    if algorithms > L:
        instead = (
            ". For two algorithms over several data sets use wilcoxon(b - a) or sign_test(wins, "
            "losses)"
            if L == 2
            else ""
        )
        raise InputError(
            f"scores has {_plural(L, 'algorithm')} (columns); {test} needs at least "
            f"{algorithms}{instead}"
        )
    if q < datasets:
        instead = ". On one data set use anova and tukey on the folds" if q == 1 else ""
        raise InputError(
            f"scores has {_plural(q, 'data set')} (rows); {test} needs at least "
            f"{datasets}{instead}"
        )


def _check_cells(
    values: np.ndarray,
    datasets: tuple[str, ...],
    algorithms: tuple[str, ...],
    test: str,
    missing: bool,
) -> None:
    infinite, nan = np.isinf(values), np.isnan(values)
    if infinite.any():
        raise InputError(
            f"scores is infinite for {_cells(infinite, datasets, algorithms)}; {test} needs "
            "finite scores"
        )
    if nan.any() and not missing:
        raise InputError(
            f"scores is missing (NaN) for {_cells(nan, datasets, algorithms)}; {test} needs a "
            "score of every algorithm on every data set. Use skillings_mack(scores), which allows "
            "missing ones, or leave out those data sets yourself (scores.dropna())"
        )


def _cells(bad: np.ndarray, datasets: Sequence[str], algorithms: Sequence[str]) -> str:
    """The first few cells by name, and how many more there are."""
    places = np.argwhere(bad)
    named = [f"{algorithms[j]!r} on data set {datasets[i]!r}" for i, j in places[:3]]
    more = f" and {len(places) - 3} more" if len(places) > 3 else ""
    return ", ".join(named) + more


def _labels(scores: Any, shape: tuple[int, int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of rows and columns: those of a frame, else 1, 2, ... and A1, A2, ..."""
    if hasattr(scores, "columns") and hasattr(scores, "index"):
        algorithms = unique(tuple(map(str, scores.columns)), "algorithm (column)")
        return tuple(map(str, scores.index)), algorithms
    return (
        tuple(str(i + 1) for i in range(shape[0])),
        tuple(f"A{j + 1}" for j in range(shape[1])),
    )


def unique(names: tuple[str, ...], what: str) -> tuple[str, ...]:
    if len(set(names)) < len(names):
        twice = next(n for n in names if names.count(n) > 1)
        raise InputError(f"two {what}s are named {twice!r}; names have to differ")
    return names


def _numbers(x: Any, name: str, accepted: str) -> np.ndarray:
    """A copy of x as floating-point numbers."""
    try:
        return np.array(x, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{name} is no table of numbers; accepted: {accepted}") from None


def vector(x: Any, *, name: str = "x", least: int = 2, test: str = "the test") -> np.ndarray:
    """Check a vector of differences: finite, and long enough.

    Parameters
    ----------
    x : array_like of shape (n,)
    name, test : str
        For messages.
    least : int
        How many the test needs.

    Returns
    -------
    ndarray of shape (n,)

    Raises
    ------
    InputError
    """
    values = _numbers(x, name, "(n,), one number a fold or data set")
    if values.ndim != 1:
        raise InputError(f"{name} has shape {values.shape}; accepted: (n,)")
    if len(values) < least:
        raise InputError(f"{name} has {len(values)} values; {test} needs at least {least}")
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise InputError(f"{name}[{bad[0]}] is {values[bad[0]]}; accepted: finite numbers")
    return values


def whole(name: str, value: Any) -> int:
    """Check a count: an integer from 1 up, floats of whole numbers included.

    Parameters
    ----------
    name : str
        Of the argument, for the message.
    value : int

    Returns
    -------
    int

    Raises
    ------
    InputError
    """
    number = isinstance(value, int | float | np.integer | np.floating)
    if not number or isinstance(value, bool) or not 1 <= value < np.inf or int(value) != value:
        raise InputError(f"{name}={value!r}; accepted: an integer from 1 up")
    return int(value)


def choice(name: str, value: str, known: Sequence[str]) -> str:
    """Check an option that is one of a few words.

    Parameters
    ----------
    name : str
        The argument.
    value : str
        What was given.
    known : sequence of str
        What is accepted.

    Returns
    -------
    str

    Raises
    ------
    InputError
    """
    if value not in known:
        raise unknown_name(name, value, known)
    return value


def _plural(count: int, what: str) -> str:
    return f"{count} {what}" + ("" if count == 1 else "s")
