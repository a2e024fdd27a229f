"""The methods paragraph: what was done, and its citations."""

from __future__ import annotations

import re

import pytest

import bayescmp as bc

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
