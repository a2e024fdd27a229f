"""Files written whole or not at all, and never over what was read."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from bayescmp.base.arguments import must, must_be
from bayescmp.base.typing import PathLike
from bayescmp.errors import InputError


def is_name(path: object) -> bool:
    """Whether a file can have this name: text that is not empty, without lone surrogates."""
    try:
        return isinstance(path, str) and bool(os.fsencode(path)) and "\0" not in path
    except UnicodeEncodeError:
        return False


def as_path(argument: str, given: object) -> Path:
    """Make a path from what the user gave, text without a null character."""
    path = os.fspath(given) if isinstance(given, str | os.PathLike) else None
    if path is None or not is_name(path):
        raise must_be(argument, "the path of a file, a str or Path", given)
    try:
        os.lstat(path)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise must_be(argument, "a shorter path", given) from None
    return Path(path)


def check_writable(argument: str, given: object) -> Path:
    """Refuse a file that cannot be written before the work is done, not after."""
    path = as_path(argument, given)
    try:
        target = _target(path)
        folder = target.parent
        shown = repr(str(path))
        if not folder.is_dir():
            found = f"{shown}: there is no directory {str(folder)!r}"
            raise must(argument, "be in an existing directory", found)
        if target.is_dir():
            raise must(argument, "be a file", f"{shown}, a directory")
        if not os.access(target if target.exists() else folder, os.W_OK):
            raise must(argument, "be writable", f"{shown}: no permission to write")
    except OSError as error:
        raise InputError(
            f"{argument} {str(path)!r} cannot be written: {error.strerror or error}.", argument
        ) from error
    return path


def check_distinct(outputs: Mapping[str, object], inputs: Iterable[object] = ()) -> None:
    """Refuse `outputs` (named in messages) that would overwrite an input or one another."""
    taken = [("the input", Path(str(i))) for i in inputs if i is not None]
    for name, given in outputs.items():
        path = as_path(name, given)
        for other, there in taken:
            if _is_same_file(path, there):
                raise must(name, f"not overwrite {other} {str(there)!r}", repr(str(path)))
        taken.append((name, path))


def _is_same_file(a: Path, b: Path) -> bool:
    """Whether two paths are one file now, or would be one if they were written."""
    with suppress(OSError):
        if os.path.samefile(a, b):
            # a terminal, or /dev/null, takes any number of outputs
            return not stat.S_ISCHR(a.stat().st_mode)
    try:
        return os.path.normcase(_target(a)) == os.path.normcase(_target(b))
    except OSError:
        return os.path.normcase(a) == os.path.normcase(b)


def _target(path: Path) -> Path:
    """Follow a path through links, even if the working directory no longer exists."""
    return Path(os.path.realpath(path))


@contextmanager
def replace_when_whole(path: PathLike) -> Iterator[Path]:
    """Open a path in a new folder next to `path`, and move it to `path` when it is complete.

    If writing fails, the old file stays unchanged. The new file keeps the ending and the mode of
    the old one, and a symbolic link its target; devices and pipes are written to directly. A path
    that is not writable is refused.
    """
    try:
        target = _target(check_writable("path", path))
        ordinary = target.is_file() or not target.exists()
        beside = target.parent if ordinary else None
        with tempfile.TemporaryDirectory(dir=beside, prefix=".bayescmp-") as folder:
            part = Path(folder) / f"part{target.suffix}"
            yield part
            if ordinary:
                _put_in_place(part, target)
            else:
                with part.open("rb") as whole, target.open("wb") as device:
                    shutil.copyfileobj(whole, device)
    except OSError as error:
        raise InputError(
            f"{str(path)!r} cannot be written: {error.strerror or error}.", "path"
        ) from error


def _put_in_place(part: Path, target: Path) -> None:
    """Move a whole file over another, which it resembles in mode and, if possible, in owner."""
    with part.open("rb+") as file:
        os.fsync(file.fileno())
    with suppress(FileNotFoundError):
        there = target.stat()
        with suppress(OSError, AttributeError):  # only root may, and Windows has no owners
            os.chown(part, there.st_uid, there.st_gid)
        os.chmod(part, stat.S_IMODE(there.st_mode))
    os.replace(part, target)
