"""Tables of evidence in the site: a directive and a role for Sphinx.

A directive names a table and, line by line, the columns to show, each with its title; a format
may follow a column's name. Below the table stand the date, command and versions of its run.

    ```{measured} items_coverage.csv
    :where: cluster == 1
    :pivot: method, coverage

    questions = questions
    cluster_bootstrap:.3f = `cluster_bootstrap`
    ```

The role ``{measured}`gate_rates.csv; n == 100 and rule == "gate"; pass:.3f` `` is one figure of a
table, ``{rate}`wilcoxon (pratt)` `` that of ``null_rates.csv``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import measured
import shown
from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective, SphinxRole

if TYPE_CHECKING:
    from sphinx.application import Sphinx


class Measured(SphinxDirective):
    """A table of evidence and its source; the source alone where no columns are named."""

    required_arguments = 1
    has_content = True
    option_spec = {"where": directives.unchanged, "pivot": directives.unchanged}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        """Parse the table as Markdown."""
        path = measured.FOLDER / self.arguments[0]
        self.env.note_dependency(str(path))
        text = shown.source(path)
        if self.content:
            frame = shown.rows(path, self.options.get("where"), self.options.get("pivot"))
            text = f"{shown.markdown(frame, self.content)}\n\n{text}"
        parent = nodes.container()
        self.state.nested_parse(StringList(text.splitlines(), str(path)), 0, parent)
        return parent.children


class Figure(SphinxRole):
    """One figure of a table: ``name.csv; condition; column:format``."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Look it up."""
        self.env.note_dependency(str(measured.FOLDER / self.text.partition(";")[0]))
        return [nodes.Text(shown.figure(self.text))], []


class Rate(SphinxRole):
    """A rate of rejected null hypotheses."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Look the rate up."""
        self.env.note_dependency(str(shown.RATES))
        return [nodes.Text(shown.rate(self.text))], []


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive and the role."""
    app.add_directive("measured", Measured)
    app.add_role("measured", Figure())
    app.add_role("rate", Rate())
    return {"parallel_read_safe": True}
