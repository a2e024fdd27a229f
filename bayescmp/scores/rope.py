"""Regions of practical equivalence, and the scale on which two scores differ."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from bayescmp.base.arguments import arg, either, must, must_be
from bayescmp.base.checks import check_choice, check_ordered, check_real, is_number, mapping_of
from bayescmp.errors import locate_errors, warn_user
from bayescmp.scores.metrics import SCALES
from bayescmp.wording.text import as_percent, format_count, join_items, write_number

# Regions of practical equivalence: of one metric, or one per metric.


@dataclass(frozen=True)
class Rope:
    """Region of practical equivalence [low, high] around zero, in units of the metric.

    With one infinite bound there are two regions: ``Rope(-0.01, inf)`` asks whether the second
    algorithm is practically worse than the first or not.

    Attributes
    ----------
    low, high : float
        Bounds, ``low <= 0 <= high``; one of them may be infinite.

    Raises
    ------
    InputError
        Bounds that are not numbers, are both infinite, or do not contain zero.

    Examples
    --------
    >>> from bayescmp import Rope
    >>> print(Rope(-0.01, 0.02).scaled(2))
    [−0.02, 0.04]
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        low, high = _ends((self.low, self.high))
        vars(self).update(low=low, high=high)

    @property
    def empty(self) -> bool:
        """Whether there is no region: both bounds are zero."""
        return self.low == self.high

    @property
    def one_sided(self) -> bool:
        """Whether one bound is infinite, which leaves two regions instead of three."""
        return math.isinf(self.high - self.low)

    @property
    def size(self) -> float:
        """Distance of the farther finite bound from zero: the margin of a one-sided region."""
        return max(abs(end) for end in (self.low, self.high) if math.isfinite(end))

    @property
    def width(self) -> float:
        """Length of the interval; if one bound is infinite, that of the symmetric one."""
        return 2 * self.size if self.one_sided else self.high - self.low

    @property
    def middle(self) -> float:
        """Middle of the interval; 0 for a symmetric ROPE, and for a one-sided one."""
        return 0.0 if self.one_sided else (self.low + self.high) / 2

    @property
    def half_width(self) -> float:
        """Half the length of the interval, as `width` has it."""
        return self.width / 2

    @property
    def ends(self) -> list[float | None]:
        """Bounds as plain numbers, None for an infinite one; `rope_from_ends` reads them back."""
        return [end if math.isfinite(end) else None for end in (self.low, self.high)]

    def scaled(self, factor: float) -> Rope:
        """Return the region with both bounds multiplied by a positive factor."""
        if not is_number(factor) or not 0 <= factor < math.inf:
            raise must_be("factor", "a positive number", factor)
        ends = (e * factor if math.isfinite(e) else e for e in (self.low, self.high))
        return Rope(*ends)

    def swapped(self) -> Rope:
        """Return the region as seen when the two algorithms change places."""
        return Rope(-self.high, -self.low)

    def __str__(self) -> str:
        if self.empty:
            return "no region (rope = 0)"
        if self.low == -self.high:
            return f"±{self.high:g}"
        low, high = (write_number(end, "g") for end in (self.low, self.high))
        if self.one_sided:
            return f"(−∞, {high}]" if self.low == -math.inf else f"[{low}, ∞)"
        return f"[{low}, {high}]"


class Ropes(tuple[Rope, ...]):
    """One ROPE per metric, a box around the origin: a tuple with the attributes of one."""

    __slots__ = ()

    def __new__(cls, ropes: Iterable[RopeLike]) -> Ropes:
        """Read each ROPE."""
        if isinstance(ropes, str | Mapping) or not isinstance(ropes, Iterable):
            raise must_be("ropes", "one ROPE per metric, in a list", ropes)
        check_ordered("ropes", ropes)
        return super().__new__(cls, map(as_rope, ropes))

    @property
    def low(self) -> np.ndarray:
        """Lower ends, shape (p,)."""
        return np.array([r.low for r in self])

    @property
    def high(self) -> np.ndarray:
        """Upper ends, shape (p,)."""
        return np.array([r.high for r in self])

    @property
    def one_sided(self) -> bool:
        """Whether every metric has one infinite bound, and all on the same side."""
        return all(r.low == -math.inf for r in self) or all(r.high == math.inf for r in self)

    @property
    def open(self) -> bool:
        """Whether any metric has an infinite bound."""
        return any(r.one_sided for r in self)

    @property
    def size(self) -> np.ndarray:
        """Distances of the farther finite bounds from zero, shape (p,)."""
        return np.array([r.size for r in self])

    @property
    def width(self) -> np.ndarray:
        """Lengths as defined by `Rope.width`, shape (p,)."""
        return np.array([r.width for r in self])

    @property
    def empty(self) -> bool:
        """Whether the box has no inside: equivalence cannot occur in a metric without a region."""
        return any(r.empty for r in self)

    @property
    def ends(self) -> list[list[float | None]]:
        """Ends as plain numbers, for JSON; `rope_from_ends` reads them back."""
        return [r.ends for r in self]

    def scaled(self, factor: float) -> Ropes:
        """Return all regions multiplied by a positive factor.

        Examples
        --------
        >>> from bayescmp import Rope, Ropes
        >>> [r.ends for r in Ropes([Rope(-0.01, 0.01), Rope(0, 0.02)]).scaled(2)]
        [[-0.02, 0.02], [0.0, 0.04]]
        """
        return Ropes(r.scaled(factor) for r in self)

    def swapped(self) -> Ropes:
        """Return the regions as seen when the two algorithms change places."""
        return Ropes(r.swapped() for r in self)

    def __str__(self) -> str:
        return str(self[0]) if len(set(self)) == 1 else "(" + ", ".join(map(str, self)) + ")"

    __repr__ = __str__


#: The region of one metric: a half-width, both bounds, or a `Rope`.
RopeLike: TypeAlias = float | Sequence[float] | np.ndarray | Rope

#: The regions of several metrics: one for all, or one per metric, in order or by name.
RopesLike: TypeAlias = RopeLike | Sequence[RopeLike] | Mapping[str, RopeLike]


def as_rope(rope: object) -> Rope:
    """Read a ROPE from a half-width (0 for None), a pair ``low <= 0 <= high``, or a `Rope`."""
    if isinstance(rope, Rope):
        return rope
    return Rope(*_ends(0.0 if rope is None else rope))


def _ends(rope: object) -> tuple[float, float]:
    """Return both bounds of a half-width or a pair, checked."""
    accepted = "a finite half-width r >= 0, or a pair (low, high) with low <= 0 <= high"
    infinite = "One end of a pair may be infinite."
    if mapping_of(rope, "rope") is not None:
        raise must_be("rope", accepted, rope, "There is one region, so leave out the names.")
    try:
        check_real(rope, "rope", flags=False)
        ends = np.asarray(rope, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise must_be("rope", accepted, rope, infinite) from None
    if ends.ndim == 0 and 0 <= ends < math.inf:
        return 0.0 - float(ends), float(ends)
    if ends.shape != (2,) or not ends[0] <= 0 <= ends[1] or np.isinf(ends).all():
        raise must_be("rope", accepted, rope, infinite)
    return float(ends[0]), float(ends[1])


def as_ropes(rope: object, metrics: Sequence[str]) -> Ropes:
    """Read one ROPE per metric.

    A half-width or a `Rope` is for all metrics; a sequence or a mapping has one per metric. Two
    numbers for two metrics are half-widths, unless one is infinite: ``(-0.01, inf)``, or
    ``Rope(low, high)``, gives all metrics the same bounds.
    """
    p = len(metrics)
    named = mapping_of(rope, "rope")
    if named is not None:
        for name in named:
            check_choice("metric in rope", name, metrics, "rope")
        missing = [m for m in metrics if m not in named]
        if missing:
            raise must("rope", "have one region per metric", f"none for {missing[0]!r}")
        return Ropes(_rope_of(m, named[m]) for m in metrics)
    one = getattr(rope, "ndim", 1) == 0  # a zero-dimensional array, which counts as iterable
    if one or isinstance(rope, (Rope, str)) or not isinstance(rope, Iterable):
        return Ropes([as_rope(rope)] * p)
    check_ordered("rope", rope)
    given = list(rope)
    if len(given) == 2 and (p == 1 or any(is_number(e) and math.isinf(e) for e in given)):
        return Ropes([as_rope(rope)] * p)
    if len(given) != p:
        raise must(
            "rope",
            "be one number for all, or one per metric",
            f"{len(given)} for {format_count(p, 'metric')}: {', '.join(metrics)}",
            f"Use {either('half-widths, pairs (low, high) or Rope', '--rope METRIC=ROPE')}.",
        )
    return Ropes(_rope_of(m, r) for m, r in zip(metrics, given, strict=True))


def _rope_of(metric: str, rope: object) -> Rope:
    with locate_errors(f"metric {metric!r}"):
        return as_rope(rope)


def rope_from_ends(ends: Sequence[Any]) -> Rope | Ropes:
    """Read the value of ``Rope.ends`` or ``Ropes.ends``, with None for an infinite bound."""
    if any(isinstance(pair, Sequence) for pair in ends):
        return Ropes(map(rope_from_ends, ends))  # type: ignore[arg-type]
    if len(ends) == 2 and None in ends:
        low, high = ends
        return Rope(-math.inf if low is None else low, math.inf if high is None else high)
    return as_rope(ends)


# The scale on which two scores differ: difference, ratio, or standard deviations.


def on_scale(
    scale: str,
    first: np.ndarray,
    second: np.ndarray,
    starts: np.ndarray,
    rho: Sequence[float],
    where: Callable[[int], str],
) -> tuple[np.ndarray, np.ndarray]:
    """Return differences, second minus first, and each data set's divisor.

    `first` and `second`, (m,), are paired scores sorted by data set, which start at `starts`,
    (q,); `rho` is the correlation of folds; `where` describes the place of a score by its number.
    The divisor, (q,), is on the scale "standardised" the standard deviation σ of a data set's
    differences, for which s² / (1 − rho) is unbiased; else 1. "log_ratio" refuses scores that are
    not positive, "standardised" differences that do not vary.
    """
    check_choice("scale", scale, SCALES)
    if scale == "log_ratio":
        low = np.flatnonzero((first <= 0) | (second <= 0))
        if len(low):
            raise must(
                "scores",
                f"be positive for {arg('scale', 'log_ratio')}",
                f"{min(first[low[0]], second[low[0]]):.4g} for {where(int(low[0]))}",
            )
        return np.log(second) - np.log(first), np.ones(len(starts))
    x = second - first
    if scale == "difference":
        return x, np.ones(len(starts))
    unit = np.empty(len(starts))
    for i, row in enumerate(np.split(x, starts[1:])):
        sd = row.std(ddof=1) if len(row) > 1 else 0.0
        if sd <= 1e-10 * np.abs(row).max():
            raise must(
                "scores",
                f"have differences that vary on each data set for {arg('scale', 'standardised')}",
                f"equal ones for {where(int(starts[i]))}",
            )
        unit[i] = sd / np.sqrt(1 - rho[i])
    return x / np.repeat(unit, np.diff(np.r_[starts, len(x)])), unit


def runs_on_scale(
    scale: str, first: np.ndarray, second: np.ndarray, lower: bool, dataset: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return two groups of runs on a scale, higher for the better; see `Scores.runs`."""
    sign, groups = -1.0 if lower else 1.0, (first, second)
    if scale == "log_ratio":
        least = float(min(first.min(), second.min()))
        if least <= 0:
            raise must(
                "scores",
                f"be positive with {arg('scale', 'log_ratio')}",
                f"{least:.4g} on data set {dataset!r}",
            )
        groups = np.log(first), np.log(second)
    unit = 1.0
    if scale == "standardised":
        df = len(first) + len(second) - 2
        squares = sum(float(np.sum((x - x.mean()) ** 2)) for x in groups)
        unit = np.sqrt(squares / df) if df else 0.0
        if unit <= 1e-10 * max(float(np.abs(x).max()) for x in groups):
            raise must(
                "scores",
                f"vary on each data set with {arg('scale', 'standardised')}",
                f"equal runs on data set {dataset!r}",
            )
    return sign * groups[0] / unit, sign * groups[1] / unit


def rope_of(rope: object, scale: str = "difference", span: float | None = None) -> Rope:
    """Read a region on a scale, as numbers or in percent: of a ratio, or of the range `span`."""
    percent = re.fullmatch(r"\s*([0-9.]+)\s*%\s*", rope) if isinstance(rope, str) else None
    if percent is None:
        return as_rope(rope)
    try:
        share = float(percent[1]) / 100
    except ValueError:
        return as_rope(rope)
    if scale == "log_ratio":
        return as_rope(float(np.log1p(share)))
    if scale == "standardised" or span is None:
        what = "in standard deviations" if scale == "standardised" else "in the unit of the metric"
        hint = (
            f"Percent of a metric's range requires a known range. Use {arg('scale', 'log_ratio')} "
            "for percent of the score itself."
        )
        raise must_be("rope", f"a number {what}", rope, hint)
    return as_rope(share * span)


def times(low: float, high: float) -> str:
    """Write a region of log ratios in words: "0.990 to 1.01 times", or "at least 0.99 times"."""
    if math.isinf(high):
        return f"at least {np.exp(low):.3g} times"
    if math.isinf(low):
        return f"at most {np.exp(high):.3g} times"
    return f"{np.exp(low):.3g} to {np.exp(high):.3g} times"


def rope_phrase(
    rope: Rope | Ropes, metrics: Sequence[str] = (), *, of_ratios: bool = False
) -> str:
    """Write a region for a header, by metric: "ROPE ±0.01", or "margin 0.01"."""
    if isinstance(rope, Ropes):
        if all(r.empty for r in rope):
            return "no ROPE"
        if len(rope) == 1:
            return rope_phrase(rope[0], of_ratios=of_ratios)
        margins = margins_in_words(rope, metrics)
        return f"margin {margins}" if rope.one_sided else f"ROPE {ropes_in_words(rope, metrics)}"
    if rope.empty:
        return "no ROPE"
    if rope.one_sided:
        return f"margin {margins_in_words(rope, of_ratios=of_ratios)}"
    return f"ROPE {ends_in_words(rope, of_ratios=of_ratios)}"


def ends_in_words(rope: Rope, *, of_ratios: bool = False) -> str:
    """Write the bounds of a region: "±0.01", or in percent for ratios: "±1%", "−2% to 1%"."""
    if not of_ratios:
        return str(rope)
    low, high = as_percent(rope.low), as_percent(rope.high)
    return f"±{high}" if rope.low == -rope.high else f"{low} to {high}"


def margins_in_words(
    rope: Rope | Ropes,
    metrics: Sequence[str] = (),
    *,
    of_ratios: bool = False,
    lower: bool = False,
) -> str:
    """Say how much worse one may be: "0.01 in tpr and 0.02 in fpr"; ratios in percent."""
    if isinstance(rope, Ropes):
        return join_items([f"{r.size:g} in {m}" for m, r in _by_metric(rope, metrics)])
    if not of_ratios:
        return f"{rope.size:g}"
    if lower:
        return as_percent(rope.size)
    return as_percent(rope.high) if rope.low == -math.inf else as_percent(rope.low).lstrip("−")


def ropes_in_words(ropes: Ropes | Rope, metrics: Sequence[str]) -> str:
    """Write regions with the metrics that they belong to: "±0.01 in tpr and ±0.02 in fpr"."""
    if isinstance(ropes, Rope):
        return str(ropes)
    where: dict[Rope, list[str]] = {}
    for name, rope in _by_metric(ropes, metrics):
        where.setdefault(rope, []).append(name)
    return join_items([f"{r} in {join_items(ms)}" for r, ms in where.items() if not r.empty])


def _by_metric(ropes: Ropes, metrics: Sequence[str]) -> Iterable[tuple[str, Rope]]:
    names = metrics or [f"metric {j + 1}" for j in range(len(ropes))]
    return zip(names, ropes, strict=True)


def describe_rope(rope: Rope, scale: str = "difference") -> str:
    """Write a region of practical equivalence with the scale that it is on."""
    if scale == "log_ratio" and not rope.empty:
        width = f"±{rope.high:.3g}" if rope.low == -rope.high else str(rope)
        return f"{width} in the log ratio ({times(rope.low, rope.high)})"
    return f"{rope} {SCALES[scale]}" if SCALES[scale] else str(rope)


def warn_of_sizes(
    metric: str, values: np.ndarray, starts: np.ndarray, names: Sequence[str]
) -> None:
    """Warn where the scores of different data sets differ in size over a hundredfold."""
    sizes = np.abs(values)
    if sizes.max() <= 100 * sizes.min():  # no two scores differ by that much, let alone medians
        return
    typical = np.array([np.median(v) for v in np.split(sizes, starts[1:])])
    positive = np.flatnonzero(typical > 0)
    if len(positive) < 2:
        return
    least, most = (positive[f(typical[positive])] for f in (np.argmin, np.argmax))
    if typical[most] > 100 * typical[least]:
        warn_user(
            f"metric {metric!r} is about {typical[least]:.3g} on data set "
            f"{names[least]!r} and {typical[most]:.3g} on {names[most]!r}: differences "
            "on scales this different have no common mean or ROPE; "
            f"{arg('scale', 'log_ratio')} or {arg('scale', 'standardised')} compares "
            "them"
        )


def extent_of(values: np.ndarray) -> tuple[float, float] | None:
    """Return span and largest absolute value of scores; None if there are none."""
    return (float(np.ptp(values)), float(np.abs(values).max())) if len(values) else None


def region_of(
    rope: object,
    scale: str,
    span: float | None,
    scores: tuple[float, float] | None,
    metric: str,
) -> Rope:
    """Return the region on a scale, and warn if it does not fit `scores` and `span`."""
    region = rope_of(rope, scale, span)
    if scale == "difference" and scores is not None:
        limit = None if isinstance(rope, str | Rope) else span  # text states its unit
        warn_of_rope(region, span or scores[0], scores[1], metric, limit)
    return region


def warn_of_rope(
    rope: Rope, spread: float, largest: float, metric: str, limit: float | None = None
) -> None:
    """Warn if a ROPE does not fit the scores or range, mostly percent against fractions."""
    width = rope.half_width
    if not width or not spread > 0:
        return
    far = max(spread, largest)
    ends = sorted((-rope.low, rope.high))
    if not rope.one_sided and ends[0] <= 0.5 * far and ends[1] >= far:
        low, high = (
            e if abs(e) < far else math.copysign(math.inf, e) for e in (rope.low, rope.high)
        )
        warn_user(
            f"ROPE {rope} reaches as far as two scores of {metric or 'this kind'} can differ: "
            "whatever is better counts as practically equivalent. To ask whether one is not "
            f"worse, give {arg('rope', (low, high))}"
        )
        return
    if width > 0.5 * far:
        what = "over half of"
    elif limit is not None and width >= limit / 10:
        warn_user(
            f"ROPE {rope} is a tenth of the range of {metric or 'the scores'} ({limit:g}) or "
            f"more: for half a percentage point write {limit / 200:g} or 0.5%"
        )
        return
    elif width < 0.001 * spread:
        what = "under 0.1% of"
    else:
        return
    warn_user(
        f"ROPE {rope} is {what} the span of {metric or 'the scores'} ({spread:.4g}): is it in the "
        "metric's own unit (percent or fraction)?"
    )
