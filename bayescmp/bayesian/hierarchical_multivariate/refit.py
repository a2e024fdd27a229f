"""Another fit of data sets as the model saw them, under other assumptions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bayescmp.bayesian.hierarchical_multivariate.observed import Observed
from bayescmp.bayesian.hierarchical_multivariate.prior import MultivariatePrior
from bayescmp.bayesian.hierarchical_multivariate.problem import (
    ADAPT_DELTA,
    KEEP,
    MODEL,
    WARMUP,
    MultivariateProblem,
    judged,
    places,
    program_data,
)
from bayescmp.bayesian.sampling.run import checked_settings, sample
from bayescmp.engines.base import Fit, FitRequest
from bayescmp.engines.registry import find_engine

if TYPE_CHECKING:
    from bayescmp.bayesian.hierarchical_multivariate.posterior import (
        HierarchicalMultivariatePosterior,
    )

__all__ = ["refitted"]


def refitted(
    posterior: HierarchicalMultivariatePosterior, observed: Observed, prior: MultivariatePrior
) -> HierarchicalMultivariatePosterior:
    """The upper level of the same metrics and ropes, fitted to other data sets or another prior.

    Parameters
    ----------
    posterior : HierarchicalMultivariatePosterior
        The fit whose engine, seed, and number of chains and draws are taken.
    observed : Observed
        The data sets, with the scales of the prior.
    prior : MultivariatePrior
        The rest of it.

    Raises
    ------
    EngineNotFound
        If the engine is not installed here.

    Warns
    -----
    DiagnosticWarning
        If the diagnostics fail.
    """
    problem = _posed(posterior, observed, prior)
    chains, draws = posterior.fit.draws["nu"].shape
    settings = checked_settings(chains, WARMUP, draws, ADAPT_DELTA)
    inits = problem.inits(posterior.seed, chains)
    request = FitRequest(MODEL, problem.data, posterior.seed, KEEP, inits, settings)
    engine = find_engine(posterior.engine, MODEL)
    fit, diagnostics = sample(engine, request, judged(len(problem.unit)))
    other = replace(
        posterior,
        prior=prior,
        observed=observed,
        fit=Fit(fit.engine, fit.version, problem.in_metrics(fit.draws), fit.sample_stats),
        diagnostics=diagnostics,
    )
    other.warn_if_doubtful()
    return other


def _posed(
    posterior: HierarchicalMultivariatePosterior, observed: Observed, prior: MultivariatePrior
) -> MultivariateProblem:
    """The program's data: in units, sorted, and mirrored if that comes first."""
    spread = np.diagonal(observed.C, axis1=1, axis2=2)
    order = places(observed.xbar, observed.dof, spread)
    xbar, C = observed.xbar[order], observed.C[order]
    unit = np.sqrt(np.diagonal(C, axis1=1, axis2=2)).mean(axis=0)
    sign = -1.0 if (xbar / unit).sum() < 0 else 1.0
    data = program_data(
        sign * xbar / unit,
        C / np.outer(unit, unit),
        observed.dof[order],
        observed.delta0_sd / unit,
        observed.tau_scale / unit,
        prior,
    )
    kept = np.arange(len(unit))
    return MultivariateProblem(
        data, unit, sign, order, kept, posterior.mixing, posterior.means, (), observed.within
    )
