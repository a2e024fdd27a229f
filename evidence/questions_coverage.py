"""How often intervals of five models' pairs hold, on one benchmark: two tests of all of them.

``python evidence/questions_coverage.py 300 > questions_coverage.csv``.
"""

from __future__ import annotations

import sys

import measured
import numpy as np
from scipy.stats import norm

from bayescmp.bayesian import groups, question_bootstrap

MODELS = 5
NAMES = [f"M{i + 1}" for i in range(MODELS)]
#: Accuracies of the models, of answers that correlate by one half.
KINDS = {"apart": [0.5, 0.6, 0.7, 0.85, 0.96], "alike": [0.8] * MODELS}


def answers(rng: np.random.Generator, n: int, accuracy: list[float]) -> np.ndarray:
    """Right and wrong answers to n questions, (n, models)."""
    latent = (rng.normal(size=(n, 1)) + rng.normal(size=(n, MODELS))) / np.sqrt(2)
    return (latent < norm.ppf(accuracy)).astype(float)


def covered(rng: np.random.Generator, n: int, accuracy: list[float], seed: int) -> list[float]:
    """Share of the ten pairs whose 95 % interval holds the truth, by each test."""
    x = answers(rng, n, accuracy)
    truth = dict(zip(NAMES, accuracy, strict=True))
    shares = []
    for posterior in (
        question_bootstrap(x, rope=0.02, names=NAMES, draws=1000, seed=seed),
        groups(x.T, rho=0.0, rope=0.02, names=NAMES),
    ):
        held = []
        for (a, b), verdict in posterior.verdicts().items():
            low, high = verdict.mean_interval[0]
            held.append(low <= truth[b] - truth[a] <= high)
        shares.append(float(np.mean(held)))
    return shares


def main() -> None:
    """Simulate, and print the table."""
    rng, studies = np.random.default_rng(1), int(sys.argv[1])
    sys.stdout.write(measured.head() + "questions,models,question_bootstrap,groups\n")
    for n in (20, 50, 100):
        for kind, accuracy in KINDS.items():
            runs = [covered(rng, n, accuracy, seed) for seed in range(studies)]
            own, other = np.mean(runs, axis=0)
            sys.stdout.write(f"{n},{kind},{own:.3f},{other:.3f}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
