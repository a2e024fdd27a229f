"""The hierarchical multivariate t test: two algorithms, several metrics, several data sets.

With one metric it is the hierarchical test, prior and all. Jeffreys' |Σ_i|^(−(p+1)/2) would be
1/σ_i² at p = 1, where the other test has a uniform σ_i (a kernel of n_i − 1 degrees of freedom and
not n_i − 2); so one metric has a uniform σ_i under every prior, and under the default one it is
fitted by `hierarchical_t`.

A posterior predictive check (Gelman, Meng & Stern 1996, Statistica Sinica 6:733-807) examines each
metric. Each Σ_i is free, but Σ0 is the same for all. Metrics that nearly determine each other
within every data set, in a way that differs between them (accuracy and f1), show without error
that some combination of δ_i, a different one on each data set, is zero. Only a Σ0 near zero allows
this: data sets that differ then seem to agree, and no diagnostic of the sampler detects it. For
metric k and a draw of (δ0, τ, ν),

    T(y) = Σ_i min{(y_i − δ0_k)² / (τ_k² + C_i,kk), 9},

and the proportion of draws in which T of replicated means is at least T of the observed means is
near one half if the model fits, and near zero if it has too little spread. The cap leaves out
single odd data sets, which the t across data sets allows for.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.base import checks
from bayescmp.base.arguments import arg, must, must_be
from bayescmp.base.checks import SCORES, Seed, instance, names, optional, validate_params
from bayescmp.base.magnitudes import check_size, smallest_step
from bayescmp.bayesian.hierarchical.fit import hierarchical_t
from bayescmp.bayesian.hierarchical.posterior import HierarchicalPosterior
from bayescmp.bayesian.hierarchical.problem import HierarchicalPrior
from bayescmp.bayesian.hierarchical_multivariate.posterior import HierarchicalMultivariatePosterior
from bayescmp.bayesian.hierarchical_multivariate.problem import (
    ADAPT_DELTA,
    MODEL,
    WARMUP,
    MultivariatePrior,
    MultivariateProblem,
    ObservedData,
    Rows,
    pose,
)
from bayescmp.bayesian.sampling import check_settings
from bayescmp.engines.base import Fit, find_engine
from bayescmp.errors import InputError, warn_user
from bayescmp.results.posterior import name_engine
from bayescmp.scores.blocks import Blocks, common_datasets, scored_metrics, scores_blocks
from bayescmp.scores.columns import UNNAMED
from bayescmp.scores.differences import Differences, own_labels
from bayescmp.scores.frames import arrange
from bayescmp.scores.pairing import LeftOut
from bayescmp.scores.resampling import explain_rho
from bayescmp.scores.rope import Ropes, RopesLike, as_ropes
from bayescmp.scores.scores import Scores
from bayescmp.wording.text import format_probability

# Reading the differences.


@validate_params(scores=SCORES, metrics=optional(names), datasets=optional(names))
def pair_blocks(
    scores: Scores,
    first: str,
    second: str,
    *,
    metrics: Iterable[str] | None = None,
    datasets: Iterable[str] | None = None,
    rho: float | None = None,
) -> list[Blocks]:
    """Two algorithms' scores in several metrics on every data set, for the hierarchical test.

    Parameters
    ----------
    scores : Scores
    first, second : str
        The two algorithms.
    metrics, rho
        As for `scores_blocks`.
    datasets : iterable of str, optional
        All if not given.

    Returns
    -------
    list of Blocks
        One per data set; with missing="common" in the table, of the common folds, and ``left_out``
        states everything that was left out.

    See Also
    --------
    hierarchical_multivariate_t

    Examples
    --------
    >>> import pandas as pd
    >>> import bayescmp as bc
    >>> rows = [
    ...     {"dataset": d, "algorithm": a, "fold": f, "tpr": 0.8 + 0.01 * f, "auc": 0.9 - 0.01 * f}
    ...     for d in ("iris", "wine") for a in ("knn", "gbm") for f in range(1, 6)
    ... ]
    >>> blocks = bc.bayesian.pair_blocks(bc.Scores(pd.DataFrame(rows)), "knn", "gbm")
    >>> [(b.dataset, b.x.shape, b.rho) for b in blocks]
    [('iris', (2, 5, 2), 0.2), ('wine', (2, 5, 2), 0.2)]
    """
    chosen = list(scores.datasets if datasets is None else datasets)
    known = scored_metrics(scores) if metrics is None else list(metrics)
    run, alone = common_datasets(scores, known, (first, second), chosen)
    blocks = [
        scores_blocks(scores, metrics=metrics, dataset=d, algorithms=(first, second), rho=rho)
        for d in run
    ]
    left_out = LeftOut.join([*(b.left_out for b in blocks), alone])
    return [replace(b, left_out=left_out) for b in blocks] if left_out else blocks


def read_rows(
    xs: Sequence[Any],
    rho: ArrayLike | None,
    names: Iterable[str] | None,
    metrics: Sequence[str] | None,
    datasets: Sequence[str] | None,
    resolution: ArrayLike | None,
) -> Rows:
    """Check a list of arrays or of `Blocks`, and return the differences."""
    unordered = (str, bytes, Scores, Blocks, Mapping, Set)
    if (
        isinstance(xs, unordered)
        or not hasattr(xs, "__len__")
        or hasattr(xs, "keys")
        or not len(xs)
    ):
        raise must_be(
            "xs",
            "a sequence of one (n, p) array or Blocks of two algorithms a data set",
            xs,
            f"For Scores use pair_blocks(scores, first, second, {arg('metrics', ...)}).",
        )
    blocks = isinstance(xs[0], Blocks)
    if blocks:
        rows = _from_blocks(xs, rho, names, metrics, datasets)
    else:
        rows = _from_arrays(xs, rho, names, metrics, datasets)
    if resolution is not None:
        shape = len(rows.x), len(rows.metrics)
        given = checks.by_name("resolution", resolution, rows.metrics)
        rows = replace(rows, step=checks.check_steps(given, shape, "one per metric, or (q, p)"))
    _check_rows(rows)
    return rows


def _from_arrays(
    xs: Sequence[ArrayLike],
    rho: ArrayLike | None,
    names: Iterable[str] | None,
    metrics: Sequence[str] | None,
    datasets: Sequence[str] | None,
) -> Rows:
    accepted = "a sequence of (n_i, p) arrays, p the same for all"
    tables = [arrange(block, "xs", "block", "metric") for block in xs]
    own = {labels[1] for _, labels in tables}
    if len(own) > 1:
        raise must("xs", f"be {accepted}", "tables of other columns or another order")
    x = tuple(checks.read_numbers(cells, "xs", accepted) for cells, _ in tables)
    for i, v in enumerate(x):
        if v.ndim != 2 or 0 in v.shape or v.shape[1] != x[0].shape[1]:
            raise must("xs", f"be {accepted}", f"shape {v.shape} for data set {i + 1}")
    if rho is None:
        raise InputError(checks.RHO_MISSING, "rho")
    q, p = len(x), x[0].shape[1]
    labels = checks.check_labels("datasets", datasets, q)
    correlations = _read_rhos(rho, labels)
    return Rows(
        x,
        correlations,
        labels,
        own_labels("metrics", metrics, own.pop(), p, "m"),
        checks.check_names(names),
        np.full((q, p), np.nan),
        resampling=explain_rho(correlations),
    )


def _from_blocks(
    xs: Sequence[Blocks],
    rho: ArrayLike | None,
    names: Iterable[str] | None,
    metrics: Sequence[str] | None,
    datasets: Sequence[str] | None,
) -> Rows:
    xs = [b.select(algorithms=names, metrics=metrics) if isinstance(b, Blocks) else b for b in xs]
    head = xs[0]
    for b in xs:
        if not isinstance(b, Blocks) or b.L != 2:
            what = f"Blocks of {b.L} algorithms" if isinstance(b, Blocks) else type(b).__name__
            hint = "Pick them with Blocks.pair."
            raise must("xs", "hold Blocks of two algorithms", what, hint)
        if b.metrics != head.metrics or b.algorithms != head.algorithms:
            raise must(
                "xs",
                f"have {_contents(head)} on each data set, as {head.dataset!r} has",
                f"{_contents(b)} on {b.dataset!r}",
            )
    own_names = [b.dataset for b in xs]
    named = None if all(name == UNNAMED for name in own_names) else own_names
    labels = own_labels("datasets", datasets, named, len(xs))
    given = _read_rhos([b.rho for b in xs] if rho is None else rho, labels)
    own = rho is None and all(b.resampling is not None for b in xs)
    designs = [b.resampling for b in xs if b.resampling is not None] if own else None
    return Rows(
        x=tuple(b.differences() for b in xs),
        rho=given,
        datasets=labels,
        metrics=head.metrics,
        names=checks.check_names(head.algorithms),
        step=np.array([[smallest_step(b.x[..., k]) for k in range(head.p)] for b in xs]),
        directions=head.directions,
        resampling=explain_rho(given, designs),
        left_out=head.left_out,
        pairing=head.pairing,
    )


def _read_rhos(rho: ArrayLike, datasets: Sequence[str]) -> np.ndarray:
    given = checks.check_rho(checks.by_name("rho", rho, datasets), len(datasets))
    return np.array(np.broadcast_to(given, (len(datasets),)))


def _contents(b: Blocks) -> str:
    return f"{', '.join(b.metrics)} of {' and '.join(b.algorithms)}"


def _check_rows(rows: Rows) -> None:
    p = len(rows.metrics)
    for name, x in zip(rows.datasets, rows.x, strict=True):
        checks.check_finite(
            x,
            "xs",
            lambda at, name=name: (  # type: ignore[misc]
                f"metric {rows.metrics[at[1]]!r} on data set {name!r} in fold {at[0] + 1}"
            ),
        )
    for metric, values in zip(rows.metrics, np.concatenate(rows.x).T, strict=True):
        check_size(values, f"xs, metric {metric!r}")
    if len(rows.x) < 2:
        raise must(
            "xs",
            "have at least two data sets, which show how data sets differ",
            "1",
            "Use bayescmp.bayesian.multivariate_t for one data set.",
        )
    short = [i for i, n in enumerate(rows.n) if n <= p]
    if short:
        i = short[0]
        raise must(
            "xs",
            "have more folds than metrics on each data set",
            f"{rows.n[i]} folds for {p} metrics on {rows.datasets[i]!r}, {len(short)} in all",
            "Leave out metrics, add repeats, or use bayescmp.bayesian.hierarchical_t metric by "
            "metric.",
        )


# One metric: the hierarchical multivariate test is then the hierarchical test, its prior and all.


def prior_of_one(prior: MultivariatePrior) -> HierarchicalPrior | None:
    """Return the same prior for the test of one metric; None if its scales were chosen."""
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
    """Fit by `hierarchical_t`, with its options, the one metric that all others follow from."""
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
        means=problem.means,
        mixing=problem.mixing,
        fit=_draws_of(one),
        rope=ropes,
        **rows.described(),
        **one.computation,
        notes=(*dependent, *one.notes),
    )


def _draws_of(one: HierarchicalPosterior) -> Fit:
    """Return the draws of one metric as the program of several metrics has them."""
    d = one.draws
    draws = {
        "delta0": d["delta0"][..., None],
        "tau": d["sigma0"][..., None],
        "Omega": np.ones((*d["nu"].shape, 1, 1)),
        "nu": d["nu"],
        "delta": d["delta"][..., None],
    }
    return Fit(one.fit.engine, one.fit.version, draws, one.fit.sample_stats)


# Does the fitted model allow for the observed data? A posterior predictive check of each metric.


#: A predictive p below it is reported. If the model is right, these p are nearer to one half than
#: uniform p: among 80 p in 40 simulated problems of 4 to 30 data sets the smallest was 0.36.
LIMIT = 0.1
#: Squared standard deviations that a single data set counts for at most.
CAP = 9.0


def spread_pvalues(problem: MultivariateProblem, fit: Fit, seed: int) -> np.ndarray:
    """Return posterior predictive p of the spread of data sets' means, one a coordinate."""
    rng = np.random.default_rng([seed, 6])
    nu = fit.draws["nu"].reshape(-1, 1)
    shape = (len(nu), len(problem.means))
    pvalues = []
    for k, metric in enumerate(problem.kept):
        centre, tau = (fit.draws[name][..., k].reshape(-1, 1) for name in ("delta0", "tau"))
        variance = np.asarray(problem.data["C"])[:, k, k] * problem.unit[k] ** 2
        between = tau * rng.standard_t(np.broadcast_to(nu, shape))
        within = np.sqrt(variance) * rng.standard_t(np.broadcast_to(problem.data["dof"], shape))
        away = problem.means[problem.order, metric] - centre
        size = tau**2 + variance
        replicated, observed = (
            np.sum(np.minimum(y**2 / size, CAP), axis=1) for y in (between + within, away)
        )
        pvalues.append(np.mean(replicated >= observed))
    return np.array(pvalues)


def too_narrow(metrics: list[str], pvalues: np.ndarray) -> str:
    """The warning about metrics that scatter more than the fitted model allows for; "" if none."""
    bad = [f"{m} (p {p:.2g})" for m, p in zip(metrics, pvalues, strict=True) if p < LIMIT]
    if not bad:
        return ""
    return (
        f"the data sets' mean differences scatter more than the fitted model allows for, in "
        f"{', '.join(bad)} by a posterior predictive check: do not trust this verdict. Metrics "
        "that nearly determine each other on each data set, in a way that differs between data "
        "sets, cause this (accuracy and f1; tpr, fpr and accuracy): leave out those that follow "
        "from the others"
    )


#: With this many data sets or fewer the result gives the verdict under another prior.
PRIOR_MATTERS = 5
FEW = "two data sets: the answer is driven by the prior"
MISFIT = "the data sets scatter more than the model allows for"
#: The verdict may move by this much, and Monte Carlo error, when the resolution is a tenth.
RESOLUTION_LIMIT = 0.01


@validate_params(
    prior=optional(
        instance("a MultivariatePrior", f"{MultivariatePrior.__module__}:MultivariatePrior")
    )
)
def hierarchical_multivariate_t(
    xs: Sequence[object],
    *,
    rho: ArrayLike | None = None,
    rope: RopesLike | None = None,
    prior: MultivariatePrior | None = None,
    engine: str = "auto",
    seed: Seed = None,
    names: Iterable[str] | None = None,
    metrics: Sequence[str] | None = None,
    datasets: Sequence[str] | None = None,
    resolution: ArrayLike | None = None,
    chains: int = 4,
    warmup: int = WARMUP,
    draws: int = 1000,
    adapt_delta: float = ADAPT_DELTA,
    progress: bool = False,
) -> HierarchicalMultivariatePosterior:
    """Bayesian hierarchical multivariate t test of two algorithms in p metrics on q data sets.

    Differences on data set i are normal with their own covariance Σ_i between metrics, and folds
    are correlated at rho. The data sets' mean differences come from a multivariate t with location
    δ0, scale matrix Σ0 = diag(τ) Ω diag(τ) and ν degrees of freedom. The verdict: in which
    proportion of draws each of the four regions is the most probable on a new data set.

    Parameters
    ----------
    xs : sequence of q array_like of shape (n_i, p), or of q Blocks of two algorithms
        Differences, second minus first, positive if the second is better; or scores, as from
        `pair_blocks`. q >= 2, n_i > p.
    rho : float or array_like of shape (q,), optional
        Correlation of two folds' differences, 1/folds for cross-validation. Required for plain
        arrays.
    rope : float, sequence of length p, or mapping of metric to rope, optional
        Regions of practical equivalence; by default the direction is judged.
    prior : MultivariatePrior, optional
    engine : str
        "auto", or the name of an engine in `bayescmp.engines.engines` that fits this model.
    seed : int or numpy Generator, optional
        The same seed gives the same numbers on the same engine.
    names : (str, str), optional
        The two algorithms, in the order of the differences.
    metrics, datasets : sequence of str, optional
        Names. With Blocks, the metrics to be used; the data sets are then their own.
    resolution : float or array_like of shape (p,) or (q, p), optional
        Smallest step h of each metric, for data sets on which metrics are constant or dependent:
        the spread of rounding, n·diag(h²/12), is added to their scatter matrix. By default the
        smallest step of the scores on that data set, of any data set, or else of the differences.
    chains, warmup, draws, adapt_delta, progress
        Settings of the sampler.

    Returns
    -------
    HierarchicalMultivariatePosterior

    Raises
    ------
    InputError
        One data set only, n_i <= p, bad differences, data sets that differ in metrics or
        algorithms, bad options.
    EngineError, EngineNotFound
        If the engine cannot fit the model or none is installed.

    Warns
    -----
    DiagnosticWarning
        If the diagnostics fail, also at a higher adapt_delta; with two data sets; if the verdict
        depends on the resolution; if the data sets' means scatter more than the fitted model
        allows for.

    Notes
    -----
    One metric, or one that all others follow from, is fitted by `hierarchical_t` with its prior,
    unless scales of the prior were chosen. The model is fitted to the first metrics that are not
    linear functions of others on every fold (tp and fn). Metrics that nearly determine each other
    on each data set, but differently on each (accuracy and f1), do not fit the model: the spread
    between data sets comes out far too small. There is a warning; leave one of them out.

    References
    ----------
    Corani, Benavoli, Demšar, Mangili & Zaffalon (2017), Machine Learning 106:1817-1837, section 3,
    for one metric; `MultivariatePrior` has references on the prior.

    See Also
    --------
    bayescmp.frequentist.hotelling_paired, multivariate_t, hierarchical_t

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp.bayesian import hierarchical_multivariate_t
    >>> xs = np.random.default_rng(1).normal([0.02, 0.03], 0.02, size=(8, 10, 2))
    >>> posterior = hierarchical_multivariate_t(
    ...     xs, rho=0.1, rope=0.01, metrics=["tpr", "auc"], seed=1
    ... )  # doctest: +SKIP
    >>> posterior.verdict().ranked[0]  # doctest: +SKIP
    'second'
    """
    rows = read_rows(xs, rho, names, metrics, datasets, resolution)
    ropes = as_ropes(rope, rows.metrics)
    prior = prior or MultivariatePrior()
    settings = check_settings(chains, warmup, draws, adapt_delta)
    seed = checks.seed_of(seed)
    problem = pose(rows, prior)
    if len(problem.kept) == 1 and prior_of_one(prior) is not None:
        return fit_single(
            rows,
            problem,
            ropes,
            prior,
            engine=engine,
            seed=seed,
            chains=chains,
            warmup=warmup,
            draws=draws,
            adapt_delta=adapt_delta,
            progress=progress,
        )
    chosen = find_engine(engine, MODEL)

    def fitted(
        problem: MultivariateProblem, prior: MultivariatePrior = prior
    ) -> HierarchicalMultivariatePosterior:
        fit, diagnostics = problem.sample(chosen, seed, settings, progress)
        scales = {k: (problem.data[k] * problem.unit).tolist() for k in ("delta0_sd", "tau_scale")}
        return HierarchicalMultivariatePosterior(
            fit=fit,
            **name_engine(fit, diagnostics, seed),
            means=problem.means,
            mixing=problem.mixing,
            prior=prior,
            prior_words=prior.in_words(**scales),
            observed=ObservedData.from_problem(problem, rows.rho),
            rope=ropes,
            **rows.described(),
            notes=(*([FEW] if len(rows.x) == 2 else []), *problem.notes),
        )

    posterior = fitted(problem)
    posterior.warn_if_doubtful()
    narrow = too_narrow(
        [rows.metrics[k] for k in problem.kept], spread_pvalues(problem, posterior.fit, seed)
    )
    if narrow:
        warn_user(narrow)
        failed = replace(posterior.diagnostics, messages=(*posterior.diagnostics.messages, MISFIT))
        posterior = replace(posterior, notes=(narrow, *posterior.notes), diagnostics=failed)
    if problem.floored:
        finer = fitted(pose(rows, prior, finer=10.0))
        posterior = replace(posterior, notes=_with_resolution(posterior, finer))
    if len(rows.x) == 2:
        warn_user(FEW)
    if len(rows.x) <= PRIOR_MATTERS:
        other = other_preset(prior)
        beside = fitted(pose(rows, other), other)
        posterior = replace(posterior, notes=(*posterior.notes, _describe_other_prior(beside)))
    return posterior


def other_preset(prior: MultivariatePrior) -> MultivariatePrior:
    """Return the preset to compare a prior with: the weak one, or the default for the weak one."""
    weak = MultivariatePrior.weakly_informative()
    return MultivariatePrior() if prior == weak else weak


def _describe_other_prior(beside: HierarchicalMultivariatePosterior) -> str:
    """Say how far the prior decides: the probabilities under another."""
    verdict = beside.verdict()
    numbers = ", ".join(
        f"{verdict.label(r)} {format_probability(p, verdict.floor)}"
        for r, p in verdict.probabilities.items()
    )
    q = len(beside.datasets)
    return f"{q} data sets leave much to the prior; with {beside.prior_text}: {numbers}"


def _with_resolution(
    posterior: HierarchicalMultivariatePosterior, finer: HierarchicalMultivariatePosterior
) -> tuple[str, ...]:
    """Return the notes, the last of them with whether the verdict depends on the resolution.

    *Equal* constant data sets make the likelihood improper as their spread goes to zero, so it is
    computed again at a tenth. Warns if a probability moves by more than 0.01 and three standard
    errors.
    """
    a, b = posterior.verdict(), finer.verdict()
    moved = {r: abs(a.probabilities[r] - b.probabilities[r]) for r in a.probabilities}
    most = max(moved, key=lambda r: moved[r])
    error = math.hypot(a.errors[most], b.errors[most])
    note = f"{posterior.notes[-1]}; at h/10 a probability moves by {moved[most]:.3f} ± {error:.1g}"
    if moved[most] > RESOLUTION_LIMIT + 3 * error:
        note = f"{note}: the verdict depends on it, give the metrics' true resolution"
        warn_user(note)
    return (*posterior.notes[:-1], note)
