"""Partial η²: R's effectsize, the test it belongs to, folds that overlap, limits."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp.frequentist as f


def test_as_in_effectsize(gr):
    """effectsize 0.8.3, F_to_eta2(F, 3, 27, ci = .95, alternative = "two.sided")."""
    result = f.partial_eta_squared(gr["folds"].reshape(4, 10))
    low, high = result.confidence_interval()
    assert [result.estimate, low, high] == pytest.approx(gr["eta2"], abs=1e-6)


def test_zero_is_outside_where_f_rejects():
    rng = np.random.default_rng(1)
    for shift in (0, 0.3, 0.6, 0.9, 1.2):
        x = rng.normal(size=(3, 8)) + shift * np.arange(3)[:, None]
        for rho in (0.0, 0.1):
            table = f.anova(x, rho=rho)
            low, _ = table.effect.confidence_interval(0.9)  # its lower end is at 5 %
            assert (low > 0) == (table.pvalue < 0.05)


def test_corrected_folds_give_the_share_of_one_score():
    """Folds of correlation rho vary by 1 - rho about their mean: the share is of all of it."""
    rng = np.random.default_rng(2)
    rho, k, shift = 0.5, 3, np.array([-5.0, 0, 5])[:, None]
    result = []
    for _ in range(600):
        shared, own = rng.normal(size=(k, 1)), rng.normal(size=(k, 40))
        noise = np.sqrt(rho) * shared + np.sqrt(1 - rho) * own
        result.append(f.anova(shift + noise, rho=rho).effect.estimate)
    # SS_algorithm/n has the mean Σα² + (k-1)·rho, SS_error/n/(1 - rho) the mean (k-1)
    assert np.mean(result) == pytest.approx((50 + 2 * rho) / (50 + 2 * rho + 2), abs=0.005)


def test_limits():
    assert f.partial_eta_squared([[1, 2], [1, 2]]).estimate == 0
    one = f.partial_eta_squared([[1, 2], [2, 3]])
    assert (one.estimate, one.confidence_interval()) == (1, (1, 1))
    assert "rho 0.2: as given" in str(f.partial_eta_squared([[1, 2, 2], [2, 5, 1]], rho=0.2))
