"""`bayescmp sensitivity`."""

from __future__ import annotations

import json

import pytest

import bayescmp as bc
from bayescmp.cli import main


def given(path, *more):
    return ["sensitivity", path, "--metric", "accuracy", "--first", "knn", "--second", "gbm",
            "--rope", "0.05", *more]  # fmt: skip


def test_prints_the_table_and_draws(path, table, tmp_path, capsys):
    picture = tmp_path / "strips.png"
    assert main(given(path, "--plot", str(picture))) == 0
    out = capsys.readouterr().out
    assert "Sensitivity of the decision" in out
    assert picture.stat().st_size > 1000
    assert main(given(path, "--json")) == 0
    document = json.loads(capsys.readouterr().out)
    x = bc.Scores(table).differences("knn", "gbm", "accuracy")
    post = bc.bayesian.hierarchical_t(x, rope=0.05, engine="quadrature", seed=1)
    wanted = post.sensitivity()
    assert document["text"] == wanted.explain()
    assert [r["p_right"] for r in document["rows"]] == pytest.approx(
        wanted.frame["p_right"].tolist()
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [(["--threshold", "2"], "threshold=2"), (["--second", "gmb"], "did you mean 'gbm'"),
     (["--plot", "nowhere/a.png"], "there is no directory")],
)  # fmt: skip
def test_bad_input_is_one_line(path, change, message, capsys):
    option, value = change
    args = given(path)
    if option in args:  # an option with one value is given once
        args[args.index(option) + 1] = value
    else:
        args += change
    assert main(args) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert message in captured.err
