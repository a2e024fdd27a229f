"""The table itself: labels, metrics, directions, ranges, means."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc


def test_labels_and_metrics(table):
    scores = bc.Scores(table)
    assert scores.datasets == ("iris", "wine", "digits")
    assert scores.algorithms == ("knn", "gbm", "svm")
    assert scores.metrics == ("accuracy", "log_loss")
    assert scores.renamed == {}


def test_a_second_label_column_is_no_metric(table):
    scores = bc.Scores(table.assign(dataset_id=1, note="x"))
    assert scores.metrics == ("accuracy", "log_loss")
    assert scores.ignored == ("dataset_id", "note")


@pytest.mark.parametrize("declared", ["lower_is_better", "higher_is_better"])
def test_direction_can_be_declared(table, declared):
    table = table.rename(columns={"log_loss": "badness"})
    scores = bc.Scores(table, **{declared: ["badness"]})
    assert scores.lower_is_better("badness") == (declared == "lower_is_better")


def test_span_of_known_metrics(table):
    scores = bc.Scores(table.assign(percent=table.accuracy * 100, mcc=table.accuracy))
    assert scores.span("accuracy") == 1
    assert scores.span("mcc") == 2
    assert scores.span("log_loss") is None
    renamed = bc.Scores(table.assign(accuracy=table.accuracy * 100))
    assert renamed.span("accuracy") == 100


def test_means_agree_with_pandas(table):
    result = bc.Scores(table).means("accuracy")
    expected = table.pivot_table(index="dataset", columns="algorithm", values="accuracy")
    pd.testing.assert_frame_equal(
        result.sort_index().sort_index(axis=1), expected, check_names=False
    )


@pytest.mark.parametrize(("value", "word"), [(np.nan, r"missing \(NaN\)"), (np.inf, "infinite")])
def test_missing_and_infinite_scores_name_the_cell(table, value, word):
    table.loc[(table.dataset == "wine") & (table.algorithm == "gbm") & (table.repeat == 2)
              & (table.fold == 3), "accuracy"] = value  # fmt: skip
    scores = bc.Scores(table)
    where = f"'accuracy' is {word} for dataset 'wine', algorithm 'gbm', repeat 2, fold 3"
    with pytest.raises(bc.InputError, match=where):
        scores.differences("knn", "gbm", "accuracy")
    with pytest.raises(bc.InputError, match=where):
        scores.means("accuracy")
    assert scores.differences("knn", "svm", "accuracy").q == 3


def test_unknown_names_suggest_the_nearest(table):
    scores = bc.Scores(table)
    with pytest.raises(bc.InputError, match="unknown algorithm 'gmb': did you mean 'gbm'"):
        scores.differences("knn", "gmb", "accuracy")
    with pytest.raises(bc.InputError, match="unknown metric 'acuracy': did you mean 'accuracy'"):
        scores.differences("knn", "gbm", "acuracy")
    with pytest.raises(bc.InputError, match="metric is missing: the table has several"):
        scores.differences("knn", "gbm")
    with pytest.raises(bc.InputError, match="both 'knn'"):
        scores.differences("knn", "knn", "accuracy")
    with pytest.raises(bc.InputError, match="unknown column 'data'"):
        bc.Scores(table, columns={"dataset": "data"})
    with pytest.raises(bc.InputError, match="unknown part of a score table 'datset'"):
        bc.Scores(table, columns={"datset": "dataset"})


def test_the_metric_declared_both_ways_is_named(table):
    with pytest.raises(bc.InputError, match=r"'log_loss' is declared lower-is-better and higher"):
        bc.Scores(table, lower_is_better=["accuracy", "log_loss"], higher_is_better="log_loss")


@pytest.mark.parametrize(
    ("labels", "seeds"),
    [
        ({"seed": "repeat", "split": "fold"}, True),
        ({"seed": "repeat"}, False),
        ({"repeat": "repeat", "split": "fold"}, False),
        ({"repeat": "repeat", "seed": "fold", "split": "fold"}, False),
    ],
)
def test_seeds_are_repeats_on_a_split_that_is_named(table, labels, seeds):
    """A seed beside a column of repeats is a note on them."""
    rest = table.drop(columns=["repeat", "fold"])
    if "split" not in labels:
        rest = rest[table.fold == 1]
    assert bc.Scores(rest.assign(**{k: table[v] for k, v in labels.items()})).resampling.seeds == (
        seeds
    )


def test_means_of_the_last_cell_are_missing_where_it_is(table):
    last = (table.dataset == "digits") & (table.algorithm == "svm")
    means = bc.Scores(table[~last], missing="common").means("accuracy")
    assert means.shape == (3, 3)
    assert np.isnan(means.loc["digits", "svm"])
    assert means.isna().to_numpy().sum() == 1
