"""From the command to the verdict, in units of what Python takes to import pandas and SciPy.

Run with ``pytest -m benchmark -s tests/benchmarks/test_command_speed.py``.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.benchmarks import uci_pair

pytestmark = pytest.mark.benchmark

LIMIT = 1.4


def _seconds(command: list[str], environment: dict[str, str]) -> float:
    """Of the processor, of a process of its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_from_the_command_to_the_verdict(tmp_path: Path):
    uci_pair.scores().to_csv(tmp_path / "pair.csv", index=False)
    commands = {
        "import": ["-c", "import pandas, scipy.special"],
        "verdict": [
            "-m",
            "bayescmp.commands.cli",
            "compare",
            str(tmp_path / "pair.csv"),
            "--rope",
            "0.01",
        ],
    }
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    compiled = {"PYTHONPYCACHEPREFIX": str(tmp_path), "PYTHONDONTWRITEBYTECODE": ""}
    environment = {**os.environ, **one, **compiled}
    least = dict.fromkeys(commands, float("inf"))
    for _ in range(6):  # in turns: other work on the machine meets both; the first compiles
        for name, command in commands.items():
            seconds = _seconds([sys.executable, *command], environment)
            least[name] = min(least[name], seconds)
    ratio = least["verdict"] / least["import"]
    print(f"\n{least['verdict']:.3f} s, {ratio:.2f} times the import of pandas and scipy.special")
    assert ratio < LIMIT
