"""What each test decides of one table of differences, and whether that is right."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from bayescmp.bayesian.hierarchical.grid import grid_probabilities
from bayescmp.bayesian.hierarchical.prior import HierarchicalPrior
from bayescmp.bayesian.hierarchical.problem import pose
from bayescmp.differences import Differences
from bayescmp.engines.quadrature import Settings
from bayescmp.frequentist.paired.equivalence import tost_means
from bayescmp.frequentist.signs.signed_rank import wilcoxon
from bayescmp.planning.truth import Truth
from bayescmp.verdict import THREE, Rope, Shape

__all__ = [
    "DECISIONS",
    "TESTS",
    "UNDECIDED",
    "Rule",
    "decide",
    "of_probabilities",
    "right_decisions",
]

DECISIONS = (*THREE.decisions.values(), "undecided")
UNDECIDED = "undecided"


@dataclass(frozen=True)
class Rule:
    """How decisions are made.

    Attributes
    ----------
    rope : Rope
        Region of practical equivalence.
    prior : HierarchicalPrior
        Of the hierarchical test.
    threshold : float
        Probability at which it decides.
    alpha : float
        Level of the frequentist tests.
    """

    rope: Rope
    prior: HierarchicalPrior
    threshold: float
    alpha: float


def of_probabilities(p: np.ndarray, threshold: float, shape: Shape = THREE) -> str:
    """The decision that the probabilities of the regions allow: left, rope and right, or four."""
    best = int(np.argmax(p))
    return shape.decisions[shape.regions[best]] if p[best] >= threshold else UNDECIDED


def _hierarchical(x: Differences, rule: Rule) -> str:
    p = grid_probabilities(pose(x, rule.prior, rule.rope), rule.rope, Settings.quick())
    return of_probabilities(p, rule.threshold)


def _wilcoxon(x: Differences, rule: Rule) -> str:
    """A side, where "no difference" is rejected."""
    means = x.statistics().mean
    if wilcoxon(means).pvalue >= rule.alpha:
        return UNDECIDED
    return "second" if np.median(means) > 0 else "first"


def _tost(x: Differences, rule: Rule) -> str:
    """Equivalence, where both "no less" and "no more than the rope" are rejected."""
    rejected = tost_means(x.statistics().mean, rope=rule.rope).pvalue < rule.alpha
    return "equivalent" if rejected else UNDECIDED


TESTS: Mapping[str, Callable[[Differences, Rule], str]] = {
    "hierarchical_t": _hierarchical,
    "wilcoxon": _wilcoxon,
    "tost_means": _tost,
}


def decide(x: Differences, rule: Rule) -> dict[str, str]:
    """Each test's decision; with no rope nothing tests equivalence."""
    tests = {k: f for k, f in TESTS.items() if k != "tost_means" or not rule.rope.empty}
    return {name: test(x, rule) for name, test in tests.items()}


def right_decisions(truth: Truth, rope: Rope) -> dict[str, tuple[str, ...]]:
    """Decisions that are not errors, test by test; being undecided never is one.

    The hierarchical test is about the next data set: the most probable outcome there is right.
    The others are about the centre δ0: a side is right where δ0 is on it, equivalence where δ0 is
    inside the rope.
    """
    side = "second" if truth.delta0 > 0 else "first"
    return {
        "hierarchical_t": truth.outcomes(rope),
        "wilcoxon": (side,) if truth.delta0 else (),
        "tost_means": ("equivalent",) if rope.low < truth.delta0 < rope.high else (),
    }
