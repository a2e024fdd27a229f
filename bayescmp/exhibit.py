"""Results as tables for a notebook, for Markdown and for LaTeX: one way for all of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bayescmp import _html
from bayescmp.markup import latex, latex_table, markdown, markdown_table
from bayescmp.text import as_sentence, written

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Exhibit", "Exhibited", "named_rows"]


@dataclass(frozen=True)
class Exhibit:
    """What a result shows: a table under its title, and what the reader should know.

    Attributes
    ----------
    title : str
        Becomes the caption.
    table : DataFrame
        Unrounded; see `bayescmp.text.written`.
    notes : sequence of str
        Lines between the title and the table.
    label : str
        Of the table in LaTeX, behind "tab:".
    bold : mapping of str to sequence of bool
        Columns with cells that are set in bold: what is decided.
    heads : mapping of str to str
        What columns are called, where not as in the table.
    """

    title: str
    table: pd.DataFrame
    notes: Sequence[str] = ()
    label: str = "results"
    bold: Mapping[str, Sequence[bool]] = field(default_factory=dict)
    heads: Mapping[str, str] = field(default_factory=dict)

    def html(self) -> str:
        """For a notebook."""
        lines = [f"<div>{_html.escape(line)}</div>" for line in self.notes]
        return _html.titled(self.title, *lines, _html.table(self.table, heads=self.heads))

    def markdown(self) -> str:
        """The title, the notes and the table, with empty lines between."""
        head, rows, right = self._cells()
        lines = [f"**{markdown(self.title)}**", *map(markdown, self.notes)]
        return "\n\n".join([*lines, markdown_table(head, rows, right)]) + "\n"

    def latex(self, caption: str | None, label: str | None) -> str:
        """The table with its caption, the notes as comments above it."""
        head, rows, right = self._cells()
        notes = "".join(f"% {latex(line)}\n" for line in self.notes)
        return notes + latex_table(
            head,
            rows,
            right,
            caption=as_sentence(self.title) if caption is None else caption,
            label=re.sub(r"[^A-Za-z0-9:.-]+", "-", self.label if label is None else label),
        )

    def _cells(self) -> tuple[list[str], list[list[tuple[str, bool]]], list[bool]]:
        texts = written(self.table)
        names = list(map(str, self.table.columns))
        right = [self.table[name].dtype.kind in "fiu" for name in self.table.columns]
        bold = [self.bold.get(name, [False] * len(texts)) for name in names]
        rows = [
            [
                (text.replace("-", "−") if right[j] else text, bool(bold[j][i]))
                for j, text in enumerate(map(str, row))
            ]
            for i, row in enumerate(texts.itertuples(index=False))
        ]
        return [self.heads.get(name, name) for name in names], rows, right


class Exhibited:
    """A result that shows itself as an `Exhibit`, in every format."""

    def _exhibit(self) -> Exhibit:
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return self._exhibit().html()

    def to_markdown(self) -> str:
        """The table in Markdown, under its title.

        Returns
        -------
        str

        See Also
        --------
        bayescmp.report : A whole report, also in Markdown.

        Examples
        --------
        >>> from bayescmp.frequentist import corrected_t
        >>> result = corrected_t([0.02, 0.03, 0.01], rho=0.2)
        >>> print(result.to_markdown().splitlines()[-1])
        | 2.619 | 2 | 3 | 0.12 | 0.02 | −0.01286 | 0.05286 | 1.789 |
        """
        return self._exhibit().markdown()

    def to_latex(self, *, caption: str | None = None, label: str | None = None) -> str:
        r"""The table in LaTeX, with booktabs; beyond forty rows with longtable.

        Parameters
        ----------
        caption : str, optional
            In place of the result's own.
        label : str, optional
            What ``\ref`` calls it, behind "tab:".

        Returns
        -------
        str
            No wider than the text; needs the packages booktabs, graphicx and longtable.

        See Also
        --------
        bayescmp.report : A whole report, also in LaTeX.

        Examples
        --------
        >>> from bayescmp.frequentist import corrected_t
        >>> result = corrected_t([0.02, 0.03, 0.01], rho=0.2)
        >>> print(result.to_latex(caption="Svm beside knn.", label="t").splitlines()[3])
        \caption{Svm beside knn.}\label{tab:t}
        """
        return self._exhibit().latex(caption, label)


def named_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with the names of its rows, algorithms unless it says otherwise, as a column.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayescmp.exhibit import named_rows
    >>> named_rows(pd.DataFrame({"rank": [1.0]}, index=["svm"])).columns.tolist()
    ['algorithm', 'rank']
    """
    name = str(frame.index.name or "algorithm")
    return frame.rename_axis(index=name, columns=None).reset_index()
