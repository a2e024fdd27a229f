"""Scores that the tests of this folder share, and a test of the catalogue that is another."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.catalogue import BAYESIAN, FREQUENTIST


@pytest.fixture
def scores(table):
    return bc.Scores(table)


@pytest.fixture
def means():
    rng = np.random.default_rng(3)
    level = np.array([0.70, 0.72, 0.78, 0.71])
    values = np.clip(level + rng.normal(0, 0.03, (14, 4)), 0, 1)
    frame = pd.DataFrame(values, columns=["knn", "gbm", "svm", "nb"])
    return bc.Scores.from_means(frame, metric="accuracy")


def swap(monkeypatch, name, function):
    """Put ``function`` in the place of a Bayesian test's, or of a frequentist (name, scope)."""
    tests = BAYESIAN if isinstance(name, str) else FREQUENTIST
    monkeypatch.setitem(
        tests, name, dataclasses.replace(tests[name], function=function, rows=None)
    )
