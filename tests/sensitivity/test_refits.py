"""Variations that take another fit are those fits."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.bayesian import bootstrap, groups
from bayescmp.pairs import all_probabilities
from bayescmp.sensitivity.refits import pair_refits

X = np.random.default_rng(1).normal([[0.70], [0.71], [0.75]], 0.02, (3, 10))
PAIR = ("A1", "A3")


def rows_of(posterior):
    frame = posterior.sensitivity()[PAIR].frame
    columns = [c for c in frame.columns if c.startswith("p_")]
    return {(r.question, r.setting): [getattr(r, c) for c in columns] for r in frame.itertuples()}


def p_of(posterior):
    return all_probabilities(posterior)[PAIR].tolist()


@pytest.mark.parametrize(("variances", "other"), [("equal", "own"), ("own", "equal")])
def test_groups_are_fitted_again(variances, other):
    options = {"rope": 0.01, "seed": 3}
    rows = rows_of(groups(X, rho=0.1, variances=variances, **options))
    for rho in (0.0, 0.2, 0.5):
        wanted = p_of(groups(X, rho=rho, variances=variances, **options))
        assert rows["rho", f"{rho:g}"] == pytest.approx(wanted, abs=1e-12)
    wanted = p_of(groups(X, rho=0.1, variances=other, **options))
    assert rows["model", f"{other} variances"] == pytest.approx(wanted, abs=1e-12)
    wanted = p_of(groups(X, rho=0.1, variances=variances, rope=0.02, seed=3))
    assert rows["rope", "2 times"] == pytest.approx(wanted, abs=1e-12)


def test_two_algorithms_have_one_variance_only():
    assert list(pair_refits(groups(X[:2], rho=0.1, rope=0.01, seed=1))) == []
    assert list(pair_refits(bootstrap([[0.8, 0.9], [0.7, 0.6]], rope=0.01, draws=100))) == []
