"""A table of scores, data sets by algorithms, checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bayescmp import checks
from bayescmp.errors import DirectionWarning, InputError, warn_user
from bayescmp.frequentist.described import Described
from bayescmp.metrics import Direction
from bayescmp.tables import ATTRS
from bayescmp.text import counted

__all__ = ["Table", "as_table"]


@dataclass(frozen=True, eq=False)
class Table(Described):
    """A table of scores, with labels; higher is better once ``oriented``.

    Attributes
    ----------
    values : ndarray of shape (q, L)
        Scores as given.
    algorithms, datasets : tuple of str
    lower_is_better : bool
    directions : tuple of Direction
        Of the metric, where the frame of means knows it.
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
    scores: ArrayLike,
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
        One row per data set, one column per algorithm.
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
    values = checks.numbers(
        scores, "scores", "(q, L): one row per data set, one column per algorithm"
    )
    if values.ndim != 2:
        raise InputError(
            f"scores has shape {values.shape}; accepted: (q, L), one row per data set, one column "
            "an algorithm"
        )
    datasets, algorithms = _labels(scores, values.shape)
    _check_least(test, values.shape, least_algorithms, least_datasets)
    _check_cells(values, datasets, algorithms, test, missing)
    return Table(
        values,
        algorithms,
        datasets,
        bool(lower_is_better),
        directions=_directions(scores, lower_is_better),
    )


def _directions(scores: object, lower: bool) -> tuple[Direction, ...]:
    """Which way the metric of a frame of means is better, as it is ranked."""
    note = getattr(scores, "attrs", {}).get(ATTRS, {})
    if "metric" not in note:
        return ()
    known = note.get("better")
    side = "lower" if lower else "higher"
    if known is not None and known != side:
        warn_user(
            f"the table holds {note['metric']!r}, for which {known} is better, but is ranked as "
            f"{side}-is-better: give lower_is_better={not lower}",
            DirectionWarning,
        )
    return (Direction(str(note["metric"]), lower, "assumed" if known is None else "declared"),)


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
            f"scores has {counted(L, 'algorithm')} (columns); {test} needs at least "
            f"{algorithms}{instead}"
        )
    if q < datasets:
        instead = ". On one data set use anova and tukey on the folds" if q == 1 else ""
        raise InputError(
            f"scores has {counted(q, 'data set')} (rows); {test} needs at least "
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


def _labels(scores: object, shape: tuple[int, int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of rows and columns: those of a frame, else 1, 2, ... and A1, A2, ..."""
    if hasattr(scores, "columns") and hasattr(scores, "index"):
        columns = checks.labels("scores", scores.columns, shape[1])
        return tuple(map(str, scores.index)), columns
    return checks.labels("datasets", None, shape[0]), checks.labels("names", None, shape[1], "A")
