"""The report's own pictures."""

from __future__ import annotations

import json
import re

import bayescmp as bc

QUIET = {"seed": 1, "engine": "quadrature", "progress": False}


def embedded(text):
    match = re.search(r'<script type="application/json" id="bayescmp-data">(.*?)</script>', text)
    return json.loads(match.group(1))


def test_one_data_set_has_densities(plain, tmp_path):
    file = bc.report(
        plain, tmp_path / "one.html", rope=0.02, metric="accuracy", datasets=["iris"], **QUIET
    )
    text = file.read_text(encoding="utf-8")
    assert text.count("Density of the mean improvement of ") == 3
    assert "Simplex plot" not in text
    part = embedded(text)["pairs"][0]["parts"][0]
    assert part["test"] == "correlated_t"
    assert "from 10 scores of each (correlation" in text
    assert "times best" not in text  # ranks on one data set tell nothing
    assert "<tfoot>" not in text
    assert "by Holm&#39;s procedure (Tukey&#39;s by its own)" in text


def test_no_rope_has_densities_instead_of_simplices(plain, tmp_path):
    file = bc.report(plain, tmp_path / "none.html", rope=0, metric="accuracy", **QUIET)
    text = file.read_text(encoding="utf-8")
    assert "Simplex plot" not in text
    assert text.count("Density of the mean improvement of ") == 3
    assert "No difference counts as practically equivalent" in text
    assert "without a region of practical equivalence in accuracy" in text
    assert "The band is practical equivalence" not in text
    assert "Verdicts in accuracy ↑, no rope, threshold" in text
    assert "= equivalent" not in text
    for kind, empty in (("md", "| – |"), ("tex", "& -- &")):
        file = bc.report(plain, tmp_path / f"r.{kind}", rope=0, metric="accuracy", **QUIET)
        text = file.read_text(encoding="utf-8")
        tables = re.split("Effect sizes", text)[0]
        assert tables.count(empty) == 9  # three probabilities of three pairs
        assert "o rope" in text
