"""Coverage of 95 % intervals of a metric's difference on one test set, by weights of its items.

``python evidence/weights_coverage.py 1000 > weights_coverage.csv``. Two classes as likely as each
other; both models' scores share noise, and the second's classes lie further apart. Beside it what
people use today, on the same test sets: the percentiles of 1,000 resamples of the items, and 1.96
standard errors by leaving out each item (of accuracy the usual one of paired differences).
"""

from __future__ import annotations

import sys
import warnings

import measured
import numpy as np

from bayescmp.bayesian import metric_by_weights
from bayescmp.bayesian.paired.weights import NAMED

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


def usual(y: np.ndarray, both: tuple[np.ndarray, ...], metric: str, rng: np.random.Generator):
    """Intervals by percentiles of resamples, and by the error of leaving out each item."""
    n, values = len(y), [NAMED[metric](y, given) for given in both]

    def difference(w: np.ndarray) -> np.ndarray:
        if (
            metric == "average_precision"
        ):  # a precision above all weight is 0/0, and counts nothing
            w = np.maximum(w, 1e-9)
        with np.errstate(invalid="ignore"):
            first, second = (
                np.nan_to_num(value(w)) for value in values
            )  # 0/0 is 0, as of sklearn
        return second - first

    w = rng.multinomial(n, np.full(n, 1 / n), 1000).astype(float)
    w = w[(w @ y > 0) & (w @ y < n)]  # both classes
    without = difference(1 - np.eye(n))
    half = 1.96 * np.sqrt((n - 1) / n * np.sum((without - without.mean()) ** 2))
    middle = float(difference(np.ones((1, n)))[0])
    return {
        "percentile": np.quantile(difference(w), [0.025, 0.975]),
        "usual": (middle - half, middle + half),
    }


def main() -> None:
    """Print the table."""
    studies = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    sys.stdout.write(measured.head() + "metric,items,method,coverage\n")
    for metric in METRICS:
        truth = posterior(*make(np.random.default_rng(0), 100_000, metric), metric, 0).delta.mean()
        for n in SIZES:
            rng, again = np.random.default_rng(n), np.random.default_rng([n, 1])
            hits = dict.fromkeys(("bayescmp", "percentile", "usual"), 0)
            for seed in range(studies):
                y, *both = make(rng, n, metric)
                intervals = usual(y, both, metric, again)
                intervals["bayescmp"] = posterior(y, *both, metric, seed).interval
                for method, (low, high) in intervals.items():
                    hits[method] += low <= truth <= high
            for method, count in hits.items():
                sys.stdout.write(f"{metric},{n},{method},{count / studies:.3f}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
