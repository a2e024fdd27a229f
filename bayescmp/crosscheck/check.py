"""Every pair of algorithms by a Bayesian test and by its frequentist twins."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from bayescmp.comparison import Comparisons
from bayescmp.comparison.best import best_of
from bayescmp.comparison.record import warn_of_pairs
from bayescmp.crosscheck.joint import group_drafts, joint_drafts
from bayescmp.crosscheck.omnibus import omnibus
from bayescmp.crosscheck.pairs import PairPart, pair_part, table_drafts
from bayescmp.crosscheck.plan import Pair, Plan, make_plan
from bayescmp.crosscheck.results import CrossCheck
from bayescmp.crosscheck.rows import Draft, finished, stand_ins
from bayescmp.crosscheck.twins import Twin
from bayescmp.errors import InputError, warn_user
from bayescmp.scores import Scores

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.checks import RhoLike, Seed
    from bayescmp.items.items import Items
    from bayescmp.verdict.rope import RopesLike

__all__ = ["compared", "concluded", "crosscheck"]

T = TypeVar("T")


def crosscheck(
    scores: Scores | Items | pd.DataFrame,
    metric: str | Iterable[str] | None = None,
    rope: RopesLike | None = None,
    *,
    metrics: Iterable[str] | None = None,
    algorithms: Iterable[str] | None = None,
    datasets: Iterable[str] | None = None,
    scale: str | None = None,
    twins: Iterable[Twin] | None = None,
    threshold: float = 0.95,
    alpha: float = 0.05,
    adjust: str = "holm",
    rho: RhoLike | None = None,
    seed: Seed = None,
    paired: bool = True,
    progress: bool | None = None,
    keep_posteriors: bool = False,
    **options: object,
) -> CrossCheck:
    """Compare all pairs of algorithms by Bayesian tests and by their frequentist twins.

    The two answer different questions. A p-value says how surprising the observed differences
    would be if the algorithms did not differ; a verdict says how probable it is that they differ
    by enough to matter. Each row says in words where the two disagree and why.

    Parameters
    ----------
    scores : Scores, Items or DataFrame
        Scores of at least two algorithms; items are taken as `Items.scores` gives them.
    metric : str or iterable of str, optional
        Metric to compare by; with several, each alone and all together. May be left out where the
        table has one only. A metric that follows from columns tp, fn, fp and tn ("tpr", "f1", ...)
        need not be a column itself.
    rope : float or (float, float) or mapping
        Region of practical equivalence, in units of the metric; one for all, or one per metric.
    metrics : iterable of str, optional
        Metrics to compare by together, with ``metric`` alone beside them: ``metric="error",
        metrics=("tpr", "fpr")``. Without ``metric`` each of them is compared alone as well.
    algorithms, datasets : iterable of str, optional
        These only.
    scale : {"difference", "log_ratio", "standardised"}, optional
        As for `compare`.
    twins : iterable of Twin, optional
        Which tests; those of `bayescmp.catalogue` if not given. Tests that need more scores than
        there are (say, a test over data sets where there is only one) are left out.
    threshold : float
        Probability at which a verdict is decided.
    alpha : float
        Level at which an adjusted p-value is significant.
    adjust : str
        How p-values are adjusted over the pairs; see `bayescmp.frequentist.adjust`. Tests on one
        data set are adjusted over the pairs on that data set.
    rho : float or array_like, optional
        Correlation of two folds' differences; from the fold labels if not given.
    seed : int or numpy Generator, optional
        The same seed gives the same numbers on the same engine.
    paired : bool
        Whether scores of the same folds or seeds pair. If not, runs of one data set are compared
        by tests for independent samples.
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
        ``pairs`` has one row per pair, ``frame`` one per pair of twins.

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

    See Also
    --------
    compare_all : The Bayesian verdicts alone.
    report : The same as a page, with plots.
    procedure : The frequentist tests that a study calls for, step by step.

    Examples
    --------
    >>> import bayescmp as bc
    >>> import numpy as np
    >>> import pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> means = pd.DataFrame(
    ...     rng.normal([0.80, 0.81, 0.87], 0.02, (15, 3)), columns=["knn", "gbm", "svm"]
    ... )
    >>> scores = bc.Scores.from_means(means, metric="accuracy")
    >>> check = bc.crosscheck(scores, rope=0.01, seed=1, progress=False)
    >>> check.pairs[["first", "second", "decision", "agreement"]]
      first second   decision agreement
    0   knn    gbm  undecided      open
    1   knn    svm     second     agree
    2   gbm    svm     second     agree
    """
    plan = make_plan(
        scores,
        metric,
        rope,
        metrics=metrics,
        algorithms=algorithms,
        datasets=datasets,
        scale=scale,
        paired=paired,
        twins=twins,
        threshold=threshold,
        alpha=alpha,
        adjust_by=adjust,
        rho=rho,
        seed=seed,
        options=options,
    )
    parts = compared(plan, progress=progress)
    kept = [part if keep_posteriors else part.light() for part in parts]
    return concluded(plan, kept, progress=progress)


def compared(
    plan: Plan, *, progress: bool | None = None, brief: Container[Pair] = ()
) -> Iterator[PairPart]:
    """Compare pair by pair; only the part at hand holds its posterior.

    Parameters
    ----------
    plan : Plan
    progress : bool, optional
        As for `crosscheck`.
    brief : container of (str, str)
        Pairs of which the main Bayesian test is enough.

    Yields
    ------
    PairPart
        By metric, then by pair.

    Raises
    ------
    Exception
        The first pair's, where all fail by a metric.
    """
    steps = [(metric, pair) for metric in plan.metrics for pair in plan.pairs]
    errors: list[Exception] = []
    for metric, pair in _bar(steps, "pairs", progress):
        if pair == plan.pairs[0]:
            errors = []
        part = pair_part(plan, metric, pair, brief=pair in brief)
        if part.failed and part.error is not None:
            errors.append(part.error)
        if len(errors) == len(plan.pairs):
            raise errors[0]
        yield part


def concluded(
    plan: Plan, parts: Iterable[PairPart], *, progress: bool | None = None
) -> CrossCheck:
    """Add what needs all pairs: tests of all algorithms, adjusted p-values, the wording.

    Parameters
    ----------
    plan : Plan
    parts : iterable of PairPart
        As `compared` yields them.
    progress : bool, optional
        As for `crosscheck`.

    Returns
    -------
    CrossCheck
    """
    parts = list(parts)
    drafts: list[Draft] = []
    comparisons: dict[str, Comparisons] = {}
    for metric in plan.metrics:
        of_metric = [part for part in parts if part.metric == metric]
        drafts += [draft for part in of_metric for draft in part.drafts]
        drafts += table_drafts(plan, metric, of_metric) + group_drafts(plan, metric)
        comparisons[metric] = _comparisons(plan, metric, of_metric)
    if plan.joint:
        for dataset in _bar(plan.scores.datasets, "data sets", progress):
            drafts += joint_drafts(plan, dataset)
    if not drafts:
        raise InputError("the scores are not enough for any of the twins")
    rows, notes = finished(drafts, plan), _notes(drafts, plan)
    _warn(comparisons, notes)
    return CrossCheck(
        tuple(rows),
        plan.algorithms,
        plan.scores.datasets,
        plan.metrics,
        plan.joint,
        plan.ropes,
        comparisons,
        omnibus(plan),
        plan.threshold,
        plan.alpha,
        plan.adjust,
        plan.seed,
        notes,
    )


def _bar(steps: Sequence[T], what: str, progress: bool | None) -> Iterable[T]:
    """The steps with a progress bar; on a terminal only, where that is left open."""
    from tqdm import tqdm

    return tqdm(steps, desc=what, disable=None if progress is None else not progress)


def _comparisons(plan: Plan, metric: str, parts: list[PairPart]) -> Comparisons:
    """The verdicts by one metric."""
    results = {part.pair: part.main for part in parts if part.main is not None}
    failures = {p.pair: p.error for p in parts if p.main is None and p.error is not None}
    rope, scores = plan.ropes[metric], plan.scores.select(algorithms=plan.algorithms)
    best = best_of(scores, metric, rope, plan.seed, plan.rho)
    return Comparisons(plan.algorithms, results, failures, None, metric, rope, best)


def _notes(drafts: list[Draft], plan: Plan) -> tuple[str, ...]:
    """Where the analysis departs from what was asked for."""
    if not stand_ins(drafts, plan):
        return ()
    return (
        f"p-values of some pairs are missing: where they are, Holm's procedure stands in for "
        f"{plan.adjust}, which needs all of them",
    )


def _warn(comparisons: dict[str, Comparisons], notes: tuple[str, ...]) -> None:
    """Warn once of all that went wrong."""
    for note in notes:
        warn_user(note)
    warn_of_pairs(
        [item for c in comparisons.values() for item in c.results.items()],
        [item for c in comparisons.values() for item in c.failures.items()],
    )
