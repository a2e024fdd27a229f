"""The tests on one data set at one threshold: omnibus, pairs, dimension."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bayescmp.blocks import Blocks
from bayescmp.errors import unknown_name
from bayescmp.frequentist import anova, manova, pairwise_hotelling, pairwise_t, tukey

__all__ = ["PAIRWISE", "Decision", "decide", "pairwise_of"]

#: Tests of pairs, by the number of metrics.
PAIRWISE = {"one": ("tukey", "t"), "several": ("hotelling", "two-sample")}


@dataclass(frozen=True, eq=False)
class Decision:
    """What the tests on one data set at one threshold found.

    Attributes
    ----------
    method : str
        The omnibus test.
    omnibus_statistic, omnibus_pvalue : float
    omnibus_df : (float, float)
    rank : int
        Independent metrics.
    statistic, pvalue, adjusted : ndarray of shape (m,)
        Of the pairs.
    dimension : int or None
        Independent directions in which the algorithms differ; None where it is not asked (fewer
        than three algorithms or two metrics).
    """

    method: str
    omnibus_statistic: float
    omnibus_df: tuple[float, float]
    omnibus_pvalue: float
    rank: int
    statistic: np.ndarray
    pvalue: np.ndarray
    adjusted: np.ndarray
    dimension: int | None = None


def pairwise_of(name: str | None, *, n_metrics: int) -> str:
    """The test of pairs: the one named, checked, or the one that fits.

    Parameters
    ----------
    name : str or None
    n_metrics : int

    Returns
    -------
    str

    Raises
    ------
    InputError
        Unknown, or one for another number of metrics.
    """
    known = PAIRWISE["one" if n_metrics == 1 else "several"]
    if name is None:
        return known[0]
    plain = str(name).strip().lower().replace("_", "-")
    if plain not in known:
        raise unknown_name(
            f"pairwise test for {'one metric' if n_metrics == 1 else 'several metrics'}",
            name,
            known,
        )
    return plain


def decide(blocks: Blocks, *, pairwise: str, adjust: str, rho: float, alpha: float) -> Decision:
    """Test all algorithms at once, then each pair.

    Parameters
    ----------
    blocks : Blocks
        Scores on one data set.
    pairwise : str
        One of `PAIRWISE`.
    adjust : str
        Of the pairs' p-values; Tukey's test adjusts by itself.
    rho : float
        Correlation of folds that is corrected for; 0 gives the plain tests.
    alpha : float
        Level at which the dimension is decided.

    Returns
    -------
    Decision
    """
    if np.all(blocks.x == blocks.x[0]):
        return _all_equal(blocks)
    if blocks.p == 1:
        return _one_metric(blocks, pairwise, adjust, rho)
    return _several_metrics(blocks, pairwise, adjust, rho, alpha)


def _all_equal(blocks: Blocks) -> Decision:
    """Nothing differs on any fold: no test is needed (and none is defined)."""
    m = blocks.L * (blocks.L - 1) // 2
    ones = np.ones(m)
    dimension = 0 if blocks.p > 1 and blocks.L > 2 else None
    return Decision(
        "all scores are equal", 0.0, (np.nan, np.nan), 1.0, 0, np.zeros(m), ones, ones, dimension
    )


def _one_metric(blocks: Blocks, pairwise: str, adjust: str, rho: float) -> Decision:
    x = blocks.x[..., 0]
    options: dict[str, Any] = {
        "rho": rho,
        "names": blocks.algorithms,
        "lower_is_better": blocks.lower_is_better[0],
    }
    if pairwise == "tukey" and blocks.L > 2:
        pairs = tukey(x, **options)
    else:
        pairs = pairwise_t(x, adjust=adjust, **options)
    of_pairs = pairs.statistic, pairs.pvalue, pairs.adjusted
    if blocks.L == 2:
        t, p = float(pairs.statistic[0]), float(pairs.pvalue[0])
        return Decision("paired t", t, (np.nan, blocks.n - 1.0), p, 1, *of_pairs)
    table = anova(x, rho=rho)
    return Decision("ANOVA", table.statistic, table.df, table.pvalue, 1, *of_pairs)


def _several_metrics(
    blocks: Blocks, pairwise: str, adjust: str, rho: float, alpha: float
) -> Decision:
    pairs = pairwise_hotelling(blocks, block=pairwise == "hotelling", rho=rho, adjust=adjust)
    of_pairs = pairs.statistic, pairs.pvalue, pairs.adjusted
    if blocks.L == 2:
        t2, p, df = (float(v[0]) for v in (pairs.statistic, pairs.pvalue, pairs.df2))
        rank = int(pairs.rank[0])
        return Decision("Hotelling T²", t2, (float(rank), df), p, rank, *of_pairs)
    table = manova(blocks, block=True, rho=rho)
    return Decision(
        "MANOVA, Wilks' Λ",
        table.statistic,
        table.wilks.df,
        table.pvalue,
        table.rank,
        *of_pairs,
        dimension=table.dimension(alpha),
    )
