"""LaTeX that compiles, fits the text of the class article, and says what is decided."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

import pytest

import bayescmp as bc
from tests.report.conftest import HOSTILE, QUIET, scores_of

pytestmark = pytest.mark.usefixtures("without_pictures")

MAIN = r"""\documentclass{article}
\usepackage[utf8]{inputenc}\usepackage[T1]{fontenc}
\usepackage{booktabs,longtable,graphicx,natbib}
\begin{document}
\input{report}
\end{document}
"""


def compiled(folder) -> str:
    """The log of pdflatex; its absence fails the run where BAYESCMP_REQUIRE_ALL=1."""
    if shutil.which("pdflatex") is None:
        if os.environ.get("BAYESCMP_REQUIRE_ALL") == "1":
            pytest.fail("pdflatex is missing, and BAYESCMP_REQUIRE_ALL=1")
        pytest.skip("no pdflatex")
    (folder / "main.tex").write_text(MAIN, encoding="utf-8")
    run = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "main"],
        cwd=folder,
        capture_output=True,
        timeout=60,
    )
    assert run.returncode == 0, run.stdout[-2000:].decode(errors="replace")
    return (folder / "main.log").read_text(errors="replace")


def overfull(log: str) -> list[float]:
    """By how many points boxes are too wide, in tables and around them."""
    return [float(w) for w in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log)]


@pytest.mark.slow
def test_long_tables_fit_the_text(tmp_path):
    """Fifteen pairs have three rows each: a table that runs over pages."""
    scores = scores_of([f"RandomForest({i}00)" for i in range(1, 7)], ("iris", "wine"))
    bc.report(scores, tmp_path / "report.tex", rope=0.02, metric="accuracy", **QUIET)
    text = (tmp_path / "report.tex").read_text(encoding="utf-8")
    assert text.count(r"\begin{longtable}") == 1
    assert max(overfull(compiled(tmp_path)), default=0.0) < 1.0


@pytest.mark.slow
def test_hostile_names_compile(hostile, tmp_path):
    names = HOSTILE[:3]
    bc.report(
        hostile, tmp_path / "report.tex", rope=0.02, metric="accuracy", algorithms=names, **QUIET
    )
    assert "Output written on main.pdf" in compiled(tmp_path)


def test_what_is_decided_is_bold_and_captions_say_by_what(plain, tmp_path):
    file = bc.report(plain, tmp_path / "r.tex", rope=0.02, metric="accuracy", **QUIET)
    text = file.read_text(encoding="utf-8")
    check = bc.crosscheck(plain, "accuracy", 0.02, **QUIET)
    for pair in check.pairs.to_dict(orient="records"):
        row = next(
            line
            for line in text.splitlines()
            if line.startswith(f"{pair['first']} & {pair['second']} & most")
        )
        assert (r"\textbf" in row) == (pair["decision"] in ("first", "equivalent", "second"))
        words = {"first": "first better", "second": "second better"}
        assert row.endswith(rf"& {words.get(pair['decision'], pair['decision'])} \\")
    (caption,) = re.findall(r"\\caption\{(Verdicts.*)\}\\label\{tab:verdicts-accuracy\}", text)
    assert r"by the hierarchical t: rope $\pm$0.02, threshold 0.95" in caption
    for label in ("tests", "effects", "means"):
        assert rf"\label{{tab:{label}-accuracy}}" in text
