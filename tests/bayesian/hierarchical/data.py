"""Data of the tests of the hierarchical test."""

from functools import partial

import numpy as np

from bayescmp.bayesian import hierarchical_t

#: Without Monte Carlo error, whichever engines are installed.
by_grid = partial(hierarchical_t, engine="quadrature")


def simulated(q=12, n=20, seed=0, location=0.01, spread=0.03, noise=0.05):
    """Differences of q data sets, folds correlated at 0.1."""
    rng = np.random.default_rng(seed)
    means = location + spread * rng.standard_t(5, size=q)
    shared = np.sqrt(0.1) * rng.normal(size=(q, 1))
    return means[:, None] + noise * (shared + np.sqrt(0.9) * rng.normal(size=(q, n)))


def constant_rows(k=3):
    x = simulated(q=10)
    x[:k] = 0.0
    return x


def probabilities(posterior, rope=None):
    v = posterior.verdict(rope)
    return np.array([v.p_left, v.p_rope, v.p_right])
