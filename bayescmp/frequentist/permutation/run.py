"""Evaluations in parallel, in rounds, until the decision is settled: what is done is kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import stats

from bayescmp.base.checks import choice
from bayescmp.base.workers import one_by_one, started
from bayescmp.errors import InputError, warn_user
from bayescmp.frequentist.permutation.statistic import Failure, Problem, run_block

__all__ = [
    "BesagClifford",
    "Gandy",
    "Run",
    "Settled",
    "gandy_boundaries",
    "make_rule",
    "pvalue_interval",
    "run_null",
    "run_original",
]


# Rules that end a Monte Carlo test as soon as its decision is settled.


RULES = ("besag-clifford", "gandy")

#: Gandy spends ε·n/(k+n) of the risk until the n-th permutation; his k = 1000 is for runs without
#: an end. With about 1000 permutations in all k = 100 spends it when it is of use.
SPENDING = 100


@dataclass(frozen=True)
class Settled:
    """A decision: after how many permutations, and whether p is at most α."""

    n: int
    significant: bool


@dataclass
class BesagClifford:
    """Stop once enough random data sets did as well that p can't come down to α.

    The decision is that of the full run, always; only runs that end not significant are shortened.

    Parameters
    ----------
    alpha : float
    n : int
        Permutations of the full run.

    References
    ----------
    Besag & Clifford 1991, Biometrika 78.
    """

    alpha: float
    n: int

    def first(self, share: np.ndarray, draws: np.ndarray) -> Settled | None:
        """Where the rule stops a run.

        Parameters
        ----------
        share : ndarray of shape (k,)
            For each random data set the share of the original's repeats that it is as good as.
        draws : ndarray of shape (k,)
            Not used.

        Returns
        -------
        Settled or None
        """
        # (count + 1)/(n + 1) > α whatever follows
        most = self.alpha * (self.n + 1) - 1
        reached = np.flatnonzero(np.cumsum(share) > most + 1e-9)
        return Settled(int(reached[0]) + 1, False) if len(reached) else None


@dataclass
class Gandy:
    """Stop where the count leaves a corridor; the probability of a wrong decision is at most risk.

    The corridor is for a count of coin tosses. Where the original has several repeats, the random
    data set is compared with one of them at random (``draws``), which is a toss whose probability
    is the averaged p-value, so that the bound holds as it stands.

    Parameters
    ----------
    alpha, risk : float
    n : int
        Permutations of the full run.

    References
    ----------
    Gandy 2009, JASA 104, sec. 3.
    """

    alpha: float
    risk: float
    n: int

    def first(self, share: np.ndarray, draws: np.ndarray) -> Settled | None:
        """Where the rule stops a run; see `BesagClifford.first`."""
        lower, upper = gandy_boundaries(self.alpha, self.risk, self.n)
        count = np.cumsum(draws < share)
        k = len(count)
        out = np.flatnonzero((count <= lower[:k]) | (count >= upper[:k]))
        return Settled(int(out[0]) + 1, bool(count[out[0]] <= lower[out[0]])) if len(out) else None


@lru_cache(maxsize=8)
def gandy_boundaries(alpha: float, risk: float, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Corridor of the count of exceedances after 1, 2, ..., n permutations.

    With p = α the count leaves above, or below, before or at the i-th permutation with probability
    at most ε_i = risk·i/(100 + i), which the boundaries use up as far as they can.

    Parameters
    ----------
    alpha, risk : float
        Between 0 and 1; risk at most ¼.
    n : int

    Returns
    -------
    lower, upper : ndarray of int, shape (n,)
        Stop at a count ≤ lower (p under α) or ≥ upper (p over α).

    References
    ----------
    Gandy 2009, JASA 104, eq. 4.
    """
    lower, upper = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    inside, first = np.ones(1), 0  # probability of each count from `first` on, not yet stopped
    gone_low = gone_high = 0.0
    for i in range(1, n + 1):
        inside = np.append((1 - alpha) * inside, 0.0) + np.append(0.0, alpha * inside)
        spent = risk * i / (SPENDING + i)
        below = gone_low + np.cumsum(inside)  # had the boundary been at this count
        above = gone_high + np.cumsum(inside[::-1])
        low = int(np.searchsorted(below, spent, side="right"))
        high = int(np.searchsorted(above, spent, side="right"))
        gone_low, gone_high = (
            below[low - 1] if low else gone_low,
            above[high - 1] if high else gone_high,
        )
        lower[i - 1] = first + low - 1
        upper[i - 1] = first + len(inside) - high
        inside, first = inside[low : len(inside) - high], first + low
    lower.flags.writeable = upper.flags.writeable = False  # they are cached
    return lower, upper


def make_rule(stop: str | None, alpha: float, risk: float, n: int) -> BesagClifford | Gandy | None:
    """The stopping rule of that name, None for none.

    Parameters
    ----------
    stop : {"besag-clifford", "gandy"} or None
    alpha, risk : float
    n : int

    Returns
    -------
    BesagClifford, Gandy or None

    Raises
    ------
    InputError
        An unknown rule, or a risk that is none.
    """
    if stop is None:
        return None
    choice("stop", stop, RULES)
    if isinstance(risk, str) or risk is None or not 0 < risk <= 0.25:
        raise InputError(f"risk={risk!r}; accepted: over 0, at most 0.25")
    return BesagClifford(alpha, n) if stop == "besag-clifford" else Gandy(alpha, risk, n)


def pvalue_interval(count: float, n: int, level: float) -> tuple[float, float]:
    """Clopper-Pearson interval of the p-value that infinitely many permutations would give.

    Parameters
    ----------
    count : float
        Random data sets at least as good as the original; an average over repeats need not be
        whole.
    n : int
        Random data sets.
    level : float

    Returns
    -------
    (float, float)
    """
    tail = (1 - level) / 2
    low = float(stats.beta.ppf(tail, count, n - count + 1)) if count > 0 else 0.0
    high = float(stats.beta.ppf(1 - tail, count + 1, n - count)) if count < n else 1.0
    return low, high


# Evaluations in parallel, in rounds: whatever is done when a run ends is kept.


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
