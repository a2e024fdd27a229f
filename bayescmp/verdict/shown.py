"""A verdict on the screen: a table of its probabilities as text, or as HTML with bars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayescmp import _html
from bayescmp.text import plus_minus
from bayescmp.verdict import words

if TYPE_CHECKING:
    from bayescmp.verdict.core import Verdict

__all__ = ["page", "text"]


def text(v: Verdict) -> str:
    """The probabilities, a column each, with the errors of those that decide; the decision."""
    columns = v.columns()
    decides = v.decides
    columns[decides] = {
        r: f"{p:<6} {plus_minus(v.errors.get(r, 0.0), exact=v.exact)}".rstrip()
        for r, p in columns[decides].items()
    }
    width = max(map(len, ("decision", v.measured, *map(v.label, v.possible))))
    widths = {t: max(len(t), *map(len, c.values())) for t, c in columns.items()}
    rows = [
        "  ".join([f"{label:>{width}}", *(f"{texts[t]:<{widths[t]}}" for t in columns)])
        for label, texts in [
            (v.measured, {t: t for t in columns}),
            *((v.label(r), {t: c[r] for t, c in columns.items()}) for r in v.possible),
        ]
    ]
    lines = [*rows, f"{'decision':>{width}}  {words.decision(v)}"]
    return "\n".join(line.rstrip() for line in lines)


def page(v: Verdict) -> str:
    """The probabilities as bars and columns, and where they come from."""
    columns = v.columns()
    regions = [
        (r, v.label(r), v.probabilities[r], *(c[r] for c in columns.values())) for r in v.possible
    ]
    facts = {
        "decision": words.decision(v),
        "rope": words.ropes_in_words(v.rope, v.metrics) or "none",
        "about": v.target,
        "resampling": v.resampling,
        "left out": v.left_out.counts if v.left_out else "",
        "method": v.method,
        "prior": v.prior,
    }
    of = f" in {v.measured}" if v.measured else ""
    return _html.titled(
        f"{' and '.join(v.names)}{of}",
        _html.bars(regions, titles=list(columns)),
        _html.facts(facts),
    )
