"""The suite on all cores: who is shared out, what comes last, what is compiled meanwhile."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from bayescmp.engines import cmdstan, pystan
from bayescmp.engines import pystan as toolchain
from bayescmp.engines.chains import program_names
from bayescmp.errors import EngineError
from tests import parallel
from tests.conftest import stan_engines


def run_of(*paths, **options):
    """What pytest makes of a command line."""
    usual = {"numprocesses": None, "usepdb": False, "capture": "fd", "collectonly": False}
    option = SimpleNamespace(**{**usual, "markexpr": "not benchmark", **options})
    return SimpleNamespace(option=option, args=[str(p) for p in paths])


def test_whole_folders_are_shared_out(tmp_path):
    assert parallel.is_distributable(run_of(tmp_path))


@pytest.mark.parametrize(
    "options",
    [
        {"numprocesses": 0},
        {"numprocesses": 3},
        {"usepdb": True},
        {"capture": "no"},
        {"collectonly": True},
        {"markexpr": "benchmark"},
    ],
)
def test_what_asks_for_one_process_or_names_a_number_is_not(tmp_path, options):
    assert not parallel.is_distributable(run_of(tmp_path, **options))


def test_single_files_and_workers_are_not(tmp_path):
    assert not parallel.is_distributable(run_of(tmp_path, f"{__file__}::test_x"))
    worker = run_of(tmp_path)
    worker.workerinput = {"workerid": "gw0"}
    assert not parallel.is_distributable(worker)


def item(path, *fixtures, stan=False):
    return SimpleNamespace(
        path=path, fixturenames=fixtures, get_closest_marker=lambda name: stan and name == "stan"
    )


def test_files_that_need_stan_come_last_whole_and_in_order():
    items = [item("a", "stan_engine"), item("a"), item("b"), item("c", stan=True), item("d")]
    assert parallel.stan_last(items)
    assert [i.path for i in items] == ["b", "d", "a", "a", "c"]
    assert not parallel.stan_last([item("a"), item("b", "tmp_path")])


def test_what_takes_an_engine_is_marked_as_needing_stan():
    """The suite without Stan leaves it out."""
    path = Path(__file__).parent / "bayesian" / "hierarchical" / "test_published.py"
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", "not stan", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "test_baycomp_documentation" in done.stdout
    assert "_stan_" not in done.stdout


def test_every_program_is_compiled_with_every_engine_though_one_fails(monkeypatch):
    compiled = []

    def compile_(engine, model):
        compiled.append((engine, model))
        if len(compiled) == 1:
            raise EngineError("no memory left")

    monkeypatch.setattr(pystan, "built", partial(compile_, "pystan"))
    monkeypatch.setattr(cmdstan, "compiled", partial(compile_, "cmdstan"))
    parallel.build(["pystan", "cmdstan"])
    assert compiled == [(e, model) for model in program_names() for e in ("pystan", "cmdstan")]
    done = len(compiled)
    parallel.build([])
    assert len(compiled) == done > 2


#: A compiler that takes no time: what it is asked to write is there, and can be run.
COMPILER = """#!/bin/sh
while [ "$1" != -o ]; do shift; done
echo compiled > "$2" && chmod +x "$2"
"""


@pytest.fixture(params=["instant", pytest.param("real", marks=pytest.mark.calibration)])
def compiler(request, monkeypatch, tmp_path):
    if request.param == "instant":
        path = tmp_path / "instant"
        path.write_text(COMPILER)
        path.chmod(0o755)
        monkeypatch.setenv("CXX", str(path))


@pytest.mark.stan
@pytest.mark.skipif("pystan" not in stan_engines(), reason="PyStan's wheels are not installed")
@pytest.mark.usefixtures("compiler")
def test_the_process_beside_compiles_into_the_cache(monkeypatch, tmp_path):
    model, cache = "robust_correlated_t", tmp_path / "cache"
    monkeypatch.setenv("BAYESCMP_CACHE", str(cache))
    process = parallel.start_builds(Path(__file__).parents[1], model)
    try:
        assert process.wait(timeout=600) == 0
    finally:
        parallel.stop(process)
    assert any((cache / "pystan").glob(f"{model}-*.o"))
    monkeypatch.setattr(toolchain, "run_all", None)  # nothing is left to compile
    assert os.access(pystan.built(model), os.X_OK)


def test_builds_are_interrupted_when_the_tests_are_done():
    waits = """import signal, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
print(1, flush=True)
time.sleep(60)"""
    process = subprocess.Popen(
        [sys.executable, "-c", waits], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdout.readline() == b"1\n"
    parallel.stop(process)
    assert process.returncode != 0
    process.stdout.close()
    parallel.stop(process)  # and once more, after it has ended
