"""Files that a program of evaluations wrote: found in folders, opened, and put together."""

from __future__ import annotations

import json
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from bayescmp.base.checks import choice
from bayescmp.errors import InputError
from bayescmp.scores.readers.base import Reading, Source, naming
from bayescmp.wording.text import counted

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.base.typing import Json


# Which files there are.


def paths_of(value: object) -> list[tuple[str, Path]]:
    """The files and folders that were given, each with the name that a mapping gives to it."""
    if isinstance(value, (str, os.PathLike)):
        return [("", Path(value))]
    if isinstance(value, Mapping):
        pairs = [(str(name), path) for name, path in value.items()]
    elif isinstance(value, (list, tuple)):
        pairs = [("", path) for path in value]
    else:
        return []
    paths = [(n, Path(p)) for n, p in pairs if isinstance(p, (str, os.PathLike))]
    return paths if len(paths) == len(pairs) else []


def begins(*patterns: str, suffix: str = ".json") -> Callable[[Path], bool]:
    """Whether a file's first characters hold all of these."""

    def known(path: Path) -> bool:
        if path.suffix != suffix or not path.is_file():
            return False
        with path.open("rb") as file:
            head = file.read(4096).decode("utf-8-sig", "replace")
        return all(re.search(pattern, head) for pattern in patterns)

    return known


@dataclass(frozen=True)
class Part:
    """What one file holds.

    Parameters
    ----------
    frame : DataFrame
        Columns model, benchmark, item and score; epoch and cluster in all files of a program or
        in none.
    metric : str
    lower : bool or None
        Whether lower is better, as far as the file tells.
    """

    frame: pd.DataFrame
    metric: str
    lower: bool | None = False


@dataclass(frozen=True)
class Logs:
    """The logs of one program.

    Parameters
    ----------
    what : str
        What they are called, in the plural.
    patterns : tuple of str
        Names of those that count in a folder.
    known : callable
        Whether a file is one of them, by its name or its first characters.
    """

    what: str
    patterns: tuple[str, ...]
    known: Callable[[Path], bool]

    def matches(self, source: Source) -> bool:
        """Whether all files are such logs, and all folders hold one."""
        paths = [path for _, path in paths_of(source.value)]
        return bool(paths) and all(
            any(True for _ in self._inside(p)) if p.is_dir() else self.known(p) for p in paths
        )

    def _inside(self, folder: Path) -> Iterator[Path]:
        candidates = (path for pattern in self.patterns for path in folder.rglob(pattern))
        return (path for path in candidates if self.known(path))

    def files(self, source: Source) -> list[tuple[str, Path]]:
        """Each log once, those of a folder in the order of their names."""
        names: dict[Path, str] = {}
        for name, path in paths_of(source.value):
            for one in sorted(self._inside(path)) if path.is_dir() else [path]:
                names.setdefault(one, name)
        return [(name, path) for path, name in names.items()]

    def reading(self, source: Source, read_file: Callable[[Path], Part]) -> Reading:
        """All files in one table."""
        import pandas as pd
        from tqdm import tqdm

        files, parts = self.files(source), []
        for name, path in tqdm(files, desc=f"files of {self.what}", disable=None):
            with naming(path):
                part = read_file(path)
            frame = _named(part.frame, name, path).assign(_file=str(path))
            parts.append(Part(frame, part.metric, part.lower))
        frame = pd.concat([part.frame for part in parts], ignore_index=True)
        _refuse_twice(frame)
        metrics = list(dict.fromkeys(part.metric for part in parts))
        score = metrics[0] if len(metrics) == 1 else "score"
        directions = {part.lower for part in parts}
        return Reading(
            frame.drop(columns="_file").rename(columns={"score": score}),
            f"{self.what}, {' and '.join(metrics)} ({counted(len(files), 'file')})",
            columns={"score": score},
            lower=[score] if directions == {True} else [],
            higher=[score] if directions == {False} else [],
        )


def _named(frame: pd.DataFrame, name: str, path: Path) -> pd.DataFrame:
    """The model under the name that the user gives to its file."""
    if not name:
        return frame
    models = frame["model"].unique()
    if len(models) > 1:
        raise InputError(
            f"{str(path)!r} holds {counted(len(models), 'model')}, so that {name!r} cannot be the "
            "name of each; accepted: one model in a file that is named"
        )
    return frame.assign(model=name)


def _refuse_twice(frame: pd.DataFrame) -> None:
    """Refuse an item that two files have: which run counts is for the user to say."""
    labels = [c for c in ("model", "benchmark", "item", "epoch") if c in frame]
    files = frame.groupby(labels, sort=False)["_file"]
    first = files.transform("first")
    other = frame.loc[frame["_file"] != first]
    if len(other):
        row = other.iloc[0]
        raise InputError(
            f"benchmark {row['benchmark']!r} of model {row['model']!r} is in "
            f"{first[other.index[0]]!r} and in {row['_file']!r}, both with item {row['item']!r}; "
            "give the files of one run, or name the runs: {'first': ..., 'second': ...}"
        )


# What is in a file.


def read_json(path: Path) -> Any:
    """A JSON document."""
    return _parsed(path.read_bytes(), repr(str(path)))


def _parsed(text: bytes, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not JSON, or cut off ({error})") from None


def read_lines(path: Path) -> Iterator[tuple[int, Any]]:
    """Documents in JSON lines, with the numbers of their lines."""
    _require_file(path)
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield number, _parsed(line, f"{str(path)!r}, line {number}")


def _require_file(path: Path) -> None:
    if not path.is_file():
        raise InputError(f"cannot read items from {str(path)!r}: it does not exist")


def read_members(path: Path, wanted: Callable[[list[str]], Iterable[str]]) -> dict[str, Json]:
    """JSON documents in a zip file: those of its names that are wanted."""
    _require_file(path)
    try:
        with zipfile.ZipFile(path) as archive:
            return {
                name: _parsed(_member(archive, path, name), f"{str(path)!r}, {name}")
                for name in wanted(archive.namelist())
            }
    except (zipfile.BadZipFile, EOFError, OSError, RuntimeError, zlib.error) as error:
        raise InputError(f"{str(path)!r}: not a zip file, or cut off ({error})") from None


def _member(archive: zipfile.ZipFile, path: Path, name: str) -> bytes:
    """The bytes of a member; Python knows Zstandard (method 93) from 3.14 on."""
    info = archive.getinfo(name)
    try:
        return archive.read(info)
    except NotImplementedError:
        if info.compress_type != 93:
            raise zipfile.BadZipFile(f"{name}: compression {info.compress_type}") from None
    try:
        import zstandard
    except ImportError:
        raise InputError(
            f"{str(path)!r}: reading it needs zstandard: pip install zstandard"
        ) from None
    with path.open("rb") as file:
        file.seek(info.header_offset)
        header = file.read(30)
        if len(header) < 30:
            raise zipfile.BadZipFile(f"{name} is beyond the end")
        file.seek(sum(struct.unpack("<HH", header[26:])), os.SEEK_CUR)
        packed = file.read(info.compress_size)
    try:
        plain = zstandard.ZstdDecompressor().decompressobj().decompress(packed)
    except zstandard.ZstdError as error:
        raise zipfile.BadZipFile(f"{name}: {error}") from None
    if zlib.crc32(plain) != info.CRC:
        raise zipfile.BadZipFile(f"bad checksum of {name}")
    return plain


def entry(document: Any, *names: str) -> Any:
    """What stands under these names, one in the other; None where there is nothing."""
    for name in names:
        document = document.get(name) if isinstance(document, dict) else None
    return document


def number(value: object, what: str) -> float:
    """A score, NaN where it is empty."""
    if value is None:
        return float("nan")
    if not isinstance(value, (int, float)):
        raise InputError(f"{what} is {value!r}; accepted: a number")
    return float(value)


#: A metric, or one for each task.
Wanted: TypeAlias = str | Mapping[str, str] | None


def metric_of(wanted: Wanted, task: str) -> str | None:
    """The metric that is wanted of a task."""
    return wanted.get(task) if isinstance(wanted, Mapping) else wanted


def choose_one(names: Sequence[str], wanted: str | None, kind: str, option: str) -> str:
    """The one that is named, or the only one."""
    if wanted is not None:
        choice(kind, wanted, names)
        return wanted
    if not names:
        raise InputError(f"there is no {kind}")
    if len(names) > 1:
        some = ", ".join(map(repr, names[:12])) + (", …" if len(names) > 12 else "")
        raise InputError(f"there are several {kind}s: {some}; name one with {option}=...")
    return names[0]
