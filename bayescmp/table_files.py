"""Tables in files: CSV, Parquet, SQLite."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from bayescmp.columns import NOTES, is_label
from bayescmp.errors import InputError
from bayescmp.files import as_path

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.typing import PathLike

__all__ = ["read_table"]


#: Other files of tables, and what reads them.
OTHERS = {
    **dict.fromkeys((".xlsx", ".xls", ".xlsm", ".ods"), "read_excel"),
    ".json": "read_json",
    ".jsonl": "read_json",
    ".feather": "read_feather",
    ".pkl": "read_pickle",
    ".html": "read_html",
}


def read_table(path: PathLike) -> pd.DataFrame:
    """Read a CSV or Parquet file, or the checkpoint of an experiment.

    Parameters
    ----------
    path : path-like
        ``.parquet`` and ``.pq`` are read as Parquet, ``.tsv`` as tab-separated, the rest as CSV
        (compressed or not). An SQLite file, whatever its name, is read for its table ``scores``.

    Returns
    -------
    DataFrame

    Raises
    ------
    InputError
        If there is no such file, it is empty, or it is not a table.
    """
    import pandas as pd

    path = as_path("path", path)
    if not path.is_file():
        what = "is a directory" if path.is_dir() else "does not exist"
        raise InputError(f"cannot read scores from {str(path)!r}: it {what}")
    accepted = "accepted: a CSV or Parquet table with a header"
    if path.suffix.lower() in OTHERS and not _is_sqlite(path):
        raise InputError(
            f"{str(path)!r} is no CSV or Parquet table by its name: read it with "
            f"pandas.{OTHERS[path.suffix.lower()]}(path) and give the frame to Scores"
        )
    try:
        if _is_sqlite(path):
            frame = _read_sqlite(path)
        elif path.suffix in (".parquet", ".pq"):
            frame = pd.read_parquet(path)
        else:
            frame = _read_csv(path, "\t" if ".tsv" in path.suffixes else ",")
    except pd.errors.EmptyDataError:
        raise InputError(f"{str(path)!r} is empty; {accepted}") from None
    except ImportError as error:
        needs = (
            "reading .zst needs zstandard: pip install zstandard"
            if path.suffix == ".zst"
            else "reading Parquet needs pyarrow: pip install pyarrow"
        )
        raise InputError(f"{str(path)!r}: {needs}") from error
    except Exception as error:  # each format, and each compression of it, has errors of its own
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        raise InputError(
            f"{str(path)!r} cannot be read as a table ({reason}); {accepted}"
        ) from error
    if frame.empty:
        raise InputError(f"{str(path)!r} has a header but no rows; {accepted}")
    return frame


def _read_csv(path: Path, sep: str) -> pd.DataFrame:
    """A text table, refused where pandas would give it another meaning without a word."""
    import pandas as pd

    if path.suffix == ".zst":
        _check_whole(path)
    header = pd.read_csv(path, sep=sep, header=None, nrows=1, dtype=str).iloc[0].dropna()
    if header.duplicated().any():
        raise ValueError(f"two columns are named {header[header.duplicated()].iloc[0]!r}")
    frame = pd.read_csv(path, sep=sep)
    frame = _with_names_as_written(frame, path, sep)
    if len(frame.columns) == 1 and re.search(r"[;|\t]", str(frame.columns[0])):
        raise ValueError(
            f"the header {frame.columns[0]!r} is one field: separated by {sep!r} it is not. Read "
            "it with pandas.read_csv(path, sep=...) and give the frame to Scores"
        )
    if not isinstance(frame.index, pd.RangeIndex):
        raise ValueError("its rows have more fields than the header")
    return frame


def _check_whole(path: Path) -> None:
    """Refuse a .zst file that was cut off: pandas reads it as far as it goes, without a word."""
    import zstandard

    rest = path.read_bytes()
    while rest:
        frame = zstandard.ZstdDecompressor().decompressobj()
        frame.decompress(rest)
        if not frame.eof:
            raise ValueError("the compressed file is cut off")
        rest = frame.unused_data


def _with_names_as_written(frame: pd.DataFrame, path: Path, sep: str) -> pd.DataFrame:
    """The table with names such as "NA" and "None", which pandas takes for missing cells."""
    import pandas as pd

    empty = [
        i
        for i, c in enumerate(frame.columns)
        if (i == 0 or is_label(c)) and frame[c].dtype.kind not in "fiub" and frame[c].isna().any()
    ]
    if not empty:
        return frame
    text = pd.read_csv(
        path, sep=sep, usecols=empty, dtype=str, keep_default_na=False, na_values=[""]
    )
    return frame.assign(**{str(c): text[c] for c in text.columns})


def _is_sqlite(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\0"


def _read_sqlite(path: Path) -> pd.DataFrame:
    """The table ``scores`` of an SQLite file, as a checkpoint of an experiment has it."""
    import sqlite3
    from contextlib import closing

    import pandas as pd

    with closing(sqlite3.connect(path, timeout=60)) as database:
        try:
            frame = pd.read_sql_query("SELECT * FROM scores ORDER BY rowid", database)
        except pd.errors.DatabaseError as error:
            raise ValueError(f"an SQLite file: {error}") from error
    return frame.drop(columns=[c for c in NOTES if c in frame and frame[c].isna().all()])
