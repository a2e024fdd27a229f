"""Pairs of several algorithms, joint statements, cliques."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.bayesian import groups
from tests.bayesian.groups.tables import scores


def test_verdicts_of_all_pairs_are_those_of_each():
    post = groups(scores(1, 5), rho=0.1, rope=[0.01, 0.02], seed=2)
    found = post.verdicts()
    assert list(found) == post.pairs
    assert len(found) == 10
    for pair in (("A1", "A2"), ("A3", "A5")):
        assert found[pair].probabilities == pytest.approx(post.verdict(*pair).probabilities)
    turned = post.verdict("A5", "A3")
    assert turned.probabilities["first"] == pytest.approx(
        found["A3", "A5"].probabilities["second"], abs=1e-4
    )
    frame = post.frame()
    assert list(frame["first"] + frame["second"]) == ["".join(p) for p in post.pairs]
    total = frame[["p_equivalent", "p_first", "p_second", "p_trade_off"]].sum(axis=1)
    np.testing.assert_allclose(total, 1)
    from_draws = post.effects[:, 1] - post.effects[:, 0]
    share = (np.abs(from_draws) <= [0.01, 0.02]).all(axis=1).mean()
    assert share == pytest.approx(found["A1", "A2"].probabilities["equivalent"], abs=0.02)


def test_joint_probability_and_cliques():
    rng = np.random.default_rng(1)
    x = 0.7 + rng.normal(size=(1, 60, 1)) * 0.02 + rng.normal(size=(4, 60, 1)) * 0.01
    x[3] += 0.1
    post = groups(x, rho=0.1, rope=0.025, seed=1)
    cliques = post.cliques()
    assert cliques["members"].tolist() == [("A1", "A2", "A3")]
    lone = post.verdict("A1", "A2").p_rope
    joint = cliques["joint"][0]
    assert joint <= lone + 0.01
    trio = {("A1", "A2"): "equivalent", ("A1", "A3"): "equivalent", ("A3", "A2"): "equivalent"}
    assert post.joint(trio) == pytest.approx(joint)
    everything = {**trio, ("A4", "A1"): "first", ("A2", "A4"): "second", ("A3", "A4"): "second"}
    assert post.joint() == pytest.approx(post.joint(everything))
    assert post.joint({}) == 1
    with pytest.raises(bc.InputError, match="unknown outcome"):
        post.joint({("A1", "A2"): "better"})


def test_bad_pairs():
    post = groups(scores(), rho=0.1, rope=0.01)
    for pair, message in ((("A1", "A9"), "unknown algorithm"), (("A1", "A1"), "nothing to"),
                          ((None, None), "are needed")):  # fmt: skip
        with pytest.raises(bc.InputError, match=message):
            post.verdict(*pair)


def test_saved_loaded_and_told(tmp_path):
    post = groups(scores(), rho=0.1, rope=[0.01, 0.02], seed=3, metrics=["tpr", "fpr"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        post.save(tmp_path / "g.nc")
        back = bc.load(tmp_path / "g.nc")
    assert str(back) == str(post)
    assert back.verdicts() == post.verdicts()
    assert "ranked by dominance" in str(post)
    assert isinstance(post.summary(), pd.DataFrame)
