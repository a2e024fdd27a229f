"""Tables of answers: read as questions, or refused with the call or the command that works."""

from __future__ import annotations

import re
import shlex

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

import bayescmp as bc
from bayescmp.commands.cli import main
from bayescmp.scores.questions import holds_questions
from tests.items.test_wide import SPELLED, WIDE
from tests.rows import each_row

LONG = WIDE.assign(number=range(300)).melt("number", var_name="model", value_name="correct")
#: 54 data sets and their winners.
WINS = pd.DataFrame(
    np.eye(3)[np.random.default_rng(1).integers(0, 3, 54)],
    columns=["knn", "svm", "rf"],
    index=[f"d{i}" for i in range(54)],
)
FOLDS = pd.DataFrame({"fold": range(1, 11), "knn": [0, 1] * 5, "svm": [1, 1] * 5})

#: Rows of 0 and 1 that are questions, whatever else the table says.
QUESTIONS = {
    **dict([*SPELLED.items()][::4]),
    **{f"long, {name}": LONG.rename(columns={"number": name}) for name in
       ("question_id", "id", "task", "example")},
    "percent": WIDE * 100,
    "a row number beside": WIDE.assign(question=SPELLED["question"]["question"], id=range(300)),
    "benchmark of one row per task": SPELLED["benchmark of one row per task"],
    "two benchmarks": WIDE.assign(benchmark=["x"] * 100 + ["y"] * 200),
    "graded, named": (WIDE * 0.5 + 0.1).assign(question=range(300)),
    "epochs": pd.concat([WIDE.assign(question=range(300), epoch=k) for k in (1, 2)]),
}  # fmt: skip

#: Tables of scores, which are none of questions.
SCORES = {
    "folds": FOLDS,
    "names of folds": FOLDS.assign(Resample=[f"Fold{i:02}" for i in range(10)]).drop(
        columns="fold"
    ),
    "repeats": FOLDS.rename(columns={"fold": "repeat"}),
    "runs": WIDE.assign(seed=range(300)),
    "fractions": WIDE * 0.5 + 0.1,
    "tasks of fractions": (WIDE * 0.5 + 0.1).assign(task_id=range(300)),
    "long folds": LONG.rename(columns={"number": "fold"}),
    "long runs": LONG.rename(columns={"number": "seed"}),
    "long fractions": LONG.assign(correct=0.3 + LONG["correct"] / 5, dataset=LONG["number"]),
    "levels": pd.concat({"accuracy": WIDE}, axis=1),
}

#: Tables that may be read in two ways.
UNCLEAR = {
    "few rows": WIDE[:12],
    "few names": WIDE[:12].set_axis([f"d{i}" for i in range(12)]),
    "few tasks": LONG[LONG["number"] < 12].rename(columns={"number": "task"}),
    "data sets": WIDE[:54].assign(dataset=[f"d{i}" for i in range(54)]),
    "winners": WINS,
    "winners in a file": WINS.rename_axis("db").reset_index(),
}


@each_row("table", QUESTIONS.values(), ids=QUESTIONS)
def test_tables_of_answers_are_questions(table):
    assert holds_questions(table)
    with pytest.raises(
        bc.InputError, match="got questions, since each score is one answer"
    ) as refused:
        bc.Scores(table)
    call = re.search(r"Read it with (.*?), which", str(refused.value)).group(1)
    items = eval(call, {"bc": bc, "frame": table})
    rope = 0.02 * max(items.answers.score.max(), 1)  # scores of 0 and 100 are in percent
    verdict = bc.compare(table, "m1", "m5", rope=rope, seed=1).verdict()
    assert verdict == bc.compare(items, "m1", "m5", rope=rope, seed=1).verdict()
    assert isinstance(items, bc.Items)
    assert items.answers.count == 300


def test_tables_of_scores_are_not():
    for table in SCORES.values():
        assert not holds_questions(table)


@each_row("table", UNCLEAR.values(), ids=UNCLEAR)
def test_two_readings_are_refused_with_both_calls(table):
    with pytest.raises(bc.InputError, match="questions or data sets") as refused:
        bc.compare(table, rope=0.02)
    calls = re.search("Use (.*) for questions, or (.*) for data sets", str(refused.value))
    items, scores = (eval(call, {"bc": bc, "frame": table}) for call in calls.groups())
    assert isinstance(items, bc.Items)
    assert len(scores.datasets) == items.answers.count == (54 if len(table) == 54 else 12)


def test_declared_columns_of_algorithms_are_questions_too():
    columns = {"algorithm": ["m1", "m5"]}
    table = WIDE.assign(difficulty=range(300))
    with pytest.raises(bc.InputError, match="got questions, since each score is one answer"):
        bc.Scores(table, columns=columns)


def test_declared_folds_of_one_item_are_scores():
    table = WIDE.assign(fold=range(300))
    scores = bc.Scores(table, metric="accuracy", resampling="leave-one-out")
    assert scores.differences("m1", "m5").rho.tolist() == [0.0]


def test_every_study_reads_questions(tmp_path):
    """The leader of 300 questions leads everywhere; the expected p-value is SciPy's."""
    table = WIDE[["m1", "m5"]].assign(prompt=[f"q{i}" for i in range(300)])
    wins, losses = (WIDE["m5"] > WIDE["m1"]).sum(), (WIDE["m5"] < WIDE["m1"]).sum()
    check = bc.crosscheck(table, rope=0.02, seed=1)
    mcnemar = check.frame.set_index("frequentist").loc["mcnemar", "pvalue"]
    assert mcnemar == pytest.approx(binomtest(wins, wins + losses).pvalue, rel=1e-6)
    assert bc.compare_all(table, rope=0.02).frame["decision"].tolist() == ["second"]
    assert bc.gate(table, "m1", "m5", margin=0.02).outcome == "pass"
    page = bc.report(table, tmp_path / "page.html", rope=0.02, seed=1)
    assert "300 questions" in page.read_text("utf-8")
    for test in (bc.bayesian.joint_t, bc.bayesian.bootstrap, bc.bayesian.friedman):
        with pytest.raises(bc.InputError, match=r"Read it with bc\.Items\(frame\)"):
            test(table, rope=0.02)


# On the command line.


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    WIDE.to_csv("plain.csv", index=False)
    SPELLED["task_id"].to_csv("tasks.csv", index=False)
    UNCLEAR["winners in a file"].to_csv("wins.csv", index=False)


PAIR = "m1 m5 --rope 0.02"


@each_row(
    ("name", "command"),
    [
        ("tasks", "compare {} --rope 0.02"),
        ("plain", "crosscheck {} --rope 0.02"),
        ("tasks", "gate {} --baseline m1 --candidate m5 --margin 0.02"),
        ("plain", f"sensitivity {{}} {PAIR} --most 2"),
        ("tasks", f"plan {{}} {PAIR}"),
        ("tasks", f"compare {{}} {PAIR} --column item=task_id"),
        ("plain", "report {} --rope 0.02"),
    ],
)
def test_commands_read_questions(files, capsys, name, command):
    assert main(shlex.split(command.format(f"{name}.csv"))) == 0
    assert "data set" not in capsys.readouterr().out


def typed(message: str) -> str:
    return re.search(r"bayescmp (compare .*?)(?:`?\.$|\. If)", message.strip()).group(1).strip()


@each_row(
    "command",
    ["rank {} --rope 0.02", "rank {}", "compare {} --test manova", f"verify {{}} {PAIR}"],
)
def test_other_commands_refuse_them_with_the_command_that_works(files, capsys, command):
    assert main(shlex.split(command.format("plain.csv"))) == 2
    advice = typed(capsys.readouterr().err)
    assert main(shlex.split(advice)) == 0
    assert "m5 is practically better than all 4 others" in capsys.readouterr().out


def test_two_readings_are_refused_with_both_commands(files, capsys):
    assert main(["compare", "wins.csv", "--rope", "0.02"]) == 2
    message = capsys.readouterr().err
    items = shlex.split(re.search("use (--column.*?)\\. If", message)[1])
    assert main(["compare", "wins.csv", "--rope", "0.02", *items]) == 0
    assert "questions" in capsys.readouterr().out
    option = shlex.split(re.search("(--column dataset=.*)\\.", message)[1])
    declared = ["--higher-is-better", "score"]
    assert main(["compare", "wins.csv", "--rope", "0.02", *option, *declared]) == 0
    assert "54 data sets" in capsys.readouterr().out


def test_rows_without_names_are_declared_by_the_models_columns(files, capsys):
    WIDE[:12].to_csv("few.csv", index=False)
    for command in (f"compare few.csv {PAIR}", f"rank few.csv {PAIR}"):
        assert main(shlex.split(command)) == 2
        message = capsys.readouterr().err
        options = shlex.split(re.search("(--column model=.*?)\\. If", message)[1])
        assert main(["compare", "few.csv", "m1", "m5", "--rope", "0.02", *options]) == 0
        assert "12 questions" in capsys.readouterr().out
