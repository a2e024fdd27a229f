"""Runs with separate seeds: Welch, Mann-Whitney, Brunner-Munzel, Kruskal-Wallis."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from bayescmp.base.arguments import arg, must, must_be
from bayescmp.base.checks import (
    ROWS,
    Seed,
    check_vector,
    one_array,
    one_of,
    sided,
    validate_params,
)
from bayescmp.base.magnitudes import TIED
from bayescmp.frequentist.effects import NO_ERROR, cliffs_delta, standard_error, t_test
from bayescmp.frequentist.omnibus import merge
from bayescmp.frequentist.results import TestResult
from bayescmp.frequentist.signs import permute, tail_pvalue
from bayescmp.scores.differences import own_labels
from bayescmp.scores.frames import by_algorithm, is_labelled
from bayescmp.scores.pairing import NOT_PAIRED
from bayescmp.scores.runs import Runs
from bayescmp.wording.references import SOURCES


# Two algorithms whose runs have separate seeds: Welch, Mann-Whitney, Brunner-Munzel.
def welch(first: ArrayLike, second: ArrayLike, *, alternative: str = "two-sided") -> TestResult:
    """Perform Welch's t test of two algorithms whose runs do not pair.

    Parameters
    ----------
    first, second : array_like of shape (n,), (m,)
        Scores of runs with separate seeds, at least 2 each; higher is better.
    alternative : {"two-sided", "less", "greater"}
        "greater": the second's mean is higher.

    Returns
    -------
    TestResult
        ``estimate`` is the difference of means, second minus first, with its interval.

    Raises
    ------
    InputError
        Fewer than 2 scores in a sample, missing or infinite ones.

    See Also
    --------
    brunner_munzel, two_sample_permutation, corrected_t, bayescmp.bayesian.two_sample_t

    References
    ----------
    Welch 1947, Biometrika 34; Colas, Sigaud & Oudeyer 2019 (for reinforcement learning);
    ``scipy.stats.ttest_ind(equal_var=False)``.

    Examples
    --------
    >>> from bayescmp.frequentist import welch
    >>> round(welch([212, 180, 195, 201, 188], [230, 224, 199, 241, 218, 236]).pvalue, 4)
    0.0059
    """
    a, b = _samples(first, second, "welch", 2)
    errors = [standard_error(runs, 1 / len(runs), TIED) for runs in (a, b)]
    error = math.hypot(*errors)
    df = float(len(a) + len(b) - 2)
    if error > 0:  # in shares of the variance, whose squares neither overflow nor vanish
        df = 1 / sum((e / error) ** 4 / (len(v) - 1) for e, v in zip(errors, (a, b), strict=True))
    mean = float(b.mean() - a.mean())
    if not error and abs(mean) <= TIED * max(np.abs(a).max(), np.abs(b).max()):
        mean = 0.0
    return t_test(
        "Welch's t test",
        mean,
        error,
        df,
        alternative,
        n=len(a) + len(b),
        names=("first", "second"),
        notes=() if error else (NO_ERROR,),
        cites=SOURCES["welch"],
    )


#: How a p-value of ranks may be had.
METHODS = ("auto", "exact", "asymptotic")
#: The rank-sum distribution is exact where runs times those of the smaller sample are no more than
#: the first number (50 and 50 runs, 8 and 992), and up to the second if that is requested.
FEW_RUNS, MOST_RUNS = 8_000, 20_000


@validate_params(alternative=sided, method=one_of(*METHODS))
def mann_whitney(
    first: ArrayLike,
    second: ArrayLike,
    *,
    alternative: str = "two-sided",
    method: str = "auto",
) -> TestResult:
    """Perform a Mann-Whitney (Wilcoxon rank-sum) test of two algorithms whose runs do not pair.

    It tests that the two have the same distribution. If only their spreads differ, it may reject
    too often or too rarely, unlike `brunner_munzel`.

    Parameters
    ----------
    first, second : array_like of shape (n,), (m,)
        Scores of runs with separate seeds; higher is better.
    alternative : {"two-sided", "less", "greater"}
        "greater": the second tends to be higher.
    method : {"auto", "exact", "asymptotic"}
        "exact" is over all partitions of the runs, ties included; "asymptotic" is normal with a
        continuity correction. "auto" is exact up to 50 runs of each, or if one sample is small.

    Returns
    -------
    TestResult
        U counts pairs of runs in which the second is better, ties half; ``estimate`` is their
        share, A₁₂. A two-sided exact p-value is twice the smaller one-sided one.

    Raises
    ------
    InputError
        No scores, missing or infinite ones; too many runs for method="exact".

    See Also
    --------
    brunner_munzel, cliffs_delta, bayescmp.bayesian.two_sample_t

    References
    ----------
    Mann & Whitney 1947, Ann. Math. Stat. 18; Streitberg & Röhmel 1986, Statistical Software
    Newsletter 12 (exact with ties); ``scipy.stats.mannwhitneyu``.

    Examples
    --------
    >>> from bayescmp.frequentist import mann_whitney
    >>> round(mann_whitney([212, 180, 195, 201, 188], [230, 224, 199, 241, 218, 236]).pvalue, 3)
    0.017
    """
    a, b = _samples(first, second, "mann_whitney", 1, ranked=True)
    test = stats.mannwhitneyu(b, a, alternative=alternative, method="asymptotic")
    pvalue, how = float(test.pvalue), "p-value by the normal approximation"
    size = (len(a) + len(b)) * min(len(a), len(b))
    if method == "exact" and size > MOST_RUNS:
        raise must(
            "method",
            "not be 'exact' if there are too many cases to enumerate",
            f"{len(a)} and {len(b)} runs",
            f"Use {arg('method', 'asymptotic')}, which is accurate at that size.",
        )
    if method == "exact" or (method == "auto" and size <= FEW_RUNS):
        pvalue, how = _sum_pvalue(a, b, alternative), "exact p-value"
    u = float(test.statistic)
    result = _by_ranks("Mann-Whitney test", "U", u, pvalue, a, b, alternative, how)
    return replace(result, cites=SOURCES["mann_whitney"])


def _sum_pvalue(a: np.ndarray, b: np.ndarray, alternative: str) -> float:
    """Return the exact p-value of the second sample's rank sum over all partitions, with ties."""
    if len(a) < len(b):  # the smaller sample has fewer sums
        flipped = {"less": "greater", "greater": "less"}
        return _sum_pvalue(b, a, flipped.get(alternative, alternative))
    doubled = np.rint(2 * stats.rankdata([*a, *b])).astype(int)  # mean ranks end in .0 or .5
    doubled -= doubled.min()
    most = int(np.sort(doubled)[-len(b) :].sum())
    ways = np.zeros((len(b) + 1, most + 1))  # to choose so many runs with such a sum
    ways[0, 0] = 1.0
    for rank in doubled:
        ways[1:, rank:] += ways[:-1, : most + 1 - rank]
    return tail_pvalue(ways[-1] / ways[-1].sum(), int(doubled[len(a) :].sum()), alternative)


#: Brunner and Munzel's t distribution is a good approximation with so many runs or more.
ENOUGH_RUNS = 10


@validate_params(alternative=sided)
def brunner_munzel(
    first: ArrayLike, second: ArrayLike, *, alternative: str = "two-sided"
) -> TestResult:
    """Perform Brunner and Munzel's test that neither of two algorithms is better more often.

    Unlike the Mann-Whitney test, it allows spreads and shapes to differ.

    Parameters
    ----------
    first, second : array_like of shape (n,), (m,)
        Scores of runs with separate seeds, at least 2 each; higher is better.
    alternative : {"two-sided", "less", "greater"}
        "greater": the second tends to be higher.

    Returns
    -------
    TestResult
        With an approximate t distribution; below 10 runs of either a note reports this.
        ``estimate`` is A₁₂, the share of pairs of runs in which the second is better, ties half.

    Raises
    ------
    InputError
        Fewer than 2 scores in a sample, missing or infinite ones; samples that don't overlap.

    See Also
    --------
    cliffs_delta, welch, bayescmp.bayesian.two_sample_t

    References
    ----------
    Brunner & Munzel 2000, Biometrical Journal 42; ``scipy.stats.brunnermunzel``.

    Examples
    --------
    >>> from bayescmp.frequentist import brunner_munzel
    >>> round(brunner_munzel([212, 180, 195, 201, 188], [230, 224, 199, 241, 218, 236]).pvalue, 5)
    0.00054
    """
    a, b = _samples(first, second, "brunner_munzel", 2, ranked=True)
    if a.max() < b.min() or b.max() < a.min():
        raise must(
            "second",
            "overlap with first for brunner_munzel, which has no variance otherwise",
            hint="Use mann_whitney or two_sample_permutation.",
        )
    if np.ptp(np.concatenate([a, b])) == 0:
        raise must("first", "differ from second in a score, to rank", "equal scores")
    # SciPy's statistic and alternatives are positive if its second sample is the larger.
    side = {"less": "greater", "greater": "less"}.get(alternative, alternative)
    test = stats.brunnermunzel(a, b, alternative=side)
    few = (
        f"approximate p-value, from {len(a)} and {len(b)} runs only: mann_whitney gives the exact "
        "one of equal distributions"
    )
    notes = (few,) if min(len(a), len(b)) < ENOUGH_RUNS else ()
    t, pvalue = float(test.statistic), float(test.pvalue)
    return _by_ranks("Brunner-Munzel test", "t", t, pvalue, a, b, alternative, *notes)


def compare_runs(x: Runs, *, test: str) -> TestResult:
    """Do one of the tests above on the runs of two algorithms of a table."""
    tests = {"welch": welch, "mann_whitney": mann_whitney, "brunner_munzel": brunner_munzel}
    return replace(tests[test](x.first[0], x.second[0]), names=x.names, pairing=NOT_PAIRED)


# Runs of two algorithms, ranked together.


def _samples(
    first: ArrayLike, second: ArrayLike, test: str, least: int, *, ranked: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    return (
        check_vector(first, name="first", least=least, test=test, ranked=ranked),
        check_vector(second, name="second", least=least, test=test, ranked=ranked),
    )


def _by_ranks(
    method: str,
    symbol: str,
    statistic: float,
    p: float,
    a: np.ndarray,
    b: np.ndarray,
    side: str,
    *notes: str,
) -> TestResult:
    share = float((np.sign(b[:, None] - a).mean() + 1) / 2)
    return TestResult(
        method=method,
        statistic=statistic,
        pvalue=p,
        alternative=side,
        estimate=share,
        names=("first", "second"),
        n=len(a) + len(b),
        symbol=symbol,
        notes=(
            "estimate: the probability that a run of the second is better, ties counted half",
            *notes,
        ),
        effect=cliffs_delta(a, b) if min(len(a), len(b)) > 1 else None,
    )


# Several algorithms whose runs have separate seeds: the Kruskal-Wallis test.
@one_array(ROWS)
@validate_params(method=one_of(*METHODS))
def kruskal_wallis(
    samples: Sequence[ArrayLike] | Mapping[str, ArrayLike] | ArrayLike,
    *,
    names: Iterable[str] | None = None,
    method: str = "auto",
) -> TestResult:
    """Perform the Kruskal-Wallis test that several algorithms' runs have one distribution.

    Parameters
    ----------
    samples : sequence or mapping of array_like, or DataFrame with one column per algorithm
        Scores of each algorithm's runs, which may differ in number; higher is better.
    names : iterable of str, optional
        The algorithms, if samples has no labels.
    method : {"auto", "exact", "asymptotic"}
        Over all partitions of the runs, ties included, or by χ² with L - 1 degrees of freedom.
        "auto" is exact up to 8 runs of 3 algorithms, 3 of 4, 2 of 5.

    Returns
    -------
    TestResult
        χ², ties corrected for; ``estimate`` holds mean ranks among all runs, 1 the best.

    Raises
    ------
    InputError
        Fewer than 2 algorithms, bad scores, all equal; too many runs for method="exact".

    See Also
    --------
    mann_whitney, anova, friedman, bayescmp.bayesian.two_sample_t

    References
    ----------
    Kruskal & Wallis 1952, JASA 47; ``scipy.stats.kruskal``.

    Examples
    --------
    >>> from bayescmp.frequentist import kruskal_wallis
    >>> runs = [[212, 180, 195, 201], [230, 224, 199, 241], [205, 260, 251]]
    >>> round(kruskal_wallis(runs, names=["dqn", "sac", "ppo"]).pvalue, 3)
    0.084
    """
    own: tuple[str, ...] | None = None
    if isinstance(samples, Mapping):
        own, samples = tuple(map(str, samples)), list(samples.values())
    elif is_labelled(samples):
        samples, (own,) = by_algorithm(samples, "samples")
    if not isinstance(samples, (Sequence, np.ndarray)):
        raise must_be("samples", "the scores of each algorithm, in a list", samples)
    if len(samples) < 2:
        raise must("samples", "have at least 2 algorithms for kruskal_wallis", str(len(samples)))
    labels = own_labels("names", names, own, len(samples), "A")
    rows = [
        check_vector(row, name=f"samples, {label!r},", least=1, test="kruskal_wallis", ranked=True)
        for row, label in zip(samples, labels, strict=True)
    ]
    if np.ptp(np.concatenate(rows)) == 0:
        raise must("samples", "differ in a score, to rank", "equal scores")
    test = stats.kruskal(*rows)
    ranks = stats.rankdata(-np.concatenate(rows))
    groups = np.split(ranks, np.cumsum([len(r) for r in rows])[:-1])
    means = [group.mean() for group in groups]
    pvalue, how = float(test.pvalue), "p-value by the χ² approximation"
    cases = _count_cases([len(group) for group in groups])
    if method == "exact" and cases > MOST_CASES:
        raise must(
            "method",
            "not be 'exact' if there are too many cases to enumerate",
            f"{len(ranks)} runs of {len(rows)} algorithms",
            f"Use {arg('method', 'asymptotic')}.",
        )
    if method == "exact" or (method == "auto" and cases <= FEW_CASES):
        pvalue, how = _groups_pvalue(groups), "exact p-value"
    return TestResult(
        method="Kruskal-Wallis test",
        statistic=float(test.statistic),
        pvalue=pvalue,
        df=float(len(rows) - 1),
        estimate=np.array(means),
        names=labels,
        n=len(ranks),
        symbol="χ²",
        notes=(how,),
    )


#: Cases of the exact Kruskal-Wallis distribution, counted generously: at most so many by default,
#: and if it is requested.
FEW_CASES, MOST_CASES = 1e7, 1e8


def _count_cases(sizes: list[int]) -> float:
    """Bound the numbers of runs and sums of ranks of all groups but the largest, deal by deal."""
    n = sum(sizes)
    return math.prod([(m + 1) * (m * (n - m) / 2 + 1) for m in sorted(sizes)[:-1]], start=n)


def _groups_pvalue(groups: list[np.ndarray]) -> float:
    """Return P(Σ S²/n ≥ the one observed) over all partitions; equal sizes and sums are merged."""
    *groups, last = sorted(groups, key=len)
    sizes, n, k = np.array([len(g) for g in groups]), len(last), len(groups)
    doubled = np.sort(np.rint(2 * np.concatenate([*groups, last])).astype(np.int64))
    states, ways = np.zeros((1, 2 * k), dtype=np.int64), np.ones(1)
    for dealt, rank in enumerate(doubled):
        parts = [dealt - states[:, :k].sum(axis=1) < n]
        parts += [states[:, g] < sizes[g] for g in range(k)]
        moved = [states[parts[0]]]
        for g, part in enumerate(parts[1:]):
            more = states[part]
            more[:, [g, k + g]] += [1, rank]
            moved.append(more)
        states = np.concatenate(moved)
        ways = np.concatenate([ways[part] for part in parts])
        states, ways = merge(states, states, ways / ways.max())
    sums = np.column_stack([states[:, k:], doubled.sum() - states[:, k:].sum(axis=1)])
    each = np.array([2 * g.sum() for g in (*groups, last)])
    spread, observed = ((s**2 / [*sizes, n]).sum(axis=-1) for s in (sums, each))
    reached = spread >= observed * (1 - 1e-12)  # equal up to rounding counts
    return float(ways[reached].sum() / ways.sum())


def two_sample_permutation(
    x: ArrayLike,
    y: ArrayLike,
    *,
    alternative: str = "two-sided",
    n: int = 9999,
    seed: Seed = None,
) -> TestResult:
    """Perform a permutation test of the means of two independent samples.

    Parameters
    ----------
    x, y : array_like of shape (k,), (m,)
        Scores of the first and the second algorithm, e.g. of runs with separate seeds.
    alternative : {"two-sided", "less", "greater"}
        "greater": the second's mean is higher.
    n : int
        Random partitions; all are used if they are no more than this.
    seed : int, Generator or None

    Returns
    -------
    TestResult
        The difference of means, second minus first. A two-sided p-value is twice the smaller
        one-sided one, at most 1, as in ``scipy.stats.permutation_test``; R's coin compares
        absolute differences.

    Raises
    ------
    InputError
        Fewer than 2 values in a sample, missing or infinite ones.

    See Also
    --------
    paired_permutation : For scores on the same data.

    References
    ----------
    Pitman 1937, JRSS Supplement 4; Phipson & Smyth 2010.

    Examples
    --------
    >>> from bayescmp.frequentist import two_sample_permutation
    >>> round(two_sample_permutation([212, 180, 195, 201], [230, 224, 199, 241]).pvalue, 3)
    0.086
    """
    first, second = (
        check_vector(v, name=s, test="two_sample_permutation") for v, s in ((x, "x"), (y, "y"))
    )
    gap = float(second.mean() - first.mean())
    cases = math.comb(len(first) + len(second), len(first)), "partitions"
    data = _centre_scores(second, first)
    method = "two-sample permutation test"
    test = permute(method, gap, data, _difference, cases, alternative, n, seed)
    return replace(test, symbol="difference")


def _difference(x: np.ndarray, y: np.ndarray, axis: int) -> np.ndarray:
    return np.asarray(np.mean(x, axis=axis) - np.mean(y, axis=axis))


def _centre_scores(*samples: np.ndarray) -> tuple[np.ndarray, ...]:
    """Shift scores to a common origin, so that an offset takes no digits; zeros if all equal."""
    both = np.concatenate(samples)
    equal = np.ptp(both) <= TIED * np.abs(both).max()
    return tuple(np.zeros(len(v)) if equal else v - np.median(both) for v in samples)
