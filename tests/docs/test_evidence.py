"""Evidence: tables have records, pages show what stands in them, a study knows its truth."""

from __future__ import annotations

import datetime
import re
import shlex

import joint_best
import measured
import numpy as np
import pandas as pd
import pytest
import shown
from scipy import integrate, stats

from bayescmp.wording.references import REFERENCES

# Evidence: every table has a record of its run, and pages show what stands in the tables.


TABLES = sorted(measured.FOLDER.glob("*.csv"))
VERSIONS = re.compile(r"Python 3\S+, bayescmp \S+, numpy \S+, scipy \S+|not recorded$")
PAGES = {page.name: page.read_text("utf-8") for page in measured.PAGES.glob("*.md")}
#: Those that name figures in sentences.
FIGURE_PAGES = [*PAGES.values(), (measured.ROOT / "docs" / "index.md").read_text("utf-8")]
DIRECTIVE = re.compile(r"```\{measured\} (\S+)\n((?::[^\n]*\n)*)\n?(.*?)```", re.DOTALL)
DIRECTIVES = [match for text in PAGES.values() for match in DIRECTIVE.findall(text)]


def test_a_table_says_when_how_and_with_what_it_was_measured():
    for path in TABLES:
        record = measured.record(path)
        datetime.date.fromisoformat(record["date"])
        assert VERSIONS.match(record["versions"]), path
        program, *arguments = shlex.split(record["command"])
        assert program == "python"
        files = [a if "/" in a else a.replace(".", "/") + ".py" for a in arguments]
        assert any((measured.ROOT / file).exists() for file in files), path


def test_every_table_is_shown():
    assert {name for name, _, _ in DIRECTIVES} == {path.name for path in TABLES}


def test_a_directive_shows_figures_of_its_table():
    for name, options, columns in DIRECTIVES:
        path = measured.FOLDER / name
        chosen = dict(re.findall(r":(\w+): (.+)", options))
        frame = shown.rows(path, chosen.get("where"), chosen.get("pivot"))
        lines = shown.markdown(frame, columns.splitlines()).splitlines()
        assert len(lines) == 2 + len(frame) or not columns, name
        assert len(set(map(len, (line.split(" | ") for line in lines)))) == 1, name
        assert measured.record(path)["date"] in shown.source(path)


def test_the_page_of_frequentist_tests_has_every_rate_and_no_other():
    named = re.findall(r"\{rate\}`([^`]+)`", PAGES["frequentist.md"])
    assert sorted(named) == sorted(measured.read(shown.RATES)["test"])
    assert f"{len(named)} tests and variants," in PAGES["index.md"]


FIGURES = [f for text in FIGURE_PAGES for f in re.findall(r"\{measured\}`([^`]+)`", text)]


def test_a_figure_in_a_sentence_is_one_of_its_table():
    for text in FIGURES:
        name, where, column = text.split("; ")
        frame = pd.read_csv(measured.FOLDER / name, comment="#").query(where)
        column, _, form = column.partition(":")
        summary, column = column.split()[0], column.split()[-1]
        value = getattr(frame[column], summary, frame[column].item)()
        unit, digits = (100, int(form[1])) if form.endswith("%") else (1, int(form[1]))
        figure = float(shown.figure(text).removesuffix("%").replace(",", ""))
        assert figure == pytest.approx(unit * value, abs=0.5001 * 10**-digits), text


def test_a_figure_of_several_rows_is_refused():
    with pytest.raises(ValueError, match="of 5 rows"):
        shown.figure("sequences_coverage.csv; looks > 0; left:.3f")


def test_a_table_is_shown_as_it_is_written(tmp_path):
    path = tmp_path / "made.csv"
    path.write_text("# date: 2026-11-22\nn,method,share\n100,a,0.0175\n100,b,0.5\n30,a,1\n")
    assert measured.record(path) == {"date": "2026-11-22"}
    wide = shown.rows(path, "n > 20", "method, share")
    assert shown.markdown(wide, ["n = *n*", "a:.3f = A", "b = B"]).splitlines() == [
        "| *n* | A | B |",
        "| --- | --- | --- |",
        "| 100 | 0.018 | 0.5 |",
        "| 30 | 1.000 |  |",
    ]


def test_errors_in_print_name_tests_that_are_there():
    tests = re.findall(r"`(\w+/[\w/]+\.py)`", PAGES["errors.md"])
    assert len(tests) == 12
    assert [t for t in tests if not (measured.ROOT / "tests" / t).is_file()] == []


def rows_of(page: str, first: str) -> list[list[str]]:
    """Cells of the tables of a page whose header begins so."""
    tables = re.findall(rf"^\| {first} .*\n\|---.*\n((?:\|.*\n)+)", PAGES[page], re.MULTILINE)
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for table in tables
        for line in table.splitlines()
    ]


def test_ranks_of_the_joint_test_are_those_of_their_table():
    frame = pd.read_csv(measured.FOLDER / "joint_sbc.csv", comment="#").set_index("cells")
    for cells, line in zip(("complete", "missing"), rows_of("joint.md", "cells"), strict=True):
        u = frame.loc[cells].to_numpy()
        p = [stats.chisquare(np.histogram(x, 20, (0, 1))[0]).pvalue for x in u.T]
        p += [stats.kstest(x, "uniform").pvalue for x in u.T]
        held = [(np.abs(u - 0.5) < half).mean(axis=0) for half in (0.45, 0.25)]
        shares = [f"{x.min():.2f} to {x.max():.2f}" for x in held]
        assert line[1:] == [str(len(u)), f"{min(p):.3f}", *shares]


def test_held_out_scores_are_those_of_their_table():
    frame = pd.read_csv(measured.FOLDER / "joint_heldout.csv", comment="#")
    table = frame.groupby(["table", "method"])[["log_score", "crps"]].agg(["mean", "sem"])
    lines = rows_of("joint.md", r"table \| fitted")
    keys = [
        (name, method)
        for name in ("uci54", "scmamp", "sklearn", "rnpbst29")
        for method in ("pairwise", "bootstrap", "joint_t")
    ]
    assert set(keys) == set(table.index)
    for key, line in zip(keys, lines, strict=True):
        (log, log_se), (crps, crps_se) = table.loc[key].to_numpy().reshape(2, 2)
        digits = 2 if crps < 100 else 1
        assert line[3].replace("−", "-") == f"{log:.2f} ± {log_se:.2f}"
        assert line[4] == f"{crps:.{digits}f} ± {crps_se:.{digits}f}"


# What the scores of a simulated study say of its truth, against numerical integration.


def test_averages_given_scores_have_the_posterior_of_the_design():
    """One algorithm on three data sets, one of them far from the others."""
    means, apart = np.array([0.01, 0.02, -0.05]), 0.02
    of_folds = joint_best.NOISE**2 * (joint_best.RHO + (1 - joint_best.RHO) / joint_best.FOLDS)

    mu = np.linspace(-0.07, 0.07, 57)

    def integrand(tail):
        sd = np.sqrt(joint_best.SPREAD**2 * joint_best.DF / tail + of_folds)
        return stats.norm.pdf(means[:, None], mu, sd) * stats.chi2.pdf(tail, joint_best.DF)

    likelihood = integrate.quad_vec(integrand, 0, 60)[0]
    p = stats.norm.pdf(mu, scale=apart) * likelihood.prod(axis=0)
    p /= p.sum()
    rng = np.random.default_rng(1)
    draws = [joint_best.true_averages(means[:, None], apart, rng).ravel() for _ in range(40)]
    of_walks = np.array([[x.mean(), (x > 0.01).mean()] for x in draws])
    wanted = p @ mu, p @ (mu > 0.01 + 1e-9) + p[np.isclose(mu, 0.01)].sum() / 2
    errors = of_walks.std(axis=0, ddof=1) / np.sqrt(len(draws))
    assert (errors < [2e-4, 0.01]).all()
    np.testing.assert_array_less(np.abs(of_walks.mean(axis=0) - wanted), 4 * errors)


# The paper: each of its numbers names the figure of the evidence that it is.


PAPER = (measured.ROOT / "paper" / "paper.md").read_text(encoding="utf-8")
BODY = PAPER.split("---\n", 2)[2]
QUOTED = re.findall(r"([\d.,]*\d)<!-- (.+?) -->", BODY)


def test_a_number_of_the_paper_is_that_of_the_evidence():
    assert [(n, text) for n, text in QUOTED if n != shown.figure(text)] == []


def test_the_paper_has_no_other_numbers():
    """But for the level that an interval is made for."""
    assert len(QUOTED) > 10
    bare = re.sub(r"[\d.,]*\d<!-- .+? -->|\[?@\w+|\b95%", "", BODY)
    assert re.findall(r"\d+", bare) == []


def test_the_paper_is_as_the_journal_asks():
    sections = ["Summary", "Statement of need", "State of the field", "Software design"]
    sections += ["Research impact statement", "AI usage disclosure"]
    assert re.findall(r"^# (.+)$", BODY, re.M)[:6] == sections
    words = re.sub(r"<!-- .+? -->", "", BODY).split()
    assert 750 <= len(words) <= 1750


def test_the_paper_cites_what_its_bibliography_has():
    entries = (measured.ROOT / "paper" / "paper.bib").read_text(encoding="utf-8")
    known = re.findall(r"^@\w+\{(\w+),$", entries, re.M)
    assert sorted(set(re.findall(r"@(\w+)", BODY))) == sorted(known)
    for key in {*known} & {*REFERENCES}:
        for name, value in REFERENCES[key][1].items():
            assert f"  {name} = {{{value}}}," in entries


def test_the_paper_and_the_citation_are_in_step():
    citation = (measured.ROOT / "CITATION.cff").read_text(encoding="utf-8")
    authors = re.findall(r"^  - name: (.+)$", PAPER.split("affiliations:")[0], re.M)
    assert authors[-1:] == re.findall(r"^  - name: (.+)$", citation, re.M)
    released = re.search(r"^date-released: (.+)$", citation, re.M)[1]
    date = re.search(r"^date: (.+)$", PAPER, re.M)[1]
    assert datetime.datetime.strptime(date, "%d %B %Y").date().isoformat() == released
