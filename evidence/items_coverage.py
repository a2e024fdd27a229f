"""Coverage of 95 % intervals of the difference of two models on one benchmark.

``python evidence/items_coverage.py 2000 > items_coverage.csv``. Questions come singly or in
clusters on which the models' difference varies; scores are right or wrong, or means of four
attempts. A share's standard error is 0.0049 for 2,000 benchmarks.
"""

from __future__ import annotations

import sys

import measured
import numpy as np

from bayescmp.bayesian import cluster_bootstrap, paired_proportions
from bayescmp.items.pair import contributions, totals

Rng = np.random.Generator
RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
#: On so many of the questions the models disagree, and so many of those the second answers right.
DISAGREE, SECOND = 0.35, 0.6
TRUTH = DISAGREE * (2 * SECOND - 1)
#: Questions, and how many there are in a cluster.
SINGLE = [(10, 1), (30, 1), (100, 1), (1000, 1)]
DESIGNS = [*SINGLE, (30, 3), (40, 5), (60, 5), (100, 5), (1000, 5), (1000, 20)]


def differences(rng: Rng, n: int, size: int, attempts: int) -> tuple[np.ndarray, np.ndarray]:
    """Differences of n questions, and their clusters of about this size."""
    clusters = np.sort(rng.integers(0, n // size, n)) if size > 1 else np.arange(n)
    share = rng.beta(2 * SECOND, 2 * (1 - SECOND), n)[clusters] if size > 1 else SECOND
    disagree = rng.random((attempts, n)) < DISAGREE
    sign = np.where(rng.random((attempts, n)) < share, 1.0, -1.0)
    return (disagree * sign).mean(axis=0), clusters


def holds(posterior: object) -> bool:
    """Whether the truth is within the central 95 %."""
    return 0.025 <= posterior.tail(TRUTH, upper=False)[0] <= 0.975  # type: ignore[attr-defined]


def normal(x: np.ndarray, clusters: np.ndarray | None) -> bool:
    """The normal approximation, with the clustered standard error of Miller 2024 (CR0)."""
    sums, sizes = totals(x, clusters)
    error = np.sqrt(np.sum((sums - x.mean() * sizes) ** 2)) / len(x)
    return bool(abs(x.mean() - TRUTH) <= 1.959963985 * error)


def student(x: np.ndarray, clusters: np.ndarray | None) -> bool:
    """Student's t on the clusters' contributions, K − 1 degrees of freedom."""
    from scipy.stats import t

    y = contributions(x[:, None], clusters)[:, 0]
    half = t.ppf(0.975, len(y) - 1) * y.std(ddof=1) / np.sqrt(len(y))
    return bool(abs(x.mean() - TRUTH) <= half)


def once(rng: Rng, n: int, size: int, attempts: int) -> dict[str, bool]:
    """One benchmark, by every method that is for it or ignores its clusters."""
    x, clusters = differences(rng, n, size, attempts)
    groups = clusters if size > 1 else None
    covered = {}
    if attempts == 1:
        lost, won = int(np.sum(x < 0)), int(np.sum(x > 0))
        counts = [[n - lost - won, lost], [won, 0]]
        covered["paired_proportions"] = holds(paired_proportions(counts, rope=0))
    covered["normal unclustered"] = normal(x, None)
    if size > 1:
        covered["bootstrap unclustered"] = holds(cluster_bootstrap(x, rope=0, span=1))
        covered["normal clustered"] = normal(x, groups)
    covered["student"] = student(x, groups)
    covered["cluster_bootstrap"] = holds(cluster_bootstrap(x, clusters=groups, rope=0, span=1))
    rubin = cluster_bootstrap(x, clusters=groups, rope=0, span=1, concentration=1)
    covered["bootstrap of Rubin"] = holds(rubin)
    return covered


def main() -> None:
    """Print the table."""
    sys.stdout.write(measured.head() + "questions,cluster,attempts,method,coverage\n")
    for n, size in DESIGNS:
        for attempts in (1, 4):
            rng = np.random.default_rng([n, size, attempts])
            runs = [once(rng, n, size, attempts) for _ in range(RUNS)]
            for method in runs[0]:
                share = np.mean([run[method] for run in runs])
                sys.stdout.write(f"{n},{size},{attempts},{method},{share:.4f}\n")


if __name__ == "__main__":
    main()
