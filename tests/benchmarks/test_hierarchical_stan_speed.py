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
    env = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(MEASURE), side],
        capture_output=True,
        text=True,
        env=env,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def test_beside_baycomp(capsys):
    theirs = measure("baycomp")
    ours = measure("ours")
    exact = measure("built_in")["seconds"]
    ratios = {
        name: (ours["ess"][name] / ours["seconds"]) / (theirs["ess"][name] / theirs["seconds"])
        for name in ("sigma0", "delta0")
    }
    with capsys.disabled():
        for side, m in (("baycomp", theirs), ("bayescmp", ours)):
            message = ", ".join(f"ess {k} {v:.0f}" for k, v in m["ess"].items())
            print(f"\n{side:<9} {m['seconds']:.2f} s, {message}, peak {m['peak'] / 1e6:.0f} MB "
                  f"(this process {m['alone'] / 1e6:.0f} MB)")  # fmt: skip
        print(f"built in  {1000 * exact:.0f} ms, {theirs['seconds'] / exact:.0f} times as fast")
        print("ratios of effective draws a second:", {k: round(v) for k, v in ratios.items()})
    assert theirs["seconds"] / exact >= 1000
    assert ratios["sigma0"] >= 50
    assert ratios["delta0"] >= 40
    assert ours["peak"] < 300e6
