"""Runs on tasks: read from arrays or from `Scores`, and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bayescmp import checks
from bayescmp.errors import InputError, unknown_name
from bayescmp.metrics import Direction
from bayescmp.scores import Scores

__all__ = ["Runs", "pair_of_runs", "read_runs"]


@dataclass(frozen=True, eq=False)
class Runs:
    """Scores of each algorithm's runs on the same tasks.

    Attributes
    ----------
    values : dict of str to ndarray of shape (runs, tasks)
    direction : Direction or None
        Of the metric; None for plain numbers, of which the higher are better.
    """

    values: dict[str, np.ndarray]
    direction: Direction | None = None

    @property
    def least(self) -> int:
        """The least number of runs."""
        return min(len(x) for x in self.values.values())

    @property
    def tasks(self) -> int:
        """How many tasks."""
        return int(next(iter(self.values.values())).shape[1])

    @property
    def lower(self) -> bool:
        """Whether lower scores are better."""
        return self.direction is not None and self.direction.lower

    @property
    def oriented(self) -> tuple[np.ndarray, ...]:
        """The values, higher for the better."""
        return tuple(-x if self.lower else x for x in self.values.values())

    def points(self, thresholds: ArrayLike) -> tuple[np.ndarray, tuple[str, ...]]:
        """Thresholds of the oriented scores, and what a profile's rows are called.

        Parameters
        ----------
        thresholds : array_like of shape (t,)
            Of the scores as they are.

        Returns
        -------
        ndarray of shape (t,), tuple of str
        """
        at = checks.vector(thresholds, name="thresholds", least=1, test="performance_profiles")
        sign = "<" if self.lower else ">"
        names = tuple(f"{name} {sign} {t:g}" for name in self.values for t in at)
        return -at if self.lower else at, names

    def named(self, measure: str) -> str:
        """A measure with the metric it is of."""
        return measure if self.direction is None else f"{measure} of {self.direction}"


def read_runs(
    scores: Mapping[str, ArrayLike] | Scores, test: str, metric: str | None = None
) -> Runs:
    """Scores of each algorithm, checked.

    Parameters
    ----------
    scores : mapping of str to array_like of shape (runs, tasks), or Scores
        Tasks are the same for all, in the same order; runs may differ in number. Of `Scores` the
        data sets are the tasks, and their folds or seeds the runs.
    test : str
        Who asks, for messages.
    metric : str, optional
        Which metric, where `Scores` has several.

    Returns
    -------
    Runs

    Raises
    ------
    InputError
        Another shape, missing or infinite scores, tasks that differ in number, an algorithm that
        was not run equally often on all data sets.
    """
    if isinstance(scores, Scores):
        return _of_scores(scores, metric)
    if not isinstance(scores, Mapping) or not scores:
        raise InputError(
            f"scores of {test}; accepted: Scores, or a mapping of at least 1 algorithm to arrays "
            "of shape (runs, tasks)"
        )
    if metric is not None:
        raise InputError(f"metric={metric!r} is for Scores; arrays hold one metric")
    values = {str(name): _array(given, name) for name, given in scores.items()}
    sizes = {x.shape[1] for x in values.values()}
    if len(sizes) > 1:
        raise InputError(f"scores has algorithms of {sorted(sizes)} tasks; accepted: the same")
    return Runs(values)


def pair_of_runs(
    first: ArrayLike | Scores, second: ArrayLike | None, test: str, metric: str | None
) -> Runs:
    """Runs of two algorithms: two arrays, or `Scores` of two algorithms.

    Parameters
    ----------
    first : array_like of shape (runs, tasks) or Scores
    second : array_like of shape (runs, tasks) or None
    test, metric
        As for `read_runs`.

    Returns
    -------
    Runs

    Raises
    ------
    InputError
        As for `read_runs`; scores of other than two algorithms.
    """
    if not isinstance(first, Scores):
        if second is None:
            raise InputError(f"second is missing; {test} takes two arrays, or Scores")
        return read_runs({"first": first, "second": second}, test, metric)
    if second is not None or len(first.algorithms) != 2:
        names = ", ".join(map(repr, first.algorithms))
        raise InputError(
            f"scores has the algorithms {names}; accepted: two of them alone, by "
            "scores.select(algorithms=[...])"
        )
    return read_runs(first, test, metric)


def _of_scores(scores: Scores, metric: str | None) -> Runs:
    metric = scores.sole_metric if metric is None else str(metric)
    if metric not in scores.metrics:
        raise unknown_name("metric", metric, scores.metrics)
    way = scores.direction(metric)
    groups = scores.frame.groupby(["algorithm", "dataset"], sort=False)[metric]
    rows = {key: part.to_numpy(float) for key, part in groups}
    values = {}
    for algorithm in scores.algorithms:
        parts = [rows.get((algorithm, d), np.empty(0)) for d in scores.datasets]
        sizes = [len(part) for part in parts]
        if min(sizes) < max(sizes):
            few, many = (scores.datasets[sizes.index(size)] for size in (min(sizes), max(sizes)))
            raise InputError(
                f"algorithm {algorithm!r} has {min(sizes)} scores on data set {few!r} and "
                f"{max(sizes)} on {many!r}; accepted: equally many runs on all data sets"
            )
        values[algorithm] = _array(np.column_stack(parts), algorithm)
    return Runs(values, way)


def _array(given: ArrayLike, name: object) -> np.ndarray:
    values = checks.numbers(given, f"scores[{name!r}]", "(runs, tasks)")
    if values.ndim != 2 or values.size == 0:
        raise InputError(f"scores[{name!r}] has shape {values.shape}; accepted: (runs, tasks)")
    if not np.all(np.isfinite(values)):
        run, task = np.argwhere(~np.isfinite(values))[0]
        raise InputError(
            f"scores[{name!r}] is {values[run, task]} for run {run} of task {task}; accepted: "
            "finite numbers"
        )
    return values
