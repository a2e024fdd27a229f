"""Hotelling's F, and distances of many pairs at once."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import bayescmp.frequentist as f
from bayescmp.frequentist.multivariate.distances import hotelling_f
from bayescmp.frequentist.multivariate.hotelling import hotelling_all_pairs


def test_f_of_t2():
    """Hotelling's own case: one metric is t², and rank 0 says all or nothing."""
    t2, rank = np.array([4.0, 0.0, np.inf, 7.0]), np.array([1, 0, 0, 3])
    f, below, p = hotelling_f(t2, rank, 9)
    assert p[0] == pytest.approx(2 * stats.t.sf(2, 9))
    assert p[1:3].tolist() == [1, 0]
    assert (f[3], below[3]) == (pytest.approx(7 * 7 / 27), 7)
    assert p[3] == pytest.approx(stats.f.sf(49 / 27, 3, 7))


def test_all_pairs_at_once(counts):
    tp, fp = counts[:, :, 0], counts[:, :, 1]
    x = np.stack([tp, 20 - tp, fp, counts[:, :, 2]], axis=-1)
    t2, pvalue, rank = hotelling_all_pairs(x, rho=0.1)
    places = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    for k, (i, j) in enumerate(places):
        one = f.hotelling_paired(x[j] - x[i], rho=0.1)
        assert t2[k] == pytest.approx(one.statistic, rel=1e-10)
        assert pvalue[k] == pytest.approx(one.pvalue, rel=1e-10)
        assert rank[k] == one.rank == 3
