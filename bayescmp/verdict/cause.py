"""Why a verdict is undecided: too little data, data sets that differ, or the edge of the rope."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bayescmp.verdict.rope import Rope, Ropes

if TYPE_CHECKING:
    from bayescmp.verdict.core import Verdict
    from bayescmp.verdict.facts import Interval

__all__ = ["DIFFER", "EDGE", "FEW", "cause_of", "ends_within", "unsettled"]

FEW, DIFFER, EDGE = "too little data", "data sets differ", "edge of the rope"


def cause_of(v: Verdict) -> str:
    """Why the verdict is undecided; "" where it is not, or where nothing tells.

    Parameters
    ----------
    v : Verdict
        With what is known of it: ``known``, ``mean_interval``.

    Returns
    -------
    str
        `DIFFER`: even with the parameters known, the likeliest outcome on the next data set would
        stay below the threshold, with probability 0.975 or more. `EDGE`: the mean difference is
        known more closely than the rope is wide, and lies at an end of it. `FEW`: neither, so that
        more data would decide.
    """
    if v.decision != "undecided" or (v.known is None and not v.mean_interval):
        return ""
    if v.known is not None and v.known.interval[1] < v.threshold:
        return DIFFER
    open_ = list(unsettled(v))
    narrow = [high - low < rope.high - rope.low for _, (low, high), rope in open_]
    return EDGE if open_ and all(narrow) else FEW


def unsettled(v: Verdict) -> Iterator[tuple[str, Interval, Rope]]:
    """Metrics whose mean difference may be on either side of an end of the rope."""
    ropes = v.rope if isinstance(v.rope, Ropes) else (v.rope,)
    names = v.metrics if isinstance(v.rope, Ropes) and v.metrics else [""] * len(ropes)
    for name, interval, rope in zip(names, v.mean_interval, ropes, strict=False):
        if ends_within(interval, rope):
            yield name, interval, rope


def ends_within(interval: Interval, rope: Rope) -> list[float]:
    """Ends of the rope that the interval holds; zero where there is no rope."""
    low, high = interval
    return [e + 0.0 for e in dict.fromkeys((rope.low, rope.high)) if low < e < high]
