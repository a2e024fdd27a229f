"""One fold: fit, predict, score, in whatever process; errors are recorded, not raised."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

from bayescmp.experiment.data import take
from bayescmp.experiment.estimators import is_pairwise, prepared
from bayescmp.experiment.folds import Fold
from bayescmp.experiment.scoring import Metric, evaluate
from bayescmp.threads import at_most

__all__ = ["Job", "Outcome", "run_fold"]

#: Errors are recorded in one line of this length at most.
LONGEST = 400


@dataclass(frozen=True, eq=False)
class Job:
    """What is done to a fold, apart from its data: small enough to be sent with each."""

    estimator: object
    scoring: Mapping[str, Metric]
    positive: object
    keep: bool
    threads: int | None


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a fold gave.

    Attributes
    ----------
    values : dict of str to float
        One per metric; NaN where it failed.
    fit_time, score_time : float
        Seconds; NaN where it did not come to it.
    failure : str
        Why metrics are missing; "" if none is.
    responses : dict of str to ndarray
        "item", "truth", "predicted" and "value" of the test rows, if they are kept.
    """

    values: dict[str, float]
    fit_time: float = np.nan
    score_time: float = np.nan
    failure: str = ""
    responses: dict[str, np.ndarray] = field(default_factory=dict)


def run_fold(job: Job, X: object, y: np.ndarray, fold: Fold) -> Outcome:
    """Fit to a fold's training rows and score on its test rows.

    X and y are arguments of their own, so that a cluster can send them to each worker once.

    Parameters
    ----------
    job : Job
    X, y : array_like
        All rows.
    fold : Fold

    Returns
    -------
    Outcome
        Of the error, where the estimator raised one.
    """
    times = [np.nan, np.nan]
    try:
        # Sums in another order differ in their last digits: as many threads in every process.
        with at_most(job.threads):
            return _fitted_and_scored(job, X, y, fold, times)
    except Exception as error:  # recorded, so that the others go on
        missing = dict.fromkeys(job.scoring, np.nan)
        return Outcome(missing, times[0], times[1], failure=_one_line(error))


def _fitted_and_scored(
    job: Job, X: object, y: np.ndarray, fold: Fold, times: list[float]
) -> Outcome:
    model = prepared(job.estimator, int(fold.seed or 0))
    pairwise = is_pairwise(model)
    start = perf_counter()
    model.fit(take(X, fold.train, fold.train if pairwise else None), y[fold.train])
    times[0] = perf_counter() - start
    test_X, test_y = take(X, fold.test, fold.train if pairwise else None), y[fold.test]
    start = perf_counter()
    values, reasons, responses = evaluate(model, test_X, test_y, job.scoring, job.positive)
    times[1] = perf_counter() - start
    kept = {"item": fold.test, "truth": test_y, **responses} if job.keep else {}
    return Outcome(values, times[0], times[1], _shortened("; ".join(reasons)), kept)


def _one_line(error: Exception) -> str:
    return _shortened(f"{type(error).__name__}: {error}")


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else text[: LONGEST - 4] + " ..."
