"""The folds of an experiment, solved by processes side by side."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from bayescmp.errors import InputError
from bayescmp.experiment.data import Dataset
from bayescmp.experiment.fit import Job, Outcome, run_fold
from bayescmp.experiment.folds import Fold
from bayescmp.experiment.store import Key
from bayescmp.workers import end_with, started, watching

if TYPE_CHECKING:
    from joblib import Parallel

__all__ = ["ROUND", "jobs_of", "solved"]


#: Tasks a worker gets at a time where a backend hands its results over in one piece, as Ray's
#: and multiprocessing's do.
ROUND = 4


def _solve(
    parent: int, key: Key, job: Job, X: object, y: np.ndarray, fold: Fold
) -> tuple[Key, Outcome]:
    end_with(parent)
    return key, run_fold(job, X, y, fold)


def solved(
    tasks: Iterator[tuple[Key, Job, Dataset, Fold]], n_jobs: int | None
) -> Iterator[tuple[Key, Outcome]]:
    """Outcomes as they come, each as soon as it is there."""
    own = os.getpid()
    calls = ((own, key, job, d.X, d.y, fold) for key, job, d, fold in tasks)
    n_jobs = jobs_of(n_jobs)
    parallel = _one_by_one(n_jobs)
    yield from _in_rounds(calls, n_jobs) if parallel is None else started(parallel, _solve, calls)


def jobs_of(n_jobs: int | None) -> int | None:
    """All of a cluster's processes where one was chosen by parallel_config and no number was.

    Dask's backend takes all by itself; Ray's, as joblib's own ones, takes one.
    """
    from joblib.parallel import get_active_backend

    backend, configured = get_active_backend()
    elsewhere = type(backend).__module__.partition(".")[0] != "joblib"
    return -1 if n_jobs is None and elsewhere and configured in (None, 1) else n_jobs


def _one_by_one(n_jobs: int | None) -> Parallel | None:
    """Parallel runs that hand over each outcome by itself; None where the backend can't.

    As it comes, or, with joblib before 1.4, in the order of the tasks. One task a batch: a
    finished fold is not to wait for others.
    """
    import joblib

    for order in ("generator_unordered", "generator"):
        try:
            return joblib.Parallel(n_jobs, return_as=order, batch_size=1, **watching())
        except ValueError as error:
            if "return_as" not in str(error):
                raise InputError(f"n_jobs={n_jobs!r} can't be run by joblib: {error}") from error
    return None


def _in_rounds(
    calls: Iterator[tuple[object, ...]], n_jobs: int | None
) -> Iterator[tuple[Key, Outcome]]:
    """Outcomes of a few tasks a worker at a time."""
    from itertools import islice

    import joblib

    with joblib.Parallel(n_jobs, batch_size=1, **watching()) as parallel:
        size = ROUND * max(joblib.effective_n_jobs(n_jobs), 1)
        while batch := list(islice(calls, size)):
            yield from parallel(joblib.delayed(_solve)(*call) for call in batch)
