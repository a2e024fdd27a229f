"""The cache of compiled programs: each is built once, moved in whole, and checked when it is used.

Its contents are run, so nobody else may write to it. Beside each build a file of the same name
and the ending ``.sum`` holds its checksum and mode; a build that differs is made again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from bayescmp.engines.processes import clean_ending
from bayescmp.errors import EngineError

__all__ = ["build_key", "built_once", "cache_root", "clear_cache", "our_entries"]

#: What this package leaves in the cache: builds, their checksums and locks, unfinished builds.
_OURS = re.compile(r"\w+-[0-9a-f]{16}(\.o|\.exe)?(\.sum|\.lock)?|building-\w+")


def cache_root() -> Path:
    """Folder of compiled programs: the user's cache folder, or ``BAYESCMP_CACHE`` where set."""
    from platformdirs import user_cache_path

    root = os.environ.get("BAYESCMP_CACHE")
    return Path(root) if root else user_cache_path("bayescmp")


def build_key(*parts: str) -> str:
    """Key of a build in the cache, from everything that can change it."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def built_once(target: Path, build: Callable[[Path], Path]) -> Path:
    """What `build` makes, from the cache if it is there and as it was left.

    It is built in a temporary folder and moved into the cache in whole: an interrupted or failed
    build leaves nothing behind, and of several processes that need it one builds it while the
    others wait.

    Parameters
    ----------
    target : Path
        File of the build in the cache.
    build : callable
        Builds it in the folder given, which is on the same file system, and returns its path.

    Returns
    -------
    Path
        The target, which now exists.

    Raises
    ------
    EngineError
        If the cache can't be used, or others than its owner can write to it.
    """
    from filelock import FileLock

    with _explained(target):
        _check_folder(target.parent)
        if _is_sound(target):
            return target
        with clean_ending(), FileLock(f"{target}.lock"):
            if not _is_sound(target):
                _build(target, build)
    return target


def _build(target: Path, build: Callable[[Path], Path]) -> None:
    with tempfile.TemporaryDirectory(prefix="building-", dir=target.parent) as folder:
        made = build(Path(folder))
        made.chmod(made.stat().st_mode & ~0o022)
        (note := Path(folder, "note")).write_text(_fingerprint(made))
        # The build first: it is not trusted until its checksum is there.
        os.replace(made, target)
        os.replace(note, _sum(target))


def _sum(target: Path) -> Path:
    return target.with_name(f"{target.name}.sum")


def _is_sound(target: Path) -> bool:
    """Whether a build is there, and is what was left there."""
    try:
        return stat.S_ISREG(target.lstat().st_mode) and (
            _sum(target).read_text() == _fingerprint(target)
        )
    except (OSError, UnicodeDecodeError):
        return False


def _fingerprint(path: Path) -> str:
    """Checksum and mode of a file."""
    content = hashlib.sha256(path.read_bytes()).hexdigest()
    return f"{content} {stat.S_IMODE(path.stat().st_mode):o}\n"


def _check_folder(folder: Path) -> None:
    """Make the folder, for us alone; refuse one that others can write to."""
    for path in (folder.parent, folder):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.name != "posix":
            continue
        state = path.stat()
        if state.st_mode & 0o022:
            raise EngineError(
                f"others can write to the cache of compiled programs, {path}: make it yours with "
                f"'chmod go-w {path}', or name another folder with BAYESCMP_CACHE"
            )
        if state.st_uid not in (os.geteuid(), 0):
            raise EngineError(
                f"the cache of compiled programs, {path}, belongs to another user: name another "
                "folder with BAYESCMP_CACHE"
            )


@contextlib.contextmanager
def _explained(target: Path) -> Iterator[None]:
    """Say in one line what is wrong with the cache."""
    try:
        yield
    except OSError as error:
        raise EngineError(
            f"the cache of compiled programs can't be used: {error.strerror or error}: "
            f"{error.filename or target}; remove it, or name another folder with BAYESCMP_CACHE"
        ) from error


# -- clearing it -------------------------------------------------------------------------------


def our_entries() -> list[Path]:
    """Files and folders of the cache that this package made."""
    folders = [cache_root() / engine for engine in ("cmdstan", "pystan")]
    return sorted(
        path
        for folder in folders
        if folder.is_dir() and not folder.is_symlink()
        for path in folder.iterdir()
        if _OURS.fullmatch(path.name)
    )


def clear_cache() -> None:
    """Remove what this package made, and the folders that are empty then."""
    for path in our_entries():
        with contextlib.suppress(OSError):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
    for folder in (cache_root() / "cmdstan", cache_root() / "pystan", cache_root()):
        with contextlib.suppress(OSError):
            folder.rmdir()
