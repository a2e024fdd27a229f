"""Text and tables in Markdown and LaTeX."""

from __future__ import annotations

import string

import pytest

from bayescmp.markup import LONGEST, begin, end, latex, latex_table, markdown, markdown_table

HEAD, RIGHT = ["name", "p"], [False, True]


@pytest.mark.parametrize("special", string.punctuation)
def test_every_special_character_is_escaped_in_latex(special):
    plain = set("!'()*+,-./:;=?@[]")
    assert (latex(special) == special) == (special in plain)


@pytest.mark.parametrize("special", "\\`*_{}[]<>()#+!|~$&-")
def test_every_special_character_is_escaped_in_markdown(special):
    assert markdown(f"a{special}b") == f"a\\{special}b"
    assert markdown("two\nlines") == "two lines"


def test_letters_that_latex_sets_and_those_it_does_not():
    assert latex("Šidák ſ") == "Šidák ſ"
    assert latex("ƀ") == r"\texttt{U+0180}"
    assert latex("漢") == r"\texttt{U+6F22}"


def test_a_table_of_latex_has_a_caption_a_label_and_as_many_cells_as_columns():
    rows = [[("a & b", False), ("0.97", True)], [("c_d", False), ("0.20", False)]]
    text = latex_table(HEAD, rows, RIGHT, caption="P & q.", label="x")
    assert r"\caption{P \& q.}\label{tab:x}" in text
    assert r"a \& b & \textbf{0.97} \\" in text
    assert r"\begin{tabular}{@{}lr@{}}" in text
    assert text.count(r"\toprule") == text.count(r"\midrule") == text.count(r"\bottomrule") == 1


@pytest.mark.parametrize(("rows", "kind"), [(LONGEST, "table"), (LONGEST + 1, "longtable")])
def test_long_tables_run_over_pages(rows, kind):
    assert rf"\begin{{{kind}}}" in begin(rows, "l", "a", "b", "c")
    assert end(rows).rstrip("}\n").endswith(rf"\end{{{kind}")


def test_a_table_of_markdown_escapes_its_cells():
    lines = markdown_table(HEAD, [[("a|b", False), ("0.97", True)]], RIGHT).splitlines()
    assert lines == ["| name | p |", "|---|---:|", "| a\\|b | **0.97** |"]
