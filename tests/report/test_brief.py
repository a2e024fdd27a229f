"""A report in brief: decisions, diagnostics, versions."""

from __future__ import annotations

import json
import re

import bayescmp as bc


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
