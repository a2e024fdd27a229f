"""The command: usage, version, exit codes, warnings as lines."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import bayescmp as bc
from bayescmp.cli import main


@pytest.fixture
def path(table, tmp_path):
    table.to_csv(tmp_path / "scores.csv", index=False)
    return str(tmp_path / "scores.csv")


def run(capsys, *args):
    code = main([str(a) for a in args])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def compare(path, *more):
    given = ["compare", path, "--metric", "accuracy", "--first", "knn", "--second", "gbm"]
    return [*given, "--rope", "0.05", *more]


@pytest.mark.parametrize("args", [[], ["compare"], ["nothing"], ["compare", "x.csv", "--rop"]])
def test_usage_errors_are_one_line(args, capsys):
    with pytest.raises(SystemExit) as caught:
        main(args)
    assert caught.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_version(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"bayescmp {bc.__version__}\n"


def test_an_interrupt_is_code_130(path, capsys, monkeypatch):
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("bayescmp.scores.Scores.read", interrupt)
    code, out, err = run(capsys, *compare(path))
    assert (code, out, err) == (130, "", "bayescmp: error: interrupted\n")


def test_warnings_are_lines(table, tmp_path, capsys):
    """Constant rows: the verdict hangs on the resolution; said on stderr, the result on stdout."""
    import numpy as np

    rng = np.random.default_rng(0)
    rows = [(f"d{i:02}", a, f, (0.5 if i < 8 else 0.5 + (0.02 + 0.02 * rng.normal() * 0.05
             if a == "gbm" else 0) + 0.05 * rng.normal()).__round__(4))
            for i in range(20) for a in ("knn", "gbm") for f in range(1, 11)]  # fmt: skip
    import pandas as pd

    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "accuracy"])
    frame.to_csv(tmp_path / "constant.csv", index=False)
    args = compare(str(tmp_path / "constant.csv"))
    args[args.index("0.05")] = "0.01"
    code, out, err = run(capsys, *args)
    assert code == 0
    assert "8 data sets with all differences equal" in out + err


def test_the_installed_command(path, tmp_path):
    """As a process of its own, writing a picture with no display."""
    command = [
        sys.executable,
        "-m",
        "bayescmp.cli",
        *compare(path, "--plot", str(tmp_path / "s.png")),
    ]
    env = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "MPLBACKEND")}
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0, done.stderr
    assert "decision" in done.stdout
    assert (tmp_path / "s.png").read_bytes().startswith(b"\x89PNG")
