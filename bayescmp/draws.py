"""What draws of one quantity tell: summaries, and an estimate of its density."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from bayescmp import _arviz

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["kernel_density", "summarise", "summary_frame", "summary_row"]


def summarise(draws: np.ndarray) -> dict[str, float]:
    """Mean, sd, median and central 95 % interval of draws of shape (chain, draw)."""
    low, mid, high = np.quantile(draws, [0.025, 0.5, 0.975])
    return {
        "mean": float(draws.mean()),
        "sd": float(draws.std(ddof=1)),
        "median": float(mid),
        "2.5%": float(low),
        "97.5%": float(high),
    }


def summary_row(draws: np.ndarray) -> dict[str, float]:
    """Summary of a sampler's draws of shape (chain, draw), with effective sizes and r-hat."""
    return {
        **summarise(draws),
        "ess_bulk": _arviz.ess(draws, "bulk"),
        "ess_tail": _arviz.ess(draws, "tail"),
        "rhat": _arviz.rhat(draws),
    }


def summary_frame(rows: Mapping[str, Mapping[str, float]], measured: str) -> pd.DataFrame:
    """A table of summaries, one row a quantity, in a fraction of the time that pandas takes.

    Parameters
    ----------
    rows : mapping of str to mapping of str to float
        As `summarise` and `summary_row` make them; NaN where one lacks a number of the others.
    measured : str
        As for `bayescmp.metrics.headed`.
    """
    import pandas as pd

    columns = tuple(dict.fromkeys(name for row in rows.values() for name in row))
    values = np.array([[row.get(name, np.nan) for name in columns] for row in rows.values()])
    index, head = _labels(tuple(rows)).rename(None), _labels(columns).rename(measured or None)
    return pd.DataFrame(values, index=index, columns=head)


@lru_cache(maxsize=64)
def _labels(names: tuple[str, ...]) -> pd.Index:
    """An index, which every pair of algorithms needs again; one in use is a copy of it."""
    import pandas as pd

    return pd.Index(names)


def kernel_density(draws: np.ndarray, points: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian kernel estimate of a density from draws of any shape.

    Draws are counted in bins of a tenth of the kernel's width, so that its cost does not grow with
    their number. The tails beyond probability 0.0005 on each side are left out.

    Returns
    -------
    x, density : ndarray of shape (points,)

    References
    ----------
    Silverman (1986), Density Estimation for Statistics and Data Analysis, eq. (3.31), for the
    width.
    """
    flat = np.sort(draws.ravel())
    low, first, third, high = np.quantile(flat, [0.0005, 0.25, 0.75, 0.9995])
    spreads = (flat.std(ddof=1), (third - first) / 1.34)
    spread = min((s for s in spreads if s > 0), default=float(np.finfo(float).tiny))
    width = 0.9 * spread * len(flat) ** -0.2
    weights, edges = np.histogram(flat, bins=np.arange(flat[0], flat[-1] + width / 5, width / 10))
    middle = (edges[1:] + edges[:-1]) / 2
    x = np.linspace(low, high, points)
    kernel = np.exp(-0.5 * ((x[:, None] - middle) / width) ** 2)
    return x, kernel @ weights / (len(flat) * width * np.sqrt(2 * np.pi))
