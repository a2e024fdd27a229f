"""Scores with given sample moments, and tables built from them."""

import re

import numpy as np
import pandas as pd

import bayescmp as bc


def exact_sample(n, mean, covariance, seed=0):
    """n vectors whose sample mean and covariance (divisor n - 1) are exactly those given."""
    mean, covariance = np.asarray(mean, float), np.asarray(covariance, float)
    z = np.random.default_rng(seed).normal(size=(n, len(mean)))
    z -= z.mean(axis=0)
    z = z @ np.linalg.inv(np.linalg.cholesky(np.cov(z.T))).T
    return mean + z @ np.linalg.cholesky(covariance).T


def frame_of(x, columns, *, dataset="d", algorithms=None, repeat=1, folds=None):
    """A tidy frame of scores of shape (L, n, p)."""
    x = np.asarray(x, float)
    L, n, p = x.shape
    per_run = folds or n
    names = algorithms or [f"A{i + 1}" for i in range(L)]
    frame = pd.DataFrame(
        {
            "dataset": dataset,
            "algorithm": np.repeat(names, n),
            "repeat": np.tile(np.arange(n) // per_run + repeat, L),
            "fold": np.tile(np.arange(n) % per_run + 1, L),
        }
    )
    for k in range(p):
        frame[columns[k]] = x[..., k].ravel()
    return frame


def declared(frame, **options):
    """Scores whose metrics m0, m1, ..., a, b, ... are the higher the better."""
    plain = [c for c in frame.columns if re.fullmatch(r"m\d+|[a-z]", c)]
    lower = options.get("lower_is_better", ())
    return bc.Scores(frame, higher_is_better=[c for c in plain if c not in lower], **options)


def scores_of(x, columns, **options):
    """Scores of one data set, from an array of shape (L, n, p)."""
    return declared(frame_of(x, columns, **options))


def counts_of(fp_fn, *, positives=80.0, negatives=20.0):
    """tp, fn, fp, tn of shape (..., 4) from fp and fn of shape (..., 2)."""
    fp, fn = np.moveaxis(np.asarray(fp_fn, float), -1, 0)
    return np.stack([positives - fn, fn, fp, negatives - fp], axis=-1)


def many(q=5, L=4, n=12, p=3, seed=0, spread=1.0):
    """Frame of q data sets with metrics m0, m1, ... and differences between algorithms."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(q, L, n, p)) + rng.normal(size=(q, 1, n, p))
    x += spread * rng.normal(size=(q, L, 1, p))
    parts = [frame_of(x[d], [f"m{k}" for k in range(p)], dataset=f"d{d}") for d in range(q)]
    return pd.concat(parts, ignore_index=True), x
