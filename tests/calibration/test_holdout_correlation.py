"""The correlation of folds that share their test set, and what a t test makes of it."""

import numpy as np
import pytest
from scipy import stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from bayescmp.experiment import HoldoutResample

pytestmark = pytest.mark.calibration

N, TABLES, FOLDS = 300, 400, 10


def differences(make, rng):
    """Differences of two equal algorithms: the same learner on either half of ten features."""
    actual = np.empty((TABLES, FOLDS))
    for table in range(TABLES):
        y = rng.integers(0, 2, N)
        X = rng.normal(size=(N, 10)) + 0.6 * y[:, None]
        splitter = HoldoutResample(folds=FOLDS, random_state=int(rng.integers(2**31)))
        for fold, (train, test) in enumerate(splitter.split(X, y)):
            right = [
                np.mean(
                    make().fit(X[train][:, half], y[train]).predict(X[test][:, half]) == y[test]
                )
                for half in (slice(5), slice(5, 10))
            ]
            actual[table, fold] = right[1] - right[0]
    return actual


def correlation(x):
    """Between two folds of a table, the mean being 0 by symmetry."""
    square = np.mean(x**2)
    return (np.mean(x.sum(axis=1) ** 2) / FOLDS - square) / ((FOLDS - 1) * square)


def level(x, rho):
    """Share of tables in which the corrected t test rejects at 5% (Nadeau & Bengio 2003)."""
    scale = np.sqrt((1 / FOLDS + rho / (1 - rho)) * x.var(axis=1, ddof=1))
    t = np.abs(x.mean(axis=1)) / np.maximum(scale, 1e-12)
    return np.mean(2 * stats.t.sf(t, FOLDS - 1) < 0.05)


@pytest.mark.parametrize(
    ("make", "low", "high"),
    [
        (LinearDiscriminantAnalysis, 0.85, 0.95),
        (lambda: KNeighborsClassifier(1), 0.78, 0.90),
        (lambda: DecisionTreeClassifier(random_state=0), 0.30, 0.55),
    ],
    ids=["linear", "nearest", "tree"],
)
def test_shared_training_parts_bound_the_correlation_from_the_careful_side(make, low, high):
    x = differences(make, np.random.default_rng(1))
    actual, stated = correlation(x), HoldoutResample(folds=FOLDS).fold_correlation
    given = {"independent": 0.0, "1/k": 1 / FOLDS, "sizes": 100 / 280, "told": stated}
    levels = {name: level(x, rho) for name, rho in given.items()}
    print(f"correlation {actual:.3f}, stated {stated:.3f}, levels {levels}")
    assert low < actual < high
    assert levels["told"] < 0.09  # .05 for a correlation of exactly what is told
    assert levels["1/k"] > 0.2
    assert levels["independent"] > 0.3
