"""Time and memory of the built-in engine, on one thread, in a process of its own.

Processor time, the least of several runs: other work on the machine should not fail a test.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.benchmark

SCRIPT = """
import json, sys, time, tracemalloc
import numpy as np
from bayescmp.engines.quadrature import Problem, solve
from bayescmp.engines.quadrature.posterior import certify

q, n, runs = map(int, sys.argv[1:])
rng = np.random.default_rng(5)
sigma = 0.05 * np.exp(rng.normal(0, 0.5, q))
ss = sigma**2 * 0.9 * rng.chisquare(n - 1, q)
se = sigma * np.sqrt((1 + (n - 1) * 0.1) / n)
x = 0.005 + 0.02 * rng.standard_t(4, q) + se * rng.normal(size=q)
problem = Problem(x, ss, np.full(q, n), np.full(q, 0.1), 1.0, 1000 * x.std(ddof=1),
                  1000 * np.sqrt(ss / (n - 1)).mean())

def least(f, runs):
    times = []
    for _ in range(runs):
        start = time.process_time()
        result = f()
        times.append(time.process_time() - start)
    return result, 1000 * min(times)

def fit():
    posterior = solve(problem)
    posterior.verdict(-0.01, 0.01)
    return posterior, posterior.draws(10_000, 1)

fit()
(posterior, draws), ms = least(fit, runs)
measured = {"fit": ms}
measured["certificate"] = least(lambda: certify(posterior.standard, posterior.grid), runs)[1]
if q <= 200:
    measured["rows"] = least(lambda: posterior.draw_datasets(draws, 1), 3)[1]
tracemalloc.start()
fit()
posterior.certificate()
measured["megabytes"] = tracemalloc.get_traced_memory()[1] / 1e6
print(json.dumps(measured))
"""

FIT = {54: 50, 200: 90, 1000: 300}  # milliseconds: verdict and 10,000 draws


def _measured(q: int, n: int = 100, runs: int = 9) -> dict[str, float]:
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, *map(str, (q, n, runs))],
        env={**os.environ, **one},
        check=True,
        capture_output=True,
        text=True,
    )
    document = json.loads(run.stdout)
    print(q, n, document)
    return document


@pytest.mark.parametrize("q", FIT)
def test_time_and_memory(q):
    document = _measured(q)
    assert document["fit"] < FIT[q]
    assert document["certificate"] < 50
    assert document["certificate"] < document["fit"] / 4
    assert document["megabytes"] < 250
    if q == 54:
        assert document["rows"] < 400


@pytest.mark.parametrize("n", [10, 100])
def test_time_grows_by_less_than_the_rows(n):
    seconds = {}
    for q, runs in ((100, 15), (1000, 5), (5000, 3)):
        document = _measured(q, n, runs)
        seconds[q] = document["fit"] + document["certificate"]
    print(f"n={n}: {seconds[1000] / seconds[100]:.1f} and {seconds[5000] / seconds[100]:.1f}")
    assert seconds[1000] < 6 * seconds[100]
    assert seconds[5000] < 35 * seconds[100]
