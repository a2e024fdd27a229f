"""What will the one that is chosen really score, and how many ranks may each algorithm have?

``python evidence/chosen.py studies.jsonl bootstrap:5x8:0.01:1000 joint_t:20x54:0.01:30`` simulates
1,000 studies of 5 algorithms on 8 data sets for the one, 30 of 20 on 54 for the other, as
`joint_best.py` does. Each study's numbers are added to the file, and those that it has already are
not computed again.

The algorithm with the best observed mean is chosen. Columns in thousandths: ``gap``, by how much
its observed mean is over its true score (on average over data sets, whose difficulty is that of
those at hand), and ``left``, by how much the expected score is, with standard errors. Then how
often the 95 % intervals hold its score, on average and on the next data set. Then the share of
studies in which the intervals of all algorithms' ranks hold at once, and their mean length in
ranks: central 95 % of each algorithm's posterior ranks, 95 % of all at once, and those of Al
Mohamad et al. 2019 by Tukey's test of the same means.

As in `joint_best.py`, truths are those that could have led to a study's scores, by Gibbs sampling.
"""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path

import measured
import numpy as np
from joint_best import FOLDS, NOISE, RHO, ROPE, effects, model_draws, true_averages
from scipy import stats

from bayescmp.bayesian import bootstrap
from bayescmp.bayesian.joint.clouds import choose, rank_intervals
from bayescmp.engines import SamplerSettings

CHAIN = SamplerSettings(chains=1, warmup=200, draws=400, adapt_delta=0.9)
COLUMNS = [
    *("gap", "left", "average_holds", "next_holds"),
    *("each_holds", "each_length", "all_holds", "all_length", "tukey_holds", "tukey_length"),
]


def simulate(method: str, L: int, q: int, apart: float, seed: int) -> list[float]:
    """One study's numbers, in the order of `COLUMNS`."""
    rng = np.random.default_rng([seed, L, q])
    mu = apart * rng.normal(size=L)
    shared, own = rng.normal(size=(q, 1, L)), rng.normal(size=(q, FOLDS, L))
    x = effects(mu, q, rng)[:, None] + NOISE * (np.sqrt(RHO) * shared + np.sqrt(1 - RHO) * own)
    means = x.mean(axis=1)
    truths = true_averages(means, apart, np.random.default_rng([seed, L, q, 1]))
    after = effects(truths, len(truths), rng)
    if method == "bootstrap":
        posterior = bootstrap(x, rho=RHO, rope=ROPE, draws=1000, seed=seed)
        averages, following, weights = (
            posterior.averages,
            posterior._draw_next(),
            posterior.weights,
        )
    else:
        averages, points = model_draws(x, RHO, seed, CHAIN)
        following, weights = points[:, 0], None
    k, observed, average, then = choose(means, averages, following, weights)
    true, later = (means.mean() + u[:, k] - u.mean(axis=1) for u in (truths, after))
    numbers = [observed - true.mean(), average.mean() - true.mean()]
    numbers += [held(true, average), held(later, then)]
    ranks = 1 + (-averages).argsort(axis=1).argsort(axis=1)
    each = np.quantile(ranks, [0.025, 0.975], axis=0, method="inverted_cdf")
    for intervals in (each, rank_intervals(averages), tukey(means)):
        numbers += rank_shares(truths, *intervals)
    return [float(x) for x in numbers]


def held(truths: np.ndarray, draws: np.ndarray) -> float:
    """Share of the truths that the central 95 % of the draws hold."""
    low, high = np.quantile(draws, [0.025, 0.975])
    return float(((truths >= low) & (truths <= high)).mean())


def rank_shares(truths: np.ndarray, low: np.ndarray, high: np.ndarray) -> list[float]:
    """How often all true ranks are in their intervals at once, and the mean number of ranks."""
    ranks = 1 + (-truths).argsort(axis=1).argsort(axis=1)
    return [float(((ranks >= low) & (ranks <= high)).all(axis=1).mean()), (high - low + 1).mean()]


def tukey(means: np.ndarray, alpha: float = 0.05) -> tuple[np.ndarray, np.ndarray]:
    """Intervals of ranks by Tukey's test of all pairs, data sets being blocks of mean scores.

    As many algorithms as are significantly better stand before an algorithm, and as many as are
    significantly worse behind it: all these intervals hold at once with probability 1 - alpha.

    References
    ----------
    Al Mohamad, Goeman & van Zwet (2019), Simultaneous confidence intervals for ranks with
    application to ranking institutions, arXiv:1812.05507; ICRanks on CRAN, method "Tukey".
    """
    q, L = means.shape
    rest = means - means.mean(axis=0) - means.mean(axis=1, keepdims=True) + means.mean()
    df = (L - 1) * (q - 1)
    least = critical(L, df, alpha) * np.sqrt((rest**2).sum() / df / q)
    average = means.mean(axis=0)
    better = average[None] - average[:, None] > least  # the column's than the row's
    return 1 + better.sum(axis=1), L - better.sum(axis=0)


@cache
def critical(L: int, df: int, alpha: float) -> float:
    """The studentised range that Tukey's test asks for."""
    return float(stats.studentized_range.isf(alpha, L, df))


def studies(path: Path, design: str) -> np.ndarray:
    """Numbers of every study of a design, such as "joint_t:5x8:0.02:2000", kept in the file."""
    method, size, apart, count = design.split(":")
    L, q = map(int, size.split("x"))
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    kept = {tuple(key): numbers for *key, numbers in map(json.loads, lines)}
    with path.open("a", encoding="utf-8") as file:
        for seed in range(int(count)):
            key = (method, size, apart, seed)
            if key not in kept:
                kept[key] = simulate(method, L, q, float(apart), seed)
                file.write(json.dumps([*key, kept[key]]) + "\n")
                file.flush()
    return np.array([kept[method, size, apart, seed] for seed in range(int(count))])


def row(design: str, numbers: np.ndarray) -> str:
    """A line of the table: thousandths, shares and lengths with their standard errors."""
    method, size, apart, count = design.split(":")
    scale = np.array([1000, 1000, *[1] * (len(COLUMNS) - 2)])
    mean = numbers.mean(axis=0) * scale
    error = numbers.std(axis=0, ddof=1) / np.sqrt(len(numbers)) * scale
    cells = [f"{v:.3f}" for both in zip(mean, error, strict=True) for v in both]
    return ",".join([method, *size.split("x"), apart, count, *cells])


if __name__ == "__main__":
    heads = ",".join(f"{name},{name}_se" for name in COLUMNS)
    sys.stdout.write(f"{measured.head()}method,algorithms,datasets,apart,studies,{heads}\n")
    for given in sys.argv[2:]:
        sys.stdout.write(row(given, studies(Path(sys.argv[1]), given)) + "\n")
        sys.stdout.flush()
