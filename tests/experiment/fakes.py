"""Estimators and scorers that misbehave on purpose; importable by worker processes."""

import os
import signal
import time
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import NearestCentroid


class Centroid(ClassifierMixin, BaseEstimator):
    """Nearest centroid with noise from its random state, and a diary of its fits.

    The first column of X holds the row's number, so that a fold can be told by a row of its test
    set: the one that is absent from training.
    """

    def __init__(self, random_state=None, diary=None, pause=0.0):
        self.random_state = random_state
        self.diary = diary
        self.pause = pause

    def fit(self, X, y):
        if self.diary:
            with Path(self.diary).open("a") as file:  # one write each: lines don't mix
                file.write(f"{self.random_state}\n")
        time.sleep(self.pause)
        noise = np.random.default_rng(self.random_state).normal(size=X[:, 1:].shape)
        self.model_ = NearestCentroid().fit(X[:, 1:] + noise, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return self.model_.predict(X[:, 1:])


class FailsOn(Centroid):
    """Raises in the fold whose test set holds a row."""

    def __init__(self, row=0, random_state=None):
        super().__init__(random_state)
        self.row = row

    def fit(self, X, y):
        if self.row not in X[:, 0]:
            raise RuntimeError("out of luck\nin this fold")
        return super().fit(X, y)


class InterruptsOn(Centroid):
    """Sends Ctrl-C to a process, in the fold whose test set holds a row."""

    def __init__(self, row=0, pid=0, random_state=None):
        super().__init__(random_state)
        self.row = row
        self.pid = pid

    def fit(self, X, y):
        if self.row not in X[:, 0]:
            os.kill(self.pid, signal.SIGINT)
            time.sleep(0.5)
        return super().fit(X, y)


class KillsItself(FailsOn):
    """Its process is killed, in the fold whose test set holds a row."""

    def fit(self, X, y):
        if self.row not in X[:, 0]:
            time.sleep(0.5)  # what came before is handed over
            os.kill(os.getpid(), signal.SIGKILL)
        return Centroid.fit(self, X, y)


def process_id(model, X, y):
    """Which process scored: no metric, but a number all the same."""
    return os.getpid()


def numbered(n=60, classes=2, seed=0):
    """Rows with their number first; two informative columns."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    return np.column_stack([np.arange(n), rng.normal(size=(n, 2)) + 1.5 * y[:, None]]), y
