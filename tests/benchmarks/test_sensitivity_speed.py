"""All questions of a verdict on 54 data sets, each by a fit of its own.

Processor time, the least of several runs: other work on the machine should not fail a test.
"""

from __future__ import annotations

import time

import pytest

import bayescmp as bc
from bayescmp.base.workers import one_thread
from tests.benchmarks import uci_pair

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
