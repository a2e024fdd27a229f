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


def test_a_verdict_takes_no_more_than_it_needs(tmp_path):
    """From the command to the verdict: only its own test, and of SciPy the special functions."""
    table = tmp_path / "scores.csv"
    rows = [
        f"{dataset},{name},{fold},{0.8 + 0.01 * ((fold * (7 + (name == 'b')) + dataset) % 5)}"
        for dataset in range(8)
        for name in "ab"
        for fold in range(6)
    ]
    table.write_text("\n".join(["dataset,algorithm,fold,accuracy", *rows]))
    code = (
        "import sys; from bayescmp.commands.cli import main\n"
        f"main(['compare', {str(table)!r}, '--rope', '0.01', '--engine', 'quadrature'])\n"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = done.stdout.splitlines()[-1].split()
    assert "bayescmp.bayesian.hierarchical.fit" in modules
    unneeded = (
        "scipy.stats",
        "scipy.optimize",
        "scipy.interpolate",
        "scipy.linalg",
        "matplotlib",
        "arviz",
        "joblib",
        "sklearn",
        "bayescmp.frequentist",
        "bayescmp.bayesian.joint",
        "bayescmp.report",
    )
    own = _output("import sys, scipy.special; print(*sys.modules)").split()  # 1.18 loads linalg
    drawn = [m for m in modules if m.startswith("bayescmp.plots.")]
    assert [m for m in unneeded if m in modules and m not in own] + drawn == []


def test_every_public_name_is_there():
    for name in bayescmp.__all__:
        assert getattr(bayescmp, name) is not None
    assert set(bayescmp.__all__) <= set(dir(bayescmp))
