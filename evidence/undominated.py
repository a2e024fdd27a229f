"""Does P(undominated) come true as often as it says?

``python evidence/undominated.py 1000 > undominated.csv``: studies of five algorithms with a score
and a cost on 8 and 30 data sets. Their true means have a standard deviation of 0.02 in both, on
each data set they differ from these with 0.01, ten folds have noise of 0.03 and correlation 0.1,
and all of it correlates by 0.5 between score and cost: what is better costs more. The ropes are
0.01.

A row counts the claims on average over data sets between two probabilities: their mean, the share
of them that was right of the true means, and its standard error by studies.
"""

from __future__ import annotations

import sys

import measured
import numpy as np
import pandas as pd

import bayescmp as bc
from bayescmp.bayesian.groups.base import dominance
from bayescmp.scores.rope import Rope, Ropes

L, FOLDS, RHO, ROPE = 5, 10, 0.1, 0.01
MIXED = np.linalg.cholesky([[1, 0.5], [0.5, 1]]).T
BINS = ((0.0, 0.05), (0.05, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 0.8), (0.8, 0.95), (0.95, 1.0))


def study(q: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """What is claimed of each algorithm, and whether it is so."""
    rng = np.random.default_rng([seed, q])
    true = 0.02 * rng.normal(size=(L, 2)) @ MIXED
    here = true + 0.01 * rng.normal(size=(q, L, 2)) @ MIXED
    shared, own = rng.normal(size=(q, L, 1, 2)), rng.normal(size=(q, L, FOLDS, 2))
    x = here[:, :, None] + 0.03 * (np.sqrt(RHO) * shared + np.sqrt(1 - RHO) * own) @ MIXED
    d, a, j = (place.ravel() for place in np.indices((q, L, FOLDS)))
    table = pd.DataFrame({"dataset": d, "algorithm": a, "fold": j + 1})
    table[["reward", "cost"]] = x.reshape(-1, 2)
    scores = bc.Scores(table, resampling=f"{FOLDS}-fold")
    result = bc.undominated(scores, ["reward", "cost"], ROPE, draws=1000, seed=seed)
    _, losses = dominance(true[None] * [1, -1], Ropes([Rope(-ROPE, ROPE)] * 2))
    return result.shares["average"].mean(axis=0), losses[0] == 0


def rows(q: int, studies: int) -> list[str]:
    """A line for each bin."""
    claimed, right = np.array([study(q, seed) for seed in range(studies)]).transpose(1, 0, 2)
    lines = []
    for low, high in BINS:
        inside = (claimed >= low) & ((claimed < high) | (high == 1))
        n = int(inside.sum())
        if n:
            p, share = claimed[inside].mean(), right[inside].mean()
            off = ((right - share) * inside).sum(axis=1)
            error = np.sqrt((off**2).sum()) / n
            lines.append(f"{q},{studies},{low},{high},{n},{p:.3f},{share:.3f},{error:.3f}")
    return lines


if __name__ == "__main__":
    sys.stdout.write(measured.head() + "datasets,studies,low,high,claims,claimed,right,se\n")
    for size in (8, 30):
        sys.stdout.write("\n".join(rows(size, int(sys.argv[1]))) + "\n")
