"""One fold: what is kept, recorded and limited."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from threadpoolctl import threadpool_info

from bayescmp.experiment.fit import LONGEST, Job, run_fold
from bayescmp.experiment.folds import Fold
from bayescmp.experiment.scoring import as_scoring
from tests.experiment.fakes import Centroid, numbered

X, Y = numbered(30)
FOLD = Fold(1, 1, np.arange(10, 30), np.arange(10), 3)


def job(estimator, keep=False, threads=1):
    return Job(estimator, as_scoring(["accuracy", "tp"], True), 1, keep, threads)


def test_fits_on_training_rows_and_scores_on_test_rows():
    result = run_fold(job(Centroid()), X, Y, FOLD)
    model = Centroid(random_state=3).fit(X[10:], Y[10:])
    assert result.values["accuracy"] == model.score(X[:10], Y[:10])
    assert result.failure == ""
    assert result.responses == {}
    assert result.fit_time > 0
    assert result.score_time > 0


def test_responses_are_kept_on_demand():
    actual = run_fold(job(Centroid(), keep=True), X, Y, FOLD).responses
    assert actual["item"].tolist() == list(range(10))
    assert np.array_equal(actual["truth"], Y[:10])
    assert np.mean(actual["truth"] == actual["predicted"]) > 0.5
    assert "value" not in actual  # it ranks nothing


class Bad(ClassifierMixin, BaseEstimator):
    def __init__(self, in_fit=True):
        self.in_fit = in_fit

    def fit(self, X, y):
        if self.in_fit:
            raise ValueError("long " * 500)
        return self

    def predict(self, X):
        raise MemoryError


@pytest.mark.parametrize("in_fit", [True, False])
def test_an_error_is_recorded_in_one_short_line(in_fit):
    result = run_fold(job(Bad(in_fit)), X, Y, FOLD)
    assert np.isnan([*result.values.values()]).all()
    assert list(result.values) == ["accuracy", "tp"]
    assert len(result.failure) <= LONGEST
    assert result.failure.startswith("ValueError: long long" if in_fit else "MemoryError")
    assert np.isnan(result.fit_time) == in_fit
    assert np.isnan(result.score_time)


class CountsThreads(Centroid):
    seen: dict

    def fit(self, X, y):
        CountsThreads.seen = {i["num_threads"] for i in threadpool_info()}
        return super().fit(X, y)


def test_threads_of_a_fit():
    before = [i["num_threads"] for i in threadpool_info()]
    run_fold(job(CountsThreads()), X, Y, FOLD)
    assert CountsThreads.seen == {1}
    assert [i["num_threads"] for i in threadpool_info()] == before
    run_fold(job(CountsThreads(), threads=None), X, Y, FOLD)
    assert CountsThreads.seen == set(before)


def test_an_interrupt_is_no_failure():
    class Interrupted(Centroid):
        def fit(self, X, y):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_fold(job(Interrupted()), X, Y, FOLD)
