"""Right and wrong answers: McNemar's and Cochran's tests."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from bayescmp.base import checks
from bayescmp.base.arguments import arg, must, must_be
from bayescmp.base.checks import check_paired, flag, one_of, sided, validate_params
from bayescmp.errors import unknown_name
from bayescmp.frequentist.omnibus import MOST_PERMUTED, exact_pvalue
from bayescmp.frequentist.ranks import FEW_BLOCKS, few_note
from bayescmp.frequentist.results import TestResult
from bayescmp.frequentist.signs import share_interval
from bayescmp.items.pair import ItemPair
from bayescmp.scores.blocks import Blocks
from bayescmp.scores.frames import arrange, is_labelled, pair_of
from bayescmp.wording.references import SOURCES
from bayescmp.wording.text import format_count


@validate_params(method=one_of("exact", "midp", "chi2"), alternative=sided, correction=flag)
def mcnemar(
    first: ArrayLike | ItemPair,
    second: ArrayLike | None = None,
    *,
    method: str = "exact",
    alternative: str = "two-sided",
    correction: bool = False,
) -> TestResult:
    """Perform McNemar's test: do two algorithms answer the same items right equally often?

    Only items that one of them answers right and the other wrong count. Items have to be
    independent and unseen in training; the result is about other items, not about other training
    sets.

    Parameters
    ----------
    first, second : array_like of bool, shape (n,)
        Whether each answered each item right; or only ``first``, counts [[both, only first], [only
        second, neither]], a DataFrame with one column per algorithm, or an `ItemPair`.
    method : {"exact", "midp", "chi2"}
        Binomial test of the items on which they differ; the same with half of the observed
        probability, less conservative; or the χ² approximation (two-sided).
    alternative : {"two-sided", "less", "greater"}
        "greater": the second is right more often.
    correction : bool
        Edwards's continuity correction, for "chi2".

    Returns
    -------
    TestResult
        The statistic counts items that only the second answers right (or is χ²), ``estimate`` is
        their share of the ``n`` items on which the two differ. Without any, p is 1.

    Raises
    ------
    InputError
        Samples of differing length, values other than right and wrong, a bad table of counts, a
        one-sided χ².

    See Also
    --------
    cochran_q, correct_items, bayescmp.bayesian.confusion

    References
    ----------
    McNemar 1947, Psychometrika 12; Edwards 1948, Psychometrika 13; Fagerland, Lydersen & Laake
    2013, BMC Medical Research Methodology 13 (mid-p); Dietterich 1998, sec. 3.1.

    Examples
    --------
    >>> from bayescmp.frequentist import mcnemar
    >>> round(mcnemar([[40, 5], [14, 25]]).pvalue, 3)
    0.064
    >>> round(mcnemar([[40, 5], [14, 25]], method="midp").pvalue, 4)
    0.0414
    """
    if method == "chi2" and alternative != "two-sided":
        raise must_be(
            "alternative",
            f"'two-sided' with {arg('method', 'chi2')}, which has no direction",
            alternative,
            f"For one side use {arg('method', 'exact')}.",
        )
    if correction and method != "chi2":
        raise must_be("method", f"'chi2' with {arg('correction', True)}", method)
    names = ("first", "second")
    if isinstance(first, ItemPair):
        names, counts = first.names, first.counts()
    elif is_labelled(first) and np.shape(first) == (2, 2):
        counts = counts_of(first, second)
    elif second is None and (pair := pair_of(first, "first", "block")):
        names, counts = pair[1], counts_of(*pair[0].T)
    else:
        counts = counts_of(first, second)
    lost, won = int(counts[0, 1]), int(counts[1, 0])
    n = lost + won
    statistic, pvalue = _mcnemar(won, n, method, alternative, correction)
    return TestResult(
        method="McNemar test" + {"exact": ", exact", "midp": ", mid-p", "chi2": ""}[method],
        cites=SOURCES["mcnemar"],
        statistic=statistic,
        pvalue=pvalue,
        df=1.0 if method == "chi2" else None,
        alternative=alternative,
        estimate=won / n if n else 0.5,
        names=names,
        n=n,
        symbol="χ²" if method == "chi2" else "right",
        notes=(f"right only for the first {lost}, only for the second {won}",),
        interval=partial(share_interval, won, n, alternative) if n else None,
    )


def cochran_q(correct: ArrayLike | Blocks, *, names: Iterable[str] | None = None) -> TestResult:
    """Perform Cochran's Q test: do several algorithms answer the same items right equally often?

    Parameters
    ----------
    correct : array_like of bool, shape (n, L), DataFrame with one column per algorithm, or Blocks
        Whether each item was answered right; items as in `mcnemar`.
    names : iterable of str, optional

    Returns
    -------
    TestResult
        χ² with L - 1 degrees of freedom. ``n`` counts the items that some but not all algorithms
        answer right; the notes give the shares of right answers. With fewer than 8 of these items,
        and at most 8 algorithms, the p-value is exact, over all permutations of the answers to
        each item.

    Raises
    ------
    InputError
        Fewer than 2 algorithms, values other than right and wrong, no item on which they differ.

    See Also
    --------
    mcnemar, correct_items, friedman, bayescmp.bayesian.confusion

    References
    ----------
    Cochran 1950, Biometrika 37.

    Examples
    --------
    >>> from bayescmp.frequentist import cochran_q
    >>> correct = [
    ...     [1, 1, 1], [0, 1, 1], [0, 0, 1], [1, 1, 1], [0, 1, 1], [0, 0, 1], [0, 0, 0], [0, 1, 1],
    ... ]
    >>> round(cochran_q(correct, names=["tree", "bayes", "knn"]).pvalue, 3)
    0.025
    """
    if isinstance(correct, Blocks):
        correct = pd.DataFrame(correct.x[..., 0].T, columns=correct.algorithms)
    cells, (_, own) = arrange(correct, "correct", "block", "algorithm")
    right, labels = _answers(cells, "correct", 2), names
    if own is not None:
        order = checks.find_places("algorithm", own if names is None else names, own, "names")
        right, labels = right[:, order], [own[i] for i in order]
    n, L = right.shape
    if L < 2:
        raise must("correct", "have at least 2 columns for cochran_q, one per algorithm", "1")
    algorithms = checks.check_labels("names", labels, L, "A")
    rows, columns = right.sum(axis=1), right.sum(axis=0)
    spread = float(np.sum(rows * (L - rows)))
    if spread == 0:
        raise must("correct", "have an item that only some algorithms get right", "none")
    q = L * (L - 1) * float(np.sum((columns - columns.mean()) ** 2)) / spread
    differing = right[(rows > 0) & (rows < L)].astype(float)
    pvalue = float(stats.chi2.sf(q, L - 1))
    notes: tuple[str, ...] = ()
    if len(differing) < FEW_BLOCKS and L <= MOST_PERMUTED:
        pvalue, notes = exact_pvalue(differing), ("exact permutation p-value",)
    elif len(differing) < FEW_BLOCKS:
        notes = (few_note(len(differing), unit="item"),)
    shares = ", ".join(f"{a} {c / n:.3f}" for a, c in zip(algorithms, columns, strict=True))
    return TestResult(
        method="Cochran's Q test",
        statistic=q,
        pvalue=pvalue,
        df=float(L - 1),
        names=algorithms,
        n=len(differing),
        symbol="Q",
        notes=(f"right answers: {shares}", *notes),
    )


def correct_items(
    predictions: pd.DataFrame, *, dataset: str | None = None, repeat: int | None = None
) -> pd.DataFrame:
    """Return which items each algorithm answers right, from the predictions of an experiment.

    Parameters
    ----------
    predictions : DataFrame
        One row per prediction: columns dataset, algorithm, repeat, item, truth and predicted, as
        `bayescmp.run_experiment` keeps them with ``keep_predictions=True``.
    dataset : str, optional
        May be left out if there is only one.
    repeat : int, optional
        Of cross-validation, the first by default: several repeats are not independent units.

    Returns
    -------
    DataFrame of bool
        One row per item and one column per algorithm.

    Raises
    ------
    InputError
        Missing columns, an unknown data set or repeat, items that not all algorithms answered.

    See Also
    --------
    mcnemar, cochran_q, bayescmp.bayesian.confusion

    Examples
    --------
    >>> import pandas as pd
    >>> from bayescmp.frequentist import correct_items
    >>> predictions = pd.DataFrame({
    ...     "dataset": "wine", "repeat": 1, "algorithm": ["tree"] * 3 + ["knn"] * 3,
    ...     "item": [0, 1, 2] * 2, "truth": [0, 1, 1] * 2, "predicted": [0, 0, 1, 0, 1, 1],
    ... })
    >>> correct_items(predictions).to_numpy().tolist()
    [[True, True], [False, True], [True, True]]
    """
    if not hasattr(predictions, "columns"):
        hint = f"Pass run_experiment(..., {arg('keep_predictions', True)}).predictions."
        raise must_be("predictions", "a DataFrame", predictions, hint)
    needed = ("dataset", "algorithm", "repeat", "item", "truth", "predicted")
    for column in needed:
        if column not in predictions.columns:
            raise unknown_name("column of predictions", column, predictions.columns, "predictions")
    part = _choose_rows(predictions, "dataset", dataset)
    part = _choose_rows(part, "repeat", part["repeat"].min() if repeat is None else repeat)
    right = part.assign(right=part["truth"] == part["predicted"])
    if right.duplicated(["algorithm", "item"]).any():
        raise must("predictions", "have each item once for each algorithm", "an item twice")
    table = right.pivot(index="item", columns="algorithm", values="right")
    table = table[list(dict.fromkeys(part["algorithm"]))]
    if table.isna().to_numpy().any():
        missing = format_count(table.isna().any(axis=1).sum(), "item")
        every = "have every algorithm's prediction of every item"
        raise must("predictions", every, f"{missing} without one")
    return table.astype(bool)


# Right and wrong answers, counted.


def _choose_rows(frame: pd.DataFrame, column: str, value: object) -> pd.DataFrame:
    known = list(dict.fromkeys(frame[column]))
    if value is None and len(known) == 1:
        return frame
    if value is None:
        raise must(
            column,
            "be given if there are several",
            hint=f"predictions has {len(known)}: {known[0]!r}, ...",
        )
    if getattr(value, "ndim", 0) or value not in known:
        raise unknown_name(column, value, known)
    return frame[frame[column] == value]


def _answers(values: ArrayLike, name: str, dimensions: int) -> np.ndarray:
    right = checks.read_numbers(values, name, "right or wrong, 1 or 0")
    if right.ndim != dimensions or not len(right):
        shape = "(n,)" if dimensions == 1 else "(n, L), one row per item"
        raise must(name, f"have shape {shape}", f"shape {right.shape}")
    wrong = ~np.isin(right, (0.0, 1.0))
    if wrong.any():
        raise must_be(name, "1 for right or 0 for wrong", right[wrong][0])
    return right.astype(int)


def counts_of(first: ArrayLike, second: ArrayLike | None = None) -> np.ndarray:
    """Count items by correctness: [[both, only first], [only second, neither]]."""
    if second is None:
        table = checks.read_numbers(first, "first", "a table of counts, (2, 2)")
        counts = bool(np.all(np.isfinite(table)) and np.all(table >= 0) and np.all(table % 1 == 0))
        if table.shape != (2, 2) or not counts:
            accepted = "a table of counts, [[both, only first], [only second, neither]]"
            hint = "Else pass two arrays of right and wrong."
            raise must_be("first", accepted, first, hint)
        return table.astype(int)
    check_paired(first=first, second=second)
    a, b = _answers(first, "first", 1), _answers(second, "second", 1)
    if len(a) != len(b):
        raise must("second", f"have as many items as first, {len(a)}", str(len(b)))
    return np.array([[np.sum(a & b), np.sum(a > b)], [np.sum(b > a), np.sum((a | b) == 0)]])


def _mcnemar(
    won: int, n: int, method: str, alternative: str, correction: bool
) -> tuple[float, float]:
    if method == "chi2":
        gap = abs(2 * won - n)
        chi2 = max(gap - correction, 0) ** 2 / n if n else 0.0
        return chi2, float(stats.chi2.sf(chi2, 1))
    if n == 0:
        return 0.0, 1.0
    p = float(stats.binomtest(won, n, 0.5, alternative=alternative).pvalue)
    if method == "midp":
        at = float(stats.binom.pmf(won, n, 0.5))
        if alternative == "two-sided":  # twice the tail with half of the point: 1 at the middle
            p = 1.0 if 2 * won == n else p - at
        else:
            p -= at / 2
    return float(won), p
