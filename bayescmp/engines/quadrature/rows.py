"""Each data set's own delta_i and sigma_i, and its likelihood, given (delta0, sigma0, nu).

Given the parameters, delta_i has the density K_i(delta) t_nu(delta; delta0, sigma0) up to a
factor, and given delta_i, A_i(delta_i) / sigma_i^2 is chi-square with n_i - 1 degrees of freedom
above the bound A_i / sigma_upper^2. The product has features of width s_i around xbar_i and of
width sigma0 around delta0. In a coordinate with two centres,

    t = asinh((delta - xbar_i) / s_i) + asinh((delta - delta0) / sigma0),

both are about one unit wide, and the trapezoid rule converges geometrically. It is independent of
`kernel`, and so checks that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import gammaincc, gammainccinv, gammaln

from bayescmp.engines.quadrature.locate import Axis, Hermite, equidistribute
from bayescmp.engines.quadrature.problem import FloatArray, Problem, StandardProblem, standardise

# Quadrature of one row's product kernel times t, in a coordinate with two centres.


#: delta0, sigma0 and nu of each draw.
Parameters: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]
IntArray = npt.NDArray[np.intp]

_NATS = 25.0  # how far down the kernel is followed
_CHUNK = 50_000  # doubles in an array: larger ones would leave the cache


@dataclass(frozen=True, eq=False)
class RowProduct:
    """Nodes in delta with the integrand K t times the trapezoid weight, for pairs of row and draw.

    `part` (k,) are the pairs; `u` (k, T) nodes, as delta - delta0; `weight` (k, T) is the
    integrand times ddelta/dt times the step, divided by exp(log_scale); `log_scale`, first node
    `t0` and `step` in t are (k, 1).
    """

    part: IntArray
    u: FloatArray
    weight: FloatArray
    log_scale: FloatArray
    t0: FloatArray
    step: FloatArray


def two_centre(
    t: FloatArray, distance: FloatArray, s: FloatArray, sigma0: FloatArray
) -> FloatArray:
    """Solve t = asinh((delta - xbar)/s) + asinh((delta - delta0)/sigma0) for delta - delta0."""
    return _solve_nodes(np.exp(t), distance, s, sigma0)[0]


def _solve_nodes(
    e: FloatArray, distance: FloatArray, s: FloatArray, sigma0: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the solution u = delta - delta0, and its derivative in t, given e = exp(t).

    With D = xbar - delta0, P = ((u - D)^2 + s^2)^(1/2), Q = (u^2 + sigma0^2)^(1/2) and
    c = s sigma0 cosh t, p = c + (s^2 + sigma0^2) / 2 and R = P + Q = (2 p + D^2)^(1/2),

        2 u = D + [s sigma0 sinh(t) R + D (sigma0^2 - s^2) / 2] / p,

    and the derivative is 1 / (1/P + 1/Q) = P Q / R = (c - u (u - D)) / R.
    """
    s2, v2 = s * s, sigma0 * sigma0
    rising = e * (s * sigma0 / 2)
    c = s2 * v2 / 4 / rising
    u = rising - c
    c += rising
    p = c + (s2 + v2) / 2
    root = p + distance * distance / 2
    root *= 2
    np.sqrt(root, out=root)
    u *= root
    u += distance * (v2 - s2) / 2
    u /= p
    u += distance
    u *= 0.5
    c -= u * (u - distance)
    c /= root
    return u, c


def log_kernel(
    away: FloatArray, rows: tuple[FloatArray, FloatArray, FloatArray], sigma_upper: float | None
) -> FloatArray:
    """Compute log K_i(delta), minus a constant of the row, at away = delta - xbar_i.

    K_i is proportional to A^(-(n-1)/2) Q((n-1)/2, A / (2 sigma_upper^2)), A = a + b (delta -
    xbar)^2, Q the regularised upper incomplete gamma function, 1 unless the bound is felt
    (`sigma_upper`).
    """
    n, a, b = rows
    square = away * away
    square *= b / a
    value = np.log1p(square) * ((1 - n) / 2)
    if sigma_upper is not None:
        tail = gammaincc((n - 1) / 2, a * (1 + square) / (2 * sigma_upper**2))
        value += np.log(np.maximum(tail, 1e-300))
    return np.asarray(value)


def log_product(
    u: FloatArray,
    distance: FloatArray,
    rows: tuple[FloatArray, FloatArray, FloatArray],
    sigma0: FloatArray,
    nu: FloatArray,
    sigma_upper: float | None,
) -> FloatArray:
    """Compute log K_i(delta) + log t_nu, less constants, at u = delta - delta0."""
    value = log_kernel(u - distance, rows, sigma_upper)
    far = u * u
    far *= 1 / (sigma0 * sigma0 * nu)
    value -= np.log1p(far) * ((nu + 1) / 2)
    return value


def log_t_constant(sigma0: FloatArray, nu: FloatArray) -> FloatArray:
    """Compute the log of the normalising constant of t_nu(., sigma0)."""
    constant = gammaln((nu + 1) / 2) - gammaln(nu / 2) - 0.5 * np.log(nu * np.pi)
    return np.asarray(constant - np.log(sigma0))


def bound_is_felt(standard: StandardProblem) -> bool:
    """Return whether the bound on sigma_i changes a kernel above exp(-25) of its maximum."""
    n = standard.n
    wide = standard.a * np.exp(np.minimum(2 * _NATS / (n - 1), 60.0))
    return bool(np.any(gammaincc((n - 1) / 2, wide / (2 * standard.sigma_upper**2)) < 1 - 1e-7))


def product_chunks(
    standard: StandardProblem,
    row: IntArray,
    parameters: Parameters,
    step: float,
    nats: float = _NATS,
) -> Iterator[RowProduct]:
    """Yield the integrand for m pairs of a row and parameters, in portions of equal length in t.

    `row`, delta0, sigma0 and nu are (m,); `step` is the largest in t, and the kernel is followed
    down to `nats` below its maximum.
    """
    delta0, sigma0, nu = parameters
    felt = bound_is_felt(standard)
    reach = _reach(standard, felt, nats)[row]
    n, a, b, s = (c[row] for c in (standard.n, standard.a, standard.b, standard.s))
    distance = standard.xbar[row] - delta0
    low = np.minimum(-4 * sigma0, distance - reach)
    high = np.maximum(4 * sigma0, distance + reach)
    t0 = np.arcsinh((low - distance) / s) + np.arcsinh(low / sigma0)
    t1 = np.arcsinh((high - distance) / s) + np.arcsinh(high / sigma0)
    length = t1 - t0
    order = np.argsort(length)
    size = max(1, int(_CHUNK * step / length[order[-1]]))
    upper = standard.sigma_upper if felt else None
    for start in range(0, len(row), size):
        c = order[start : start + size]
        count = int(np.ceil(length[c[-1]] / step)) + 1
        h = length[c] / (count - 1)
        e = _powers(np.exp(t0[c]), np.exp(h), count)
        u, rate = _solve_nodes(e, distance[c], s[c], sigma0[c])
        value = log_product(u, distance[c], (n[c], a[c], b[c]), sigma0[c], nu[c], upper)
        top = value.max(0)
        value -= top
        weight = np.exp(value)
        weight *= rate
        log_scale = top + np.log(h)
        yield RowProduct(c, u.T, weight.T, log_scale[:, None], t0[c, None], h[:, None])


def _powers(first: FloatArray, ratio: FloatArray, count: int) -> FloatArray:
    """Return geometric sequences, (count, k): nodes by pairs, for long rows make fast loops."""
    powers = np.empty((count, len(first)))
    powers[0] = first
    for before, row in pairwise(powers):
        np.multiply(before, ratio, out=row)
    return powers


def _reach(standard: StandardProblem, felt: bool, nats: float) -> FloatArray:
    """Return how far from xbar_i each kernel is followed."""
    a, b, n = standard.a, standard.b, standard.n
    reach = np.sqrt(a / b * np.expm1(np.minimum(2 * nats / (n - 1), 60.0)))
    if felt:  # beyond A = 2 sigma_upper^2 (nats + ...), Q is below exp(-nats)
        end = np.sqrt(2 * standard.sigma_upper**2 * (nats + n) / b)
        reach = np.minimum(reach, np.maximum(end, 3 * standard.s))
    return np.asarray(reach)


# Each row's log-likelihood at draws of (delta0, sigma0, nu), by the two-centre quadrature.


_FINE_STEP, _FAR = 0.5, 25.0


def row_log_likelihoods(
    standard: StandardProblem, parameters: Parameters, step: float = _FINE_STEP, nats: float = _FAR
) -> FloatArray:
    """Compute log I_i at each draw, in standard units, up to a constant of each row: (m, q)."""
    row, pairs = _all_pairs(standard, parameters)
    values = np.empty(len(row))
    for product in product_chunks(standard, row, pairs, step, nats):
        values[product.part] = np.log(product.weight.sum(1)) + product.log_scale[:, 0]
    return values.reshape(-1, standard.q) + log_t_constant(*parameters[1:])[:, None]


def _all_pairs(standard: StandardProblem, parameters: Parameters) -> tuple[IntArray, Parameters]:
    """Combine every row with every draw: the row, and the draw's parameters."""
    delta0, sigma0, nu = (np.repeat(x, standard.q) for x in parameters)
    return np.tile(np.arange(standard.q), len(parameters[0])), (delta0, sigma0, nu)


def dataset_log_likelihoods(problem: Problem, draws: dict[str, FloatArray]) -> FloatArray:
    """Compute log densities of each data set's differences, delta_i and sigma_i integrated out.

    The draws have "delta0", "sigma0" and "nu" on the problem's scale, each (m,); the result is (m,
    q), with all constants.
    """
    st = standardise(problem)
    delta0, sigma0 = st.sign * draws["delta0"] / st.scale, draws["sigma0"] / st.scale
    values = row_log_likelihoods(st, (delta0, sigma0, draws["nu"])) + _constants(problem, st)
    return np.asarray(values[:, np.argsort(st.order)])


def _constants(problem: Problem, st: StandardProblem) -> FloatArray:
    """Compute what `row_log_likelihoods` leaves out, row by row, in the problem's unit.

    The density of n equicorrelated normals at given delta_i, averaged over sigma on (0, upper), is
    with m = (n - 1) / 2, |R| = (1 - rho)^(n-1) (1 + (n-1) rho) = (1 - rho)^n n factor

        (2 pi)^(-n/2) |R|^(-1/2) 2^(m-1) Gamma(m) A^-m Q(m, A / (2 upper^2)) / upper;

    the rows have A^-m over a^-m.
    """
    n, rho = st.n, problem.rho[st.order]
    m = (n - 1) / 2
    log_det = n * np.log1p(-rho) + np.log(n * np.asarray(problem.factor)[st.order])
    kernel = (m - 1) * np.log(2) + gammaln(m) - m * np.log(st.a) - np.log(st.sigma_upper)
    return np.asarray(kernel - (n * np.log(2 * np.pi) + log_det) / 2 - n * np.log(st.scale))


# Each data set's own delta_i and sigma_i, given draws of (delta0, sigma0, nu).


_ROUNDS = 6  # of rejection, before the rest is drawn by quadrature
_STEP = 0.35


@dataclass(frozen=True, eq=False)
class DatasetSummary:
    """Posterior of each data set's own difference, in the problem's order of rows.

    `mean` and `sd` of delta_i are (q,), the central 95% `interval` is (q, 2), and `p`, (q, 3), are
    probabilities of left, rope and right.
    """

    mean: FloatArray
    sd: FloatArray
    interval: FloatArray
    p: FloatArray


def draw_rows(
    standard: StandardProblem, parameters: Parameters, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Draw every delta_i and sigma_i once for each draw of the parameters: both (m, q).

    By exact rejection from the narrower factor; the rest, after a few rounds, by inversion.
    """
    narrower = standard.s < parameters[1][:, None]
    delta, felt = np.empty(narrower.shape), bound_is_felt(standard)
    rejected = [
        _reject(standard, parameters, pairs, kernel, felt, delta.reshape(-1), rng)
        for pairs, kernel in ((np.flatnonzero(narrower), True), (np.flatnonzero(~narrower), False))
    ]
    _invert(standard, parameters, np.concatenate(rejected), delta.reshape(-1), rng)
    return delta, _sigma(standard, delta, felt, rng)


def _reject(
    standard: StandardProblem,
    parameters: Parameters,
    pairs: IntArray,
    from_kernel: bool,
    felt: bool,
    out: FloatArray,
    rng: np.random.Generator,
) -> IntArray:
    """Propose from one factor, accept with the other relative to its maximum; return the rest.

    The kernel as a proposal is the t with n - 2 degrees of freedom (if n > 2); the bound on
    sigma_i is a third factor.
    """
    if from_kernel:
        hopeless = standard.n[pairs % standard.q] == 2
        rest, pairs = pairs[hopeless], pairs[~hopeless]
    else:
        rest = pairs[:0]
    for _ in range(_ROUNDS):
        if not pairs.size:
            break
        x, cost = _proposal(standard, parameters, pairs, from_kernel, rng)
        if felt:
            cost += _bound_cost(standard, pairs % standard.q, x)
        accepted = rng.standard_exponential(len(pairs)) > cost
        out[pairs[accepted]] = x[accepted]
        pairs = pairs[~accepted]
    return np.concatenate([rest, pairs])


def _proposal(
    standard: StandardProblem,
    parameters: Parameters,
    pairs: IntArray,
    from_kernel: bool,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    """Draw from one factor; return minus the log of the other relative to its maximum as well."""
    d, i = np.divmod(pairs, standard.q)
    delta0, sigma0, nu = (x[d] for x in parameters)
    n, xbar = standard.n[i], standard.xbar[i]
    width = np.sqrt(standard.a[i] / standard.b[i])
    if from_kernel:  # width / (n - 2)^(1/2) is the scale of the kernel as a t
        x = xbar + width * _standard_t(n - 2, rng) / np.sqrt(n - 2)
        return x, (nu + 1) / 2 * np.log1p(((x - delta0) / sigma0) ** 2 / nu)
    x = delta0 + sigma0 * _standard_t(nu, rng)
    return x, (n - 1) / 2 * np.log1p(((x - xbar) / width) ** 2)


def _standard_t(df: FloatArray, rng: np.random.Generator) -> FloatArray:
    return rng.standard_normal(len(df)) / np.sqrt(rng.standard_gamma(df / 2) * 2 / df)


def _bound_cost(standard: StandardProblem, row: IntArray, delta: FloatArray) -> FloatArray:
    """Compute minus the log of Q((n-1)/2, A / (2 sigma_upper^2)) relative to that at xbar."""
    half, twice = (standard.n[row] - 1) / 2, 2 * standard.sigma_upper**2
    square = standard.b[row] * (delta - standard.xbar[row]) ** 2
    at_x = gammaincc(half, (standard.a[row] + square) / twice)
    at_centre = gammaincc(half, standard.a[row] / twice)
    return np.asarray(-np.log(np.maximum(at_x, 1e-300) / np.maximum(at_centre, 1e-300)))


def _invert(
    standard: StandardProblem,
    parameters: Parameters,
    pairs: IntArray,
    out: FloatArray,
    rng: np.random.Generator,
) -> None:
    """Invert the distribution function of delta_i, cubic-accurate between the nodes in t."""
    if not pairs.size:
        return
    d, row = np.divmod(pairs, standard.q)
    delta0, sigma0, nu = (x[d] for x in parameters)
    u = rng.random(len(pairs))
    distance, s = standard.xbar[row] - delta0, standard.s[row]
    for product in product_chunks(standard, row, (delta0, sigma0, nu), _STEP):
        c = product.part
        t = _solve(product, _cumulate_weight(product.weight), u[c])
        out[pairs[c]] = delta0[c] + two_centre(t, distance[c], s[c], sigma0[c])


def _cumulate_weight(weight: FloatArray) -> FloatArray:
    """Cumulate the density at the nodes: trapezoid with the end correction of each interval.

    int_0^h f = h (f_0 + f_1) / 2 - h^2 (f'_1 - f'_0) / 12, slopes by central differences.
    """
    slope = np.zeros_like(weight)
    slope[:, 1:-1] = (weight[:, 2:] - weight[:, :-2]) / 2
    interval = (weight[:, 1:] + weight[:, :-1]) / 2 - np.diff(slope, axis=1) / 12
    total = np.cumsum(np.maximum(interval, 0.0), axis=1)
    return np.concatenate([np.zeros((len(weight), 1)), total], axis=1)


def _solve(product: RowProduct, cumulated: FloatArray, u: FloatArray) -> FloatArray:
    """Find the t with a given probability below it, the density taken as linear in an interval."""
    target = u[:, None] * cumulated[:, -1:]
    cell = np.clip((cumulated < target).sum(1) - 1, 0, cumulated.shape[1] - 2)
    k = np.arange(len(u))
    below, above = cumulated[k, cell], cumulated[k, cell + 1]
    left, right = product.weight[k, cell], product.weight[k, cell + 1]
    share = np.clip((target[:, 0] - below) / np.maximum(above - below, 1e-300), 0, 1)
    share = _linear_quantile(left, right, share)
    return np.asarray(product.t0[:, 0] + product.step[:, 0] * (cell + share))


def _linear_quantile(left: FloatArray, right: FloatArray, p: FloatArray) -> FloatArray:
    """Return the quantile on (0, 1) of a density that goes linearly from `left` to `right`.

    x = p (left + right) / (left + (left^2 + p (right^2 - left^2))^(1/2)), without cancellation.
    """
    root = np.sqrt(np.maximum(left**2 + p * (right**2 - left**2), 0.0))
    return np.asarray(np.clip(p * (left + right) / np.maximum(left + root, 1e-300), 0, 1))


def _sigma(
    standard: StandardProblem, delta: FloatArray, felt: bool, rng: np.random.Generator
) -> FloatArray:
    """Draw sigma_i given delta_i: A_i / sigma_i^2 is chi-square, n_i - 1 d.o.f., cut off below."""
    A = standard.a + standard.b * (standard.xbar - delta) ** 2
    shape = np.broadcast_to((standard.n - 1) / 2, A.shape)
    if not felt:
        return np.asarray(np.sqrt(A / (2 * rng.standard_gamma(shape))))
    lowest = A / (2 * standard.sigma_upper**2)
    above = gammaincc(shape, lowest)
    half = gammainccinv(shape, above * (1 - rng.random(A.shape)))
    return np.asarray(np.sqrt(A / (2 * np.maximum(half, lowest))))


# Averages over the draws: marginal densities of all delta_i, at nodes that they have in common.


#: Units of the two-centre coordinate between two nodes.
_APART = 0.3
#: Standard deviations of delta0 below which a smaller sigma0 makes no difference to averages.
_NARROWEST = 0.02
_SOFT = 8.0  # the power in a smooth minimum of the rows' widths
_NOTHING, _LEAST = -600.0, 1e-300  # the log of a density, and an integral, that count as zero
_BOUNDS = np.array([0.025, 0.975])


def summarise_rows(
    standard: StandardProblem, parameters: Parameters, rope: tuple[float, float]
) -> DatasetSummary:
    """Average means, sds, intervals and region probabilities of every delta_i over the draws.

    The marginal density of delta_i is K_i(delta) times the average over the draws of t_nu(delta;
    delta0, sigma0) / I_i(delta0, sigma0, nu). At common nodes all are products of matrices. Units
    and order are the standard ones.
    """
    delta0, sigma0, nu = parameters
    parameters = delta0, np.maximum(sigma0, _NARROWEST * delta0.std()), nu
    axis = _place_nodes(standard, parameters)
    k = np.linspace(0.0, axis.knots[-1], int(np.ceil(axis.knots[-1] / _APART)) + 1)
    nodes = axis.parameter(k)
    mass = _average_densities(standard, parameters, nodes, axis.jacobian(k))
    mass /= mass.sum(axis=1, keepdims=True)
    away = nodes - standard.xbar[:, None]
    mean = (mass * away).sum(axis=1)
    sd = np.sqrt(np.maximum((mass * away**2).sum(axis=1) - mean**2, 0.0))
    below = _cumulate_weight(mass)
    below /= below[:, -1:]
    laws = [Hermite(k, line, slope / k[1]) for line, slope in zip(below, mass, strict=True)]
    at = axis.coordinate(np.clip(rope, nodes[0], nodes[-1]))  # a bound may be infinite
    left, upto = np.clip([law(at) for law in laws], 0.0, 1.0).T
    interval = axis.parameter(np.array([law.inverse(_BOUNDS) for law in laws]))
    p = np.column_stack([left, np.maximum(upto - left, 0.0), 1 - upto])
    return DatasetSummary(mean + standard.xbar, sd, interval, p)


def _place_nodes(standard: StandardProblem, parameters: Parameters) -> Axis:
    """Make a coordinate in which every product of a kernel and a t is about a unit wide."""
    delta0, sigma0, _ = parameters
    reach = _reach(standard, bound_is_felt(standard), _NATS)
    inner = delta0.min(), delta0.max()
    low = min((standard.xbar - reach).min(), inner[0] - 4 * sigma0.max())
    high = max((standard.xbar + reach).max(), inner[1] + 4 * sigma0.max())
    s2, least2 = standard.s**2, sigma0.min() ** 2

    def density(delta: FloatArray) -> FloatArray:
        near = s2 + (delta[:, None] - standard.xbar) ** 2
        narrowest = near.min(axis=1, keepdims=True)
        rows = ((near / narrowest) ** -_SOFT).sum(axis=1) ** (1 / _SOFT) / narrowest[:, 0]
        far2 = least2 + (delta - np.clip(delta, *inner)) ** 2
        return np.asarray(np.sqrt(rows + 1 / far2))

    width = min(standard.s.min(), sigma0.min())
    centre = (inner[0] + inner[1]) / 2
    first, last = np.arcsinh(np.array([low - centre, high - centre]) / width)
    return equidistribute(density, centre + width * np.sinh(np.linspace(first, last, 41)))


def _average_densities(
    standard: StandardProblem, parameters: Parameters, nodes: FloatArray, rate: FloatArray
) -> FloatArray:
    """Average the density of each delta_i at the nodes over the draws, times `rate`: (q, M)."""
    upper = standard.sigma_upper if bound_is_felt(standard) else None
    n, a, b = (column[:, None] for column in (standard.n, standard.a, standard.b))
    kernel = np.exp(log_kernel(nodes - standard.xbar[:, None], (n, a, b), upper)) * rate
    total = np.zeros(kernel.shape)
    several = max(1, _CHUNK // len(nodes))
    for start in range(0, len(parameters[0]), several):
        delta0, sigma0, nu = (x[start : start + several, None] for x in parameters)
        t = nodes - delta0
        t *= 1 / (sigma0 * np.sqrt(nu))
        t *= t
        np.log1p(t, out=t)
        t *= -(nu + 1) / 2
        np.exp(np.maximum(t, _NOTHING, out=t), out=t)
        total += (1 / np.maximum(kernel @ t.T, _LEAST)) @ t
    return np.asarray(kernel * total)
