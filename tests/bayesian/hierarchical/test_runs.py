"""The hierarchical test of independent runs: by raw runs, by paired rows that are equivalent."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import hierarchical_t
from bayescmp.engines import FitRequest, SamplerSettings, engines
from bayescmp.results.verdict import winners
from bayescmp.bayesian.hierarchical.answers import masses_of
from bayescmp.scores.rope import as_rope

Q = {"engine": "quadrature", "seed": 1}
#: Three games, with unequal numbers of runs; on the last one of the first algorithm.
FIRST = [[1.20, 1.05, 1.12], [0.30, 0.52, 0.41, 0.47], [2.21]]
SECOND = [[1.49, 1.38, 1.31], [0.55, 0.50], [2.30, 2.61, 2.42]]
ROPE = 0.1


def agents(q: int = 8, n: int = 3, seed: int = 4) -> bc.Runs:
    """Returns of two agents on q games, n runs each, of which nothing pairs."""
    rng = np.random.default_rng(seed)
    level, gain = rng.normal(1, 0.5, q), 0.25 + 0.15 * rng.standard_t(6, q)
    noise = rng.uniform(0.05, 0.2, (q, 1))
    old = level[:, None] + noise * rng.standard_normal((q, n))
    new = (level + gain)[:, None] + noise * rng.standard_normal((q, n))
    return bc.Runs(old, new, names=("dqn", "rainbow"), datasets=[f"g{i}" for i in range(q)])


def by_raw_runs(prior: bc.HierarchicalPrior, bounds: dict[str, float]) -> np.ndarray:
    """Regions' probabilities from the normal densities of the single runs, on plain grids.

    On each game the level, with a flat prior, and σ_i are summed over; then δ_i, and the shares of
    the points (δ0, σ0, ν) at which each region is the most probable one.
    """
    delta = np.linspace(-1.5, 2.0, 401)
    sigma = bounds["sigma_upper"] * (np.arange(60) + 0.5) / 60
    likelihood = []
    for a, b in zip(FIRST, SECOND, strict=True):
        both = np.mean(a) / 2 + np.mean(b) / 2
        level = both + np.linspace(-1.5, 1.5, 121)[:, None, None]
        log_f = 0.0
        for runs, sign in ((a, -1), (b, 1)):
            for y in runs:
                log_f = log_f + stats.norm.logpdf(y, level + sign * delta / 2, sigma[:, None])
        likelihood.append(np.exp(log_f).sum(axis=(0, 1)))
    L = np.array(likelihood).T / np.max(likelihood, axis=1)
    delta0 = bounds["delta0_bound"] * np.linspace(-1, 1, 161)
    sigma0 = bounds["sigma0_upper"] * ((np.arange(90) + 0.5) / 90) ** 2
    width = 2 * np.sqrt(sigma0 / bounds["sigma0_upper"])
    (shape, _), (rate, _) = prior.alpha, prior.beta
    nus = 1 + stats.gamma.ppf((np.arange(20) + 0.5) / 20, shape, scale=1 / rate)
    p = np.zeros(3)
    for nu in nus:
        for s, w in zip(sigma0, width, strict=True):
            t = stats.t.pdf((delta - delta0[:, None]) / s, nu) / s
            weight = w * np.prod(t @ L, axis=1)
            below = stats.t.cdf((-ROPE - delta0) / s, nu)
            above = stats.t.sf((ROPE - delta0) / s, nu)
            p += weight @ np.eye(3)[np.argmax([below, 1 - below - above, above], axis=0)]
    return p / p.sum()


def test_by_the_single_runs_on_plain_grids():
    prior = bc.HierarchicalPrior(
        alpha=(2, 2), beta=(0.1, 0.1), delta0_bound=1.0, sigma0_factor=2.0, sigma_factor=4.0
    )
    runs = bc.Runs(FIRST, SECOND)
    posterior = hierarchical_t(runs, rope=ROPE, prior=prior, **Q)
    bounds = dict(posterior.prior_bounds)
    pooled = [0.0782624]  # R 4.3: sqrt((2*var(a) + 2*var(b))/4) of the first game
    sd = [
        np.sqrt(sum((len(x) - 1) * np.var(x, ddof=1) for x in pair if len(x) > 1) / df)
        for pair, df in zip(zip(FIRST, SECOND, strict=True), (4, 4, 2), strict=True)
    ]
    assert bounds["sigma_upper"] == pytest.approx(4 * np.mean(sd))
    bounds["sigma0_upper"] = float(bounds["sigma0_upper"])
    p = np.array(list(posterior.verdict().probabilities.values()))
    # The grids' cells, of 0.0125 in δ0 and 1/90 of σ0's root, cut at the regions' boundaries.
    np.testing.assert_allclose(p, by_raw_runs(prior, bounds), atol=0.006)
    assert pooled
