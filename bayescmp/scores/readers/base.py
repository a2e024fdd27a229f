"""What a reader is given and what it hands back; tables in files: CSV, Parquet, SQLite."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.base.files import as_path
from bayescmp.errors import InputError, located, unknown_name
from bayescmp.scores import columns as _columns
from bayescmp.scores.columns import NOTES, is_label, names_in

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.base.typing import PathLike

__all__ = [
    "WAYS",
    "Format",
    "Reading",
    "Source",
    "as_written",
    "choose_format",
    "failures",
    "from_long",
    "named_by",
    "naming",
    "numbers",
    "parts_of",
    "read_table",
    "short_names",
]


# Tables in files: CSV, Parquet, SQLite.


#: What pandas calls an index that was written as the first column.
_INDEX = "Unnamed: 0"

#: How pandas is told to leave names as they are.
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


def read_table(
    path: PathLike, names: Callable[[list[str]], Iterable[str]] = names_in
) -> pd.DataFrame:
    """Read a CSV or Parquet file, or the checkpoint of an experiment.

    ``.parquet`` and ``.pq`` are read as Parquet, ``.tsv`` as tab-separated, the rest as CSV
    (compressed or not); an SQLite file, whatever its name, for its table ``scores``. Columns that
    hold names, as ``names`` tells of a header, are read as they are written: "1.10", "007" and
    "NA" are names, only an empty cell is none.
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
            f"pandas.{OTHERS[path.suffix.lower()]} and give the frame to Scores"
        )
    try:
        if _is_sqlite(path):
            frame = _read_sqlite(path)
        elif path.suffix in (".parquet", ".pq"):
            frame = pd.read_parquet(path)
        else:
            frame = _read_csv(path, "\t" if ".tsv" in path.suffixes else ",", names)
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


def _read_csv(path: Path, sep: str, names: Callable[[list[str]], Iterable[str]]) -> pd.DataFrame:
    """A text table, refused where pandas would give it another meaning without a word."""
    import pandas as pd

    if path.suffix == ".zst":
        _check_whole(path)
    header = pd.read_csv(path, sep=sep, header=None, nrows=1, dtype=str).iloc[0].dropna()
    if header.duplicated().any():
        raise ValueError(f"two columns are named {header[header.duplicated()].iloc[0]!r}")
    known = {*names(list(header))}
    first = pd.read_csv(path, sep=sep, nrows=100)
    if first.columns[0] == _INDEX and not first[_INDEX].equals(pd.Series(range(len(first)))):
        known.add(_INDEX)
    text = [c for c in first.columns if c in known and first[c].dtype.kind in "fiub"]
    with warnings.catch_warnings():  # of columns that are text in some chunks only
        warnings.simplefilter("ignore", pd.errors.DtypeWarning)
        frame = pd.read_csv(path, sep=sep, dtype=dict.fromkeys(text, object))
    frame = _with_names_as_written(frame, path, sep, known)
    if _INDEX in known:
        frame = frame.assign(**{_INDEX: as_written(frame[_INDEX])})
    if len(frame.columns) == 1 and re.search(r"[;|\t]", str(frame.columns[0])):
        raise ValueError(
            f"the header {frame.columns[0]!r} is one field: separated by {sep!r} it is not. Read "
            f"it with pandas.read_csv(path, sep=..., dtype={_AS_TEXT}) and give the frame "
            "to Scores"
        )
    if not isinstance(frame.index, pd.RangeIndex):
        raise ValueError("its rows have more fields than the header")
    return frame


def as_written(texts: pd.Series) -> pd.Series:
    """Text as whole numbers where all of it is written as such; "007" and "1.10" stay text.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayescmp.scores.readers.base import as_written
    >>> as_written(pd.Series(["7", "10"])).tolist(), as_written(pd.Series(["07", "10"])).tolist()
    ([7, 10], ['07', '10'])
    """
    if texts.dtype.kind in "fiub":
        return texts
    whole = texts.str.fullmatch(r"-?[1-9]\d{0,17}|0", na=False).all()
    return texts.astype("int64") if whole else texts


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


def _with_names_as_written(
    frame: pd.DataFrame, path: Path, sep: str, names: Collection[str]
) -> pd.DataFrame:
    """The table with names that pandas takes for numbers or missing cells: "1.10", "07", "NA"."""
    import pandas as pd

    doubtful = [
        i
        for i, c in enumerate(frame.columns)
        if (c in names or ((i == 0 or is_label(c)) and frame[c].dtype.kind not in "fiub"))
        and not _is_text(frame[c])
    ]
    if not doubtful:
        return frame
    text = pd.read_csv(
        path, sep=sep, usecols=doubtful, dtype=object, keep_default_na=False, na_values=[""]
    )
    return frame.assign(**{str(c): text[c] for c in text.columns})


def _is_text(cells: pd.Series) -> bool:
    """Whether every cell is text, none empty, and none a number as from some chunks of a file."""
    import pandas as pd

    whole = isinstance(cells.dtype, pd.StringDtype) or pd.api.types.infer_dtype(cells) == "string"
    return bool(whole and cells.notna().all())


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


# What a reader is given and what it hands back, and what several of them need.


#: Which way the user said that metrics are better, which `Scores` takes of whatever format.
WAYS = ("lower_is_better", "higher_is_better")


@dataclass(frozen=True, eq=False)
class Source:
    """What to read.

    Parameters
    ----------
    value : object
        As the user gave it: a path, a DataFrame, a mapping, an estimator, ...
    frame : DataFrame or None
        The table, where it is one, or a file of one.
    name : str
        Of the file, without its extension; empty where there is none.
    """

    value: Any
    frame: pd.DataFrame | None = None
    name: str = ""

    @classmethod
    def of(
        cls, value: Any, names: Callable[[list[str]], Iterable[str]] = _columns.names_in
    ) -> Source:
        """A source from what the user gave; ``names`` as for `read_table`."""
        if isinstance(value, Source):
            return value
        if isinstance(value, (str, Path)):
            path = Path(value)
            return cls(value, read_table(path, names), path.name.split(".")[0])
        return cls(value, value if hasattr(value, "iloc") and hasattr(value, "columns") else None)

    @property
    def table(self) -> pd.DataFrame:
        """The table of a source that is known to be one."""
        assert self.frame is not None
        return self.frame

    @property
    def columns(self) -> list[str]:
        """Names of the table's columns; none where it is not a table."""
        return [] if self.frame is None else [str(c) for c in self.frame.columns]

    def has(self, *columns: str) -> bool:
        """Whether it is a table with all of these columns."""
        return set(columns) <= set(self.columns)


@dataclass(frozen=True, eq=False)
class Reading:
    """A table in the shape of `Scores`, and what its program says of it.

    Parameters
    ----------
    frame : DataFrame
        Long or wide, as `Scores` takes it.
    recognised : str
        What was recognised, in a line.
    resampling : object, optional
        How the folds were drawn, as far as the format tells.
    lower, higher : sequence of str
        Metrics whose direction the format tells.
    needs : str
        Why the user has to say how the folds were drawn; empty where the format tells.
    columns : mapping of str to str, optional
        Which column plays which part, where the frame keeps its own names.
    """

    frame: pd.DataFrame
    recognised: str
    resampling: object = None
    lower: Sequence[str] = ()
    higher: Sequence[str] = ()
    needs: str = ""
    columns: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Format:
    """One program's results.

    Parameters
    ----------
    name : str
        As ``format=`` takes it.
    read : callable
        From a `Source` and this format's own options, its keyword-only parameters, to a `Reading`.
        Where it takes ``**ways``, it is told which way the user said that metrics are better.
    columns : tuple of str
        What every table in this format has.
    names : tuple of str
        Columns that hold names: text as it is written, and none empty.
    test : callable, optional
        Whether a `Source` with these columns is in this format.
    """

    name: str
    read: Callable[..., Reading]
    columns: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    test: Callable[[Source], bool] | None = None

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the options that `read` takes."""
        parameters = signature(self.read).parameters.values()
        own = [p.name for p in parameters if p.kind is Parameter.KEYWORD_ONLY]
        return (*own, *(WAYS if any(p.kind is Parameter.VAR_KEYWORD for p in parameters) else ()))

    def matches(self, source: Source) -> bool:
        """Whether a source is in this format."""
        return source.has(*self.columns) and (self.test is None or self.test(source))

    def reading(self, source: Source, options: Mapping[str, object]) -> Reading:
        """What is read with the format's own of these options."""
        with located(f"source in the format {self.name!r}"):
            for name in (c for c in self.names if source.has(c)):
                empty = np.flatnonzero(source.table[name].isna().to_numpy())
                if len(empty):
                    raise InputError(
                        f"column {name!r} is empty in row {empty[0]}; accepted: a name"
                    )
            return self.read(source, **{n: options[n] for n in self.options if n in options})


def choose_format(formats: Iterable[Format], source: Source, format: object) -> Format | None:
    """The format of this name, or the first that the source is in; None for a table."""
    known = {f.name: f for f in formats}
    if format == "auto":
        return next((f for f in known.values() if f.matches(source)), None)
    if format == "table":
        return None
    form = known.get(str(format))
    if form is None:
        raise unknown_name("format", format, ["auto", "table", *known])
    if not form.matches(source):
        raise InputError(f"the source is not in the format {format!r}")
    return form


@contextmanager
def naming(source: object) -> Iterator[None]:
    """Put the name of the file that is read before an error that does not name it."""
    try:
        yield
    except InputError as error:
        if not isinstance(source, (str, os.PathLike)) or str(source) in str(error):
            raise
        raise InputError(f"{str(source)!r}: {error}") from None


def named_by(
    formats: Iterable[Format],
    given: object = None,
    parts: Mapping[str, Sequence[str]] | None = None,
) -> Callable[[list[str]], list[str]]:
    """Which columns of a file hold names: by their spelling, as the user or as a format says."""

    def names(header: list[str]) -> list[str]:
        import pandas as pd

        own = given if isinstance(given, Mapping) else None
        source = Source(None, pd.DataFrame(columns=header))
        form = next((f for f in formats if f.matches(source)), None)
        known = () if form is None else form.names
        return [*_columns.names_in(header, own, parts=parts), *known]

    return names


def from_long(
    frame: pd.DataFrame, labels: Sequence[str], metric: str, value: str, what: str
) -> pd.DataFrame:
    """One column per metric, from a table with one row per metric.

    Parameters
    ----------
    frame : DataFrame
    labels : sequence of str
        Columns that say where a score comes from.
    metric, value : str
        Columns of the metrics' names and of the scores.
    what : str
        The format, for messages.
    """
    again = frame.duplicated([*labels, metric])
    if again.any():
        row = frame.loc[again].iloc[0]
        where = ", ".join(f"{label} {str(row[label])!r}" for label in labels)
        raise InputError(
            f"{what}: {int(again.sum())} scores appear twice, e.g. {row[metric]!r} for {where}; "
            "keep one of each"
        )
    wide = frame.pivot(index=list(labels), columns=metric, values=value)
    return wide.rename_axis(columns=None).reset_index()


def short_names(names: Iterable[str]) -> dict[str, str]:
    """The last parts of dotted names where they differ, the whole ones where they don't.

    Examples
    --------
    >>> from bayescmp.scores.readers.base import short_names
    >>> short_names(["weka.classifiers.trees.J48", "weka.classifiers.bayes.NaiveBayes"])
    {'weka.classifiers.trees.J48': 'J48', 'weka.classifiers.bayes.NaiveBayes': 'NaiveBayes'}
    """
    names = list(dict.fromkeys(map(str, names)))
    last = [re.split(r"[./]|__|::", name)[-1] for name in names]
    return {n: s if last.count(s) == 1 else n for n, s in zip(names, last, strict=True)}


def parts_of(
    columns: Iterable[object], given: Mapping[str, str] | None, what: str
) -> dict[str, str]:
    """Which of a run table's columns play the parts of a score's labels."""
    names = [str(c) for c in columns]
    plain = {re.sub(r"^(params|tags|config|summary)\.", "", n): n for n in reversed(names)}
    own = {part: plain.get(column, column) for part, column in (given or {}).items()}
    roles = {p: plain[c] for p, c in _columns.recognise(list(plain)).items()}
    roles = _columns.recognise(names, {**roles, **own})
    if "algorithm" not in roles:
        raise InputError(
            f"{what}: none of {', '.join(map(repr, names))} is known to be the algorithm; "
            "say which column plays which part: columns={'algorithm': ..., 'dataset': ..., "
            "'fold': ...}"
        )
    return roles


def failures(failed: pd.Series, why: object) -> pd.Series:
    """The column ``failure``: why a row has no scores, None where it has."""
    import pandas as pd

    reasons = pd.Series(why, index=failed.index, dtype=object)
    return reasons.where(failed, None)


def numbers(part: str, values: pd.Series) -> pd.Series:
    """Folds as numbers where all of them are ("0", "1", ...); names as they are."""
    import pandas as pd

    if part in ("dataset", "algorithm"):
        return values
    numbers = pd.to_numeric(values, errors="coerce")
    return values if numbers.isna().any() or np.isinf(numbers).any() else numbers
