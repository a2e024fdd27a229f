"""Probabilities of pairs on a data set, and their Monte Carlo errors."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.bayesian.joint.on_datasets import on_one_dataset


def test_probabilities_are_shares_with_the_ends_in_the_rope():
    d = np.array([[[-2.0], [-1.0], [0.0], [1.0], [2.0], [3.0], [4.0], [5.0], [1.0], [1.0]]] * 2)
    columns = on_one_dataset(d, 1.0)
    assert [columns[f"p_{side}"][0] for side in ("left", "rope", "right")] == [0.1, 0.5, 0.4]
    assert columns["mean"] == pytest.approx([1.4])
    assert columns["low"] == pytest.approx(np.quantile(d, 0.025))


def test_errors_are_the_spread_of_independent_estimates():
    """Chains of an autoregression: the sd over 300 of them, whose own error is 4 %."""
    rng = np.random.default_rng(1)
    d = np.empty((2, 2000, 300))
    d[:, 0] = rng.normal(size=(2, 300))
    for t in range(1, 2000):
        d[:, t] = 0.7 * d[:, t - 1] + np.sqrt(1 - 0.49) * rng.normal(size=(2, 300))
    columns = on_one_dataset(d, 0.5)
    for side in ("left", "rope", "right"):
        printed = np.sqrt((columns[f"se_{side}"] ** 2).mean())
        assert printed == pytest.approx(columns[f"p_{side}"].std(ddof=1), rel=0.2)


def test_no_error_is_zero():
    columns = on_one_dataset(np.ones((4, 100, 1)), 0.5)
    assert columns["p_right"] == 1
    assert columns["se_right"] > 0
