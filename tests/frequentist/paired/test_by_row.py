"""The corrected t test on many data sets at once is that on each."""

from __future__ import annotations

import numpy as np

import bayescmp as bc
from bayescmp.frequentist.paired.by_row import corrected_t_by_row


def test_each_row_is_the_test_of_its_data_set_to_the_last_digit():
    """Of different lengths and correlations, and where nothing varies but for rounding."""
    rng = np.random.default_rng(0)
    rows = [rng.normal(0.2, 1, n) for n in (5, 10, 10, 7, 5, 100)]
    rows += [np.zeros(5), np.full(7, 0.1), np.full(3, -0.1), 0.1 + np.array([0, 1e-14, 0, 2e-14])]
    x = bc.Differences(rows, rho=np.linspace(0, 0.5, len(rows)))
    tests = corrected_t_by_row(x)
    for i, dataset in enumerate(x.datasets):
        one = bc.frequentist.corrected_t(x.row(dataset))
        assert (tests.statistic[i], tests.pvalue[i]) == (one.statistic, one.pvalue)
        assert tests.estimate[i] == one.estimate
