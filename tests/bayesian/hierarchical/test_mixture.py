"""The predictive interval of the next data set, beside SciPy's root finder and simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import t

from bayescmp.bayesian.hierarchical.mixture import next_interval


def _upper(seed: int, spread: float, least_nu: float) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {
        "delta0": 3 + rng.normal(0, 0.1, (4, 500)),
        "sigma0": 0.2 * np.exp(rng.normal(0, spread, (4, 500))),
        "nu": least_nu + rng.gamma(0.7, 20, (4, 500)),
    }


@pytest.mark.parametrize(
    ("spread", "least_nu"), [(0.1, 2.0), (1.5, 1.0), (6.0, 0.4)], ids=["narrow", "wide", "wild"]
)
def test_ends_are_quantiles_of_the_mixture(spread, least_nu):
    upper = _upper(2, spread, least_nu)
    nu, delta0, sigma0 = (upper[k].ravel() for k in ("nu", "delta0", "sigma0"))
    for end, p in zip(next_interval(upper), (0.025, 0.975), strict=True):
        each = t.ppf(p, nu, delta0, sigma0)
        exact = brentq(
            lambda x, p=p: t.cdf(x, nu, delta0, sigma0).mean() - p, each.min(), each.max(),
            xtol=1e-300, rtol=1e-14,
        )  # fmt: skip
        assert end == pytest.approx(exact, rel=1e-8)


def test_one_draw_is_a_single_student():
    upper = {"delta0": np.array([[0.1]]), "sigma0": np.array([[1e-9]]), "nu": np.array([[3.0]])}
    expected = t.ppf([0.05, 0.95], 3, 0.1, 1e-9)
    assert np.array(next_interval(upper, 0.9)) - 0.1 == pytest.approx(expected - 0.1, rel=1e-6)
