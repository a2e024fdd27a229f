"""One table of scores in every guise that people have it in, for the tests of hostile tables.

Scores are multiples of 1/1024, which every floating-point type holds exactly. What a comparison
should make of them is worked out here with NumPy and SciPy alone.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import pandas as pd
from scipy import stats

FOLDS, ROPE = 5, 0.02
KEYS = ["dataset", "algorithm", "fold"]
NAMES = {"dataset": ("iris", "wine", "glass"), "algorithm": ("knn", "svm", "gbm")}


def table() -> pd.DataFrame:
    """The table in its long form: 3 data sets, 3 algorithms, 5 folds."""
    rng = np.random.default_rng(11)
    rows = [
        {
            "dataset": d,
            "algorithm": a,
            "fold": f,
            "accuracy": (700 + 40 * i + int(rng.integers(-60, 61))) / 1024,
        }
        for d in NAMES["dataset"]
        for i, a in enumerate(NAMES["algorithm"])
        for f in range(FOLDS)
    ]
    return pd.DataFrame(rows)


@dataclass(frozen=True)
class Case:
    """A guise of the table, and what should come of it.

    Parameters
    ----------
    make : callable
        From the long table to what is handed in.
    options : dict
        Of `Scores`.
    pair : (str, str)
        The names under which knn and svm are known.
    rho : float or dict of str to float
        The correlation of folds that follows.
    change : callable
        From the scores of knn and of svm on a data set to the differences that are expected.
    datasets : dict of str to str
        The names of data sets that were renamed.
    rope : float
    """

    make: Callable[[pd.DataFrame], object]
    options: dict = field(default_factory=dict)
    pair: tuple[str, str] = ("knn", "svm")
    rho: object = 0.2
    change: Callable[[np.ndarray, np.ndarray], np.ndarray] = lambda a, b: b - a
    datasets: dict = field(default_factory=dict)
    rope: float = ROPE


def expected(case: Case) -> dict[str, np.ndarray]:
    """Differences by data set, by hand."""
    changed = {name: case.change(*both) for name, both in _scores().items()}
    return {case.datasets.get(name, name): x for name, x in changed.items() if len(x)}


@cache
def _scores() -> dict[str, list[np.ndarray]]:
    """Scores of knn and of svm by data set."""
    by_both = table().groupby(["dataset", "algorithm"])["accuracy"]
    return {
        d: [by_both.get_group((d, a)).to_numpy() for a in ("knn", "svm")] for d in NAMES["dataset"]
    }


def verdict(x: np.ndarray, rho: float, rope: float) -> list[float]:
    """P(left), P(rope), P(right) of Corani & Benavoli (2015), eq. (8), with SciPy's t."""
    n = len(x)
    scale = np.sqrt((1 / n + rho / (1 - rho)) * x.var(ddof=1))
    below, above = stats.t.cdf([-rope, rope], df=n - 1, loc=x.mean(), scale=scale)
    return [below, above - below, 1 - above]


def wide(t: pd.DataFrame, columns="algorithm", values="accuracy") -> pd.DataFrame:
    """A column an algorithm (or what is asked for), a row for each of the other labels."""
    rows = [c for c in ("dataset", "algorithm", "fold") if c not in np.ravel(columns)]
    return t.pivot(index=rows, columns=columns, values=values)


def through_csv(t: pd.DataFrame, **options: object) -> pd.DataFrame:
    """Written by pandas and read again."""
    return pd.read_csv(io.StringIO(t.to_csv(**options)))


def runs(t: pd.DataFrame) -> pd.DataFrame:
    """Random splits, a run each."""
    return t.rename(columns={"fold": "run"})


def without(t: pd.DataFrame, **where: object) -> pd.DataFrame:
    """The table without some rows."""
    return t[~_chosen(t, where)]


def emptied(t: pd.DataFrame, **where: object) -> pd.DataFrame:
    """The table without the scores of some rows."""
    return t.assign(accuracy=t["accuracy"].mask(_chosen(t, where)))


def _chosen(t: pd.DataFrame, where: dict) -> np.ndarray:
    return np.logical_and.reduce([t[k] == v for k, v in where.items()])
