"""The folds of an experiment side by side: backends, processes."""

from __future__ import annotations

from typing import ClassVar

import joblib
import pandas as pd
import pytest
from joblib.parallel import ThreadingBackend
from sklearn.tree import DecisionTreeClassifier

from bayescmp.experiment import run_experiment
from tests.experiment.fakes import (
    Centroid,
    numbered,
)


def without_times(scores):
    return scores.frame.drop(columns=["fit_time", "score_time"])


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_backend_and_jobs_change_nothing(backend):
    """multiprocessing can't hand results over one by one, as Ray's backend can't."""
    models = {"tree": DecisionTreeClassifier(max_features=1), "noise": Centroid()}
    expected = run_experiment(models, {"d": numbered()}, cv=5, seed=1)
    with joblib.parallel_config(backend=backend):
        actual = run_experiment(models, {"d": numbered()}, cv=5, seed=1, n_jobs=2)
    pd.testing.assert_frame_equal(without_times(expected), without_times(actual))


class Elsewhere(ThreadingBackend):
    """A cluster's backend, as far as joblib can tell: it takes one process unless told."""

    asked: ClassVar[list] = []

    def configure(self, n_jobs=1, parallel=None, **options):
        Elsewhere.asked.append(n_jobs)
        return super().configure(n_jobs, parallel, **options)


def test_a_cluster_is_used_in_whole_unless_told():
    joblib.register_parallel_backend("elsewhere", Elsewhere)
    for n_jobs, expected in ((None, -1), (2, 2)):
        Elsewhere.asked.clear()
        with joblib.parallel_config(backend="elsewhere"):
            run_experiment({"a": Centroid()}, {"d": numbered()}, cv=2, n_jobs=n_jobs)
        assert Elsewhere.asked == [expected]
