"""Confusion counts over a range of thresholds, each of which stands for a ratio of losses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.curves.folds import Folds, as_folds
from bayescmp.errors import InputError

__all__ = ["ThresholdSweep", "threshold_of_loss", "threshold_sweep"]


@dataclass(frozen=True, eq=False)
class ThresholdSweep:
    """Confusion counts of folds at several thresholds.

    Attributes
    ----------
    thresholds : ndarray of shape (T,)
        A case is called positive if its probability is over the threshold.
    tp, fn, fp, tn : ndarray of int, shape (folds, T)
    """

    thresholds: np.ndarray
    tp: np.ndarray
    fn: np.ndarray
    fp: np.ndarray
    tn: np.ndarray

    @property
    def counts(self) -> np.ndarray:
        """Counts (tp, fn, fp, tn), shape (folds, T, 4)."""
        return np.stack([self.tp, self.fn, self.fp, self.tn], axis=-1)

    @property
    def losses(self) -> np.ndarray:
        """Loss of a false positive over that of a false negative, θ/(1-θ), shape (T,)."""
        with np.errstate(divide="ignore"):
            return np.asarray(self.thresholds / (1 - self.thresholds))

    @property
    def error(self) -> np.ndarray:
        """Share of cases misclassified, shape (folds, T)."""
        return np.asarray((self.fp + self.fn) / self.counts.sum(axis=-1))

    @property
    def risk(self) -> np.ndarray:
        """Mean loss of a case, θ for a false positive and 1-θ for a false negative.

        λ·fp + fn with λ = θ/(1-θ), scaled so that the two losses sum to one: finite at θ = 1.
        Shape (folds, T).
        """
        loss = self.thresholds * self.fp + (1 - self.thresholds) * self.fn
        return np.asarray(loss / self.counts.sum(axis=-1))


def threshold_of_loss(loss: Any) -> Any:
    """Threshold θ = λ/(1+λ) at which calling a case positive is worth its risk.

    Parameters
    ----------
    loss : float or array_like
        λ, the loss of a false positive over that of a false negative; from 0 up.

    Returns
    -------
    float or ndarray

    Raises
    ------
    InputError
        A negative or missing λ.

    References
    ----------
    Aslan 2009, eq. 2.8 and 2.9.

    Examples
    --------
    >>> threshold_of_loss(1.0)
    0.5
    """
    ratio = _numbers("loss", loss, "numbers >= 0")
    if not (ratio >= 0).all():
        raise InputError(f"loss={loss!r}; accepted: numbers >= 0")
    with np.errstate(invalid="ignore"):
        theta = np.where(np.isinf(ratio), 1.0, ratio / (1 + ratio))
    return float(theta) if ratio.ndim == 0 else theta


def threshold_sweep(
    y: ArrayLike,
    probability: ArrayLike,
    *,
    thresholds: ArrayLike | None = None,
    losses: ArrayLike | None = None,
    positive: object = None,
) -> ThresholdSweep:
    """Confusion counts of every fold at every threshold.

    Parameters
    ----------
    y : array_like of shape (folds, n) or (n,), or sequence of one array per fold
        Class labels; one vector for all folds if they share a test set.
    probability : array_like of shape (folds, n) or (n,), or sequence of one array per fold
        Probability of the positive class, from 0 to 1.
    thresholds : array_like of shape (T,), optional
        0, 0.05, ..., 1 if neither these nor losses are given.
    losses : array_like of shape (T,), optional
        Ratios of losses λ instead, each giving θ = λ/(1+λ).
    positive : label, optional
        The positive class; 1 or True if not given, where the labels are such.

    Returns
    -------
    ThresholdSweep

    Raises
    ------
    InputError
        Labels, scores or shapes that don't fit; probabilities or thresholds outside [0, 1].

    References
    ----------
    Aslan 2009, ch. 2 and sec. 7.1 (21 thresholds).
    """
    theta = _thresholds(thresholds, losses)
    folds = as_folds(y, probability, positive=positive)
    _check_probabilities(folds)
    tp = np.empty((len(folds.size), len(theta)), dtype=np.int64)
    selected = np.empty_like(tp)
    for k, threshold in enumerate(theta):  # few thresholds, many folds
        above = folds.score > threshold
        selected[:, k] = above.sum(axis=1)
        tp[:, k] = (above & folds.positive).sum(axis=1)
    positives = folds.positive.sum(axis=1)[:, None]
    fp, fn = selected - tp, positives - tp
    return ThresholdSweep(theta, tp, fn, fp, folds.size[:, None] - positives - fp)


def _thresholds(thresholds: ArrayLike | None, losses: ArrayLike | None) -> np.ndarray:
    if thresholds is not None and losses is not None:
        raise InputError("thresholds and losses are both given; accepted: one or the other")
    if losses is not None:
        return np.atleast_1d(threshold_of_loss(losses))
    if thresholds is None:
        return np.arange(21) / 20
    theta = np.atleast_1d(_numbers("thresholds", thresholds, "numbers from 0 to 1"))
    if theta.ndim != 1 or not ((theta >= 0) & (theta <= 1)).all():
        raise InputError(f"thresholds={thresholds!r}; accepted: numbers from 0 to 1")
    return theta


def _numbers(name: str, values: ArrayLike, accepted: str) -> np.ndarray:
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{name}={values!r}; accepted: {accepted}") from None


def _check_probabilities(folds: Folds) -> None:
    outside = ((folds.score < 0) | (folds.score > 1)) & folds.real
    if outside.any():
        fold, place = np.argwhere(outside)[0]
        raise InputError(
            f"probability is {folds.score[fold, place]} in fold {fold}; accepted: from 0 to 1"
        )
