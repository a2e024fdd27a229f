"""Our Stan program beside baycomp 1.0.3's, in one run on PyStan: effective draws a second, memory.

``pytest -m benchmark -s tests/benchmarks/test_hierarchical_stan_speed.py``
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.benchmark
MEASURE = Path(__file__).with_name("measure_hierarchical.py")


def measure(side: str) -> dict:
    """In a process of its own; programs are built before, in another."""
    env = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    for options in (["--build"], []):
        command = [sys.executable, "-W", "ignore", str(MEASURE), side, *options]
        done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
        assert done.returncode == 0, done.stderr[-1000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_beside_baycomp(beside):
    theirs = measure("baycomp")
    ours = measure("ours")
    exact = measure("built_in")["seconds"]
    job = "hierarchical test, 50 data sets x 100 folds"
    times = beside(f"{job}: verdict and draws, built in", "baycomp", theirs["seconds"], exact)
    assert times >= 1000
    for name, least in (("sigma0", 50), ("delta0", 40)):
        rates = [m["ess"][name] / m["seconds"] for m in (theirs, ours)]
        unit = "effective draws a second"
        ratio = beside(f"{job}, by PyStan: {name}", "baycomp", *rates, unit=unit, more=True)
        assert ratio >= least
    peaks = [m["peak"] / 1e6 for m in (theirs, ours)]
    beside(f"{job}, by PyStan: peak memory with all chains", "baycomp", *peaks, unit="MB")
    assert peaks[1] < 300
