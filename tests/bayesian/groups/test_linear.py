"""Several algorithms in other metrics: linear maps, learned measures."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.bayesian import groups
from tests.bayesian.groups.tables import scores


def test_linear_maps_and_learned_measures():
    x = scores(6, 4, 25, 3, spread=0.05)
    post = groups(x, rho=0.1, rope=0.01, seed=1)
    M = np.array([[1.0, 1, 0], [0, 1, -1], [0.5, 0, 2]])
    mapped, refitted = post.transform(M), groups(x @ M.T, rho=0.1, rope=0, seed=1)
    np.testing.assert_allclose(mapped.location, refitted.location, atol=1e-12)
    a, b = mapped.pair("A1", "A3"), refitted.pair("A1", "A3")
    assert a.df == b.df
    np.testing.assert_allclose(a.scale, b.scale, rtol=1e-8, atol=1e-15)
    learned = post.learned(2, rope=0.1)
    assert learned.metrics == ("M1", "M2")
    # unit standard deviation within algorithms, uncorrelated; the first separates most
    W = learned.factor @ learned.factor.T * learned.df / (2 * learned.inflation)
    np.testing.assert_allclose(W / ((4 - 1) * 24), np.eye(2), atol=1e-8)
    spread = learned.location.var(axis=0)
    assert spread[0] > spread[1]
    assert any("M1 = " in n for n in learned.notes)
    only = post.select("m2")
    assert only.metrics == ("m2",)
    assert only.verdict("A1", "A2").p_rope >= 0


@pytest.mark.parametrize("variances", ["equal", "own"])
def test_learned_measures_have_unit_spread_within_algorithms(variances):
    x = scores(6, 4, 25, 3, spread=0.05)
    post = groups(x, rho=0.1, rope=0.01, variances=variances, seed=1)
    learned = post.learned(2, rope=0.1)
    np.testing.assert_allclose(learned.within, np.eye(2), atol=1e-8)
    assert learned.select("M2").metrics == ("M2",)


def test_refused_by_the_result():
    two = groups(scores(1, 3, 20, 2), rho=0.1, rope=0.01, seed=1)
    one = groups(scores(1, 3, 20, 1), rho=0.1, rope=0.01, seed=1)
    for k in (0, -1, 9, "a"):
        with pytest.raises(bc.InputError, match="k="):
            two.learned(k)
    with pytest.raises(bc.InputError, match="metrics is empty"):
        two.select([])
    with pytest.raises(bc.InputError, match=r"'dominance': known: 'm1'$"):
        one.ranking("dominance")
