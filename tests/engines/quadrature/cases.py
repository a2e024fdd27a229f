"""Reference cases as problems."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd

from bayescmp.engines.quadrature import GridPosterior, Problem, Settings, solve

FILE = Path(__file__).parents[2] / "reference" / "hierarchical_cases.json"
ROPE = 0.01
ALPHA_BETA = {"corani2017": ((0.5, 5.0), (0.05, 0.15)), "benavoli2017": ((1.0, 2.0), (0.01, 0.1))}
#: A slow run against which the default is measured.
SLOW = Settings(
    spacing=0.4,
    nu_nodes=24,
    refine=(8, 8),
    tolerance=1e-8,
    depth=22.0,
    edge_mass=1e-8,
    enlargements=16,
    fewer=False,
    checked=False,
)
SIMULATED = ("sim5", "sim54", "sim200", "q2", "zero8of20", "agree", "n5")


@lru_cache(maxsize=1)
def reference() -> dict:
    return json.loads(FILE.read_text(encoding="utf-8"))


def simulated(name: str) -> Problem:
    """A simulated case, prior corani2017."""
    case = reference()["simulated"][name]
    q = len(case["xbar"])
    return Problem(
        case["xbar"],
        case["ss"],
        np.full(q, case["n"]),
        np.full(q, case.get("rho", 0.1)),
        case["delta0_bound"],
        case["sigma0_upper"],
        case["sigma_upper"],
    )


@lru_cache(maxsize=24)
def solved(name: str, settings: Settings | None = None) -> GridPosterior:
    """A simulated case, solved once for all who ask about its answers."""
    return solve(simulated(name), settings=settings)


@lru_cache(maxsize=1)
def _accuracy(folder: Path) -> pd.DataFrame:
    table = pd.read_csv(folder / "accuracy_10x10cv_uci54.csv")
    return table.pivot_table(
        index="dataset_id", columns=["algorithm", "repeat", "fold"], values="accuracy"
    )


def uci(folder: Path, first: str, second: str, prior: str, alpha=None, beta=None) -> Problem:
    """Two classifiers on the 54 data sets, constant rows at the resolution h = 2 * rope."""
    table = _accuracy(folder)
    x = table[second].to_numpy() - table[first].to_numpy()
    q, n = x.shape
    xbar = x.mean(1)
    ss = ((x - xbar[:, None]) ** 2).sum(1)
    ss = np.where(np.ptp(x, axis=1) == 0, n * (2 * ROPE) ** 2 / 12, ss)
    alpha, beta = ALPHA_BETA.get(prior, (alpha, beta))
    return Problem(
        xbar,
        ss,
        np.full(q, n),
        np.full(q, 0.1),
        delta0_bound=np.abs(x).max() if prior == "benavoli2017" else 1.0,
        sigma0_upper=1000 * xbar.std(ddof=1),
        sigma_upper=1000 * np.sqrt(ss / (n - 1)).mean(),
        alpha_lower=alpha[0],
        alpha_upper=alpha[1],
        beta_lower=beta[0],
        beta_upper=beta[1],
    )
