"""Scores that the tests of this folder share."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc


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
