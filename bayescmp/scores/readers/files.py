"""Tables in files: CSV as programs and offices write it, Parquet, SQLite, and pipes."""

from __future__ import annotations

import csv
import re
import shutil
import tempfile
import warnings
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from bayescmp.base.arguments import arg, must_be
from bayescmp.base.files import as_path
from bayescmp.base.typing import PathLike
from bayescmp.errors import InputError
from bayescmp.scores import metrics
from bayescmp.scores.columns import NOTES, is_label, names_in
from bayescmp.wording.text import format_count

#: Options for text files of any format.
OF_FILES = ("sep", "decimal")

#: A function that finds the columns of names in a header.
Names = Callable[[list[str]], Iterable[str]]

#: The name that pandas gives to an index that was written as the first column.
_INDEX = "Unnamed: 0"

#: The argument by which pandas leaves names unchanged.
_AS_TEXT = "{'dataset': str, 'algorithm': str}"

#: Other files of tables, and what reads them.
OTHERS = {
    **dict.fromkeys((".xlsx", ".xls", ".xlsm", ".ods"), f"read_excel(path, dtype={_AS_TEXT})"),
    ".json": "read_json(path, dtype=False)",
    ".jsonl": "read_json(path, dtype=False, lines=True)",
    ".feather": "read_feather(path)",
    ".pkl": "read_pickle(path)",
    ".html": f"read_html(path, converters={_AS_TEXT})",
}

#: Typed counts, and what reads them.
_COUNTS = re.compile(r"(?:[^/]*=)?\d+/\d+")
_ONLY_COMPARED = (
    " `bayescmp compare` and `bayescmp estimate` take counts of successes such as 14/20; other "
    "commands need scores."
)

_ACCEPTED = "Use a CSV or Parquet table with a header."


def read_table(path: PathLike, names: Names = names_in, **text: str | None) -> pd.DataFrame:
    """Read a CSV or Parquet file, or the checkpoint of an experiment.

    ``.parquet`` and ``.pq`` are Parquet, an SQLite file is read for its table ``scores``, the rest
    as text, whose separator and decimal sign are found. Columns that ``names`` recognises stay
    text: "1.10", "007" and "NA" are names, and only an empty cell is missing.
    """
    return read_noted(path, names, **text)[0]


def read_noted(
    path: PathLike,
    names: Names = names_in,
    *,
    sep: str | None = None,
    decimal: str | None = None,
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read a file as `read_table` does, and return notes on how it is written."""
    check_dialect(sep, decimal)
    path = as_path("path", path)
    if path.is_dir() or not path.exists():
        what = "a directory" if path.is_dir() else "a path that does not exist"
        hint = _ONLY_COMPARED if _COUNTS.fullmatch(str(path)) else ""
        raise InputError(f"{str(path)!r} must be a file of scores (got {what}).{hint}", "source")
    if path.is_file():
        return _read_file(path, str(path), names, sep, decimal)
    with tempfile.TemporaryDirectory() as folder:  # a pipe, which is read once
        whole = Path(folder) / path.name
        try:
            with path.open("rb") as pipe, whole.open("wb") as file:
                shutil.copyfileobj(pipe, file)
        except OSError as error:
            raise InputError(
                f"{str(path)!r} cannot be read: {error.strerror or error}.", "source"
            ) from error
        return _read_file(whole, str(path), names, sep, decimal)


def check_dialect(sep: object, decimal: object) -> None:
    """Refuse what cannot separate fields, or cannot be a decimal sign."""
    if sep is not None and not (isinstance(sep, str) and len(sep) == 1 and sep not in '\r\n".'):
        raise must_be("sep", "one character, such as ';' or a tab", sep)
    if decimal not in (None, ".", ","):
        raise must_be("decimal", "'.' or ','", decimal)


def _read_file(
    path: Path, shown: str, names: Names, sep: str | None, decimal: str | None
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    start = _start(path)
    suffix = path.suffix.lower()
    if suffix in OTHERS and start != _SQLITE:
        raise InputError(
            f"{shown!r} must be a CSV or Parquet table (got another format by its name). Save it "
            f"as CSV, or read it with pandas.{OTHERS[suffix]} and give the frame to Scores.",
            "source",
        )
    notes: tuple[str, ...] = ()
    try:
        if start == _SQLITE:
            frame = _read_sqlite(path)
        elif suffix in (".parquet", ".pq") or start.startswith(b"PAR1"):
            frame = pd.read_parquet(path)
        else:
            frame, notes = _read_text(path, names, sep, decimal)
    except pd.errors.EmptyDataError:
        raise InputError(
            f"{shown!r} must hold a table (got an empty file). {_ACCEPTED}", "source"
        ) from None
    except ImportError as error:
        package = "zstandard" if suffix == ".zst" else "pyarrow"
        raise InputError(
            f"{package} must be installed to read {shown!r}. Use pip install {package}.", "source"
        ) from error
    except Exception as error:  # each format, and each compression of it, has its own errors
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        raise InputError(
            f"{shown!r} cannot be read as a table ({reason}). {_ACCEPTED}", "source"
        ) from error
    if frame.empty:
        raise InputError(f"{shown!r} must have rows (got only a header). {_ACCEPTED}", "source")
    return frame, notes


# The format of a text: its separator, its decimal sign, its encoding.


#: Possible separators of fields, in the order of trial.
_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}

#: Number of lines from which the separator is found.
_LINES = 200


@dataclass(frozen=True)
class _Dialect:
    """The way a text is written, in the words of `pandas.read_csv`."""

    sep: str
    decimal: str = "."
    encoding: str = "utf-8"
    thousands: str | None = None

    def read(self, path: Path, **options: Any) -> pd.DataFrame:
        """Read the file, or part of it, with pandas."""
        frame: pd.DataFrame = pd.read_csv(path, **{**vars(self), **options})
        return frame

    def notes(self, usual: str) -> list[str]:
        """Say what differs from most files."""
        unusual = []
        if self.sep != usual:
            unusual.append(f"fields separated by {_SEPARATORS.get(self.sep, repr(self.sep))}")
        if self.decimal == ",":
            unusual.append("decimal commas")
        if self.thousands is not None:
            sign = "points" if self.thousands == "." else "commas"
            unusual.append(f"thousands set off by {sign}")
        if self.encoding != "utf-8":
            unusual.append(f"encoded in {self.encoding}")
        return [", ".join(unusual)] if unusual else []


def _read_text(
    path: Path, names: Names, sep: str | None, decimal: str | None
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    if path.suffix == ".zst":
        _check_whole(path)
    if _start(path).startswith((b"\xff\xfe", b"\xfe\xff")):
        return _read_encoded(path, names, sep, decimal, "utf-16")
    try:
        return _read_encoded(path, names, sep, decimal, "utf-8")
    except UnicodeDecodeError:  # as offices write it
        return _read_encoded(path, names, sep, decimal, "cp1252")


def _read_encoded(
    path: Path, names: Names, sep: str | None, decimal: str | None, encoding: str
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read a text table, and return notes on how it is written."""
    usual = "\t" if ".tsv" in path.suffixes else ","
    text = _Dialect(usual, decimal or ".", encoding)
    text = replace(text, sep=_separator(_first_lines(path, text), usual) if sep is None else sep)
    frame, known = _read_cells(path, text, names)
    signs = _with_thousands(path, text, frame, known)
    if signs is None and decimal is None and _has_decimal_commas(frame, known):
        signs = {"decimal": ","}
    if signs is not None and decimal in (None, signs["decimal"]):
        text = replace(text, **signs)
        frame, known = _read_cells(path, text, names)
    notes = text.notes(usual)
    empty = frame.isna().all(axis=1)
    if empty.any():  # as spreadsheets write rows below the table
        frame = frame[~empty].reset_index(drop=True)
        floats = [c for c in frame if frame[c].dtype.kind == "f" and frame[c].notna().all()]
        # pandas turns whole numbers into floats if a cell of the column is empty
        frame = frame.astype({c: "int64" for c in floats if (frame[c] % 1 == 0).all()})
        notes.append(f"{format_count(int(empty.sum()), 'empty row')} left out")
    frame, percent = _without_percent_signs(frame, known, text.decimal)
    if percent:
        columns = ", ".join(map(repr, percent[:4])) + (", ..." if len(percent) > 4 else "")
        notes.append(f"percent signs left out: {columns} in percent")
    return frame, tuple(notes)


def _first_lines(path: Path, text: _Dialect) -> list[str]:
    whole = replace(text, sep="\x01").read(
        path, header=None, nrows=_LINES, dtype=str, quoting=csv.QUOTE_NONE, keep_default_na=False
    )
    lines = [str(line) for line in whole.iloc[:, 0]]
    if text.encoding == "cp1252" and any(re.search(r"[\x00-\x08\x0e-\x1f]", s) for s in lines):
        raise ValueError("it is not text")
    return lines


def _separator(lines: Sequence[str], usual: str) -> str:
    """Find what separates most fields of all that split every line into as many as the header."""
    fields = {sep: _fields(lines, sep) for sep in dict.fromkeys((usual, *_SEPARATORS))}
    best = max(fields, key=lambda sep: fields[sep])
    return best if fields[best] > 1 else usual


def _fields(lines: Sequence[str], sep: str) -> int:
    """Count the fields of the lines; 0 if some line has not as many as the first."""
    try:
        counts = [len(row) for row in csv.reader(lines, delimiter=sep)]
    except csv.Error:
        return 0
    whole = counts[:-1] if len(lines) == _LINES else counts
    return counts[0] if set(whole) <= {counts[0]} else 0


_COMMA = re.compile(r"\s*[-+]?\d+,\d+(?:[eE][-+]?\d+)?\s*%?\s*")
_POINT = re.compile(r"\s*[-+]?\d*\.\d+(?:[eE][-+]?\d+)?\s*%?\s*")
_THOUSANDS = re.compile(r"\s*[-+]?[1-9]\d{0,2}(?:,\d{3})+\s*")


#: Numbers that can be read in only one way, by the decimal sign: "1.234,5", "1,234.5".
_GROUPED = {
    ",": re.compile(r"\s*[-+]?[1-9]\d{0,2}(?:(?:\.\d{3})+,\d+|(?:\.\d{3}){2,})\s*"),
    ".": re.compile(r"\s*[-+]?[1-9]\d{0,2}(?:(?:,\d{3})+\.\d+|(?:,\d{3}){2,})\s*"),
}


def _with_thousands(
    path: Path, text: _Dialect, frame: pd.DataFrame, names: Collection[str]
) -> dict[str, str] | None:
    """Return the decimal and thousands signs if they are certain; refuse contradictions."""
    numbers = [c for c in frame.columns if c not in names and not is_label(c)]
    texts = [frame[c].dropna().astype(str) for c in numbers if frame[c].dtype.kind not in "fiub"]
    for decimal, grouped in _GROUPED.items():
        sure = next((cell for cells in texts for cell in cells if grouped.fullmatch(cell)), None)
        if sure is None:
            continue
        sign = "." if decimal == "," else ","
        whole = rf"\s*[-+]?(?:[1-9]\d{{0,2}}(?:\{sign}\d{{3}})+|\d+)(?:\{decimal}\d+)?\s*"
        for column, cells in text.read(path, usecols=numbers, dtype=str).items():
            odd = cells[cells.str.contains(sign, regex=False, na=False)]
            odd = odd[~odd.str.fullmatch(whole) & odd.str.fullmatch(r"\s*[-+.,\d]+\s*")]
            if len(odd):
                raise ValueError(
                    f"column {column!r} must have one decimal sign, but has {odd.iloc[0]!r} and "
                    f"{sure!r}, a comma in one and a point in the other"
                )
        return {"decimal": decimal, "thousands": sign}
    return None


def _has_decimal_commas(frame: pd.DataFrame, names: Collection[str]) -> bool:
    """Whether numbers are written with a comma, and none with a point."""
    written: list[str] = []
    for column in frame.columns:
        cells = frame[column].dropna()
        if column in names or is_label(column):
            continue
        if cells.dtype.kind in "fiub":
            if cells.dtype.kind == "f" and (cells % 1 != 0).any():
                return False
            continue
        commas = [cell for cell in cells.astype(str) if _COMMA.fullmatch(cell)]
        if any(_POINT.fullmatch(cell) for cell in cells.astype(str)):
            return False
        written += commas if 2 * len(commas) > len(cells) else []
    return not all(_THOUSANDS.fullmatch(cell) for cell in written)


_PERCENT = re.compile(r"\s*([-+]?\d+(?:[.,]\d+)?)\s*%\s*")


def _without_percent_signs(
    frame: pd.DataFrame, names: Collection[str], decimal: str
) -> tuple[pd.DataFrame, list[str]]:
    """Return the table with scores such as "91.2%" as 91.2, and which columns those are."""
    known = [c for c in frame.columns if metrics.find_metric(str(c)) is not None]
    plain = {}
    for column in known or frame.columns:
        cells = frame[column]
        if column in names or is_label(column) or cells.dtype.kind in "fiubmM":
            continue
        matches = [_PERCENT.fullmatch(str(cell)) for cell in cells[cells.notna()]]
        if matches and all(m and (decimal == "," or "," not in m[1]) for m in matches):
            shares = cells.astype(str).str.extract(_PERCENT, expand=False)
            plain[column] = shares.str.replace(",", ".").astype(float)
    return frame.assign(**plain), list(plain)


# The cells of a text, refused where pandas would silently give them another meaning.


#: Rows that show which columns of names pandas would take for numbers.
_FIRST = 100


def _read_cells(path: Path, text: _Dialect, names: Names) -> tuple[pd.DataFrame, set[str]]:
    header = text.read(path, header=None, nrows=1, dtype=str).iloc[0].dropna()
    if header.duplicated().any():
        raise ValueError(f"two columns are named {header[header.duplicated()].iloc[0]!r}")
    known = {*names(list(header))}
    first = text.read(path, nrows=_FIRST)
    if first.columns[0] == _INDEX and not first[_INDEX].equals(pd.Series(range(len(first)))):
        known.add(_INDEX)
    written = [c for c in first.columns if c in known and first[c].dtype.kind in "fiub"]
    frame = first
    if written or len(first) == _FIRST:
        with warnings.catch_warnings():  # about columns that are text only in some chunks
            warnings.simplefilter("ignore", pd.errors.DtypeWarning)
            frame = text.read(path, dtype=dict.fromkeys(written, object))
    frame = _with_names_as_written(frame, path, text, known)
    if _INDEX in known:
        frame = frame.assign(**{_INDEX: as_written(frame[_INDEX])})
    if len(frame.columns) == 1 and re.search(r"\w\W+\w", str(frame.columns[0])):
        raise ValueError(
            f"the header {frame.columns[0]!r} is one field: separated by {text.sep!r} "
            f"it is not, nor by another sign as the rows are; {arg('sep', ...)} says "
            "by which"
        )
    if not isinstance(frame.index, pd.RangeIndex):
        raise ValueError("its rows have more fields than the header")
    return frame, known


def as_written(texts: pd.Series) -> pd.Series:
    """Return text as whole numbers if all of it is whole numbers; "007" and "1.10" stay text."""
    if texts.dtype.kind in "fiub":
        return texts
    whole = texts.str.fullmatch(r"-?[1-9]\d{0,17}|0", na=False).all()
    return texts.astype("int64") if whole else texts


def _check_whole(path: Path) -> None:
    """Refuse a truncated .zst file, because pandas reads its beginning without an error."""
    import zstandard

    rest = path.read_bytes()
    while rest:
        frame = zstandard.ZstdDecompressor().decompressobj()
        frame.decompress(rest)
        if not frame.eof:
            raise ValueError("the compressed file is cut off")
        rest = frame.unused_data


def _with_names_as_written(
    frame: pd.DataFrame, path: Path, text: _Dialect, names: Collection[str]
) -> pd.DataFrame:
    """Restore names that pandas takes for numbers or missing cells: "1.10", "07", "NA"."""
    doubtful = [
        i
        for i, c in enumerate(frame.columns)
        if (c in names or ((i == 0 or is_label(c)) and frame[c].dtype.kind not in "fiub"))
        and not _is_text(frame[c])
    ]
    if not doubtful:
        return frame
    written = text.read(
        path, usecols=doubtful, dtype=object, keep_default_na=False, na_values=[""]
    )
    return frame.assign(**{str(c): written[c] for c in written.columns})


def _is_text(cells: pd.Series) -> bool:
    """Whether every cell is text, none empty, and none a number as from some chunks of a file."""
    whole = isinstance(cells.dtype, pd.StringDtype) or pd.api.types.infer_dtype(cells) == "string"
    return bool(whole and cells.notna().all())


# SQLite.


#: How an SQLite file starts.
_SQLITE = b"SQLite format 3\0"


def _start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(len(_SQLITE))


def _read_sqlite(path: Path) -> pd.DataFrame:
    """Read the table ``scores`` of an SQLite file, such as the checkpoint of an experiment."""
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(path, timeout=60)) as database:
        try:
            frame = pd.read_sql_query("SELECT * FROM scores ORDER BY rowid", database)
        except pd.errors.DatabaseError as error:
            raise ValueError(f"an SQLite file: {error}") from error
    return frame.drop(columns=[c for c in NOTES if c in frame and frame[c].isna().all()])
