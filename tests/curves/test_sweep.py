"""Threshold sweeps beside scikit-learn's confusion matrix, and the losses they stand for."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

from bayescmp import curves
from bayescmp.errors import InputError


@pytest.fixture
def folds():
    rng = np.random.default_rng(2)
    ys = [rng.permutation(np.arange(n) < n // 3).astype(int) for n in (30, 45, 12)]
    return ys, [np.round(rng.random(len(y)), 2) for y in ys]


def test_counts_are_scikit_learns(folds):
    sweep = curves.threshold_sweep(*folds)
    np.testing.assert_allclose(sweep.thresholds, np.linspace(0, 1, 21), atol=1e-15)
    for i, (y, p) in enumerate(zip(*folds, strict=True)):
        for k, theta in enumerate(sweep.thresholds):
            tn, fp, fn, tp = confusion_matrix(y, p > theta, labels=[0, 1]).ravel()
            np.testing.assert_array_equal(sweep.counts[i, k], [tp, fn, fp, tn])
            assert sweep.error[i, k] == pytest.approx(np.mean((p > theta) != y))


def test_thresholds_of_losses():
    """Aslan 2009, eq. 2.10 to 2.12."""
    actual = curves.threshold_of_loss([0.5, 1, 2])
    np.testing.assert_allclose(actual, [1 / 3, 1 / 2, 2 / 3])
    np.testing.assert_array_equal(curves.threshold_of_loss([0, np.inf]), [0, 1])


def test_a_case_at_its_threshold_costs_the_same_either_way():
    """θ = λ/(1+λ) is where λ·P(negative) equals P(positive): eq. 2.5."""
    for loss in (0.2, 1.0, 7.0):
        theta = curves.threshold_of_loss(loss)
        assert loss * (1 - theta) == pytest.approx(theta)


def test_risk_is_the_loss_up_to_its_scale(folds):
    sweep = curves.threshold_sweep(*folds, losses=[0.5, 1, 4])
    np.testing.assert_allclose(sweep.losses, [0.5, 1, 4])
    size = sweep.counts.sum(axis=-1)
    loss = (sweep.losses * sweep.fp + sweep.fn) / size
    np.testing.assert_allclose(sweep.risk, loss / (1 + sweep.losses))
    np.testing.assert_allclose(2 * sweep.risk[:, 1], sweep.error[:, 1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"thresholds": [0.5], "losses": [1]}, "both given"),
        ({"thresholds": [1.5]}, "from 0 to 1"),
        ({"losses": [-1]}, "numbers >= 0"),
        ({"losses": "a"}, "loss='a'; accepted: numbers >= 0"),
        ({"thresholds": "a"}, "thresholds='a'; accepted: numbers from 0 to 1"),
    ],
)
def test_bad_thresholds(folds, options, message):
    with pytest.raises(InputError, match=message):
        curves.threshold_sweep(*folds, **options)


def test_scores_that_are_no_probabilities():
    with pytest.raises(InputError, match=r"probability is 1\.5 in fold 1"):
        curves.threshold_sweep([[0, 1], [0, 1, 1]], [[0.1, 0.2], [0.3, 1.5, 0.2]])
