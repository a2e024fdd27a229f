"""Every option of every command, given what it cannot be: one line, exit status 2."""

from __future__ import annotations

import re
from argparse import Action
from itertools import chain

import numpy as np
import pandas as pd
import pytest

from bayescmp.commands.cli import COMMANDS, load_command, main
from bayescmp.commands.parser import INPUTS
from tests.conftest import small_table
from tests.marks import first_and_slow
from tests.reference.answers import HERE

LONG = "a" * 5000
PAIR = "knn gbm --metric accuracy --rope 0.05"
#: A good call of every command; a second where options go with other options.
GOOD = [
    f"compare scores.csv {PAIR}",
    "compare scores.csv --metric accuracy --rope 0.05",
    "compare scores.csv --metric accuracy --dataset iris --rope 0.05 --test groups",
    "compare scores.csv --metric accuracy --metric log_loss --dataset iris --test manova "
    "--plot p.svg",
    "compare items.csv --rope 0.05",
    "crosscheck scores.csv knn gbm --metric accuracy --rope 0.05",
    "gate scores.csv --metric accuracy --baseline knn --candidate gbm --margin 0.05",
    "keep state.json --incumbent old.csv --candidate new.csv --metric reward",
    "rank scores.csv --metric accuracy --rope 0.05",
    "rank scores.csv --metric accuracy",
    "procedure scores.csv --metric accuracy",
    "undominated scores.csv --metric accuracy --metric log_loss --rope 0.05",
    "estimate scores.csv --metric accuracy",
    "report scores.csv --metric accuracy --rope 0.05 --out r.html",
    "predictions predictions.csv",
    "predictions predictions.csv --metric roc_auc --rope 0.05",
    "permute data.csv --target y --estimator tree --n 2 --cv 2 --repeats 1",
    "experiment config.toml",
    f"plan scores.csv {PAIR} --simulations 2 --datasets 5",
    "plan --difference 0.02 --between 0.2 --rope 0.01 --questions 100 --epochs 1",
    "plan --rope 0.05 --rho 0.1 --delta0 0 --sigma0 0.1 --datasets 5 --simulations 2",
    "calibrate --rope 0.05 --rho 0.1 --simulations 2",
    f"sensitivity scores.csv {PAIR}",
    f"verify scores.csv {PAIR} --draws 200",
    "check answer.json",
    "info",
    "install-cmdstan",
]
CONFIG = """
cv = {folds = 2, repeats = 1}
[estimators.nb]
class = "sklearn.naive_bayes.GaussianNB"
[datasets.iris]
loader = "load_iris"
"""
#: What is wrong by an option's name; of the others it follows from what they take.
WRONG = {
    "--rope": ("x", "", "nan", "-0.1", "0.1,0.2,0.3", "0.2,0.1", "%", "x=y"),
    "--margin": ("x", "", "nan", "inf", "-0.1", "0.1,0.2", "%", "x=y"),
    "--markdown": ("", "a\0b", LONG, "no/such/a.md", "."),
    "--column": ("x", "=", "x=y", "fold=", "fold=algorithm", "fold=a\0b"),
    "--read-option": ("x", "=", "x=y", "missing=error", "constraint=1h8c", "columns=x"),
    "--cost": ("x", "=1", "accuracy=x", "nope=1", "accuracy=nan"),
    "--resampling": ("nope", "", "0-fold", "rho 2"),
    "--cv": ("x", "1", "", "0"),
    "--n-jobs": (
        "x",
        "",
        "1.5",
    ),  # joblib counts cores from their end: -7 is a number of processes
    "--delta0": ("x", "", "nan"),
    "--difference": ("x", "", "nan"),
    "--nu": ("x", "", "nan", "-7"),
    "--figures": ("", "a\0b", LONG, "scores.csv"),
    "--allow": (),  # any package may be trusted
    "--title": (),
    "--name": ("", "a\0b"),  # a change may have any name
    "--version": (),
    "--test": ("no such thing", "", "a\0b", LONG),
}


def wrong_values(option: Action) -> tuple[str, ...]:
    name = option.option_strings[0] if option.option_strings else ""
    if option.nargs == 0:
        return ("yes",)
    if name in WRONG:
        return WRONG[name]
    if option.type is not None:
        return ("x", "", "nan", "-7", "1e400")
    if option.metavar == "FILE" or option.dest in (*INPUTS, "state", "answer"):
        return ("", "a\0b", LONG, "no/such/a.csv", ".")
    return ("no such thing", "", "a\0b", LONG)


def calls(good: str, option: Action) -> list[list[str]]:
    """A good call with each wrong value in the place of a right one."""
    command, *words = good.split()
    if not option.option_strings:
        place = 1 if option.dest == "algorithms" else 0
        return [
            [command, *words[:place], value, *words[place + 1 :]] for value in wrong_values(option)
        ]
    (name,) = option.option_strings
    while name in words:
        at = words.index(name)
        del words[at : at + 2]
    values = ["--", *wrong_values(option)]
    return [[command, *words, f"{name}={value}"] for value in values]


def options_of(good: str) -> list[Action]:
    without_scores = ("delta0", "sigma0", "nu", "noise", "rho", "folds", "rope")
    options = load_command(good.split()[0])[0].options
    if good.startswith("plan --"):
        return [option for option in options if option.dest in without_scores]
    return list(options)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("wrong")
    small_table().to_csv(path / "scores.csv", index=False)
    rng = np.random.default_rng(1)
    right = pd.DataFrame(rng.integers(0, 2, (30, 2)), columns=["a", "b"]).rename_axis("item")
    items = right.reset_index().melt("item", var_name="model", value_name="score")
    items.to_csv(path / "items.csv", index=False)
    y = np.arange(40) % 2
    predictions = pd.DataFrame({"truth": y, "a": y + rng.normal(size=40), "b": rng.random(40)})
    predictions.to_csv(path / "predictions.csv", index=False)
    pd.DataFrame({"y": y, "u": rng.normal(size=40)}).to_csv(path / "data.csv", index=False)
    (path / "config.toml").write_text(CONFIG)
    (path / "answer.json").write_text((HERE / "counts.json").read_text())
    for name, scores in (("old", right["a"]), ("new", 1 - 0 * right["a"])):
        pd.DataFrame({"question": scores.index, "reward": scores}).to_csv(
            path / f"{name}.csv", index=False
        )
    return path


def test_every_command_has_a_good_call():
    assert {good.split()[0] for good in GOOD} == set(COMMANDS)


@pytest.mark.usefixtures("without_pictures")
@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "install-cmdstan"])
def test_the_example_of_each_help_runs(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.toml").write_text(CONFIG)
    columns = ["auc", "latency"] if name == "undominated" else ["accuracy"]
    table = small_table().rename(columns={"log_loss": "latency"})
    table["auc"] = table["accuracy"]
    table[["dataset", "algorithm", "repeat", "fold", *columns]].to_csv("scores.csv", index=False)
    y = np.arange(40) % 2
    noise = np.random.default_rng(1).normal(size=40)
    pd.DataFrame({"truth": y, "knn": (y + noise > 0.5) * 1, "svm": (y - noise > 0.5) * 1}).to_csv(
        "predictions.csv", index=False
    )
    pd.DataFrame({"label": y, "u": noise}).to_csv("data.csv", index=False)
    if name == "check":
        words = "compare scores.csv knn svm --metric accuracy --rope 0.01 --json"
        assert main(words.split()) == 0
        (tmp_path / "answer.json").write_text(capsys.readouterr().out)
    for change, gain in (("a", 0), ("b", 5)):
        pd.DataFrame({"seed": range(40), "reward": noise + gain * y}).to_csv(
            f"{change}.csv", index=False
        )
    words = load_command(name)[0].example.split()[1:]
    words = ["8" if word in ("200", "50") else word for word in words]  # repetitions take long
    assert main(words) in (0, 3), capsys.readouterr().err  # a gate may be undecided


#: Commands that answer no question: they list, install, run, or write files.
NO_ANSWER = ("report", "experiment", "check", "info", "install-cmdstan")


#: One call of each command: the last of GOOD.
ANSWERED = [g for c, g in {g.split()[0]: g for g in GOOD}.items() if c not in NO_ANSWER]


@pytest.mark.parametrize("good", ANSWERED)
def test_every_answer_is_there_in_full(good, folder, tmp_path, monkeypatch, capsys):
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    printed = []
    for words in (good.split(), [*good.split(), "--full"]):
        assert main(words) in (0, 3)  # a gate may be undecided, engines disagree
        text = capsys.readouterr().out
        printed.append(re.sub(r"^more: .*\n(  .*\n)*", "", text, flags=re.MULTILINE))
    short, full = printed
    assert len(full) >= len(short)
    assert full.splitlines()[0] == short.splitlines()[0]
    assert [line for line in full.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize("step", first_and_slow(3, 1))
@pytest.mark.parametrize("good", GOOD)
def test_a_wrong_value_is_one_line(good, step, folder, monkeypatch, capsys):
    """Every third value of each option, others for the next command; the slow tests take all."""
    monkeypatch.chdir(folder)
    before = sorted(folder.iterdir())
    options, offset = options_of(good), GOOD.index(good) % step
    for words in chain.from_iterable(calls(good, option)[offset::step] for option in options):
        try:
            code = main(words)
        except SystemExit as end:
            code = end.code
        out, err = capsys.readouterr()
        assert (code, out, err.count("\n")) == (2, "", 1), f"{words} {err}"
        assert err.startswith("bayescmp")
        assert len(err) < 700
    assert sorted(folder.iterdir()) == before
