"""Forms of a summary: text for a terminal, HTML for a notebook, Markdown and LaTeX.

A result is printed in every form by its base class, `Summarised`.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from bayescmp.base.arguments import must_be
from bayescmp.present.paper import split_paragraphs, write_explanation
from bayescmp.present.summary import Cells, Column, Explanation, Summary, summarise
from bayescmp.wording.markup import (
    MOST_ROWS,
    add_title,
    escape,
    html_bars,
    html_facts,
    html_table,
    latex,
    latex_table,
    list_notes,
    markdown,
    markdown_table,
)
from bayescmp.wording.text import (
    Formats,
    cut_all,
    fill_lines,
    format_cells,
    format_count,
    format_probability,
    format_pvalue,
    in_columns,
    justify_line,
    line_width,
    screen_width,
    sentence_of,
)

if TYPE_CHECKING:
    import pandas as pd

#: Letters of a name that fit the first column of a terminal's table.
LONGEST_NAME = 40
#: The fewest letters that names are cut to if the table is wider than the terminal.
SHORTEST_NAME = 8

_FORMATS: Formats = {Cells.PROBABILITY: format_probability, Cells.P_VALUE: format_pvalue}
_NO_COLUMN = Column()

METHOD = "Method: {}."


def _formats(s: Summary) -> Formats:
    kinds = {key: column.cells for key, column in s.columns.items()}
    return {key: _FORMATS[cells] for key, cells in kinds.items() if cells in _FORMATS}


def _heads(s: Summary) -> dict[Any, str]:
    return {key: column.head for key, column in s.columns.items() if column.head is not None}


def _places(s: Summary, *kinds: Cells) -> list[int]:
    """Return the places of columns of some kinds."""
    return [
        place
        for place, key in enumerate(s.table.columns)
        if s.columns.get(key, _NO_COLUMN).cells in kinds
    ]


# Text for a terminal.


def as_text(s: Summary, *, whole: bool = False) -> str:
    """Write a summary (with `whole`, all rows) for a terminal, at its width or 80 columns."""
    width = line_width()
    rows = s.table if whole else s.table.head(MOST_ROWS)
    shown = _cut_names(s, format_cells(rows, _formats(s)), width)
    table = [_align(s, shown, width)] if len(shown) else []
    left = len(s.table) - len(shown)
    more = [f"… and {format_count(left, 'more row')}"] if left else []
    facts = (f"{name}: {fact}" for name, fact in s.facts.items())
    tail = [
        *(fill_lines(f"note: {note}", width, subsequent_indent="  ") for note in s.notes),
        *([fill_lines(s.method, width)] if s.method else []),
        *([s.more] if s.more else []),
    ]
    blocks = [
        justify_line(s.headline, s.setting, width),
        "\n".join(fill_lines(fact, width, subsequent_indent="  ") for fact in facts),
        *(fill_lines(sentence, width) for sentence in s.sentences),
        "\n".join([*table, *more, *fill_lines(s.legend, width).splitlines()]),
        "\n".join(tail),
    ]
    return "\n\n".join(block for block in blocks if block)


def _cut_names(s: Summary, shown: pd.DataFrame, width: int) -> pd.DataFrame:
    """Put the table under its heads, with names as long as there is room for."""
    places = _places(s, Cells.NAME) or [0]
    names = [str(cell) for place in places for cell in shown.iloc[:, place]]
    shown = shown.rename(columns=_heads(s))
    longest = min(max(map(len, names), default=0), LONGEST_NAME)
    while True:
        cut = iter(cut_all(names, longest))
        for place in places:
            shown.isetitem(place, [next(cut) for _ in range(len(shown))])
        over = max(map(screen_width, _align(s, shown).splitlines())) - width
        if over <= 0 or longest <= SHORTEST_NAME:
            return shown
        longest = max(longest - math.ceil(over / len(places)), SHORTEST_NAME)


def _align(s: Summary, shown: pd.DataFrame, width: int | None = None) -> str:
    keys = len(_places(s, Cells.NAME)) or 1
    return in_columns(shown, width, keys, _places(s, Cells.NAME, Cells.WORDS))


def write_full(s: Summary) -> str:
    """Write every table with all its rows, then the paragraphs of a paper, if they say more."""
    tables = [as_text(one, whole=True) for one in (s, *s.further())]
    texts = split_paragraphs(explain(s, "paper")) if s.explanation is not None else []
    return "\n\n".join([*tables, *(fill_lines(text, line_width()) for text in texts)])


# Sentences.


def explain(s: Summary, form: str) -> str:
    """Explain a summary; see `bayescmp.present.paper.write_explanation`."""
    return write_explanation(form, _complete_explanation(s))


def _complete_explanation(s: Summary) -> Explanation:
    """Return the explanation, with defaults for its missing parts."""
    short, results, methods = Explanation() if s.explanation is None else s.explanation()
    if short is None:
        title = f"{s.headline} ({s.setting})." if s.setting else f"{s.headline}."
        facts = [
            f"{sentence_of(name) if len(name) > 1 else name}: {fact}."
            for name, fact in s.facts.items()
        ]
        short = [title, *facts, *s.sentences]
    results = [*short, *list_notes(s.notes)] if results is None else results
    return Explanation(
        short, results, methods or [METHOD.format(s.method or s.setting or s.headline)]
    )


# HTML for a notebook.


def as_html(s: Summary) -> str:
    """Write a summary for a notebook."""
    facts = {**s.facts, "notes": "; ".join(s.notes)} if s.facts else {}
    notes = [] if s.facts else s.notes
    heads, rows = s.bars() if s.bars is not None else ((), ())
    above = [line for line in (s.setting, *s.sentences, *notes) if line]
    shown = (
        html_bars(rows, titles=heads)
        if rows
        else html_table(s.table, heads=_heads(s), formats=_formats(s))
    )
    below = [line for line in (s.legend, s.method) if line and not rows]
    return add_title(
        s.headline,
        *(f"<div>{escape(line)}</div>" for line in above),
        *([html_facts(facts)] if facts else []),
        shown,
        *(f"<div>{escape(line)}</div>" for line in below),
        *([html_facts(s.details)] if s.details else []),
    )


# Markdown and LaTeX.


def as_markdown(s: Summary) -> str:
    """Write the headline, the sentences and the table, with empty lines between."""
    head, rows, right = _cells(s)
    lines = [f"**{markdown(s.headline)}**", *map(markdown, _lines(s))]
    tail = [markdown(line) for line in (s.legend, s.method) if line]
    return "\n\n".join([*lines, markdown_table(head, rows, right), *tail]) + "\n"


def as_latex(s: Summary, caption: str | None, label: str | None) -> str:
    """Write the table with its caption, and the other lines as comments above it."""
    head, rows, right = _cells(s)
    notes = "".join(f"% {latex(line)}\n" for line in _lines(s))
    return notes + latex_table(
        head,
        rows,
        right,
        caption=f"{s.headline}." if caption is None else caption,
        label=re.sub(r"[^A-Za-z0-9:.-]+", "-", s.label if label is None else label),
    )


def _lines(s: Summary) -> list[str]:
    facts = (f"{name}: {fact}" for name, fact in s.facts.items())
    return [line for line in (*facts, s.setting, *s.sentences, *s.notes) if line]


def _cells(s: Summary) -> tuple[list[str], list[list[tuple[str, bool]]], list[bool]]:
    """Return the heads, the cells with whether each is bold, and which columns hold numbers."""
    texts, heads = format_cells(s.table, _formats(s)), _heads(s)
    right = [dtype.kind in "fiu" for dtype in s.table.dtypes]
    bold = [s.columns.get(key, _NO_COLUMN).bold or [False] * len(texts) for key in s.table]
    rows = [
        [(text, bool(bold[j][i])) for j, text in enumerate(map(str, row))]
        for i, row in enumerate(texts.itertuples(index=False))
    ]
    return [str(heads.get(key, key)) for key in s.table.columns], rows, right


# Results.


class Summarised:
    """A result that is printed in every form from its `Summary`."""

    def explain(self, form: str = "short") -> str:
        """Explain the result in sentences.

        Parameters
        ----------
        form : {"short", "paper"}
            A few sentences; or a results paragraph, a methods paragraph, and BibTeX entries.

        Returns
        -------
        str

        Examples
        --------
        >>> from bayescmp.frequentist import average_ranks
        >>> ranks = average_ranks([[0.9, 0.8], [0.7, 0.6], [0.5, 0.8]])
        >>> ranks.explain().split(". ")[1]
        'Best on 2 of 3 data sets, ties in equal parts: A1.'
        """
        return explain(summarise(self), form)

    def full(self) -> str:
        """Write every table with all its rows, then what a paper would say."""
        return write_full(summarise(self))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {summarise(self).headline}>"

    def __str__(self) -> str:
        return as_text(summarise(self))

    def _repr_html_(self) -> str:
        return as_html(summarise(self))

    def to_markdown(self) -> str:
        """Write the table in Markdown, under its title.

        Examples
        --------
        >>> from bayescmp.frequentist import corrected_t
        >>> result = corrected_t([0.02, 0.03, 0.01], rho=0.2)
        >>> print(result.to_markdown().splitlines()[-1])
        | 2.619 | 2 | 3 | 0.12 | 0.02 | −0.01286 | 0.05286 | 1.789 |
        """
        return as_markdown(_for_paper(summarise(self)))

    def to_latex(self, *, caption: str | None = None, label: str | None = None) -> str:
        r"""Write the table in LaTeX, with booktabs; beyond forty rows with longtable.

        `caption` is by default the result's own, `label` what ``\ref`` calls it, after "tab:". It
        is no wider than the text, and needs the packages booktabs, graphicx and longtable.
        """
        for name, given in {"caption": caption, "label": label}.items():
            if not isinstance(given, str | None):
                raise must_be(name, "text", given)
        return as_latex(_for_paper(summarise(self)), caption, label)


def _for_paper(summary: Summary) -> Summary:
    return summary if summary.paper is None else summary.paper()
