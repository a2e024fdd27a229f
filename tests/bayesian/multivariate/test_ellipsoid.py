"""The region of highest density, and its outline."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import multivariate_t
from bayescmp.bayesian.multivariate.ellipsoid import Ellipsoid
from tests.bayesian.multivariate.cases import folds


def test_outline_lies_on_the_boundary():
    post = multivariate_t(folds(2), rho=0.1, rope=0)
    edge = post.ellipsoid(0.9).outline()
    radius = post.distribution.distance(edge)
    np.testing.assert_allclose(radius, post.distribution.radius(0.9), rtol=1e-9)
    assert post.distribution.radius(0.9) ** 2 == pytest.approx(2 * stats.f.ppf(0.9, 2, post.df))


def test_an_outline_needs_two_metrics():
    with pytest.raises(bc.InputError, match="has 3 metrics; an outline needs two"):
        Ellipsoid(0.95, np.zeros(3), np.eye(3)).outline()
    segment = Ellipsoid(0.95, np.array([1.0, 2.0]), np.array([[0.5, 0.0]])).outline(5)
    np.testing.assert_allclose(segment[:, 1], 2.0)
    np.testing.assert_allclose(segment[:, 0], 1 + 0.5 * np.array([1, 0, -1, 0, 1]), atol=1e-12)
