"""Permutation tests of a classifier: has it learned anything?"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayescmp.base import checks
from bayescmp.base.arguments import arg, must, must_be
from bayescmp.base.checks import (
    along_rows,
    check_paired,
    flag,
    jobs,
    one_of,
    share,
    validate_params,
)
from bayescmp.base.records import Record
from bayescmp.base.typing import SupportsFit, as_facts
from bayescmp.errors import InputError, unknown_name, warn_user
from bayescmp.frequentist.permuting import (
    PermutationProblem,
    SequentialDecision,
    SimulatedStudy,
    check_cv,
    kind_of,
    make_rule,
    pvalue_interval,
    run_null,
    run_original,
)
from bayescmp.present.forms import Summarised
from bayescmp.present.summary import Cells, Column, Summary, summarise
from bayescmp.results.plotted import Plotted
from bayescmp.wording.text import format_count, state_pvalue

# Result of a permutation test of a classifier.
HYPOTHESES = {
    "labels": "test 1 (labels permuted): features and labels are independent",
    "columns": "test 2 (columns permuted within classes): features are independent within a class",
}


@dataclass(frozen=True, eq=False, repr=False)
class PermutationResult(Summarised, Record, Plotted):
    """A classifier's score on the data and its scores on random data.

    Attributes
    ----------
    test : {"labels", "columns"}
    estimator : str
    metric : str
        "error", or the scorer's name.
    higher_is_better : bool
    original : ndarray of shape (repeats,)
        The statistic of the data, one per repeat of cross-validation.
    null : ndarray of shape (k,)
        The statistic of each random data set; NaN if the estimator failed, which counts as as
        good.
    n : int
        Permutations requested.
    alpha : float
    stop, ended : str or None; {"complete", "settled", "interrupted"}
        The stopping rule, and how the test ended.
    settled : Settled or None
        The rule's decision, if it came to one.
    failures, notes : tuple of str
        Why random data sets failed; what the reader should know.
    """

    picture: ClassVar[str] = "plot_null_distribution"

    test: str
    estimator: str
    metric: str
    higher_is_better: bool
    original: np.ndarray
    null: np.ndarray
    n: int
    alpha: float
    stop: str | None
    ended: str
    settled: SequentialDecision | None
    failures: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def method(self) -> str:
        """The test, in words."""
        return f"permutation {HYPOTHESES[self.test]}"

    @property
    def statistic(self) -> float:
        """Mean of the original's repeats."""
        return float(self.original.mean())

    @property
    def counts(self) -> np.ndarray:
        """Random data sets at least as good as each repeat of the original, shape (repeats,)."""
        return as_good(self.null, self.original, self.higher_is_better).sum(axis=0)

    @property
    def pvalues(self) -> np.ndarray:
        """(count + 1)/(k + 1) for each repeat, shape (repeats,)."""
        return np.asarray((self.counts + 1) / (len(self.null) + 1))

    @property
    def pvalue(self) -> float:
        """Mean of the repeats' p-values.

        With one repeat it is exact: P(p ≤ α) ≤ α under the null hypothesis for any number of
        permutations. A mean of several varies less, and is conservative on few cases.
        """
        return float(self.pvalues.mean())

    @property
    def significant(self) -> bool:
        """The decision at ``alpha``: the stopping rule's, where it came to one."""
        return self.settled.significant if self.settled else self.pvalue <= self.alpha

    def monte_carlo_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return an interval for the p-value that infinitely many permutations would give.

        It is Clopper & Pearson's (1934) for the mean count over repeats; approximate after an
        early stop.
        """
        count = float(self.counts.mean())
        return pvalue_interval(count, len(self.null), checks.check_level(level))

    def null_interval(self, level: float = 0.98) -> tuple[float, float]:
        """Return the central part of the null distribution, 1 to 99% as Ojala & Garriga do."""
        tail = (1 - checks.check_level(level)) / 2
        low, high = np.nanquantile(self.null, [tail, 1 - tail])
        return float(low), float(high)

    def to_dict(self) -> dict[str, object]:
        """Return the result as plain numbers and text, for JSON, with the null distribution."""
        kept = "method test estimator metric original statistic null pvalue pvalues alpha "
        kept += "significant stop ended notes"
        known = self._scored_statistics
        return as_facts(
            self,
            *kept.split(),
            null_mean=float(known.mean()) if known.size else None,
            permutations=len(self.null),
            asked=self.n,
            monte_carlo_interval=self.monte_carlo_interval(),
        )

    @property
    def frame(self) -> pd.DataFrame:
        """The test in one row.

        Columns: statistic; null_mean and null_sd of the statistic on random data; permutations; p;
        low and high, its Monte Carlo interval; significant.
        """
        known, (low, high) = self._scored_statistics, self.monte_carlo_interval()
        row = {
            "statistic": self.statistic,
            "null_mean": float(known.mean()) if len(known) else np.nan,
            "null_sd": float(known.std()) if len(known) else np.nan,
            "permutations": len(self.null),
            "p": self.pvalue,
            "low": low,
            "high": high,
            "significant": self.significant,
        }
        return pd.DataFrame([row])

    @property
    def _scored_statistics(self) -> np.ndarray:
        """Statistics of random data sets on which the estimator did not fail."""
        return self.null[np.isfinite(self.null)]


HEADLINES = {
    True: "{estimator}: significant at {alpha:g} ({p})",
    False: "{estimator}: not significant at {alpha:g} ({p})",
}
DONE = {
    True: "{permutations}, {repeats} on the original data.",
    False: "{permutations} of {n}, {repeats} on the original data; stopped early: {ended}.",
}
LEGEND = (
    "mean, sd: of the statistic on random data; low, high: 95% Monte Carlo interval of the p-value"
)


@summarise.register
def _summarise_permutation_result(result: PermutationResult) -> Summary:
    return Summary(
        HEADLINES[result.significant].format(
            estimator=result.estimator, alpha=result.alpha, p=state_pvalue(result.pvalue)
        ),
        result.frame,
        {
            "statistic": Column(head=result.metric),
            "null_mean": Column(head="mean"),
            "null_sd": Column(head="sd"),
            "p": Column(Cells.P_VALUE),
        },
        notes=result.notes,
        label="permutation",
        setting=result.method,
        sentences=[
            DONE[result.ended == "complete"].format(
                permutations=format_count(len(result.null), "permutation"),
                n=result.n,
                repeats=format_count(len(result.original), "repeat"),
                ended=result.ended,
            )
        ],
        legend=LEGEND,
    )


def as_good(null: np.ndarray, original: np.ndarray, higher_is_better: bool) -> np.ndarray:
    """Return whether each random data set is as good as each repeat; failures (NaN) are."""
    sign = 1.0 if higher_is_better else -1.0
    room = 1e-12 * np.maximum(1.0, np.abs(original))
    worse = sign * null[:, None] < sign * original - room
    return np.asarray(~worse)


@validate_params(
    test=one_of(*HYPOTHESES),
    alpha=share,
    on_error=one_of("raise", "count"),
    n_jobs=jobs,
    progress=flag,
)
def permutation_test(
    estimator: SupportsFit,
    X: object,
    y: ArrayLike,
    *,
    test: str = "labels",
    n: int = 1000,
    cv: object = 10,
    repeats: int = 10,
    scoring: object = None,
    groups: ArrayLike | None = None,
    alpha: float = 0.05,
    stop: str | None = None,
    risk: float = 0.001,
    on_error: str = "raise",
    seed: checks.Seed = None,
    n_jobs: int | None = None,
    progress: bool = False,
) -> PermutationResult:
    """Perform a permutation test of a classifier by its cross-validated error.

    Test 1 permutes the labels: a classifier that does no better than on this random data has found
    no connection between features and labels. Test 2 permutes each column within each class: a
    classifier that does no better has made no use of the dependence between features, and a
    simpler one may suffice. The error is measured again on every random data set, with separate
    folds.

    Parameters
    ----------
    estimator : scikit-learn estimator
        Cloned for each fold; preprocessing belongs in a pipeline. A ``random_state`` None is
        seeded.
    X : array_like, DataFrame or sparse matrix of shape (n_cases, m)
        Features, numeric or nominal; missing ones if the estimator takes them.
    y : array_like of shape (n_cases,)
        Class labels; numbers for a regressor (test 1 only).
    test : {"labels", "columns"}
        Test 1 or test 2.
    n : int
        Random data sets.
    cv : int, "loo", scikit-learn splitter or list of (train, test)
        Stratified folds, drawn again for each data set; leave-one-out; the splitter's folds.
    repeats : int
        Of cross-validation of the original data; the mean p-value is reported. With 1 it is exact;
        a mean is steadier, and conservative on few cases.
    scoring : str or callable, optional
        Name of a scorer, or ``scorer(estimator, X, y)``, higher is better; averaged over folds. By
        default the error rate over all test cases (R² for a regressor).
    groups : array_like of shape (n_cases,), optional
        Cases that belong together, such as one subject's. A group is never in both training and
        test cases. Labels are permuted within groups or, if all groups have one label, between
        whole groups; columns within classes and groups.
    alpha : float
        Level of the decision.
    stop : {"besag-clifford", "gandy"}, optional
        Stop when the decision at alpha is settled: for certain, once p cannot come down to alpha;
        or either way, with probability at most ``risk`` of a wrong decision.
    risk : float
        For Gandy's rule.
    on_error : {"raise", "count"}
        If the estimator fails on random data: raise, or count the data set as at least as good;
        the test then keeps its level.
    seed : int, Generator or None
        Each data set's random numbers depend on the seed and its number, not on n_jobs. The same
        seed gives both tests the same original errors.
    n_jobs : int, optional
        Processes, as joblib takes it; ``joblib.parallel_config`` is respected.
    progress : bool

    Returns
    -------
    PermutationResult
        p = (count + 1)/(k + 1), its Monte Carlo interval and the null distribution; if interrupted
        (Ctrl-C), from the random data sets done so far.

    Raises
    ------
    InputError
        Options out of range; y missing, of the wrong length or of one class; test 2 without
        classes; an estimator or scorer that fails on the original data (with the fold).

    Warns
    -----
    DiagnosticWarning
        A class with fewer cases than folds, failures counted, an interrupt.

    See Also
    --------
    bayescmp.plots.plot_null_distribution : The distribution behind it.

    References
    ----------
    Ojala & Garriga 2009, ICDM, tests 1 and 2 and sec. V (repeats); Phipson & Smyth 2010 (one is
    added); Besag & Clifford 1991, Biometrika 78; Gandy 2009, JASA 104.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from bayescmp.frequentist import permutation_test
    >>> X, y = load_wine(return_X_y=True)
    >>> X, y = X[40:80, :2], y[40:80]
    >>> tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    >>> result = permutation_test(tree, X, y, n=99, cv=3, repeats=1, seed=1)
    >>> round(result.statistic, 3), result.pvalue
    (0.325, 0.05)
    """
    check_paired(X=along_rows(X), y=along_rows(y), groups=along_rows(groups))
    n, repeats = checks.check_whole("n", n), checks.check_whole("repeats", repeats)
    rule = make_rule(stop, alpha, risk, n)
    if rule is not None and 1 / (n + 1) > alpha:
        raise must_be("n", f"larger, so that a p-value can be at most {alpha:g}", n)
    problem, metric, notes = _problem(estimator, X, y, test, cv, scoring, seed, groups)
    original = run_original(problem, repeats, n_jobs)
    higher = problem.scorer is not None
    run = run_null(
        problem,
        test,
        n,
        n_jobs=n_jobs,
        rule=rule,
        on_error=on_error,
        progress=progress,
        share_of=lambda null: as_good(null, original, higher).mean(axis=1),
    )
    notes += _notes(run, stop, risk, alpha)
    return PermutationResult(
        test=test,
        estimator=_name(estimator),
        metric=metric,
        higher_is_better=higher,
        original=original,
        null=run.null,
        n=n,
        alpha=alpha,
        stop=stop,
        ended=run.ended,
        settled=run.settled,
        failures=tuple(f.reason for f in run.failures.values()),
        notes=notes,
    )


def _problem(
    estimator: SupportsFit,
    X: object,
    y: ArrayLike,
    test: str,
    cv: object,
    scoring: object,
    seed: checks.Seed,
    groups: ArrayLike | None,
) -> tuple[PermutationProblem, str, tuple[str, ...]]:
    """Return everything checked, the metric's name, and what the reader should know."""
    _check_estimator(estimator)
    rows = _features(X)
    labels = _labels(y, rows.shape[0])
    classifies = _classifies(estimator, labels)
    if test == "columns" and not classifies:
        raise must(
            "y",
            f"have classes for {arg('test', 'columns')}, which permutes within them",
            "numbers",
        )
    members = None if groups is None else _groups(groups, len(labels))
    cv = check_cv(cv, len(labels), None if members is None else int(members.max()) + 1)
    codes, notes = _classes(labels, cv) if classifies else (None, ())
    scorer, metric = _scorer(scoring, classifies)
    unseeded = tuple(
        name
        for name, value in estimator.get_params(deep=True).items()
        if name.rsplit("__", 1)[-1] == "random_state" and value is None
    )
    problem = PermutationProblem(
        estimator, rows, labels, codes, cv, scorer, _entropy(seed), unseeded, members
    )
    return problem, metric, notes


def _groups(groups: ArrayLike, n: int) -> np.ndarray:
    values = np.asarray(groups)
    if values.shape != (n,):
        raise must_be("groups", f"an array of shape ({n},), one per row of X", values)
    names, codes = np.unique(values, return_inverse=True)
    if len(names) < 2:
        got = names.tolist()[0]
        raise must("groups", "have at least 2 groups", f"only {got!r}")
    return codes


def _classes(labels: np.ndarray, cv: object) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return classes as 0, 1, ..., and a note if one has fewer cases than there are folds."""
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        got = classes.tolist()[0]
        raise must("y", "have at least 2 classes", f"only {got!r}")
    sizes = np.bincount(codes)
    small = int(sizes.argmin())
    if not isinstance(cv, int) or sizes[small] >= cv:
        return codes, ()
    name = classes.tolist()[small]
    note = f"class {name!r} has {sizes[small]} cases for {cv} folds: some folds lack it"
    warn_user(note)
    return codes, (note,)


def _check_estimator(estimator: object) -> None:
    if importlib.util.find_spec("sklearn") is None:
        raise InputError("permutation_test needs scikit-learn. Run: pip install scikit-learn")
    if isinstance(estimator, type):
        raise must_be("estimator", "an instance", estimator)
    for method in ("fit", "get_params"):
        if not hasattr(estimator, method):
            raise must_be("estimator", f"a scikit-learn estimator with {method}()", estimator)


def _features(X: Any) -> Any:
    """Return X unchanged, lists as arrays."""
    if kind_of(X) == "sparse":
        return X.tocsr()
    X = X if hasattr(X, "iloc") else np.asarray(X)
    if len(X.shape) == 0 or X.shape[0] == 0:
        raise must("X", "have shape (n_cases, m)", f"shape {X.shape}")
    return X


def _labels(y: ArrayLike, n: int) -> np.ndarray:
    if y is None:
        raise must_be("y", "one label per case", None)
    labels = np.asarray(y)
    if labels.ndim != 1 or len(labels) != n:
        raise must_be("y", f"an array of shape ({n},), one label per row of X", labels)
    missing = np.asarray(pd.isna(labels))
    if missing.any():
        row = int(missing.argmax())
        raise must("y", "have a label in each row", f"none in row {row}")
    return np.array(labels.tolist()) if labels.dtype == object else labels


def _classifies(estimator: object, labels: np.ndarray) -> bool:
    from sklearn.base import is_classifier, is_regressor

    if is_classifier(estimator):
        return True
    return not is_regressor(estimator) and labels.dtype.kind != "f"


def _scorer(scoring: object, classifies: bool) -> tuple[Callable[..., float] | None, str]:
    """Return the scorer, None for the error rate, and the metric's name."""
    from sklearn.metrics import get_scorer, get_scorer_names

    if scoring is None:
        scoring = "error" if classifies else "r2"
    if callable(scoring):
        return scoring, getattr(scoring, "__name__", str(scoring))
    if isinstance(scoring, str) and scoring == "error" and classifies:
        return None, "error"
    if not isinstance(scoring, str) or scoring not in get_scorer_names():
        raise unknown_name("scoring", scoring, ["error", *get_scorer_names()])
    return get_scorer(scoring), str(scoring)


def _entropy(seed: checks.Seed) -> int:
    rng = checks.make_generator(seed)
    if isinstance(seed, np.random.Generator):
        return int(rng.integers(2**63 - 1))
    entropy = np.random.SeedSequence(seed).entropy
    assert isinstance(entropy, int | np.integer)
    return int(entropy)


def _notes(run: SimulatedStudy, stop: str | None, risk: float, alpha: float) -> tuple[str, ...]:
    notes = []
    if run.settled is not None:
        how = f"at a risk of {risk:g} (Gandy)" if stop == "gandy" else "for certain"
        notes.append(f"decision settled {how} after {run.settled.n} permutations")
    if run.failures:
        reason = next(iter(run.failures.values())).reason
        text = (
            f"the estimator failed on {len(run.failures)} of {len(run.null)} random data sets, "
            f"counted as at least as good as the original; first: {reason}"
        )
        warn_user(text)
        notes.append(text)
    if run.ended == "interrupted":
        notes.append("interrupted: the p-value is based on the permutations done")
    if run.settled is None and 1 / (len(run.null) + 1) > alpha:
        notes.append(f"{len(run.null)} permutations cannot give a p-value of {alpha:g} or less")
    return tuple(notes)


def _name(estimator: object) -> str:
    steps = getattr(estimator, "steps", None)
    return type(steps[-1][1] if steps else estimator).__name__
