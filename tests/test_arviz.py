"""The one place that knows ArviZ: the same groups come back, and its numbers are ArviZ's own."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bayescmp import _arviz

RNG = np.random.default_rng(6)
GROUPS = {
    "posterior": {"delta": RNG.normal(size=(2, 50, 3)), "nu": RNG.normal(size=(2, 50))},
    "sample_stats": {"diverging": np.zeros((2, 50), dtype=bool)},
    "constant_data": {"x": np.arange(3.0)},
    "prior": {},
}


def _data():
    return _arviz.from_groups(
        GROUPS, coords={"dataset": ["a", "b", "c"]}, dims={"delta": ["dataset"], "x": ["dataset"]},
        attrs={"made": "here"},
    )  # fmt: skip


def test_what_is_written_is_read(tmp_path):
    _arviz.write(_data(), tmp_path / "x.nc")
    groups = _arviz.read(tmp_path / "x.nc")
    assert set(groups) == {"posterior", "sample_stats", "constant_data"}
    for group, variables in groups.items():
        for name, values in GROUPS[group].items():
            assert np.array_equal(variables[name], values)
    assert groups["posterior"].attrs["made"] == "here"
    assert list(groups["posterior"]["dataset"].to_numpy()) == ["a", "b", "c"]


def test_rhat_is_one_of_independent_draws_and_large_of_chains_apart():
    draws = RNG.normal(size=(4, 1000))
    assert _arviz.rhat(draws) == pytest.approx(1, abs=0.01)
    # two of four chains 3 sd away: the pooled over the within sd of ranks, roughly
    assert _arviz.rhat(draws + np.array([[0], [0], [3], [3]])) > 1.5


def test_ess_of_an_autoregression():
    """n (1 - a) / (1 + a) for x_t = a x_{t-1} + noise."""
    a, n = 0.6, 4000
    noise = stats.norm.rvs(size=(4, n), random_state=7)
    draws = np.empty((4, n))
    draws[:, 0] = noise[:, 0] / np.sqrt(1 - a**2)
    for t in range(1, n):
        draws[:, t] = a * draws[:, t - 1] + noise[:, t]
    assert _arviz.ess(draws, "mean") == pytest.approx(4 * n * (1 - a) / (1 + a), rel=0.12)
