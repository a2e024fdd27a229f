"""Simulated folds of several metrics."""

import math

import numpy as np

REGIONS = ("equivalent", "first", "second", "trade_off")


def folds(seed, n=20, p=2, rho=0.0):
    """Differences of n folds that correlate at rho, p metrics that correlate too."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(p, p)) * 0.03
    z = math.sqrt(1 - rho) * rng.normal(size=(n, p)) + math.sqrt(rho) * rng.normal(size=p)
    return rng.normal(size=p) * 0.02 + z @ root.T


def probabilities(posterior, **options):
    return np.array([posterior.verdict(**options).probabilities[r] for r in REGIONS])


def near(sampled, exact, least=4.5):
    """Verdicts that differ by no more than their errors allow."""
    for region, p in exact.probabilities.items():
        error = np.hypot(sampled.errors[region], exact.errors[region])
        assert abs(sampled.probabilities[region] - p) < least * error
