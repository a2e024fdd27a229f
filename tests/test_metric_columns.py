"""One metric's column: what it answers, and that a table is asked once for all pairs."""

from __future__ import annotations

import pickle
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.metric_columns import MetricColumn
from bayescmp.metrics import direction


@pytest.mark.parametrize(("values", "span"), [
    ([0.5, np.nan, 1.0], 1), ([50.0, 100.0], 100), ([0.5, 101.0], None),
])  # fmt: skip
def test_span_follows_from_the_values(values, span):
    column = MetricColumn(np.array(values), direction("accuracy"))
    assert column.span == span
    assert column.finite == (not np.isnan(values).any())


def test_a_sign_that_the_name_rules_out_is_refused_every_time():
    column = MetricColumn(np.array([-1.0, -2.0]), direction("rmse"))
    for _ in range(2):
        with pytest.raises(bc.InputError, match="negative"):
            _ = column.lower
    assert MetricColumn(np.array([1.0, 2.0]), direction("rmse")).lower


def test_pairs_do_not_read_the_frame_again(table, monkeypatch):
    scores = bc.Scores(table)
    scores.differences("knn", "gbm", "accuracy")
    monkeypatch.setattr(pd.DataFrame, "__getitem__", lambda *_: pytest.fail("read again"))
    later = scores.differences("knn", "svm", "accuracy")
    assert later.span == 1
    assert str(later.resampling[0]) == "rho 0.2: 5 folds, 2 repeats"


def test_what_pairs_have_looked_up_is_neither_saved_nor_copied(table):
    scores = bc.Scores(table)
    parts = (scores.pairing, scores.resampling)
    before = [len(pickle.dumps(part)) for part in parts]
    for pair in combinations(scores.algorithms, 2):
        expected = scores.differences(*pair, "log_loss").matrix
    assert [len(pickle.dumps(part)) for part in parts] == before
    again = pickle.loads(pickle.dumps(scores))
    assert vars(again).keys() == vars(bc.Scores(table)).keys()
    np.testing.assert_array_equal(again.differences(*pair, "log_loss").matrix, expected)
    logs = scores.on_scale("log_ratio").differences(*pair, "log_loss").matrix
    assert not np.allclose(logs, expected)


def test_two_metrics_of_a_table_are_kept_apart(table):
    scores = bc.Scores(table)
    for metric in ("accuracy", "log_loss", "accuracy"):
        np.testing.assert_array_equal(scores.values(metric), table[metric])
        assert scores.lower_is_better(metric) == (metric == "log_loss")


def test_values_that_were_handed_out_may_be_changed(table):
    scores = bc.Scores(table)
    scores.values("accuracy")[:] = 0
    np.testing.assert_array_equal(scores.values("accuracy"), table["accuracy"])
