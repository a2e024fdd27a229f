"""One pair of algorithms: which test fits the scores, and its posterior."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bayescmp.bayesian import correlated_t, hierarchical_t, robust_t, sign, signed_rank
from bayescmp.differences import Differences
from bayescmp.errors import InputError, unknown_name
from bayescmp.posterior import Posterior
from bayescmp.scores import Scores
from bayescmp.verdict import Rope, as_rope

__all__ = [
    "TESTS", "as_scores", "choose", "compare", "default_rho", "required_rope", "test_name",
    "tested",
]  # fmt: skip

TESTS: dict[str, Callable[..., Posterior]] = {
    "correlated_t": correlated_t,
    "robust_t": robust_t,
    "hierarchical_t": hierarchical_t,
    "sign": sign,
    "signed_rank": signed_rank,
}
#: These look at means alone: the folds' correlation does not matter.
ON_MEANS = ("sign", "signed_rank")


def compare(
    scores: Any,
    first: str | None = None,
    second: str | None = None,
    metric: str | Sequence[str] | None = None,
    rope: Any = None,
    *,
    test: str = "auto",
    dataset: str | None = None,
    rho: Any = None,
    seed: Any = None,
    **options: Any,
) -> Posterior:
    """Compare two algorithms by the test that fits the scores.

    Parameters
    ----------
    scores : Scores, DataFrame or Differences
        Scores of at least two algorithms; of a `Differences` the names and the metric are taken.
    first, second : str, optional
        The two algorithms; may be left out where there are only two.
    metric : str or sequence of str, optional
        May be left out where the table has one metric only. Several are compared at once, over the
        regions equivalent, first dominates, second dominates and trade-off; they may also follow
        from columns tp, fn, fp and tn ("tpr", "fpr", ...).
    rope : float or (float, float); of several metrics also a sequence or mapping of one each
        Region of practical equivalence, in units of the metric.
    test : str
        Of several metrics "multivariate_t", "robust_multivariate_t" (one data set) or
        "hierarchical_multivariate_t" (several data sets). Of one metric
        "correlated_t", "robust_t" (one data set), "hierarchical_t" (several, with their folds),
        "sign", "signed_rank" (several, by their means); "auto" takes correlated_t for one data
        set, hierarchical_t for several with at least two scores each, signed_rank for means; the
        posterior's notes say which it took and why.
    dataset : str, optional
        Compare on this data set only.
    rho : float or array_like, optional
        Correlation of two folds' differences, if not as the fold labels tell.
    seed : int or numpy Generator, optional
        The same seed gives the same numbers on the same engine.
    **options
        Passed on to the test: prior, engine, draws, ...

    Returns
    -------
    Posterior

    Raises
    ------
    InputError
        Unknown names, test or option; whatever `Scores.differences` and the test refuse.
    EngineError, EngineNotFound
        If the engine can't fit the model or is not installed.

    Warns
    -----
    DiagnosticWarning
        If the posterior can't be trusted.
    """
    if metric is not None and not isinstance(metric, str):
        names = [str(m) for m in metric]
        if len(names) != 1:
            return _several(scores, first, second, names, rope, test, dataset, rho, seed, options)
        metric = names[0]
    region, test = required_rope(rope), test_name(test)
    x = _differences(as_scores(scores), first, second, metric, default_rho(rho, test))
    x = x if dataset is None else x.row(str(dataset))
    return tested(x, test, region, seed, options)


def _several(
    scores: Any, first: Any, second: Any, metrics: list[str], rope: Any, test: str, dataset: Any,
    rho: Any, seed: Any, options: Any,
) -> Posterior:  # fmt: skip
    """Several metrics at once."""
    from bayescmp.comparison.several import compare_several

    if not metrics:
        raise InputError("metric is an empty sequence; accepted: a metric, or several")
    if rope is None:
        required_rope(rope)
    table = as_scores(scores)
    if isinstance(table, Scores):
        first, second = _pair(table, first, second)
    return compare_several(
        table, first, second, metrics, rope, test=test, dataset=dataset, rho=rho, seed=seed,
        options=options,
    )  # fmt: skip


def required_rope(rope: Any) -> Rope:
    """The rope, which every comparison needs."""
    if rope is None:
        raise InputError(
            "rope is missing: the difference, in units of the metric, below which two algorithms "
            "are practically equivalent; e.g. 0.01 for accuracy, or 0 for no such region"
        )
    return as_rope(rope)


def test_name(test: str) -> str:
    """A test's name as in `TESTS`, or "auto"; "signed-rank" and "hierarchical" are understood."""
    plain = str(test).replace("-", "_")
    for name in (plain, f"{plain}_t"):
        if name == "auto" or name in TESTS:
            return name
    raise unknown_name("test", test, ["auto", *TESTS])


def default_rho(rho: Any, test: str) -> Any:
    """No correlation for the tests on means, so that it need not be told from the folds."""
    return 0.0 if rho is None and test in ON_MEANS else rho


def as_scores(scores: Any) -> Scores | Differences:
    """Scores as they are, or made of a table."""
    if isinstance(scores, (Scores, Differences)):
        return scores
    if hasattr(scores, "columns"):
        return Scores(scores)
    raise InputError(
        f"scores is {type(scores).__name__}; accepted: Scores, a DataFrame, or Differences"
    )


def _differences(
    scores: Scores | Differences,
    first: str | None,
    second: str | None,
    metric: str | None,
    rho: Any,
) -> Differences:
    if isinstance(scores, Differences):
        names = scores.names if first is None and second is None else (first, second)
        if names != scores.names:
            raise InputError(
                f"first={first!r}, second={second!r}, but the differences are of {scores.names}"
            )
        return scores if rho is None else scores._with(scores.x, rho=rho)
    first, second = _pair(scores, first, second)
    return scores.differences(first, second, metric, rho=rho)


def _pair(scores: Scores, first: str | None, second: str | None) -> tuple[str, str]:
    """The two algorithms; the only two need not be named."""
    if first is None and second is None and len(scores.algorithms) == 2:
        return scores.algorithms[0], scores.algorithms[1]
    if first is None or second is None:
        raise InputError(
            "first and second are needed: the table has the algorithms "
            + ", ".join(map(repr, scores.algorithms))
        )
    return first, second


def tested(x: Differences, test: str, rope: Rope, seed: Any, options: Any) -> Posterior:
    """The posterior of a test, with a note of why it was taken if that was left open."""
    name, why = choose(x) if test == "auto" else (test, "")
    posterior = TESTS[name](x, rope=rope, seed=seed, **_options(name, options))
    if not why:
        return posterior
    return dataclasses.replace(posterior, notes=(f"test {name}: {why}", *posterior.notes))


def _options(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options that the test takes."""
    known = set(inspect.signature(TESTS[name]).parameters) - {"x", "rho", "rope", "seed", "names"}
    # None is what is not asked for; a closed form has one engine, which need not be named, and
    # nothing to show progress of.
    free = {"engine": ("auto", "exact"), "progress": (False, True)}
    options = {
        k: v for k, v in options.items()
        if v is not None and (k in known or v not in free.get(k, ()))
    }  # fmt: skip
    for option in options:
        if option not in known:
            raise unknown_name(f"option of {name}", option, sorted(known))
    return options


def choose(x: Differences) -> tuple[str, str]:
    """The test for these differences, and why."""
    n = x.n
    if x.q == 1 and n[0] == 1:
        raise InputError(
            f"there is a single score of each algorithm, on data set {x.datasets[0]!r}: no test "
            "can tell from one difference; give its folds, or more data sets"
        )
    if x.q == 1:
        return "correlated_t", f"one data set, with {n[0]} scores"
    if n.min() >= 2:
        folds = f"{n.min()}" if n.min() == n.max() else f"{n.min()} to {n.max()}"
        return "hierarchical_t", f"{x.q} data sets, with {folds} scores on each"
    if n.max() == 1:
        return "signed_rank", f"{x.q} data sets, with a single score on each"
    short = int((n < 2).sum())
    return "signed_rank", f"{x.q} data sets, {short} of which with a single score: by their means"
