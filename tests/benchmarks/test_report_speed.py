"""Reports of 12 and of 40 algorithms on 60 data sets: processor time, memory, size.

The unit of time is the comparison of one pair with 10,000 draws, `hnb` and `j48` on 54 data sets,
timed in the same process before and after the report: the machine's speed and load cancel.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.benchmark

#: Run in a process of its own, so that the peak of memory is this job's alone.
JOB = """
import json, resource, sys, time, warnings
import numpy as np, pandas as pd
import bayescmp as bc
from tests.benchmarks import uci_pair

def scores(algorithms, datasets):
    rng = np.random.default_rng(0)
    names = {"dataset": [f"data set {i}" for i in range(datasets)],
             "algorithm": [f"algorithm {i}" for i in range(algorithms)],
             "repeat": range(1, 11), "fold": range(1, 11)}
    frame = pd.MultiIndex.from_product(names.values(), names=names).to_frame(index=False)
    shape = datasets, algorithms
    own = rng.normal(0, 0.02, algorithms) + rng.standard_t(4, shape) * 0.012
    level = 0.8 + rng.normal(0, 0.07, (datasets, 1)) + own
    folds = rng.normal(0, 0.03, (datasets, 1, 100)) + rng.normal(0, 0.02, (*shape, 100))
    score = np.clip(level[:, :, None] + folds, 0, 1).ravel()
    frame["accuracy"] = np.round(score * 200) / 200
    return frame

def report(frame):
    return bc.report(frame, sys.argv[1], rope=0.01, metric="accuracy", seed=1, progress=False,
                     engine="quadrature")

def processor(function, times=1):
    start = time.process_time()
    for _ in range(times):
        result = function()
    return result, (time.process_time() - start) / times

def pair():
    posterior = bc.compare(uci, "hnb", "j48", "accuracy", 0.01, seed=1, engine="quadrature")
    return posterior.verdict(), posterior.upper_draws

warnings.simplefilter("ignore", bc.DiagnosticWarning)
uci = bc.Scores(uci_pair.scores())
pair(), report(scores(4, 4))  # imports
frame = scores(int(sys.argv[2]), 60)
before = processor(pair, 10)[1]
path, seconds = processor(lambda: report(frame))
unit = (before + processor(pair, 10)[1]) / 2
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"pairs": seconds / unit, "seconds": seconds, "megabytes": peak,
                  "size": path.stat().st_size / 1e6}))
"""


@pytest.mark.parametrize(
    ("algorithms", "pairs", "megabytes", "size"), [(12, 90, 400, 1.2), (40, 850, 600, 12)]
)
def test_report(tmp_path, algorithms, pairs, megabytes, size):
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    done = subprocess.run(
        [sys.executable, "-c", JOB, str(tmp_path / "report.html"), str(algorithms)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **one},
    )
    measured = json.loads(done.stdout)
    print(f"\n{algorithms} algorithms: {measured}")
    assert measured["pairs"] < pairs
    assert measured["megabytes"] < megabytes
    assert measured["size"] < size
