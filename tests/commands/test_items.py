"""`bayescmp items`."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.cli import main

RNG = np.random.default_rng(1)
TABLE = pd.DataFrame([
    {"model": m, "benchmark": b, "item": i, "correct": int(RNG.random() < p)}
    for m, p in (("a", 0.4), ("b", 0.7), ("c", 0.6)) for b in ("x", "y", "z") for i in range(40)
])  # fmt: skip
PAIR = ["--first", "a", "--second", "b", "--rope", "0.02"]


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "items.csv"
    TABLE.to_csv(file, index=False)
    return str(file)


def test_a_pair_on_one_benchmark(path, tmp_path, capsys):
    picture, saved = tmp_path / "p.png", tmp_path / "p.nc"
    more = ["--plot", str(picture), "--save", str(saved)]
    assert main(["items", path, *PAIR, "--benchmark", "x", *more]) == 0
    out = capsys.readouterr().out
    assert "difference in accuracy" in out
    assert f"written      {picture}" in out
    assert bc.load(saved).kind == "paired_proportions"
    assert picture.stat().st_size > 1000


def test_a_pair_on_several_benchmarks(path, capsys):
    assert main(["items", path, *PAIR, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    own = bc.compare(bc.Items(TABLE), "a", "b", rope=0.02, seed=1).verdict()
    assert document["test"] == "hierarchical_t"
    assert document["verdict"]["probabilities"] == dict(own.probabilities)
    assert main(["items", path, *PAIR]) == 0
    assert ", over 3 benchmarks" in capsys.readouterr().out


def test_all_models(path, capsys):
    assert main(["items", path, "--rope", "0.02", "--benchmark", "y", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["test"], document["models"]) == ("groups", ["a", "b", "c"])
    assert len(document["pairs"]) == 3
    assert main(["items", path, "--rope", "0.02", "--test", "bootstrap"]) == 0
    assert "Bayesian bootstrap over data sets" in capsys.readouterr().out


def test_several_files_and_named_columns(tmp_path, capsys):
    paths = []
    for name, part in TABLE.groupby("model"):
        paths.append(str(tmp_path / f"{name}.csv"))
        part.rename(columns={"item": "nr", "correct": "loss"}).to_csv(paths[-1], index=False)
    more = ["--column", "item=nr", "--metric", "loss", "--benchmark", "x"]
    assert main(["items", *paths, *PAIR, *more]) == 0
    assert "loss ↓" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--rope", "wide"], "--rope 'wide' is not a number"),
        (["--threshold", "2"], "threshold=2"),
        (["--second", "d"], "unknown model 'd'"),
        (["--benchmark", "w"], "unknown benchmark 'w'"),
        (["--column", "item"], "--column 'item'; accepted: PART=NAME"),
        (["--column", "question=item"], "unknown part of a table of items 'question'"),
        (["--metric", "nothing"], "unknown column 'nothing'"),
        (["--plot", "nowhere/a.png"], "there is no directory"),
        (["--test", "nothing"], "unknown Bayesian test 'nothing'"),
        (["--format", "inspect"], "not in the format 'inspect'"),
        (["--evals", "x.csv"], "evals is an option of 'inspect', but the source is a table"),
    ],
)
def test_bad_input_is_one_line(path, change, message, capsys):
    given = dict(zip(PAIR[::2], PAIR[1::2], strict=True)) | {change[0]: change[1]}
    assert main(["items", path, *(word for item in given.items() for word in item)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert message in captured.err


def test_a_file_that_is_not_there(capsys):
    assert main(["items", "nothing.csv", *PAIR]) == 2
    assert "does not exist" in capsys.readouterr().err


def test_an_output_does_not_overwrite_the_input(path, capsys):
    assert main(["items", path, *PAIR, "--save", path]) == 2
    assert "would overwrite" in capsys.readouterr().err
