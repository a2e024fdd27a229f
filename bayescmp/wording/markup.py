"""Results as tables for a notebook, for Markdown and for LaTeX: every text escaped."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bayescmp.wording.regions import COLOURS
from bayescmp.wording.text import (
    Formats,
    format_cells,
    format_count,
)

if TYPE_CHECKING:
    import pandas as pd


# Markdown and LaTeX: every text escaped, and tables sized for a page.


#: Rows of a LaTeX table on one page; a longer table runs over several.
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
    "ε": r"$\varepsilon$",
    "η": r"$\eta$",
    "θ": r"$\theta$",
    "λ": r"$\lambda$",
    "Λ": r"$\Lambda$",
    "π": r"$\pi$",
    "ψ": r"$\psi$",
    "ω": r"$\omega$",
    "₁": "$_1$",
    "₂": "$_2$",
    "ᵀ": "$^T$",
    "√": r"$\surd$",
    "∞": r"$\infty$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
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


class EscapedText(str):
    """Text that is escaped already."""


def visible(value: object) -> object:
    """Drop control characters from text, and marks that reverse or hide what follows."""
    if type(value) is str:
        return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", value)
    return "" if value is None else value


def latex(value: object) -> str:
    """Escape text for LaTeX of any engine: what it has no letter for is named by its code."""
    if isinstance(value, EscapedText):
        return value
    return "".join(
        _LATEX.get(c) or _letter(c) for c in unicodedata.normalize("NFC", str(visible(value)))
    )


def _letter(c: str) -> str:
    """Keep a character of the Latin alphabets, which any LaTeX sets; else name its code point."""
    return c if ord(c) < 0x180 else rf"\texttt{{U+{ord(c):04X}}}"


def markdown(value: object) -> str:
    """Escape text for Markdown, so that it is never markup, nor the end of a table's cell."""
    return _MARKDOWN.sub(r"\\\1", " ".join(str(visible(value)).split()))


def begin(rows: int, spec: str, head: str, caption: str, label: str) -> EscapedText:
    """Write the lines before the rows of a table in LaTeX.

    More than `LONGEST` rows run over pages. `spec` are the columns, "llr"; head and caption are
    escaped already; the label follows "tab:".
    """
    form = _BEGIN_LONG if rows > LONGEST else _BEGIN
    return EscapedText(form % {"spec": spec, "head": head, "caption": caption, "label": label})


def end(rows: int) -> EscapedText:
    """Write the lines after the rows of a table in LaTeX."""
    if rows > LONGEST:
        return EscapedText("\\end{longtable}}")
    return EscapedText("\\bottomrule\n\\end{tabular}}\n\\end{table}")


#: Rows of texts; a cell's text, and whether it is set in bold.
Cells = Sequence[Sequence[tuple[str, bool]]]


def latex_table(
    head: Sequence[str], rows: Cells, right: Sequence[bool], *, caption: str, label: str
) -> str:
    r"""Write a table for a paper with booktabs, beyond forty rows with longtable.

    `right` marks the right-aligned columns.
    """
    spec = "".join("r" if r else "l" for r in right)
    lines = [begin(len(rows), spec, " & ".join(map(latex, head)), latex(caption), label)]
    for row in rows:
        cells = (rf"\textbf{{{latex(text)}}}" if bold else latex(text) for text, bold in row)
        lines.append(EscapedText(" & ".join(cells) + r" \\"))
    return "\n".join([*lines, end(len(rows))]) + "\n"


def markdown_table(head: Sequence[str], rows: Cells, right: Sequence[bool]) -> str:
    """Write a table in Markdown; the arguments are those of `latex_table`."""
    lines = [map(markdown, head), ("---:" if r else "---" for r in right)]
    written = [" | ".join(lines[0]), "|".join(lines[1])]
    body = [
        " | ".join(f"**{markdown(text)}**" if bold else markdown(text) for text, bold in row)
        for row in rows
    ]
    return "\n".join([f"| {written[0]} |", f"|{written[1]}|", *(f"| {line} |" for line in body)])


def list_notes(notes: Sequence[str]) -> list[str]:
    """Write notes in running text, as one sentence if there are any."""
    return [f"Notes: {'; '.join(notes)}."] if notes else []


def named_rows(frame: pd.DataFrame, head: str = "algorithm") -> pd.DataFrame:
    """Return the table with its rows' names, "algorithm" by default, as a column."""
    if frame.index.nlevels == 1:
        frame = frame.rename_axis(index=str(frame.index.name or head))
    return frame.rename_axis(columns=None).reset_index(allow_duplicates=True)


# HTML for notebooks. Colours come from the notebook (``currentColor``, transparency), so that
# light and dark themes both read well; the three colours of the regions are those of the plots.


#: Rows and characters of a cell that a notebook shows.
MOST_ROWS, MOST_TEXT = 60, 200
#: Characters from which on a text is a sentence, which wants room.
SENTENCE = 36

_TABLE = "border-collapse:collapse;font-variant-numeric:tabular-nums"
_CELL = "padding:.15em .6em;border:0"
_RULE = "border-bottom:1px solid currentColor"


def escape(text: object) -> str:
    """Escape text for HTML, also inside quotes."""
    import html  # its table of entities takes a millisecond

    return html.escape(str(text), quote=True)


def _cell(text: str) -> str:
    return escape(text if len(text) <= MOST_TEXT else text[: MOST_TEXT - 1] + "…")


def add_title(title: str, *parts: str) -> str:
    """Put a title, escaped, over parts that are HTML already."""
    return (
        f'<div><div style="margin:.3em 0"><strong>{escape(title)}</strong></div>'
        + "".join(parts)
        + "</div>"
    )


def html_table(
    frame: pd.DataFrame,
    *,
    heads: Mapping[str, str] | None = None,
    formats: Formats | None = None,
) -> str:
    """Write an HTML table, numbers to the right, up to `MOST_ROWS`; `heads` renames columns."""
    styles = [_column(frame.iloc[:, i]) for i in range(len(frame.columns))]
    head = "".join(
        f'<th scope="col" style="{style};{_RULE}">{escape((heads or {}).get(name, name))}</th>'
        for name, style in zip(frame.columns, styles, strict=True)
    )
    texts = format_cells(frame.head(MOST_ROWS), formats, missing="")
    rows = [
        "".join(
            f'<td style="{style}">{_cell(v)}</td>' for v, style in zip(row, styles, strict=True)
        )
        for row in texts.itertuples(index=False)
    ]
    left = len(frame) - MOST_ROWS
    more = f"<div>… and {format_count(left, 'more row')}</div>" if left > 0 else ""
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    head = f"<thead><tr>{head}</tr></thead>"
    return f'<table style="{_TABLE}">{head}<tbody>{body}</tbody></table>{more}'


def _column(values: pd.Series) -> str:
    """Style a column: numbers to the right, sentences not squeezed."""
    if values.dtype.kind in "fiu":
        return f"{_CELL};text-align:right"
    longest = max((len(str(value)) for value in values.head(MOST_ROWS)), default=0)
    return f"{_CELL};text-align:left" + (";min-width:18em" if longest > SENTENCE else "")


def html_facts(values: Mapping[str, object]) -> str:
    """Write names and values, one per line; values that are empty are left out."""
    rows = "".join(
        f'<tr><th scope="row" style="{_CELL};text-align:left;font-weight:normal;opacity:.7">'
        f'{escape(name)}</th><td style="{_CELL};text-align:left">{escape(value)}</td></tr>'
        for name, value in values.items()
        if value not in ("", None)
    )
    return f'<table style="{_TABLE}"><tbody>{rows}</tbody></table>'


def html_bars(regions: Iterable[Sequence[Any]], titles: Sequence[str] = ()) -> str:
    """Show probabilities as bars with their numbers, one line per region.

    Each region is (region, label, probability, text, ...): its name gives the colour; more texts
    are columns beyond the bar, under `titles`.
    """
    rows = [_titles(titles)] if titles else []
    for region, label, p, text, *more in regions:
        width = 100 * min(max(float(p), 0.0), 1.0)
        colour = COLOURS.get(region, "currentColor")
        others = "".join(f'<td style="{_CELL};text-align:right">{escape(t)}</td>' for t in more)
        rows.append(
            f'<tr><th scope="row" style="{_CELL};text-align:left;font-weight:normal">'
            f'{escape(label)}</th><td style="{_CELL};text-align:right">{escape(text)}</td>'
            f'<td style="{_CELL};width:12em"><div aria-hidden="true" style="height:.7em;'
            f'width:{width:.1f}%;min-width:1px;background:{colour}"></div></td>{others}</tr>'
        )
    return f'<table style="{_TABLE}"><tbody>{"".join(rows)}</tbody></table>'


def _titles(titles: Sequence[str]) -> str:
    """Write the line above the bars: a title over each column of texts, none over the bar."""
    cells = [
        f'<th scope="col" style="{_CELL};text-align:right;font-weight:normal;opacity:.7">'
        f"{escape(title)}</th>"
        for title in titles
    ]
    return f"<tr><td></td>{cells[0]}<td></td>{''.join(cells[1:])}</tr>"
