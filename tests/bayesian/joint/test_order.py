"""The order in which the joint program sees algorithms and data sets."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.bayesian.joint.order import in_order
from bayescmp.bayesian.joint.table import FoldTable


def _table(seed: int = 1) -> FoldTable:
    rng = np.random.default_rng(seed)
    x = rng.normal(0.8, 0.05, (6, 4, 3))
    x[2, 3] = np.nan  # fewer folds
    x[4, :, 1] = np.nan  # an algorithm that was not run
    return FoldTable(x, rng.uniform(0, 0.3, 6), ("a", "b", "c"), tuple("uvwxyz"))


@pytest.mark.parametrize("seed", range(5))
def test_only_the_scores_decide(seed):
    table, rng = _table(), np.random.default_rng(seed)
    d, a = rng.permutation(6), rng.permutation(3)
    moved = FoldTable(
        100 * table.x[d][:, :, a], table.rho[d], tuple(table.algorithms[k] for k in a),
        tuple(table.datasets[i] for i in d),
    )  # fmt: skip
    one, _ = in_order(table)
    other, _ = in_order(moved)
    assert other.algorithms == one.algorithms
    assert other.datasets == one.datasets
    np.testing.assert_allclose(other.x, 100 * one.x)
    assert np.array_equal(other.rho, one.rho)


def test_draws_come_back_where_they_stood():
    table = _table()
    ordered, order = in_order(table)
    at = {name: k for k, name in enumerate(ordered.algorithms)}
    sets = {name: i for i, name in enumerate(ordered.datasets)}
    mu = np.arange(3.0)[None, None]
    draws = order.restored({
        "mu": mu, "Sigma0": mu[..., None] * 10 + mu[..., None, :], "nu": np.ones((1, 1)),
        "u": 10 * np.arange(6.0)[:, None] + mu[..., None, :],
    })  # fmt: skip
    own = np.array([at[name] for name in table.algorithms])
    rows = np.array([sets[name] for name in table.datasets])
    assert np.array_equal(draws["mu"][0, 0], own)
    assert np.array_equal(draws["Sigma0"][0, 0], 10 * own[:, None] + own)
    assert np.array_equal(draws["u"][0, 0], 10 * rows[:, None] + own)


def test_equal_algorithms_keep_their_order():
    x = np.repeat(np.random.default_rng(2).normal(size=(3, 4, 1)), 3, axis=2)
    ordered, _ = in_order(FoldTable(x, np.zeros(3), ("a", "b", "c"), ("u", "v", "w")))
    assert ordered.algorithms == ("a", "b", "c")
