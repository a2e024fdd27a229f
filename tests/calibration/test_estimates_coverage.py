"""95% intervals of one model's mean cover it in 93 to 97% of studies, of each kind of data."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc

STUDIES = 1000

pytestmark = pytest.mark.calibration


def proportions(p):
    """Twenty to 200 trials: coverage at one number of trials jumps, being of whole numbers."""

    def draw(rng):
        n = int(rng.integers(20, 201))
        return (int(rng.binomial(n, p)), n), p, {}

    return draw


def folds(rng):
    """Ten folds whose scores correlate at 0.1, around 0.8."""
    x = 0.8 + 0.03 * (np.sqrt(0.1) * rng.normal() + np.sqrt(0.9) * rng.normal(size=10))
    return x, 0.8, {"rho": 0.1}


def datasets(rng):
    """Twelve data sets with one score each."""
    names = [f"d{i}" for i in range(12)]
    scores = {"dataset": names, "algorithm": "svm", "accuracy": rng.beta(8, 2, 12)}
    return bc.Scores(pd.DataFrame(scores)), 0.8, {}


def questions(n, epochs, clusters=None):
    """Right and wrong answers with a mean of 0.6, whose probability varies by question."""

    def draw(rng):
        units = n if clusters is None else clusters
        p = np.repeat(rng.beta(3, 2, units), n // units)
        right = rng.random((n, epochs)) < p[:, None]
        item, epoch = np.indices((n, epochs)).reshape(2, -1)
        table = pd.DataFrame({"model": "small", "item": item, "correct": right.ravel() * 1.0})
        table = table.assign(epoch=epoch) if epochs > 1 else table
        table = table if clusters is None else table.assign(cluster=item * clusters // n)
        return bc.Items(table), 0.6, {}

    return draw


STUDY = {
    "proportion 0.5": proportions(0.5),
    "proportion 0.95": proportions(0.95),
    "folds": folds,
    "data sets": datasets,
    "questions with epochs": questions(50, 4),
    "12 clusters": questions(96, 1, 12),
}


@pytest.mark.parametrize("kind", STUDY)
def test_intervals_cover(kind):
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(STUDIES):
        data, truth, options = STUDY[kind](rng)
        low, high = bc.estimate(data, **options).estimates[0].interval
        hits += low <= truth <= high
    print(f"\n{kind}: covered {hits / STUDIES:.3f}")
    assert hits / STUDIES == pytest.approx(0.95, abs=0.02)
