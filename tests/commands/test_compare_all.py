"""`bayescmp compare-all`."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd

import bayescmp as bc
from bayescmp.cli import main


def run(capsys, *args):
    code = main([str(a) for a in args])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_compare_all_equals_the_api_and_writes(path, table, tmp_path, capsys):
    out_file, picture = tmp_path / "verdicts.csv", tmp_path / "verdicts.png"
    ladder = tmp_path / "ladder.svg"
    code, out, err = run(
        capsys, "compare-all", path, "--metric", "accuracy", "--rope", "0.05", "--control", "knn",
        "--test", "signed-rank", "--out", out_file, "--plot", picture, "--ladder", ladder,
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert "2 comparisons with knn on accuracy ↑, rope ±0.05" in out
    assert str(out_file) in out
    assert picture.stat().st_size > 1000
    assert all(f"<!-- {name} -->" in ladder.read_text() for name in ("knn", "gbm", "svm"))
    own = bc.compare_all(table, "accuracy", 0.05, control="knn", test="signed_rank", seed=1)
    written = pd.read_csv(out_file, keep_default_na=False)
    assert list(written.columns) == list(own.frame.columns)
    for column in ("p_left", "p_rope", "p_right", "se_left"):
        assert np.array_equal(written[column].astype(float), own.frame[column])
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_compare_all_as_json(path, capsys):
    code, out, _ = run(
        capsys, "compare-all", path, "--metric", "accuracy", "--rope", "0.05", "--test", "sign",
        "--json", "--algorithm", "knn", "--algorithm", "svm",
    )  # fmt: skip
    assert code == 0
    (row,) = json.loads(out)
    assert (row["first"], row["second"], row["test"]) == ("knn", "svm", "sign")


def test_a_failing_pair_is_told(table, tmp_path, capsys):
    lost = table.drop(table[(table.dataset == "wine") & (table.algorithm == "svm")].index[:1])
    lost.to_csv(tmp_path / "lost.csv", index=False)
    code, out, err = run(
        capsys, "compare-all", tmp_path / "lost.csv", "--metric", "accuracy", "--rope", "0.05",
        "--test", "sign",
    )  # fmt: skip
    assert code == 0
    assert "failed       knn and svm: folds don't pair" in out
    assert "2 of 3 pairs could not be compared" in err
