"""The hierarchical multivariate test at 20 data sets, 2 metrics, 100 folds: seconds and ess.

``pytest -m benchmark -s tests/benchmarks/test_hierarchical_multivariate_speed.py``
"""

from __future__ import annotations

import time

import numpy as np
import pytest

from bayescmp.bayesian import hierarchical_multivariate_t

pytestmark = [pytest.mark.benchmark, pytest.mark.stan]


def simulated(q=20, n=100, p=2):
    rng = np.random.default_rng(0)
    delta = [0.01, -0.005] + 0.03 * rng.standard_t(5, (q, p)) @ [[1, 0.8], [0, 0.6]]
    noise = np.sqrt(0.1) * rng.normal(size=(q, 1, p)) + np.sqrt(0.9) * rng.normal(size=(q, n, p))
    return list(delta[:, None] + 0.03 * noise @ [[1, 0.9], [0, 0.2]])


def test_under_a_minute(stan_engine, capsys):
    xs = simulated()
    options = {"rho": 0.1, "rope": 0.01, "engine": stan_engine}
    hierarchical_multivariate_t(xs, seed=1, **options)  # builds it
    times, smallest = [], np.inf
    for seed in (1, 2, 3):
        start = time.perf_counter()
        posterior = hierarchical_multivariate_t(xs, seed=seed, **options)
        times.append(time.perf_counter() - start)
        d = posterior.diagnostics
        smallest = min(smallest, d.ess_bulk, d.ess_tail)
        assert d.ok
        assert d.divergences == 0
    start = time.perf_counter()
    posterior.verdict()
    took = time.perf_counter() - start
    with capsys.disabled():
        print(
            f"\n{stan_engine}: {min(times):.1f} to {max(times):.1f} s for 4 x (1000 + 1000) "
            f"iterations, min ess {smallest:.0f}; the verdict {1000 * took:.0f} ms"
        )
    assert max(times) < 60
    assert smallest > 400
