"""What the rows say: each judgement and its sentence."""

from __future__ import annotations

import pytest

from bayescmp.crosscheck.words import (
    AGREEMENTS,
    agreement,
    counted,
    in_words,
    joint_words,
    two_digits,
)


def row(decision, significant, favours="second", p=(0.1, 0.2, 0.7), trade_off=float("nan")):
    return {
        "first": "A", "second": "B", "p_left": p[0], "p_rope": p[1], "p_right": p[2],
        "p_trade_off": trade_off, "decision": decision, "significant": significant,
        "favours": favours, "agreement": agreement(decision, significant, favours), "error": "",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("given", "code", "words"),
    [
        (row("second", True), "agree", "both: B better"),
        (row("first", True, "first"), "agree", "both: A better"),
        (row("equivalent", True), "significant_equivalent",
         "significant, but practically equivalent"),
        (row("undecided", False), "open", "not significant, and undecided: too little data"),
        (row("equivalent", False, p=(0.01, 0.97, 0.02)), "equivalent",
         "not significant, yet equivalent with probability 0.97"),
        (row("undecided", True, p=(0.0, 0.36, 0.64)), "significant_undecided",
         "significant, but undecided whether the lead of B matters: better with probability 0.64, "
         "equivalent with 0.36"),
        (row("undecided", True, p=(0.3, 0.01, 0.69)), "significant_undecided",
         "significant, but undecided: B better with probability 0.69"),
        (row("undecided", True, ""), "significant_undecided", "significant, but undecided"),
        (row("second", False, p=(0.0, 0.04, 0.96)), "decided_only",
         "not significant, yet B better with probability 0.96"),
        (row("second", True, "", trade_off=0.01), "agree", "significant, and B dominates"),
        (row("first", True, "second"), "contradict",
         "significant for B, yet A practically better"),
        (row("trade-off", True, "", trade_off=0.98), "trade_off",
         "significant; better on one metric and worse on another with probability 0.98"),
        (row("failed", True), "failed", "not compared"),
        (row("second", None), "failed", "not compared"),
    ],
)  # fmt: skip
def test_words(given, code, words):
    assert given["agreement"] == code
    assert code in AGREEMENTS
    assert in_words(given) == words


def test_why_it_failed_is_said():
    given = {**row("failed", None), "error": "folds don't pair"}
    assert in_words(given) == "not compared: folds don't pair"


@pytest.mark.parametrize(
    ("p", "text"),
    [(0.974, "0.97"), (0.9951, "over 0.99"), (1.0, "over 0.99"), (0.004, "under 0.01"),
     (0.0, "under 0.01"), (float("nan"), "unknown")],
)  # fmt: skip
def test_probabilities_never_say_more_than_is_known(p, text):
    assert two_digits(p) == text


def test_other_tests_that_disagree_are_counted_once():
    def of(name, significant, adjusted):
        return {"frequentist": name, "significant": significant, "adjusted": adjusted}

    main = of("wilcoxon", True, 0.01)
    rows = [main, of("wilcoxon", True, 0.01), of("sign_test", False, 0.216),
            of("friedman", False, 0.8), of("sign_test", False, 0.216)]  # fmt: skip
    assert counted(rows) == "not significant by sign test and Friedman (p = 0.22, 0.8)"
    assert counted([main]) == ""
    quiet = of("wilcoxon", False, 0.2)
    assert counted([quiet, of("quade", True, 0.031)]) == "significant by Quade (p = 0.031)"


@pytest.mark.parametrize(
    ("joint", "single", "words"),
    [
        (True, {"error": False}, "difference only in (tpr, fpr)"),
        (False, {"error": True}, "difference only in error, not in (tpr, fpr)"),
        (True, {"error": True}, ""),
        (False, {"error": False}, ""),
        (None, {"error": True}, ""),
        (True, {}, ""),
        (True, {"tpr": False, "fpr": True}, ""),
    ],
)
def test_joint_words(joint, single, words):
    assert joint_words(joint, single, ("tpr", "fpr")) == words
