"""Rankings, complete or partial, with ties: from scores, tables of ranks, or lists of names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bayescmp import checks
from bayescmp.bayesian.joint.table import FoldTable, read_table
from bayescmp.bayesian.rankings.wins import check_linked, local_width, spreads
from bayescmp.errors import InputError
from bayescmp.metrics import Direction
from bayescmp.scores import Scores
from bayescmp.steps import ROUNDING
from bayescmp.text import counted

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["UNRANKED", "RankTable", "read_rankings"]

#: What it means that an algorithm is not in a ranking.
UNRANKED = ("absent", "last")
ACCEPTED = (
    "Scores; a frame of ranks, one row a ranking, one column an algorithm; or a list of rankings, "
    "each a list of names from the best on, in which a tuple of names is a tie"
)


@dataclass(frozen=True, eq=False)
class RankTable:
    """Rankings of L algorithms, the same ones counted.

    Attributes
    ----------
    algorithms : tuple of str
    places : ndarray of int, shape (R, L)
        1 the best, 2 those after it, ...; tied ones have the same place, 0 is not in the ranking.
    counts : ndarray of int, shape (R,)
        How often each ranking was seen.
    censored : ndarray of bool, shape (R,)
        Whether the last place holds algorithms of which only is known that they are below.
    metric : str
    directions : tuple of Direction
        The metric that decided, where scores were ranked.
    """

    algorithms: tuple[str, ...]
    places: np.ndarray
    counts: np.ndarray
    censored: np.ndarray
    metric: str = ""
    directions: tuple[Direction, ...] = ()

    @classmethod
    def of(
        cls, algorithms: tuple[str, ...], ranks: np.ndarray, unranked: str = "absent"
    ) -> RankTable:
        """From ranks (R, L), lower is better, NaN where an algorithm is not ranked."""
        seen = ~np.isnan(ranks)
        places = np.zeros(ranks.shape, dtype=int)
        for row, there, place in zip(ranks, seen, places, strict=True):
            place[there] = np.unique(row[there], return_inverse=True)[1] + 1
        censored = ~seen.all(axis=1) & (unranked == "last")
        places = np.where(censored[:, None] & ~seen, places.max(axis=1)[:, None] + 1, places)
        rows, counts = np.unique(np.column_stack([censored, places]), axis=0, return_counts=True)
        return cls(algorithms, rows[:, 1:], counts, rows[:, 0].astype(bool))

    @property
    def total(self) -> int:
        """Number of rankings."""
        return int(self.counts.sum())

    @property
    def tie_sizes(self) -> tuple[int, ...]:
        """How many tied where any did, in rising order."""
        last = self.places.max(axis=1) - self.censored
        sizes = {
            int((row == place).sum())
            for row, top in zip(self.places, last, strict=True)
            for place in range(1, top + 1)
        }
        return tuple(sorted(sizes - {1}))


def read_rankings(
    source: object, *, metric: str | None = None, local_rope: float = 0.0, unranked: str = "absent"
) -> RankTable:
    """Check rankings, in any of their forms.

    Parameters
    ----------
    source : Scores, DataFrame or sequence of sequences of str
    metric, local_rope, unranked
        As for `plackett_luce`.

    Raises
    ------
    InputError
        Another form, ranks below one, names twice, a ranking of one algorithm, algorithms that no
        chain of rankings links.
    """
    checks.choice("unranked", unranked, UNRANKED)
    width = local_width(local_rope)
    if isinstance(source, Scores):
        table = read_table(source, metric=metric, rho=0.0, test="the Plackett-Luce model")
        ranks = np.array([_ranks_of_scores(table, i, width) for i in range(table.q)])
        rankings = replace(
            RankTable.of(table.algorithms, ranks, unranked),
            metric=table.metric,
            directions=table.directions,
        )
    else:
        algorithms, ranks = _read(source)
        _check_rows(ranks, 1 if unranked == "last" else 2)
        rankings = replace(RankTable.of(algorithms, ranks, unranked), metric=metric or "")
    _check_size(rankings)
    return rankings


def _read(source: object) -> tuple[tuple[str, ...], np.ndarray]:
    """Names and ranks (R, L) of a frame or of lists."""
    import pandas as pd

    if isinstance(source, pd.DataFrame):
        return _ranks_of_frame(source)
    if isinstance(source, str) or not isinstance(source, Iterable):
        raise InputError(f"rankings is a {type(source).__name__}; accepted: {ACCEPTED}")
    return _ranks_of_lists(list(source))


def _check_size(table: RankTable) -> None:
    if len(table.algorithms) < 2:
        raise InputError("rankings has fewer than two algorithms; accepted: two or more")
    there = table.places > 0
    check_linked(there.T.astype(int) @ there > 0, table.algorithms, "ranking")


def _ranks_of_scores(table: FoldTable, i: int, local_rope: float) -> np.ndarray:
    """Ranks on a data set; from the best down, all within the local rope of a tie's best join."""
    means, spread = table.means[i], spreads(table, i)
    slack = ROUNDING * np.nanmax(np.abs(means))
    ranks = np.full(len(means), np.nan)
    order = [int(k) for k in np.argsort(-means, kind="stable") if table.seen[i, k]]
    best, rank = order[0], 0
    for place, k in enumerate(order):
        if means[best] - means[k] > slack + local_rope * spread[best, k]:
            best, rank = k, place
        ranks[k] = rank
    return ranks


def _ranks_of_frame(frame: pd.DataFrame) -> tuple[tuple[str, ...], np.ndarray]:
    accepted = "ranks, 1 the best, and NaN or 0 where an algorithm is not ranked"
    ranks = checks.numbers(frame, "rankings", accepted)
    if ranks.ndim != 2 or 0 in ranks.shape:
        raise InputError(f"rankings has shape {ranks.shape}; accepted: {ACCEPTED}")
    algorithms = checks.labels("rankings", frame.columns, ranks.shape[1])
    ranks = np.where(ranks == 0, np.nan, ranks)
    bad = (ranks < 1) | np.isinf(ranks)
    if bad.any():
        i, k = np.argwhere(bad)[0]
        raise InputError(
            f"rankings has the rank {ranks[i, k]:g} of {algorithms[k]!r} in row {i}; {accepted}"
        )
    return algorithms, ranks


def _ranks_of_lists(rankings: Sequence[object]) -> tuple[tuple[str, ...], np.ndarray]:
    levels = [_levels(ranking, i) for i, ranking in enumerate(rankings)]
    names = list(dict.fromkeys(name for row in levels for level in row for name in level))
    if not names:
        raise InputError(f"rankings is empty; accepted: {ACCEPTED}")
    column = {name: k for k, name in enumerate(names)}
    ranks = np.full((len(levels), len(names)), np.nan)
    for i, row in enumerate(levels):
        for place, level in enumerate(row, start=1):
            for name in level:
                if not np.isnan(ranks[i, column[name]]):
                    raise InputError(f"rankings has {name!r} twice in ranking {i}")
                ranks[i, column[name]] = place
    return tuple(names), ranks


def _levels(ranking: object, i: int) -> list[list[str]]:
    """Names from the best on, those of a tie together."""
    if isinstance(ranking, str) or not isinstance(ranking, Sequence):
        raise InputError(f"rankings has {ranking!r} as ranking {i}; accepted: {ACCEPTED}")
    return [
        [str(name) for name in level] if isinstance(level, tuple | list | set) else [str(level)]
        for level in ranking
    ]


def _check_rows(ranks: np.ndarray, least: int) -> None:
    """A ranking has one algorithm at least, or two where those not in it are absent."""
    sizes = (~np.isnan(ranks)).sum(axis=1)
    few = np.flatnonzero(sizes < least)
    if len(few):
        raise InputError(
            f"rankings has {counted(int(sizes[few[0]]), 'algorithm')} in ranking {few[0]}; "
            f"accepted: {least} or more, which compare"
        )
