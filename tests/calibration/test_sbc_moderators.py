"""Simulation-based calibration of the hierarchical t test with features (Talts et al. 2018).

Parameters are drawn from the prior, data from the model; the truth's rank among nearly independent
draws then has to be uniform.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from bayescmp.engines import FitRequest, SamplerSettings, find_engine
from bayescmp.study.moderators import KEEP, MODEL
from tests.calibration.test_sbc_hierarchical import PRIOR, RHO, N, draw_truth
from tests.calibration.uniform import check_uniform, randomised_rank

pytestmark = pytest.mark.calibration

DATASETS, BETA_SD, REPLICATES = 15, 0.3, 300
SETTINGS = SamplerSettings(chains=2, draws=600)


def simulate(rng):
    """A feature, parameters from the prior, and the statistics of the data sets from the model."""
    z = rng.standard_normal((DATASETS, 1))
    z = (z - z.mean(axis=0)) / z.std(axis=0)
    truth, delta, sigma = draw_truth(rng, DATASETS)
    truth["beta"] = BETA_SD * rng.standard_normal()
    delta = delta + truth["beta"] * z[:, 0]
    truth["delta_1"] = delta[0]
    xbar = delta + sigma * np.sqrt((1 + (N - 1) * RHO) / N) * rng.normal(size=DATASETS)
    ss = sigma**2 * (1 - RHO) * rng.chisquare(N - 1, size=DATASETS)
    rows = {"n": N, "rho": RHO, "factor": 1 / N + RHO / (1 - RHO)}
    data = {"q": DATASETS, "k": 1, "features": z, "beta_sd": BETA_SD, "xbar": xbar, "ss": ss}
    return truth, {**data, **{k: np.full(DATASETS, v) for k, v in rows.items()}, **PRIOR}


def test_gibbs(evidence):
    """Ranks among every sixth of 1,200 draws of eight walks."""
    rng = np.random.default_rng([2018, DATASETS])
    ranks: dict[str, list[float]] = {}
    for i in range(REPLICATES):
        truth, data = simulate(rng)
        fit = find_engine("gibbs", MODEL).fit(FitRequest(MODEL, data, i, KEEP, (), SETTINGS))
        draws = {**fit.draws, "beta": fit.draws["beta"][..., 0]}
        draws["delta_1"] = fit.draws["delta"][..., 0]
        for name in ("delta0", "beta", "sigma0", "nu", "delta_1"):
            rank = randomised_rank(truth[name], draws[name][:, ::6], rng)
            ranks.setdefault(name, []).append(rank)
    what = f"hierarchical_t with a feature, q = {DATASETS}"
    check_uniform(ranks, what, partial(evidence, "sbc_moderators"))
