"""Which way a metric is better, and its range: known by name, declared, or assumed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

import numpy as np

from bayescmp import metric_names as _names
from bayescmp.errors import DirectionWarning, InputError, warn_user

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Direction",
    "canonical",
    "check_sign",
    "direction",
    "headed",
    "is_time",
    "known_range",
    "labelled",
    "listed",
    "lower_is_better",
    "near_zero",
    "never_negative",
    "normalise",
    "span_of",
    "warn_assumed",
]

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


def _squashed(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", name.lower().replace("²", "2"))


@dataclass(frozen=True)
class _Known:
    """A metric of the list."""

    name: str
    lower: bool
    range: tuple[float, float] | None


def _listed() -> dict[str, _Known]:
    """Every spelling of the list, squashed, with its metric."""
    spellings = {}
    for lower, blocks in ((False, _names.HIGHER), (True, _names.LOWER)):
        for ends, block in blocks.items():
            for line in block.strip().splitlines():
                name, _, others = line.partition(":")
                known = _Known(name, lower, ends)
                spellings.update({_squashed(s): known for s in (name, *others.split())})
    return spellings


_LIST = _listed()
_NEAR_ZERO = {_squashed(s) for s in _names.NEAR_ZERO.split()}
_TOKENS = {
    **dict.fromkeys(_names.TOKENS_HIGHER.split(), False),
    **dict.fromkeys(_names.TOKENS_LOWER.split(), True),
}
_PREFIXES = set(_names.PREFIXES.split())
_SUFFIXES = set(_names.SUFFIXES.split())
_BLURRING = set(_names.BLURRING.split())
_TIMES = {"time", "times", "runtime", "walltime", "seconds"}
_TIMED = set(_names.TIMED.split())


@dataclass(frozen=True)
class Direction:
    """Which way a metric is better, and how that is known.

    Parameters
    ----------
    metric : str
        As its column is named.
    lower : bool
        Whether lower values are better.
    evidence : {"known", "declared", "assumed"}
        Known by the metric's name, declared by the user or by the program that wrote the table,
        or assumed because neither tells.

    Examples
    --------
    >>> from bayescmp.metrics import direction
    >>> print(direction("accuracy"), "|", direction("RMSE"), "|", direction("foo"))
    accuracy ↑ | RMSE ↓ | foo ↑ (assumed)
    """

    metric: str
    lower: bool = False
    evidence: Evidence = "known"

    @property
    def arrow(self) -> str:
        """↑ where higher is better, ↓ where lower is; "↑ (assumed)" where it is not known."""
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
        """In words: "higher" or "lower", with "(assumed)" where it is not known."""
        return f"{'lower' if self.lower else 'higher'}{' (assumed)' if self.assumed else ''}"

    @property
    def way(self) -> str:
        """As a clause: "higher is better", "higher is assumed to be better"."""
        side = "lower" if self.lower else "higher"
        return f"{side} is {'assumed to be ' if self.assumed else ''}better"

    def to_dict(self) -> dict[str, str]:
        """For JSON: the metric, which way is better ("higher", "lower"), and the evidence."""
        better = "lower" if self.lower else "higher"
        return {"metric": self.metric, "better": better, "evidence": self.evidence}

    def __str__(self) -> str:
        return f"{_ARROW.sub('', self.metric)} {self.arrow}"


def direction(name: str, lower_is_better: bool | None = None) -> Direction:
    """Which way a metric is better.

    Parameters
    ----------
    name : str
        The metric's name. An arrow at its end declares the direction. Case and separators don't
        matter; prefixes and suffixes such as ``mean_test_``, ``classif.`` and ``_mean`` are
        removed, and ``neg_`` and ``1 -`` reverse the direction.
    lower_is_better : bool, optional
        What the user declared, which goes before what the name tells.

    Returns
    -------
    Direction
        Higher is better, marked as assumed, where neither tells.

    Examples
    --------
    >>> direction("regr.rmse").lower, direction("neg_log_loss").lower
    (True, False)
    >>> direction("foo").evidence, direction("foo", lower_is_better=True).evidence
    ('assumed', 'declared')
    """
    if lower_is_better is not None:
        return Direction(str(name), bool(lower_is_better), "declared")
    arrow = _ARROW.search(str(name))
    if arrow is not None:
        return Direction(str(name), arrow[1] == "↓", "declared")
    lower = _by_name(str(name))
    return Direction(str(name), bool(lower), "assumed" if lower is None else "known")


def labelled(metric: str, known: Direction | None) -> str:
    """A metric's name for a header or an axis: with its arrow where the direction is known of."""
    return metric if known is None or not metric else f"{metric} {known.arrow}"


def listed(metrics: Iterable[str], directions: Iterable[Direction]) -> str:
    """Names of several metrics with the arrows of those whose direction is known of.

    Examples
    --------
    >>> from bayescmp.metrics import direction, listed
    >>> listed(["tpr", "fpr", "m1"], [direction("fpr"), direction("tpr")])
    'tpr ↑, fpr ↓, m1'
    """
    known = {d.metric: str(d) for d in directions}
    return ", ".join(known.get(m, m) for m in metrics)


def headed(frame: pd.DataFrame, measured: str) -> pd.DataFrame:
    """A table with what its numbers measure in the corner of its header; as it is if not known.

    Parameters
    ----------
    frame : DataFrame
    measured : str
        The metrics with their arrows, which become the name of the columns.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayescmp.metrics import headed
    >>> print(headed(pd.DataFrame({"mean": [0.5]}, index=["knn"]), "rmse ↓"))
    rmse ↓  mean
    knn      0.5
    """
    return frame.rename_axis(columns=measured) if measured else frame


def warn_assumed(way: Direction) -> None:
    """Say that a metric's direction is assumed, and how to declare it.

    Parameters
    ----------
    way : Direction
        Nothing is said unless it is assumed.
    """
    if not way.assumed:
        return
    why = "is best near zero" if near_zero(way.metric) else "does not say which way is better"
    warn_user(
        f"metric {way.metric!r} {why}: taken as higher-is-better. Declare it with "
        f"higher_is_better=[{way.metric!r}] or lower_is_better=[{way.metric!r}]",
        DirectionWarning,
    )


def lower_is_better(name: str) -> bool:
    """Whether lower values of the metric are better, as far as its name tells; see `direction`."""
    return direction(name).lower


def near_zero(name: str) -> bool:
    """Whether the metric is best near zero (a bias), so that neither direction is better."""
    return any(form in _NEAR_ZERO for form, _ in _forms(str(name)))


def canonical(name: str) -> str | None:
    """The list's own name of a metric ("recall" is "tpr"); None if it is not in the list.

    Parameters
    ----------
    name : str
        Any common spelling; ``neg_...`` is another metric.
    """
    known = next((k for k, turned in _matches(str(name)) if not turned), None)
    return None if known is None else known.name


def normalise(name: str) -> str:
    """A metric's name in lower case with underscores, without scikit-learn's prefixes.

    ``test_f1_macro`` and ``F1 (macro)`` are both ``f1``; ``neg_``, which turns the direction, is
    kept.
    """
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    plain = re.sub(r"^(test|valid|validation)_", "", plain)
    while _AVERAGES.search(plain):
        plain = _AVERAGES.sub("", plain)
    return plain


def is_time(name: str) -> bool:
    """Whether the metric is how long something took, which is not a score of the result."""
    return _timed(_words(str(name)))


def known_range(name: str) -> tuple[float, float] | None:
    """Range of the metric, as far as its name tells: (0, 1), (-1, 1) or None if unbounded."""
    known = next((k for k, turned in _matches(str(name)) if not turned), None)
    if known is None or known.range is None or not np.isfinite(known.range[1]):
        return None
    return known.range


def span_of(name: str, scores: np.ndarray) -> float | None:
    """Length of a metric's range; None if it has none, or a score is outside it.

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp.metrics import span_of
    >>> span_of("accuracy", np.array([0.5, 1.0])), span_of("accuracy", np.array([50.0, 100.0]))
    (1.0, None)
    """
    ends = known_range(name)
    inside = ends is not None and scores.min() >= ends[0] and scores.max() <= ends[1]
    return ends[1] - ends[0] if ends is not None and inside else None


def never_negative(name: str) -> bool:
    """Whether the metric has no negative values by its name; those of ``neg_...`` it has."""
    known, turned = next(_matches(str(name)), (None, False))
    return known is not None and known.range is not None and known.range[0] >= 0 and not turned


def check_sign(way: Direction, values: np.ndarray) -> None:
    """Refuse values of a sign that the metric's name rules out, as negated losses have.

    Parameters
    ----------
    way : Direction
    values : ndarray

    Raises
    ------
    InputError
        If the direction is known by name, the metric is never negative (or, being negated, never
        positive), and some values are.
    """
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
        f"metric {way.metric!r} is never {what} by its name, yet the table holds {end:.4g}: "
        f"name it {name!r}, or declare which way is better (higher_is_better or "
        f"lower_is_better=[{way.metric!r}])"
    )


# -- reading a name ----------------------------------------------------------------------------


@cache
def _by_name(name: str) -> bool | None:
    """Whether lower is better; None where the name does not tell."""
    rest = _ONE_MINUS.match(name)
    if rest:
        lower = _by_name(rest[1])
        return None if lower is None else not lower
    for known, turned in _matches(name):
        return known.lower != turned
    words = _words(_HEAD.split(name.strip())[0])
    if _timed(words):
        return not _turned(words)
    verdicts = {_TOKENS[w] for w in words if w in _TOKENS}
    if "skill" in words:
        verdicts = {False}
    if len(verdicts) != 1 or _BLURRING & set(words) or near_zero(name):
        return None
    return verdicts.pop() != _turned(words)


def _matches(name: str) -> Iterator[tuple[_Known, bool]]:
    """Metrics of the list that the name stands for, and whether it is turned; the longest first.

    ``neg_log_loss`` is log_loss turned.
    """
    for whole in (name, _HEAD.split(name.strip())[0]):
        for form, turned in _forms(whole):
            if form in _LIST:
                yield _LIST[form], turned


def _forms(name: str) -> Iterator[tuple[str, bool]]:
    """The name, squashed, with more and more of what surrounds it removed."""
    words = _words(name)
    before = next((i for i, w in enumerate(words) if w not in _PREFIXES | _TURNING), len(words))
    after = next((i for i, w in enumerate(reversed(words)) if not _ends(w)), len(words))
    cuts = [(i, j) for i in range(before + 1) for j in range(after + 1) if i + j < len(words)]
    minus = name.strip().startswith("-")
    for i, j in sorted(cuts, key=sum):
        yield "".join(words[i : len(words) - j]), _turned(words[:i]) != minus


def _ends(word: str) -> bool:
    return word in _SUFFIXES or word.isdigit()


def _turned(words: list[str]) -> bool:
    return sum(w in _TURNING for w in words) % 2 == 1


def _words(name: str) -> list[str]:
    return [w.lower() for w in _CAMEL.findall(name.replace("²", "2"))]


def _timed(words: list[str]) -> bool:
    """Whether it is a time: "fit_time", "elapsed_time_training", "runtime_ms", "seconds"."""
    rest = [w for w in words if w not in _TIMES]
    return len(rest) < len(words) and all(w in _TIMED | _TURNING or w.isdigit() for w in rest)
