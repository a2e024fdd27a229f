"""Two algorithms' means with their standard errors, as papers report them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from bayescmp.base.arguments import must_be
from bayescmp.base.checks import Seed, optional, seed_of, validate_params
from bayescmp.base.fields import about
from bayescmp.base.typing import Json, Variation
from bayescmp.bayesian.hierarchical.fit import LEVEL, means_against_replicates, tell_prior
from bayescmp.bayesian.hierarchical.posterior import HierarchicalPosterior
from bayescmp.bayesian.hierarchical.problem import (
    MODEL,
    PRIOR,
    UPPER,
    HierarchicalPrior,
    pose,
)
from bayescmp.bayesian.sampling import sample
from bayescmp.bayesian.unpaired import BehrensFisher, BehrensFisherPosterior
from bayescmp.engines.base import SamplerSettings, find_engine
from bayescmp.results.plan import Plan
from bayescmp.results.posterior import (
    Model,
    name_closed_form,
    name_engine,
)
from bayescmp.results.sensitivity import PairsSensitivity, Sensitivity
from bayescmp.scores.means import MeanDifferences
from bayescmp.scores.rope import Rope, RopeLike, as_rope
from bayescmp.scores.runs import count_runs
from bayescmp.wording.text import words_of

#: Note on every answer from standard errors.
OF_ERRORS = (
    "standard errors are {origin}, and the two means are taken as independent; the standard error "
    "sd/√k of k folds is too small, because folds share training data"
)


@validate_params(prior=optional(PRIOR))
def means_with_errors(
    x: MeanDifferences,
    *,
    rope: RopeLike | None = None,
    prior: HierarchicalPrior | None = None,
    seed: Seed = None,
) -> ErrorsPosterior | HierarchicalErrorsPosterior:
    """Bayesian comparison of two algorithms' means with known standard errors.

    On one data set the difference δ is normal around the difference seen, with variance e₁² + e₂²,
    or with numbers of runs a difference of two Student variables (Behrens and Fisher), as in
    `two_sample_t`. On several, δ_i ~ t_ν(δ0, σ0), as in `hierarchical_t`, and the mean on each is
    normal around δ_i.

    Parameters
    ----------
    x : MeanDifferences
        Means of two algorithms and their standard errors, from `Means.pair`.
    rope : float or (float, float), optional
        Region of practical equivalence of δ, in units of the metric; by default the direction is
        judged.
    prior : HierarchicalPrior, optional
        Of the upper level, for several data sets (without σ_i); default
        `HierarchicalPrior.corani2017`.
    seed : int or numpy Generator, optional
        Of the draws; the probabilities do not depend on it.

    Returns
    -------
    ErrorsPosterior or HierarchicalErrorsPosterior
        For one data set, and for several.

    Raises
    ------
    InputError
        A bad ROPE or seed; a prior for one data set.

    See Also
    --------
    two_sample_t, hierarchical_t

    Notes
    -----
    On several data sets, numbers of runs give the degrees of freedom of Welch (1947), rounded
    down.

    References
    ----------
    Gelman et al. (2013), Bayesian Data Analysis, 3rd edition, section 5.4 (known standard errors);
    Corani et al. (2017), Machine Learning 106:1817-1837.

    Examples
    --------
    Two papers report 0.815 ± 0.008 and 0.842 ± 0.006:

    >>> import bayescmp as bc
    >>> x = bc.MeanDifferences(means=[[0.815, 0.842]], errors=[[0.008, 0.006]])
    >>> round(bc.bayesian.means_with_errors(x, rope=0.005).verdict().p_right, 4)
    0.9861
    """
    if not isinstance(x, MeanDifferences):
        raise must_be("x", "MeanDifferences, as Means.pair returns them", x)
    region, number = as_rope(rope), seed_of(seed)
    if x.q > 1:
        return _fit_several(x, region, prior or HierarchicalPrior.corani2017(), number)
    if prior is not None:
        raise must_be("prior", "left out for one data set", prior)
    return ErrorsPosterior(
        means=x.means[0],
        errors=x.errors[0],
        runs=None if x.runs is None else x.runs[0],
        dataset=x.datasets[0],
        names=x.names,
        rope=region,
        **name_closed_form(),
        seed=number,
        notes=(_describe_errors(x),),
        **x.described(),
    )


def _describe_errors(x: MeanDifferences) -> str:
    """Describe whether the standard errors count as known, or as estimated from runs."""
    runs = x.runs
    origin = "taken as known" if runs is None else f"estimates from {count_runs(runs)} each"
    return OF_ERRORS.format(origin=origin)


def _fit_several(
    x: MeanDifferences, rope: Rope, prior: HierarchicalPrior, seed: int
) -> HierarchicalErrorsPosterior:
    problem = pose(x, prior, rope)
    engine = find_engine("quadrature", MODEL)
    fit, diagnostics = sample(engine, problem.request(seed, SamplerSettings()), UPPER)
    posterior = HierarchicalErrorsPosterior(
        problem=problem,
        prior=prior,
        datasets=tuple(x.datasets),
        fit=fit,
        names=x.names,
        rope=rope,
        **name_engine(fit, diagnostics, seed),
        notes=(*tell_prior(x, prior, rope), _describe_errors(x)),
        **words_of(x.unit),
        **x.described(),
    )
    farthest, p_far, _ = means_against_replicates(problem, posterior.upper_draws)
    if p_far < LEVEL:
        odd = (f"data set {x.datasets[farthest]} lies far from the others",)
        doubtful = replace(posterior.diagnostics, misfit=odd)
        posterior = replace(posterior, diagnostics=doubtful)
    posterior.warn_if_doubtful()
    return posterior


# One data set.


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ErrorsPosterior(BehrensFisherPosterior):
    """Posterior of the difference of two means whose standard errors are given, on one data set.

    Attributes
    ----------
    means, errors : ndarray of shape (2,)
        The two means, higher is better, and their standard errors.
    runs : ndarray of int, shape (2,), or None
        Numbers of runs behind the means; None if the errors are known.
    dataset : str

    Examples
    --------
    >>> import bayescmp as bc
    >>> x = bc.MeanDifferences(means=[[0.81, 0.84]], errors=[[0.008, 0.006]], runs=5)
    >>> posterior = bc.bayesian.means_with_errors(x, rope=0.005)
    >>> posterior.summary()["2.5%"].round(4).to_dict()
    {'delta': 0.0022}
    """

    means: np.ndarray = field(metadata=about("algorithm"))
    errors: np.ndarray = field(metadata=about("algorithm", least=0))
    runs: np.ndarray | None = field(default=None, metadata=about("algorithm", least=2))
    dataset: str = ""

    model: Model = Model(
        kind="means_with_errors",
        method="Bayesian comparison of means with {p.knowledge} standard errors",
        target="further runs on {p._dataset}",
        target_unnamed="further runs",
        prior="p(μ₁, μ₂) ∝ 1",
        shows=("density",),
        picture="plot_density",
        fixed={
            "prior": "p(μ₁, μ₂) ∝ 1 has nothing to set",
            "rho": "independent means have none",
        },
        unplanned=(
            "It has the means of one data set, not their runs. Compare means on several data "
            "sets: the posterior of bayescmp.bayesian.means_with_errors then has .plan()."
        ),
    )

    @property
    def knowledge(self) -> str:
        """Whether the standard errors are known, or estimated from runs."""
        return "known" if self.runs is None else "estimated"

    @property
    def data_text(self) -> str:
        """The observed data."""
        if self.runs is None:
            return "two means"
        return "means of {} and {} runs".format(*self.runs)

    @cached_property
    def distribution(self) -> BehrensFisher:
        """The distribution of δ."""
        low, high = map(float, self.errors)
        runs = (np.inf, np.inf) if self.runs is None else self.runs.tolist()
        return BehrensFisher(
            float(self.means[1] - self.means[0]), (low, high), (runs[0] - 1, runs[1] - 1)
        )

    def _vary(self, datasets: bool, refit: bool) -> Iterator[Variation]:
        """Yield errors that are larger by a half and twice as large, as those of folds may be."""
        for factor in (1.5, 2.0):
            other = replace(self, errors=self.errors * factor)
            yield "model", f"standard errors x {factor:g}", other.distribution.weigh(self.rope)


# Several data sets.


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class HierarchicalErrorsPosterior(HierarchicalPosterior):
    """Posterior of the hierarchical model of means whose standard errors are given.

    Everything is as for `HierarchicalPosterior`, without folds and their σ_i.

    Examples
    --------
    >>> import bayescmp as bc
    >>> x = bc.MeanDifferences(
    ...     means=[[0.81, 0.84], [0.62, 0.66], [0.93, 0.93]], errors=[[0.008, 0.006]] * 3
    ... )
    >>> posterior = bc.bayesian.means_with_errors(x, rope=0.01)
    >>> posterior.by_dataset()["se"].round(4).tolist()
    [0.01, 0.01, 0.01]
    """

    model: Model = replace(
        HierarchicalPosterior.model,
        kind="hierarchical_means_with_errors",
        method="Bayesian hierarchical comparison of means with standard errors",
        reference="Corani et al. 2017",
        fixed={"rho": "independent means have none"},
    )

    @property
    def prior_text(self) -> str:
        """The prior of the upper level in words: the standard errors are known."""
        bounds: Json = dict(self.prior_bounds)
        rule = self.prior.resolved_rule(self.problem.span, bounds["delta0_bound"])
        return self.prior.in_words(**bounds, delta0_rule=rule, within=False) + self.model.prior

    def sensitivity(self, **options: Any) -> Sensitivity | PairsSensitivity:
        """Show how the verdict changes, as `HierarchicalPosterior.sensitivity`, without rhos."""
        if options.get("rhos"):
            raise must_be("rhos", "left out: means have no folds", options["rhos"])
        return super().sensitivity(**{**options, "rhos": ()})

    def plan(self, first: str | None = None, second: str | None = None, **options: Any) -> Plan:
        """Plan as `HierarchicalPosterior.plan`, with observed standard errors."""
        for name in ("folds", "more_folds"):
            if options.get(name):
                raise must_be(name, "left out: means have no folds", options[name])
        return super().plan(first, second, **options)

    def _table(self, region: Rope) -> pd.DataFrame:
        s = self.statistics
        table = super()._table(region).rename(columns={"n": "se"})
        return table.assign(se=np.sqrt(s.ss / (s.n * (s.n - 1.0))))
