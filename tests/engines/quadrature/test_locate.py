"""Where the posterior is: the box holds it, and singular likelihoods are recognised."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.engines.quadrature import Settings, solve
from bayescmp.engines.quadrature.axes import nu_grid
from bayescmp.engines.quadrature.locate import locate, nu_rule, sigma0_axis
from bayescmp.engines.quadrature.problem import NuPrior, standardise
from tests.engines.quadrature.cases import simulated
from tests.engines.quadrature.random_problems import random_problem


@pytest.mark.parametrize("name", ["sim5", "sim54", "agree", "n5", "q2"])
def test_the_box_holds_the_posterior(name):
    """Marginals of a slow, wider run leave no more than 1e-4 outside."""
    problem = simulated(name)
    standard = standardise(problem)
    box = locate(standard, Settings())
    refined = solve(problem, settings=Settings.refined())
    ends = np.sort(np.array(box.delta0) * standard.sign * standard.scale)
    outside = refined.cdf("delta0", ends[:1])[0] + 1 - refined.cdf("delta0", ends[1:])[0]
    assert outside < 1e-4
    top = box.axis_sigma0.at(np.array([box.k_sigma0[1]])) * standard.scale
    assert 1 - refined.cdf("sigma0", top)[0] < 1e-4


def test_a_likelihood_with_few_folds_is_singular_at_zero_and_a_plain_one_is_not():
    assert locate(standardise(simulated("n5")), Settings()).singular
    assert not locate(standardise(simulated("sim54")), Settings()).singular


def test_the_coordinate_of_sigma0_covers_its_prior():
    standard = standardise(simulated("sim5"))
    axis = sigma0_axis(standard, singular=False)
    k = np.linspace(0, axis.knots[-1], 200)
    sigma0 = axis.at(k)
    assert sigma0[0] == 0
    assert sigma0[-1] == pytest.approx(standard.sigma0_upper)
    assert np.all(np.diff(sigma0) > 0)


@pytest.mark.parametrize("slope", [0.0, 3.0, -8.0])
def test_the_rule_in_nu_integrates_the_prior(slope):
    """Moments of xi under the prior, through any pilot, against sums over the fine grid."""
    grid = nu_grid(NuPrior((0.5, 5.0), (0.05, 0.15), 1.0))
    xi, weight, log_pilot = nu_rule(grid, slope * grid.xi, 14)
    assert np.all(np.diff(xi) > 0)
    factor = weight / np.exp(log_pilot)
    for power in (1, 2, 3):
        exact = grid.mass @ grid.xi**power / grid.mass.sum()
        assert factor @ xi**power / factor.sum() == pytest.approx(exact, rel=2e-3)


def test_an_empty_zero_is_left_out_of_the_box():
    """Outliers make the likelihood singular at sigma0 = 0, next to which nothing interpolates."""
    problem, _ = random_problem(2073)
    box = locate(standardise(problem), Settings())
    assert not box.singular
    assert box.k_sigma0[0] > 0
    assert solve(problem).certificate().sd_log_ratio < 0.05
