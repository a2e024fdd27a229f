"""What many verdicts say together."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from bayescmp.comparison.sentences import (
    explained,
    intransitive,
    leads,
    named,
    open_pairs,
    setting,
    together,
    warning,
)
from tests.plots.scenes import comparisons

NAMES = ("a", "b", "c", "d")


@pytest.fixture(scope="module")
def result():
    return comparisons(NAMES)


def test_the_leader_and_those_it_is_compared_with(result):
    assert leads(result).startswith("d leads: practically better than ")
    assert all(name in leads(result) for name in NAMES)


def test_open_pairs_are_all_that_are_undecided(result):
    undecided = {p for p, r in result.results.items() if not r.verdict.decided}
    assert {p for o in open_pairs(result) for p in o.pairs} == undecided


def test_counts_add_up_to_all_pairs(result):
    decided = sum(r.verdict.decided for r in result.results.values())
    assert f"Of 6 pairs: one is better in {decided}," in explained(result)
    assert f"undecided {6 - decided}." in explained(result)


def test_a_pair_that_failed_is_a_caution(result):
    results = dict(result.results)
    del results["a", "b"]
    failed = replace(result, results=results, failures={("a", "b"): ValueError("no")})
    assert warning(failed) == "1 of 6 pairs could not be compared"
    assert "Caution: 1 of 6 pairs could not be compared." in explained(failed)
    assert warning(result) == ""


def test_the_setting_names_metric_test_rope_and_threshold(result):
    assert setting(result) == "accuracy by the signed-rank test, rope ±0.01, threshold 0.95"


def test_many_names_are_counted():
    assert named(["a", "b"]) == "a and b"
    assert named([f"a{i}" for i in range(9)]) == "a0, a1, a2, a3, a4, a5 and 3 more"


def decided(*decisions):
    """Comparisons of knn, gbm and svm, in this order, that were decided so."""
    pairs = [("knn", "gbm"), ("gbm", "svm"), ("knn", "svm")]
    results = {
        pair: SimpleNamespace(verdict=SimpleNamespace(decision=d), trouble=())
        for pair, d in zip(pairs, decisions, strict=True)
        if d is not None
    }
    turned = {"first": "second", "second": "first"}

    def verdict(a, b):
        if (a, b) in results:
            return results[a, b].verdict
        decision = results[b, a].verdict.decision
        return SimpleNamespace(decision=turned.get(decision, decision))

    return SimpleNamespace(
        order=("knn", "gbm", "svm"), results=results, verdict=verdict, failures={}
    )


@pytest.mark.parametrize(
    ("decisions", "odd", "words"),
    [
        (("first", "first", "first"), [], "are not a joint statement."),
        (("first", "first", "undecided"), [], "are not a joint statement."),
        (("first", "first", None), [], "are not a joint statement."),
        (("equivalent", "equivalent", "first"), [], "are not a joint statement."),
        (("first", "first", "equivalent"), [("knn", "gbm", "svm")],
         "knn is better than gbm and gbm than svm, yet knn is equivalent to svm."),
        (("first", "first", "second"), [("knn", "gbm", "svm")],
         "knn is better than gbm and gbm than svm, yet svm is better than knn."),
        (("second", "second", "equivalent"), [("svm", "gbm", "knn")],
         "svm is better than gbm and gbm than knn, yet svm is equivalent to knn."),
    ],
)  # fmt: skip
def test_where_pairs_are_not_transitive(decisions, odd, words):
    comparisons = decided(*decisions)
    assert intransitive(comparisons) == odd
    assert together(comparisons).endswith(words)


def test_that_pairs_are_no_joint_statement_is_said_of_several(result):
    assert "the decisions are not a joint statement." in explained(result)
    first = dict([next(iter(result.results.items()))])
    assert together(replace(result, results=first)) == ""
