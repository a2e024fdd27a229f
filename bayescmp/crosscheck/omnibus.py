"""The tests of all algorithms at once, before the pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayescmp.catalogue import frequentist_tests
from bayescmp.crosscheck.plan import GROUP, Plan
from bayescmp.errors import InputError
from bayescmp.score_blocks import scores_blocks
from bayescmp.unpaired import runs_of

if TYPE_CHECKING:
    from bayescmp.frequentist import TestResult

__all__ = ["omnibus"]


def omnibus(plan: Plan) -> dict[str, TestResult]:
    """For each metric the test of all algorithms, where there are at least three.

    Parameters
    ----------
    plan : Plan

    Returns
    -------
    dict of str to TestResult
        Without the metrics by which an algorithm was not run everywhere: the pairs' rows say so.
    """
    results: dict[str, TestResult] = {}
    if len(plan.algorithms) < GROUP:
        return results
    for metric in plan.metrics:
        try:
            scope, x, options = _given(plan, metric)
            for test in frequentist_tests(scope)[:1]:
                results[metric] = test.call(x, **options)
        except InputError:
            continue
    return results


def _given(plan: Plan, metric: str) -> tuple[str, Any, dict[str, bool]]:
    """The scope of the scores, the scores as it has them, and which way is better."""
    scores, names = plan.scores, plan.algorithms
    if not plan.paired:
        runs = runs_of(scores, names, metric, scores.datasets[0])
        return "all_runs", dict(zip(names, runs, strict=True)), {}
    if len(scores.datasets) > 1:
        means = scores.means(metric)[list(names)]
        return "all_datasets", means, {"lower_is_better": scores.lower_is_better(metric)}
    blocks = scores_blocks(
        scores, metrics=(metric,), dataset=scores.datasets[0], algorithms=names, rho=plan.rho
    )
    return "all_items" if plan.of_items(metric) else "all_folds", blocks, {}
