"""From decisions on pairs to wins: over thresholds, over data sets, to a ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from bayescmp.frequentist.pairs.adjust import adjust as adjust_p
from bayescmp.frequentist.pairs.places import pairs_of
from bayescmp.frequentist.pairs.result import PosthocResult
from bayescmp.frequentist.wins import WinsTable

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "beats",
    "over_datasets",
    "over_thresholds",
    "ranking",
    "right_tailed",
    "smallest_pvalue",
]


def beats(different: np.ndarray, risk: np.ndarray) -> np.ndarray:
    """Who wins: the one of a significantly different pair whose risk is lower.

    Parameters
    ----------
    different : ndarray of bool, shape (..., m)
        Pairs in the order of `pairs_of`.
    risk : ndarray of shape (..., L)

    Returns
    -------
    ndarray of bool, shape (..., L, L)
        Whether the row's algorithm wins over the column's; neither does where risks are equal.
    """
    first, second = pairs_of(risk.shape[-1]).T
    won = np.zeros((*risk.shape, risk.shape[-1]), dtype=bool)
    won[..., first, second] = different & (risk[..., first] < risk[..., second])
    won[..., second, first] = different & (risk[..., second] < risk[..., first])
    return won


def right_tailed(wins: np.ndarray, losses: np.ndarray, n: int) -> np.ndarray:
    """P-values of right-tailed sign tests: does one win more often than it loses?

    Ties are split evenly, an odd one is dropped, as in `frequentist.sign_test`, of which this is
    the form for arrays.

    Parameters
    ----------
    wins, losses : ndarray of int, of one shape
    n : int
        Trials, ties included.

    Returns
    -------
    ndarray

    References
    ----------
    Aslan 2009, section 4.6.
    """
    half = (n - wins - losses) // 2
    return np.asarray(stats.binom.sf(wins + half - 1, wins + losses + 2 * half, 0.5))


def over_thresholds(
    won: np.ndarray,
    datasets: tuple[str, ...],
    algorithms: tuple[str, ...],
    *,
    alpha: float,
    adjust: str,
) -> tuple[pd.DataFrame, np.ndarray]:
    """Right-tailed sign tests over thresholds, on each data set and for both of each pair.

    Parameters
    ----------
    won : ndarray of bool, shape (T, q, L, L)
    datasets, algorithms : tuple of str
    alpha : float
    adjust : str
        Of the 2m tests on a data set.

    Returns
    -------
    frame : DataFrame
        One row per data set and pair.
    won : ndarray of bool, shape (q, L, L)
        Who wins on a data set.
    """
    import pandas as pd

    counts = won.sum(axis=0)
    first, second = pairs_of(len(algorithms)).T
    wins, losses = counts[:, first, second], counts[:, second, first]  # of the first, (q, m)
    raw = np.concatenate(
        [right_tailed(wins, losses, len(won)), right_tailed(losses, wins, len(won))], axis=1
    )
    adjusted = np.array([adjust_p(p, adjust) for p in raw])
    m = len(first)
    ahead, behind = adjusted[:, :m] <= alpha, adjusted[:, m:] <= alpha
    overall = np.zeros(counts.shape, dtype=bool)
    overall[:, first, second], overall[:, second, first] = ahead, behind
    names = np.array(algorithms, dtype=object)
    frame = pd.DataFrame(
        {
            "dataset": np.repeat(np.array(datasets, dtype=object), m),
            "first": np.tile(names[first], len(datasets)),
            "second": np.tile(names[second], len(datasets)),
            "wins_first": wins.ravel(),
            "wins_second": losses.ravel(),
            "ties": (len(won) - wins - losses).ravel(),
            "p_first": raw[:, :m].ravel(),
            "p_second": raw[:, m:].ravel(),
            "adjusted_first": adjusted[:, :m].ravel(),
            "adjusted_second": adjusted[:, m:].ravel(),
            "winner": np.where(ahead, names[first], np.where(behind, names[second], "")).ravel(),
        }
    )
    return frame, overall


def over_datasets(
    won: np.ndarray, algorithms: tuple[str, ...], *, adjust: str
) -> tuple[WinsTable, PosthocResult | None]:
    """Wins summed over data sets, and the two-sided sign tests on them.

    Parameters
    ----------
    won : ndarray of bool, shape (q, L, L)
    algorithms : tuple of str
    adjust : str
        Of the tests, over the pairs.

    Returns
    -------
    wins : WinsTable
    tests : PosthocResult or None
        None for one data set.
    """
    wins = WinsTable(
        wins=won.sum(axis=0),
        n_datasets=len(won),
        names=algorithms,
        total=won.any(axis=2).sum(axis=0),
        method="lower risk where a pair differs",
    )
    return wins, wins.sign_tests(adjust=adjust) if len(won) > 1 else None


def ranking(won: np.ndarray, risk: np.ndarray, algorithms: tuple[str, ...]) -> pd.DataFrame:
    """The algorithms from best to worst, by the data sets they win on.

    Parameters
    ----------
    won : ndarray of bool, shape (q, L, L)
    risk : ndarray of shape (q, L)
        Mean risks; over thresholds, their mean.
    algorithms : tuple of str

    Returns
    -------
    DataFrame
        As in `ProcedureResult.ranking`.

    References
    ----------
    Aslan 2009, section 6.2: the union of wins orders the algorithms.
    """
    import pandas as pd

    frame = pd.DataFrame(
        {
            "won": won.any(axis=2).sum(axis=0),
            "beats": won.sum(axis=(0, 2)),
            "beaten": won.sum(axis=(0, 1)),
            "mean_risk": risk.mean(axis=0),
            "mean_rank": stats.rankdata(risk, axis=1).mean(axis=0),
        },
        index=pd.Index(algorithms, name="algorithm"),
    )
    lead = frame["beats"] - frame["beaten"]
    order = np.lexsort((frame["mean_rank"], -lead, -frame["won"]))
    return frame.iloc[order]


def smallest_pvalue(n_datasets: int, n_pairs: int, adjust: str) -> float:
    """The smallest adjusted p-value that a two-sided sign test can give: one wins throughout."""
    best = min(1.0, 2.0 * 0.5**n_datasets)
    return float(adjust_p(np.r_[best, np.ones(n_pairs - 1)], adjust)[0])
