"""Compiling with PyStan's wheels: which compiler, which headers, what is linked to what."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from bayescmp.engines import pystan
from bayescmp.engines.chains import program_names, program_text
from bayescmp.errors import EngineError
from tests.conftest import stan_engines

pytestmark = [
    pytest.mark.stan,
    pytest.mark.skipif(
        "pystan" not in stan_engines() and os.environ.get("BAYESCMP_REQUIRE_STAN") != "1",
        reason="PyStan's wheels are not installed",
    ),
]

# Fails where its arguments hold the word in REFUSES, else writes what it was called with.
COMPILER = """#!/bin/sh
for argument in "$@"; do
    case $argument in *"$REFUSES"*) echo "refused $argument" >&2; exit 1 ;; esac
    [ "$before" = -o ] && target=$argument
    before=$argument
done
echo "$@" > "${target:-/dev/null}"
echo "$@" >> "$CALLS"
"""


@pytest.fixture
def compiler(monkeypatch, tmp_path):
    """A compiler that only notes its calls; and the file where it does."""
    script, calls = tmp_path / "compiler", tmp_path / "calls"
    script.write_text(COMPILER)
    script.chmod(0o755)
    monkeypatch.setenv("CXX", str(script))
    monkeypatch.setenv("CALLS", str(calls))
    monkeypatch.setenv("REFUSES", "nothing at all")
    monkeypatch.setenv("BAYESCMP_CACHE", str(tmp_path / "cache"))
    return calls


def build() -> Path:
    return pystan.find_or_build("robust_correlated_t")


def test_the_lean_header_and_the_distributions_that_a_program_names(compiler):
    build()
    program, runner, _link = [
        line for line in compiler.read_text().splitlines() if "--version" not in line
    ]
    assert "lean.hpp" in program
    assert "lean.hpp" in runner
    for name in ("exponential_lpdf", "student_t_lpdf", "student_t_rng"):
        assert f"-include stan/math/prim/prob/{name}.hpp" in program
    assert "normal_lpdf" not in program
    assert "chain.cpp" in runner


def test_a_program_that_does_not_compile_with_it_gets_all_headers(compiler, monkeypatch):
    monkeypatch.setenv("REFUSES", "lean.hpp")
    assert "robust_correlated_t" in build().read_text()
    assert "lean.hpp" not in compiler.read_text()


def test_one_that_does_not_compile_at_all_says_why(compiler, monkeypatch, tmp_path):
    monkeypatch.setenv("REFUSES", "robust_correlated_t.cpp")
    with pytest.raises(EngineError, match=r"building 'robust_correlated_t' failed: refused"):
        build()
    left = {p.suffix for p in (tmp_path / "cache" / "pystan").iterdir()}
    assert left == {".lock"}


def test_objects_are_compiled_once_for_every_program_linked_of_them(compiler, tmp_path):
    build()
    portable = pystan.link_portable(
        "robust_correlated_t", program_text("robust_correlated_t"), tmp_path
    )
    assert "$ORIGIN" in portable.read_text()
    assert str(pystan.tbb().parent) not in portable.read_text().split("-rpath")[1]
    compiled = [line for line in compiler.read_text().splitlines() if " -c " in line]
    assert len(compiled) == 2


def test_the_key_holds_what_changes_a_build(monkeypatch):
    keys = {pystan.program_key("a"), pystan.program_key("b")}
    for name, value in (("FLAGS", ("-O1",)), ("STANC", ()), ("LEAN", Path(__file__))):
        with monkeypatch.context() as patch:
            patch.setattr(pystan, name, value)
            keys.add(pystan.program_key("a"))
    monkeypatch.setenv("CXX", "sh")
    keys.add(pystan.program_key("a"))
    assert len(keys) == 6


@pytest.mark.parametrize("command", ["no-such-compiler", "g++ 'half quoted", "'/no/such dir/c++'"])
def test_an_odd_cxx_is_named(monkeypatch, command):
    monkeypatch.setenv("CXX", command)
    needs = pystan.missing_tools()
    assert needs.startswith("the C++ compiler that CXX names, ")
    assert command.replace("'", "") in needs.replace("'", "")
    assert "get it with: unset CXX" in needs


def test_without_the_wheels_the_way_to_them_is_said(no_stan):
    assert "pip install pystan httpstan" in pystan.missing_tools()


def test_all_programs_compile_with_the_lean_header():
    """No function that a program calls is left out: it would be compiled twice."""
    left_out = {
        line.split()[1]
        for line in pystan.LEAN.read_text().splitlines()
        if line.startswith("#define STAN_MATH_PRIM_FUN_")
    }
    for model in program_names():
        code = re.sub(r"//.*", "", program_text(model))
        called = {name.upper() for name in re.findall(r"(\w+)\s*\(", code)}
        assert not {f"STAN_MATH_PRIM_FUN_{name}_HPP" for name in called} & left_out, model
