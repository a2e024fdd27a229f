"""Do plans come true that are made from five or eight data sets?

``python evidence/plans_few.py 150 > plans_few.csv``: so many studies of each size. The truths
are those of `tests/calibration/test_plans.py`; ten more data sets of ten folds are planned for.
"""

from __future__ import annotations

import sys
import warnings

import measured
import numpy as np

from bayescmp.bayesian import hierarchical_t
from bayescmp.study.planning.deciding import TrueDifferences

STUDIES = int(sys.argv[1]) if len(sys.argv) > 1 else 150
SIZES, MORE, ROPE = (5, 8), 10, 0.01
RANGES = ((0, 0.4), (0.4, 0.8), (0.8, 1), (0, 1))


def study(q: int, seed: int) -> tuple[float, bool]:
    """The chance that a plan predicts from q data sets, and whether ten more decide."""
    rng = np.random.default_rng([q, seed, 77])
    truth = TrueDifferences(rng.normal(0, 0.02), rng.uniform(0.002, 0.015), 10.0, 0.02, 0.1, 10)
    seen, whole = (truth.simulate(n, [9, q, seed]) for n in (q, q + MORE))
    fit = hierarchical_t(seen, rope=ROPE, engine="quadrature", seed=1)
    plan = fit.plan(datasets=[MORE], simulations=40, seed=seed)
    later = hierarchical_t(whole, rope=ROPE, engine="quadrature", seed=1).verdict()
    return float(plan.frame["decided"].iloc[0]), later.decision != "undecided"


def main() -> None:
    """Print the table."""
    warnings.simplefilter("ignore")  # few data sets are what this is about
    sys.stdout.write(measured.head())
    sys.stdout.write("datasets,low,high,studies,predicted,decided,error\n")
    for q in SIZES:
        predicted, decided = np.array([study(q, seed) for seed in range(STUDIES)]).T
        for low, high in RANGES:
            here = (predicted >= low) & ((predicted < high) | (high == 1))
            p, n = predicted[here], here.sum()
            error = np.sqrt((p * (1 - p)).sum()) / n
            row = (q, low, high, n, *(f"{v:.3f}" for v in (p.mean(), decided[here].mean(), error)))
            sys.stdout.write(",".join(map(str, row)) + "\n")


if __name__ == "__main__":
    main()
