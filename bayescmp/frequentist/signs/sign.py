"""Sign test on the data sets won and lost."""

from __future__ import annotations

from functools import partial

from scipy import stats

from bayescmp import checks
from bayescmp.errors import InputError
from bayescmp.frequentist.results import TestResult

__all__ = ["sign_test"]


def sign_test(
    wins: int,
    losses: int,
    ties: int = 0,
    *,
    alternative: str = "two-sided",
    tie_method: str = "split",
) -> TestResult:
    """Sign test on the data sets won and lost: exact binomial.

    Parameters
    ----------
    wins, losses, ties : int
        Data sets on which the second algorithm did better, worse, and neither.
    alternative : {"two-sided", "less", "greater"}
        "greater" is right-tailed: more wins than losses.
    tie_method : {"split", "drop"}
        Ties are split evenly between the two sides, an odd one being dropped (Demšar 2006; Aslan
        2009); or all dropped.

    Returns
    -------
    TestResult
        The statistic is the number of wins after the split, ``n`` the trials left, ``estimate``
        the share of wins with its Clopper-Pearson interval. If no trial is left, p is 1.

    Raises
    ------
    InputError
        Counts that are not integers >= 0, or all zero.

    See Also
    --------
    wilcoxon : Uses the size of the differences too.
    bayescmp.bayesian.sign : The Bayesian twin, with a rope.

    References
    ----------
    Sheskin 2003, test 9; Aslan 2009, eq. 4.91; Demšar 2006, JMLR 7, sec. 3.1.4.

    Examples
    --------
    C4.5 with tuned leaf sizes beats C4.5 on 10 data sets, loses on 2 and ties on 2 (Demšar 2006):

    >>> from bayescmp.frequentist import sign_test
    >>> print(sign_test(10, 2, 2))
    sign test: first vs second
      wins = 11, n = 14, p = 0.0574
      estimate 0.7857, 95 % interval 0.492 to 0.9534
      2 ties split evenly
    """
    wins = checks.whole("wins", wins, least=0)
    losses = checks.whole("losses", losses, least=0)
    ties = checks.whole("ties", ties, least=0)
    checks.choice("alternative", alternative, checks.ALTERNATIVES)
    checks.choice("tie_method", tie_method, ("split", "drop"))
    if not wins + losses + ties:
        raise InputError("wins, losses and ties are all 0; the sign test needs at least 1")
    half = ties // 2 if tie_method == "split" else 0
    won, n = wins + half, wins + losses + 2 * half
    binomial = stats.binomtest(won, n, 0.5, alternative=alternative) if n else None
    return TestResult(
        method="sign test",
        statistic=float(won),
        pvalue=float(binomial.pvalue) if binomial else 1.0,
        alternative=alternative,
        estimate=won / n if n else 0.5,
        names=("first", "second"),
        n=n,
        symbol="wins",
        notes=_tie_notes(ties, half),
        interval=partial(_clopper_pearson, won, n, alternative) if n else None,
    )


def _tie_notes(ties: int, half: int) -> tuple[str, ...]:
    notes = []
    if half:
        notes.append(f"{2 * half} ties split evenly")
    if ties - 2 * half:
        notes.append(f"{ties - 2 * half} dropped")
    return tuple(notes)


def _clopper_pearson(won: int, n: int, alternative: str, level: float) -> tuple[float, float]:
    interval = stats.binomtest(won, n, 0.5, alternative=alternative).proportion_ci(
        level, method="exact"
    )
    return float(interval.low), float(interval.high)
