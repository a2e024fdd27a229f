"""What the robust program is given, and the way back."""

from __future__ import annotations

import numpy as np

from bayescmp.bayesian.paired.base import spread_of
from bayescmp.bayesian.sampling.run import steady
from bayescmp.differences import Differences
from bayescmp.engines.base import Fit, StanData
from bayescmp.errors import InputError
from bayescmp.steps import ROUNDING, step_seen

__all__ = ["KEEP", "MODEL", "inits", "mostly_equal", "scaled", "step_of", "unscaled"]


MODEL = "robust_correlated_t"


#: Variables of the program that results are made of, and whether each is a scalar.
KEEP = {"delta": True, "centre": True, "sigma": True, "nu": True}


def scaled(d: Differences, nu_mean: float) -> tuple[StanData, float, float]:
    """Data of the program, about their median and in units of their spread, and the way back.

    Of the problem and its mirror image the one that comes first, in which case the unit is
    negative: with one seed, swapping the algorithms swaps the answer.
    """
    x = d.x[0]
    ss, _ = spread_of(d)
    if ss == 0:
        raise InputError(
            "the differences are all zero, and nothing indicates the metric's resolution: there "
            "is no "
            "spread to estimate; give resolution (1/n_test for accuracy), or use correlated_t"
        )
    # In a unit that outliers do not move, unless most of the differences are equal; and sorted, so
    # that the order of the folds cannot change the numbers.
    centre, sd = float(np.median(x)), float(np.sqrt(ss / (len(x) - 1)))
    unit = sd if mostly_equal(d) else 1.4826 * float(np.median(np.abs(x - centre)))
    h = step_of(d)
    lower = 1e-3 if np.isnan(h) else max(1e-3, min(h / np.sqrt(12), sd) / unit)
    sorted_x = steady(np.sort((x - centre) / unit))
    mirrored = 0.0 - sorted_x[::-1]
    # Differences symmetric about their median are their own mirror image: its sign decides.
    is_mirrored = (mirrored.tolist(), -centre) < (sorted_x.tolist(), centre)
    data = {
        "n": len(x),
        "x": mirrored if is_mirrored else sorted_x,
        "rho": float(d.rho[0]),
        "sigma_lower": float(steady(lower)),
        "sigma_upper": float(steady(1e3 * max(sd / unit, 1.0))),
        "nu_mean": float(nu_mean),
    }
    return data, centre, -unit if is_mirrored else unit


def step_of(d: Differences) -> float:
    """The metric's resolution; where it is not known but needed, the smallest step seen."""
    h = float(d.resolution[0])
    return step_seen(d.x) if np.isnan(h) and mostly_equal(d) else h


def inits(data: StanData, seed: int, chains: int) -> list[dict[str, float]]:
    """Dispersed initial values, one mapping per chain."""
    rng = np.random.default_rng([seed, 2])
    return [
        {
            "centre": float(rng.normal(0, 0.1)),
            "log_sigma": float(rng.uniform(0.05, 0.5)),
            "nu_raw": float(rng.uniform(2, 20)),
        }
        for _ in range(chains)
    ]


def unscaled(fit: Fit, centre: float, unit: float) -> Fit:
    """The fit with its draws in units of the metric; mirrored where the unit is negative."""
    units = {"delta": (centre, unit), "centre": (centre, unit), "sigma": (0.0, abs(unit))}
    draws = {}
    for name, values in fit.draws.items():
        shift, factor = units.get(name, (0.0, 1.0))
        draws[name] = shift + factor * values
    return Fit(fit.engine, fit.version, draws, fit.sample_stats)


def mostly_equal(d: Differences) -> bool:
    """Whether over half of the differences are equal: t noise then would shrink onto them."""
    x = d.x[0]
    spread = np.median(np.abs(x - np.median(x)))
    return bool(spread <= ROUNDING * max(float(np.abs(x).max()), 1e-300))
