"""Results as tables for a notebook, for Markdown and for LaTeX: every text escaped."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bayescmp.errors import InputError
from bayescmp.wording.regions import COLOURS
from bayescmp.wording.text import (
    Formats,
    cut_all,
    fill_lines,
    format_cells,
    format_count,
    in_columns,
    justify_line,
    line_width,
    sentence_of,
)

if TYPE_CHECKING:
    import pandas as pd


# Markdown and LaTeX: every text escaped, and tables that fit a page.


#: Rows of a table of LaTeX that stand on one page; more run over several.
LONGEST = 40
#: Letters of a name that fit the first column of a terminal's table.
LONGEST_NAME = 40
#: The fewest letters that names are cut to where the table is wider than the terminal.
SHORTEST_NAME = 8

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


class Raw(str):
    """Text that is escaped already."""


def visible(value: object) -> object:
    """Drop control characters from text, and marks that reverse or hide what follows."""
    if type(value) is str:
        return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", value)
    return "" if value is None else value


def latex(value: object) -> str:
    """Escape text for LaTeX of any engine: what it has no letter for is named by its code."""
    if isinstance(value, Raw):
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


def begin(rows: int, spec: str, head: str, caption: str, label: str) -> Raw:
    """Write the lines before the rows of a table in LaTeX.

    Beyond `LONGEST` rows the table runs over pages; shorter ones are no wider than the text.
    `spec` are the columns, "llr"; head and caption are escaped already; the label follows "tab:".
    """
    form = _BEGIN_LONG if rows > LONGEST else _BEGIN
    return Raw(form % {"spec": spec, "head": head, "caption": caption, "label": label})


def end(rows: int) -> Raw:
    """Write the lines after the rows of a table in LaTeX."""
    if rows > LONGEST:
        return Raw("\\end{longtable}}")
    return Raw("\\bottomrule\n\\end{tabular}}\n\\end{table}")


#: Rows of texts; a cell's text, and whether it is set in bold.
Cells = Sequence[Sequence[tuple[str, bool]]]


def latex_table(
    head: Sequence[str], rows: Cells, right: Sequence[bool], *, caption: str, label: str
) -> str:
    r"""Write a table for a paper with booktabs, beyond forty rows with longtable.

    `right` says which columns are right-aligned.
    """
    spec = "".join("r" if r else "l" for r in right)
    lines = [begin(len(rows), spec, " & ".join(map(latex, head)), latex(caption), label)]
    for row in rows:
        cells = (rf"\textbf{{{latex(text)}}}" if bold else latex(text) for text, bold in row)
        lines.append(Raw(" & ".join(cells) + r" \\"))
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


# Results as tables for a notebook, for Markdown and for LaTeX: one way for all of them.


@dataclass(frozen=True)
class Exhibit:
    """What a result shows, whatever the form: the answer, its numbers, its doubts, its method.

    Attributes
    ----------
    title : str
        The answer in a line, without a full stop; becomes the caption.
    table : DataFrame
        Unrounded. Its columns are keys of the package's own, or all of them are users' names; a
        name beside keys stands in `heads`.
    notes : sequence of str
        Lines of doubt, and what else the reader should know.
    label : str
        The table's label in LaTeX, after "tab:".
    bold : mapping of str to sequence of bool
        Columns with cells that are set in bold: what is decided.
    heads : mapping of str to str
        What columns are called, where not as in the table.
    facts : mapping of str to str
        Named lines above the table; a notebook shows them, and the notes, as a table.
    setting : str
        The metric, the rope and the like, shown beside the title.
    sentences : sequence of str
        The answer in words, a paragraph each.
    legend : str
        What the table's numbers are.
    method : str
        How the answer was found.
    more : str
        What else can be asked.
    names : sequence of str
        Columns of names, which a terminal cuts where there is no room; the first if none is named.
    words : sequence of str
        Other columns that hold names, among words.
    formats : mapping of str to callable
        How columns of numbers are written, if not short; see `bayescmp.wording.text.format_cells`.
    """

    title: str
    table: pd.DataFrame
    notes: Sequence[str] = ()
    label: str = "results"
    bold: Mapping[str, Sequence[bool]] = field(default_factory=dict)
    heads: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    setting: str = ""
    sentences: Sequence[str] = ()
    legend: str = ""
    method: str = ""
    more: str = ""
    names: Sequence[str] = ()
    words: Sequence[str] = ()
    formats: Formats = field(default_factory=dict)

    def text(self, *, whole: bool = False) -> str:
        """Write it for a terminal, as wide as that is, 80 columns where there is none.

        `whole` asks for all rows of the table, however many.
        """
        width = line_width()
        rows = self.table if whole else self.table.head(MOST_ROWS)
        shown = self._cut(format_cells(rows, self.formats), width)
        table = [self._columns(shown, width)] if len(shown) else []
        left = len(self.table) - len(shown)
        more = [f"… and {format_count(left, 'more row')}"] if left else []
        facts = (f"{name}: {fact}" for name, fact in self.facts.items())
        tail = [
            *(fill_lines(f"note: {n}", width, subsequent_indent="  ") for n in self.notes),
            *([fill_lines(self.method, width)] if self.method else []),
            *([self.more] if self.more else []),
        ]
        blocks = [
            justify_line(self.title, self.setting, width),
            "\n".join(fill_lines(fact, width, subsequent_indent="  ") for fact in facts),
            *(fill_lines(sentence, width) for sentence in self.sentences),
            "\n".join([*table, *more, *fill_lines(self.legend, width).splitlines()]),
            "\n".join(tail),
        ]
        return "\n\n".join(block for block in blocks if block)

    def _cut(self, shown: pd.DataFrame, width: int) -> pd.DataFrame:
        """Put the table under its heads, with names as long as there is room for."""
        places = [list(self.table.columns).index(name) for name in self.names] or [0]
        names = [str(cell) for place in places for cell in shown.iloc[:, place]]
        shown = shown.rename(columns=dict(self.heads))
        longest = min(max(map(len, names), default=0), LONGEST_NAME)
        while True:
            cut = iter(cut_all(names, longest))
            for place in places:
                shown.isetitem(place, [next(cut) for _ in range(len(shown))])
            over = max(map(len, self._columns(shown).splitlines())) - width
            if over <= 0 or longest <= SHORTEST_NAME:
                return shown
            longest = max(longest - math.ceil(over / len(places)), SHORTEST_NAME)

    def _columns(self, shown: pd.DataFrame, width: int | None = None) -> str:
        words = {list(self.table.columns).index(name) for name in (*self.names, *self.words)}
        return in_columns(shown, width, len(self.names) or 1, words)

    def html(self) -> str:
        """Write it for a notebook."""
        lines = [f"<div>{escape(line)}</div>" for line in self._paragraphs()]
        if self.facts:
            above = [text for text in (self.setting, *self.sentences) if text]
            lines = [f"<div>{escape(line)}</div>" for line in above]
            lines.append(html_facts({**self.facts, "notes": "; ".join(self.notes)}))
        tail = [f"<div>{escape(line)}</div>" for line in (self.legend, self.method) if line]
        shown = html_table(self.table, heads=self.heads, formats=self.formats)
        return add_title(self.title, *lines, shown, *tail)

    def markdown(self) -> str:
        """Write the title, the notes and the table, with empty lines between."""
        head, rows, right = self._cells()
        lines = [f"**{markdown(self.title)}**", *map(markdown, self._lines())]
        tail = [markdown(line) for line in (self.legend, self.method) if line]
        return "\n\n".join([*lines, markdown_table(head, rows, right), *tail]) + "\n"

    def latex(self, caption: str | None, label: str | None) -> str:
        """Write the table with its caption, and the notes as comments above it."""
        head, rows, right = self._cells()
        notes = "".join(f"% {latex(line)}\n" for line in self._lines())
        return notes + latex_table(
            head,
            rows,
            right,
            caption=f"{self.title}." if caption is None else caption,
            label=re.sub(r"[^A-Za-z0-9:.-]+", "-", self.label if label is None else label),
        )

    def _paragraphs(self) -> list[str]:
        return [*([self.setting] if self.setting else []), *self.sentences, *self.notes]

    def _lines(self) -> list[str]:
        return [*(f"{name}: {fact}" for name, fact in self.facts.items()), *self._paragraphs()]

    def _cells(self) -> tuple[list[str], list[list[tuple[str, bool]]], list[bool]]:
        texts = format_cells(self.table, self.formats)
        names = list(map(str, self.table.columns))
        right = [dtype.kind in "fiu" for dtype in self.table.dtypes]
        bold = [self.bold.get(name, [False] * len(texts)) for name in names]
        rows = [
            [(text, bool(bold[j][i])) for j, text in enumerate(map(str, row))]
            for i, row in enumerate(texts.itertuples(index=False))
        ]
        return [self.heads.get(name, name) for name in names], rows, right


class Exhibited:
    """A result that shows itself as an `Exhibit`, in every format, and tells it in sentences."""

    def _exhibit(self) -> Exhibit:
        """Return what it shows: its ``exhibit()``, where it has one to which options are given."""
        shown: Exhibit = self.exhibit()  # type: ignore[attr-defined]
        return shown

    def _paper(self) -> Exhibit:
        """Return what stands in a paper, where that is another table."""
        return self._exhibit()

    def _list_further(self) -> Sequence[Exhibit]:
        """Return what is shown in full only."""
        return ()

    def _compose_explanation(self) -> Told:
        shown = self._exhibit()
        setting = f" ({shown.setting})" if shown.setting else ""
        facts = [f"{_begin_fact(name)}: {fact}." for name, fact in shown.facts.items()]
        short = [f"{shown.title}{setting}.", *facts, *shown.sentences]
        return Told(short, shown.notes, [f"{shown.method or shown.title}."])

    def explain(self, form: str = "short") -> str:
        """Tell the result in sentences.

        Parameters
        ----------
        form : {"short", "paper"}
            "short": a few sentences for any reader. "paper": a results paragraph, a methods
            paragraph, and BibTeX entries.

        Returns
        -------
        str

        Raises
        ------
        InputError
            For any other form.

        See Also
        --------
        bayescmp.Verdict.explain : The same for a Bayesian verdict.

        Examples
        --------
        >>> from bayescmp.frequentist import average_ranks
        >>> ranks = average_ranks([[0.9, 0.8], [0.7, 0.6], [0.5, 0.8]])
        >>> ranks.explain().split(". ")[1]
        'The first, A1, is best on 2 of 3 data sets, a shared first place counted in parts.'
        """
        return self._compose_explanation().text(form)

    def full(self) -> str:
        """Write everything there is to read: each table with all its rows, then all sentences."""
        alike = (
            type(self)._compose_explanation is Exhibited._compose_explanation
            and type(self).explain is Exhibited.explain
        )
        return self._show_whole(self._exhibit(), "" if alike else self.explain("paper"))

    def _show_whole(self, shown: Exhibit, sentences: str) -> str:
        """Join all tables, with all their rows, and sentences that say more than they do."""
        tables = [one.text(whole=True) for one in (shown, *self._list_further())]
        from bayescmp.present.paper import split_paragraphs

        texts = [fill_lines(text, line_width()) for text in split_paragraphs(sentences)]
        return "\n\n".join(filter(None, [*tables, *texts]))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._exhibit().title}>"

    def __str__(self) -> str:
        return self._exhibit().text()

    def _repr_html_(self) -> str:
        return self._exhibit().html()

    def to_markdown(self) -> str:
        """Write the table in Markdown, under its title.

        Examples
        --------
        >>> from bayescmp.frequentist import corrected_t
        >>> result = corrected_t([0.02, 0.03, 0.01], rho=0.2)
        >>> print(result.to_markdown().splitlines()[-1])
        | 2.619 | 2 | 3 | 0.12 | 0.02 | −0.01286 | 0.05286 | 1.789 |
        """
        return self._paper().markdown()

    def to_latex(self, *, caption: str | None = None, label: str | None = None) -> str:
        r"""Write the table in LaTeX, with booktabs; beyond forty rows with longtable.

        Parameters
        ----------
        caption : str, optional
            In place of the result's own.
        label : str, optional
            What ``\ref`` calls it, after "tab:".

        Returns
        -------
        str
            No wider than the text; needs the packages booktabs, graphicx and longtable.
        """
        for name, given in {"caption": caption, "label": label}.items():
            if not isinstance(given, str | None):
                raise InputError(f"{name}={given!r}; accepted: text")
        return self._paper().latex(caption, label)


class Tabled(Exhibited):
    """A result whose table is the one that it shows."""

    @property
    def frame(self) -> pd.DataFrame:
        """The table that is shown, unrounded, headed by what was measured."""
        measured = str(getattr(self, "measured", ""))
        return self._exhibit().table.rename_axis(columns=measured or None)


@dataclass(frozen=True)
class Told:
    """An explanation in whole sentences; only what limits it are notes without a full stop.

    `short` is what came out, `limits` what limits it, and `methods` how it was found. `paper` are
    the results of a paper, if they are not the first two.
    """

    short: Sequence[str]
    limits: Sequence[str] = ()
    methods: Sequence[str] = ()
    paper: Sequence[str] | None = None

    def text(self, form: str) -> str:
        """Write it in a form of `explain`."""
        from bayescmp.present.paper import write_explanation

        return write_explanation(form, self.short, self._results, self.methods)

    @property
    def _results(self) -> Sequence[str]:
        return [*self.short, *list_notes(self.limits)] if self.paper is None else self.paper

    def write_results(self) -> str:
        """Write what came out and what limits it, without methods and references."""
        return " ".join(filter(None, self._results))

    def write_methods(self) -> str:
        """Write how it was found."""
        return " ".join(filter(None, self.methods))


def _begin_fact(name: str) -> str:
    """Begin a sentence with a fact's name; symbols such as n and p keep their case."""
    return sentence_of(name) if len(name) > 1 else name


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
    """Escape a cell's text; a long one is cut."""
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
    """Write a table in HTML, with numbers to the right; rows beyond `MOST_ROWS` are only counted.

    `heads` renames columns for display, and `formats` are as for `format_cells`.
    """
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

    Each region is (region, label, probability, text, ...): its name says the colour, and the text
    is the probability as shown. More texts are columns beyond the bar, under `titles`.
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
