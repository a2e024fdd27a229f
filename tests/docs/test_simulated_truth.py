"""What the scores of a simulated study say of its truth, against numerical integration."""

from __future__ import annotations

import joint_best
import numpy as np
from scipy import integrate, stats


def test_averages_given_scores_have_the_posterior_of_the_design():
    """One algorithm on three data sets, one of them far from the others."""
    means, apart = np.array([0.01, 0.02, -0.05]), 0.02
    of_folds = joint_best.NOISE**2 * (joint_best.RHO + (1 - joint_best.RHO) / joint_best.FOLDS)

    def likelihood(y, mu):
        def integrand(tail):
            sd = np.sqrt(joint_best.SPREAD**2 * joint_best.DF / tail + of_folds)
            return stats.norm.pdf(y, mu, sd) * stats.chi2.pdf(tail, joint_best.DF)

        return integrate.quad(integrand, 0, 60)[0]

    mu = np.linspace(-0.07, 0.07, 57)
    p = stats.norm.pdf(mu, scale=apart) * [np.prod([likelihood(y, m) for y in means]) for m in mu]
    p /= p.sum()
    rng = np.random.default_rng(1)
    draws = [joint_best.true_averages(means[:, None], apart, rng).ravel() for _ in range(40)]
    of_walks = np.array([[x.mean(), (x > 0.01).mean()] for x in draws])
    wanted = p @ mu, p @ (mu > 0.01 + 1e-9) + p[np.isclose(mu, 0.01)].sum() / 2
    errors = of_walks.std(axis=0, ddof=1) / np.sqrt(len(draws))
    assert (errors < [2e-4, 0.01]).all()
    np.testing.assert_array_less(np.abs(of_walks.mean(axis=0) - wanted), 4 * errors)
