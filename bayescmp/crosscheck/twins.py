"""Which frequentist test answers the same question as which Bayesian one: one table.

A new comparison is cross-checked by one more line of `TWINS`. Both functions are found by their
names in `bayescmp.bayesian` and `bayescmp.frequentist`, and are given what their scope says.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayescmp import bayesian, frequentist
from bayescmp.blocks import Blocks
from bayescmp.differences import ROUNDING, Differences
from bayescmp.errors import InputError, unknown_name
from bayescmp.frequentist.ranks.posthoc import TESTS as RANKED

__all__ = [
    "SCOPES", "TWINS", "Twin", "bayesian_test", "favours", "frequentist_test", "options_of",
    "tests_of",
]  # fmt: skip

#: What a pair of twins is given, and with it what a row of the result is about.
SCOPES = {
    "datasets": "the differences of two algorithms over several data sets",
    "table": "as datasets; the frequentist test ranks all algorithms together",
    "dataset": "the differences of two algorithms on one data set",
    "metrics": "several metrics of two algorithms on one data set",
    "groups": "all algorithms on one data set by one metric, folds as blocks",
    "groups_metrics": "as groups, by several metrics",
}


@dataclass(frozen=True)
class Twin:
    """A Bayesian test and the frequentist one that answers the same question.

    Attributes
    ----------
    bayesian, frequentist : str
        Names of functions in `bayescmp.bayesian` and in `bayescmp.frequentist`; in the scope
        "table" the latter is a test of `posthoc`. A Bayesian test over data sets in the scope
        "dataset" is asked for what it makes of each of them (``by_dataset``).
    scope : str
        One of `SCOPES`.
    """

    bayesian: str
    frequentist: str
    scope: str

    def __post_init__(self) -> None:
        if self.scope not in SCOPES:
            raise InputError(f"scope={self.scope!r}; accepted: {', '.join(SCOPES)}")
        _check_test("Bayesian test", self.bayesian, _functions(bayesian))
        known = RANKED if self.scope == "table" else _functions(frequentist)
        _check_test("frequentist test", self.frequentist, known)


def _check_test(what: str, name: str, known: Sequence[str]) -> None:
    if name not in known:
        raise unknown_name(what, name, known)


def _functions(module: Any) -> list[str]:
    """What a module offers, without its classes."""
    return [name for name in vars(module) if name[0].islower() and callable(vars(module)[name])]


#: The first line of a scope that fits the scores gives the verdict of the pair's row.
TWINS = (
    Twin("hierarchical_t", "wilcoxon", "datasets"),
    Twin("hierarchical_t", "sign_test", "datasets"),
    Twin("signed_rank", "wilcoxon", "datasets"),
    Twin("sign", "sign_test", "datasets"),
    Twin("signed_rank", "quade", "table"),
    Twin("sign", "friedman", "table"),
    Twin("correlated_t", "corrected_t", "dataset"),
    Twin("hierarchical_t", "corrected_t", "dataset"),
    Twin("groups", "tukey", "groups"),
    Twin("multivariate_t", "hotelling_paired", "metrics"),
    Twin("groups", "pairwise_hotelling", "groups_metrics"),
)  # fmt: skip

#: Least data sets, and least folds on each, of the Bayesian tests that need more than one.
NEEDS = {"hierarchical_t": (2, 2), "correlated_t": (1, 2)}


def tests_of(twins: tuple[Twin, ...], x: Differences) -> tuple[Twin, ...]:
    """The twins of one metric and two algorithms that these differences are enough for."""
    twins = tuple(t for t in twins if t.scope in ("datasets", "table", "dataset"))
    return tuple(t for t in twins if _enough(t, x))


def _enough(twin: Twin, x: Differences) -> bool:
    datasets, folds = NEEDS.get(twin.bayesian, (1, 1))
    if twin.scope in ("datasets", "table"):
        datasets = max(datasets, 2)
    elif twin.scope == "dataset":
        folds = max(folds, 2)
    return x.q >= datasets and int(x.n.min()) >= folds


def options_of(name: str) -> set[str]:
    """Options that a Bayesian test takes, besides what the cross-check gives it itself."""
    known = set(inspect.signature(getattr(bayesian, name)).parameters)
    others = {option for option, owner in _OWNERS.items() if owner != name}
    return known - others - _GIVEN


#: What the cross-check gives a test itself.
_GIVEN = {"x", "xs", "rho", "rope", "names", "metrics", "dataset", "algorithms", "options",
          "lower_is_better"}  # fmt: skip
#: Options that mean something else to every test, and the one that they are for here.
_OWNERS = {"prior": "hierarchical_t"}


def bayesian_test(name: str, x: Any, rope: Any, seed: int, options: Mapping[str, Any]) -> Any:
    """The posterior of a Bayesian test, given those of the options that it takes."""
    known = options_of(name)
    given = {k: v for k, v in {**options, "seed": seed}.items() if k in known and v is not None}
    return getattr(bayesian, name)(x, rope=rope, **given)


def frequentist_test(name: str, x: Any) -> Any:
    """The result of a frequentist test; positive where the second algorithm is better."""
    return _CALLED.get(name, getattr(frequentist, name))(x)


def favours(name: str, result: Any) -> str:
    """The side that a result's estimate is on, "first" or "second", or "" where it has none."""
    estimate = getattr(result, "estimate", None)
    if not isinstance(estimate, float):
        return ""
    lead = estimate - _EQUAL.get(name, 0.0)
    return "second" if lead > 0 else "first" if lead < 0 else ""


def _means(x: Differences) -> np.ndarray:
    """Mean differences; those that are zero but for rounding are zero."""
    means = x.means
    return np.where(np.abs(means) <= ROUNDING * max(np.abs(means).max(), 1e-300), 0.0, means)


def _wilcoxon(x: Differences) -> Any:
    return frequentist.wilcoxon(_means(x))


def _sign_test(x: Differences) -> Any:
    means = _means(x)
    return frequentist.sign_test(
        int((means > 0).sum()), int((means < 0).sum()), int((means == 0).sum())
    )


def _tukey(x: Blocks) -> Any:
    return frequentist.tukey(
        x.x[:, :, 0], rho=x.rho, lower_is_better=x.lower_is_better[0], names=x.algorithms
    )


def _pairwise_hotelling(x: Blocks) -> Any:
    """With the covariance of all algorithms pooled, as `groups` has it."""
    return frequentist.pairwise_hotelling(x, pooled=True, adjust="none")


#: Frequentist tests that take something else than the differences or the blocks.
_CALLED: dict[str, Callable[[Any], Any]] = {
    "sign_test": _sign_test, "wilcoxon": _wilcoxon, "tukey": _tukey,
    "pairwise_hotelling": _pairwise_hotelling,
}  # fmt: skip
#: Estimates that are not differences: what they are where neither is better.
_EQUAL = {"sign_test": 0.5}
