"""Coverage of 95 % intervals of a metric's difference on one test set, by weights of its items.

``python evidence/weights_coverage.py 1000 > weights_coverage.csv``. Two classes as likely as each
other; both models' scores share noise, and the second's classes lie further apart.
"""

from __future__ import annotations

import sys
import warnings

import measured
import numpy as np

from bayescmp.bayesian import metric_by_weights

METRICS = ("accuracy", "f1", "matthews_corrcoef", "roc_auc", "average_precision")
SIZES = (10, 30, 100, 200)
#: Metrics of labels, not of scores.
OF_LABELS = METRICS[:3]


def make(rng: np.random.Generator, n: int, metric: str) -> tuple[np.ndarray, ...]:
    """Labels with both classes in them, and what both models say."""
    y = rng.permutation(np.r_[0, 1, rng.integers(0, 2, n - 2)])
    shared = 0.7 * rng.normal(size=n)
    first, second = (s * (y - 0.5) + shared + 0.9 * rng.normal(size=n) for s in (1.2, 1.6))
    if metric in OF_LABELS:
        return y, (first > 0).astype(int), (second > 0).astype(int)
    return y, first, second


def posterior(y: np.ndarray, first: np.ndarray, second: np.ndarray, metric: str, seed: int):
    """The posterior of the difference, without the note on few items."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return metric_by_weights(y, (first, second), metric, rope=0, draws=1000, seed=seed)


def main() -> None:
    """Print the table."""
    studies = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    sys.stdout.write(measured.head() + "metric,items,coverage\n")
    for metric in METRICS:
        truth = posterior(*make(np.random.default_rng(0), 100_000, metric), metric, 0).delta.mean()
        for n in SIZES:
            rng = np.random.default_rng(n)
            hits = 0
            for seed in range(studies):
                low, high = posterior(*make(rng, n, metric), metric, seed).interval
                hits += low <= truth <= high
            sys.stdout.write(f"{metric},{n},{hits / studies:.3f}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
