"""ROC and precision-recall curves of folds, their averages, and sweeps over thresholds."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from bayescmp.base.declare import correlation, count, declare, number, optional, share
from bayescmp.base.deferred import Sealed
from bayescmp.curves.areas import (
    METHODS,
    Counts,
    Folds,
    as_folds,
    count_cases,
    need_classes,
    pr_area,
    roc_area,
)
from bayescmp.errors import InputError

# ROC and precision-recall curves of folds, and their vertical averages.


@dataclass(frozen=True, eq=False)
class AverageCurve(Sealed):
    """Mean of curves at equal x, with a band.

    Attributes
    ----------
    x, mean, low, high : ndarray of shape (grid,)
    folds : int
        Curves averaged.
    level : float
    rho : float or None
        Correlation of folds in the interval of the mean; None if the band holds the central
        share ``level`` of the folds' own curves.
    kind : {"roc", "pr"}
    """

    x: np.ndarray
    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    folds: int
    level: float
    rho: float | None
    kind: str

    def __str__(self) -> str:
        band = "of the folds" if self.rho is None else f"interval of the mean, rho = {self.rho:g}"
        return f"vertical average of {self.folds} {self.kind} curves, {self.level:.0%} {band}"


@dataclass(frozen=True, eq=False)
class _Curves(Sealed, ABC):
    """Curves of several folds; points of ties and padding repeat their neighbour."""

    counts: Counts
    kind: ClassVar[str]
    axes: ClassVar[tuple[str, str]]

    def __len__(self) -> int:
        return len(self.counts.size)

    @property
    def x(self) -> np.ndarray:
        """Abscissas, shape (folds, n + 1)."""
        return self.counts.rate(self.axes[0])

    @property
    def y(self) -> np.ndarray:
        """Ordinates, shape (folds, n + 1)."""
        return self.counts.rate(self.axes[1])

    @property
    def area(self) -> np.ndarray:
        """Area under each curve, shape (folds,)."""
        return roc_area(self.counts) if self.kind == "roc" else pr_area(self.counts, METHODS[0])

    @abstractmethod
    def heights(self, fold: int, grid: np.ndarray) -> np.ndarray:
        """One curve's interpolated ordinates.

        Parameters
        ----------
        grid : ndarray of shape (m,)
            Abscissae in [0, 1].

        Returns
        -------
        ndarray of shape (m,)
        """

    @declare(fold=count(0))
    def points(self, fold: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Distinct points of one fold's curve.

        Returns
        -------
        x, y, threshold : ndarrays of equal length
            Cases with a score at or above the threshold are selected; it starts at infinity.
        """
        if fold >= len(self):
            raise InputError(f"fold={fold}; accepted: 0 to {len(self) - 1}")
        end = int(self.counts.size[fold]) + 1
        threshold = self.counts.threshold[fold, :end]
        last = np.append(threshold[1:] != threshold[:-1], True)
        return self.x[fold, :end][last], self.y[fold, :end][last], threshold[last]

    @declare(threshold=number())
    def at(self, threshold: float = 0.5) -> np.ndarray:
        """Where each curve stands if scores over the threshold are called positive.

        Returns
        -------
        ndarray of shape (folds, 2)
            x and y; for a precision-recall curve y is NaN where nothing is selected.
        """
        above = np.sum(self.counts.threshold[:, 1:] > threshold, axis=1)
        rows = np.arange(len(self))
        y = self.y[rows, above]
        if self.kind == "pr":
            y = np.where(above > 0, y, np.nan)
        return np.column_stack([self.x[rows, above], y])

    @declare(grid=count(2), level=share, rho=optional(correlation))
    def average(
        self, *, grid: int = 101, level: float = 0.95, rho: float | None = None
    ) -> AverageCurve:
        """Vertical average of the folds' curves.

        Parameters
        ----------
        grid : int
            Points between 0 and 1, both included.
        level : float
            Of the band.
        rho : float, optional
            Correlation of two folds, 1/folds in cross-validation: the band is then the corrected
            t interval of the mean. Without it the band holds the central part of the folds.

        Returns
        -------
        AverageCurve
            At equal x, the best of a curve's points counts.

        Raises
        ------
        InputError
            A grid under 2 points, a level or rho out of range, one fold with rho.

        References
        ----------
        Fawcett 2006, algorithm 4; Nadeau & Bengio 2003 (rho).
        """
        if rho is not None and len(self) < 2:
            raise InputError(
                f"rho={rho!r}: an interval of the mean needs at least 2 folds, and there is 1"
            )
        x = np.linspace(0, 1, grid)
        heights = np.array([self.heights(i, x) for i in range(len(self))])
        mean = heights.mean(axis=0)
        tail = (1 - level) / 2
        if rho is None:
            low, high = np.quantile(heights, [tail, 1 - tail], axis=0)
        else:
            n = len(heights)
            scale = math.sqrt(1 / n + rho / (1 - rho)) * heights.std(axis=0, ddof=1)
            half = stats.t.isf(tail, n - 1) * scale
            low, high = np.maximum(mean - half, 0), np.minimum(mean + half, 1)
        return AverageCurve(x, mean, low, high, len(self), level, rho, self.kind)


class RocCurves(_Curves):
    """ROC curves of folds: true positive rate over false positive rate.

    Attributes
    ----------
    counts : Counts
    x, y : ndarray of shape (folds, n + 1)
        False and true positive rates.
    area : ndarray of shape (folds,)
    """

    kind = "roc"
    axes = ("false positive rate", "true positive rate")

    def heights(self, fold: int, grid: np.ndarray) -> np.ndarray:
        """Ordinates, linear between points."""
        tp, fp = self.counts.tp[fold], self.counts.fp[fold]
        wanted = _counts_at(grid, fp[-1])
        left = np.searchsorted(fp, wanted, side="right") - 1  # the highest point at this x
        right = np.minimum(left + 1, len(fp) - 1)
        run = fp[right] - fp[left]
        share = np.divide(wanted - fp[left], run, out=np.zeros_like(wanted), where=run > 0)
        return np.asarray((tp[left] + share * (tp[right] - tp[left])) / tp[-1])


class PrCurves(_Curves):
    """Precision-recall curves of folds, joined as Davis and Goadrich do.

    Attributes
    ----------
    counts : Counts
    x, y : ndarray of shape (folds, n + 1)
        Recall and precision; at recall 0 that of the first point.
    area : ndarray of shape (folds,)
    """

    kind = "pr"
    axes = ("recall", "precision")

    def heights(self, fold: int, grid: np.ndarray) -> np.ndarray:
        """Ordinates, on the hyperbolas of Davis & Goadrich between points."""
        tp, fp = self.counts.tp[fold], self.counts.fp[fold]
        wanted = _counts_at(grid, tp[-1])
        right = np.maximum(np.searchsorted(tp, wanted, side="left"), np.argmax(tp > 0))
        left = right - 1  # the first step that reaches this recall, with the fewest false ones
        share = (wanted - tp[left]) / (tp[right] - tp[left])
        false = fp[left] + share * (fp[right] - fp[left])
        start = tp[right] / (tp[right] + fp[right]) * (fp[left] == 0)  # the limit at recall 0
        with np.errstate(invalid="ignore"):
            return np.asarray(np.where(wanted > 0, wanted / (wanted + false), start))


def roc_curves(y: ArrayLike, score: ArrayLike, *, positive: object = None) -> RocCurves:
    """ROC curves, one per fold.

    Parameters
    ----------
    y : array_like of shape (folds, n) or (n,), or sequence of one array per fold
        Class labels. One vector with scores of several folds: the same test set for all.
    score : array_like of shape (folds, n) or (n,), or sequence of one array per fold
        Finite numbers, higher for the positive class.
    positive : label, optional
        The positive class; 1 or True if not given, where the labels are such.

    Returns
    -------
    RocCurves

    Raises
    ------
    InputError
        Shapes that don't fit, other than two classes, scores that are not finite, a fold with
        one class.

    References
    ----------
    Fawcett 2006, Pattern Recognition Letters 27, algorithm 1 (ties are one step).
    """
    counts = count_cases(as_folds(y, score, positive=positive))
    need_classes(counts, "raise", negatives=True)
    return RocCurves(counts)


def pr_curves(y: ArrayLike, score: ArrayLike, *, positive: object = None) -> PrCurves:
    """Precision-recall curves, one per fold.

    Parameters
    ----------
    y, score, positive
        As for `roc_curves`.

    Returns
    -------
    PrCurves

    Raises
    ------
    InputError
        As for `roc_curves`; negative cases are not needed.

    References
    ----------
    Davis & Goadrich 2006, ICML.
    """
    counts = count_cases(as_folds(y, score, positive=positive))
    need_classes(counts, "raise", negatives=False)
    return PrCurves(counts)


def _counts_at(grid: np.ndarray, total: int) -> np.ndarray:
    """Shares of cases as counts, whole where they are but for rounding: 0.7 of 10 cases is 7."""
    wanted = np.asarray(grid * float(total))
    whole = np.rint(wanted)
    return np.where(np.abs(wanted - whole) <= 1e-9 * total, whole, wanted)


# Confusion counts over a range of thresholds, each of which stands for a ratio of losses.


@dataclass(frozen=True, eq=False)
class ThresholdSweep(Sealed):
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
    return _threshold_of(loss, "loss")


def _threshold_of(loss: Any, name: str) -> Any:
    ratio = _numbers(name, loss, "numbers >= 0")
    if not (ratio >= 0).all():
        raise InputError(f"{name}={loss!r}; accepted: numbers >= 0")
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
    folds = as_folds(y, probability, positive=positive, name="probability")
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
        at = np.atleast_1d(_threshold_of(losses, "losses"))
        if at.ndim != 1:
            raise InputError(f"losses has shape {at.shape}; accepted: (T,), a ratio each")
        return at
    if thresholds is None:
        return np.arange(21) / 20
    theta = np.atleast_1d(_numbers("thresholds", thresholds, "numbers from 0 to 1"))
    if theta.ndim != 1 or not ((theta >= 0) & (theta <= 1)).all():
        raise InputError(f"thresholds={thresholds!r}; accepted: numbers from 0 to 1")
    return theta


def _numbers(name: str, values: ArrayLike, accepted: str) -> np.ndarray:
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name}={values!r}; accepted: {accepted}") from None


def _check_probabilities(folds: Folds) -> None:
    outside = ((folds.score < 0) | (folds.score > 1)) & folds.real
    if outside.any():
        fold, place = np.argwhere(outside)[0]
        raise InputError(
            f"probability is {folds.score[fold, place]} in fold {fold}; accepted: from 0 to 1"
        )
