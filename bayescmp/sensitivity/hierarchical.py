"""The hierarchical test refitted on the grid under other assumptions, exactly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from bayescmp import checks
from bayescmp.bayesian.hierarchical.grid import grid_probabilities, region_shares, solved
from bayescmp.bayesian.hierarchical.prior import HierarchicalPrior
from bayescmp.engines.quadrature import GridPosterior
from bayescmp.rho import other_rhos
from bayescmp.sensitivity.progress import shown
from bayescmp.sensitivity.result import Sensitivity, tabulated
from bayescmp.verdict import Rope, check_threshold

if TYPE_CHECKING:
    from bayescmp.bayesian.hierarchical.base import HierarchicalBase
    from bayescmp.typing import Variation

__all__ = ["sensitivity_of"]

#: ν − 1 ~ Gamma(400, 0.4): about 1000, which no data tell from normal.
NORMAL_ALPHA, NORMAL_BETA = (400.0, 400.0), (0.4, 0.4)
#: Degrees of freedom and scale, in standard deviations of the means, of the half-t prior of σ0.
HALF_T = (3.0, 2.5)
#: A spread of the means below it, in units of the problem, is rounding.
ROUNDING = 1e-12


def sensitivity_of(
    posterior: HierarchicalBase,
    *,
    rhos: Iterable[float] | None = None,
    ropes: Sequence[float] = (0.5, 1.0, 2.0),
    thresholds: Sequence[float] = (0.9, 0.95, 0.99),
    threshold: float = 0.95,
    datasets: bool = True,
    progress: bool = False,
) -> Sensitivity:
    """How a verdict changes under other assumptions; see `HierarchicalBase.sensitivity`."""
    own = posterior.verdict(threshold=check_threshold(threshold))
    grid, rope = _grid(posterior), _region(posterior)
    rows: list[Variation] = [
        ("fit", "as fitted", region_shares(grid, rope, posterior.problem.scale))
    ]
    each = chain(
        _priors(posterior, grid),
        _rhos(posterior, rhos),
        _ropes(posterior, grid, ropes),
        _without(posterior) if datasets else (),
    )
    rows += shown(each, progress)
    return tabulated(rows, own, thresholds)


def _grid(post: HierarchicalBase) -> GridPosterior:
    """The density itself; that of a sampler's posterior is solved."""
    return solved(post.problem) if post.fit.density is None else post.fit.density


def _priors(post: HierarchicalBase, grid: GridPosterior) -> Iterator[Variation]:
    """Both presets, normal data sets, a half-t σ0, and the other bound of δ0."""
    prior, problem, rope = post.prior, post.problem, _region(post)
    presets = (HierarchicalPrior.corani2017(), HierarchicalPrior.benavoli2017())
    others = {p.name: p for p in presets if p != prior}
    others["ν about 1000 (normal)"] = replace(
        prior, alpha=NORMAL_ALPHA, beta=NORMAL_BETA, nu_offset=1.0, name="normal"
    )
    bound = float(problem.data["delta0_bound"]) * problem.scale
    others["δ0 ten times as wide"] = replace(prior, delta0_bound=10 * bound)
    for name, other in others.items():
        yield "prior", name, grid_probabilities(problem.changed(other), rope)
    df, factor = HALF_T
    spread = float(np.std(post.problem.data["xbar"], ddof=1))
    if spread > ROUNDING:  # else the half-t has no scale
        name = f"half-t({df:g}, {factor:g} sd) of σ0"
        yield "prior", name, _half_t(post, grid, df, factor * spread)


def _half_t(post: HierarchicalBase, grid: GridPosterior, df: float, scale: float) -> np.ndarray:
    """The grid's masses times the half-t density of σ0, whose prior was uniform."""
    unit, rope = post.problem.scale, _region(post)

    def density(sigma0: np.ndarray) -> np.ndarray:
        return np.asarray((1 + (sigma0 / scale) ** 2 / df) ** (-(df + 1) / 2))

    return grid.verdict_weighted(rope.low / unit, rope.high / unit, density)


def _rhos(post: HierarchicalBase, rhos: Iterable[float] | None) -> Iterator[Variation]:
    """Zero, the fit's own twice, and one half, if none are given."""
    own = float(np.median(post.statistics.rho))
    given = other_rhos(own) if rhos is None else rhos
    for rho in given:
        changed = post.problem.changed(post.prior, rho=checks.one_rho(rho))
        yield "rho", f"{rho:.3g}", grid_probabilities(changed, _region(post))


def _ropes(
    post: HierarchicalBase, grid: GridPosterior, multiples: Sequence[float]
) -> Iterator[Variation]:
    """Multiples of the rope, read from the same grid unless the rope gave the resolution."""
    rope = _region(post)
    for m in multiples if not rope.empty else ():
        wider = rope.scaled(m)
        problem = post.problem.with_rope(wider, post.prior)
        at = grid if problem is post.problem else solved(problem)
        yield "rope", f"{m:g} times", region_shares(at, wider, problem.scale)


def _without(post: HierarchicalBase) -> Iterator[Variation]:
    """Each data set left out in turn; of two none can be."""
    rope = _region(post)
    for i, name in enumerate(post.datasets if len(post.datasets) > 2 else ()):
        problem = post.problem.changed(post.prior, without=i)
        yield "without", name, grid_probabilities(problem, rope)


def _region(post: HierarchicalBase) -> Rope:
    rope = post.rope
    assert isinstance(rope, Rope)  # one metric
    return rope
