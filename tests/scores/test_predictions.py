"""Predictions of test items: tables long and wide, pairs by item, what does not fit."""

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.scores.predictions import Predictions
from tests.rows import each_row

WIDE = pd.DataFrame(
    {
        "label": ["ill", "well", "ill", "well", "ill", "well"],
        "fold": [1, 1, 1, 2, 2, 2],
        "knn": [0.9, 0.3, 0.6, 0.2, 0.8, 0.7],
        "svm": [0.7, 0.6, 0.5, 0.1, 0.9, 0.4],
    }
)
LONG = WIDE.assign(item=range(6)).melt(
    ["label", "fold", "item"], var_name="algorithm", value_name="value"
)


@each_row("table", [WIDE, LONG, LONG.sample(frac=1, random_state=1)])
def test_wide_and_long(table):
    predictions = Predictions.of_table(table, truth="label", positive="ill")
    assert set(predictions.algorithms) == {"knn", "svm"}
    x = predictions.pair("knn", "svm", *predictions.datasets)
    assert x.names == ("knn", "svm")
    got = [dict(zip(*z, strict=True)) for z in zip(x.items, x.second, strict=True)]
    assert got == [{0: 0.7, 1: 0.6, 2: 0.5}, {3: 0.1, 4: 0.9, 5: 0.4}]
    truth = np.concatenate(x.truth)[np.argsort(np.concatenate(x.items))]
    assert truth.tolist() == [True, False, True, False, True, False]


def test_a_fold_that_one_was_not_run_on_is_left_out():
    part = LONG[(LONG["algorithm"] == "knn") | (LONG["fold"] == 2)]
    x = Predictions.of_table(part, truth="label", positive="ill").pair("knn", "svm", "data")
    assert [i.tolist() for i in x.items] == [[3, 4, 5]]


@each_row(
    ("table", "options", "message"),
    [
        (WIDE, {}, "truth"),
        (WIDE, {"truth": "label"}, r"positive must be given\. It is one of the"),
        (WIDE[["label", "fold"]], {"truth": "label"}, "have a column of an algorithm's values"),
        (LONG.drop(columns="value"), {"truth": "label"}, "value"),
        (LONG.drop(columns="item"), {"truth": "label"}, "must have a column 'item'"),
        (WIDE.assign(repeat=[1, 1, 1, 2, 2, 2]), {"truth": "label"}, "must have a column 'item'"),
        (WIDE.assign(id=range(10, 16)), {"truth": "label"}, "column 'id' .*numbers of the rows"),
    ],
)
def test_tables_that_do_not_fit(table, options, message):
    with pytest.raises(bc.InputError, match=message):
        Predictions.of_table(table, **options)


@each_row(
    ("change", "message"),
    [
        (lambda t: t.assign(item=0), "'knn' on 'data' must have each item once in a fold"),
        (lambda t: t.assign(item=range(12)), "no test item in common"),
        (lambda t: t.assign(label=["ill", "well"] * 3 + ["well", "ill"] * 3), "other labels"),
        (lambda t: t.assign(value=np.nan), "must have ranking values"),
    ],
)
def test_pairs_that_do_not_fit(change, message):
    predictions = Predictions.of_table(change(LONG), truth="label", positive="ill")
    with pytest.raises(bc.InputError, match=message):
        predictions.pair("knn", "svm", "data")
    with pytest.raises(bc.InputError, match=r"algorithm must be .*\(got 'gbm'\)"):
        predictions.responses("data", "gbm")


def test_an_algorithm_may_be_called_value():
    table = WIDE.rename(columns={"knn": "value"})
    predictions = Predictions.of_table(table, truth="label", positive="ill")
    assert predictions.algorithms == ("value", "svm")
    assert np.concatenate(predictions.pair("value", "svm", "data").first) == pytest.approx(
        WIDE.knn
    )
