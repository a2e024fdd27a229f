"""The AUC test, the AUC-PR test and the error test of two algorithms, side by side."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from bayescmp import checks
from bayescmp.curves import auc, auc_pr
from bayescmp.curves.folds import as_folds
from bayescmp.errors import InputError, unknown_name
from bayescmp.frequentist.areas import paired_areas
from bayescmp.frequentist.described import Described
from bayescmp.frequentist.results import TestResult, show_p

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.scores import Scores

__all__ = ["AreaTests", "area_tests", "area_tests_of_scores"]

#: What the thesis says of the error test beside a test on areas, by (error, area) rejected.
CASES = {
    (False, False): (1, "both accept"),
    (False, True): (2, "the error test accepts, the area test rejects"),
    (True, False): (3, "the error test rejects, the area test accepts"),
    (True, True): (4, "both reject"),
}
METRICS = ("error", "auc", "auc_pr")


@dataclass(frozen=True, eq=False)
class AreaTests(Described):
    """Paired t tests on error, AUC and AUC-PR of the same folds.

    Attributes
    ----------
    first, second : dict of str to ndarray of shape (folds,)
        Each metric's values: "error", "auc", "auc_pr".
    plain : dict of str to TestResult
        Paired t tests. A positive difference means that the second is better, for error too.
    corrected : dict of str to TestResult
        Corrected for the overlap of folds; empty without rho.
    alpha : float
        Level of the decisions.
    names : (str, str)
    directions, resampling, left_out
        Where the numbers come from; see `Described`.
    """

    first: Mapping[str, np.ndarray]
    second: Mapping[str, np.ndarray]
    plain: Mapping[str, TestResult]
    corrected: Mapping[str, TestResult]
    alpha: float
    names: tuple[str, str]

    def case(self, metric: str = "auc", *, corrected: bool | None = None) -> int:
        """Which of the thesis's four cases the error test and an area's test are.

        Parameters
        ----------
        metric : {"auc", "auc_pr"}
        corrected : bool, optional
            Whether to use the corrected tests; by default, if there are any.

        Returns
        -------
        int
            1: both accept; 2: only the area's test rejects; 3: only the error test; 4: both.

        Raises
        ------
        InputError
            Another metric; corrected tests that were not made.

        See Also
        --------
        bayescmp.compare : A verdict on each of the metrics.

        References
        ----------
        Aslan 2009, sec. 3.3 and 3.6.

        Examples
        --------
        Scores of two classifiers for six cases in each of three folds:

        >>> import numpy as np
        >>> from bayescmp.frequentist import area_tests
        >>> y = [0, 0, 0, 1, 1, 1]
        >>> first = [[.2, .4, .6, .3, .7, .8], [.1, .5, .3, .4, .6, .9], [.3, .2, .7, .6, .5, .9]]
        >>> second = [[.1, .3, .4, .6, .8, .9], [.2, .1, .3, .5, .7, .6], [.2, .3, .4, .7, .3, .8]]
        >>> area_tests(y, first, second).case("auc")
        1
        """
        if metric not in METRICS[1:]:
            raise unknown_name("metric", metric, METRICS[1:])
        tests = self._tests(corrected)
        rejected = [tests[m].pvalue <= self.alpha for m in ("error", metric)]
        return CASES[rejected[0], rejected[1]][0]

    def _tests(self, corrected: bool | None) -> Mapping[str, TestResult]:
        if corrected and not self.corrected:
            raise InputError("corrected=True needs rho, the correlation of folds; none was given")
        return self.corrected if self.corrected and corrected is not False else self.plain

    @cached_property
    def frame(self) -> pd.DataFrame:
        """One row per metric and test: means, difference, statistic, p-value, rejected."""
        import pandas as pd

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

    def __str__(self) -> str:
        lines = [
            f"error, AUC and AUC-PR tests: {self.names[0]} vs {self.names[1]}{self.on_measured}"
        ]
        for kind, tests in (("plain", self.plain), ("corrected", self.corrected)):
            for metric, result in tests.items():
                lines.append(
                    f"  {metric:<7}{kind:<10} difference {result.estimate:+.4g}, "
                    f"t = {result.statistic:.4g}, {show_p(result.pvalue)}"
                )
        words = dict(CASES.values())
        for metric in METRICS[1:]:
            number = self.case(metric)
            lines.append(f"  error and {metric}: case {number}, {words[number]}")
        return "\n".join(lines + [f"  {line}" for line in self.remarks])

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


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
    """Error test, AUC test and AUC-PR test of the same folds, plain and corrected.

    Parameters
    ----------
    y, first, second, rho, positive
        As for `auc_test`; with rho the corrected tests are made too.
    threshold : float
        Scores over it are called positive in the error test; 0.5 for probabilities, 0 for margins.
    alpha : float
        Level of the decisions.
    method : {"davis-goadrich", "trapezoid"}
        Area under the precision-recall curve.
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
    area_tests_of_scores : From a table of scores.
    bayescmp.bayesian.correlated_t : The Bayesian twin, on one of the three.

    References
    ----------
    Aslan 2009, ch. 3.

    Examples
    --------
    Scores of two classifiers for six cases in each of three folds:

    >>> from bayescmp.frequentist import area_tests
    >>> y = [0, 0, 0, 1, 1, 1]
    >>> first = [[.2, .4, .6, .3, .7, .8], [.1, .5, .3, .4, .6, .9], [.3, .2, .7, .6, .5, .9]]
    >>> second = [[.1, .3, .4, .6, .8, .9], [.2, .1, .3, .5, .7, .6], [.2, .3, .4, .7, .3, .8]]
    >>> print(area_tests(y, first, second))
    error, AUC and AUC-PR tests: first vs second on error ↓, auc ↑, auc_pr ↑
      error  plain      difference +0.1667, t = 1.732, p = 0.225
      auc    plain      difference +0.1296, t = 2.646, p = 0.118
      auc_pr plain      difference +0.1172, t = 7.28, p = 0.0184
      error and auc: case 1, both accept
      error and auc_pr: case 2, the error test accepts, the area test rejects
    """
    values = [
        {
            "error": _errors(y, score, threshold, positive),
            "auc": np.atleast_1d(auc(y, score, positive=positive)),
            "auc_pr": np.atleast_1d(auc_pr(y, score, positive=positive, method=method)),
        }
        for score in (first, second)
    ]
    return _side_by_side(values[0], values[1], rho, alpha, checks.names(names))


def area_tests_of_scores(
    scores: Scores,
    first: str,
    second: str,
    *,
    dataset: str | None = None,
    metrics: Mapping[str, str] | None = None,
    alpha: float = 0.05,
) -> AreaTests:
    """The same tests from a table of scores that holds error, AUC and AUC-PR.

    Parameters
    ----------
    scores : Scores
    first, second : str
        Algorithms.
    dataset : str, optional
        May be left out where there is one.
    metrics : mapping, optional
        The columns of "error", "auc" and "auc_pr", where they bear other names. An error column
        may be a metric for which higher is better, as accuracy.
    alpha : float

    Returns
    -------
    AreaTests
        Corrected with the rho that follows from the table's folds.

    Raises
    ------
    InputError
        Unknown names; whatever `Scores.differences` refuses.

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
    >>> tests.case("auc", corrected=False), tests.case("auc")
    (1, 1)
    """
    columns = {m: m for m in METRICS} | dict(metrics or {})
    if set(columns) != set(METRICS):
        raise unknown_name("metric", next(iter(set(columns) - set(METRICS))), METRICS)
    rows = {m: scores.differences(first, second, metric=c) for m, c in columns.items()}
    if dataset is None and rows["auc"].q > 1:
        raise InputError(f"dataset is missing: the table has {rows['auc'].q} data sets")
    dataset = dataset or rows["auc"].datasets[0]
    chosen = {m: d.row(dataset) for m, d in rows.items()}
    plain = {m: paired_areas(d, m, None, "two-sided", d.names) for m, d in chosen.items()}
    corrected = {
        m: paired_areas(d, m, float(d.rho[0]), "two-sided", d.names) for m, d in chosen.items()
    }
    values = [_values(scores.frame, dataset, a, columns) for a in (first, second)]
    return _together(values, plain, corrected, alpha, (first, second))


def _values(
    frame: pd.DataFrame, dataset: str, algorithm: str, columns: Mapping[str, str]
) -> dict[str, np.ndarray]:
    """One algorithm's values on one data set, in the order of (repeat, fold)."""
    here = (frame["dataset"].astype(str) == dataset) & (
        frame["algorithm"].astype(str) == algorithm
    )
    rows = frame[here].sort_values(["repeat", "fold"], kind="stable")
    return {m: rows[c].to_numpy(dtype=float) for m, c in columns.items()}


def _side_by_side(
    first: dict[str, np.ndarray],
    second: dict[str, np.ndarray],
    rho: float | None,
    alpha: float,
    names: tuple[str, str],
) -> AreaTests:
    # The difference of errors is turned: positive says that the second is better, as for areas.
    difference = {m: second[m] - first[m] for m in METRICS}
    difference["error"] = -difference["error"]
    tests = [
        {m: paired_areas(d, m, r, "two-sided", names) for m, d in difference.items()}
        for r in ((None,) if rho is None else (None, rho))
    ]
    corrected = tests[1] if rho is not None else {}
    return _together([first, second], tests[0], corrected, alpha, names)


def _together(
    values: Sequence[Mapping[str, np.ndarray]],
    plain: Mapping[str, TestResult],
    corrected: Mapping[str, TestResult],
    alpha: float,
    names: tuple[str, str],
) -> AreaTests:
    """All tests in one result, which knows what each of them knows of its numbers."""
    level = checks.level(alpha, "alpha")
    tests = AreaTests(values[0], values[1], plain, corrected, level, names)
    ways = tuple(plain[m].directions[0] for m in METRICS)
    return replace(tests.of((corrected or plain)["auc"]), directions=ways)


def _errors(y: ArrayLike, score: ArrayLike, threshold: float, positive: object) -> np.ndarray:
    if not isinstance(threshold, Real) or not np.isfinite(threshold):
        raise InputError(f"threshold={threshold!r}; accepted: a number, 0.5 for probabilities")
    folds = as_folds(y, score, positive=positive)
    wrong = ((folds.score > threshold) != folds.positive) & folds.real
    return np.asarray(wrong.sum(axis=1) / folds.size)
