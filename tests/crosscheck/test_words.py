"""What the rows say: each judgement and its sentence."""

from __future__ import annotations

import pytest

from bayescmp.crosscheck.words import (
    AGREEMENTS,
    agreement,
    in_words,
    joint_words,
    others_in_words,
)


def row(decision, significant, favours="second", p=(0.1, 0.2, 0.7), trade_off=float("nan"),
        cause="too little data", unadjusted=False, pvalue=0.2):  # fmt: skip
    return {
        "cause": cause, "unadjusted": unadjusted, "pvalue": pvalue,
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
         "not significant, yet equivalent with probability 0.970"),
        (row("undecided", True, p=(0.0, 0.36, 0.64)), "significant_undecided",
         "significant, but undecided whether the lead of B matters: better with probability "
         "0.640, equivalent with 0.360"),
        (row("undecided", True, p=(0.3, 0.01, 0.69)), "significant_undecided",
         "significant, but undecided: B better with probability 0.690"),
        (row("undecided", True, "first", p=(0.6, 0.3, 0.1)), "significant_undecided",
         "significant, but undecided whether the lead of A matters: better with probability "
         "0.600, equivalent with 0.300"),
        (row("undecided", True, ""), "significant_undecided", "significant, but undecided"),
        (row("second", False, p=(0.0, 0.04, 0.96)), "decided_only",
         "not significant, yet B better with probability 0.960"),
        (row("second", True, "", trade_off=0.01), "agree", "significant, and B dominates"),
        (row("first", True, "second"), "contradict",
         "significant for B, yet A practically better"),
        (row("second", True, "first"), "contradict",
         "significant for A, yet B practically better"),
        (row("trade-off", True, "", trade_off=0.98), "trade_off",
         "significant; better on one metric and worse on another with probability 0.980"),
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
    ("decision", "cause", "words"),
    [("undecided", "data sets differ", "undecided: data sets differ"),
     ("undecided", "", "undecided"), ("borderline", "", "borderline")],
)  # fmt: skip
def test_too_little_data_is_said_only_where_more_would_decide(decision, cause, words):
    assert in_words(row(decision, False, cause=cause)) == f"not significant, and {words}"


def test_borderline_is_open_too():
    given = row("borderline", True, p=(0.0, 0.05, 0.95))
    assert in_words(given) == (
        "significant, but borderline whether the lead of B matters: better with probability "
        "0.950, equivalent with 0.050"
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("second", (0.0, 0.04, 0.96)), "yet B better with probability 0.960"),
        (("equivalent", (0.0, 0.97, 0.03)), "yet equivalent with probability 0.970"),
        (("undecided", (0.1, 0.2, 0.7)), "and undecided: too little data"),
    ],
)
def test_adjusted_and_unadjusted_are_told_apart(given, words):
    """Verdicts are not adjusted: where adjusting makes the difference, the words say so."""
    decision, p = given
    alone = row(decision, False, p=p, unadjusted=True, pvalue=0.0213)
    assert in_words(alone) == f"not significant once adjusted (p = 0.021 alone), {words}"


def test_other_tests_that_disagree_are_others_in_words_once():
    def of(name, significant, adjusted):
        return {"frequentist": name, "significant": significant, "adjusted": adjusted}

    main = of("wilcoxon", True, 0.01)
    rows = [main, of("wilcoxon", True, 0.01), of("sign_test", False, 0.216),
            of("friedman", False, 0.8), of("sign_test", False, 0.216)]  # fmt: skip
    assert others_in_words(rows) == "not significant by sign test and Friedman (p = 0.22, p = 0.8)"
    assert others_in_words([main]) == ""
    quiet = of("wilcoxon", False, 0.2)
    assert others_in_words([quiet, of("quade", True, 0.031)]) == "significant by Quade (p = 0.031)"


@pytest.mark.parametrize(
    ("joint", "single", "words"),
    [
        (True, {"error": False}, "significant only in (tpr, fpr) together"),
        (False, {"error": True}, "significant in error alone, not in (tpr, fpr) together"),
        (True, {"error": True}, ""),
        (False, {"error": False}, ""),
        (None, {"error": True}, ""),
        (True, {}, ""),
        (True, {"tpr": False, "fpr": True}, ""),
    ],
)
def test_joint_words(joint, single, words):
    assert joint_words(joint, single, ("tpr", "fpr")) == words


def test_tests_that_agree_with_the_main_one_are_not_listed():
    main = {"frequentist": "wilcoxon", "significant": True, "adjusted": 0.01}
    agree = {"frequentist": "sign_test", "significant": True, "adjusted": 0.02}
    failed = {"frequentist": "quade", "significant": None, "adjusted": float("nan")}
    differ = {"frequentist": "friedman", "significant": False, "adjusted": 0.2}
    assert others_in_words([main, agree, failed]) == ""
    assert others_in_words([main, agree, failed, differ]) == (
        "not significant by Friedman (p = 0.2)"
    )


@pytest.mark.parametrize(
    ("equivalent", "words"),
    [(None, "0.970"), (True, "two one-sided tests agree (p = 0.01)"),
     (False, "two one-sided tests do not (p = 0.01)")],
)  # fmt: skip
@pytest.mark.parametrize("significant", [True, False])
def test_equivalence_by_two_one_sided_tests(equivalent, words, significant):
    given = row("equivalent", significant, p=(0.01, 0.97, 0.02))
    message = in_words({**given, "equivalent": equivalent, "tost_adjusted": 0.01})
    if equivalent is None:
        assert "one-sided" not in message
    else:
        assert message.endswith(words)
