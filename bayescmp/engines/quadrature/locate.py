"""Where the posterior is: a coarse scan that narrows in on the box worth a fine grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayescmp.engines.quadrature.coordinates import (
    Axis,
    equidistribute,
    information_delta0,
    information_sigma0,
)
from bayescmp.engines.quadrature.degrees import NuGrid, extend, gauss_rule, nu_grid
from bayescmp.engines.quadrature.kernel import Within, between_grid, log_likelihood, within_rules
from bayescmp.engines.quadrature.problem import FloatArray, Standard
from bayescmp.engines.quadrature.settings import Settings

__all__ = ["Box", "locate", "log_evidence", "nu_rule", "sigma0_axis"]

_SCAN_SIGMA0 = 18
_SCAN_NU = 6
_ROUNDS = 7
_CUT = 8.0  # nats below the best value, at an end of a scan that has missed something


@dataclass(frozen=True, eq=False)
class Box:
    """A region that holds the posterior, and what places the nodes in it.

    Attributes
    ----------
    delta0, k_sigma0 : tuple of float
        Range of delta0, and of the coordinate of sigma0.
    axis_sigma0, axis_delta0 : Axis
        Coordinates over the whole prior range.
    pilot : ndarray
        Log of the marginal likelihood of nu on the NuGrid, roughly.
    grid_nu : NuGrid
        The prior of nu.
    singular : bool
        Whether the likelihood is singular at sigma0 = 0.
    rounds : int
        Scans it took.
    """

    delta0: tuple[float, float]
    k_sigma0: tuple[float, float]
    axis_sigma0: Axis
    axis_delta0: Axis
    pilot: FloatArray
    grid_nu: NuGrid
    singular: bool
    rounds: int


@dataclass(frozen=True, eq=False)
class _Scan:
    """Log posterior mass around each point (centre, sigma0, nu) of a coarse grid."""

    centres: FloatArray
    k: FloatArray
    sigma0: FloatArray
    log_mass: FloatArray  # (C, S, N)
    width: FloatArray  # (C, S): conditional width of delta0
    log_cell: FloatArray  # (C, S): log of that times dsigma0/dk
    pilot: FloatArray

    @property
    def best(self) -> float:
        return float(self.log_mass.max())


def sigma0_axis(standard: Standard, singular: bool) -> Axis:
    """Coordinate of sigma0 over the whole of its prior."""
    smallest = 1e-6 * standard.s.min()
    upper = standard.sigma0_upper
    inner = np.geomspace(min(smallest, upper / 2), upper, 41)
    return equidistribute(information_sigma0(standard, singular), np.append(0.0, inner))


def nu_rule(
    grid: NuGrid, pilot: FloatArray, length: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Gauss rule for prior times pilot.

    Returns
    -------
    xi, weight, log_pilot : ndarray of shape (length,)
        Nodes, increasing in xi = 1 / (1 + nu - offset). An integral of f against the prior
        is sum(weight * f / exp(log_pilot)), up to a factor.
    """
    mass = grid.mass * np.exp(pilot - pilot.max())
    mass = np.where(mass > 1e-12 * mass.max(), mass, 0.0)
    xi, weight = gauss_rule(grid.xi, mass, length)
    rising = slice(None, None, -1)  # xi falls as nu rises
    log_pilot = np.interp(xi, grid.xi[rising], (pilot - pilot.max())[rising])
    return xi, weight, log_pilot


def log_evidence(mass: FloatArray, weight: FloatArray) -> FloatArray:
    """Log marginal likelihood of each node of nu over the pilot, up to a constant.

    Parameters
    ----------
    mass : ndarray of shape (., ., N)
        Posterior masses.
    weight : ndarray of shape (N,)
        Of the rule in nu.
    """
    return np.asarray(np.log(np.maximum(mass.sum((0, 1)), 1e-300) / weight))


def locate(standard: Standard, settings: Settings) -> Box:
    """Find the box: scan over centres, sigma0 and nu, narrowing until a step is about one sd.

    Centres are the data's means (or quantiles of them), their mean, median and weighted mean:
    every mode of delta0 is near one of them. A point's mass is its posterior density times the
    conditional width of delta0. Points more than `depth` nats below the best are left.
    """
    rules = _cheap_rules(standard)
    grid = nu_grid(standard.nu_prior)
    axis = sigma0_axis(standard, singular=False)
    singular = False
    centres, span = _centres(standard, settings.centres), (0.0, float(axis.knots[-1]))
    pilot = np.zeros_like(grid.log_x)
    for done in range(1, _ROUNDS + 1):
        scan = _scan(standard, rules, axis, grid, centres, span, pilot)
        pilot = scan.pilot
        step = scan.k[-1] - scan.k[-2]
        if not singular and span[0] == 0 and _is_singular(scan):
            singular = True
            axis = sigma0_axis(standard, singular)
            span = (0.0, float(axis.knots[-1]))
            continue
        previous, span = span, _narrowed(scan, step, settings.depth, float(axis.knots[-1]))
        fine = step < 2.0 and not _cuts(scan, float(axis.knots[-1]))
        if fine or (done > 2 and span[1] - span[0] > 0.75 * (previous[1] - previous[0])):
            break
        near = scan.log_mass.max((1, 2)) > scan.best - settings.depth - 20
        centres = centres[near] if near.sum() >= 5 else centres
    return _box(standard, settings, scan, span, axis, grid, singular, done)


def _cheap_rules(standard: Standard) -> list[Within]:
    """Rows as single normals where the kernel is nearly one; else coarse mixtures."""
    if standard.n.min() >= 40 and standard.sigma_upper > 3 * np.sqrt(
        (standard.a / (standard.n - 2)).max()
    ):
        variance = (standard.s**2 * (standard.n - 2) / (standard.n - 4))[:, None]
        return [Within(standard.xbar, variance, np.ones_like(variance))]
    return within_rules(standard, 0.1, 6.0)


def _centres(standard: Standard, most: int) -> FloatArray:
    x, q = standard.xbar, standard.q
    few = 3 * most // 4
    spread = x if q <= most else np.quantile(x, (np.arange(few) + 0.5) / few)
    precision = 1 / standard.s**2
    extra = [x.mean(), np.median(x), (x * precision).sum() / precision.sum()]
    between = (x[1:] + x[:-1]) / 2 if q <= 12 else np.empty(0)
    bound = 0.999 * standard.delta0_bound
    every = np.clip(np.concatenate([spread, extra, between]), -bound, bound)
    # for even q the median is a mean of neighbours, too, but for rounding
    return _distinct(every, 1e-9 * bound)


def _scan(
    standard: Standard,
    rules: list[Within],
    axis: Axis,
    grid: NuGrid,
    centres: FloatArray,
    span: tuple[float, float],
    pilot: FloatArray,
) -> _Scan:
    """One round: the log posterior mass around each point, and a better pilot for nu."""
    k = np.linspace(span[0], span[1], _SCAN_SIGMA0)
    if span[0] == 0:
        k = np.insert(k, 1, min(0.1, k[1] / 2))
    sigma0 = np.maximum(axis.at(k), 1e-7 * standard.s.min())
    xi, weight, log_pilot = nu_rule(grid, pilot, _SCAN_NU)
    nu = grid.nu_at(xi)
    between = between_grid(
        (sigma0[0], sigma0[-1]),
        (nu.min(), nu.max()),
        floor=0.03 * standard.s.min(),
        reach=np.ptp(standard.xbar) + standard.s.max() + 0.1 * sigma0[-1],
        tolerance=5e-2,
    )
    value = log_likelihood(rules, between, centres, sigma0, nu)
    z2 = (centres[:, None] - standard.xbar) ** 2 + standard.s**2
    width = np.sum(1 / (z2[:, None, :] + (sigma0**2)[:, None]), axis=2) ** -0.5
    width = np.minimum(width, 2 * standard.delta0_bound)
    log_cell = np.log(axis.jacobian(k)) + np.log(width)
    log_mass = value - log_pilot + np.log(weight) + log_cell[:, :, None]
    evidence = log_evidence(np.exp(log_mass - log_mass.max()), weight) + log_pilot
    # A smooth pilot leaves a smooth integrand to the Gauss rule; far apart, values would ring.
    better = extend(xi, evidence, grid.xi, smooth=bool(np.ptp(evidence) < 20))
    return _Scan(centres, k, sigma0, log_mass, width, log_cell, better - better.max())


def _is_singular(scan: _Scan) -> bool:
    """Whether the likelihood still varies where sigma0 is far below every scale of the data.

    There a regular likelihood is flat, but one with an outlier is proportional to sigma0^nu, and
    for nu < 1 every row has a cusp of that power. The first two values of a scan from zero are 0
    and a tenth of a unit; a nu counts if it has mass near by.
    """
    profile = (scan.log_mass - scan.log_cell[:, :, None]).max(0)  # (S, N)
    relevant = scan.log_mass[:, 1].max(0) > scan.best - 18
    return bool(np.any(relevant & (np.abs(profile[1] - profile[0]) > 0.3)))


def _narrowed(scan: _Scan, step: float, depth: float, last: float) -> tuple[float, float]:
    """Range of sigma0's coordinate within `depth` nats, a step wider on either side."""
    slack = depth + min(4.0, step**2 / 8)  # which a normal peak between two nodes is higher
    profile = scan.log_mass.max((0, 2)) - scan.best + slack
    kept = np.flatnonzero(profile > 0)
    least_margin = 0.25 * (scan.k[-1] - scan.k[0]) if _cuts(scan, last) else 0.0
    below, above = (
        max(step * _steps_beyond(side), least_margin) for side in (profile[::-1], profile)
    )
    low, high = scan.k[kept[0]], scan.k[kept[-1]]
    # 0 itself, where an outlier makes the likelihood singular, only if there is mass
    least = low / 4 if kept[0] > 0 else 0.0
    return max(least, low - below), min(last, high + above)


def _steps_beyond(profile: FloatArray) -> float:
    """Steps in which a profile falls to 0 beyond its end, as steep as there: 1 to 4."""
    fall = max(profile[-2] - profile[-1], 1.0)
    return float(np.clip(profile[-1] / fall, 1.0, 4.0))


def _cuts(scan: _Scan, last: float) -> bool:
    """Whether the posterior goes on beyond the scan: sigma0 moves with the pilot of nu."""
    profile = scan.log_mass.max((0, 2)) > scan.best - _CUT
    return bool((profile[0] and scan.k[0] > 0) or (profile[-1] and scan.k[-1] < last))


def _box(
    standard: Standard,
    settings: Settings,
    scan: _Scan,
    span: tuple[float, float],
    axis: Axis,
    grid: NuGrid,
    singular: bool,
    rounds: int,
) -> Box:
    """Range and coordinate of delta0 from the last scan.

    Around a centre, gap nats above the depth, a normal of that width reaches
    width * (2 gap)^(1/2).
    """
    profile = scan.log_mass.max(2)
    gap = profile - (scan.best - settings.depth)
    reach = 1.1 * scan.width * np.sqrt(2 * np.maximum(gap, 0))
    bound = standard.delta0_bound
    low = max(-bound, float((scan.centres[:, None] - reach)[gap > 0].min()))
    high = min(bound, float((scan.centres[:, None] + reach)[gap > 0].max()))
    massive = (profile > scan.best - 9).any(1)
    smallest = scan.sigma0[np.argmax(profile[massive] > scan.best - 9, axis=1)]
    pick = np.unique(np.linspace(0, massive.sum() - 1, 24).round().astype(int))
    density = information_delta0(standard, scan.centres[massive][pick], smallest[pick])
    start = [np.linspace(-bound, bound, 65), np.linspace(low, high, 65), scan.centres]
    if standard.q <= 64:
        start.append(np.clip(standard.xbar, -bound, bound))
    knots = _distinct(np.concatenate(start), 1e-9 * bound)
    return Box(
        (low, high), span, axis, equidistribute(density, knots), scan.pilot, grid, singular, rounds
    )


def _distinct(x: FloatArray, tolerance: float) -> FloatArray:
    x = np.unique(x)
    return x[np.append(True, np.diff(x) > tolerance)]
