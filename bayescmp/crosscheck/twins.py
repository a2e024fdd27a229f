"""Which frequentist test answers the same question as which Bayesian one: from the catalogue."""

from __future__ import annotations

from dataclasses import dataclass

from bayescmp.catalogue import (
    SCOPES,
    BayesianTest,
    FrequentistTest,
    bayesian_test,
    bayesian_tests,
    frequentist_test,
    twins_of,
)
from bayescmp.differences import Differences
from bayescmp.errors import InputError

__all__ = ["SCOPES", "Twin", "tests_of", "twins"]

#: The order of scopes: the first twins that fit give the verdict of a pair's row.
_ORDER = ("datasets", "table", "items", "dataset", "areas", "runs", "groups", "metrics",
          "groups_metrics")  # fmt: skip


@dataclass(frozen=True)
class Twin:
    """A Bayesian test and the frequentist one that answers the same question.

    Attributes
    ----------
    bayesian, frequentist : str
        Names in `bayescmp.catalogue`. A Bayesian test over data sets in the scope "dataset" is
        asked for what it makes of each of them (``by_dataset``).
    scope : str
        One of `SCOPES`: what the two are given.
    """

    bayesian: str
    frequentist: str
    scope: str

    def __post_init__(self) -> None:
        if self.scope not in SCOPES:
            raise InputError(f"scope={self.scope!r}; accepted: {', '.join(SCOPES)}")
        object.__setattr__(self, "bayesian", bayesian_test(self.bayesian).name)
        frequentist_test(self.frequentist, self.scope)

    @property
    def test(self) -> BayesianTest:
        """The Bayesian test."""
        return bayesian_test(self.bayesian)

    @property
    def check(self) -> FrequentistTest:
        """The frequentist test."""
        return frequentist_test(self.frequentist, self.scope)


def twins() -> tuple[Twin, ...]:
    """All twins of the catalogue, those over data sets first."""
    pairs = [
        Twin(test.name, twin.name, twin.scope)
        for test in bayesian_tests()
        for twin in twins_of(test)
    ]
    return tuple(sorted(pairs, key=lambda twin: _ORDER.index(twin.scope)))


def tests_of(twins: tuple[Twin, ...], x: Differences) -> tuple[Twin, ...]:
    """The twins of one metric and two algorithms that these differences are enough for."""
    return tuple(t for t in twins if _enough(t, x))


def _enough(twin: Twin, x: Differences) -> bool:
    """Tests on one data set are done on each, so that more than they take is no obstacle."""
    datasets, folds = twin.test.datasets[0], twin.test.folds
    if twin.scope in ("dataset", "areas"):
        folds = max(folds, 2)
    elif twin.scope in ("datasets", "table"):
        datasets = max(datasets, 2)
    else:
        return False
    return x.q >= datasets and int(x.n.min()) >= folds
