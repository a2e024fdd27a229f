"""Metrics of confusion counts, by name or as functions."""

from __future__ import annotations

import pytest

import bayescmp as bc
from bayescmp.bayesian.confusion.chosen import chosen_metrics

CELLS = (40.0, 10.0, 5.0, 45.0)


def recall(tp, fn, fp, tn):
    return tp / (tp + fn)


def test_names_functions_and_counts():
    metrics = chosen_metrics(["accuracy", recall, "fp", "fpr"])
    assert [m.name for m in metrics] == ["accuracy", "recall", "fp", "fpr"]
    assert [m.function(*CELLS) for m in metrics] == pytest.approx([0.85, 0.8, 5, 0.1])
    assert [m.by_name for m in metrics] == [True, False, True, True]
    assert [m.direction.lower for m in metrics][1::2] == [False, True]


@pytest.mark.parametrize(
    ("metric", "lower", "message"),
    [
        ("accurracy", None, "accuracy"),
        ([], None, "empty"),
        (3, None, "metric=3"),
        (["fp", "fp"], None, "not distinct"),
        (["fp", "fn"], [True], "1 for 2 metrics"),
    ],
)
def test_what_is_no_metric(metric, lower, message):
    with pytest.raises(bc.InputError, match=message):
        chosen_metrics(metric, lower)
