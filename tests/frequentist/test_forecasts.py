"""Diebold and Mariano's test: R's forecast::dm.test on the flow of the Nile, and its edges."""

import numpy as np
import pandas as pd
import pytest
from statsmodels.datasets import nile

import bayescmp as bc
from bayescmp.frequentist import diebold_mariano, paired_t
from tests.rows import each_row

#: x1^2 and x2^2 of the calls below.
SWINGING = (
    np.array([3, 1, 3.2, 1.1, 3, 0.8, 3.1, 1, 2.9, 1.2]),
    np.array([1, 2.1, 1, 2, 1.2, 2, 0.9, 2.1, 1, 2]),
)


def losses(horizon, power=2):
    """Of the last value, and of the mean of the last five, ``horizon`` years ahead."""
    y = nile.load_pandas().data["volume"].to_numpy()
    t = np.arange(horizon + 4, len(y))
    mean = np.array([y[i - horizon - 4 : i - horizon + 1].mean() for i in t])
    return np.abs(y[t] - y[t - horizon]) ** power, np.abs(y[t] - mean) ** power


@each_row(
    ("horizon", "power", "statistic", "pvalue"),
    [
        (1, 2, 1.19542899718426, 0.234926590650052),
        (2, 2, 1.79261046016227, 0.0762866094131374),
        (4, 2, 2.51413388876969, 0.0136897929548438),
        (4, 1, 2.50050866299828, 0.0141916260958389),
    ],
)
def test_statistics_are_those_of_r(horizon, power, statistic, pvalue):
    """R 4.2.2, forecast 8.20, ``y <- as.numeric(Nile); t <- (h + 5):100``,

    ``e1 <- y[t] - y[t - h]; e2 <- y[t] - sapply(t, function(i) mean(y[(i - h - 4):(i - h)]))``,
    ``dm.test(e1, e2, h = h, power = power)``.
    """
    first, second = losses(horizon, power)
    result = diebold_mariano(first, second, horizon=horizon)
    assert (result.statistic, result.pvalue) == pytest.approx((statistic, pvalue), rel=1e-10)
    greater = diebold_mariano(first, second, horizon=horizon, alternative="greater")
    assert greater.pvalue == pytest.approx(pvalue / 2, rel=1e-10)
    level = 1 - pvalue  # an interval at this level ends at 0
    assert result.confidence_interval(level)[0] == pytest.approx(0, abs=1e-8 * result.estimate)


def test_one_step_ahead_is_nearly_the_paired_t_test():
    """With horizon 1 it is t by the variance over T, corrected by (T - 1)/T: the same."""
    first, second = losses(1)
    result = diebold_mariano(first, second)
    t = paired_t(first - second)
    assert (result.statistic, result.pvalue) == pytest.approx((t.statistic, t.pvalue), rel=1e-9)


def test_bartlett_weights_where_the_variance_is_negative():
    """R: ``dm.test(sqrt(x1), sqrt(x2), h = 2, varestimator = "bartlett")``, as above."""
    result = diebold_mariano(*SWINGING, horizon=2)
    assert result.statistic == pytest.approx(2.90020946713699, rel=1e-10)
    assert result.pvalue == pytest.approx(0.0175893733930148, rel=1e-10)
    assert "Bartlett's weights" in str(result)
    assert "rejects too" in str(result)


@each_row("horizon", [1, 2])
def test_swapping_and_units(horizon):
    """Swapped, the sign turns; a shift of both losses and their unit do not matter."""
    one, other = SWINGING
    result = diebold_mariano(one, other, horizon=horizon)
    swapped = diebold_mariano(other, one, horizon=horizon)
    assert swapped.statistic == pytest.approx(-result.statistic, rel=1e-9)
    moved = diebold_mariano(1e6 * one + 7, 1e6 * other + 7, horizon=horizon)
    assert moved.pvalue == pytest.approx(result.pvalue, rel=1e-6)


def test_losses_that_do_not_vary():
    """Equal losses show nothing; a constant gain leaves no error."""
    one = SWINGING[0]
    assert diebold_mariano(one, one, horizon=2).pvalue == 1
    gain = diebold_mariano(one + 1e-3, one, horizon=2)
    assert (gain.pvalue, gain.statistic) == (0, np.inf)
    assert "there is no standard error" in str(gain)


def test_what_cannot_be_is_refused():
    one, other = SWINGING
    with pytest.raises(bc.InputError, match=r"whole number from 1 to 9 \(got 10\)"):
        diebold_mariano(one, other, horizon=10)
    with pytest.raises(bc.InputError, match=r"have 10 losses, as losses_first has \(got 9\)"):
        diebold_mariano(one, other[:9])
    later = pd.Series(other, index=pd.period_range("2020-02", periods=10, freq="M"))
    with pytest.raises(bc.InputError, match="same labels in the same order"):
        diebold_mariano(pd.Series(one, index=later.index - 1), later)
    with pytest.raises(bc.InputError, match="finite numbers"):
        diebold_mariano([*one[:9], np.nan], other)
