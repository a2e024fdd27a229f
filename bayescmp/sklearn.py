"""The simplest model that is practically as good as the best one, for scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from bayescmp.base.arguments import must, must_be
from bayescmp.base.checks import items_of, one_rho
from bayescmp.base.magnitudes import ROUNDING
from bayescmp.base.typing import Json
from bayescmp.bayesian.paired.correlated import correlated_t
from bayescmp.errors import InputError, locate_errors, unknown_name, warn_user
from bayescmp.results.verdict import Verdict, check_threshold
from bayescmp.scores.designs import as_resampling
from bayescmp.scores.differences import Differences
from bayescmp.scores.rope import Rope, RopeLike, as_rope

__all__ = ["PracticallyBest", "practically_best"]

Complexity = str | Sequence[str] | Callable[[Mapping[str, Any]], object]

_COSTS = ("mean_fit_time", "mean_score_time")


def __dir__() -> list[str]:
    return __all__


def practically_best(
    rope: RopeLike,
    *,
    complexity: Complexity,
    resampling: object = None,
    rho: float | None = None,
    metric: str | None = None,
    threshold: float = 0.95,
) -> PracticallyBest:
    """Choose the simplest candidate of a search that is practically equivalent to the best.

    Pass the result to ``GridSearchCV`` or ``RandomizedSearchCV`` (not the halving ones) as
    ``refit``. The Bayesian correlated t test compares every simpler candidate with the one of the
    best mean score, on the same splits. The simplest whose difference lies in the ROPE with at
    least the probability ``threshold`` is refitted, or else the best.

    Parameters
    ----------
    rope : float or (float, float)
        Region of practical equivalence, in units of the score: half-width or bounds.
    complexity : str, sequence of str or callable
        A parameter, or several in order of importance, of which smaller is simpler and None the
        most complex; "mean_fit_time" or "mean_score_time"; or a function of the parameters.
    resampling : Resampling, str, int or splitter, optional
        How the search splits its data, as its own ``cv``: 5, ``RepeatedKFold(...)``, "10-fold".
    rho : float, optional
        Correlation of two splits' differences instead; one of the two is needed.
    metric : str, optional
        The score to judge by, in a search that computes several.
    threshold : float
        Probability at which two candidates are practically equivalent.

    Returns
    -------
    PracticallyBest
        A callable; after the search its ``frame`` compares each candidate with the best.

    Raises
    ------
    InputError
        Bad options; when called, unknown parameters or metric, or no candidate without failed
        splits.

    See Also
    --------
    bayescmp.bayesian.correlated_t : The test.

    References
    ----------
    Corani & Benavoli 2015, Machine Learning 100, eq. (8); it replaces the rule of one standard
    error: Breiman, Friedman, Olshen & Stone 1984, section 3.4.3.

    Examples
    --------
    >>> import bayescmp as bc
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> search = GridSearchCV(
    ...     DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 3, 4, 5]}, cv=10,
    ...     refit=bc.sklearn.practically_best(0.06, complexity="max_depth", resampling=10),
    ... ).fit(*load_iris(return_X_y=True))
    >>> search.best_params_
    {'max_depth': 2}
    """
    region = as_rope(rope)
    design = as_resampling(resampling)
    if design is None and rho is None:
        raise must(
            "resampling",
            "be given, since the results of a search do not show how its splits were drawn",
            hint="Give the search's own cv (resampling=10, RepeatedKFold(...)), or rho.",
        )
    if design is not None and rho is not None:
        raise must("resampling", "be left out with rho, which it would give")
    if not (callable(complexity) or isinstance(complexity, str) or items_of(complexity)):
        raise must_be("complexity", "a parameter, several in a list, or a function", complexity)
    return PracticallyBest(
        rope=region,
        complexity=complexity,
        rho=one_rho(rho) if design is None else design.rho,
        metric=metric,
        threshold=check_threshold(threshold),
    )


@dataclass
class PracticallyBest:
    """A rule for ``refit``; see `practically_best`.

    Attributes
    ----------
    frame : DataFrame or None
        After a search, one row per candidate, the simplest first: its parameters, complexity, mean
        score, p_left (the best is practically better), p_rope, p_right, the decision, and which
        was chosen. Candidates with failed splits are not compared.
    """

    rope: Rope
    complexity: Complexity
    rho: float
    metric: str | None = None
    threshold: float = 0.95
    frame: pd.DataFrame | None = field(default=None, repr=False)

    def __call__(self, cv_results: Json) -> int:
        """Find the place of the candidate to refit in the search's ``cv_results_``."""
        scores = _scores(cv_results, self.metric)
        whole = np.isfinite(scores).all(axis=1)
        if not whole.any():
            raise must("cv_results", "have a candidate with a finite score on every split", "none")
        if not whole.all():
            warn_user(
                f"{int((~whole).sum())} of {len(whole)} candidates failed on some split and "
                "are left out"
            )
        mean = np.where(whole, np.nan_to_num(scores).mean(axis=1), -np.inf)
        cost = _costs(cv_results, self.complexity)
        order = sorted(np.flatnonzero(whole).tolist(), key=lambda i: (cost[i], -mean[i]))
        slack = ROUNDING * abs(mean.max())  # means of the same scores in another order are tied
        best = next(i for i in order if mean[i] >= mean.max() - slack)
        verdicts = {
            i: self._compare_with_best(scores[best], scores[i]) for i in order if i != best
        }
        chosen = next(
            i
            for i in order
            if i == best or (cost[i] < cost[best] and verdicts[i].decision == "equivalent")
        )
        self.frame = _frame(cv_results["params"], order, cost, mean, best, chosen, verdicts)
        return int(chosen)

    def _compare_with_best(self, best: np.ndarray, other: np.ndarray) -> Verdict:
        x = Differences.from_arrays([best], [other], rho=self.rho)
        return correlated_t(x, rope=self.rope).verdict(threshold=self.threshold)


# Candidates' scores and costs, as scikit-learn's search records them.


def _scores(results: Mapping[str, object], metric: str | None) -> np.ndarray:
    """Read scores of every candidate on every split, shape (candidates, splits)."""
    if not isinstance(results, Mapping) or "params" not in results:
        way = "Pass search.cv_results_, or this object as GridSearchCV(refit=...)."
        raise must_be("cv_results", "what a search writes", results, way)
    if "iter" in results:
        raise InputError(
            "cv_results must be of GridSearchCV or RandomizedSearchCV (got a successive-halving "
            "search, whose candidates have different samples).",
            argument="cv_results",
        )
    names = {k[len("split0_test_") :] for k in results if k.startswith("split0_test_")}
    known = sorted(names)
    if metric is None and len(known) != 1:
        raise must(
            "metric", "be given", hint=f"The search computed {', '.join(map(repr, known))}."
        )
    name = known[0] if metric is None else metric
    if name not in names:
        raise unknown_name("metric", metric, known)
    count = sum(k.startswith("split") and k.endswith(f"_test_{name}") for k in results)
    if count < 2:
        raise must("cv_results", "have at least two splits for the correlated t test", str(count))
    columns = [np.asarray(results[f"split{i}_test_{name}"], dtype=float) for i in range(count)]
    return np.stack(columns, axis=1)


def _costs(results: Json, complexity: Complexity) -> list[tuple[Any, ...]]:
    """Say how complex each candidate is, in tuples that sort with the simplest first."""
    params: Sequence[Json] = results["params"]
    if callable(complexity):
        return [(complexity(p),) for p in params]
    names = [complexity] if isinstance(complexity, str) else list(complexity)
    known = sorted({key for p in params for key in p})
    for name in names:
        if name not in known and name not in _COSTS:
            raise unknown_name("parameter in complexity", name, [*known, *_COSTS])
    costs = []
    for i, p in enumerate(params):
        with locate_errors(f"candidate {i}"):
            costs.append(tuple(_cost(name, results, p, i) for name in names))
    return costs


def _cost(name: str, results: Json, p: Json, i: int) -> float:
    """Read one parameter as a number; None, which mostly is "no limit", is the most complex."""
    if name in _COSTS:
        return float(results[name][i])
    value = p.get(name)
    if value is None:
        return float("inf")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(
            f"complexity must be parameters that are numbers or None, or a function of all of "
            f"them (got {value!r} for {name!r}).",
            argument="complexity",
        ) from None


def _frame(
    params: Sequence[Mapping[str, object]],
    order: Sequence[int],
    cost: Sequence[tuple[object, ...]],
    mean: np.ndarray,
    best: int,
    chosen: int,
    verdicts: Mapping[int, Verdict],
) -> pd.DataFrame:
    """Lay out one row a candidate that was compared."""
    rows = []
    for i in order:
        v = verdicts.get(i)
        p = (np.nan,) * 3 if v is None else (v.p_left, v.p_rope, v.p_right)
        rows.append(
            {
                **params[i],
                "complexity": cost[i] if len(cost[i]) > 1 else cost[i][0],
                "mean_score": mean[i],
                "p_left": p[0],
                "p_rope": p[1],
                "p_right": p[2],
                "decision": "best" if v is None else v.decision,
                "best": i == best,
                "chosen": i == chosen,
            }
        )
    return pd.DataFrame(rows, index=pd.Index(order, name="candidate"))
