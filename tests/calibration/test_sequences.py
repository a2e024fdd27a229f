"""A confidence sequence holds at every look: the true mean hardly ever leaves it.

Each study is looked at after each of its 1,000 items. By the capital against the true mean, which
is what the intervals are made of; of some studies by the intervals themselves.
"""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.frequentist import confidence_sequence
from bayescmp.frequentist.sequences import capital, plug_in_bets

STUDIES, ITEMS, ALPHA = 2000, 1000, 0.05

pytestmark = pytest.mark.calibration


def answers(lost: float, won: float):
    """Right and wrong answers: shares of items that the first, and the second alone gets right."""
    p = [lost, 1 - lost - won, won]
    return lambda rng: rng.choice([-1.0, 0.0, 1.0], p=p, size=ITEMS), won - lost


#: How items differ, and their mean difference.
KINDS = {
    "answers, no difference": answers(0.175, 0.175),
    "answers, a difference of 0.07": answers(0.14, 0.21),
    "answers, few differences": answers(0.01, 0.03),
    "graded, uniform": (lambda rng: rng.uniform(-1, 1, ITEMS), 0.0),
    "graded, skewed": (lambda rng: 2 * rng.beta(0.2, 1.8, ITEMS) - 1, -0.8),
}


def ever_left(x: np.ndarray, mean: float) -> bool:
    """Whether capital against the mean ever reached what rules it out."""
    y, m = (x + 1) / 2, (mean + 1) / 2
    sides = ((y, m), (1 - y, 1 - m))
    asked = np.log(2 / ALPHA)
    return any(
        bool((capital(side, plug_in_bets(side, ALPHA), at) > asked).any()) for side, at in sides
    )


@pytest.mark.parametrize("kind", KINDS)
def test_the_mean_stays_in_the_sequence(kind, evidence):
    draw, mean = KINDS[kind]
    left, once = np.zeros(STUDIES, bool), np.zeros(STUDIES, bool)
    widths = []
    for s in range(STUDIES):
        x = draw(np.random.default_rng([s, len(kind)]))
        left[s] = ever_left(x, mean)
        n = np.arange(1, ITEMS + 1)
        means = np.cumsum(x) / n
        spread = np.sqrt(np.maximum(np.cumsum(x**2) / n - means**2, 0) / n)
        outside = np.abs(means - mean)[29:] > 1.96 * spread[29:]
        once[s] = outside.any()
        if s < 50:
            sequence = confidence_sequence(x, alpha=ALPHA)
            at = sequence.left_at(mean)
            assert (at is not None) <= left[s]
            widths.append(np.ptp(sequence.interval))
    evidence(
        "sequences_coverage",
        items=kind,
        studies=STUDIES,
        looks=ITEMS,
        left=left.mean(),
        left_of_normal=once.mean(),
        width=np.mean(widths),
    )
    print(f"\n{kind}: left {left.mean():.4f}, normal intervals {once.mean():.4f}")
    assert left.mean() <= ALPHA
    assert once.mean() > 3 * ALPHA  # what the sequence is for
