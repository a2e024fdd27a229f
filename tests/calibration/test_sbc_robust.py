"""Simulation-based calibration of `robust_t` (Talts et al. 2018).

The prior of (δ, σ) is flat in δ and log σ, the right Haar measure of shifts and changes of scale:
with ν from its prior, and any δ and σ, the ranks of all three are uniform nevertheless.
"""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.bayesian import robust_t
from tests.calibration.uniform import check_uniform, randomised_rank

pytestmark = [pytest.mark.calibration, pytest.mark.stan]

N, RHO, DELTA, SIGMA, REPLICATES = 12, 0.2, 0.3, 1.7, 400


@pytest.mark.parametrize("nu_mean", [29.0, 3.0])
def test_ranks_are_uniform(stan_engine, nu_mean, evidence):
    """The default prior, and one of heavier tails, which the data tell more of."""
    rng = np.random.default_rng([2013, int(nu_mean)])
    values: dict[str, list[float]] = {"delta": [], "sigma": [], "nu": []}
    for i in range(REPLICATES):
        truth = {"delta": DELTA, "sigma": SIGMA, "nu": 1 + rng.exponential(nu_mean)}
        z = rng.standard_t(truth["nu"], N + 1)
        x = DELTA + SIGMA * (np.sqrt(RHO) * z[0] + np.sqrt(1 - RHO) * z[1:])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", bc.DiagnosticWarning)  # a single chain
            post = robust_t(
                x,
                rho=RHO,
                rope=0.5,
                engine=stan_engine,
                seed=i,
                nu_mean=nu_mean,
                chains=1,
                warmup=500,
                draws=990,
            )
        for name, list_of in values.items():
            list_of.append(randomised_rank(truth[name], post.draws[name][:, ::10], rng))
    record = partial(evidence, "sbc_robust", engine=stan_engine)
    check_uniform(values, f"robust_t, mean of nu {1 + nu_mean:g}", record)
