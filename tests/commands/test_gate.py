"""`bayescmp gate`: its exit status, and what it writes."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.commands.cli import main
from bayescmp.errors import EngineError
from tests.rows import each_row

ROOT = Path(__file__).parents[2]
SCORES = str(ROOT / "examples" / "data" / "scores.csv")
WHO = {
    "pass": ("knn", "svm", "0.01"),
    "fail": ("svm", "nb", "0.001"),
    "undecided": ("knn", "gbm", "0.01"),
}


def run(outcome, *more):
    baseline, candidate, margin = WHO[outcome]
    words = ["--baseline", baseline, "--candidate", candidate, "--margin", margin]
    on = ["--on", "mean"] if outcome == "fail" else []
    return main(["gate", SCORES, "--metric", "accuracy", *words, *on, *more])


@each_row(("outcome", "status"), [("pass", 0), ("fail", 1), ("undecided", 3)])
def test_the_status_is_the_outcome(outcome, status, capsys):
    assert run(outcome) == status
    assert capsys.readouterr().out.startswith(f"{outcome}: ")


@each_row(("counts", "status"), [("pass", 0), ("fail", 1)])
def test_undecided_counts_as_asked(counts, status, capsys):
    assert run("undecided", "--undecided", counts) == status
    assert run("pass", "--undecided", counts) == 0
    assert run("fail", "--undecided", counts) == 1
    assert capsys.readouterr().out.startswith("undecided")


def test_what_cannot_be_read_or_asked_is_2(fake, capsys):
    assert main(["gate", "none.csv", "--baseline", "a", "--candidate", "b", "--margin", "0"]) == 2
    assert run("pass", "--dataset", "nowhere") == 2
    with pytest.raises(SystemExit) as left:
        main(["gate", SCORES, "--baseline", "knn"])
    assert left.value.code == 2

    def broken(_):
        raise EngineError("the engine broke")

    fake.fit = broken
    assert run("pass", "--engine", "fake") == 2  # 1 would say that the candidate fails
    assert "the engine broke" in capsys.readouterr().err


def test_files(tmp_path, capsys):
    junit, summary = tmp_path / "gate.xml", tmp_path / "summary.md"
    summary.write_text("before\n", encoding="utf-8")
    assert run("fail", "--junit", str(junit), "--markdown", str(summary), "--json") == 1
    assert ElementTree.parse(junit).getroot().get("failures") == "1"
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("before\n")
    assert "**fail: nb is practically worse than svm**" in text
    assert json.loads(capsys.readouterr().out)["candidates"] == {"nb": "fail"}
    assert run("pass", "--markdown", str(tmp_path / "no" / "where.md")) == 2


def test_items_and_margins_by_name(tmp_path, capsys):
    rows = [(m, i, int(i % 3 > 0 or m == "new")) for m in ("old", "new") for i in range(90)]
    table = pd.DataFrame(rows, columns=["model", "item", "correct"]).assign(benchmark="b")
    table.to_csv(tmp_path / "answers.csv", index=False)
    words = ["--baseline", "old", "--candidate", "new", "--margin", "accuracy=0.01"]
    assert main(["gate", str(tmp_path / "answers.csv"), *words]) == 0
    assert "not worse than old by more than 0.01" in " ".join(capsys.readouterr().out.split())


#: Logs of two runs of one model, with several scorers.
RUNS = Path(__file__).parents[1] / "scores" / "readers" / "logs"


def test_items_are_judged_by_the_metric_that_is_named(tmp_path, capsys):
    """By its own scores, not by those of another column under its name."""
    rows = [(m, i, int(m == "new"), float(m == "old")) for m in ("old", "new") for i in range(40)]
    table = pd.DataFrame(rows, columns=["model", "item", "correct", "f1"])
    table.to_csv(tmp_path / "answers.csv", index=False, sep=";", decimal=",")
    words = ["gate", str(tmp_path / "answers.csv"), "--baseline", "old", "--column", "item=item"]
    words += ["--candidate", "new", "--margin", "0.05", "--sep", ";", "--decimal", ","]
    assert [main([*words, "--metric", metric]) for metric in ("correct", "f1")] == [0, 1]
    assert "new is practically worse than old" in capsys.readouterr().out
    for more, message in (
        (["--metric", "f1", "--metric", "correct"], "got 2 metrics"),
        (["--scale", "log_ratio"], "--scale must be 'difference' for items"),
        (["--resampling", "10-fold"], "--resampling must be used with scores of folds"),
        (["--read-option", "splt=test"], "Did you mean 'split'?"),
        (
            ["--higher-is-better", "f1"],
            "--higher-is-better must be the score, 'correct' (got 'f1')",
        ),
    ):
        assert main([*words, *more]) == 2
        assert message in capsys.readouterr().err


def test_runs_of_one_model_by_name(capsys):
    """What the messages say is typed, until the gate has what it needs but for questions."""
    files = [f"{name}={RUNS}/inspect/{name}.eval" for name in ("small", "deflated")]
    words = ["--baseline", "small", "--candidate", "deflated", "--margin", "0.1"]
    named = [files[0], "--also", files[1]]
    plain = [f.partition("=")[2] for f in files]
    assert main(["gate", plain[0], "--also", plain[1], "--metric", "match", *words]) == 2
    assert "name the runs: first=... --also second=..." in capsys.readouterr().err
    assert main(["gate", *named, *words]) == 2
    assert "'match', 'length'). Name one with --metric ..." in capsys.readouterr().err
    for metric in ("match", "sums=match"):
        assert main(["gate", *named, "--metric", metric, *words]) == 2
        assert "must have at least 6 questions (got 3)" in capsys.readouterr().err


def test_a_metric_and_a_filter_of_each_task(tmp_path, capsys):
    names = ["EleutherAI__pythia-70m", "EleutherAI__pythia-160m"]
    words = ["gate", str(RUNS / "lm_eval"), "--baseline", names[0], "--candidate"]
    words += [names[1], "--margin", "10%", "--metric", "tiny_mc=acc"]
    assert main(words) == 2
    assert "Name one with --filter ..." in capsys.readouterr().err
    assert main([*words, "--filter", "strict"]) in (0, 3)


def test_pass_hat(tmp_path, capsys):
    """Of four answers one is wrong: three quarters right, but never all."""
    rows = [
        (m, i, e, int(m == "old" or e < 3)) for m in ("old", "new") for i in range(40)
        for e in range(4)
    ]  # fmt: skip
    table = pd.DataFrame(rows, columns=["model", "item", "epoch", "correct"])
    table.to_csv(tmp_path / "answers.csv", index=False)
    words = ["gate", str(tmp_path / "answers.csv"), "--baseline", "old", "--candidate", "new"]
    words += ["--margin", "50%"]
    for more, status in (([], 0), (["--pass-hat", "4"], 1), (["--pass-at", "2"], 0)):
        assert main([*words, *more]) == main([*words, "--column", "item=item", *more]) == status
    folds = [(a, d, f, 0.5 + f / 9) for a in ("old", "new") for d in "xy" for f in (1, 2)]
    scores = pd.DataFrame(folds, columns=["algorithm", "dataset", "fold", "accuracy"])
    scores.to_csv(tmp_path / "answers.csv", index=False)
    assert main([*words, "--pass-hat", "4"]) == 2
    assert "--pass-hat must be used with answers to questions (got scores)" in (
        capsys.readouterr().err
    )


def test_sequential(tmp_path, capsys):
    rng = np.random.default_rng(1)
    models = {"old": 0.5, "new": 0.9}
    rows = [(m, i, int(rng.random() < p)) for m, p in models.items() for i in range(300)]
    table = pd.DataFrame(rows, columns=["model", "item", "correct"]).assign(benchmark="b")
    table.to_csv(tmp_path / "answers.csv", index=False)
    words = ["--baseline", "old", "--candidate", "new", "--margin", "0.02", "--sequential"]
    assert main(["gate", str(tmp_path / "answers.csv"), *words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["checks"][0]["settled_after"] < 300
    table[table["item"] < 5].to_csv(tmp_path / "few.csv", index=False)
    assert main(["gate", str(tmp_path / "few.csv"), *words]) == 3
    assert "Continue with more" in capsys.readouterr().out
    assert run("pass", "--sequential") == 2
    error = capsys.readouterr().err
    assert "raining sets of folds overlap" in error
    assert "--sequential of these scores" in error


@pytest.mark.slow
def test_the_step_of_the_guide(tmp_path):
    """The lines of the GitHub Action, in a shell, as a runner runs them."""
    page = (ROOT / "docs" / "guide" / "gate.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```yaml\n.*?run: \|\n(.*?)```", page, re.DOTALL)
    script = block.replace("bayescmp gate", f"{sys.executable} -m bayescmp gate")
    script = script.replace("gate.xml", str(tmp_path / "gate.xml"))
    summary = tmp_path / "summary.md"
    env = {**os.environ, "GITHUB_STEP_SUMMARY": str(summary), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-e", "-c", script], cwd=ROOT, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "pass: svm is not practically worse than knn" in summary.read_text(encoding="utf-8")
    assert (tmp_path / "gate.xml").exists()
    failing = script.replace("--candidate svm", "--candidate gbm")
    assert subprocess.run(["bash", "-e", "-c", failing], cwd=ROOT, env=env).returncode == 3


@pytest.mark.filterwarnings("ignore::bayescmp.errors.DirectionWarning")  # of a wide table
def test_the_gate_finds_out_what_it_was_given(tmp_path, capsys):
    """Folds, means or questions, long or wide, without an option, as `bc.gate` of the tables."""
    rng = np.random.default_rng(1)
    folds = pd.DataFrame(
        [(d, a, f, rng.uniform(0.7, 0.9)) for d in "xyz" for a in ("old", "new") for f in "1234"],
        columns=["dataset", "algorithm", "fold", "accuracy"],
    )
    means = folds.groupby(["dataset", "algorithm"])["accuracy"].mean().unstack().reset_index()
    answers = pd.DataFrame(rng.integers(0, 2, (90, 2)), columns=["old", "new"])
    long = answers.assign(question=range(90)).melt("question", var_name="model")
    graded = long.assign(value=0.3 * long["value"] + 0.2)
    found = {
        "3 data sets, with 4 scores on each": [folds],
        "one data set, with 4 scores": [folds[folds["dataset"] == "x"].drop(columns="dataset")],
        "3 data sets, with a single score on each": [means, means.melt("dataset")],
        "90 questions of 1 benchmark, right or wrong": [answers, long, long.astype(str)],
        "90 questions of 1 benchmark, graded": [graded],
    }
    words = ["--baseline", "old", "--candidate", "new", "--margin", "0.02", "--seed", "1"]
    for words_of_data, tables in found.items():
        for table in tables:
            table.to_csv(path := tmp_path / "table.csv", index=False)
            assert main(["gate", str(path), *words]) in (0, 1, 3)
            printed = " ".join(capsys.readouterr().out.split())
            assert re.search(r"chosen test: \w+ \((.*?)\)", printed)[1] == words_of_data
            assert words_of_data in bc.gate(table, "old", "new", margin=0.02, seed=1).notes[0]
