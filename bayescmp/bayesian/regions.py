"""The four regions of several metrics: equivalent, first dominates, second dominates, trade-off.

Differences are second minus first, higher is better. With one ROPE per metric, a box around the
origin, a difference μ of p metrics is

- equivalent if all its components are within their ROPEs (whose bounds belong to them);
- first if at least one is left of its ROPE and none right of it: the first dominates;
- second if at least one is right of its ROPE and none left of it;
- trade_off if one is left and another right.

In a metric whose ROPE is 0 only a difference of exactly zero is neither left nor right.

A multivariate t on a subspace is x = m + A z √(ν/w) with z ~ N(0, I_r), w ~ χ²_ν and A of shape
(p, r). For its **region probabilities** write x = m + s·Au with u uniform on the unit sphere and s
the signed radius, s²/r ~ F(r, ν). Along u each metric is monotone, so that "worse in no metric" is
one interval of s, "better in no metric" another, and "equivalent" their intersection, with exact
probabilities. What is left is an average over directions, of a continuous function of r − 1
variables (Genz & Bretz 2009, section 4.1), by Sobol' points under independent random digital
shifts, whose spread gives the standard error (Owen 1998). There is no error with r = 1, nor with
two metrics: the box's four corners cut out their regions, and there the bivariate t's distribution
function is a finite sum (Dunnett & Sobel 1954).

References
----------
Genz & Bretz (2009), Computation of Multivariate Normal and t Probabilities; Owen (1998), ACM
Transactions on Modeling and Computer Simulation 8:71-102; Dunnett & Sobel (1954), Biometrika
41:153-169; Kotz & Nadarajah (2004), Multivariate t Distributions and Their Applications.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import fdtri, gammaln, ndtri, stdtr

from bayescmp.base.magnitudes import ROUNDING
from bayescmp.base.typing import Json
from bayescmp.errors import unknown_name
from bayescmp.results.diagnostics import share_errors
from bayescmp.results.posterior import split_mass
from bayescmp.results.regions import FOUR
from bayescmp.results.verdict import lead_of
from bayescmp.scores.rope import Rope, Ropes

# The four regions of several metrics: equivalent, first dominates, second dominates, trade-off.


REGIONS = FOUR.regions
EQUIVALENT, FIRST, SECOND, TRADE_OFF = range(4)


def classify(x: np.ndarray, ropes: Ropes) -> np.ndarray:
    """Return the region of each difference, (..., p), as an index into `REGIONS`: shape (...)."""
    worse, better = sides(x, ropes)
    return FIRST * worse.astype(np.int8) + SECOND * better.astype(np.int8)


def membership(x: np.ndarray, ropes: Ropes) -> np.ndarray:
    """Return shares of differences, (..., p), in the regions, (..., 4); ties are ½."""
    region = classify(x, ropes)
    shares = np.stack([region == r for r in range(4)], axis=-1).astype(float)
    return _without_equivalence(shares) if ropes.empty else shares


def locate_draws(delta: np.ndarray, rope: Rope) -> np.ndarray:
    """Return shares of draws of one difference left of, in and right of a ROPE: (..., 3)."""
    return split_mass((delta < rope.low).astype(float), (delta > rope.high).astype(float), rope)


def weigh_draws(delta: np.ndarray, ropes: Ropes, *, independent: bool = False) -> Json:
    """Return a verdict's facts from draws of differences, (chain, draw, p), in the regions."""
    shares = membership(delta, ropes)
    return {
        "p": shares.mean(axis=(0, 1)),
        "errors": share_errors(shares, independent=independent),
        "floor": 1 / shares[..., 0].size,
        **lead_of(delta),
    }


def sides(x: np.ndarray, ropes: Ropes) -> tuple[np.ndarray, np.ndarray]:
    """Return whether a difference is left of a ROPE in some metric, and right of one in some."""
    low, high = ropes.low, ropes.high
    worse, better = x[..., 0] < low[0], x[..., 0] > high[0]
    for j in range(1, len(ropes)):
        worse |= x[..., j] < low[j]
        better |= x[..., j] > high[j]
    return worse, better


def _without_equivalence(shares: np.ndarray) -> np.ndarray:
    """Give half of the mass that is in no other region to each algorithm."""
    half = shares[..., EQUIVALENT] / 2
    split = shares.copy()
    split[..., FIRST] += half
    split[..., SECOND] += half
    split[..., EQUIVALENT] = 0.0
    return split


def region_index(outcome: str) -> int:
    """Return the index of an outcome that is named as a decision or a region."""
    plain = {"trade-off": "trade_off", "left": "first", "right": "second"}
    plain |= dict.fromkeys(("rope", "not worse"), "equivalent")
    name = plain.get(outcome, outcome)
    if name not in REGIONS:
        raise unknown_name("outcome", outcome, REGIONS)
    return REGIONS.index(name)


# Multivariate t distributions on a subspace, and what a box of ROPEs cuts out of them.


#: Directions by default, a line counted as two; and in four and more dimensions.
POINTS, MORE_POINTS = 16_384, 32_768
#: Degrees of freedom at and above which lines cost less than a sum with a term for every two.
MOST_TERMS = 300
#: Standard units beyond which no probability is left.
FARTHEST = 1e30
#: Independent shifts, whose spread is the error.
REPLICATES = 8
#: Bits of a Sobol' point.
BITS = 30


@dataclass(frozen=True, eq=False)
class MultivariateT:
    """Multivariate t around `location` (p,), of `df`, with scale matrix AAᵀ (`factor`)."""

    df: float
    location: np.ndarray
    factor: np.ndarray

    @property
    def rank(self) -> int:
        """Dimension r of the subspace."""
        return int(self.factor.shape[1])

    @property
    def scale(self) -> np.ndarray:
        """The scale matrix AAᵀ, shape (p, p); the covariance is ν/(ν − 2) times it."""
        return np.asarray(self.factor @ self.factor.T)

    @property
    def scales(self) -> np.ndarray:
        """Scales of the marginals, shape (p,)."""
        return np.sqrt(np.sum(self.factor**2, axis=1))

    def linear(self, matrix: np.ndarray) -> MultivariateT:
        """Return the distribution of Mx for a matrix of shape (k, p): again a multivariate t."""
        factor = matrix @ self.factor
        if factor.shape[1] > factor.shape[0]:  # no more columns than rows: AAᵀ = (LQ)(LQ)ᵀ = LLᵀ
            factor = np.asarray(np.linalg.qr(factor.T, mode="r")).T
        return MultivariateT(self.df, matrix @ self.location, factor)

    def sample(self, rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        """Draw independently, in shape (*shape, p)."""
        z = rng.standard_normal((*shape, self.rank))
        w = rng.chisquare(self.df, (*shape, 1)) / self.df
        return np.asarray(self.location + (z / np.sqrt(w)) @ self.factor.T)

    def radius(self, prob: float) -> float:
        """Radius √(r·F) of the ellipsoid {m + A y: |y| <= radius} of that probability."""
        if self.rank == 0:
            return 0.0
        return float(np.sqrt(self.rank * fdtri(self.rank, self.df, prob)))

    def distance(self, x: np.ndarray) -> np.ndarray:
        """Return points' Mahalanobis distances from the location; infinite off the subspace."""
        away = x - self.location
        unit = np.where(self.scales > 0, self.scales, 1.0)
        y = (away / unit) @ np.linalg.pinv(self.factor / unit[:, None]).T
        off = np.abs(away - y @ self.factor.T) / unit
        size = np.maximum(1.0, np.abs(x).max(axis=-1, keepdims=True) / unit)
        outside = np.any(off > 1e3 * ROUNDING * size, axis=-1)
        return np.where(outside, np.inf, np.sqrt(np.sum(y**2, axis=-1)))

    def regions(
        self, ropes: Ropes, *, seed: int = 0, points: int | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Probabilities of the four regions and their standard errors, each of shape (4,)."""
        p, errors = region_probabilities(
            self.df, self.location[None], self.factor, ropes, seed=seed, points=points
        )
        return p[0], errors[0]


def region_probabilities(
    df: float,
    locations: np.ndarray,
    factor: np.ndarray,
    ropes: Ropes,
    *,
    seed: int = 0,
    points: int | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return probabilities of the regions under t's that differ only by location, (m, p).

    They and their standard errors over random shifts are (m, 4), in the order of `REGIONS`. Errors
    are 1e-15 if only rounding is left: with r <= 1, and with two metrics unless ``points``
    (rounded up to a power of two) are given. ``factor`` (p, r) is a root of the common scale
    matrix.
    """
    two = factor.shape[-2:] == (2, 2) and np.all(np.linalg.det(factor) != 0)
    if two and points is None and df in range(1, MOST_TERMS):
        p = _by_corners(int(df), locations, factor, ropes)
        return p, np.full_like(p, 1e-15)
    directions = directions_of(factor.shape[-1], points, seed)
    factors = np.broadcast_to(factor, (len(locations), *factor.shape[-2:]))
    replicates = np.array(
        [
            _line_averages(df, root, centre, directions @ root.T, ropes)
            for root, centre in zip(factors, locations, strict=True)
        ]
    )
    replicates = _without_equivalence(replicates) if ropes.empty else replicates  # (m, K, 4)
    p = replicates.mean(axis=1)
    if replicates.shape[1] == 1:
        return p, np.full_like(p, 1e-15)
    spread = replicates.std(axis=1, ddof=1) / np.sqrt(replicates.shape[1])
    return p, np.maximum(spread, 1e-15)


def _line_averages(
    df: float, factor: np.ndarray, location: np.ndarray, lines: np.ndarray, ropes: Ropes
) -> np.ndarray:
    """Return probabilities of the four regions, averaged over each replicate's lines: (K, 4)."""
    still = np.sum(factor**2, axis=1) == 0
    slack = ROUNDING * np.maximum(np.abs(location), ropes.size)
    gaps = ropes.low - location, location - ropes.high
    return _average_of_lines(lines, gaps, still, slack, factor.shape[1], df)


def _average_of_lines(
    slopes: np.ndarray,
    gaps: tuple[np.ndarray, np.ndarray],
    still: np.ndarray,
    slack: np.ndarray,
    rank: int,
    df: float | np.ndarray,
) -> np.ndarray:
    """Return probabilities of the four regions, (..., 4), from slopes of the metrics along lines.

    Not worse: m + s·slope >= low, with the first gap low - m; not better: -s·slope >= m - high.
    """
    low_w, high_w = half_lines(slopes, gaps[0], still, slack)
    low_b, high_b = half_lines(-slopes, gaps[1], still, slack)
    # The third interval shares its endpoints with the first two: four evaluations serve all three.
    below_w, above_w, below_b, above_b = (
        tail(s, rank, df) for s in (low_w, high_w, low_b, high_b)
    )
    not_worse = compute_interval_probability(low_w, high_w, below_w, above_w)
    not_better = compute_interval_probability(low_b, high_b, below_b, above_b)
    w_starts_last, w_ends_first = low_w >= low_b, high_w <= high_b
    low, high = np.maximum(low_w, low_b), np.minimum(high_w, high_b)
    same = compute_interval_probability(
        low,
        high,
        np.where(w_starts_last, below_w, below_b),
        np.where(w_ends_first, above_w, above_b),
    )
    either = compute_interval_probability(
        np.minimum(low_w, low_b),
        np.maximum(high_w, high_b),
        np.where(w_starts_last, below_b, below_w),
        np.where(w_ends_first, above_b, above_w),
    )
    either = np.where(low <= high, either, not_worse + not_better)
    # Equal numbers have equal averages: what no line can reach has a probability of exactly 0.
    same, not_worse, not_better, either = (
        part.mean(axis=-1) for part in (same, not_worse, not_better, either)
    )
    parts = np.stack([same, not_better - same, not_worse - same, 1 - either], axis=-1)
    return np.maximum(parts, 0.0)


def half_lines(
    slopes: np.ndarray, gaps: np.ndarray, still: np.ndarray, slack: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Find where s·slope >= gap in all metrics: lower and upper bounds of s, each (K, N)."""
    lower = np.full(slopes.shape[:-1], -np.inf)
    upper = np.full(slopes.shape[:-1], np.inf)
    for j, gap in enumerate(gaps):
        if still[j]:  # without spread it is true everywhere or nowhere; bounds are in the ROPE
            if gap > slack[j]:
                lower[...] = np.inf
            continue
        slope = slopes[..., j] + 0.0  # no negative zeros: on a level line the endpoint is infinite
        with np.errstate(divide="ignore", invalid="ignore"):
            end = gap / slope
        rising = slope >= 0
        lower = np.fmax(lower, np.where(rising, end, -np.inf))
        upper = np.fmin(upper, np.where(rising, np.inf, end))
    return lower, upper


def compute_interval_probability(
    low: np.ndarray, high: np.ndarray, tail_low: np.ndarray, tail_high: np.ndarray
) -> np.ndarray:
    """Probability of low <= s <= high, from the tails beyond both, without cancellation."""
    below = np.where(low < 0, tail_low, 1 - tail_low)
    inside = np.where(high < 0, tail_high, 1 - tail_high) - below
    mass = np.where(low > 0, tail_low - tail_high, inside)
    return np.where(low < high, np.maximum(mass, 0.0), 0.0)


def tail(s: np.ndarray, rank: int, df: float | np.ndarray) -> np.ndarray:
    """P(signed radius > |s|): half of P(|z|²ν/w > s²) = I_y(ν/2, r/2), y = ν/(ν + s²).

    I_y(b, a + 1) = I_y(b, a) + y^b (1 − y)^a Γ(a + b)/(Γ(a + 1) Γ(b)) (DLMF 8.17.21) leads from
    one dimension or none to r, two at a time.
    """
    if rank == 0:
        return np.where(np.abs(s) > 0, 0.0, 0.5)
    mass = np.asarray(stdtr(df, -np.abs(s))) if rank % 2 else np.zeros(s.shape)
    if rank == 1:
        return mass
    a, b = (rank % 2) / 2, df / 2
    with np.errstate(over="ignore", divide="ignore"):  # the end of a half-line may be at infinity
        y = df / (df + s * s)
        log_power = b * np.log(y)
    term = np.exp(log_power + (gammaln(a + b) - gammaln(a + 1) - gammaln(b))) / 2
    if a:
        term = term * np.sqrt(1 - y)
    mass = mass + term
    while a + 1 < rank / 2:
        term = term * (1 - y) * (a + b) / (a + 1)
        a += 1
        mass = mass + term
    return np.asarray(mass)


def _by_corners(df: int, locations: np.ndarray, factor: np.ndarray, ropes: Ropes) -> np.ndarray:
    """Probabilities of the four regions of two metrics, (m, 4), by the corners of their box."""
    scales = np.sqrt(np.sum(factor**2, axis=-1))
    low, high = (((ends - locations) / scales).T for ends in (ropes.low, ropes.high))
    x = np.array([low[0], low[0], high[0], high[0], -low[0]])
    y = np.array([low[1], high[1], low[1], high[1], -low[1]])
    size = scales.prod(axis=-1)
    correlation = np.sum(factor[..., 0, :] * factor[..., 1, :], axis=-1) / size
    rest = (np.linalg.det(factor) / size) ** 2
    below, left, under, not_better, not_worse = _bivariate_t(df, x, y, correlation, rest)
    same = np.maximum(not_better - left - under + below, 0.0)
    # If nothing can be better or nothing worse, rounding must not change this.
    if np.isinf(ropes.high).all():
        same, not_better = not_worse, np.ones_like(same)
    elif np.isinf(ropes.low).all():
        same, not_worse = not_better, np.ones_like(same)
    first, second = (np.maximum(p - same, 0.0) for p in (not_better, not_worse))
    trade_off = np.maximum(1.0 - same - first - second, 0.0)
    p = np.stack([same, first, second, trade_off], axis=-1)
    return _without_equivalence(p) if ropes.empty else p


def _bivariate_t(
    df: int, x: np.ndarray, y: np.ndarray, r: np.ndarray, rest: np.ndarray
) -> np.ndarray:
    """P(X <= x, Y <= y) of standard t's with correlation r, 1 - r² = ``rest`` (Genz 2004)."""
    x, y = (np.clip(z, -FARTHEST, FARTHEST) for z in (x, y))
    sides = []  # of y given x, of x given y: the sign, and the share of the square
    for z, other in ((x, y), (y, x)):
        away = other - r * z
        share = away**2 / (away**2 + rest * (df + z * z))
        sides.append((np.sign(away), share, z / np.sqrt(df + z * z), 1 + z * z / df))
    if df % 2:
        root = np.sqrt(x * x + y * y - 2 * r * x * y + df * rest)
        a, b, c = x * y + r * df, x * y - df, x + y
        total = np.arctan2(-np.sqrt(df) * (b * root + c * a), a * b - df * c * root) / (2 * np.pi)
        nearly_all = (total < 0) & (np.minimum(x, y) > 0)
        total = np.where((total < -1e-15) | nearly_all, total + 1, total)
    else:
        total = np.broadcast_to(np.arctan2(np.sqrt(rest), -r) / (2 * np.pi), x.shape)
    for sign, share, sine, shrink in sides:
        if df % 2:
            scale = sine / (2 * np.pi * np.sqrt(shrink))
            inner = step = np.sqrt(share)
        else:
            scale = sine / 4
            inner = 2 / np.pi * np.arctan2(np.sqrt(share), np.sqrt(1 - share))
            step = 2 / np.pi * np.sqrt(share * (1 - share))
        for j in range(1, df // 2 + 1):
            total = total + scale * (1 + sign * inner)
            if df % 2:
                step = step * (1 - share) * (2 * j - 1) / (2 * j)
                inner, scale = inner + step, scale * 2 * j / ((2 * j + 1) * shrink)
            else:
                inner, scale = inner + step, scale * (2 * j - 1) / (2 * j * shrink)
                step = step * (1 - share) * 2 * j / (2 * j + 1)
    return np.asarray(np.clip(total, 0.0, 1.0))


@lru_cache(maxsize=8)  # one question asks of hundreds of pairs along the same lines
def directions_of(rank: int, points: int | None, seed: int) -> np.ndarray:
    """Return directions of lines through the origin, uniform on half of the sphere: (K, N, r)."""
    if rank <= 1:
        return np.ones((1, 1, rank))
    wanted = (POINTS if rank <= 3 else MORE_POINTS) if points is None else points
    count = max(int(np.ceil(np.log2(wanted / (2 * REPLICATES)))), 1)
    dimensions = rank - 1 if rank <= 3 else rank
    u = _shifted_sobol(dimensions, count, seed)
    if rank == 2:
        angle = np.pi * u[..., 0]
        return np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    if rank == 3:  # Archimedes: height and longitude are independent and uniform
        height, angle = u[..., 0], 2 * np.pi * u[..., 1]
        across = np.sqrt(1 - height**2)
        return np.stack([across * np.cos(angle), across * np.sin(angle), height], axis=-1)
    z = ndtri(u)
    return np.asarray(z / np.linalg.norm(z, axis=-1, keepdims=True))


def _shifted_sobol(dimensions: int, log2_count: int, seed: int) -> np.ndarray:
    """Sobol' points under independent random digital shifts, shape (K, 2^log2_count, d)."""
    shifts = np.random.default_rng(seed).integers(2**BITS, size=(REPLICATES, 1, dimensions))
    return ((_sobol(dimensions, log2_count) ^ shifts) + 0.5) / 2**BITS


@lru_cache(maxsize=32)
def _sobol(dimensions: int, log2_count: int) -> np.ndarray:
    """Sobol' points as integers below 2^BITS."""
    from scipy.stats import qmc

    points = qmc.Sobol(dimensions, scramble=False).random_base2(log2_count)
    return np.asarray(np.rint(points * 2**BITS), dtype=np.int64)


# Region probabilities under many distributions, one for each draw.


#: Directions for each draw, a line counted as two, in eight replicates.
DRAW_POINTS = 512
#: Draws at a time, which bounds the memory.
DRAWS_AT_ONCE = 500


def region_masses(
    location: np.ndarray,
    root: np.ndarray,
    nu: np.ndarray,
    mixing: np.ndarray,
    ropes: Ropes,
    *,
    seed: int,
    directions: int = DRAW_POINTS,
) -> np.ndarray:
    """Return probabilities of the four regions under N distributions, by common directions.

    As above, with the same quasi-random directions for all draws (Genz & Bretz 2009, section 4.2).
    Locations δ0 are (N, r); roots of the scale matrices, Σ0 = root·rootᵀ, (N, r, r); degrees of
    freedom (N,); `mixing` (r, p) has the p metrics as linear functions of the coordinates. The
    result is (replicates, N, 4), by independent replicates of the directions; with r = 1 exact.
    """
    moving = np.any(mixing != 0, axis=0)  # a metric that never differs is on neither side
    lines = directions_of(mixing.shape[0], directions, seed)
    low, high = ropes.low[moving], ropes.high[moving]
    parts = [
        _line_masses(
            location[i : i + DRAWS_AT_ONCE] @ mixing[:, moving],
            _slopes(lines, root[i : i + DRAWS_AT_ONCE], mixing[:, moving]),
            nu[i : i + DRAWS_AT_ONCE, None, None],
            mixing.shape[0],
            low,
            high,
        )
        for i in range(0, len(nu), DRAWS_AT_ONCE)
    ]
    masses = np.concatenate(parts, axis=1)
    return _without_equivalence(masses) if ropes.empty else masses


def _slopes(lines: np.ndarray, root: np.ndarray, mixing: np.ndarray) -> np.ndarray:
    """Return slopes of the metrics along lines (K, n, r), as (B, K, n, p), metric by metric."""
    rising = mixing.T @ root @ lines.reshape(-1, lines.shape[-1]).T
    return np.moveaxis(rising.reshape(*rising.shape[:2], *lines.shape[:2]), 1, -1)


def _line_masses(
    location: np.ndarray,
    slopes: np.ndarray,
    nu: np.ndarray,
    rank: int,
    low: np.ndarray,
    high: np.ndarray,
) -> np.ndarray:
    """Return masses under B distributions: slopes (B, K, n, p) of the metrics along each line."""
    m = location.T[:, :, None, None]
    still, slack = np.zeros(len(low), bool), np.zeros(len(low))
    gaps = low[:, None, None, None] - m, m - high[:, None, None, None]
    return np.moveaxis(_average_of_lines(slopes, gaps, still, slack, rank, nu), 1, 0)
