"""Posterior of the hierarchical multivariate t test: verdicts, data sets, correlations, saving."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bayescmp.bayesian.hierarchical_multivariate.masses import region_masses
from bayescmp.bayesian.hierarchical_multivariate.prior import MultivariatePrior
from bayescmp.bayesian.hierarchical_multivariate.problem import MultivariateProblem
from bayescmp.bayesian.regions.membership import membership
from bayescmp.bayesian.regions.posterior import SeveralPosterior
from bayescmp.diagnostics import share_errors
from bayescmp.engines.base import Fit
from bayescmp.errors import InputError, unknown_name
from bayescmp.posterior import Fitted, summarise, summary_row
from bayescmp.verdict import FOUR, Ropes, Verdict, check_threshold, winners

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["HierarchicalMultivariatePosterior"]


@dataclass(frozen=True, eq=False, repr=False)
class HierarchicalMultivariatePosterior(SeveralPosterior):
    """Posterior of the hierarchical multivariate t test.

    Attributes
    ----------
    prior : MultivariatePrior
        The prior it was fitted with.
    datasets : tuple of str
        Names of the data sets.
    n : ndarray of shape (q,)
        Folds on each.
    means : ndarray of shape (q, p)
        Mean differences observed.
    mixing : ndarray of shape (r, p)
        The metrics as linear functions of the r coordinates that were fitted.
    fit : Fit
        Draws in these coordinates, in units of the metrics: delta0 (chain, draw, r), tau, Omega
        (chain, draw, r, r), nu (chain, draw), delta (chain, draw, q, r).
    """

    _: KW_ONLY
    prior: MultivariatePrior
    datasets: tuple[str, ...]
    n: np.ndarray
    means: np.ndarray
    mixing: np.ndarray
    fit: Fit

    method: ClassVar[str] = "Bayesian hierarchical multivariate t test"
    kind: ClassVar[str] = "hierarchical_multivariate_t"
    reference: ClassVar[str] = "after Corani et al. 2017"

    @classmethod
    def made(
        cls, problem: MultivariateProblem, fit: Fit, **options: Any
    ) -> HierarchicalMultivariatePosterior:
        """From the program's draws, brought to the metrics' units and the data sets' order."""
        unit, d = problem.unit, fit.draws
        draws = {
            "delta0": d["delta0"] * (problem.sign * unit),
            "tau": d["tau"] * unit,
            "Omega": d["Omega"],
            "nu": d["nu"],
            "delta": d["delta"][:, :, np.argsort(problem.order)] * (problem.sign * unit),
        }
        return cls(
            fit=Fit(fit.engine, fit.version, draws, fit.sample_stats), means=problem.means,
            mixing=problem.mixing, engine=fit.engine, engine_version=fit.version, **options,
        )  # fmt: skip

    @property
    def prior_text(self) -> str:
        """The prior in words."""
        return str(self.prior)

    @cached_property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws of delta0 (chain, draw, p), Sigma0 (chain, draw, p, p), nu (chain, draw), delta.

        delta, of shape (chain, draw, q, p), are the data sets' own differences; all in units of
        the metrics.
        """
        d = self.fit.draws
        factor = np.swapaxes(self._root, -1, -2) @ self.mixing
        return {"delta0": d["delta0"] @ self.mixing,
                "Sigma0": np.swapaxes(factor, -1, -2) @ factor,
                "nu": d["nu"], "delta": d["delta"] @ self.mixing}  # fmt: skip

    @property
    def _root(self) -> np.ndarray:
        """Roots of Σ0 in the coordinates, (chain, draw, r, r)."""
        d = self.fit.draws
        return np.asarray(d["tau"][..., None] * np.linalg.cholesky(d["Omega"]))

    @cached_property
    def tau(self) -> np.ndarray:
        """Draws of the scales across data sets, one a metric, (chain, draw, p)."""
        return np.sqrt(np.diagonal(self.draws["Sigma0"], axis1=-2, axis2=-1))

    @cached_property
    def correlations(self) -> np.ndarray:
        """Draws of the metrics' correlations across data sets, (chain, draw, p, p).

        NaN for a metric in which the algorithms never differ.
        """
        scale = np.where(self.tau > 0, self.tau, np.nan)
        return np.asarray(self.draws["Sigma0"] / (scale[..., None] * scale[..., None, :]))

    def select(self, metrics: Sequence[str]) -> HierarchicalMultivariatePosterior:
        """The posterior of some of the metrics, with their ropes, in the order given.

        Raises
        ------
        InputError
            Unknown metrics, one twice, or none.
        """
        wanted = [metrics] if isinstance(metrics, str) else list(metrics)
        for name in wanted:
            if name not in self.metrics:
                raise unknown_name("metric", name, self.metrics)
        if not wanted or len(set(wanted)) < len(wanted):
            raise InputError(f"metrics={metrics!r}; accepted: different ones of {self.metrics}")
        columns = [self.metrics.index(m) for m in wanted]
        return replace(
            self, mixing=self.mixing[:, columns], means=self.means[:, columns],
            metrics=tuple(wanted), metric=", ".join(wanted),
            rope=Ropes(self.ropes()[k] for k in columns),
        )  # fmt: skip

    def masses(self, rope: Any = None) -> np.ndarray:
        """For each draw, the four regions' probabilities on the next data set.

        Parameters
        ----------
        rope : optional
            The fit's own if not given; see `as_ropes`.

        Returns
        -------
        ndarray of shape (chain, draw, 4)
            Masses of the multivariate t of that draw in the order equivalent, first, second,
            trade_off.
        """
        return np.asarray(self._replicates(self.ropes(rope)).mean(axis=0))

    def _replicates(self, ropes: Ropes) -> np.ndarray:
        """Masses by replicates of the quasi-random directions: (replicate, chain, draw, 4)."""
        return self._own_replicates if ropes == self.ropes() else self._computed(ropes)

    @cached_property
    def _own_replicates(self) -> np.ndarray:
        return self._computed(self.ropes())

    def _computed(self, ropes: Ropes) -> np.ndarray:
        d = self.fit.draws
        r = self.mixing.shape[0]
        found = region_masses(
            d["delta0"].reshape(-1, r), self._root.reshape(-1, r, r), d["nu"].ravel(), self.mixing,
            ropes, seed=self.seed,
        )  # fmt: skip
        return found.reshape(len(found), *d["nu"].shape, 4)

    def verdict(self, rope: Any = None, *, threshold: float = 0.95) -> Verdict:
        """Probabilities of the four regions for the next data set.

        Parameters
        ----------
        rope : optional
            Other regions than the fit's own; nothing is fitted again. See `as_ropes`.
        threshold : float
            Probability at which a region is decided for.

        Returns
        -------
        Verdict
            The share of the posterior of (δ0, Σ0, ν) in which each region is the most probable.
            Errors hold that of the sampler and that of the regions' masses.
        """
        ropes, threshold = self.ropes(rope), check_threshold(threshold)
        replicates = self._replicates(ropes)
        masses = replicates.mean(axis=0)
        shares = winners(masses)
        errors = share_errors(shares)
        if len(replicates) > 1:
            each = winners(replicates).mean(axis=(1, 2))
            errors = np.hypot(errors, each.std(axis=0, ddof=1) / np.sqrt(len(each)))
        return self._four(
            ropes, threshold, shares.mean(axis=(0, 1)), errors, floor=1 / masses[..., 0].size,
            expected=FOUR.named(masses.mean(axis=(0, 1))),
            location=FOUR.named(membership(self.draws["delta0"], ropes).mean(axis=(0, 1))),
        )  # fmt: skip

    def dataset_verdict(
        self, dataset: str, rope: Any = None, *, threshold: float = 0.95
    ) -> Verdict:
        """Probabilities of the four regions on one of the data sets, as the model has it.

        Parameters
        ----------
        dataset : str
            Its name.
        rope, threshold
            As for `verdict`.

        Returns
        -------
        Verdict
            Shares of the draws of δ_i.

        Raises
        ------
        InputError
            Unknown data set.
        """
        if dataset not in self.datasets:
            raise unknown_name("data set", dataset, self.datasets)
        ropes = self.ropes(rope)
        delta = self.draws["delta"][:, :, self.datasets.index(dataset)]
        shares = membership(delta, ropes)
        found = self._four(
            ropes, check_threshold(threshold), shares.mean(axis=(0, 1)),
            share_errors(shares), floor=1 / shares[..., 0].size,
        )  # fmt: skip
        return replace(found, target=f"the data set {dataset}")

    def by_dataset(self, rope: Any = None) -> pd.DataFrame:
        """Each data set's own differences: as measured, and as the model has them (shrunken).

        Parameters
        ----------
        rope : optional
            The fit's own if not given; see `as_ropes`.

        Returns
        -------
        DataFrame
            One row a data set: n; for each metric observed mean, posterior mean and sd of δ_i; the
            probabilities of the four regions.
        """
        import pandas as pd

        delta = self.draws["delta"]
        mean, sd = delta.mean(axis=(0, 1)), delta.std(axis=(0, 1), ddof=1)
        p = membership(delta, self.ropes(rope)).mean(axis=(0, 1))
        table: dict[str, Any] = {"n": self.n}
        for k, m in enumerate(self.metrics):
            table |= {f"observed {m}": self.means[:, k], f"mean {m}": mean[:, k],
                      f"sd {m}": sd[:, k]}  # fmt: skip
        table |= {f"p_{region}": p[:, i] for i, region in enumerate(FOUR.regions)}
        return pd.DataFrame(table, index=pd.Index(self.datasets, name="dataset"))

    def correlation(self) -> pd.DataFrame:
        """Correlation of each two metrics' mean differences across data sets.

        Returns
        -------
        DataFrame
            One row a pair: mean, sd, median, central 95 % interval, and the probability that the
            correlation is positive.
        """
        import pandas as pd

        rows = {}
        for i, k in combinations(range(self.p), 2):
            draws = self.correlations[..., i, k]
            rows[self.metrics[i], self.metrics[k]] = {
                **summarise(draws), "p_positive": float((draws > 0).mean())
            }  # fmt: skip
        index = pd.MultiIndex.from_tuples(list(rows) or [], names=["metric", "other"])
        return pd.DataFrame(list(rows.values()), index=index)

    def summary(self) -> pd.DataFrame:
        """Posterior of δ0, τ, correlations and ν: mean, sd, median, 95 % interval, diagnostics.

        Returns
        -------
        DataFrame
        """
        import pandas as pd

        parts = {f"delta0[{m}]": self.draws["delta0"][..., k] for k, m in enumerate(self.metrics)}
        parts |= {f"tau[{m}]": self.tau[..., k] for k, m in enumerate(self.metrics)}
        for i, k in combinations(range(self.p), 2):
            name = f"correlation[{self.metrics[i]}, {self.metrics[k]}]"
            parts[name] = self.correlations[..., i, k]
        parts["nu"] = self.draws["nu"]
        rows = {name: summary_row(draws) for name, draws in parts.items()}
        return pd.DataFrame.from_dict(rows, orient="index")

    def next_dataset(self) -> np.ndarray:
        """Draws of the mean differences on the next data set, one for each draw of (δ0, Σ0, ν).

        Returns
        -------
        ndarray of shape (chain, draw, p)
            Seeded: the same every time.
        """
        d = self.fit.draws
        rng = np.random.default_rng([self.seed, 5])
        z = rng.standard_normal(d["delta0"].shape)
        z /= np.sqrt(rng.chisquare(d["nu"]) / d["nu"])[..., None]
        drawn = d["delta0"] + (self._root @ z[..., None])[..., 0]
        return np.asarray(drawn @ self.mixing)

    def plot(self, *, ax: Any = None, **options: Any) -> Any:
        """Two metrics: the next data set's differences over the regions; else a labelled bar.

        With two metrics the lines hold 50 and 95 % of the next data set's mean differences, and
        the dots are the data sets' means; see `bayescmp.plots.plot_regions` and
        `plot_verdict_bar`. Of more metrics ``metrics=(a, b)`` shows two.
        """
        from bayescmp.plots import plot_regions, plot_verdict_bar

        metrics = options.pop("metrics", None)
        shown = self if metrics is None else self.select(metrics)
        if shown.p != 2:
            return plot_verdict_bar(shown.verdict(**options), ax=ax)
        return plot_regions(_NextDataset(shown), ax=ax, **options)

    def _title(self) -> str:
        return f"{super()._title()}\n{'data':<13}{len(self.datasets)} data sets"

    # -- saving --------------------------------------------------------------------------------

    def _groups(self) -> dict[str, dict[str, np.ndarray]]:
        return {"posterior": dict(self.fit.draws), "sample_stats": dict(self.fit.sample_stats),
                "constant_data": {"n": self.n, "means": self.means,
                                  "mixing": self.mixing}}  # fmt: skip

    def _coords(self) -> tuple[dict[str, Any], dict[str, Any]]:
        own = [np.flatnonzero(np.all(self.mixing == e[:, None], axis=0)) for e in np.eye(
            len(self.mixing))]  # fmt: skip
        names = [self.metrics[k[0]] if len(k) else f"({i})" for i, k in enumerate(own)]
        dims = {"delta0": ["coordinate"], "tau": ["coordinate"],
                "Omega": ["coordinate", "other"], "delta": ["dataset", "coordinate"],
                "n": ["dataset"], "means": ["dataset", "metric"],
                "mixing": ["coordinate", "metric"]}  # fmt: skip
        return {"dataset": self.datasets, "coordinate": names, "other": names,
                "metric": self.metrics}, dims  # fmt: skip

    def _attributes(self) -> dict[str, Any]:
        return {**super()._attributes(), "prior": self.prior.to_dict()}

    @classmethod
    def _restore(cls, common: dict[str, Any], more: dict[str, Any], groups: Any) -> Fitted:
        draws, stats, const = (
            {k: v.to_numpy() for k, v in groups[group].data_vars.items()}
            for group in ("posterior", "sample_stats", "constant_data")
        )
        names = groups["constant_data"].coords["dataset"].to_numpy()
        return cls(
            **common, metrics=tuple(more["metrics"]), prior=MultivariatePrior(**more["prior"]),
            datasets=tuple(map(str, names)), **const,
            fit=Fit(common["engine"], common["engine_version"], draws, stats),
        )  # fmt: skip


@dataclass(frozen=True)
class _NextDataset:
    """What a plot over the regions has to know: draws on the next data set, means as dots."""

    posterior: HierarchicalMultivariatePosterior

    @property
    def metrics(self) -> tuple[str, ...]:
        return self.posterior.metrics

    @property
    def draws(self) -> Mapping[str, np.ndarray]:
        return {"delta": self.posterior.next_dataset()}

    @property
    def x(self) -> np.ndarray:
        return self.posterior.means

    def verdict(self, rope: Any = None) -> Verdict:
        return self.posterior.verdict(rope)
