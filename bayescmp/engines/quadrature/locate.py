"""Location of the posterior: a coarse scan that narrows in on the box worth a fine grid."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from bayescmp.engines.quadrature.kernel import (
    FoldMixtures,
    between_grid,
    log_likelihood,
    mixing_nodes,
    within_rules,
)
from bayescmp.engines.quadrature.problem import (
    NU_MAX,
    FloatArray,
    NuGrid,
    Settings,
    StandardProblem,
    gauss_rule,
    nu_grid,
)

# Cubic Hermite interpolation, as SciPy does it: `scipy.interpolate` takes longer to import than a
# fit takes. These are its operations in its order; a test holds the two equal to the last bit.


_FAR_APART = 10.0  # nats


class Hermite:
    """A piecewise cubic with values and slopes at increasing knots `x`, all (m,), and beyond."""

    def __init__(self, x: FloatArray, y: FloatArray, slope: FloatArray) -> None:
        width = x[1:] - x[:-1]
        chord = (y[1:] - y[:-1]) / width
        bend = (slope[:-1] + slope[1:] - 2 * chord) / width
        self._knots, self._values, self._width = x, y, width
        #: Coefficients of the pieces, in powers of the distance from their left knot.
        self._c = np.array([y[:-1], slope[:-1], (chord - slope[:-1]) / width - bend, bend / width])

    def __call__(self, x: FloatArray) -> FloatArray:
        """Return the values at x."""
        k = self._knots[1:-1].searchsorted(x, side="right")
        d, (c0, c1, c2, c3) = x - self._knots[k], self._c.take(k, axis=1)
        square = d * d
        return np.asarray(c0 + c1 * d + c2 * square + c3 * (square * d))

    def derivative(self, x: FloatArray) -> FloatArray:
        """Return the derivatives at x."""
        k = self._knots[1:-1].searchsorted(x, side="right")
        d, (_, c1, c2, c3) = x - self._knots[k], self._c.take(k, axis=1)
        return np.asarray(c1 + c2 * d * 2 + c3 * (d * d) * 3)

    def split(self, parts: int) -> FloatArray:
        """Return the values at the knots and where they divide each piece into equal parts."""
        d = self._width[:, None] * (np.arange(parts) / parts)
        c0, c1, c2, c3 = self._c[:, :, None]
        return np.append(c0 + d * (c1 + d * (c2 + d * c3)), self._values[-1])

    def inverse(self, y: FloatArray) -> FloatArray:
        """Find where an increasing function takes the values y, by three of Newton's steps."""
        k = self._values[1:-1].searchsorted(y, side="right")
        width = self._width[k]
        c0, c1, c2, c3 = self._c.take(k, axis=1)
        rise = y - c0
        d = rise / (self._values[k + 1] - c0) * width
        for _ in range(3):
            slope = c1 + d * (2 * c2 + 3 * c3 * d)
            excess = d * (c1 + d * (c2 + d * c3)) - rise
            d = np.minimum(np.maximum(d - excess / np.maximum(slope, 1e-300), 0.0), width)
        return self._knots[k] + d


def monotone_cubic(x: FloatArray, y: FloatArray) -> Hermite:
    """Interpolate monotonely (PCHIP; Fritsch & Butland 1984, ends by Moler 2004, section 3.6)."""
    width = np.diff(x)
    chord = np.diff(y) / width
    if len(x) == 2:
        return Hermite(x, y, np.repeat(chord, 2))
    slope = np.zeros(len(x))
    left, right = chord[:-1], chord[1:]
    steady = np.sign(left) * np.sign(right) > 0
    w1, w2 = 2 * width[1:] + width[:-1], width[1:] + 2 * width[:-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = (w1 / left + w2 / right) / (w1 + w2)
    slope[1:-1][steady] = 1 / mean[steady]
    slope[0] = _end_slope(width[0], width[1], chord[0], chord[1])
    slope[-1] = _end_slope(width[-1], width[-2], chord[-1], chord[-2])
    return Hermite(x, y, slope)


def _end_slope(h0: float, h1: float, m0: float, m1: float) -> float:
    """Return the slope of the parabola through the outer three values, kept monotone there."""
    slope = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    if np.sign(slope) != np.sign(m0):
        return 0.0
    turning = np.sign(m0) != np.sign(m1) and abs(slope) > 3 * abs(m0)
    return 3 * m0 if turning else slope


def extend(x: FloatArray, y: FloatArray, at: FloatArray) -> FloatArray:
    """Interpolate cubically inside the nodes, monotone if steep; outside linearly."""
    if len(x) == 1:
        return np.full(np.shape(at), y[0])
    if len(x) > 3 and np.ptp(y) < _FAR_APART:
        inside = Hermite(x, y, np.gradient(y, x, edge_order=2))(np.clip(at, x[0], x[-1]))
    else:
        inside = monotone_cubic(x, y)(np.clip(at, x[0], x[-1]))
    left = (y[1] - y[0]) / (x[1] - x[0]) * np.minimum(at - x[0], 0.0)
    right = (y[-1] - y[-2]) / (x[-1] - x[-2]) * np.maximum(at - x[-1], 0.0)
    return np.asarray(inside + np.minimum(left, 2.0) + np.minimum(right, 2.0))


# Coordinates in which the posterior is about one unit wide, and the refinement of grids.


_PLACING = 500  # rows


@dataclass(frozen=True, eq=False)
class Axis:
    """A monotone map from a coordinate k to a parameter x, dx/dk = 1 / density(x).

    `knots` and `values` (m,) are of k and x; `forward` is x(k).
    """

    knots: FloatArray
    values: FloatArray
    forward: Hermite

    def parameter(self, k: FloatArray) -> FloatArray:
        """Return the parameter x at the coordinate k."""
        return self.forward(k)

    def jacobian(self, k: FloatArray) -> FloatArray:
        """Return the derivative dx/dk."""
        return np.maximum(self.forward.derivative(k), 1e-300)

    def coordinate(self, x: FloatArray) -> FloatArray:
        """Return the coordinate k at which the map takes the value x; x is clipped to the axis."""
        return self.forward.inverse(x)


def equidistribute(density: Callable[[FloatArray], FloatArray], start: FloatArray) -> Axis:
    """Make an axis along which one unit has one unit of the integral of a positive density.

    `density` is the reciprocal of the local width. `start` has the first knots; intervals are
    divided until each has less than 0.15 units. The axis begins at 0.
    """
    x, f = start, density(start)
    for _ in range(40):
        width = x[1:] - x[:-1]
        parts = np.ceil(np.minimum(np.maximum(f[1:], f[:-1]) * width / 0.15, 4)).astype(int)
        parts = np.append(np.maximum(parts, 1), 1)
        if len(x) == parts.sum() or len(x) > 20_000:
            break
        left, share = _divide_intervals(parts)
        new = share > 0
        x, f = x[left], f[left]
        x[new] += width[left[new]] * share[new]
        f[new] = density(x[new])
    k = np.concatenate([[0.0], np.cumsum(np.diff(x) * (f[1:] + f[:-1]) / 2)])
    return Axis(k, x, Hermite(k, x, 1 / f))


def _divide_intervals(parts: npt.NDArray[np.intp]) -> tuple[npt.NDArray[np.intp], FloatArray]:
    """Find where equal parts of intervals begin: each one's interval, and the share left of it."""
    left = np.repeat(np.arange(len(parts)), parts)
    part = np.arange(len(left)) - np.repeat(np.cumsum(parts) - parts, parts)
    return left, part / parts[left]


def _every(standard: StandardProblem) -> int:
    """Return the step through thousands of sorted rows: some place the nodes as well as all."""
    return max(1, standard.q // _PLACING)


def information_sigma0(
    standard: StandardProblem, singular: bool
) -> Callable[[FloatArray], FloatArray]:
    """Return the square root of a bound on the information about sigma0.

    A normal row with variance sigma0^2 + s_i^2 has 2 sigma0^2 / (sigma0^2 + s_i^2)^2; towards 0
    the likelihood still varies over (sum s_i^-4)^(-1/4). If it is singular there (an outlier), the
    coordinate is made logarithmic down to 0.001 of the smallest scale.
    """
    every = _every(standard)
    s2 = standard.s[::every] ** 2
    inner = 2.0 / np.sqrt(every * np.sum(s2**-2.0))
    floor = 1e-6 * standard.s.min() ** 2

    def density(sigma0: FloatArray) -> FloatArray:
        x2 = sigma0[:, None] ** 2
        information = every * np.sum(2 * (x2 + inner) / (x2 + s2) ** 2, axis=1)
        if singular:
            information += 4.0 / (sigma0**2 + floor)
        return np.asarray(np.sqrt(information))

    return density


def information_delta0(
    standard: StandardProblem, centres: FloatArray, sigma0: FloatArray
) -> Callable[[FloatArray], FloatArray]:
    """Return the square root of a bound on the information about delta0.

    sum_i 1 / (s_i^2 + sigma*^2(delta) + (xbar_i - delta)^2), where sigma* is the smallest sigma0
    with mass near delta: a soft minimum over the `centres` of sigma0^2 + distance^2 / 4.
    """
    every = _every(standard)
    s2, xbar = standard.s[::every] ** 2, standard.xbar[::every]
    c, c2 = centres, sigma0**2

    def density(delta: FloatArray) -> FloatArray:
        near = c2 + (delta[:, None] - c) ** 2 / 4
        least = near.min(axis=1, keepdims=True)
        floor2 = least * np.sum((near / least) ** -4.0, axis=1, keepdims=True) ** -0.25
        spread = s2 + floor2 + (delta[:, None] - xbar) ** 2
        return np.asarray(np.sqrt(every * np.sum(1 / spread, axis=1)))

    return density


# The scan of the prior.


BoolArray = npt.NDArray[np.bool_]

_SIGMA0 = 16  # nodes of the first scan, which span the prior
_NU, _FEWER_NU = 9, 5  # nodes of a scan, of the first
_STEP = 2.0  # of the last, in units of the coordinate of sigma0
_ROUNDS = 12
_NEARLY_NORMAL = np.log(50.0)  # of nu minus its offset; beyond it little changes
_MORE = 10.0  # nats below the depth that are looked at again
_AS_HIGH = 1e-6  # nats


@dataclass(frozen=True, eq=False)
class Box:
    """A region that contains the posterior, with the axes that place nodes in it.

    `delta0` and `k_sigma0` are ranges, of delta0 and of the coordinate of sigma0; `axis_sigma0`
    and `axis_delta0` are over the whole prior; `pilot` is roughly the log of the marginal
    likelihood of nu on the NuGrid; `singular` at sigma0 = 0; `rounds` counts scans.
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
    """Log posterior mass, to a unit of k, around each point of a grid that is coarse at first.

    A point stands for its cell of delta0, or for the smaller conditional width; of nu for its
    cell.
    """

    centres: FloatArray
    k: FloatArray
    log_x: FloatArray  # log of nu minus its offset, rising
    sigma0: FloatArray
    weight: FloatArray  # (N,): prior masses of the cells of nu
    log_mass: FloatArray  # (C, S, N)
    width: FloatArray  # (C, S): conditional width of delta0
    log_cell: FloatArray  # (C, S): log of the width or the cell times dsigma0/dk

    @property
    def best(self) -> float:
        return float(self.log_mass.max())

    def holds(self, nats: float) -> BoolArray:
        """Return whether a point so many nats below the best may lie between two neighbours in k.

        A peak between two points h units apart is up to h^2 / 8 nats higher than they are.
        """
        profile = self.log_mass.max((0, 2))
        higher = np.maximum(profile[1:], profile[:-1]) + np.diff(self.k) ** 2 / 8
        return np.asarray(higher > self.best - nats)

    def splits(self, nats: float) -> BoolArray:
        """Return whether each gap in k with points so high is too wide."""
        return self.holds(nats) & (np.diff(self.k) > _STEP)

    def finer_k(self, nats: float) -> FloatArray:
        """Return the values of k around points so high, and between those that are far apart."""
        holds = self.holds(nats)
        beside = np.append(holds, False) | np.append(False, holds)
        gap = np.append(np.where(holds, np.diff(self.k), 0.0), 0.0)
        left, share = _divide_intervals(np.maximum(np.ceil(gap / _STEP), 1).astype(int))
        between = self.k[left] + gap[left] * share
        return np.sort(np.concatenate([self.k[beside], between[share > 0]]))

    def narrower_nu(self, nats: float) -> tuple[float, float]:
        """Return the range of log x around points so high; a peak among three may be higher."""
        profile = self.log_mass.max((0, 1))
        bend = float(np.max(-np.diff(profile, 2), initial=0.0))
        kept = np.flatnonzero(profile > self.best - nats - bend / 8)
        last = len(profile) - 1
        return (
            float(self.log_x[max(kept[0] - 1, 0)]),
            float(self.log_x[min(kept[-1] + 1, last)]),
        )

    def thin_centres(self, nats: float) -> FloatArray:
        """Keep centres with points so high, unless a neighbour is within a width of each.

        Widths shrink with sigma0: one mode for a large sigma0 may be several for a small one.
        """
        height = self.log_mass.max(2)  # (C, S)
        counts = height > self.best - nats - np.diff(self.k).max() ** 2 / 8
        top = height.max(1)
        apart = np.abs(self.centres - self.centres[:, None])
        higher = top > top[:, None] + _AS_HIGH
        beside = higher[:, :, None] & (apart[:, :, None] < 0.7 * self.width[:, None])
        alone, kept = counts.copy(), np.zeros(len(top), bool)
        for c in np.argsort(-top, kind="stable")[: counts.any(1).sum()]:
            if alone[c].any():
                kept[c] = True
                alone &= ~beside[:, c]
        return self.centres[kept]


@lru_cache(maxsize=4)
def sigma0_axis(standard: StandardProblem, singular: bool) -> Axis:
    """Make the coordinate of sigma0 over the whole of its prior."""
    smallest = 1e-6 * standard.s.min()
    upper = standard.sigma0_upper
    inner = np.geomspace(min(smallest, upper / 2), upper, 41)
    return equidistribute(information_sigma0(standard, singular), np.append(0.0, inner))


def nu_rule(
    grid: NuGrid, pilot: FloatArray, length: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Make a Gauss rule for prior times pilot: xi, weight and log_pilot, each (length,).

    Nodes increase in xi = 1 / (1 + nu - offset). An integral of f against the prior is sum(weight
    * f / exp(log_pilot)).
    """
    pilot = pilot - pilot.max()
    mass = grid.mass * np.exp(pilot)
    kept = mass > 1e-12 * mass.max()
    xi, weight = gauss_rule(grid.xi[kept], mass[kept], length)
    rising = slice(None, None, -1)  # xi falls as nu rises
    log_pilot = np.interp(xi, grid.xi[rising], pilot[rising])
    return xi, weight, log_pilot - np.log(mass[kept].sum())


def log_evidence(mass: FloatArray, weight: FloatArray) -> FloatArray:
    """Compute the log marginal likelihood of each node of nu over the pilot, up to a constant.

    `mass` is (., ., N), and `weight` the rule's in nu, (N,).
    """
    return np.asarray(np.log(np.maximum(mass.sum((0, 1)), 1e-300) / weight))


def locate(standard: StandardProblem, settings: Settings, known: bool = False) -> Box:
    """Find the box: scan the whole prior, and again between the points that have mass.

    Centres of delta0 are the data's means (or quantiles), their mean, median and weighted mean,
    and where fits of a t by iterated weights end. Values of nu and sigma0 span their priors;
    sigma0's are added between points no more than `depth` nats below the best, until they are
    `_STEP` apart. A scan that checks another starts from the bounds of the prior, the most precise
    rows, the narrowest groups of rows, and other values. It may be `known` that the likelihood is
    singular at sigma0 = 0.
    """
    rules = _cheap_rules(standard)
    nodes = _SIGMA0 + (1 if settings.elsewhere else 0)
    every = (_other_centres if settings.elsewhere else _centres)(standard, settings.centres)
    for singular in (False, True)[known:]:
        axis = sigma0_axis(standard, singular)
        search = _BoxSearch(standard, rules, axis, nu_grid(standard.nu_prior), singular)
        scan = search.scan(every, _spread(axis, nodes), None)
        if not singular and _is_singular(scan):
            continue
        scan, rounds = search.close_in(scan, settings.depth + _MORE)
        if singular or not _is_sharp(scan):
            break
    return search.box(scan, settings.depth, rounds)


@dataclass(frozen=True, eq=False)
class _BoxSearch:
    """The constants of all scans."""

    standard: StandardProblem
    rules: list[FoldMixtures]
    axis: Axis  # of sigma0
    grid_nu: NuGrid
    singular: bool

    def scan(self, centres: FloatArray, k: FloatArray, ends: tuple[float, float] | None) -> _Scan:
        """Compute log posterior masses around points, nu between the ends or over its prior."""
        standard, axis, grid = self.standard, self.axis, self.grid_nu
        log_x, weight = _nu_cells(grid, ends)
        nu = np.minimum(np.exp(log_x) + grid.offset, NU_MAX)
        sigma0 = np.maximum(axis.parameter(k), 1e-7 * standard.s.min())
        between = between_grid(
            (sigma0[0], sigma0[-1]),
            (nu.min(), nu.max()),
            floor=0.03 * standard.s.min(),
            reach=np.ptp(standard.xbar) + standard.s.max() + 0.1 * sigma0[-1],
            tolerance=5e-2,
        )
        value = log_likelihood(self.rules, mixing_nodes(between, sigma0, nu), centres)
        z2 = (centres[:, None] - standard.xbar) ** 2 + standard.s**2
        width = np.sum(1 / (z2[:, None, :] + (sigma0**2)[:, None]), axis=2) ** -0.5
        width = np.minimum(width, 2 * standard.delta0_bound)
        apart = np.diff(centres) / 2
        cell = sum(
            np.minimum(side[:, None], 1.25 * width)
            for side in (np.append(apart, np.inf), np.append(np.inf, apart))
        )
        log_cell = np.log(axis.jacobian(k)) + np.log(cell)
        log_mass = value.reshape(*log_cell.shape, -1) + np.log(weight) + log_cell[:, :, None]
        return _Scan(centres, k, log_x, sigma0, weight, log_mass, width, log_cell)

    def close_in(self, scan: _Scan, nats: float) -> tuple[_Scan, int]:
        """Scan around the points that matter until they are close together; count the scans."""
        ends, rounds = None, 1
        while rounds < _ROUNDS:
            around = scan.narrower_nu(nats)
            narrower = np.ptp(around) < np.ptp(scan.log_x) / 1.5
            if not (narrower or scan.splits(nats).any()):
                break
            ends = around if narrower else ends
            scan = self.scan(scan.thin_centres(nats), scan.finer_k(nats), ends)
            rounds += 1
        return scan, rounds

    def box(self, scan: _Scan, depth: float, rounds: int) -> Box:
        """Find the ranges of both, and the coordinate of delta0.

        Around a centre, gap nats above the depth, a normal reaches width * (2 gap)^(1/2).
        """
        standard = self.standard
        profile = scan.log_mass.max(2)
        gap = profile - (scan.best - depth)
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
        knots = _merge_close(np.concatenate(start), 1e-9 * bound)
        axis_delta0 = equidistribute(density, knots)
        span = _span(scan, depth, float(self.axis.knots[-1]))
        pilot = _pilot(scan, self.grid_nu)
        return Box(
            (low, high), span, self.axis, axis_delta0, pilot, self.grid_nu, self.singular, rounds
        )


def _spread(axis: Axis, nodes: int) -> FloatArray:
    """Return coordinates of sigma0 over its prior; the second shows whether 0 is singular."""
    k = np.linspace(0.0, axis.knots[-1], nodes)
    return np.insert(k, 1, min(0.1, k[1] / 2))


def _pilot(scan: _Scan, grid: NuGrid) -> FloatArray:
    """Smooth the log marginal likelihood of nu on the fine grid: a Gauss rule dislikes kinks."""
    mass = np.exp(scan.log_mass - scan.best) * _trapezoid(scan.k)[:, None]
    pilot = extend(scan.log_x, log_evidence(mass, scan.weight), grid.log_x)
    sd = scan.log_x[1] - scan.log_x[0]
    pilot = _smooth(pilot, sd / (grid.log_x[1] - grid.log_x[0]))
    return np.asarray(pilot - pilot.max())


def _nu_cells(grid: NuGrid, ends: tuple[float, float] | None) -> tuple[FloatArray, FloatArray]:
    """Return equidistant values of log x between the ends and the prior masses of their cells."""
    if ends is None:
        low, high = np.interp([1e-3, 1 - 1e-5], grid.cumulated_masses, grid.log_x)
        log_x = np.linspace(low, min(high, max(_NEARLY_NORMAL, low + 1)), _FEWER_NU)
    else:
        log_x = np.linspace(*ends, _NU)
    middles = (log_x[1:] + log_x[:-1]) / 2
    half = middles[0] - log_x[0]
    outer = [-np.inf, np.inf] if ends is None else [log_x[0] - half, log_x[-1] + half]
    edges = np.concatenate([outer[:1], middles, outer[1:]])
    below = np.interp(edges, grid.log_x, grid.cumulated_masses, left=0.0, right=1.0)
    return log_x, np.maximum(np.diff(below), 1e-300)


def _smooth(y: FloatArray, sd: float) -> FloatArray:
    """Average the values around each, with normal weights of this sd in places."""
    reach = min(int(np.ceil(3 * sd)), len(y))
    weight = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sd) ** 2)
    padded = np.concatenate([np.full(reach, y[0]), y, np.full(reach, y[-1])])
    return np.convolve(padded, weight / weight.sum(), mode="valid")


def _trapezoid(k: FloatArray) -> FloatArray:
    gap = np.diff(k)
    return np.asarray((np.append(gap, 0.0) + np.append(0.0, gap)) / 2)


@lru_cache(maxsize=2)  # two integrations scan with the same
def _cheap_rules(standard: StandardProblem) -> list[FoldMixtures]:
    """Take rows as single normals where the kernel is nearly one, else as coarse mixtures."""
    if standard.n.min() >= 40 and standard.sigma_upper > 3 * np.sqrt(
        (standard.a / (standard.n - 2)).max()
    ):
        variance = (standard.s**2 * (standard.n - 2) / (standard.n - 4))[:, None]
        return [FoldMixtures(standard.xbar, variance, np.ones_like(variance))]
    return within_rules(standard, 0.1, 6.0)


def _centres(standard: StandardProblem, most: int) -> FloatArray:
    x, q = standard.xbar, standard.q
    few = 3 * most // 4
    spread = x if q <= most else _quantiles(x, (np.arange(few) + 0.5) / few)
    precision = 1 / standard.s**2
    extra = [x.mean(), *_quantiles(x, [0.5]), (x * precision).sum() / precision.sum()]
    between = (x[1:] + x[:-1]) / 2 if q <= 12 else np.empty(0)
    bound = standard.delta0_bound
    every = np.concatenate([spread, extra, between, _fitted_locations(standard)])
    every = np.clip(every, -bound, bound)
    return _merge_close(every, 0.1 * float(standard.s.min()) / np.sqrt(q))


def _other_centres(standard: StandardProblem, most: int) -> FloatArray:
    """Return where a scan starts that shares nothing with another but the data."""
    x, q, bound = standard.xbar, standard.q, standard.delta0_bound
    precise = x[np.argsort(standard.s, kind="stable")[: most // 4]]
    few = min(q, most // 3)
    spread = _quantiles(x, np.arange(few) / max(few - 1, 1))
    groups = [_narrowest(x, max(2, round(share * q))) for share in (0.05, 0.15, 0.3, 0.5, 0.7)]
    ends = [-bound, bound]
    every = np.concatenate([precise, spread, groups, ends])
    return _merge_close(np.clip(every, -bound, bound), 1e-9 * bound)


def _quantiles(x: FloatArray, probs: npt.ArrayLike) -> FloatArray:
    """Return quantiles of sorted values, 20 times as fast as `numpy.quantile`."""
    return np.asarray(np.interp(np.asarray(probs) * (len(x) - 1), np.arange(len(x)), x))


def _narrowest(x: FloatArray, size: int) -> float:
    """Return the middle of the shortest interval with so many of the sorted values."""
    widths = x[size - 1 :] - x[: len(x) - size + 1]
    first = int(np.argmin(widths))
    return float((x[first] + x[first + size - 1]) / 2)


def _fitted_locations(standard: StandardProblem) -> FloatArray:
    """Find where delta0 settles, by iterated weights of a t, for various sigma0, nu and starts."""
    every = max(1, standard.q // 300)
    x, v = standard.xbar[::every], standard.s[::every] ** 2
    shares = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
    scale = np.geomspace(max(np.sqrt(v.min()), 1e-3 * np.std(x)), np.std(x) + np.sqrt(v.min()), 4)
    spread = (v + scale[:, None] ** 2)[:, None, :]  # (sigma0, 1, q)
    at = np.broadcast_to(_quantiles(x, shares), (len(scale), len(shares)))
    nu = 1.5
    for _ in range(12):
        weight = 1 / (nu * spread + (x - at[..., None]) ** 2)
        at = (weight @ x) / weight.sum(-1)
    return np.asarray(at.ravel())


def _is_singular(scan: _Scan) -> bool:
    """Whether the likelihood still varies where sigma0 is far below every scale of the data.

    With an outlier it is proportional to sigma0^nu, and for nu < 1 every row has a cusp. The first
    two values of a scan are 0 and a tenth of a unit; a nu counts if it has mass near by.
    """
    profile = (scan.log_mass - scan.log_cell[:, :, None]).max(0)  # (S, N)
    relevant = scan.log_mass[:, 1].max(0) > scan.best - 18
    return bool(np.any(relevant & (np.abs(profile[1] - profile[0]) > 0.3)))


def _is_sharp(scan: _Scan) -> bool:
    """Whether the best point's neighbours in k are so far below it that a unit is too wide."""
    profile = scan.log_mass.max((0, 2))
    i = int(profile.argmax())
    steep = [
        (profile[i] - profile[j]) / max(abs(scan.k[i] - scan.k[j]), 0.5) ** 2
        for j in (i - 1, i + 1)
        if 0 <= j < len(profile)
    ]
    return max(steep) > 3.0


def _span(scan: _Scan, depth: float, last: float) -> tuple[float, float]:
    """Return the range of sigma0's coordinate within `depth` nats, up to the points beyond."""
    profile = scan.log_mass.max((0, 2))
    kept = np.flatnonzero(profile > scan.best - depth)
    first, end = int(kept[0]), int(kept[-1])
    # 0 itself, where an outlier makes the likelihood singular, only if there is mass
    low = 0.0 if first == 0 else max(scan.k[first - 1], scan.k[first] / 4)
    return float(low), float(scan.k[end + 1]) if end + 1 < len(scan.k) else last


def _merge_close(x: FloatArray, tolerance: float) -> FloatArray:
    """Return the values, increasing; of those closer than this to the next, the middle."""
    x = np.sort(x)
    apart = x[1:] - x[:-1] > tolerance
    return np.asarray((x[np.append(True, apart)] + x[np.append(apart, True)]) / 2)
