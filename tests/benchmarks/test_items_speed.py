"""Ten million rows of items, from a table to a verdict."""

from __future__ import annotations

import subprocess
import sys

import pytest

#: Makes the table, then measures what reading and comparing it adds, in a process of its own.
CODE = """
import resource, time
import numpy as np, pandas as pd
import bayescmp as bc
M, B, T = 10, 10, 100_000
rng = np.random.default_rng(1)
sizes = {"m": M, "b": B, "q": T}
words = [pd.array([f"{w}{i}" for i in range(n)], dtype="str") for w, n in sizes.items()]
place = rng.permutation(M * B * T)
table = pd.DataFrame({
    "model": words[0].take(place // (B * T)), "benchmark": words[1].take(place // T % B),
    "item": words[2].take(place % T), "score": (rng.random(M * B * T) < 0.6).astype("int8"),
})
del place
start, clock = time.perf_counter(), time.process_time()
items = bc.Items(table)
posterior = bc.compare(items, "m0", "m1", rope=0.01, dataset="b3")
overall = bc.compare(items, "m0", "m1", rope=0.01, seed=1, engine="quadrature")
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
print(time.perf_counter() - start, time.process_time() - clock, peak)
"""


@pytest.mark.benchmark
def test_ten_million_rows_take_fifteen_seconds_and_two_gigabytes():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    seconds, own, gigabytes = map(float, done.stdout.split())
    print(f"\n{seconds:.1f} s ({own:.1f} s of the processor), {gigabytes:.2f} GB with the table")
    assert own < 15
    assert gigabytes < 2
