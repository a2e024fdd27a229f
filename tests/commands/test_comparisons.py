"""The command: other tests, all pairs, the second opinion."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import bayescmp as bc
from tests.commands.conftest import run


def pair(path, *more):
    given = ["compare", path, "--metric", "accuracy", "--first", "knn", "--second", "gbm"]
    return [*given, "--rope", "0.05", *more]


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        (["--test", "sign"], "sign", "Bayesian sign test"),
        (["--test", "signed-rank"], "signed_rank", "signed-rank test"),
        (["--dataset", "iris"], "correlated_t", "delta"),
        (["--dataset", "iris", "--test", "correlated"], "correlated_t", "(iris)"),
    ],
)
def test_compare_by_another_test(path, table, capsys, options, kind, message):
    code, out, err = run(capsys, *pair(path, *options, "--full"))
    assert (code, err) == (0, "")
    for part in (message, "knn better", "undecided", "odds", "engine", "exact"):
        assert part in out
    code, out, _ = run(capsys, *pair(path, *options, "--json"))
    result = json.loads(out)
    assert result["test"] == kind
    named = dict(zip(options[::2], options[1::2], strict=True))
    own = bc.compare(
        table,
        "knn",
        "gbm",
        "accuracy",
        0.05,
        seed=1,
        test=named.get("--test", "auto"),
        dataset=named.get("--dataset"),
    )
    assert result["verdict"]["probabilities"] == own.verdict().probabilities


def test_says_which_test_it_took_and_why(path, capsys):
    _, out, _ = run(capsys, *pair(path))
    assert "test hierarchical_t: 3 data sets, with 10 scores on each" in out


def test_pictures_of_other_tests(path, tmp_path, capsys):
    files = [tmp_path / "a.png", tmp_path / "b.png"]
    code, out, _ = run(
        capsys, *pair(path, "--test", "sign", "--plot", files[0], "--rope-curve", files[1])
    )
    assert code == 0
    for file in files:
        assert file.stat().st_size > 1000
        assert str(file) in out
    code, _, err = run(capsys, *pair(path, "--test", "sign", "--shrinkage", tmp_path / "c.png"))
    assert code == 2
    assert "has no such plot" in err


def test_two_folds_have_no_sd_and_json_no_infinity(tmp_path, capsys):
    rows = [("d", a, f, s) for a, s in (("knn", 0.5), ("gbm", 0.75)) for f in (1, 2)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "accuracy"])
    frame.loc[0, "accuracy"] = 0.25
    frame.to_csv(tmp_path / "two.csv", index=False)
    code, out, _ = run(
        capsys, f"compare {tmp_path}/two.csv --rope 0 --first knn --second gbm --json"
    )
    assert code == 0
    assert json.loads(out)["summary"]["delta"]["sd"] is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--control", "kn"], "did you mean 'knn'"),
        (["--test", "signs"], "did you mean 'sign'"),
        (["--prior", "corani"], "unknown prior"),
        (["--out", "nowhere/v.csv"], "there is no directory"),
        (["--threshold", "2"], "--threshold 2"),
        (["--jobs", "0"], "n_jobs=0"),
    ],
)
def test_bad_input(path, change, message, capsys):
    code, out, err = run(capsys, f"compare-all {path} --metric accuracy --rope 0.05", *change)
    assert (code, out) == (2, "")
    assert message in err
