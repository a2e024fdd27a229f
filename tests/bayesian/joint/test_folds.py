"""Level one of the joint model: the test of two for every pair, gaps, and few folds."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.bayesian.joint.folds import fold_noise, helmert
from bayescmp.bayesian.joint.table import read_table


def noise(x, rho=0.1, **options):
    return fold_noise(read_table(x, metric=None, rho=rho, test="it"), **options)


def test_contrasts_are_orthonormal():
    H = helmert(5)
    np.testing.assert_allclose(H @ H.T, np.eye(4), atol=1e-15)
    np.testing.assert_allclose(H.sum(axis=1), 0, atol=1e-15)


def test_every_pair_has_the_kernel_of_the_test_of_two(scores_of):
    """ss (1 + (n-1) rho) / (n (1-rho) (n-2)) with n - 2 degrees, as hierarchical_correlated_t.stan
    has it, whichever other algorithms there are."""
    x = scores_of(3, 20, 5)
    result = noise(x)
    assert result.weight == 0
    assert result.dof.tolist() == [18] * 3
    B, C = result.B[1], result.C[1]
    for a, b in ((0, 1), (2, 4)):
        d = x[1, :, b] - x[1, :, a]
        direction = B @ (np.eye(5)[b] - np.eye(5)[a])
        expected = d.var() * 20 * (1 + 19 * 0.1) / (20 * 0.9 * 18)
        assert direction @ C @ direction == pytest.approx(expected)
        assert direction @ result.y[1] == pytest.approx(d.mean())
    fewer = noise(x[..., [0, 1, 4]])
    d01 = fewer.B[1] @ [-1, 1, 0]
    assert d01 @ fewer.C[1] @ d01 == pytest.approx(
        (B @ [-1, 1, 0, 0, 0]) @ C @ (B @ [-1, 1, 0, 0, 0])
    )


def test_a_pair_without_spread_has_that_of_rounding():
    """n h² / 12, as in the test of two."""
    rng = np.random.default_rng(1)
    x = np.round(rng.normal(0.8, 0.05, (3, 30, 3)), 2)
    x[1, :, 1] = x[1, :, 0] + 0.02
    result = noise(x)
    direction = result.B[1] @ [-1, 1, 0]
    expected = 30 * 0.01**2 / 12 * (1 + 29 * 0.1) / (30 * 0.9 * 28)
    assert direction @ result.C[1] @ direction == pytest.approx(expected, rel=1e-6)


def test_gaps_are_padding(scores_of):
    x = scores_of(4, 20, 4)
    x[2, :, 1] = np.nan
    result = noise(x)
    assert result.pad[2].tolist() == [0, 0, 1]
    assert not result.B[2, 2].any()
    assert not result.B[2, :, 1].any()
    whole = noise(x[..., [0, 2, 3]])
    np.testing.assert_allclose(result.C[2, :2, :2], whole.C[2])


def test_few_folds_borrow_the_shape_that_data_sets_share():
    """One pair far steadier than the others on all data sets, five folds of twelve algorithms."""
    rng = np.random.default_rng(5)
    sd = np.full(12, 0.03)
    sd[:2] = 0.003
    x = 0.8 + rng.normal(0, 1, (25, 5, 12)) * sd
    result = noise(x, rho=0.0)
    assert result.weight > 0
    assert (np.linalg.eigvalsh(result.C) > 0).all()

    def spread(a, b):
        direction = result.B @ (np.eye(12)[b] - np.eye(12)[a])
        scale = np.einsum("ik,ikl,il->i", direction, result.C, direction)
        return np.sqrt(np.median(scale) * 5)

    assert spread(0, 1) == pytest.approx(0.003 * np.sqrt(2), rel=0.4)
    assert spread(4, 9) == pytest.approx(0.03 * np.sqrt(2), rel=0.3)


def test_pooled_noise_covers_where_its_own_scatter_does_not():
    """Errors of means in units of what is said of them: their mean square is near 1."""
    rng = np.random.default_rng(2)
    x = rng.normal(0, 0.03, (200, 10, 8))  # true means are all zero
    for pool, ratio in ((True, 1.0), (False, 8 / 3)):
        result = noise(x, rho=0.0, pool=pool)
        distance = np.einsum("ik,ikl,il->i", result.y, np.linalg.inv(result.C), result.y) / 7
        expected = ratio * result.dof.mean() / (result.dof.mean() - 2) if pool else None
        if pool:
            assert distance.mean() == pytest.approx(expected, rel=0.15)
        else:
            assert distance.mean() > 2


@pytest.mark.parametrize("n", [3, 30])
def test_constant_folds_have_the_noise_of_rounding(n):
    """Sum of squares n step² / 24 of each contrast, with few folds and with many."""
    means = np.array([[0.1, 0.2, 0.4, 0.5], [0.3, 0.2, 0.4, 0.6], [0.3, 0.1, 0.2, 0.7]])
    result = noise(np.repeat(means[:, None], n, axis=1))
    inflation = (1 / n + 0.1 / 0.9) / result.dof[0]
    expected = n * 0.1**2 / 24 * (1 if not result.weight else 1 + result.weight / (n - 1))
    for C in result.C:
        np.testing.assert_allclose(C, inflation * expected * np.eye(3), rtol=1e-6, atol=1e-12)
