"""Regions of practical equivalence, verdicts, posterior odds and their grades (numpy only)."""

from bayescmp.verdict.core import Verdict, check_threshold, winners
from bayescmp.verdict.odds import Odds, grade
from bayescmp.verdict.rope import Rope, Ropes, as_rope, as_ropes, rope_from_ends
from bayescmp.verdict.shapes import FOUR, THREE, Shape, shape_of

__all__ = [
    "FOUR",
    "THREE",
    "Odds",
    "Rope",
    "Ropes",
    "Shape",
    "Verdict",
    "as_rope",
    "as_ropes",
    "check_threshold",
    "grade",
    "rope_from_ends",
    "shape_of",
    "winners",
]
