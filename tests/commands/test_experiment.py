"""`bayescmp experiment`: runs, goes on, writes, refuses."""

from __future__ import annotations

import os
import signal

import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.cli import main

CONFIG = """
seed = 3
scoring = ["accuracy", "auc"]
cv = {folds = 3, repeats = 2}

[estimators.tree]
class = "sklearn.tree.DecisionTreeClassifier"
max_depth = 2

[estimators.nb]
class = "sklearn.naive_bayes.GaussianNB"

[datasets.cancer]
loader = "load_breast_cancer"
"""


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "config.toml"
    path.write_text(CONFIG)
    return path


def run(capsys, *words):
    code = main(["experiment", *map(str, words)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_call_of_the_issue(config, tmp_path, capsys):
    checkpoint, out = tmp_path / "run.parquet", tmp_path / "scores.csv"
    code, message, _ = run(capsys, config, "--checkpoint", checkpoint, "--out", out)
    assert code == 0
    assert "<Scores: 1 data set, 2 algorithms, 12 rows>" in message
    assert "seed: 3" in message
    assert f"written      {out}" in message
    read = bc.Scores.read(out)
    assert read.differences("tree", "nb", "auc").rho == pytest.approx(1 / 3)
    kept = bc.Scores.read(checkpoint)
    assert kept.means("auc").equals(read.means("auc"))
    # Going on: nothing is run again, so that even the times are the same.
    again = tmp_path / "again.parquet"
    assert run(capsys, config, "--checkpoint", checkpoint, "--out", again)[0] == 0
    assert pd.read_parquet(again)["fit_time"].tolist() == pytest.approx(
        pd.read_csv(out)["fit_time"].tolist()
    )


def test_other_commands_read_the_checkpoint(config, tmp_path, capsys):
    checkpoint = tmp_path / "run.parquet"
    run(capsys, config, "--checkpoint", checkpoint)
    pair = ["--first", "tree", "--second", "nb", "--metric", "auc", "--rope", "0.01"]
    assert main(["compare", str(checkpoint), *pair]) == 0
    assert "decision" in capsys.readouterr().out


@pytest.mark.slow
def test_jobs_and_seed(config, tmp_path, capsys):
    tables = []
    for words in (["--seed", "3"], ["--jobs", "2"], ["--seed", "4"]):
        out = tmp_path / "scores.csv"
        assert run(capsys, config, "--out", out, *words)[0] == 0
        tables.append(pd.read_csv(out).drop(columns=["fit_time", "score_time"]))
    assert tables[0].equals(tables[1])
    assert not tables[0].equals(tables[2])


def test_failed_folds_are_told(config, capsys):
    text = CONFIG.replace("max_depth = 2", "max_depth = -2")
    config.write_text(text)
    code, message, err = run(capsys, config)
    assert code == 0
    assert "6 of 12 folds failed, e.g. tree on cancer, repeat 1, fold 1:" in err
    assert "missing: 6 folds" in message


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["none.toml"], "there is no such file"),
        (["CONFIG", "--out", "no/such/scores.csv"], "--out 'no/such/scores.csv': there is no dir"),
        (["CONFIG", "--checkpoint", "."], "--checkpoint '.' is a directory"),
        (["CONFIG", "--jobs", "0"], "n_jobs=0; accepted"),
        (["CONFIG", "--checkpoint", "CONFIG"], "would overwrite the input"),
        (["CONFIG", "--checkpoint", "OTHER"], "file is not a database"),
    ],
)
def test_refused(config, capsys, words, message):
    other = config.with_name("other.db")
    other.write_text("x" * 1000)
    places = {"CONFIG": str(config), "OTHER": str(other)}
    words = [places.get(w, w) for w in words]
    code, _, err = run(capsys, *words)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1


def test_packages_have_to_be_allowed(config, capsys):
    config.write_text(
        CONFIG.replace("sklearn.naive_bayes.GaussianNB", "tests.experiment.fakes.Centroid")
    )
    code, _, err = run(capsys, config)
    assert code == 2
    assert "not from an allowed package; allowed: sklearn (others by --allow" in err
    assert run(capsys, config, "--allow", "tests")[0] == 0


@pytest.fixture
def heeded():
    """A shell that runs tests in the background has them ignore Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeded")
def test_interrupted_run_ends_with_130(config, tmp_path, capsys):
    config.write_text(
        CONFIG.replace(
            'class = "sklearn.naive_bayes.GaussianNB"',
            f'class = "tests.experiment.fakes.InterruptsOn"\nrow = -1\npid = {os.getpid()}',
        )
    )
    checkpoint = tmp_path / "run"
    code, message, err = run(capsys, config, "--allow", "tests", "--checkpoint", checkpoint)
    assert code == 130
    assert "interrupted: 6 of 12 folds are done" in err
    assert "missing: 6 folds" in message
    assert len(bc.Scores.read(checkpoint).frame) == 6
