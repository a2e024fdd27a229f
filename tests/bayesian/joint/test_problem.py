"""Data of the joint program, and the data sets' true means given its draws."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.bayesian.joint.prior import JointPrior
from bayescmp.bayesian.joint.problem import pose, true_means
from bayescmp.bayesian.joint.table import read_table


def posed(x, rho=0.1):
    return pose(read_table(x, metric=None, rho=rho, test="it"), JointPrior())


def test_another_unit_is_the_same_problem(scores_of):
    x = scores_of(6, 12, 4)
    one, other = posed(x), posed(100 * x)
    assert other.scale == pytest.approx(100 * one.scale)
    for name, value in one.data.items():
        np.testing.assert_allclose(other.data[name], value, rtol=1e-8, atol=1e-10)


def test_axes_are_orthonormal_and_the_last_is_constant(scores_of):
    x = scores_of(9, 12, 4)
    x[..., 1] = x[..., 0] + 1e-4 * np.random.default_rng(1).normal(size=(9, 12))
    Q = posed(x).data["Q"]
    np.testing.assert_allclose(Q.T @ Q, np.eye(4), atol=1e-12)
    np.testing.assert_allclose(Q[:, -1], 0.5)
    twins = np.array([1, -1, 0, 0]) / np.sqrt(2)  # the narrowest axis is that of the twins
    assert abs(Q[:, 0] @ twins) > 0.99


def test_true_means_have_the_moments_of_normals_given_normals(scores_of):
    x = scores_of(3, 30, 3)
    x[1, :, 2] = np.nan
    x = np.concatenate([x, scores_of(3, 30, 3, seed=2)])
    data = posed(x).data
    rng = np.random.default_rng(1)
    D, L = 40_000, 3
    mu, Sigma = np.array([0.5, -0.5, 0.0]), np.array([[2, 0.5, 0], [0.5, 1, 0], [0, 0, 3.0]])
    draws = {
        "mu": np.tile(mu, (D, 1)), "Sigma0": np.tile(Sigma, (D, 1, 1)),
        "kappa": np.full((D, 6), 0.5), "lambda": np.full((D, 6), 2.0),
    }  # fmt: skip
    u = true_means(data, draws, rng)
    for i in (0, 1):
        p = int((1 - data["pad"][i]).sum())
        B, C = data["B"][i, :p], data["C"][i, :p, :p] / 2
        prior = np.linalg.inv(Sigma / 0.5)
        cov = np.linalg.inv(prior + B.T @ np.linalg.inv(C) @ B)
        mean = cov @ (prior @ mu + B.T @ np.linalg.solve(C, data["y"][i, :p]))
        np.testing.assert_allclose(u[:, i].mean(axis=0), mean, atol=0.05)
        np.testing.assert_allclose(np.cov(u[:, i].T), cov, atol=0.06)
    assert u.shape == (D, 6, L)


def test_initial_values_have_the_programs_shapes(scores_of):
    problem = posed(scores_of(6, 12, 5))
    inits = problem.inits(1, 3)
    assert len(inits) == 3
    assert np.shape(inits[0]["raw"]) == (5, problem.data["K"])
    assert np.shape(inits[0]["m"]) == (4,)
    assert inits[0] != inits[1]
