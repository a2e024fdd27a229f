"""Tables in files: how they are written is found and said, and names stay as they are."""

import os
import subprocess
import sys
import threading

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.scores.readers.files import read_noted, read_table
from tests.rows import each_row

TABLE = "dataset,algorithm,fold,accuracy\na,x,1,0.5\na,y,1,0.6\n"


def test_a_byte_order_mark_is_no_part_of_a_name(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(TABLE, encoding="utf-8-sig")
    assert list(read_table(path).columns) == ["dataset", "algorithm", "fold", "accuracy"]
    pd.testing.assert_frame_equal(
        bc.Scores.read(path).frame.drop(columns="repeat"), pd.read_csv(path, encoding="utf-8-sig")
    )


@each_row("name", ["NA", "nan", "n/a"])
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


@each_row("ending", ["csv", "csv.gz"])
@each_row("wide", [False, True])
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


@each_row("names", [["1.10", "1.1"], ["12e4", "1e400"], ["nan", "NA"]])
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


@each_row("cell", ["", " "])
@each_row(("part", "row"), [("dataset", "{},8,0.5"), ("algorithm", "7,{},0.5")])
def test_an_empty_cell_is_no_name(tmp_path, cell, part, row):
    path = tmp_path / "scores.csv"
    path.write_text(f"dataset,algorithm,auc\n7,8,0.5\n{row.format(cell)}\n")
    with pytest.raises(
        bc.InputError, match=f"column '{part}' must have a name in every row .*row 1"
    ):
        bc.Scores.read(path)


@each_row(
    ("text", "message"),
    [
        (TABLE.replace("fold", "accuracy"), "two columns are named 'accuracy'"),
        (TABLE.replace("0.5", "0,5").replace("0.6", "0,6"), "more fields than the header"),
        (TABLE.replace(",", "\t", 3).replace(",", ";"), "separated by ',' it is not"),
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


@each_row("ending", ["gz", "zip", "zst"])
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


@pytest.mark.parametrize(("name", "needs"), [("a.csv.zst", "zstandard"), ("a.pq", "pyarrow")])
def test_what_a_format_needs_is_named(tmp_path, monkeypatch, name, needs):
    (tmp_path / name).write_bytes(b"PAR1" if needs == "pyarrow" else b"\x28\xb5\x2f\xfd")
    monkeypatch.setitem(sys.modules, needs, None)
    with pytest.raises(bc.InputError, match=f"pip install {needs}"):
        read_table(tmp_path / name)


def test_a_cell_that_is_longer_than_a_csv_reader_takes(tmp_path):
    (tmp_path / "a.csv").write_text(f"dataset,algorithm,fold,accuracy\n{'x' * 140_000},a,1,0.5\n")
    assert len(read_table(tmp_path / "a.csv")["dataset"][0]) == 140_000


# How a text is written.


#: As Excel on a German computer saves a sheet of percents: semicolons, decimal commas, Windows'
#: encoding, a blank that nobody sees, an empty column beside the table and empty rows below it.
GERMAN = """\
Datensatz;Verfahren;Falte;Genauigkeit;
Größe;SVM;1;91,20%;
Größe;SVM ;2;92,35%;
Größe;Bäume;1;90,00%;
Größe;Bäume;2;88,25%;
;;;;
;;;;
"""
GERMAN_PARTS = {"dataset": "Datensatz", "algorithm": "Verfahren", "fold": "Falte"}


def test_percents_from_a_german_excel(tmp_path):
    path = tmp_path / "Ergebnisse.csv"
    path.write_bytes(GERMAN.encode("cp1252").replace(b"\n", b"\r\n"))
    scores = bc.Scores.read(path, columns=GERMAN_PARTS)
    with pytest.warns(bc.DirectionWarning, match="'Genauigkeit'"):
        x = scores.differences("Bäume", "SVM")
    assert scores.datasets == ("Größe",)
    assert x.x[0] == pytest.approx([1.2, 4.1])
    assert x.rho.tolist() == [0.5]
    assert scores.frame["fold"].dtype.kind == "i"
    assert scores.notes == (
        "fields separated by semicolons, decimal commas, encoded in cp1252",
        "2 empty rows left out",
        "percent signs left out: 'Genauigkeit' in percent",
        "blanks around names left out of 'Verfahren': 'SVM '",
    )
    for note in scores.notes:
        assert note in repr(scores)
    assert scores.ignored == ("Unnamed: 4",)
    assert path.read_bytes().count(b"%") == 4


@each_row(("sep", "given"), [(";", {}), ("\t", {}), ("|", {"sep": ";", "decimal": ","})])
def test_what_separates_fields_and_the_decimal_sign(sep, given, tmp_path):
    """What pandas reads when told is what is read without being told; the name does not matter."""
    table = pd.DataFrame(np.random.default_rng(0).random((6, 3)).round(4), columns=list("abc"))
    table.insert(0, "dataset", [f"d{sep}, {i}" for i in range(6)])
    own = {**given, "sep": sep} if given else {}
    for ending in ("csv", "tsv", "txt", "csv.gz"):
        path = tmp_path / f"scores.{ending}"
        table.to_csv(path, sep=sep, decimal=",", index=False)
        expected = pd.read_csv(path, sep=sep, decimal=",")
        frame, notes = read_noted(path, **own)
        pd.testing.assert_frame_equal(frame, expected)
        assert frame["a"].tolist() == table["a"].tolist()
        words = {";": "semicolons", "\t": "tabs", "|": "bars", ",": "commas"}[sep]
        usual = sep == ("\t" if ending == "tsv" else ",")
        assert notes == (("" if usual else f"fields separated by {words}, ") + "decimal commas",)


def test_a_usual_file_has_nothing_to_say(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(TABLE)
    assert read_noted(path)[1] == ()
    assert bc.Scores.read(path).notes == ()


@each_row(
    ("text", "column", "cells"),
    [
        ("dataset;a\nx;12,345\ny;1,000\n", "a", ["12,345", "1,000"]),  # thousands?
        ("dataset;a;b\nx;0,5;0.5\ny;0,7;0.5\n", "a", ["0,5", "0,7"]),  # both signs
        ("dataset;a;note\nx;0.5;1,5\ny;0.7;\n", "a", [0.5, 0.7]),
        ("dataset;a;b\nx;1;1,5\ny;2;-\n", "b", ["1,5", "-"]),  # half of them is not most
        ("dataset;a;b\nx;1;0,345\ny;2;1,500\n", "b", [0.345, 1.5]),
        ("dataset;a;b\nx;1;1e3\ny;2;-2,5e-3\n", "b", ["1e3", "-2,5e-3"]),
        ("dataset;a;b\nx;1;\ny;2;-2,5e-3\n", "b", [np.nan, -0.0025]),
        ("dataset,auc,a\nx,50%,10%\ny,60.5 %,20%\n", "auc", [50.0, 60.5]),
        ("dataset,auc,a\nx,50%,10%\ny,60.5 %,20%\n", "a", ["10%", "20%"]),  # auc is a metric
        ("dataset,auc,a\nx,50%,1\ny,60,2\n", "auc", ["50%", "60"]),  # a sign here, none there
    ],
)
def test_numbers_that_may_be_read_in_two_ways_are_left_as_text(text, column, cells, tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(text)
    frame = read_table(path)
    assert [c if c == c else None for c in frame[column]] == [c if c == c else None for c in cells]


def test_what_is_given_is_not_searched_for(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("dataset;a\nx;12,345\ny;1,000\n")
    assert read_table(path, decimal=",")["a"].tolist() == [12.345, 1.0]
    path.write_text("dataset@knn@svm\nx@0.5@0.6\n")
    assert bc.Scores.read(path, sep="@").algorithms == ("knn", "svm")


@each_row(
    ("options", "message"),
    [
        ({"sep": ";;"}, "sep must be one character"),
        ({"sep": 3}, "sep must be"),
        ({"decimal": "'"}, "decimal must be '.' or ','"),
    ],
)
def test_what_can_separate_nothing(options, message, tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(TABLE)
    for read in (bc.Scores.read, bc.Items.read):
        with pytest.raises(bc.InputError) as caught:
            read(path, **options)
        assert message in str(caught.value)


def test_a_frame_has_no_separators():
    with pytest.raises(bc.InputError, match="sep must be left out unless source is a path"):
        bc.Scores.read(pd.DataFrame({"dataset": ["a"], "a": [1.0], "b": [2.0]}), sep=";")


def test_unicode_text_of_excel(tmp_path):
    """Excel's "Unicode Text": tabs in UTF-16."""
    path = tmp_path / "scores.txt"
    path.write_text(TABLE.replace(",", "\t").replace("x", "ä"), encoding="utf-16")
    frame, notes = read_noted(path)
    assert frame["algorithm"].tolist() == ["ä", "y"]
    assert notes == ("fields separated by tabs, encoded in utf-16",)


def test_bytes_are_no_text(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_bytes(b"PK\x03\x04\xff,\xfe\x00\n" * 9)
    with pytest.raises(bc.InputError, match="cannot be read as a table"):
        read_table(path)


def test_several_files_each_written_in_its_way(tmp_path):
    (tmp_path / "a.csv").write_text("dataset;algorithm;fold;auc\nd;x;1;0,5\nd;x;2;0,6\n")
    (tmp_path / "b.csv").write_text("dataset,algorithm,fold,auc\nd,y,1,0.7\nd,y,2,0.7\n")
    scores = bc.Scores.read([tmp_path / "a.csv", tmp_path / "b.csv"])
    assert scores.differences("x", "y").x[0] == pytest.approx([0.2, 0.1])
    assert scores.notes == ("fields separated by semicolons, decimal commas",)


#: A table as it is left after some work: blanks, row numbers, two metrics, a comment, a gap.
MESSY = """\
;Data Set ; Model;run;cv_fold;Test Accuracy;F1 Score;comment;
0;iris ;knn;1;1;0,93;0,91;;
1;iris;knn;1;2;0,91;0,90;rerun, 2nd;
2;iris; svm;1;1;0,95;0,94;;
3;iris; svm;1;2;0,97;0,96;;
4;wine;knn;1;1;0,88;;;
5;wine;knn;1;2;0,90;0,88;;
6;wine; svm;1;1;0,94;0,93;;
7;wine; svm;1;2;0,92;0,92;;
"""


def test_a_messy_long_table_of_two_metrics(tmp_path):
    path = tmp_path / "results.csv"
    path.write_text(MESSY)
    scores = bc.Scores.read(path)
    assert scores.metrics == ("Test Accuracy", "F1 Score")
    assert (scores.datasets, scores.algorithms) == (("iris", "wine"), ("knn", "svm"))
    assert scores.differences("knn", "svm", "Test Accuracy").x[1] == pytest.approx([0.06, 0.02])
    assert scores.missing["metrics"].tolist() == ["F1 Score"]
    assert set(scores.ignored) == {"Unnamed: 0", "Unnamed: 8", "comment"}
    assert scores.renamed["cv_fold"] == "fold"
    with pytest.raises(bc.InputError, match="metric must be given if the table has"):
        scores.differences("knn", "svm")


# Pipes.


def test_a_pipe_is_read_once(tmp_path):
    """As a shell hands in ``<(...)``: what is read is gone."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for content in (TABLE.encode(), GERMAN.encode("cp1252")):
        writer = threading.Thread(target=pipe.write_bytes, args=(content,))
        writer.start()
        columns = {} if content == TABLE.encode() else {"columns": GERMAN_PARTS}
        scores = bc.Scores.read(pipe, **columns)
        writer.join()
        assert len(scores.frame) == (2 if not columns else 4)


def test_parquet_and_errors_through_a_pipe(tmp_path):
    pd.DataFrame({"dataset": ["a"], "knn": [1.0], "svm": [2.0]}).to_parquet(tmp_path / "a.parquet")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for content, error in (
        ((tmp_path / "a.parquet").read_bytes(), None),
        (b"", "must hold a table"),
    ):
        writer = threading.Thread(target=pipe.write_bytes, args=(content,))
        writer.start()
        if error is None:
            assert bc.Scores.read(pipe).algorithms == ("knn", "svm")
        else:
            with pytest.raises(bc.InputError, match=f"pipe' {error}"):
                bc.Scores.read(pipe)
        writer.join()


def test_the_standard_input_of_the_command():
    command = [sys.executable, "-m", "bayescmp.commands.cli", "compare", "/dev/stdin"]
    text = "dataset;algorithm;fold;auc\n" + "".join(
        f"d;{a};{i};0,{7 + j}{i}\n" for j, a in enumerate("xy") for i in range(5)
    )
    run = subprocess.run([*command, "--rope", "0.01"], input=text, capture_output=True, text=True)
    note = "bayescmp: note: fields separated by semicolons, decimal commas\n"
    assert (run.returncode, run.stderr) == (0, note)
    assert "y" in run.stdout


# Thousands: read where they can be read in one way, else refused by the cell.


def of_numbers(tmp_path, *numbers, sep=";"):
    """Two algorithms on data sets enough, with these scores."""
    cells = [f'"{n}"' if sep in n else n for n in numbers]
    rows = [f"d{i // 2}{sep}{'xy'[i % 2]}{sep}{cell}" for i, cell in enumerate(cells)]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join([f"dataset{sep}algorithm{sep}rmse", *rows]) + "\n")
    return path


SOLD = [1234.5, 999.25, 12345.75, 1200.0, -2000.5, 7.0]


@each_row(
    ("decimal", "thousands", "note"),
    [
        (",", ".", "decimal commas, thousands set off by points"),
        (".", ",", "thousands set off by commas"),
    ],
)
@each_row("sep", [";", ","])
def test_thousands_that_can_be_read_in_one_way_are(tmp_path, decimal, thousands, note, sep):
    """As a person would: 1.234,5 is no 1.2345, whatever separates the fields."""
    turned = str.maketrans(",.", f"{thousands}{decimal}")
    path = of_numbers(tmp_path, *(f"{v:,}".translate(turned) for v in SOLD), sep=sep)
    scores = bc.Scores.read(path)
    assert scores.frame["rmse"].tolist() == SOLD
    assert scores.notes[0].endswith(note)
    assert bc.Scores.read(path, decimal=decimal).frame["rmse"].tolist() == SOLD


def test_whole_numbers_of_more_than_one_group(tmp_path):
    path = of_numbers(tmp_path, "1.234.567", "999", "12.345", "1.200")
    assert bc.Scores.read(path).frame["rmse"].tolist() == [1234567, 999, 12345, 1200]


@each_row(
    ("numbers", "cell"),
    [
        (("1.234,5", "0.91", "2.345,5", "1.200"), "'0.91' and '1.234,5'"),
        (("1,234.5", "0,91", "2,345.5", "1,200"), "'0,91' and '1,234.5'"),
        (("1,234", "2,345", "3,456", "1,200"), "text in row 0: '1,234'"),
    ],
)
def test_thousands_that_may_be_decimals_are_refused(tmp_path, numbers, cell):
    with pytest.raises(bc.InputError, match="column 'rmse'") as error:
        bc.Scores.read(of_numbers(tmp_path, *numbers))
    assert cell in str(error.value)
