"""Which test predicts data sets that it has not seen? Held-out scores of three, in ten splits.

``python joint_heldout.py FOLDER pairwise bootstrap > joint_heldout.csv``; joint_t may be named,
too. FOLDER has the tables of reference scores. A random half of the data sets is fitted; on each
of the others every pair's mean difference is predicted: a draw of the next true difference, with
the noise of that data set's own folds (correlated t) on it. A row is a split: the mean log score
over pairs and data sets (higher is better) and the mean CRPS x 1000 (lower is better).
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path

import measured
import numpy as np
import pandas as pd
from joint_best import model_draws
from scipy import stats

from bayescmp import DiagnosticWarning
from bayescmp.bayesian import bootstrap, hierarchical_t
from bayescmp.bayesian.joint.standings import StandingsPosterior
from bayescmp.engines import SamplerSettings

ROPE, DRAWS, SPLITS = 0.01, 8000, 10
#: Next data sets of each draw of the parameters, of which two chains have as many as are needed.
EACH = 4
CHAINS = SamplerSettings(chains=2, warmup=400, draws=DRAWS // EACH // 2, adapt_delta=0.9)
#: File, columns of the data set and the score, and the correlation of two folds.
TABLES: dict[str, tuple[str | Path, str, str, float]] = {
    "uci54": ("accuracy_10x10cv_uci54.csv", "dataset_id", "accuracy", 0.1),
    "scmamp": ("auc_10x10cv_scmamp_kcv_example.csv", "dataset", "auc", 0.1),
    "sklearn": (measured.ROOT / "examples/data/scores.csv", "dataset", "accuracy", 0.1),
    "rnpbst29": ("accuracy_10cv_rnpbst29.csv", "dataset", "accuracy", 0.1),
}
Draws = dict[tuple[int, int], np.ndarray]


def scores(folder: Path, name: str) -> tuple[np.ndarray, float]:
    """Scores (q, n, L) of the data sets on which every algorithm was run, and rho."""
    file, dataset, value, rho = TABLES[name]
    frame = pd.read_csv(folder / file)
    frame["at"] = frame.get("repeat", 0) * 100 + frame["fold"]
    wide = frame.pivot(index=[dataset, "at"], columns="algorithm", values=value)
    q = frame[dataset].nunique()
    x = wide.to_numpy().reshape(q, -1, wide.shape[1])
    return x[~np.isnan(x).any(axis=(1, 2))], rho


def of_several(posterior: StandingsPosterior, seed: int) -> Draws:
    """Draws of every pair's next difference, from points with weights."""
    rng = np.random.default_rng(seed)
    points = []
    for cloud in posterior.clouds():
        u = np.broadcast_to(cloud.u, (*cloud.w.shape, cloud.u.shape[-1]))
        at = (cloud.w.cumsum(axis=1) < rng.random((len(cloud.w), 1))).sum(axis=1)
        points.append(u[np.arange(len(u)), np.minimum(at, u.shape[1] - 1)])
    u = np.concatenate(points)
    u = u[rng.permutation(len(u))[:DRAWS]]
    return {(a, b): u[:, b] - u[:, a] for a, b in combinations(range(u.shape[1]), 2)}


def by_bootstrap(x: np.ndarray, rho: float, seed: int) -> Draws:
    """The Bayesian bootstrap over data sets."""
    return of_several(bootstrap(x, rho=rho, rope=ROPE, draws=DRAWS, seed=seed), seed)


def by_joint(x: np.ndarray, rho: float, seed: int) -> Draws:
    """One hierarchical model, by two short chains."""
    _, following = model_draws(x, rho, seed, CHAINS)
    u = following[:, :EACH].reshape(-1, x.shape[2])
    return {(a, b): u[:, b] - u[:, a] for a, b in combinations(range(u.shape[1]), 2)}


def by_pairs(x: np.ndarray, rho: float, seed: int) -> Draws:
    """The hierarchical test of each pair by itself."""
    rng, draws = np.random.default_rng(seed), {}
    for a, b in combinations(range(x.shape[2]), 2):
        d = x[:, :, b] - x[:, :, a]
        fit = hierarchical_t(d, rho=rho, rope=ROPE, engine="quadrature", seed=seed).upper_draws
        at = rng.integers(fit["nu"].size, size=DRAWS)
        delta0, sigma0, nu = (fit[k].ravel()[at] for k in ("delta0", "sigma0", "nu"))
        draws[a, b] = delta0 + sigma0 * rng.standard_t(nu)
    return draws


METHODS: dict[str, Callable[[np.ndarray, float, int], Draws]] = {
    "pairwise": by_pairs,
    "bootstrap": by_bootstrap,
    "joint_t": by_joint,
}


def scored(draws: Draws, held: np.ndarray, rho: float, seed: int) -> tuple[float, float]:
    """Mean log score, and mean CRPS x 1000, over pairs and held-out data sets."""
    rng, logs, crps = np.random.default_rng(seed), [], []
    for (a, b), next_one in draws.items():
        d = held[:, :, b] - held[:, :, a]
        n = d.shape[1]
        noise = np.sqrt((1 / n + rho / (1 - rho)) * d.var(axis=1, ddof=1))
        for mean, scale in zip(d.mean(axis=1), np.maximum(noise, 1e-4), strict=True):
            density = stats.t(n - 1).pdf((mean - next_one) / scale) / scale
            logs.append(np.log(density.mean()))
            drawn = np.sort(next_one + scale * rng.standard_t(n - 1, len(next_one)))
            ranks = 2 * np.arange(1, len(drawn) + 1) - len(drawn) - 1
            apart = 2 * (ranks * drawn).sum() / len(drawn) ** 2
            crps.append(np.abs(drawn - mean).mean() - apart / 2)
    return float(np.mean(logs)), 1000 * float(np.mean(crps))


def splits(x: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Random halves of the data sets."""
    for split in range(SPLITS):
        order = np.random.default_rng([split, len(x)]).permutation(len(x))
        yield x[order[: len(x) // 2]], x[order[len(x) // 2 :]]


if __name__ == "__main__":
    warnings.simplefilter("ignore", DiagnosticWarning)  # constant rows, short chains
    sys.stdout.write(measured.head() + "table,method,split,log_score,crps\n")
    for method in sys.argv[2:]:
        for name in TABLES:
            x, rho = scores(Path(sys.argv[1]), name)
            for split, (seen, held) in enumerate(splits(x)):
                score = scored(METHODS[method](seen, rho, split), held, rho, split)
                sys.stdout.write(f"{name},{method},{split},{score[0]:.4f},{score[1]:.3f}\n")
                sys.stdout.flush()
