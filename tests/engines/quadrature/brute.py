"""Brute force, sharing nothing with the engine: nested composite rules over all dimensions."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaincc, stdtr
from scipy.stats import gamma
from scipy.stats import t as student_t

from bayescmp.engines.quadrature import Problem


def log_kernel(delta, xbar, ss, n, rho, sigma_upper):
    """Log of int_0^u sigma^-n exp(-A / (2 sigma^2)) dsigma, up to a constant of the row."""
    A = ss / (1 - rho) + n * (delta - xbar) ** 2 / (1 + (n - 1) * rho)
    tail = gammaincc((n - 1) / 2, A / (2 * sigma_upper**2))
    return -(n - 1) / 2 * np.log(A) + np.log(np.maximum(tail, 1e-300))


def panels(centres, scales, smallest=1e-3, largest=1e4, per_side=14, order=6):
    """Nodes and weights of Gauss-Legendre on panels that grow geometrically from each centre.

    centres, scales: (m, k); the panels of all k centres are merged. Returns (m, P) each.
    """
    steps = np.geomspace(smallest, largest, per_side)
    steps = np.concatenate([-steps[::-1], [0.0], steps])
    edges = (centres[:, :, None] + scales[:, :, None] * steps).reshape(len(centres), -1)
    edges.sort(axis=1)
    x, w = np.polynomial.legendre.leggauss(order)
    width = np.diff(edges)[:, :, None]
    nodes = edges[:, :-1, None] + width * (x + 1) / 2
    return nodes.reshape(len(edges), -1), (width * w / 2).reshape(len(edges), -1)


def row_scale(ss, n, rho):
    return np.sqrt(ss * (1 + (n - 1) * rho) / ((1 - rho) * n * max(n - 2, 0.5)))


def row_integral(problem: Problem, i: int, delta0, sigma0, nu):
    """int t_nu(delta; delta0, sigma0) K_i(delta) ddelta for vectors delta0 and nu, one sigma0.

    Returns (len(delta0), len(nu)).
    """
    row = (problem.xbar[i], problem.ss[i], int(problem.n[i]), problem.rho[i])
    s = row_scale(*row[1:])
    centres = np.column_stack([np.full(len(delta0), row[0]), delta0])
    scales = np.tile([s, sigma0], (len(delta0), 1))
    x, w = panels(centres, scales)
    peak = log_kernel(row[0], *row, problem.sigma_upper)
    kernel = np.exp(log_kernel(x, *row, problem.sigma_upper) - peak) * w
    z2 = ((x - delta0[:, None]) / sigma0) ** 2
    values = [
        (kernel * np.exp(-(v + 1) / 2 * np.log1p(z2 / v))).sum(1) * student_t.pdf(0, v) / sigma0
        for v in nu
    ]
    return np.array(values).T


def nu_prior_density(x, alpha, beta):
    """Mean of the Gamma density over both hyperparameters, by a product Gauss rule."""
    node, weight = np.polynomial.legendre.leggauss(24)
    a = alpha[0] + (alpha[1] - alpha[0]) * (node + 1) / 2
    b = beta[0] + (beta[1] - beta[0]) * (node + 1) / 2
    density = gamma.pdf(np.asarray(x)[:, None, None], a[:, None], scale=1 / b)
    return np.einsum("xab,a,b->x", density, weight, weight) / 4


def verdict(problem: Problem, half_width: float, *, sigma0_nodes=64, nu_nodes=16, fine=4000):
    """The three probabilities for q = 2 or 3 data sets by summing over a grid of everything.

    Midpoint rule in log sigma0 and in log(nu - offset), composite Gauss in delta0, whose log
    density is interpolated to `fine` cells so that each can be given to one region.
    """
    x = np.exp(_midpoints(np.log(0.02), np.log(250.0), nu_nodes))
    nu = x + problem.nu_offset
    prior = nu_prior_density(
        x, (problem.alpha_lower, problem.alpha_upper), (problem.beta_lower, problem.beta_upper)
    )
    scales = np.array(
        [row_scale(problem.ss[i], int(problem.n[i]), problem.rho[i]) for i in range(problem.q)]
    )
    sigma0s = np.exp(
        _midpoints(np.log(1e-3 * scales.min()), np.log(problem.sigma0_upper), sigma0_nodes)
    )
    coarse, cells, width = _delta0_grids(problem, scales, fine)
    total = np.zeros(3)
    log_mass = np.array([_log_density(problem, coarse, s, nu) + np.log(s) for s in sigma0s])
    log_mass += np.log(prior * x)
    log_mass -= log_mass.max()
    for sigma0, density in zip(sigma0s, log_mass, strict=True):
        for k, v in enumerate(nu):
            mass = np.exp(np.interp(cells, coarse, density[:, k])) * width
            left = stdtr(v, (-half_width - cells) / sigma0)
            right = stdtr(v, (cells - half_width) / sigma0)
            region = np.argmax([left, 1 - left - right, right], axis=0)
            total += np.bincount(region, weights=mass, minlength=3)
    return total / total.sum()


def _midpoints(low, high, count):
    return low + (high - low) * (np.arange(count) + 0.5) / count


def _delta0_grids(problem, scales, fine):
    """Nodes that crowd at every mean, and many finer cells between them."""
    b = problem.delta0_bound
    steps = np.concatenate([[0.0], np.geomspace(0.03, 3e3, 40)])
    around = [
        m + sign * s * steps for m, s in zip(problem.xbar, scales, strict=True) for sign in (-1, 1)
    ]
    coarse = np.unique(np.clip(np.concatenate([*around, np.linspace(-b, b, 41)]), -b, b))
    position = np.linspace(0, len(coarse) - 1, fine + 1)
    edges = np.interp(position, np.arange(len(coarse)), coarse)
    return coarse, (edges[1:] + edges[:-1]) / 2, np.diff(edges)


def _log_density(problem, delta0, sigma0, nu):
    value = np.zeros((len(delta0), len(nu)))
    for i in range(problem.q):
        value += np.log(np.maximum(row_integral(problem, i, delta0, sigma0, nu), 1e-300))
    return value
