"""Where the joint model's probabilities of being best are too high, it says so."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from bayescmp.bayesian import joint_t
from bayescmp.bayesian.joint.doubts import FEW, too_sure


@pytest.mark.parametrize(("apart", "alike"), [(0.99, True), (1.01, False)])
def test_algorithms_that_differ_by_less_than_data_sets(apart, alike):
    """Averages have a standard deviation of `apart`, effects on a data set one of 1."""
    mu = apart * np.array([[-1.0, 0.0, 1.0]]) + np.array([[0.0], [5.0]])
    Sigma0 = np.broadcast_to(np.eye(3), (2, 3, 3))
    assert too_sure(mu, Sigma0, FEW) == alike
    assert too_sure(mu, Sigma0 + 7.0, FEW) == alike  # what all have in common does not count
    assert not too_sure(mu, Sigma0, FEW + 1)
    assert not too_sure(mu[:, :2], Sigma0[:, :2, :2], FEW)


def test_it_is_said_in_the_notes_and_in_words(fake, scores_of):
    posterior = joint_t(scores_of(8, 20, 4), rho=0.1, rope=0.01, engine="fake", seed=1)
    close = dataclasses.replace(posterior, mu=posterior.mu * 0.01)
    apart = dataclasses.replace(posterior, mu=posterior.mu * 100)
    assert close.caveat.startswith("The algorithms differ on average by less than the data sets")
    assert close.caveat in close.explain()
    assert apart.caveat == ""
    assert "too high" not in apart.explain()


@pytest.mark.parametrize("alike", [True, False])
def test_a_fit_notes_it(fake, scores_of, monkeypatch, alike):
    monkeypatch.setattr("bayescmp.bayesian.joint.posterior.too_sure", lambda *_: alike)
    posterior = joint_t(scores_of(8, 20, 4), rho=0.1, rope=0.01, engine="fake", seed=1)
    assert any("probabilities of being best were too high" in n for n in posterior.notes) == alike
