"""Another fit of the joint model, of data sets as it saw them."""

from __future__ import annotations

import numpy as np

from bayescmp.bayesian import JointPrior, joint_t
from bayescmp.bayesian.joint.refit import refitted

RNG = np.random.default_rng(1)
X = RNG.normal([0.75, 0.71, 0.70], 0.02, (4, 1, 3)) + RNG.normal(0, 0.02, (4, 8, 3))
RUN = {"rope": 0.01, "engine": "fake", "seed": 1, "chains": 2, "draws": 500}


def test_a_refit_of_the_same_assumptions_is_the_same_program(fake):
    posterior = joint_t(X, rho=0.2, prior=JointPrior(scale_median=20.0), **RUN)
    first = fake.requests[0].data
    again = refitted(posterior, posterior.contrasts)
    for name, value in fake.requests[-1].data.items():
        np.testing.assert_allclose(value, first[name], atol=1e-9, err_msg=name)
    np.testing.assert_allclose(again.mu, posterior.mu, atol=1e-9)
    np.testing.assert_allclose(again.Sigma0, posterior.Sigma0, atol=1e-9)


def test_the_order_of_algorithms_and_data_sets_cannot_matter(fake):
    one, other = joint_t(X, rho=0.2, **RUN), joint_t(X[::-1, :, [2, 0, 1]], rho=0.2, **RUN)
    a, b = (refitted(p, p.contrasts.with_rho(0.4)) for p in (one, other))
    np.testing.assert_allclose(a.mu[..., [2, 0, 1]], b.mu, atol=1e-9)
