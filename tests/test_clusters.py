"""The same calls on a Dask cluster that loses one of its two workers: the same numbers."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

import bayescmp as bc
from bayescmp import frequentist

pytestmark = pytest.mark.slow  # the cluster alone takes seconds to start

RNG = np.random.default_rng(1)
SCORES = bc.Scores.from_means(
    pd.DataFrame(RNG.normal(0.8, 0.02, (12, 4)), columns=list("abcd")), metric="accuracy"
)
Y = np.repeat([0, 1], 100)
X = RNG.normal(size=(200, 2)) + Y[:, None]
ROPE = {"rope": 0.01, "rho": 0.1}
QUIET = {"seed": 1, "progress": False}


def _crosscheck(folder: Path) -> list[object]:
    check = bc.crosscheck(SCORES, rope=0.01, keep_posteriors=True, **QUIET)
    verdicts = [r.verdict.to_dict() for r in check.comparisons["accuracy"].results.values()]
    return [check.frame.to_csv(), verdicts]


def _report(folder: Path) -> list[str]:
    """A page and the figures for a paper, but for the seconds that each pair took."""
    three = SCORES.select(algorithms=list("abc"))
    bc.report(three, folder / "r.md", rope=0.01, title="T", figures=folder / "f", **QUIET)
    names = sorted(path.name for path in (folder / "f").iterdir())
    return [
        re.sub(r"\b\d+\.\d\d \|$", "", (folder / "r.md").read_text("utf-8"), flags=re.M),
        *names,
    ]


CALLS: dict[str, Callable[[Path], object]] = {
    "compare_all": lambda _: bc.compare_all(SCORES, rope=0.01, **QUIET).frame.to_csv(),
    "plan": lambda _: bc.plan(
        delta0=0.02, sigma0=0.01, datasets=[4, 8], simulations=20, **ROPE, **QUIET
    ).frame.to_csv(),
    "permutation_test": lambda _: frequentist.permutation_test(
        GaussianNB(), X, Y, n=60, cv=3, **QUIET
    ).null.tolist(),
}


@pytest.fixture
def client() -> Iterator[object]:
    """Two workers of their own for each test: one that was killed does not always come back."""
    import distributed

    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
    )
    with cluster, distributed.Client(cluster) as client:
        yield client


def _lose_a_worker(client, after: int):
    """Have the worker that finishes such a task killed with what it holds."""
    import distributed

    class Loss(distributed.SchedulerPlugin):
        name = "loss"
        finished = 0
        lost: str | None = None

        def transition(self, key, start, finish, *_, worker=None, **__):
            if (start, finish) != ("processing", "memory"):
                return
            self.finished += 1
            if self.finished == after:
                self.lost = worker
                [nanny] = [
                    n for n in client.cluster.workers.values() if n.worker_address == worker
                ]
                os.kill(nanny.process.pid, signal.SIGKILL)

    return Loss()


@pytest.mark.parametrize("name", CALLS)
def test_one_of_two_workers_is_lost(name, client, tmp_path):
    """Killed as it finishes a task, whose result is gone with it, and what it was sent."""
    here = CALLS[name](tmp_path)
    client.wait_for_workers(2, timeout=60)
    loss = _lose_a_worker(client, after=2)
    client.cluster.scheduler.add_plugin(loss)
    with joblib.parallel_config(backend="dask"):
        there = CALLS[name](tmp_path)
    client.cluster.scheduler.remove_plugin("loss")
    assert loss.lost is not None
    assert loss.finished > 2
    assert there == here


def test_posteriors_behind_all_pairs(client, table):
    """Fitted there, and again here on demand: the same numbers to the last bit."""
    options = {"rope": 0.05, "seed": 1, "engine": "quadrature"}
    with joblib.parallel_config(backend="dask"):
        there = bc.compare_all(bc.Scores(table), "accuracy", **options)
    for pair, result in there.results.items():
        assert there.posterior(*pair).verdict().to_dict() == result.verdict.to_dict()
