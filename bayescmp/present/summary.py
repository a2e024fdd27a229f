"""Summaries: what a printed result shows, in whatever form; each kind registers a function."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import singledispatch
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import pandas as pd


class Cells(Enum):
    """The kind of cells of a column, which decides how they are written."""

    NUMBER = "number"
    PROBABILITY = "probability"
    P_VALUE = "p-value"
    NAME = "name"
    WORDS = "words"


@dataclass(frozen=True)
class Column:
    """A table's column: the kind of its cells, its head, if not the key, and which are bold."""

    cells: Cells = Cells.NUMBER
    head: str | None = None
    bold: Sequence[bool] = ()


#: Columns of names and p-values with the usual keys.
PAIR: Mapping[Any, Column] = {"first": Column(Cells.NAME), "second": Column(Cells.NAME)}
A_AND_B: Mapping[Any, Column] = {
    "first": Column(Cells.NAME, "A"),
    "second": Column(Cells.NAME, "B"),
}
P_VALUES: Mapping[Any, Column] = dict.fromkeys(("pvalue", "adjusted"), Column(Cells.P_VALUE))


class Explanation(NamedTuple):
    """Sentences that explain a result.

    `short` is by default the headline, facts and sentences of the summary; `results` of a paper
    `short` and the notes; `methods` the method, or else the setting. Empty ones are left out.
    """

    short: Sequence[str] | None = None
    results: Sequence[str] | None = None
    methods: Sequence[str] = ()


def _none() -> Sequence[Summary]:
    return ()


@dataclass(frozen=True)
class Summary:
    """The content of a result: the answer, its numbers, its limits, and its method.

    Attributes
    ----------
    headline : str
        The answer in one line, without a full stop. It is the caption of a table.
    table : DataFrame
        Unrounded.
    columns : mapping of str to Column
        What the columns of the table are, if not numbers or words by their type.
    notes : sequence of str
        What limits the answer, and what else the reader should know.
    label : str
        The table's label in LaTeX, after "tab:".
    facts, details : mapping of str to str
        Labelled values above the table, and below it in a notebook.
    setting, method, more : str
        The metric, the ROPE and the like; how the answer was found; what else can be called.
    sentences : sequence of str
        What the answer means, one paragraph each.
    legend : str
        What the numbers of the table are.
    bars : callable or None
        Makes the heads, and for each outcome its region, label, probability and texts, which a
        notebook draws instead of the table.
    explanation, paper : callable or None
        Make the sentences of ``explain()``, and the table in a paper, if these differ.
    further : callable
        Makes the summaries that only ``full()`` shows.
    """

    headline: str
    table: pd.DataFrame
    columns: Mapping[Any, Column] = field(default_factory=dict)
    notes: Sequence[str] = ()
    label: str = "results"
    facts: Mapping[str, str] = field(default_factory=dict)
    details: Mapping[str, str] = field(default_factory=dict)
    setting: str = ""
    sentences: Sequence[str] = ()
    legend: str = ""
    method: str = ""
    more: str = ""
    bars: Callable[[], tuple[Sequence[str], Sequence[tuple[Any, ...]]]] | None = None
    explanation: Callable[[], Explanation] | None = None
    paper: Callable[[], Summary] | None = None
    further: Callable[[], Sequence[Summary]] = _none


#: Modules with the summaries of results whose own modules write no text.
SUMMARIES = {
    "bayescmp.bayesian.groups.base": "bayescmp.summaries.groups",
    "bayescmp.bayesian.joint.standings": "bayescmp.summaries.standings",
    "bayescmp.frequentist.results": "bayescmp.summaries.tests",
    "bayescmp.results.estimates": "bayescmp.summaries.estimates",
    "bayescmp.results.ladder": "bayescmp.summaries.chosen",
    "bayescmp.results.plan": "bayescmp.summaries.plan",
    "bayescmp.results.posterior": "bayescmp.summaries.verdict",
    "bayescmp.results.sensitivity": "bayescmp.summaries.sensitivity",
    "bayescmp.results.verdict": "bayescmp.summaries.verdict",
}


@singledispatch
def summarise(result: object, **options: Any) -> Summary:
    """Summarise a result, with its options; each kind registers its own function."""
    modules = (SUMMARIES.get(kind.__module__) for kind in type(result).__mro__)
    module = next(filter(None, modules), None)
    if module is None or module in sys.modules:
        raise TypeError(f"no summary of {type(result).__name__}")
    import_module(module)
    return summarise(result, **options)
