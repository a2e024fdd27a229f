"""Intervals of two models' difference cover over items, and over clusters only if they are known.

Kept small; the whole table is that of docs/evidence/items_coverage.py.
"""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.bayesian import cluster_bootstrap, paired_proportions

RUNS = 4000
#: On this share of the items the models disagree; in this share of those the second is right.
DISAGREE, SECOND = 0.35, 0.6
TRUTH = DISAGREE * (2 * SECOND - 1)

pytestmark = pytest.mark.calibration


def holds(posterior) -> bool:
    return 0.025 <= posterior.tail(TRUTH, upper=False)[0] <= 0.975


def differences(
    rng: np.random.Generator, n: int, K: int | None, *, unequal: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Items in K clusters, on which the models' difference varies; without any if K is None.

    Clusters have the same size on average, or one from an exponential distribution.
    """
    if K is None:
        cluster, share = np.arange(n), np.full(n, SECOND)
    else:
        size = rng.exponential(size=K) + 0.1 if unequal else np.ones(K)
        cluster = np.sort(rng.choice(K, n, p=size / size.sum()))
        share = rng.beta(2 * SECOND, 2 - 2 * SECOND, K)[cluster]
    sign = np.where(rng.random(n) < share, 1.0, -1.0)
    return np.where(rng.random(n) < DISAGREE, sign, 0.0), cluster


@pytest.mark.parametrize("n", [10, 30, 100, 1000])
def test_right_and_wrong_answers_cover(n):
    rng = np.random.default_rng(n)
    hits = 0
    for _ in range(RUNS):
        x, _ = differences(rng, n, None)
        lost, won = int((x < 0).sum()), int((x > 0).sum())
        hits += holds(paired_proportions([[n - lost - won, lost], [won, 0]], rope=0))
    print(f"\nn = {n}: covered {hits / RUNS:.4f}")
    assert hits / RUNS == pytest.approx(0.95, abs=0.015)


@pytest.mark.parametrize(
    ("n", "K", "unequal"),
    [(40, 8, False), (50, 10, True), (100, 20, False), (1000, 200, False), (1000, 50, False)],
)
def test_clustered_items_cover_only_by_cluster(n, K, unequal):
    rng = np.random.default_rng([n, K])
    hits = np.zeros(2)
    for _ in range(RUNS):
        x, cluster = differences(rng, n, K, unequal=unequal)
        hits += [holds(cluster_bootstrap(x, clusters=c, rope=0)) for c in (cluster, None)]
    known, ignored = hits / RUNS
    print(f"\nn = {n}, K = {K}: covered {known:.4f}, without clusters {ignored:.4f}")
    assert known == pytest.approx(0.95, abs=0.015)
    assert ignored < 0.92
