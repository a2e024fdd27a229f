"""Thousands of calls: memory, open files and threads stay what they were."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

#: Runs in a process of its own; prints growth of memory in MB, of open files, and of threads.
JOB = """
import ctypes, gc, os, sys, threading
import numpy as np, pandas as pd
import bayescmp as bc

rng = np.random.default_rng(1)
names = pd.MultiIndex.from_product([range(30), ["a", "b"], range(5)],
                                   names=["dataset", "algorithm", "fold"])

def call():
    x = 0.01 + 0.02 * rng.standard_normal((30, 5))
    posterior = bc.bayesian.hierarchical_t(x, rho=0.2, rope=0.01, engine="quadrature", seed=1)
    posterior.verdict(), posterior.summary()
    table = pd.Series(0.8 + 0.02 * rng.standard_normal(len(names)), names, name="accuracy")
    bc.compare(table.reset_index(), "a", "b", rope=0.01, engine="quadrature", seed=1).verdict()

def state():
    gc.collect()
    if hasattr(libc := ctypes.CDLL(None), "malloc_trim"):
        libc.malloc_trim(0)  # what is free goes back to the system, whatever lies above it
    pages = int(open("/proc/self/statm").read().split()[1])
    return np.array([pages * os.sysconf("SC_PAGE_SIZE") / 1e6, len(os.listdir("/proc/self/fd")),
                     threading.active_count()])

for _ in range(int(sys.argv[1]) // 4):  # imports, and caches that have an end
    call()
before = state()
for _ in range(int(sys.argv[1])):
    call()
print(*(state() - before))
"""


def _growth(calls: int) -> list[float]:
    done = subprocess.run(
        [sys.executable, "-c", JOB, str(calls)], capture_output=True, text=True, check=True
    )
    return [float(v) for v in done.stdout.split()]


@pytest.mark.slow
def test_after_a_few_calls():
    megabytes, files, threads = _growth(8)
    assert (files, threads) == (0, 0)
    assert megabytes < 5  # posteriors that were kept would take three times as much


@pytest.mark.exhaustive
def test_after_two_thousand_calls():
    megabytes, files, threads = _growth(2000)
    print(f"\n2,000 calls of hierarchical_t and of compare: {megabytes:.1f} MB more")
    assert (files, threads) == (0, 0)
    assert megabytes < 20
