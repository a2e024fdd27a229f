"""A data set's likelihood by brute force over its own means."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

from bayescmp.bayesian.sampling.marginal import dataset_log_likelihood

CASES = {
    "ordinary": (0.02, 1e-4, 8, 0.01, 0.02, 3.0),
    "far away": (0.5, 1e-4, 8, 0.01, 0.02, 10.0),
    "noise alone": (0.5, 1e-2, 3, 0.01, 1e-4, 30.0),
    "many folds": (0.0, 1e-4, 98, 0.01, 0.001, 2.0),
    "heavy tails": (0.02, 1e-4, 1, 0.01, 0.02, 1.05),
}


@pytest.mark.parametrize("case", CASES)
def test_one_metric_by_the_integral_over_its_mean(case):
    y, C, dof, at, tau, nu = CASES[case]
    delta = np.unique([m + s * np.sinh(np.linspace(-25, 25, 100_001))
                       for m, s in ((y, C**0.5), (at, tau))])  # fmt: skip
    both = stats.t.pdf(y, dof, delta, C**0.5) * stats.t.pdf(delta, nu, at, tau)
    computed = dataset_log_likelihood(
        np.array([y]), np.array([[C]]), dof, np.array([[at]]), np.array([[[tau**2]]]),
        np.array([nu]),
    )  # fmt: skip
    assert computed == pytest.approx(np.log(integrate.trapezoid(both, delta)), abs=5e-4)


def test_two_metrics_by_draws():
    rng = np.random.default_rng(1)
    y, at = np.array([0.3, -0.2]), np.array([0.1, 0.1])
    C, scale = np.array([[0.2, 0.1], [0.1, 0.3]]), np.array([[0.5, -0.2], [-0.2, 0.4]])
    drawn = stats.multivariate_t.rvs(at, scale, 5.0, size=200_000, random_state=rng)
    density = stats.multivariate_t.pdf(y - drawn, np.zeros(2), C, 8)
    computed = dataset_log_likelihood(y, C, 8, at[None], scale[None], np.array([5.0]))
    error = density.std() / density.mean() / np.sqrt(len(density))
    assert computed == pytest.approx(np.log(density.mean()), abs=4 * error)


def test_units_and_order_do_not_matter():
    y, at, nu = np.array([0.3, -0.2]), np.array([[0.1, 0.1]]), np.array([5.0])
    C, scale = np.array([[0.2, 0.1], [0.1, 0.3]]), np.array([[[0.5, -0.2], [-0.2, 0.4]]])
    own = dataset_log_likelihood(y, C, 8, at, scale, nu)
    turned = dataset_log_likelihood(
        100 * y[::-1], 1e4 * C[::-1, ::-1], 8, 100 * at[:, ::-1], 1e4 * scale[:, ::-1, ::-1], nu
    )
    assert turned == pytest.approx(own - 2 * np.log(100), abs=1e-9)
