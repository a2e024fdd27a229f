"""The methods paragraph: what was done, and its citations."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.report.methods import RHO, methods
from bayescmp.scores.rope import as_rope
from bayescmp.study.crosscheck import TWINS
from bayescmp.study.question import Twin
from tests.report.conftest import QUIET
from tests.rows import each_row

pytestmark = pytest.mark.usefixtures("without_pictures")


def test_methods_cite_what_was_done(text):
    assert "Corani et al. 2017" in text
    assert "Holm" in text
    assert "@article{corani2017," in text
    paragraph = text.split('id="methods-text"')[1].split("</blockquote>")[0]
    for part in (
        "corani2017: δ0 ~ U(−",
        "σ0 ~ U(0, b) [b = 1000 × sd of the means",
        " to ",
        "ν − 1 ~ Gamma(α, β), α ~ U(0.5, 5), β ~ U(0.05, 0.15)",
    ):
        assert part in paragraph
    assert "rope" in text
    assert "seed 1" in text


def test_sentences_are_set_apart_in_markdown(plain, tmp_path):
    file = bc.report(plain, tmp_path / "r.md", rope=0.02, metric="accuracy", **QUIET)
    text = file.read_text(encoding="utf-8")
    methods = text[text.index("## Methods") :]
    assert not re.search(r"[.;,)][A-Z]", methods.replace("NumPy", "numpy"))
    assert "as practically equivalent (Corani et al. 2017; Benavoli et al. 2017). An " in methods
    assert re.search(r"bayescmp [\d.]+, Python", methods)


@each_row(
    ("adjust", "words"),
    [
        ("none", "were not adjusted and judged"),
        (
            "holm",
            "were adjusted over the pairs with Holm's method (Tukey's test has its own "
            "adjustment) and judged",
        ),
    ],
)
def test_how_p_values_were_adjusted(plain, tmp_path, adjust, words):
    file = bc.report(
        plain,
        tmp_path / "r.md",
        rope=0.02,
        metric="accuracy",
        datasets=["iris"],
        adjust=adjust,
        **QUIET,
    )
    assert f"p-values {words}" in file.read_text(encoding="utf-8").replace("\\", "")


#: Of the correlated t test, whose prior is no choice.
PRIOR = {
    "html": "with the prior p(δ, σ) ∝ 1/σ",
    "md": r"with the prior p\(δ, σ\) ∝ 1/σ",
    "tex": r"with the prior p($\delta$, $\sigma$) $\propto$ 1/$\sigma$",
}


@each_row("suffix", PRIOR)
def test_every_format_has_the_prior(plain, tmp_path, suffix):
    file = bc.report(
        plain,
        tmp_path / f"r.{suffix}",
        rope=0.02,
        metric="accuracy",
        datasets=["iris"],
        algorithms=["knn", "gbm"],
        **QUIET,
    )
    assert PRIOR[suffix] in file.read_text(encoding="utf-8")


ROW = {"bayesian": "correlated_t", "frequentist": "corrected_t", "effect": "", "tost": None}
SETTING = {
    "folds": [10],
    "datasets": ["iris"],
    "algorithms": ["knn", "gbm"],
    "seed": 1,
    "measured": ["accuracy"],
    "pairing": "",
    "resampling": "rho 0.1: 10 folds",
    "estimand": {"text": "What is compared are averages.", "cites": ["bates2024"]},
}


def sentences(setting=(), *, frequentist="corrected_t", notes=(), **changes):
    """The paragraph's sentences of a question that differs from a plain one by so much."""
    question = SimpleNamespace(
        scores=SimpleNamespace(scale="difference"),
        metrics=("tpr",),
        joint=(),
        twins=(),
        ropes={"tpr": as_rope(0.01), "fpr": as_rope(0.02)},
        threshold=0.95,
        alpha=0.05,
        adjust="none",
        options={},
    )
    vars(question).update(changes)
    part = {"twins": [{**ROW, "frequentist": frequentist}], "alone": False}
    content = {
        "setting": {**SETTING, **dict(setting)},
        "notes": notes,
        "versions": {"bayescmp": "1"},
        "pairs": [{"parts": [part]}],
    }
    return [s["text"] for s in methods(question, content)["sentences"]]


def test_what_was_compared():
    for setting, words in [
        ({}, "on one data set by accuracy, from 10 scores of each (rho 0.1"),
        (
            {"datasets": ["iris", "wine"], "folds": [5, 8, 10]},
            "on 2 data sets by accuracy, from 5 to 10 scores of each on every data set (rho 0.1",
        ),
        ({"folds": [1]}, "from a single score of each."),
        ({"resampling": ""}, "from 10 scores of each."),
    ]:
        assert words in sentences(setting)[0]


@each_row(
    ("metrics", "words"),
    [
        (("tpr", "fpr", "auc"), ""),
        (
            ("tpr",),
            ", taking differences within ±0.01 in tpr and ±0.02 in fpr as practically equivalent",
        ),
    ],
)
def test_ropes_of_metrics_together_are_given_once(metrics, words):
    twin = Twin("multivariate_t", "hotelling_paired", "metrics")
    (text,) = [
        s
        for s in sentences(
            metrics=metrics,
            joint=("tpr", "fpr"),
            twins=(twin,),
            ropes={m: as_rope(r) for m, r in (("tpr", 0.01), ("fpr", 0.02), ("auc", 0.03))},
        )
        if "jointly" in s
    ]
    assert text.endswith(f"{twin.check.sentence}{words}.")


def test_tukeys_own_adjustment_is_named_beside_another():
    for adjust in ["holm", "shaffer", "none"]:
        (text,) = [s for s in sentences(frequentist="tukey", adjust=adjust) if "cross-check" in s]
        assert ("(Tukey's test has its own adjustment)" in text) == (adjust != "none")


def described(*parts, notes=(), engines=("quadrature",), **changes):
    """Sentences by what they begin with, and the whole, of parts that differ from a plain one."""
    question = SimpleNamespace(
        scores=SimpleNamespace(scale="difference"),
        metrics=("tpr",),
        joint=(),
        twins=TWINS,
        ropes={"tpr": as_rope(0.01)},
        threshold=0.95,
        alpha=0.05,
        adjust="holm",
        options={},
    )
    vars(question).update(changes)
    plain = {"twins": [ROW], "alone": False}
    pairs = [
        {"parts": [{**plain, "engine": engine, **part}]}
        for engine, part in zip(engines, parts or [{}], strict=True)
    ]
    content = {"setting": SETTING, "notes": notes, "versions": {"bayescmp": "1.2"}, "pairs": pairs}
    whole = methods(question, content)
    return {" ".join(s["text"].split()[:2]): s for s in whole["sentences"]}, whole


def test_engines_are_described_once():
    for engines, how in [
        (("quadrature",), "by deterministic quadrature"),
        (("exact",), "in closed form or by independent draws"),
        (("cmdstan",), "by Hamiltonian Monte Carlo in CmdStan"),
        (("mine", "quadrature", "mine"), "by the engine mine and by deterministic quadrature"),
    ]:
        says, _ = described(*[{} for _ in engines], engines=engines)
        assert says["Posteriors were"]["text"] == (
            f"Posteriors were computed {how} with bayescmp 1.2 (seed 1)."
        )


def test_the_rule_of_decision_is_the_plans():
    says, _ = described(threshold=0.9)
    rule = says["An outcome"]
    assert "minus two standard errors, reached 0.9; " in rule["text"]
    assert "weak for posterior odds up to 3, positive up to 20 and strong beyond." in rule["text"]
    assert rule["cites"] == ["corani2017"]


def test_the_test_that_decides_is_told_from_those_beside_it():
    rows = [{**ROW, "bayesian": b} for b in ("signed_rank", "sign", "hierarchical_t", "sign")]
    verdict = {"prior": "flat"}
    says, whole = described({"test": "hierarchical_t", "verdict": verdict, "twins": rows})
    assert says["Each pair"]["text"].endswith(
        "with the prior flat, taking differences within ±0.01 in tpr as practically equivalent."
    )
    assert says["Each pair"]["cites"] == ["corani2017", "benavoli2017"]
    assert says["For comparison"]["text"].split("results of ")[1] == (
        "the Bayesian signed-rank test on the data sets' mean differences and the Bayesian sign "
        "test on the data sets' mean differences."
    )
    assert says["For comparison"]["cites"] == ["benavoli2014", "benavoli2017"]
    assert [w["key"] for w in whole["works"]] == [
        "bates2024",
        "corani2017",
        "benavoli2017",
        "benavoli2014",
        "nadeau2003",
        "holm1979",
    ]
    work = whole["works"][1]
    assert (work["short"], work["kind"]) == ("Corani et al. 2017", "article")
    assert work["fields"]["year"] == "2017"
    assert whole["shorts"]["holm1979"] == next(
        w["short"] for w in whole["works"] if w["key"] == "holm1979"
    )
    assert "For comparison" not in described({"test": "correlated_t", "verdict": verdict})[0]


def test_priors_that_differ_by_the_data_are_given_with_their_ranges():
    """Of the bounds the least and the greatest of all pairs by that test."""
    bounds = [
        {"delta0_bound": 1.0, "sigma0_upper": u, "sigma_upper": s}
        for u, s in ((3.0, 9.0), (2.0, 11.0), (5.0, 10.0))
    ]
    parts = [
        {"test": "hierarchical_t", "verdict": {"prior": f"prior {i}"}, "prior_bounds": b}
        for i, b in enumerate(bounds)
    ]
    other = {"test": "sign", "verdict": {"prior": "weight"}, "prior_bounds": {}}
    says, _ = described(*parts, other, engines=["quadrature"] * 4)
    prior = bc.bayesian.HierarchicalPrior.corani2017()
    wanted = prior.in_words(
        delta0_bound=(1.0, 1.0), sigma0_upper=(2.0, 5.0), sigma_upper=(9.0, 11.0)
    )
    both = [
        s["text"]
        for s in described(*parts, other, engines=["quadrature"] * 4)[1]["sentences"]
        if s["text"].startswith("Each pair")
    ]
    assert "with the prior weight, taking" in says["Each pair"]["text"]  # the later of the two
    assert f", with the prior {wanted}, taking" in both[0]
    given = bc.bayesian.HierarchicalPrior.benavoli2017()
    (text,) = [
        s["text"]
        for s in described(*parts, engines=["quadrature"] * 3, options={"prior": given})[1][
            "sentences"
        ]
        if s["text"].startswith("Each pair")
    ]
    assert (
        given.in_words(delta0_bound=(1.0, 1.0), sigma0_upper=(2.0, 5.0), sigma_upper=(9.0, 11.0))
        in text
    )


def test_priors_of_other_kinds_that_differ_are_alternatives():
    parts = [{"test": "sign", "verdict": {"prior": p}} for p in ("one", "two", "one")]
    says, _ = described(*parts, engines=["exact"] * 3)
    assert ", with the prior one or two, taking" in says["Each pair"]["text"]
    none, _ = described({"test": "sign", "verdict": {"prior": ""}})
    assert "mean differences, taking" in none["Each pair"]["text"]


def test_ropes_in_words():
    for ropes, words in [
        (
            {"tpr": 0.01, "fpr": 0.02},
            "taking differences within ±0.01 in tpr and ±0.02 in fpr as practically equivalent.",
        ),
        (
            {"tpr": 0.01, "fpr": 0},
            "taking differences within ±0.01 in tpr as practically equivalent and without a "
            "region of practical equivalence in fpr.",
        ),
        ({"tpr": 0}, "without a region of practical equivalence in tpr."),
    ]:
        says, _ = described(
            {"test": "correlated_t", "verdict": {"prior": ""}},
            metrics=tuple(ropes),
            ropes={m: as_rope(r) for m, r in ropes.items()},
        )
        assert says["Each pair"]["text"].endswith(f"folds, {words}")


def test_the_adjustment_is_named_and_cited():
    for adjust, notes, words, holm in [
        ("holm", (), "over the pairs with Holm's method and judged at the level 0.05.", True),
        ("shaffer", (), "over the pairs with Shaffer's method and judged", False),
        (
            "shaffer",
            ("a pair's is missing",),
            "with Shaffer's method (Holm's method if a p-value of the pairs is missing) and "
            "judged",
            False,
        ),
        ("none", (), "; p-values were not adjusted and judged", False),
    ]:
        says, _ = described(adjust=adjust, notes=notes)
        check = says["As a"]
        assert words in check["text"]
        assert ("holm1979" in check["cites"]) == holm
        assert check["cites"][0] == "nadeau2003"


def test_frequentist_tests_are_listed_and_those_on_each_data_set_are_added():
    def check(*names, alone=False, alpha=0.05):
        rows = [{**ROW, "frequentist": n} for n in names]
        return described({"twins": rows, "alone": alone}, alpha=alpha)[0].get("As a")

    assert check("wilcoxon")["text"].startswith("As a cross-check we give the Wilcoxon test; ")
    text = check("wilcoxon", "sign_test", "wilcoxon", alpha=0.01)["text"]
    assert text.startswith("As a cross-check we give the Wilcoxon test and the sign test; ")
    assert text.endswith("judged at the level 0.01.")
    alone = check("wilcoxon", alone=True)
    assert "the Wilcoxon test, and on each data set the corrected resampled t" in alone["text"]
    assert alone["cites"] == ["demsar2006", "nadeau2003", "holm1979"]
    assert check(alone=True)["text"].startswith("As a cross-check we give on each data set ")
    assert " and on each data set" not in check("corrected_t", alone=True)["text"]
    assert check() is None


def test_effect_sizes_and_tests_of_equivalence_are_named_once():
    rows = [
        {**ROW, "frequentist": "wilcoxon", "effect": "rank-biserial correlation", "tost": 0.2},
        {**ROW, "frequentist": "sign_test", "effect": "", "tost": None},
        {**ROW, "frequentist": "friedman", "effect": "Kendall's W", "tost": None},
        {**ROW, "frequentist": "wilcoxon", "effect": "rank-biserial correlation", "tost": 0.1},
    ]
    says, _ = described({"twins": rows})
    assert says["Effect sizes"]["text"] == (
        "Effect sizes (rank-biserial correlation and Kendall's W) have 95% intervals."
    )
    assert says["Equivalence within"]["text"] == (
        "Equivalence within the same regions was tested by two one-sided signed-rank tests of "
        "equivalence."
    )
    assert says["Equivalence within"]["cites"] == ["schuirmann1987"]
    bare, _ = described({"twins": [{**rows[1]}]})
    assert not {"Effect sizes", "Equivalence within"} & set(bare)


def test_regions_and_margins_are_each_told_of_their_metrics():
    ropes = {"tpr": as_rope(0.01), "auc": as_rope((-0.02, np.inf)), "error": as_rope(0.0)}
    rows = [{**ROW, "frequentist": "wilcoxon", "effect": "", "tost": 0.2}]
    says, _ = described({"twins": rows}, metrics=tuple(ropes), ropes=ropes)
    assert says["Equivalence within"]["text"] == (
        "Equivalence within the same regions in tpr was tested by two one-sided signed-rank tests "
        "of equivalence."
    )
    assert says["Non-inferiority by"]["text"] == (
        "Non-inferiority by the same margin in auc was tested by one-sided signed-rank tests."
    )


@each_row(
    ("resampling", "words"),
    [("rho 0.1: 10 folds", " (rho 0.1: 10 folds)."), ("independent runs", " (independent runs).")],
)
def test_how_folds_were_drawn(resampling, words):
    assert sentences({"resampling": resampling})[0].endswith(f"of each{words} {RHO}")
    assert sentences({"resampling": resampling, "folds": [1]})[0].endswith("score of each.")
    stated = sentences({"resampling": resampling, "pairing": "paired by fold"})[0]
    assert stated.endswith(f"of each{words.replace('(', '(paired by fold, ')} {RHO}")
    more = sentences({"folds": [1, 3], "resampling": resampling})[0]
    assert "from 1 to 3 scores of each (" in more
    assert sentences()[0].startswith("We compared 2 algorithms on one data set by accuracy, from")
