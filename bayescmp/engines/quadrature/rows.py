"""Each data set's own delta_i and sigma_i, given draws of (delta0, sigma0, nu).

Given the parameters, delta_i has the density K_i(delta) t_nu(delta; delta0, sigma0) up to a
factor, and given delta_i, A_i(delta_i) / sigma_i^2 is chi-square with n_i - 1 degrees of freedom
above the bound A_i / sigma_upper^2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import gammaincc, gammainccinv

from bayescmp.engines.quadrature.problem import FloatArray, Standard
from bayescmp.engines.quadrature.twocentre import (
    Product,
    bound_is_felt,
    product_chunks,
    two_centre,
)

__all__ = ["DatasetSummary", "draw_rows", "summarise_rows"]

_ROUNDS = 6  # of rejection, before the rest is drawn by quadrature
_STEP = 0.35

Parameters = tuple[FloatArray, FloatArray, FloatArray]
IntArray = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class DatasetSummary:
    """Posterior of each data set's own difference, in the problem's order of rows.

    Attributes
    ----------
    mean, sd : ndarray of shape (q,)
        Posterior mean (shrunken towards delta0) and standard deviation of delta_i.
    p : ndarray of shape (q, 3)
        Probabilities that delta_i is left of, in and right of the rope.
    """

    mean: FloatArray
    sd: FloatArray
    p: FloatArray


def draw_rows(
    standard: Standard,
    delta0: FloatArray,
    sigma0: FloatArray,
    nu: FloatArray,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    """One draw of every delta_i and sigma_i for each draw of the parameters.

    Exact rejection from the narrower of the two factors; what is still pending after a few
    rounds by inverting the distribution function found by quadrature.

    Returns
    -------
    delta, sigma : ndarray of shape (m, q)
    """
    m, q = len(delta0), standard.q
    delta = np.empty((m, q))
    pending = np.arange(m * q)
    felt = bound_is_felt(standard)
    narrower = (standard.s < sigma0[:, None]).ravel()
    rejected = [
        _reject(standard, (delta0, sigma0, nu), pairs, kernel, felt, delta.reshape(-1), rng)
        for pairs, kernel in ((pending[narrower], True), (pending[~narrower], False))
    ]
    pending = np.concatenate(rejected)
    _invert(standard, delta0, sigma0, nu, pending, delta.reshape(-1), rng)
    return delta, _sigma(standard, delta, felt, rng)


def _reject(
    standard: Standard,
    parameters: Parameters,
    pairs: IntArray,
    from_kernel: bool,
    felt: bool,
    out: FloatArray,
    rng: np.random.Generator,
) -> IntArray:
    """Propose from one factor, accept with the other relative to its maximum; return the rest.

    The kernel as a proposal is the t with n - 2 degrees of freedom, for n = 2 there is none; the
    bound on sigma_i then counts as a third factor.
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
    standard: Standard,
    parameters: Parameters,
    pairs: IntArray,
    from_kernel: bool,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    """Draws from one factor, and minus the log of the other relative to its maximum."""
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


def _bound_cost(standard: Standard, row: IntArray, delta: FloatArray) -> FloatArray:
    """Minus the log of Q((n-1)/2, A / (2 sigma_upper^2)), relative to its value at xbar."""
    half, twice = (standard.n[row] - 1) / 2, 2 * standard.sigma_upper**2
    square = standard.b[row] * (delta - standard.xbar[row]) ** 2
    at_x = gammaincc(half, (standard.a[row] + square) / twice)
    at_centre = gammaincc(half, standard.a[row] / twice)
    return np.asarray(-np.log(np.maximum(at_x, 1e-300) / np.maximum(at_centre, 1e-300)))


def _invert(
    standard: Standard,
    delta0: FloatArray,
    sigma0: FloatArray,
    nu: FloatArray,
    pairs: IntArray,
    out: FloatArray,
    rng: np.random.Generator,
) -> None:
    """Invert the distribution function of delta_i, cubic-accurate between the nodes in t."""
    if not pairs.size:
        return
    d, i = np.divmod(pairs, standard.q)
    u = rng.random(len(pairs))
    for product in product_chunks(standard, i, (delta0[d], sigma0[d], nu[d]), _STEP):
        part = product.part
        cumulated = _cumulated(product.weight)
        t = _solve(product, cumulated, u[part])
        row, draw = i[part], d[part]
        distance = standard.xbar[row] - delta0[draw]
        out[pairs[part]] = delta0[draw] + two_centre(t, distance, standard.s[row], sigma0[draw])


def _cumulated(weight: FloatArray) -> FloatArray:
    """Distribution function at the nodes: trapezoid with the end correction of each interval.

    int_0^h f = h (f_0 + f_1) / 2 - h^2 (f'_1 - f'_0) / 12, slopes by central differences.
    """
    slope = np.zeros_like(weight)
    slope[:, 1:-1] = (weight[:, 2:] - weight[:, :-2]) / 2
    interval = (weight[:, 1:] + weight[:, :-1]) / 2 - np.diff(slope, axis=1) / 12
    total = np.cumsum(np.maximum(interval, 0.0), axis=1)
    return np.concatenate([np.zeros((len(weight), 1)), total], axis=1)


def _solve(product: Product, cumulated: FloatArray, u: FloatArray) -> FloatArray:
    """The t with a given probability below it; the density is taken as linear in an interval."""
    target = u[:, None] * cumulated[:, -1:]
    cell = np.clip((cumulated < target).sum(1) - 1, 0, cumulated.shape[1] - 2)
    k = np.arange(len(u))
    below, above = cumulated[k, cell], cumulated[k, cell + 1]
    left, right = product.weight[k, cell], product.weight[k, cell + 1]
    share = np.clip((target[:, 0] - below) / np.maximum(above - below, 1e-300), 0, 1)
    share = _linear_quantile(left, right, share)
    return np.asarray(product.t0[:, 0] + product.step[:, 0] * (cell + share))


def _linear_quantile(left: FloatArray, right: FloatArray, p: FloatArray) -> FloatArray:
    """Quantile on (0, 1) of a density that goes linearly from `left` to `right`.

    x solves left x + (right - left) x^2 / 2 = p (left + right) / 2, in the form without
    cancellation: x = p (left + right) / (left + (left^2 + p (right^2 - left^2))^(1/2)).
    """
    root = np.sqrt(np.maximum(left**2 + p * (right**2 - left**2), 0.0))
    return np.asarray(np.clip(p * (left + right) / np.maximum(left + root, 1e-300), 0, 1))


def _sigma(
    standard: Standard, delta: FloatArray, felt: bool, rng: np.random.Generator
) -> FloatArray:
    """sigma_i given delta_i: A_i / sigma_i^2 is chi-square, n_i - 1 d.o.f., cut off below."""
    A = standard.a + standard.b * (standard.xbar - delta) ** 2
    shape = np.broadcast_to((standard.n - 1) / 2, A.shape)
    if not felt:
        return np.asarray(np.sqrt(A / (2 * rng.standard_gamma(shape))))
    lowest = A / (2 * standard.sigma_upper**2)
    above = gammaincc(shape, lowest)
    half = gammainccinv(shape, above * (1 - rng.random(A.shape)))
    return np.asarray(np.sqrt(A / (2 * np.maximum(half, lowest))))


def summarise_rows(
    standard: Standard,
    delta0: FloatArray,
    sigma0: FloatArray,
    nu: FloatArray,
    rope: tuple[float, float],
) -> DatasetSummary:
    """Means, sds and region probabilities of every delta_i, averaged over the draws.

    Rao-Blackwellised: moments and probabilities given the parameters are integrals by the
    two-centre rule, only their mean over the parameters is taken over draws. Standard units and
    order.
    """
    m, q = len(delta0), standard.q
    row = np.tile(np.arange(q), m)
    pairs = (np.repeat(delta0, q), np.repeat(sigma0, q), np.repeat(nu, q))
    given = np.empty((4, m * q))
    for product in product_chunks(standard, row, pairs, _STEP):
        weight = product.weight / product.weight.sum(1, keepdims=True)
        part = product.part
        centred = product.u - (standard.xbar[row[part]] - pairs[0][part])[:, None]
        given[0, part] = (weight * centred).sum(1)
        given[1, part] = (weight * centred**2).sum(1)
        given[2:, part] = _tails(standard, product, row, pairs, rope)
    mean, square, left, right = given.reshape(4, m, q).mean(1)
    rope_mass = np.zeros(q) if rope[0] == rope[1] else 1 - left - right
    return DatasetSummary(
        mean + standard.xbar,
        np.sqrt(np.maximum(square - mean**2, 0.0)),
        np.column_stack([left, rope_mass, right]),
    )


def _tails(
    standard: Standard,
    product: Product,
    row: IntArray,
    pairs: Parameters,
    rope: tuple[float, float],
) -> FloatArray:
    """Probabilities below and above the rope of each pair, shape (2, k)."""
    part = product.part
    cumulated = _cumulated(product.weight)
    cumulated /= cumulated[:, -1:]
    s, xbar = standard.s[row[part]], standard.xbar[row[part]]
    delta0, sigma0 = pairs[0][part], pairs[1][part]
    k, last = np.arange(len(s)), cumulated.shape[1] - 2
    below = []
    for x in rope:
        t = np.arcsinh((x - xbar) / s) + np.arcsinh((x - delta0) / sigma0)
        position = np.clip((t - product.t0[:, 0]) / product.step[:, 0], 0.0, last + 1.0)
        cell = np.minimum(position.astype(int), last)
        f = position - cell
        left, right = product.weight[k, cell], product.weight[k, cell + 1]
        share = f * (2 * left + (right - left) * f) / np.maximum(left + right, 1e-300)
        below.append(cumulated[k, cell] + share * (cumulated[k, cell + 1] - cumulated[k, cell]))
    return np.array([below[0], 1 - below[1]])
