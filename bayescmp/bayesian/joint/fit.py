"""The joint hierarchical correlated t test: several algorithms on several data sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.base.checks import RhoLike, Seed, declare, instance, optional, seed_of, text
from bayescmp.base.magnitudes import ROUNDING
from bayescmp.base.typing import Json
from bayescmp.bayesian.hierarchical.fit import hierarchical_t
from bayescmp.bayesian.joint.posterior import TOO_SURE, JointPosterior
from bayescmp.bayesian.joint.problem import (
    ADAPT_DELTA,
    JUDGED,
    MODEL,
    WARMUP,
    Contrasts,
    JointPrior,
    JointProblem,
    pose,
    true_means,
)
from bayescmp.bayesian.joint.table import FoldTable, as_shared_rope, in_order, read_table
from bayescmp.bayesian.sampling import check_settings, sample
from bayescmp.engines.base import find_engine
from bayescmp.errors import InputError
from bayescmp.results.posterior import name_engine
from bayescmp.scores.differences import Differences
from bayescmp.scores.rope import Rope, RopeLike
from bayescmp.scores.scores import Scores
from bayescmp.wording.text import words_of

#: Variables of the program from which the data sets' effects are drawn.
KEPT = ("mu", "Sigma0", "kappa", "lambda")


@declare(
    metric=optional(text),
    prior=optional(instance("a JointPrior", "bayescmp.bayesian.joint.problem:JointPrior")),
)
def joint_t(
    scores: Scores | ArrayLike,
    *,
    metric: str | None = None,
    rope: RopeLike,
    rho: RhoLike | None = None,
    prior: JointPrior | None = None,
    engine: str = "auto",
    seed: Seed = None,
    lower_is_better: bool = False,
    chains: int = 4,
    warmup: int = WARMUP,
    draws: int = 1000,
    adapt_delta: float = ADAPT_DELTA,
    progress: bool = False,
) -> JointPosterior:
    """Which of several algorithms is best, by one hierarchical model of all of them.

    Folds of each data set are normal with correlated errors, as in `hierarchical_t`; the effects
    of all algorithms on a data set come from one multivariate t distribution over data sets. Every
    pair's next difference is then Student's t, as in the test of two; first places, ranks, sets
    and pairs are read off the same draws. With three algorithms or more it is not the model of the
    pairwise test, since it learns from all of them together how data sets differ; two algorithms
    are compared by the pairwise test itself.

    Parameters
    ----------
    scores : Scores, or array_like of shape (q, n, L)
        n >= 2 folds of L algorithms on q >= 2 data sets. NaN where an algorithm was not run on a
        data set, for reasons assumed to be unrelated to its scores.
    metric : str, optional
        Which metric, where `Scores` has several.
    rope : float
        Half-width of the region of practical equivalence, in units of the metric.
    rho : float, array_like of shape (q,) or mapping of data set to float, optional
        Correlation of two folds' differences; taken from the table if not given.
    prior : JointPrior, optional
        For three algorithms or more.
    engine : str
        "auto", or the name of an engine in `bayescmp.engines.engines` that fits this model; two
        algorithms take "quadrature".
    seed : int or numpy Generator, optional
        The same seed gives the same numbers on the same engine.
    lower_is_better : bool
        Whether lower is better, for plain numbers.
    chains, warmup, draws, adapt_delta
        Settings of the sampler. The built-in one makes as many sweeps as it takes, at most four
        for every iteration of warm-up and draws.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    JointPosterior

    Raises
    ------
    InputError
        Bad scores, rho, rope or seed; one data set only (see `groups`); no folds (see
        `bootstrap`); an algorithm that was run on one data set only; algorithms that no common
        data sets link.
    EngineError, EngineNotFound
        If the engine named can't fit the model or is not installed.

    Warns
    -----
    DiagnosticWarning
        If the posterior can't be trusted: failed diagnostics of any effect, of ν or of the scale
        of any pair.

    See Also
    --------
    hierarchical_t : Of two algorithms.
    bootstrap : Without a model of how data sets differ, and without a sampler.
    groups : On one data set.
    bayescmp.frequentist.friedman : The frequentist question: are they all alike?

    Notes
    -----
    With three folds an algorithm or more, each data set's own scatter is used, and every pair has
    the kernel of the test of two. With fewer, the covariance of the folds' noise is pulled towards
    a shape common to the data sets.

    Effects on single data sets are pulled towards the average over data sets, and the averages
    towards one another, the more so the more algorithms there are, by a normal prior whose
    variance is nearly flat (Stein's harmonic prior). Without that, whichever of many similar
    algorithms happens to look best would be called best too often.

    In simulated studies P(best) came true as often as it said, except where algorithms differed by
    less than data sets did and these were few: there it was too sure, and the result says so.

    References
    ----------
    Corani, Benavoli, Demšar, Mangili & Zaffalon (2017), Machine Learning 106:1817-1837, section 3,
    for the model of two algorithms; Gelman, Hill & Yajima (2012), Journal of Research on
    Educational Effectiveness 5:189-211, for why nothing is adjusted for multiplicity; Komaki
    (2001), Biometrika 88:859-864, for the prior of the averages, whose predictions are never worse
    in expectation than a flat prior's where data are normal with known variance.

    Examples
    --------
    Two algorithms; `examples/` has eight of them:

    >>> import bayescmp as bc
    >>> x = [[[0.80, 0.82], [0.78, 0.81], [0.79, 0.83]],
    ...      [[0.90, 0.91], [0.92, 0.95], [0.91, 0.92]],
    ...      [[0.70, 0.69], [0.72, 0.75], [0.71, 0.76]]]
    >>> posterior = bc.bayesian.joint_t(x, rho=1 / 3, rope=0.01, seed=1)
    >>> round(posterior.best()["A2"], 1)
    0.8
    """
    table = read_table(
        scores,
        metric=metric,
        rho=rho,
        test="the joint test",
        folds=True,
        lower_is_better=lower_is_better,
    )
    region = as_shared_rope(rope)
    chosen_prior = prior or JointPrior()
    settings = check_settings(chains, warmup, draws, adapt_delta)
    number = seed_of(seed)
    if table.L == 2:
        return _of_two(table, region, engine, number)
    _check_differences(table)
    chosen = find_engine(engine, MODEL)
    ordered, order = in_order(table)
    problem = pose(ordered, chosen_prior)
    fit, diagnostics = sample(chosen, problem.request(number, settings, progress), JUDGED)
    facts = _facts(table, region)
    facts |= order.restore_order(_in_units(problem, fit.draws, number))
    posterior = JointPosterior(
        **facts,
        prior_words=chosen_prior.in_words(f"K = {problem.data['K']}", problem.scale),
        **name_engine(fit, diagnostics, number),
        notes=(*table.notes, *_notes(problem, table.unit)),
        sample_stats=fit.sample_stats,
        contrasts=Contrasts.from_problem(problem, ordered, order, chosen_prior),
    )
    posterior.warn_if_doubtful()
    if not posterior.caveat:
        return posterior
    note = TOO_SURE.format(posterior.subject, posterior.unit)
    return replace(posterior, notes=(*posterior.notes, note))


def _check_differences(table: FoldTable) -> None:
    """Refuse scores that never differ: there is nothing to model."""
    spread = np.nanmax(table.x, axis=2, initial=-np.inf) - np.nanmin(
        table.x, axis=2, initial=np.inf
    )
    if not (spread > ROUNDING * np.nanmax(np.abs(table.x))).any():
        raise InputError(
            "scores has the same score for all algorithms in every fold: nothing shows how data "
            "sets differ; bayescmp.bayesian.bootstrap says that all are equivalent"
        )


def _facts(table: FoldTable, rope: Rope) -> Json:
    return {
        "names": table.algorithms,
        "datasets": table.datasets,
        "seen": table.seen,
        "means": table.means,
        "metric": table.metric,
        "directions": table.directions,
        "resampling": table.resampling,
        "rope": rope,
        **words_of(table.unit),
    }


def _notes(problem: JointProblem, unit: str) -> list[str]:
    weight = problem.noise.weight
    if not weight:
        return []
    return [
        f"few folds: each {unit}'s covariance of the folds is pulled to the shape that {unit}s "
        f"have in common, which counts as {weight:g} folds"
    ]


def _in_units(
    problem: JointProblem, draws: Mapping[str, np.ndarray], seed: int
) -> dict[str, np.ndarray]:
    """Return draws in units of the metric, with the data sets' effects, which all sum to zero."""
    shape = draws["nu"].shape
    flat = {name: draws[name].reshape(-1, *draws[name].shape[2:]) for name in KEPT}
    u = true_means(problem.data, flat, np.random.default_rng([seed, 3]))
    u -= u.mean(axis=-1, keepdims=True)
    return {
        "mu": draws["mu"] * problem.scale,
        "Sigma0": draws["Sigma0"] * problem.scale**2,
        "nu": draws["nu"],
        "u": u.reshape(*shape, *u.shape[1:]) * problem.scale,
    }


def _of_two(table: FoldTable, rope: Rope, engine: str, seed: int) -> JointPosterior:
    """Fit the pairwise test, whose draws are those of the joint model of two."""
    both = [[table.x[i, : table.n[i], k] for i in range(table.q)] for k in range(2)]
    first, second = table.algorithms
    x = Differences.from_arrays(
        *both,
        rho=table.rho,
        names=(first, second),
        datasets=table.datasets,
        metric=table.metric,
        unit=table.unit,
    )
    pair = hierarchical_t(x, rope=rope, engine=engine, seed=seed)
    draws = {name: np.asarray(pair.draws[name]) for name in ("delta0", "sigma0", "nu", "delta")}
    halves = np.array([-0.5, 0.5])
    variance = draws["sigma0"][..., None, None] ** 2 * np.eye(2) / 2
    note = f"two {words_of(table.unit)['subject']}s: the pairwise test itself, hierarchical_t"
    return JointPosterior(
        **_facts(table, rope),
        mu=draws["delta0"][..., None] * halves,
        Sigma0=variance,
        nu=draws["nu"],
        u=draws["delta"][..., None] * halves,
        prior_words=pair.prior_text,
        **pair.computation,
        notes=(*table.notes, note, *pair.notes),
        sample_stats={},
    )
