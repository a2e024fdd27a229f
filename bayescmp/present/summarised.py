"""Results that are printed in every form."""

from __future__ import annotations

from bayescmp.base.arguments import must_be
from bayescmp.present.forms import as_html, as_latex, as_markdown, as_text, explain, write_full
from bayescmp.present.summary import Summary, summarise


class Summarised:
    """A result that is printed in every form from its `Summary`."""

    def explain(self, form: str = "short") -> str:
        """Explain the result in sentences.

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

        Parameters
        ----------
        caption : str, optional
            The caption; by default the result's own.
        label : str, optional
            What ``\ref`` calls it, after "tab:".

        Returns
        -------
        str
            No wider than the text; needs the packages booktabs, graphicx and longtable.
        """
        for name, given in {"caption": caption, "label": label}.items():
            if not isinstance(given, str | None):
                raise must_be(name, "text", given)
        return as_latex(_for_paper(summarise(self)), caption, label)


def _for_paper(summary: Summary) -> Summary:
    return summary if summary.paper is None else summary.paper()
