"""Time and memory of single tests: the built-in engine, several metrics, sensitivity.

Run with ``pytest -m benchmark -s tests/benchmarks/test_tests_speed.py``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.base.workers import one_thread
from bayescmp.bayesian import groups, hierarchical_multivariate_t, multivariate_t
from tests.benchmarks import uci_pair

# Time and memory of the built-in engine, on one thread, in a process of its own.
#
# Processor time, the least of several runs: other work on the machine should not fail a test.


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


@pytest.mark.benchmark
@pytest.mark.parametrize("q", FIT)
def test_time_and_memory(q):
    document = _measured(q)
    assert document["fit"] < FIT[q]
    assert document["certificate"] < 50
    assert document["certificate"] < document["fit"] / 4
    assert document["megabytes"] < 250
    if q == 54:
        assert document["rows"] < 400


@pytest.mark.benchmark
@pytest.mark.parametrize("n", [10, 100])
def test_time_grows_by_less_than_the_rows(n):
    seconds = {}
    for q, runs in ((100, 15), (1000, 5), (5000, 3)):
        document = _measured(q, n, runs)
        seconds[q] = document["fit"] + document["certificate"]
    print(f"n={n}: {seconds[1000] / seconds[100]:.1f} and {seconds[5000] / seconds[100]:.1f}")
    assert seconds[1000] < 6 * seconds[100]
    assert seconds[5000] < 35 * seconds[100]


# Time of the closed forms of several metrics.
#
# Times are the best of several runs in one process, processor time.


def best(function, repeats=7):
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


@pytest.mark.benchmark
def test_closed_form_with_two_metrics():
    x = np.random.default_rng(1).normal(0.01, 0.03, (100, 2))

    def fit_and_verdict():
        return multivariate_t(x, rho=0.1, rope=0.01, seed=1).verdict()

    seconds = best(fit_and_verdict)
    error = max(fit_and_verdict().errors.values())
    print(f"\np = 2: {1e3 * seconds:.2f} ms, standard error {error:.1g}")
    assert seconds < 0.010


@pytest.mark.benchmark
@pytest.mark.parametrize("p", [1, 2, 3, 6])
def test_all_pairs_of_twenty_algorithms(p):
    rng = np.random.default_rng(1)
    x = rng.normal(0.7, 0.02, (20, 1, p)) + rng.normal(0, 0.03, (20, 30, p))
    seconds = best(lambda: groups(x, rho=0.1, rope=0.01, seed=1).verdicts(), 3)
    whole = best(lambda: str(groups(x, rho=0.1, rope=0.01, seed=1)), 2)
    print(f"\n190 pairs, p = {p}: {seconds:.2f} s; with ranks, told: {whole:.2f} s")
    assert seconds < 3


# The hierarchical multivariate test at 20 data sets, 2 metrics, 100 folds: seconds and ess.


def simulated(q=20, n=100, p=2):
    rng = np.random.default_rng(0)
    delta = [0.01, -0.005] + 0.03 * rng.standard_t(5, (q, p)) @ [[1, 0.8], [0, 0.6]]
    noise = np.sqrt(0.1) * rng.normal(size=(q, 1, p)) + np.sqrt(0.9) * rng.normal(size=(q, n, p))
    return list(delta[:, None] + 0.03 * noise @ [[1, 0.9], [0, 0.2]])


@pytest.mark.benchmark
@pytest.mark.stan
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


# All questions of a verdict on 54 data sets, each by a fit of its own.
#
# Processor time, the least of several runs: other work on the machine should not fail a test.


SECONDS, RUNS = 3.0, 3


@pytest.mark.benchmark
def test_every_question_of_54_data_sets():
    """hnb against j48 of UCI: priors, correlations, ropes, and each data set left out."""
    scores = bc.Scores(uci_pair.scores())
    posterior = bc.compare(scores, "hnb", "j48", "accuracy", 0.01, engine="quadrature", seed=1)
    own, elapsed = [], []
    for _ in range(RUNS):
        start, clock = time.process_time(), time.perf_counter()
        frame = one_thread(posterior.sensitivity)().frame
        own.append(time.process_time() - start)
        elapsed.append(time.perf_counter() - clock)
    fits = int(frame["question"].isin(["prior", "rho", "without"]).sum())
    print(f"\n{fits} fits: {min(own):.2f} s of the processor, {min(elapsed):.2f} s by the clock")
    assert (frame["question"] == "without").sum() == 54
    assert fits >= 60
    assert min(own) < SECONDS


# The first call: a verdict from the shell, beside the import of what it reads and computes with.


ROOT = Path(__file__).parents[2]
VERDICT = "compare examples/data/scores.csv knn svm --rope 0.01 --seed 1"


def _spent(*arguments: str) -> float:
    """Processor time of a process, with its end."""
    before = os.times()
    subprocess.run([sys.executable, *arguments], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])


@pytest.mark.benchmark
def test_a_verdict_from_the_shell_costs_little_more_than_pandas():
    verdict = ("-m", "bayescmp", *VERDICT.split(), "--metric", "accuracy")
    turns = [(_spent(*verdict), _spent("-c", "import pandas, scipy.special")) for _ in range(21)]
    ours, theirs = np.median(turns[1:], axis=0)
    print(f"\na verdict from the shell: {ours:.2f} s, import alone {theirs:.2f} s")
    assert ours < 1.3 * theirs
