"""How many more data sets, or folds, until the verdict is decided?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from bayescmp.base import checks
from bayescmp.base.arguments import arg, must, must_be
from bayescmp.base.checks import Seed, count, optional, validate_params
from bayescmp.base.magnitudes import DATASETS, SIMULATIONS
from bayescmp.bayesian.hierarchical.answers import pose_for_engine
from bayescmp.bayesian.hierarchical.posterior import HierarchicalPosterior
from bayescmp.bayesian.hierarchical.problem import PRIOR, HierarchicalPrior, ScaledProblem, pose
from bayescmp.engines.quadrature import AddedRows, SharedNodes
from bayescmp.results.plan import Plan, shape_within
from bayescmp.results.verdict import check_threshold
from bayescmp.scores.differences import Differences, SufficientStatistics
from bayescmp.scores.rope import RopeLike, as_rope
from bayescmp.study.planning.deciding import (
    DecisionRule,
    TrueDifferences,
    check_nu,
    frame_of,
    run_all,
    size_of,
)

# Predictions of a fitted hierarchical posterior for further data: draws of its continuations.


#: Random-number streams of a simulation: for further data sets, and for further folds on those
#: seen.
NEW, MORE = 0, 1


@dataclass(frozen=True)
class FurtherData:
    """Further `datasets` with `folds` differences each (None: as one seen), or `more_folds`."""

    datasets: int
    folds: int | None
    more_folds: int


@dataclass(frozen=True, eq=False)
class Continuation:
    """One draw of the posterior, and the data that are expected if it is the truth.

    `bound` is δ0's, in units of the metric. The draw is `delta0`, `sigma0`, `nu`, and `delta` and
    `sigma`, (q,), of the data sets seen. All designs share the `seed`.
    """

    problem: ScaledProblem
    prior: HierarchicalPrior
    bound: float
    delta0: float
    sigma0: float
    nu: float
    delta: np.ndarray
    sigma: np.ndarray
    seed: list[int]

    def pose_problem(self, design: FurtherData) -> ScaledProblem:
        """Return the problem with the simulated data added."""
        return self.problem.replace_statistics(self.statistics(design), self.prior, self.bound)

    def statistics(self, design: FurtherData) -> SufficientStatistics:
        """Return statistics of data sets seen, with further folds, and of new ones after them."""
        return self._with_more_datasets(self._with_more_folds(design.more_folds), design)

    def _with_more_folds(self, more: int) -> SufficientStatistics:
        """Return statistics of data sets with more differences, their common part first."""
        s = self.problem.statistics
        if not more:
            return s
        rng = np.random.default_rng([*self.seed, MORE])
        n, rho, sigma = s.n, s.rho, self.sigma
        own = (1 - rho) / n
        mean = np.sqrt(rho) * (s.mean - self.delta) / sigma / (rho + own)
        u = mean + np.sqrt(own / (rho + own)) * rng.standard_normal(len(n))
        centre = self.delta + sigma * np.sqrt(rho) * u
        sd = sigma * np.sqrt(1 - rho)
        ss = sd**2 * (rng.chisquare(more - 1, len(n)) if more > 1 else 0.0)
        new = centre + sd / np.sqrt(more) * rng.standard_normal(len(n))
        return join_statistics(s, more, new, ss)

    def _with_more_datasets(
        self, seen: SufficientStatistics, design: FurtherData
    ) -> SufficientStatistics:
        """Add data sets, whose n, ρ and σ are those of one of the data sets seen."""
        s, k = self.problem.statistics, design.datasets
        tail, effect, which, means, spreads = (
            np.random.default_rng([*self.seed, NEW, stream]) for stream in range(5)
        )
        like = (which.random(k) * len(s.n)).astype(int)
        new = _with_scores(s.select(like), design.folds)
        sigma = self.sigma[like] * np.sqrt(1 - new.rho)
        t = effect.standard_normal(k) / np.sqrt(tail.chisquare(self.nu, k) / self.nu)
        error = sigma * np.sqrt(new.factor)
        mean = self.delta0 + self.sigma0 * t + error * means.standard_normal(k)
        ss = sigma**2 * spreads.chisquare(new.n - 1)
        return seen.extend(replace(new, mean=mean, ss=ss, constant=np.zeros(k, bool)))


def _with_scores(rows: SufficientStatistics, number: int | None) -> SufficientStatistics:
    """Give rows another number of differences, or of runs of each algorithm, if one is given."""
    if number is None:
        return rows
    if rows.runs is None:
        return replace(rows, n=np.full_like(rows.n, number))
    return replace(
        rows, n=np.full_like(rows.n, 2 * number - 1), runs=np.full_like(rows.runs, number)
    )


def join_statistics(
    s: SufficientStatistics, more: int, mean: np.ndarray, ss: np.ndarray
) -> SufficientStatistics:
    """Join differences seen with this many more, of that mean and spread, into statistics."""
    total = s.n + more
    pooled = (s.n * s.mean + more * mean) / total
    between = s.n * more / total * (mean - s.mean) ** 2
    return SufficientStatistics(
        total, pooled, s.ss + ss + between, s.rho, np.zeros(len(total), bool)
    )


def continuations(posterior: HierarchicalPosterior, number: int, seed: int) -> list[Continuation]:
    """Make this many continuations, each of another draw of the posterior as far as these last."""
    draws = {k: drawn.reshape(-1, *drawn.shape[2:]) for k, drawn in posterior.draws.items()}
    available = len(draws["nu"])
    order = np.random.default_rng(seed).permutation(available)
    bound = float(posterior.prior_bounds["delta0_bound"])
    return [
        Continuation(
            problem=posterior.problem,
            prior=posterior.prior,
            bound=bound,
            delta0=float(draws["delta0"][i]),
            sigma0=float(draws["sigma0"][i]),
            nu=float(draws["nu"][i]),
            delta=draws["delta"][i],
            sigma=draws["sigma"][i],
            seed=[seed, study],
        )
        for study, i in enumerate(np.resize(order, number))
    ]


# Decisions with each amount of further data: many continuations at nodes that they share.


#: Batches of the studies of one truth, and the least of them that share nodes.
BATCHES, ENOUGH = 4, 20
#: Numbers that the nodes of a batch of continuations take, all designs together.
AT_ONCE = 4_000_000
TITLE = "simulated studies"


def plan_of(
    posterior: HierarchicalPosterior,
    *,
    datasets: Iterable[int] = range(0, 41, 5),
    folds: int | None = None,
    more_folds: int | Iterable[int] = 0,
    threshold: float = 0.95,
    simulations: int = 400,
    seed: Seed = 1,
    n_jobs: int | None = 1,
    progress: bool = True,
) -> Plan:
    """State what further data would decide; see `HierarchicalPosterior.plan`."""
    rope = posterior.rope
    shape = shape_within(rope)
    threshold = check_threshold(threshold)
    sizes = checks.check_wholes("datasets", datasets, 0, most=DATASETS)
    more = checks.check_wholes("more_folds", more_folds, 0)
    if posterior.statistics.runs is not None and any(more):
        raise must_be(
            "more_folds",
            "0 for runs that do not pair",
            more_folds,
            f"Predict further data sets instead: {arg('datasets', 10)}.",
        )
    folds = None if folds is None else checks.check_whole("folds", folds, least=2)
    simulations, number = (
        checks.check_whole("simulations", simulations, most=SIMULATIONS),
        checks.seed_of(seed),
    )
    today = posterior.verdict(threshold=threshold)
    designs = [FurtherData(k, folds, m) for m, k in product(more, sizes)]
    further = [d for d in designs if d.datasets or d.more_folds]
    each = continuations(posterior, simulations, number)
    rule = DecisionRule(rope, posterior.prior, threshold)
    decided = _decide_each(each, further, rule, n_jobs=n_jobs, progress=progress)
    counted = {d: decided.get(d, [today.decision] * simulations) for d in designs}
    return Plan(
        frame_of({(d.datasets, d.more_folds): made for d, made in counted.items()}, shape),
        {decision: today.probabilities[region] for region, decision in shape.possible.items()},
        posterior.names,
        threshold,
        simulations,
        number,
        today.decision,
        shape,
        posterior.unit,
    )


def _decide_each(
    each: Sequence[Continuation],
    designs: Sequence[FurtherData],
    rule: DecisionRule,
    *,
    n_jobs: int | None,
    progress: bool,
) -> dict[FurtherData, list[str]]:
    if not designs:
        return {}
    problem, most = each[0].problem, max(d.datasets for d in designs)
    nodes = problem.ends_of(rule.rope), len(problem.order) + most
    shared = SharedNodes.place_nodes(pose_for_engine(problem), *nodes)
    batch = max(AT_ONCE // (shared.size * len(designs)), 1)
    tasks = [
        (each[start : start + batch], designs, shared, rule)
        for start in range(0, len(each), batch)
    ]
    batches = run_all(_continue_batch, tasks, n_jobs=n_jobs, title=TITLE, progress=progress)
    return {d: [one[d] for made in batches for one in made] for d in designs}


def _continue_batch(
    batch: Sequence[Continuation],
    designs: Sequence[FurtherData],
    shared: SharedNodes,
    rule: DecisionRule,
) -> list[dict[FurtherData, str]]:
    """State what each design decides in each continuation; some are solved one by one."""
    decided: list[dict[FurtherData, str]] = [{} for _ in batch]
    for more in dict.fromkeys(d.more_folds for d in designs):
        steps = sorted((d for d in designs if d.more_folds == more), key=lambda d: d.datasets)
        statistics = [c.statistics(steps[-1]) for c in batch]
        rows = _rows(statistics, batch[0].problem, [d.datasets for d in steps], seen=bool(more))
        p, resolved = shared.probabilities(rows, (len(batch), len(steps)), seen=not more)
        for i, c in enumerate(batch):
            for j, design in enumerate(steps):
                decided[i][design] = (
                    rule.decide(p[i, j])
                    if resolved[i, j]
                    else rule.decide_problem(c.pose_problem(design))
                )
    return decided


def _rows(
    statistics: Sequence[SufficientStatistics],
    problem: ScaledProblem,
    sizes: Sequence[int],
    seen: bool,
) -> AddedRows:
    """Return the rows of several continuations, seen ones first, with the step of adding each."""
    q, k = len(problem.order), len(statistics[0].n) - len(problem.order)
    start = 0 if seen else q
    step = np.searchsorted(sizes, np.append(np.full(q, -1), np.arange(k))[start:], side="right")
    parts = [(s.mean[start:], s.n[start:], *(x[start:] for x in s.kernel)) for s in statistics]
    mean, n, a, b = (np.concatenate(part) for part in zip(*parts, strict=True))
    which = np.repeat(np.arange(len(statistics)), len(step))
    unit = problem.scale
    return AddedRows(mean / unit, n, a / unit**2, b, which, np.tile(step, len(statistics)))


@validate_params(prior=optional(PRIOR), simulations=count(most=SIMULATIONS))
def plan(
    *,
    delta0: ArrayLike,
    sigma0: ArrayLike,
    rope: RopeLike,
    rho: float,
    datasets: Iterable[int] = (5, 10, 15, 20, 30, 40, 50, 60),
    folds: int = 10,
    nu: float = 10.0,
    noise: float | None = None,
    prior: HierarchicalPrior | None = None,
    threshold: float = 0.95,
    names: tuple[str, str] = ("first", "second"),
    simulations: int = 400,
    seed: Seed = 1,
    n_jobs: int | None = 1,
    progress: bool = True,
) -> Plan:
    """Plan how many data sets decide the hierarchical test, before there are any data.

    Studies are simulated under the assumptions, and each is decided by the hierarchical correlated
    t test. Numbers of data sets share random numbers: a larger study contains the smaller one.

    Parameters
    ----------
    delta0 : float or array_like
        Centre of the data sets' mean differences, second minus first. Several values, equally
        probable, express uncertainty: each study draws one.
    sigma0 : float or array_like
        Their scale; one value, or as many as of delta0.
    rope : float or (float, float)
        Region of practical equivalence.
    rho : float
        Correlation of two folds' differences, 1/folds for cross-validation.
    datasets : iterable of int
        Numbers of data sets, at least 2.
    folds : int
        Differences on each: folds times repeats.
    nu : float
        Degrees of freedom of the mean differences, at least 0.5; infinity makes them normal.
    noise : float, optional
        Standard deviation of a fold's difference; by default twice the ROPE's upper bound.
    prior : HierarchicalPrior, optional
        Of the analysis; ``HierarchicalPrior.corani2017()`` if not given.
    threshold : float
        Probability required for a decision.
    names : (str, str)
    simulations : int
        Simulated studies.
    seed : int or numpy Generator
    n_jobs : int, optional
        Processes, as joblib takes it.
    progress : bool
        Whether to show how long it takes, in a bar or, without a terminal, in a line.

    Returns
    -------
    Plan
        With a frame, ``needed()``, ``explain()`` and ``plot()``.

    Raises
    ------
    InputError
        Numbers outside their ranges; no noise if there is no ROPE.

    See Also
    --------
    bayescmp.bayesian.hierarchical_t, bayescmp.calibrate

    References
    ----------
    Kruschke (2013), Journal of Experimental Psychology: General 142:573-603; O'Hagan, Stevens &
    Campbell (2005), Pharmaceutical Statistics 4:187-201 ("assurance").

    Examples
    --------
    >>> import bayescmp as bc
    >>> plan = bc.plan(delta0=0.02, sigma0=0.01, rope=0.01, rho=0.1, datasets=[4, 16],
    ...                simulations=20)
    >>> shares = plan.frame.set_index("datasets")["second"]
    >>> bool(shares[16] > shares[4])
    True
    """
    region = as_rope(rope)
    shape = shape_within(region)
    noise = 2 * size_of(region, "noise") if noise is None else noise
    noise = checks.positive_of_any_size(noise, "noise")
    truths = _truths(delta0, sigma0, nu, noise, checks.one_rho(rho), folds)
    sizes = checks.check_wholes("datasets", datasets, 2, each=truths[0].folds, most=DATASETS)
    threshold = check_threshold(threshold)
    number = checks.seed_of(seed)
    chosen = np.random.default_rng(number).permutation(
        np.resize(np.arange(len(truths)), simulations)
    )
    studies = [(truths[which], [number, study]) for study, which in enumerate(chosen)]
    analysis = DecisionRule(region, prior or HierarchicalPrior.corani2017(), threshold)
    tasks = [
        (
            truth,
            [seed for drawn, seed in studies if drawn is truth][start::BATCHES],
            sizes,
            analysis,
        )
        for truth in truths
        for start in range(BATCHES)
    ]
    tasks = [task for task in tasks if task[1]]
    batches = run_all(_study_truth, tasks, n_jobs=n_jobs, title=TITLE, progress=progress)
    decided = {(q, 0): [one for batch in batches for one in batch[q]] for q in sizes}
    outcomes = [truth.outcomes(region) for truth in truths]
    limit = {
        decision: float(np.mean([decision in o for o in outcomes]))
        for decision in shape.possible.values()
    }
    frame = frame_of(decided, shape)
    return Plan(frame, limit, names, threshold, simulations, number, shape=shape)


def _study_truth(
    truth: TrueDifferences,
    seeds: Sequence[list[int]],
    sizes: Sequence[int],
    analysis: DecisionRule,
) -> dict[int, list[str]]:
    """State what each number of data sets decides in nested studies of one truth."""
    studies = [truth.simulate(max(sizes), seed) for seed in seeds]
    return {
        q: _decided_with([Differences(x.x[:q], rho=x.rho[:q]) for x in studies], truth, analysis)
        for q in sizes
    }


def _decided_with(
    studies: Sequence[Differences], truth: TrueDifferences, analysis: DecisionRule
) -> list[str]:
    """Decide each study; all have as many data sets."""
    p, resolved = np.zeros((len(studies), 3)), np.zeros(len(studies), bool)
    if len(studies) >= ENOUGH:
        typical, q = _typical(studies, truth, analysis), studies[0].q
        ends = typical.ends_of(analysis.rope)
        shared = SharedNodes.place_nodes(pose_for_engine(typical), ends, 2 * q, depth=16)
        rows = _rows([x.statistics() for x in studies], typical, [q], seen=True)
        several, good = shared.probabilities(rows, (len(studies), 1), seen=False)
        p, resolved = several[:, 0], good[:, 0]
    return [
        analysis.decide(p[i])
        if resolved[i]
        else analysis.decide_problem(pose(x, analysis.prior, analysis.rope))
        for i, x in enumerate(studies)
    ]


def _typical(
    studies: Sequence[Differences], truth: TrueDifferences, analysis: DecisionRule
) -> ScaledProblem:
    """Return the problem of a study whose means are the quantiles of the truth."""
    q, n = studies[0].q, truth.folds
    error = truth.noise * np.sqrt((1 + (n - 1) * truth.rho) / n)
    spread = np.hypot(truth.sigma0, error)
    means = truth.delta0 + spread * stdtrit(min(truth.nu, 1e12), (np.arange(q) + 0.5) / q)
    folds = np.linspace(-1, 1, n)
    x = means[:, None] + truth.noise * np.sqrt(1 - truth.rho) * folds / folds.std(ddof=1)
    largest = float(np.median([np.abs(np.concatenate(one.x)).max() for one in studies]))
    prior = analysis.prior
    if prior.delta0_bound is None:
        prior = replace(prior, delta0_bound=largest)
    return pose(Differences(x, rho=truth.rho), prior, analysis.rope)


def _truths(
    delta0: ArrayLike, sigma0: ArrayLike, nu: float, noise: float, rho: float, folds: int
) -> list[TrueDifferences]:
    """Return one truth for each value of delta0 and sigma0."""
    centres = np.atleast_1d(checks.read_numbers(delta0, "delta0", "a finite number, or several"))
    scales = np.atleast_1d(checks.read_numbers(sigma0, "sigma0", "a positive number, or several"))
    try:
        centres, scales = np.broadcast_arrays(centres, scales)
    except ValueError:
        many = f"have one value, or as many as delta0, {len(centres)}"
        raise must("sigma0", many, str(len(scales))) from None
    if centres.ndim != 1 or not len(centres) or not np.all(np.isfinite(centres)):
        name, wrong = ("sigma0", sigma0) if np.size(sigma0) == 0 else ("delta0", delta0)
        raise must_be(name, "a finite number, or several", wrong)
    if not np.all((scales > 0) & np.isfinite(scales)):
        raise must_be("sigma0", "a positive number, or several", sigma0)
    truth = TrueDifferences(
        0.0, 1.0, check_nu(nu), noise, rho, checks.check_whole("folds", folds, least=2)
    )
    return [
        replace(truth, delta0=float(centre), sigma0=float(scale))
        for centre, scale in zip(centres, scales, strict=True)
    ]
