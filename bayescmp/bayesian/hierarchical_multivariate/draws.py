"""Draws of the hierarchical multivariate t test in all metrics: levels, correlations, saving."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.bayesian.hierarchical_multivariate.observed import PREDICTED, Observed
from bayescmp.bayesian.hierarchical_multivariate.prior import MultivariatePrior
from bayescmp.bayesian.hierarchical_multivariate.problem import MultivariateProblem
from bayescmp.bayesian.regions.posterior import SeveralPosterior
from bayescmp.draws import summarise, summary_frame, summary_row
from bayescmp.engines.base import Fit
from bayescmp.errors import InputError, unknown_name
from bayescmp.fitted import Fitted
from bayescmp.text import fact
from bayescmp.verdict import Ropes

if TYPE_CHECKING:
    import pandas as pd
    from typing_extensions import Self

    from bayescmp.typing import Coordinates, Groups, Json

__all__ = ["HierarchicalMultivariateDraws"]

#: What `Observed` holds.
SEEN = tuple(field.name for field in fields(Observed))


@dataclass(frozen=True, eq=False, repr=False)
class HierarchicalMultivariateDraws(SeveralPosterior):
    """Draws of the hierarchical multivariate t test.

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
    prior_words : str
        The prior in words, with the scales that were taken from the data.
    observed : Observed or None
        The data sets as the model saw them; None where another test fitted the one coordinate,
        and of files saved by 0.1.
    """

    _: KW_ONLY
    prior: MultivariatePrior
    datasets: tuple[str, ...]
    n: np.ndarray
    means: np.ndarray
    mixing: np.ndarray
    fit: Fit
    prior_words: str = ""
    observed: Observed | None = None

    @classmethod
    def made(cls, problem: MultivariateProblem, fit: Fit, **options: Any) -> Self:
        """From the program's draws, brought to the metrics' units and the data sets' order."""
        scales = {k: (problem.data[k] * problem.unit).tolist() for k in ("delta0_sd", "tau_scale")}
        return cls(
            prior_words=options["prior"].in_words(**scales),
            fit=Fit(fit.engine, fit.version, problem.in_metrics(fit.draws), fit.sample_stats),
            means=problem.means,
            mixing=problem.mixing,
            engine=fit.engine,
            engine_version=fit.version,
            **options,
        )

    @property
    def prior_text(self) -> str:
        """The prior in words."""
        return self.prior_words or str(self.prior)

    @cached_property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws of delta0 (chain, draw, p), Sigma0 (chain, draw, p, p), nu (chain, draw), delta.

        delta, of shape (chain, draw, q, p), are the data sets' own differences; all in units of
        the metrics.
        """
        d = self.fit.draws
        factor = np.swapaxes(self._root, -1, -2) @ self.mixing
        return {
            "delta0": d["delta0"] @ self.mixing,
            "Sigma0": np.swapaxes(factor, -1, -2) @ factor,
            "nu": d["nu"],
            "delta": d["delta"] @ self.mixing,
        }

    @property
    def _root(self) -> np.ndarray:
        """Roots of Σ0 in the coordinates, (chain, draw, r, r)."""
        d = self.fit.draws
        return np.asarray(d["tau"][..., None] * np.linalg.cholesky(d["Omega"]))

    @cached_property
    def tau(self) -> np.ndarray:
        """Draws of the scales across data sets, one per metric, (chain, draw, p)."""
        return np.sqrt(np.diagonal(self.draws["Sigma0"], axis1=-2, axis2=-1))

    @cached_property
    def correlations(self) -> np.ndarray:
        """Draws of the metrics' correlations across data sets, (chain, draw, p, p).

        NaN for a metric in which the algorithms never differ.
        """
        scale = np.where(self.tau > 0, self.tau, np.nan)
        return np.asarray(self.draws["Sigma0"] / (scale[..., None] * scale[..., None, :]))

    def select(self, metrics: Sequence[str]) -> Self:
        """The posterior of some of the metrics, with their ropes, in the order given.

        Raises
        ------
        InputError
            Unknown metrics, one twice, or none.

        See Also
        --------
        bayescmp.frequentist.hotelling_paired, bayescmp.frequentist.wilcoxon

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.bayesian import hierarchical_multivariate_t
        >>> xs = np.random.default_rng(1).normal([0.02, 0.03], 0.02, size=(8, 10, 2))
        >>> posterior = hierarchical_multivariate_t(
        ...     xs, rho=0.1, rope=0.01, metrics=["tpr", "auc"], seed=1
        ... )  # doctest: +SKIP
        >>> posterior.select(["auc"]).metrics  # doctest: +SKIP
        ('auc',)
        """
        wanted = [metrics] if isinstance(metrics, str) else list(metrics)
        for name in wanted:
            if name not in self.metrics:
                raise unknown_name("metric", name, self.metrics)
        if not wanted or len(set(wanted)) < len(wanted):
            raise InputError(
                f"metrics={metrics!r}; accepted: distinct metrics out of {self.metrics}"
            )
        columns = [self.metrics.index(m) for m in wanted]
        return replace(
            self,
            mixing=self.mixing[:, columns],
            means=self.means[:, columns],
            metrics=tuple(wanted),
            metric=", ".join(wanted),
            rope=Ropes(self.ropes()[k] for k in columns),
        )

    def correlation(self) -> pd.DataFrame:
        """Correlation of each two metrics' mean differences across data sets.

        Returns
        -------
        DataFrame
            One row per pair: mean, sd, median, central 95 % interval, and the probability that the
            correlation is positive.

        See Also
        --------
        numpy.corrcoef : Of the data sets' means, whose errors dilute it.

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.bayesian import hierarchical_multivariate_t
        >>> xs = np.random.default_rng(1).normal([0.02, 0.03], 0.02, size=(8, 10, 2))
        >>> posterior = hierarchical_multivariate_t(
        ...     xs, rho=0.1, rope=0.01, metrics=["tpr", "auc"], seed=1
        ... )  # doctest: +SKIP
        >>> posterior.correlation()[["mean", "p_positive"]]  # doctest: +SKIP
        """
        import pandas as pd

        rows = {}
        for i, k in combinations(range(self.p), 2):
            draws = self.correlations[..., i, k]
            rows[self.metrics[i], self.metrics[k]] = {
                **summarise(draws),
                "p_positive": float((draws > 0).mean()),
            }
        index = pd.MultiIndex.from_tuples(list(rows) or [], names=["metric", "other"])
        return pd.DataFrame(list(rows.values()), index=index)

    def summary(self) -> pd.DataFrame:
        """Posterior of δ0, τ, correlations and ν: mean, sd, median, 95 % interval, diagnostics.

        Returns
        -------
        DataFrame

        See Also
        --------
        bayescmp.frequentist.hotelling_paired, bayescmp.frequentist.wilcoxon

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.bayesian import hierarchical_multivariate_t
        >>> xs = np.random.default_rng(1).normal([0.02, 0.03], 0.02, size=(8, 10, 2))
        >>> posterior = hierarchical_multivariate_t(
        ...     xs, rho=0.1, rope=0.01, metrics=["tpr", "auc"], seed=1
        ... )  # doctest: +SKIP
        >>> posterior.summary().loc["delta0[auc]", "mean"]  # doctest: +SKIP
        """
        parts = {f"delta0[{m}]": self.draws["delta0"][..., k] for k, m in enumerate(self.metrics)}
        parts |= {f"tau[{m}]": self.tau[..., k] for k, m in enumerate(self.metrics)}
        for i, k in combinations(range(self.p), 2):
            name = f"correlation[{self.metrics[i]}, {self.metrics[k]}]"
            parts[name] = self.correlations[..., i, k]
        parts["nu"] = self.draws["nu"]
        rows = {name: summary_row(draws) for name, draws in parts.items()}
        return summary_frame(rows, self.measured)

    def next_dataset(self) -> np.ndarray:
        """Draws of the mean differences on the next data set, one for each draw of (δ0, Σ0, ν).

        Returns
        -------
        ndarray of shape (chain, draw, p)
            Seeded: the same every time.

        See Also
        --------
        bayescmp.frequentist.hotelling_paired, bayescmp.frequentist.wilcoxon

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.bayesian import hierarchical_multivariate_t
        >>> xs = np.random.default_rng(1).normal([0.02, 0.03], 0.02, size=(8, 10, 2))
        >>> posterior = hierarchical_multivariate_t(
        ...     xs, rho=0.1, rope=0.01, metrics=["tpr", "auc"], seed=1
        ... )  # doctest: +SKIP
        >>> posterior.next_dataset().shape  # doctest: +SKIP
        (4, 1000, 2)
        """
        d = self.fit.draws
        rng = np.random.default_rng([self.seed, 5])
        z = rng.standard_normal(d["delta0"].shape)
        z /= np.sqrt(rng.chisquare(d["nu"]) / d["nu"])[..., None]
        drawn = d["delta0"] + (self._root @ z[..., None])[..., 0]
        return np.asarray(drawn @ self.mixing)

    def _title(self) -> str:
        lines = fact("prior", self.prior_text), fact("data", f"{len(self.datasets)} data sets")
        return "\n".join([super()._title(), *lines])

    # -- saving --------------------------------------------------------------------------------

    def _groups(self) -> dict[str, dict[str, np.ndarray]]:
        return {
            "posterior": dict(self.fit.draws),
            "sample_stats": dict(self.fit.sample_stats),
            "constant_data": {
                "n": self.n,
                "means": self.means,
                "mixing": self.mixing,
                **({} if self.observed is None else self.observed.arrays),
            },
        }

    def _predictive_groups(self) -> dict[str, dict[str, np.ndarray]]:
        if self.observed is None:
            return {}
        draws, observed, rngs = self.fit.draws, self.observed, (3, 4)
        predict, before = (np.random.default_rng([self.seed, k]) for k in rngs)
        return {
            "log_likelihood": {"differences": observed.log_likelihood(draws)},
            "log_prior": observed.log_prior(draws, self.prior),
            "prior": observed.prior_draws(self.prior, draws["nu"].shape, before),
            "observed_data": {PREDICTED: observed.xbar},
            "posterior_predictive": {PREDICTED: observed.replicates(draws, predict)},
        }

    def _coords(self) -> Coordinates:
        own = [
            np.flatnonzero(np.all(self.mixing == e[:, None], axis=0))
            for e in np.eye(len(self.mixing))
        ]
        names = [self.metrics[k[0]] if len(k) else f"({i})" for i, k in enumerate(own)]
        dims = {
            "delta0": ["coordinate"],
            "tau": ["coordinate"],
            "Omega": ["coordinate", "other"],
            "delta": ["dataset", "coordinate"],
            "n": ["dataset"],
            "means": ["dataset", "metric"],
            "mixing": ["coordinate", "metric"],
            "xbar": ["dataset", "coordinate"],
            "C": ["dataset", "coordinate", "other"],
            "dof": ["dataset"],
            "rho": ["dataset"],
            "delta0_sd": ["coordinate"],
            "tau_scale": ["coordinate"],
            "within": ["coordinate"],
            "differences": ["dataset"],
            PREDICTED: ["dataset", "coordinate"],
        }
        return {
            "dataset": self.datasets,
            "coordinate": names,
            "other": names,
            "metric": self.metrics,
        }, dims

    def prior_facts(self) -> Json:
        """The prior as words and plain numbers, for JSON."""
        return self.prior.to_dict()

    def _attributes(self) -> Json:
        more = {"prior": self.prior.to_dict(), "prior_words": self.prior_words}
        return {**super()._attributes(), **more}

    @classmethod
    def _restore(cls, common: Json, more: Json, groups: Groups) -> Fitted:
        draws, stats, const = (
            {k: v.to_numpy() for k, v in groups[name].data_vars.items()} if name in groups else {}
            for name in ("posterior", "sample_stats", "constant_data")
        )
        names = groups["constant_data"].coords["dataset"].to_numpy()
        return cls(
            **common,
            metrics=tuple(more["metrics"]),
            prior=MultivariatePrior(**more["prior"]),
            prior_words=more.get("prior_words", ""),
            datasets=tuple(map(str, names)),
            **{k: const[k] for k in ("n", "means", "mixing")},
            observed=Observed(**{k: const[k] for k in SEEN}) if set(SEEN) <= set(const) else None,
            fit=Fit(common["engine"], common["engine_version"], draws, stats),
        )
