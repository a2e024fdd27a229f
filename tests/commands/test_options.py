"""Options that several subcommands share."""

import io
import json
import os
import sys

import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.commands.cli import COMMANDS, load_command
from bayescmp.commands.shared import stage
from tests.commands.conftest import argv, compare, run
from tests.rows import each_row
from tests.scores.readers.layouts import LAYOUTS, long_table


class Terminal(io.StringIO):
    def isatty(self):
        return True


def shown(stream, monkeypatch):
    monkeypatch.setattr(sys, "stderr", stream)
    with stage("reading answers"):
        return stream.getvalue()


def test_a_stage_is_named_and_its_line_is_cleared(monkeypatch):
    terminal = Terminal()
    assert "reading answers [" in shown(terminal, monkeypatch)
    assert terminal.getvalue().endswith("\r")


def test_nothing_is_written_to_a_file(monkeypatch):
    assert shown(io.StringIO(), monkeypatch) == ""


def test_two_algorithms_need_not_be_named(table, tmp_path, capsys):
    table[table.algorithm != "svm"].to_csv(tmp_path / "two.csv", index=False)
    code, out, _ = run(capsys, f"compare {tmp_path}/two.csv --metric accuracy --rope 0.05")
    assert code == 0
    assert out.startswith("knn and gbm: undecided")


def test_columns_ropes_and_priors(table, tmp_path, capsys):
    renamed = table.rename(columns={"dataset": "where"})
    renamed.to_csv(tmp_path / "odd.csv", index=False)
    args = compare(*argv(f"{tmp_path}/odd.csv --column dataset=where --prior benavoli2017 --full"))
    args[args.index("--rope") + 1] = "-0.02,0.05"
    args[args.index("--rope") : args.index("--rope") + 2] = ["--rope=-0.02,0.05"]
    code, out, _ = run(capsys, *args)
    assert code == 0
    assert "[−0.02, 0.05]" in out
    assert "benavoli2017" in out


def test_files_that_cannot_be_read(tmp_path, capsys):
    for name, content in (
        ("empty.csv", b""),
        ("picture.csv", b"\x89PNG\x00\xff"),
        ("none.csv", None),
    ):
        if content is not None:
            (tmp_path / name).write_bytes(content)
        code, _, err = run(capsys, *compare(str(tmp_path / name)))
        assert code == 2
        assert err.count("\n") == 1
        assert name in err


def test_a_folder_without_permission_is_refused_before_the_work(
    path, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(os, "access", lambda *a, **k: False)  # root may write anywhere
    code, _, err = run(capsys, *compare(path, "--plot", tmp_path / "simplex.png"))
    assert code == 2
    assert "no permission to write" in err


def test_every_command_that_reads_scores_takes_a_format():
    reading = {
        name: options
        for name in COMMANDS
        if "table" in (options := {a.dest for a in load_command(name)[0].options})
        and name not in ("predictions", "permute", "check")
    }
    assert len(reading) >= 8
    for name, options in reading.items():
        assert {"format", "missing", "column", "resampling"} <= options, name


@each_row("name", ["tidymodels", "mlr3", "weka", "wide", "automlbenchmark"])
def test_what_other_programs_wrote(name, tmp_path, capsys):
    format = "auto"
    layout, options, _ = LAYOUTS[name]
    layout(long_table()).to_csv(tmp_path / "results.csv", index=False)
    long_table().to_csv(tmp_path / "table.csv", index=False)
    metric = {"mlr3": "classif.acc", "automlbenchmark": "acc"}.get(name, "accuracy")
    args = argv("--rope 0.02 --json knn svm --engine quadrature")
    how = ["--resampling", options["resampling"]] if "resampling" in options else []
    if format == "by name":
        how += ["--format", name]
    if name == "automlbenchmark":
        how += ["--read-option", "constraint=1h8c"]
    code, out, err = run(capsys, f"compare {tmp_path}/results.csv --metric", metric, *args, *how)
    assert (code, err) == (0, "")
    _, expected, _ = run(capsys, "compare", tmp_path / "table.csv", "--metric", "accuracy", *args)
    result, wanted = (json.loads(text)["verdict"] for text in (out, expected))
    assert result.pop("metric") == metric
    (direction,) = result.pop("directions")
    assert (direction["metric"], direction["better"]) == (metric, "higher")
    assert result.pop("resampling").removesuffix(", as declared") == wanted["resampling"]
    assert result == {k: wanted[k] for k in result}
    assert set(wanted) - set(result) == {"metric", "directions", "resampling"}


def test_a_format_that_is_none(path, capsys):
    code, _, err = run(capsys, *compare(path, "--format", "wekka"))
    assert (code, err.count("\n")) == (2, 1)
    assert "(got 'wekka'). Did you mean 'weka'" in err
    code, _, err = run(capsys, *compare(path, "--read-option", "constraint"))
    assert code == 2
    assert "--read-option must be NAME=VALUE, e.g. constraint=1h8c (got 'constraint')" in err


# Other tests, all pairs, the second opinion.


def pair(path, *more):
    given = ["compare", path, "--metric", "accuracy", "knn", "gbm"]
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
    assert "chosen test: hierarchical_t (3 data sets, with 10 scores on each)" in out


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
    assert "does not have this plot" in err


def test_two_folds_have_no_sd_and_json_no_infinity(tmp_path, capsys):
    rows = [("d", a, f, s) for a, s in (("knn", 0.5), ("gbm", 0.75)) for f in (1, 2)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "accuracy"])
    frame.loc[0, "accuracy"] = 0.25
    frame.to_csv(tmp_path / "two.csv", index=False)
    code, out, _ = run(capsys, f"compare {tmp_path}/two.csv --rope 0 knn gbm --json")
    assert code == 0
    assert json.loads(out)["summary"]["delta"]["sd"] is None
