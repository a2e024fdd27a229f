"""How often `diagnostics.misfit` speaks up: of sound data, and of three kinds that are not.

``python evidence/model_checks.py 250 100 > model_checks.csv``: so many sound tables of each
size, and so many of each other kind.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import measured
import numpy as np

from bayescmp import Differences
from bayescmp.bayesian import hierarchical_t
from bayescmp.study.planning.deciding import TrueDifferences

RHO, NOISE = 0.1, 0.03
SOUND, OTHERS = map(int, sys.argv[1:]) if len(sys.argv) > 2 else (250, 100)
CHECKS = ("tails", "far from", "clusters")


def sound(q: int, n: int, seed: int) -> Differences:
    """Of the model: t with ten degrees of freedom between data sets, normal folds."""
    return TrueDifferences(0.005, 0.02, 10.0, NOISE, RHO, n).simulate(q, [seed])


def heavy_folds(q: int, n: int, seed: int) -> Differences:
    """Folds with t_2 noise."""
    rng = np.random.default_rng([seed, 9])
    centres, shared = 0.005 + 0.02 * rng.normal(size=(q, 1)), rng.normal(size=(q, 1))
    own = rng.standard_t(2, (q, n))
    return Differences(centres + NOISE * (np.sqrt(RHO) * shared + np.sqrt(1 - RHO) * own), rho=RHO)


def two_clusters(q: int, n: int, seed: int) -> Differences:
    """Every other data set 0.08 higher, with hardly any spread within either half."""
    x = np.array(TrueDifferences(0.0, 1e-3, 10.0, NOISE, RHO, n).simulate(q, [seed]).x)
    x[::2] += 0.08
    return Differences(x, rho=RHO)


def one_outlier(q: int, n: int, seed: int) -> Differences:
    """One data set 0.4 higher, twenty times the scale of the others."""
    x = np.array(TrueDifferences(0.005, 0.02, 100.0, NOISE, RHO, n).simulate(q, [seed]).x)
    x[0] += 0.4
    return Differences(x, rho=RHO)


def shares(simulate: Callable[[int, int, int], Differences], q: int, n: int, tables: int) -> str:
    """Shares of the tables in which each check, and any, speaks up."""
    seen = []
    for seed in range(tables):
        fit = hierarchical_t(simulate(q, n, seed), rope=0.01, engine="quadrature", seed=1)
        seen.append([any(c in text for text in fit.diagnostics.misfit) for c in CHECKS])
    of_each = np.array(seen)
    return ",".join(f"{v:.3f}" for v in (*of_each.mean(axis=0), of_each.any(axis=1).mean()))


if __name__ == "__main__":
    sys.stdout.write(measured.head() + "data,datasets,folds,tables,tails,outlier,clusters,any\n")
    for kind in (sound, heavy_folds, two_clusters, one_outlier):
        for q, n in ((10, 10), (20, 10), (54, 10), (54, 100)):
            tables = SOUND if kind is sound else OTHERS
            row = f"{kind.__name__},{q},{n},{tables},{shares(kind, q, n, tables)}\n"
            sys.stdout.write(row)
            sys.stdout.flush()
