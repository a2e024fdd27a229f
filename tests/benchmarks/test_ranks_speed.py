"""Sign, signed-rank and correlated t beside baycomp 1.0.3, in one run; many pairs at once."""

from __future__ import annotations

import subprocess
import sys
from itertools import count
from time import perf_counter

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.bayesian import correlated_t, sign, signed_rank

pytestmark = pytest.mark.benchmark


@pytest.fixture(scope="module")
def baycomp():
    import baycomp

    return baycomp


def best(call, repeat=3):
    seconds = []
    for _ in range(repeat):
        start = perf_counter()
        call()
        seconds.append(perf_counter() - start)
    return min(seconds)


def inputs():
    """Twenty pairs of score vectors: rounded, so that differences tie, and not."""
    rng = np.random.default_rng(4)
    for i in range(20):
        q = int(rng.integers(4, 60))
        x = rng.uniform(0.6, 0.9, q)
        y = x + rng.normal(0.01, 0.03, q)
        if i % 2:  # eighths are exact in binary: ties are ties for both packages
            x, y = np.round(8 * x * 4) / 32, np.round(8 * y * 4) / 32
        yield x, y, [0.0, 1 / 32, 0.01, 1 / 16][i % 4]


def three(p):
    """Of (left, rope, right), or baycomp's (left, right) where there is no rope."""
    return p if len(p) == 3 else (p[0], 0.0, p[1])


@pytest.mark.parametrize("case", range(20))
def test_correlated_t_is_baycomps(baycomp, case):
    x, y, rope = list(inputs())[case]
    n = len(x) - len(x) % 2
    expected = three(baycomp.CorrelatedTTest.probs(x[:n], y[:n], rope, runs=2))
    v = correlated_t((y - x)[:n], rho=2 / n, rope=rope).verdict()
    assert tuple(v.probabilities.values()) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("case", range(20))
def test_signed_rank_is_baycomps(baycomp, case):
    x, y, rope = list(inputs())[case]
    expected = three(baycomp.SignedRankTest.probs(x, y, rope, nsamples=50_000, random_state=1))
    v = signed_rank(y - x, rope=rope, seed=1).verdict()
    for p, (region, own) in zip(expected, v.probabilities.items(), strict=True):
        error = np.hypot(v.errors[region], np.sqrt(own * (1 - own) / 50_000) + 1e-5)
        assert abs(own - p) < 4.5 * error


@pytest.mark.parametrize("case", range(20))
def test_sign_is_baycomps(baycomp, case):
    """With no rope baycomp leaves out draws in which ties are the largest; its own draws of
    θ_right > θ_left are what is compared there. Where ties never win, both are the same."""
    x, y, rope = list(inputs())[case]
    draws = baycomp.SignTest.sample(x, y, rope, nsamples=50_000, random_state=1)
    if rope:
        expected = three(baycomp.SignTest.probs(x, y, rope, nsamples=50_000, random_state=1))
    else:
        right = (draws[:, 2] > draws[:, 0]).mean()
        expected = (1 - right, 0.0, right)
        if (draws.argmax(axis=1) == 1).mean() < 1e-3:
            same = baycomp.SignTest.probs(x, y, 0, nsamples=50_000, random_state=1)
            assert same == pytest.approx((1 - right, right), abs=2e-3)
    v = sign(y - x, rope=rope).verdict()
    for p, own in zip(expected, v.probabilities.values(), strict=True):
        assert abs(own - p) < 4.5 * np.sqrt(own * (1 - own) / 50_000) + 2e-3


@pytest.mark.parametrize(("q", "ratio"), [(54, 15), (1000, 40)])
def test_signed_rank_is_many_times_faster_than_baycomp(baycomp, q, ratio, beside):
    rng = np.random.default_rng(q)
    x = rng.uniform(0.6, 0.9, q)
    y = x + rng.normal(0.003, 0.03, q)
    seeds = count(1)

    def own():
        # each call is a first one, of a seed whose weights are not kept
        signed_rank(y - x, rope=0.01, draws=50_000, seed=next(seeds)).verdict()

    # baycomp's cost is linear in its draws: 1/25 of them at q = 1000, to spare time
    part = 1 if q < 100 else 25

    def other():
        baycomp.SignedRankTest.probs(x, y, 0.01, nsamples=50_000 // part, random_state=1)

    ours, theirs = best(own), best(other, 1 + 2 * (q < 100)) * part
    job = f"signed-rank test, {q} data sets, 50,000 draws"
    assert beside(job, "baycomp", theirs, ours) >= ratio


PEAK = """
import numpy as np
from bayescmp.bayesian import signed_rank

def peak():
    line = next(x for x in open("/proc/self/status") if x.startswith("VmHWM"))
    return int(line.split()[1]) / 1024

before = peak()
x = np.random.default_rng(1).normal(0.003, 0.03, 1000)
signed_rank(x, rope=0.01, draws=50_000, seed=1).verdict()
print(before, peak())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc")
def test_peak_memory_of_the_process_at_a_thousand_data_sets():
    done = subprocess.run([sys.executable, "-c", PEAK], capture_output=True, text=True, check=True)
    before, peak = map(float, done.stdout.split())
    print(f"\npeak memory {peak:.0f} MB, after the imports {before:.0f} MB")
    assert peak < 400


def test_190_pairs_of_20_algorithms_on_100_data_sets():
    rng = np.random.default_rng(0)
    values = 0.7 + rng.normal(0, 0.05, (100, 20)) + np.linspace(0, 0.1, 20)
    scores = bc.Scores.from_means(pd.DataFrame(values, columns=[f"a{i}" for i in range(20)]))
    start = perf_counter()
    result = bc.compare_all(scores, rope=0.01, draws=50_000, seed=1)
    seconds = perf_counter() - start
    print(f"\n190 pairs, 50,000 draws each: {seconds:.1f} s")
    assert len(result.results) == 190
    assert seconds < 20


@pytest.mark.filterwarnings("ignore::bayescmp.DiagnosticWarning")  # of two constant data sets
def test_45_hierarchical_pairs_from_the_file_to_the_table(reference_dir, tmp_path):
    """10 algorithms on 54 data sets, 100 folds each: the five of the table, and shifted copies."""
    frame = pd.read_csv(reference_dir / "accuracy_10x10cv_uci54.csv")
    frame = frame.drop(columns="dataset").rename(columns={"dataset_id": "dataset"})
    rng = np.random.default_rng(5)
    again = frame.assign(algorithm=frame["algorithm"] + "2")
    noise = rng.integers(-2, 3, len(frame)) / frame["n_test"]
    again["accuracy"] = (frame["accuracy"] + noise).clip(0, 1)
    both = pd.concat([frame, again])[
        ["dataset", "algorithm", "repeat", "fold", "n_test", "accuracy"]
    ]
    both.to_csv(tmp_path / "scores.csv", index=False)

    def run():
        scores = bc.Scores.read(tmp_path / "scores.csv")
        return bc.compare_all(scores, "accuracy", 0.01, seed=1, engine="quadrature").frame

    start = perf_counter()
    frame = run()
    seconds = perf_counter() - start
    print(f"\n45 hierarchical pairs, from the CSV to the table: {seconds:.1f} s")
    assert len(frame) == 45
    assert frame["p_left"].notna().all()
    assert seconds < 5
