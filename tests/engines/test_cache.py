"""The cache of compiled programs: built once, moved in whole, checked, and no one else's."""

from __future__ import annotations

import os
import stat
import threading
import time
from pathlib import Path

import pytest

from bayescmp.engines.chains import build_key, built_once, cache_root, clear_cache, our_entries
from bayescmp.errors import EngineError

KEY = "0123456789abcdef"
POSIX = pytest.mark.skipif(os.name != "posix", reason="modes and symbolic links of POSIX")


def entries(cache: Path) -> list[str]:
    return sorted(p.name for p in cache.iterdir() if p.suffix != ".lock")


def make(folder: Path) -> Path:
    made = folder / "made"
    made.write_text("program")
    made.chmod(0o755)
    return made


def test_the_cache_is_where_the_environment_says(monkeypatch, tmp_path):
    monkeypatch.setenv("BAYESCMP_CACHE", str(tmp_path))
    assert cache_root() == tmp_path
    monkeypatch.delenv("BAYESCMP_CACHE")
    assert cache_root().name == "bayescmp"


def test_keys_tell_parts_from_their_concatenation():
    assert build_key("a", "b") == build_key("a", "b")
    assert len({build_key("a", "b"), build_key("ab"), build_key("b", "a")}) == 3


def test_a_build_is_made_once_and_moved_in_whole(tmp_path):
    cache, calls = tmp_path / "cache", []

    def build(folder: Path) -> Path:
        calls.append(folder)
        (folder / "rubbish").touch()
        assert entries(cache) == [folder.name]  # nothing under the final name yet
        return make(folder)

    for _ in range(2):
        assert built_once(cache / "program-1", build).read_text() == "program"
    assert len(calls) == 1
    assert entries(cache) == ["program-1", "program-1.sum"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_build_that_fails_or_is_interrupted_leaves_nothing(tmp_path, error):
    def build(folder: Path) -> Path:
        (folder / "half").touch()
        raise error

    with pytest.raises(error):
        built_once(tmp_path / "program-1", build)
    assert entries(tmp_path) == []


def test_two_at_once_build_once(tmp_path):
    calls, results = [], []

    def build(folder: Path) -> Path:
        calls.append(folder)
        time.sleep(0.2)
        return make(folder)

    def ask() -> None:
        results.append(built_once(tmp_path / "program-1", build))

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [tmp_path / "program-1"] * 3
    assert len(calls) == 1


# -- what others, or accidents, left there -----------------------------------------------------


def truncate(program: Path) -> None:
    program.write_bytes(b"")


def overwrite(program: Path) -> None:
    program.write_text("#!/bin/sh\necho planted\n")


def disarm(program: Path) -> None:
    program.chmod(0o644)


def link(program: Path) -> None:
    elsewhere = program.with_name("elsewhere")
    program.rename(elsewhere)
    program.symlink_to(elsewhere)


def forget(program: Path) -> None:
    program.with_name(f"{program.name}.sum").unlink()


@POSIX
@pytest.mark.parametrize("spoil", [truncate, overwrite, disarm, link, forget])
def test_a_program_that_is_not_as_it_was_left_is_built_anew(tmp_path, spoil):
    program = built_once(tmp_path / "program-1", make)
    spoil(program)
    again = built_once(tmp_path / "program-1", make)
    assert again.read_text() == "program"
    assert os.access(again, os.X_OK)
    assert not again.is_symlink()


@POSIX
@pytest.mark.parametrize("mode", [0o770, 0o777, 0o1777])
@pytest.mark.parametrize("which", ["root", "engine"])
def test_a_cache_that_others_can_write_to_is_refused(tmp_path, mode, which):
    engine = tmp_path / "cache" / "pystan"
    engine.mkdir(parents=True, mode=0o755)
    (engine.parent if which == "root" else engine).chmod(mode)
    with pytest.raises(EngineError, match=r"others can write to .*chmod go-w .*BAYESCMP_CACHE"):
        built_once(engine / "program-1", make)
    assert entries(engine) == []


@POSIX
def test_the_cache_of_another_user_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("os.geteuid", lambda: os.getuid() + 1)
    if os.getuid() == 0:
        os.chown(tmp_path, 12345, -1)
    with pytest.raises(EngineError, match="belongs to another user"):
        built_once(tmp_path / "pystan" / "program-1", make)


@POSIX
def test_what_we_make_is_for_us_alone(tmp_path):
    before = os.umask(0)
    try:
        program = built_once(tmp_path / "cache" / "pystan" / "program-1", make)
    finally:
        os.umask(before)
    for path in (program.parent.parent, program.parent, program):
        assert not stat.S_IMODE(path.stat().st_mode) & 0o022


def as_lock(cache: Path) -> None:
    (cache / "pystan" / "program-1.lock").mkdir(parents=True)


def as_program(cache: Path) -> None:
    (cache / "pystan" / "program-1").mkdir(parents=True)


def as_root(cache: Path) -> None:
    cache.write_text("a file")


@POSIX
@pytest.mark.parametrize("spoil", [as_lock, as_program, as_root])
def test_a_cache_that_cannot_be_used_is_one_line(tmp_path, spoil):
    spoil(tmp_path / "cache")
    refuses(tmp_path / "cache")


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="a folder where no one may write")
def test_a_cache_that_cannot_be_written_is_one_line():
    refuses(Path("/proc/cache"))


def refuses(cache: Path) -> None:
    with pytest.raises(EngineError, match=r"can't be used: .*BAYESCMP_CACHE") as caught:
        built_once(cache / "pystan" / "program-1", make)
    assert "\n" not in str(caught.value)


# -- clearing it -------------------------------------------------------------------------------


def test_clearing_removes_only_what_is_ours(tmp_path, monkeypatch):
    monkeypatch.setenv("BAYESCMP_CACHE", str(tmp_path))
    pystan, cmdstan = tmp_path / "pystan", tmp_path / "cmdstan"
    cmdstan.mkdir()
    built_once(pystan / f"robust_correlated_t-{KEY}", make)
    built_once(pystan / f"chain-{KEY}.o", make)
    (cmdstan / f"blocked_manova-{KEY}").mkdir()  # as earlier versions left them
    (cmdstan / f"blocked_manova-{KEY}" / "blocked_manova").touch()
    (pystan / "building-x7fa").mkdir()
    theirs = [
        tmp_path / "thesis.tex",
        tmp_path / "other" / "data.csv",
        pystan / "notes.txt",
        pystan / "results-2024",
    ]
    for path in theirs:
        path.parent.mkdir(exist_ok=True)
        path.touch()
    assert len(our_entries()) == 8
    clear_cache()
    assert our_entries() == []
    assert all(path.is_file() for path in theirs)
    assert not cmdstan.exists()
    for path in theirs:
        path.unlink()
    theirs[1].parent.rmdir()
    clear_cache()
    assert not tmp_path.exists()


@POSIX
def test_clearing_follows_no_link(tmp_path, monkeypatch):
    monkeypatch.setenv("BAYESCMP_CACHE", str(tmp_path / "cache"))
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / f"chain-{KEY}.o").touch()
    (tmp_path / "cache" / "cmdstan").mkdir(parents=True)
    (tmp_path / "cache" / "pystan").symlink_to(outside)
    (tmp_path / "cache" / "cmdstan" / f"model-{KEY}").symlink_to(outside)
    clear_cache()
    assert (outside / f"chain-{KEY}.o").is_file()
    assert not (tmp_path / "cache" / "cmdstan").exists()
