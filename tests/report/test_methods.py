"""The methods paragraph: what was done, and its citations."""

from __future__ import annotations

import re

import bayescmp as bc

QUIET = {"seed": 1, "engine": "quadrature", "progress": False}


def test_methods_cite_what_was_done(text):
    assert "Corani et al. 2017" in text
    assert "Holm" in text
    assert "@article{corani2017," in text
    assert str(bc.HierarchicalPrior.corani2017()) in text
    assert "rope" in text
    assert "seed 1" in text


def test_sentences_are_set_apart_in_markdown(plain, tmp_path):
    file = bc.report(plain, tmp_path / "r.md", rope=0.02, metric="accuracy", **QUIET)
    text = file.read_text(encoding="utf-8")
    methods = text[text.index("## Methods") :]
    assert not re.search(r"[.;,)][A-Z]", methods.replace("NumPy", "numpy"))
    assert "as practically equivalent (Corani et al. 2017; Benavoli et al. 2017). For " in methods
    assert re.search(r"bayescmp [\d.]+, Python", methods)
