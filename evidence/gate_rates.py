"""How often a gate passes a candidate that is worse by exactly the margin, and how often it fails.

``python evidence/gate_rates.py 2000 > gate_rates.csv``: studies of items, and of data sets. Items:
questions, of which the baseline alone answers some and the candidate alone fewer; their difference
is the margin, 0.02. Data sets: true differences are normal around -0.01, the margin, with sd 0.01;
ten folds on each with sd 0.02 and correlation 0.1. A rate of 0.05 has a standard error of 0.0049
from 2,000 studies. A sequential gate looks after every question. Beside the gate what people use
today: whether the observed difference is within the margin, and the one-sided test of the same
numbers.
"""

from __future__ import annotations

import sys
from functools import cache

import measured
import numpy as np
import pandas as pd
from scipy import stats

import bayescmp as bc

STUDIES = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
THRESHOLD = 0.95
Rng = np.random.Generator


@cache
def judge_counts(lost: int, gained: int, n: int, margin: float) -> str:
    """What the gate says of n questions, of which so many were lost and gained."""
    first = np.r_[np.ones(lost), np.zeros(gained), np.ones(n - lost - gained)]
    second = np.r_[np.zeros(lost), np.ones(gained), np.ones(n - lost - gained)]
    table = pd.DataFrame(
        {
            "model": ["old"] * n + ["new"] * n,
            "item": [*range(n)] * 2,
            "benchmark": "b",
            "correct": np.r_[first, second],
        }
    )
    return bc.gate(bc.Items(table), "old", "new", margin=margin, threshold=THRESHOLD).outcome


def of_items(rng: Rng, n: int, margin: float = 0.02, discordant: float = 0.14) -> list[str]:
    """The gate, the observed difference, and a one-sided z test, on questions at the margin."""
    p = [(discordant + margin) / 2, (discordant - margin) / 2, 1 - discordant]
    lost, gained, _ = (int(k) for k in rng.multinomial(n, p))
    d = (gained - lost) / n
    error = np.sqrt(max((lost + gained) / n - d * d, 1e-12) / n)
    z = stats.norm.cdf((d + margin) / error)
    every = rng.permutation(np.repeat([-1.0, 1.0, 0.0], [lost, gained, n - lost - gained]))
    pair = bc.Differences([every], rho=0.0, names=("old", "new"))
    looked = bc.gate(
        pair, margin=margin, threshold=THRESHOLD, sequential=True, bounds=(-1, 1)
    ).outcome
    return [judge_counts(lost, gained, n, margin), looked, plain(d >= -margin), tested(z)]


def of_datasets(rng: Rng, q: int, margin: float = 0.01) -> list[str]:
    """The gate on the mean and on the next data set, the observed difference, the t test."""
    level = rng.normal(-margin, 0.01, (q, 1))
    shared = rng.normal(size=(q, 1))
    x = level + 0.02 * (np.sqrt(0.1) * shared + np.sqrt(0.9) * rng.normal(size=(q, 10)))
    pair = bc.Differences(x, rho=0.1, names=("old", "new"))
    posterior = bc.bayesian.hierarchical_t(pair, rope=(-margin, np.inf), engine="quadrature")
    verdict = posterior.verdict()
    assert verdict.location is not None
    assert verdict.expected is not None
    means = x.mean(axis=1)
    t = stats.ttest_1samp(means, -margin, alternative="greater").pvalue
    gates = [tested(part["rope"]) for part in (verdict.location, verdict.expected)]
    return [*gates, plain(means.mean() >= -margin), tested(1 - t)]


def tested(p: float) -> str:
    """What a probability of not being worse decides."""
    return "pass" if p >= THRESHOLD else "fail" if 1 - p >= THRESHOLD else "undecided"


def plain(better: bool) -> str:
    """What somebody decides who looks at the difference alone."""
    return "pass" if better else "fail"


def main() -> None:
    """Print the table."""
    rows = []
    studies = [("items", n, of_items) for n in (100, 400, 1000)]
    studies += [("data sets", q, of_datasets) for q in (5, 10, 30)]
    ways = {
        of_items: ("gate", "gate, sequential", "observed difference", "one-sided z test"),
        of_datasets: ("gate, mean", "gate, next", "observed difference", "one-sided t test"),
    }
    for unit, size, study in studies:
        rng = np.random.default_rng(size)
        outcomes = np.array([study(rng, size) for _ in range(STUDIES)])
        for way, found in zip(ways[study], outcomes.T, strict=True):
            shares = [float(np.mean(found == o)) for o in ("pass", "fail", "undecided")]
            rows.append([unit, size, way, STUDIES, *shares])
    columns = ["unit", "n", "rule", "studies", "pass", "fail", "undecided"]
    sys.stdout.write(measured.head() + pd.DataFrame(rows, columns=columns).to_csv(index=False))


if __name__ == "__main__":
    main()
