"""Variations that take another fit, which results can't make by themselves."""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch

import numpy as np

from bayescmp.bayesian.groups.base import GroupsPosterior
from bayescmp.bayesian.groups.closed import BlockedPosterior
from bayescmp.bayesian.groups.fit import groups
from bayescmp.bayesian.groups.own import OwnVariancePosterior
from bayescmp.pairs import Pair, PairsPosterior, PairVariation, all_probabilities

__all__ = ["pair_refits"]


@singledispatch
def pair_refits(posterior: PairsPosterior) -> Iterator[PairVariation]:
    """All pairs' probabilities in models that take another fit; none of most tests."""
    yield from ()


@pair_refits.register
def _(posterior: BlockedPosterior) -> Iterator[PairVariation]:
    if len(posterior.algorithms) > 2:
        yield "model", "own variances", _with_variances(posterior, "own")


@pair_refits.register
def _(posterior: OwnVariancePosterior) -> Iterator[PairVariation]:
    yield "model", "equal variances", _with_variances(posterior, "equal")


def _with_variances(posterior: GroupsPosterior, variances: str) -> dict[Pair, np.ndarray]:
    """The same scores, with one variance for all algorithms or one for each."""
    other = groups(
        posterior.x,
        list(posterior.metrics),
        rho=posterior.rho,
        rope=posterior.rope,
        names=posterior.names,
        variances=variances,
        seed=posterior.seed,
    )
    return all_probabilities(other)
