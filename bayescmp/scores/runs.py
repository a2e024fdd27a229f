"""Scores of two algorithms' independent runs on each data set, of which none pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from bayescmp.base import checks, magnitudes
from bayescmp.base.magnitudes import NOISE, TIED, smallest_step
from bayescmp.errors import InputError
from bayescmp.scores.differences import (
    Differences,
    SufficientStatistics,
    as_rows,
    copy_readonly,
    means_of,
    own_labels,
)
from bayescmp.scores.metrics import Direction
from bayescmp.scores.pairing import NOT_PAIRED, LeftOut, paired_by
from bayescmp.wording.text import format_count

#: Names of the two groups of runs.
SAMPLES = ("first", "second")


def count_runs(sizes: np.ndarray) -> str:
    """Say how many runs each algorithm has on a data set: "3 runs", "2 to 5 runs"."""
    least, most = int(sizes.min()), int(sizes.max())
    return format_count(most, "run") if least == most else f"{least} to {most} runs"


@dataclass(frozen=True, eq=False, repr=False)
class Runs:
    """Scores of two algorithms' independent runs on q data sets, of which none pair.

    However runs with separate seeds are numbered, on each data set there are two groups of scores,
    in no common order and perhaps of different sizes. Scores of the same folds or seeds pair: use
    `Differences`.

    Parameters
    ----------
    first, second : array_like of shape (q, n), or sequence of q one-dimensional arrays
        Scores of each algorithm, one row per data set; higher is better.
    names : (str, str)
    datasets, metric, direction, span, left_out, unit
        As for `Differences`.
    resolution : float or array_like of shape (q,), optional
        Smallest step of the metric on each data set, e.g. 1/n_test; by default the smallest seen.

    Raises
    ------
    InputError
        Missing or infinite scores, a row without scores, rows that do not match.

    See Also
    --------
    Differences, bayescmp.bayesian.hierarchical_t, bayescmp.bayesian.two_sample_t

    Examples
    --------
    >>> import bayescmp as bc
    >>> old = [[1.2, 1.0, 1.1], [0.3, 0.5, 0.4], [2.2, 2.0, 2.1]]
    >>> new = [[1.5, 1.4, 1.3], [0.6, 0.5, 0.7], [2.1, 2.6, 2.4, 2.5]]
    >>> runs = bc.Runs(old, new, names=("old", "new"), datasets=["pong", "qbert", "alien"])
    >>> runs
    <Runs of old and new: 3 data sets, 3 to 4 runs of each, not paired: independent runs>
    """

    first: Any
    second: Any
    _: KW_ONLY
    names: tuple[str, str] = ("first", "second")
    datasets: Any = None
    metric: str = ""
    direction: Direction | None = None
    span: float | None = None
    resolution: Any = None
    left_out: LeftOut | None = None
    unit: str = "data set"

    def __post_init__(self) -> None:
        first, own = as_rows(self.first, "first", "block")
        second, others = as_rows(self.second, "second", "block")
        if len(first) != len(second):
            raise InputError(
                f"first and second must have a row for each data set (got {len(first)} and "
                f"{len(second)}).",
                "second",
            )
        q = len(first)
        datasets = own_labels("datasets", self.datasets, own or others, q)
        for name, rows in zip(SAMPLES, (first, second), strict=True):
            _check_group(name, rows, datasets)
        steps = checks.by_name("resolution", self.resolution, datasets)
        given = checks.check_steps(steps, (q,), "one a data set")
        seen = [smallest_step(np.r_[a, b]) for a, b in zip(first, second, strict=True)]
        is_empty = isinstance(self.metric, str) and not self.metric
        checked = {
            "first": first,
            "second": second,
            "names": checks.check_names(self.names),
            "datasets": datasets,
            "metric": "" if is_empty else checks.check_label(self.metric, "metric"),
            "span": magnitudes.span(self.span),
            "resolution": copy_readonly(np.where(np.isnan(given), seen, given)),
        }
        vars(self).update(checked)
        magnitudes.check_size(np.concatenate([*first, *second]), "the scores")

    @property
    def q(self) -> int:
        """Number of data sets."""
        return len(self.first)

    @cached_property
    def sizes(self) -> np.ndarray:
        """Number of runs of each algorithm on each data set, shape (q, 2)."""
        return copy_readonly([[len(a), len(b)] for a, b in self._rows])

    @cached_property
    def means(self) -> np.ndarray:
        """Difference of the mean scores on each data set, (q,), second minus first."""
        means = means_of(self.second) - means_of(self.first)
        return copy_readonly(np.where(np.abs(means) <= NOISE * self._sizes_of_scores, 0.0, means))

    @property
    def largest(self) -> np.ndarray:
        """Largest difference on each data set between two runs of the two algorithms, (q,)."""
        return np.array([max(b.max() - a.min(), a.max() - b.min()) for a, b in self._rows])

    @property
    def step_seen(self) -> float:
        """Smallest step between any two scores; NaN if all are equal."""
        return smallest_step(np.concatenate([*self.first, *self.second]))

    @property
    def groups(self) -> tuple[np.ndarray, ...]:
        """Scores of each algorithm on each data set, those of the first before the second's."""
        return (*self.first, *self.second)

    def statistics(self) -> SufficientStatistics:
        """Means and sums of squared deviations with one variance per data set."""
        ss = np.array([[_squares(a), _squares(b)] for a, b in self._rows]).sum(axis=1)
        n, zeros = self.sizes.sum(axis=1) - 1, np.zeros(self.q)
        return SufficientStatistics(n, self.means, ss, zeros, ss == 0, self.sizes)

    def mean_differences(self) -> Differences:
        """Return one difference per data set, that of the means, for tests on means."""
        return Differences(
            [[mean] for mean in self.means],
            rho=0.0,
            names=self.names,
            datasets=self.datasets,
            metric=self.metric,
            direction=self.direction,
            scale="difference" if self.direction is None else self.direction.scale,
            left_out=self.left_out,
            unit=self.unit,
            pairing=paired_by(self.unit),
        )

    def row(self, dataset: str) -> Runs:
        """Return the runs on one data set."""
        checks.check_choice("data set", dataset, self.datasets, "dataset")
        i = self.datasets.index(dataset)
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        parts = {name: [own[name][i]] for name in (*SAMPLES, "datasets", "resolution")}
        return Runs(**{**own, **parts})

    def swapped(self) -> Runs:
        """Return the comparison with the algorithms in the other order."""
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        turned = {"first": self.second, "second": self.first, "names": self.names[::-1]}
        return Runs(**{**own, **turned})

    def described(self) -> dict[str, Any]:
        """Describe, for a result, where its numbers come from: metric, directions, left out."""
        return {
            "metric": self.metric,
            "directions": () if self.direction is None else (self.direction,),
            "pairing": NOT_PAIRED,
            "left_out": self.left_out,
        }

    @property
    def _rows(self) -> list[tuple[np.ndarray, np.ndarray]]:
        return list(zip(self.first, self.second, strict=True))

    @property
    def _sizes_of_scores(self) -> np.ndarray:
        return np.array([max(np.abs(a).max(), np.abs(b).max()) for a, b in self._rows])

    def __repr__(self) -> str:
        first, second = self.names
        sets = format_count(self.q, self.unit)
        runs = count_runs(self.sizes)
        return f"<Runs of {first} and {second}: {sets}, {runs} of each, {NOT_PAIRED}>"


def _squares(x: np.ndarray) -> float:
    """Return the sum of squared deviations of a group; rounding counts as none."""
    return float(np.sum((x - x.mean()) ** 2)) if np.ptp(x) > TIED * np.abs(x).max() else 0.0


def _check_group(name: str, rows: Sequence[np.ndarray], datasets: Sequence[str]) -> None:
    """Refuse data sets without a score of an algorithm, and scores that are not finite."""
    for row, dataset in zip(rows, datasets, strict=True):
        if not len(row):
            raise InputError(f"{name} must have at least one score on data set {dataset!r}.", name)
        checks.check_finite(
            row,
            name,
            lambda at, d=dataset: f"data set {d!r} at position {at[0]}",  # type: ignore[misc]
        )


def as_runs(x: Runs, *, names: Sequence[str] | None = None, resolution: Any = None) -> Runs:
    """Return runs with other names or another resolution, if these are given."""
    own = {field.name: getattr(x, field.name) for field in fields(x)}
    if names is not None and x.names == checks.check_names(None):
        own["names"] = names
    if resolution is not None:
        own["resolution"] = resolution
    x = Runs(**own)
    return x.swapped() if checks.are_swapped(names, x.names) else x
