"""Aggregates with intervals."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from bayescmp import _html, checks
from bayescmp.frequentist.aggregates.runs import Runs
from bayescmp.text import as_shown, counted

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["AggregateResult", "aggregate_result"]


@dataclass(frozen=True, eq=False)
class AggregateResult:
    """Aggregates over runs and tasks, one per row, with their intervals.

    Attributes
    ----------
    measure : str
        What is aggregated.
    method : str
        Where the intervals come from: the stratified or the Bayesian bootstrap.
    names : tuple of str
        What each row is of: an algorithm, a pair, an algorithm and a threshold.
    estimate : ndarray of shape (m,)
        From the scores as they are.
    draws : ndarray of shape (m, resamples)
        Of the bootstrap, or of the posterior.
    runs, tasks : int
        The least number of runs, and the number of tasks.
    """

    measure: str
    method: str
    names: tuple[str, ...]
    estimate: np.ndarray
    draws: np.ndarray = field(repr=False)
    runs: int = 0
    tasks: int = 0

    @cached_property
    def frame(self) -> pd.DataFrame:
        """Estimate and 95 % interval of each row."""
        return self.interval(0.95)

    def interval(self, level: float = 0.95) -> pd.DataFrame:
        """Estimates with central intervals of the draws.

        Parameters
        ----------
        level : float
            Between 0 and 1.

        Returns
        -------
        DataFrame
            One row per name: estimate, low, high.

        See Also
        --------
        bayescmp.bayesian.aggregate_runs : Draws of the same aggregates.

        Examples
        --------
        >>> from bayescmp.frequentist import aggregate_runs
        >>> result = aggregate_runs({"sac": [[1, 4], [2, 3], [3, 5]]}, measure="mean", seed=1)
        >>> round(float(result.interval(0.9).loc["sac", "estimate"]), 3)
        3.0
        """
        import pandas as pd

        tail = (1 - checks.level(level)) / 2
        low, high = np.quantile(self.draws, [tail, 1 - tail], axis=1)
        index = pd.Index(self.names, name="name")
        return pd.DataFrame({"estimate": self.estimate, "low": low, "high": high}, index=index)

    def to_dict(self) -> dict[str, object]:
        """The result as plain numbers and text, for JSON.

        Examples
        --------
        >>> from bayescmp.frequentist import aggregate_runs
        >>> aggregate_runs({"sac": [[1, 4], [2, 3], [3, 5]]}, seed=1).to_dict()["tasks"]
        2
        """
        rows = {str(k): dict(row) for k, row in self.frame.to_dict(orient="index").items()}
        return {
            "measure": self.measure,
            "method": self.method,
            "runs": self.runs,
            "tasks": self.tasks,
            "rows": rows,
        }

    def __str__(self) -> str:
        size = f"{counted(self.tasks, 'task')}, {counted(self.runs, 'run')} or more"
        head = f"{self.measure}, {size}: {self.method}"
        table = as_shown(self.frame).splitlines()
        return "\n".join([head, *(line.rstrip() for line in table)])

    def _repr_html_(self) -> str:
        return _html.titled(self.measure, _html.table(self.frame, index=True))


def aggregate_result(
    measure: str,
    method: str,
    runs: Runs,
    names: tuple[str, ...],
    estimate: ArrayLike,
    draws: ArrayLike,
) -> AggregateResult:
    """Aggregates of these runs.

    Parameters
    ----------
    measure, method, names, estimate, draws
        As `AggregateResult` has them.
    runs : Runs

    Returns
    -------
    AggregateResult
    """
    return AggregateResult(
        runs.named(measure),
        method,
        names,
        np.asarray(estimate, dtype=float),
        np.asarray(draws, dtype=float),
        runs.least,
        runs.tasks,
    )
