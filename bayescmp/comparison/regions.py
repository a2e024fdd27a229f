"""The region of practical equivalence that a comparison is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayescmp.errors import InputError
from bayescmp.scales import rope_of, warn_of_rope
from bayescmp.scores import Scores
from bayescmp.verdict import Rope, as_rope

if TYPE_CHECKING:
    from bayescmp.verdict.rope import RopesLike

__all__ = ["check_rope", "region_of", "region_of_table", "required_rope"]


def required_rope(rope: RopesLike | None) -> RopesLike:
    """The rope, which every comparison needs."""
    if rope is None:
        raise InputError(
            "rope is missing: the difference, in units of the metric, below which two algorithms "
            "are practically equivalent; e.g. 0.01 for accuracy, or 0 for no such region"
        )
    return rope


def check_rope(rope: object) -> None:
    """Refuse a rope that is none; percent are read later, when the scale is known."""
    if not isinstance(rope, str):
        as_rope(rope)


def region_of(
    rope: object,
    scale: str,
    span: float | None,
    scores: tuple[float, float] | None,
    metric: str,
) -> Rope:
    """The region of practical equivalence on a scale, with a warning where it does not fit.

    Parameters
    ----------
    rope : float, (float, float), Rope or str
    scale : str
    span : float, optional
        Length of the metric's range.
    scores : (float, float), optional
        Span and largest absolute value of the scores.
    metric : str
    """
    region = rope_of(rope, scale, span)
    if scale == "difference" and scores is not None:
        warn_of_rope(region, span or scores[0], scores[1], metric)
    return region


def region_of_table(rope: object, scores: Scores, metric: str) -> Rope:
    """`region_of` for all pairs of a table."""
    cells = scores.pairing.frame[scores.metric_named(metric)].to_numpy(dtype=float)
    values = cells[np.isfinite(cells)]
    sizes = (float(np.ptp(values)), float(np.abs(values).max())) if len(values) else None
    span = scores.span(metric) if scores.scale == "difference" else None
    return region_of(rope, scores.scale, span, sizes, metric)
