"""What a table of items shows of itself."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from tests.items.tables import TWO, answers


def test_right_or_wrong_is_accuracy():
    assert str(bc.Items(TWO).direction) == "accuracy ↑"


def test_a_named_metric_keeps_its_name_and_direction():
    loss = TWO.rename(columns={"score": "log_loss"})
    assert str(bc.Items(loss).direction) == "log_loss ↓"


def test_an_unknown_direction_is_assumed_once_and_said():
    items = bc.Items(TWO.rename(columns={"score": "judge"}))
    with pytest.warns(bc.DirectionWarning, match="'judge' does not say which way"):
        items.pair("a", "b")
    items.pair("a", "b")  # without another warning, which would be an error here


def test_declarations_are_of_the_score():
    with pytest.raises(bc.InputError, match="lower_is_better='acc'; the score is 'score'"):
        bc.Items(TWO, lower_is_better="acc")
    with pytest.raises(bc.InputError, match="declared lower-is-better and higher-is-better"):
        bc.Items(TWO, lower_is_better="score", higher_is_better="score")


def test_what_is_printed():
    table = answers({"a": [1.0, np.nan], "b": [1.0, 0.0]}, passage=["p", "p"], trial=1)
    shown = repr(bc.Items(table, missing="common"))
    assert shown.splitlines() == [
        "<Items: 2 items of 1 benchmark, 2 models>", "  models: a, b", "  1 cluster of items",
        "  metric: accuracy ↑", "  read 'passage' as cluster, 'trial' as epoch",
        "  missing: 1 score",
    ]  # fmt: skip
    assert "benchmarks: x (3), y (3)" in repr(bc.Items(TWO))
    assert "1 score" in bc.Items(table, missing="common")._repr_html_()


def test_nothing_can_be_set():
    with pytest.raises(AttributeError):
        bc.Items(TWO).models = ("c",)


def test_the_frame_is_the_table_with_epochs_averaged():
    twice = pd.concat([answers({"a": [1, 0]}, epoch=1), answers({"a": [0, 0]}, epoch=2)])
    frame = bc.Items(twice).frame
    assert frame["accuracy"].tolist() == [0.5, 0.0]
    assert frame["epochs"].tolist() == [2, 2]


def test_means_by_benchmark_and_model():
    expected = TWO.pivot_table(index="benchmark", columns="model", values="score")
    np.testing.assert_allclose(bc.Items(TWO).means(), expected)


@pytest.mark.parametrize("frame", [None, "items.csv", [1, 2]])
def test_what_is_no_table_is_refused(frame):
    with pytest.raises(bc.InputError, match="accepted: a DataFrame"):
        bc.Items(frame)


def test_missing_is_one_of_two():
    with pytest.raises(bc.InputError, match="unknown missing 'drop'"):
        bc.Items(TWO, missing="drop")
