"""Evidence: every table has a record of its run, and pages show what stands in the tables."""

from __future__ import annotations

import datetime
import re
import shlex

import measured
import pytest
import shown

#: The page of the joint tests names its tables and their commands in its text.
TABLES = sorted(set(measured.FOLDER.glob("*.csv")) - set(measured.FOLDER.glob("joint_*.csv")))
VERSIONS = re.compile(r"Python 3\S+, bayescmp \S+, numpy \S+, scipy \S+|not recorded$")
PAGES = {page.name: page.read_text("utf-8") for page in measured.FOLDER.glob("*.md")}
DIRECTIVE = re.compile(r"```\{measured\} (\S+)\n((?::[^\n]*\n)*)\n?(.*?)```", re.DOTALL)
DIRECTIVES = [match for text in PAGES.values() for match in DIRECTIVE.findall(text)]


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.name)
def test_a_table_says_when_how_and_with_what_it_was_measured(path):
    record = measured.record(path)
    datetime.date.fromisoformat(record["date"])
    assert VERSIONS.match(record["versions"])
    program, *arguments = shlex.split(record["command"])
    assert program == "python"
    files = [argument.replace(".", "/") + ".py" if "/" not in argument else argument
             for argument in arguments]  # fmt: skip
    assert any((measured.ROOT / file).exists() for file in files)


def test_every_table_is_shown():
    assert {name for name, _, _ in DIRECTIVES} == {path.name for path in TABLES}


@pytest.mark.parametrize(("name", "options", "columns"), DIRECTIVES, ids=lambda text: text[:20])
def test_a_directive_shows_figures_of_its_table(name, options, columns):
    path = measured.FOLDER / name
    chosen = dict(re.findall(r":(\w+): (.+)", options))
    frame = shown.rows(path, chosen.get("where"), chosen.get("pivot"))
    lines = shown.markdown(frame, columns.splitlines()).splitlines()
    assert len(lines) == 2 + len(frame) or not columns
    assert len(set(map(len, (line.split(" | ") for line in lines)))) == 1
    assert measured.record(path)["date"] in shown.source(path)


def test_the_page_of_frequentist_tests_has_every_rate_and_no_other():
    named = re.findall(r"\{rate\}`([^`]+)`", PAGES["frequentist.md"])
    assert sorted(named) == sorted(measured.read(shown.RATES)["test"])
    assert f"| {len(named)} tests and variants," in PAGES["index.md"]


def test_a_table_is_shown_as_it_is_written(tmp_path):
    path = tmp_path / "made.csv"
    path.write_text("# date: 2026-11-22\nn,method,share\n100,a,0.0175\n100,b,0.5\n30,a,1\n")
    assert measured.record(path) == {"date": "2026-11-22"}
    wide = shown.rows(path, "n > 20", "method, share")
    assert shown.markdown(wide, ["n = *n*", "a:.3f = A", "b = B"]).splitlines() == [
        "| *n* | A | B |", "| --- | --- | --- |", "| 100 | 0.018 | 0.5 |", "| 30 | 1.000 |  |"
    ]  # fmt: skip


def test_errors_in_print_name_tests_that_are_there():
    tests = re.findall(r"`(\w+/[\w/]+\.py)`", PAGES["errors.md"])
    assert len(tests) == 12
    assert [t for t in tests if not (measured.ROOT / "tests" / t).is_file()] == []
