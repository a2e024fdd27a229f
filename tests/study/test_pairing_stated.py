"""Every answer states whether rows were paired, and by what: one test per kind of row."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.commands.cli import main
from tests.rows import each_row

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
    "means of folds": (long("fold", 12), {"test": "signed_rank"}, "paired by data set"),
    "questions": (WIDE, {}, "paired by question"),
    "seeds, declared": (bc.Scores(SEEDS, resampling="seeds"), {}, "paired by seed"),
    "runs": (TRIALS, {"test": "two_sample_t"}, "not paired: independent runs"),
    "differences": (bc.Differences(X, rho=0.1), {}, "paired as given"),
}


@each_row(("given", "options", "stated"), KINDS.values(), ids=KINDS)
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


@each_row(
    ("given", "paired", "stated"),
    [(long("fold", 6), True, "paired by fold"), (TRIALS, False, "not paired: independent runs")],
    ids=["folds", "runs"],
)
def test_cross_checks_and_reports_state_it(given, paired, stated, tmp_path):
    check = bc.crosscheck(given, rope=0.01, paired=paired, seed=1)
    assert stated in " ".join(str(check).split())
    assert set(check.frame["pairing"].dropna()) <= {stated, "paired by data set", ""}
    if not paired:
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


@each_row("several", [False, True], ids=["one data set", "several"])
def test_numbered_runs_are_paired_only_if_declared(several):
    label = "seed"
    table = long(label, 6 if several else 1, 10)
    runs = bc.compare(table, rope=0.01, seed=1)
    assert runs.pairing == "not paired: independent runs"
    assert runs.kind == ("hierarchical_two_sample_t" if several else "two_sample_t")
    note = next(note for note in runs.notes if f"column {label!r}" in note)
    assert "taken as independent" in note
    typed = re.search(r"resampling='(\w+)'", note).group(1)
    paired = bc.compare(bc.Scores(table, resampling=typed), rope=0.01, seed=1)
    assert paired.pairing == f"paired by {label}"
    declared = bc.compare(bc.Scores(table, resampling="runs"), rope=0.01, seed=1)
    assert declared.verdict().probabilities == runs.verdict().probabilities
    assert not any("column" in note for note in declared.notes)
    assert bc.compare(table, rope=0.01, test=runs.kind, seed=1).pairing == runs.pairing


@each_row("several", [False, True], ids=["one data set", "several"])
def test_numbered_runs_that_may_be_random_splits_have_to_be_declared(several):
    table = long("run", 6 if several else 1, 10)
    with pytest.raises(bc.InputError, match="pair them by run") as refused:
        bc.compare(table, rope=0.01)
    declared = re.search(r"Scores\(\.\.\., resampling='(\w+)'\)", str(refused.value)).group(1)
    test = re.search(r"compare\(\.\.\., test='(\w+)'\)", str(refused.value)).group(1)
    paired = bc.compare(bc.Scores(table, resampling=declared), rope=0.01)
    assert paired.pairing == "paired by run"
    assert bc.compare(table, rope=0.01, test=test).pairing == "not paired: independent runs"
    wide = table.query("dataset == 'd0'").pivot(
        index="run", columns="algorithm", values="accuracy"
    )
    with pytest.raises(bc.InputError, match="pair them by run"):
        bc.compare(bc.Scores(wide, metric="accuracy"), rope=0.01)


def test_numbers_of_runs_do_not_enter():
    """Runs numbered in another order, or by no common number, are the same runs."""
    table = long("seed", 6, 4)
    own = bc.compare(table, rope=0.01, seed=1).verdict().probabilities
    shuffled = table.assign(
        seed=table.groupby(["dataset", "algorithm"])["seed"].shift(-1, fill_value=0)
    )
    apart = table.assign(seed=table["seed"] + 100 * (table["algorithm"] == "svm"))
    for other in (shuffled.sort_values("seed"), apart):
        posterior = bc.compare(other, "knn", "svm", rope=0.01, seed=1)
        assert posterior.verdict().probabilities == pytest.approx(own, abs=1e-9)
    assert not any("declare" in note for note in posterior.notes)  # they cannot pair


def test_runs_are_never_paired_where_a_test_needs_pairs():
    """Tests of paired scores, a correlation, differences and blocks refuse runs."""
    table = long("seed", 6, 4)
    undeclared, declared = bc.Scores(table), bc.Scores(table, resampling="runs")
    for scores, stated in (
        (undeclared, "pair them by seed"),
        (declared, "independent runs, as declared"),
    ):
        for ask in (
            lambda s: s.differences("knn", "svm"),
            lambda s: bc.compare(s, rope=0.01, test="correlated_t", dataset="d1"),
            lambda s: bc.compare(s, rope=0.01, test="robust_t", dataset="d1"),
            lambda s: bc.scores_blocks(s, dataset="d1"),
            lambda s: bc.crosscheck(s, rope=0.01, paired=True, progress=False),
        ):
            with pytest.raises(bc.InputError, match=stated):
                ask(scores)
    for rho in (0.0, 0.1):
        with pytest.raises(bc.InputError, match="independent runs, as declared"):
            declared.differences("knn", "svm", rho=rho)
        with pytest.raises(bc.InputError, match="independent runs, as declared"):
            bc.scores_blocks(declared, dataset="d1", rho=rho)
    means = bc.compare(undeclared, rope=0.01, test="signed_rank", seed=1)
    assert means.pairing == "paired by data set"
    assert bc.compare_all(undeclared, rope=0.01).frame["pairing"].tolist() == [
        "not paired: independent runs"
    ]


def test_right_and_wrong_answers_are_not_taken_as_runs():
    table = long("trial", 6, 4)
    table = table.assign(accuracy=(table["accuracy"] > 0.8).astype(float))
    with pytest.raises(bc.InputError, match="pair them by trial"):
        bc.compare(table, rope=0.01)
    assert bc.compare(bc.Scores(table, resampling="runs"), rope=0.01).pairing.startswith("not")


def test_commands_state_it(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    TRIALS.to_csv("trials.csv", index=False)
    long("seed", 6, 3).to_csv("seeds.csv", index=False)
    MEANS.assign(gbm=0.7).reset_index().to_csv("means.csv", index=False)
    labels = ("trials.csv", "trial", "independent"), ("seeds.csv", "seed", "seeds")
    for name, label, design in labels:
        asked = ["compare", name, "--rope", "0.01"]
        assert main([*asked, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["pairing"] == "not paired: independent runs"
        assert main(asked) == 0
        printed = " ".join(capsys.readouterr().out.split())
        options = re.search(f"--resampling {design}|$", printed).group().split()
        assert main([*asked, *options, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["pairing"] == f"paired by {label}"
    assert main(["crosscheck", "seeds.csv", "--rope", "0.01"]) == 0
    assert "not paired: independent runs" in " ".join(capsys.readouterr().out.split())
    means = ["means.csv", "--metric", "accuracy"]
    assert main(["rank", *means]) == 0
    assert "paired by data set" in capsys.readouterr().out
    assert main(["rank", *means, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["omnibus"]["pairing"] == "paired by data set"
