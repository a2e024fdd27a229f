"""Tables in files: separators, byte order marks, names as they are written."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.table_files import read_table

TABLE = "dataset,algorithm,fold,accuracy\na,x,1,0.5\na,y,1,0.6\n"


def test_a_byte_order_mark_is_no_part_of_a_name(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(TABLE, encoding="utf-8-sig")
    assert list(read_table(path).columns) == ["dataset", "algorithm", "fold", "accuracy"]
    pd.testing.assert_frame_equal(bc.Scores.read(path).frame.drop(columns="repeat"),
                                  pd.read_csv(path, encoding="utf-8-sig"))  # fmt: skip


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
            "gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress,
            "zst": zstandard.compress,
        }  # fmt: skip
        path.write_bytes(pack[ending](text))
    assert len(read_table(path)) == 20_000
    whole = path.read_bytes()
    for size in (3, len(whole) // 2, len(whole) - 5):
        path.write_bytes(whole[:size])
        with pytest.raises(bc.InputError, match="cannot be read as a table") as e:
            read_table(path)
        assert "\n" not in str(e.value)
