"""The cmdstan engine on a tree that stands in for CmdStan: what it says, and how a build ends."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bayescmp.engines import chains, cmdstan, engines
from bayescmp.errors import EngineError
from tests.engines.test_contract import request
from tests.marks import first_and_slow

ROOT = Path(__file__).parents[2]
MODEL = "robust_correlated_t"
needs_make = pytest.mark.skipif(
    os.name != "posix" or shutil.which("make") is None, reason="builds by make"
)
#: Stands in for the build of a program: what it says, and what it does.
BUILDS = {
    "works": "\tcp $(basename $@).stan $@\n\techo '$(STANCFLAGS)' >> $@\n",
    "fails": "\techo 'Syntax error in line 7' >&2; exit 1\n",
    "refuses": "\tprintf '#!/bin/sh\\necho name=xbar >&2; exit 1\\n' > $@; chmod +x $@\n",
    "sleeps": "\techo $$$$ > $(dir $@)../../pid; sleep 600\n",
}


@pytest.fixture
def tree(monkeypatch, tmp_path):
    """Makes a tree whose makefile does as it is told, and an empty cache."""
    monkeypatch.setenv("BAYESCMP_CACHE", str(tmp_path / "cache"))

    def tree_that(does: str) -> Path:
        root = tmp_path / "cmdstan-2.36.0"
        for file in ("bin/stanc", "src/cmdstan/main.cpp"):
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).touch()
        (root / "makefile").write_text(
            f"CMDSTAN_VERSION := 2.36.0\n%/{MODEL} %/{request().model}:\n{BUILDS[does]}"
        )
        monkeypatch.setenv("CMDSTAN", str(root))
        return root

    return tree_that


def _left(cache: Path) -> list[str]:
    return sorted(p.name for p in cache.glob("cmdstan/*") if p.suffix != ".lock")


def test_a_cmdstan_that_cannot_compile_is_not_available(monkeypatch, tmp_path):
    """Such a tree is what importing prophet leaves in CMDSTAN."""
    (tmp_path / "makefile").write_text("CMDSTAN_VERSION := 2.33.1\n")
    monkeypatch.setenv("CMDSTAN", str(tmp_path))
    state = engines()["cmdstan"].available()
    assert not state.ok
    assert "CmdStan" in state.needs
    assert "bin" in state.needs


@needs_make
def test_a_program_is_built_once_with_its_flags(tree, tmp_path):
    tree("works")
    built = cmdstan.find_or_compile(MODEL)
    text = built.read_text()
    assert text.startswith(chains.program_text(MODEL)[:40])
    assert text.splitlines()[-1] == f"--filename-in-msg={MODEL}.stan --O1"
    tree("fails")  # and is not built again
    assert cmdstan.find_or_compile(MODEL) == built
    assert len(_left(tmp_path / "cache")) == 2  # the program, and its checksum


@needs_make
def test_a_failing_build_says_why_and_leaves_nothing(tree, tmp_path):
    tree("fails")
    with pytest.raises(EngineError, match=r"compiling 'robust_corr.*Syntax error in line 7"):
        cmdstan.find_or_compile(MODEL)
    assert _left(tmp_path / "cache") == []


@needs_make
def test_a_build_shows_progress_on_a_terminal(tree, capfd, monkeypatch):
    """What is compiled, and for how long: a minute passes in the test at every glance."""
    minutes = itertools.count(step=60)
    monkeypatch.setattr("tqdm.std.time", lambda: float(next(minutes)))
    tree("works")
    cmdstan.find_or_compile(MODEL, progress=True)
    shown = capfd.readouterr().err
    assert f"{MODEL}: compiling (once), 00:00" in shown
    assert len(set(re.findall(r"\(once\), (\d\d:00)", shown))) > 1


@needs_make
def test_a_space_in_the_cache_is_worked_around_and_else_named(tree, monkeypatch, tmp_path):
    tree("works")
    spaced = tmp_path / "with space"
    monkeypatch.setenv("BAYESCMP_CACHE", str(spaced))
    assert cmdstan.find_or_compile(MODEL).is_file()
    shutil.rmtree(spaced)
    spaced.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(spaced))
    with pytest.raises(EngineError, match=r"set BAYESCMP_CACHE .* or TMPDIR .* to one without"):
        cmdstan.find_or_compile(MODEL)


@needs_make
def test_a_failing_chain_says_why_in_a_line(tree):
    tree("refuses")
    with pytest.raises(EngineError, match=r"^CmdStan: sampling '\w+' failed: name=xbar$"):
        engines()["cmdstan"].fit(request())


@needs_make
def test_chains_are_asked_as_cmdstanpy_would_ask_them(tmp_path):
    commands, tables = cmdstan.chain_commands(Path("program"), request(), tmp_path)
    s = request().settings
    assert len(commands) == len(tables) == s.chains
    first = " ".join(commands[0])
    assert first.startswith(f"program id=1 random seed={request().seed} data file={tmp_path}")
    assert f"num_samples={s.draws} num_warmup={s.warmup}" in first
    assert f"max_depth={s.max_treedepth} adapt engaged=1 delta={s.adapt_delta}" in first
    assert f"file={tables[0]} sig_figs=17" in first


@pytest.mark.stan
@pytest.mark.cmdstan
@pytest.mark.parametrize("lines", [5, -20], ids=["none", "some"])
def test_draws_that_are_missing_are_an_error(monkeypatch, lines):
    """As on a disk that is full; the table's name, which CmdStanPy may say, is of no use."""
    run = chains.sample

    def cut_off(commands, asked, folder, *rest):
        run(commands, asked, folder, *rest)
        table = folder / "chain-1.csv"
        table.write_text("".join(table.read_text().splitlines(keepends=True)[:lines]))

    monkeypatch.setattr(chains, "sample", cut_off)
    with pytest.raises(EngineError, match="did not write all draws of 'hierarchical_cor"):
        engines()["cmdstan"].fit(request())


SCRIPT = f"""
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it,
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # and nohup this one
from bayescmp.engines import cmdstan
cmdstan.find_or_compile({MODEL!r})
"""


@needs_make
@pytest.mark.parametrize("name", first_and_slow("SIGTERM", "SIGINT", "SIGHUP", "SIGKILL"))
def test_a_signal_to_us_alone_ends_the_build(tree, tmp_path, name):
    tree("sleeps")
    (temporary := tmp_path / "temporary").mkdir()
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)}
    ours = subprocess.Popen(
        [sys.executable, "-c", SCRIPT],
        cwd=ROOT,
        env=env,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    pid = tmp_path / "cache" / "pid"
    _wait(lambda: pid.is_file() and pid.read_text().strip())
    shell = int(pid.read_text())
    ours.send_signal(getattr(signal, name))
    stderr = ours.communicate(timeout=30)[1]
    assert (b"KeyboardInterrupt" in stderr) == (name == "SIGINT")
    _wait(lambda: not _alive(shell))
    _wait(lambda: not [n for n in _left(tmp_path / "cache") if n.startswith("building-")])
    _wait(lambda: not any(temporary.iterdir()))  # CmdStanPy makes one when it is imported


def _wait(until) -> None:
    end = time.monotonic() + 60
    while not until():
        assert time.monotonic() < end
        time.sleep(0.01)


def _alive(pid: int) -> bool:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat")
        return not state.is_file() or state.read_text().rsplit(")", 1)[1].split()[0] != "Z"
    return False
