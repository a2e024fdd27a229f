"""From tests on one data set to decisions, tables of them, wins and a ranking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from bayescmp.errors import unknown_name
from bayescmp.frequentist import anova, manova, pairwise_hotelling, pairwise_t, tukey
from bayescmp.frequentist.groups import WinsTable
from bayescmp.frequentist.multiplicity import adjust as adjust_p
from bayescmp.frequentist.results import PosthocResult, pairs_of
from bayescmp.scores.blocks import Blocks
from bayescmp.study.procedure.study import Study
from bayescmp.wording.references import SOURCES

# The tests on one data set at one threshold: omnibus, pairs, dimension.


#: Tests of pairs, by the number of metrics.
PAIRWISE = {"one": ("tukey", "t"), "several": ("hotelling", "two-sample")}


@dataclass(frozen=True, eq=False)
class DatasetDecision:
    """Results of the tests on one data set at one threshold.

    `method` is the omnibus test; `statistic`, `pvalue` and `adjusted`, (m,), are the pairs'.
    `rank` counts independent metrics, `dimension` (or None) the independent directions of
    difference.
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
    """Return the test of pairs: the one named, checked, or the one that fits."""
    known = PAIRWISE["one" if n_metrics == 1 else "several"]
    if name is None:
        return known[0]
    plain = str(name).strip().lower().replace("_", "-")
    if plain not in known:
        raise unknown_name(
            f"pairwise test for {'one metric' if n_metrics == 1 else 'several metrics'}",
            name,
            known,
            "pairwise",
        )
    return plain


def decide(
    blocks: Blocks, *, pairwise: str, adjust: str, rho: float, alpha: float
) -> DatasetDecision:
    """Test all algorithms at once, then each pair, on one data set.

    `pairwise` is one of `PAIRWISE`; `adjust` is for the pairs. `rho` is corrected for; `alpha`
    decides the dimension.
    """
    if np.all(blocks.x == blocks.x[0]):
        return _all_equal(blocks)
    if blocks.p == 1:
        return _one_metric(blocks, pairwise, adjust, rho)
    return _several_metrics(blocks, pairwise, adjust, rho, alpha)


def _all_equal(blocks: Blocks) -> DatasetDecision:
    """Decide when nothing differs on any fold: no test is needed (and none is defined)."""
    m = blocks.L * (blocks.L - 1) // 2
    ones = np.ones(m)
    dimension = 0 if blocks.p > 1 and blocks.L > 2 else None
    return DatasetDecision(
        "all scores are equal", 0.0, (np.nan, np.nan), 1.0, 0, np.zeros(m), ones, ones, dimension
    )


def _one_metric(blocks: Blocks, pairwise: str, adjust: str, rho: float) -> DatasetDecision:
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
        return DatasetDecision("paired t", t, (np.nan, blocks.n - 1.0), p, 1, *of_pairs)
    table = anova(x, rho=rho)
    return DatasetDecision("ANOVA", table.statistic, table.df, table.pvalue, 1, *of_pairs)


def _several_metrics(
    blocks: Blocks, pairwise: str, adjust: str, rho: float, alpha: float
) -> DatasetDecision:
    pairs = pairwise_hotelling(blocks, block=pairwise == "hotelling", rho=rho, adjust=adjust)
    of_pairs = pairs.statistic, pairs.pvalue, pairs.adjusted
    if blocks.L == 2:
        t2, p, df = (float(v[0]) for v in (pairs.statistic, pairs.pvalue, pairs.df2))
        rank = int(pairs.rank[0])
        return DatasetDecision("Hotelling T²", t2, (float(rank), df), p, rank, *of_pairs)
    table = manova(blocks, block=True, rho=rho)
    return DatasetDecision(
        "MANOVA, Wilks' Λ",
        table.statistic,
        table.wilks.df,
        table.pvalue,
        table.rank,
        *of_pairs,
        dimension=table.dimension(alpha),
    )


# Tables of a procedure's results, from the decisions on each data set and threshold.


#: Names of the tests of pairs, for results.
METHODS = {
    "tukey": ("Tukey test, blocked", "q"),
    "t": ("Pairwise paired t tests", "t"),
    "hotelling": ("Pairwise paired Hotelling T² tests", "T²"),
    "two-sample": ("Pairwise two-sample Hotelling T² tests", "T²"),
}


def _places(study: Study, repeats: int = 1) -> dict[str, np.ndarray]:
    """Return columns dataset and threshold, each place repeated; thresholds within data sets."""
    datasets = np.array(study.datasets, dtype=object)
    count = max(1, len(study.thresholds))
    columns = {"dataset": np.repeat(datasets, count * repeats)}
    if study.thresholds:
        columns["threshold"] = np.tile(np.repeat(study.thresholds, repeats), len(datasets))
    return columns


def _by_dataset(decisions: list[list[DatasetDecision]]) -> list[DatasetDecision]:
    """List decisions as the frames' rows are: thresholds within data sets."""
    return [d for column in zip(*decisions, strict=True) for d in column]


def omnibus_frame(
    study: Study, decisions: list[list[DatasetDecision]], rejects: np.ndarray
) -> pd.DataFrame:
    """Return the omnibus tests, one row each."""
    rows = _by_dataset(decisions)
    return pd.DataFrame(
        {
            **_places(study),
            "method": [d.method for d in rows],
            "statistic": [d.omnibus_statistic for d in rows],
            "df1": [d.omnibus_df[0] for d in rows],
            "df2": [d.omnibus_df[1] for d in rows],
            "pvalue": [d.omnibus_pvalue for d in rows],
            "reject": rejects.T.ravel(),
            "rank": [d.rank for d in rows],
        }
    )


def pairwise_frame(
    study: Study, decisions: list[list[DatasetDecision]], different: np.ndarray
) -> pd.DataFrame:
    """Return the tests of pairs, one row each, with the winners."""
    rows = _by_dataset(decisions)
    names = np.array(study.first_blocks.algorithms, dtype=object)
    first, second = pairs_of(len(names)).T
    frame = pd.DataFrame(
        {
            **_places(study, len(first)),
            "first": np.tile(names[first], len(rows)),
            "second": np.tile(names[second], len(rows)),
            "difference": np.nan,
            "statistic": np.concatenate([d.statistic for d in rows]),
            "pvalue": np.concatenate([d.pvalue for d in rows]),
            "adjusted": np.concatenate([d.adjusted for d in rows]),
            "different": different.swapaxes(0, 1).ravel(),
        }
    )
    if study.risk is None:
        return frame.assign(winner="")
    gain = (study.risk[..., first] - study.risk[..., second]).swapaxes(0, 1).ravel()
    winner = np.where(gain > 0, frame["second"], np.where(gain < 0, frame["first"], ""))
    return frame.assign(difference=gain, winner=np.where(frame["different"], winner, ""))


def dimension_frame(study: Study, decisions: list[list[DatasetDecision]]) -> pd.DataFrame | None:
    """Return the dimensions in which algorithms differ; None if it was not asked."""
    rows = _by_dataset(decisions)
    if rows[0].dimension is None:
        return None
    return pd.DataFrame({**_places(study), "dimension": [d.dimension for d in rows]})


def risk_frame(study: Study) -> pd.DataFrame | None:
    """Return mean risks, one column per algorithm; None without."""
    if study.risk is None:
        return None
    values = study.risk.swapaxes(0, 1).reshape(-1, study.risk.shape[-1])
    return pd.DataFrame(
        {**_places(study), **dict(zip(study.first_blocks.algorithms, values.T, strict=True))}
    )


def posthoc_results(
    study: Study, decisions: list[list[DatasetDecision]], test: str, adjust: str, corrected: bool
) -> tuple[tuple[PosthocResult, ...], ...]:
    """Return the tests of pairs in each place, as results that know their cliques."""
    shape = len(study.blocks), len(study.datasets), 1
    risk = study.risk if study.risk is not None else np.full(shape, np.nan)
    return tuple(
        tuple(_one_posthoc(b, d, r, test, adjust, corrected) for b, d, r in zip(*row, strict=True))
        for row in zip(study.blocks, decisions, risk, strict=True)
    )


def _one_posthoc(
    blocks: Blocks,
    decision: DatasetDecision,
    risk: np.ndarray,
    test: str,
    adjust: str,
    corrected: bool,
) -> PosthocResult:
    pairs = pairs_of(blocks.L)
    centres = risk if len(risk) == blocks.L else np.arange(1.0, blocks.L + 1)
    method, symbol = METHODS["t" if test == "tukey" and blocks.L == 2 else test]
    return PosthocResult(
        method=method,
        cites=SOURCES["hotelling"] if symbol == "T²" else (),
        adjust="tukey" if symbol == "q" else adjust,
        names=blocks.algorithms,
        pairs=pairs,
        difference=centres[pairs[:, 0]] - centres[pairs[:, 1]],
        statistic=decision.statistic,
        pvalue=decision.pvalue,
        adjusted=decision.adjusted,
        centres=centres,
        measure="mean risk" if len(risk) == blocks.L else "place in the table",
        low_is_best=True,
        n=blocks.n,
        symbol=symbol,
    ).of(blocks, folds=corrected)


# From decisions on pairs to wins: over thresholds, over data sets, to a ranking.


def beats(different: np.ndarray, risk: np.ndarray) -> np.ndarray:
    """Return the winners, (..., L, L): of `different` pairs, (..., m), the one of lower `risk`."""
    first, second = pairs_of(risk.shape[-1]).T
    won = np.zeros((*risk.shape, risk.shape[-1]), dtype=bool)
    won[..., first, second] = different & (risk[..., first] < risk[..., second])
    won[..., second, first] = different & (risk[..., second] < risk[..., first])
    return won


def right_tailed(wins: np.ndarray, losses: np.ndarray, n: int) -> np.ndarray:
    """Return p-values of right-tailed sign tests, ties split (Aslan 2009, section 4.6)."""
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
    """Do right-tailed sign tests over thresholds, on each data set and for both of each pair.

    `won` is (T, q, L, L); `adjust` is for the 2m tests on a data set. The frame has one row per
    data set and pair; the array, (q, L, L), marks the winners.
    """
    counts = won.sum(axis=0)
    first, second = pairs_of(len(algorithms)).T
    wins, losses = counts[:, first, second], counts[:, second, first]  # the first's, (q, m)
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
    """Sum wins (q, L, L) over data sets, with adjusted two-sided sign tests (None for one set)."""
    wins = WinsTable(
        wins=won.sum(axis=0),
        n_datasets=len(won),
        names=algorithms,
        total=won.any(axis=2).sum(axis=0),
        method="lower risk where a pair differs",
    )
    return wins, wins.sign_tests(adjust=adjust) if len(won) > 1 else None


def rank_algorithms(
    won: np.ndarray, risk: np.ndarray, algorithms: tuple[str, ...]
) -> pd.DataFrame:
    """Rank the algorithms by the data sets they win on, in `ProcedureResult.ranking`.

    `won` is (q, L, L), `risk` (q, L) the mean risk. The union of wins orders them (Aslan 2009,
    section 6.2).
    """
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
    """Return the smallest adjusted p-value of a two-sided sign test, if one always wins."""
    best = min(1.0, 2.0 * 0.5**n_datasets)
    return float(adjust_p(np.r_[best, np.ones(n_pairs - 1)], adjust)[0])
