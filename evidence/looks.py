"""Wrong decisions of a verdict that is read more than once, and of a confidence sequence.

``python evidence/looks.py 2000 > evidence/looks.csv``. Two models answer 1,000 questions; each
study is looked at so many times, at equal distances, and stops at the first decision. Without a
rope the two are equally good, and any decision is wrong; with one their difference is at its end,
and to decide for the second is wrong. A share's standard error is at most 0.011 for 2,000 studies.
"""

from __future__ import annotations

import sys

import measured
import numpy as np
from scipy.special import betainc

from bayescmp.bayesian import paired_proportions
from bayescmp.frequentist.sequences import capital, plug_in_bets

STUDIES = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
ITEMS, LOOKS = 1000, (1, 2, 5, 10, 20, 100)
#: Half-width of the rope, and on how many questions the models disagree.
ROPE, DISAGREE = 0.02, 0.35
ALPHA = 0.05


def answers(rng: np.random.Generator, difference: float) -> np.ndarray:
    """Differences of the questions, of this mean."""
    lost, won = (DISAGREE - difference) / 2, (DISAGREE + difference) / 2
    return rng.choice([-1.0, 0.0, 1.0], p=[lost, 1 - DISAGREE, won], size=ITEMS)


def chances(x: np.ndarray, at: np.ndarray) -> np.ndarray:
    """P(second better) after so many questions, without a rope: a Beta distribution's."""
    won, lost = np.cumsum(x > 0)[at - 1], np.cumsum(x < 0)[at - 1]
    return np.asarray(betainc(lost + 0.5, won + 0.5, 0.5))


def beyond_rope(x: np.ndarray, at: np.ndarray) -> np.ndarray:
    """P(second practically better) after so many questions."""
    p = []
    for n in at:
        lost, won = int((x[:n] < 0).sum()), int((x[:n] > 0).sum())
        posterior = paired_proportions([[n - lost - won, lost], [won, 0]], rope=ROPE)
        p.append(posterior.tail(ROPE, upper=True)[0])
    return np.array(p)


def ruled_out(x: np.ndarray, mean: float, *, both: bool) -> np.ndarray:
    """Whether a confidence sequence has ruled the mean out, after each question."""
    y, m = (x + 1) / 2, (mean + 1) / 2
    sides = [(y, m), (1 - y, 1 - m)] if both else [(y, m)]
    capitals = [capital(side, plug_in_bets(side, ALPHA), at) for side, at in sides]
    return np.asarray(np.max(capitals, axis=0) > np.log(2 / ALPHA))


def main() -> None:
    """Print the table."""
    sys.stdout.write(measured.head() + "rope,rule,looks,wrong\n")
    wrong: dict[tuple[float, str, int], int] = {}
    every = np.unique(np.concatenate([ITEMS * np.arange(1, k + 1) // k for k in LOOKS]))
    for study in range(STUDIES):
        rng = np.random.default_rng([study, 6])
        equal, edge = answers(rng, 0.0), answers(rng, ROPE)
        p, q = chances(equal, every), beyond_rope(edge, every)
        decided = {
            (0.0, "verdict at 0.95"): np.maximum(p, 1 - p) >= 0.95,
            (0.0, "verdict at 0.99"): np.maximum(p, 1 - p) >= 0.99,
            (0.0, "confidence sequence"): ruled_out(equal, 0.0, both=True)[every - 1],
            (ROPE, "verdict at 0.95"): q >= 0.95,
            (ROPE, "verdict at 0.99"): q >= 0.99,
            (ROPE, "confidence sequence"): ruled_out(edge, ROPE, both=False)[every - 1],
        }
        for (rope, rule), at in decided.items():
            for k in LOOKS:
                seen = at[np.isin(every, ITEMS * np.arange(1, k + 1) // k)]
                key = (rope, rule, k)
                wrong[key] = wrong.get(key, 0) + bool(seen.any())
    for (rope, rule, k), times in wrong.items():
        sys.stdout.write(f"{rope:g},{rule},{k},{times / STUDIES:.4f}\n")


if __name__ == "__main__":
    main()
