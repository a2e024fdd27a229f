"""The methods paragraph: what was done, and its citations."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest

import bayescmp as bc
from bayescmp.crosscheck.twins import Twin
from bayescmp.report.methods import methods
from bayescmp.verdict import as_rope

pytestmark = pytest.mark.usefixtures("without_pictures")

QUIET = {"seed": 1, "engine": "quadrature", "progress": False}


def test_methods_cite_what_was_done(text):
    assert "Corani et al. 2017" in text
    assert "Holm" in text
    assert "@article{corani2017," in text
    paragraph = text.split('id="methods-text"')[1].split("</blockquote>")[0]
    for part in ("corani2017: δ0 ~ U(-", "σ0 ~ U(0, b) [b = 1000 × sd of the means", " to ",
                 "ν − 1 ~ Gamma(α, β), α ~ U(0.5, 5), β ~ U(0.05, 0.15)"):  # fmt: skip
        assert part in paragraph
    assert "rope" in text
    assert "seed 1" in text


def test_sentences_are_set_apart_in_markdown(plain, tmp_path):
    file = bc.report(plain, tmp_path / "r.md", rope=0.02, metric="accuracy", **QUIET)
    text = file.read_text(encoding="utf-8")
    methods = text[text.index("## Methods") :]
    assert not re.search(r"[.;,)][A-Z]", methods.replace("NumPy", "numpy"))
    assert "as practically equivalent (Corani et al. 2017; Benavoli et al. 2017). For " in methods
    assert re.search(r"bayescmp [\d.]+, Python", methods)


@pytest.mark.parametrize(
    ("adjust", "words"),
    [("none", "were not adjusted and judged"),
     ("holm", "were adjusted over the pairs by Holm's procedure (Tukey's by its own) and judged")],
)  # fmt: skip
def test_how_p_values_were_adjusted(plain, tmp_path, adjust, words):
    file = bc.report(plain, tmp_path / "r.md", rope=0.02, metric="accuracy", datasets=["iris"],
                     adjust=adjust, **QUIET)  # fmt: skip
    assert f"p-values {words}" in file.read_text(encoding="utf-8").replace("\\", "")


#: Of the correlated t test, whose prior is no choice.
PRIOR = {
    "html": "with the prior p(δ, σ) ∝ 1/σ",
    "md": r"with the prior p\(δ, σ\) ∝ 1/σ",
    "tex": r"with the prior p($\delta$, $\sigma$) $\propto$ 1/$\sigma$",
}


@pytest.mark.parametrize("suffix", PRIOR)
def test_every_format_has_the_prior(plain, tmp_path, suffix):
    file = bc.report(plain, tmp_path / f"r.{suffix}", rope=0.02, metric="accuracy",
                     datasets=["iris"], algorithms=["knn", "gbm"], **QUIET)  # fmt: skip
    assert PRIOR[suffix] in file.read_text(encoding="utf-8")


ROW = {"bayesian": "correlated_t", "frequentist": "corrected_t", "effect": "", "tost": None}
SETTING = {"folds": [10], "datasets": ["iris"], "algorithms": ["knn", "gbm"], "seed": 1,
           "measured": ["accuracy"], "resampling": "rho 0.1: 10 folds"}  # fmt: skip


def sentences(setting=(), *, frequentist="corrected_t", notes=(), **changes):
    """The paragraph's sentences of a plan that differs from a plain one by so much."""
    plan = SimpleNamespace(
        scores=SimpleNamespace(scale="difference"), metrics=("tpr",), joint=(), twins=(),
        ropes={"tpr": as_rope(0.01), "fpr": as_rope(0.02)}, threshold=0.95, alpha=0.05,
        adjust="none", options={},
    )  # fmt: skip
    vars(plan).update(changes)
    part = {"twins": [{**ROW, "frequentist": frequentist}], "alone": False}
    content = {
        "setting": {**SETTING, **dict(setting)}, "notes": notes, "versions": {"bayescmp": "1"},
        "pairs": [{"parts": [part]}],
    }  # fmt: skip
    return [s["text"] for s in methods(plan, content)["sentences"]]


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({}, "on one data set by accuracy, from 10 scores of each (correlation"),
        ({"datasets": ["iris", "wine"], "folds": [5, 8, 10]},
         "on 2 data sets by accuracy, from 5 to 10 scores of each on every data set (correlation"),
        ({"folds": [1]}, "from a single score of each."),
        ({"resampling": ""}, "from 10 scores of each."),
    ],
)  # fmt: skip
def test_what_was_compared(setting, words):
    assert words in sentences(setting)[0]


@pytest.mark.parametrize(
    ("metrics", "words"),
    [
        (("tpr", "fpr", "auc"), ""),
        (("tpr",), ", taking differences within ±0.01 in tpr and ±0.02 in fpr as practically "
                   "equivalent"),
    ],
)  # fmt: skip
def test_ropes_of_metrics_together_are_given_once(metrics, words):
    twin = Twin("multivariate_t", "hotelling_paired", "metrics")
    (text,) = [s for s in sentences(metrics=metrics, joint=("tpr", "fpr"), twins=(twin,),
               ropes={m: as_rope(r) for m, r in (("tpr", 0.01), ("fpr", 0.02), ("auc", 0.03))})
               if "jointly" in s]  # fmt: skip
    assert text.endswith(f"{twin.check.sentence}{words}.")


@pytest.mark.parametrize("adjust", ["holm", "shaffer", "none"])
def test_tukeys_own_adjustment_is_named_beside_another(adjust):
    (text,) = [s for s in sentences(frequentist="tukey", adjust=adjust) if "cross-check" in s]
    assert ("(Tukey's by its own)" in text) == (adjust != "none")
