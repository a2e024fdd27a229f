"""Estimates: the mean of each algorithm alone, with its interval."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd

from bayescmp.base.checks import check_choice
from bayescmp.base.records import Record
from bayescmp.base.typing import Json, as_facts
from bayescmp.present.forms import Summarised
from bayescmp.results.plotted import Plotted

if TYPE_CHECKING:
    from bayescmp.scores.metrics import Direction

#: The interval of a mean whose spread was not observed.
UNKNOWN = (float("nan"), float("nan"))


class Way(StrEnum):
    """How an interval was found, or why there is none."""

    JEFFREYS = "jeffreys"
    STUDENT = "student t"
    BOOTSTRAP = "bootstrap"
    #: The bootstrap with half a unit at either bound of the metric: all units are alike.
    EXTREMES = "bootstrap with extremes"
    JUDGES = "bootstrap with judges"
    #: A judge's scores, corrected by human scores of some questions.
    CORRECTED = "judge corrected"
    #: No interval: a single score, scores that are all equal, too few units.
    SINGLE = "single score"
    ALIKE = "equal scores"
    FEW = "too few units"


class Sample(StrEnum):
    """What a mean is over; the value is the name of one unit."""

    TRIALS = "trial"
    FOLDS = "fold"
    RUNS = "run"
    QUESTIONS = "question"
    DATASETS = "data set"
    BENCHMARKS = "benchmark"


@dataclass(frozen=True)
class Estimate(Record):
    """The mean of one algorithm, with its interval.

    Attributes
    ----------
    name : str
        The algorithm or model.
    dataset : str or None
        The data set or benchmark; None for counts and for the mean over data sets.
    sample, n : Sample, int
        What the mean is over: trials, folds, runs, questions or data sets; and how many.
    mean : float
        The observed mean, in the metric's own direction.
    interval : (float, float)
        Bounds of the central credible interval; NaN if there is none.
    way : Way
        How the interval was found, or why there is none.
    clusters, judges : int or None
        How many clusters the questions are in, and how many judges scored them, if any.
    wilson : (float, float) or None
        Wilson's confidence interval of a proportion.
    between, within, epochs : float or None
        With several epochs, σ²_b, variance of the questions' true scores, σ²_w, of single answers
        to one question, and the harmonic mean of the numbers of answers.
    """

    name: str
    dataset: str | None
    sample: Sample
    mean: float
    interval: tuple[float, float]
    n: int
    way: Way
    clusters: int | None = None
    judges: int | None = None
    wilson: tuple[float, float] | None = None
    between: float | None = None
    within: float | None = None
    epochs: float | None = None

    @property
    def known(self) -> bool:
        """Whether there is an interval."""
        return bool(np.isfinite(self.interval).all())

    @property
    def own_noise(self) -> float | None:
        """Proportion of the mean's variance that is the model's own noise, if epochs show it."""
        if self.between is None or self.within is None or self.epochs is None:
            return None
        noise = self.within / self.epochs
        return noise / (noise + self.between) if noise + self.between > 0 else 0.0


#: Columns of `Estimates.frame` that are left out if no row has them.
OPTIONAL = ("dataset", "clusters", "judges", "wilson_low", "wilson_high", "between", "within",
            "own_noise")  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Estimates(Record, Summarised, Plotted):
    """The means of algorithms, each alone, with their intervals.

    Attributes
    ----------
    estimates : tuple of Estimate
        Means over several data sets first, then on each. On one data set the best is first; counts
        are in the order given.
    level : float
        Probability within the intervals.
    direction : Direction or None
        The metric, and which way it is better; None for counts.
    resampling : str
        The correlation of folds and its reason, in words; "" without folds.
    left_out : int
        Scores left out, if only common folds are used.

    Examples
    --------
    >>> import bayescmp as bc
    >>> result = bc.estimate((17, 20))
    >>> result.frame.round(4).loc[0, ["mean", "low", "high"]].to_dict()
    {'mean': 0.85, 'low': 0.6514, 'high': 0.9559}
    """

    picture: ClassVar[str] = "plot_means"

    estimates: tuple[Estimate, ...]
    level: float
    direction: Direction | None = None
    resampling: str = ""
    left_out: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """The algorithms or models, in the order of the rows."""
        return tuple(dict.fromkeys(one.name for one in self.estimates))

    @property
    def datasets(self) -> tuple[str, ...]:
        """The data sets or benchmarks; none for counts."""
        named = (one.dataset for one in self.estimates if one.dataset is not None)
        return tuple(dict.fromkeys(named))

    @property
    def subject(self) -> str:
        """The noun for what is estimated: "algorithm", "model" or "proportion"."""
        samples = {one.sample for one in self.estimates}
        if Sample.TRIALS in samples:
            return "proportion"
        return "model" if samples & {Sample.QUESTIONS, Sample.BENCHMARKS} else "algorithm"

    def on(self, dataset: str | None) -> tuple[Estimate, ...]:
        """Return the estimates on one data set, or with None those over all."""
        if dataset is not None:
            check_choice("data set", dataset, self.datasets, "dataset")
        return tuple(one for one in self.estimates if one.dataset == dataset)

    @property
    def main(self) -> tuple[Estimate, ...]:
        """One estimate per algorithm: over the data sets, or on the only one."""
        return self.on(self.datasets[0] if len(self.datasets) == 1 else None)

    @property
    def frame(self) -> pd.DataFrame:
        """One row per algorithm and data set.

        name, dataset (None for the mean over data sets), mean, low and high (of the interval), n;
        if any clusters, judges, wilson_low and wilson_high, between and within (variances) and
        own_noise (the proportion of the mean's variance that is the model's own noise).
        """
        return tabulate(self.estimates)

    def to_dict(self) -> Json:
        """Return plain numbers and texts, for JSON."""
        rows = self.frame.astype(object).to_dict("records")
        ways = [one.way for one in self.estimates]
        each = [row | {"way": str(way)} for row, way in zip(rows, ways, strict=True)]
        way = None if self.direction is None else self.direction.to_dict()
        return as_facts(
            self, "level", "resampling", "left_out", metric=way, estimates=each,
            explanation=self.explain(),
        )  # fmt: skip


def tabulate(estimates: Iterable[Estimate]) -> pd.DataFrame:
    """Return a row for each estimate."""
    rows = [
        {
            "name": one.name,
            "dataset": one.dataset,
            "mean": one.mean,
            "low": one.interval[0],
            "high": one.interval[1],
            "n": one.n,
            "clusters": one.clusters,
            "judges": one.judges,
            "wilson_low": None if one.wilson is None else one.wilson[0],
            "wilson_high": None if one.wilson is None else one.wilson[1],
            "between": one.between,
            "within": one.within,
            "own_noise": one.own_noise,
        }
        for one in estimates
    ]
    table = pd.DataFrame(rows)
    return table.drop(columns=[c for c in OPTIONAL if table[c].isna().all()])
