"""The report on 10 algorithms x 30 data sets x 100 folds: time, memory, size."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.benchmark

#: Run in a process of its own, so that the peak of memory is this job's alone.
JOB = """
import resource, sys, time, warnings
import numpy as np, pandas as pd
import bayescmp as bc

rng = np.random.default_rng(0)
names = {"dataset": [f"data set {i}" for i in range(30)],
         "algorithm": [f"algorithm {i}" for i in range(10)],
         "repeat": range(1, 11), "fold": range(1, 11)}
frame = pd.MultiIndex.from_product(names.values(), names=names).to_frame(index=False)
own = rng.normal(0, 0.02, 10) + rng.standard_t(4, (30, 10)) * 0.012
level = 0.8 + rng.normal(0, 0.07, (30, 1)) + own
folds = rng.normal(0, 0.03, (30, 1, 100)) + rng.normal(0, 0.02, (30, 10, 100))
score = np.clip(level[:, :, None] + folds, 0, 1).ravel()
frame["accuracy"] = np.round(score * 200) / 200
warnings.simplefilter("ignore", bc.DiagnosticWarning)
wall, cpu = time.perf_counter(), time.process_time()
path = bc.report(frame, sys.argv[1], rope=0.01, metric="accuracy", seed=1, progress=False,
                 engine="quadrature")
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(time.perf_counter() - wall, time.process_time() - cpu, peak, path.stat().st_size)
"""


def test_ten_algorithms_thirty_data_sets(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", JOB, str(tmp_path / "report.html")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    wall, cpu, megabytes, size = map(float, done.stdout.split())
    print(f"\n{wall:.1f} s ({cpu:.1f} s of processor), {megabytes:.0f} MB, {size / 1e6:.2f} MB")
    assert cpu < 60  # wall time is the machine's load as well
    assert megabytes < 1000
    assert size < 2e6
