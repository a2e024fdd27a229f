"""How fragile is a verdict? Other priors, correlations and ropes, and a data set left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import singledispatch
from itertools import chain
from typing import TypeVar

import numpy as np
import pandas as pd

from bayescmp.base.checks import check_flags, one_rho
from bayescmp.base.typing import Pair, PairVariation, Reweighted, Variation
from bayescmp.bayesian.groups.base import GroupsPosterior
from bayescmp.bayesian.groups.fit import groups
from bayescmp.bayesian.groups.own import OwnVariancePosterior
from bayescmp.bayesian.groups.posterior import BlockedPosterior
from bayescmp.bayesian.hierarchical.answers import grid_probabilities, region_shares, solve_problem
from bayescmp.bayesian.hierarchical.posterior import HierarchicalPosterior
from bayescmp.bayesian.hierarchical.problem import HierarchicalPrior
from bayescmp.engines.quadrature import GridPosterior, probabilities_without_each
from bayescmp.results.posterior import Fitted, Posterior, all_probabilities
from bayescmp.results.sensitivity import PairsSensitivity, Sensitivity
from bayescmp.results.verdict import Verdict, check_threshold
from bayescmp.scores.metrics import head_table
from bayescmp.scores.resampling import other_rhos
from bayescmp.study.planning.deciding import of_probabilities

# A bar for variations whose number is not known in advance.


Row = TypeVar("Row")


def show_progress(rows: Iterable[Row], progress: bool) -> Iterator[Row]:
    """Yield the rows, and count them on a bar during the computation."""
    if not progress:
        yield from rows
        return
    from tqdm.auto import tqdm  # it warns in a notebook without widgets

    yield from tqdm(rows, desc="variations", leave=False)


# The rows of a sensitivity analysis, put in a table.


def tabulate_rows(
    rows: Sequence[Variation],
    verdict: Verdict,
    thresholds: Sequence[float],
    fixed: Mapping[str, str] = {},
) -> Sensitivity:
    """Tabulate the fit's row first, the variations', and other thresholds of the `verdict`."""
    p, shape = rows[0][2], verdict.shape
    each = [(*row, verdict.threshold) for row in rows]
    each += [("threshold", f"{t:g}", p, check_threshold(t)) for t in thresholds]
    decided = of_probabilities(p, verdict.threshold, shape)
    columns = [f"p_{r}" for r in shape.regions]
    table = []
    for question, given, other, at in each:
        decision = of_probabilities(other, at, shape)
        exact = Reweighted(str(given), float("nan"))
        setting = given if isinstance(given, Reweighted) else exact
        table.append(
            {
                "question": question,
                "setting": setting.setting,
                **dict(zip(columns, map(float, other), strict=True)),
                "decision": decision,
                "change": float(np.abs(other - p).max()),
                "changes": decision != decided,
                "k_hat": setting.k_hat,
                "refitted": setting.refitted,
                "can_refit": setting.can_refit,
            }
        )
    return Sensitivity(head_table(pd.DataFrame(table), verdict.measured), verdict, fixed)


# The hierarchical test refitted on the grid under other assumptions, exactly.


#: ν − 1 ~ Gamma(400, 0.4): about 1000, which no data tell from normal.
NORMAL_ALPHA, NORMAL_BETA = (400.0, 400.0), (0.4, 0.4)
#: Degrees of freedom and scale, in standard deviations of the means, of the half-t prior of σ0.
HALF_T = (3.0, 2.5)
#: A smaller spread of the means, in units of the problem, is rounding.
ROUNDING = 1e-12


def _refit_all(
    posterior: HierarchicalPosterior,
    rhos: Iterable[float] | None,
    ropes: Sequence[float],
    datasets: bool,
) -> tuple[dict[Pair, np.ndarray], Iterator[PairVariation]]:
    """Return the probabilities of the fit, and those of every other fit."""
    grid, rope = posterior.grid, posterior.rope
    each = chain(
        _priors(posterior, grid),
        () if "rho" in posterior.fixed else _rhos(posterior, rhos),
        _ropes_on_grid(posterior, grid, ropes),
        _leave_out_each(posterior, grid) if datasets else (),
    )
    names = posterior.names
    shares = region_shares(grid, posterior.problem, rope)
    return {names: shares}, ((q, s, {names: p}) for q, s, p in each)


def _priors(post: HierarchicalPosterior, grid: GridPosterior) -> Iterator[Variation]:
    """Try both presets, normal data sets, a half-t σ0, and the other bound of δ0."""
    prior, problem, rope = post.prior, post.problem, post.rope
    presets = (HierarchicalPrior.corani2017(), HierarchicalPrior.benavoli2017())
    others = {p.name: p for p in presets if p != prior}
    others["ν about 1000 (normal)"] = replace(
        prior, alpha=NORMAL_ALPHA, beta=NORMAL_BETA, nu_offset=1.0, name="normal"
    )
    bound = float(problem.data["delta0_bound"]) * problem.scale
    others["δ0 ten times as wide"] = replace(prior, delta0_bound=10 * bound)
    for name, other in others.items():
        yield "prior", name, grid_probabilities(problem.change_assumptions(other), rope)
    df, factor = HALF_T
    spread = float(np.std(post.problem.data["xbar"], ddof=1))
    if spread > ROUNDING:  # else the half-t has no scale
        name = f"half-t({df:g}, {factor:g} sd) of σ0"
        yield "prior", name, _half_t(post, grid, df, factor * spread)


def _half_t(
    post: HierarchicalPosterior, grid: GridPosterior, df: float, scale: float
) -> np.ndarray:
    """Multiply the grid's masses by the half-t density of σ0, whose prior was uniform."""

    def density(sigma0: np.ndarray) -> np.ndarray:
        return np.asarray((1 + (sigma0 / scale) ** 2 / df) ** (-(df + 1) / 2))

    return grid.verdict_weighted(*post.problem.ends_of(post.rope), density)


def _rhos(post: HierarchicalPosterior, rhos: Iterable[float] | None) -> Iterator[Variation]:
    """Try zero, twice the fit's own, and one half, if none are given."""
    own = float(np.median(post.statistics.rho))
    given = other_rhos(own) if rhos is None else rhos
    for rho in given:
        changed = post.problem.change_assumptions(post.prior, rho=one_rho(rho))
        yield "rho", f"{rho:.3g}", grid_probabilities(changed, post.rope)


def _ropes_on_grid(
    post: HierarchicalPosterior, grid: GridPosterior, multiples: Sequence[float]
) -> Iterator[Variation]:
    """Try multiples of the ROPE, read from the same grid unless the ROPE gave the resolution."""
    rope = post.rope
    for m in multiples if not rope.empty else ():
        wider = rope.scaled(m)
        problem = post.problem.with_rope(wider, post.prior)
        at = grid if problem is post.problem else solve_problem(problem)
        yield "rope", f"{m:g} times", region_shares(at, problem, wider)


def _leave_out_each(post: HierarchicalPosterior, grid: GridPosterior) -> Iterator[Variation]:
    """Leave out each data set in turn, on the same grid if that can show it; not of two."""
    if len(post.datasets) < 3:
        return
    near = probabilities_without_each(grid, *post.problem.ends_of(post.rope))
    for i, place in enumerate(np.argsort(post.problem.order)):
        p = near[place]
        if p is None:
            other = post.problem.change_assumptions(post.prior, without=i)
            p = grid_probabilities(other, post.rope)
        yield "without", post.datasets[i], p


# Variations that take another fit, which results cannot make.


@singledispatch
def pair_refits(posterior: Fitted) -> Iterator[PairVariation]:
    """Yield all pairs' probabilities in models that take another fit; none for most tests."""
    yield from ()


@pair_refits.register(BlockedPosterior)
def _(posterior: BlockedPosterior) -> Iterator[PairVariation]:
    if len(posterior.algorithms) > 2:
        yield "model", "own variances", _with_variances(posterior, "own")


@pair_refits.register(OwnVariancePosterior)
def _(posterior: OwnVariancePosterior) -> Iterator[PairVariation]:
    yield "model", "equal variances", _with_variances(posterior, "equal")


def _with_variances(posterior: GroupsPosterior, variances: str) -> dict[Pair, np.ndarray]:
    """Compare the scores again, with one variance for all algorithms or one for each."""
    other = groups(
        posterior.x,
        list(posterior.metrics),
        rho=posterior.rho,
        rope=posterior.rope,
        names=posterior.names,
        variances=variances,
        seed=posterior.seed,
    )
    return all_probabilities(other)


# The sensitivity of the verdict on a pair, or on every pair, as a table.


def sensitivity_of_any(
    posterior: Fitted,
    *,
    ropes: Sequence[float],
    thresholds: Sequence[float],
    threshold: float,
    datasets: bool,
    rhos: Iterable[float] | None = None,
    refit: bool = False,
    progress: bool = False,
) -> Sensitivity | PairsSensitivity:
    """Return how verdicts change under other assumptions; see `Fitted.sensitivity`."""
    check_flags(datasets=datasets, refit=refit, progress=progress)
    own = posterior.verdicts(threshold=check_threshold(threshold))
    if isinstance(posterior, HierarchicalPosterior):
        first, each = _refit_all(posterior, rhos, ropes, datasets)
    else:
        first = all_probabilities(posterior)
        each = _vary(posterior, ropes, datasets, refit)
    rows = [("fit", "as fitted", first), *show_progress(each, progress)]
    tables = {
        pair: tabulate_rows(
            [(q, s, p[pair]) for q, s, p in rows], verdict, thresholds, posterior.fixed
        )
        for pair, verdict in own.items()
    }
    if isinstance(posterior, Posterior):
        return tables[posterior.names]
    return PairsSensitivity(tables)


def _vary(
    posterior: Fitted, ropes: Sequence[float], datasets: bool, refit: bool
) -> Iterator[PairVariation]:
    """Yield the test's own variations, those that take another fit, and multiples of the ROPE."""
    yield from posterior.pair_variations(datasets=datasets, refit=refit)
    yield from pair_refits(posterior)
    rope = posterior.rope
    for m in () if rope.empty else ropes:
        yield "rope", f"{m:g} times", all_probabilities(posterior, rope.scaled(m))
