"""Chains of a compiled program: what they are given, and where their draws are put."""

from __future__ import annotations

import os
import stat

import numpy as np
import pytest

from bayescmp.engines import FitRequest, SamplerSettings, engines
from bayescmp.engines import pystan as module
from bayescmp.engines.chains import run_chains
from bayescmp.errors import EngineError
from tests.conftest import stan_engines

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
        ("v", [1, 2, 3]), ("m", [[11, 12, 13], [21, 22, 23]]), ("a", 100 * k + 10 * i + j)
    ):  # fmt: skip
        every = np.broadcast_to(value, (2, 50, *np.shape(value)))
        np.testing.assert_array_equal(fit.draws[name], every)
