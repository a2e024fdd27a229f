"""`bayescmp best`."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.cli import main


def run(capsys, *args):
    code = main([str(a) for a in args])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_best_equals_the_api_and_writes(path, table, tmp_path, capsys):
    out_file, picture = tmp_path / "best.csv", tmp_path / "best.png"
    code, out, err = run(
        capsys, "best", path, "--metric", "accuracy", "--rope", "0.01", "--out", out_file,
        "--plot", picture,
    )  # fmt: skip
    assert (code, err) == (0, "")
    own = bc.bayesian.bootstrap(bc.Scores(table), metric="accuracy", rope=0.01, seed=1)
    assert str(own) in out
    assert own.explain() in out
    written = pd.read_csv(out_file, index_col="algorithm")
    assert written["p_next"].to_dict() == pytest.approx(own.best())
    assert picture.stat().st_size > 1000


@pytest.mark.parametrize("method", ["friedman", "bradley_terry", "plackett_luce"])
def test_other_methods_as_json(path, table, capsys, method):
    code, out, _ = run(capsys, "best", path, "--metric", "accuracy", "--method", method, "--json")
    assert code == 0
    document = json.loads(out)
    own = getattr(bc.bayesian, method)(bc.Scores(table), metric="accuracy", seed=1)
    assert document["best"] == {on: pytest.approx(own.best(on)) for on in own.targets}
    assert document["top_sets"][0]["size"] == 1


def test_a_rope_is_asked_for(path, capsys):
    code, _, err = run(capsys, "best", path, "--metric", "accuracy")
    assert code == 2
    assert "--rope is needed" in err
