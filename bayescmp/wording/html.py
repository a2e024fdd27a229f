"""Small, sober HTML of results for notebooks: functions on plain data, every text escaped.

Colours come from the notebook (``currentColor``, transparency), so that light and dark themes both
read well; the three colours of the regions are those of the plots.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bayescmp.wording.regions import COLOURS
from bayescmp.wording.text import format_cells

if TYPE_CHECKING:
    import pandas as pd


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


def cell(text: str) -> str:
    """Escape a cell's text; a long one is cut."""
    return escape(text if len(text) <= MOST_TEXT else text[: MOST_TEXT - 1] + "…")


def add_title(title: str, *parts: str) -> str:
    """Put a title, escaped, over parts that are HTML already."""
    return (
        f'<div><div style="margin:.3em 0"><strong>{escape(title)}</strong></div>'
        + "".join(parts)
        + "</div>"
    )


def table(frame: pd.DataFrame, *, heads: Mapping[str, str] | None = None) -> str:
    """Write a table in HTML, with numbers to the right; rows beyond `MOST_ROWS` are only counted.

    `heads` renames columns for display.
    """
    styles = [_column(frame.iloc[:, i]) for i in range(len(frame.columns))]
    head = "".join(
        f'<th scope="col" style="{style};{_RULE}">{escape((heads or {}).get(name, name))}</th>'
        for name, style in zip(frame.columns, styles, strict=True)
    )
    texts = format_cells(frame.head(MOST_ROWS), missing="")
    rows = [
        "".join(
            f'<td style="{style}">{cell(v)}</td>' for v, style in zip(row, styles, strict=True)
        )
        for row in texts.itertuples(index=False)
    ]
    left = len(frame) - MOST_ROWS
    more = f"<div>… and {left} more rows</div>" if left > 0 else ""
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    head = f"<thead><tr>{head}</tr></thead>"
    return f'<table style="{_TABLE}">{head}<tbody>{body}</tbody></table>{more}'


def _column(values: pd.Series) -> str:
    """Style a column: numbers to the right, sentences not squeezed."""
    if values.dtype.kind in "fiu":
        return f"{_CELL};text-align:right"
    longest = max((len(str(value)) for value in values.head(MOST_ROWS)), default=0)
    return f"{_CELL};text-align:left" + (";min-width:18em" if longest > SENTENCE else "")


def facts(values: Mapping[str, object]) -> str:
    """Write names and values, one per line; values that are empty are left out."""
    rows = "".join(
        f'<tr><th scope="row" style="{_CELL};text-align:left;font-weight:normal;opacity:.7">'
        f'{escape(name)}</th><td style="{_CELL};text-align:left">{escape(value)}</td></tr>'
        for name, value in values.items()
        if value not in ("", None)
    )
    return f'<table style="{_TABLE}"><tbody>{rows}</tbody></table>'


def bars(regions: Iterable[Sequence[Any]], titles: Sequence[str] = ()) -> str:
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
