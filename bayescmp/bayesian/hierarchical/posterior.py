"""Posterior of the hierarchical correlated t test: verdict, data sets, second opinion, saving."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayescmp.base import checks
from bayescmp.base.arguments import arg, must_be
from bayescmp.base.checks import (
    Seed,
    correlation,
    each,
    flag,
    number,
    one_of,
    optional,
    positive,
    seed_of,
    share,
    text,
    validate_params,
)
from bayescmp.base.fields import about
from bayescmp.base.records import Record
from bayescmp.base.typing import Json
from bayescmp.bayesian.hierarchical.answers import (
    PREDICTED,
    Answer,
    answer_of,
    arviz_groups,
    masses_of,
    quantiles_of,
    solve_problem,
)
from bayescmp.bayesian.hierarchical.problem import MODEL, UPPER, HierarchicalPrior, ScaledProblem
from bayescmp.bayesian.sampling import check_settings, sample
from bayescmp.engines.base import (
    Engine,
    Fit,
    SamplerSettings,
    engines,
    find_engine,
    stan_engine,
)
from bayescmp.engines.quadrature import GridPosterior
from bayescmp.errors import EngineNotFound, unknown_name
from bayescmp.present.forms import Summarised
from bayescmp.present.summary import Column, Summary, summarise
from bayescmp.results.arviz import summarise_draws, summary_frame
from bayescmp.results.plan import Plan
from bayescmp.results.posterior import Model, Posterior, name_engine
from bayescmp.results.regions import THREE
from bayescmp.results.sensitivity import PairsSensitivity, Sensitivity
from bayescmp.results.verdict import IfKnown, Verdict
from bayescmp.scores.differences import SufficientStatistics
from bayescmp.scores.rope import Rope, RopeLike, rope_phrase
from bayescmp.scores.runs import SAMPLES, count_runs
from bayescmp.wording.markup import named_rows

if TYPE_CHECKING:
    from bayescmp.study.moderators import FeaturesLike, Moderators

# A second opinion: two engines' posteriors of one problem, side by side.


#: Two engines agree on a probability within this, or within this many standard errors.
CLOSE, ERRORS = 1e-3, 3.0


@dataclass(frozen=True, eq=False, repr=False)
class Verification(Record, Summarised):
    """Posteriors of the same problem by two engines, side by side: `posterior` and the `other`."""

    posterior: Posterior
    other: Posterior
    rope: Rope

    @property
    def verdicts(self) -> tuple[Verdict, Verdict]:
        """The two verdicts."""
        return self.posterior.verdict(self.rope), self.other.verdict(self.rope)

    @property
    def table(self) -> pd.DataFrame:
        """Side by side: each engine's value and standard error, the difference, and its size.

        One row per probability of the verdict and posterior mean of the summary; columns value,
        se, other, other_se, difference, z (in standard errors).
        """
        return self._table.copy()

    @cached_property
    def _table(self) -> pd.DataFrame:
        pair = (self.posterior, self.other)
        columns = [
            {**_verdict_rows(v), **_parameter_rows(p)}
            for v, p in zip(self.verdicts, pair, strict=True)
        ]
        rows = []
        for name in columns[0]:
            (a, ea), (b, eb) = (c[name] for c in columns)
            z = (b - a) / max(float(np.hypot(ea, eb)), 1e-300)
            rows.append(
                {"value": a, "se": ea, "other": b, "other_se": eb, "difference": b - a, "z": z}
            )
        return pd.DataFrame(rows, index=list(columns[0]))

    @property
    def agrees(self) -> bool:
        """Whether the verdicts agree within errors or 0.001, and no diagnostics failed."""
        p = self._table.loc[list(_verdict_rows(self.verdicts[0]))]
        near = (p["difference"].abs() <= CLOSE) | (p["z"].abs() <= ERRORS)
        return bool(near.all() and all(x.diagnostics.ok for x in (self.posterior, self.other)))

    @property
    def frame(self) -> pd.DataFrame:
        """The numbers of both engines side by side."""
        return named_rows(self.table, "")


#: By whether they agree.
AGREEMENT = {True: "The engines agree", False: "The engines DO NOT AGREE"}
WITHIN = "within {errors:g} standard errors or {close:g}"
PAIR_AND_ROPE = "{first} (left) and {second} (right), {rope}."


@summarise.register
def _summarise_verification(verification: Verification) -> Summary:
    own, other = both = verification.posterior, verification.other
    first, second = own.names
    return Summary(
        AGREEMENT[verification.agrees],
        verification.frame,
        {"value": Column(head=own.engine), "other": Column(head=other.engine)},
        label="verification",
        facts={
            f"engine {p.engine}": f"{p.engine_version}, seed {p.seed}: {p.diagnostics}"
            for p in both
        },
        setting=WITHIN.format(errors=ERRORS, close=CLOSE),
        sentences=[
            PAIR_AND_ROPE.format(first=first, second=second, rope=rope_phrase(verification.rope))
        ],
        method=f"{own.method}. Prior: {verification.verdicts[0].prior}",
    )


def _verdict_rows(v: Verdict) -> dict[str, tuple[float, float]]:
    return {f"p_{r}": (p, v.errors[r]) for r, p in v.probabilities.items()}


def _parameter_rows(p: Posterior) -> dict[str, tuple[float, float]]:
    """Return the posterior means and their standard errors, zero for an exact posterior."""
    table = p.summary()
    size = np.full(len(table), np.inf) if p.exact else table["ess_bulk"].to_numpy()
    errors = table["sd"].to_numpy() / np.sqrt(size)
    return {
        f"mean {name}": (float(mean), float(error))
        for name, mean, error in zip(table.index, table["mean"], errors, strict=True)
    }


def other_engine(model: str, exact: bool, name: str = "auto") -> Engine:
    """Find the engine of that name, or the first of the other kind: a sampler, or the built-in."""
    if name != "auto":
        return find_engine(name, model)
    for engine in engines().values():
        if engine.independent != exact and engine.supports(model) and engine.available().ok:
            return engine
    needs = stan_engine().available().needs
    raise EngineNotFound(f"there is no other engine to verify with: Stan needs {needs}")


# Posterior of the hierarchical correlated t test: verdict, summary, data sets, saving.


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class HierarchicalPosterior(Posterior):
    """Posterior of the hierarchical correlated t test.

    In all methods, ``rope`` replaces the ROPE of the fit, and numbers are in units of the metric.

    Attributes
    ----------
    datasets : tuple of str
    prior : HierarchicalPrior
    problem : Scaled
        The data as the engine saw them.
    fit : Fit
        The engine's fit, on the problem's scale.

    Examples
    --------
    >>> import bayescmp as bc
    >>> x = [[0.02, 0.03, 0.01, 0.04], [0.01, 0.0, 0.02, 0.01], [0.03, 0.05, 0.02, 0.03]]
    >>> posterior = bc.bayesian.hierarchical_t(x, rho=0.25, rope=0.01, engine="quadrature")
    >>> posterior.by_dataset()[["observed", "mean"]].round(3).to_numpy().tolist()
    [[0.025, 0.023], [0.01, 0.014], [0.032, 0.027]]
    >>> posterior.quantile("delta0", [0.25, 0.75]).round(3).tolist()
    [0.011, 0.028]
    >>> posterior.verify(engine="quadrature").agrees  # with itself
    True
    """

    datasets: tuple[str, ...]
    prior: HierarchicalPrior
    problem: ScaledProblem
    fit: Fit = field(metadata=about(variables=("delta0", "sigma0", "nu", "delta", "sigma")))
    model: Model = Model(
        kind="hierarchical_t",
        method="Bayesian hierarchical correlated t test",
        reference="Corani et al. 2017",
        rows="datasets",
        shows=("simplex", "density", "shrinkage", "datasets"),
        picture="plot_simplex",
        picture_without_rope="plot_density",
        dims=dict.fromkeys(("delta", "sigma", "differences", *PREDICTED), ("dataset",)),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self.problem.check_rows()

    @cached_property
    def grid(self) -> GridPosterior:
        """The posterior by the built-in engine, whatever the engine of the fit."""
        return self.fit.density or solve_problem(self.problem)

    @property
    def statistics(self) -> SufficientStatistics:
        """Means and sums of squares of the data sets."""
        return self.problem.statistics

    @property
    def prior_bounds(self) -> Mapping[str, float]:
        """Bounds of δ0, σ0 and σ_i that were taken from the data, in units of the metric."""
        names = ("delta0_bound", "sigma0_upper", "sigma_upper")
        return {name: float(self.problem.data[name]) * self.problem.scale for name in names}

    @property
    def prior_text(self) -> str:
        """The whole prior in words, with the bounds that were taken from the data."""
        bounds: Json = dict(self.prior_bounds)
        rule = self.prior.resolved_rule(self.problem.span, bounds["delta0_bound"])
        return self.prior.in_words(**bounds, delta0_rule=rule) + self.model.prior

    def prior_facts(self) -> Json:
        """Return the prior as words and plain numbers, for JSON."""
        return self.prior.to_dict()

    @validate_params(engine=text)
    def verify(
        self,
        *,
        engine: str = "auto",
        rope: RopeLike | None = None,
        seed: Seed = None,
        chains: int = 4,
        warmup: int = 1000,
        draws: int = 5000,
        adapt_delta: float = 0.8,
        progress: bool = False,
    ) -> Verification:
        """Get a second opinion: fit the same problem again with another engine.

        Parameters
        ----------
        engine : str
            The other engine; "auto" is a Stan engine for a posterior of the built-in one, else
            that.
        rope, seed : optional
            The posterior's own, and one more than its own, by default.
        chains, warmup, draws, adapt_delta, progress
            Settings of the sampler, with more draws than usual, for smaller errors.

        Returns
        -------
        Verification

        Raises
        ------
        EngineNotFound
            If there is no other engine.
        """
        other = other_engine(MODEL, self.exact, engine)
        number = self.seed + 1 if seed is None else seed_of(seed)
        settings = check_settings(chains, warmup, draws, adapt_delta)
        fit, diagnostics = sample(other, self.problem.request(number, settings, progress), UPPER)
        second = replace(self, fit=fit, notes=(), **name_engine(fit, diagnostics, number))
        return Verification(self, second, self._region(rope))

    @validate_params(
        rhos=optional(each(correlation)), ropes=each(positive), thresholds=each(number())
    )
    def sensitivity(
        self,
        *,
        rhos: Iterable[float] | None = None,
        ropes: Sequence[float] = (0.5, 1.0, 2.0),
        thresholds: Sequence[float] = (0.9, 0.95, 0.99),
        threshold: float = 0.95,
        datasets: bool = True,
        refit: bool = True,
        progress: bool = False,
    ) -> Sensitivity | PairsSensitivity:
        """Show how the verdict changes under other assumptions, and without each data set.

        Everything is refitted by the built-in engine: the other preset, normal data sets (ν about
        1000), ten times δ0's bound, a half-t prior of σ0; other correlations; other ROPEs; each
        data set left out in turn; other thresholds.

        Parameters
        ----------
        rhos : iterable of float, optional
            Correlations of folds; 0, twice the fit's own, and 0.5 if not given.
        ropes, thresholds, threshold, datasets, progress
            As for `Posterior.sensitivity`.
        refit : bool
            Without effect here, since every setting is refitted.

        Returns
        -------
        Sensitivity
            With a frame, ``explain()`` and ``plot()``.
        """
        from bayescmp.study.sensitivity import sensitivity_of_any

        return sensitivity_of_any(
            self,
            rhos=rhos,
            ropes=ropes,
            thresholds=thresholds,
            threshold=threshold,
            datasets=datasets,
            refit=refit,
            progress=progress,
        )

    def plan(
        self,
        first: str | None = None,
        second: str | None = None,
        *,
        datasets: Iterable[int] = range(0, 41, 5),
        folds: int | None = None,
        more_folds: int | Iterable[int] = 0,
        threshold: float = 0.95,
        simulations: int = 400,
        seed: Seed = 1,
        n_jobs: int | None = 1,
        progress: bool = True,
    ) -> Plan:
        """Predict how many more data sets, or folds, decide the verdict, and for which outcome.

        Further data are simulated from the posterior; a new data set has the folds, correlation
        and σ of an observed one. The model is refitted to all data with the built-in engine,
        keeping the bound of δ0. All amounts of data share their random numbers.

        Parameters
        ----------
        first, second : str, optional
            The two algorithms, in either order.
        datasets : iterable of int
            Numbers of further data sets.
        folds : int, optional
            Differences on each of them; by default as many as on those seen.
        more_folds : int or iterable of int
            Numbers of further differences on each data set seen: its cross-validation repeated.
        threshold : float
            Probability required for a decision.
        simulations : int
            Simulated continuations.
        seed : int or numpy Generator
        n_jobs, progress
            As for `bayescmp.plan`.

        Returns
        -------
        Plan
            With a frame, ``needed()``, ``explain()`` and ``plot()``.

        Notes
        -----
        In simulations from five, eight and ten data sets, as many verdicts are decided as
        predicted, on average over truths drawn from a population; for one fixed truth the two may
        differ.

        See Also
        --------
        bayescmp.plan : Before there are any data.

        References
        ----------
        Kruschke (2013), Journal of Experimental Psychology: General 142:573-603; Pan & Banerjee
        (2021), arXiv:2112.03509.
        """
        self.name_pair(first, second)
        from bayescmp.study.planning.more import plan_of

        return plan_of(
            self,
            datasets=datasets,
            folds=folds,
            more_folds=more_folds,
            threshold=threshold,
            simulations=simulations,
            seed=seed,
            n_jobs=n_jobs,
            progress=progress,
        )

    @validate_params(engine=text, progress=flag)
    def moderators(
        self,
        features: FeaturesLike,
        *,
        engine: str = "auto",
        seed: Seed = None,
        progress: bool = False,
    ) -> Moderators:
        """Find when the second algorithm is better: how features of data sets change the mean.

        The model is fitted again, with δ_i ~ t_ν(δ0 + z_i'β, σ0) for standardised features z_i.
        β_j is normal with mean 0 and standard deviation a tenth of δ0's bound, or that of the data
        sets' mean differences if larger.

        Parameters
        ----------
        features : DataFrame, or mapping of feature to values by data set
            Numbers, one row per data set, named by the index or the column "dataset", and one
            column per feature: the logarithm of the number of rows, 1 if the task is binary and
            else 0.
        engine : str
            "auto" is "gibbs" (built in); or the name of a Stan engine.
        seed : int or numpy Generator, optional
            The posterior's own if not given.
        progress : bool

        Returns
        -------
        Moderators
            With ``frame``, ``explained``, ``verdict(size=2.0)``, ``curve()`` and ``plot()``.

        Raises
        ------
        InputError
            Fewer data sets than 10 and 5 for each feature; features that are missing, not finite,
            the same on all data sets, or that follow from each other.

        Warns
        -----
        DiagnosticWarning
            If the chains disagree.

        Notes
        -----
        Data sets are not assigned to features at random: coefficients describe them and others
        like them, not what would happen if a feature were changed.

        References
        ----------
        Gelman, Goodrich, Gabry & Vehtari (2019), The American Statistician 73:307-309, for the
        share that is explained.
        """
        from bayescmp.study.moderators import moderators_of

        return moderators_of(self, features, engine=engine, seed=seed, progress=progress)

    @cached_property
    def _answer(self) -> Answer:
        fit = self.fit if self.fit.draws else replace(self.fit, density=self.grid)
        return answer_of(fit, self.problem, self.seed)

    def _answer_at(self, rope: Rope) -> Answer:
        """Return its own answer, or a refitted one if a different ROPE changes the resolution."""
        problem = self.problem.with_rope(rope, self.prior)
        if rope == self.rope or problem is self.problem:
            return self._answer
        if rope not in self._refitted:
            request = problem.request(self.seed, SamplerSettings())
            fit, _ = sample(find_engine(self.engine, MODEL), request, UPPER)
            self._refitted[rope] = answer_of(fit, problem, self.seed)
        return self._refitted[rope]

    @cached_property
    def _refitted(self) -> dict[Rope, Answer]:
        """Answers that were fitted again, by ROPE."""
        return {}

    @property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws of delta0, sigma0, nu (chain, draw) and delta, sigma (chain, draw, q), seeded."""
        return self._answer.draws

    @property
    def upper_draws(self) -> Mapping[str, np.ndarray]:
        """Draws of delta0, sigma0, nu only, shape (chain, draw); cheap for any q."""
        return self._answer.upper

    def masses(self, rope: RopeLike | None = None) -> np.ndarray:
        """Return probabilities of the three regions on a new data set, for each draw.

        Returns
        -------
        ndarray of shape (chain, draw, 3)
            Masses of t_ν(δ0, σ0) left of, in and right of the ROPE (Corani et al. 2017, section
            3.3).
        """
        region = self._region(rope)
        return masses_of(self._answer_at(region).upper, region)

    def _weigh_regions(self, rope: Rope) -> Json:
        """Return the posterior proportion in which each region is the most probable."""
        answer = self._answer_at(rope)
        low, middle, high = quantiles_of(answer, "delta0")
        return {
            **answer.parts(rope),
            "exact": self.exact,
            "floor": answer.floor,
            "estimate": (middle,),
            "mean_interval": ((low, high),),
            "spread": (answer.spread,),
            "known": IfKnown.from_masses(masses_of(answer.summary_draws, rope)),
        }

    def _weigh_outcomes(self, rope: Rope) -> tuple[np.ndarray, np.ndarray]:
        return self._answer_at(rope).weigh_outcomes(rope)

    def _largest_difference(self) -> float:
        low, _, high = quantiles_of(self._answer, "delta0")
        return max(abs(low), abs(high))

    def summary(self, *, datasets: bool = False) -> pd.DataFrame:
        """Summarise δ0, σ0 and ν: mean, sd, median, central 95% interval, and diagnostics.

        Parameters
        ----------
        datasets : bool
            Whether to add each data set's δ_i.

        Returns
        -------
        DataFrame
            One row per parameter; effective sample sizes and r-hat if it was sampled.
        """
        checks.check_flags(datasets=datasets)
        rows = {name: self._answer.row(name) for name in UPPER}
        if datasets:
            delta = self.draws["delta"]
            rows |= {
                f"delta[{d}]": summarise_draws(delta[..., i]) for i, d in enumerate(self.datasets)
            }
        return summary_frame(rows, self.measured)

    @validate_params(name=text)
    def quantile(self, name: str, probs: ArrayLike) -> np.ndarray:
        """Return the posterior quantiles of a parameter.

        Parameters
        ----------
        name : {"delta0", "sigma0", "nu"}
        probs : float or array_like
            Probabilities in [0, 1].

        Returns
        -------
        ndarray
        """
        if name not in UPPER:
            raise unknown_name("parameter", name, UPPER)
        p = checks.read_numbers(probs, "probs", "probabilities in [0, 1]")
        if not p.size or not np.all((p >= 0) & (p <= 1)):
            raise must_be("probs", "probabilities in [0, 1]", probs)
        return self._answer.quantile(name, p)

    @validate_params(name=text, prob=share)
    def hdi(self, name: str, prob: float = 0.95) -> tuple[float, float]:
        """Return a parameter's highest density interval: the shortest with probability ``prob``.

        Parameters
        ----------
        name : {"delta0", "sigma0", "nu"}
        prob : float
            Probability in (0, 1).

        Returns
        -------
        low, high : float
        """
        start = np.linspace(0, 1 - prob, 2001)
        low, high = self.quantile(name, start), self.quantile(name, start + prob)
        shortest = int(np.argmin(high - low))
        return float(low[shortest]), float(high[shortest])

    @validate_params(name=one_of(*UPPER))
    def density(self, name: str = "delta0") -> tuple[np.ndarray, np.ndarray]:
        """Return the marginal density of delta0, sigma0 or nu (a kernel estimate for draws).

        Returns
        -------
        x, density : ndarray
        """
        return self._answer.density(name)

    def by_dataset(self, rope: RopeLike | None = None) -> pd.DataFrame:
        """Tabulate each data set's difference, as measured and as estimated (shrunken).

        Returns
        -------
        DataFrame
            One row per data set: n (of runs n_first and n_second), observed mean, posterior mean
            and sd of δ_i, central 95% interval, and the probabilities of left, rope and right.
        """
        return self._table(self._region(rope)).copy()

    def _table(self, region: Rope) -> pd.DataFrame:
        mean, sd, interval, p = self._answer_at(region).datasets(region)
        table = {
            **self._count_scores(),
            "observed": self.statistics.mean,
            "mean": mean,
            "sd": sd,
            "2.5%": interval[:, 0],
            "97.5%": interval[:, 1],
            **{f"p_{r}": p[:, i] for i, r in enumerate(THREE.regions)},
        }
        return pd.DataFrame(table, index=pd.Index(self.datasets, name="dataset"))

    def _count_scores(self) -> dict[str, np.ndarray]:
        """Return the columns of the numbers of scores on each data set."""
        runs = self.statistics.runs
        if runs is None:
            return {"n": self.statistics.n}
        return {f"n_{side}": n for side, n in zip(SAMPLES, runs.T, strict=True)}

    @property
    def data_text(self) -> str:
        """The observed data: "54 data sets", or with the number of runs that do not pair."""
        runs = self.statistics.runs
        return (
            super().data_text
            if runs is None
            else OF_EACH.format(datasets=super().data_text, runs=count_runs(runs))
        )

    def _advice(self) -> str:
        return f"the built-in engine ({arg('engine', 'quadrature')}) needs no sampler"

    def _predictive_groups(self) -> dict[str, dict[str, np.ndarray]]:
        return arviz_groups(self.draws, self.problem, self.seed)


#: Description of the data of runs that do not pair.
OF_EACH = "{datasets} with {runs} of each algorithm"
#: The same test of runs that do not pair.
OF_RUNS = HierarchicalPosterior.answering(
    replace(
        HierarchicalPosterior.model,
        kind="hierarchical_two_sample_t",
        method="Bayesian hierarchical two-sample t test with equal variances",
        fixed={"rho": "runs are independent"},
    )
)
