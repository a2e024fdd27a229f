"""A report in brief: decisions, diagnostics, versions."""

from __future__ import annotations

import json
import re

import pytest

import bayescmp as bc
from bayescmp.report.brief import brief, diagnostics, versions

pytestmark = pytest.mark.usefixtures("without_pictures")


def _data(text):
    match = re.search(r'<script type="application/json" id="bayescmp-data">(.*?)</script>', text)
    return json.loads(match.group(1))


def test_the_decisions_are_counted(text):
    data = _data(text)
    decisions = [part["verdict"]["decision"] for pair in data["pairs"] for part in pair["parts"]]
    assert data["brief"]["failed"] == 0
    assert data["brief"]["undecided"] == decisions.count("undecided")


def test_versions_name_this_package(text):
    assert _data(text)["versions"]["bayescmp"] == bc.__version__


def pairs_of(*decisions):
    """Pairs of one metric that were decided so; the second disagrees with the frequentist test."""
    return [
        {
            "id": f"pair-{i + 1}", "first": "a", "second": f"b{i}",
            "parts": [
                {
                    "metric": "auc", "disagrees": i == 1, "words": f"words {i}",
                    "agreement": "open", "engine": f"engine{i % 2}", "engine_version": "2.0",
                    **({} if d == "failed" else {"verdict": {"decision": d}}),
                }
            ],
        }
        for i, d in enumerate(decisions)
    ]  # fmt: skip


def test_decisions_of_every_kind_are_counted():
    kinds = ["first"] * 2 + ["second"] * 3 + ["equivalent"] * 4 + ["undecided"] * 5
    kinds += ["borderline"] * 6 + ["failed"] * 7
    counts = brief(pairs_of(*kinds))
    assert {k: v for k, v in counts.items() if k != "disagreements"} == {
        "total": 27, "better": 5, "equivalent": 4, "undecided": 11, "failed": 7,
    }  # fmt: skip
    assert counts["disagreements"] == [
        {"id": "pair-2", "first": "a", "second": "b1", "metric": "auc", "words": "words 1",
         "agreement": "open"}
    ]  # fmt: skip


def test_diagnostics_are_a_row_a_fit():
    rows = diagnostics(pairs_of("first", "failed"))
    assert [r["id"] for r in rows] == ["pair-1", "pair-2"]
    assert rows[0]["engine"] == "engine0"
    assert rows[0]["notes"] is None


def test_every_engine_has_its_version():
    known = versions(pairs_of("first", "second", "first"))
    assert list(known)[-2:] == ["engine engine0", "engine engine1"]
    assert known["engine engine1"] == "2.0"
    assert "engine" not in " ".join(versions([{"parts": [{}]}]))
