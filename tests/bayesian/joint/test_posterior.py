"""Posterior of the joint test: pairs in closed form beside draws of the next data set."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bayescmp as bc
from bayescmp.bayesian import joint_t
from bayescmp.bayesian.joint.standing import masses_of


@pytest.fixture
def posterior(fake, scores_of):
    return joint_t(scores_of(8, 20, 4), rho=0.1, rope=0.01, engine="fake", seed=1)


def test_pairs_in_closed_form_are_the_shares_of_the_points(posterior):
    pairs = np.array([[0, 1], [1, 3]])
    exact = posterior._masses(pairs, 0.01)
    drawn = masses_of(posterior.clouds(), pairs, 0.01)
    for one, other in zip(exact, drawn, strict=True):
        np.testing.assert_allclose(one.mean(axis=0), other.mean(axis=0), atol=0.01)


def test_points_have_the_models_moments(posterior):
    (cloud,) = posterior.clouds()
    assert cloud.u.shape[1] == 16
    middle = np.median(cloud.u.reshape(-1, 4), axis=0)
    np.testing.assert_allclose(middle, posterior.averages.mean(axis=0), atol=0.002)


def test_heterogeneity_names_every_pair(posterior):
    table = posterior.heterogeneity()
    assert list(table.index) == posterior.pairs
    v = posterior.Sigma0[..., 0, 0] + posterior.Sigma0[..., 1, 1] - 2 * posterior.Sigma0[..., 0, 1]
    assert table.loc[("A1", "A2"), "sigma0"] == pytest.approx(np.median(np.sqrt(v)))
    assert (table["low"] < table["sigma0"]).all()
    assert (table["next_low"] < table["next_high"]).all()
    spread = posterior.verdict("A1", "A2").spread[0]
    assert spread.median == pytest.approx(table.loc[("A1", "A2"), "sigma0"])


def test_pairs_on_each_data_set_are_differences_of_the_effects_there(posterior):
    table = posterior.pairs_by_dataset()
    assert len(table) == 8 * 6
    dataset = posterior.datasets[2]
    d = posterior.u[:, :, 2, 3] - posterior.u[:, :, 2, 1]
    row = table.loc[(dataset, "A2", "A4")]
    assert row["mean"] == pytest.approx(d.mean())
    assert row["p_left"] == pytest.approx((d < -0.01).mean())
    assert row["p_right"] == pytest.approx((d > 0.01).mean())
    assert row["seen"]
    wide = posterior.pairs_by_dataset(rope=10.0)
    assert (wide["p_rope"] == 1).all()
    leads = posterior.by_dataset()["lead"]
    expected = leads[dataset, "A4"] - leads[dataset, "A2"]
    assert row["mean"] == pytest.approx(expected)


def test_statements_agree_with_one_another(posterior):
    expected = {k: v.expected for k, v in posterior.verdicts(0.0).items()}
    for name, p in posterior.best().items():
        for pair, regions in expected.items():
            if name in pair:
                side = "left" if name == pair[0] else "right"
                assert p <= regions[side] + 0.02
    text = posterior.explain()
    assert "no adjustment" in text.lower()
    assert "algorithms and data sets share a hierarchical prior" in text


def test_saving_keeps_every_number(posterior, tmp_path):
    posterior.save(tmp_path / "joint.nc")
    again = bc.load(tmp_path / "joint.nc")
    assert again.best() == posterior.best()
    assert again.verdict("A1", "A3") == posterior.verdict("A1", "A3")
    assert again.by_dataset().equals(posterior.by_dataset())
    assert str(again) == str(posterior)


def test_swapping_the_order_of_a_pair_swaps_its_verdict(posterior):
    assert posterior.verdict("A3", "A1") == posterior.verdict("A1", "A3").swapped()


few = settings(max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture])


def fitted(x, rope, names=("A1", "A2", "A3")):
    """By draws about what the program is given: the same problem has the same draws."""
    places = np.indices(x.shape).reshape(3, -1)
    table = {"dataset": places[0], "fold": places[1], "algorithm": np.array(names)[places[2]]}
    scores = bc.Scores(
        pd.DataFrame({**table, "throughput": x.ravel()}), higher_is_better=["throughput"]
    )
    return joint_t(scores, rho=0.1, rope=rope, engine="fake", seed=1, draws=250)


@few
@given(
    seed=st.integers(0, 10**6),
    unit=st.sampled_from([1e-6, 0.3, 1e6]),
    ropes=st.tuples(st.floats(0.005, 0.05), st.floats(0.005, 0.05)),
)
def test_swap_units_order_and_refit(fake, seed, unit, ropes):
    rng, (rope, other) = np.random.default_rng(seed), ropes
    x = 0.8 + np.linspace(0, 0.02, 3) + rng.normal(0, 0.02, (5, 1, 3))
    x = x + rng.normal(0, 0.02, (5, 12, 3))
    own, refit, scaled = fitted(x, rope), fitted(x, other), fitted(unit * x, unit * rope)
    columns = rng.permutation(3)
    shuffled = x[rng.permutation(5)][:, rng.permutation(12)][..., columns]
    ordered = fitted(shuffled, rope, [f"A{k + 1}" for k in columns])
    for first, second in own.pairs:
        verdict = own.verdict(first, second)
        assert own.verdict(second, first).swapped().probabilities == verdict.probabilities
        for one, wanted in (
            (own.verdict(first, second, rope=other), refit.verdict(first, second)),
            (scaled.verdict(first, second), verdict),
            (ordered.verdict(first, second), verdict),
        ):
            assert one.probabilities == pytest.approx(wanted.probabilities, abs=1e-6)
            assert one.expected == pytest.approx(wanted.expected, abs=1e-6)
            assert one.location == pytest.approx(wanted.location, abs=1e-6)
