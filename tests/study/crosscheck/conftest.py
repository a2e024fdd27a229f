"""Scores that the tests of this folder share."""

import warnings

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.study.crosscheck import crosscheck
from tests.conftest import small_table

QUIET = {"seed": 1, "engine": "quadrature", "progress": False}


@pytest.fixture
def scores(table):
    return bc.Scores(table)


@pytest.fixture(scope="session")
def checked():
    """The small table's cross-check, to be read only."""
    return crosscheck(bc.Scores(small_table()), "accuracy", 0.05, **QUIET)


@pytest.fixture
def wide():
    rng = np.random.default_rng(5)
    level = np.array([0.70, 0.705, 0.78])
    values = np.clip(level + rng.normal(0, 0.03, (20, 3)), 0, 1)
    return bc.Scores.from_means(
        pd.DataFrame(values, columns=["knn", "gbm", "svm"]), metric="accuracy"
    )


@pytest.fixture(scope="session")
def counts():
    """Two data sets x 3 x 2 x 10 folds of 100 cases; "shy" trades recall for precision."""
    rng = np.random.default_rng(11)
    chance = {"plain": (0.8, 0.2), "shy": (0.7, 0.1), "same": (0.8, 0.2)}
    rows = []
    for dataset in ("one", "two"):
        for repeat in (1, 2):
            for fold in range(1, 11):
                for name, (tpr, fpr) in chance.items():
                    tp, fp = rng.binomial(50, tpr), rng.binomial(50, fpr)
                    rows.append((dataset, name, repeat, fold, tp, 50 - tp, fp, 50 - fp))
    columns = ["dataset", "algorithm", "repeat", "fold", "tp", "fn", "fp", "tn"]
    frame = pd.DataFrame(rows, columns=columns)
    return bc.Scores(frame.assign(accuracy=(frame["tp"] + frame["tn"]) / 100))


@pytest.fixture(scope="session")
def together(counts):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.DiagnosticWarning)
        return crosscheck(
            counts,
            "accuracy",
            {"accuracy": 0.02, "tpr": 0.02, "fpr": 0.02},
            metrics=("tpr", "fpr"),
            **QUIET,
        )
