"""Pairs in a report: which are shown in full, on each data set, and adjusted."""

from __future__ import annotations

import json
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp import bayesian
from bayescmp.base.typing import as_json
from bayescmp.catalogue import frequentist_test
from bayescmp.present.paper import split_paragraphs
from bayescmp.report import opening
from bayescmp.report.build import render_report
from bayescmp.report.content import gather
from bayescmp.report.opening import (
    MOST,
    further_datasets,
    in_full,
    leading_pair,
    needed_of,
    rule,
    shows_details,
)
from bayescmp.report.pairs import adjust_singles, by_row, named_rows, singles_of
from bayescmp.study.crosscheck import rows as drafts
from bayescmp.study.crosscheck.check import compare_each_pair
from bayescmp.study.crosscheck.results import count_wins
from bayescmp.study.question import Twin
from bayescmp.summaries.sensitivity import describe_changes, describe_fragility
from bayescmp.summaries.verdict import list_odds, tabulate_outcomes
from tests.report.conftest import QUIET, plan_of, scores_of
from tests.rows import each_row

# Tests on each data set by itself, adjusted over the pairs: those of the cross-check.


FRAME = pd.DataFrame({"knn": [0.5, np.nan], 3: [1.0, np.inf]}, index=["iris", "wine"])


def test_numbers_are_plain():
    for value, plain in [
        (np.float64(0.25), 0.25),
        (np.float32(0.5), 0.5),
        (np.nan, None),
        (-np.inf, None),
        (np.int64(3), 3),
        (np.bool_(True), True),
        ("svm", "svm"),
        (None, None),
    ]:
        assert as_json(value) == plain
        assert type(as_json(value)) is type(plain)


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
        assert part["explained"] == split_paragraphs(verdict.explain("paper"))
        assert part["labels"] == {r: verdict.label(r) for r in verdict.probabilities}
        assert part["odds"] == list_odds(verdict)
        assert part["columns"] == tabulate_outcomes(verdict)
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
    changes = post.sensitivity(threshold=0.95, datasets=False)
    fragility = post.fragility(threshold=0.95, most=3, seconds=3600)
    sentences = [*describe_changes(changes, briefly=True), *describe_fragility(fragility)]
    assert part["holds"] == " ".join(sentences)
    assert whole["metrics"][0]["sensitive"] is True
    assert (part["metric"], part["test"]) == ("accuracy", "hierarchical_t")
    assert part["direction"] == "accuracy ↑"
    assert part["prior_bounds"] == dict(post.prior_bounds)
    assert part["columns"] == tabulate_outcomes(verdict)
    assert (part["floor"], part["decided"]) == (verdict.floor, verdict.decided)
    assert part["outcome"].startswith(str(verdict).partition("  ")[0])
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
    page = render_report(few, "html")
    assert page.count("<summary>Numbers for each data set") == 1
    assert '<th scope="col" class="n">measured</th><th scope="col" class="n">corrected t' in page
    asked = gather(question, title="T", progress=False, most=1, pictures=False)
    (part,) = next(pair["parts"] for pair in asked["pairs"] if pair["full"])
    assert {"mean", "low", "high", "p_rope"} <= set(part["datasets"][0])


COLUMNS = ["dataset", "statistic", "pvalue", "adjusted", "significant", "favours"]


def rows_of(question):
    parts = compare_each_pair(needed_of(question), progress=False, brief=question.pairs)
    return adjust_singles(question, {part.pair: singles_of(question, part) for part in parts})


@each_row("test", ["corrected_t", "paired_t"])
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
        assert count_wins(rows) == counts.loc[pair].to_dict()


def test_one_data_set_has_none(plain):
    question = plan_of(plain, "accuracy", 0.02, datasets=["iris"])
    (first, *_) = compare_each_pair(question, progress=False)
    assert singles_of(question, first) == {}


def test_a_test_that_fails_on_a_data_set_is_neither_and_adjusts_nothing(plain):
    question = plan_of(plain, "accuracy", 0.02, alpha=0.05)
    pair, other = question.pairs[:2]
    low = drafts.FrequentistFacts(3.0, 0.03, "second")
    singles = {pair: {"iris": low}, other: {"iris": None}}
    rows = adjust_singles(question, singles)
    assert rows[pair] == [
        {
            "dataset": "iris",
            "statistic": 3.0,
            "pvalue": 0.03,
            "adjusted": 0.03,
            "significant": True,
            "favours": "second",
        }
    ]
    assert rows[other] == [dict.fromkeys(COLUMNS) | {"dataset": "iris"}]
    assert count_wins(rows[pair]) == {"for_first": 0, "for_second": 1, "neither": 0}
    assert count_wins(rows[other]) == {"for_first": 0, "for_second": 0, "neither": 1}
    endless = adjust_singles(
        question, {pair: {"iris": drafts.FrequentistFacts(np.inf, 0.0, "first")}}
    )
    assert endless[pair][0]["statistic"] is None  # JSON has no infinity


# What a report shows: which pairs in full, and how many more data sets would decide.


NAMES = tuple("abcdef")  # of rising skill


def leading_by(metric):
    return plan_of(scores_of(NAMES), metric, 0.02)


@pytest.fixture(scope="module")
def question():
    return leading_by("accuracy")


def test_pairs_among_the_best_mean_ranks(question):
    for most, leading in [(0, ""), (2, "ef"), (3, "def"), (9, "cdef")]:
        shown = in_full(question, most)
        assert {name for pair in shown for name in pair} == set(leading)
        assert len(shown) == len(leading) * (len(leading) - 1) // 2 <= most
        assert f"of {len(question.pairs)} in all" in rule(question, most)


def test_all_where_there_are_few_and_nothing_is_said(question):
    assert in_full(question, 15) == list(question.pairs)
    assert rule(question, 15) == rule(question, None) == ""
    many = list(combinations(range(30), 2))
    assert rule(SimpleNamespace(pairs=many), len(many)) == ""


def test_losses_lead_by_the_lowest():
    question = leading_by("log_loss")
    ranks = question.scores.means("log_loss").rank(axis=1).mean()
    assert {name for pair in in_full(question, 3) for name in pair} == set(
        ranks.nsmallest(3).index
    )


def test_the_first_metric_leads_and_is_named():
    question = leading_by(["log_loss", "accuracy"])
    assert "of the best mean rank in log_loss, of 15 in all, are shown" in rule(question, 3)
    none = "No pair in log_loss, of 15 in all, is shown in full; the others are in the tables"
    assert rule(question, 0).startswith(f"{none} above. Only ")


@each_row("metric", ["accuracy", "log_loss"])
def test_the_leading_pair_is_that_of_the_two_best_mean_ranks(metric):
    question = leading_by(metric)
    ranks = question.scores.means(metric).rank(axis=1, ascending=metric == "log_loss").mean()
    pair = leading_pair(question)
    assert set(pair) == set(ranks.nsmallest(2).index)
    assert pair in question.pairs


@each_row("k", [2, 8])
def test_so_many_algorithms_have_so_many_pairs(k):
    """Nine algorithms: so many of them lead as have no more pairs."""
    nine = plan_of(scores_of("abcdefghi"), "accuracy", 0.02)
    pairs = k * (k - 1) // 2
    assert len(in_full(nine, pairs)) == pairs
    assert len(in_full(nine, pairs - 1)) == (k - 1) * (k - 2) // 2


def test_one_rule_for_one_pair_and_for_many(question):
    assert rule(question, 3) == (
        "The 3 pairs among the 3 algorithms of the best mean rank in accuracy, of 15 in all, are "
        "shown in full; the others are in the tables above. Only a pair in full has figures, "
        "estimates for each data set, the other Bayesian tests and a check of whether the model "
        "explains the data."
    )
    assert rule(question, 1).startswith(
        "The pair of the 2 algorithms of the best mean rank in accuracy, of 15 in all, is shown "
    )


def test_what_a_pair_in_full_has_on_one_data_set():
    question = plan_of(scores_of(NAMES), "accuracy", 0.02, datasets=["iris"])
    assert rule(question, 3).endswith(
        " Only a pair in full has figures and a check of whether the model explains the data."
    )


@each_row(("algorithms", "pairs"), [(8, 28), (9, 1)])
def test_of_more_than_eight_algorithms_the_leading_pair_alone(algorithms, pairs):
    question = plan_of(scores_of("abcdefghi"[:algorithms]), "accuracy", 0.02)
    shown = in_full(question, None)
    assert len(shown) == pairs
    assert leading_pair(question) in shown


def test_many_algorithms_on_many_data_sets_are_not_estimated_on_each():
    """Unless somebody says how many pairs to show in full; the page says so."""
    for algorithms, datasets, most, each in [
        (8, 31, None, True),
        (9, 30, None, True),
        (9, 31, None, False),
        (9, 31, 1, True),
    ]:
        rng = np.random.default_rng(1)
        means = pd.DataFrame(
            rng.uniform(size=(datasets, algorithms)), columns=list("abcdefghi"[:algorithms])
        )
        question = plan_of(bc.Scores.from_means(means, metric="accuracy"), "accuracy", 0.02)
        assert shows_details(question, most) is each
        assert ("estimates for each data set, the other" in rule(question, most)) == (
            each and algorithms > 8
        )
        asked = (
            " Estimates for each of more than 30 data sets, and a ROPE curve, are shown when "
            "in_full is set."
        )
        assert rule(question, most).endswith(asked) is not each


def test_over_several_data_sets_only_what_is_shown_is_computed(question):
    """Metrics together are set beside p-values on each data set, which need no twins."""
    assert {t.scope for t in needed_of(question).twins} == {"datasets", "table"}
    both = leading_by(["accuracy", "log_loss"])
    scopes = [t.scope for t in needed_of(both).twins if t.scope not in ("datasets", "table")]
    assert scopes == ["metrics", "groups_metrics"]
    one = plan_of(scores_of(NAMES), "accuracy", 0.02, datasets=["iris"])
    assert needed_of(one) is one
    alone = plan_of(
        scores_of(NAMES),
        "accuracy",
        0.02,
        twins=[t for t in question.twins if t.scope == "dataset"],
    )
    assert needed_of(alone) is alone


def rows(seed: int) -> np.ndarray:
    """Six data sets whose mean lies a little beyond the rope."""
    rng = np.random.default_rng(seed)
    return rng.normal(0.013, 0.008, (6, 1)) + rng.normal(0, 0.004, (6, 10))


def verdict_on(x: np.ndarray):
    return bayesian.hierarchical_t(x, rho=0.1, rope=0.01, engine="quadrature").verdict()


def test_so_many_data_sets_like_those_at_hand_reach_the_threshold():
    """The rows again and again are data sets like those at hand."""
    seed = 4
    x = rows(seed)
    now = verdict_on(x)
    more = further_datasets(now, len(x))
    assert now.decision == "undecided"
    assert more is not None
    then = verdict_on(np.concatenate([x] * round(1 + more / len(x))))
    assert max(then.probabilities.values()) == pytest.approx(now.threshold, abs=0.01)


def test_the_likeliest_outcome_has_to_be_likelier_than_not():
    means = [0.02] * 4 + [-0.02] * 4 + [0.0] * 4
    undecided = bayesian.sign(means, rope=0.01, seed=1, prior=0.01).verdict()
    assert max(undecided.probabilities.values()) < 0.5
    assert further_datasets(undecided, 12) is None


def test_more_than_twenty_times_as_many_are_no_plan():
    verdict = bayesian.correlated_t(
        [0.011, 0.02, 0.001, 0.0105], rho=0.2, rope=0.01, names=("a", "b")
    ).verdict()
    p = max(verdict.probabilities.values())
    assert 0.5 < p < 0.6
    assert further_datasets(verdict, 4) is None
    assert MOST == 20
