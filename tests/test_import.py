"""`import bayescmp` is fast and loads nothing heavy; every public name is there."""

from __future__ import annotations

import subprocess
import sys

import bayescmp

HEAVY = ("arviz", "matplotlib.pyplot", "cmdstanpy", "stan", "httpstan", "sklearn", "joblib")


def _output(code: str, *options: str) -> str:
    done = subprocess.run(
        [sys.executable, *options, "-c", code], capture_output=True, text=True, check=True
    )
    return done.stdout + done.stderr


def test_import_is_light():
    lines = _output("import bayescmp", "-X", "importtime").splitlines()
    modules = {line.split("|")[2].strip() for line in lines if line.count("|") == 2}
    assert "bayescmp" in modules
    assert [m for m in HEAVY if m in modules] == []


def test_import_is_fast():
    """In seconds of the processor: those of the clock depend on what runs beside it."""
    code = "import time; t = time.process_time(); import bayescmp; print(time.process_time() - t)"
    assert min(float(_output(code)) for _ in range(3)) < 0.35


def test_every_public_name_is_there():
    for name in bayescmp.__all__:
        assert getattr(bayescmp, name) is not None
    assert set(bayescmp.__all__) <= set(dir(bayescmp))


def test_functions_keep_their_names_beside_subpackages_of_the_same_name():
    """Python puts a subpackage where the function's name is when it is first imported."""
    shared = [n for n, home in bayescmp._NAMES.items() if home == f"bayescmp.{n}"]
    assert shared == ["crosscheck", "report", "procedure"]
    code = "import bayescmp as bc"
    for name in shared:
        code += f"; from bayescmp.{name} import {name} as f; assert bc.{name} is f"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_unknown_attribute():
    import pytest

    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = bayescmp.nothing
