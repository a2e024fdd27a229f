"""What readers share."""

from __future__ import annotations

import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.scores.readers.base import (
    Source,
    failures,
    from_long,
    numbers,
    parts_of,
    short_names,
)


def test_sources(tmp_path):
    frame = pd.DataFrame({"a": [1], "b": [2]})
    frame.to_csv(tmp_path / "x.y.csv", index=False)
    source = Source.of(tmp_path / "x.y.csv")
    assert (source.name, source.columns, source.has("a", "b")) == ("x", ["a", "b"], True)
    assert Source.of(source) is source
    assert Source.of({"a": 1}).columns == []
    assert not Source.of(frame).has("c")


def test_long_tables_and_their_duplicates():
    frame = pd.DataFrame({"d": [1, 1, 2, 2], "m": ["f1", "auc", "f1", "auc"], "v": range(4)})
    wide = from_long(frame, ["d"], "m", "v", "the table")
    assert wide.to_dict("list") == {"d": [1, 2], "auc": [1, 3], "f1": [0, 2]}
    with pytest.raises(bc.InputError, match=r"4 scores appear twice, e.g. 'f1' for d '1'"):
        from_long(pd.concat([frame, frame]), ["d"], "m", "v", "the table")


def test_short_names_stay_distinct():
    assert short_names(["a.b.C", "d.C", "e.F"]) == {"a.b.C": "a.b.C", "d.C": "d.C", "e.F": "F"}


def test_parts_by_their_last_names():
    columns = ["params.model", "params.k", "tags.data"]
    assert parts_of(columns, None, "runs") == {"algorithm": "params.model", "dataset": "tags.data"}
    assert parts_of(columns, {"fold": "k"}, "runs")["fold"] == "params.k"
    assert parts_of(columns, {"algorithm": "params.k"}, "runs")["algorithm"] == "params.k"
    with pytest.raises(bc.InputError, match=r"none of 'params.k' is known.*columns=\{"):
        parts_of(["params.k"], None, "runs")
    with pytest.raises(bc.InputError, match="unknown column 'q'"):
        parts_of(columns, {"fold": "q"}, "runs")


def test_numbers_and_failures():
    assert numbers("fold", pd.Series(["10", "2"])).tolist() == [10, 2]
    assert numbers("fold", pd.Series(["10", "x"])).tolist() == ["10", "x"]
    assert numbers("dataset", pd.Series(["1.10", "07"])).tolist() == ["1.10", "07"]
    assert failures(pd.Series([True, False]), "why").tolist() == ["why", None]
