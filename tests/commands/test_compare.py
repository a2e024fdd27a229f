"""The command: what it prints, writes and returns."""

from __future__ import annotations

import json

import pytest

import bayescmp as bc
from bayescmp.cli import main


def run(capsys, *args):
    code = main([str(a) for a in args])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def compare(path, *more):
    given = ["compare", path, "--metric", "accuracy", "--first", "knn", "--second", "gbm"]
    return [*given, "--rope", "0.05", *more]


def test_compare_prints_the_whole_verdict(path, capsys):
    code, out, err = run(capsys, *compare(path, "--engine", "quadrature"))
    assert (code, err) == (0, "")
    for part in ("knn better", "equivalent", "gbm better", "±", "decision", "odds", "engine",
                 "quadrature", "diagnostics", "second integration", "prior", "corani2017",
                 "delta0"):  # fmt: skip
        assert part in out


def test_compare_equals_the_api(path, table, capsys):
    code, out, _ = run(capsys, *compare(path, "--json", "--engine", "quadrature"))
    document = json.loads(out)
    x = bc.Scores(table).differences("knn", "gbm", "accuracy")
    posterior = bc.bayesian.hierarchical_t(x, rope=0.05, seed=1, engine="quadrature")
    assert code == 0
    assert document["verdict"]["probabilities"] == pytest.approx(posterior.verdict().probabilities)
    assert document["engine"]["name"] == "quadrature"
    assert document["diagnostics"]["exact"] is True
    assert [d["dataset"] for d in document["datasets"]] == ["iris", "wine", "digits"]
    assert document["prior"]["name"] == "corani2017"


def test_compare_writes_pictures_and_posterior(path, tmp_path, capsys):
    files = {o: tmp_path / f"{o}.{e}" for o, e in
             (("plot", "png"), ("shrinkage", "svg"), ("density", "pdf"),
              ("save", "nc"))}  # fmt: skip
    options = [part for o, f in files.items() for part in (f"--{o}", f)]
    code, out, _ = run(capsys, *compare(path, *options))
    assert code == 0
    for file in files.values():
        assert file.stat().st_size > 1000
        assert str(file) in out
    assert bc.load(files["save"]).names == ("knn", "gbm")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--rope", "-0.1"], "rope=-0.1 is negative"),
        (["--rope", "wide"], "not a number"),
        (["--rho", "1.5"], "rho=1.5 is outside"),
        (["--second", "gmb"], "did you mean 'gbm'"),
        (["--metric", "acuracy"], "did you mean 'accuracy'"),
        (["--engine", "quadratur"], "did you mean 'quadrature'"),
        (["--prior", "corani"], "unknown prior 'corani'"),
        (["--threshold", "2"], "threshold=2"),
        (["--column", "dataset"], "PART=NAME"),
        (["--plot", "nowhere/simplex.png"], "there is no directory"),
        (["--plot", "picture.xyz"], "unknown picture format"),
        (["--seed", "-4"], "seed=-4"),
    ],
)
def test_bad_input_is_code_2_and_one_line(path, change, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    if change[0] == "--rope":
        args = [*compare(path)[:-2], f"--rope={change[1]}"]
    else:
        args = [*compare(path), *change]
        if change[0] in args[:-2]:
            at = args.index(change[0])
            args = [*args[:at], *args[at + 2 :]]
    code, out, err = run(capsys, *args)
    assert (code, out) == (2, "")
    assert err.startswith("bayescmp: error: ")
    assert err.count("\n") == 1
    assert message in err


def test_one_data_set(table, tmp_path, capsys):
    table[table.dataset == "iris"].to_csv(tmp_path / "one.csv", index=False)
    args = compare(str(tmp_path / "one.csv"), "--test", "hierarchical")
    code, _, err = run(capsys, *args)
    assert code == 2
    assert "one data set" in err
    assert "correlated_t" in err
