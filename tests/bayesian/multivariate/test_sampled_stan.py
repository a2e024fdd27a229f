"""The multivariate tests by sampling: beside the closed forms, and with robust noise."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.bayesian import multivariate_t
from tests.bayesian.multivariate.cases import near

pytestmark = [pytest.mark.stan, pytest.mark.slow]

REGIONS = ("equivalent", "first", "second", "trade_off")


def folds(n=20, seed=1):
    rng = np.random.default_rng(seed)
    return np.array([0.02, -0.005]) + rng.normal(size=(n, 2)) @ np.array([[0.02, 0.01], [0, 0.02]])


def test_normal_noise_is_the_closed_form(stan_engine):
    x = folds()
    exact = multivariate_t(x, rho=0.1, rope=0.01, seed=1)
    drawn = multivariate_t(x, rho=0.1, rope=0.01, seed=1, engine=stan_engine)
    near(drawn.verdict(), exact.verdict())
    for metric in exact.metrics:
        row, actual = drawn.summary().loc[metric], exact.summary().loc[metric]
        assert row["mean"] == pytest.approx(actual["mean"], abs=0.1 * actual["sd"])
        assert row["sd"] == pytest.approx(actual["sd"], rel=0.12)


def test_dependent_metrics_are_mapped_back(stan_engine):
    x = folds()
    three = np.c_[x, x[:, 0] - x[:, 1]]
    exact = multivariate_t(three, rho=0.1, rope=0.01, seed=1)
    drawn = multivariate_t(three, rho=0.1, rope=0.01, seed=1, engine=stan_engine)
    assert drawn.fit.sampled == ("m1", "m2")
    delta = drawn.draws["delta"]
    np.testing.assert_allclose(delta[..., 2], delta[..., 0] - delta[..., 1], atol=1e-12)
    near(drawn.verdict(), exact.verdict())
    assert any("subspace of dimension 2 of 3" in n for n in drawn.notes)


def test_t_noise_does_not_mind_an_outlier(stan_engine, tmp_path):
    x = folds(30)
    outlying = x.copy()
    outlying[3] += [-0.8, 0.0]
    clean = multivariate_t(x, rho=0.1, rope=0.005, seed=1).summary().loc["m1"]
    robust = multivariate_t(outlying, rho=0.1, rope=0.005, seed=1, noise="t", engine=stan_engine)
    normal = multivariate_t(outlying, rho=0.1, rope=0.005, seed=1).summary().loc["m1"]
    actual = robust.summary().loc["m1"]
    assert abs(actual["mean"] - clean["mean"]) < 0.5 * abs(normal["mean"] - clean["mean"])
    # the folds' shared term is as heavy-tailed as the rest: the sd is no measure of spread here
    width, wide = (row["97.5%"] - row["2.5%"] for row in (actual, normal))
    assert width < 0.75 * wide
    assert "multivariate t noise" in robust.verdict().explain()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robust.save(tmp_path / "r.nc")
        back = bc.load(tmp_path / "r.nc")
    assert back.verdict() == robust.verdict()
    assert str(back) == str(robust)
    assert robust.select(["m2"]).metrics == ("m2",)
