"""The report's part on several metrics together."""

from __future__ import annotations

import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.report.pairs import several
from bayescmp.study.crosscheck import TWINS
from tests.report.conftest import embedded

pytestmark = pytest.mark.usefixtures("without_pictures")

QUIET = {"seed": 1, "engine": "quadrature", "progress": False}


def test_several_metrics(tmp_path):
    rng = np.random.default_rng(2)
    rows = []
    for dataset in ("one", "two"):
        for fold in range(1, 21):
            for name, (tpr, fpr) in {"plain": (0.8, 0.2), "shy": (0.7, 0.1)}.items():
                tp, fp = rng.binomial(50, tpr), rng.binomial(50, fpr)
                counts = {"tp": tp, "fn": 50 - tp, "fp": fp, "tn": 50 - fp}
                rows.append({"dataset": dataset, "algorithm": name, "fold": fold, **counts})
    scores = pd.DataFrame(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.DiagnosticWarning)
        file, markdown, latex = bc.report(
            scores,
            [tmp_path / f"r.{kind}" for kind in ("html", "md", "tex")],
            rope={"error": 0.02, "tpr": 0.02, "fpr": 0.02},
            metric="error",
            metrics=["tpr", "fpr"],
            **QUIET,
        )
        frame = bc.crosscheck(
            scores,
            "error",
            {"error": 0.02, "tpr": 0.02, "fpr": 0.02},
            metrics=["tpr", "fpr"],
            **QUIET,
        ).frame
    text = file.read_text(encoding="utf-8")
    several = embedded(text)["several"]
    assert several["agreement"] == {"both": 0, "joint": 2, "single": 0, "none": 0, "failed": 0}
    assert several["pairs"][0]["trade_off"] == 2
    joint = frame[frame["metric"] == "tpr, fpr"]
    place = several["columns"].index("pvalue")
    assert [r[place] for r in several["rows"]] == list(joint["pvalue"])
    assert "significant only in (tpr, fpr) together" in text
    assert "<h1>2 algorithms compared by error, tpr, fpr</h1>" in text
    assert "Differences in fpr within ±0.02 count as practically equivalent." in text
    assert "of folds, taking differences within ±0.02 in tpr and ±0.02 in fpr as" in text
    assert "Hotelling" in text
    assert "Yıldız et al. 2011" in text
    assert "| plain | shy | 0 | 0 | 0 | 2 | 0 | 2 | 2 | 0 |" in markdown.read_text(
        encoding="utf-8"
    )
    assert r"plain & shy & 0 & 0 & 0 & 2 & 0 & 2 \\" in latex.read_text(encoding="utf-8")


def test_metrics_that_are_compared_alone_have_their_ropes_said_once(tmp_path):
    """And the tests that are named are those of several metrics, with their sources."""
    rng = np.random.default_rng(7)
    frame = pd.DataFrame({"fold": np.tile(np.arange(10), 2), "algorithm": ["a"] * 10 + ["b"] * 10})
    frame = frame.assign(**{m: rng.uniform(0.6, 0.9, 20) for m in ("recall", "precision")})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.DiagnosticWarning)
        file = bc.report(
            frame, tmp_path / "r.md", rope=0.02, metrics=["recall", "precision"], **QUIET
        )
    text = file.read_text(encoding="utf-8").replace("\\", "")
    assert "and precision (higher is better), from 10 scores of each (correlation of" in text
    assert (
        "On each data set recall and precision were also compared jointly, by the Bayesian "
        "multivariate correlated t test beside Hotelling's paired test corrected for the overlap "
        "of folds (Corani & Benavoli 2015; Yıldız et al. 2011; Nadeau & Bengio 2003)."
    ) in text


#: By data set and pair: whether the test of both metrics rejects, those of each, and what that is.
AGREEMENTS = [
    ("one", ("a", "b"), True, (False, True), "both"),
    ("two", ("a", "b"), True, (False, False), "joint"),
    ("one", ("a", "c"), False, (True, False), "single"),
    ("two", ("a", "c"), False, (False, False), "none"),
    ("one", ("b", "c"), None, (True, True), "failed"),
    ("two", ("b", "c"), True, (), "joint"),
]

DECISIONS = {"one": "undecided", "two": "borderline"}


def joint_rows():
    """Rows of a cross-check; tests other than the data set's own reject throughout."""
    twin = next(t for t in TWINS if t.scope == "dataset")
    other = [
        (twin.bayesian, twin.frequentist, "datasets"),
        (twin.bayesian, "wilcoxon", "dataset"),
        (twin.bayesian, "bouckaert", "dataset"),
        ("zero", twin.frequentist, "dataset"),
    ]
    blank = dict.fromkeys(
        ["p_left", "p_rope", "p_right", "p_trade_off", "statistic", "pvalue", "adjusted"], 0.5
    ) | dict.fromkeys(["agreement", "words", "error"], "")
    for dataset, (first, second), joint, single, _ in AGREEMENTS:
        pair = {
            **blank,
            "dataset": dataset,
            "first": first,
            "second": second,
            "decision": DECISIONS[dataset],
        }
        tests = [("multivariate_t", "hotelling_paired", "metrics", "x, y", joint)]
        tests += [
            (twin.bayesian, twin.frequentist, "dataset", m, s)
            for m, s in zip("xy", single, strict=False)
        ]
        tests += [(*test, "x", True) for test in other]
        for bayesian, frequentist, scope, metric, rejects in tests:
            yield {
                **pair,
                "bayesian": bayesian,
                "frequentist": frequentist,
                "scope": scope,
                "metric": metric,
                "significant": rejects,
            }


def test_where_together_and_alone_lead_to_different_answers():
    question = SimpleNamespace(
        joint=("x", "y"),
        joint_name="x, y",
        metrics=("x", "y"),
        twins=TWINS,
        pairs=[("a", "b"), ("a", "c"), ("b", "c")],
    )
    actual = several(question, SimpleNamespace(rows=tuple(joint_rows())))
    kinds = [kind for *_, kind in AGREEMENTS]
    assert actual["agreement"] == {
        kind: kinds.count(kind) for kind in ("both", "joint", "single", "none", "failed")
    }
    assert [(d["dataset"], d["first"], d["second"]) for d in actual["disagreements"]] == [
        (dataset, *pair) for dataset, pair, *_, kind in AGREEMENTS if kind in ("joint", "single")
    ]
    assert [p["id"] for p in actual["pairs"]] == ["pair-1", "pair-2", "pair-3"]
    assert [
        (
            p["first"],
            p["second"],
            p["only_joint"],
            p["only_single"],
            p["significant"],
            p["undecided"],
        )
        for p in actual["pairs"]
    ] == [
        ("a", "b", 1, 0, 2, 2),
        ("a", "c", 0, 1, 0, 2),
        ("b", "c", 1, 0, 1, 2),
    ]


def test_metrics_that_were_compared_alone_have_no_part_together():
    assert several(SimpleNamespace(joint=()), SimpleNamespace(rows=())) is None


def test_rows_of_all_metrics_are_kept_whole_and_plain():
    """Numbers that are none become nothing, and only rows of the metrics together are there."""
    question = SimpleNamespace(
        joint=("x", "y"), joint_name="x, y", metrics=("x",), twins=TWINS, pairs=[("a", "b")]
    )
    rows = list(joint_rows())
    rows[0] = {**rows[0], "statistic": float("inf"), "pvalue": float("nan"), "adjusted": 0.04}
    whole = several(question, SimpleNamespace(rows=tuple(rows)))
    table = [dict(zip(whole["columns"], row, strict=True)) for row in whole["rows"]]
    together = [r for r in rows if r["metric"] == "x, y"]
    assert len(table) == len(together) == len(AGREEMENTS)
    assert (table[0]["statistic"], table[0]["pvalue"], table[0]["adjusted"]) == (None, None, 0.04)
    assert table[1] == {k: together[1][k] for k in whole["columns"]}
    assert (whole["metrics"], whole["single"]) == (["x", "y"], ["x"])


def test_outcomes_of_a_pair_are_counted_over_data_sets():
    decisions = [
        "first",
        "equivalent",
        "second",
        "second",
        "trade-off",
        "undecided",
        "borderline",
        "failed",
        "failed",
    ]
    one = next(joint_rows())
    rows = [
        {**one, "dataset": str(i), "decision": d, "significant": d == "second"}
        for i, d in enumerate(decisions)
    ]
    rows.append({**rows[0], "first": "b", "second": "a"})
    question = SimpleNamespace(
        joint=("x", "y"),
        joint_name="x, y",
        metrics=("x",),
        twins=TWINS,
        pairs=[("a", "b"), ("b", "a")],
    )
    pair, turned = several(question, SimpleNamespace(rows=tuple(rows)))["pairs"]
    assert {k: v for k, v in pair.items() if isinstance(v, int)} == {
        "better_first": 1,
        "equivalent": 1,
        "better_second": 2,
        "trade_off": 1,
        "undecided": 2,
        "failed": 2,
        "significant": 2,
        "only_joint": 2,
        "only_single": 0,
    }
    assert (turned["id"], turned["better_first"], turned["undecided"]) == ("pair-2", 1, 0)
