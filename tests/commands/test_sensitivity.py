"""`bayescmp sensitivity`."""

from __future__ import annotations

import json

import pytest

import bayescmp as bc
from bayescmp.cli import main
from bayescmp.posterior import Posterior


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


def test_a_refit_is_asked_for(path, monkeypatch):
    asked, own = [], Posterior.sensitivity

    def remembered(self, **options):
        asked.append(options["refit"])
        return own(self, **options)

    monkeypatch.setattr(Posterior, "sensitivity", remembered)
    args = given(path, "--test", "correlated", "--dataset", "iris")
    assert main(args) == main([*args, "--refit"]) == 0
    assert asked == [False, True]


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


@pytest.mark.parametrize(
    "test", ["hierarchical", "correlated", "signed-rank", "sign", "two_sample_t"]
)
def test_every_test_by_its_name(path, test, capsys):
    """The same table as that of the comparison's own result."""
    one = ["--dataset", "iris"] if test in ("correlated", "two_sample_t") else []
    assert main(given(path, "--test", test, *one, "--json")) == 0
    document = json.loads(capsys.readouterr().out)
    options = {"engine": "quadrature"} if test == "hierarchical" else {}
    posterior = bc.compare(
        bc.Scores.read(path), "knn", "gbm", "accuracy", 0.05, test=test, seed=1,
        dataset=one[1] if one else None, **options,
    )  # fmt: skip
    assert document["test"] == posterior.kind
    assert document["text"] == posterior.sensitivity().explain()


def test_all_algorithms_at_once(path, table, tmp_path, capsys):
    picture = tmp_path / "pairs.png"
    args = ["sensitivity", path, "--metric", "accuracy", "--rope", "0.05"]
    assert main([*args, "--test", "bootstrap", "--plot", str(picture)]) == 0
    assert "Sensitivity of" in capsys.readouterr().out
    assert picture.stat().st_size > 1000
    dataset = str(table["dataset"].iloc[0])
    assert main([*args, "--test", "groups", "--dataset", dataset, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {row["question"] for row in rows} >= {"fit", "rho", "rope", "threshold"}
    assert main([*args, "--test", "groups", "--first", "knn"]) == 2
    assert "--first: groups compares all algorithms" in capsys.readouterr().err
