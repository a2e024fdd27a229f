"""Every answer states whether rows were paired, and by what: one test per kind of row."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.commands.cli import main

RNG = np.random.default_rng(3)


def long(label: str, q: int = 1, n: int = 10) -> pd.DataFrame:
    """Scores of two algorithms on q data sets, n numbered rows each."""
    rows = [(f"d{i}", a, j) for i in range(q) for a in ("knn", "svm") for j in range(1, n + 1)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", label])
    return frame.assign(accuracy=0.8 + RNG.normal(0, 0.02, len(frame)))


FOLDS, SEEDS, TRIALS = long("fold"), long("seed"), long("trial", n=20)
MEANS = long("fold", 12).groupby(["dataset", "algorithm"])["accuracy"].mean().unstack()
WIDE = pd.DataFrame(RNG.integers(0, 2, (60, 2)), columns=["knn", "svm"])
X = RNG.normal(0, 0.02, (5, 10))

#: What is given to `compare`, with its options, and how the answer states it.
KINDS = {
    "folds": (FOLDS, {}, "paired by fold"),
    "folds of several data sets": (long("fold", 6), {}, "paired by fold"),
    "means": (bc.Scores.from_means(MEANS, metric="accuracy"), {}, "paired by data set"),
    "means of folds": (long("fold", 12), {"test": "signed_rank"}, "paired by data set"),
    "questions": (WIDE, {}, "paired by question"),
    "questions of two benchmarks": (
        WIDE.assign(benchmark=["x"] * 30 + ["y"] * 30), {}, "paired by question",
    ),
    "seeds, declared": (bc.Scores(SEEDS, resampling="seeds"), {}, "paired by seed"),
    "trials, declared": (bc.Scores(TRIALS, resampling="independent"), {}, "paired by trial"),
    "runs": (TRIALS, {"test": "two_sample_t"}, "not paired: runs with separate seeds"),
    "differences": (bc.Differences(X, rho=0.1), {}, "paired as given"),
}  # fmt: skip


@pytest.mark.parametrize(("given", "options", "stated"), KINDS.values(), ids=KINDS)
def test_a_comparison_states_it(given, options, stated):
    posterior = bc.compare(given, rope=0.01, seed=1, **options)
    verdict = posterior.verdict()
    assert posterior.pairing == verdict.pairing == verdict.to_dict()["pairing"] == stated
    forms = [str(posterior), posterior.full(), str(verdict), verdict.explain("paper")]
    forms += [posterior._repr_html_(), verdict._repr_html_()]
    assert all(stated in " ".join(text.split()) for text in forms)


def test_a_saved_posterior_keeps_it(tmp_path):
    posterior = bc.compare(FOLDS, rope=0.01)
    posterior.save(tmp_path / "posterior.npz")
    assert bc.load(tmp_path / "posterior.npz").pairing == "paired by fold"


@pytest.mark.parametrize(
    ("given", "paired", "stated"),
    [
        (long("fold", 6), True, "paired by fold"),
        (TRIALS, False, "not paired: runs with separate seeds"),
    ],
    ids=["folds", "runs"],
)
def test_cross_checks_and_reports_state_it(given, paired, stated, tmp_path):
    check = bc.crosscheck(given, rope=0.01, paired=paired, seed=1)
    assert stated in " ".join(str(check).split())
    assert set(check.frame["pairing"].dropna()) <= {stated, "paired by data set", ""}
    page = bc.report(given, tmp_path / "page.html", rope=0.01, paired=paired, seed=1)
    assert stated in page.read_text("utf-8")


def test_all_pairs_and_gates_state_it():
    table = long("fold", 6)
    every = bc.compare_all(table, rope=0.01)
    assert every.frame["pairing"].tolist() == ["paired by fold"]
    assert "paired by fold" in " ".join(str(every).split())
    gate = bc.gate(table, "knn", "svm", margin=0.01)
    assert "paired by fold" in " ".join(str(gate).split())
    assert "paired by fold" in json.dumps(gate.to_dict())


@pytest.mark.parametrize(
    ("label", "typed"), [("trial", "independent"), ("seed", "seeds"), ("run", "seeds")]
)
def test_numbered_runs_are_paired_only_if_declared(label, typed):
    table = long(label, n=20)
    with pytest.raises(bc.InputError, match=f"pair them by {label}") as refused:
        bc.compare(table, rope=0.01)
    declared = re.search(r"Scores\(\.\.\., resampling='(\w+)'\)", str(refused.value)).group(1)
    test = re.search(r"compare\(\.\.\., test='(\w+)'\)", str(refused.value)).group(1)
    assert declared == typed
    paired = bc.compare(bc.Scores(table, resampling=declared), rope=0.01)
    assert paired.pairing == f"paired by {label}"
    assert bc.compare(table, rope=0.01, test=test).pairing.startswith("not paired")
    wide = table.pivot(index=label, columns="algorithm", values="accuracy")
    with pytest.raises(bc.InputError, match=f"pair them by {label}"):
        bc.compare(bc.Scores(wide, metric="accuracy"), rope=0.01)
    several = pd.concat([table.assign(dataset=d) for d in "abcdef"])
    with pytest.raises(bc.InputError, match="test='signed_rank'"):
        bc.compare(several, rope=0.01)
    means = bc.compare(several.assign(accuracy=RNG.random(240)), rope=0.01, test="signed_rank")
    assert means.pairing == "paired by data set"


def test_commands_state_it(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    TRIALS.to_csv("trials.csv", index=False)
    MEANS.assign(gbm=0.7).reset_index().to_csv("means.csv", index=False)
    assert main(["compare", "trials.csv", "--rope", "0.01"]) == 2
    message = capsys.readouterr().err
    options = re.search("--resampling independent|$", message).group().split()
    assert main(["compare", "trials.csv", "--rope", "0.01", *options, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["pairing"] == "paired by trial"
    options = re.search("--test two_sample_t|$", message).group().split()
    assert main(["compare", "trials.csv", "--rope", "0.01", *options, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["pairing"].startswith("not paired")
    means = ["means.csv", "--metric", "accuracy"]
    assert main(["rank", *means]) == 0
    assert "paired by data set" in capsys.readouterr().out
    assert main(["rank", *means, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["omnibus"]["pairing"] == "paired by data set"
