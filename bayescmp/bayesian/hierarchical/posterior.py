"""Posterior of the hierarchical correlated t test: verdict, summary, data sets, saving."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.special import stdtr

from bayescmp import _arviz
from bayescmp.bayesian.hierarchical.prior import HierarchicalPrior
from bayescmp.bayesian.hierarchical.problem import MODEL, Scaled
from bayescmp.diagnostics import monte_carlo_errors
from bayescmp.differences import SufficientStatistics
from bayescmp.engines.base import Fit
from bayescmp.errors import InputError, unknown_name
from bayescmp.posterior import Posterior, summarise
from bayescmp.verdict import Rope, Verdict, as_rope, check_threshold, winners

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.bayesian.hierarchical.verify import Verification

__all__ = ["HierarchicalPosterior"]

REGIONS = ("left", "rope", "right")
#: Quasi-random draws made of an exact posterior, in as many chains as a sampler would have.
CHAINS, DRAWS = 4, 2500
_SCALAR = ("delta0", "sigma0", "nu")
_WITH_UNITS = ("delta0", "sigma0", "delta", "sigma")


@dataclass(frozen=True, eq=False, repr=False)
class HierarchicalPosterior(Posterior):
    """Posterior of the hierarchical correlated t test.

    Attributes
    ----------
    prior : HierarchicalPrior
        The prior it was fitted with.
    datasets : tuple of str
        Names of the data sets.
    problem : Scaled
        The data as the engine saw them.
    fit : Fit
        What the engine found, on the problem's scale.
    """

    _: KW_ONLY
    prior: HierarchicalPrior
    datasets: tuple[str, ...]
    problem: Scaled
    fit: Fit

    method: ClassVar[str] = "Bayesian hierarchical correlated t test"
    kind: ClassVar[str] = "hierarchical_t"

    @property
    def statistics(self) -> SufficientStatistics:
        """Means and sums of squares of the data sets."""
        return self.problem.statistics

    @cached_property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws of delta0, sigma0, nu (chain, draw) and delta, sigma (chain, draw, q).

        From an exact posterior they are seeded quasi-random ones.
        """
        found = dict(self.fit.draws)
        if self.fit.density is not None:
            flat = self.fit.density.draws(CHAINS * DRAWS, self.seed)
            flat = {**flat, **self.fit.density.draw_datasets(flat, self.seed)}
            found = {k: v.reshape(CHAINS, DRAWS, *v.shape[1:]) for k, v in flat.items()}
        for name in _WITH_UNITS:
            found[name] = found[name] * self.problem.scale
        for name in ("delta", "sigma"):
            found[name] = self.problem.own_order(found[name])
        return found

    @cached_property
    def upper_draws(self) -> Mapping[str, np.ndarray]:
        """Draws of delta0, sigma0, nu only, shape (chain, draw); cheap for any q."""
        if self.fit.density is None:
            return {k: self.draws[k] for k in _SCALAR}
        flat = self.fit.density.draws(CHAINS * DRAWS, self.seed)
        units = {"delta0": self.problem.scale, "sigma0": self.problem.scale}
        return {k: v.reshape(CHAINS, DRAWS) * units.get(k, 1.0) for k, v in flat.items()}

    def masses(self, rope: Any = None) -> np.ndarray:
        """For each draw, the three regions' probabilities on the next data set.

        Parameters
        ----------
        rope : float or (float, float), optional
            The fit's own if not given.

        Returns
        -------
        ndarray of shape (chain, draw, 3)
            Masses of t_ν(δ0, σ0) left of, in and right of the rope: a point of the simplex each.

        References
        ----------
        Corani et al. (2017), section 3.3.
        """
        region = self.rope if rope is None else as_rope(rope)
        d = self.upper_draws
        left = stdtr(d["nu"], (region.low - d["delta0"]) / d["sigma0"])
        right = stdtr(d["nu"], (d["delta0"] - region.high) / d["sigma0"])
        inside = np.zeros_like(left) if region.empty else np.maximum(1 - left - right, 0)
        return np.stack([left, inside, right], axis=-1)

    def verdict(self, rope: Any = None, *, threshold: float = 0.95) -> Verdict:
        """Probabilities of the three regions for the next data set.

        Parameters
        ----------
        rope : float or (float, float), optional
            Another region than the fit's own; nothing is fitted again.
        threshold : float
            Probability at which a region is decided for.

        Returns
        -------
        Verdict
            The share of the posterior of (δ0, σ0, ν) in which each region is the most probable.
        """
        region = self.rope if rope is None else as_rope(rope)
        threshold = check_threshold(threshold)
        parts = self._exact_parts(region) if self.exact else self._sampled_parts(region)
        named: dict[str, Any] = {
            k: dict(zip(REGIONS, map(float, v), strict=True)) for k, v in parts.items()
        }
        total = next(iter(self.fit.draws.values())).size if self.fit.draws else 0
        return Verdict(
            **named, names=self.names, rope=region, threshold=threshold, exact=self.exact,
            floor=1 / total if total else 1e-6, method=f"{self.method}, Corani et al. 2017",
            metric=self.metric, prior=str(self.prior),
        )  # fmt: skip

    def _exact_parts(self, rope: Rope) -> dict[str, np.ndarray]:
        density = self.fit.density
        assert density is not None
        ends = (rope.low / self.problem.scale, rope.high / self.problem.scale)
        found = density.verdict(*ends)
        return {"probabilities": found.p, "errors": found.error,
                "expected": density.expected_masses(*ends),
                "location": density.delta0_masses(*ends)}  # fmt: skip

    def _sampled_parts(self, rope: Rope) -> dict[str, np.ndarray]:
        masses = self.masses(rope)
        shares = winners(masses)
        delta0 = self.draws["delta0"]
        left, right = (delta0 < rope.low).mean(), (delta0 > rope.high).mean()
        return {"probabilities": shares.mean(axis=(0, 1)), "errors": monte_carlo_errors(shares),
                "expected": masses.mean(axis=(0, 1)),
                "location": np.array([left, 1 - left - right, right])}  # fmt: skip

    def by_dataset(self, rope: Any = None) -> pd.DataFrame:
        """Each data set's own difference: as measured, and as the model has it (shrunken).

        Parameters
        ----------
        rope : float or (float, float), optional
            The fit's own if not given.

        Returns
        -------
        DataFrame
            One row a data set: n, observed mean, posterior mean and sd of δ_i, central 95 %
            interval, and the probabilities that δ_i is left of, in and right of the rope.
        """
        import pandas as pd

        region = self.rope if rope is None else as_rope(rope)
        delta = self.draws["delta"]
        low, high = np.quantile(delta, [0.025, 0.975], axis=(0, 1))
        mean, sd, p = self._by_dataset_exact(region) or (
            delta.mean(axis=(0, 1)), delta.std(axis=(0, 1), ddof=1), _shares(delta, region)
        )  # fmt: skip
        table = {"n": self.statistics.n, "observed": self.statistics.mean, "mean": mean, "sd": sd,
                 "2.5%": low, "97.5%": high,
                 **{f"p_{r}": p[:, i] for i, r in enumerate(REGIONS)}}  # fmt: skip
        return pd.DataFrame(table, index=pd.Index(self.datasets, name="dataset"))

    def _by_dataset_exact(self, rope: Rope) -> tuple[np.ndarray, ...] | None:
        if self.fit.density is None:
            return None
        scale, order = self.problem.scale, self.problem.own_order
        found = self.fit.density.datasets(rope.low / scale, rope.high / scale)
        return order(found.mean) * scale, order(found.sd) * scale, order(found.p.T).T

    def summary(self, *, datasets: bool = False) -> pd.DataFrame:
        """Posterior of δ0, σ0 and ν: mean, sd, median, central 95 % interval, and diagnostics.

        Parameters
        ----------
        datasets : bool
            Whether to add each data set's δ_i.

        Returns
        -------
        DataFrame
        """
        import pandas as pd

        rows = {name: self._row(name) for name in _SCALAR}
        if datasets:
            delta = self.draws["delta"]
            rows |= {f"delta[{d}]": summarise(delta[..., i]) for i, d in enumerate(self.datasets)}
        return pd.DataFrame.from_dict(rows, orient="index")

    def _row(self, name: str) -> dict[str, float]:
        density = self.fit.density
        if density is None:
            draws = self.draws[name]
            return {**summarise(draws), "ess_bulk": _arviz.ess(draws, "bulk"),
                    "ess_tail": _arviz.ess(draws, "tail"), "rhat": _arviz.rhat(draws)}  # fmt: skip
        unit = self.problem.scale if name in _WITH_UNITS else 1.0
        low, mid, high = np.asarray(density.quantile(name, [0.025, 0.5, 0.975])) * unit
        return {"mean": density.mean(name) * unit, "sd": density.sd(name) * unit,
                "median": float(mid), "2.5%": float(low), "97.5%": float(high)}  # fmt: skip

    def quantile(self, name: str, probs: Any) -> np.ndarray:
        """Posterior quantiles of delta0, sigma0 or nu.

        Parameters
        ----------
        name : str
            The parameter.
        probs : float or array_like
            Probabilities in [0, 1].

        Returns
        -------
        ndarray
            In units of the metric.

        Raises
        ------
        InputError
            Unknown parameter, or probabilities outside [0, 1].
        """
        if name not in _SCALAR:
            raise unknown_name("parameter", name, _SCALAR)
        p = np.asarray(probs, dtype=float)
        if not np.all((p >= 0) & (p <= 1)):
            raise InputError(f"probs={probs!r}; accepted: probabilities in [0, 1]")
        if self.fit.density is None:
            return np.asarray(np.quantile(self.draws[name], p))
        unit = self.problem.scale if name in _WITH_UNITS else 1.0
        return np.asarray(self.fit.density.quantile(name, p)) * unit

    def hdi(self, name: str, prob: float = 0.95) -> tuple[float, float]:
        """Highest density interval of delta0, sigma0 or nu: the shortest that holds ``prob``.

        Parameters
        ----------
        name : str
            The parameter.
        prob : float
            Probability in (0, 1).

        Returns
        -------
        low, high : float
            In units of the metric.

        Raises
        ------
        InputError
            Unknown parameter, or a probability outside (0, 1).
        """
        if not 0 < prob < 1:
            raise InputError(f"prob={prob!r}; accepted: over 0 and under 1")
        start = np.linspace(0, 1 - prob, 2001)
        low, high = self.quantile(name, start), self.quantile(name, start + prob)
        shortest = int(np.argmin(high - low))
        return float(low[shortest]), float(high[shortest])

    def density(self, name: str = "delta0") -> tuple[np.ndarray, np.ndarray]:
        """Marginal density of delta0, sigma0 or nu.

        Returns
        -------
        x, density : ndarray
            In units of the metric; a kernel estimate for a sampler's draws.
        """
        unit = self.problem.scale if name in _WITH_UNITS else 1.0
        if self.fit.density is not None:
            x, y = self.fit.density.marginal(name)
            return x * unit, y / unit
        from scipy.stats import gaussian_kde

        flat = self.draws[name].ravel()
        low, high = np.quantile(flat, [0.0005, 0.9995])
        x = np.linspace(float(low), float(high), 400)
        return x, gaussian_kde(flat)(x)

    def verify(self, **options: Any) -> Verification:
        """A second opinion: the same problem by another engine; see `bayesian.verify.verify`."""
        from bayescmp.bayesian.hierarchical.verify import verify

        return verify(self, **options)

    def plot(self, *, ax: Any = None, **options: Any) -> Any:
        """The simplex plot, or with no rope the density of δ0; see `bayescmp.plots`."""
        from bayescmp.plots import plot_density, plot_simplex

        region = self.rope if options.get("rope") is None else as_rope(options["rope"])
        plot = plot_density if region.empty else plot_simplex
        return plot(self, ax=ax, **options)

    def _title(self) -> str:
        return f"{super()._title()}\n{'prior':<13}{self.prior}"

    # -- saving --------------------------------------------------------------------------------

    def _groups(self) -> dict[str, dict[str, np.ndarray]]:
        s, p = self.statistics, self.problem
        constants = {"n": s.n, "mean": s.mean, "ss": s.ss, "rho": s.rho,
                     "constant": s.constant.astype(np.int8), "step": p.step}  # fmt: skip
        return {"posterior": dict(self.draws), "sample_stats": dict(self.fit.sample_stats),
                "constant_data": constants}  # fmt: skip

    def _coords(self) -> tuple[dict[str, Any], dict[str, Any]]:
        per = ("delta", "sigma", "n", "mean", "ss", "rho", "constant", "step")
        return {"dataset": self.datasets}, {name: ["dataset"] for name in per}

    def _attributes(self) -> dict[str, Any]:
        scalars = {k: v for k, v in self.problem.data.items() if np.ndim(v) == 0}
        return {**super()._attributes(), "prior": dataclasses.asdict(self.prior),
                "scale": self.problem.scale, "order": self.problem.order.tolist(),
                "data": {k: float(v) for k, v in scalars.items()}}  # fmt: skip

    @classmethod
    def _restore(cls, common: dict[str, Any], more: dict[str, Any], groups: Any) -> Posterior:
        const = {k: v.to_numpy() for k, v in groups["constant_data"].data_vars.items()}
        step, constant = const.pop("step"), const.pop("constant").astype(bool)
        stats = SufficientStatistics(**const, constant=constant)
        order, scale = np.array(more["order"]), more["scale"]
        data = {**more["data"], "q": len(order), "n": stats.n[order], "rho": stats.rho[order],
                "xbar": stats.mean[order] / scale, "ss": stats.ss[order] / scale**2}  # fmt: skip
        problem = Scaled(data, scale, order, stats, constant, step)
        prior = HierarchicalPrior(**more["prior"])
        names = groups["constant_data"].coords["dataset"].to_numpy()
        return cls(
            **common, prior=prior, datasets=tuple(map(str, names)),
            problem=problem, fit=_restore_fit(common, problem, groups),
        )  # fmt: skip


def _restore_fit(common: dict[str, Any], problem: Scaled, groups: Any) -> Fit:
    """The fit of a saved posterior: its draws, or the exact density, which is solved again."""
    name, version = common["engine"], common["engine_version"]
    if common["diagnostics"].exact:
        from bayescmp.engines.base import FitRequest
        from bayescmp.engines.registry import find_engine

        fit = find_engine(name, MODEL).fit(FitRequest(MODEL, problem.data, common["seed"]))
        return dataclasses.replace(fit, version=version)
    draws = {k: v.to_numpy() for k, v in groups["posterior"].data_vars.items()}
    for k in _WITH_UNITS:
        draws[k] = draws[k] / problem.scale
    for k in ("delta", "sigma"):
        draws[k] = draws[k][..., problem.order]
    stats = {k: v.to_numpy() for k, v in groups["sample_stats"].data_vars.items()}
    return Fit(name, version, draws, stats)


def _shares(delta: np.ndarray, rope: Rope) -> np.ndarray:
    """Shares of draws (chain, draw, q) left of, in and right of the rope, shape (q, 3)."""
    left = (delta < rope.low).mean(axis=(0, 1))
    right = (delta > rope.high).mean(axis=(0, 1))
    return np.stack([left, 1 - left - right, right], axis=-1)
