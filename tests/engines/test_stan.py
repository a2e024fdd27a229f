"""What every Stan engine must do: builds, interrupts, failures, a clean cache."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from bayescmp.engines import cmdstan, engines, pystan
from bayescmp.errors import EngineError
from tests.engines.test_contract import MODEL, request
from tests.engines.test_processes import wait_for
from tests.marks import first_and_slow

pytestmark = pytest.mark.stan
COMPILED = {"cmdstan": cmdstan.find_or_compile, "pystan": pystan.find_or_build}
ROOT = Path(__file__).parents[2]
# Tests in the background may ignore Ctrl-C, and under nohup SIGHUP.
SCRIPT = textwrap.dedent("""
    import dataclasses, signal, sys
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    from tests.engines.test_contract import request
    from bayescmp.engines import SamplerSettings, engines
    print("go", flush=True)
    long = dataclasses.replace(request(), settings=SamplerSettings(chains=2, draws=10**7))
    engines()[sys.argv[1]].fit(long)
""")


@pytest.fixture
def program(stan_engine) -> Path:
    """Its executable, built if that was not done."""
    return COMPILED[stan_engine](MODEL)


def test_works_where_an_event_loop_runs(stan_engine):
    """As in a notebook; in a thread of its own, since a browser's loop may run in this one."""

    async def cell():
        return engines()[stan_engine].fit(request())

    with ThreadPoolExecutor(1) as pool:
        fit = pool.submit(asyncio.run, cell()).result()
    assert fit.draws["delta0"].shape == (2, 200)


def test_a_fit_leaves_nothing_on_disk(stan_engine, program, monkeypatch, tmp_path):
    kept = sorted(program.parent.iterdir())
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    engines()[stan_engine].fit(request())
    assert list(tmp_path.iterdir()) == []
    assert sorted(program.parent.iterdir()) == kept


def test_a_program_that_does_not_compile_leaves_no_cache_entry(stan_engine, monkeypatch, tmp_path):
    monkeypatch.setenv("BAYESCMP_CACHE", str(tmp_path))
    monkeypatch.setattr(
        "bayescmp.engines.chains.program_text", lambda model: "parameters { real x }"
    )
    with pytest.raises(EngineError, match=f"Syntax error in '{MODEL}.stan', line 1") as caught:
        engines()[stan_engine].fit(request())
    assert str(tmp_path) not in str(caught.value)  # it is gone
    assert [p.name for p in (tmp_path / stan_engine).iterdir() if p.suffix != ".lock"] == []


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"xbar": np.zeros(5)}, r"variable name=xbar.*\(in 'hierarchical_cor"),
        ({"rho": np.full(6, 1.5)}, r"rho\[1\] is 1\.5.*\(in 'hierarchical_cor"),
        ({"xbar": np.full(6, np.nan)}, r"initial value.*Random variable\[1\] is nan"),
    ],
    ids=["size", "bound", "start"],
)
def test_bad_data_are_an_error_with_stans_own_message(stan_engine, changes, says):
    """In a line, without what Stan advises those to do who write programs."""
    with pytest.raises(EngineError, match=rf"sampling '{MODEL}' failed: .*{says}") as caught:
        engines()[stan_engine].fit(request(**changes))
    assert "\n" not in str(caught.value)
    assert "Try specifying" not in str(caught.value)


@contextlib.contextmanager
def started(engine: str, cache: Path, temporary: Path):
    """A long fit in a process of its own, which is killed in the end if it is still there."""
    env = {
        **os.environ,
        "BAYESCMP_CACHE": str(cache),
        "PYTHONPATH": str(ROOT),
        "TMPDIR": str(temporary),
    }
    run = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", SCRIPT, engine],
        env=env,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        run.stdout.readline()
        yield run
    finally:
        for pid in chains(temporary):
            os.kill(pid, signal.SIGKILL)
        run.kill()
        run.communicate()


def chains(folder: Path, *, only: str = "") -> list[int]:
    """Processes with a folder in their command line, and this after it: the watchdog has not."""
    pids, named = [], re.compile(re.escape(str(folder)).encode() + b".*" + only.encode())
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if named.search(path.read_bytes()):
                pids.append(int(path.parent.name))
        except OSError:
            continue
    return pids


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_interrupted_build_leaves_nothing(stan_engine, tmp_path, name):
    """In the middle of a compilation: no entry, no process, no half-written file."""
    building, temporary = tmp_path / stan_engine, tmp_path / "temporary"
    temporary.mkdir()
    with started(stan_engine, tmp_path, temporary) as run:
        wait_for(lambda: building.is_dir() and any(building.glob("building-*/*.[ch]pp")))
        time.sleep(0.5)
        run.send_signal(getattr(signal, name))  # to us alone: compilers are ours to end
        _, stderr = run.communicate(timeout=30)
        assert chains(tmp_path) == []
    assert (b"KeyboardInterrupt" in stderr) == (name == "SIGINT")
    assert run.returncode == -getattr(signal, name)
    assert [p.name for p in building.iterdir() if p.suffix != ".lock"] == []
    assert list(temporary.iterdir()) == []


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="looks for processes in /proc")
@pytest.mark.parametrize(
    "end", first_and_slow("SIGINT", "SIGTERM", "SIGHUP", "SIGKILL", "a chain killed")
)
def test_sampling_that_is_ended_leaves_no_process_and_no_file(stan_engine, program, tmp_path, end):
    with started(stan_engine, program.parent.parent, tmp_path) as run:
        wait_for(lambda: len(chains(tmp_path, only="data.json")) == 2)
        if end == "a chain killed":
            os.kill(chains(tmp_path, only="data.json")[0], signal.SIGKILL)
        else:
            run.send_signal(getattr(signal, end))
        _, stderr = run.communicate(timeout=30)
        wait_for(lambda: not chains(tmp_path))
    assert (b"KeyboardInterrupt" in stderr) == (end == "SIGINT")
    failed = rb"EngineError: (CmdStan|Stan from PyStan's wheels): sampling .* its process died"
    assert bool(re.search(failed, stderr)) == (end == "a chain killed")
    wait_for(lambda: not any(tmp_path.iterdir()))
