"""Draws of the hierarchical multivariate t test, and the data sets as it sees them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import gammaln

from bayescmp.base.checks import choice
from bayescmp.bayesian.hierarchical.answers import log_density_of_nu
from bayescmp.bayesian.hierarchical_multivariate.problem import (
    MultivariatePrior,
    MultivariateProblem,
)
from bayescmp.bayesian.regions import SeveralPosterior
from bayescmp.bayesian.sampling import dataset_log_likelihood, read_fit, save_fit
from bayescmp.engines.base import Fit
from bayescmp.engines.quadrature import NuPrior
from bayescmp.errors import InputError
from bayescmp.results.arviz import summarise, summary_frame, summary_row
from bayescmp.results.saving import array, attribute, labels, part, record
from bayescmp.scores.rope import Ropes
from bayescmp.wording.text import fact

if TYPE_CHECKING:
    import pandas as pd
    from typing_extensions import Self

    from bayescmp.base.typing import Json

__all__ = [
    "HierarchicalMultivariateDraws",
    "Observed",
    "log_half_t",
]


# The data sets as the hierarchical model sees them: likelihood, prior, and data it predicts.


Draws = Mapping[str, np.ndarray]
#: What is observed and predicted: each data set's mean differences in the coordinates.
PREDICTED = "mean_difference"
#: What there is of each data set.
ROWS = ("xbar", "C", "dof", "rho")


@dataclass(frozen=True, eq=False)
class Observed:
    """What the program was given, in units of the metrics and in the data sets' own order.

    Attributes
    ----------
    xbar : ndarray of shape (q, r)
        Mean differences in the coordinates that were fitted.
    C : ndarray of shape (q, r, r)
        Scale matrices of their errors.
    dof : ndarray of shape (q,)
        Degrees of freedom of these.
    rho : ndarray of shape (q,)
        Correlation of two folds' differences.
    delta0_sd, tau_scale : ndarray of shape (r,)
        Scales of the prior.
    within : ndarray of shape (r,)
        What the prior of Σ_i adds to the diagonals of the scatter matrices; 0 with Jeffreys'.
    """

    xbar: np.ndarray
    C: np.ndarray
    dof: np.ndarray
    rho: np.ndarray
    delta0_sd: np.ndarray
    tau_scale: np.ndarray
    within: np.ndarray

    @classmethod
    def of(cls, problem: MultivariateProblem, rho: np.ndarray) -> Observed:
        """From the program's data; rho in the data sets' own order."""
        data, unit, back = problem.data, problem.unit, np.argsort(problem.order)
        return cls(
            problem.sign * unit * np.asarray(data["xbar"])[back],
            np.outer(unit, unit) * np.asarray(data["C"])[back],
            np.asarray(data["dof"], dtype=float)[back],
            rho,
            data["delta0_sd"] * unit,
            data["tau_scale"] * unit,
            problem.within,
        )

    def with_rho(self, rho: float, n: np.ndarray) -> Observed:
        """The same folds, n of each data set, with another correlation."""
        own, other = ((1 + (n - 1) * r) / (n * self.dof) for r in (self.rho, rho))
        prior = np.diag(self.within)
        total = self.C / own[:, None, None] - prior  # scatter / (1 - rho)
        changed = total * ((1 - self.rho) / (1 - rho))[:, None, None] + prior
        C = changed * other[:, None, None]
        return replace(self, C=C, rho=np.full_like(self.rho, rho))

    def without(self, i: int) -> Observed:
        """All data sets but one, under the same prior."""
        rows = {name: np.delete(getattr(self, name), i, axis=0) for name in ROWS}
        return replace(self, **rows)

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """All of it by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def log_likelihood(self, draws: Draws, factor: np.ndarray | float = 1.0) -> np.ndarray:
        """Of each data set given δ0, Σ0 and ν, its own means integrated out.

        Parameters
        ----------
        draws : mapping
            delta0 and tau of shape (chain, draw, r), Omega (chain, draw, r, r), nu (chain, draw).

        Returns
        -------
        ndarray of shape (chain, draw, q)
        """
        tau, nu = draws["tau"], draws["nu"]
        scale = tau[..., None] * draws["Omega"] * tau[..., None, :]
        r = tau.shape[-1]
        each = [
            dataset_log_likelihood(
                x, c, dof, draws["delta0"].reshape(-1, r), scale.reshape(-1, r, r), nu.ravel()
            )
            for x, c, dof in zip(self.xbar, self.C, self.dof, strict=True)
        ]
        return np.stack(each, axis=-1).reshape(*nu.shape, -1)

    def log_prior(self, draws: Draws, prior: MultivariatePrior) -> dict[str, np.ndarray]:
        """Log densities of δ0 and τ, (chain, draw, r), of Ω (up to a constant) and ν."""
        z = draws["delta0"] / self.delta0_sd
        normal = -0.5 * (z**2 + np.log(2 * np.pi)) - np.log(self.delta0_sd)
        nu_prior = NuPrior(prior.alpha, prior.beta, 1.0)
        return {
            "delta0": normal,
            "tau": log_half_t(draws["tau"], prior.tau_df, self.tau_scale),
            "correlations": (prior.lkj - 1) * np.linalg.slogdet(draws["Omega"])[1],
            "nu": log_density_of_nu(nu_prior, draws["nu"]),
        }

    def prior_draws(
        self, prior: MultivariatePrior, shape: tuple[int, ...], rng: np.random.Generator
    ) -> dict[str, np.ndarray]:
        """Draws of δ0, τ and ν from the prior."""
        size = (*shape, len(self.delta0_sd))
        (a0, a1), (b0, b1) = prior.alpha, prior.beta
        shapes, rates = rng.uniform(a0, a1, shape), rng.uniform(b0, b1, shape)
        return {
            "delta0": self.delta0_sd * rng.standard_normal(size),
            "tau": self.tau_scale * np.abs(rng.standard_t(prior.tau_df, size)),
            "nu": 1 + rng.standard_gamma(shapes) / rates,
        }

    def replicates(self, draws: Draws, rng: np.random.Generator) -> np.ndarray:
        """Mean differences of as many new data sets, with the errors of those seen.

        Returns
        -------
        ndarray of shape (chain, draw, q, r)
        """
        tau, nu = draws["tau"], draws["nu"]
        q, r = self.xbar.shape
        root = tau[..., None] * np.linalg.cholesky(draws["Omega"])
        between = rng.standard_normal((*nu.shape, q, r)) @ np.swapaxes(root, -1, -2)
        between /= np.sqrt(rng.chisquare(nu[..., None], (*nu.shape, q)) / nu[..., None])[..., None]
        noise = np.einsum(
            "qij,cdqj->cdqi", np.linalg.cholesky(self.C), rng.standard_normal(between.shape)
        )
        noise /= np.sqrt(rng.chisquare(self.dof, (*nu.shape, q)) / self.dof)[..., None]
        return np.asarray(draws["delta0"][..., None, :] + between + noise)


def log_half_t(x: np.ndarray, df: float, scale: np.ndarray) -> np.ndarray:
    """Log density of a half-t at x >= 0."""
    constant = np.log(2) + gammaln((df + 1) / 2) - gammaln(df / 2) - np.log(df * np.pi) / 2
    return np.asarray(constant - np.log(scale) - (df + 1) / 2 * np.log1p((x / scale) ** 2 / df))


# Draws of the hierarchical multivariate t test in all metrics: levels, correlations, saving.


#: What `Observed` holds.


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
    prior: MultivariatePrior = field(
        metadata=attribute(lambda prior: prior.to_dict(), lambda prior: MultivariatePrior(**prior))
    )
    datasets: tuple[str, ...] = field(metadata=labels("dataset"))
    n: np.ndarray = field(metadata=array("dataset"))
    means: np.ndarray = field(metadata=array("dataset", "metric"))
    mixing: np.ndarray = field(metadata=array("coordinate", "metric"))
    fit: Fit = field(metadata=part(save_fit, read_fit))
    prior_words: str = ""
    observed: Observed | None = field(default=None, metadata=record(Observed))

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
            choice("metric", name, self.metrics)
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

    @property
    def labels(self) -> dict[str, Any]:
        """The coordinates: a metric's name where one is the metric itself, else a number."""
        own = [
            np.flatnonzero(np.all(self.mixing == e[:, None], axis=0))
            for e in np.eye(len(self.mixing))
        ]
        names = [self.metrics[k[0]] if len(k) else f"({i})" for i, k in enumerate(own)]
        return {"coordinate": names, "other": names}

    def prior_facts(self) -> Json:
        """The prior as words and plain numbers, for JSON."""
        return self.prior.to_dict()
