"""The second opinion on a hierarchical posterior."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.bayesian import hierarchical_t


def simulated(q=8, n=10, seed=1):
    rng = np.random.default_rng(seed)
    return rng.normal(0.01, 0.02, (q, 1)) + rng.normal(0, 0.03, (q, n))


@pytest.fixture(scope="module")
def posterior():
    return hierarchical_t(simulated(), rho=0.1, rope=0.01, engine="quadrature", seed=1)


def test_another_engine_gets_the_same_problem(posterior, fake):
    check = posterior.verify(engine="fake", draws=300)
    (request,) = fake.requests
    assert request.data is posterior.problem.data
    assert request.seed == posterior.seed + 1
    assert request.settings.draws == 300
    assert check.posterior is posterior
    assert (check.other.engine, check.other.seed) == ("fake", 2)


def test_what_does_not_agree_is_said(posterior, fake):
    """The fake engine's draws have nothing to do with the model."""
    check = posterior.verify(engine="fake")
    assert not check.agrees
    assert "DO NOT AGREE" in str(check)


def test_the_table_holds_both_and_their_difference(posterior, fake):
    table = posterior.verify(engine="fake").table
    assert list(table.index) == ["p_left", "p_rope", "p_right", "mean delta0", "mean sigma0",
                                 "mean nu"]  # fmt: skip
    assert table["difference"].to_numpy() == pytest.approx(table["other"] - table["value"])
    z = table["difference"] / np.hypot(table["se"], table["other_se"])
    assert table["z"].to_numpy() == pytest.approx(z)
    assert table.loc["p_left", "value"] == posterior.verdict().p_left


def test_the_same_posterior_agrees_unless_its_diagnostics_failed(posterior):
    same = posterior.verify(engine="quadrature")
    assert same.agrees
    assert same.table["difference"].abs().max() == 0
    wrong = dataclasses.replace(posterior.diagnostics, messages=("bad",))
    other = dataclasses.replace(same.other, diagnostics=wrong)
    assert not dataclasses.replace(same, other=other).agrees


def test_another_rope(posterior):
    same = posterior.verify(engine="quadrature", rope=0.05)
    assert "rope ±0.05" in str(same)
    assert same.table.loc["p_rope", "value"] == posterior.verdict(0.05).p_rope


def test_no_other_engine(posterior, monkeypatch):
    monkeypatch.setattr("bayescmp.bayesian.hierarchical.verify.engines", dict)
    with pytest.raises(bc.EngineNotFound, match="no other engine"):
        posterior.verify()


@pytest.mark.slow
@pytest.mark.stan
def test_stan_agrees_with_the_built_in_engine_and_the_other_way_round(posterior, stan_engine):
    check = posterior.verify(draws=2000)
    assert not check.other.exact
    assert check.agrees
    back = check.other.verify()
    assert back.other.exact
    assert back.agrees
    message = str(check)
    for part in ("quadrature", check.other.engine, "the engines agree", "p_rope", "z"):
        assert part in message
