"""Regions of practical equivalence: of one metric, or one per metric."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from bayescmp.errors import InputError, unknown_name
from bayescmp.text import counted

__all__ = ["Rope", "RopeLike", "Ropes", "RopesLike", "as_rope", "as_ropes", "rope_from_ends"]


@dataclass(frozen=True)
class Rope:
    """Region of practical equivalence [low, high] around zero, in units of the metric.

    Attributes
    ----------
    low, high : float
        Ends of the interval, ``low <= 0 <= high``.

    Raises
    ------
    InputError
        Ends that are not finite numbers, or that do not contain zero.
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        low, high = _ends((self.low, self.high), f"Rope({self.low!r}, {self.high!r})")
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)

    @property
    def empty(self) -> bool:
        """Whether there is no region: both ends are zero."""
        return self.low == self.high

    @property
    def middle(self) -> float:
        """Middle of the interval; 0 for a symmetric rope."""
        return (self.low + self.high) / 2

    @property
    def half_width(self) -> float:
        """Half the length of the interval."""
        return (self.high - self.low) / 2

    @property
    def ends(self) -> list[float]:
        """Plain numbers, for JSON; `rope_from_ends` reads them back."""
        return [self.low, self.high]

    def scaled(self, factor: float) -> Rope:
        """The same region with both ends multiplied by a positive factor.

        Examples
        --------
        >>> from bayescmp import Rope
        >>> print(Rope(-0.01, 0.02).scaled(2))
        [-0.02, 0.04]
        """
        return Rope(self.low * factor, self.high * factor)

    def swapped(self) -> Rope:
        """The region as seen when the two algorithms change places.

        Examples
        --------
        >>> from bayescmp import Rope
        >>> print(Rope(-0.01, 0.02).swapped())
        [-0.02, 0.01]
        """
        return Rope(-self.high, -self.low)

    def __str__(self) -> str:
        if self.empty:
            return "no region (rope = 0)"
        if self.low == -self.high:
            return f"±{self.high:g}"
        return f"[{self.low:g}, {self.high:g}]"


class Ropes(tuple[Rope, ...]):
    """One region of practical equivalence per metric: a box around the origin.

    A tuple of `Rope` that answers as one of them does.
    """

    __slots__ = ()

    @property
    def low(self) -> np.ndarray:
        """Lower ends, shape (p,)."""
        return np.array([r.low for r in self])

    @property
    def high(self) -> np.ndarray:
        """Upper ends, shape (p,)."""
        return np.array([r.high for r in self])

    @property
    def empty(self) -> bool:
        """Whether the box has no inside: equivalence in a metric without region can't occur."""
        return any(r.empty for r in self)

    @property
    def ends(self) -> list[list[float]]:
        """Plain numbers, for JSON; `rope_from_ends` reads them back."""
        return [r.ends for r in self]

    def scaled(self, factor: float) -> Ropes:
        """All regions multiplied by a positive factor.

        Examples
        --------
        >>> from bayescmp import Rope, Ropes
        >>> [r.ends for r in Ropes([Rope(-0.01, 0.01), Rope(0, 0.02)]).scaled(2)]
        [[-0.02, 0.02], [0.0, 0.04]]
        """
        return Ropes(r.scaled(factor) for r in self)

    def swapped(self) -> Ropes:
        """The regions as seen when the two algorithms change places.

        Examples
        --------
        >>> from bayescmp import Rope, Ropes
        >>> [r.ends for r in Ropes([Rope(-0.01, 0.02)]).swapped()]
        [[-0.02, 0.01]]
        """
        return Ropes(r.swapped() for r in self)

    def __str__(self) -> str:
        return str(self[0]) if len(set(self)) == 1 else "(" + ", ".join(map(str, self)) + ")"

    __repr__ = __str__


#: The region of one metric: a half-width, both ends, or a `Rope`.
RopeLike: TypeAlias = float | Sequence[float] | np.ndarray | Rope

#: The regions of several metrics: one for all, or one per metric, in order or by name.
RopesLike: TypeAlias = RopeLike | Sequence[RopeLike] | Mapping[str, RopeLike]


def as_rope(rope: object) -> Rope:
    """Read a rope from a half-width, a pair or a `Rope`.

    Parameters
    ----------
    rope : float or (float, float) or Rope
        Half-width ``r >= 0`` for [-r, r], or ``(low, high)`` with ``low <= 0 <= high``.

    Returns
    -------
    Rope

    Raises
    ------
    InputError
        If it is negative, not finite, or does not hold zero.
    """
    if isinstance(rope, Rope):
        return rope
    low, high = _ends(rope, f"rope={rope!r}")
    return Rope(low, high)


def _ends(rope: object, shown: str) -> tuple[float, float]:
    """Both ends of a half-width or a pair, checked."""
    accepted = "accepted: a half-width r >= 0, or a pair (low, high) with low <= 0 <= high"
    try:
        ends = np.asarray(rope, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{shown} is not a number or a pair of numbers; {accepted}") from None
    if not np.all(np.isfinite(ends)):
        raise InputError(f"{shown} is not finite; {accepted}")
    if ends.ndim == 0:
        if ends < 0:
            raise InputError(f"{shown} is negative; {accepted}")
        return 0.0 - float(ends), float(ends)
    if ends.shape != (2,):
        raise InputError(f"{shown} has shape {ends.shape}; {accepted}")
    low, high = (float(e) for e in ends)
    if not low <= 0 <= high:
        raise InputError(f"{shown} does not hold zero; {accepted}")
    return low, high


def as_ropes(rope: object, metrics: Sequence[str]) -> Ropes:
    """Read one rope per metric.

    Parameters
    ----------
    rope : float, Rope, sequence of length p, or mapping of metric to rope
        A half-width or a `Rope` for all metrics; or one per metric, each of which is a half-width,
        a pair (low, high) or a `Rope`. For two metrics two numbers are two half-widths, never a
        pair of ends: ``Rope(low, high)`` gives all metrics the same two ends.
    metrics : sequence of str
        The p metrics, in order.

    Returns
    -------
    Ropes

    Raises
    ------
    InputError
        If there is not one per metric, a name is unknown, or one of them is refused by `as_rope`.
    """
    p = len(metrics)
    if isinstance(rope, Mapping):
        for name in rope:
            if name not in metrics:
                raise unknown_name("metric in rope", name, metrics)
        missing = [m for m in metrics if m not in rope]
        if missing:
            raise InputError(f"rope gives no region for {missing[0]!r}; accepted: one per metric")
        return Ropes(_rope_of(m, rope[m]) for m in metrics)
    if isinstance(rope, (Rope, str)) or not isinstance(rope, Iterable) or _is_scalar(rope):
        return Ropes([as_rope(rope)] * p)
    given = list(rope)
    if p == 1 and len(given) == 2:
        return Ropes([as_rope(rope)])
    if len(given) != p:
        raise InputError(
            f"rope={rope!r} holds {len(given)} for {counted(p, 'metric')} "
            f"({', '.join(metrics)}); accepted: one number for all, or one per metric "
            "(half-widths, "
            "pairs (low, high) or Rope)"
        )
    return Ropes(_rope_of(m, r) for m, r in zip(metrics, given, strict=True))


def _is_scalar(rope: object) -> bool:
    """Whether this is an array of one number, which numpy counts as iterable."""
    return isinstance(rope, np.ndarray) and rope.ndim == 0


def _rope_of(metric: str, rope: object) -> Rope:
    try:
        return as_rope(rope)
    except InputError as error:
        raise InputError(f"{error} (for metric {metric!r})") from None


def rope_from_ends(ends: Sequence[float] | Sequence[Sequence[float]]) -> Rope | Ropes:
    """The inverse of ``Rope.ends`` and ``Ropes.ends``."""
    box = [pair for pair in ends if isinstance(pair, Sequence)]
    if box:
        return Ropes(Rope(*pair) for pair in box)
    return as_rope(ends)
