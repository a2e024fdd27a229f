"""Labels and scores of folds, the counts at every threshold, and areas under curves."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from scipy.special import gammaln

from bayescmp.base import checks
from bayescmp.base.checks import check_paired
from bayescmp.base.declare import declare, one_of
from bayescmp.errors import InputError
from bayescmp.wording.text import counted

#: Pairs of labels of which the second is the positive class by default.
USUAL = ({0, 1}, {-1, 1})


@dataclass(frozen=True, eq=False)
class Folds:
    """Labels and scores, one row per fold; shorter folds are padded at the end.

    Attributes
    ----------
    positive : ndarray of bool, shape (folds, n)
        Whether a case is positive; False in the padding.
    score : ndarray of shape (folds, n)
        Higher favours the positive class; -inf in the padding.
    size : ndarray of int, shape (folds,)
        Cases of each fold.
    single : bool
        Whether one fold was given as vectors, so that results are single numbers.
    shared : bool
        Whether one vector of labels was given for several folds, which share a test set.
    """

    positive: np.ndarray
    score: np.ndarray
    size: np.ndarray
    single: bool
    shared: bool = False

    @property
    def real(self) -> np.ndarray:
        """Where there is a case and no padding, shape (folds, n)."""
        return np.asarray(np.arange(self.score.shape[1]) < self.size[:, None])


@dataclass(frozen=True, eq=False)
class Counts:
    """True and false positives as the threshold falls, ties taken as one step.

    The points inside a group of ties, and the padding, repeat the end of their group: a curve
    through all of them is that through the distinct ones, and areas may sum over all.

    Attributes
    ----------
    tp, fp : ndarray of int, shape (folds, n + 1)
        Counts of cases with a score at or above ``threshold``; 0 in the first column.
    threshold : ndarray of shape (folds, n + 1)
        Infinite in the first column, then the sorted scores.
    size : ndarray of int, shape (folds,)
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
        """Return what an axis of a curve is called after, shape (folds, n + 1)."""
        if name == "false positive rate":
            return np.asarray(self.fp / self.negatives[:, None])
        if name != "precision":
            return np.asarray(self.tp / self.positives[:, None])
        with np.errstate(invalid="ignore"):
            precision = self.tp / (self.tp + self.fp)
        precision[:, 0] = precision[:, 1]  # selecting nothing has none
        return np.asarray(precision)


def as_folds(
    y: ArrayLike, score: ArrayLike, *, positive: object = None, name: str = "score"
) -> Folds:
    """Check labels and scores.

    Parameters
    ----------
    y : array_like of shape (folds, n) or (n,), or sequence of one array per fold
        Class labels. One vector with scores of several folds: the same test set for all.
    score : array_like of shape (folds, n) or (n,), or sequence of one array per fold
        Finite numbers, higher for the positive class.
    positive : label, optional
        The positive class; 1 or True if not given, where the labels are such.
    name : str
        What the scores are called where they are given.

    Raises
    ------
    InputError
        Shapes that don't fit, other than two classes, missing or infinite scores (with the fold).
    """
    check_paired(**{"y": y, name: score})
    scores, single = by_fold(score, name)
    labels, one = by_fold(y, "y")
    if one and not single:
        labels = labels * len(scores)
    if len(labels) != len(scores):
        raise InputError(
            f"y has {counted(len(labels), 'fold')} and {name} has {len(scores)}; accepted: as many"
        )
    for i, (a, b) in enumerate(zip(labels, scores, strict=True)):
        if len(a) != len(b):
            raise InputError(
                f"fold {i}: y has {counted(len(a), 'label')} and {name} has "
                f"{counted(len(b), 'score')}; accepted: as many"
            )
        if len(a) == 0:
            raise InputError(f"y and {name}: fold {i} is empty; accepted: at least one case")
    size = np.array([len(s) for s in scores])
    flat = np.concatenate(scores)
    _check_finite(flat, size, name)
    real = np.arange(size.max()) < size[:, None]
    padded, hits = np.full(real.shape, -np.inf), np.zeros(real.shape, dtype=bool)
    padded[real], hits[real] = flat, _is_positive(np.concatenate(labels), positive)
    return Folds(hits, padded, size, single, shared=one and not single)


def count_cases(folds: Folds) -> Counts:
    """Counts of true and false positives at every threshold.

    References
    ----------
    Fawcett 2006, Pattern Recognition Letters 27, algorithm 1.
    """
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
    """For each place the last place of its group of ties, shape (folds, n)."""
    n = tied.shape[1] + 1
    last = np.full((len(tied), n), n - 1)
    last[:, :-1] = np.where(tied, n - 1, np.arange(n - 1))
    return np.asarray(np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1])


def by_fold(values: ArrayLike, name: str) -> tuple[list[np.ndarray], bool]:
    """One array per fold, and whether a single vector was given."""
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    if not isinstance(values, np.ndarray | Sequence) or isinstance(values, str | bytes):
        raise InputError(f"{name} is {type(values).__name__}; accepted: an array, or one per fold")
    if len(values) == 0:
        raise InputError(f"{name} is empty; accepted: at least one case")
    first = values[0]
    if np.ndim(first) == 0:
        return [np.asarray(values)], True
    rows = [np.asarray(row) for row in values]
    for i, row in enumerate(rows):
        if row.ndim != 1:
            raise InputError(
                f"{name}, fold {i}, has shape {row.shape}; accepted: (n,). Of several classes' "
                "probabilities give the column of the positive class"
            )
    return rows, False


def _check_finite(flat: np.ndarray, size: np.ndarray, name: str) -> None:
    if flat.dtype.kind not in "fiub":
        raise InputError(f"{name} holds {flat.dtype}; accepted: numbers")
    bad = np.flatnonzero(~np.isfinite(flat))
    if len(bad):
        fold = int(np.searchsorted(np.cumsum(size), bad[0], side="right"))
        raise InputError(
            f"{name} is {flat[bad[0]]} in fold {fold}; accepted: finite numbers "
            f"({len(bad)} of {len(flat)} are not)"
        )


def _is_positive(labels: np.ndarray, positive: object) -> np.ndarray:
    if labels.dtype == bool and positive is None:
        return labels
    classes = _classes(labels)
    if positive is None:
        if not any(set(classes) <= usual for usual in USUAL):
            shown = ", ".join(repr(c) for c in classes[:6])
            raise InputError(f"positive is missing: which of the labels {shown} is positive?")
        positive = 1
    elif getattr(positive, "ndim", 0) or positive not in classes:
        shown = ", ".join(repr(c) for c in classes[:6])
        raise InputError(f"positive={positive!r} is not one of the labels; known: {shown}")
    if len(classes) > 2:
        raise InputError(f"y has {len(classes)} classes; accepted: two")
    return np.asarray(labels == positive)


def _classes(labels: np.ndarray) -> list[object]:
    """The distinct labels, as Python's own numbers and strings."""
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        raise InputError("y has missing labels (NaN); accepted: two classes")
    try:
        classes: list[object] = np.unique(labels).tolist()
    except TypeError:  # None among texts
        raise InputError("y has missing or mixed labels; accepted: two classes") from None
    return classes


# Areas under ROC and precision-recall curves, of all folds at once.


METHODS = ("davis-goadrich", "trapezoid")


def auc(
    y: ArrayLike, score: ArrayLike, *, positive: object = None, undefined: str = "raise"
) -> Any:
    """Area under the ROC curve by the trapezoid rule.

    It is the Wilcoxon-Mann-Whitney statistic: the share of pairs of a positive and a negative case
    in which the positive one has the higher score, ties counting one half.

    Parameters
    ----------
    y : array_like of shape (folds, n) or (n,), or sequence of one array per fold
        Class labels. One vector with scores of several folds: the same test set for all.
    score : array_like of shape (folds, n) or (n,), or sequence of one array per fold
        Finite numbers, higher for the positive class.
    positive : label, optional
        The positive class; 1 or True if not given, where the labels are such.
    undefined : {"raise", "nan"}
        What a fold without a positive or without a negative case gives.

    Returns
    -------
    ndarray of shape (folds,), or float for one vector

    Raises
    ------
    InputError
        Shapes that don't fit, other than two classes, scores that are not finite, a fold with
        one class.

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


@declare(method=one_of(*METHODS))
def auc_pr(
    y: ArrayLike,
    score: ArrayLike,
    *,
    method: str = "davis-goadrich",
    positive: object = None,
    undefined: str = "raise",
) -> Any:
    """Area under the precision-recall curve.

    Parameters
    ----------
    y, score, positive
        As for `auc`.
    method : {"davis-goadrich", "trapezoid"}
        Between two points true and false positives grow in proportion, so that precision is a
        hyperbola in recall, integrated exactly; or points are joined by lines, which is too
        optimistic where they are far apart. At recall 0 both go on from the first point with its
        precision.
    undefined : {"raise", "nan"}
        What a fold without a positive case gives.

    Returns
    -------
    ndarray of shape (folds,), or float for one vector

    Raises
    ------
    InputError
        As for `auc`; an unknown method.

    References
    ----------
    Davis & Goadrich 2006, ICML, sec. 4 (in whole steps of one true positive; the limit of ever
    smaller steps: Keilwagen, Grosse & Grau 2014, PLoS ONE 9, e92209); trapezoid: Aslan 2009, 2.3.
    """
    folds = as_folds(y, score, positive=positive)
    counts = count_cases(folds)
    need_classes(counts, undefined, negatives=False)
    area = pr_area(counts, method)
    return float(area[0]) if folds.single else area


def roc_area(counts: Counts) -> np.ndarray:
    """Trapezoid area under each ROC curve, NaN with one class; shape (folds,)."""
    steps = np.diff(counts.fp, axis=1)
    twice = np.sum(steps * (counts.tp[:, 1:] + counts.tp[:, :-1]), axis=1)  # exact, in integers
    pairs = (counts.positives * counts.negatives).astype(float)
    return np.divide(twice / 2, pairs, out=np.full(len(twice), np.nan), where=pairs > 0)


def pr_area(counts: Counts, method: str) -> np.ndarray:
    """Area under each precision-recall curve, NaN without a positive; shape (folds,)."""
    part = _hyperbolas(counts) if method == "davis-goadrich" else _trapezoids(counts)
    total = counts.positives.astype(float)
    return np.divide(part.sum(axis=1), total, out=np.full(len(total), np.nan), where=total > 0)


def _hyperbolas(counts: Counts) -> np.ndarray:
    """Areas of the steps, recall in cases: ∫ (a+t)/(c+ht) dt from 0 to Δ.

    a true positives of c selected cases at the start; each true positive brings h - 1 false ones.
    """
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
    """Refuse folds in which a class is missing, unless NaN is wanted for them."""
    checks.choice("undefined", undefined, ("raise", "nan"))
    if undefined == "nan":
        return
    classes = {"positive": counts.positives}
    if negatives:
        classes["negative"] = counts.negatives
    for name, cases in classes.items():
        empty = np.flatnonzero(cases == 0)
        if len(empty):
            raise InputError(
                f"y: fold {empty[0]} has no {name} case, so its area is not defined; accepted: "
                "both classes in every fold (stratify the folds), or undefined='nan'"
            )


# Confidence intervals for the area under one ROC curve, from the area and the class sizes.


NO_WIDTH = (
    "the estimated variance is 0 at an area of 0 or 1, which does not mean that the area is known "
    "exactly: use method='agarwal'"
)


@dataclass(frozen=True)
class AucInterval:
    """Interval of an area under the ROC curve.

    Attributes
    ----------
    auc : float
    low, high : float
        Within [0, 1].
    level : float
    method : str
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
    """Confidence interval for a single AUC.

    Parameters
    ----------
    auc : float
        Area under the ROC curve on one test set, from 0 to 1.
    n_pos, n_neg : int
        Positive and negative cases of the test set.
    method : {"hanley-mcneil", "cortes-mohri", "agarwal"}
        "hanley-mcneil" is normal, with the variance of scores that are exponential in both
        classes. "cortes-mohri" uses the number of errors alone and Chebyshev's inequality; it
        assumes nothing about the scores except that all rankings with this number of errors are
        equally likely. "agarwal" is a bound without any assumption. The latter two are wide. The
        first has no width at an area of 0 or 1, and a note says so.
    level : float
        Confidence, between 0 and 1.
    errors : int, optional
        Misclassified cases; "cortes-mohri" needs them, and the area does not enter its interval.

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
    checks.choice("method", method, methods)
    if not isinstance(auc, Real) or isinstance(auc, bool) or not 0 <= auc <= 1:
        raise InputError(f"auc={auc!r}; accepted: from 0 to 1")
    sizes = checks.whole("n_pos", n_pos), checks.whole("n_neg", n_neg)
    return methods[method](float(auc), *sizes, checks.level(level), errors)


def auc_given_errors(errors: int, n_pos: int, n_neg: int) -> tuple[float, float]:
    """Mean and variance of the area over all rankings that make this many errors.

    A ranking is an order of the labels with a cut: cases above it are called positive. All orders
    and cuts with that many errors are equally likely. Given x positives below the cut, labels
    above and below are in random order, so that Wilcoxon's mean and variance hold on each side.

    References
    ----------
    Cortes & Mohri 2004, NIPS 17, theorem 1 and proposition 3 (closed forms of these sums).
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
    """Chebyshev's bound over the error rates of an interval; each holds with √level."""
    total = m + n
    if errors is None:
        raise InputError(
            "errors is missing: method='cortes-mohri' needs the number of misclassified cases"
        )
    errors = checks.whole("errors", errors, 0, most=total)
    risk = 1 - math.sqrt(level)
    rates = stats.binomtest(errors, total).proportion_ci(1 - risk, method="exact")
    counts = range(math.floor(rates.low * total), math.ceil(rates.high * total) + 1)
    lows, highs = [], []
    for k in counts:
        mean, variance = auc_given_errors(k, m, n)
        half = math.sqrt(variance / risk)
        lows.append(mean - half)
        highs.append(mean + half)
    low, high = max(min(lows), 0.0), min(max(highs), 1.0)
    return AucInterval(auc, low, high, level, "Cortes & Mohri 2004")


def _log_choose(n: np.ndarray, k: np.ndarray) -> np.ndarray:
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))
