"""Intervals of one AUC: printed values, simulation, enumeration of all rankings."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest

from bayescmp.curves import auc_interval
from bayescmp.curves.intervals import auc_given_errors
from bayescmp.errors import InputError


def test_hanley_mcneil_standard_error_is_that_of_exponential_scores():
    """The model behind the formula, simulated: 40,000 samples, error of a sd 0.35 %."""
    rng = np.random.default_rng(1)
    m, n, b = 8, 12, 3.0
    positive, negative = (
        b * rng.exponential(size=(40_000, m, 1)),
        rng.exponential(size=(40_000, 1, n)),
    )
    areas = np.mean(positive > negative, axis=(1, 2))
    result = auc_interval(b / (1 + b), m, n)
    assert result.standard_error == pytest.approx(areas.std(), rel=0.015)
    assert areas.mean() == pytest.approx(result.auc, abs=0.003)


def test_hanley_mcneil_interval_is_normal():
    result = auc_interval(0.8, 51, 58)
    assert result.high - result.low == pytest.approx(
        2 * 1.959964 * result.standard_error, rel=1e-6
    )
    assert auc_interval(1.0, 10, 10).standard_error == 0


def every_ranking(m, n):
    """Errors and area of each order of m positives and n negatives with each cut."""
    for positions in combinations(range(m + n), m):
        labels = np.zeros(m + n, dtype=int)
        labels[list(positions)] = 1
        area = sum(np.sum(labels[i + 1 :] == 0) for i in positions) / (m * n)
        for cut in range(m + n + 1):
            yield int(np.sum(labels[:cut] == 0) + np.sum(labels[cut:] == 1)), area


@pytest.mark.parametrize(("m", "n"), [(3, 4), (4, 2), (1, 5)])
def test_cortes_mohri_moments_by_enumeration(m, n):
    areas: dict[int, list[float]] = {}
    for errors, area in every_ranking(m, n):
        areas.setdefault(errors, []).append(area)
    for errors, actual in areas.items():
        mean, variance = auc_given_errors(errors, m, n)
        assert mean == pytest.approx(np.mean(actual), abs=1e-12)
        assert variance == pytest.approx(np.var(actual), abs=1e-12)


@pytest.mark.parametrize(("m", "n", "k"), [(30, 20, 7), (100, 400, 60), (5, 5, 5)])
def test_cortes_mohri_mean_is_their_closed_form(m, n, k):
    """Theorem 1, for at most min(m, n) errors."""
    total = m + n
    below = sum(comb(total, x) for x in range(k)) / sum(comb(total + 1, x) for x in range(k + 1))
    expected = 1 - k / total - (n - m) ** 2 * (total + 1) / (4 * m * n) * (k / total - below)
    assert auc_given_errors(k, m, n)[0] == pytest.approx(expected, abs=1e-10)


def test_cortes_mohri_covers_all_rankings_of_an_error_count():
    result = auc_interval(0.9, 30, 20, method="cortes-mohri", errors=7)
    mean, variance = auc_given_errors(7, 30, 20)
    assert result.low < mean - variance**0.5 / (1 - 0.95**0.5) ** 0.5
    assert result.high == 1.0
    narrow = auc_interval(0.9, 3000, 2000, method="cortes-mohri", errors=700)
    assert narrow.high - narrow.low < result.high - result.low


def test_agarwal():
    """ε = √(log(2/δ)/(2ρ(1-ρ)N)), ρ the share of positives: corollary 2 in its own notation."""
    result = auc_interval(0.8, 120, 480, method="agarwal", level=0.9)
    epsilon = np.sqrt(np.log(2 / 0.1) / (2 * 0.2 * 0.8 * 600))
    assert (result.low, result.high) == pytest.approx((0.8 - epsilon, 0.8 + epsilon))


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((1.2, 5, 5), {}, "auc=1.2"),
        (("a", 5, 5), {}, "auc='a'"),
        ((0.8, 0, 5), {}, "n_pos=0"),
        ((0.8, np.inf, 5), {}, "n_pos=inf"),
        ((0.8, "5", 5), {}, "n_pos='5'"),
        ((0.8, 5, 5), {"method": "cortes-mohri", "errors": "2"}, "errors='2'"),
        ((0.8, 5, 2.5), {}, "n_neg=2.5"),
        ((0.8, 5, 5), {"level": 95}, "level"),
        ((0.8, 5, 5), {"method": "hanley"}, "hanley-mcneil"),
        ((0.8, 5, 5), {"method": "cortes-mohri"}, "needs the number of misclassified"),
        ((0.8, 5, 5), {"method": "cortes-mohri", "errors": 11}, "from 0 to 10"),
    ],
)
def test_bad_input(arguments, options, message):
    with pytest.raises(InputError, match=message):
        auc_interval(*arguments, **options)


def test_text():
    assert str(auc_interval(0.8, 50, 50)).startswith("AUC 0.8000, 95% interval 0.7")


def test_an_interval_without_width_says_why():
    result = auc_interval(1.0, 20, 30)
    assert (result.low, result.high) == (1.0, 1.0)
    assert "variance is 0 at an area of 0 or 1" in str(result)
    assert auc_interval(0.99, 20, 30).note == ""
