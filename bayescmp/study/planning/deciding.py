"""Decisions of each test on data whose truth is known: how often, and how often wrong."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from time import perf_counter
from typing import TypeAlias, TypeVar

import numpy as np
import pandas as pd

from bayescmp.base import checks
from bayescmp.base.arguments import either, must, must_be
from bayescmp.base.checks import (
    Seed,
    check_flags,
    check_processes,
    count,
    is_number,
    optional,
    validate_params,
)
from bayescmp.base.magnitudes import DATASETS, SIMULATIONS
from bayescmp.base.workers import count_processes, solve_tasks
from bayescmp.bayesian.hierarchical.answers import grid_probabilities
from bayescmp.bayesian.hierarchical.problem import PRIOR, HierarchicalPrior, ScaledProblem, pose
from bayescmp.catalogue import (
    BayesianTest,
    FrequentistTest,
    bayesian_tests,
    frequentist_tests,
)
from bayescmp.engines.quadrature import Settings
from bayescmp.frequentist.paired import tost_means
from bayescmp.frequentist.signs import wilcoxon
from bayescmp.present.forms import Summarised
from bayescmp.present.summary import Summary, summarise
from bayescmp.results.plan import UNDECIDED, decisions_of, shape_within
from bayescmp.results.posterior import split_student
from bayescmp.results.regions import THREE, Shape
from bayescmp.results.verdict import check_threshold
from bayescmp.scores.differences import Differences
from bayescmp.scores.rope import Rope, RopeLike, as_rope, rope_phrase
from bayescmp.wording.text import format_count, format_share, join_items

# Simulated data sets whose truth is known: the model of the hierarchical correlated t test.


#: Masses that differ by less are alike: neither region is then the most probable.
ALIKE = 1e-9
#: Degrees of freedom below which data sets lie too far apart: at 0.01 half are within 1, and more
#: than a third beyond 1e40.
LEAST_NU = 0.5


@dataclass(frozen=True)
class TrueDifferences:
    """The true differences of two algorithms over data sets.

    The data sets' mean differences are `delta0` + `sigma0`·t_ν (normal for infinite `nu`); `folds`
    differences on each have the standard deviation `noise` and the correlation `rho`.
    """

    delta0: float
    sigma0: float
    nu: float
    noise: float
    rho: float
    folds: int

    def masses(self, rope: Rope) -> np.ndarray:
        """Return the probabilities of left, rope and right on a new data set, shape (3,)."""
        return split_student(min(self.nu, 1e12), self.delta0, self.sigma0, rope)

    def outcomes(self, rope: Rope) -> tuple[str, ...]:
        """Return the decisions that are right: the most probable outcome on a new data set."""
        masses, shape = self.masses(rope), shape_within(rope)
        best = masses.max() - masses < ALIKE
        ways = [shape.decisions[r] for r, b in zip(shape.regions, best, strict=True) if b]
        return tuple(ways) if len(ways) == 1 else ()

    def simulate(self, datasets: int, seed: list[int]) -> Differences:
        """Simulate data sets; with the same seed, a larger number leaves the first ones alone."""
        effect, tail, shared, own = (np.random.default_rng([*seed, k]) for k in range(4))
        t = effect.standard_normal(datasets)
        if np.isfinite(self.nu):
            t /= np.sqrt(tail.chisquare(self.nu, datasets) / self.nu)
        z = np.sqrt(self.rho) * shared.standard_normal((datasets, 1))
        z = z + np.sqrt(1 - self.rho) * own.standard_normal((datasets, self.folds))
        x = self.delta0 + self.sigma0 * t[:, None] + self.noise * z
        return Differences(x, rho=self.rho)


def size_of(rope: Rope, name: str) -> float:
    """Return the ROPE's upper bound or the size of a margin; `name` is missing without one."""
    size = rope.size if rope.one_sided else rope.high
    if not size > 0:
        raise must(name, "be given without a ROPE above zero, from which to take a size")
    return size


def check_nu(nu: object) -> float:
    """Check degrees of freedom of data sets that can be simulated; they may be infinite."""
    if not is_number(nu) or not nu >= LEAST_NU:
        raise must_be("nu", f"a number of at least {LEAST_NU:g}, or infinity", nu)
    return float(nu)


# Decisions of each test on one table of differences, and whether they are right.


Test: TypeAlias = BayesianTest | FrequentistTest


@dataclass(frozen=True)
class DecisionRule:
    """How decisions are made: the hierarchical test's `prior` and `threshold`, others' `alpha`."""

    rope: Rope
    prior: HierarchicalPrior
    threshold: float
    alpha: float = 0.05

    def decide(self, p: np.ndarray) -> str:
        """Decide by the probabilities of left, rope and right."""
        return of_probabilities(p, self.threshold, shape_within(self.rope))

    def decide_problem(self, problem: ScaledProblem) -> str:
        """Decide by the hierarchical test, on a coarse grid."""
        return self.decide(grid_probabilities(problem, self.rope, Settings.quick()))


def of_probabilities(p: np.ndarray, threshold: float, shape: Shape = THREE) -> str:
    """Decide by the probabilities of the regions, left, rope and right, or four of them."""
    best = int(np.argmax(p))
    return shape.decisions[shape.regions[best]] if p[best] >= threshold else UNDECIDED


def by_hierarchical_t(x: Differences, rule: DecisionRule) -> str:
    """Decide by the hierarchical test."""
    return rule.decide_problem(pose(x, rule.prior, rule.rope))


def by_wilcoxon(x: Differences, rule: DecisionRule) -> str:
    """Decide for a side where "no difference" is rejected."""
    means = x.statistics().mean
    if wilcoxon(means).pvalue >= rule.alpha:
        return UNDECIDED
    return "second" if np.median(means) > 0 else "first"


def by_tost_means(x: Differences, rule: DecisionRule) -> str:
    """Decide for equivalence if both sides are rejected, or "not worse" with one bound."""
    rejected = tost_means(x.statistics().mean, rope=rule.rope).pvalue < rule.alpha
    return shape_within(rule.rope).decisions["rope"] if rejected else UNDECIDED


def simulated_tests(rope: Rope) -> tuple[Test, ...]:
    """Select tests that decide simulated tables, of equivalence with a ROPE."""
    claims = ("difference",) if rope.empty else ("difference", "equivalence")[rope.one_sided :]
    twins = [test for test in frequentist_tests("datasets") if test.claims in claims]
    tests: list[Test] = [*bayesian_tests(), *twins]
    return tuple(test for test in tests if test.decide is not None)


def decide(x: Differences, rule: DecisionRule, tests: Iterable[Test]) -> dict[str, str]:
    """Return each test's decision."""
    return {test.name: test.decide(x, rule) for test in tests if test.decide is not None}


def right_decisions(
    truth: TrueDifferences, rope: Rope, tests: Iterable[Test]
) -> dict[str, tuple[str, ...]]:
    """Return the decisions that are not errors, test by test; being undecided never is one.

    A Bayesian test is about a new data set, whose most probable outcome is right; the others are
    about δ0: the side it is on, or equivalence if it is inside the ROPE.
    """
    return {test.name: _list_right_decisions(test, truth, rope) for test in tests}


def _list_right_decisions(test: Test, truth: TrueDifferences, rope: Rope) -> tuple[str, ...]:
    if isinstance(test, BayesianTest):
        return truth.outcomes(rope)
    if test.claims == "equivalence":
        within = shape_within(rope).decisions["rope"]
        return (within,) if rope.low < truth.delta0 < rope.high else ()
    side = "second" if truth.delta0 > 0 else "first"
    return (side,) if truth.delta0 else ()


# Many independent tasks on several processes, with a bar.


Result = TypeVar("Result")


def run_all(
    function: Callable[..., Result],
    tasks: Iterable[tuple[object, ...]],
    *,
    n_jobs: int | None,
    title: str,
    progress: bool,
    costs: Sequence[float] | None = None,
) -> list[Result]:
    """Call an importable function with each task's arguments, in order, with a bar and `title`."""
    check_flags(progress=progress)
    n_jobs = check_processes("n_jobs", n_jobs)
    timed = [(function, *task) for task in tasks]
    results = solve_tasks(_time_call, iter(timed), len(timed), n_jobs)
    watched = _watch_results(results, costs or [1.0] * len(timed), n_jobs, title)
    try:
        return [result for result, _ in (watched if progress else results)]
    finally:
        results.close()  # an interruption ends the workers here and now


def _time_call(function: Callable[..., Result], *task: object) -> tuple[Result, float]:
    """Return a result and its seconds, without those that a process took to start."""
    start = perf_counter()
    return function(*task), perf_counter() - start


Timed: TypeAlias = tuple[Result, float]
#: Printed once the first task is done.
FORECAST = "{title}: about {seconds:.0f} s of processor time, in {processes}\n"


def _watch_results(
    results: Iterable[Timed[Result]], costs: Sequence[float], n_jobs: int | None, title: str
) -> Iterator[Timed[Result]]:
    """Yield results with a bar, or with a line after the first of them."""
    if sys.stderr.isatty() or "ipykernel" in sys.modules:
        from tqdm.auto import tqdm  # it warns in a notebook without widgets

        yield from tqdm(results, total=len(costs), desc=title, leave=False)
        return
    for i, (result, seconds) in enumerate(results):
        if not i:
            whole = max(seconds * sum(costs) / costs[0], 1)
            count = format_count(count_processes(n_jobs, len(costs)), "process", "processes")
            sys.stderr.write(FORECAST.format(title=title, seconds=whole, processes=count))
        yield result, seconds


def frame_of(
    decided: Mapping[tuple[int, int], Sequence[str]], shape: Shape = THREE
) -> pd.DataFrame:
    """Make a row for each number of data sets and of further folds, from the decisions made."""
    rows = []
    for (datasets, more_folds), made in decided.items():
        shares = {way: made.count(way) / len(made) for way in decisions_of(shape)}
        shares = {"decided": 1 - shares[UNDECIDED], **shares}
        simulated = bool(datasets or more_folds)  # no further data: today's verdict
        errors = {
            f"se_{k}": share_error(p, len(made)) if simulated else 0.0 for k, p in shares.items()
        }
        rows.append({"datasets": datasets, "more_folds": more_folds, **shares, **errors})
    return pd.DataFrame(rows)


def share_error(share: float, n: int) -> float:
    """Return the standard error of a share of n simulations; adding half of one avoids 0."""
    p = (share * n + 0.5) / (n + 1)
    return float(np.sqrt(p * (1 - p) / n))


# How often is each verdict given, and how often is it wrong, where the truth is known?


#: Simulations that one task makes.
BATCH = 10


@validate_params(prior=optional(PRIOR), folds=count(3), simulations=count(most=SIMULATIONS))
def calibrate(
    *,
    rope: RopeLike,
    rho: float,
    datasets: Iterable[int] = (5, 10, 20, 54),
    folds: int = 10,
    delta0: Iterable[float] | None = None,
    sigma0: Iterable[float] | None = None,
    nu: float = 10.0,
    noise: float | None = None,
    prior: HierarchicalPrior | None = None,
    threshold: float = 0.95,
    alpha: float = 0.05,
    simulations: int = 200,
    seed: Seed = None,
    n_jobs: int | None = 1,
    progress: bool = False,
) -> Calibration:
    """Return operating characteristics of the decision rule and of the frequentist tests.

    Data are simulated from the model of the hierarchical correlated t test. Each table is decided
    by `hierarchical_t`, and on the data sets' means by Wilcoxon's signed-rank test and two
    one-sided tests of equivalence. All truths and numbers of data sets share their random numbers.

    Parameters
    ----------
    rope : float, (float, float) or Rope
    rho : float
        Correlation of two folds' differences, 1/folds for cross-validation.
    datasets : iterable of int
        Numbers of data sets.
    folds : int
        Differences on each data set: folds times repeats.
    delta0 : iterable of float, optional
        Centres of the data sets' mean differences; by default 0, 1 and 2 times the ROPE's bound.
    sigma0 : iterable of float, optional
        Their scales; by default a quarter of the ROPE's upper bound, and twice it.
    nu : float
        Their degrees of freedom, at least 0.5; infinity makes them normal.
    noise : float, optional
        Standard deviation of a fold's difference; by default twice the ROPE's upper bound.
    prior : HierarchicalPrior, optional
        ``HierarchicalPrior.corani2017()`` if not given.
    threshold, alpha : float
        Probability at which the hierarchical test decides; level of the frequentist tests.
    simulations : int
        Simulated tables for each number of data sets and each truth.
    seed : int or numpy Generator, optional
    n_jobs, progress
        As for `plan`.

    Returns
    -------
    Calibration
        With a frame: one row per truth, number of data sets and test.

    Raises
    ------
    InputError
        No ROPE and no delta0, sigma0 and noise; numbers outside their ranges.

    See Also
    --------
    bayescmp.bayesian.hierarchical_t, bayescmp.frequentist.wilcoxon,
    bayescmp.frequentist.tost_means

    References
    ----------
    Kruschke (2013), Journal of Experimental Psychology: General 142:573-603.

    Examples
    --------
    >>> import bayescmp as bc
    >>> table = bc.calibrate(
    ...     rope=0.01, rho=0.1, datasets=[8], delta0=[0.03], sigma0=[0.005],
    ...     simulations=10, seed=1,
    ... )
    >>> table.frame.set_index("test")["second"].to_dict()
    {'hierarchical_t': 1.0, 'wilcoxon': 1.0, 'tost_means': 0.0}
    """
    region = as_rope(rope)
    rule = DecisionRule(
        region,
        prior or HierarchicalPrior.corani2017(),
        check_threshold(threshold),
        checks.check_level(alpha, "alpha"),
    )
    sizes = checks.check_wholes("datasets", datasets, 2, each=folds, most=DATASETS)
    known = None if noise is None else [noise]
    truths = [
        TrueDifferences(d, s, check_nu(nu), w, checks.one_rho(rho), folds)
        for d, s, w in product(
            _values("delta0", delta0, region, (0, 1, 2)),
            [_positive("sigma0", s) for s in _values("sigma0", sigma0, region, (0.25, 2))],
            [_positive("noise", w) for w in _values("noise", known, region, (2,))],
        )
    ]
    number, tests = checks.seed_of(seed), simulated_tests(region)
    starts = range(0, simulations, BATCH)
    tasks = [
        (truth, q, rule, tests, [number], range(start, min(start + BATCH, simulations)))
        for truth, q, start in product(truths, sizes, starts)
    ]
    batches = iter(
        run_all(_batch, tasks, n_jobs=n_jobs, title="simulated tables", progress=progress)
    )
    rows = []
    for truth, q in product(truths, sizes):
        decided = [one for _ in starts for one in next(batches)]
        rows += _rows(truth, q, right_decisions(truth, region, tests), decided, region)
    return Calibration(pd.DataFrame(rows), rule, simulations, number)


@dataclass(frozen=True, eq=False, repr=False)
class Calibration(Summarised):
    """Proportions of each decision, and of wrong ones.

    Attributes
    ----------
    frame : DataFrame
        One row per truth (delta0, sigma0, nu, noise, rho, folds), number of datasets and test:
        right, the true outcome, by `bayescmp.study.planning.deciding.right_decisions`; proportions
        decided as first, equivalent, second or undecided, and wrongly; the standard error ``se_``
        of each.
    rule : Rule
        ROPE, prior, threshold and level.
    simulations, seed : int
        Simulations behind each row, and their seed.
    """

    frame: pd.DataFrame
    rule: DecisionRule
    simulations: int
    seed: int

    @property
    def heading(self) -> str:
        """State what was simulated and how it was decided, in a line."""
        r = self.rule
        return (
            f"{format_count(self.simulations, 'simulated table')} a row (seed {self.seed}), "
            f"{rope_phrase(r.rope)}, threshold {r.threshold:g}, level {r.alpha:g}, "
            f"prior {r.prior.name}"
        )

    def shown(self) -> pd.DataFrame:
        """Return the printed table: proportions with their standard errors, or bounds."""
        shown = self.frame[["datasets", "delta0", "sigma0", "right", "test"]].copy()
        for column in (*decisions_of(shape_within(self.rule.rope)), "wrong"):
            pairs = zip(self.frame[column], self.frame[f"se_{column}"], strict=True)
            shown[column] = [format_share(p, e, self.simulations) for p, e in pairs]
        return shown

    def to_markdown(self) -> str:
        """Return the table in Markdown."""
        shown = self.shown()
        cells = [list(shown.columns), ["---"] * shown.shape[1]]
        cells += [
            [f"{v:g}" if isinstance(v, float) else str(v) for v in row]
            for row in shown.itertuples(index=False)
        ]
        return "\n".join(f"| {' | '.join(row)} |" for row in cells) + "\n"

    def _describe_undecided(self) -> list[str]:
        """Give the smallest and the largest share that each test leaves undecided."""
        spans = []
        for test, rows in self.frame.groupby("test", sort=False):
            ends = (float(rows["undecided"].min()), float(rows["undecided"].max()))
            shares = dict.fromkeys(format_share(p, 0.0, self.simulations) for p in ends)
            spans.append(f"{test} {' to '.join(shares)}")
        return spans


HEADLINE = "Proportion of wrong decisions in each test's worst row: {errors}"
UNDECIDED_ROWS = "Proportion left undecided, from row to row: {shares}."
LEGEND = (
    "undecided, wrong: proportions of a row's simulated tables; delta0, sigma0: mean difference "
    "and its spread between data sets; right: decisions that are true"
)


@summarise.register
def _summarise_calibration(calibration: Calibration) -> Summary:
    frame = calibration.frame
    worst = frame.loc[frame.groupby("test", sort=False)["wrong"].idxmax()]
    errors = [
        f"{test} {format_share(wrong, error, calibration.simulations)}"
        for test, wrong, error in worst[["test", "wrong", "se_wrong"]].to_numpy()
    ]
    shown = calibration.shown()
    first = ["datasets", "delta0", "sigma0", "right", "test", "undecided", "wrong"]
    return Summary(
        HEADLINE.format(errors=join_items(errors)),
        shown[first],
        label="calibration",
        sentences=[UNDECIDED_ROWS.format(shares=join_items(calibration._describe_undecided()))],
        legend=LEGEND,
        method=calibration.heading,
        more=either("more: .frame, .shown(), .to_markdown()", ""),
        further=lambda: [
            Summary("Proportions of all decisions", shown, method=calibration.heading)
        ],
    )


def _batch(
    truth: TrueDifferences,
    datasets: int,
    rule: DecisionRule,
    tests: Sequence[Test],
    seed: list[int],
    which: range,
) -> list[dict[str, str]]:
    """Decide some simulations."""
    return [
        decide(truth.simulate(datasets, [*seed, simulation]), rule, tests) for simulation in which
    ]


def _rows(
    truth: TrueDifferences,
    datasets: int,
    right: Mapping[str, tuple[str, ...]],
    decided: Sequence[dict[str, str]],
    rope: Rope,
) -> list[dict[str, object]]:
    """Return one row per test."""
    rows = []
    for test in right:
        made = [d[test] for d in decided]
        shares = {way: made.count(way) / len(made) for way in decisions_of(shape_within(rope))}
        fine = (*right[test], UNDECIDED)
        shares["wrong"] = float(np.mean([way not in fine for way in made]))
        errors = {f"se_{k}": share_error(p, len(made)) for k, p in shares.items()}
        what = {"right": " ".join(right[test]) or "none", "test": test}
        rows.append({"datasets": datasets, **asdict(truth), **what, **shares, **errors})
    return rows


def _values(
    name: str, given: Iterable[float] | None, rope: Rope, multiples: tuple[float, ...]
) -> list[float]:
    """Return the values given, else multiples of the ROPE's upper bound, or of its only one."""
    if given is not None:
        values = np.atleast_1d(checks.read_numbers(given, name, "one finite number or more"))
        if values.ndim != 1 or not len(values) or not np.all(np.isfinite(values)):
            raise must_be(name, "one finite number or more", given)
        return [float(v) for v in values]
    size = size_of(rope, name)
    return [m * (-size if name == "delta0" and np.isinf(rope.high) else size) for m in multiples]


def _positive(name: str, value: float) -> float:
    if not value > 0:
        raise must_be(name, "positive numbers", value)
    return float(value)
