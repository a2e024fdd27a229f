"""Time of the permutation test beside scikit-learn's permutation_test_score, in one run.

Run with ``pytest -m benchmark -s tests/benchmarks/test_permutation_speed.py``. Both use two
processes, started before; stratified ten-fold cross-validation, 1000 permutations, Gaussian naive
Bayes. Ours measures the original ten times, scikit-learn once.
"""

from __future__ import annotations

import time

import numpy as np
import pytest
from joblib import Parallel, delayed
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import StratifiedKFold, permutation_test_score
from sklearn.naive_bayes import GaussianNB

from bayescmp.frequentist import permutation_test

pytestmark = pytest.mark.benchmark

JOBS, N = 2, 1000


def data(name):
    if name == "null":
        rng = np.random.default_rng(0)
        return rng.normal(size=(150, 5)), rng.integers(0, 2, 150)
    return {"iris": load_iris, "breast cancer": load_breast_cancer}[name](return_X_y=True)


def timed(function):
    start = time.perf_counter()
    actual = function()
    return time.perf_counter() - start, actual


@pytest.mark.parametrize("name", ["iris", "breast cancer", "null"])
def test_beside_scikit_learn(name, beside):
    X, y = data(name)
    Parallel(n_jobs=JOBS)(delayed(time.sleep)(0.1) for _ in range(2 * JOBS))
    permutation_test(GaussianNB(), X, y, n=4, n_jobs=JOBS)
    cv = StratifiedKFold(10, shuffle=True, random_state=0)
    theirs, (_, _, p) = timed(
        lambda: permutation_test_score(
            GaussianNB(), X, y, cv=cv, n_permutations=N, n_jobs=JOBS, random_state=0
        )
    )
    ours, full = timed(lambda: permutation_test(GaussianNB(), X, y, n=N, n_jobs=JOBS, seed=0))
    early, stopped = timed(
        lambda: permutation_test(GaussianNB(), X, y, n=N, n_jobs=JOBS, seed=0, stop="gandy")
    )
    job = f"permutation test of labels, {name}, {N:,} permutations, {JOBS} processes"
    beside(job, "scikit-learn", theirs, ours)
    beside(f"{job}, Gandy's rule", "scikit-learn", theirs, early)
    assert (p <= 0.05) == full.significant == stopped.significant
    assert ours <= theirs
    assert 4 * early <= theirs
