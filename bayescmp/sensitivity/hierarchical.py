"""The hierarchical test refitted on the grid under other assumptions, exactly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bayescmp import checks
from bayescmp.bayesian.hierarchical.grid import grid_probabilities, solved
from bayescmp.bayesian.hierarchical.prior import HierarchicalPrior
from bayescmp.metrics import headed
from bayescmp.planning.deciding import of_probabilities
from bayescmp.sensitivity.result import COLUMNS, Sensitivity
from bayescmp.verdict import Rope, check_threshold

if TYPE_CHECKING:
    from bayescmp.bayesian.hierarchical.base import HierarchicalBase

__all__ = ["sensitivity_of"]

#: ν − 1 ~ Gamma(400, 0.4): about 1000, which no data tell from normal.
NORMAL_ALPHA, NORMAL_BETA = (400.0, 400.0), (0.4, 0.4)
#: Degrees of freedom and scale, in standard deviations of the means, of the half-t prior of σ0.
HALF_T = (3.0, 2.5)

#: Question, setting, and probabilities of left, rope and right.
Row = tuple[str, str, np.ndarray]


def sensitivity_of(
    posterior: HierarchicalBase,
    *,
    rhos: Iterable[float] | None = None,
    ropes: Sequence[float] = (0.5, 1.0, 2.0),
    thresholds: Sequence[float] = (0.9, 0.95, 0.99),
    threshold: float = 0.95,
    datasets: bool = True,
) -> Sensitivity:
    """What becomes of a verdict; see `HierarchicalBase.sensitivity`."""
    import pandas as pd

    own = posterior.verdict(threshold=check_threshold(threshold))
    p = grid_probabilities(posterior.problem, _region(posterior))
    rows: list[Row] = [("fit", "as fitted", p)]
    rows += [*_priors(posterior), *_rhos(posterior, rhos), *_ropes(posterior, ropes)]
    rows += _without(posterior) if datasets else []
    each = [(*row, threshold) for row in rows]
    each += [("threshold", f"{t:g}", p, check_threshold(t)) for t in thresholds]
    decided = of_probabilities(p, threshold)
    table = [
        {
            "question": question,
            "setting": setting,
            **dict(zip(COLUMNS, map(float, probabilities), strict=True)),
            "decision": of_probabilities(probabilities, at),
            "change": float(np.abs(probabilities - p).max()),
            "changes": of_probabilities(probabilities, at) != decided,
        }
        for question, setting, probabilities, at in each
    ]
    return Sensitivity(headed(pd.DataFrame(table), own.measured), own)


def _priors(post: HierarchicalBase) -> Iterator[Row]:
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
    yield "prior", "half-t(3, 2.5 sd) of σ0", _half_t(post, rope)


def _half_t(post: HierarchicalBase, rope: Rope) -> np.ndarray:
    """The grid's masses times the half-t density of σ0, whose prior was uniform."""
    df, factor = HALF_T
    scale = factor * float(np.std(post.problem.data["xbar"], ddof=1))
    unit = post.problem.scale

    def density(sigma0: np.ndarray) -> np.ndarray:
        return np.asarray((1 + (sigma0 / scale) ** 2 / df) ** (-(df + 1) / 2))

    return solved(post.problem).verdict_weighted(rope.low / unit, rope.high / unit, density)


def _rhos(post: HierarchicalBase, rhos: Iterable[float] | None) -> Iterator[Row]:
    """Zero, the fit's own twice, and one half, if none are given."""
    own = float(np.median(post.statistics.rho))
    given = sorted({0.0, min(2 * own, 0.9), 0.5}) if rhos is None else rhos
    for rho in given:
        changed = post.problem.changed(post.prior, rho=checks.one_rho(rho))
        yield "rho", f"{rho:.3g}", grid_probabilities(changed, _region(post))


def _ropes(post: HierarchicalBase, multiples: Sequence[float]) -> Iterator[Row]:
    """Multiples of the rope; none without one."""
    rope = _region(post)
    for m in multiples if not rope.empty else ():
        wider = Rope(m * rope.low, m * rope.high)
        problem = post.problem.with_rope(wider, post.prior)
        yield "rope", f"{m:g} times", grid_probabilities(problem, wider)


def _without(post: HierarchicalBase) -> list[Row]:
    """Each data set left out in turn; of two none can be."""
    if len(post.datasets) < 3:
        return []
    rope = _region(post)
    return [
        ("without", name, grid_probabilities(post.problem.changed(post.prior, without=i), rope))
        for i, name in enumerate(post.datasets)
    ]


def _region(post: HierarchicalBase) -> Rope:
    rope = post.rope
    assert isinstance(rope, Rope)  # one metric
    return rope
