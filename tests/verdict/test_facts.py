"""Facts beside a verdict: intervals, the spread of data sets, what could be known."""

from __future__ import annotations

import json

import numpy as np
import pytest

from bayescmp.verdict import Known, Spread, central
from bayescmp.verdict.facts import turned


def test_intervals_turn_with_the_algorithms():
    assert turned((-0.01, 0.03)) == (-0.03, 0.01)
    s = Spread(0.02, (0.01, 0.03), (-0.04, 0.06), "τ")
    assert s.swapped() == Spread(0.02, (0.01, 0.03), (-0.06, 0.04), "τ")


def test_central_intervals_of_draws():
    draws = np.stack([np.linspace(0, 1, 401), np.linspace(-2, 2, 401)], axis=-1)
    actual = central(draws.reshape(1, 401, 2))
    assert actual[0] == pytest.approx((0.025, 0.975))
    assert actual[1] == pytest.approx((-1.9, 1.9))


def test_known_is_of_the_largest_mass():
    # draws whose largest mass is 0.50, 0.51, ..., 0.90, at any of the three places
    largest = np.linspace(0.5, 0.9, 41)
    masses = np.stack([largest, 1 - largest, np.zeros(41)], axis=-1)
    masses[::2] = masses[::2, [1, 2, 0]]
    known = Known.of(masses)
    assert known.median == pytest.approx(0.7)
    assert known.interval == pytest.approx((0.51, 0.89))


def test_plain_for_json():
    plain = json.dumps([Known(0.5, (0.4, 0.6)).to_dict(),
                        Spread(0.02, (0.01, 0.03), (-0.04, 0.06)).to_dict()])  # fmt: skip
    assert json.loads(plain) == [
        {"median": 0.5, "interval": [0.4, 0.6]},
        {"symbol": "σ0", "median": 0.02, "interval": [0.01, 0.03], "next": [-0.04, 0.06]},
    ]
