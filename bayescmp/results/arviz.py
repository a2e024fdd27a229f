"""Summaries of draws, and the one place that knows ArviZ, 0.x or 1.x."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.special import softmax

if TYPE_CHECKING:
    import xarray
    from arviz import InferenceData


# The one place that knows ArviZ, whose 0.x has InferenceData and whose 1.x has DataTree.


#: Quantiles for the tails' ess (Vehtari et al. 2021); ArviZ 1.x would take others.
TAILS = (0.05, 0.95)


def _arviz() -> ModuleType:
    with warnings.catch_warnings():
        # 0.23 announces 1.0 on import; this module is what makes both work
        warnings.simplefilter("ignore")
        import arviz
    return arviz


def from_groups(
    groups: Mapping[str, Mapping[str, np.ndarray]],
    *,
    coords: Mapping[str, Sequence[str]],
    dims: Mapping[str, Sequence[str]],
    attrs: Mapping[str, str],
) -> InferenceData | xarray.DataTree:
    """Make an InferenceData (ArviZ 0.x) or a DataTree (1.x).

    `groups` maps a group ("posterior", "sample_stats", "constant_data") to its arrays by variable,
    of the first two (chain, draw, ...). `dims` has further dimensions; `attrs` are the posterior
    group's.
    """
    arviz = _arviz()
    kept = {name: dict(group) for name, group in groups.items() if group}
    options = {
        "coords": {k: list(v) for k, v in coords.items()},
        "dims": {k: list(v) for k, v in dims.items()},
    }
    if arviz.__version__.startswith("0."):
        log_prior = kept.pop("log_prior", None)  # from_dict has no place for it
        made = arviz.from_dict(**kept, **options)
        if log_prior is not None:
            made.add_groups(log_prior=arviz.dict_to_dataset(log_prior, **options))
    else:
        made = arviz.from_dict(kept, **options)
    made["posterior"].attrs.update(attrs)
    return made


# Whether chains have mixed, by arviz-stats, whose import takes a second.


def rhat(draws: np.ndarray) -> float:
    """Compute rank-normalised split r-hat of draws (chain, draw): of bulk or tails, the larger.

    It is NaN of a constant, and with fewer than two chains of four draws. Vehtari, Gelman,
    Simpson, Carpenter & Bürkner (2021), Bayesian Analysis 16:667-718.
    """
    from arviz_stats.base import array_stats

    with np.errstate(invalid="ignore"):
        return float(array_stats.rhat(draws))


def ess(draws: np.ndarray, method: str = "bulk") -> float:
    """Estimate the "bulk", "tail" or "mean" effective sample size of draws (chain, draw).

    That of the tails is the smaller one of `TAILS`; NaN with fewer than four draws per chain.
    Vehtari, Gelman, Simpson, Carpenter & Bürkner (2021), Bayesian Analysis 16:667-718.
    """
    from arviz_stats.base import array_stats

    return float(array_stats.ess(draws, method=method, prob=TAILS if method == "tail" else None))


def psis(log_ratios: np.ndarray) -> tuple[np.ndarray, float]:
    """Return weights of draws under another density, Pareto-smoothed and of sum one, and k-hat.

    Averages can be relied on up to a k-hat of about 0.7. It is -inf if the largest ratios are
    equal; inf, without smoothing, if nothing can be fitted to the tail. Vehtari, Simpson, Gelman,
    Yao & Gabry (2024), JMLR 25(72), section 3.
    """
    from arviz_stats.base import array_stats

    ratio = log_ratios.ravel() - log_ratios.max()
    possible = np.isfinite(ratio)  # what the other density rules out has no weight
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        try:
            smooth, k_hat = array_stats.psislw(-ratio[possible])
        except ValueError:  # the tail, a fifth of few draws, is too short, or its ratios are equal
            smooth, k_hat = ratio[possible], np.inf if possible.sum() < 25 else -np.inf
    if np.isnan(smooth).any() or np.isnan(k_hat):
        smooth, k_hat = ratio[possible], np.inf
    ratio[possible] = smooth
    return softmax(ratio).reshape(log_ratios.shape), float(k_hat)


# The draws of one quantity: summaries, and an estimate of its density.


def summarise_draws(draws: np.ndarray) -> dict[str, float]:
    """Return mean, sd, median and central 95% interval of draws of shape (chain, draw)."""
    low, mid, high = np.quantile(draws, [0.025, 0.5, 0.975])
    return row_of(draws.mean(), draws.std(ddof=1), mid, low, high)


def row_of(mean: float, sd: float, median: float, low: float, high: float) -> dict[str, float]:
    """Make one row of a summary, with the bounds of the central 95% interval."""
    row = {"mean": mean, "sd": sd, "median": median, "2.5%": low, "97.5%": high}
    return {name: float(value) for name, value in row.items()}


def summary_row(draws: np.ndarray) -> dict[str, float]:
    """Summarise a sampler's draws of shape (chain, draw), with effective sizes and r-hat."""
    return {
        **summarise_draws(draws),
        "ess_bulk": ess(draws, "bulk"),
        "ess_tail": ess(draws, "tail"),
        "rhat": rhat(draws),
    }


def summary_frame(rows: Mapping[Any, Mapping[str, float]], measured: str) -> pd.DataFrame:
    """Make a table of `summarise_draws` and `summary_row` rows quickly, one row a quantity."""
    columns = tuple(dict.fromkeys(name for row in rows.values() for name in row))
    values = np.array([[row.get(name, np.nan) for name in columns] for row in rows.values()])
    index, head = _labels(tuple(rows)).copy(), _labels(columns).rename(measured or None)
    return pd.DataFrame(values, index=index, columns=head)


@lru_cache(maxsize=64)
def _labels(names: tuple[Any, ...]) -> pd.Index:
    """Make an index, which every pair of algorithms needs again; one in use is a copy of it."""
    return pd.Index(names)


def kernel_density(draws: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Estimate a density at points x by a Gaussian kernel, from draws of any shape.

    Draws are binned at a tenth of the kernel's width, without tails of 0.0005 on each side; the
    width is Silverman's (1986), Density Estimation for Statistics and Data Analysis, eq. (3.31).
    """
    flat = np.sort(draws.ravel())
    low, first, third, high = np.quantile(flat, [0.0005, 0.25, 0.75, 0.9995])
    spreads = (flat.std(ddof=1), (third - first) / 1.34)
    spread = min((s for s in spreads if s > 0), default=float(np.finfo(float).tiny))
    width = 0.9 * spread * len(flat) ** -0.2
    weights, edges = np.histogram(flat, bins=np.arange(flat[0], flat[-1] + width / 5, width / 10))
    middle = (edges[1:] + edges[:-1]) / 2
    x = np.linspace(low, high, 400)
    kernel = np.exp(-0.5 * ((x[:, None] - middle) / width) ** 2)
    return x, kernel @ weights / (len(flat) * width * np.sqrt(2 * np.pi))
