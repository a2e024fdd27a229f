"""Areas under curves: t tests of folds' areas, DeLong's test of test items, side by side."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from bayescmp.base import checks
from bayescmp.base.arguments import must, must_be
from bayescmp.base.checks import SCORES, check_paired, instance, optional, sided, validate_params
from bayescmp.curves import auc, auc_pr
from bayescmp.curves.curves import Folds, as_folds, by_fold
from bayescmp.errors import unknown_name
from bayescmp.frequentist.effects import t_interval, t_pvalue
from bayescmp.frequentist.paired import corrected_t, paired_t
from bayescmp.frequentist.results import DescribedResult, TestResult
from bayescmp.present.forms import Summarised
from bayescmp.present.summary import P_VALUES, Summary, summarise
from bayescmp.scores.differences import Differences
from bayescmp.scores.metrics import direction
from bayescmp.scores.predictions import RankedPair
from bayescmp.scores.scores import Scores
from bayescmp.wording.references import SOURCES

# Paired t tests of the areas under curves of the same folds.


TITLES = {"error": "error test", "auc": "AUC test", "auc_pr": "AUC-PR test"}


def auc_test(
    y: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    *,
    rho: float | None = None,
    positive: object = None,
    alternative: str = "two-sided",
) -> TestResult:
    """Perform a paired t test on the folds' areas under the ROC curve.

    Parameters
    ----------
    y : array_like of shape (folds, n) or (n,), or sequence of one array per fold
        Class labels; one vector if all folds share a test set.
    first, second : array_like of shape (folds, n), or sequence of one array per fold
        The two algorithms' scores of these cases, higher for the positive class.
    rho : float, optional
        Correlation of two folds' differences (1/folds in cross-validation). Without it folds count
        as independent, as in the thesis, and the test rejects too often if training sets overlap.
    positive : label, optional
    alternative : {"two-sided", "less", "greater"}
        "greater": the second is better.

    Returns
    -------
    TestResult

    Raises
    ------
    InputError
        Labels and scores that don't fit, a fold with one class, fewer than 2 folds.

    See Also
    --------
    auc_pr_test, bayescmp.curves.auc, bayescmp.bayesian.correlated_t

    References
    ----------
    Aslan 2009, sec. 3.1; Nadeau & Bengio 2003 (rho).

    Examples
    --------
    >>> from bayescmp.frequentist import auc_test
    >>> y = [0, 0, 0, 1, 1, 1]
    >>> first = [[.2, .4, .6, .3, .7, .8], [.1, .5, .3, .4, .6, .9], [.3, .2, .7, .6, .5, .9]]
    >>> second = [[.1, .3, .4, .6, .8, .9], [.2, .1, .3, .5, .7, .6], [.2, .3, .4, .7, .3, .8]]
    >>> round(auc_test(y, first, second, rho=1 / 3).pvalue, 3)
    0.236
    """
    _check_scores(y, positive, first=first, second=second)
    difference = auc(y, second, positive=positive) - auc(y, first, positive=positive)
    return paired_areas(np.atleast_1d(difference), "auc", rho, alternative, ("first", "second"))


def auc_pr_test(
    y: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    *,
    rho: float | None = None,
    positive: object = None,
    method: str = "davis-goadrich",
    alternative: str = "two-sided",
) -> TestResult:
    """Perform a paired t test on the folds' areas under the precision-recall curve.

    Parameters
    ----------
    y, first, second, rho, positive, alternative
        As for `auc_test`.
    method : {"davis-goadrich", "trapezoid"}
        How the area is computed; the thesis uses the trapezoid.

    Returns
    -------
    TestResult

    Raises
    ------
    InputError
        As for `auc_test`.

    See Also
    --------
    auc_test, bayescmp.curves.auc_pr, bayescmp.bayesian.correlated_t

    References
    ----------
    Aslan 2009, sec. 3.5.

    Examples
    --------
    >>> from bayescmp.frequentist import auc_pr_test
    >>> y = [0, 0, 0, 1, 1, 1]
    >>> first = [[.2, .4, .6, .3, .7, .8], [.1, .5, .3, .4, .6, .9], [.3, .2, .7, .6, .5, .9]]
    >>> second = [[.1, .3, .4, .6, .8, .9], [.2, .1, .3, .5, .7, .6], [.2, .3, .4, .7, .3, .8]]
    >>> round(auc_pr_test(y, first, second, rho=1 / 3).pvalue, 3)
    0.044
    """
    _check_scores(y, positive, first=first, second=second)
    a, b = (auc_pr(y, s, positive=positive, method=method) for s in (first, second))
    return paired_areas(np.atleast_1d(b - a), "auc_pr", rho, alternative, ("first", "second"))


def paired_areas(
    difference: ArrayLike | Differences,
    metric: str,
    rho: float | None,
    alternative: str,
    names: tuple[str, str],
) -> TestResult:
    """Test areas or errors in pairs, corrected if rho is given; plain differences are oriented."""
    if rho is None:
        result, kind = paired_t(difference, alternative=alternative), "paired t"
    else:
        result = corrected_t(difference, rho=rho, alternative=alternative)
        kind = "corrected resampled t"
    known = result.directions or (direction(metric),)
    method = f"{TITLES[metric]} ({kind})"
    return replace(result, method=method, names=names, directions=known)


# DeLong's test: areas under ROC curves of the same test items, and their interval.


#: The note where areas have no variance.
NO_VARIANCE = (
    "the estimated variance is 0, which does not mean that the areas are known exactly: no test "
    "of a difference, and no interval, follows from it"
)


@validate_params(alternative=sided)
def delong(
    y: ArrayLike,
    first: ArrayLike,
    second: ArrayLike | None = None,
    *,
    items: ArrayLike | None = None,
    positive: object = None,
    alternative: str = "two-sided",
    names: tuple[str, str] = ("first", "second"),
) -> TestResult:
    """Test two correlated areas under the ROC curve with DeLong's test, or estimate one area.

    The test generalises to other items, not to other training sets (see `auc_test`). With several
    folds the mean area is tested, given their models.

    Parameters
    ----------
    y : array_like of shape (n,) or (folds, n), or sequence of one array per fold
        Class labels of the test items; one vector if all folds share a test set.
    first, second : array_like of shape (n,) or (folds, n), or sequence of one array per fold
        The algorithms' scores of these items, higher for the positive class. Without ``second``
        the area of the first is tested against 0.5.
    items : array_like shaped as ``first``, optional
        Items of the scores, if folds share items, as repeats do; by default separate test sets.
    positive : label, optional
        The positive class; 1 or True if not given.
    alternative : {"two-sided", "less", "greater"}
        "greater": the second area is the larger, or the one area is over 0.5.
    names : (str, str)

    Returns
    -------
    TestResult
        z, normal for many items of both classes. ``estimate`` is the difference of the areas,
        second minus first, or the one area; ``n`` counts the items. If the estimated variance is 0
        (an area of 1, say), there is no interval, p is NaN (1 without a difference), and a note
        states why.

    Raises
    ------
    InputError
        Labels, scores and items that do not fit, fewer than 2 items of a class in a fold.

    See Also
    --------
    auc_test, bayescmp.curves.auc_interval, bayescmp.bayesian.correlated_t

    References
    ----------
    DeLong, DeLong & Clarke-Pearson 1988, Biometrics 44, eq. 1-6; Sun & Xu 2014, IEEE Signal
    Processing Letters 21 (by midranks); LeDell, Petersen & van der Laan 2015, Electronic Journal
    of Statistics 9 (over folds).

    Examples
    --------
    >>> from bayescmp.frequentist import delong
    >>> y = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    >>> first = [0.1, 0.4, 0.6, 0.3, 0.8, 0.5, 0.7, 0.2, 0.9, 0.6]
    >>> second = [0.2, 0.1, 0.3, 0.4, 0.7, 0.6, 0.8, 0.5, 0.9, 0.7]
    >>> round(delong(y, first, second).pvalue, 3)
    0.059
    >>> round(delong(y, second).confidence_interval()[0], 3)
    0.685
    """
    check_paired(first=first, second=second, items=items)
    given = [first] if second is None else [first, second]
    names = checks.check_names(names)
    folds = [
        as_folds(y, scores, positive=positive, name=name)
        for name, scores in zip(("first", "second"), given, strict=False)
    ]
    areas, covariance, n = _areas(folds, _items(items, folds))
    weights = np.array([1.0]) if second is None else np.array([-1.0, 1.0])
    estimate = float(weights @ areas)
    error = math.sqrt(max(float(weights @ covariance @ weights), 0.0))
    error = 0.0 if error < 1e-12 else error
    excess = estimate - (0.5 if second is None else 0.0)
    what = "area under the ROC curve against 0.5" if second is None else "areas under ROC curves"
    texts = [f"AUC {area:.4f} ({name})" for area, name in zip(areas, names, strict=False)]
    return TestResult(
        method=f"DeLong test, {what}",
        cites=SOURCES["delong"],
        statistic=excess / error if error else math.nan if excess else 0.0,
        pvalue=t_pvalue(excess, error, math.inf, alternative) if error or not excess else math.nan,
        alternative=alternative,
        estimate=estimate,
        standard_error=error,
        names=names[: len(given)],
        n=n,
        symbol="z",
        notes=(", ".join(texts), *(() if error else (NO_VARIANCE,))),
        interval=partial(_interval, estimate, error, alternative, 0.0 if second is None else -1.0)
        if error
        else None,
    )


def delong_of_pair(x: RankedPair) -> TestResult:
    """Compare the areas by which two algorithms rank the same test items, averaged over folds."""
    return delong(x.truth, x.first, x.second, items=x.items, names=x.names)


# Placements of positives among negatives, and their use.


def _check_scores(y: ArrayLike, positive: object, **given: ArrayLike) -> None:
    """Refuse scores under the name of their argument, as the areas call all of them score."""
    check_paired(**given)
    for name, score in given.items():
        as_folds(y, score, positive=positive, name=name)


def _items(items: ArrayLike | None, folds: list[Folds]) -> list[np.ndarray]:
    """Number the items from 0, for each case of each fold."""
    size = folds[0].size
    if any(not np.array_equal(f.size, size) for f in folds):
        raise must("second", "have the same items as first", "folds of other sizes")
    if items is None and folds[0].shared:
        return [np.arange(size[0])] * len(size)
    rows = np.split(np.arange(size.sum()), np.cumsum(size)[:-1])
    if items is None:
        return rows
    given = by_fold(items, "items")[0]
    if [len(row) for row in given] != size.tolist():
        raise must("items", "have one for each score of each fold")
    numbers = np.unique(np.concatenate(given), return_inverse=True)[1]
    return [numbers[row] for row in rows]


def _areas(folds: list[Folds], items: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray, int]:
    """Return the algorithms' mean areas, their covariance matrix, and the number of items."""
    number = max(int(i.max()) for i in items) + 1
    areas = np.zeros(len(folds))
    influence = np.zeros((number, len(folds)))  # each item's on the mean areas
    for fold, item in enumerate(items):
        hits = folds[0].positive[fold, : len(item)]
        for count, kind in ((hits.sum(), "positive"), ((~hits).sum(), "negative")):
            if count < 2:
                where = "y" if folds[0].single else f"fold {fold} of y"
                raise must(where, f"have at least 2 {kind} cases for delong", str(count))
        scores = np.array([f.score[fold, : len(item)] for f in folds])
        wins, losses = _placements(scores[:, hits], scores[:, ~hits])
        areas += wins.mean(axis=1)
        for part, values in ((hits, wins), (~hits, losses)):
            m = values.shape[1]
            centred = (values - values.mean(axis=1, keepdims=True)).T
            influence[item[part]] += centred / math.sqrt(m * (m - 1))
    count = len(items)
    return areas / count, influence.T @ influence / count**2, number


def _placements(positive: np.ndarray, negative: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return shares of negatives beneath each positive, and of positives above each negative."""
    m, n = positive.shape[1], negative.shape[1]
    among_all = stats.rankdata(np.concatenate([positive, negative], axis=1), axis=1)
    wins = (among_all[:, :m] - stats.rankdata(positive, axis=1)) / n
    losses = 1 - (among_all[:, m:] - stats.rankdata(negative, axis=1)) / m
    return wins, losses


def _interval(
    estimate: float, error: float, alternative: str, least: float, level: float
) -> tuple[float, float]:
    """Return the normal interval, within what areas or their differences can be."""
    low, high = t_interval(estimate, error, math.inf, alternative, level)
    return max(low, least), min(high, 1.0)


# The AUC test, the AUC-PR test and the error test of two algorithms, side by side.


#: Conclusions of the thesis from the two kinds of tests, by (error, area) rejected.
CASES = {
    (False, False): (1, "both accept"),
    (False, True): (2, "the error test accepts, the area test rejects"),
    (True, False): (3, "the error test rejects, the area test accepts"),
    (True, True): (4, "both reject"),
}
METRICS = ("error", "auc", "auc_pr")


@dataclass(frozen=True, eq=False, repr=False)
class AreaTests(Summarised, DescribedResult):
    """Paired t tests on error, AUC and AUC-PR of the same folds.

    Attributes
    ----------
    first, second : dict of str to ndarray of shape (folds,)
        Values of the metrics "error", "auc", "auc_pr".
    plain, corrected : dict of str to TestResult
        Paired t tests, and those corrected for overlapping folds (empty without rho). A positive
        difference means that the second is better, for error too.
    alpha : float
    names : (str, str)
    directions, resampling, left_out
        See `DescribedResult`.
    """

    first: Mapping[str, np.ndarray]
    second: Mapping[str, np.ndarray]
    plain: Mapping[str, TestResult]
    corrected: Mapping[str, TestResult]
    alpha: float
    names: tuple[str, str]

    def case(self, metric: str = "auc", *, corrected: bool | None = None) -> int:
        """Return which of the thesis's four cases the error test and an area's test form.

        1: both accept; 2: only the area's test rejects; 3: only the error test does; 4: both do
        (Aslan 2009, sec. 3.3 and 3.6).

        Parameters
        ----------
        metric : {"auc", "auc_pr"}
        corrected : bool, optional
            Whether to use the corrected tests, which have to have been made; by default, if there
            are any.
        """
        checks.check_choice("metric", metric, METRICS[1:])
        tests = self._tests(corrected)
        rejected = [tests[m].pvalue <= self.alpha for m in ("error", metric)]
        return CASES[rejected[0], rejected[1]][0]

    def _tests(self, corrected: bool | None) -> Mapping[str, TestResult]:
        if corrected is not None:
            checks.check_flags(corrected=corrected)
        if corrected and not self.corrected:
            raise must("corrected", "be False without rho, the correlation of folds", "True")
        return self.corrected if self.corrected and corrected is not False else self.plain

    @cached_property
    def frame(self) -> pd.DataFrame:
        """One row per metric and test: means, difference, statistic, p-value, rejected."""
        rows = [
            {
                "metric": metric,
                "test": kind,
                self.names[0]: float(self.first[metric].mean()),
                self.names[1]: float(self.second[metric].mean()),
                "difference": result.estimate,
                "t": result.statistic,
                "df": result.df,
                "pvalue": result.pvalue,
                "rejected": result.pvalue <= self.alpha,
            }
            for kind, tests in (("plain", self.plain), ("corrected", self.corrected))
            for metric, result in tests.items()
        ]
        return pd.DataFrame(rows).set_index(["metric", "test"])

    @property
    def _notes(self) -> list[str]:
        numbers, words = {m: self.case(m) for m in METRICS[1:]}, dict(CASES.values())
        cases = [f"error and {m}: case {number}, {words[number]}" for m, number in numbers.items()]
        return [*cases, *self.remarks]


@summarise.register
def _summarise_area_tests(tests: AreaTests) -> Summary:
    title = f"Error, AUC and AUC-PR tests: {' vs '.join(tests.names)}{tests.on_measured}"
    return Summary(
        title, tests.frame.reset_index(), notes=tests._notes, label="areas", columns=P_VALUES
    )


def area_tests(
    y: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    *,
    rho: float | None = None,
    threshold: float = 0.5,
    alpha: float = 0.05,
    method: str = "davis-goadrich",
    positive: object = None,
    names: tuple[str, str] = ("first", "second"),
) -> AreaTests:
    """Perform the error, AUC and AUC-PR tests on the same folds, plain and corrected.

    Parameters
    ----------
    y, first, second, rho, positive
        As for `auc_test`; with rho also the corrected tests are made.
    threshold : float
        Scores over it are called positive in the error test; 0.5 for probabilities, 0 for margins.
    alpha : float
    method : {"davis-goadrich", "trapezoid"}
        As for `auc_pr_test`.
    names : (str, str)

    Returns
    -------
    AreaTests
        With the thesis's four cases: ``case("auc")``, ``case("auc_pr")``.

    Raises
    ------
    InputError
        As for `auc_test`.

    See Also
    --------
    area_tests_of_scores, bayescmp.bayesian.correlated_t

    References
    ----------
    Aslan 2009, ch. 3.

    Examples
    --------
    >>> from bayescmp.frequentist import area_tests
    >>> y = [0, 0, 0, 1, 1, 1]
    >>> first = [[.2, .4, .6, .3, .7, .8], [.1, .5, .3, .4, .6, .9], [.3, .2, .7, .6, .5, .9]]
    >>> second = [[.1, .3, .4, .6, .8, .9], [.2, .1, .3, .5, .7, .6], [.2, .3, .4, .7, .3, .8]]
    >>> area_tests(y, first, second).case("auc_pr")
    2
    """
    _check_scores(y, positive, first=first, second=second)
    of_first, of_second = (
        {
            "error": _errors(y, score, threshold, positive),
            "auc": np.atleast_1d(auc(y, score, positive=positive)),
            "auc_pr": np.atleast_1d(auc_pr(y, score, positive=positive, method=method)),
        }
        for score in (first, second)
    )
    # The difference of errors is flipped: positive means that the second is better, as for areas.
    gains = {m: of_second[m] - of_first[m] for m in METRICS}
    difference = gains | {"error": -gains["error"]}
    return _side_by_side((of_first, of_second), difference, rho, alpha, checks.check_names(names))


@validate_params(scores=SCORES, metrics=optional(instance("a mapping", "collections.abc:Mapping")))
def area_tests_of_scores(
    scores: Scores,
    first: str,
    second: str,
    *,
    dataset: str | None = None,
    metrics: Mapping[str, str] | None = None,
    alpha: float = 0.05,
) -> AreaTests:
    """Test areas from a table of scores with error, AUC and AUC-PR.

    Parameters
    ----------
    scores : Scores
    first, second : str
        Algorithms.
    dataset : str, optional
        May be left out if there is only one.
    metrics : mapping, optional
        Other names of the columns "error" (or a metric for which higher is better), "auc",
        "auc_pr".
    alpha : float

    Returns
    -------
    AreaTests
        Corrected with the rho that follows from the table's folds.

    Raises
    ------
    InputError
        Unknown names; otherwise as for `Scores.differences`.

    See Also
    --------
    area_tests : From labels and scores of cases.

    Examples
    --------
    >>> import pandas as pd
    >>> import bayescmp as bc
    >>> from bayescmp.frequentist import area_tests_of_scores
    >>> frame = pd.DataFrame({
    ...     "dataset": "wine", "algorithm": ["tree"] * 3 + ["knn"] * 3, "fold": [1, 2, 3] * 2,
    ...     "error": [0.12, 0.10, 0.15, 0.08, 0.09, 0.07],
    ...     "auc": [0.91, 0.93, 0.90, 0.95, 0.96, 0.97],
    ...     "auc_pr": [0.88, 0.90, 0.89, 0.93, 0.92, 0.95],
    ... })
    >>> tests = area_tests_of_scores(bc.Scores(frame), "tree", "knn")
    >>> tests.case("auc")
    1
    """
    columns = {m: m for m in METRICS} | ({} if metrics is None else dict(metrics))
    if set(columns) != set(METRICS):
        raise unknown_name("metric", next(iter(set(columns) - set(METRICS))), METRICS, "metrics")
    rows = {m: scores.differences(first, second, metric=c) for m, c in columns.items()}
    if dataset is None and rows["auc"].q > 1:
        raise must(
            "dataset", "be given for several data sets", hint=f"The table has {rows['auc'].q}."
        )
    dataset = rows["auc"].datasets[0] if dataset is None else dataset
    chosen = {m: d.row(dataset) for m, d in rows.items()}
    values = [_values(scores.frame, dataset, a, columns) for a in (first, second)]
    rho = float(chosen["auc"].rho[0])
    return _side_by_side(values, chosen, rho, alpha, (first, second))


def _values(
    frame: pd.DataFrame, dataset: str, algorithm: str, columns: Mapping[str, str]
) -> dict[str, np.ndarray]:
    here = (frame["dataset"].astype(str) == dataset) & (
        frame["algorithm"].astype(str) == algorithm
    )
    rows = frame[here].sort_values(["repeat", "fold"], kind="stable")
    return {m: rows[c].to_numpy(dtype=float) for m, c in columns.items()}


def _side_by_side(
    values: Sequence[Mapping[str, np.ndarray]],
    difference: Mapping[str, np.ndarray | Differences],
    rho: float | None,
    alpha: float,
    names: tuple[str, str],
) -> AreaTests:
    """Test each metric, plain and, where rho is known, corrected for overlapping folds."""
    plain, corrected = (
        {m: paired_areas(d, m, r, "two-sided", names) for m, d in difference.items()}
        for r in (None, rho)
    )
    level = checks.check_level(alpha, "alpha")
    known = {} if rho is None else corrected
    tests = AreaTests(values[0], values[1], plain, known, level, names)
    ways = tuple(plain[m].directions[0] for m in METRICS)
    return replace(tests.of((known or plain)["auc"]), directions=ways)


def _errors(y: ArrayLike, score: ArrayLike, threshold: float, positive: object) -> np.ndarray:
    if not checks.is_number(threshold) or not np.isfinite(threshold):
        raise must_be("threshold", "a number, 0.5 for probabilities", threshold)
    folds = as_folds(y, score, positive=positive)
    wrong = ((folds.score > threshold) != folds.positive) & folds.real
    return np.asarray(wrong.sum(axis=1) / folds.size)
