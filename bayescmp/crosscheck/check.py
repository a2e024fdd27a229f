"""Every pair of algorithms by a Bayesian test and by its frequentist twins."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any

from bayescmp import frequentist
from bayescmp.comparison import Comparisons
from bayescmp.comparison.results import PairResult
from bayescmp.crosscheck.joint import group_drafts, joint_drafts
from bayescmp.crosscheck.pairs import PairDrafts, pair_drafts, table_drafts
from bayescmp.crosscheck.plan import Pair, Plan, make_plan
from bayescmp.crosscheck.results import CrossCheck
from bayescmp.crosscheck.rows import Draft, finished, stand_ins
from bayescmp.crosscheck.twins import TWINS, Twin
from bayescmp.errors import DiagnosticWarning, InputError

__all__ = ["crosscheck", "run"]

#: Called with the metric, the pair and what it gave, while that still has its posterior.
Visit = Callable[[str, Pair, PairDrafts], None]


def crosscheck(
    scores: Any,
    metric: str | Iterable[str] | None = None,
    rope: Any = None,
    *,
    metrics: Iterable[str] | None = None,
    algorithms: Iterable[str] | None = None,
    datasets: Iterable[str] | None = None,
    twins: Iterable[Twin] | None = None,
    threshold: float = 0.95,
    alpha: float = 0.05,
    adjust: str = "holm",
    rho: Any = None,
    seed: Any = None,
    progress: bool | None = None,
    keep_posteriors: bool = False,
    **options: Any,
) -> CrossCheck:
    """Compare all pairs of algorithms by Bayesian tests and by their frequentist twins.

    The two answer different questions. A p-value says how surprising the differences would be if
    there were none; a verdict how probable it is that they matter. Each row says in words where
    the two part and why.

    Parameters
    ----------
    scores : Scores or DataFrame
        Scores of at least two algorithms.
    metric : str or iterable of str, optional
        Metric to compare by; of several, each alone and all together. May be left out where the
        table has one only. What follows from columns tp, fn, fp and tn ("tpr", "f1", ...) need not
        be a column itself.
    rope : float or (float, float) or mapping
        Region of practical equivalence, in units of the metric; one for all, or one a metric.
    metrics : iterable of str, optional
        Metrics to compare by together, with ``metric`` alone beside them: ``metric="error",
        metrics=("tpr", "fpr")``. Without ``metric`` each of them is compared alone as well.
    algorithms, datasets : iterable of str, optional
        These only.
    twins : iterable of Twin, optional
        Which tests; `bayescmp.crosscheck.TWINS` if not given. Those that the scores are not enough
        for are left out (a test over data sets where there is one, say).
    threshold : float
        Probability at which a verdict is decided.
    alpha : float
        Level at which an adjusted p-value is significant.
    adjust : str
        How p-values are adjusted over the pairs; see `bayescmp.frequentist.adjust`. Tests on one
        data set are adjusted over the pairs on that data set.
    rho : float or array_like, optional
        Correlation of two folds' differences, if not as the fold labels tell.
    seed : int or numpy Generator, optional
        The same seed gives the same numbers on the same engine.
    progress : bool, optional
        Whether to show a progress bar; if not given, on a terminal.
    keep_posteriors : bool
        Whether to keep the posterior of each pair's main test, in ``comparisons``.
    **options
        For the Bayesian tests that take them: engine, draws, ...; prior is that of the
        hierarchical test.

    Returns
    -------
    CrossCheck
        ``pairs`` has one row a pair, ``frame`` one a pair of twins.

    Raises
    ------
    InputError
        Unknown names or options, a bad rope, threshold or level; the first pair's error where no
        pair can be compared.
    EngineNotFound
        If the engine that was asked for is not installed.

    Warns
    -----
    DiagnosticWarning
        How many pairs could not be compared, or can't be trusted.

    References
    ----------
    Benavoli, Corani, Demšar & Zaffalon (2017), Time for a change: a tutorial for comparing
    multiple classifiers through Bayesian analysis, Journal of Machine Learning Research 18(77).
    """
    plan = make_plan(
        scores, metric, rope, metrics=metrics, algorithms=algorithms, datasets=datasets,
        twins=TWINS if twins is None else twins, threshold=threshold, alpha=alpha,
        adjust_by=adjust, rho=rho, seed=seed, options=options,
    )  # fmt: skip
    return run(plan, progress=progress, keep=keep_posteriors)


def run(
    plan: Plan, *, progress: bool | None = None, keep: bool = False, visit: Visit | None = None
) -> CrossCheck:
    """Do what is planned.

    Parameters
    ----------
    plan : Plan
    progress, keep
        As for `crosscheck`.
    visit : callable, optional
        Called with each pair's result while it holds its posterior: whatever is to be had of
        posteriors is had one at a time, so that they need not all be kept.

    Returns
    -------
    CrossCheck
    """
    from tqdm import tqdm

    total = len(plan.pairs) * len(plan.metrics) + len(plan.scores.datasets) * bool(plan.joint)
    hidden = None if progress is None else not progress
    drafts: list[Draft] = []
    comparisons: dict[str, Comparisons] = {}
    with tqdm(total=total, desc="comparisons", disable=hidden) as bar:
        for metric in plan.metrics:
            found, comparisons[metric] = _one_metric(plan, metric, keep, visit, bar.update)
            drafts += found
        drafts += joint_drafts(plan, bar.update) if plan.joint else []
    if not drafts:
        raise InputError("the scores are not enough for any of the twins")
    rows, notes = finished(drafts, plan), _notes(drafts, plan)
    _report(comparisons, notes)
    return CrossCheck(
        tuple(rows), plan.algorithms, plan.scores.datasets, plan.metrics, plan.joint, plan.ropes,
        comparisons, _omnibus(plan), plan.threshold, plan.alpha, plan.adjust, plan.seed, notes,
    )  # fmt: skip


def _one_metric(
    plan: Plan, metric: str, keep: bool, visit: Visit | None, step: Callable[[], Any]
) -> tuple[list[Draft], Comparisons]:
    """Every pair by one metric."""
    drafts: list[Draft] = []
    results: dict[Pair, PairResult] = {}
    failures: dict[Pair, Exception] = {}
    parts: dict[Pair, PairDrafts] = {}
    for pair in plan.pairs:
        part = parts[pair] = pair_drafts(plan, metric, pair, keep or visit is not None)
        drafts += part.drafts
        if part.error is not None and part.main is None:
            failures[pair] = part.error
        elif part.main is not None:
            if visit is not None:
                visit(metric, pair, part)
            results[pair] = part.main = part.main if keep else part.without_posterior()
            part.table = None
        step()
    if len(failures) == len(plan.pairs):
        raise next(iter(failures.values()))
    drafts += table_drafts(plan, metric, parts) + group_drafts(plan, metric)
    rope = plan.ropes[metric]
    return drafts, Comparisons(plan.algorithms, results, failures, None, metric, rope)


def _omnibus(plan: Plan) -> dict[str, Any]:
    """The rank test of all algorithms, where there are at least three and data sets enough."""
    found: dict[str, Any] = {}
    if len(plan.algorithms) < 3 or len(plan.scores.datasets) < 2:
        return found
    for metric in plan.metrics:
        means = plan.scores.means(metric)[list(plan.algorithms)]
        try:
            found[metric] = frequentist.iman_davenport(
                means, lower_is_better=plan.scores.lower_is_better(metric)
            )
        except InputError:  # an algorithm was not run on all data sets: the pairs' rows say so
            continue
    return found


def _notes(drafts: list[Draft], plan: Plan) -> tuple[str, ...]:
    """Where what was done is not quite what was asked for."""
    if not stand_ins(drafts, plan):
        return ()
    return (
        f"p-values of some pairs are missing: where they are, Holm's procedure stands in for "
        f"{plan.adjust}, which needs all of them",
    )


def _report(comparisons: dict[str, Comparisons], notes: tuple[str, ...]) -> None:
    """Warn once of all that went wrong."""
    for note in notes:
        warnings.warn(note, DiagnosticWarning, stacklevel=4)
    failed = [(p, e) for c in comparisons.values() for p, e in c.failures.items()]
    doubtful = [
        (p, "; ".join(r.warnings or r.diagnostics.messages))
        for c in comparisons.values() for p, r in c.results.items()
        if r.warnings or not r.diagnostics.ok
    ]  # fmt: skip
    total = sum(len(c) for c in comparisons.values())
    for found, what in (
        (failed, "could not be compared"), (doubtful, "can't be trusted as they stand"),
    ):  # fmt: skip
        if found:
            (first, second), why = found[0]
            warnings.warn(
                f"{len(found)} of {total} pairs {what}, e.g. {first} and {second}: {why}",
                DiagnosticWarning, stacklevel=4,
            )  # fmt: skip
