"""The first screen: who leads, what stays open, what can't be trusted."""

from __future__ import annotations

import html
import warnings

import pytest

import bayescmp as bc
from bayescmp.comparison.sentences import ADVICE, leads
from bayescmp.text import counted
from tests.report.conftest import QUIET
from tests.report.test_content import embedded

pytestmark = pytest.mark.usefixtures("without_pictures")


@pytest.fixture(scope="module")
def check(plain):
    return bc.crosscheck(plain, "accuracy", 0.02, **QUIET)


def test_the_leader_is_set_against_each_other_as_the_verdicts_say(text, check):
    comparisons = check.comparisons["accuracy"]
    leader, *others = comparisons.order
    opening = embedded(text)["metrics"][0]["opening"]
    words = {"first": "better than", "equivalent": "equivalent to", "second": "worse than"}
    assert opening["leads"].startswith(f"{leader} leads: ")
    for name in others:
        decision = comparisons.verdict(leader, name).decision
        phrase = next(p for p in opening["leads"].split(";") if name in p)
        assert words.get(decision, "undecided against") in phrase
    best = comparisons.best.ranking("next").index[0]
    assert f"on the next data set: {best} (" in opening["best"]


def test_the_two_best_by_rank_say_under_what_their_verdict_holds(text, plain):
    holds = embedded(text)["metrics"][0]["opening"]["holds"]
    ranks = bc.frequentist.average_ranks(plain.means("accuracy")).frame.index
    assert {holds["first"], holds["second"]} == set(ranks[:2])
    assert " under every change of " in holds["text"] or "it changes with" in holds["text"]
    assert holds["text"] in html.unescape(text)


def test_open_pairs_stand_under_their_cause_with_advice(text, check):
    opening = embedded(text)["metrics"][0]["opening"]
    undecided = check.pairs[check.pairs["decision"] == "undecided"]
    shown = {(p["first"], p["second"]): o["cause"] for o in opening["open"] for p in o["pairs"]}
    assert shown == {(r.first, r.second): r.cause for r in undecided.itertuples()}
    assert all(o["advice"] == ADVICE[o["cause"]] and o["advice"] in text for o in opening["open"])


def test_what_can_not_be_trusted_is_said_in_every_format(plain, tmp_path):
    """Chains that are too short: the terminal warned of them, and the page has to."""
    files = [tmp_path / f"r.{kind}" for kind in ("html", "md", "tex")]
    options = {"rope": 0.02, "metric": "accuracy", "algorithms": ["knn", "svm"], "seed": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.DiagnosticWarning)
        with unconverged():
            bc.report(plain, files, progress=False, engine="quadrature", **options)
    for file in files:
        assert "1 of 1 pair can" in file.read_text(encoding="utf-8")
    assert "the grid is too coarse" in files[0].read_text(encoding="utf-8")


def unconverged():
    """Every posterior by the grid reports a failure."""
    from unittest import mock

    from bayescmp.comparison.results import PairResult

    return mock.patch.object(
        PairResult, "trouble", property(lambda _: ("the grid is too coarse",))
    )


def test_an_order_in_which_nothing_is_decided_is_no_lead(plain):
    check = bc.crosscheck(plain, "accuracy", 0.02, datasets=["iris"], threshold=0.9999, **QUIET)
    comparisons = check.comparisons["accuracy"]
    assert not any(r.verdict.decided for r in comparisons.results.values())
    assert leads(comparisons).startswith(f"No lead is decided: {comparisons.order[0]} comes first")


def test_each_metric_has_a_ladder_of_its_own(gathered):
    ladders = [metric["opening"]["ladder"]["svg"] for metric in gathered["metrics"]]
    assert [f'"ladder-{i + 1}-title"' in svg for i, svg in enumerate(ladders)] == [True, True]
    for svg in ladders:
        assert "Ladder of 3 algorithms: " in svg
        assert " of 3 pairs decided." in svg
    assert "From best to worst: svm, gbm, knn." in ladders[0]


def test_open_pairs_link_to_themselves(gathered, crosschecked):
    for metric in gathered["metrics"]:
        pairs = {(p["first"], p["second"]): p["id"] for p in gathered["pairs"]}
        opening = metric["opening"]
        shown = [p for o in opening["open"] for p in o["pairs"]]
        assert all(pairs[p["first"], p["second"]] == p["id"] for p in shown)
        counts = [counted(len(o["pairs"]), "pair") for o in opening["open"]]
        assert [o["count"] for o in opening["open"]] == counts
        assert (opening["untrusted"], opening["warning"]) == ([], "")
