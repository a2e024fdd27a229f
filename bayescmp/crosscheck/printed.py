"""A cross-check on a terminal: verdicts, p-values, and where they disagree, 100 columns wide."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from bayescmp.catalogue import title
from bayescmp.comparison.best import best_lines
from bayescmp.crosscheck.words import DISAGREE
from bayescmp.frequentist.results import show_p
from bayescmp.text import p_value, side_by_side

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.crosscheck.results import CrossCheck

__all__ = ["as_text", "wrapped"]

WIDTH = 100
#: On how many data sets a test of each alone finds either better.
WINS = ("for_first", "for_second", "neither")
#: Columns of a pair's row that are not an adjusted p-value, besides those of probabilities.
_OTHER = (
    *("metric", "first", "second", "test", "decision", "cause", "evidence", "agreement", "words"),
    *WINS,
)


def as_text(check: CrossCheck) -> list[str]:
    """Blocks of lines: which is best, the verdicts, the p-values, the disagreements.

    Parameters
    ----------
    check : CrossCheck
        With rows on whole pairs.
    """
    names = ["first", "second"] if len(check.metrics) == 1 else ["metric", "first", "second"]
    pairs = side_by_side(check.pairs, rope=not all(r.empty for r in check.ropes.values()))
    kinds = list(pairs.columns[_place(pairs, "test") + 1 : _place(pairs, "decision")])
    tests = [c for c in pairs.columns if c not in (*_OTHER, *kinds)]
    return [
        *_best(check),
        _table(pairs[[*names, *kinds, "decision"]]),
        *_pvalues(pairs, names, tests, wins=len(check.datasets) > 1),
        *_disagreements(pairs, names),
    ]


def _place(frame: pd.DataFrame, column: str) -> int:
    return list(frame.columns).index(column)


def _table(frame: pd.DataFrame) -> str:
    return str(frame.to_string(index=False, float_format=p_value, na_rep="-"))


def _best(check: CrossCheck) -> list[str]:
    """Which is best, and the rank test of all algorithms, by each metric."""
    lines: list[str] = []
    for metric, comparisons in check.comparisons.items():
        of = f"{comparisons.measured}: " if len(check.metrics) > 1 else ""
        if comparisons.best is not None:
            first, *more = best_lines(comparisons.best)
            lines += [f"{of}{first}", *(line for text in more for line in wrapped(text))]
        if metric in check.omnibus:
            test = check.omnibus[metric]
            lines.append(f"{of}all algorithms alike: {test.method}, {show_p(test.pvalue, 2)}")
    return lines


def _pvalues(pairs: pd.DataFrame, names: list[str], tests: list[str], *, wins: bool) -> list[str]:
    """Adjusted p-values, and on how many data sets either is significantly better."""
    if not tests:
        return []
    shown = pairs[[*names, *tests]].rename(columns={t: title(t) for t in tests})
    wins = wins and bool(pairs[list(WINS)].any(axis=None))
    if wins:
        first, second, _ = (pairs[w].astype(str) for w in WINS)
        shown["wins"] = first + " : " + second
    shown["agreement"] = pairs["agreement"].str.replace("_", " ")
    of = "; wins: data sets on which the corrected t test finds either better" if wins else ""
    return [f"adjusted p-values{of}", _table(shown)]


def _disagreements(pairs: pd.DataFrame, names: list[str]) -> list[str]:
    """In words, where the two answers disagree, or there is no comparison."""
    rows = pairs[pairs["agreement"].isin([*DISAGREE, "failed"])]
    if rows.empty:
        return []
    failed = " or a test failed" if (rows["agreement"] == "failed").any() else ""
    lines = [f"where Bayesian and frequentist disagree{failed}:"]
    for row in rows.to_dict(orient="records"):
        of = f"{row['metric']}, " if "metric" in names else ""
        sentence = f"{of}{row['first']} and {row['second']}: {row['words']}"
        lines += wrapped(f"  {sentence}")
    return lines


def wrapped(text: str) -> list[str]:
    """A long line in several, those after the first set in."""
    return textwrap.wrap(text, WIDTH, subsequent_indent="    ", break_on_hyphens=False)
