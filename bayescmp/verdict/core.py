"""Verdict: probabilities of named regions, and what follows from them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.deferred import Deferred, changed
from bayescmp.errors import InputError
from bayescmp.text import probability
from bayescmp.verdict import shown, words
from bayescmp.verdict.cause import cause_of
from bayescmp.verdict.facts import Interval, Known, Spread, turned
from bayescmp.verdict.odds import Odds, odds_of
from bayescmp.verdict.rope import Rope, Ropes
from bayescmp.verdict.shapes import Shape, shape_of

if TYPE_CHECKING:
    from bayescmp.left_out import LeftOut
    from bayescmp.metrics import Direction
    from bayescmp.typing import Json

__all__ = ["Verdict", "check_threshold", "winners"]


def check_threshold(threshold: float) -> float:
    """Check a decision threshold: a probability over one half, at most one."""
    number = isinstance(threshold, Real) and not isinstance(threshold, bool | np.bool_)
    if not number or not 0.5 < threshold <= 1:
        raise InputError(f"threshold={threshold!r}; accepted: over 0.5 and at most 1")
    return float(threshold)


def winners(masses: np.ndarray) -> np.ndarray:
    """For each draw, which region's mass is the largest.

    Parameters
    ----------
    masses : ndarray of shape (..., regions)
        Probabilities of the regions, draw by draw.

    Returns
    -------
    ndarray of shape (..., regions)
        One for the largest, zero elsewhere; regions that tie share the draw equally, so that
        swapping the algorithms swaps the shares.
    """
    best = masses == masses.max(axis=-1, keepdims=True)
    return best / best.sum(axis=-1, keepdims=True)


@dataclass(frozen=True)
class Verdict:
    """Probabilities of named regions, and what follows from them.

    Attributes
    ----------
    probabilities : mapping of str to float
        Region to the probability that decides; they sum to one. Where ``expected`` is given, it
        is the share of the posterior in which the region is the most probable outcome on
        ``target`` (Corani et al. 2017, section 3.3); else the posterior probability that the
        ``quantity`` lies in the region. For one metric the regions are "left" (the first
        algorithm is practically better), "rope" and "right" (the second is). For several they are
        "equivalent" (in all metrics), "first" (practically better in at least one metric,
        practically worse in none), "second" alike, and "trade_off" (each is practically better in
        some metric).
    errors : mapping of str to float
        Monte Carlo standard errors, or the numerical error where ``exact``.
    names : (str, str)
        The first and the second algorithm.
    rope : Rope or Ropes
        The region of practical equivalence; for several metrics a tuple of one per metric.
    threshold : float
        Probability that a region has to exceed, by two standard errors, for a decision.
    floor : float
        The smallest probability that can be told from zero: one over the number of draws.
    exact : bool
        Whether the probabilities come without Monte Carlo error.
    expected : mapping of str to float or None
        Predictive probabilities: that the difference on ``target`` lies in each region.
    location : mapping of str to float or None
        Probabilities that the mean difference over data sets lies in each region.
    method, metric, target, prior : str
        What was fitted, to which metric, what the probabilities are about ("a new data set"), and
        under which prior.
    metrics : tuple of str
        The metrics, where there are several.
    quantity : str
        What the intervals are about, and the probabilities too on a single data set: "mean
        difference".
    mean_interval : tuple of (float, float)
        Central 95 % interval of that quantity, one per metric; empty if not known.
    spread : tuple of Spread
        How far data sets differ, one per metric; empty for tests of one data set.
    known : Known or None
        How probable the likeliest outcome would be if the parameters were known.
    directions : tuple of Direction
        Which way each metric is better; empty for plain numbers.
    resampling : str
        The correlation of folds and its reason; empty where no folds enter.
    left_out : LeftOut or None
        What had no partner, where only common folds are compared.
    unit : str
        What the parameters describe several of: "data set", or "benchmark".
    within : str
        What lies in the rope: "differences".
    """

    probabilities: Mapping[str, float]
    errors: Mapping[str, float]
    names: tuple[str, str]
    rope: Rope | Ropes
    threshold: float = 0.95
    floor: float = 0.0
    exact: bool = False
    expected: Mapping[str, float] | None = None
    location: Mapping[str, float] | None = None
    method: str = ""
    metric: str = ""
    target: str = "a new data set"
    prior: str = ""
    metrics: tuple[str, ...] = ()
    quantity: str = "mean difference"
    mean_interval: tuple[Interval, ...] = ()
    spread: Deferred[tuple[Spread, ...]] = Deferred(())
    known: Deferred[Known | None] = Deferred(None)
    directions: tuple[Direction, ...] = ()
    resampling: str = ""
    left_out: LeftOut | None = None
    unit: str = "data set"
    within: str = "differences"

    @classmethod
    def of(
        cls,
        shape: Shape,
        probabilities: Iterable[float],
        errors: Iterable[float],
        *,
        expected: Iterable[float] | None = None,
        location: Iterable[float] | None = None,
        **facts: Any,
    ) -> Verdict:
        """A verdict from numbers in the order of the shape's regions.

        Parameters
        ----------
        shape : Shape
            `THREE` regions for one metric, `FOUR` for several.
        probabilities, errors : iterable of float
            One per region.
        expected, location : iterable of float, optional
            One per region.
        **facts
            The other attributes: names, rope, threshold, ...

        Returns
        -------
        Verdict
        """
        return cls(
            probabilities=shape.named(probabilities),
            errors=shape.named(errors),
            expected=None if expected is None else shape.named(expected),
            location=None if location is None else shape.named(location),
            **facts,
        )

    @property
    def shape(self) -> Shape:
        """Which regions there are, and what they are called."""
        return shape_of(self.probabilities)

    @property
    def p_left(self) -> float:
        """Probability that the first algorithm is practically better (one metric)."""
        return self._of("left")

    @property
    def p_rope(self) -> float:
        """Probability of practical equivalence (one metric)."""
        return self._of("rope")

    @property
    def p_right(self) -> float:
        """Probability that the second algorithm is practically better (one metric)."""
        return self._of("right")

    def _of(self, region: str) -> float:
        if region not in self.probabilities:
            raise AttributeError(
                f"this verdict has no region {region!r}: its probabilities are of "
                f"{', '.join(self.probabilities)}"
            )
        return self.probabilities[region]

    @property
    def decision(self) -> str:
        """What is decided at the threshold, allowing for the probability's own error.

        "first", "equivalent", "second", or with several metrics "trade-off", where the largest
        probability less two standard errors reaches the threshold; "borderline" where it is
        within two standard errors of it; else "undecided".
        """
        region = self.ranked[0]
        p, error = self.probabilities[region], 2 * self.errors.get(region, 0.0)
        if p - error >= self.threshold:
            return self.shape.decisions[region]
        return "borderline" if p + error >= self.threshold else "undecided"

    @property
    def decided(self) -> bool:
        """Whether anything is decided."""
        return self.decision in self.shape.decisions.values()

    @property
    def cause(self) -> str:
        """Why it is undecided: "too little data", "data sets differ", "edge of the rope", or "".

        Data sets differ where, with the parameters known, the likeliest outcome on the next one
        would still stay below the threshold (with probability 0.975 or more).
        """
        return cause_of(self)

    @property
    def measured(self) -> str:
        """The metric with its direction: "accuracy ↑", "tpr ↑, fpr ↓"; "" if not known."""
        return ", ".join(map(str, self.directions)) or self.metric

    @property
    def decides(self) -> str:
        """What the probabilities are of: the name of the quantity that decides."""
        return self.quantity if self.expected is None else "most probable outcome"

    @property
    def odds(self) -> dict[tuple[str, str], Odds]:
        """Posterior odds of each pair of regions, in the regions' order.

        Equivalence is left out where there is no rope, since its probability is then zero by
        definition.
        """
        p = self.probabilities
        return {
            (a, b): odds_of(a, b, p[a], p[b], self.floor)
            for a, b in combinations(self.possible, 2)
        }

    @property
    def evidence(self) -> str:
        """Grade of the odds of the most probable region over the next: weak, positive, strong."""
        first, second = self.ranked[:2]
        pairs = self.odds
        odds = pairs.get((first, second)) or pairs.get((second, first))
        return odds.grade if odds is not None else "none"

    @property
    def ranked(self) -> list[str]:
        """The regions, the most probable first."""
        return sorted(self.probabilities, key=lambda r: -self.probabilities[r])

    @property
    def possible(self) -> list[str]:
        """The regions in order, without that of equivalence where there is no rope."""
        return [r for r in self.probabilities if not (r == self.shape.within and self.rope.empty)]

    def label(self, region: str) -> str:
        """A region in words, with the algorithms' names.

        Examples
        --------
        >>> import bayescmp as bc
        >>> x = bc.Differences([0.01, 0.03, 0.02, -0.01], rho=0.1, names=("knn", "gbm"))
        >>> verdict = bc.bayesian.correlated_t(x, rope=0.01).verdict()
        >>> verdict.label("right")
        'gbm better'
        """
        first, second = self.names
        template = self.shape.labels.get(region)
        if template is None:
            return region.replace("_", " ")
        return template.format(first=first, second=second)

    def odds_in_words(self) -> list[str]:
        """The posterior odds of each pair of regions, the more probable first, with its grade.

        Examples
        --------
        >>> import bayescmp as bc
        >>> x = bc.Differences([0.01, 0.03, 0.02, -0.01], rho=0.1, names=("knn", "gbm"))
        >>> verdict = bc.bayesian.correlated_t(x, rope=0.01).verdict()
        >>> verdict.odds_in_words()[-1]
        'gbm better : equivalent = 1.66 (weak)'
        """
        lines = []
        for (a, b), odds in self.odds.items():
            if math.isnan(odds.value):
                lines.append(f"{self.label(a)} : {self.label(b)}, neither seen")
                continue
            other = b if odds.favours == a else a
            size = max(odds.value, 1 / odds.value)
            over = "over " if odds.bound else ""
            lines.append(
                f"{self.label(odds.favours)} : {self.label(other)} = {over}{size:.3g} "
                f"({odds.grade})"
            )
        return lines

    def swapped(self) -> Verdict:
        """The same verdict with the two algorithms in the other order.

        Examples
        --------
        >>> import bayescmp as bc
        >>> x = bc.Differences([0.01, 0.03, 0.02, -0.01], rho=0.1, names=("knn", "gbm"))
        >>> verdict = bc.bayesian.correlated_t(x, rope=0.01).verdict()
        >>> verdict.swapped().p_left == verdict.p_right
        True
        """
        other = self.shape.mirror

        def turn(m: Mapping[str, float] | None) -> Any:
            return None if m is None else {r: m[other.get(r, r)] for r in m}

        return changed(
            self,
            probabilities=turn(self.probabilities),
            errors=turn(self.errors),
            expected=turn(self.expected),
            location=turn(self.location),
            names=(self.names[1], self.names[0]),
            rope=self.rope.swapped(),
            mean_interval=tuple(map(turned, self.mean_interval)),
            spread=partial(_swapped, self),
        )

    def to_dict(self) -> Json:
        """Everything as plain numbers and strings, for JSON.

        Examples
        --------
        >>> import bayescmp as bc
        >>> x = bc.Differences([0.01, 0.03, 0.02, -0.01], rho=0.1, names=("knn", "gbm"))
        >>> verdict = bc.bayesian.correlated_t(x, rope=0.01).verdict()
        >>> verdict.to_dict()["decision"]
        'undecided'
        """
        pairs = [
            {
                "over": o.over,
                "under": o.under,
                "value": None if math.isnan(o.value) else o.value,
                "bound": o.bound,
                "grade": o.grade,
            }
            for o in self.odds.values()
        ]
        several = {"metrics": list(self.metrics)} if self.metrics else {}
        return {
            "names": list(self.names),
            "metric": self.metric,
            **several,
            "directions": [d.to_dict() for d in self.directions],
            "resampling": self.resampling,
            "left_out": self.left_out.to_dict() if self.left_out else None,
            "method": self.method,
            "rope": self.rope.ends,
            "threshold": self.threshold,
            "target": self.target,
            "quantity": self.decides,
            "probabilities": dict(self.probabilities),
            "errors": dict(self.errors),
            "exact": self.exact,
            "decision": self.decision,
            "cause": self.cause,
            "evidence": self.evidence,
            "odds": pairs,
            "prior": self.prior,
            "predictive": dict(self.expected) if self.expected else None,
            "mean": dict(self.location) if self.location else None,
            "mean_interval": [list(i) for i in self.mean_interval],
            "spread": [s.to_dict() for s in self.spread],
            "known": self.known.to_dict() if self.known else None,
        }

    def columns(self) -> dict[str, dict[str, str]]:
        """The probabilities as text: title of a column, then region to text.

        The first column decides; "predictive" and "mean" follow where they are known.

        Examples
        --------
        >>> import bayescmp as bc
        >>> x = [0.02, 0.035, 0.01, 0.04, 0.025, 0.03, 0.015, 0.02, 0.05, 0.03]
        >>> bc.bayesian.correlated_t(x, rho=0.1, rope=0.01).verdict().columns()
        {'mean difference': {'left': '<0.001', 'rope': '0.006', 'right': '0.994'}}
        """
        regions = self.possible
        columns = {
            self.decides: {r: probability(self.probabilities[r], self.floor) for r in regions}
        }
        for title, part in (("predictive", self.expected), ("mean", self.location)):
            if part is not None:
                columns[title] = {r: probability(part[r]) for r in regions}
        return columns

    def __str__(self) -> str:
        return shown.text(self)

    def _repr_html_(self) -> str:
        return shown.page(self)

    def explain(self) -> str:
        """Plain sentences for a paper.

        Returns
        -------
        str
            The most probable outcome, the predictive probabilities, the mean difference, how far
            data sets differ, the decision and, where there is none, why; with rope, threshold,
            method and prior. For a test of one data set, the single quantity that it has.

        Examples
        --------
        >>> import bayescmp as bc
        >>> x = [0.02, 0.035, 0.01, 0.04, 0.025, 0.03, 0.015, 0.02, 0.05, 0.03]
        >>> text = bc.bayesian.correlated_t(x, rho=0.1, rope=0.01).verdict().explain()
        >>> text.split(". ")[3]
        'Decision at the threshold of 0.95: second is practically better on this data set'
        """
        return " ".join(words.sentences(self))


def _swapped(verdict: Verdict) -> tuple[Spread, ...]:
    return tuple(s.swapped() for s in verdict.spread)
