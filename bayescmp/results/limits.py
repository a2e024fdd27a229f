"""The ROPEs for which a verdict would be "practically better", or "practically equivalent"."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from bayescmp.base.typing import Json, as_facts

#: From a ROPE's half-width to the probabilities of left, ROPE and right, and their errors.
Weigh: TypeAlias = Callable[[float], tuple[np.ndarray, np.ndarray]]

#: Limits are found to this share of the largest difference that is plausible.
TOLERANCE = 1e-3
#: Equivalence is looked for up to this multiple of that difference.
FARTHEST = 2.0**20


@dataclass(frozen=True, eq=False)
class RopeLimits:
    """What symmetric ROPEs of any width would decide.

    Between the two limits the verdict is undecided.

    Attributes
    ----------
    leader : str
        The algorithm that is more probably better; "" if neither is.
    better_up_to, equivalent_from : float
        The largest half-width for which the leader is practically better (NaN: the direction is
        undecided), and the smallest for which the two are equivalent (NaN: none).
    """

    leader: str
    better_up_to: float
    equivalent_from: float

    def __eq__(self, other: object) -> bool:
        """Whether the limits agree, where a limit that does not exist agrees with another."""
        if not isinstance(other, RopeLimits):
            return NotImplemented
        own = (self.better_up_to, self.equivalent_from)
        others = (other.better_up_to, other.equivalent_from)
        same = np.array_equal(own, others, equal_nan=True)
        return bool(same) and self.leader == other.leader

    def __hash__(self) -> int:
        return hash(self.leader)

    def to_dict(self) -> Json:
        """Return name and numbers, for JSON."""
        return as_facts(self, "leader", "better_up_to", "equivalent_from")


def find_limits(
    weigh: Weigh, names: tuple[str, str], largest: float, threshold: float
) -> RopeLimits:
    """Find the limits by bisection, to 0.001 of the largest plausible difference.

    As the ROPE widens, the probability of a direction only falls, and that of equivalence only
    rises. `weigh` turns a half-width into probabilities that decide, and their errors, (3,) each;
    `largest` is the size of the 95% interval's bounds.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.special import ndtr
    >>> from bayescmp.results.limits import find_limits
    >>> def weigh(r):  # a normal distribution with mean 2 and standard deviation 1
    ...     left, right = ndtr(-r - 2), ndtr(2 - r)
    ...     return np.array([left, 1 - left - right, right]), np.zeros(3)
    >>> limits = find_limits(weigh, ("knn", "svm"), 4, 0.95)
    >>> limits.leader, round(limits.better_up_to, 2), round(limits.equivalent_from, 2)
    ('svm', 0.35, 3.65)
    """
    p, errors = weigh(0.0)
    place = 2 * int(p[2] > p[0])
    leader = "" if math.isclose(p[0], p[2]) else names[place // 2]

    def decides(region: int) -> Callable[[float], bool]:
        def is_decided(half_width: float) -> bool:
            p, errors = weigh(half_width)
            return bool(p[region] - 2 * errors[region] >= threshold)

        return is_decided

    is_better = bool(leader) and p[place] - 2 * errors[place] >= threshold
    if not largest:  # all differences are zero, so that every ROPE holds them alike
        better = 0.0 if is_better else math.nan
        return RopeLimits(leader, better, 0.0 if decides(1)(1.0) else math.nan)
    better = _bisect(decides(place), largest)[0] if is_better else math.nan
    equivalent = decides(1)
    _, wide = _bisect(lambda half_width: not equivalent(half_width), largest)
    return RopeLimits(leader, better, wide)


def _bisect(holds: Callable[[float], bool], largest: float) -> tuple[float, float]:
    """Return two close half-widths: true up to the first, not at the second (NaN: always)."""
    low, high = 0.0, largest
    while holds(high):
        low, high = high, 2 * high
        if high > min(FARTHEST * largest, 1e300):
            return low, math.nan
    middle = (low + high) / 2
    while high - low > TOLERANCE * largest and low < middle < high:  # unless too small for halves
        low, high = (middle, high) if holds(middle) else (low, middle)
        middle = (low + high) / 2
    return low, high
