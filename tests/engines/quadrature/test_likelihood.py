"""Rows' log-likelihoods by the two-centre quadrature are those of the scale mixtures."""

from __future__ import annotations

import numpy as np

from bayescmp.engines.quadrature.kernel import between_grid, log_likelihood, within_rules
from bayescmp.engines.quadrature.likelihood import row_log_likelihoods
from bayescmp.engines.quadrature.problem import Problem, standardise


def test_both_quadratures_agree_up_to_a_constant():
    problem = Problem(xbar=[0.1, -0.2, 0.4], ss=[1.0, 2.0, 3.0], n=[5, 6, 7], rho=[0.1, 0.2, 0.3],
                      delta0_bound=5, sigma0_upper=50, sigma_upper=100)  # fmt: skip
    standard = standardise(problem)
    delta0, sigma0, nu = np.array([-0.4, 0.0, 0.7]), np.array([0.2]), np.array([4.0])
    between = between_grid((0.2, 0.2), (4.0, 4.0), floor=0.01, reach=3.0, tolerance=1e-8)
    mixtures = log_likelihood(within_rules(standard, 1e-8, 22.0), between, delta0, sigma0, nu)
    direct = row_log_likelihoods(standard, delta0, np.full(3, 0.2), np.full(3, 4.0)).sum(axis=1)
    difference = mixtures[:, 0, 0] - direct
    np.testing.assert_allclose(difference, difference[0], atol=1e-5)
