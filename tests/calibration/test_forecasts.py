"""False positives of Diebold and Mariano's test, where losses correlate up to the lag h - 1."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.frequentist import diebold_mariano

pytestmark = pytest.mark.calibration

SERIES, LEVEL = 4000, 0.05


@pytest.mark.parametrize("horizon", [1, 2, 4, 8])
@pytest.mark.parametrize("each", [2, 8, 32])
def test_equally_good_forecasts(horizon, each, evidence):
    """Moving sums of h normal numbers: within 0.05 ± 0.02 if T is 32 h, else too often."""
    rng = np.random.default_rng([horizon, each])
    size = max(each * horizon, 8)
    rejected = 0
    for _ in range(SERIES):
        noise = rng.normal(size=size + horizon - 1)
        gain = np.convolve(noise, np.ones(horizon), mode="valid")
        rejected += diebold_mariano(gain, np.zeros(size), horizon=horizon).pvalue <= LEVEL
    rate = rejected / SERIES
    print(f"\nhorizon {horizon}, {size} forecasts: {rate:.4f}")
    evidence("forecasts_level", horizon=horizon, forecasts=size, series=SERIES, rejected=rate)
    if each == 32 or horizon == 1:
        assert abs(rate - LEVEL) < 0.02
    else:
        assert rate > LEVEL  # the note on few forecasts reports this
