"""Chains of a compiled program: what they are given, and where their draws are put."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from bayescmp.engines import FitRequest, SamplerSettings, chains, engines, find_engine
from bayescmp.engines import pystan as module
from bayescmp.engines.chains import (
    plain,
    program_names,
    program_path,
    program_text,
    run_chains,
    sample_stats,
)
from bayescmp.errors import EngineError, EngineNotFound
from tests.conftest import stan_engines
from tests.engines.fake import SAMPLERS

ROOT = Path(__file__).parents[2]


def test_every_program_of_the_folder_is_found():
    assert program_names() == sorted(p.stem for p in (ROOT / "stan").glob("*.stan"))
    assert "hierarchical_correlated_t" in program_names()


def test_the_fake_engine_knows_every_program():
    assert sorted(SAMPLERS) == program_names()


def test_programs_say_their_source():
    for name in program_names():
        assert program_text(name).startswith("// "), name


def test_what_a_program_includes_stands_in_it():
    text = program_text("joint_correlated_t")
    assert "real mixing_lpdf(vector z," in text
    assert not any("#include" in program_text(name) for name in program_names())


def test_every_datum_and_parameter_has_its_comment():
    for name in program_names():
        blocks = re.findall(r"^(?:data|parameters) \{\n(.*?)^\}", program_text(name), re.M | re.S)
        assert [line for line in "".join(blocks).splitlines() if "//" not in line] == [], name


def test_unknown_program():
    with pytest.raises(EngineError, match="no Stan program 'nothing'"):
        program_path("nothing")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, ROOT],
        check=True,
        capture_output=True,
    )
    return next(out.glob("*.whl"))


def test_wheel_holds_programs_and_types(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        assert "bayescmp/py.typed" in names
        for program in (ROOT / "stan").glob("*.stan"):
            assert archive.read(f"bayescmp/stan/{program.name}") == program.read_bytes()
        for part in ("engines/chain.cpp", "engines/lean.hpp", "report/templates/report.css"):
            assert archive.read(f"bayescmp/{part}") == (ROOT / "bayescmp" / part).read_bytes()
        assert not [n for n in names if n.startswith(("tests/", "examples/"))]


@pytest.mark.slow
def test_installed_wheel_finds_its_own_programs(wheel, tmp_path):
    """Installed away from the checkout, in an environment of its own."""
    place = tmp_path / "site"
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", place, wheel],
        check=True,
        capture_output=True,
    )
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import bayescmp; "
        "from bayescmp.engines.chains import program_path; "
        "print(bayescmp.__file__); print(program_path('hierarchical_correlated_t'))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, place],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    package, program = map(Path, done.stdout.split())
    assert package.is_relative_to(place)
    assert program.is_relative_to(place)
    assert program.read_bytes() == (ROOT / "stan" / program.name).read_bytes()


# -- what goes into a program and comes out of it ----------------------------------------------


def test_arrays_become_lists():
    assert plain({"a": np.eye(2), "b": np.int64(3), "c": [1.5]}) == {
        "a": [[1.0, 0.0], [0.0, 1.0]],
        "b": 3,
        "c": [1.5],
    }


def test_statistics_bear_our_names():
    columns = {
        name: np.array([[0.0, 1.0]]) for name in ("divergent__", "treedepth__", "energy__", "lp__")
    }
    stats = sample_stats(columns.__getitem__)
    assert set(stats) == {"diverging", "tree_depth", "energy", "lp"}
    assert stats["diverging"].tolist() == [[False, True]]
    assert stats["energy"].dtype == float


# Writes a row of columns as chain.cpp does; its draws are the numbers that it was given.
PROGRAM = """#!/bin/sh
[ "$4" = 2 ] && [ "$3" = 13 ] && { echo "no luck" >&2; exit 1; }
printf '%s\\n' lp__ divergent__ treedepth__ energy__ x > "$9"
shift 9
cp "$DRAWS" "$1"
"""


@pytest.fixture
def program(tmp_path, monkeypatch):
    path, draws = tmp_path / "program", tmp_path / "given"
    path.write_text(PROGRAM)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    np.arange(15.0).reshape(3, 5).tofile(draws)
    monkeypatch.setenv("DRAWS", str(draws))
    return path


def asked(seed: int = 1, chains: int = 2) -> FitRequest:
    return FitRequest("model", {}, seed, {"x": True}, settings=SamplerSettings(chains, 10, 3))


@pytest.mark.skipif(os.name != "posix", reason="a program that is a shell script")
def test_columns_come_back_by_name(program):
    draws, stats = run_chains(program, asked(), "x")
    np.testing.assert_array_equal(draws["x"], [[4.0, 9, 14]] * 2)
    np.testing.assert_array_equal(stats["lp"], [[0.0, 5, 10]] * 2)
    assert stats["diverging"].dtype == bool


@pytest.mark.skipif(os.name != "posix", reason="a program that is a shell script")
def test_a_chain_that_fails_is_named_with_its_source(program):
    with pytest.raises(EngineError, match="my programs: sampling 'model' failed: no luck"):
        run_chains(program, asked(seed=13), "my programs")


@pytest.mark.stan
@pytest.mark.skipif("pystan" not in stan_engines(), reason="PyStan's wheels are not installed")
def test_arrays_and_matrices_keep_their_indices(monkeypatch):
    """Indices of all shapes come back where Stan put them."""
    text = """
    parameters { real x; }
    model { x ~ std_normal(); }
    generated quantities {
      real y = x;
      vector[3] v;
      matrix[2, 3] m;
      array[2] matrix[3, 2] a;
      array[0] real none;
      for (i in 1:3) v[i] = i;
      for (i in 1:2) for (j in 1:3) m[i, j] = 10 * i + j;
      for (k in 1:2) for (i in 1:3) for (j in 1:2) a[k, i, j] = 100 * k + 10 * i + j;
    }
    """
    monkeypatch.setattr(module, "program_text", lambda model: text)
    keep = {"x": True, "y": True, "v": False, "m": False, "a": False, "none": False}
    asked = FitRequest("shapes", {}, 1, keep, settings=SamplerSettings(2, 100, 50))
    fit = engines()["pystan"].fit(asked)
    assert fit.draws["x"].shape == (2, 50)
    np.testing.assert_array_equal(fit.draws["x"], fit.draws["y"])
    assert not np.array_equal(fit.draws["x"][0], fit.draws["x"][1])
    assert fit.draws["none"].shape == (2, 50, 0)
    k, i, j = np.meshgrid([1, 2], [1, 2, 3], [1, 2], indexing="ij")
    for name, value in (
        ("v", [1, 2, 3]),
        ("m", [[11, 12, 13], [21, 22, 23]]),
        ("a", 100 * k + 10 * i + j),
    ):
        every = np.broadcast_to(value, (2, 50, *np.shape(value)))
        np.testing.assert_array_equal(fit.draws[name], every)


# What needs Stan; run by a Python that sees nothing of the checkout and no compiler.
TESTS = """
import sys, warnings, numpy as np
sys.path.insert(0, sys.argv[1])
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name in ("stan", "httpstan") else find(
    name, *rest)
import bayescmp as bc
assert bc.__file__.startswith(sys.argv[1])
state = bc.engines.engines()["pystan"].available()
assert not state.ok
rng, few = np.random.default_rng(1), dict(seed=1, chains=2, warmup=50, draws=25)
warnings.simplefilter("ignore", bc.DiagnosticWarning)
x = rng.normal(0.01, 0.02, (4, 20, 2))
fits = [
    bc.bayesian.robust_t(x[0, :, 0], rho=0.1, rope=0.01, **few),
    bc.bayesian.hierarchical_multivariate_t(list(x), rho=0.1, rope=[0.01, 0.01], **few),
    bc.bayesian.groups(x[:3], rho=0.1, rope=[0.01, 0.01], noise="t", **few),
    bc.bayesian.hierarchical_t(x[:, :, 0], rho=0.1, rope=0.01, engine="bundled", **few),
]
print(*(fit.engine for fit in fits), sep="\\n")
"""


def test_without_programs_it_is_not_there_and_says_how_to_get_them():
    state = engines()["bundled"].available()
    assert not state.ok
    assert "BAYESCMP_BUNDLE_STAN=1" in state.needs
    with pytest.raises(EngineNotFound, match="'bundled' is not available"):
        find_engine("bundled", "robust_correlated_t")


def test_auto_takes_it_before_pystan_and_after_the_grid(monkeypatch, tmp_path):
    monkeypatch.delenv("CMDSTAN", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(chains, "FOLDER", tmp_path)
    (tmp_path / "VERSION").write_text("Stan 0\n")
    for name in program_names():
        (tmp_path / name).touch(mode=0o755)
    assert find_engine("auto", "robust_correlated_t").name == "bundled"
    assert find_engine("auto", "hierarchical_correlated_t").name == "quadrature"
    assert engines()["bundled"].available().version == "Stan 0"
    (tmp_path / program_names()[0]).chmod(0o644)
    assert not engines()["bundled"].available().ok


@pytest.fixture(scope="module")
def bundled_wheel(tmp_path_factory) -> Path:
    """A wheel with the compiled programs, which come from the cache where they are there."""
    out = tmp_path_factory.mktemp("bundle")
    env = {**os.environ, "BAYESCMP_BUNDLE_STAN": "1"}
    command = [
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--skip-dependency-check",
        "--outdir",
        out,
        ROOT,
    ]
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr[-2000:] + done.stdout[-2000:]
    return next(out.glob("*.whl"))


@pytest.mark.slow
@pytest.mark.stan
@pytest.mark.skipif("pystan" not in stan_engines(), reason="PyStan's wheels are not installed")
def test_it_runs_without_compiler_and_without_pystan(bundled_wheel, tmp_path):
    with zipfile.ZipFile(bundled_wheel) as archive:
        held = {n for n in archive.namelist() if n.startswith("bayescmp/_programs/")}
    assert {f"bayescmp/_programs/{name}" for name in program_names()} <= held
    assert any("libtbb" in name for name in held)
    assert sum("licences/" in name for name in held) >= 5
    assert bundled_wheel.stat().st_size < 15e6
    assert "none-any" not in bundled_wheel.name  # for this platform only
    place = tmp_path / "site"
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--target",
            place,
            bundled_wheel,
        ],
        check=True,
        capture_output=True,
    )
    (tmp_path / "empty").mkdir()
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "CXX", "CMDSTAN")}
    env.update(
        PATH=str(tmp_path / "empty"),
        HOME=str(tmp_path),
        LD_LIBRARY_PATH="",
        BAYESCMP_CACHE=str(tmp_path / "cache"),
    )
    done = subprocess.run(
        [sys.executable, "-c", TESTS, place], capture_output=True, text=True, env=env, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert all(line.startswith("bundled") for line in done.stdout.splitlines())
    assert len(done.stdout.splitlines()) == 4
    assert not (tmp_path / "cache").exists()
