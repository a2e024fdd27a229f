"""How many more data sets would decide: beside the test refitted on so many."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp import bayesian
from bayescmp.planning.extrapolation import MOST, further_datasets


def rows(seed: int) -> np.ndarray:
    """Six data sets whose mean lies a little beyond the rope."""
    rng = np.random.default_rng(seed)
    return rng.normal(0.013, 0.008, (6, 1)) + rng.normal(0, 0.004, (6, 10))


def verdict_on(x: np.ndarray):
    return bayesian.hierarchical_t(x, rho=0.1, rope=0.01, engine="quadrature").verdict()


@pytest.mark.parametrize("seed", [4, 5])
def test_so_many_data_sets_like_those_at_hand_reach_the_threshold(seed):
    """The rows again and again are data sets like those at hand."""
    x = rows(seed)
    now = verdict_on(x)
    more = further_datasets(now, len(x))
    assert now.decision == "undecided"
    assert more is not None
    then = verdict_on(np.concatenate([x] * round(1 + more / len(x))))
    assert max(then.probabilities.values()) == pytest.approx(now.threshold, abs=0.01)


def test_the_likeliest_outcome_has_to_be_likelier_than_not():
    means = [0.02] * 4 + [-0.02] * 4 + [0.0] * 4
    undecided = bayesian.sign(means, rope=0.01, seed=1, prior=0.01).verdict()
    assert max(undecided.probabilities.values()) < 0.5
    assert further_datasets(undecided, 12) is None


def test_more_than_twenty_times_as_many_are_no_plan():
    verdict = bayesian.correlated_t(
        [0.011, 0.02, 0.001, 0.0105], rho=0.2, rope=0.01, names=("a", "b")
    ).verdict()
    p = max(verdict.probabilities.values())
    assert 0.5 < p < 0.6
    assert further_datasets(verdict, 4) is None
    assert MOST == 20
