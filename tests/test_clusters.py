"""The same calls on a Dask cluster of two worker processes: the same numbers, computed there."""

from __future__ import annotations

from collections.abc import Iterator

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

import bayescmp as bc
from bayescmp import frequentist
from bayescmp.study.planning import deciding

pytestmark = pytest.mark.slow  # the cluster alone takes seconds to start

TASKS = [(2, k) for k in range(6)]


@pytest.fixture(scope="module")
def client() -> Iterator[object]:
    import distributed

    cluster = distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",
    )
    with cluster, distributed.Client(cluster) as client:
        yield client


def _done(client) -> int:
    """Tasks that the workers have finished since the cluster started."""
    return client.run_on_scheduler(
        lambda dask_scheduler: sum(
            end == "memory" for _, _, end, *_ in dask_scheduler.transition_log
        )
    )


def test_all_pairs(client):
    rng = np.random.default_rng(1)
    means = pd.DataFrame(rng.normal(0.8, 0.02, (12, 4)), columns=list("abcd"))
    scores = bc.Scores.from_means(means, metric="accuracy")
    here = bc.compare_all(scores, rope=0.01, seed=1, n_jobs=1)
    before = _done(client)
    with joblib.parallel_config(backend="dask"):
        there = bc.compare_all(scores, rope=0.01, seed=1)
    assert _done(client) > before
    assert there.frame.equals(here.frame)


def test_posteriors_behind_all_pairs(client, table):
    """Fitted there, and again here on demand: the same numbers to the last bit."""
    options = {"rope": 0.05, "seed": 1, "engine": "quadrature"}
    before = _done(client)
    with joblib.parallel_config(backend="dask"):
        there = bc.compare_all(bc.Scores(table), "accuracy", **options)
    assert _done(client) > before
    for pair, result in there.results.items():
        assert there.posterior(*pair).verdict().to_dict() == result.verdict.to_dict()


def test_permutations(client):
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(30, 2)), np.repeat([0, 1], 15)
    x[y == 1] += 1
    here = frequentist.permutation_test(GaussianNB(), x, y, n=20, cv=3, seed=1, n_jobs=1)
    before = _done(client)
    with joblib.parallel_config(backend="dask"):
        there = frequentist.permutation_test(GaussianNB(), x, y, n=20, cv=3, seed=1)
    assert _done(client) > before
    assert np.array_equal(there.null, here.null)


def test_simulations(client):
    here, before = deciding.run_all(pow, TASKS, n_jobs=1, title="", progress=False), _done(client)
    with joblib.parallel_config(backend="dask"):
        there = deciding.run_all(pow, TASKS, n_jobs=None, title="", progress=False)
    assert _done(client) > before
    assert there == here
