"""Another fit of data sets as the joint model saw them, under other assumptions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bayescmp.bayesian.joint.folds import FoldNoise
from bayescmp.bayesian.joint.observed import Contrasts
from bayescmp.bayesian.joint.order import order_of
from bayescmp.bayesian.joint.problem import (
    ADAPT_DELTA,
    JUDGED,
    MODEL,
    WARMUP,
    JointProblem,
    program_data,
)
from bayescmp.bayesian.sampling.run import checked_settings, sample
from bayescmp.engines.registry import find_engine

if TYPE_CHECKING:
    from bayescmp.bayesian.joint.posterior import JointPosterior

__all__ = ["refitted"]


def refitted(posterior: JointPosterior, contrasts: Contrasts) -> JointPosterior:
    """The upper level of the same algorithms, fitted to other data sets or under another prior.

    Parameters
    ----------
    posterior : JointPosterior
        The fit whose engine, seed, and number of chains and draws are taken.
    contrasts : Contrasts
        The data sets and the prior; the unit of the prior stays that of the fit.

    Raises
    ------
    EngineNotFound
        If the engine is not installed here.

    Warns
    -----
    DiagnosticWarning
        If the diagnostics fail.
    """
    order = order_of(contrasts.means, contrasts.n, contrasts.rho)
    problem = _posed(contrasts.ordered(order))
    chains, draws = posterior.nu.shape
    settings = checked_settings(chains, WARMUP, draws, ADAPT_DELTA)
    request = problem.request(posterior.seed, settings)
    fit, diagnostics = sample(find_engine(posterior.engine, MODEL), request, JUDGED)
    back = np.argsort(order.algorithms)
    other = replace(
        posterior,
        mu=fit.draws["mu"][..., back] * problem.scale,
        Sigma0=fit.draws["Sigma0"][..., back[:, None], back] * problem.scale**2,
        nu=fit.draws["nu"],
        contrasts=contrasts,
        diagnostics=diagnostics,
        sample_stats=fit.sample_stats,
    )
    other.warn_if_doubtful()
    return other


def _posed(contrasts: Contrasts) -> JointProblem:
    """The program's data, in units of the fit's."""
    c, scale = contrasts, float(contrasts.scale_prior[-1])
    pad = (~c.B.any(axis=2)).astype(float)
    noise = FoldNoise(c.y, c.B, c.C, pad, c.dof, weight=0.0)
    columns = int(c.scale_prior[0])
    return JointProblem(program_data(noise, c.means, scale, c.prior, columns), scale, noise)
