"""The PyStan worker: notebooks, interrupts, failed builds, a clean cache."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from bayescmp.engines import engines
from bayescmp.engines import pystan as module
from bayescmp.errors import EngineError
from tests.conftest import stan_engines
from tests.engines.test_contract import MODEL, request

pytestmark = pytest.mark.skipif(
    "pystan" not in stan_engines() and os.environ.get("BAYESCMP_REQUIRE_STAN") != "1",
    reason="PyStan is not installed",
)


def test_works_where_an_event_loop_runs():
    """As in a notebook."""

    async def cell():
        return engines()["pystan"].fit(request())

    assert asyncio.run(cell()).draws["delta0"].shape == (2, 200)


def test_seeded_draws_are_not_kept_on_disk():
    engines()["pystan"].fit(request())
    root = Path(module._folder.name)
    assert [p for p in root.rglob("*") if p.suffix == ".gz"] == []


def test_a_program_that_does_not_compile_leaves_no_cache_entry(monkeypatch, tmp_path):
    monkeypatch.setenv("BAYESCMP_CACHE", str(tmp_path))
    monkeypatch.setattr(module, "program_text", lambda model: "parameters { real x }")
    with pytest.raises(EngineError, match=r"Syntax error|yntax"):
        engines()["pystan"].fit(request())
    assert [p.name for p in (tmp_path / "pystan").iterdir() if p.is_dir()] == []


def test_a_killed_worker_is_an_error_and_the_next_fit_works():
    engine = engines()["pystan"]
    engine.fit(request())
    os.kill(module._worker.pid, signal.SIGKILL)
    module._worker.wait()
    assert engine.fit(request()).draws["delta0"].shape == (2, 200)


def test_interrupted_build_leaves_nothing(tmp_path):
    """Ctrl-C in the middle of a compilation: no entry, no process, no half-written file."""
    script = textwrap.dedent("""
        from tests.engines.test_contract import request
        from bayescmp.engines import engines
        print("go", flush=True)
        engines()["pystan"].fit(request())
    """)
    root = Path(__file__).parents[2]
    env = {**os.environ, "BAYESCMP_CACHE": str(tmp_path), "PYTHONPATH": str(root)}
    run = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", script], env=env, cwd=root, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    run.stdout.readline()
    building = tmp_path / "pystan"
    for _ in range(200):
        if building.is_dir() and any(building.glob("building-*")):
            break
        time.sleep(0.05)
    time.sleep(1.0)
    os.killpg(run.pid, signal.SIGINT)
    _, stderr = run.communicate(timeout=30)
    assert b"KeyboardInterrupt" in stderr
    assert [p.name for p in building.iterdir() if p.suffix != ".lock"] == []


def test_the_cache_key_holds_the_program(monkeypatch):
    assert module._key("a") != module._key("b")
    assert module._key("a") == module._key("a")


def test_a_built_program_is_complete():
    engines()["pystan"].fit(request())
    folder = module._built(request())
    assert folder.name.startswith(f"{MODEL}-")
    assert any(p.suffix in (".so", ".pyd") for p in folder.iterdir())
