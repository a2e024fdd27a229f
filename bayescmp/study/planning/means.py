"""How many more questions, or data sets of which only the means are known, decide?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.special import ndtri, stdtrit

from bayescmp.base import checks
from bayescmp.base.arguments import arg, must, must_be
from bayescmp.base.checks import Seed
from bayescmp.base.magnitudes import DATASETS, SIMULATIONS
from bayescmp.bayesian.hierarchical.answers import solve_problem
from bayescmp.bayesian.hierarchical.problem import HierarchicalPrior, pose
from bayescmp.bayesian.joint.bootstrap import BootstrapPosterior
from bayescmp.bayesian.signs import SIGN, MeansPosterior
from bayescmp.errors import InputError
from bayescmp.results.plan import (
    MOST_QUESTIONS,
    POWER,
    UNDECIDED,
    Benchmark,
    ItemPlan,
    Plan,
    QuestionDifference,
    place_beyond,
    shape_within,
)
from bayescmp.results.posterior import split_mass, split_student
from bayescmp.results.verdict import check_threshold
from bayescmp.scores.differences import Differences
from bayescmp.scores.rope import Rope, RopeLike, as_rope
from bayescmp.study.planning.deciding import frame_of, of_probabilities, run_all

if TYPE_CHECKING:
    from bayescmp.bayesian.groups.base import GroupsPosterior
    from bayescmp.bayesian.joint.questions import QuestionsPosterior


def plan_items(
    *,
    difference: float,
    between: float,
    within: float = 0.0,
    rope: RopeLike,
    questions: Iterable[int] = (100, 200, 500, 1000, 2000),
    epochs: Iterable[int] = (1,),
    threshold: float = 0.95,
    power: float = 0.8,
    names: tuple[str, str] = ("first", "second"),
) -> ItemPlan:
    """Plan how many questions and epochs decide between two models, before there are any answers.

    The mean difference over n questions with k answers of each model has the variance (σ²_b +
    σ²_w/k)/n. It and its posterior are taken as normal.

    Parameters
    ----------
    difference : float
        The mean difference of the two models' scores, second minus first.
    between : float
        σ²_b, variance of the questions' true differences.
    within : float
        σ²_w, variance of a question's difference over single answers: of independent models the
        sum.
    rope : float or (float, float)
        Region of practical equivalence.
    questions, epochs : iterable of int
        Numbers of questions, and of answers of each model to each.
    threshold, power : float
        Probability required for a decision, and that with which the detectable difference is
        decided.
    names : (str, str)

    Returns
    -------
    ItemPlan
        With a frame, ``needed()``, ``cheapest()`` and ``explain()``.

    Raises
    ------
    InputError
        Numbers outside their ranges; no variance at all.

    See Also
    --------
    plan : For data sets with folds.

    References
    ----------
    Miller (2024), arXiv:2411.00640, section 5 (power); O'Hagan, Stevens & Campbell (2005),
    Pharmaceutical Statistics 4:187-201.

    Examples
    --------
    >>> import bayescmp as bc
    >>> plan = bc.plan_items(difference=0.03, between=0.06, within=0.24, rope=0.0,
    ...                      questions=[500, 1000], epochs=[1, 4])
    >>> plan.frame["decided"].round(2).tolist()
    [0.34, 0.54, 0.61, 0.86]
    """
    if not checks.is_number(difference) or not np.isfinite(difference):
        raise must_be("difference", "a finite number", difference)
    for name, value in (("between", between), ("within", within)):
        _check_variance(name, value)
    if not between + within > 0:
        raise must("between", f"be over 0, or {arg('within')}", "0 for both")
    benchmark = Benchmark(float(difference), float(between), float(within))
    return _plan(benchmark, as_rope(rope), questions, epochs, threshold, power, names)


def plan_of_board(
    posterior: GroupsPosterior | QuestionsPosterior,
    first: str | None,
    second: str | None,
    **options: Any,
) -> ItemPlan:
    """Plan further questions for two models of a leaderboard, or for its first two."""
    if first is None and second is None:
        first, second = posterior.scoreboard().index[:2]
    names = posterior.name_pair(first, second)
    return plan_of_items(posterior.difference_of(*names), posterior.ropes()[0], **options)


def plan_of_items(
    difference: QuestionDifference,
    rope: Rope,
    *,
    questions: Iterable[int] | None = None,
    epochs: Iterable[int] | None = None,
    seen_epochs: int = 1,
    within: float | None = None,
    threshold: float = 0.95,
    power: float = POWER,
) -> ItemPlan:
    """State what further questions (by default 0, 1, 3, 9, 19 times as many) and epochs decide."""
    names, mean, uncertainty, seen = difference
    k = checks.check_whole("seen_epochs", seen_epochs)
    if epochs is not None and within is None:
        raise must_be(
            "within",
            "the variance of single answers where epochs is given",
            within,
            "One number per question does not separate the models' own noise from the questions'.",
        )
    noise = 0.0 if within is None else _check_variance("within", within)
    between = max(seen * uncertainty - noise / k, 0.0)
    amounts = checks.check_wholes("epochs", [k] if epochs is None else epochs, k)
    further = [0, seen, 3 * seen, 9 * seen, 19 * seen] if questions is None else questions
    more = checks.check_wholes("questions", further, 0, most=MOST_QUESTIONS)
    return _plan(
        Benchmark(mean, between, noise),
        rope,
        [seen + n for n in more],
        amounts,
        threshold,
        power,
        names,
        uncertainty,
        seen,
    )


def _check_variance(name: str, value: object) -> float:
    if not checks.is_number(value) or not 0 <= value < np.inf:
        raise must_be(name, "a variance, 0 or more", value)
    return float(value)


def _plan(
    benchmark: Benchmark,
    rope: Rope,
    questions: Iterable[int],
    epochs: Iterable[int],
    threshold: float,
    power: float,
    names: tuple[str, str],
    uncertainty: float | None = None,
    seen: int = 0,
) -> ItemPlan:
    """Make a row for each design; `uncertainty` is the difference's variance, if data show it."""
    threshold, power = check_threshold(threshold), checks.check_level(power, "power")
    rows = []
    for k, n in product(
        checks.check_wholes("epochs", epochs, 1),
        checks.check_wholes("questions", questions, 1, most=10**9),
    ):
        made = benchmark.predict(n, k, rope, threshold, uncertainty)
        sd = float(np.sqrt(benchmark.variance(n, k)))
        rows.append(
            {
                "further_questions": n - seen,
                "total_questions": n,
                "epochs": k,
                "decided": 1 - made[UNDECIDED],
                **made,
                "width": 2 * float(ndtri(0.975)) * sd,
                "detectable": place_beyond(rope, float(ndtri(threshold) + ndtri(power)) * sd),
            }
        )
    table = pd.DataFrame(rows)
    return ItemPlan(table, benchmark, rope, names, threshold, power, seen, uncertainty)


# Prediction of further means from those seen: a Student-t, fitted with the means known exactly.


#: Folds that stand for a mean that is known, and their spread as a share of that of the means.
_FOLDS, _SPREAD = 100, 0.05
#: Pairs of data sets by which the limit of the signed-rank test is found, draw by draw.
_PAIRS = 2000


@dataclass(frozen=True, eq=False)
class Population:
    """Draws (draws,) of the truth about all data sets, whose mean differences are δ0 + σ0·t_ν."""

    delta0: np.ndarray
    sigma0: np.ndarray
    nu: np.ndarray

    @classmethod
    def from_means(cls, z: np.ndarray, rope: Rope, draws: int, seed: int) -> Population:
        """Fit the hierarchical model's upper level, with almost no variation within data sets."""
        spread = float(np.std(z)) or max(rope.width, 1e-3 * float(np.abs(z).max()))
        if not spread > 0:
            raise must(
                "rope",
                "be above zero if all differences are zero",
                hint="Nothing else shows how far further data sets would differ.",
            )
        folds = _SPREAD * spread * np.resize([-1.0, 1.0], _FOLDS)
        problem = pose(Differences(z[:, None] + folds, rho=0.0), _PRIOR, rope)
        draws_of = solve_problem(problem).draws(draws, seed)
        unit = problem.scale
        return cls(unit * draws_of["delta0"], unit * draws_of["sigma0"], draws_of["nu"])

    def simulate_means(self, datasets: int, seed: int) -> np.ndarray:
        """Simulate means of further data sets, (draws, datasets), of which more keep the first."""
        shape = (datasets, len(self.nu))
        t = np.random.default_rng([seed, 0]).standard_normal(shape)
        t /= np.sqrt(np.random.default_rng([seed, 1]).chisquare(self.nu, shape) / self.nu)
        return (self.delta0 + self.sigma0 * t).T

    def share_likeliest(self, rope: Rope, *, pairs: bool) -> dict[str, float]:
        """Return the proportions of draws that make each region the most probable."""
        student = self.nu, self.delta0, self.sigma0
        masses = self._of_pairs(rope) if pairs else split_student(*student, rope).T
        best = masses.argmax(axis=0)
        shape = shape_within(rope)
        return {
            d: float(np.mean(best == shape.regions.index(r))) for r, d in shape.possible.items()
        }

    def _of_pairs(self, rope: Rope) -> np.ndarray:
        u = np.random.default_rng(0).random((2, _PAIRS, 1))
        t = stdtrit(self.nu, u).mean(axis=0)
        t = np.concatenate([t, -t])  # symmetric, as the truth is
        z = self.delta0 + self.sigma0 * t
        left, right = (z < rope.low).mean(axis=0), (z > rope.high).mean(axis=0)
        return split_mass(left, right, rope).T


_PRIOR = HierarchicalPrior.corani2017()


# Decisions with more data sets: the same test on the means seen and those simulated.


#: Draws of the signed-rank test's weights in a decision: an error of 0.003 near 0.95.
DRAWS = 4000
TITLE = "simulated studies"


def plan_of_means(
    posterior: MeansPosterior,
    *,
    datasets: Iterable[int] = range(0, 41, 5),
    threshold: float = 0.95,
    simulations: int = 400,
    seed: Seed = 1,
    n_jobs: int | None = 1,
    progress: bool = True,
) -> Plan:
    """State what further data sets would decide; see `MeansPosterior.plan`."""
    rope, threshold = posterior.rope, check_threshold(threshold)
    shape = shape_within(rope)
    sizes = checks.check_wholes("datasets", datasets, 0, most=DATASETS)
    simulations, number = (
        checks.check_whole("simulations", simulations, most=SIMULATIONS),
        checks.seed_of(seed),
    )
    today = posterior.verdict(threshold=threshold).decision
    truth = Population.from_means(posterior.z, rope, simulations, number)
    further = truth.simulate_means(max(sizes), number)
    quick = replace(posterior, size=min(posterior.size, DRAWS))
    tasks = [(quick, further[:, :k], threshold) for k in sorted(sizes, reverse=True) if k]
    made = run_all(
        decide_with,
        tasks,
        n_jobs=n_jobs,
        title=TITLE,
        progress=progress,
        costs=[len(posterior.z) + further.shape[1] for _, further, _ in tasks],
    )
    decided = {task[1].shape[1]: one for task, one in zip(tasks, made, strict=True)}
    return Plan(
        frame_of({(k, 0): decided.get(k, [today] * simulations) for k in sizes}, shape),
        truth.share_likeliest(rope, pairs=not posterior.model.exact),
        posterior.names,
        threshold,
        simulations,
        number,
        today,
        shape,
        posterior.unit,
    )


def plan_of_pair(
    posterior: BootstrapPosterior,
    first: str | None,
    second: str | None,
    *,
    datasets: Iterable[int] | None = None,
    questions: Iterable[int] | None = None,
    threshold: float = 0.95,
    **options: object,
) -> Plan | ItemPlan:
    """State what further data sets decide, by Dirichlet weights; see `BootstrapPosterior.plan`."""
    names = posterior.name_pair(first, second)
    if posterior.kind == "leaderboard":
        because = "the benchmarks are given, and bootstrap plans more of them"
        checks.check_unused(because, datasets=datasets)
        return plan_of_items(
            posterior.difference_of(*names),
            posterior.rope,
            questions=questions,
            threshold=threshold,
        )
    checks.check_unused("questions are of a leaderboard", questions=questions)
    if posterior.kind != "bootstrap" or posterior.importance is not None:
        weighted = " with weights" if posterior.importance is not None else ""
        raise InputError(
            f"There is no plan for the {posterior.method}{weighted}. Use .plan(first, second) of "
            "bayescmp.bayesian.bootstrap of the same scores"
            f"{' without them' if weighted else ''}."
        )
    if posterior.x.shape[1] > 1:
        raise InputError(
            "A plan of the bootstrap must be of means (got scores with folds). Use .plan() of "
            "bayescmp.bayesian.hierarchical_t of the pair."
        )
    places = [posterior.algorithms.index(name) for name in names]
    z = np.diff(posterior.x[:, 0, places], axis=1).ravel()
    seen = ~np.isnan(z)
    if seen.sum() < 2:
        together = f"have run with {names[0]!r} on at least two data sets"
        raise must(f"second, {names[1]!r},", together, str(seen.sum()))
    pair = MeansPosterior(
        model=SIGN,
        z=z[seen],
        datasets=tuple(np.array(posterior.datasets, dtype=object)[seen]),
        prior=0.0,
        place="rope",
        size=DRAWS,
        enough=DRAWS,
        names=names,
        rope=posterior.rope,
        **posterior.computation,
    )
    more = range(0, 41, 5) if datasets is None else datasets
    return plan_of_means(pair, datasets=more, threshold=threshold, **options)  # type: ignore[arg-type]


def decide_with(posterior: MeansPosterior, further: np.ndarray, threshold: float) -> Sequence[str]:
    """Decide by the means seen together with each row of further ones, each with its own draws."""
    rope = posterior.rope
    known: dict[object, str] = {}
    made: list[str] = []
    names = tuple(f"new {i + 1}" for i in range(further.shape[1]))
    for i, row in enumerate(further):
        z, datasets = np.append(posterior.z, row), posterior.datasets + names
        larger = replace(posterior, z=z, datasets=datasets, seed=posterior.seed + i)
        key = tuple(larger.weights()) if posterior.model.exact else len(made)
        if key not in known:
            p = posterior.model.largest(larger, rope)["p"]
            known[key] = of_probabilities(p, threshold, shape_within(rope))
        made.append(known[key])
    return made
