"""`bayescmp rank`: what it prints, writes and refuses."""

from __future__ import annotations

import argparse
import json

import numpy as np
import pandas as pd
import pytest

import bayescmp.frequentist as f
from bayescmp.cli import main
from bayescmp.commands import rank
from bayescmp.errors import InputError
from tests.commands.conftest import each


@pytest.fixture
def csv(tmp_path):
    """Eight data sets, four algorithms, 2 folds, auc and log_loss."""
    rng = np.random.default_rng(3)
    rows = [
        {"dataset": f"d{d}", "algorithm": a, "fold": k, "auc": 0.7 + 0.05 * i + rng.normal() / 20,
         "log_loss": 1 - 0.1 * i + rng.normal() / 10}
        for d in range(8) for i, a in enumerate(("knn", "tree", "gbm", "svm")) for k in (1, 2)
    ]  # fmt: skip
    path = tmp_path / "scores.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


def run(*words):
    parser = argparse.ArgumentParser()
    rank.register(parser.add_subparsers())
    args = parser.parse_args(["rank", *map(str, words)])
    return args.run(args)


def means(csv, metric):
    return pd.read_csv(csv).groupby(["dataset", "algorithm"], sort=False)[metric].mean().unstack()


def test_the_call_of_the_issue(csv, tmp_path, capsys):
    picture = tmp_path / "cd.png"
    code = run(csv, "--metric", "auc", "--test", "quade", "--adjust", "bergmann-hommel",
               "--diagram", picture)  # fmt: skip
    out = capsys.readouterr().out
    assert code == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    table = means(csv, "auc")
    assert f"{f.quade(table).statistic:.5g}" in out
    result = f.posthoc(table, test="quade", adjust="bergmann-hommel")
    assert result.underline() in out
    assert f"written {picture}" in out


def test_control_and_json(csv, tmp_path, capsys):
    heatmap = tmp_path / "p.svg"
    run(csv, "--metric", "log_loss", "--control", "svm", "--json", "--heatmap", heatmap)
    document = json.loads(capsys.readouterr().out)
    table = means(csv, "log_loss")
    expected = f.posthoc(table, control="svm", lower_is_better=True)
    assert document["posthoc"]["control"] == "svm"
    assert [d["better"] for d in document["directions"]] == ["lower"]
    for part in ("omnibus", "posthoc"):
        assert [d["better"] for d in document[part]["directions"]] == ["lower"]
    by_name = {c["second"]: c["adjusted"] for c in document["posthoc"]["comparisons"]}
    assert by_name == pytest.approx(
        dict(zip(expected.frame["second"], expected.adjusted, strict=True))
    )
    assert document["omnibus"]["pvalue"] == f.friedman(table, lower_is_better=True).pvalue
    assert "<svg" in heatmap.read_text()


@pytest.mark.parametrize("test", rank.TESTS)
def test_every_test_runs(csv, capsys, test):
    assert run(csv, "--metric", "auc", "--test", test) == 0
    assert "Average ranks" in capsys.readouterr().out


@pytest.mark.parametrize("options", [[], ["--control", "0"], ["--test", "page"]])
def test_long_names_fit_a_hundred_columns(tmp_path, capsys, options):
    names = [f"RandomForestClassifier(n_estimators={i}00, max_depth=None)" for i in range(1, 7)]
    values = np.random.default_rng(1).normal(0.8 + 0.02 * np.arange(6), 0.02, (12, 6))
    frame = pd.DataFrame(values, columns=names, index=[f"d{i}" for i in range(12)])
    frame.rename_axis("dataset").to_csv(tmp_path / "wide.csv")
    options = [names[0] if o == "0" else o for o in options]
    assert main(["rank", str(tmp_path / "wide.csv"), "--higher-is-better", "score", *options]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) < 100


def test_exact_p(csv, capsys):
    run(csv, "--metric", "auc", "--method", "exact", "--json")
    actual = json.loads(capsys.readouterr().out)["omnibus"]["pvalue"]
    assert actual == f.friedman(means(csv, "auc"), method="exact").pvalue


def test_trend_in_the_order_given(csv, capsys):
    names = ["svm", "knn", "gbm", "tree"]
    run(
        csv,
        "--metric",
        "auc",
        "--test",
        "page",
        *each("order", "svm", "knn", "gbm", "tree"),
        "--json",
    )
    document = json.loads(capsys.readouterr().out)
    assert document["omnibus"]["pvalue"] == f.page_trend(means(csv, "auc"), order=names).pvalue
    assert document["posthoc"] is None


def test_distribution_of_the_comparisons(csv, capsys):
    run(csv, "--metric", "auc", "--distribution", "exact", "--json")
    actual = json.loads(capsys.readouterr().out)["posthoc"]["comparisons"]
    expected = f.posthoc(means(csv, "auc"), distribution="exact")
    assert [c["pvalue"] for c in actual] == expected.pvalue.tolist()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--metric", "auc", "--control", "svn"], "'svm'"),
        (["--metric", "auc", "--test", "quad"], "quade"),
        (["--metric", "auc", "--adjust", "bergman"], "bergmann"),
        (["--metric", "auc", "--alpha", "5"], "alpha"),
        (["--metric", "auc", "--diagram", "/no/such/place/cd.png"], "no directory"),
        (["--metric", "auc", "--test", "skillings-mack", "--diagram", "cd.png"], "no plot"),
        (["--metric", "auc", "--order", "knn"], "--order is for --test page"),
        ([], "metric is missing"),
    ],
)
def test_bad_input(csv, words, message):
    with pytest.raises(InputError, match=message):
        run(csv, *words)


def test_pairs_of_a_balanced_incomplete_design(csv, capsys):
    """Each data set lacks one of the four algorithms in turn."""
    frame = pd.read_csv(csv)
    names = np.array(["knn", "tree", "gbm", "svm"])
    gone = names[frame["dataset"].str[1:].astype(int) % 4] == frame["algorithm"]
    frame[~gone].to_csv(csv, index=False)
    words = ["--metric", "auc", "--test", "durbin", "--variance", "published", "--json"]
    assert run(csv, *words) == 0
    document = json.loads(capsys.readouterr().out)
    expected = f.pairwise_durbin(means(csv, "auc"), variance="published")
    assert document["omnibus"]["method"] == "Durbin test"
    assert [row["adjusted"] for row in document["posthoc"]["comparisons"]] == list(
        expected.adjusted
    )


def test_missing_runs_are_named(csv, capsys):
    frame = pd.read_csv(csv)
    gone = (frame.dataset == "d2") & (frame.algorithm == "gbm")
    frame[~gone].to_csv(csv, index=False)
    with pytest.raises(InputError, match=r"'gbm' on data set 'd2'.*skillings_mack"):
        run(csv, "--metric", "auc")
    assert run(csv, "--metric", "auc", "--test", "skillings-mack") == 0
    assert "1 of 32 scores missing" in capsys.readouterr().out
