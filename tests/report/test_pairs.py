"""Tests on each data set by itself, adjusted over the pairs: those of the cross-check."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.catalogue import frequentist_test
from bayescmp.report import opening
from bayescmp.report.build import rendered
from bayescmp.report.content import gather
from bayescmp.report.opening import leading_pair, needed_of
from bayescmp.report.pairs import adjusted, by_row, named_rows, number, singles_of, wins
from bayescmp.study.crosscheck import rows as drafts
from bayescmp.study.crosscheck.check import compared
from bayescmp.study.question import Twin
from tests.report.conftest import QUIET, plan_of

FRAME = pd.DataFrame({"knn": [0.5, np.nan], 3: [1.0, np.inf]}, index=["iris", "wine"])


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (np.float64(0.25), 0.25),
        (np.float32(0.5), 0.5),
        (np.nan, None),
        (-np.inf, None),
        (np.int64(3), 3),
        (np.bool_(True), True),
        ("svm", "svm"),
        (None, None),
    ],
)
def test_numbers_are_plain(value, plain):
    assert number(value) == plain
    assert type(number(value)) is type(plain)


def test_tables_go_into_json_by_row():
    assert by_row(FRAME) == {"iris": {"knn": 0.5, "3": 1.0}, "wine": {"knn": None, "3": None}}
    assert named_rows(FRAME) == [
        {"name": "iris", "values": [0.5, 1.0]},
        {"name": "wine", "values": [None, None]},
    ]
    json.dumps([by_row(FRAME), named_rows(FRAME)], allow_nan=False)


def test_a_pair_in_full_is_put_into_words(plain):
    question = plan_of(plain, "accuracy", 0.02, options={"engine": "quadrature"})
    whole = gather(question, title="Three", progress=False, pictures=False)
    for pair in whole["pairs"]:
        part = pair["parts"][0]
        post = bc.compare(
            plain, pair["first"], pair["second"], "accuracy", 0.02, seed=1, engine="quadrature"
        )
        verdict = post.verdict()
        assert part["explained"] == verdict.explain()
        assert part["labels"] == {r: verdict.label(r) for r in verdict.probabilities}
        assert part["odds"] == verdict.odds_in_words()
        assert part["columns"] == verdict.columns()
        assert part["verdict"] == verdict.to_dict()
        assert part["diagnostics"] == str(post.diagnostics)


def test_a_block_is_what_the_posterior_says(plain):
    """Of two algorithms, with what their verdict hangs on, which takes a fit each."""
    seen = []
    two = plan_of(
        plain,
        "accuracy",
        0.02,
        algorithms=["knn", "svm"],
        datasets=["iris", "wine"],
        options={"engine": "quadrature"},
    )
    whole = gather(
        two, title="Two", progress=False, pictures=False, draw=seen.append, sensitivity=True
    )
    post = bc.compare(two.scores, "knn", "svm", "accuracy", 0.02, seed=1, engine="quadrature")
    verdict, part = post.verdict(), whole["pairs"][0]["parts"][0]
    assert [p.pair for p in seen] == [("knn", "svm")]
    assert part["sensitivity"] == post.sensitivity(threshold=0.95).explain()
    assert part["holds"] == post.sensitivity(threshold=0.95, datasets=False).brief()
    assert whole["metrics"][0]["sensitive"] is True
    assert (part["metric"], part["test"]) == ("accuracy", "hierarchical_t")
    assert part["direction"] == "accuracy ↑"
    assert part["prior_bounds"] == dict(post.prior_bounds)
    assert part["columns"] == verdict.columns()
    assert (part["floor"], part["decided"]) == (verdict.floor, verdict.decided)
    assert part["outcome"].startswith(verdict.headline if verdict.decided else verdict.decision)
    assert (part["engine"], part["engine_version"]) == (post.engine, post.engine_version)
    assert part["diagnostics"] == str(post.diagnostics)
    assert part["notes"] == list(dict.fromkeys(part["notes"]))
    assert any("two data sets" in note for note in part["notes"])
    assert part["seconds"] > 0
    summary = post.summary()
    assert list(part["summary"]) == list(summary.index)
    assert part["summary"]["delta0"]["mean"] == summary.loc["delta0", "mean"]
    json.dumps(whole, allow_nan=False)  # plain numbers, and none that is no number


def test_of_many_on_many_data_sets_the_leading_pair_has_its_outcome_alone(plain, monkeypatch):
    """Measured differences and p-values stay; a number of pairs asks for the rest as well."""
    monkeypatch.setattr(opening, "ALL", 2)
    monkeypatch.setattr(opening, "MANY", 3)
    question = plan_of(plain, "accuracy", 0.02, options={"engine": "quadrature"})
    few = gather(question, title="T", progress=False)
    assert [(p["first"], p["second"]) for p in few["pairs"] if p["full"]] == [
        leading_pair(question)
    ]
    (part,) = next(pair["parts"] for pair in few["pairs"] if pair["full"])
    x = plain.differences(*leading_pair(question), "accuracy")
    assert [r["observed"] for r in part["datasets"]] == x.means.tolist()
    assert [set(r) for r in part["datasets"]] == [{"dataset", "n", "observed"}] * 4
    assert set(part["figures"]) == {"simplex"}
    page = rendered(few, "html")
    assert page.count("<summary>Numbers for each data set") == 1
    assert '<th scope="col" class="n">measured</th><th scope="col" class="n">corrected t' in page
    asked = gather(question, title="T", progress=False, most=1, pictures=False)
    (part,) = next(pair["parts"] for pair in asked["pairs"] if pair["full"])
    assert {"mean", "low", "high", "p_rope"} <= set(part["datasets"][0])


COLUMNS = ["dataset", "statistic", "pvalue", "adjusted", "significant", "favours"]


def rows_of(question):
    parts = compared(needed_of(question), progress=False, brief=question.pairs)
    return adjusted(question, {part.pair: singles_of(question, part) for part in parts})


@pytest.mark.parametrize("test", ["corrected_t", "paired_t"])
def test_they_are_the_crosschecks(plain, test):
    """With a function for all data sets at once and without."""
    assert (frequentist_test(test, "dataset").by_row is None) == (test == "paired_t")
    twins = [Twin("hierarchical_t", "wilcoxon", "datasets"), Twin("correlated_t", test, "dataset")]
    question = plan_of(plain, "accuracy", 0.02, twins=twins, options={"engine": "quadrature"})
    check = bc.crosscheck(plain, "accuracy", 0.02, twins=twins, **QUIET)
    counts = check.pairs.set_index(["first", "second"])[["for_first", "for_second", "neither"]]
    for pair, rows in rows_of(question).items():
        expected = [{c: row[c] for c in COLUMNS} for row in check.on_datasets("accuracy", *pair)]
        assert rows == expected != []
        assert wins(rows) == counts.loc[pair].to_dict()


def test_one_data_set_has_none(plain):
    question = plan_of(plain, "accuracy", 0.02, datasets=["iris"])
    (first, *_) = compared(question, progress=False)
    assert singles_of(question, first) == {}


def test_a_test_that_fails_on_a_data_set_is_neither_and_adjusts_nothing(plain):
    question = plan_of(plain, "accuracy", 0.02, alpha=0.05)
    pair, other = question.pairs[:2]
    low = drafts.Test(3.0, 0.03, "second")
    singles = {pair: {"iris": low}, other: {"iris": None}}
    rows = adjusted(question, singles)
    assert rows[pair] == [
        {
            "dataset": "iris",
            "statistic": 3.0,
            "pvalue": 0.03,
            "adjusted": 0.03,
            "significant": True,
            "favours": "second",
        },
    ]
    assert rows[other] == [dict.fromkeys(COLUMNS) | {"dataset": "iris"}]
    assert wins(rows[pair]) == {"for_first": 0, "for_second": 1, "neither": 0}
    assert wins(rows[other]) == {"for_first": 0, "for_second": 0, "neither": 1}
    endless = adjusted(question, {pair: {"iris": drafts.Test(np.inf, 0.0, "first")}})
    assert endless[pair][0]["statistic"] is None  # JSON has no infinity
