"""Intervals of two models' difference cover over items, and over clusters only if they are known.

Kept small; the whole table is that of evidence/items_coverage.py.
"""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.bayesian import cluster_bootstrap, paired_proportions
from bayescmp.bayesian.paired import clusters as module

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

    Each cluster has an item; sizes are the same on average, or from an exponential distribution.
    """
    if K is None:
        cluster, share = np.arange(n), np.full(n, SECOND)
    else:
        size = rng.exponential(size=K) + 0.1 if unequal else np.ones(K)
        cluster = np.sort(np.r_[np.arange(K), rng.choice(K, n - K, p=size / size.sum())])
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


#: Sizes of K clusters: all five, or five on average, from an exponential or a Pareto distribution.
SIZES = {
    "equal": lambda rng, K: np.full(K, 5),
    "exponential": lambda rng, K: 1 + rng.poisson(rng.exponential(4, K)),
    "heavy-tailed": lambda rng, K: np.minimum(1 + np.floor(2 * rng.pareto(1.5, K)), 400),
}


def of_effects(rng: np.random.Generator, effects: np.ndarray, spread: float) -> np.ndarray:
    return effects + spread * rng.normal(size=len(effects))


def of_wins(rng: np.random.Generator, share: np.ndarray) -> np.ndarray:
    return np.where(rng.random(len(share)) < share, 1.0, -1.0)


#: Differences of the items of clusters, and their mean: normal or skewed effects of clusters with
#: items about them; items won or lost, three to two or nearly all of them.
EFFECTS = {
    "normal": (lambda rng, at: of_effects(rng, rng.normal(size=at.max() + 1)[at], 0.5), 0.0),
    "skewed": (lambda rng, at: of_effects(rng, rng.exponential(size=at.max() + 1)[at], 0.5), 1.0),
    "won and lost": (lambda rng, at: of_wins(rng, rng.beta(1.2, 0.8, at.max() + 1)[at]), 0.2),
    "mostly won": (lambda rng, at: of_wins(rng, rng.beta(1.6, 0.4, at.max() + 1)[at]), 0.6),
}


@pytest.mark.parametrize("effect", EFFECTS)
@pytest.mark.parametrize("size", SIZES)
def test_coverage_by_the_number_of_clusters(size, effect, evidence, monkeypatch):
    """What the docstring says: where clusters are few, unequal and skewed."""
    fewest = module.FEWEST
    monkeypatch.setattr(module, "FEWEST", 2)  # those that are refused, to show why
    draw, truth = EFFECTS[effect]
    covered = {}
    for K in (3, 4, 5, 6, 8, 12, 30, 100):
        rng = np.random.default_rng([K, len(size), len(effect)])
        hits = 0
        for _ in range(RUNS // 2):
            at = np.repeat(np.arange(K), SIZES[size](rng, K).astype(int))
            posterior = cluster_bootstrap(draw(rng, at), clusters=at, rope=0, span=1)
            hits += 0.025 <= posterior.tail(truth, upper=False)[0] <= 0.975
        covered[K] = hits / (RUNS // 2)
        evidence(
            "clusters_coverage",
            effects=effect,
            sizes=size,
            clusters=K,
            simulations=RUNS // 2,
            covered=covered[K],
        )
    print(size, effect, covered)
    least = {"normal": 0.92, "won and lost": 0.9, "skewed": 0.885, "mostly won": 0.85}[effect]
    assert all(least < share < 0.985 for K, share in covered.items() if fewest <= K)
