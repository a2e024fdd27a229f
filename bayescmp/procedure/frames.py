"""Tables of a procedure's results, from the decisions on each data set and threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayescmp.blocks import Blocks
from bayescmp.frequentist.pairs.places import pairs_of
from bayescmp.frequentist.pairs.result import PosthocResult
from bayescmp.procedure.decisions import Decision
from bayescmp.procedure.study import Study

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["dimension_frame", "omnibus_frame", "pairwise_frame", "posthoc_results", "risk_frame"]

#: Names of the tests of pairs, for results.
METHODS = {
    "tukey": ("Tukey test, blocked", "q"),
    "t": ("Pairwise paired t tests", "t"),
    "hotelling": ("Pairwise paired Hotelling T² tests", "T²"),
    "two-sample": ("Pairwise two-sample Hotelling T² tests", "T²"),
}


def _places(study: Study, repeats: int = 1) -> dict[str, np.ndarray]:
    """Columns dataset and threshold, each place repeated; thresholds within data sets."""
    datasets = np.array(study.datasets, dtype=object)
    count = max(1, len(study.thresholds))
    columns = {"dataset": np.repeat(datasets, count * repeats)}
    if study.thresholds:
        columns["threshold"] = np.tile(np.repeat(study.thresholds, repeats), len(datasets))
    return columns


def _by_dataset(decisions: list[list[Decision]]) -> list[Decision]:
    """In the order of the frames' rows: thresholds within data sets."""
    return [d for column in zip(*decisions, strict=True) for d in column]


def omnibus_frame(
    study: Study, decisions: list[list[Decision]], rejects: np.ndarray
) -> pd.DataFrame:
    """The omnibus tests, one row each."""
    import pandas as pd

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
    study: Study, decisions: list[list[Decision]], different: np.ndarray
) -> pd.DataFrame:
    """The tests of pairs, one row each, with the winners."""
    import pandas as pd

    rows = _by_dataset(decisions)
    names = np.array(study.first.algorithms, dtype=object)
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


def dimension_frame(study: Study, decisions: list[list[Decision]]) -> pd.DataFrame | None:
    """The dimensions in which algorithms differ; None if it was not asked."""
    import pandas as pd

    rows = _by_dataset(decisions)
    if rows[0].dimension is None:
        return None
    return pd.DataFrame({**_places(study), "dimension": [d.dimension for d in rows]})


def risk_frame(study: Study) -> pd.DataFrame | None:
    """Mean risks, one column per algorithm; None without."""
    import pandas as pd

    if study.risk is None:
        return None
    values = study.risk.swapaxes(0, 1).reshape(-1, study.risk.shape[-1])
    return pd.DataFrame(
        {**_places(study), **dict(zip(study.first.algorithms, values.T, strict=True))}
    )


def posthoc_results(
    study: Study, decisions: list[list[Decision]], test: str, adjust: str, corrected: bool
) -> tuple[tuple[PosthocResult, ...], ...]:
    """The tests of pairs in each place, as results that know their cliques."""
    shape = len(study.blocks), len(study.datasets), 1
    risk = study.risk if study.risk is not None else np.full(shape, np.nan)
    return tuple(
        tuple(_one_posthoc(b, d, r, test, adjust, corrected) for b, d, r in zip(*row, strict=True))
        for row in zip(study.blocks, decisions, risk, strict=True)
    )


def _one_posthoc(
    blocks: Blocks, decision: Decision, risk: np.ndarray, test: str, adjust: str, corrected: bool
) -> PosthocResult:
    pairs = pairs_of(blocks.L)
    centres = risk if len(risk) == blocks.L else np.arange(1.0, blocks.L + 1)
    method, symbol = METHODS["t" if test == "tukey" and blocks.L == 2 else test]
    return PosthocResult(
        method=method,
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
