"""Posteriors that give a verdict on every pair."""

from __future__ import annotations

import numpy as np

from bayescmp.bayesian import bootstrap, friedman, groups
from bayescmp.pairs import PairsPosterior, all_probabilities

MEANS = np.random.default_rng(2).normal([0.70, 0.71, 0.75], 0.02, (6, 3))


def test_which_they_are():
    for posterior in (
        groups(MEANS.T, rho=0.1, rope=0.01, seed=1),
        bootstrap(MEANS, rope=0.01, seed=1, draws=100),
        friedman(MEANS, seed=1, draws=100),
    ):
        assert isinstance(posterior, PairsPosterior)
        numbers = all_probabilities(posterior)
        assert list(numbers) == posterior.pairs == list(posterior.verdicts())
        for pair, verdict in posterior.verdicts().items():
            assert numbers[pair].tolist() == list(verdict.probabilities.values())


def test_what_cannot_be_varied_is_a_question_with_a_reason():
    posterior = bootstrap(MEANS, rope=0.01, seed=1, draws=100)
    assert set(posterior.fixed) == {"prior", "rho"}
