"""Another fit of data sets as the hierarchical multivariate model saw them."""

from __future__ import annotations

import numpy as np

from bayescmp.bayesian import hierarchical_multivariate_t
from bayescmp.bayesian.hierarchical_multivariate.refit import refitted

RNG = np.random.default_rng(1)
XS = RNG.normal([0.02, 0.01], 0.02, (5, 1, 2)) + RNG.normal(0, 0.02, (5, 6, 2))
RUN = {"rho": 0.3, "rope": 0.01, "engine": "fake", "seed": 1, "chains": 2, "draws": 500}


def test_the_same_assumptions_give_the_same_program(fake):
    posterior = hierarchical_multivariate_t(XS, **RUN)
    """A refit without any change: the fit's own data, but for the units."""
    first = fake.requests[0].data
    refitted(posterior, posterior.observed, posterior.prior)
    again = fake.requests[-1].data
    unit = first["delta0_sd"] / again["delta0_sd"]
    for name in ("xbar", "tau_at", "tau_scale"):
        np.testing.assert_allclose(again[name] * unit, first[name])
    np.testing.assert_allclose(again["C"] * np.outer(unit, unit), first["C"])
    for name in ("q", "p", "dof", "tau_df", "eta", "alpha_lower", "beta_upper"):
        np.testing.assert_array_equal(again[name], first[name])


def test_draws_come_back_in_the_metrics_units(fake):
    """Of the other order of the algorithms: mirrored, whatever the program is given."""
    one, other = (hierarchical_multivariate_t(x, **RUN) for x in (XS, -XS))
    a, b = (refitted(p, p.observed.without(0), p.prior) for p in (one, other))
    np.testing.assert_allclose(a.fit.draws["delta0"], -b.fit.draws["delta0"])
    centre = XS[1:].mean(axis=(0, 1))
    np.testing.assert_allclose(a.fit.draws["delta0"].mean(axis=(0, 1)), centre, atol=0.002)
