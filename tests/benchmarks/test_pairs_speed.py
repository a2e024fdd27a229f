"""All pairs of 10 algorithms from a CSV, and of 84: time, memory, what a pair costs.

The yardstick is one call of the hierarchical test on hnb and j48 of UCI; both are measured in
turns, by processor time, on one thread. Run with
``pytest -m benchmark -s tests/benchmarks/test_pairs_speed.py``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

pytestmark = pytest.mark.benchmark

#: Times the yardstick that a pair may take, by the table's size. The research sketch of the
#: built-in engine with 10,000 draws takes twice the yardstick. 45 pairs are to be done in half a
#: sketch each, for they stay in one of two processes, and thousands in a sketch each.
LIMITS = {(10, 54, 10, 10): 1.0, (84, 51, 3, 3): 2.0}

#: In a process of its own, so that its peak of memory is this job's alone; workers count.
JOB = """
import json, resource, sys, time, warnings
import bayescmp as bc
from tests.benchmarks import uci_pair
from tests.benchmarks.measure_hierarchical import Memory

def used():
    both = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(u.ru_utime + u.ru_stime for u in both)

def yardstick():
    start = time.process_time()
    bc.bayesian.hierarchical_t(pair, rope=0.01, engine="quadrature", seed=1).verdict()
    return time.process_time() - start

def compared(scores, jobs=1, **options):
    start, clock = used(), time.perf_counter()
    result = bc.compare_all(scores, rope=0.01, seed=1, n_jobs=jobs, engine="quadrature",
                            progress=False, **options)
    return len(result), used() - start, time.perf_counter() - clock

warnings.simplefilter("ignore", bc.DiagnosticWarning)
pair = bc.Scores(uci_pair.scores()).differences("hnb", "j48")
path, jobs = sys.argv[1], int(sys.argv[2])
yardstick()
start = used()
scores = bc.Scores.read(path)
reading, names = used() - start, scores.algorithms
compared(scores, algorithms=names[:3])  # imports, and tables that are made once
if jobs == 1:
    # every algorithm against its neighbours: a sample of the pairs, where there are thousands
    blocks = [names] if len(names) <= 10 else [names[i : i + 7] for i in range(0, len(names), 7)]
    pairs = seconds = 0
    units = []
    for block in blocks:
        units += [yardstick() for _ in range(5)]
        n, own, _ = compared(scores, algorithms=block)
        pairs, seconds = pairs + n, seconds + own
        units += [yardstick() for _ in range(5)]
    document = {"pairs": pairs, "seconds": seconds, "reading": reading,
                "yardstick": sum(units) / len(units)}
else:
    from joblib.externals.loky import get_reusable_executor
    units = [yardstick() for _ in range(20)]
    start, memory = used(), Memory(pause=2.0)
    memory.start()
    pairs, _, clock = compared(scores, jobs=jobs)
    memory.going = False
    memory.join()
    get_reusable_executor().shutdown(wait=True)  # what workers used is known when they have ended
    seconds = used() - start
    units += [yardstick() for _ in range(20)]
    document = {"pairs": pairs, "seconds": seconds, "clock": clock, "peak": memory.peak,
                "yardstick": sum(units) / len(units)}
print(json.dumps(document))
"""


def _table(algorithms: int, datasets: int, repeats: int, folds: int) -> pd.DataFrame:
    rng, n = np.random.default_rng(0), repeats * folds
    names = {
        "dataset": [f"d{i}" for i in range(datasets)],
        "algorithm": [f"a{i:02d}" for i in range(algorithms)],
        "repeat": range(1, repeats + 1),
        "fold": range(1, folds + 1),
    }
    frame = pd.MultiIndex.from_product(names.values(), names=names).to_frame(index=False)
    own = rng.normal(0, 0.02, algorithms) + rng.standard_t(4, (datasets, algorithms)) * 0.012
    level = 0.8 + rng.normal(0, 0.07, (datasets, 1)) + own
    noise = rng.normal(0, 0.03, (datasets, 1, n)) + rng.normal(0, 0.02, (datasets, algorithms, n))
    frame["accuracy"] = np.round(np.clip(level[:, :, None] + noise, 0, 1).ravel() * 200) / 200
    return frame


def _measured(path: Path, jobs: int) -> dict[str, float]:
    return _run(JOB, path, jobs)


def _run(script: str, *arguments: object) -> dict[str, Any]:
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        cwd=Path(__file__).parents[2],
        env={**os.environ, **one},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("sizes", LIMITS)
def test_what_a_pair_costs(sizes, tmp_path):
    _table(*sizes).to_csv(tmp_path / "scores.csv", index=False)
    m = _measured(tmp_path / "scores.csv", jobs=1)
    total = m["seconds"] + m["reading"] * m["pairs"] / (sizes[0] * (sizes[0] - 1) / 2)
    ratio = total / m["pairs"] / m["yardstick"]
    print(f"\n{sizes}: {1000 * total / m['pairs']:.1f} ms a pair, {ratio:.2f} yardsticks")
    assert ratio < LIMITS[sizes]


def test_thousands_of_pairs_in_two_processes(tmp_path):
    _table(84, 51, 3, 3).to_csv(tmp_path / "scores.csv", index=False)
    m = _measured(tmp_path / "scores.csv", jobs=2)
    ratio = m["seconds"] / m["pairs"] / m["yardstick"]
    print(
        f"\n{m['pairs']} pairs: {m['clock']:.0f} s by the clock, {m['seconds']:.0f} s of the "
        f"processors, {ratio:.2f} yardsticks a pair; {m['peak'] / 1e6:.0f} MB"
    )
    assert m["pairs"] == 3486  # the ratio is printed only: two processes feel the machine's load
    assert m["peak"] < 1e9


#: A small job by the clock: here, and in processes that an earlier call has left.
CLOCK = """
import json, statistics, sys, time, warnings
import bayescmp as bc
from bayescmp.study import all_pairs
from tests.benchmarks import uci_pair

def clock(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start

def single():
    bc.bayesian.hierarchical_t(pair, rope=0.01, engine="quadrature", seed=1).verdict()

def compared():
    scores = bc.Scores.read(sys.argv[1])
    frames.append(bc.compare_all(scores, rope=0.01, seed=1, engine="quadrature").frame)

def ratio():
    before = [clock(single) for _ in range(20)]
    seconds = clock(compared)
    return seconds / statistics.median(before + [clock(single) for _ in range(20)])

warnings.simplefilter("ignore", bc.DiagnosticWarning)
frames, pair = [], bc.Scores(uci_pair.scores()).differences("hnb", "j48")
single()
here = [ratio() for _ in range(5)]
patience, all_pairs.START_UP = all_pairs.START_UP, -1
compared()
all_pairs.START_UP = patience
there = [ratio() for _ in range(5)]
same = all(frame.equals(frames[0]) for frame in frames)
print(json.dumps({"here": here, "there": there, "same": same}))
"""


def test_a_small_job_by_the_clock(tmp_path):
    """On an idle machine, or at a priority above what else runs."""
    _table(10, 54, 10, 10).to_csv(tmp_path / "scores.csv", index=False)
    m = _run(CLOCK, tmp_path / "scores.csv")
    for where in ("here", "there"):
        print(f"\n45 pairs, {where}: {min(m[where]):.0f} to {max(m[where]):.0f} single calls")
    assert m["same"]
