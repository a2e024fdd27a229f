"""`bayescmp plan`, with scores and before there are any."""

from __future__ import annotations

import json

import pytest

import bayescmp as bc
from bayescmp.cli import main

BEFORE = ["plan", "--delta0", "0.02", "--sigma0", "0.01", "--rho", "0.1", "--rope", "0.01",
          "--datasets", "5", "--simulations", "4"]  # fmt: skip


def given(path, *more):
    return ["plan", path, "--metric", "accuracy", "--first", "knn", "--second", "gbm",
            "--rope", "0.05", "--datasets", "0", "3", "--simulations", "4", *more]  # fmt: skip


def test_with_scores(path, table, tmp_path, capsys):
    picture = tmp_path / "plan.png"
    assert main(given(path, "--json", "--plot", str(picture))) == 0
    facts = json.loads(capsys.readouterr().out)
    x = bc.Scores(table).differences("knn", "gbm", "accuracy")
    post = bc.bayesian.hierarchical_t(x, rope=0.05, engine="quadrature", seed=1)
    assert facts == json.loads(json.dumps(post.plan(datasets=[0, 3], simulations=4).to_dict()))
    assert picture.stat().st_size > 1000


def test_before_any_data(capsys):
    assert main(BEFORE) == 0
    out = capsys.readouterr().out
    wanted = bc.plan(delta0=0.02, sigma0=0.01, rho=0.1, rope=0.01, datasets=[5], simulations=4)
    assert out == f"{wanted}\n"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["plan", "--rope", "0.01", "--delta0", "0"], "--sigma0 is missing"),
        ([*BEFORE, "--more-folds", "3"], "--more-folds goes only with a table"),
        ([*BEFORE, "--threshold", "2"], "threshold=2"),
        ([*BEFORE, "--plot", "nowhere/a.png"], "there is no directory"),
    ],
)
def test_bad_input_is_one_line(args, message, capsys):
    assert main(args) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert message in captured.err


def test_assumptions_do_not_go_with_scores(path, capsys):
    assert main(given(path, "--delta0", "0.1")) == 2
    assert "--delta0 goes only without a table" in capsys.readouterr().err


def test_an_interrupt_is_one_line(monkeypatch, capsys):
    def interrupted(**_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("bayescmp.planning.plan", interrupted)
    assert main(BEFORE) == 130
    assert capsys.readouterr().err == "bayescmp: error: interrupted\n"
