"""Each row's log-likelihood at draws of (delta0, sigma0, nu), by the two-centre quadrature."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from bayescmp.engines.quadrature.problem import FloatArray, Problem, Standard, standardise
from bayescmp.engines.quadrature.twocentre import log_t_constant, product_chunks

__all__ = ["dataset_log_likelihoods", "row_log_likelihoods"]

_STEP, _NATS = 0.5, 25.0


def row_log_likelihoods(
    standard: Standard,
    delta0: FloatArray,
    sigma0: FloatArray,
    nu: FloatArray,
    step: float = _STEP,
    nats: float = _NATS,
) -> FloatArray:
    """Log I_i at each draw, in standard units, up to a constant of each row: shape (m, q)."""
    q, m = standard.q, len(delta0)
    row = np.tile(np.arange(q), m)
    values = np.empty(m * q)
    pairs = (np.repeat(delta0, q), np.repeat(sigma0, q), np.repeat(nu, q))
    for product in product_chunks(standard, row, pairs, step, nats):
        values[product.part] = np.log(product.weight.sum(1)) + product.log_scale[:, 0]
    return values.reshape(m, q) + log_t_constant(sigma0, nu)[:, None]


def dataset_log_likelihoods(problem: Problem, draws: dict[str, FloatArray]) -> FloatArray:
    """Log densities of each data set's differences, delta_i and sigma_i integrated out.

    Parameters
    ----------
    problem : Problem
        The data.
    draws : dict
        "delta0", "sigma0" and "nu" on the problem's scale, each of shape (m,).

    Returns
    -------
    ndarray of shape (m, q)
        In the order of the problem, with all constants: the density of n differences in the
        problem's unit.
    """
    st = standardise(problem)
    delta0, sigma0 = st.sign * draws["delta0"] / st.scale, draws["sigma0"] / st.scale
    values = row_log_likelihoods(st, delta0, sigma0, draws["nu"]) + _constants(problem, st)
    return np.asarray(values[:, np.argsort(st.order)])


def _constants(problem: Problem, st: Standard) -> FloatArray:
    """What `row_log_likelihoods` leaves out, row by row, in the problem's unit.

    The density of n equicorrelated normals at given delta_i is
    (2 pi)^(-n/2) |R|^(-1/2) sigma^-n exp(-A / (2 sigma^2)), |R| = (1 - rho)^(n-1) (1 + (n-1) rho);
    averaged over sigma on (0, upper) it is, with m = (n - 1) / 2, that constant times
    2^(m-1) Gamma(m) A^-m Q(m, A / (2 upper^2)) / upper. The rows have A^-m over a^-m; where the
    bound is not felt, Q is 1.
    """
    n, rho = st.n, problem.rho[st.order]
    m = (n - 1) / 2
    log_det = (n - 1) * np.log1p(-rho) + np.log1p((n - 1) * rho)
    kernel = (m - 1) * np.log(2) + gammaln(m) - m * np.log(st.a) - np.log(st.sigma_upper)
    return np.asarray(kernel - (n * np.log(2 * np.pi) + log_det) / 2 - n * np.log(st.scale))
