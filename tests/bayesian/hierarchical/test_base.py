"""What a hierarchical posterior was fitted with, in the units of its data."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.bayesian import hierarchical_t

X = np.array([[0.02, 0.03, 0.01, 0.04], [0.01, 0.0, 0.02, 0.01], [0.03, 0.05, 0.02, 0.03]])


def fitted(x=X, rope=0.01):
    return hierarchical_t(x, rho=0.25, rope=rope, engine="quadrature", seed=1)


@pytest.mark.parametrize("unit", [1.0, 100.0])
def test_bounds_are_in_the_metrics_units(unit):
    posterior = fitted(X * unit, 0.01 * unit)
    bounds = posterior.prior_bounds
    sd = X.mean(axis=1).std(ddof=1)
    within = np.sqrt(X.var(axis=1, ddof=1)).mean()
    assert bounds["delta0_bound"] == pytest.approx(np.abs(X).max() * unit)
    assert bounds["sigma0_upper"] == pytest.approx(1000 * sd * unit)
    assert bounds["sigma_upper"] == pytest.approx(1000 * within * unit)


def test_the_prior_states_the_bounds_that_were_taken():
    posterior = fitted()
    assert f"σ0 ~ U(0, {posterior.prior_bounds['sigma0_upper']:.4g})" in posterior.prior_text
    assert posterior.prior_facts()["name"] == "corani2017"


def test_a_second_opinion_of_the_same_engine_agrees():
    opinion = fitted().verify(engine="quadrature")
    assert opinion.agrees
