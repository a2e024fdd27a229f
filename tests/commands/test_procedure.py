"""`bayescmp procedure`: what it prints, writes and refuses."""

from __future__ import annotations

import argparse
import json

import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.commands import procedure
from bayescmp.errors import InputError
from tests.commands.conftest import each
from tests.procedure.cases import many


@pytest.fixture
def csv(tmp_path):
    frame, _ = many(q=4, L=3, n=10, p=2, spread=2.0)
    path = tmp_path / "scores.csv"
    frame.rename(columns={"m0": "reward", "m1": "elbo"}).to_csv(path, index=False)
    return path


def run(*words):
    parser = argparse.ArgumentParser()
    procedure.register(parser.add_subparsers())
    args = parser.parse_args(["procedure", *map(str, words)])
    return args.run(args)


def test_text_and_diagram(csv, tmp_path, capsys):
    picture = tmp_path / "wins.png"
    assert run(csv, *each("metric", "reward", "elbo"), "--cost", "reward=2", "--cost", "elbo=-1",
               "--wins", picture) == 0  # fmt: skip
    out = capsys.readouterr().out
    expected = bc.procedure(
        bc.Scores.read(csv), metrics=("reward", "elbo"), costs={"reward": 2, "elbo": -1}
    )
    assert out == f"{expected}\nwritten {picture}\n"
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_json_and_options(csv, capsys):
    run(csv, "--metric", "elbo", *each("algorithm", "A1", "A3"), *each("dataset", "d0", "d2"),
        "--plain", "--alpha", "0.1", "--json")  # fmt: skip
    document = json.loads(capsys.readouterr().out)
    expected = bc.procedure(bc.Scores.read(csv), metrics="elbo", algorithms=["A1", "A3"],
                            datasets=["d0", "d2"], corrected=False, alpha=0.1)  # fmt: skip
    assert document["datasets"] == ["d0", "d2"]
    assert [row["pvalue"] for row in document["pairwise"]] == pytest.approx(
        list(expected.pairwise["pvalue"])
    )
    assert document["corrected"] is False
    assert document["directions"] == [d.to_dict() for d in expected.directions] != []
    assert document["resampling"] == ""  # of no use to tests that ignore it
    run(csv, "--metric", "elbo", "--pairwise", "t", "--adjust", "holm", "--rho", "0.3", "--json")
    document = json.loads(capsys.readouterr().out)
    expected = bc.procedure(bc.Scores.read(csv), metrics="elbo", pairwise="t", adjust="holm",
                            rho=0.3)  # fmt: skip
    assert document["resampling"] == "rho 0.3: as given"
    assert [row["adjusted"] for row in document["pairwise"]] == pytest.approx(
        list(expected.pairwise["adjusted"])
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "metrics is missing"),
        (["--metric", ""], "unknown metric ''"),
        (["--metric", "reward", "--cost", "reward"], "--cost 'reward'; accepted: METRIC=NUMBER"),
        (["--metric", "reward", "--cost", "reward=dear"], "--cost 'reward=dear'"),
        (["--metric", "reward", "--wins", "/no/such/place/w.png"], "there is no directory"),
        (["--metric", "reward", "--pairwise", "hotelling"], "one metric 'hotelling'"),
        ([*each("metric", "reward", "elbo"), "--wins", "w.png"], "no wins: give costs"),
    ],
)
def test_bad_input(csv, words, message):
    with pytest.raises(InputError, match=message):
        run(csv, *words)


def test_scores_of_one_metric_need_no_name(tmp_path, capsys):
    frame, _ = many(q=2, L=2, p=1)
    path = tmp_path / "one.csv"
    pd.DataFrame(frame).rename(columns={"m0": "reward"}).to_csv(path, index=False)
    assert run(path) == 0
    assert "one metric, two algorithms, several data sets" in capsys.readouterr().out
