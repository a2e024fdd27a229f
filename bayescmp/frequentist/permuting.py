"""Random data sets, their cross-validated statistics, and rules that end a run early."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from bayescmp.base.arguments import arg, must, must_be
from bayescmp.base.checks import check_choice
from bayescmp.base.typing import Splitter, SupportsFit
from bayescmp.base.workers import one_by_one, run_workers
from bayescmp.errors import InputError, warn_user

if TYPE_CHECKING:
    from scipy import sparse


# Random data sets under the two null hypotheses: labels permuted, columns permuted in classes.
def kind_of(X: object) -> str:
    """State what a table of features is: "frame", "sparse" or "array"."""
    from scipy import sparse

    if sparse.issparse(X):
        return "sparse"
    return "frame" if hasattr(X, "iloc") and hasattr(X, "columns") else "array"


def take_rows(X: Any, rows: np.ndarray) -> Any:
    """Return some rows of a table of features."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def columns_within_classes(
    X: Any, codes: np.ndarray, rng: np.random.Generator
) -> np.ndarray | pd.DataFrame | sparse.csr_matrix:
    """Permute every column separately within each class (Ojala & Garriga 2009, ICDM, test 2)."""
    if len(np.shape(X)) != 2:
        raise must("X", f"be a table (n, m) for {arg('test', 'columns')}", f"shape {np.shape(X)}")
    members = [np.flatnonzero(codes == c) for c in range(int(codes.max()) + 1)]
    kind = kind_of(X)
    if kind == "sparse":
        return _sparse(X, codes, members, rng)
    if kind == "frame":
        return _frame(X, members, rng)
    shuffled = np.array(X)
    for rows in members:
        shuffled[rows] = rng.permuted(shuffled[rows], axis=0)
    return shuffled


def _frame(X: pd.DataFrame, members: list[np.ndarray], rng: np.random.Generator) -> pd.DataFrame:
    order = np.tile(np.arange(len(X))[:, None], (1, X.shape[1]))
    for rows in members:
        order[rows] = rng.permuted(order[rows], axis=0)
    columns = {j: X.iloc[:, j].array.take(order[:, j]) for j in range(X.shape[1])}
    shuffled = pd.DataFrame(columns, index=X.index)
    shuffled.columns = X.columns
    return shuffled


def _sparse(
    X: sparse.spmatrix, codes: np.ndarray, members: list[np.ndarray], rng: np.random.Generator
) -> sparse.csr_matrix:
    """Move the stored values of each column and class to distinct rows of the class, at random."""
    from scipy import sparse

    stored = X.tocoo()
    group = stored.col.astype(np.int64) * len(members) + codes[stored.row]
    sizes = np.array([len(rows) for rows in members])
    places = _distinct_places(group, sizes[codes[stored.row]], rng)
    first = np.cumsum(np.r_[0, sizes[:-1]])
    rows = np.concatenate(members)[first[codes[stored.row]] + places]
    return sparse.csr_matrix((stored.data, (rows, stored.col)), shape=X.shape)


def _distinct_places(group: np.ndarray, size: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw a place below ``size`` for each entry, no place twice in a group; shape (entries,)."""
    _, inverse, filled = np.unique(group, return_inverse=True, return_counts=True)
    inverse = inverse.reshape(-1)
    places = np.empty(len(group), dtype=np.int64)
    full = 2 * filled[inverse] > size
    by_group = np.flatnonzero(full)[np.argsort(inverse[full], kind="stable")]
    starts = np.flatnonzero(np.diff(inverse[by_group], prepend=-1))
    for entries in np.split(by_group, starts[1:]):
        if len(entries):
            places[entries] = rng.permutation(size[entries[0]])[: len(entries)]
    few = np.flatnonzero(~full)
    again = few
    while len(again):
        places[again] = rng.integers(0, size[again])
        key = inverse[few] * (int(size.max()) + 1) + places[few]
        _, kept = np.unique(key, return_index=True)
        again = np.delete(few, kept)
    return places


# The cross-validated statistic of one data set, with separate folds and seeds.


#: How folds are made: their number ("loo": one per case), a splitter, or the folds themselves.
Cv: TypeAlias = "int | str | Splitter | list[tuple[np.ndarray, np.ndarray]]"


#: Streams of random numbers: the original data, then one for each test.
STREAMS = {"original": 0, "labels": 1, "columns": 2, "rule": 3}


@dataclass(frozen=True)
class Failure:
    """A data set on which the estimator or the scorer failed, with the fold and the reason."""

    fold: int
    reason: str
    raised: bool = True


@dataclass(frozen=True, eq=False)
class PermutationProblem:
    """The data that every evaluation needs; the worker processes receive them.

    `X` is (n, m), any table. `codes`, classes 0, 1, ..., are None for regression, `scorer` for the
    error rate; `groups`, 0, 1, ..., are of cases that belong together. `cv` is a number, "loo", a
    splitter or a list of (train, test). `seed` is the entropy of all streams, `unseeded` the
    estimator's parameters ``random_state`` that are None.
    """

    estimator: SupportsFit
    X: object
    y: np.ndarray
    codes: np.ndarray | None
    cv: Cv
    scorer: Callable[..., float] | None
    seed: int
    unseeded: tuple[str, ...]
    groups: np.ndarray | None = None

    def rng(self, stream: str, index: int) -> np.random.Generator:
        """Return random numbers for one data set, by its index and not by who draws them."""
        key = (STREAMS[stream], index)
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))


def run_block(problem: PermutationProblem, stream: str, indices: range) -> list[float | Failure]:
    """Return the statistics of data sets, original or random, each with separate folds."""
    return [_statistic(problem, stream, i) for i in indices]


def _statistic(problem: PermutationProblem, stream: str, index: int) -> float | Failure:
    rng = problem.rng(stream, index)
    X, y, codes = problem.X, problem.y, problem.codes
    if stream == "labels":
        order = label_order(y, problem.groups, rng)
        y, codes = y[order], None if codes is None else codes[order]
    elif stream == "columns":
        assert codes is not None
        within, groups = codes, problem.groups
        if groups is not None:  # classes within groups as 0, 1, ...
            crossed = codes * (groups.max() + 1) + groups
            within = np.asarray(np.unique(crossed, return_inverse=True)[1])
        X = columns_within_classes(X, within, rng)
    return evaluate(problem, X, y, codes, rng)


def evaluate(
    problem: PermutationProblem,
    X: object,
    y: np.ndarray,
    codes: np.ndarray | None,
    rng: np.random.Generator,
) -> float | Failure:
    """Return the cross-validated error rate (all test cases together) or folds' mean score."""
    scores, weights = [], []
    score: float
    for k, (train, test) in enumerate(make_folds(problem.cv, X, y, codes, rng, problem.groups)):
        try:
            model = _clone(problem, rng)
            model.fit(take_rows(X, train), y[train])
            held_out = take_rows(X, test)
            if problem.scorer is None:
                score = int(np.count_nonzero(np.asarray(model.predict(held_out)) != y[test]))
            else:
                score = problem.scorer(model, held_out, y[test])
        except Exception as error:  # whatever an estimator raises is reported with its place
            line = next(iter(str(error).strip().splitlines()), "no message")
            return Failure(k + 1, f"{type(error).__name__}: {line}")
        if not np.isfinite(score):
            return Failure(k + 1, _why_undefined(score, y, codes, train, test), raised=False)
        scores.append(float(score))
        weights.append(len(test))
    if problem.scorer is None:
        return sum(scores) / sum(weights)
    return float(np.mean(scores))


def make_folds(
    cv: Any,
    X: object,
    y: np.ndarray,
    codes: np.ndarray | None,
    rng: np.random.Generator,
    groups: np.ndarray | None = None,
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield training and test rows of each fold.

    Cases are dealt out in turn, class after class in random order, so that folds differ by at most
    one case of each class and in all; groups are dealt out whole.
    """
    n = len(y)
    if isinstance(cv, list):
        yield from cv
    elif hasattr(cv, "split") and not isinstance(cv, str):
        if getattr(cv, "random_state", 0) is None:
            cv = copy.copy(cv)
            cv.random_state = int(rng.integers(2**31 - 1))
        yield from ((_rows(train), _rows(test)) for train, test in cv.split(X, y, groups))
    else:
        units = np.arange(n) if groups is None else groups
        count = int(units.max()) + 1 if cv == "loo" else int(cv)
        if cv == "loo":
            fold = units
        elif groups is None:
            fold = _deal(n, count, codes, rng)
        else:
            fold = _deal_groups(groups, count, codes, rng)
        for k in range(count):
            yield np.flatnonzero(fold != k), np.flatnonzero(fold == k)


def _deal(n: int, k: int, codes: np.ndarray | None, rng: np.random.Generator) -> np.ndarray:
    order = rng.permutation(n)
    if codes is not None:
        order = order[np.argsort(codes[order], kind="stable")]
    fold = np.empty(n, dtype=np.int64)
    fold[order] = np.arange(n) % k
    return fold


def _deal_groups(
    groups: np.ndarray, k: int, codes: np.ndarray | None, rng: np.random.Generator
) -> np.ndarray:
    """Deal whole groups to folds, in turn by their commonest class and their size."""
    size = np.bincount(groups)
    order = rng.permutation(len(size))
    order = order[np.argsort(-size[order], kind="stable")]
    if codes is not None:
        table = np.zeros((len(size), int(codes.max()) + 1))
        np.add.at(table, (groups, codes), 1)
        order = order[np.argsort(table.argmax(axis=1)[order], kind="stable")]
    fold_of = np.empty(len(size), dtype=np.int64)
    fold_of[order] = np.arange(len(size)) % k
    return np.asarray(fold_of[groups])


def label_order(y: np.ndarray, groups: np.ndarray | None, rng: np.random.Generator) -> np.ndarray:
    """Return an order of labels as likely as theirs if features don't matter, within groups."""
    if groups is None:
        return rng.permutation(len(y))
    first = np.unique(groups, return_index=True)[1]
    if np.array_equal(y, y[first][groups]):
        return np.asarray(first[rng.permutation(len(first))][groups])
    order = np.arange(len(y))
    for g in range(len(first)):
        members = np.flatnonzero(groups == g)
        order[members] = rng.permutation(members)
    return order


def _clone(problem: PermutationProblem, rng: np.random.Generator) -> Any:
    from sklearn.base import clone

    model = clone(problem.estimator)
    if problem.unseeded:
        model.set_params(**{name: int(rng.integers(2**31 - 1)) for name in problem.unseeded})
    return model


def _why_undefined(
    score: object, y: np.ndarray, codes: np.ndarray | None, train: np.ndarray, test: np.ndarray
) -> str:
    """State what is known of a score that is not finite; often a class is missing in a fold."""
    classes = y[:0] if codes is None else y
    for part, rows in (("test", test), ("training", train)):
        missing = np.setdiff1d(classes, y[rows]).tolist()
        if missing:
            return f"the score is {score}: class {missing[0]!r} is missing in its {part} cases"
    return f"the score is {score}"


def check_cv(cv: Any, n: int, n_groups: int | None = None) -> Cv:
    """Check the argument that defines how folds are made."""
    if isinstance(cv, str) and cv == "loo":
        return cv
    if hasattr(cv, "split") and not isinstance(cv, str | bytes):
        return cv
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        units, what = (n, "cases") if n_groups is None else (n_groups, "groups")
        if not 2 <= cv <= units:
            raise must_be("cv", f"from 2 folds to {units}, the number of {what}", cv)
        return int(cv)
    accepted = "a number of folds, 'loo', a scikit-learn splitter, or a list of (train, test)"
    try:
        folds = [(_rows(train), _rows(test)) for train, test in cv]
    except (TypeError, ValueError):
        raise must_be("cv", accepted, cv) from None
    if not folds:
        raise must("cv", f"be {accepted}", "no folds")
    for k, fold in enumerate(folds):
        for what, rows in zip(("training", "test"), fold, strict=True):
            _check_rows(f"cv, fold {k + 1}: the {what} set", rows, n)
    return folds


def _rows(rows: ArrayLike) -> np.ndarray:
    """Return row numbers, from a mask as well: folds are counted by their length."""
    rows = np.asarray(rows)
    return np.flatnonzero(rows) if rows.dtype == bool else rows


def _check_rows(what: str, rows: np.ndarray, n: int) -> None:
    if rows.ndim != 1 or len(rows) == 0 or rows.dtype.kind not in "iu":
        got = f"an array of shape {rows.shape} and type {rows.dtype}"
        raise must(what, "be row numbers, at least one", got)
    outside = rows[(rows < -n) | (rows >= n)]
    if len(outside):
        raise must(what, f"have rows from 0 to {n - 1}", str(outside[0]))


# Rules that end a Monte Carlo test as soon as its decision is settled.
RULES = ("besag-clifford", "gandy")


#: Gandy spends ε·n/(k+n) of the risk until the n-th permutation; his k = 1000 is for runs without
#: an end. With about 1000 permutations in all, k = 100 spends it when it is of use.
SPENDING = 100


@dataclass(frozen=True)
class SequentialDecision:
    """A decision: after how many permutations, and whether p is at most α."""

    n: int
    significant: bool


@dataclass
class BesagClifford:
    """Stop once enough random data sets did as well that p cannot come down to α.

    The decision is that of all `n` permutations; only runs that end not significant are shortened
    (Besag & Clifford 1991, Biometrika 78).
    """

    alpha: float
    n: int

    def find_stop(self, share: np.ndarray, draws: np.ndarray) -> SequentialDecision | None:
        """State where the rule stops a run."""
        # (count + 1)/(n + 1) > α whatever follows
        most = self.alpha * (self.n + 1) - 1
        reached = np.flatnonzero(np.cumsum(share) > most + 1e-9)
        return SequentialDecision(int(reached[0]) + 1, False) if len(reached) else None


@dataclass
class GandyRule:
    """Stop where the count leaves a corridor; the probability of a wrong decision is at most risk.

    The corridor is for coin tosses. With several repeats, random data are compared with one at
    random (``draws``), a toss with the averaged p-value, so that the bound remains valid. `n` is
    the full run (Gandy 2009, JASA 104, sec. 3).
    """

    alpha: float
    risk: float
    n: int

    def find_stop(self, share: np.ndarray, draws: np.ndarray) -> SequentialDecision | None:
        """State where the rule stops a run; see `BesagClifford.find_stop`."""
        lower, upper = gandy_boundaries(self.alpha, self.risk, self.n)
        count = np.cumsum(draws < share)
        k = len(count)
        out = np.flatnonzero((count <= lower[:k]) | (count >= upper[:k]))
        return (
            SequentialDecision(int(out[0]) + 1, bool(count[out[0]] <= lower[out[0]]))
            if len(out)
            else None
        )


@lru_cache(maxsize=8)
def gandy_boundaries(alpha: float, risk: float, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the corridor of the count of exceedances after 1, 2, ..., n permutations.

    With p = α the count leaves at either side, up to the i-th permutation, with probability at
    most ε_i = risk·i/(100 + i), which the boundaries exhaust (Gandy 2009, JASA 104, eq. 4).
    """
    lower, upper = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    inside, first = np.ones(1), 0  # probability of each count from `first` on, not yet stopped
    gone_low = gone_high = 0.0
    for i in range(1, n + 1):
        inside = np.append((1 - alpha) * inside, 0.0) + np.append(0.0, alpha * inside)
        spent = risk * i / (SPENDING + i)
        below = gone_low + np.cumsum(inside)  # if the boundary were at this count
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


def make_rule(
    stop: str | None, alpha: float, risk: float, n: int
) -> BesagClifford | GandyRule | None:
    """Return the stopping rule of that name, None for none."""
    if stop is None:
        return None
    check_choice("stop", stop, RULES)
    if isinstance(risk, str) or risk is None or not 0 < risk <= 0.25:
        raise must_be("risk", "over 0, at most 0.25", risk)
    return BesagClifford(alpha, n) if stop == "besag-clifford" else GandyRule(alpha, risk, n)


def pvalue_interval(count: float, n: int, level: float) -> tuple[float, float]:
    """Return Clopper and Pearson's interval for the p-value of infinitely many permutations."""
    tail = (1 - level) / 2
    low = float(stats.beta.ppf(tail, count, n - count + 1)) if count > 0 else 0.0
    high = float(stats.beta.ppf(1 - tail, count + 1, n - count)) if count < n else 1.0
    return low, high


# Evaluations in parallel, in rounds: completed rounds are kept when a run stops.


#: Seconds of work in a round and in one of its tasks: a round is lost if it is interrupted, and
#: what a stopping rule did not need of it was in vain.
ROUND, TASK, SHORT = 2.0, 0.1, 16


@dataclass
class SimulatedStudy:
    """Results on random data: `null` (k,), NaN for `failures`; `ended` as in the result."""

    null: np.ndarray
    ended: str
    settled: SequentialDecision | None
    failures: dict[int, Failure]


def run_original(problem: PermutationProblem, repeats: int, n_jobs: int | None) -> np.ndarray:
    """Return the statistic of the original data in each repeat, shape (repeats,)."""
    values: list[float] = []
    for block in _blocks(problem, "original", repeats, n_jobs, short=False):
        for value in block:
            if isinstance(value, Failure):
                where = f"the original data, repeat {len(values) + 1}"
                raise InputError(_explain(problem, value, where), "estimator")
            values.append(value)
    return np.array(values)


def run_null(
    problem: PermutationProblem,
    test: str,
    n: int,
    *,
    n_jobs: int | None,
    rule: BesagClifford | GandyRule | None,
    share_of: Callable[[np.ndarray], np.ndarray],
    on_error: str,
    progress: bool,
) -> SimulatedStudy:
    """Return the statistics of random data sets, until n, the rule's decision, or an interrupt."""
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
            settled = rule.find_stop(np.array(share), draws[: len(null)])
            if settled is not None:
                kept = {i: f for i, f in failures.items() if i < settled.n}
                return SimulatedStudy(np.array(null[: settled.n]), "settled", settled, kept)
    except KeyboardInterrupt:
        if not null:
            raise
        warn_user(
            f"interrupted after {len(null)} of {n} permutations of the {test}: "
            "the p-value is based on those"
        )
        return SimulatedStudy(np.array(null), "interrupted", None, failures)
    return SimulatedStudy(np.array(null), "complete", None, failures)


def _collect(
    problem: PermutationProblem, test: str, block: list[float | Failure], start: int, on_error: str
) -> tuple[np.ndarray, dict[int, Failure]]:
    """Return one round's values, NaN for failures, and the failures."""
    bad = {start + i: value for i, value in enumerate(block) if isinstance(value, Failure)}
    if bad and on_error == "raise":
        index = min(bad)
        where = f"random data set {index + 1} (test={test!r})"
        more = (
            f"; {arg('on_error', 'count')} counts these data sets as at least as good "
            "as the original"
        )
        raise InputError(_explain(problem, bad[index], where) + more, "estimator")
    return np.array([np.nan if isinstance(value, Failure) else value for value in block]), bad


def _explain(problem: PermutationProblem, failure: Failure, where: str) -> str:
    name = type(problem.estimator).__name__
    what = f"estimator {name} failed" if failure.raised else f"no score of {name}"
    return f"{what} on {where}, fold {failure.fold}: {failure.reason}"


def _blocks(
    problem: PermutationProblem, stream: str, n: int, n_jobs: int | None, *, short: bool
) -> Iterator[list[float | Failure]]:
    """Yield rounds of evaluations in the order of their index, sized by the time they take."""
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
            ends = [min(n, done + each * (task + 1)) for task in range(tasks)]
            spans = [range(a, b) for a, b in zip([done, *ends[:-1]], ends, strict=True) if b > a]
            start = time.perf_counter()
            batches = list(run_workers(parallel, run_block, ((problem, stream, s) for s in spans)))
            seconds = time.perf_counter() - start
            yield [value for batch in batches for value in batch]
            rate = workers * seconds / max(1, ends[-1] - done)  # per evaluation, an upper bound
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
