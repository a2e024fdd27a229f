"""Rows of a cross-check: adjusted p-values, several metrics, text, HTML and JSON."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp import frequentist
from bayescmp.bayesian import multivariate_t
from bayescmp.catalogue import FrequentistTest
from bayescmp.frequentist import hotelling_paired
from bayescmp.study.crosscheck import TWINS, crosscheck
from bayescmp.study.crosscheck import rows as drafts
from bayescmp.study.crosscheck.rows import (
    AGREEMENTS,
    agreement,
    in_words,
    joint_words,
    others_in_words,
)
from bayescmp.wording.text import format_probability, format_pvalue, state_pvalue
from tests.rows import each_row

# P-values of rows, adjusted over the pairs.


def row(
    decision,
    significant,
    favours="second",
    p=(0.1, 0.2, 0.7),
    trade_off=float("nan"),
    cause="too little data",
    unadjusted=False,
    pvalue=0.2,
):
    return {
        "cause": cause,
        "unadjusted": unadjusted,
        "frequentist": "wilcoxon",
        "pvalue": pvalue,
        "adjusted": pvalue,
        "first": "A",
        "second": "B",
        "p_left": p[0],
        "p_rope": p[1],
        "p_right": p[2],
        "p_trade_off": trade_off,
        "decision": decision,
        "significant": significant,
        "favours": favours,
        "agreement": agreement(decision, significant, favours),
        "error": "",
    }


YES = "Wilcoxon: significant (p = 0.20). Bayesian verdict:"
NO = "Wilcoxon: not significant (p = 0.20). Bayesian verdict:"


def test_words():
    for given, code, words in [
        (row("second", True), "agree", f"{YES} B is practically better (0.700)."),
        (row("first", True, "first"), "agree", f"{YES} A is practically better (0.100)."),
        (
            row("equivalent", True),
            "significant_equivalent",
            f"{YES} practically equivalent (0.200).",
        ),
        (row("undecided", False), "open", f"{NO} undecided, too little data (B better 0.700)."),
        (
            row("equivalent", False, p=(0.01, 0.97, 0.02)),
            "equivalent",
            f"{NO} practically equivalent (0.970).",
        ),
        (
            row("undecided", True, p=(0.0, 0.36, 0.64)),
            "significant_undecided",
            f"{YES} undecided. B leads, but the lead may be too small to matter "
            f"(better 0.640, equivalent 0.360).",
        ),
        (
            row("undecided", True, p=(0.3, 0.01, 0.69)),
            "significant_undecided",
            f"{YES} undecided, too little data (B better 0.690).",
        ),
        (
            row("undecided", True, "first", p=(0.6, 0.3, 0.1)),
            "significant_undecided",
            f"{YES} undecided. A leads, but the lead may be too small to matter "
            f"(better 0.600, equivalent 0.300).",
        ),
        (
            row("second", False, p=(0.0, 0.04, 0.96)),
            "decided_only",
            f"{NO} B is practically better (0.960).",
        ),
        (row("second", True, "", trade_off=0.01), "agree", f"{YES} B dominates (0.700)."),
        (
            row("first", True, "second"),
            "contradict",
            "Wilcoxon: significant for B (p = 0.20). Bayesian verdict: A is practically better "
            "(0.100).",
        ),
        (
            row("trade-off", True, "", trade_off=0.98),
            "trade_off",
            f"{YES} better in one metric, worse in another (0.980).",
        ),
        (row("failed", True), "failed", "not compared"),
        (row("second", None), "failed", "not compared"),
    ]:
        assert given["agreement"] == code
        assert code in AGREEMENTS
        assert in_words(given) == words


def test_why_it_failed_is_said():
    given = {**row("failed", None), "error": "folds don't pair"}
    assert in_words(given) == "not compared: folds don't pair"


def test_too_little_data_is_said_only_where_more_would_decide():
    for decision, cause, words in [
        ("undecided", "data sets differ", "undecided, data sets differ"),
        ("undecided", "", "undecided"),
        ("borderline", "", "borderline"),
    ]:
        assert in_words(row(decision, False, cause=cause)) == f"{NO} {words} (B better 0.700)."


def test_borderline_is_open_too():
    given = row("borderline", True, p=(0.0, 0.05, 0.95))
    assert in_words(given) == (
        f"{YES} borderline. B leads, but the lead may be too small to matter "
        f"(better 0.950, equivalent 0.050)."
    )


def test_adjusted_and_unadjusted_are_told_apart():
    """Verdicts are not adjusted: where adjusting makes the difference, the words say so."""
    for given, words in [
        (("second", (0.0, 0.04, 0.96)), "B is practically better (0.960)"),
        (("equivalent", (0.0, 0.97, 0.03)), "practically equivalent (0.970)"),
        (("undecided", (0.1, 0.2, 0.7)), "undecided, too little data (B better 0.700)"),
    ]:
        decision, p = given
        alone = row(decision, False, p=p, unadjusted=True, pvalue=0.0213)
        test = "Wilcoxon: not significant once adjusted (p = 0.021; unadjusted p = 0.021)."
        assert in_words(alone) == f"{test} Bayesian verdict: {words}."


def test_other_tests_that_disagree_are_others_in_words_once():
    def of(name, significant, adjusted):
        return {"frequentist": name, "significant": significant, "adjusted": adjusted}

    main = of("wilcoxon", True, 0.01)
    rows = [
        main,
        of("wilcoxon", True, 0.01),
        of("sign_test", False, 0.216),
        of("friedman", False, 0.8),
        of("sign_test", False, 0.216),
    ]
    assert others_in_words(rows) == (
        "Sign test and Friedman: not significant (p = 0.22, p = 0.80)."
    )
    assert others_in_words([main]) == ""
    quiet = of("wilcoxon", False, 0.2)
    assert others_in_words([quiet, of("quade", True, 0.031)]) == (
        "Quade: significant (p = 0.031)."
    )


def test_joint_words():
    for joint, single, words in [
        (True, {"error": False}, "Significant only in tpr and fpr together."),
        (False, {"error": True}, "Significant in error separately, not in tpr and fpr together."),
        (True, {"error": True}, ""),
        (False, {"error": False}, ""),
        (None, {"error": True}, ""),
        (True, {}, ""),
        (True, {"tpr": False, "fpr": True}, ""),
    ]:
        assert joint_words(joint, single, ("tpr", "fpr")) == words


def test_tests_that_agree_with_the_main_one_are_not_listed():
    main = {"frequentist": "wilcoxon", "significant": True, "adjusted": 0.01}
    agree = {"frequentist": "sign_test", "significant": True, "adjusted": 0.02}
    failed = {"frequentist": "quade", "significant": None, "adjusted": float("nan")}
    differ = {"frequentist": "friedman", "significant": False, "adjusted": 0.2}
    assert others_in_words([main, agree, failed]) == ""
    assert others_in_words([main, agree, failed, differ]) == (
        "Friedman: not significant (p = 0.20)."
    )


def test_equivalence_by_two_one_sided_tests():
    significant = True
    for equivalent, words in [
        (None, "0.970"),
        (True, "TOST: equivalent (p = 0.01)."),
        (False, "TOST: not shown to be equivalent (p = 0.01)."),
    ]:
        given = row("equivalent", significant, p=(0.01, 0.97, 0.02))
        message = in_words({**given, "equivalent": equivalent, "tost_adjusted": 0.01})
        if equivalent is None:
            assert "TOST" not in message
        else:
            assert words in message


QUIET = {"seed": 1, "engine": "quadrature", "progress": False}


def test_p_values_are_scipys_and_adjusted_over_the_pairs(wide):
    frame = crosscheck(wide, "accuracy", 0.01, adjust="bonferroni", seed=1, progress=False).frame
    means = wide.means()
    for _, row in frame.query("frequentist == 'wilcoxon'").iterrows():
        own = stats.wilcoxon(means[row["second"]] - means[row["first"]]).pvalue
        assert row.pvalue == pytest.approx(own, rel=1e-10)
        assert row.adjusted == pytest.approx(min(3 * own, 1), rel=1e-10)
        assert row.significant == (3 * own <= 0.05)
    won = int((means["svm"] > means["knn"]).sum())
    row = frame.query("frequentist == 'sign_test' and second == 'svm' and first == 'knn'").iloc[0]
    assert row.pvalue == pytest.approx(stats.binomtest(won, 20).pvalue, rel=1e-10)
    assert row.favours == "second"


def test_p_values_of_one_data_set_are_adjusted_on_that_data_set(scores):
    frame = crosscheck(scores, "accuracy", 0.05, adjust="holm", **QUIET).frame
    rows = frame.query("bayesian == 'correlated_t' and dataset == 'iris'")
    own = frequentist.adjust(rows["pvalue"], "holm")
    assert np.allclose(rows["adjusted"], own, rtol=1e-12)


def test_holm_stands_in_where_a_pair_is_missing_and_it_is_said(table):
    more = pd.concat(
        [
            table,
            table[table.algorithm == "knn"].assign(
                algorithm="nb", accuracy=table["accuracy"].to_numpy()[::-1][:30]
            ),
        ]
    )
    gap = (more.dataset == "wine") & (more.algorithm == "svm") & (more.fold == 2)
    with (
        pytest.warns(bc.DiagnosticWarning, match="3 of 6 pairs could not"),
        pytest.warns(bc.DiagnosticWarning, match="Holm's procedure replaces shaffer"),
    ):
        result = crosscheck(more[~gap], "accuracy", 0.05, adjust="shaffer", **QUIET)
    (note,) = result.notes
    assert note in " ".join(str(result).split())
    assert "replaces shaffer" in result._repr_html_()
    assert result.to_dict()["notes"] == [note]
    rows = result.frame.query("frequentist == 'wilcoxon' and bayesian == 'signed_rank'")
    assert len(rows) == 3
    own = frequentist.adjust(rows["pvalue"], "holm")
    assert np.allclose(rows["adjusted"], own, rtol=1e-12)
    assert crosscheck(more, "accuracy", 0.05, adjust="shaffer", **QUIET).notes == ()


def test_a_test_without_a_p_value_is_none_and_says_why():
    nothing = frequentist.delong([0, 0, 1, 1], [1, 2, 3, 4], [4, 3, 2, 1])
    line = FrequentistTest("x", lambda x: nothing, "X", "areas", "x")
    with pytest.raises(bc.InputError, match=r"X has no p-value: .*estimated variance is 0"):
        drafts.FrequentistFacts.run(line, None)


def test_effects_and_equivalence_stand_beside_the_tests(table):
    """The catalogue's line says which test of equivalence; the result has its effect size."""
    check = bc.crosscheck(table, "accuracy", 0.05, engine="quadrature", seed=1, progress=False)
    x = bc.Scores(table).differences("knn", "gbm", "accuracy")
    rows = {r["frequentist"]: r for r in check.of_pair("accuracy", "knn", "gbm")[::-1]}
    wilcoxon, alone = rows["wilcoxon"], rows["corrected_t"]
    expected = bc.frequentist.tost_means(x.means, rope=0.05, method="wilcoxon")
    assert wilcoxon["tost"] == pytest.approx(expected.pvalue)
    assert wilcoxon["tost_adjusted"] >= wilcoxon["tost"]
    assert wilcoxon["effect"] == "rank-biserial correlation"
    effect = bc.frequentist.rank_biserial(x.means)
    actual = [wilcoxon[k] for k in ("effect_size", "effect_low", "effect_high")]
    assert actual == pytest.approx([effect.estimate, *effect.confidence_interval()])
    row = x.row(alone["dataset"])
    assert alone["tost"] == pytest.approx(bc.frequentist.tost_paired(row, rope=0.05).pvalue)
    assert alone["effect"] == "Cohen's d"
    means = bc.frequentist.tost_means(x.means, rope=0.05)
    assert rows["sign_test"]["tost"] == pytest.approx(means.pvalue)
    assert rows["sign_test"]["effect"] == ""
    assert rows["quade"]["equivalent"] is None


def test_without_a_rope_there_is_no_equivalence(table):
    check = bc.crosscheck(table, "accuracy", 0, engine="quadrature", seed=1, progress=False)
    assert check.frame["tost"].isna().all()
    assert check.omnibus["accuracy"].effect.measure == "Kendall's W"


# Cross-checks as text, HTML and JSON.


@pytest.fixture
def check(scores):
    return crosscheck(scores, "accuracy", 0.05, **QUIET)


def test_it_fits_eighty_columns(check, together):
    for shown in (check, together):
        assert max(map(len, str(shown).splitlines())) <= 80


def test_every_pair_has_its_verdict_and_its_p_values(check):
    lines = str(check).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("A "))
    assert lines[start].split()[:4] == ["A", "B", "Bayes:", "better"]
    rows = lines[start + 1 : start + 1 + len(check.pairs)]
    for line, pair in zip(rows, check.pairs.to_dict(orient="records"), strict=True):
        winner = {k: pair[k] for k in ("first", "second")}.get(pair["decision"], pair["decision"])
        shown = [pair["first"], pair["second"], winner, format_pvalue(pair["wilcoxon"])]
        assert line.split()[:4] == shown


def test_who_leads_and_the_test_of_all_stand_first(check):
    comparisons = check.comparisons["accuracy"]
    first, *lines = str(check).splitlines()
    assert first.split()[0] in (comparisons.order[0], "No")
    text = " ".join(" ".join(lines).split())
    assert f"All algorithms together: {state_pvalue(check.omnibus['accuracy'].pvalue)}" in text
    agreed = check.pairs["agreement"].isin(["agree", "equivalent"]).sum()
    assert f"decide alike on {agreed} of {len(check.pairs)} pairs." in text


def test_agreement_is_with_the_first_test_where_the_others_answer_otherwise():
    """Five data sets that all favour c: 0.0625 by signs, while ranks of all three reject."""
    x = np.random.default_rng(2).normal([0.80, 0.81, 0.86], 0.002, (5, 3))
    scores = bc.Scores(pd.DataFrame(x, list("pqrst"), list("abc")), metric="accuracy")
    result = bc.crosscheck(scores, "accuracy", 0.03, adjust="none", seed=1, progress=False)
    pair = result.pairs.query("first == 'a' and second == 'c'").iloc[0]
    assert pair["wilcoxon"] == stats.wilcoxon(x[:, 0], x[:, 2]).pvalue == 0.0625
    assert pair["friedman"] < 0.05
    assert pair["agreement"] == "decided_only"
    text = " ".join(str(result).split())
    assert "The Bayesian verdict and the Wilcoxon test decide alike on 1 of 3 pairs." in text
    assert "*: the Bayesian verdict and the Wilcoxon test disagree" in text


def test_all_rows_have_their_probabilities(check):
    text = check.full()
    words = " ".join(text.split())
    for pair in check.pairs.to_dict(orient="records"):
        numbers = [format_probability(pair[f"p_{r}"]) for r in ("left", "rope", "right")]
        here = [line.split() for line in text.splitlines()]
        rows = [row for row in here if row[:2] == [pair["first"], pair["second"]]]
        assert any(" ".join(numbers) in " ".join(row) for row in rows)
        assert f"{pair['first']} and {pair['second']}: {pair['words']}" in words


def test_where_answers_disagree_it_is_said_in_words(check):
    text = " ".join(str(check).split())
    odd = check.pairs[~check.pairs["agreement"].isin(["agree", "open", "equivalent"])]
    for row in odd.to_dict(orient="records"):
        assert " ".join(f"{row['first']} and {row['second']}: {row['words']}".split()) in text


def test_json_holds_everything(checked):
    back = json.loads(json.dumps(checked.to_dict(), allow_nan=False))
    assert len(back["rows"]) == len(checked.frame)
    assert back["rows"][0]["p_right"] == checked.frame.loc[0, "p_right"]
    assert back["ropes"] == {"accuracy": [-0.05, 0.05]}


def test_text_and_html_escape_names(table):
    bad = "<script>alert(1)</script>"
    frame = table.replace({"algorithm": {"knn": bad}})
    result = crosscheck(bc.Scores(frame), "accuracy", 0.05, **QUIET)
    assert bad in str(result)
    assert "<script" not in result._repr_html_()
    assert "&lt;script&gt;" in result._repr_html_()


@each_row("scope", ["dataset", "groups"])
def test_tests_of_each_data_set_alone(scores, scope):
    """No test speaks of the pair as a whole: there is no row a pair, and all rows are shown."""
    twins = [t for t in TWINS if t.scope == scope]
    result = crosscheck(scores, "accuracy", 0.05, twins=twins, **QUIET)
    assert set(result.frame["dataset"]) == {"iris", "wine", "digits"}
    assert result.pairs.empty
    assert "words" in result.pairs
    for shown in (str(result), result._repr_html_()):
        assert all(name in shown for name in ("knn", "svm", "iris", "digits"))


def test_what_is_shown_tells_of_the_metrics_together(together):
    actual = together.frame.query("scope == 'metrics' and first == 'plain' and second == 'shy'")
    rejected = int(actual["significant"].astype(bool).sum())
    decided = int((~actual["decision"].isin(["undecided", "failed"])).sum())
    line = (
        f"tpr, fpr together, plain and shy: significant on {rejected} of {len(actual)} data "
        f"sets, decided on {decided}"
    )
    assert rejected > 0
    assert line in str(together)
    assert line in together._repr_html_()


# Bayesian verdicts of several metrics beside the corrected Hotelling test.


ROPE, ALPHA = 0.01, 0.01


def simulated(seed):
    """Differences of 2 or 3 metrics on 20 to 100 folds that correlate at 0.1."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.choice([20, 50, 100])), int(rng.integers(2, 4))
    root = rng.normal(size=(p, p)) * rng.uniform(0.003, 0.03)
    shift = rng.normal(size=p) * rng.choice([0, 0.005, 0.05, 0.1])
    z = np.sqrt(0.9) * rng.normal(size=(n, p)) + np.sqrt(0.1) * rng.normal(size=p)
    return shift + z @ root.T


def test_decided_directions_agree_with_hotelling_where_it_rejects():
    decided, compared, differ = {}, 0, []
    for seed in range(200):
        x = simulated(seed)
        verdict = multivariate_t(x, rho=0.1, rope=ROPE, seed=1).verdict(points=4096)
        test = hotelling_paired(x, rho=0.1)
        decision = verdict.decision
        decided[decision] = decided.get(decision, 0) + 1
        if decision == "undecided" or test.pvalue >= ALPHA:
            continue
        compared += 1
        better, worse = np.any(test.mean > ROPE), np.any(test.mean < -ROPE)
        # the side of Hotelling's own mean difference, beyond the rope
        seen = {(1, 0): "second", (0, 1): "first", (1, 1): "trade-off", (0, 0): "equivalent"}
        if seen[int(better), int(worse)] != decision:
            differ.append((seed, decision, test.mean))
        # no metric that is significant by itself speaks against the verdict
        t = test.mean / np.sqrt(np.diag(test.covariance) * (1 / len(x) + 0.1 / 0.9))
        if decision in ("first", "second"):
            sign = 1 if decision == "second" else -1
            assert not np.any((sign * t < -2.9) & (np.abs(test.mean) > ROPE))
    print(decided, compared)
    assert differ == []
    assert compared >= 40
    assert set(decided) == {"first", "second", "trade-off", "equivalent", "undecided"}
