"""Paired t tests of areas: scikit-learn's areas, SciPy's t test, the correction for overlap."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import auc as sk_auc
from sklearn.metrics import precision_recall_curve, roc_auc_score

from bayescmp.frequentist.areas import auc_pr_test, auc_test


def predictions(seed=0, folds=10, n=80, shift=(0.8, 1.3)):
    """Labels and two algorithms' probabilities."""
    rng = np.random.default_rng(seed)
    y = rng.permuted(np.tile(np.arange(n) < n // 3, (folds, 1)), axis=1).astype(int)
    noise = rng.normal(size=(2, folds, n))
    first, second = (
        1 / (1 + np.exp(-(z + s * (2 * y - 1)))) for z, s in zip(noise, shift, strict=True)
    )
    return y, np.round(first, 2), np.round(second, 2)


def test_auc_test_is_the_paired_t_test_on_scikit_learns_areas():
    y, a, b = predictions()
    area = np.array([[roc_auc_score(t, s) for t, s in zip(y, x, strict=True)] for x in (a, b)])
    expected = stats.ttest_rel(area[1], area[0])
    result = auc_test(y, a, b)
    assert result.statistic == pytest.approx(expected.statistic, rel=1e-10)
    assert result.pvalue == pytest.approx(expected.pvalue, rel=1e-8)
    assert result.df == 9
    assert result.estimate > 0  # the second has the larger shift


def test_corrected_widens_by_nadeau_and_bengios_factor():
    y, a, b = predictions(1)
    plain, corrected = auc_test(y, a, b), auc_test(y, a, b, rho=0.1)
    factor = np.sqrt((1 / 10 + 0.1 / 0.9) / (1 / 10))
    assert plain.statistic / corrected.statistic == pytest.approx(factor)


def test_auc_pr_test_by_trapezoid_is_that_on_scikit_learns_curves():
    y, a, b = predictions(2)

    def area(t, s):
        precision, recall, _ = precision_recall_curve(t, s)
        precision[-1] = precision[-2]  # scikit-learn puts a precision of 1 there
        return sk_auc(recall, precision)

    x = [area(t, q) - area(t, p) for t, p, q in zip(y, a, b, strict=True)]
    expected = stats.ttest_1samp(x, 0)
    assert auc_pr_test(y, a, b, method="trapezoid").pvalue == pytest.approx(
        expected.pvalue, rel=1e-8
    )
