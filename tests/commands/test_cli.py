"""The command: usage, version, exit codes, warnings as lines."""

import argparse
import io
import os
import re
import runpy
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.commands.cli import COMMANDS, GROUPS, SUCCESSORS, load_command, main
from tests.commands.conftest import argv, compare, each, run
from tests.rows import each_row


@pytest.fixture
def path(table, tmp_path):
    table.to_csv(tmp_path / "scores.csv", index=False)
    return str(tmp_path / "scores.csv")


@each_row("args", [[], ["nothing"], ["compare", "x.csv", "--rop"]])
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

    monkeypatch.setattr("bayescmp.scores.scores.Scores.read", interrupt)
    code, out, err = run(capsys, *compare(path))
    assert (code, out, err) == (130, "", "bayescmp: error: interrupted\n")


def test_warnings_are_lines(table, tmp_path, capsys):
    """Constant rows: the verdict hangs on the resolution; said on stderr, the result on stdout."""
    rng = np.random.default_rng(0)
    rows = [
        (
            f"d{i:02}",
            a,
            f,
            (
                0.5
                if i < 8
                else 0.5
                + (0.02 + 0.02 * rng.normal() * 0.05 if a == "gbm" else 0)
                + 0.05 * rng.normal()
            ).__round__(4),
        )
        for i in range(20)
        for a in ("knn", "gbm")
        for f in range(1, 11)
    ]
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
        "bayescmp.commands.cli",
        *compare(path, "--plot", str(tmp_path / "s.png")),
    ]
    env = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "MPLBACKEND")}
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("knn and gbm: undecided")
    assert (tmp_path / "s.png").read_bytes().startswith(b"\x89PNG")


# Odd terminals, disks and environments.


def process(path, *more, env=(), **options):
    given = [sys.executable, "-m", "bayescmp.commands.cli", *compare(path, "--test", "correlated")]
    return subprocess.run(
        [*given, "--dataset", "iris", *more],
        stderr=subprocess.PIPE,
        timeout=300,
        env={**os.environ, **dict(env)},
        **{"stdout": subprocess.PIPE, **options},
    )


@pytest.fixture
def greek(table, tmp_path):
    """A comparison of an algorithm with a Greek letter in its name."""
    path = tmp_path / "scores.csv"
    table.replace({"knn": "ν-SVM ±1"}).to_csv(path, index=False)
    return [
        *argv(f"compare {path} --metric accuracy --rope 0.05 --dataset iris"),
        "ν-SVM ±1",
        "gbm",
    ]


def test_signs_that_a_terminal_lacks_are_spelled(greek, monkeypatch):
    encoding = "cp1252"
    terminal = io.TextIOWrapper(io.BytesIO(), encoding)
    monkeypatch.setattr(sys, "stdout", terminal)
    assert main(greek) == 0
    terminal.flush()
    assert "nu-SVM ±1 and gbm: undecided" in terminal.buffer.getvalue().decode(encoding)


def test_a_process_whose_output_is_ascii_spells_all_signs(greek):
    done = subprocess.run(
        [sys.executable, "-m", "bayescmp.commands.cli", *greek],
        capture_output=True,
        timeout=300,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "1"},
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert "nu-SVM +-1 and gbm: undecided" in done.stdout.decode("ascii")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_an_output_that_is_full_is_one_line(path):
    with open("/dev/full", "w") as full:
        done = process(path, stdout=full)
    assert done.returncode == 2
    assert done.stderr == b"bayescmp: error: No space left on device\n"


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="a working directory can't be deleted")
def test_a_working_directory_that_is_gone(path, tmp_path):
    (tmp_path / "gone").mkdir()
    script = 'cd "$1" && rmdir "$1" && shift && exec "$@"'
    given = [
        sys.executable,
        "-m",
        "bayescmp.commands.cli",
        *compare(path),
        "--engine",
        "quadrature",
    ]
    root = os.path.dirname(os.path.dirname(bc.__file__))
    for more in ([], ["--plot", "a.svg"]):
        done = subprocess.run(
            ["sh", "-c", script, "sh", tmp_path / "gone", *given, *more],
            capture_output=True,
            text=True,
            timeout=300,
            env={**os.environ, "PYTHONPATH": root},
        )
        (tmp_path / "gone").mkdir()
        if more:
            assert done.returncode == 2
            told = "--plot 'a.svg' cannot be written: No such file or directory."
            assert done.stderr == f"bayescmp: error: {told}\n"
        else:
            assert done.returncode == 0
            # threadpoolctl says before 3.7 that it is lost, and goes on
            assert not done.stderr or "in _realpath" in done.stderr


@pytest.mark.slow
def test_a_backend_that_is_none_does_not_matter(path, tmp_path):
    picture = tmp_path / "a.svg"
    done = process(path, "--plot", picture, env={"MPLBACKEND": "bogus"})
    assert (done.returncode, done.stderr) == (0, b"")
    assert "<svg" in picture.read_text()


# Options.


def test_options_are_not_abbreviated_and_repeat_in_one_way():
    """What takes several names is given once for each; the rest may be given once only."""
    for name in COMMANDS:
        command = load_command(name)[0]
        assert not command.allow_abbrev
        for action in command.options:
            if isinstance(action, argparse._AppendAction):
                assert not action.option_strings[0].endswith("s"), action.option_strings
            assert action.metavar is None or "," not in str(action.metavar), action.option_strings


def test_help_fits_a_terminal_and_begins_with_an_example(monkeypatch, capsys):
    for name in COMMANDS:
        monkeypatch.setenv("COLUMNS", "80")
        with pytest.raises(SystemExit) as caught:
            main([name, "--help"])
        assert caught.value.code == 0
        usage, example, *lines = capsys.readouterr().out.splitlines()
        assert usage.startswith(f"usage: bayescmp {name} ")
        assert example.startswith(f"e.g.:  bayescmp {name} ")
        assert [line for line in (usage, example, *lines) if len(line) > 80] == []


def test_help_has_every_command_in_a_group(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main(["--help"])
    lines = capsys.readouterr().out.splitlines()
    for group, commands in GROUPS.items():
        at = lines.index(f"{group}:")
        listed = [line.split()[0] for line in lines[at + 1 : at + 1 + len(commands)]]
        assert listed == list(commands)
    assert [line for line in lines if len(line) > 80] == []


def test_names_in_help_are_those_that_are_accepted():
    from bayescmp.bayesian.paired.weights import NAMED
    from bayescmp.catalogue import GROUP, SEVERAL, bayesian_tests
    from bayescmp.frequentist.multiplicity import METHODS
    from bayescmp.frequentist.permuting import RULES

    text = {
        name: " ".join(load_command(name)[0].format_help().replace("-\n", "-").split())
        for name in ("predictions", "rank", "permute")
    }
    text = {name: help.replace("- ", "-") for name, help in text.items()}
    assert [name for name in NAMED if name not in text["predictions"]] == []
    assert [name for name in METHODS if name not in text["rank"]] == []
    ranked = (t for t in bayesian_tests() if (t.algorithms, t.datasets) == (GROUP, SEVERAL))
    assert [test.name for test in ranked if test.name not in text["rank"]] == []
    assert [name for name in RULES if name not in text["permute"]] == []


#: Tables by which the command is typed that a merged one names.
TABLES = {"auc": "predictions.csv", "metric": "predictions.csv"}


@pytest.mark.parametrize("name", SUCCESSORS)
def test_a_merged_command_names_one_that_works(name, table, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    two = table[table["algorithm"].isin(["knn", "gbm"])] if name == "fragility" else table
    two = two[two["dataset"] == "iris"] if name == "groups" else two
    columns = [] if name == "multivariate" else ["log_loss"]
    two.drop(columns=columns).to_csv("scores.csv", index=False)
    y = np.arange(40) % 2
    noise = np.random.default_rng(1).normal(size=40)
    score = {"truth": y, "a": (y + noise > 0.5) * 1, "b": (y - noise > 0.5) * 1}
    pd.DataFrame(score).to_csv("predictions.csv", index=False)
    with pytest.raises(SystemExit) as caught:
        main([name, "scores.csv", "--rope", "0.01"])
    assert caught.value.code == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert err.startswith(f"bayescmp: error: {name!r} must be one of {', '.join(COMMANDS)}: use `")
    advice = re.search(r"use `bayescmp (.*?)`", err)[1]
    words = advice.replace("TABLE", TABLES.get(name, "scores.csv")).split()
    more = each("metric", "accuracy", "log_loss") if name == "multivariate" else []
    assert main([*words, *more]) == 0
    assert capsys.readouterr().out


@each_row(
    ("given", "message"),
    [
        (["compare", "--rope", "1", "--seed", "1", "--seed", "1"], "--seed must be given once"),
        (["report", "--roep=1"], "unrecognized arguments: --roep; did you mean --rope?"),
        (["procedure", "--metrics", "a,b"], "unrecognized arguments: --metrics"),
        (["rank", "-t", "page"], "-t; did you mean --test?"),
    ],
)
def test_options_given_twice_or_cut(given, message, path, capsys):
    command, *more = given
    with pytest.raises(SystemExit) as caught:
        main([command, path, *more])
    assert caught.value.code == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


@each_row(
    ("given", "message"),
    [
        ("comapre", "unknown command 'comapre'; did you mean compare?"),
        ("zzz", "unknown command 'zzz' (see bayescmp --help)"),
        ("--versoin", "unrecognized arguments: --versoin; did you mean --version?"),
    ],
)
def test_an_unknown_command_names_the_nearest(given, message, capsys):
    with pytest.raises(SystemExit) as caught:
        main([given, "scores.csv", "--rope", "0.01"])
    assert caught.value.code == 2
    err = capsys.readouterr().err
    assert err.startswith(f"bayescmp: error: {message}")
    assert err.count("\n") == 1


def test_python_dash_m_is_the_command(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["bayescmp", "--version"])
    with pytest.raises(SystemExit) as end:
        runpy.run_module("bayescmp", run_name="__main__")
    assert end.value.code == 0
    assert capsys.readouterr().out == f"bayescmp {bc.__version__}\n"


def test_an_option_of_one_command_is_not_kept_for_the_next(path, capsys):
    for _ in range(2):
        assert run(capsys, *compare(path, "--test", "sign"))[0] == 0


def test_procedure_takes_several_metrics(table, tmp_path, capsys):
    table["auc"] = table["accuracy"] + table["log_loss"] / 100
    table.to_csv(tmp_path / "scores.csv", index=False)
    given = ["procedure", tmp_path / "scores.csv", "--metric", "accuracy", "--metric", "auc"]
    code, out, _ = run(capsys, *given, "--json")
    assert code == 0
    assert '"auc"' in out
    assert '"accuracy"' in out


def test_no_draws_are_refused(path, capsys):
    given = ["verify", path, "knn", "gbm", "--metric", "accuracy"]
    code, _, err = run(capsys, *given, "--rope", "0.05", "--draws", "0")
    assert code == 2
    assert err == "bayescmp: error: --draws must be a whole number of at least 4 (got 0).\n"
