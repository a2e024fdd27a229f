"""ROC and precision-recall curves of folds: counts at every threshold, areas, averages, sweeps."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from scipy.special import gammaln

from bayescmp.base import checks
from bayescmp.base.arguments import arg, must, must_be
from bayescmp.base.checks import (
    check_paired,
    correlation,
    count,
    number,
    one_of,
    optional,
    share,
    validate_params,
)
from bayescmp.base.records import Record
from bayescmp.errors import InputError
from bayescmp.wording.text import format_count

#: Pairs of labels of which the second is the positive class by default.
USUAL = ({0, 1}, {-1, 1})


@dataclass(frozen=True, eq=False)
class Folds:
    """Labels and scores, one row per fold; shorter folds are padded at the end.

    `positive` and `score` are (folds, n): padding is False and -inf. `size`, (folds,), counts the
    cases. `single` marks one fold given as vectors, for single numbers; `shared` several folds
    that share one vector of labels.
    """

    positive: np.ndarray
    score: np.ndarray
    size: np.ndarray
    single: bool
    shared: bool = False

    @property
    def real(self) -> np.ndarray:
        """Which places hold a case and not padding, shape (folds, n)."""
        return np.asarray(np.arange(self.score.shape[1]) < self.size[:, None])


@dataclass(frozen=True, eq=False)
class Counts:
    """True and false positives as the threshold falls, ties taken as one step.

    The points inside a group of ties, and the padding, repeat its end, which changes no curve or
    area. `tp` and `fp`, (folds, n + 1), count cases with a score at or above `threshold`: infinite
    in the first column, then the sorted scores.
    """

    tp: np.ndarray
    fp: np.ndarray
    threshold: np.ndarray
    size: np.ndarray

    @property
    def positives(self) -> np.ndarray:
        """Positive cases of each fold, shape (folds,)."""
        return np.asarray(self.tp[:, -1])

    @property
    def negatives(self) -> np.ndarray:
        """Negative cases of each fold, shape (folds,)."""
        return np.asarray(self.fp[:, -1])

    def rate(self, name: str) -> np.ndarray:
        """Return the rate that an axis of a curve is named for, shape (folds, n + 1)."""
        if name == "false positive rate":
            return np.asarray(self.fp / self.negatives[:, None])
        if name != "precision":
            return np.asarray(self.tp / self.positives[:, None])
        with np.errstate(invalid="ignore"):
            precision = self.tp / (self.tp + self.fp)
        precision[:, 0] = precision[:, 1]  # nothing is selected there
        return np.asarray(precision)


def as_folds(
    y: ArrayLike, score: ArrayLike, *, positive: object = None, name: str = "score"
) -> Folds:
    """Check labels and scores.

    `y` and `score` are (folds, n), (n,) or one array per fold; one vector of labels is the same
    test set for all. Scores are higher for the positive class (1 or True by default), and called
    `name` in messages. Shapes that don't fit, other than two classes, and scores that are not
    finite are an `InputError`.
    """
    check_paired(**{"y": y, name: score})
    scores, single = by_fold(score, name)
    labels, one = by_fold(y, "y")
    if one and not single:
        labels = labels * len(scores)
    if len(labels) != len(scores):
        raise must(name, "have as many folds as y", f"{len(scores)} and {len(labels)}")
    for i, (a, b) in enumerate(zip(labels, scores, strict=True)):
        if len(a) != len(b):
            raise must(
                f"{name}[{i}]",
                f"be as long as y in fold {i}",
                f"{format_count(len(b), 'score')} and {format_count(len(a), 'label')}",
            )
        if len(a) == 0:
            raise must(f"{name}[{i}]", "have at least one case", "none")
    size = np.array([len(s) for s in scores])
    flat = np.concatenate(scores)
    _check_finite(flat, size, name)
    real = np.arange(size.max()) < size[:, None]
    padded, hits = np.full(real.shape, -np.inf), np.zeros(real.shape, dtype=bool)
    padded[real], hits[real] = flat, _is_positive(np.concatenate(labels), positive)
    return Folds(hits, padded, size, single, shared=one and not single)


def count_cases(folds: Folds) -> Counts:
    """Count true and false positives at every threshold (Fawcett 2006, algorithm 1)."""
    order = np.argsort(-folds.score, axis=1)
    score = np.take_along_axis(folds.score, order, axis=1)
    hit = np.take_along_axis(folds.positive, order, axis=1)
    tp = np.cumsum(hit, axis=1, dtype=np.int64)
    fp = np.minimum(np.arange(1, hit.shape[1] + 1), folds.size[:, None]) - tp
    tied = score[:, 1:] == score[:, :-1]
    if tied.any():
        last = _ends_of_groups(tied)
        tp, fp = np.take_along_axis(tp, last, axis=1), np.take_along_axis(fp, last, axis=1)
    start = ((0, 0), (1, 0))
    threshold = np.pad(score, start, constant_values=np.inf)
    return Counts(np.pad(tp, start), np.pad(fp, start), threshold, folds.size)


def _ends_of_groups(tied: np.ndarray) -> np.ndarray:
    """Return the last place of each place's group of ties, shape (folds, n)."""
    n = tied.shape[1] + 1
    last = np.full((len(tied), n), n - 1)
    last[:, :-1] = np.where(tied, n - 1, np.arange(n - 1))
    return np.asarray(np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1])


def by_fold(values: ArrayLike, name: str) -> tuple[list[np.ndarray], bool]:
    """Return one array per fold, and whether a single vector was given."""
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    if not isinstance(values, np.ndarray | Sequence) or isinstance(values, str | bytes):
        raise must_be(name, "an array, or one per fold", values)
    if len(values) == 0:
        raise InputError(f"{name} must have at least one case (got none).", argument=name)
    first = values[0]
    if np.ndim(first) == 0:
        return [np.asarray(values)], True
    rows = [np.asarray(row) for row in values]
    for i, row in enumerate(rows):
        if row.ndim != 1:
            raise InputError(
                f"{name}, fold {i}, must have shape (n,) (got shape {row.shape}). For several "
                "classes' probabilities pass the column of the positive class.",
                argument=name,
            )
    return rows, False


def _check_finite(flat: np.ndarray, size: np.ndarray, name: str) -> None:
    if flat.dtype.kind not in "fiub":
        raise InputError(f"{name} must be numbers (got type {flat.dtype}).", argument=name)
    bad = np.flatnonzero(~np.isfinite(flat))
    if len(bad):
        fold = int(np.searchsorted(np.cumsum(size), bad[0], side="right"))
        raise InputError(
            f"{name} must be finite numbers (got {flat[bad[0]]} in fold {fold}). "
            f"{len(bad)} of {len(flat)} are not.",
            argument=name,
        )


def _is_positive(labels: np.ndarray, positive: object) -> np.ndarray:
    if labels.dtype == bool and positive is None:
        return labels
    classes = _classes(labels)
    if positive is None:
        if not any(set(classes) <= usual for usual in USUAL):
            shown = ", ".join(repr(c) for c in classes[:6])
            raise must("positive", "be given", hint=f"It is one of the labels {shown}.")
        positive = 1
    elif getattr(positive, "ndim", 0) or positive not in classes:
        shown = ", ".join(repr(c) for c in classes[:6])
        raise must_be("positive", f"one of the labels, {shown}", positive)
    if len(classes) > 2:
        raise InputError(f"y must have two classes (got {len(classes)}).", argument="y")
    return np.asarray(labels == positive)


def _classes(labels: np.ndarray) -> list[object]:
    """Return the distinct labels, as Python's own numbers and strings."""
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        raise InputError("y must have two classes (got missing labels, NaN).", argument="y")
    try:
        classes: list[object] = np.unique(labels).tolist()
    except TypeError:  # None among texts
        message = "y must have two classes (got missing or mixed labels)."
        raise InputError(message, argument="y") from None
    return classes


# Areas under ROC and precision-recall curves, of all folds at once.


METHODS = ("davis-goadrich", "trapezoid")


def auc(
    y: ArrayLike, score: ArrayLike, *, positive: object = None, undefined: str = "raise"
) -> Any:
    """Return the area under the ROC curve by the trapezoid rule.

    It is the Wilcoxon-Mann-Whitney statistic: the share of pairs of a positive and a negative case
    in which the positive one has the higher score, ties counting one half.

    Parameters
    ----------
    y : array_like of shape (folds, n) or (n,), or sequence of one array per fold
        Class labels; one vector for all folds if they share a test set.
    score : array_like of shape (folds, n) or (n,), or sequence of one array per fold
        Finite numbers, higher for the positive class.
    positive : label, optional
        The positive class; 1 or True if not given.
    undefined : {"raise", "nan"}
        What to do with a fold without a positive or without a negative case.

    Returns
    -------
    ndarray of shape (folds,), or float for one vector

    Raises
    ------
    InputError
        Shapes that don't fit, other than two classes, bad scores, a fold with only one class.

    References
    ----------
    Fawcett 2006, Pattern Recognition Letters 27, algorithm 3; Hanley & McNeil 1982, Radiology 143.

    Examples
    --------
    >>> auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    folds = as_folds(y, score, positive=positive)
    counts = count_cases(folds)
    need_classes(counts, undefined, negatives=True)
    area = roc_area(counts)
    return float(area[0]) if folds.single else area


@validate_params(method=one_of(*METHODS))
def auc_pr(
    y: ArrayLike,
    score: ArrayLike,
    *,
    method: str = "davis-goadrich",
    positive: object = None,
    undefined: str = "raise",
) -> Any:
    """Return the area under the precision-recall curve.

    Parameters
    ----------
    y, score, positive
        As for `auc`.
    method : {"davis-goadrich", "trapezoid"}
        By "davis-goadrich", true and false positives grow in proportion between two points, so
        that precision is a hyperbola in recall. By "trapezoid", points are joined by lines, too
        optimistic where they are far apart. Both extend the first point's precision to recall 0.
    undefined : {"raise", "nan"}
        For a fold without a positive case.

    Returns
    -------
    ndarray of shape (folds,), or float for one vector

    Raises
    ------
    InputError
        As for `auc`; an unknown method.

    References
    ----------
    Davis & Goadrich 2006, ICML, sec. 4 (in the limit of Keilwagen, Grosse & Grau 2014, PLoS ONE 9,
    e92209); trapezoid: Aslan 2009, 2.3.
    """
    folds = as_folds(y, score, positive=positive)
    counts = count_cases(folds)
    need_classes(counts, undefined, negatives=False)
    area = pr_area(counts, method)
    return float(area[0]) if folds.single else area


def roc_area(counts: Counts) -> np.ndarray:
    """Return the trapezoid area under each ROC curve, NaN with one class; shape (folds,)."""
    steps = np.diff(counts.fp, axis=1)
    twice = np.sum(steps * (counts.tp[:, 1:] + counts.tp[:, :-1]), axis=1)  # exact, in integers
    pairs = (counts.positives * counts.negatives).astype(float)
    return np.divide(twice / 2, pairs, out=np.full(len(twice), np.nan), where=pairs > 0)


def pr_area(counts: Counts, method: str) -> np.ndarray:
    """Return the area under each precision-recall curve, NaN without a positive; (folds,)."""
    part = _hyperbolas(counts) if method == "davis-goadrich" else _trapezoids(counts)
    total = counts.positives.astype(float)
    return np.divide(part.sum(axis=1), total, out=np.full(len(total), np.nan), where=total > 0)


def _hyperbolas(counts: Counts) -> np.ndarray:
    """Return the areas of a curve's steps, recall in cases: ∫ (a+t)/(c+ht) dt, 0 to Δ."""
    a = counts.tp[:, :-1].astype(float)
    c = a + counts.fp[:, :-1]
    rise = np.diff(counts.tp, axis=1).astype(float)
    h = 1 + np.divide(np.diff(counts.fp, axis=1), rise, out=np.zeros_like(a), where=rise > 0)
    grown = np.log1p(np.divide(h * rise, c, out=np.zeros_like(a), where=c > 0))
    return np.asarray(rise / h + (a * h - c) / h**2 * grown)  # c = 0 implies a = 0: rise/h alone


def _trapezoids(counts: Counts) -> np.ndarray:
    precision = counts.rate("precision")
    return np.asarray(np.diff(counts.tp, axis=1) * (precision[:, 1:] + precision[:, :-1]) / 2)


def need_classes(counts: Counts, undefined: str, *, negatives: bool) -> None:
    """Refuse folds in which a class is missing, unless they are to be NaN."""
    checks.check_choice("undefined", undefined, ("raise", "nan"))
    if undefined == "nan":
        return
    classes = {"positive": counts.positives}
    if negatives:
        classes["negative"] = counts.negatives
    for name, cases in classes.items():
        empty = np.flatnonzero(cases == 0)
        if len(empty):
            raise InputError(
                f"y, fold {empty[0]}, must have both classes for its area to be defined (got no "
                f"{name} case). Stratify the folds, or use {arg('undefined', 'nan')}.",
                argument="y",
            )


# Confidence intervals for the area under one ROC curve, from the area and the class sizes.


NO_WIDTH = (
    "the estimated variance is 0 at an area of 0 or 1, which does not mean that the area is known "
    "exactly: use method='agarwal'"
)


@dataclass(frozen=True)
class AucInterval:
    """Interval of an area under the ROC curve, within [0, 1].

    Attributes
    ----------
    standard_error : float or None
        Where the method has one.
    note : str
        A caveat; empty if there is none.
    """

    auc: float
    low: float
    high: float
    level: float
    method: str
    standard_error: float | None = None
    note: str = ""

    def __str__(self) -> str:
        ends = f"{self.low:.4f} to {self.high:.4f}"
        note = f"; {self.note}" if self.note else ""
        return f"AUC {self.auc:.4f}, {self.level:.0%} interval {ends} ({self.method}){note}"


def auc_interval(
    auc: float,
    n_pos: int,
    n_neg: int,
    *,
    method: str = "hanley-mcneil",
    level: float = 0.95,
    errors: int | None = None,
) -> AucInterval:
    """Return a confidence interval for a single AUC.

    Parameters
    ----------
    auc : float
        Area under the ROC curve on one test set, from 0 to 1.
    n_pos, n_neg : int
        Positive and negative cases of the test set.
    method : {"hanley-mcneil", "cortes-mohri", "agarwal"}
        "hanley-mcneil" is normal, with the variance of scores that are exponential in both
        classes, and no width at 0 or 1. "cortes-mohri" uses only the number of errors and
        Chebyshev's inequality, all rankings with that number being equally likely. "agarwal" is a
        bound without any assumption. The latter two are wide.
    level : float
        Confidence, between 0 and 1.
    errors : int, optional
        Misclassified cases, which "cortes-mohri" needs, and not the area.

    Returns
    -------
    AucInterval

    Raises
    ------
    InputError
        An area or level out of range, empty classes, errors missing or out of range.

    References
    ----------
    Hanley & McNeil 1982, Radiology 143, eq. 1 and 2; Cortes & Mohri 2004, NIPS 17; Agarwal,
    Graepel, Herbrich & Roth 2005, NIPS 17, corollary 2 (also JMLR 6, 393-425).
    """
    methods: dict[str, Callable[..., AucInterval]] = {
        "hanley-mcneil": _hanley_mcneil,
        "cortes-mohri": _cortes_mohri,
        "agarwal": _agarwal,
    }
    checks.check_choice("method", method, methods)
    if not isinstance(auc, Real) or isinstance(auc, bool) or not 0 <= auc <= 1:
        raise must_be("auc", "from 0 to 1", auc)
    sizes = checks.check_whole("n_pos", n_pos), checks.check_whole("n_neg", n_neg)
    return methods[method](float(auc), *sizes, checks.check_level(level), errors)


def auc_given_errors(errors: int, n_pos: int, n_neg: int) -> tuple[float, float]:
    """Return mean and variance of the area over all rankings that make this many errors.

    A ranking is an order of the labels with a cut; all with that many errors are equally likely.
    Given x positives below the cut, labels are in random order on either side, with Wilcoxon's
    mean and variance. Cortes & Mohri 2004, NIPS 17, theorem 1 and proposition 3.
    """
    x = np.arange(max(0, errors - n_neg), min(errors, n_pos) + 1)  # positives below the cut
    z = errors - x  # negatives above it
    weights = _log_choose(n_pos - x + z, z) + _log_choose(n_neg - z + x, x)
    weights = np.exp(weights - weights.max())
    weights /= weights.sum()
    means = 1 - (x / n_pos + z / n_neg) / 2
    above = (n_pos - x) * z * (n_pos - x + z + 1)
    below = x * (n_neg - z) * (n_neg - z + x + 1)
    within = (above + below) / 12 / (n_pos * n_neg) ** 2
    mean = float(weights @ means)
    return mean, float(weights @ (within + (means - mean) ** 2))


def _hanley_mcneil(auc: float, m: int, n: int, level: float, _: object) -> AucInterval:
    q1, q2 = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    variance = (auc * (1 - auc) + (m - 1) * (q1 - auc**2) + (n - 1) * (q2 - auc**2)) / (m * n)
    error = math.sqrt(max(variance, 0.0))
    half = float(stats.norm.isf((1 - level) / 2)) * error
    low, high = max(auc - half, 0.0), min(auc + half, 1.0)
    note = NO_WIDTH if error == 0 else ""
    return AucInterval(auc, low, high, level, "Hanley & McNeil 1982", error, note)


def _agarwal(auc: float, m: int, n: int, level: float, _: object) -> AucInterval:
    half = math.sqrt((m + n) * math.log(2 / (1 - level)) / (2 * m * n))
    return AucInterval(
        auc, max(auc - half, 0.0), min(auc + half, 1.0), level, "Agarwal et al. 2005"
    )


def _cortes_mohri(auc: float, m: int, n: int, level: float, errors: int | None) -> AucInterval:
    """Apply Chebyshev's bound over the error rates of an interval; each holds with √level."""
    total = m + n
    if errors is None:
        raise must(
            "errors",
            f"be given with {arg('method', 'cortes-mohri')}: the number of misclassified cases",
        )
    errors = checks.check_whole("errors", errors, 0, most=total)
    risk = 1 - math.sqrt(level)
    rates = stats.binomtest(errors, total).proportion_ci(1 - risk, method="exact")
    counts = range(math.floor(rates.low * total), math.ceil(rates.high * total) + 1)
    means, variances = np.array([auc_given_errors(k, m, n) for k in counts]).T
    half = np.sqrt(variances / risk)
    low, high = max(float((means - half).min()), 0.0), min(float((means + half).max()), 1.0)
    return AucInterval(auc, low, high, level, "Cortes & Mohri 2004")


def _log_choose(n: np.ndarray, k: np.ndarray) -> np.ndarray:
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


# ROC and precision-recall curves of folds, their averages, and sweeps over thresholds.


@dataclass(frozen=True, eq=False)
class AverageCurve(Record):
    """Mean of curves at equal x, with a band.

    Attributes
    ----------
    x, mean, low, high : ndarray of shape (grid,)
    folds : int
        How many curves are averaged.
    level, rho : float, float or None
        Of the band: an interval of the mean by the correlation rho, or the folds' central share.
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
class _Curves(Record, ABC):
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
        """Interpolate one curve's ordinates at abscissae in [0, 1], shape (m,)."""

    @validate_params(fold=count(0))
    def points(self, fold: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the distinct points of one fold's curve: x, y and the (falling) threshold."""
        if fold >= len(self):
            raise must_be("fold", f"0 to {len(self) - 1}", fold)
        end = int(self.counts.size[fold]) + 1
        threshold = self.counts.threshold[fold, :end]
        last = np.append(threshold[1:] != threshold[:-1], True)
        return self.x[fold, :end][last], self.y[fold, :end][last], threshold[last]

    @validate_params(threshold=number())
    def at(self, threshold: float = 0.5) -> np.ndarray:
        """Find each curve's point at a threshold, (folds, 2); precision may be NaN."""
        above = np.sum(self.counts.threshold[:, 1:] > threshold, axis=1)
        rows = np.arange(len(self))
        y = self.y[rows, above]
        if self.kind == "pr":
            y = np.where(above > 0, y, np.nan)
        return np.column_stack([self.x[rows, above], y])

    @validate_params(grid=count(2, most=10**6), level=share, rho=optional(correlation))
    def average(
        self, *, grid: int = 101, level: float = 0.95, rho: float | None = None
    ) -> AverageCurve:
        """Average the folds' curves vertically, taking the best of a curve's points at equal x.

        Parameters
        ----------
        grid : int
            Points between 0 and 1, both included; at least 2.
        level : float
            Of the band.
        rho : float, optional
            Correlation of two folds: the band is then the corrected t interval of the mean, else
            the central part of the folds.

        References
        ----------
        Fawcett 2006, algorithm 4; Nadeau & Bengio 2003 (rho).
        """
        if rho is not None and len(self) < 2:
            raise must_be(
                "rho", "left out for a single fold, which gives no interval of the mean", rho
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
    x, y, area : ndarray of shape (folds, n + 1), (folds,)
        False and true positive rates, and the area under the curve.
    """

    kind = "roc"
    axes = ("false positive rate", "true positive rate")

    def heights(self, fold: int, grid: np.ndarray) -> np.ndarray:
        """Interpolate linearly between points."""
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
    x, y, area : ndarray of shape (folds, n + 1), (folds,)
        Recall and precision (at recall 0 the first point's), and the area under the curve.
    """

    kind = "pr"
    axes = ("recall", "precision")

    def heights(self, fold: int, grid: np.ndarray) -> np.ndarray:
        """Interpolate on the hyperbolas of Davis & Goadrich between points."""
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
    """Return ROC curves, one per fold.

    Parameters
    ----------
    y, score, positive
        As for `auc`.

    Returns
    -------
    RocCurves

    Raises
    ------
    InputError
        As for `auc`.

    References
    ----------
    Fawcett 2006, Pattern Recognition Letters 27, algorithm 1 (ties are one step).
    """
    counts = count_cases(as_folds(y, score, positive=positive))
    need_classes(counts, "raise", negatives=True)
    return RocCurves(counts)


def pr_curves(y: ArrayLike, score: ArrayLike, *, positive: object = None) -> PrCurves:
    """Return precision-recall curves, one per fold.

    Parameters
    ----------
    y, score, positive
        As for `auc`.

    Returns
    -------
    PrCurves

    Raises
    ------
    InputError
        As for `auc`; negative cases are not needed.

    References
    ----------
    Davis & Goadrich 2006, ICML.
    """
    counts = count_cases(as_folds(y, score, positive=positive))
    need_classes(counts, "raise", negatives=False)
    return PrCurves(counts)


def _counts_at(grid: np.ndarray, total: int) -> np.ndarray:
    """Turn shares of cases into counts, whole numbers up to rounding: 0.7 of 10 is 7."""
    wanted = np.asarray(grid * float(total))
    whole = np.rint(wanted)
    return np.where(np.abs(wanted - whole) <= 1e-9 * total, whole, wanted)


# Confusion counts over a range of thresholds, each of which stands for a ratio of losses.


@dataclass(frozen=True, eq=False)
class ThresholdSweep(Record):
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
        """Mean loss of a case, (folds, T): θ for a false positive, 1-θ for a false negative."""
        loss = self.thresholds * self.fp + (1 - self.thresholds) * self.fn
        return np.asarray(loss / self.counts.sum(axis=-1))


def threshold_of_loss(loss: Any) -> Any:
    """Return the threshold θ = λ/(1+λ) at which calling a case positive is worth its risk.

    Parameters
    ----------
    loss : float or array_like
        λ ≥ 0, the loss of a false positive over that of a false negative.

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
        raise must_be(name, "numbers >= 0", loss)
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
    """Return the confusion counts of every fold at every threshold.

    Parameters
    ----------
    y : array_like of shape (folds, n) or (n,), or sequence of one array per fold
    y, positive
        As for `auc`.
    probability : array_like of shape (folds, n) or (n,), or sequence of one array per fold
        Probability of the positive class, from 0 to 1.
    thresholds : array_like of shape (T,), optional
        By default 0, 0.05, ..., 1.
    losses : array_like of shape (T,), optional
        Ratios of losses λ instead, each giving θ = λ/(1+λ).

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
        raise must("thresholds", "be left out with losses, which give them")
    if losses is not None:
        at = np.atleast_1d(_threshold_of(losses, "losses"))
        if at.ndim != 1:
            raise must_be("losses", "an array of shape (T,), one ratio per threshold", at)
        return at
    if thresholds is None:
        return np.arange(21) / 20
    theta = np.atleast_1d(_numbers("thresholds", thresholds, "numbers from 0 to 1"))
    if theta.ndim != 1 or not ((theta >= 0) & (theta <= 1)).all():
        raise must_be("thresholds", "numbers from 0 to 1", thresholds)
    return theta


def _numbers(name: str, values: ArrayLike, accepted: str) -> np.ndarray:
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise must_be(name, accepted, values) from None


def _check_probabilities(folds: Folds) -> None:
    outside = ((folds.score < 0) | (folds.score > 1)) & folds.real
    if outside.any():
        fold, place = np.argwhere(outside)[0]
        raise InputError(
            f"probability must be from 0 to 1 (got {folds.score[fold, place]} in fold {fold}).",
            argument="probability",
        )
