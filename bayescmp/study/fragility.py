"""How few data sets, questions or folds have to be left out until the decision changes?

Every kind of verdict describes its data (`LeaveOutProblem`): how many units there are, which are
alike, and the regions' probabilities without some of them, refitted. The search leaves out one,
two, three, ... and stops at the first set without which the decision changes. Broderick, Giordano
& Meager (2020, arXiv:2011.14999) sum influences; here influences only choose which sets to refit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial, singledispatch
from itertools import chain, combinations, combinations_with_replacement
from math import comb
from time import perf_counter

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from bayescmp.base.checks import count, positive, validate_params
from bayescmp.base.magnitudes import ROUNDING
from bayescmp.bayesian.hierarchical.answers import grid_probabilities
from bayescmp.bayesian.hierarchical.posterior import HierarchicalPosterior
from bayescmp.bayesian.multivariate.fit import MultivariatePosterior, multivariate_t
from bayescmp.bayesian.paired.clusters import FEWEST, Clusters
from bayescmp.bayesian.paired.correlated import CorrelatedPosterior
from bayescmp.bayesian.paired.items import ItemPosterior, Proportions
from bayescmp.bayesian.proportions import Independent
from bayescmp.bayesian.signs import MeansPosterior, largest_by_quadrature, slack_of
from bayescmp.bayesian.unpaired import TwoSamplePosterior
from bayescmp.engines.quadrature import Settings, probabilities_without_each
from bayescmp.errors import InputError
from bayescmp.results.posterior import Posterior, probabilities_of, split_student
from bayescmp.results.sensitivity import Fragility
from bayescmp.results.verdict import Verdict, check_threshold
from bayescmp.scores.resampling import inflation
from bayescmp.study.planning.deciding import of_probabilities
from bayescmp.wording.text import format_count, write_number

#: Sets, one per row, each of the places left out; a place that occurs twice loses two.
Sets = np.ndarray
#: From sets of one size to the regions' probabilities without them, one row each.
Refit = Callable[[Sets], np.ndarray]
#: Sets of a size that are worth a refit, and whether no other set can change the decision.
Choose = Callable[[int], tuple[Sets, bool]]


@dataclass(frozen=True)
class LeaveOutProblem:
    """A verdict's data in units, and the verdict without some of them.

    `word` is a unit's name. Each place holds `times` units that are alike, with one name in
    `names`, or one per unit; `remain` units have to remain. `choose` picks sets (None: one unit
    after another by effect); `at_once` are refitted between two looks at the clock.
    """

    word: str
    names: Sequence[str | Sequence[str]]
    times: np.ndarray
    remain: int
    refit: Refit
    choose: Choose | None = None
    at_once: int = 1

    @property
    def total(self) -> int:
        """Number of units."""
        return int(self.times.sum())

    def name_units(self, left_out: Sequence[int]) -> list[str]:
        """Name the units of a set."""
        seen: Counter[int] = Counter()
        names = []
        for place in left_out:
            of_place = self.names[place]
            names.append(of_place if isinstance(of_place, str) else of_place[seen[place]])
            seen[place] += 1
        return names


@validate_params(
    threshold=lambda _, value: check_threshold(value),  # type: ignore[arg-type]
    most=count(most=1000),
    seconds=positive,
)
def fragility_of(
    posterior: Posterior, *, threshold: float = 0.95, most: int = 10, seconds: float = 10.0
) -> Fragility:
    """Find how few units have to go until the decision changes; see `Posterior.fragility`."""
    verdict = posterior.verdict(threshold=threshold)
    rests = rests_of(posterior, threshold)
    return _LeaveOutSearch(rests, verdict, perf_counter() + seconds).run(most, seconds)


# The search, from one unit to the most that may be left out.


#: Number of the individually most influential ones that are tried on top of a set.
WIDTH = 10
#: Up to this many sets of one size are all tried, where each takes a fit of some milliseconds.
FEW = 100


class _LeaveOutSearch:
    """Sets of one unit, two, three, ..., until the decision changes or the time is over."""

    def __init__(self, rests: LeaveOutProblem, verdict: Verdict, end: float) -> None:
        self.rests, self.verdict, self.end = rests, verdict, end
        self.fit = rests.refit(np.empty((1, 0), dtype=int))[0]
        self.decision = self._decide(self.fit)
        regions, decisions = verdict.shape.regions, verdict.shape.decisions
        own = [i for i, region in enumerate(regions) if decisions[region] == self.decision]
        #: Direction in which a good set moves the probabilities: less of the region decided for,
        #: or, if undecided, more of any.
        self.goals = [(i, -1) for i in own] or [(i, 1) for i in range(len(regions))]
        self.alone: np.ndarray | None = None  # probabilities without each place in turn
        self.best: dict[tuple[int, int], np.ndarray] = {}

    def run(self, most: int, seconds: float) -> Fragility:
        """Leave out more and more."""
        spare = self.rests.total - self.rests.remain
        at_least, tried = 1, 0
        stopped = f"at {format_count(most, 'removal')}"
        if spare < most:
            stopped = f"where {self.rests.remain} remain, the fewest that the test takes"
        for k in range(1, min(most, spare) + 1):
            sets, complete = self._sets(k)
            p = self._refit_sets(sets)
            tried = k if len(p) else tried
            if (left_out := self._find_changing_set(sets, p)) is not None:
                return self._result(left_out, k, at_least, k, "")
            self._remember(k, sets[: len(p)], p)
            if len(p) < len(sets):
                stopped = f"after {write_number(seconds, 'g')} s"
                break
            at_least += complete and at_least == k
        nearest = self.best.get(self.goals[0], np.empty(0, dtype=int))
        if len(self.goals) > 1 and self.best:
            nearest = max(self.best.items(), key=lambda item: self._score(item[0], item[1]))[1]
        return self._result(nearest, None, at_least, tried, stopped)

    def _sets(self, k: int) -> tuple[Sets, bool]:
        if self.rests.choose is not None:
            return self.rests.choose(k)
        places = np.arange(len(self.rests.times))
        if k == 1 or self.alone is None or comb(len(places), k) <= FEW:
            return all_sets(self.rests.times, k), True
        grown = [self._extend_best_set(goal) for goal in self.goals]
        return np.unique(np.concatenate(grown), axis=0), False

    def _extend_best_set(self, goal: tuple[int, int]) -> Sets:
        """Grow the best set so far by each of the individually most influential units."""
        region, sign = goal
        assert self.alone is not None
        base = self.best[goal]
        order = np.argsort(-sign * self.alone[:, region], kind="stable")
        others = order[~np.isin(order, base)][:WIDTH]
        return np.column_stack([np.tile(base, (len(others), 1)), others])

    def _refit_sets(self, sets: Sets) -> np.ndarray:
        """Return the probabilities without each of the sets, as far as the time goes."""
        parts, step = [], self.rests.at_once
        for start in range(0, len(sets), step):
            if perf_counter() > self.end:
                break
            parts.append(self.rests.refit(sets[start : start + step]))
        return np.concatenate(parts) if parts else np.empty((0, len(self.fit)))

    def _decide(self, p: np.ndarray) -> str:
        return of_probabilities(p, self.verdict.threshold, self.verdict.shape)

    def _find_changing_set(self, sets: Sets, p: np.ndarray) -> np.ndarray | None:
        """Find the set that changes the decision most; None if none does."""
        changing = [i for i, row in enumerate(p) if self._decide(row) != self.decision]
        if not changing:
            return None
        scores = [max(sign * p[i, region] for region, sign in self.goals) for i in changing]
        return np.asarray(sets[changing[int(np.argmax(scores))]])

    def _remember(self, k: int, sets: Sets, p: np.ndarray) -> None:
        """Keep what the next sets grow from."""
        if not len(p):
            return
        if k == 1:
            self.alone = p
        for region, sign in self.goals:
            self.best[region, sign] = sets[int(np.argmax(sign * p[:, region]))]

    def _score(self, goal: tuple[int, int], left_out: np.ndarray) -> float:
        region, sign = goal
        return sign * float(self.rests.refit(left_out[None])[0, region])

    def _result(
        self, left_out: np.ndarray, size: int | None, at_least: int, tried: int, stopped: str
    ) -> Fragility:
        steps = range(len(left_out) + 1)
        path = [self.rests.refit(left_out[None, :i])[0] for i in steps]
        names = ["none", *self.rests.name_units(left_out.tolist())]
        rows = [
            {
                "left_out": i,
                "name": name,
                **{f"p_{r}": v for r, v in self.verdict.shape.key_by_region(p).items()},
                "decision": self._decide(p),
                "changes": self._decide(p) != self.decision,
            }
            for i, (name, p) in enumerate(zip(names, path, strict=True))
        ]
        facts = (self.rests.word, self.rests.total, size, at_least, tried, stopped)
        return Fragility(pd.DataFrame(rows), self.verdict, *facts)


# Sets: all of them where units are alike or few, else the first and last when they are sorted.


#: How many refits of a fraction of a millisecond are made for one size.
ENUMERATED = 2000


def sets_of_kinds(times: np.ndarray, k: int) -> tuple[Sets, bool]:
    """Return sets of k units of a few kinds: all, or if too many, those of two kinds."""
    if comb(len(times) + k - 1, k) <= ENUMERATED:
        return all_sets(times, k), True
    pairs = combinations(range(len(times)), 2)
    split = [
        (a, b, j) for a, b in pairs for j in range(max(k - times[b], 0), min(times[a], k) + 1)
    ]
    return np.array([[a] * j + [b] * (k - j) for a, b, j in split], dtype=int).reshape(
        -1, k
    ), False


def all_sets(times: np.ndarray, k: int) -> Sets:
    """Return all sets of k units, those of one place being alike; shape (S, k)."""
    places = range(len(times))
    if times.max() == 1:
        flat = chain.from_iterable(combinations(places, k))
        return np.fromiter(flat, dtype=int).reshape(-1, k)
    every = np.array(list(combinations_with_replacement(places, k)))
    occurring = (every[:, :, None] == np.arange(len(times))).sum(axis=1)
    return every[(occurring <= times).all(axis=1)]


def outer_sets(order: np.ndarray, k: int) -> Sets:
    """Take the j first and k − j last of sorted units, for each j."""
    return np.array([np.r_[order[:j], order[len(order) - k + j :]] for j in range(k + 1)])


def inner_sets(order: np.ndarray, k: int, shifts: Sequence[int]) -> Sets:
    """Take k sorted units in a row, so many places from either end."""
    starts = {s for shift in shifts for s in (shift, len(order) - k - shift) if s >= 0}
    return np.array([order[s : s + k] for s in sorted(starts) if s + k <= len(order)])


# The data behind each test's verdict.


@singledispatch
def rests_of(posterior: Posterior, threshold: float) -> LeaveOutProblem:
    """Return what a verdict rests on; refuse a test without units, or that needs a sampler."""
    raise _refusal(posterior, "it takes a sampler to fit it again")


def _refusal(posterior: Posterior, why: str) -> InputError:
    return InputError(
        f"The {posterior.method} has no fragility, since {why}. "
        "Use hierarchical_t, signed_rank, sign, correlated_t, two_sample_t, multivariate_t, "
        "paired_proportions or cluster_bootstrap."
    )


def _refit_each(fit: Callable[[np.ndarray], np.ndarray]) -> Refit:
    """Make a fit of each set separately."""
    return lambda sets: np.array([fit(left_out) for left_out in sets])


#: A second integration, which states errors, would take as long as the first: where the two
#: disagree, the first was off by up to 0.003 in problems made to be hard.
UNCHECKED = Settings(checked=False)
#: Within this distance of the threshold a set is fitted separately: on the grid of the whole it
#: was off by up to 0.0004.
CLOSE = 0.005


@rests_of.register
def _(posterior: HierarchicalPosterior, threshold: float) -> LeaveOutProblem:
    problem, rope, grid = posterior.problem, posterior.rope, posterior.grid
    ends, place = problem.ends_of(rope), np.argsort(problem.order)

    def fit(left_out: np.ndarray) -> np.ndarray:
        return grid_probabilities(
            problem.change_assumptions(posterior.prior, without=left_out), rope, UNCHECKED
        )

    def refit(sets: Sets) -> np.ndarray:
        """Return probabilities on one grid for several sets, on its own grid for a single set."""
        near: list[np.ndarray | None] = [None]
        if len(sets) > 1:
            near = probabilities_without_each(grid, *ends, place[sets])
        far = (None if p is None or abs(p.max() - threshold) < CLOSE else p for p in near)
        return np.array([fit(rows) if p is None else p for rows, p in zip(sets, far, strict=True)])

    names = posterior.datasets
    return LeaveOutProblem(
        posterior.unit, names, np.ones(len(names), dtype=int), 2, refit, at_once=50
    )


@rests_of.register
def _(posterior: MeansPosterior, threshold: float) -> LeaveOutProblem:
    names, z = posterior.datasets, posterior.z

    def fit(left_out: np.ndarray) -> np.ndarray:
        other = posterior.without(left_out)
        return np.asarray(posterior.model.largest(other, posterior.rope)["p"])

    word, single = posterior.unit, np.ones(len(names), dtype=int)
    if posterior.model.largest is not largest_by_quadrature:
        return LeaveOutProblem(word, names, single, 2, _refit_each(fit))
    slack = slack_of(z, posterior.rope)
    region = (z >= posterior.rope.low - slack).astype(int) + (z > posterior.rope.high + slack)
    of_region = [np.flatnonzero(region == r) for r in np.unique(region)]

    def fit_counts(places: np.ndarray) -> np.ndarray:
        seen = [of_region[r][: int((places == r).sum())] for r in range(len(of_region))]
        return fit(np.concatenate(seen))

    times = np.array([len(rows) for rows in of_region])
    alike = [[names[i] for i in rows] for rows in of_region]
    return LeaveOutProblem(
        word, alike, times, 2, _refit_each(fit_counts), partial(sets_of_kinds, times)
    )


@rests_of.register
def _(posterior: ItemPosterior, threshold: float) -> LeaveOutProblem:
    return rests_of_items(posterior.answer, posterior)


@singledispatch
def rests_of_items(answer: object, posterior: ItemPosterior) -> LeaveOutProblem:
    """Return what a verdict on items rests on, by the record of its answer."""
    raise _refusal(posterior, "it keeps no scores of single questions")


@rests_of_items.register
def _(answer: Proportions, posterior: ItemPosterior) -> LeaveOutProblem:
    first, second = posterior.names
    counts = answer.counts.ravel().astype(int)

    def fit(places: np.ndarray) -> np.ndarray:
        rest = counts - np.bincount(places, minlength=4)
        other = replace(answer, counts=rest.reshape(2, 2).astype(float))
        return replace(posterior, answer=other).weigh_tails()[0]

    names = (
        "right for both",
        f"right only for {first}",
        f"right only for {second}",
        "right for neither",
    )
    return LeaveOutProblem(
        posterior.sample, names, counts, 1, _refit_each(fit), partial(sets_of_kinds, counts)
    )


@rests_of_items.register
def _(answer: Independent, posterior: ItemPosterior) -> LeaveOutProblem:
    counts = np.r_[answer.successes, answer.trials - answer.successes].astype(int)

    def fit(places: np.ndarray) -> np.ndarray:
        successes, failures = (counts - np.bincount(places, minlength=4)).reshape(2, 2)
        other = replace(answer, successes=successes, trials=successes + failures)
        return replace(posterior, answer=other).weigh_tails()[0]

    names = [f"{kind} of {name}" for kind in ("success", "failure") for name in posterior.names]
    return LeaveOutProblem(
        posterior.sample, names, counts, 1, _refit_each(fit), partial(sets_of_kinds, counts)
    )


@rests_of_items.register
def _(answer: Clusters, posterior: ItemPosterior) -> LeaveOutProblem:
    times, sizes = answer.times.astype(int), answer.sizes
    word = posterior.sample if sizes.max() == 1 else "cluster"
    influence = answer.sums - answer.estimate * sizes
    order = np.argsort(influence, kind="stable")

    def choose(k: int) -> tuple[Sets, bool]:
        if comb(len(times) + k - 1, k) <= ENUMERATED:
            return all_sets(times, k), True
        line = np.repeat(order, np.minimum(times[order], k))
        near = inner_sets(line, k, [1, 2, 4, 8])
        return np.unique(np.sort(np.r_[outer_sets(line, k), near]), axis=0), False

    def name(i: int) -> str:
        difference = write_number(answer.sums[i] / sizes[i], "+.3g")
        of_units = (
            f" of {format_count(round(float(sizes[i])), posterior.sample)}"
            if word == "cluster"
            else ""
        )
        return f"{word}{of_units}, {difference}"

    def fit(places: np.ndarray) -> np.ndarray:
        return posterior.without(places).weigh_tails()[0]

    names = [name(i) for i in range(len(times))]
    return LeaveOutProblem(word, names, times, FEWEST, _refit_each(fit), choose)


@rests_of.register
def _(posterior: TwoSamplePosterior, threshold: float) -> LeaveOutProblem:
    def fit(left_out: np.ndarray) -> np.ndarray:
        rest = posterior.without(left_out)  # equal runs show no spread: unchanged
        return probabilities_of(posterior if rest is None else rest)

    return LeaveOutProblem(
        "run", posterior.runs, np.ones(len(posterior.runs), dtype=int), 4, _refit_each(fit)
    )


@rests_of.register
def _(posterior: MultivariatePosterior, threshold: float) -> LeaveOutProblem:
    n, p = posterior.x.shape
    if posterior.df != n - p:
        raise _refusal(posterior, "it is part of a larger one, or its metrics are dependent")
    ropes = posterior.ropes()

    def fit(left_out: np.ndarray) -> np.ndarray:
        rest = np.delete(posterior.x, left_out, axis=0)
        if np.linalg.matrix_rank(rest - rest.mean(axis=0)) < p:  # no spread to go by: unchanged
            rest = posterior.x
        return probabilities_of(
            multivariate_t(
                rest, rho=posterior.rho, rope=ropes, metrics=posterior.metrics, seed=posterior.seed
            )
        )

    names = [f"{posterior.sample} {i + 1}" for i in range(n)]
    return LeaveOutProblem(posterior.sample, names, np.ones(n, dtype=int), p + 2, _refit_each(fit))


# Folds: Student's t without some of them, all sets at once.


#: How many sets are computed for one size, and how many at a time.
BRUTE, AT_ONCE = 200_000, 50_000
#: Slopes, in units of the natural one, at which `no_set_undoes` tries to separate all sets.
SLOPES = np.geomspace(0.1, 10, 201)


@rests_of.register
def _(posterior: CorrelatedPosterior, threshold: float) -> LeaveOutProblem:
    if posterior.kind != CorrelatedPosterior.model.kind:
        raise _refusal(posterior, "it is that of one metric out of several")
    x, n, rope = posterior.x, len(posterior.x), posterior.rope
    order = np.argsort(x, kind="stable")
    refit = _t_without(posterior)
    own = of_probabilities(refit(np.empty((1, 0), dtype=int))[0], threshold)
    away = {"second": x - rope.high, "first": rope.low - x}

    def choose(k: int) -> tuple[Sets, bool]:
        if comb(n, k) <= BRUTE:
            return all_sets(np.ones(n, dtype=int), k), True
        sets = np.r_[outer_sets(order, k), inner_sets(order, k, range(n - k + 1))]
        known = own in away and no_set_undoes(away[own], k, posterior.rho, threshold)
        return sets, known or (own == "undecided" and rope.empty)

    names = [f"{posterior.sample} {i + 1}" for i in range(n)]
    remain = 2 if np.ptp(x) > ROUNDING * np.abs(x).max() else n  # equal ones show no spread
    ones = np.ones(n, dtype=int)
    return LeaveOutProblem(posterior.sample, names, ones, remain, refit, choose, AT_ONCE)


def _t_without(posterior: CorrelatedPosterior) -> Refit:
    """Do the correlated t test without some folds; sets that leave no spread change nothing."""
    x, rope = posterior.x, posterior.rope
    z = x - x.mean()
    squares = float(z @ z)
    fit = probabilities_of(posterior)

    def refit(sets: Sets) -> np.ndarray:
        left = len(x) - sets.shape[1]
        total = -z[sets].sum(axis=1)
        ss = squares - (z[sets] ** 2).sum(axis=1) - total**2 / left
        spread = ss > ROUNDING * squares
        scale = np.sqrt(inflation(left, posterior.rho) * np.where(spread, ss, 1.0) / (left - 1))
        mean = x.mean() + total / left
        return np.where(spread[:, None], split_student(left - 1, mean, scale, rope), fit)

    return refit


def no_set_undoes(away: np.ndarray, k: int, rho: float, threshold: float) -> bool:
    """Return whether it is certain that leaving out k folds cannot undo the decision for a side.

    With T = Σa and Q = Σa² of the N folds that remain, a being their distances beyond the ROPE's
    bound (`away`, (n,)), the side is decided for if T > κ√Q. Below that concave curve, all is
    under any tangent: T − λQ ≤ κ²/(4λ). The least T − λQ of any set is found by sorting a − λa²;
    if it is above the tangent for some λ, no set gets below the curve.
    """
    left = len(away) - k
    student = inflation(left, rho) * float(stdtrit(left - 1, threshold)) ** 2 / (left - 1)
    kappa2 = student / (1 / left**2 + student / left)
    slopes = SLOPES * np.sqrt(kappa2 / float(away @ away)) / 2
    influences = away - slopes[:, None] * away**2
    largest = np.partition(influences, left, axis=1)[:, left:].sum(axis=1)
    return bool(np.any(influences.sum(axis=1) - largest > kappa2 / (4 * slopes)))
