"""The page of verdicts is what the program says today."""

from __future__ import annotations

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_verdicts_are_as_the_page_has_them():
    names = runpy.run_path(str(DOCS / "make_verdicts.py"))
    assert names["page"]() == (DOCS / "verdicts.md").read_text(encoding="utf-8")


def test_they_are_of_every_kind():
    names = runpy.run_path(str(DOCS / "make_verdicts.py"))
    verdicts = [p.verdict() for _, p in names["posteriors"]()]
    assert len(verdicts) == 18
    assert {v.cause for v in verdicts} == {
        "",
        "data sets differ",
        "edge of the rope",
        "too little data",
    }
    assert {v.decision for v in verdicts} == {
        "second",
        "equivalent",
        "trade-off",
        "undecided",
        "borderline",
    }
