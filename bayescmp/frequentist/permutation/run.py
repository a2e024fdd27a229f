"""Evaluations in parallel, in rounds: whatever is done when a run ends is kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from bayescmp.errors import InputError, warn_user
from bayescmp.frequentist.permutation.cv import Failure, Problem, run_block
from bayescmp.frequentist.permutation.stopping import BesagClifford, Gandy, Settled
from bayescmp.workers import one_by_one, started

__all__ = ["Run", "run_null", "run_original"]

#: Seconds of work in a round and in one of its tasks: a round is lost if it is interrupted, and
#: what a stopping rule did not need of it was in vain.
ROUND, TASK, SHORT = 2.0, 0.1, 16


@dataclass
class Run:
    """What a run of random data sets gave.

    Attributes
    ----------
    null : ndarray of shape (k,)
        NaN where the estimator failed.
    ended : str
        "complete", "settled" or "interrupted".
    settled : Settled or None
    failures : dict of int to Failure
        By the index of the data set.
    """

    null: np.ndarray
    ended: str
    settled: Settled | None
    failures: dict[int, Failure]


def run_original(problem: Problem, repeats: int, n_jobs: int | None) -> np.ndarray:
    """Statistic of the original data in each repeat, shape (repeats,).

    Raises
    ------
    InputError
        If the estimator or the scorer fails, with the fold and what it said.
    """
    values: list[float] = []
    for block in _blocks(problem, "original", repeats, n_jobs, short=False):
        for value in block:
            if isinstance(value, Failure):
                raise InputError(
                    _explain(problem, value, f"the original data, repeat {len(values) + 1}")
                )
            values.append(value)
    return np.array(values)


def run_null(
    problem: Problem,
    test: str,
    n: int,
    *,
    n_jobs: int | None,
    rule: BesagClifford | Gandy | None,
    share_of: Callable[[np.ndarray], np.ndarray],
    on_error: str,
    progress: bool,
) -> Run:
    """Statistics of random data sets, until n, the rule's decision, or an interrupt.

    Parameters
    ----------
    problem : Problem
    test : {"labels", "columns"}
    n : int
        Most data sets.
    n_jobs : int or None
    rule : BesagClifford, Gandy or None
    share_of : callable
        Of statistics, the share of the original's repeats that each is as good as.
    on_error : {"raise", "count"}
    progress : bool

    Returns
    -------
    Run
        The same for every ``n_jobs``: a rule that stops drops what was computed beyond.

    Raises
    ------
    InputError
        If the estimator fails and on_error is "raise".
    """
    null: list[float] = []
    share: list[float] = []
    failures: dict[int, Failure] = {}
    draws = problem.rng("rule", 0).random(n)
    blocks = _blocks(problem, test, n, n_jobs, short=rule is not None)
    try:
        for block in _with_progress(blocks, n, test, progress):
            values, bad = _collect(problem, test, block, len(null), on_error)
            null.extend(values)
            failures.update(bad)
            if rule is None:
                continue
            share.extend(share_of(values))
            settled = rule.first(np.array(share), draws[: len(null)])
            if settled is not None:
                kept = {i: f for i, f in failures.items() if i < settled.n}
                return Run(np.array(null[: settled.n]), "settled", settled, kept)
    except KeyboardInterrupt:
        if not null:
            raise
        warn_user(
            f"interrupted after {len(null)} of {n} permutations of the {test}: "
            "the p-value is based on those"
        )
        return Run(np.array(null), "interrupted", None, failures)
    return Run(np.array(null), "complete", None, failures)


def _collect(
    problem: Problem, test: str, block: list[float | Failure], start: int, on_error: str
) -> tuple[np.ndarray, dict[int, Failure]]:
    """Values with NaN for failures, and the failures, of one round."""
    bad = {start + i: v for i, v in enumerate(block) if isinstance(v, Failure)}
    if bad and on_error == "raise":
        index = min(bad)
        where = f"random data set {index + 1} (test={test!r})"
        more = "; on_error='count' counts such data sets as at least as good as the original"
        raise InputError(_explain(problem, bad[index], where) + more)
    return np.array([np.nan if isinstance(v, Failure) else v for v in block]), bad


def _explain(problem: Problem, failure: Failure, where: str) -> str:
    name = type(problem.estimator).__name__
    what = f"estimator {name} failed" if failure.raised else f"no score of {name}"
    return f"{what} on {where}, fold {failure.fold}: {failure.reason}"


def _blocks(
    problem: Problem, stream: str, n: int, n_jobs: int | None, *, short: bool
) -> Iterator[list[float | Failure]]:
    """Rounds of evaluations in the order of their index, sized by the time they take."""
    from joblib import effective_n_jobs

    workers = max(1, int(effective_n_jobs(n_jobs)))
    if workers == 1:  # nothing is lost by an interrupt, nothing done in vain
        for i in range(n):
            yield run_block(problem, stream, range(i, i + 1))
        return
    done, each = 0, 1
    with one_by_one(n_jobs) as parallel:
        while done < n:
            tasks = workers if short else workers * int(ROUND / TASK)
            ends = [min(n, done + each * (t + 1)) for t in range(tasks)]
            spans = [range(a, b) for a, b in zip([done, *ends[:-1]], ends, strict=True) if b > a]
            start = time.perf_counter()
            batches = list(started(parallel, run_block, ((problem, stream, s) for s in spans)))
            seconds = time.perf_counter() - start
            yield [value for batch in batches for value in batch]
            rate = workers * seconds / max(1, ends[-1] - done)  # of one evaluation, an upper bound
            each = max(1, min(int(TASK / rate), 2 * each, SHORT if short else 4096))
            done = ends[-1]


def _with_progress(
    blocks: Iterator[list[float | Failure]], n: int, test: str, progress: bool
) -> Iterator[list[float | Failure]]:
    from tqdm import tqdm

    with tqdm(total=n, desc=f"permuted {test}", disable=not progress) as bar:
        for block in blocks:
            yield block
            bar.update(len(block))
