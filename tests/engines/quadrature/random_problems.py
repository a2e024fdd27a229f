"""Seeded random problems of every kind that has ever broken a quadrature."""

from __future__ import annotations

import numpy as np

from bayescmp.engines.quadrature import Problem

KINDS = ("plain", "outliers", "zero_rows", "clusters", "ragged", "few_folds", "tight_bounds")


def random_problem(seed: int, rows: int | None = None) -> tuple[Problem, float]:
    """A problem and the half-width of a rope, in the problem's units."""
    rng = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    q = int(np.exp(rng.uniform(np.log(2), np.log(200))))
    q = q if rows is None else rows
    n = _folds(rng, kind, q)
    within, spread = 0.05, 0.05 * np.exp(rng.uniform(-5, 2))
    rho = rng.uniform(0, 0.5, q) if kind == "ragged" else np.full(q, 0.1)
    sigma = within * np.exp(rng.normal(0, 0.6, q))
    delta = rng.normal(0, spread) + spread * rng.standard_t(rng.choice([1.5, 4.0, 50.0]), q)
    if kind == "clusters":
        delta = spread * rng.normal(0, 0.1, q) + np.where(rng.random(q) < 0.5, 3, -1) * within
    if kind == "outliers":
        delta[: max(1, q // 15)] += rng.choice([-1, 1]) * within * np.exp(rng.uniform(0, 4))
    ss = sigma**2 * (1 - rho) * rng.chisquare(n - 1)
    xbar = delta + sigma * np.sqrt((1 + (n - 1) * rho) / n) * rng.normal(size=q)
    rope = float(within * np.exp(rng.uniform(-4, 1)))
    if kind == "zero_rows":
        zero = rng.random(q) < rng.uniform(0.05, 0.6)
        xbar[zero], ss[zero] = 0.0, n[zero] * (2 * rope) ** 2 / 12
    problem, scale = _with_bounds(rng, kind, xbar, ss, n, rho)
    return problem, rope * scale


def _folds(rng: np.random.Generator, kind: str, q: int) -> np.ndarray:
    if kind == "ragged":
        return np.exp(rng.uniform(np.log(2), np.log(1000), q)).astype(int)
    if kind == "few_folds":
        return np.full(q, rng.integers(2, 6))
    return np.full(q, int(rng.choice([5, 10, 30, 100, 1000])))


def _with_bounds(rng, kind, xbar, ss, n, rho) -> tuple[Problem, float]:
    scale = np.exp(rng.uniform(-12, 12))
    sd = np.sqrt(ss / (n - 1))
    bounds = {
        "delta0_bound": max(1.0, 2 * np.abs(xbar).max()),
        "sigma0_upper": 1000 * max(xbar.std(ddof=1), 1e-3 * sd.mean()),
        "sigma_upper": 1000 * sd.mean(),
    }
    if kind == "tight_bounds":
        bounds["delta0_bound"] = np.abs(xbar).max() * rng.uniform(0.5, 1.5)
        bounds["sigma0_upper"] = xbar.std(ddof=1) * rng.uniform(0.3, 3)
        bounds["sigma_upper"] = sd.max() * rng.uniform(0.7, 3)
    prior = (0.5, 5.0, 0.05, 0.15) if rng.random() < 0.5 else (1.0, 2.0, 0.01, 0.1)
    names = ("alpha_lower", "alpha_upper", "beta_lower", "beta_upper")
    problem = Problem(
        xbar * scale,
        ss * scale**2,
        n,
        rho,
        **{k: v * scale for k, v in bounds.items()},
        **dict(zip(names, prior, strict=True)),
        nu_offset=float(rng.choice([0.0, 1.0])),
    )
    return problem, scale
