"""Posterior of the hierarchical multivariate t test: verdicts, and other assumptions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from bayescmp.base.arguments import must_be
from bayescmp.base.checks import as_names, check_choice
from bayescmp.base.fields import about
from bayescmp.base.records import read_only
from bayescmp.base.typing import Json, Variation
from bayescmp.bayesian.hierarchical.answers import next_interval
from bayescmp.bayesian.hierarchical_multivariate.problem import (
    ADAPT_DELTA,
    MODEL,
    PREDICTED,
    WARMUP,
    Draws,
    MultivariatePrior,
    MultivariateProblem,
    ObservedData,
    places,
    program_data,
    scale_by_data,
)
from bayescmp.bayesian.multivariate.base import name_chosen
from bayescmp.bayesian.regions import membership, region_masses, weigh_draws
from bayescmp.bayesian.sampling import (
    average_draws,
    check_settings,
    reweigh_setting,
)
from bayescmp.engines.base import Fit, find_engine
from bayescmp.results.arviz import summarise_draws, summary_frame, summary_row
from bayescmp.results.diagnostics import share_errors
from bayescmp.results.posterior import Model, Posterior
from bayescmp.results.regions import FOUR
from bayescmp.results.verdict import (
    DatasetSpread,
    IfKnown,
    Verdict,
    check_threshold,
    lead_of,
    winners,
)
from bayescmp.scores.resampling import other_rhos
from bayescmp.scores.rope import Ropes, RopesLike

if TYPE_CHECKING:
    from typing import Self


# Another fit of data sets as the model saw them, under other assumptions.


def refit_posterior(
    posterior: HierarchicalMultivariatePosterior, observed: ObservedData, prior: MultivariatePrior
) -> HierarchicalMultivariatePosterior:
    """Fit the upper level of the same metrics to other data sets, or under another prior."""
    problem = _pose_observed(posterior, observed, prior)
    chains, draws = posterior.fit.draws["nu"].shape
    settings = check_settings(chains, WARMUP, draws, ADAPT_DELTA)
    engine = find_engine(posterior.engine, MODEL)
    fit, diagnostics = problem.sample(engine, posterior.seed, settings)
    other = replace(posterior, prior=prior, observed=observed, fit=fit, diagnostics=diagnostics)
    other.warn_if_doubtful()
    return other


def _pose_observed(
    posterior: HierarchicalMultivariatePosterior, observed: ObservedData, prior: MultivariatePrior
) -> MultivariateProblem:
    """Return the program's data: in units, sorted, and mirrored if that comes first."""
    spread = np.diagonal(observed.C, axis1=1, axis2=2)
    order = places(observed.xbar, observed.dof, spread)
    rows = observed.xbar[order], observed.C[order], observed.dof[order]
    unit = np.sqrt(spread[order]).mean(axis=0)
    data, sign = program_data(*rows, observed.delta0_sd, observed.tau_scale, unit, prior)
    kept = np.arange(len(unit))
    return MultivariateProblem(
        data, unit, sign, order, kept, posterior.mixing, posterior.means, (), observed.within
    )


# The hierarchical multivariate test under other assumptions, by reweighting or by another fit.


#: Draws that are reweighted by likelihoods, at most.
MOST = 1000


@dataclass(frozen=True, eq=False)
class ChangedProblem:
    """Data under a different assumption: `question`, `setting`, `observed`, `prior`, `dropped`."""

    question: str
    setting: str
    observed: ObservedData
    prior: MultivariatePrior
    dropped: int | None = None


def changes(
    posterior: HierarchicalMultivariatePosterior, observed: ObservedData, *, datasets: bool
) -> Iterator[ChangedProblem]:
    """Yield other priors and correlations, and each data set of three or more left out."""
    prior = posterior.prior
    yield from _priors(observed, prior)
    for rho in other_rhos(float(np.median(observed.rho))):
        yield ChangedProblem("rho", f"{rho:.3g}", observed.with_rho(rho, posterior.n), prior)
    for i, name in enumerate(posterior.datasets if datasets and len(posterior.n) > 2 else ()):
        yield ChangedProblem("without", name, observed.without(i), prior, i)


def reweigh_regions(
    posterior: HierarchicalMultivariatePosterior,
    observed: ObservedData,
    *,
    datasets: bool,
    refit: bool,
) -> Iterator[Variation]:
    """Yield the regions' probabilities under other assumptions, with k-hat of the weights."""
    shares, draws = winners(posterior.masses()), posterior.fit.draws
    every = max(draws["nu"].size // MOST, 1)
    few, few_shares = {k: v[:, ::every] for k, v in draws.items()}, shares[:, ::every]
    own = observed.log_likelihood(few)
    density = _log_prior(observed, draws, posterior.prior)
    for change in changes(posterior, observed, datasets=datasets):
        if change.question == "prior":
            ratios, averaged = _log_prior(change.observed, draws, change.prior) - density, shares
        elif change.dropped is not None:
            ratios, averaged = -own[..., change.dropped], few_shares
        else:
            ratios, averaged = (change.observed.log_likelihood(few) - own).sum(axis=-1), few_shares
        again = partial(_another_fit, posterior, change)
        average = partial(average_draws, averaged)
        yield (
            change.question,
            *reweigh_setting(change.setting, ratios, average, again, refit=refit),
        )


def _another_fit(
    posterior: HierarchicalMultivariatePosterior, change: ChangedProblem
) -> np.ndarray:
    other = refit_posterior(posterior, change.observed, change.prior)
    return np.asarray(winners(other.masses()).mean(axis=(0, 1)))


def _log_prior(observed: ObservedData, draws: Draws, prior: MultivariatePrior) -> np.ndarray:
    parts = observed.log_prior(draws, prior)
    own = parts["delta0"].sum(axis=-1) + parts["tau"].sum(axis=-1)
    return np.asarray(own + parts["correlations"] + parts["nu"])


def _priors(observed: ObservedData, prior: MultivariatePrior) -> Iterator[ChangedProblem]:
    weak = MultivariatePrior.weakly_informative()
    spread = replace(observed, tau_scale=scale_by_data(weak, observed.xbar, observed.C))
    words = f"half-t({weak.tau_df:g}, {weak.tau_factor:g} sd) of τ"
    yield ChangedProblem("prior", words, spread, replace(prior, tau_df=weak.tau_df))
    if (prior.alpha, prior.beta) != (weak.alpha, weak.beta):
        words = f"ν − 1 ~ Gamma({weak.alpha[0]:g}, {weak.beta[0]:g})"
        yield ChangedProblem(
            "prior", words, observed, replace(prior, alpha=weak.alpha, beta=weak.beta)
        )
    if observed.xbar.shape[1] > 1 and prior.lkj != 1:
        yield ChangedProblem("prior", "correlations ~ LKJ(1)", observed, replace(prior, lkj=1.0))
    wider = replace(observed, delta0_sd=10 * observed.delta0_sd)
    yield ChangedProblem("prior", "δ0 ten times as wide", wider, prior)


# Posterior of the hierarchical multivariate t test: verdicts on a new data set and on each.


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class HierarchicalMultivariatePosterior(Posterior):
    """Posterior of the hierarchical multivariate t test.

    Attributes
    ----------
    prior : MultivariatePrior
    datasets : tuple of str
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
        The data sets as the model saw them; None if another test fitted the one coordinate.

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp.bayesian import hierarchical_multivariate_t
    >>> xs = np.random.default_rng(1).normal([0.02, 0.03], 0.02, size=(8, 10, 2))
    >>> posterior = hierarchical_multivariate_t(
    ...     xs, rho=0.1, rope=0.01, metrics=["tpr", "auc"], seed=1
    ... )  # doctest: +SKIP
    >>> posterior.verdict().ranked[0], posterior.dataset_verdict("3").ranked[0]  # doctest: +SKIP
    ('second', 'second')
    """

    prior: MultivariatePrior
    datasets: tuple[str, ...]
    n: np.ndarray = field(metadata=about("dataset"))
    means: np.ndarray = field(metadata=about("dataset", "metric"))
    mixing: np.ndarray = field(metadata=about("coordinate", "metric"))
    fit: Fit = field(metadata=about(variables=("delta0", "tau", "nu", "delta")))
    prior_words: str = ""
    observed: ObservedData | None = None

    model: Model = Model(
        kind="hierarchical_multivariate_t",
        method="Bayesian hierarchical multivariate t test",
        reference="after Corani et al. 2017",
        target="a new data set",
        shows=("regions", "datasets"),
        unplanned=(
            "It is about several metrics. Compare two algorithms by one metric at a time: the "
            "posteriors of bayescmp.bayesian.hierarchical_t and signed_rank have .plan()."
        ),
        dims={
            "delta0": ("coordinate",),
            "tau": ("coordinate",),
            "Omega": ("coordinate", "other"),
            "delta": ("dataset", "coordinate"),
            "differences": ("dataset",),
            "mean_difference": ("dataset", "coordinate"),
        },
    )

    @property
    def prior_text(self) -> str:
        """The prior in words."""
        return self.prior_words or str(self.prior)

    @cached_property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws of delta0 (chain, draw, p), Sigma0 (..., p, p), nu, and delta (..., q, p)."""
        d = self.fit.draws
        factor = np.swapaxes(self._root, -1, -2) @ self.mixing
        return read_only(
            {
                "delta0": d["delta0"] @ self.mixing,
                "Sigma0": np.swapaxes(factor, -1, -2) @ factor,
                "nu": d["nu"],
                "delta": d["delta"] @ self.mixing,
            }
        )

    @property
    def _root(self) -> np.ndarray:
        """Roots of Σ0 in the coordinates, (chain, draw, r, r)."""
        d = self.fit.draws
        return np.asarray(d["tau"][..., None] * np.linalg.cholesky(d["Omega"]))

    @cached_property
    def tau(self) -> np.ndarray:
        """Draws of the scales across data sets, one per metric, (chain, draw, p)."""
        return read_only(np.sqrt(np.diagonal(self.draws["Sigma0"], axis1=-2, axis2=-1)))

    @cached_property
    def correlations(self) -> np.ndarray:
        """Draws of metrics' correlations across data sets, (chain, draw, p, p), or NaN."""
        scale = np.where(self.tau > 0, self.tau, np.nan)
        return read_only(
            np.asarray(self.draws["Sigma0"] / (scale[..., None] * scale[..., None, :]))
        )

    def select(self, metrics: Sequence[str]) -> Self:
        """Return the posterior of some of the metrics, with their ROPEs, in the order given."""
        wanted = as_names(metrics, "metrics")
        for name in wanted:
            check_choice("metric", name, self.metrics, "metrics")
        if not wanted or len(set(wanted)) < len(wanted):
            raise must_be("metrics", f"distinct metrics out of {self.metrics}", metrics)
        columns = [self.metrics.index(m) for m in wanted]
        return replace(
            self,
            mixing=self.mixing[:, columns],
            means=self.means[:, columns],
            **name_chosen(self, columns),
        )

    def correlation(self) -> pd.DataFrame:
        """Return the correlation of each two metrics' mean differences across data sets.

        One row per pair: mean, sd, median, central 95% interval, and the probability that it is
        positive.
        """
        rows = {}
        for i, k in combinations(range(self.p), 2):
            draws = self.correlations[..., i, k]
            rows[self.metrics[i], self.metrics[k]] = {
                **summarise_draws(draws),
                "p_positive": float((draws > 0).mean()),
            }
        index = pd.MultiIndex.from_tuples(list(rows) or [], names=["metric", "other"])
        return pd.DataFrame(list(rows.values()), index=index)

    def summary(self) -> pd.DataFrame:
        """Summarise δ0, τ, correlations and ν: mean, sd, median, 95% interval, diagnostics."""
        parts = {f"delta0[{m}]": self.draws["delta0"][..., k] for k, m in enumerate(self.metrics)}
        parts |= {f"tau[{m}]": self.tau[..., k] for k, m in enumerate(self.metrics)}
        for i, k in combinations(range(self.p), 2):
            name = f"correlation[{self.metrics[i]}, {self.metrics[k]}]"
            parts[name] = self.correlations[..., i, k]
        parts["nu"] = self.draws["nu"]
        rows = {name: summary_row(draws) for name, draws in parts.items()}
        return summary_frame(rows, self.measured)

    def next_dataset(self) -> np.ndarray:
        """Return draws of a new data set's mean differences, (chain, draw, p), seeded."""
        d = self.fit.draws
        rng = np.random.default_rng([self.seed, 5])
        z = rng.standard_normal(d["delta0"].shape)
        z /= np.sqrt(rng.chisquare(d["nu"]) / d["nu"])[..., None]
        drawn = d["delta0"] + (self._root @ z[..., None])[..., 0]
        return np.asarray(drawn @ self.mixing)

    @property
    def data_details(self) -> str:
        """The number of data sets."""
        return f"{len(self.datasets)} data sets"

    def _predictive_groups(self) -> dict[str, dict[str, np.ndarray]]:
        if self.observed is None:
            return {}
        draws, observed, rngs = self.fit.draws, self.observed, (3, 4)
        predict, before = (np.random.default_rng([self.seed, stream]) for stream in rngs)
        return {
            "log_likelihood": {"differences": observed.log_likelihood(draws)},
            "log_prior": observed.log_prior(draws, self.prior),
            "prior": observed.prior_draws(self.prior, draws["nu"].shape, before),
            "observed_data": {PREDICTED: observed.xbar},
            "posterior_predictive": {PREDICTED: observed.replicates(draws, predict)},
        }

    def _posterior_group(self) -> Mapping[str, np.ndarray]:
        """Return the draws of the fitted coordinates, whose prior is in a different group."""
        return self.fit.draws

    @property
    def labels(self) -> dict[str, Any]:
        """The coordinates: a metric's name if one is the metric itself, else a number."""
        own = [
            np.flatnonzero(np.all(self.mixing == e[:, None], axis=0))
            for e in np.eye(len(self.mixing))
        ]
        names = [self.metrics[kept[0]] if len(kept) else f"({i})" for i, kept in enumerate(own)]
        return {"coordinate": names, "other": names}

    def prior_facts(self) -> Json:
        """Return the prior as words and plain numbers, for JSON."""
        return self.prior.to_dict()

    def masses(self, rope: RopesLike | None = None) -> np.ndarray:
        """Return probabilities of the four regions on a new data set, for each draw.

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
        return self._own_replicates if ropes == self.ropes() else self._compute_masses(ropes)

    @cached_property
    def _own_replicates(self) -> np.ndarray:
        return self._compute_masses(self.ropes())

    def _compute_masses(self, ropes: Ropes) -> np.ndarray:
        d = self.fit.draws
        r = self.mixing.shape[0]
        masses = region_masses(
            d["delta0"].reshape(-1, r),
            self._root.reshape(-1, r, r),
            d["nu"].ravel(),
            self.mixing,
            ropes,
            seed=self.seed,
        )
        return masses.reshape(len(masses), *d["nu"].shape, 4)

    @property
    def fixed(self) -> Mapping[str, str]:
        """The settings that a sensitivity analysis cannot vary, with reasons."""
        if self.observed is not None:
            return {}
        one = len(self.mixing) == 1
        why = (
            "of one metric, hierarchical_t varies it"
            if one
            else "the data that the model saw are not known"
        )
        return dict.fromkeys(("prior", "rho", "without"), why)

    def _vary(self, datasets: bool, refit: bool) -> Iterator[Variation]:
        """Yield other priors and correlations, and each data set left out, by reweighting."""
        if self.observed is not None:
            yield from reweigh_regions(self, self.observed, datasets=datasets, refit=refit)

    def _weigh_regions(self, rope: Ropes) -> Json:
        """Return the posterior proportion in which each region is most probable, with errors."""
        replicates = self._replicates(rope)
        masses = replicates.mean(axis=0)
        shares = winners(masses)
        errors = share_errors(shares)
        if len(replicates) > 1:
            each = winners(replicates).mean(axis=(1, 2))
            errors = np.hypot(errors, each.std(axis=0, ddof=1) / np.sqrt(len(each)))
        return {
            "p": shares.mean(axis=(0, 1)),
            "errors": errors,
            "floor": 1 / masses[..., 0].size,
            "expected": masses.mean(axis=(0, 1)),
            "location": membership(self.draws["delta0"], rope).mean(axis=(0, 1)),
            **lead_of(self.draws["delta0"]),
            "spread": self._spread,
            "known": IfKnown.from_masses(masses),
        }

    @cached_property
    def _spread(self) -> tuple[DatasetSpread, ...]:
        """Return how far data sets differ in each metric; the ROPE does not matter."""
        marginals = [
            {
                "nu": self.draws["nu"],
                "delta0": self.draws["delta0"][..., k],
                "sigma0": self.tau[..., k],
            }
            for k in range(self.p)
        ]
        # a metric that never differs has no spread, and the same difference everywhere: none
        return tuple(
            DatasetSpread(
                float(np.median(m["sigma0"])),
                scale,
                next_interval(m) if m["sigma0"].any() else (0.0, 0.0),
                "τ",
            )
            for m, scale in zip(marginals, lead_of(self.tau)["mean_interval"], strict=True)
        )

    def dataset_verdict(
        self, dataset: str, rope: RopesLike | None = None, *, threshold: float = 0.95
    ) -> Verdict:
        """Return the estimated probabilities of the four regions on one of the data sets.

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
        """
        check_choice("data set", dataset, self.datasets, "dataset")
        ropes, threshold = self.ropes(rope), check_threshold(threshold)
        weighed = weigh_draws(self.draws["delta"][:, :, self.datasets.index(dataset)], ropes)
        verdict = self.decide(**weighed, rope=ropes, threshold=threshold)
        return replace(verdict, target=f"the data set {dataset}")

    def by_dataset(self, rope: RopesLike | None = None) -> pd.DataFrame:
        """Tabulate each data set's differences, as measured and as estimated (shrunken).

        Parameters
        ----------
        rope : optional
            As for `masses`.

        Returns
        -------
        DataFrame
            One row per data set: n; for each metric observed mean, posterior mean and sd of δ_i;
            the probabilities of the four regions.
        """
        delta = self.draws["delta"]
        mean, sd = delta.mean(axis=(0, 1)), delta.std(axis=(0, 1), ddof=1)
        p = membership(delta, self.ropes(rope)).mean(axis=(0, 1))
        table = {"n": self.n}
        for k, m in enumerate(self.metrics):
            table |= {
                f"observed {m}": self.means[:, k],
                f"mean {m}": mean[:, k],
                f"sd {m}": sd[:, k],
            }
        table |= {f"p_{region}": p[:, i] for i, region in enumerate(FOUR.regions)}
        return pd.DataFrame(table, index=pd.Index(self.datasets, name="dataset"))

    def _choose_picture(self, options: dict[str, Any]) -> tuple[str, object, dict[str, Any]]:
        """Plot a new data set's differences over two metrics' regions, else the verdict."""
        metrics = options.pop("metrics", None)
        shown = self if metrics is None else self.select(metrics)
        if shown.p != 2 or shown.ropes().open:
            return "plot_verdict_bar", shown.verdict(**options), {}
        return "plot_regions", NextDataset(shown), options


@dataclass(frozen=True)
class NextDataset:
    """Data of a plot over the regions: draws for a new data set, means as dots."""

    posterior: HierarchicalMultivariatePosterior

    shows: ClassVar[tuple[str, ...]] = ("regions", "folds")

    @property
    def metrics(self) -> tuple[str, ...]:
        """The posterior's metrics."""
        return self.posterior.metrics

    @property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws of the difference on a new data set."""
        return {"delta": self.posterior.next_dataset()}

    @property
    def x(self) -> np.ndarray:
        """Mean differences of the data sets."""
        return self.posterior.means

    def __getattr__(self, name: str) -> object:  # the rest is the posterior's own
        return getattr(self.posterior, name)
