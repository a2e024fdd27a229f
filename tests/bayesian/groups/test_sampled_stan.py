"""Several algorithms on one data set by sampling, beside the closed form."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.bayesian import groups
from tests.bayesian.multivariate.cases import near

pytestmark = [pytest.mark.stan, pytest.mark.slow]


def test_groups_by_sampling(stan_engine, tmp_path):
    rng = np.random.default_rng(1)
    x = 0.7 + rng.normal(size=(3, 1, 2)) * 0.02 + rng.normal(size=(1, 15, 2)) * 0.05
    x = x + rng.normal(size=(3, 15, 2)) * 0.02
    exact = groups(x, rho=0.1, rope=0.01, seed=1)
    drawn = groups(x, rho=0.1, rope=0.01, seed=1, engine=stan_engine)
    for pair in exact.pairs:
        near(drawn.verdict(*pair), exact.verdict(*pair))
    assert drawn.p_best() == pytest.approx(exact.p_best(), abs=0.06)
    np.testing.assert_allclose(
        drawn.intervals(), exact.intervals(), atol=0.2 * drawn.effects.std(axis=0).max()
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        drawn.save(tmp_path / "g.nc")
        back = bc.load(tmp_path / "g.nc")
    assert back.verdicts() == drawn.verdicts()


def test_groups_of_one_metric_with_t_noise(stan_engine):
    rng = np.random.default_rng(1)
    x = 0.7 + rng.normal(size=(3, 20)) * 0.02
    drawn = groups(x, rho=0.1, rope=0.01, seed=1, noise="t", engine=stan_engine)
    v = drawn.verdict("A1", "A2")
    assert set(v.probabilities) == {"left", "rope", "right"}
    near(v.swapped(), drawn.verdict("A2", "A1"))
    exact = groups(x, rho=0.1, rope=0.01, seed=1).verdict("A1", "A2")
    assert v.p_rope == pytest.approx(exact.p_rope, abs=0.12)
