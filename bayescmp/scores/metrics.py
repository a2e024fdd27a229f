"""Metrics (names are in ``metrics.ini``): directions, ranges, and rates of a confusion matrix."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from configparser import ConfigParser
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayescmp.base.arguments import arg
from bayescmp.base.fields import about
from bayescmp.errors import DirectionWarning, InputError, unknown_name, warn_user

#: Metrics with their spellings, by which way they are better and their range; and words in names.
LISTS = ConfigParser(delimiters=":", interpolation=None)
LISTS.read_string(Path(__file__).with_name("metrics.ini").read_text(encoding="utf-8"))

# Which way a metric is better, and its range: known by name, declared, or assumed.


Evidence = Literal["known", "declared", "assumed"]

_AVERAGES = re.compile(r"_(micro|macro|weighted|samples|ovr|ovo|binary)$")
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+\d*|[A-Z]+\d*|\d+")
_ONE_MINUS = re.compile(r"^\s*(?:1|100|one)(?:\.0)?\s*(?:-|[ _]?minus[ _])\s*(.+)$", re.IGNORECASE)
_HEAD = re.compile(r"@|[ _.](?:at|per|with|given|vs)[ _.]")  # "tpr at fpr .01" is a tpr

#: A loss may fall below zero by this much, by rounding alone.
ROUNDING = 1e-12

#: As papers and this package mark a direction: "rmse ↓", "accuracy (↑)".
_ARROW = re.compile(r"\s*\(?([↑↓])\)?\s*$")

_TURNING = {"neg", "negated", "negative", "minus"}


def _squash(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", name.lower().replace("²", "2"))


@dataclass(frozen=True)
class _Known:
    """A metric of the list."""

    name: str
    lower: bool
    range: tuple[float, float] | None


def _list_spellings() -> dict[str, _Known]:
    """Every spelling of the list, squashed, with its metric."""
    spellings = {}
    for title in (title for title in LISTS.sections() if title != "words"):
        way, *ends = title.split()
        low_high = (float(ends[0]), float(ends[1])) if ends else None
        for name, others in LISTS[title].items():
            known = _Known(name, way == "lower", low_high)
            spellings.update({_squash(s): known for s in (name, *others.split())})
    return spellings


_LIST = _list_spellings()
_WORDS = {kind: set(words.split()) for kind, words in LISTS["words"].items()}
_NEAR_ZERO = set(map(_squash, _WORDS["near_zero"]))
_TOKENS = {**dict.fromkeys(_WORDS["higher"], False), **dict.fromkeys(_WORDS["lower"], True)}
_TIMES = {"time", "times", "runtime", "walltime", "seconds"}


#: The scales of differences, and their labels after a metric's name.
SCALES = {"difference": "", "log_ratio": "log ratio", "standardised": "standard deviations"}


@dataclass(frozen=True)
class Direction:
    """Which way a metric is better, and how that is known.

    `metric` is the column's name. `evidence` is "known" from it, "declared" by the user or the
    program, or "assumed". `scale`, of `SCALES`, is that of the differences.

    Examples
    --------
    >>> from bayescmp.scores.metrics import direction
    >>> print(direction("accuracy"), "|", direction("RMSE"), "|", direction("foo"))
    accuracy ↑ | RMSE ↓ | foo ↑ (assumed)
    """

    metric: str
    lower: bool = False
    evidence: Evidence = "known"
    scale: str = field(default="difference", metadata=about(among=tuple(SCALES)))

    @property
    def label(self) -> str:
        """The metric with the scale of its differences: "rmse (log ratio)"."""
        return label_scale(self.metric, self.scale)

    @property
    def arrow(self) -> str:
        """↑ where higher is better, ↓ where lower is; "↑ (assumed)" if it is not known."""
        arrow = "↓" if self.lower else "↑"
        return f"{arrow} (assumed)" if self.assumed else arrow

    @property
    def assumed(self) -> bool:
        """Whether neither the name nor a declaration tells."""
        return self.evidence == "assumed"

    @property
    def sign(self) -> float:
        """-1 where lower is better, else 1."""
        return -1.0 if self.lower else 1.0

    @property
    def better(self) -> str:
        """Which is better: "higher" or "lower", with "(assumed)" if it is not known."""
        return f"{'lower' if self.lower else 'higher'}{' (assumed)' if self.assumed else ''}"

    @property
    def way(self) -> str:
        """Which is better, as a clause: "higher is better", "higher is assumed to be better"."""
        side = "lower" if self.lower else "higher"
        return f"{side} is {'assumed to be ' if self.assumed else ''}better"

    def to_dict(self) -> dict[str, str]:
        """Return the metric, which way is better ("higher", "lower"), and the evidence."""
        better = "lower" if self.lower else "higher"
        return {"metric": self.label, "better": better, "evidence": self.evidence}

    def __str__(self) -> str:
        own = _ARROW.search(self.metric)
        shown = own is not None and own[1] == self.arrow and self.scale == "difference"
        return self.metric if shown else f"{self.label} {self.arrow}"


def label_scale(metric: str, scale: str) -> str:
    """Name a metric with its scale, for headers and axes: "rmse (log ratio)"."""
    return f"{metric} ({SCALES[scale]})" if SCALES[scale] else metric


def are_ratios(directions: Iterable[Direction]) -> bool:
    """Whether differences in these metrics are those of logarithms."""
    return any(direction.scale == "log_ratio" for direction in directions)


def direction(name: str, lower_is_better: bool | None = None) -> Direction:
    """Return which way a metric is better; higher, marked as assumed, if not known.

    `lower_is_better` is declared, and comes first, as does an arrow at the end of the name. Case,
    separators, and affixes such as ``mean_test_``, ``classif.`` and ``_mean`` don't matter;
    ``neg_`` and ``1 -`` reverse the direction.
    """
    if lower_is_better is not None:
        return Direction(str(name), bool(lower_is_better), "declared")
    arrow = _ARROW.search(str(name))
    if arrow is not None:
        return Direction(str(name), arrow[1] == "↓", "declared")
    lower = _by_name(str(name))
    return Direction(str(name), bool(lower), "assumed" if lower is None else "known")


def label_metric(metric: str, known: Direction | None) -> str:
    """Name a metric for a header or an axis, with its arrow where the direction is known."""
    return metric if known is None or not metric else f"{metric} {known.arrow}"


def list_metrics(metrics: Iterable[str], directions: Iterable[Direction]) -> str:
    """List metrics with the arrows of those whose direction is known: 'tpr ↑, fpr ↓, m1'."""
    known = {d.label: str(d) for d in directions}
    return ", ".join(known.get(m, m) for m in metrics)


def head_table(frame: pd.DataFrame, measured: str) -> pd.DataFrame:
    """Put what a table's numbers measure into the corner of its header, if it is known."""
    return frame.rename_axis(columns=measured) if measured else frame


def warn_assumed(way: Direction) -> None:
    """Warn that a metric's direction is assumed, and show how to declare it."""
    if not way.assumed:
        return
    why = "is best near zero" if near_zero(way.metric) else "does not show which way is better"
    warn_user(
        f"metric {way.metric!r} {why}: taken as higher-is-better. Declare it with "
        f"{arg('higher_is_better', [way.metric])} or {arg('lower_is_better', [way.metric])}",
        DirectionWarning,
    )


def lower_is_better(name: str) -> bool:
    """Whether lower values of the metric are better, as far as its name tells; see `direction`."""
    return direction(name).lower


def near_zero(name: str) -> bool:
    """Whether the metric is best near zero (a bias), so that neither direction is better."""
    return any(form in _NEAR_ZERO for form, _ in _forms(str(name)))


def find_metric(name: str) -> str | None:
    """Return the list's own name of a metric ("recall" is "tpr"); None if it is not listed."""
    known = next((k for k, turned in _matches(str(name)) if not turned), None)
    return None if known is None else known.name


def normalise(name: str) -> str:
    """Write a metric's name in lower case with underscores, without prefixes but ``neg_``."""
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    plain = re.sub(r"^(test|valid|validation)_", "", plain)
    while _AVERAGES.search(plain):
        plain = _AVERAGES.sub("", plain)
    return plain


def is_time(name: str) -> bool:
    """Whether the metric is a duration, and so is not a score of the result."""
    return _is_time(_words(str(name)))


def known_range(name: str) -> tuple[float, float] | None:
    """Range of the metric, as far as its name tells: (0, 1), (-1, 1); None if unbounded."""
    known = next((metric for metric, turned in _matches(str(name)) if not turned), None)
    if known is None or known.range is None or not np.isfinite(known.range[1]):
        return None
    return known.range


def span_of(name: str, scores: np.ndarray) -> float | None:
    """Length of a metric's range; None if it has none, or a score is outside it (percent)."""
    ends = known_range(name)
    inside = ends is not None and scores.min() >= ends[0] and scores.max() <= ends[1]
    return ends[1] - ends[0] if ends is not None and inside else None


def bounds_of(name: str, scores: np.ndarray) -> tuple[float, float]:
    """Bounds of a metric, infinite if it has none there or a score is outside them."""
    known, turned = next(_matches(str(name)), (None, False))
    low, high = (-np.inf, np.inf) if known is None or known.range is None else known.range
    if turned:
        low, high = -high, -low
    inside = scores.min(initial=np.inf) >= low and scores.max(initial=-np.inf) <= high
    return (low, high) if inside else (-np.inf, np.inf)


def never_negative(name: str) -> bool:
    """Whether the metric's name rules out negative values, which ``neg_...`` does not."""
    known, turned = next(_matches(str(name)), (None, False))
    return known is not None and known.range is not None and known.range[0] >= 0 and not turned


def check_sign(way: Direction, values: np.ndarray) -> None:
    """Refuse values whose sign the metric's name rules out, such as those of a negated loss."""
    known, turned = next(_matches(way.metric), (None, False))
    if way.evidence != "known" or known is None or known.range is None or known.range[0] < 0:
        return
    if not turned and known.lower and np.nanmin(values, initial=0.0) < -ROUNDING:
        what, end, name = "negative", np.nanmin(values), f"neg_{way.metric}"
    elif turned and np.nanmax(values, initial=0.0) > ROUNDING:
        what, end, name = "positive", np.nanmax(values), known.name
    else:
        return
    raise InputError(
        f"metric {way.metric!r} must never be {what}, by its name (got {end:.4g} in the table). "
        f"Name it {name!r}, or declare which way is better: "
        f"{arg('higher_is_better', [way.metric])} or {arg('lower_is_better', [way.metric])}.",
        "metric",
    )


# Reading a name.


@cache
def _by_name(name: str) -> bool | None:
    """Whether lower is better, by the name; None if the name does not show it."""
    rest = _ONE_MINUS.match(name)
    if rest:
        lower = _by_name(rest[1])
        return None if lower is None else not lower
    for known, turned in _matches(name):
        return known.lower != turned
    words = _words(_HEAD.split(name.strip())[0])
    if _is_time(words):
        return not _is_turned(words)
    verdicts = {_TOKENS[w] for w in words if w in _TOKENS}
    if "skill" in words:
        verdicts = {False}
    if len(verdicts) != 1 or _WORDS["blurring"] & set(words) or near_zero(name):
        return None
    return verdicts.pop() != _is_turned(words)


def _matches(name: str) -> Iterator[tuple[_Known, bool]]:
    """Metrics that the name may stand for, the longest first, and whether each is reversed."""
    for whole in (name, _HEAD.split(name.strip())[0]):
        for form, turned in _forms(whole):
            if form in _LIST:
                yield _LIST[form], turned


def _forms(name: str) -> Iterator[tuple[str, bool]]:
    """Return the squashed name with more and more of what surrounds it removed."""
    words = _words(name)
    before = next(
        (i for i, w in enumerate(words) if w not in _WORDS["prefixes"] | _TURNING), len(words)
    )
    inner = (
        i for i, w in enumerate(reversed(words)) if not (w in _WORDS["suffixes"] or w.isdigit())
    )
    after = next(inner, len(words))
    cuts = [(i, j) for i in range(before + 1) for j in range(after + 1) if i + j < len(words)]
    minus = name.strip().startswith("-")
    for i, j in sorted(cuts, key=sum):
        yield "".join(words[i : len(words) - j]), _is_turned(words[:i]) != minus


def _is_turned(words: list[str]) -> bool:
    return sum(w in _TURNING for w in words) % 2 == 1


def _words(name: str) -> list[str]:
    return [w.lower() for w in _CAMEL.findall(name.replace("²", "2"))]


def _is_time(words: list[str]) -> bool:
    """Whether the words name a time: "fit_time", "elapsed_time_training", "runtime_ms"."""
    rest = [w for w in words if w not in _TIMES]
    return len(rest) < len(words) and all(
        w in _WORDS["timed"] | _TURNING or w.isdigit() for w in rest
    )


# Metrics that follow from a confusion matrix: one formula per name.


#: True positives, false negatives, false positives, true negatives: in this order everywhere.
COUNTS = ("tp", "fn", "fp", "tn")


def plain_count(name: str) -> str:
    """Write the name of a confusion count in lower case ("TP" as "tp"), any other unchanged."""
    return name.lower() if name.lower() in COUNTS else name


_Array = np.ndarray
_Formula = Callable[[_Array, _Array, _Array, _Array], tuple[_Array, _Array]]

# Numerator and denominator of each; 0/0 is undefined, never 0 or 1 by convention.
_RATES: dict[str, _Formula] = {
    "tpr": lambda tp, fn, fp, tn: (tp, tp + fn),
    "fnr": lambda tp, fn, fp, tn: (fn, tp + fn),
    "fpr": lambda tp, fn, fp, tn: (fp, fp + tn),
    "tnr": lambda tp, fn, fp, tn: (tn, fp + tn),
    "precision": lambda tp, fn, fp, tn: (tp, tp + fp),
    "fdr": lambda tp, fn, fp, tn: (fp, tp + fp),
    "npv": lambda tp, fn, fp, tn: (tn, tn + fn),
    "f1": lambda tp, fn, fp, tn: (2 * tp, 2 * tp + fn + fp),
    "jaccard": lambda tp, fn, fp, tn: (tp, tp + fn + fp),
    "accuracy": lambda tp, fn, fp, tn: (tp + tn, tp + fn + fp + tn),
    "error": lambda tp, fn, fp, tn: (fn + fp, tp + fn + fp + tn),
    "balanced_accuracy": lambda tp, fn, fp, tn: (
        tp * (fp + tn) + tn * (tp + fn),
        2 * (tp + fn) * (fp + tn),
    ),
    "informedness": lambda tp, fn, fp, tn: (tp * tn - fp * fn, (tp + fn) * (fp + tn)),
    "mcc": lambda tp, fn, fp, tn: (
        tp * tn - fp * fn,
        np.sqrt((tp + fn) * (fp + tn)) * np.sqrt((tp + fp) * (tn + fn)),
    ),
    "kappa": lambda tp, fn, fp, tn: (
        2 * (tp * tn - fp * fn),
        (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn),
    ),
}


def rates() -> tuple[str, ...]:
    """Names of the metrics that follow from tp, fn, fp and tn."""
    return tuple(_RATES)


def canonical_rate(name: str) -> str | None:
    """Return the rate that a name stands for ("recall" is "tpr"); None for any other metric."""
    known = find_metric(str(name))
    return known if known in _RATES else None


def rate(name: str, tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike) -> np.ndarray:
    """Compute a metric from confusion counts.

    `name` is one of `rates` or another common spelling. The counts have one shape, and may be
    expected counts or draws of probabilities. A metric that is 0/0 is NaN. Fawcett 2006, fig. 1;
    Matthews 1975 (mcc); Cohen 1960 (kappa); Youden 1950 (informedness).
    """
    known = canonical_rate(name)
    if known is None:
        raise unknown_name("metric", name, _RATES)
    above, below = _RATES[known](*(np.asarray(count, dtype=float) for count in (tp, fn, fp, tn)))
    return np.divide(above, below, out=np.full(np.shape(above), np.nan), where=below > 0)


def list_derivable(columns: Iterable[str]) -> tuple[str, ...]:
    """Metrics that follow from tp, fn, fp and tn, or "error" and "accuracy" from each other."""
    columns = set(columns)
    if set(COUNTS) <= columns:
        return tuple(name for name in _RATES if name not in columns)
    twins = (("accuracy", "error"), ("error", "accuracy"))
    return tuple(new for old, new in twins if old in columns and new not in columns)
