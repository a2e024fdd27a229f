"""How many more data sets decide a test of means? Further means come from a fitted Student-t."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtrit

from bayescmp.base import checks
from bayescmp.base.checks import Seed
from bayescmp.bayesian.hierarchical.answers import masses_of, solve_problem
from bayescmp.bayesian.hierarchical.problem import HierarchicalPrior, pose
from bayescmp.bayesian.joint.bootstrap import BootstrapPosterior
from bayescmp.bayesian.signs.sign import SIGN, MeansPosterior
from bayescmp.errors import InputError
from bayescmp.results.plan import ItemPlan, Plan, shape_within
from bayescmp.results.verdict import check_threshold
from bayescmp.scores.differences import Differences
from bayescmp.scores.rope import Rope
from bayescmp.study.planning.deciding import frame_of, of_probabilities, run_all
from bayescmp.study.planning.items import plan_of_board

# What the means seen tell of further ones: a Student-t, fitted with the means known exactly.


#: Folds that stand for a mean that is known, and their spread as a share of that of the means.
_FOLDS, _SPREAD = 100, 0.05
#: Pairs of data sets by which the limit of the signed-rank test is found, draw by draw.
_PAIRS = 2000


@dataclass(frozen=True, eq=False)
class Population:
    """Draws of what is true of all data sets, whose mean differences are δ0 + σ0·t_ν.

    `delta0`, `sigma0` and `nu` have shape (draws,).
    """

    delta0: np.ndarray
    sigma0: np.ndarray
    nu: np.ndarray

    @classmethod
    def from_means(cls, z: np.ndarray, rope: Rope, draws: int, seed: int) -> Population:
        """Fit the hierarchical model's upper level, with almost no variation within data sets."""
        spread = float(np.std(z)) or max(rope.width, 1e-3 * float(np.abs(z).max()))
        if not spread > 0:
            raise InputError(
                "the differences are all zero and there is no rope: nothing tells how far further "
                "data sets would differ"
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
        """Return the shares of draws in which each region is the likeliest for a data set.

        With `pairs`, for the average of two data sets, which is what the signed-rank test speaks
        of.
        """
        at = {"delta0": self.delta0, "sigma0": self.sigma0, "nu": self.nu}
        masses = self._of_pairs(rope) if pairs else masses_of(at, rope).T
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
        return np.stack([left, 1 - left - right, right])


_PRIOR = HierarchicalPrior.corani2017()


# What more data sets decide: the same test on the means seen and those simulated.


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
    """Say what further data sets would decide; see `MeansPosterior.plan`."""
    rope, threshold = posterior.rope, check_threshold(threshold)
    assert isinstance(rope, Rope)  # one metric
    shape = shape_within(rope)
    sizes = checks.check_wholes("datasets", datasets, 0)
    simulations, number = checks.check_whole("simulations", simulations), checks.seed_of(seed)
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
    """Say what further data sets decide about two algorithms; see `BootstrapPosterior.plan`.

    With weights Dirichlet(1, …, 1) of the data sets, the regions' have a Dirichlet of the counts,
    which is the sign test's without a prior.
    """
    if first is None or second is None:
        known = ", ".join(map(repr, posterior.algorithms))
        raise InputError(
            f"first={first!r}, second={second!r}; accepted: two of {known}, for whom to plan"
        )
    today = posterior.verdict(first, second)
    if posterior.kind == "leaderboard":
        because = "the benchmarks are given, and bootstrap plans more of them"
        checks.check_unused(because, datasets=datasets)
        return plan_of_board(posterior, today.names, questions, threshold)
    checks.check_unused("questions are of a leaderboard", questions=questions)
    if posterior.kind != "bootstrap" or posterior.importance is not None:
        weighted = " with weights" if posterior.importance is not None else ""
        raise InputError(
            f"plan is not there for the {posterior.method}{weighted}; bayescmp.bayesian.bootstrap "
            f"of the same scores{' without them' if weighted else ''} plans for a pair"
        )
    if posterior.x.shape[1] > 1:
        raise InputError(
            "plan takes a table of means, and these scores have folds: "
            "bayescmp.bayesian.hierarchical_t of the pair plans for them"
        )
    places = [posterior.algorithms.index(name) for name in today.names]
    z = np.diff(posterior.x[:, 0, places], axis=1).ravel()
    seen = ~np.isnan(z)
    if seen.sum() < 2:
        raise InputError(
            f"{first!r} and {second!r} were run on {seen.sum()} data sets together; accepted: "
            "at least two"
        )
    pair = MeansPosterior(
        model=SIGN,
        z=z[seen],
        datasets=tuple(np.array(posterior.datasets, dtype=object)[seen]),
        prior=0.0,
        place="rope",
        size=DRAWS,
        names=today.names,
        rope=posterior.rope,
        engine=posterior.engine,
        engine_version=posterior.engine_version,
        diagnostics=posterior.diagnostics,
        seed=posterior.seed,
    )
    more = range(0, 41, 5) if datasets is None else datasets
    return plan_of_means(pair, datasets=more, threshold=threshold, **options)  # type: ignore[arg-type]


def decide_with(posterior: MeansPosterior, further: np.ndarray, threshold: float) -> Sequence[str]:
    """Decide by the means seen together with each row of further ones.

    An exact test's answer depends only on the regions' counts, which take few values. Where
    probabilities are counted in draws, each row has its own draws: with the same for all, their
    error would be the same too, and would not average out.
    """
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
