"""Tables of other libraries."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bayescmp as bc
from bayescmp.scores.columns import as_frame

COLUMNS = {
    "dataset": ["iris"] * 4 + ["wine"] * 4,
    "algorithm": ["knn", "knn", "svm", "svm"] * 2,
    "fold": [1, 2] * 4,
    "accuracy": [0.8, 0.9, 0.7, None, 0.6, 0.7, 0.8, 0.9],
}


class Stream:
    """A table of no library, which hands out Arrow's stream."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


TABLES = {
    "polars": pl.DataFrame(COLUMNS),
    "polars, categories": pl.DataFrame(COLUMNS).with_columns(
        pl.col("algorithm").cast(pl.Categorical)
    ),
    "polars, 32 bits": pl.DataFrame(COLUMNS).cast({"fold": pl.UInt8}),
    "arrow": pa.table(COLUMNS),
    "arrow, a dictionary": pa.table(COLUMNS).set_column(
        0, "dataset", pa.array(COLUMNS["dataset"]).dictionary_encode()
    ),
    "a batch": pa.RecordBatch.from_pydict(COLUMNS),
    "a stream": Stream(pa.table(COLUMNS)),
}


@pytest.mark.parametrize("name", TABLES)
def test_scores_are_those_of_pandas(name):
    expected = bc.Scores(pd.DataFrame(COLUMNS), missing="common")
    for scores in (
        bc.Scores(TABLES[name], missing="common"),
        bc.Scores.read(TABLES[name], missing="common"),
    ):
        assert (scores.datasets, scores.algorithms) == (("iris", "wine"), ("knn", "svm"))
        assert scores.metrics == ("accuracy",)
        ours, theirs = (s.differences("knn", "svm") for s in (scores, expected))
        assert [x.tolist() for x in ours.x] == [x.tolist() for x in theirs.x]
        assert scores.missing["fold"].tolist() == [2]


KINDS = {"polars": pl.DataFrame, "arrow": pa.table}


@pytest.mark.parametrize("kind", KINDS)
def test_items(kind):
    table = {"model": ["a", "a", "b", "b"], "item": [1, 2] * 2, "correct": [1, 0, 1, 1]}
    for items in (bc.Items(KINDS[kind](table)), bc.Items.read(KINDS[kind](table))):
        assert items.means().to_numpy().tolist() == [[0.5, 1.0]]


@pytest.mark.parametrize("kind", KINDS)
def test_a_comparison(kind):
    complete = {column: cells[4:] for column, cells in COLUMNS.items()}
    theirs, ours = (
        bc.compare(table, "knn", "svm", rope=0.01).verdict()
        for table in (KINDS[kind](complete), pd.DataFrame(complete))
    )
    assert theirs.probabilities == ours.probabilities


def test_what_is_not_computed_yet():
    with pytest.raises(bc.InputError, match=r"polars LazyFrame, not computed yet.*table.collect"):
        bc.Scores(pl.DataFrame(COLUMNS).lazy())
    assert bc.Scores(pl.DataFrame(COLUMNS).lazy().collect()).metrics == ("accuracy",)


def test_what_it_needs_is_named():
    class Table:
        def to_pandas(self):
            raise ModuleNotFoundError("no", name="pyarrow")

    with pytest.raises(bc.InputError, match="is read by pyarrow: pip install pyarrow"):
        as_frame(Table())


def test_what_is_no_table_stays_as_it_is():
    frame = pd.DataFrame(COLUMNS)
    assert as_frame(frame) is frame
    assert as_frame("scores.csv") == "scores.csv"
    assert as_frame(pl.DataFrame) is pl.DataFrame
