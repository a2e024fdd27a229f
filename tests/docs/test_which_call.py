"""Which call: every call and every command of the page runs on what it is for."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.commands.cli import main

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "which-call.md").read_text(encoding="utf-8")
ROWS = [
    line.split(" | ")[1:] for line in PAGE.splitlines() if line.startswith("| ") and "`" in line
]
CALLS = [call for row in ROWS for call in re.findall(r"`(.+?)`", row[0])]
COMMANDS = [command for row in ROWS for command in re.findall(r"`bayescmp (.+?)`", row[1])]
#: The decisions of a gate and of a referee are exit statuses.
DECISIONS = {"gate": (0, 1, 3), "keep": (0, 1, 3)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with the files that the commands name."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "logs").symlink_to(ROOT / "examples" / "data" / "logs")
    rng = np.random.default_rng(2)
    scores = pd.read_csv(ROOT / "examples" / "data" / "scores.csv")
    scores = scores.query("repeat == 1 and algorithm in ['gbm', 'svm', 'nb']")
    scores = scores.assign(tpr=scores["recall"], fpr=scores["fp"] / (scores["fp"] + scores["tn"]))
    scores = scores.assign(latency=np.where(scores["algorithm"] == "nb", 1.0, 9.0))
    scores.drop(columns=["tp", "fn", "fp", "tn"]).to_csv(folder / "scores.csv", index=False)
    means = scores.groupby(["dataset", "algorithm"])["accuracy"].mean().unstack().reset_index()
    means.to_csv(folder / "means.csv", index=False)
    papers = {"dataset": ["a", "b", "c"], "ours": [0.8, 0.7, 0.9], "theirs": [0.7, 0.7, 0.8]}
    errors = {"ours_se": [0.01, 0.02, 0.01], "theirs_se": [0.01, 0.02, 0.01]}
    pd.DataFrame(papers | errors).to_csv(folder / "papers.csv", index=False)
    answers = pd.DataFrame(
        [(q, model, int(rng.random() < 0.7)) for q in range(60) for model in ("base", "tuned")],
        columns=["item", "model", "correct"],
    )
    answers.to_csv(folder / "answers.csv", index=False)
    judged = answers.assign(judge=np.clip(answers["correct"] + rng.normal(0, 0.2, 120), 0, 1))
    judged["human"] = judged["correct"].where(judged["item"] < 30)
    judged.drop(columns="correct").to_csv(folder / "judged.csv", index=False)
    runs = [(g, a, s, rng.normal(5, 1)) for g in "wxyz" for a in ("ppo", "sac") for s in (1, 2, 3)]
    runs = pd.DataFrame(runs, columns=["dataset", "algorithm", "run", "reward"])
    runs.to_csv(folder / "runs.csv", index=False)
    for name, seeds in (("old", [0.5, 0.6, 0.4]), ("new", [0.6, 0.7, 0.3])):
        table = pd.DataFrame({"seed": [1, 2, 3], "score": seeds})
        table.to_csv(folder / f"{name}.csv", index=False)
    y = rng.integers(0, 2, 80)
    knn, svm = (np.where(rng.random(80) < 0.8, y, 1 - y) for _ in range(2))
    frame = pd.DataFrame({"truth": y, "knn": knn, "svm": svm})
    frame.to_csv(folder / "predictions.csv", index=False)
    return folder


@pytest.mark.slow
def test_every_call_runs(folder, monkeypatch):
    monkeypatch.chdir(folder)
    scores, items = bc.Scores.read("scores.csv"), bc.Items.read("answers.csv")
    x = np.random.default_rng(3).normal(0.01, 0.02, (16, 3))
    truth, *predicted = pd.read_csv("predictions.csv").to_numpy().T
    known = {
        "bc": bc,
        "scores": scores,
        "items": items,
        "judged": bc.Items.read("judged.csv"),
        "post": bc.bayesian.hierarchical_t(x, rho=1 / 3, seed=1),
        "features": pd.DataFrame({"rows": np.linspace(1, 2, 16)}, index=[*map(str, range(1, 17))]),
        "means": pd.read_csv("means.csv"),
        "papers": pd.read_csv("papers.csv"),
        "runs": pd.read_csv("runs.csv"),
        "truth": truth,
        "predicted": predicted,
        "old": [0.5, 0.6, 0.4],
        "new": [0.6, 0.7, 0.3],
        "losses_a": np.linspace(0.1, 1, 40) % 0.3,
        "losses_b": np.linspace(0.2, 2, 40) % 0.4,
    }
    for call in CALLS:
        assert eval(call.replace("simulations=50", "simulations=1"), known) is not None, call
    plt.close("all")


@pytest.mark.slow
def test_every_command_runs(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    for command in COMMANDS:
        status = main(shlex.split(command.replace("simulations 50", "simulations 1")))
        assert status in DECISIONS.get(command.split()[0], (0,)), command
        assert capsys.readouterr().out or command.startswith("report"), command
