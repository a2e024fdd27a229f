"""From differences and a prior to the data of the hierarchical program."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

import numpy as np
from scipy.special import logit

from bayescmp.bayesian.hierarchical.prior import HierarchicalPrior
from bayescmp.bayesian.sampling.run import steady
from bayescmp.differences import Differences
from bayescmp.engines.base import FitRequest, SamplerSettings, StanData
from bayescmp.errors import InputError
from bayescmp.ordering import places_by
from bayescmp.steps import step_seen
from bayescmp.sufficient import SufficientStatistics
from bayescmp.verdict import Rope

__all__ = ["MODEL", "UPPER", "Scaled", "pose"]

MODEL = "hierarchical_correlated_t"
#: Parameters of the upper level, and variables of the program that results are made of, with
#: whether each is a scalar.
UPPER = ("delta0", "sigma0", "nu")
KEEP = {**dict.fromkeys(UPPER, True), "delta": False, "sigma": False}


@dataclass(frozen=True, eq=False)
class Scaled:
    """The program's data on the scale of the mean within-sd, and the way back.

    Attributes
    ----------
    data : dict
        Data block of the program, its rows sorted so that the order of the data sets can't matter.
    scale : float
        Units of the metric per unit of the data.
    order : ndarray of int, shape (q,)
        Row i of the data is data set ``order[i]``.
    statistics : SufficientStatistics
        Of the data sets in their own order and units, with constant rows given their spread.
    constant : ndarray of bool, shape (q,)
        Data sets whose differences are all equal.
    step : ndarray of shape (q,)
        Resolution that a constant row's spread was made of.
    span : float or None
        Length of the metric's range.
    from_rope : bool
        Whether only the rope gives the resolution: another rope is then another problem.
    largest : ndarray of shape (q,), or None
        Largest difference of any fold of each data set; None in posteriors saved by version 0.1.
    """

    data: StanData
    scale: float
    order: np.ndarray
    statistics: SufficientStatistics
    constant: np.ndarray
    step: np.ndarray
    span: float | None = None
    from_rope: bool = False
    largest: np.ndarray | None = None

    def with_rope(self, rope: Rope, prior: HierarchicalPrior) -> Scaled:
        """The problem as another rope poses it: the same, unless the rope gave the resolution."""
        if not self.from_rope or rope.empty:
            return self
        none = np.zeros_like(self.statistics.ss)
        raw = dataclasses.replace(self.statistics, ss=none)
        steps = np.full(len(none), rope.high - rope.low)
        return _scaled(raw, steps, none, prior, self.span, True)

    def changed(
        self,
        prior: HierarchicalPrior,
        *,
        rho: float | None = None,
        without: int | None = None,
    ) -> Scaled:
        """The problem with another prior, another correlation, or without one of the data sets.

        The resolution of constant rows stays: it is the metric's.
        """
        rows = np.arange(len(self.order))
        rows = rows if without is None else np.delete(rows, without)
        s = self.statistics
        rhos = s.rho if rho is None else np.full(len(s.rho), rho)
        stats = SufficientStatistics(
            s.n[rows], s.mean[rows], s.ss[rows], rhos[rows], self.constant[rows]
        )
        bound = self.data["delta0_bound"] * self.scale
        largest = np.full(len(self.order), bound) if self.largest is None else self.largest
        return _scaled(stats, self.step[rows], largest[rows], prior, self.span, self.from_rope)

    def continued(
        self, statistics: SufficientStatistics, prior: HierarchicalPrior, bound: float
    ) -> Scaled:
        """The problem with other statistics of its data sets, and perhaps with further data sets.

        Parameters
        ----------
        statistics : SufficientStatistics
            Its first q rows are those of the data sets seen, in their own order.
        prior : HierarchicalPrior
            The prior.
        bound : float
            That of δ0, which the single differences behind new statistics might widen.
        """
        more = len(statistics.n) - len(self.step)
        step = np.append(self.step, np.full(more, np.nan))
        prior = dataclasses.replace(prior, delta0_bound=bound)
        largest = np.full(len(step), bound)
        return _scaled(statistics, step, largest, prior, self.span, self.from_rope)

    def own_order(self, values: np.ndarray) -> np.ndarray:
        """Values of shape (..., q) in the rows' order, in the data sets' own order."""
        return values[..., np.argsort(self.order)]

    def canonical(self) -> tuple[Scaled, float, np.ndarray]:
        """The problem or its mirror image, whichever comes first, for a sampler.

        Returns
        -------
        problem : Scaled
            Its data to eleven digits.
        sign : float
            -1 for the mirror image, whose differences are of the first minus the second.
        rows : ndarray of int, shape (q,)
            Row i of it is row ``rows[i]`` of this one.
        """
        varying = ("xbar", "ss", "delta0_bound", "sigma0_upper", "sigma_upper")
        data = {k: steady(v) if k in varying else v for k, v in self.data.items()}
        images = {
            sign: _in_order({**data, "xbar": sign * data["xbar"] + 0.0}) for sign in (1.0, -1.0)
        }
        sign = min(images, key=lambda s: images[s][0]["xbar"].tolist())
        chosen, rows = images[sign]
        return dataclasses.replace(self, data=chosen, order=self.order[rows]), sign, rows

    def request(self, seed: int, settings: SamplerSettings, progress: bool = False) -> FitRequest:
        """What an engine is asked for."""
        inits = self.inits(seed, settings.chains)
        return FitRequest(MODEL, self.data, seed, KEEP, inits, settings, progress)

    def inits(self, seed: int, chains: int) -> list[StanData]:
        """Initial values near the data, one mapping per chain."""
        rng = np.random.default_rng([seed, 1])
        x, q = self.data["xbar"], int(self.data["q"])
        bound, upper = self.data["delta0_bound"], self.data["sigma0_upper"]
        spread = min(float(np.std(x)) + 0.1, upper / 4)
        centre = np.median(x) + 0.1 * spread * rng.normal(size=chains)
        delta0 = np.clip(centre / bound, -0.9, 0.9)
        sigma0 = spread * rng.uniform(0.5, 1.5, size=chains)
        return [
            {
                "delta0_logit": float(logit((delta0[i] + 1) / 2)),
                "sigma0_logit": float(logit(sigma0[i] / upper)),
                "nu_raw": rng.uniform(2, 10),
                "alpha_unit": rng.uniform(0.25, 0.75),
                "beta_unit": rng.uniform(0.25, 0.75),
                "z": (0.1 * rng.normal(size=q)).tolist(),
                "log_lambda": (0.1 * rng.normal(size=q)).tolist(),
            }
            for i in range(chains)
        ]


def _in_order(data: StanData) -> tuple[StanData, np.ndarray]:
    """A data block with its rows sorted, and which row went where."""
    rows = places_by(data["xbar"], data["ss"], data["n"], data["rho"])
    return {**data, **{k: data[k][rows] for k in ("n", "xbar", "ss", "rho")}}, rows


def pose(d: Differences, prior: HierarchicalPrior, rope: Rope) -> Scaled:
    """Data of the program for these differences.

    Parameters
    ----------
    d : Differences
        The differences.
    prior : HierarchicalPrior
        Its bounds are filled in from the data.
    rope : Rope
        Its width is the resolution where nothing else indicates it: all differences are zero.

    Returns
    -------
    Scaled

    Raises
    ------
    InputError
        If all differences are zero and nothing, not even a rope, tells the resolution.
    """
    raw = d.statistics()
    step, from_rope = _steps(d, raw, rope)
    largest = np.maximum.reduceat(np.abs(np.concatenate(d.x)), np.cumsum(raw.n) - raw.n)
    return _scaled(raw, step, largest, prior, d.span, from_rope)


def _scaled(
    raw: SufficientStatistics,
    step: np.ndarray,
    largest: np.ndarray,
    prior: HierarchicalPrior,
    span: float | None,
    from_rope: bool,
) -> Scaled:
    """The problem, from the statistics with constant rows as they are."""
    ss = np.where(raw.constant, raw.n * step**2 / 12, raw.ss)
    stats = dataclasses.replace(raw, ss=ss)
    within = np.sqrt(ss / (raw.n - 1))
    scale = _mean(within)
    order = places_by(raw.mean, ss, raw.n, raw.rho)
    data = {
        "q": len(order),
        "n": raw.n[order],
        "xbar": raw.mean[order] / scale,
        "ss": ss[order] / scale**2,
        "rho": raw.rho[order],
        **{k: v / scale for k, v in _bounds(stats, prior, float(largest.max()), span).items()},
        "alpha_lower": prior.alpha[0],
        "alpha_upper": prior.alpha[1],
        "beta_lower": prior.beta[0],
        "beta_upper": prior.beta[1],
        "nu_offset": prior.nu_offset,
    }
    return Scaled(data, scale, order, stats, raw.constant, step, span, from_rope, largest)


def _steps(d: Differences, raw: SufficientStatistics, rope: Rope) -> tuple[np.ndarray, bool]:
    """Resolution of the metric on each data set, and whether only the rope gives it.

    As known; else the smallest known of another data set; else the smallest step seen in any row.
    """
    known = d.resolution
    if not np.isnan(known[raw.constant]).any():
        return np.where(raw.constant, known, np.nan), False
    seen = step_seen(d.x) if np.isnan(known).all() else float(np.nanmin(known))
    if not np.isnan(seen):
        return np.where(np.isnan(known), seen, known), False
    if rope.empty:
        raise InputError(
            "the differences are all zero and there is no rope: "
            "nothing indicates the resolution of the metric; give resolution, e.g. 1/n_test for "
            "accuracy"
        )
    return np.full(d.q, rope.high - rope.low), True


def _bounds(
    stats: SufficientStatistics, prior: HierarchicalPrior, largest: float, span: float | None
) -> dict[str, float]:
    """Upper ends of the uniform priors, in units of the metric.

    Where the means agree far better than their noise (all rows equal, say), 1000 times their sd
    would cut into the posterior of σ0: the bound is then 100 standard errors of a mean.
    """
    n, rho = stats.n, stats.rho
    within = np.sqrt(stats.ss / (n - 1))
    error = within * np.sqrt((1 + (n - 1) * rho) / (n * (1 - rho)))
    spread = math.sqrt(math.fsum((stats.mean - _mean(stats.mean)) ** 2) / (len(n) - 1))
    return {
        "delta0_bound": _delta0_bound(stats, prior, largest, span),
        "sigma0_upper": max(prior.sigma0_factor * spread, 100 * _mean(error)),
        "sigma_upper": prior.sigma_factor * _mean(within),
    }


def _mean(values: np.ndarray) -> float:
    """Mean by an exactly rounded sum: to the last bit the same in any order of the data sets."""
    return math.fsum(values) / len(values)


def _delta0_bound(
    stats: SufficientStatistics, prior: HierarchicalPrior, largest: float, span: float | None
) -> float:
    """The prior's own; else the metric's range, if it has one; else the largest difference."""
    if prior.delta0_bound is not None:
        return prior.delta0_bound
    if largest == 0:  # all rows zero: what their spread was made of
        largest = float(np.sqrt(12 * stats.ss / stats.n).max())
    if prior.largest_difference or span is None:
        return largest
    return max(span, largest)
