"""What a plan's chances owe to its prior: the same studies planned under two of them.

``python evidence/plans_prior.py 300 > plans_prior.csv``: so many studies of ten means, of a truth
with a centre delta0 ~ N(0, 0.02) and a scale sigma0 ~ U(0.002, 0.015), where the plan's prior is
flat without a bound that matters. Each is planned (sign test, rope 0.01, twelve more, 200
simulations) under the plan's own prior and, with its draws weighted, under the truths' own.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import measured
import numpy as np
import pandas as pd

from bayescmp.bayesian import sign
from bayescmp.results.plan import UNDECIDED
from bayescmp.scores.rope import Rope
from bayescmp.study.planning.means import Population, decide_with

STUDIES = int(sys.argv[1]) if len(sys.argv) > 1 else 300
SEEN, MORE, ROPE, DRAWS, SIMULATIONS = 10, 12, Rope(-0.01, 0.01), 4000, 200
RANGES = ((0, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 0.95), (0.95, 1), (0, 1))


def study(seed: int) -> tuple[float, float, bool]:
    """The chance of a decision under either prior, and whether there was one."""
    rng = np.random.default_rng([21, seed])
    nu = 1 + rng.gamma(rng.uniform(0.5, 5)) / rng.uniform(0.05, 0.15)
    z = rng.normal(0, 0.02) + rng.uniform(0.002, 0.015) * rng.standard_t(nu, SEEN + MORE)
    posterior = sign(z[:SEEN], rope=ROPE, seed=1)
    truth = Population.from_means(posterior.z, ROPE, DRAWS, seed)
    matching = (truth.sigma0 > 0.002) & (truth.sigma0 < 0.015)
    told = []
    for weights in (np.ones(DRAWS), matching * np.exp(-0.5 * (truth.delta0 / 0.02) ** 2)):
        which = np.random.default_rng(seed).choice(DRAWS, SIMULATIONS, p=weights / weights.sum())
        drawn = replace(
            truth, delta0=truth.delta0[which], sigma0=truth.sigma0[which], nu=truth.nu[which]
        )
        made = decide_with(posterior, drawn.simulate_means(MORE, seed), 0.95)
        told.append(1 - made.count(UNDECIDED) / SIMULATIONS)
    return told[0], told[1], decide_with(posterior, z[None, SEEN:], 0.95) != [UNDECIDED]


def main() -> None:
    """Print the table, by the chance that was told."""
    told, matched, decided = np.array([study(seed) for seed in range(STUDIES)], dtype=float).T
    rows = []
    for low, high in RANGES:
        here = (told >= low) & ((told < high) | (high == 1))
        error = np.sqrt((matched[here] * (1 - matched[here])).sum() + 0.25) / here.sum()
        means = (part[here].mean() for part in (told, matched, decided))
        rows.append([low, high, here.sum(), *(round(v, 4) for v in (*means, error))])
    columns = ["low", "high", "studies", "told", "matching", "decided", "error"]
    sys.stdout.write(measured.head() + pd.DataFrame(rows, columns=columns).to_csv(index=False))


if __name__ == "__main__":
    main()
