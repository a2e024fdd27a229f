"""Names that are markup, formulas, paths, emoji or very long: text everywhere, and file names."""

from __future__ import annotations

import json
import re

import pytest

import bayescmp as bc
from bayescmp.study.crosscheck import TWINS
from bayescmp.wording.markup import visible
from tests.report.conftest import HOSTILE

QUIET = {"seed": 1, "engine": "quadrature", "progress": False}


@pytest.fixture(scope="module")
def written(hostile_reports):
    return hostile_reports[0].parent, *(f.read_text(encoding="utf-8") for f in hostile_reports)


def test_html_has_no_markup_of_theirs(written):
    text = written[1]
    assert text.count("<script") == 2  # the embedded numbers and the sorting
    assert text.count("</script>") == 2
    assert "<b>wine" not in text
    assert "<!--" not in text
    assert "&lt;script&gt;alert(&#34;1&#34;)" in text


def test_embedded_json_gives_the_names_back(written):
    match = re.search(r'id="bayescmp-data">(.*?)</script>', written[1])
    setting = json.loads(match.group(1))["setting"]
    assert tuple(setting["algorithms"]) == HOSTILE
    assert setting["datasets"][1] == "<b>wine</b> & \\co_"


def test_marks_that_turn_the_text_are_shown_as_such(written):
    shown = written[1][: written[1].index('id="bayescmp-data"')]
    assert "\u202e" not in shown
    assert visible("a\u202eb\x00") == "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}"


def test_markdown_tables_keep_their_cells(written):
    for block in re.split(r"\n\n+", written[2]):
        if block.startswith("|"):
            rows = [re.sub(r"\\.", "", line).count("|") for line in block.splitlines()]
            assert len(set(rows)) == 1
    assert "<script" not in written[2].replace(r"\<script", "")


def test_latex_commands_are_text(written):
    text = written[3]
    assert r"\input{" not in text
    body = re.sub(r"%.*", "", re.sub(r"\\[\\%&#_$]", "", text))
    depth = 0
    for c in re.sub(r"\\[{}]", "", body):
        depth += (c == "{") - (c == "}")
        assert depth >= 0
    assert depth == 0
    tables = re.findall(r"\\(?:toprule|endhead)(.*?)\\(?:bottomrule|end\{)", text, flags=re.S)
    assert len(tables) >= 4
    for table in tables:
        rows = [re.sub(r"\\&", "", line) for line in table.splitlines() if line.endswith(r"\\")]
        assert len({row.rstrip("\\").count("&") for row in rows if "caption" not in row}) == 1
    assert r"\texttt{U+1F98A}" in text


def test_reprs_escape(hostile):
    twins = [t for t in TWINS if t.bayesian == "correlated_t"]
    result = bc.crosscheck(hostile, "accuracy", 0.02, twins=twins, seed=1, progress=False)
    shown = result._repr_html_()
    assert "&lt;script" in shown
    assert "<script" not in shown
    assert "<b>" not in shown
