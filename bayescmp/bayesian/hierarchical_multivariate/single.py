"""One metric: the hierarchical multivariate test is then the hierarchical test, its prior and all.

Two things keep the program of several metrics from being the other one's special case. Its prior
of δ0 is normal, for that integrates out with any number of metrics, and not uniform; and Jeffreys'
|Σ_i|^(−(p+1)/2) is 1/σ_i² at p = 1, where the other test has a uniform σ_i. The kernel of δ_i is a
t of n_i − 1 degrees of freedom with the one and n_i − 2 with the other; with two metrics Jeffreys'
gives each metric n_i − 2 as well. So one metric has a uniform σ_i under every prior, and under the
default one it is fitted by `hierarchical_t`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from bayescmp.bayesian.hierarchical.fit import hierarchical_t
from bayescmp.bayesian.hierarchical.posterior import HierarchicalPosterior
from bayescmp.bayesian.hierarchical.prior import HierarchicalPrior
from bayescmp.bayesian.hierarchical_multivariate.posterior import HierarchicalMultivariatePosterior
from bayescmp.bayesian.hierarchical_multivariate.prior import MultivariatePrior
from bayescmp.bayesian.hierarchical_multivariate.problem import MultivariateProblem
from bayescmp.bayesian.hierarchical_multivariate.rows import Rows
from bayescmp.differences import Differences
from bayescmp.engines.base import Fit
from bayescmp.verdict import Ropes

__all__ = ["fit_single", "prior_of_one"]


def prior_of_one(prior: MultivariatePrior) -> HierarchicalPrior | None:
    """The prior of the test for one metric that this one is; None if its scales were chosen."""
    default = MultivariatePrior(alpha=prior.alpha, beta=prior.beta, lkj=prior.lkj)
    if prior != default:
        return None
    corani = HierarchicalPrior.corani2017()
    if (prior.alpha, prior.beta) == (corani.alpha, corani.beta):
        return corani
    return replace(corani, alpha=prior.alpha, beta=prior.beta, name="custom")


def fit_single(
    rows: Rows,
    problem: MultivariateProblem,
    ropes: Ropes,
    prior: MultivariatePrior,
    **options: Any,
) -> HierarchicalMultivariatePosterior:
    """The posterior by `hierarchical_t`, in the one coordinate that all metrics follow from.

    Parameters
    ----------
    rows : Rows
        The differences.
    problem : MultivariateProblem
        With a single coordinate.
    ropes : Ropes
        One per metric.
    prior : MultivariatePrior
        One for which `prior_of_one` is not None.
    **options
        Engine, seed and settings, as `hierarchical_t` takes them.

    Warns
    -----
    DiagnosticWarning
        As `hierarchical_t` does.
    """
    (k,) = problem.kept
    differences = Differences(
        [x[:, k] for x in rows.x],
        rho=rows.rho,
        names=rows.names,
        datasets=rows.datasets,
        metric=rows.metrics[k],
        resolution=rows.step[:, k],
    )
    one = hierarchical_t(differences, rope=ropes[k], prior=prior_of_one(prior), **options)
    dependent = problem.notes[:1] if len(rows.metrics) > 1 else ()
    return HierarchicalMultivariatePosterior(
        prior=prior,
        prior_words=one.prior_text,
        datasets=rows.datasets,
        n=rows.n,
        means=problem.means,
        mixing=problem.mixing,
        fit=_draws_of(one),
        names=rows.names,
        rope=ropes,
        metrics=rows.metrics,
        metric=", ".join(rows.metrics),
        engine=one.engine,
        engine_version=one.engine_version,
        diagnostics=one.diagnostics,
        seed=one.seed,
        notes=(*dependent, *one.notes),
    )


def _draws_of(one: HierarchicalPosterior) -> Fit:
    """Its draws, as the program of several metrics has them."""
    d = one.draws
    draws = {
        "delta0": d["delta0"][..., None],
        "tau": d["sigma0"][..., None],
        "Omega": np.ones((*d["nu"].shape, 1, 1)),
        "nu": d["nu"],
        "delta": d["delta"][..., None],
    }
    return Fit(one.fit.engine, one.fit.version, draws, one.fit.sample_stats)
