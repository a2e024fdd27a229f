"""Summaries of draws, and the one place that knows ArviZ, 0.x or 1.x."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

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

    `groups` maps a group ("posterior", "sample_stats", "constant_data") to its arrays by variable;
    those of "posterior" and "sample_stats" have shape (chain, draw, ...). `dims` has the
    dimensions of each variable beyond chain and draw; `attrs` are attributes of the posterior
    group.
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


# Whether chains have mixed: as computed by ArviZ, whose import takes a second.


def rhat(draws: np.ndarray) -> float:
    """Compute rank-normalised split r-hat of draws (chain, draw): of bulk or tails, the larger.

    It is NaN of a constant, and where there are fewer than two chains of four draws.

    References
    ----------
    Vehtari, Gelman, Simpson, Carpenter & Bürkner (2021), Bayesian Analysis 16:667-718.
    """
    x = _halves(draws)
    if _too_few(x, chains=2):
        return math.nan
    bulk, tails = (_variance_ratio(_normal_scores(y)) for y in (x, np.abs(x - np.median(x))))
    return float(np.fmax(bulk, tails))


def _halves(draws: np.ndarray) -> np.ndarray:
    """Split each chain in two."""
    x = np.asarray(draws, dtype=float)
    half = x.shape[1] // 2
    return np.concatenate([x[:, :half], x[:, -half:]])


def _too_few(x: np.ndarray, chains: int = 1) -> bool:
    """Whether halves of chains are too short to tell anything."""
    return bool(len(x) < 2 * chains or x.shape[1] < 2 or np.isnan(x).any())


def _normal_scores(x: np.ndarray) -> np.ndarray:
    """Replace draws by normal quantiles of their ranks among all (Blom 1958)."""
    _, places, counts = np.unique(x, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places].reshape(x.shape)
    return np.asarray(ndtri((ranks - 0.375) / (x.size + 0.25)))


def _variance_ratio(x: np.ndarray) -> float:
    """Compute the root of the variance of all chains over that within them."""
    n = x.shape[1]
    between, within = x.mean(axis=1).var(ddof=1), x.var(axis=1, ddof=1).mean()
    with np.errstate(invalid="ignore", divide="ignore"):
        return float(np.sqrt((n * between / within + n - 1) / n))


def ess(draws: np.ndarray, method: str = "bulk") -> float:
    """Estimate the "bulk", "tail" or "mean" effective sample size of draws (chain, draw).

    That of the tails is the smaller one of the shares below each quantile of `TAILS`. It is NaN
    where chains have fewer than four draws.

    References
    ----------
    Vehtari, Gelman, Simpson, Carpenter & Bürkner (2021), Bayesian Analysis 16:667-718; Geyer
    (1992), Statistical Science 7:473-483, for the sequence.
    """
    x = _halves(draws)
    if _too_few(x):
        return math.nan
    if method == "tail":
        ends = np.quantile(draws, TAILS)
        return min(_effective_size(_halves(np.asarray(draws) <= end)) for end in ends)
    return _effective_size(_normal_scores(x) if method == "bulk" else x)


def _effective_size(x: np.ndarray) -> float:
    """Divide draws by the time in which chains forget: Geyer's initial monotone sequence."""
    if np.ptp(x) < np.finfo(float).resolution:
        return float(x.size)
    from scipy.fft import irfft, next_fast_len, rfft  # of samplers only

    n = x.shape[1]
    centred = x - x.mean(axis=1, keepdims=True)
    power = np.abs(rfft(centred, next_fast_len(2 * n, real=True), axis=1)) ** 2
    covariance = irfft(power, next_fast_len(2 * n, real=True), axis=1)[:, :n].mean(axis=0) / n
    within = covariance[0] * n / (n - 1)
    rho = 1 - (within - covariance) / (covariance[0] + x.mean(axis=1).var(ddof=1))
    rho[0] = 1.0
    pairs = rho[: 2 * max((n - 1) // 2, 1)].reshape(-1, 2)
    sums = pairs.sum(axis=1)
    ended = np.flatnonzero(sums <= 0)
    last = ended[0] if len(ended) else len(sums) - 1
    rest = pairs[last, 0] if sums[last] >= 0 else max(pairs[last, 0], 0.0)
    time = 2 * np.minimum.accumulate(sums[:last]).sum() + rest - 1
    return float(x.size / max(time, 1 / np.log10(x.size)))


# What draws of one quantity tell: summaries, and an estimate of its density.


def summarise_draws(draws: np.ndarray) -> dict[str, float]:
    """Return mean, sd, median and central 95% interval of draws of shape (chain, draw)."""
    low, mid, high = np.quantile(draws, [0.025, 0.5, 0.975])
    return row_of(draws.mean(), draws.std(ddof=1), mid, low, high)


def row_of(mean: float, sd: float, median: float, low: float, high: float) -> dict[str, float]:
    """Make one row of a summary, with the ends of the central 95% interval."""
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
    """Make a table of summaries, one row a quantity, in a fraction of the time that pandas takes.

    Rows are made by `summarise_draws` and `summary_row`, with NaN if one lacks a number of the
    others; `measured` is as for `bayescmp.scores.metrics.head_table`.
    """
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

    Draws are counted in bins of a tenth of the kernel's width, so that the cost does not grow with
    their number. The tails beyond probability 0.0005 on each side are left out. The width is that
    of Silverman (1986), Density Estimation for Statistics and Data Analysis, eq. (3.31).
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
