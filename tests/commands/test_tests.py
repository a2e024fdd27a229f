"""`bayescmp tests`: the catalogue on the command line."""

from __future__ import annotations

import json

from bayescmp import catalogue
from bayescmp.cli import main


def test_lists_every_test_in_order(capsys):
    assert main(["tests", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["test"] for row in rows] == [t.name for t in catalogue.bayesian_tests()]
    first = rows[0]
    assert (first["metrics"], first["algorithms"], first["data sets"]) == ("1", "2", "1")
    assert first["twins"] == "corrected_t, delong"


def test_text_has_a_line_a_test(capsys):
    assert main(["tests"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1 + len(catalogue.bayesian_tests())
    assert "2 or more" in next(line for line in lines if "hierarchical_multivariate_t" in line)


def test_frequentist_tests_are_listed(capsys):
    """With what each is given, what a small p-value speaks for, and what stands beside it."""
    assert main(["tests", "--frequentist", "--json"]) == 0
    listed = {row["test"]: row for row in json.loads(capsys.readouterr().out)}
    assert listed["tost_paired"]["a small p supports"] == "equivalence"
    assert listed["corrected_t"]["beside it"] == "tost_paired"
    assert {"delong", "mcnemar", "cochran_q", "welch", "kruskal_wallis"} <= set(listed)
    assert "seeds of their own" in listed["brunner_munzel"]["of"]
