"""Markdown and LaTeX: every text escaped, and tables that fit a page."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

__all__ = [
    "LONGEST",
    "Raw",
    "begin",
    "end",
    "latex",
    "latex_table",
    "markdown",
    "markdown_table",
    "visible",
]

#: Rows of a table of LaTeX that stand on one page; more run over several.
LONGEST = 40

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    "|": r"\textbar{}",
    '"': "''",
    "±": r"$\pm$",
    "−": r"$-$",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "’": "'",
    "×": r"$\times$",
    "∝": r"$\propto$",
    "α": r"$\alpha$",
    "β": r"$\beta$",
    "δ": r"$\delta$",
    "σ": r"$\sigma$",
    "τ": r"$\tau$",
    "Σ": r"$\Sigma$",
    "μ": r"$\mu$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "→": r"$\to$",
    "χ": r"$\chi$",
    "ν": r"$\nu$",
    "ρ": r"$\rho$",
    "\n": " ",
    "\t": " ",
    "`": r"\textasciigrave{}",
}
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>()#+!|~$&-])")
_BEGIN = r"""\begin{table}
\centering\footnotesize\setlength{\tabcolsep}{3.5pt}
\caption{%(caption)s}\label{tab:%(label)s}
\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{
\begin{tabular}{@{}%(spec)s@{}}
\toprule
%(head)s \\
\midrule"""
_BEGIN_LONG = r"""{\scriptsize\setlength{\tabcolsep}{2.5pt}
\begin{longtable}{@{}%(spec)s@{}}
\caption{%(caption)s}\label{tab:%(label)s} \\
\toprule
%(head)s \\
\midrule
\endfirsthead
\caption[]{(continued)} \\
\toprule
%(head)s \\
\midrule
\endhead
\bottomrule
\endlastfoot"""


class Raw(str):
    """Text that is escaped already."""


def visible(value: object) -> object:
    """Text without control characters and without marks that turn or hide what follows."""
    if type(value) is str:
        return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", value)
    return "" if value is None else value


def latex(value: object) -> str:
    """Text for LaTeX that any engine sets: what it has no letter for is named by its code."""
    if isinstance(value, Raw):
        return value
    return "".join(
        _LATEX.get(c) or _letter(c) for c in unicodedata.normalize("NFC", str(visible(value)))
    )


def _letter(c: str) -> str:
    """A character of the Latin alphabets, which every LaTeX sets, or its code point."""
    return c if ord(c) < 0x180 else rf"\texttt{{U+{ord(c):04X}}}"


def markdown(value: object) -> str:
    """Text for Markdown that is never markup, nor the end of a table's cell."""
    return _MARKDOWN.sub(r"\\\1", " ".join(str(visible(value)).split()))


def begin(rows: int, spec: str, head: str, caption: str, label: str) -> Raw:
    """The lines before the rows of a table in LaTeX.

    Parameters
    ----------
    rows : int
        Beyond `LONGEST` the table runs over pages; shorter ones are no wider than the text.
    spec : str
        Columns: "llr".
    head, caption : str
        Escaped already.
    label : str
        Behind "tab:".
    """
    form = _BEGIN_LONG if rows > LONGEST else _BEGIN
    return Raw(form % {"spec": spec, "head": head, "caption": caption, "label": label})


def end(rows: int) -> Raw:
    """The lines behind the rows of a table in LaTeX."""
    if rows > LONGEST:
        return Raw("\\end{longtable}}")
    return Raw("\\bottomrule\n\\end{tabular}}\n\\end{table}")


#: Rows of texts; a cell's text, and whether it is set in bold.
Cells = Sequence[Sequence[tuple[str, bool]]]


def latex_table(
    head: Sequence[str], rows: Cells, right: Sequence[bool], *, caption: str, label: str
) -> str:
    r"""A table for a paper, by booktabs; beyond forty rows by longtable.

    Parameters
    ----------
    head : sequence of str
    rows : sequence of sequence of (str, bool)
    right : sequence of bool
        Which columns are set to the right.
    caption, label : str

    Examples
    --------
    >>> from bayescmp.markup import latex_table
    >>> rows = [[("k_nn", False), ("0.97", True)]]
    >>> text = latex_table(["name", "p"], rows, [False, True], caption="Verdicts.", label="v")
    >>> print(text.splitlines()[-4])
    k\_nn & \textbf{0.97} \\
    """
    spec = "".join("r" if r else "l" for r in right)
    lines = [begin(len(rows), spec, " & ".join(map(latex, head)), latex(caption), label)]
    for row in rows:
        cells = (rf"\textbf{{{latex(text)}}}" if bold else latex(text) for text, bold in row)
        lines.append(Raw(" & ".join(cells) + r" \\"))
    return "\n".join([*lines, end(len(rows))]) + "\n"


def markdown_table(head: Sequence[str], rows: Cells, right: Sequence[bool]) -> str:
    """A table in Markdown.

    Parameters
    ----------
    head, rows, right
        As for `latex_table`.

    Examples
    --------
    >>> from bayescmp.markup import markdown_table
    >>> print(markdown_table(["name", "p"], [[("knn", False), ("0.97", True)]], [False, True]))
    | name | p |
    |---|---:|
    | knn | **0.97** |
    """
    lines = [map(markdown, head), ("---:" if r else "---" for r in right)]
    written = [" | ".join(lines[0]), "|".join(lines[1])]
    body = [
        " | ".join(f"**{markdown(text)}**" if bold else markdown(text) for text, bold in row)
        for row in rows
    ]
    return "\n".join([f"| {written[0]} |", f"|{written[1]}|", *(f"| {line} |" for line in body)])
