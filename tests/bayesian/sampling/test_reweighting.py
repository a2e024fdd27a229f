"""Draws of one density as draws of another: known moments, and what is done where weights fail."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.bayesian.sampling.reweighting import varied
from bayescmp.errors import EngineNotFound

Z = np.random.default_rng(1).standard_normal((4, 1000))
#: Log ratios of N(0.5, 1) and of N(0, 4²) over N(0, 1).
NEAR, FAR = 0.5 * Z, (1 - 1 / 16) * Z**2 / 2


def mean(weights):
    return float((weights * Z).sum())


def test_a_mean_under_another_density():
    setting, value = varied("shifted", NEAR, mean)
    assert setting.startswith("shifted (k-hat ")
    assert setting.endswith(")")
    assert "reliable" not in setting
    assert value == pytest.approx(0.5, abs=4 / np.sqrt(Z.size))


def test_what_the_weights_cannot_tell_is_fitted_again():
    def again():
        return 7.0

    assert varied("wide", FAR, mean)[0].endswith(", not reliable)")
    assert varied("wide", FAR, mean, again, refit=False)[0].endswith(", needs a refit)")
    setting, value = varied("wide", FAR, mean, again)
    assert setting.endswith(", refitted)")
    assert value == 7.0
    assert varied("shifted", NEAR, mean, again)[1] != 7.0


def test_an_engine_that_is_not_here_leaves_the_weights():
    def again():
        raise EngineNotFound("none")

    setting, value = varied("wide", FAR, mean, again)
    assert setting.endswith(", not reliable)")
    assert value == varied("wide", FAR, mean)[1]
