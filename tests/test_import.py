"""`import bayescmp` is fast and loads nothing heavy; every public name is there."""

from __future__ import annotations

import subprocess
import sys

import bayescmp

HEAVY = ("arviz", "matplotlib.pyplot", "cmdstanpy", "stan", "httpstan", "sklearn", "joblib")


def _import_times() -> tuple[set[str], float]:
    """Modules that `import bayescmp` loads, and its seconds, by -X importtime."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "import bayescmp"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    lines = [line.split("|") for line in done.stderr.splitlines() if line.count("|") == 2]
    cumulative = {name.strip(): total.strip() for _, total, name in lines}
    return set(cumulative), int(cumulative["bayescmp"]) / 1e6


def test_import_is_light():
    modules, _ = _import_times()
    assert "bayescmp" in modules
    assert [m for m in HEAVY if m in modules] == []


def test_import_is_fast():
    assert min(_import_times()[1] for _ in range(3)) < 0.35


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
