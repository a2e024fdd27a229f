"""The bundled engine: a wheel is made, and its programs run where there is no compiler."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from bayescmp.engines import bundled as module
from bayescmp.engines import engines, find_engine
from bayescmp.engines.programs import program_names
from bayescmp.errors import EngineNotFound
from tests.conftest import stan_engines

ROOT = Path(__file__).parents[2]
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
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    (tmp_path / "VERSION").write_text("Stan 0\n")
    for name in program_names():
        (tmp_path / name).touch(mode=0o755)
    assert find_engine("auto", "robust_correlated_t").name == "bundled"
    assert find_engine("auto", "hierarchical_correlated_t").name == "quadrature"
    assert engines()["bundled"].available().version == "Stan 0"
    (tmp_path / program_names()[0]).chmod(0o644)
    assert not engines()["bundled"].available().ok


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """A wheel with the compiled programs, which come from the cache where they are there."""
    out = tmp_path_factory.mktemp("bundle")
    env = {**os.environ, "BAYESCMP_BUNDLE_STAN": "1"}
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation",
               "--skip-dependency-check", "--outdir", out, ROOT]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr[-2000:] + done.stdout[-2000:]
    return next(out.glob("*.whl"))


@pytest.mark.slow
@pytest.mark.stan
@pytest.mark.skipif("pystan" not in stan_engines(), reason="PyStan's wheels are not installed")
def test_it_runs_without_compiler_and_without_pystan(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        held = {n for n in archive.namelist() if n.startswith("bayescmp/_programs/")}
    assert {f"bayescmp/_programs/{name}" for name in program_names()} <= held
    assert any("libtbb" in name for name in held)
    assert sum("licences/" in name for name in held) >= 5
    assert wheel.stat().st_size < 15e6
    assert "none-any" not in wheel.name  # for this platform only
    place = tmp_path / "site"
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", place, wheel],
        check=True, capture_output=True,
    )  # fmt: skip
    (tmp_path / "empty").mkdir()
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "CXX", "CMDSTAN")}
    env.update(PATH=str(tmp_path / "empty"), HOME=str(tmp_path), LD_LIBRARY_PATH="",
               BAYESCMP_CACHE=str(tmp_path / "cache"))  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", TESTS, place], capture_output=True, text=True, env=env, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert all(line.startswith("bundled") for line in done.stdout.splitlines())
    assert len(done.stdout.splitlines()) == 4
    assert not (tmp_path / "cache").exists()
