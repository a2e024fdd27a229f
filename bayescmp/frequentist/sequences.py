"""Confidence sequences: an interval of a mean that is valid at every look.

After each item a bettor who believes that the mean is not m bets that the next item is off m. If m
is the mean, the capital ever reaches 1/α times its beginning with probability at most α (Ville's
inequality). The interval is the means against which capital has stayed below that so far.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from bayescmp.base.arguments import must, must_be
from bayescmp.base.checks import number, read_numbers, share, validate_params
from bayescmp.base.typing import Json, as_facts
from bayescmp.frequentist.effects import numbers_or_pair
from bayescmp.frequentist.results import DescribedResult
from bayescmp.items.pair import ItemPair
from bayescmp.present.forms import Summarised
from bayescmp.present.summary import Explanation, Summary, summarise
from bayescmp.scores.differences import Differences
from bayescmp.wording.markup import list_notes
from bayescmp.wording.text import format_count, format_number

#: Designs whose differences are independent of each other, so that their order can be random.
INDEPENDENT = ("independent", "seeds", "given")
#: No bet risks more than this share of the capital (Waudby-Smith & Ramdas 2024, c = 1/2).
RISKED = 0.5
#: Ends move when they would move by this share of the bounds' width, and in the end by this.
STEP, LAST_STEP = 1e-4, 1e-8
#: Rows of the sequence that its text shows.
SHOWN = 8


@validate_params(alpha=share)
def confidence_sequence(
    d: ArrayLike | ItemPair | Differences,
    *,
    bounds: tuple[float, float] = (-1, 1),
    alpha: float = 0.05,
) -> ConfidenceSequence:
    """Return a confidence sequence of a mean difference over items, valid at every look.

    With probability at least 1 − alpha, the items' true mean is in *all* intervals at once: a
    study may stop at any time, for any reason, and report its last interval. An interval for a
    fixed number of items, planned in advance, is narrower.

    Parameters
    ----------
    d : array_like of shape (n,), DataFrame of two algorithms, ItemPair or Differences
        Paired differences on independent items, second minus first, in the random order in which
        they were looked at: shuffle a sorted benchmark. Clustered items and folds are refused.
    bounds : (float, float)
        Of every difference: (-1, 1) for accuracies and other scores from 0 to 1.
    alpha : float
        Probability that the mean ever leaves the interval.

    Returns
    -------
    ConfidenceSequence
        With a frame (n, low, high), the ``interval`` at the end, and ``explain()``.

    Raises
    ------
    InputError
        Differences of folds, of clustered items or of several data sets; differences that are
        missing or outside the bounds.

    See Also
    --------
    paired_t, bayescmp.bayesian.paired_proportions

    References
    ----------
    Waudby-Smith & Ramdas (2024), Journal of the Royal Statistical Society B 86:1-27, section 4.4
    (hedged capital, Theorem 3) with the bets of eq. 26 (c = 1/2), half of the capital on either
    side; Howard, Ramdas, McAuliffe & Sekhon (2021), Annals of Statistics 49:1055-1080.

    Examples
    --------
    >>> import bayescmp as bc
    >>> d = [1, 0, -1, 0, 0, 1, 0, 0, 0, 0] * 40
    >>> sequence = bc.frequentist.confidence_sequence(d)
    >>> [round(end, 2) for end in sequence.interval]
    [0.01, 0.19]
    """
    x, names = _independent(d)
    low, high = _bounds(bounds, x)
    y = (x - low) / (high - low)
    lower = _running_end(y, alpha)
    upper = 1 - _running_end(1 - y, alpha)
    if isinstance(d, ItemPair):
        d = d.differences()
    result = ConfidenceSequence(
        x=x,
        low=low + (high - low) * lower,
        high=low + (high - low) * upper,
        alpha=alpha,
        bounds=(low, high),
        names=names,
        sample="question" if getattr(d, "unit", "") == "benchmark" else "item",
    )
    return result.of(d, folds=False)


# Input: independent differences within their bounds, or a refusal with a reason.


def _independent(d: Any) -> tuple[np.ndarray, tuple[str, str]]:
    if isinstance(d, ItemPair):
        if len(d.benchmarks) > 1:
            raise must(
                "d",
                "have one benchmark for a sequence",
                str(len(d.benchmarks)),
                "Pick it with d.on(name).",
            )
        if d.clustered:
            raise must(
                "d",
                "be in random order",
                "items in clusters",
                "Give one mean difference for each cluster, as an array.",
            )
        return d.x, d.names
    if isinstance(d, Differences):
        return _row(d), d.names
    return numbers_or_pair(d, "confidence_sequence", "d", least=1)


def _row(d: Differences) -> np.ndarray:
    """Return the differences of independent units, on one data set."""
    design = d.resampling[0].design if d.resampling else "given"
    if np.any(d.rho > 0) or design not in INDEPENDENT:
        how = f"rho {d.rho.max():.3g}" if np.any(d.rho > 0) else design
        raise must(
            "d",
            "be differences of items",
            f"differences of folds, {how}",
            "Training sets of folds overlap: they are in no random order, and a look does not add "
            "an independent item. For folds use bayescmp.bayesian.correlated_t, without interim "
            "looks.",
        )
    if d.q > 1:
        raise must("d", f"have one {d.unit} for a sequence", str(d.q), "Pick it with d.row(name).")
    return np.asarray(d.x[0])


def _bounds(bounds: object, x: np.ndarray) -> tuple[float, float]:
    accepted = "(low, high), finite, with low < high"
    ends = read_numbers(bounds, "bounds", accepted)
    if ends.shape != (2,) or not np.all(np.isfinite(ends)) or not ends[0] < ends[1]:
        raise must_be("bounds", accepted, bounds)
    low, high = map(float, ends)
    outside = np.flatnonzero((x < low) | (x > high))
    if len(outside):
        raise must(
            "bounds",
            "contain every difference",
            f"{(low, high)}, and {x[outside[0]]:.6g} at position {outside[0]}; {len(outside)} of "
            f"{len(x)} are outside",
        )
    return low, high


# Capital, and the means that it rules out.


def plug_in_bets(y: np.ndarray, alpha: float) -> np.ndarray:
    """Return bets on each item from those before it, not yet cut: Waudby-Smith & Ramdas, eq. 26.

    λ_t = √(2 log(2/α) / (σ̂²_{t−1} t log(1 + t))), with means and variances that begin with one
    made-up item of mean 1/2 and variance 1/4; `y`, shape (n,), is between 0 and 1.
    """
    t = np.arange(1, len(y) + 1)
    mean = (0.5 + np.cumsum(y)) / (t + 1)
    variance = (0.25 + np.cumsum((y - mean) ** 2)) / (t + 1)
    before = np.r_[0.25, variance[:-1]]
    return np.asarray(np.sqrt(2 * np.log(2 / alpha) / (before * t * np.log1p(t))))


def capital(y: np.ndarray, bets: np.ndarray, m: float) -> np.ndarray:
    """Return the log capital, after each item, from bets that the mean is over m.

    It falls in m, as every factor 1 + min(λ, c/m)·(y − m) does, so the means ruled out are those
    below one bound. `y` and `bets` are (n,), m is between 0 and 1.
    """
    risked = np.minimum(bets, RISKED / m) if m > 0 else bets
    return np.asarray(np.cumsum(np.log1p(risked * (y - m))))


def _running_end(y: np.ndarray, alpha: float) -> np.ndarray:
    """Return the running lower bounds, from 0 to 1; half of the capital has to grow 2/α-fold."""
    bets, asked = plug_in_bets(y, alpha), float(np.log(2 / alpha))
    ends, end = np.zeros(len(y)), 0.0
    for step in (STEP, LAST_STEP):
        while end + step < 1:
            reached = capital(y, bets, end + step) > asked
            if not reached.any():
                break
            at = int(np.argmax(reached))
            over = partial(_compute_excess, y[: at + 1], bets[: at + 1], asked)
            end = float(brentq(over, end + step, 1.0))
            ends[at:] = end
    return ends


def _compute_excess(y: np.ndarray, bets: np.ndarray, asked: float, m: float) -> float:
    """Return how far the capital is above what is asked in the end."""
    return float(capital(y, bets, m)[-1]) - asked


def find_crossings(x: np.ndarray, mean: float, alpha: float) -> tuple[bool, bool]:
    """Return whether capital against a mean, from above or below, ever reached 2/α."""
    y, m = (x + 1) / 2, (mean + 1) / 2
    asked = np.log(2 / alpha)
    above, below = (
        bool((capital(side, plug_in_bets(side, alpha), at) > asked).any())
        for side, at in ((y, m), (1 - y, 1 - m))
    )
    return above, below


def student_bounds(x: np.ndarray, alpha: float, spread: float = 1.0) -> tuple[float, float]:
    """Return bounds of a mean of normal numbers that are valid at every look, up to the last.

    They are the means against which the e-process of the t test stays below 1/α at every n, with
    the right-Haar prior of σ and an effect size of N(0, g²), where g is `spread` (Pérez-Ortiz,
    Lardy, de Heide & Grünwald 2024, Annals of Statistics 52:1410-1434; Wang & Ramdas 2025,
    Sequential Analysis 44):

        log E = −½ log(1 + n g²) + n/2 · log((1 + t²/ν) / (1 + t²/(ν(1 + n g²)))),  ν = n − 1
    """
    n = np.arange(2, len(x) + 1)
    mean = np.cumsum(x)[1:] / n
    centred = x - x.mean()  # against cancellation
    squares = np.cumsum(centred**2)[1:] - n * (mean - x.mean()) ** 2
    larger = 1 + n * spread**2
    ratio = np.exp(2 / n * (np.log(1 / alpha) + np.log(larger) / 2))  # of 1 + t²/ν, at most
    known = ratio < larger
    t2 = (ratio[known] - 1) / (1 - ratio[known] / larger[known])  # over ν
    half = np.full(len(n), np.inf)
    half[known] = np.sqrt(t2 * np.maximum(squares[known], 0) / n[known])
    low = float(np.max(mean - half, initial=-np.inf))
    return low, float(np.min(mean + half, initial=np.inf))


# The result.


#: How the interval is found.
METHOD = "betting, hedged capital with plug-in bets (Waudby-Smith & Ramdas 2024)"


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ConfidenceSequence(Summarised, DescribedResult):
    """An interval of a mean difference after each item, valid at every look.

    Attributes
    ----------
    x : ndarray of shape (n,)
        The differences in their order.
    low, high : ndarray of shape (n,)
        Running intersection, accurate to 0.0001 of the width of `bounds`, on the safe side.
    alpha : float
        Highest probability that the mean is ever outside.
    bounds : (float, float)
        Of every difference.
    names : (str, str)
    sample : str
        What comes one by one: "item", or "question".
    """

    x: np.ndarray
    low: np.ndarray
    high: np.ndarray
    alpha: float
    bounds: tuple[float, float]
    names: tuple[str, str]
    sample: str = "item"

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.x)

    @property
    def estimate(self) -> float:
        """Mean difference."""
        return float(self.x.mean())

    @property
    def interval(self) -> tuple[float, float]:
        """The interval at the end."""
        return float(self.low[-1]), float(self.high[-1])

    @cached_property
    def frame(self) -> pd.DataFrame:
        """One row per item: n, low, high."""
        return pd.DataFrame({"n": np.arange(1, self.n + 1), "low": self.low, "high": self.high})

    @validate_params(value=number())
    def left_at(self, value: float) -> int | None:
        """Return after how many items a mean difference was ruled out; None if it never was."""
        outside = (self.low > value) | (self.high < value)
        return int(np.argmax(outside)) + 1 if outside.any() else None

    def to_dict(self) -> Json:
        """Return the result as plain numbers and text, for JSON."""
        kept = ("n", "estimate", "interval", "alpha", "bounds", "names", "low", "high")
        return as_facts(self, *kept) | self.origin()


HEADLINES = {
    "leads": "{leader} is better than {other} on average",
    "undecided": "{first} and {second}: undecided which one is better on average",
}
INTERVAL = (
    "After {n}, the {level:g}% confidence sequence of the mean difference is {low} to {high} "
    "(positive values favour {second})."
)
RULED_OUT = "Zero was ruled out after {n}."
VALID = (
    "The true mean is in all intervals with probability {level:g}% or more, if the {sample}s are "
    "independent and in random order. The study may stop at any look, or continue."
)
LEGEND = "low, high: bounds of the interval after n {sample}s, at some of {n} looks"


@summarise.register
def _summarise_confidence_sequence(sequence: ConfidenceSequence) -> Summary:
    looks = np.unique(np.geomspace(1, sequence.n, min(SHOWN, sequence.n)).round().astype(int))
    first, second = sequence.names
    low, high = sequence.interval
    leader, other = (second, first) if low > 0 else (first, second)
    is_led, level = low > 0 or high < 0, 100 * (1 - sequence.alpha)
    count = format_count(sequence.n, sequence.sample)
    ruled_out = format_count(sequence.left_at(0.0) or sequence.n, sequence.sample)
    headline = HEADLINES["leads" if is_led else "undecided"].format(
        leader=leader, other=other, first=first, second=second
    )
    sentences = [
        INTERVAL.format(
            n=count, level=level, low=format_number(low), high=format_number(high), second=second
        ),
        *([RULED_OUT.format(n=ruled_out)] if is_led else []),
    ]
    valid = VALID.format(level=level, sample=sequence.sample)
    return Summary(
        headline,
        sequence.frame.iloc[looks - 1],
        notes=sequence.all_notes,
        label="sequence",
        setting=f"{sequence.measured or 'difference'}, {count}",
        sentences=[" ".join([*sentences, valid])],
        legend=LEGEND.format(sample=sequence.sample, n=sequence.n),
        method=METHOD,
        explanation=lambda: Explanation(
            short=[f"{headline}.", *sentences],
            results=[f"{headline}.", *sentences, valid],
            methods=[f"Confidence sequence by {METHOD}.", *list_notes(sequence.all_notes)],
        ),
    )
