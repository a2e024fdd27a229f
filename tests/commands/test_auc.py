"""`bayescmp auc`."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import bayescmp.frequentist as f
from bayescmp.cli import main

RNG = np.random.default_rng(1)
Y = np.arange(40) % 2
SCORES = {name: Y * lead + RNG.normal(size=40) for name, lead in (("a", 0.5), ("b", 1), ("c", 1))}
TABLE = pd.DataFrame({"truth": Y, **SCORES})


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "predictions.csv"
    TABLE.to_csv(file, index=False)
    return str(file)


def test_areas_and_pairs(path, capsys):
    assert main(["auc", path, "--json", "--adjust", "shaffer"]) == 0
    document = json.loads(capsys.readouterr().out)
    own = f.delong(Y, SCORES["c"])
    assert document["areas"][2] == pytest.approx(
        dict(zip(("algorithm", "auc", "low", "high"),
                 ("c", own.estimate, *own.confidence_interval()), strict=True))
    )  # fmt: skip
    tests = [f.delong(Y, SCORES[p], SCORES[q]) for p, q in ("ab", "ac", "bc")]
    assert [row["z"] for row in document["pairs"]] == pytest.approx([t.statistic for t in tests])
    adjusted = f.adjust([t.pvalue for t in tests], "shaffer", n_algorithms=3)
    assert [row["adjusted"] for row in document["pairs"]] == pytest.approx(adjusted)


def test_printed(path, tmp_path, capsys):
    assert main(["auc", path]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "areas under ROC curves of 40 test items"
    assert "DeLong's test of each pair, adjusted by holm" in lines
    assert main(["auc", path, "--algorithm", "a"]) == 0
    assert "DeLong" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--truth", "label"], "unknown column 'label'"),
        (["--positive", "2"], "positive='2' is not one of the labels"),
        (["--algorithm", "d"], "unknown algorithm 'd'"),
        (["--dataset", "iris"], "unknown data set 'iris'"),
        (["--adjust", "nothing"], "nothing"),
    ],
)
def test_bad_input_is_one_line(path, options, message, capsys):
    assert main(["auc", path, *options]) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err.count("\n")) == ("", 1)
    assert message in captured.err


def test_the_data_set_is_named_where_there_are_several(tmp_path, capsys):
    file = tmp_path / "p.csv"
    pd.concat([TABLE.assign(dataset="x"), TABLE.assign(dataset="y")]).to_csv(file, index=False)
    assert main(["auc", str(file)]) == 2
    assert "--dataset is missing: the table has 2" in capsys.readouterr().err
    assert main(["auc", str(file), "--dataset", "y"]) == 0


def test_an_area_without_spread_is_noted(tmp_path, capsys):
    file = tmp_path / "p.csv"
    TABLE.assign(perfect=Y + 0.5).to_csv(file, index=False)
    assert main(["auc", str(file)]) == 0
    assert "note: the interval of perfect has no width" in capsys.readouterr().out
