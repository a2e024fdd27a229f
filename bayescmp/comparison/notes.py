"""What a comparison has to say of the scale of its differences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayescmp.differences import Differences
from bayescmp.scales import times
from bayescmp.verdict import as_rope

if TYPE_CHECKING:
    from bayescmp.verdict.rope import RopesLike

__all__ = ["notes_of"]


def notes_of(x: object, rope: RopesLike) -> tuple[str, ...]:
    """What a comparison has to say of the scale of its differences.

    Parameters
    ----------
    x : object
        What was compared; anything but `Differences` has nothing to say.
    rope : object
        Its region of practical equivalence.
    """
    if not isinstance(x, Differences):
        return ()
    notes = []
    if x.scale == "log_ratio":
        region = as_rope(rope)
        inside = "" if region.empty else f"; equivalent within {times(region.low, region.high)}"
        mean = float(np.mean(x.means))
        notes.append(
            f"scale: a difference d of logarithms is a ratio of exp(d); on average over the data "
            f"sets {x.names[1]!r} is {np.exp(mean):.3g} times as good as {x.names[0]!r}{inside}"
        )
    if x.scale == "standardised":
        notes.append("scale: differences in standard deviations of theirs on each data set")
    return tuple(notes)
