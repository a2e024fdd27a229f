"""Simulated data sets, and their fit by an engine without a compiler."""

import numpy as np

from bayescmp.bayesian import hierarchical_multivariate_t

REGIONS = ["equivalent", "first", "second", "trade_off"]


def simulated(q=6, n=20, p=2, seed=0):
    rng = np.random.default_rng(seed)
    root = np.tril(rng.normal(size=(p, p))) + 2 * np.eye(p)
    return [
        0.02 + 0.03 * rng.normal(size=p) + 0.02 * rng.normal(size=(n, p)) @ root.T
        for _ in range(q)
    ]


def fitted(xs, **options):
    options = {"rho": 0.1, "rope": 0.01, "engine": "fake", "seed": 3, "draws": 160, **options}
    return hierarchical_multivariate_t(xs, **options)
