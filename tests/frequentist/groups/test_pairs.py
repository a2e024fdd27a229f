"""Tukey's test and pairwise t tests: R, SciPy, labels and direction."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp.frequentist as f
from bayescmp.errors import InputError


def test_pairwise_t_has_each_pairs_own_variance():
    x = np.random.default_rng(4).normal(size=(4, 8))
    result = f.pairwise_t(x, adjust="hommel")
    for (i, j), t, p in zip(result.pairs, result.statistic, result.pvalue, strict=True):
        expected = stats.ttest_rel(x[j], x[i])
        assert [t, p] == pytest.approx([expected.statistic, expected.pvalue])
    assert result.adjusted == pytest.approx(f.adjust(result.pvalue, "hommel"))
    bonferroni = f.pairwise_t(x, adjust="bonferroni")
    outside = bonferroni.confidence_interval(0.95).eval("low > 0 or high < 0").to_numpy()
    assert np.array_equal(outside, bonferroni.different(0.05))
    with pytest.raises(InputError, match="no simultaneous"):
        result.confidence_interval()


def test_rounding_is_no_difference():
    """Two algorithms 0.01 apart in every fold; two equal ones, one of them by way of a sum."""
    a = np.array([0.81, 0.77, 0.92, 0.65, 0.70])
    x = [a, np.round(a + 0.01, 2), (a + 0.3) - 0.3]
    assert not np.array_equal(x[2], a)
    for result in (f.tukey(x), f.pairwise_t(x)):
        assert result.pvalue == pytest.approx([0, 1, 0], abs=1e-12)
        assert result.difference[1] == 0
    assert f.anova(x).pvalue == 0
    assert f.anova([a, x[2]]).pvalue == 1


def test_labels_and_direction():
    frame = pd.DataFrame([[0.1, 0.2, 0.1], [0.3, 0.4, 0.4], [0.2, 0.2, 0.3]],
                         index=["svm", "knn", "gbm"])  # fmt: skip
    for test in (f.tukey, f.pairwise_t):
        errors = test(frame, lower_is_better=True)
        assert errors.names == ("svm", "knn", "gbm")
        assert [errors.names[i] for i in errors.order] == ["svm", "gbm", "knn"]
        assert errors.difference[0] < 0  # knn, the second, has the larger error
        assert test(frame).difference == pytest.approx(-errors.difference)
        assert errors.centres == pytest.approx(frame.mean(axis=1))
    assert f.pairwise_t(frame, control="gbm").control == "gbm"
    assert f.anova(frame.to_numpy(), names=["a", "b", "c"]).names == ("a", "b", "c")
    assert "algorithm" in str(f.anova(frame))
