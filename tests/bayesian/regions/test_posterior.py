"""What posteriors of several metrics share: ropes, curves of them, words, saving."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.bayesian import multivariate_t
from bayescmp.verdict import Rope


@pytest.fixture(scope="module")
def posterior():
    rng = np.random.default_rng(1)
    x = np.array([0.02, -0.005]) + 0.02 * rng.normal(size=(20, 2))
    return multivariate_t(x, rho=0.1, rope=(0.01, 0.02), metrics=("auc", "f1"), seed=1)


def test_ropes_are_its_own_or_those_given(posterior):
    assert posterior.p == 2
    assert posterior.ropes() == (Rope(-0.01, 0.01), Rope(-0.02, 0.02))
    assert posterior.ropes({"f1": 0.3, "auc": 0.1}) == (Rope(-0.1, 0.1), Rope(-0.3, 0.3))


def test_all_ropes_widen_together(posterior):
    curve = posterior.rope_curve([0.5, 1, 2])
    assert curve.index.name == "factor"
    for factor, row in curve.iterrows():
        v = posterior.verdict((0.01 * factor, 0.02 * factor))
        for region, p in v.probabilities.items():
            assert row[f"p_{region}"] == p
            assert row[f"se_{region}"] == v.errors[region]
    assert np.all(np.diff(curve["p_equivalent"]) > 0)
    assert len(posterior.rope_curve()) == 41


@pytest.mark.parametrize("widths", [[-1], [np.inf], [[1, 2]], "wide"])
def test_bad_multiples(posterior, widths):
    with pytest.raises(bc.InputError, match=r"^widths.*accepted"):
        posterior.rope_curve(widths)


def test_without_a_rope_there_is_nothing_to_widen():
    bare = multivariate_t([[0.1, 0.2], [0.2, 0.1], [0.0, 0.4]], rho=0.1, rope=0)
    with pytest.raises(bc.InputError, match="no rope in any metric"):
        bare.rope_curve()


def test_the_heading_names_metrics_and_ropes(posterior):
    first, second = posterior.heading().splitlines()[:2]
    assert "first vs second on auc, f1" in first
    for part in ("auc", "0.01", "f1", "0.02"):
        assert part in second


def test_a_verdict_speaks_of_all_metrics(posterior):
    v = posterior.verdict()
    assert v.metrics == ("auc", "f1")
    assert list(v.probabilities) == ["equivalent", "first", "second", "trade_off"]
    assert v.target == posterior.target
