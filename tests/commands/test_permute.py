"""`bayescmp permute`: what it prints, writes and refuses."""

from __future__ import annotations

import argparse
import json
import os
import struct
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from bayescmp.commands import permute
from bayescmp.errors import InputError


@pytest.fixture
def csv(tmp_path):
    """60 cases, two features that tell the classes each, a name, gaps, and a label of text."""
    rng = np.random.default_rng(1)
    y = np.arange(60) % 2
    frame = pd.DataFrame(
        {"a": rng.normal(size=60) + 3 * y, "b": rng.normal(size=60) + 3 * y,
         "colour": np.where(rng.random(60) < 0.5, "red", "blue"), "id": np.arange(60),
         "kind": np.where(y == 1, "yes", "no")}
    )  # fmt: skip
    frame.loc[::9, "a"] = np.nan
    frame.loc[4, "colour"] = None
    path = tmp_path / "data.csv"
    frame.to_csv(path, index=False)
    return path


def run(*words):
    parser = argparse.ArgumentParser()
    permute.register(parser.add_subparsers())
    args = parser.parse_args(["permute", *map(str, words)])
    return args.run(args)


QUICK = ("--n", 19, "--cv", 3, "--repeats", 2)


@pytest.mark.slow
def test_the_call_of_the_issue(csv, tmp_path, capsys):
    picture = tmp_path / "null.png"
    code = run(csv, "--target", "kind", "--estimator", "tree", "--test", "both", "--drop", "id",
               *QUICK, "--plot", picture)  # fmt: skip
    out = capsys.readouterr().out
    assert code == 0
    assert "test 1 (labels permuted)" in out
    assert "test 2 (columns permuted within classes)" in out
    assert "DecisionTreeClassifier" in out
    assert "p = 0.05," in out  # 1/20: no labels permuted at random did as well
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", ["naive-bayes", "1nn"])
def test_estimators(csv, name, capsys):
    run(csv, "--target", "kind", "--estimator", name, "--test", "labels", *QUICK, "--json")
    (actual,) = json.loads(capsys.readouterr().out)
    assert actual["statistic"] < 0.2
    assert actual["pvalue"] == pytest.approx(1 / 20)
    assert len(actual["null"]) == 19


def test_every_named_estimator_can_be_made(csv):
    features = pd.read_csv(csv).drop(columns="kind")
    for name in permute.ESTIMATORS:
        assert hasattr(permute._estimator(name, features), "fit")
    numbers = features[["b", "id"]]
    assert type(permute._estimator("tree", numbers)).__name__ == "DecisionTreeClassifier"


def test_options_reach_the_test(csv, capsys):
    common = (csv, "--target", "kind", "--estimator", "tree", "--json", "--test", "columns")
    run(*common, "--n", 30, "--cv", 3, "--repeats", 1, "--stop", "besag-clifford", "--scoring",
        "balanced_accuracy", "--nominal", "id")  # fmt: skip
    (actual,) = json.loads(capsys.readouterr().out)
    assert actual["metric"] == "balanced_accuracy"
    assert actual["stop"] == "besag-clifford"


def test_interrupted(csv, capsys, monkeypatch):
    from bayescmp.frequentist.permutation import run as permutation_run

    real, calls = permutation_run.run_block, iter(range(100))

    def block(*arguments):
        if next(calls) == 5:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(permutation_run, "run_block", block)
    with pytest.warns(UserWarning, match="interrupted after 3 of 19"):
        code = run(csv, "--target", "kind", "--estimator", "tree", *QUICK)
    assert code == 130
    assert "3 permutations of 19, interrupted" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--target", "kin", "--estimator", "tree"], "'kind'"),
        (["--target", "kind", "--estimator", "os.system"], "unknown estimator 'os.system'"),
        (["--target", "kind", "--estimator", "tre"], "did you mean 'tree'"),
        (["--target", "kind", "--estimator", "tree", "--test", "rows"], "unknown test 'rows'"),
        (["--target", "kind", "--estimator", "tree", "--cv", "ten"], "--cv 'ten'"),
        (["--target", "a", "--estimator", "tree"], "holds 53 different numbers"),
        (["--target", "kind", "--estimator", "tree", "--plot", "/no/such/x.png"], "no directory"),
        (["--target", "kind", "--estimator", "tree", "--plot", "x.xyz"], "'x.xyz': unknown"),
        (["--target", "kind", "--estimator", "tree", "--drop", "colour", "--drop", "x"], "'x'"),
        (["--target", "kind", "--estimator", "tree", "--drop", "a", "--drop", "b", "--drop",
          "colour", "--drop", "id"], "no features"),
    ],
)  # fmt: skip
def test_bad_input(csv, words, message):
    with pytest.raises(InputError, match=message):
        run(csv, *words)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="a pseudo-terminal")
@pytest.mark.parametrize("on_terminal", [True, False])
def test_progress_is_shown_on_a_terminal_alone(tmp_path, on_terminal):
    import fcntl
    import termios

    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(24, 2)), columns=["a", "b"]).assign(y=[0, 1] * 12)
    frame.to_csv(tmp_path / "data.csv", index=False)
    command = [
        "permute", str(tmp_path / "data.csv"), "--target", "y", "--estimator", "naive-bayes",
        "--n", "9", "--cv", "3", "--repeats", "1", "--test", "labels",
    ]  # fmt: skip
    ours, theirs = os.openpty() if on_terminal else os.pipe()
    if on_terminal:
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))
    subprocess.run(
        [sys.executable, "-m", "bayescmp.cli", *command], stderr=theirs, check=True,
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    os.write(theirs, b"end\n")
    shown = b""
    while b"end" not in shown:  # a terminal hands over a line at a time
        shown += os.read(ours, 10_000)
    os.close(theirs)
    os.close(ours)
    assert (b"permuted labels" in shown) == on_terminal
