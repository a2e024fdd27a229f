"""Percent beside fractions, and values that a metric can't take."""

from __future__ import annotations

import warnings

import pandas as pd
import pytest

import bayescmp as bc


def _scores(metric, by_dataset):
    rows = [
        {"dataset": d, "algorithm": a, "fold": f, metric: value + (a == "y") * value / 100}
        for d, value in by_dataset.items() for a in "xy" for f in (1, 2)
    ]  # fmt: skip
    return bc.Scores(pd.DataFrame(rows))


def test_percent_on_some_data_sets():
    with pytest.warns(bc.DiagnosticWarning, match=r"'accuracy' seems to be in percent on 1 of 2"):
        _scores("accuracy", {"a": 0.9, "b": 90}).differences("x", "y")


@pytest.mark.parametrize(
    ("metric", "value"), [("accuracy", 140), ("accuracy", -0.2), ("mcc", -150)]
)
def test_values_outside_the_range(metric, value):
    with pytest.warns(bc.DiagnosticWarning, match=rf"{metric!r} is .* outside its range"):
        _scores(metric, {"a": value, "b": value}).differences("x", "y")


@pytest.mark.parametrize(
    ("metric", "values"),
    [
        ("accuracy", {"a": 0.9, "b": 0.2}),
        ("accuracy", {"a": 90, "b": 20}),
        ("error", {"a": 12, "b": 5, "c": 0.4}),  # per cent, one of which is under 1 %
        ("rmse", {"a": 1.0, "b": 50.0}),  # no range
        ("mcc", {"a": -0.3, "b": 0.9}),
    ],
)
def test_one_unit_is_no_news(metric, values):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _scores(metric, values).differences("x", "y")


def test_a_negated_loss_is_in_its_range():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = {"knn": [-0.1, -0.2], "svm": [-0.2, -0.3]}
        bc.Scores.read(x, metric="error", resampling=2).differences("knn", "svm")


def test_it_is_said_once():
    scores = _scores("accuracy", {"a": 0.9, "b": 90})
    with pytest.warns(bc.DiagnosticWarning):
        scores.differences("x", "y")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores.differences("y", "x")
