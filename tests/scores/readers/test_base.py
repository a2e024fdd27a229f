"""What readers share."""

from __future__ import annotations

import numpy as np
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
from bayescmp.scores.readers.files import read_table

TABLE = "dataset,algorithm,fold,accuracy\na,x,1,0.5\na,y,1,0.6\n"


def test_a_byte_order_mark_is_no_part_of_a_name(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(TABLE, encoding="utf-8-sig")
    assert list(read_table(path).columns) == ["dataset", "algorithm", "fold", "accuracy"]
    pd.testing.assert_frame_equal(
        bc.Scores.read(path).frame.drop(columns="repeat"), pd.read_csv(path, encoding="utf-8-sig")
    )


@pytest.mark.parametrize("name", ["NA", "None", "null", "nan", "n/a"])
def test_names_that_pandas_takes_for_missing_cells(tmp_path, name):
    path = tmp_path / "scores.csv"
    path.write_text(f"dataset,algorithm,note,score\n{name},knn,NA,0.5\nwine,{name},NA,NA\n")
    table = read_table(path)
    assert table["dataset"].tolist() == [name, "wine"]
    assert table["algorithm"].tolist() == ["knn", name]
    assert table["note"].isna().all()
    assert np.isnan(table["score"][1])
    path.write_text("dataset,algorithm,score\n,knn,0.5\n")
    assert table.dtypes["score"].kind == "f"
    assert read_table(path)["dataset"].isna().all()


#: What pandas would take for a number, a truth value or a missing cell.
WRITTEN = [
    "1.10",
    "1.1",
    "001",
    "1",
    "12e4",
    "1e400",
    "+1",
    "-0",
    "True",
    "inf",
    "NA",
    "nan",
    "None",
]


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz"])
@pytest.mark.parametrize("wide", [False, True])
def test_names_are_read_as_they_are_written(tmp_path, ending, wide):
    path, sep = tmp_path / f"scores.{ending}", "\t" if ending == "tsv" else ","
    cells = np.random.default_rng(0).random((len(WRITTEN), len(WRITTEN)))
    table = pd.DataFrame(cells, index=pd.Index(WRITTEN, name="dataset"), columns=WRITTEN)
    if wide:
        table.to_csv(path, sep=sep)
    else:
        table.rename_axis(columns="algorithm").stack().rename("auc").reset_index().to_csv(
            path, sep=sep, index=False
        )
    scores = bc.Scores.read(path, metric="auc")
    assert scores.datasets == scores.algorithms == tuple(WRITTEN)
    assert scores.frame["auc"].dtype.kind == "f"


@pytest.mark.parametrize("names", [["1.10", "1.1"], ["07", "7"], ["12e4", "1e400"], ["nan", "NA"]])
def test_names_that_the_user_points_at_and_those_of_an_index(tmp_path, names):
    path = tmp_path / "scores.csv"
    rows = [f"{d},{a},0.{i}" for d in names for i, a in enumerate(names)]
    path.write_text("\n".join(["place,way,auc", *rows]))
    given = {"dataset": "place", "algorithm": "way"}
    scores = bc.Scores.read(path, columns=given)
    assert scores.datasets == scores.algorithms == tuple(names)
    assert bc.Scores.read([path], columns=given).datasets == tuple(names)
    pd.DataFrame({"knn": [0.5, 0.6], "svm": [0.7, 0.8]}, index=names).to_csv(path)
    assert bc.Scores.read(path).datasets == tuple(names)


def test_row_numbers_are_no_names(tmp_path):
    path = tmp_path / "scores.csv"
    table = pd.DataFrame({"dataset": ["a", "b"] * 2, "algorithm": list("xxyy"), "auc": 0.5})
    for start in (0, 1):
        table.set_axis(range(start, start + 4)).to_csv(path)
        assert bc.Scores.read(path).ignored == ("Unnamed: 0",)


def test_a_name_is_text_wherever_in_a_large_file_it_stands(tmp_path):
    """pandas reads a large file in parts of a million cells, each with types of its own."""
    path, rows, more = tmp_path / "scores.csv", 20_000, 100
    names = ["07"] * rows + ["0x"] * rows
    header = ",".join(["place", "dataset", "algorithm", "auc", *(f"m{i}" for i in range(more))])
    path.write_text("\n".join([header, *(f"{n},{n},a,0.5" + ",1" * more for n in names)]))
    table = read_table(path)
    assert table["place"].tolist() == table["dataset"].tolist() == names


@pytest.mark.parametrize("cell", ["", " "])
@pytest.mark.parametrize(("part", "row"), [("dataset", "{},8,0.5"), ("algorithm", "7,{},0.5")])
def test_an_empty_cell_is_no_name(tmp_path, cell, part, row):
    path = tmp_path / "scores.csv"
    path.write_text(f"dataset,algorithm,auc\n7,8,0.5\n{row.format(cell)}\n")
    with pytest.raises(bc.InputError, match=f"column '{part}' is empty in row 1"):
        bc.Scores.read(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TABLE.replace(",", ";"), "separated by ',' it is not"),
        (TABLE.replace("fold", "accuracy"), "two columns are named 'accuracy'"),
        (TABLE.replace("0.5", "0,5").replace("0.6", "0,6"), "more fields than the header"),
        (TABLE.replace("0.5", "0.5,7"), "cannot be read as a table"),
    ],
)
def test_files_that_pandas_would_read_as_something_else(tmp_path, text, message):
    path = tmp_path / "scores.csv"
    path.write_text(text)
    with pytest.raises(bc.InputError) as caught:
        bc.Scores.read(path)
    assert message in str(caught.value)
    assert "scores.csv" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("ending", ["gz", "bz2", "xz", "zip", "zst"])
def test_truncated_archives_are_one_line(ending, tmp_path):
    import bz2
    import gzip
    import lzma
    import zipfile

    import zstandard

    digits = np.random.default_rng(0).integers(1000, size=20_000)  # as random as to fill blocks
    text = b"dataset,algorithm,fold,accuracy\n" + b"".join(b"iris,knn,1,.%d\n" % d for d in digits)
    path = tmp_path / f"scores.csv.{ending}"
    if ending == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("scores.csv", text)
    else:
        pack = {
            "gz": gzip.compress,
            "bz2": bz2.compress,
            "xz": lzma.compress,
            "zst": zstandard.compress,
        }
        path.write_bytes(pack[ending](text))
    assert len(read_table(path)) == 20_000
    whole = path.read_bytes()
    for size in (3, len(whole) // 2, len(whole) - 5):
        path.write_bytes(whole[:size])
        with pytest.raises(bc.InputError, match="cannot be read as a table") as e:
            read_table(path)
        assert "\n" not in str(e.value)


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
