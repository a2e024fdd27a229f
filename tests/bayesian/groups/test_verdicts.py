"""Verdicts on all pairs of several algorithms."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.bayesian import groups
from tests.bayesian.groups.tables import scores


def test_verdicts_of_all_pairs_are_those_of_each():
    post = groups(scores(1, 5), rho=0.1, rope=[0.01, 0.02], seed=2)
    actual = post.verdicts()
    assert list(actual) == post.pairs
    assert len(actual) == 10
    for pair in (("A1", "A2"), ("A3", "A5")):
        assert actual[pair].probabilities == pytest.approx(post.verdict(*pair).probabilities)
    turned = post.verdict("A5", "A3")
    assert turned.probabilities["first"] == pytest.approx(
        actual["A3", "A5"].probabilities["second"], abs=1e-4
    )
    frame = post.frame()
    assert list(frame["first"] + frame["second"]) == ["".join(p) for p in post.pairs]
    total = frame[["p_equivalent", "p_first", "p_second", "p_trade_off"]].sum(axis=1)
    np.testing.assert_allclose(total, 1)
    from_draws = post.effects[:, 1] - post.effects[:, 0]
    share = (np.abs(from_draws) <= [0.01, 0.02]).all(axis=1).mean()
    assert share == pytest.approx(actual["A1", "A2"].probabilities["equivalent"], abs=0.02)


def test_bad_pairs():
    post = groups(scores(), rho=0.1, rope=0.01)
    for pair, message in ((("A1", "A9"), "unknown algorithm"), (("A1", "A1"), "nothing to"),
                          ((None, None), "are needed")):  # fmt: skip
        with pytest.raises(bc.InputError, match=message):
            post.verdict(*pair)
