"""Scores of two algorithms whose runs have seeds of their own, so that none pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from bayescmp.errors import InputError
from bayescmp.scores.metrics import Direction

if TYPE_CHECKING:
    from bayescmp.scores.scores import Scores

__all__ = ["RUNS", "UnpairedScores", "runs_of", "unpaired_scores"]

#: How such scores were resampled, in words.
RUNS = "runs that do not pair"


@dataclass(frozen=True, eq=False)
class UnpairedScores:
    """Scores of two algorithms on one data set, in no common order.

    Attributes
    ----------
    first, second : ndarray of shape (n,), (m,)
        Higher for the better: negated where the metric is better lower.
    names : (str, str)
    direction : Direction
        Of the metric.
    dataset : str
    """

    first: np.ndarray
    second: np.ndarray
    names: tuple[str, str]
    direction: Direction
    dataset: str
    q: ClassVar[int] = 1  # data sets


def unpaired_scores(
    scores: Scores,
    first: str,
    second: str,
    metric: str | None = None,
    *,
    dataset: str | None = None,
) -> UnpairedScores:
    """The runs of two algorithms on one data set.

    Parameters
    ----------
    scores : Scores
    first, second : str
        The two algorithms.
    metric, dataset : str, optional
        May be left out where there is one only.

    Returns
    -------
    UnpairedScores

    Raises
    ------
    InputError
        Unknown names, several data sets and none named, missing scores.
    """
    if first == second:
        raise InputError(f"first and second are both {first!r}: nothing to compare")
    metric, dataset = scores.metric_named(metric), _dataset(scores, dataset)
    a, b = runs_of(scores, (first, second), metric, dataset)
    return UnpairedScores(a, b, (first, second), scores.direction(metric), dataset)


def runs_of(
    scores: Scores, algorithms: tuple[str, ...], metric: str, dataset: str
) -> list[np.ndarray]:
    """Each algorithm's scores on a data set, higher for the better.

    Parameters
    ----------
    scores : Scores
    algorithms : tuple of str
    metric, dataset : str

    Returns
    -------
    list of ndarray

    Raises
    ------
    InputError
        An unknown algorithm, one without scores, missing scores.
    """
    column = scores.frame[metric].to_numpy(dtype=float)
    samples = []
    for name in algorithms:
        rows = scores.pairing.rows(name, dataset)
        values = column[rows]
        if not np.all(np.isfinite(values)):
            row = rows[np.flatnonzero(~np.isfinite(values))[0]]
            raise InputError(
                f"metric {metric!r} is {column[row]} for {scores.pairing.where(int(row))}; "
                "accepted: finite numbers"
            )
        samples.append(scores.direction(metric).sign * values)
    return samples


def _dataset(scores: Scores, dataset: str | None) -> str:
    if dataset is not None:
        return str(dataset)
    if len(scores.datasets) > 1:
        raise InputError(
            f"the table has {len(scores.datasets)} data sets, and runs that do not pair are "
            "compared on one: name it, or compare the means of all, "
            "Scores.from_means(scores.means(metric), metric=metric)"
        )
    return scores.datasets[0]
