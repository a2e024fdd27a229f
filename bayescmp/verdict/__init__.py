"""Regions of practical equivalence, verdicts, posterior odds and their grades (numpy only)."""

from bayescmp.verdict.core import Verdict, check_threshold, winners
from bayescmp.verdict.facts import Interval, Known, Spread, central
from bayescmp.verdict.odds import Odds, grade
from bayescmp.verdict.rope import Rope, Ropes, as_rope, as_ropes, rope_from_ends
from bayescmp.verdict.shapes import FOUR, THREE, Shape, shape_of

__all__ = [
    "FOUR",
    "THREE",
    "Interval",
    "Known",
    "Odds",
    "Rope",
    "Ropes",
    "Shape",
    "Spread",
    "Verdict",
    "as_rope",
    "as_ropes",
    "central",
    "check_threshold",
    "grade",
    "rope_from_ends",
    "shape_of",
    "winners",
]


def __dir__() -> list[str]:
    return __all__
