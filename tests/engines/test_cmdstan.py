"""The cmdstan engine on a tree that stands in for CmdStan: what it says, and how a build ends."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from bayescmp.engines import SamplerSettings, cmdstan, engines
from bayescmp.errors import EngineError
from tests.conftest import stan_engines
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
    built = cmdstan.compiled(MODEL)
    text = built.read_text()
    assert text.startswith(cmdstan.program_text(MODEL)[:40])
    assert text.splitlines()[-1] == f"--filename-in-msg={MODEL}.stan --O1"
    tree("fails")  # and is not built again
    assert cmdstan.compiled(MODEL) == built
    assert len(_left(tmp_path / "cache")) == 2  # the program, and its checksum


@needs_make
def test_a_failing_build_says_why_and_leaves_nothing(tree, tmp_path):
    tree("fails")
    with pytest.raises(EngineError, match=r"compiling 'robust_corr.*Syntax error in line 7"):
        cmdstan.compiled(MODEL)
    assert _left(tmp_path / "cache") == []


@needs_make
def test_a_build_shows_progress_on_a_terminal(tree, capfd):
    tree("works")
    cmdstan.compiled(MODEL, progress=True)
    assert f"{MODEL}: compiling (once)" in capfd.readouterr().err


@needs_make
def test_a_space_in_the_cache_is_worked_around_and_else_named(tree, monkeypatch, tmp_path):
    tree("works")
    spaced = tmp_path / "with space"
    monkeypatch.setenv("BAYESCMP_CACHE", str(spaced))
    assert cmdstan.compiled(MODEL).is_file()
    shutil.rmtree(spaced)
    spaced.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(spaced))
    with pytest.raises(EngineError, match=r"set BAYESCMP_CACHE .* or TMPDIR .* to one without"):
        cmdstan.compiled(MODEL)


@needs_make
def test_a_failing_chain_says_why_in_a_line(tree):
    tree("refuses")
    with pytest.raises(EngineError, match=r"^CmdStan: sampling '\w+' failed: name=xbar$"):
        engines()["cmdstan"].fit(request())


def test_the_latest_release_is_taken_as_by_cmdstanpy(monkeypatch, tmp_path):
    from cmdstanpy.utils.cmdstan import get_latest_cmdstan

    monkeypatch.delenv("CMDSTAN", raising=False)
    monkeypatch.setattr(cmdstan, "FOLDER", tmp_path)
    assert cmdstan._root() is None
    for release, latest in (
        ("2.9.0", "2.9.0"), ("2.36.0-rc2", "2.36.0-rc2"), ("2.36.0-rc10", "2.36.0-rc10"),
        ("2.36.0", "2.36.0"), ("2.35.1", "2.36.0"),
    ):  # fmt: skip
        (tmp_path / f"cmdstan-{release}").mkdir()
        assert cmdstan._root() == tmp_path / f"cmdstan-{latest}"
        assert get_latest_cmdstan(str(tmp_path)) == f"cmdstan-{latest}"


@pytest.mark.parametrize("inits", [0, 2])
def test_chains_are_asked_as_cmdstanpy_would_ask_them(tmp_path, inits):
    from cmdstanpy.cmdstan_args import CmdStanArgs, SamplerArgs

    asked = dataclasses.replace(request(), inits=request().inits[:inits])
    commands, tables = cmdstan._chains(Path("program"), asked, tmp_path)
    s = asked.settings
    theirs = CmdStanArgs(
        asked.model, "program", list(range(1, s.chains + 1)),
        SamplerArgs(iter_warmup=s.warmup, iter_sampling=s.draws, adapt_delta=s.adapt_delta,
                    max_treedepth=s.max_treedepth),
        data=str(tmp_path / "data.json"), seed=asked.seed, output_dir=tmp_path, sig_figs=17,
        inits=[str(tmp_path / f"init-{i + 1}.json") for i in range(inits)] or None,
    )  # fmt: skip
    assert commands == [theirs.compose_command(i, str(t)) for i, t in enumerate(tables)]


def test_programs_are_compiled_as_cmdstanpy_would_compile_them():
    from cmdstanpy.compilation import CompilerOptions

    options = CompilerOptions(stanc_options={"O1": True})
    options.validate()
    command = cmdstan._make(Path("cmdstan"), Path("a/m.stan"), Path("a/m"))
    assert command == ["make", "-C", "cmdstan", *options.compose("m.stan"), "a/m"]


@pytest.mark.stan
@pytest.mark.skipif("cmdstan" not in stan_engines(), reason="CmdStan is not installed")
def test_tables_are_read_as_cmdstanpy_reads_them(monkeypatch):
    import cmdstanpy

    theirs, read = {}, cmdstan._read

    def both(paths, asked):
        fit = cmdstanpy.from_csv(list(map(str, paths)), method="sample")
        theirs.update({name: fit.stan_variable(name) for name in asked.keep})
        theirs.update({name: values.T for name, values in fit.method_variables().items()})
        return read(paths, asked)

    monkeypatch.setattr(cmdstan, "_read", both)
    fit = engines()["cmdstan"].fit(request())
    for name, values in fit.draws.items():
        np.testing.assert_array_equal(values, theirs[name].reshape(values.shape))
    for ours, name in (("lp", "lp__"), ("energy", "energy__"), ("tree_depth", "treedepth__")):
        np.testing.assert_array_equal(fit.sample_stats[ours], theirs[name])


@pytest.mark.parametrize("rows", ["", "1,2\n", "1,2\n3\n", "1,2\n3,4\n5,6\n", None])
def test_draws_that_are_missing_are_an_error(tmp_path, rows):
    """As on a disk that is full."""
    (table := tmp_path / "chain-1.csv").write_text("" if rows is None else f"# a\nlp__,x\n{rows}")
    two = dataclasses.replace(request(), settings=SamplerSettings(chains=1, draws=2))
    with pytest.raises(EngineError, match="did not write all draws of 'hier"):
        cmdstan._read([table], two)
    table.write_text("# a\nlp__,x\n# b\n1,2\n3,nan\n# \n#  Elapsed Time: 1 seconds\n\n")
    names, (draws,) = cmdstan._read([table], two)
    assert names == ["lp__", "x"]
    np.testing.assert_array_equal(draws, [[1, 2], [3, np.nan]])


SCRIPT = f"""
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it,
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # and nohup this one
from bayescmp.engines import cmdstan
cmdstan.compiled({MODEL!r})
"""


@needs_make
@pytest.mark.parametrize("name", first_and_slow("SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"))
def test_a_signal_to_us_alone_ends_the_build(tree, tmp_path, name):
    tree("sleeps")
    ours = subprocess.Popen(
        [sys.executable, "-c", SCRIPT], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    pid = tmp_path / "cache" / "pid"
    _wait(lambda: pid.is_file() and pid.read_text().strip())
    shell = int(pid.read_text())
    ours.send_signal(getattr(signal, name))
    stderr = ours.communicate(timeout=30)[1]
    assert (b"KeyboardInterrupt" in stderr) == (name == "SIGINT")
    _wait(lambda: not _alive(shell))
    _wait(lambda: not [n for n in _left(tmp_path / "cache") if n.startswith("building-")])


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
