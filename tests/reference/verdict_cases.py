"""Posteriors with verdicts of every kind: of simulated problems, each with a title."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pandas as pd

import bayescmp as bc
from bayescmp.bayesian.joint.standings import StandingsPosterior
from bayescmp.results.posterior import Posterior

NAMES = ("knn", "gbm")


def rows(seed: int, q: int, centre: float, spread: float, noise: float = 0.01) -> bc.Differences:
    """Differences of ten folds on q data sets, whose means have this centre and spread."""
    rng = np.random.default_rng(seed)
    means = rng.normal(centre, spread, q)
    x = means[:, None] + rng.normal(0, noise, (q, 10))
    return bc.Differences(x, rho=0.1, names=NAMES, metric="accuracy")


def over_datasets(x: bc.Differences, rope: float) -> Posterior:
    """The hierarchical test by its built-in engine."""
    return bc.bayesian.hierarchical_t(x, rope=rope, engine="quadrature", seed=1)


def one_dataset(centre: float, rope: float, noise: float) -> Posterior:
    """The correlated t test on a data set called iris."""
    x = np.random.default_rng(5).normal(0, noise, 10)
    d = bc.Differences([x - x.mean() + centre], rho=0.1, names=NAMES, metric="accuracy",
                       datasets=["iris"])  # fmt: skip
    return bc.bayesian.correlated_t(d, rope=rope)


def table(seed: int) -> bc.Scores:
    """Areas under the curve of three algorithms by ten folds on twelve data sets."""
    rng = np.random.default_rng(seed)
    means = 0.8 + np.linspace(0, 0.03, 3) + rng.normal(0, 0.02, (12, 3))
    x = means[:, None] + rng.normal(0, 0.02, (12, 10, 3))
    rows = [
        {"dataset": f"d{i + 1}", "fold": f, "algorithm": name, "auc": x[i, f, k]}
        for i in range(12)
        for f in range(10)
        for k, name in enumerate(("knn", "svm", "gbm"))
    ]
    return bc.Scores(pd.DataFrame(rows))


class Pair(Protocol):
    """What has a verdict."""

    def verdict(self) -> bc.Verdict:
        """Probabilities and decision."""


@dataclass(frozen=True)
class OfAll:
    """One pair of a posterior of several algorithms."""

    posterior: StandingsPosterior
    first: str
    second: str

    def verdict(self) -> bc.Verdict:
        """That of the pair."""
        return self.posterior.verdict(self.first, self.second)


def posteriors() -> Iterator[tuple[str, Pair]]:
    """A title, and what was fitted."""
    yield (
        "Decided over data sets, though they differ",
        over_datasets(rows(1, 100, 0.016, 0.03), 0.01),
    )
    yield "Practically equivalent over data sets", over_datasets(rows(2, 30, 0.0, 0.002), 0.01)
    yield "Undecided: the data sets disagree", over_datasets(rows(3, 30, 0.004, 0.03), 0.01)
    yield (
        "Undecided: close to a bound of the ROPE",
        over_datasets(rows(4, 30, 0.01, 0.0005, 0.004), 0.01),
    )
    yield "Undecided: not enough data", over_datasets(rows(5, 6, 0.004, 0.008, 0.02), 0.01)
    yield "Without a ROPE", over_datasets(rows(6, 20, 0.01, 0.01), 0)
    z = np.random.default_rng(7).normal(0.012, 0.015, 14)
    yield "Signs of the means", bc.bayesian.sign(z, rope=0.005, names=NAMES, seed=1)
    z = np.random.default_rng(8).normal(0.013, 0.02, 16)
    yield (
        "Signed ranks of the means, by draws",
        bc.bayesian.signed_rank(z, rope=0.005, names=NAMES, draws=2000, seed=1),
    )
    yield "One data set, decided", one_dataset(0.03, 0.01, 0.01)
    yield "One data set, not enough data", one_dataset(0.012, 0.01, 0.03)
    x = np.random.default_rng(9).normal([0.05, -0.04], 0.01, (20, 2))
    yield (
        "Two metrics, a trade-off",
        bc.bayesian.multivariate_t(
            x, rho=0.1, rope=[0.01, 0.02], names=NAMES, metrics=["tpr", "specificity"], seed=1
        ),
    )
    yield (
        "Confusion counts",
        bc.bayesian.confusion(
            (80, 20, 15, 85), (88, 12, 10, 90), "accuracy", rope=0.01, names=NAMES, seed=1
        ),
    )
    yield from of_several()


def of_several() -> Iterator[tuple[str, Pair]]:
    """Pairs of three algorithms, of unpaired runs and of an area under the curve."""
    scores = table(10)
    areas = scores.differences("knn", "gbm").row("d4")
    yield "Areas under the curve on one data set", bc.bayesian.correlated_t(areas, rope=0.01)
    joint = bc.bayesian.bootstrap(scores, rope=0.01, seed=1)
    yield "Two of three, by one posterior of all", OfAll(joint, "knn", "gbm")
    ranked = bc.bayesian.friedman(scores, rope=0.5, seed=1)
    yield "Ranks of three", OfAll(ranked, "svm", "gbm")
    beaten = bc.bayesian.bradley_terry(scores, seed=1)
    yield "Who beat whom", OfAll(beaten, "svm", "gbm")
    own = bc.bayesian.groups(scores, dataset="d4", rope=0.01, variances="own", seed=1)
    yield "Three on one data set, each with noise of its own", own.pair("knn", "gbm")
    runs = np.random.default_rng(11).normal([0.5, 0.58], [0.02, 0.05], (8, 2))
    yield (
        "Runs that do not pair",
        bc.bayesian.two_sample_t(*runs.T, rope=0.02, names=NAMES, metric="return", seed=1),
    )
