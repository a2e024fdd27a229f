"""What a saved hierarchical posterior holds besides its draws, and the way back."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from bayescmp.bayesian.hierarchical.answers import on_the_problems_scale
from bayescmp.bayesian.hierarchical.problem import MODEL, Scaled
from bayescmp.engines.base import Fit, FitRequest
from bayescmp.engines.registry import find_engine
from bayescmp.errors import InputError
from bayescmp.sufficient import SufficientStatistics

if TYPE_CHECKING:
    import xarray

    from bayescmp.typing import Groups, Json

__all__ = ["attributes_of", "constants_of", "restored_fit", "restored_problem"]


def constants_of(problem: Scaled) -> dict[str, np.ndarray]:
    """Arrays of shape (q,) in the data sets' own order."""
    s = problem.statistics
    largest = {} if problem.largest is None else {"largest": problem.largest}
    return {
        "n": s.n,
        "mean": s.mean,
        "ss": s.ss,
        "rho": s.rho,
        "constant": s.constant.astype(np.int8),
        "step": problem.step,
        **largest,
    }


def attributes_of(problem: Scaled) -> dict[str, object]:
    """What JSON can hold of the problem."""
    scalars = {k: float(v) for k, v in problem.data.items() if np.ndim(v) == 0}
    return {
        "scale": problem.scale,
        "order": problem.order.tolist(),
        "span": problem.span,
        "from_rope": problem.from_rope,
        "data": scalars,
    }


def restored_problem(attributes: Json, constants: xarray.Dataset) -> Scaled:
    """The problem, from its attributes and a data set of its arrays."""
    arrays = {k: v.to_numpy() for k, v in constants.data_vars.items()}
    step, constant = arrays.pop("step"), arrays.pop("constant").astype(bool)
    largest = arrays.pop("largest", None)
    stats = SufficientStatistics(**arrays, constant=constant)
    order, scale = np.array(attributes["order"]), float(attributes["scale"])
    if sorted(order.tolist()) != list(range(len(stats.n))):
        raise InputError(f"field 'order' does not name each of the {len(stats.n)} data sets once")
    data = {
        **attributes["data"],
        "q": len(order),
        "n": stats.n[order],
        "rho": stats.rho[order],
        "xbar": stats.mean[order] / scale,
        "ss": stats.ss[order] / scale**2,
    }
    # version 0.1 saved none of these
    span, from_rope = attributes.get("span"), attributes.get("from_rope", False)
    return Scaled(data, scale, order, stats, constant, step, span, from_rope, largest)


def restored_fit(common: Json, problem: Scaled, groups: Groups) -> Fit:
    """The fit: its draws, or the exact density, which is solved again."""
    name, version = common["engine"], common["engine_version"]
    if common["diagnostics"].exact:
        fit = find_engine(name, MODEL).fit(FitRequest(MODEL, problem.data, common["seed"]))
        return dataclasses.replace(fit, version=version)
    draws = {k: v.to_numpy() for k, v in groups["posterior"].data_vars.items()}
    stats = {k: v.to_numpy() for k, v in groups["sample_stats"].data_vars.items()}
    return Fit(name, version, on_the_problems_scale(draws, problem), stats)
