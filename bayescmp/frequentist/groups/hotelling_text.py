"""Pairwise Hotelling tests as text, as HTML and as plain numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayescmp import _html
from bayescmp.frequentist.results import show_p
from bayescmp.metrics import listed

if TYPE_CHECKING:
    from bayescmp.frequentist.groups.hotelling_result import PairwiseHotelling

__all__ = ["html", "plain", "text"]

#: Pairs that are printed.
SHOWN = 60


def text(result: PairwiseHotelling, alpha: float) -> str:
    """The tests line by line, with the cliques at level alpha."""
    width = max(len(n) for n in result.names)
    against = "all pairs" if result.control is None else f"against {result.control}"
    metrics = listed(result.metrics, result.directions)
    head = f"{result.method} on {metrics}, {against}, adjusted by {result.adjust}"
    columns = (result.pairs, result.statistic, result.pvalue, result.adjusted)
    lines = [
        f"  {result.names[i]:<{width}} → {result.names[j]:<{width}}  T² = {t:>8.4g}  "
        f"{show_p(p):<12}  adjusted {show_p(a)}"
        for (i, j), t, p, a in list(zip(*columns, strict=True))[:SHOWN]
    ]
    if len(result.pairs) > SHOWN:
        lines.append(f"  ... and {len(result.pairs) - SHOWN} more: see .frame")
    cliques = f"  cliques at {alpha:g}: {result.bracketed(alpha)}"
    tail = [cliques, *(f"  {note}" for note in (*result.notes, *result.remarks))]
    return "\n".join([f"{head}, n = {result.n}", *lines, *tail])


def html(result: PairwiseHotelling) -> str:
    """The tests as a table under what they have in common."""
    facts = {
        "metrics": listed(result.metrics, result.directions),
        "adjusted by": result.adjust,
        "cliques at 0.05": result.bracketed(),
        "notes": "; ".join((*result.notes, *result.remarks)),
    }
    return _html.titled(result.method, _html.facts(facts), _html.table(result.frame))


def plain(result: PairwiseHotelling, alpha: float) -> dict[str, object]:
    """The tests as JSON can hold them, with the cliques at level alpha."""
    rows = result.frame.to_dict(orient="records")
    for row in rows:
        for key in ("statistic", "F", "distance"):
            row[key] = row[key] if np.isfinite(row[key]) else None  # JSON has no infinity
    return {
        "method": result.method,
        "adjust": result.adjust,
        "control": result.control,
        "metrics": list(result.metrics),
        "n": result.n,
        "comparisons": [{str(k): v for k, v in row.items()} for row in rows],
        "cliques": [list(c) for c in result.cliques(alpha)],
        "notes": list(result.notes),
        **result.origin(),
    }
