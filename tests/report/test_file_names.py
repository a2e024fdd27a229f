"""File names from any names of algorithms and metrics."""

from __future__ import annotations

import re

import pytest

import bayescmp as bc
from bayescmp.report.build import file_name
from tests.report.conftest import HOSTILE

QUIET = {"seed": 1, "engine": "quadrature", "progress": False}


@pytest.mark.slow
def test_files_have_plain_names(hostile, tmp_path):
    bc.report(
        hostile,
        tmp_path / "r.md",
        rope=0.02,
        metric="accuracy",
        algorithms=HOSTILE[1:4],
        figures=tmp_path / "figures",
        **QUIET,
    )
    names = [f.name for f in (tmp_path / "figures").iterdir()]
    assert len(names) == 2 * 3
    for name in names:
        assert re.fullmatch(r"[a-z0-9-]+\.pdf", name)
        assert len(name) < 150


@pytest.mark.parametrize("name", [*HOSTILE, "", "..", "con", "A", "a", "é", "e"])
def test_file_names_are_safe(name):
    result = file_name(name, ending="svg")
    assert re.fullmatch(r"[a-z0-9-]{1,60}\.svg", result)
    assert not result.startswith("con.")


def test_file_names_differ_where_names_do():
    names = ["a", "A", "a!", "a?", "a b", "a-b", "x" * 200, "x" * 201, "é", "e", "🦊", "🐻", ""]
    assert len({file_name(n, ending="svg") for n in names}) == len(names)
