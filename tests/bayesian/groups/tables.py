"""Scores of several algorithms on the same folds."""

import numpy as np


def scores(seed=0, L=4, n=15, p=2, spread=0.02):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(p, p)) * 0.03
    folds = rng.normal(size=(1, n, p)) * 0.05
    return 0.7 + spread * rng.normal(size=(L, 1, p)) + folds + rng.normal(size=(L, n, p)) @ root.T
