"""Pairs of several algorithms, joint statements, cliques."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.bayesian import groups
from tests.bayesian.groups.tables import scores


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
