"""Pairwise wins, and whole rankings with ties: from scores, tables, matches or lists of names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from bayescmp.base import checks
from bayescmp.base.arguments import must, must_be
from bayescmp.base.checks import check_diagonal
from bayescmp.base.fields import about
from bayescmp.base.magnitudes import TIED
from bayescmp.bayesian.joint.table import FoldTable, name_unlinked, read_table
from bayescmp.scores.frames import arrange, is_labelled
from bayescmp.scores.metrics import Direction
from bayescmp.scores.scores import Scores
from bayescmp.wording.text import format_count

# Pairwise wins and their counts: from scores, tables of wins, or lists of matches.


FRAMES_OF_WINS = (
    "A square DataFrame has the wins of the row over the column. One of pairs has two columns of "
    "names and two of wins (and one of ties). One of matches has the columns winner and loser, or "
    "two players and the winner."
)
#: Names of columns, without case and marks.
FIRST = ("first", "alg1", "algorithm1", "player1", "modela", "a", "pi")
SECOND = ("second", "alg2", "algorithm2", "player2", "modelb", "b", "pj")
WINS_FIRST = ("win1", "wins1", "winsfirst", "winfirst", "winsa", "wina")
WINS_SECOND = ("win2", "wins2", "winssecond", "winsecond", "winsb", "winb")
TIES = ("ties", "tie", "draws", "tied")
#: Possible treatments of ties.
POLICIES = ("davidson", "spread", "add", "forget")


@dataclass(frozen=True, eq=False)
class WinTable:
    """Wins of L algorithms over one another.

    `wins` (L, L) counts how often the row beat the column, `tied` how often the two tied; `ties`
    is one of `POLICIES`, `directions` are of the metric that decided, if any.
    """

    algorithms: tuple[str, ...]
    wins: np.ndarray = field(metadata=about("algorithm", "opponent", least=0))
    tied: np.ndarray = field(metadata=about("algorithm", "opponent", least=0))
    ties: str = field(default="davidson", metadata=about(among=POLICIES))
    metric: str = ""
    directions: tuple[Direction, ...] = ()

    @property
    def matches(self) -> int:
        """Number of matches."""
        return int(self.wins.sum() + self.tied.sum() / 2)

    def count_ties(self) -> WinTable:
        """Count ties as wins of each: half of them, rounded up ("spread"), all, or none."""
        if self.ties == "davidson":
            return self
        share = {
            "spread": np.ceil(self.tied / 2),
            "add": self.tied,
            "forget": 0 * self.tied,
        }[self.ties]
        return replace(self, wins=self.wins + share, tied=0 * self.tied)

    def vary_ties(self) -> Iterator[tuple[str, WinTable]]:
        """Yield the matches with ties counted in other ways, each with its words."""
        for ties in POLICIES if self.tied.any() else ():
            if ties != self.ties:
                yield f"ties: {ties}", replace(self, ties=ties)


def read_wins(source: object, *, metric: str | None = None, local_rope: float = 0.0) -> WinTable:
    """Read wins, in any of their forms, and check that a chain of matches links all algorithms."""
    if isinstance(source, Scores):
        table = read_table(source, metric=metric, rho=0.0, test="the Bradley-Terry model")
        wins = _of_scores(table, local_rope)
    else:
        if not isinstance(source, pd.DataFrame):
            raise must_be("wins", "Scores or a DataFrame", source, FRAMES_OF_WINS)
        checks.check_unused("wins are counted already", local_rope=local_rope or None)
        wins = replace(_of_frame(source), metric=metric or "")
    met = (wins.wins + wins.wins.T + wins.tied) > 0
    if len(wins.algorithms) < 2 or not met.any():
        raise must("wins", "have a match between two algorithms", "none")
    _check_linked("wins", met, wins.algorithms, "match")
    return wins


def _of_scores(table: FoldTable, local_rope: float) -> WinTable:
    """Count as wins leads of more than ``local_rope`` sd of a data set's differences of folds."""
    L = table.L
    wins, ties = np.zeros((L, L)), np.zeros((L, L))
    means = table.means
    for i in range(table.q):
        seen = table.seen[i]
        both = np.outer(seen, seen)
        lead = np.where(both, means[i][:, None] - means[i][None, :], 0.0)
        slack = TIED * np.nanmax(np.abs(means[i]))
        width = slack + local_rope * spreads(table, i)
        won = both & (lead > width)
        wins += won
        ties += both & ~won & ~won.T & ~np.eye(L, dtype=bool)
    return WinTable(table.algorithms, wins, ties, metric=table.metric, directions=table.directions)


def spreads(table: FoldTable, i: int) -> np.ndarray:
    """Return standard deviations of the folds' differences of every pair on a data set."""
    if table.n[i] < 2:
        return np.zeros((table.L, table.L))
    x = table.centre_folds(i)
    G = x.T @ x
    d = np.diag(G)
    return np.asarray(np.sqrt(np.maximum(d[:, None] + d - 2 * G, 0.0) / (table.n[i] - 1)))


# Frames.


def _of_frame(frame: pd.DataFrame) -> WinTable:
    names = {_normalise_name(c): c for c in reversed(list(frame.columns))}
    columns = [
        next((names[n] for n in known if n in names), None)
        for known in (FIRST, SECOND, WINS_FIRST, WINS_SECOND, TIES)
    ]
    first, second, won, lost, tied = columns
    if "winner" in names:
        players = (first, second) if first is not None and second is not None else None
        loser = names.get("loser")
        if players is None and loser is None:
            missing = "have the other player next to the column 'winner'"
            raise must("wins", missing, hint=FRAMES_OF_WINS)
        return _of_matches(frame, names["winner"], loser, players)
    if None not in (first, second, won, lost):
        return _of_pairs(frame, [first, second], [won, lost], tied)
    if len(frame.columns) == len(frame.index) and set(map(str, frame.columns)) == set(
        map(str, frame.index)
    ):
        square = frame.loc[list(frame.columns)] if len(frame) else frame
        wins = _counts(square.to_numpy(), "wins")
        check_diagonal(wins)
        return WinTable(checks.check_labels("wins", frame.columns, len(wins)), wins, 0 * wins)
    shown = ", ".join(map(repr, list(frame.columns)[:8]))
    raise must("wins", "have the columns of wins or of matches", shown, FRAMES_OF_WINS)


def _normalise_name(name: object) -> str:
    return re.sub(r"[^a-z0-9]", "", str(name).lower())


def _counts(values: object, what: str) -> np.ndarray:
    counts = checks.read_numbers(values, what, "counts >= 0")
    if np.isnan(counts).any() or (counts < 0).any() or np.isinf(counts).any():
        raise must(
            what,
            "have counts that are finite and at least 0",
            "one that is missing, negative or infinite",
        )
    return counts


def _of_pairs(
    frame: pd.DataFrame, players: Sequence[object], counts: Sequence[object], tied: object
) -> WinTable:
    codes, algorithms = _code_players(frame, players)
    L = len(algorithms)
    wins, ties = np.zeros((L, L)), np.zeros((L, L))
    np.add.at(wins, (codes[0], codes[1]), _counts(frame[counts[0]], f"column {counts[0]!r}"))
    np.add.at(wins, (codes[1], codes[0]), _counts(frame[counts[1]], f"column {counts[1]!r}"))
    if tied is not None:
        np.add.at(ties, (codes[0], codes[1]), _counts(frame[tied], f"column {tied!r}"))
    return WinTable(algorithms, wins, ties + ties.T)


def _of_matches(
    frame: pd.DataFrame, winner: object, loser: object, players: tuple[object, object] | None
) -> WinTable:
    if players is None:
        codes, algorithms = _code_players(frame, (winner, loser))
        return _tally_wins(codes[0], codes[1], np.zeros(len(frame), dtype=bool), algorithms)
    codes, algorithms = _code_players(frame, players)
    outcome, kinds = _code_columns([frame[winner]])
    places = {name: i for i, name in enumerate(algorithms)}
    sides = {_normalise_name(players[0]): -1, _normalise_name(players[1]): -2}
    to = np.array([_outcome(kind, places, sides) for kind in kinds])[outcome[0]]
    first = np.where(to == -1, True, to == codes[0])
    second = np.where(to == -2, True, to == codes[1])
    tied = to == -3
    odd = np.flatnonzero(~(first | second | tied))
    if len(odd):
        raise must(
            f"column {winner!r}",
            "hold one of the two players, or a tie",
            f"{str(frame[winner].iloc[odd[0]])!r} in row {odd[0]}",
            argument="wins",
        )
    return _tally_wins(
        np.where(second, codes[1], codes[0]),
        np.where(second, codes[0], codes[1]),
        tied,
        algorithms,
    )


def _outcome(kind: str, places: dict[str, int], sides: dict[str, int]) -> int:
    """Return the winner: an algorithm's place, -1 first, -2 second, -3 neither, -4 unknown."""
    if kind in places:
        return places[kind]
    plain = _normalise_name(kind)
    if plain.startswith(("tie", "draw")) or plain == "bothbad":
        return -3
    return sides.get(plain, -4)


def _tally_wins(
    winner: np.ndarray, loser: np.ndarray, tied: np.ndarray, algorithms: tuple[str, ...]
) -> WinTable:
    L = len(algorithms)
    cell = winner * L + loser
    wins = np.bincount(cell[~tied], minlength=L * L).reshape(L, L).astype(float)
    ties = np.bincount(cell[tied], minlength=L * L).reshape(L, L).astype(float)
    return WinTable(algorithms, wins, ties + ties.T)


def _code_columns(columns: Sequence[pd.Series]) -> tuple[list[np.ndarray], tuple[str, ...]]:
    """Code several columns of names by one list of names, in order of appearance."""
    for column in columns:
        if column.isna().any():
            row = int(np.flatnonzero(column.isna())[0])
            found = f"none in column {column.name!r}, row {row}"
            raise must("wins", "have names of players in all rows", found)
        for name in column.unique():
            checks.check_label(name, f"column {column.name!r}")
    codes, names = pd.factorize(pd.concat([c.astype("category") for c in columns]).astype(str))
    return np.split(codes, len(columns)), tuple(map(str, names))


def _code_players(
    frame: pd.DataFrame, columns: Sequence[object]
) -> tuple[list[np.ndarray], tuple[str, ...]]:
    codes, algorithms = _code_columns([frame[c] for c in columns])
    same = np.flatnonzero(codes[0] == codes[1])
    if len(same):
        found = f"{algorithms[codes[0][same[0]]]!r} against itself in row {same[0]}"
        raise must("wins", "have two different players in each row", found)
    return codes, algorithms


def _check_linked(name: str, met: np.ndarray, algorithms: Sequence[str], what: str) -> None:
    """Check that matches, or rankings, link every algorithm to every other."""
    apart = name_unlinked(met, algorithms)
    if apart:
        raise must(
            name,
            f"link every algorithm with every other by a {what}",
            f"none that links {apart}",
            "Leave one group out.",
        )


# Rankings, complete or partial, with ties: from scores, tables of ranks, or lists of names.


#: Meanings of an algorithm's absence from a ranking.
UNRANKED = ("absent", "last")
FORMS_OF_RANKINGS = (
    "A DataFrame of ranks has one row per ranking and one column per algorithm. A ranking in a "
    "list is a list of names, the best first, in which a tuple of names is a tie."
)


@dataclass(frozen=True, eq=False)
class RankTable:
    """Rankings of L algorithms, the same ones counted.

    `places` (R, L) are 1 for the best, 2 for those after it, ...; ties share a place, 0 is not in
    the ranking. `counts` (R,) are how often each was seen, `censored` (R,) whether the last place
    is only below the others. `directions` are of the metric that decided, if any.
    """

    algorithms: tuple[str, ...]
    places: np.ndarray = field(metadata=about("ranking", "algorithm"))
    counts: np.ndarray = field(metadata=about("ranking", least=0))
    censored: np.ndarray = field(metadata=about("ranking"))
    metric: str = ""
    directions: tuple[Direction, ...] = ()

    @classmethod
    def from_ranks(
        cls, algorithms: tuple[str, ...], ranks: np.ndarray, unranked: str = "absent"
    ) -> RankTable:
        """Read ranks (R, L), lower is better, NaN where an algorithm is not ranked."""
        seen = ~np.isnan(ranks)
        places = np.zeros(ranks.shape, dtype=int)
        for row, there, place in zip(ranks, seen, places, strict=True):
            place[there] = np.unique(row[there], return_inverse=True)[1] + 1
        censored = ~seen.all(axis=1) & (unranked == "last")
        places = np.where(censored[:, None] & ~seen, places.max(axis=1)[:, None] + 1, places)
        rows, counts = np.unique(np.column_stack([censored, places]), axis=0, return_counts=True)
        return cls(algorithms, rows[:, 1:], counts, rows[:, 0].astype(bool))

    @property
    def matches(self) -> int:
        """Number of rankings."""
        return int(self.counts.sum())

    def vary_ties(self) -> Iterator[tuple[str, RankTable]]:
        """Yield nothing: a tie has a separate probability, and there is no alternative."""
        yield from ()

    @property
    def tie_sizes(self) -> tuple[int, ...]:
        """The sizes of ties that were seen, in rising order."""
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
    """Read (and check) rankings, in any of the forms that `plackett_luce` takes."""
    checks.check_choice("unranked", unranked, UNRANKED)
    if isinstance(source, Scores):
        table = read_table(source, metric=metric, rho=0.0, test="the Plackett-Luce model")
        ranks = np.array([_ranks_of_scores(table, i, local_rope) for i in range(table.q)])
        rankings = replace(
            RankTable.from_ranks(table.algorithms, ranks, unranked),
            metric=table.metric,
            directions=table.directions,
        )
    else:
        algorithms, ranks = _read_ranks(source)
        _check_rows(ranks, 1 if unranked == "last" else 2)
        rankings = replace(RankTable.from_ranks(algorithms, ranks, unranked), metric=metric or "")
    _check_size(rankings)
    return rankings


def _read_ranks(source: object) -> tuple[tuple[str, ...], np.ndarray]:
    if is_labelled(source):
        return _ranks_of_frame(source)
    if isinstance(source, str) or not isinstance(source, Iterable):
        accepted = "Scores, a DataFrame of ranks or a list of rankings"
        raise must_be("rankings", accepted, source, FORMS_OF_RANKINGS)
    return _ranks_of_lists(list(source))


def _check_size(table: RankTable) -> None:
    if len(table.algorithms) < 2:
        raise must("rankings", "have at least two algorithms", str(len(table.algorithms)))
    there = table.places > 0
    _check_linked("rankings", there.T.astype(int) @ there > 0, table.algorithms, "ranking")


def _ranks_of_scores(table: FoldTable, i: int, local_rope: float) -> np.ndarray:
    """Rank a data set; from the best down, all within the local ROPE of a tie's best join."""
    means, spread = table.means[i], spreads(table, i)
    slack = TIED * np.nanmax(np.abs(means))
    ranks = np.full(len(means), np.nan)
    order = [int(k) for k in np.argsort(-means, kind="stable") if table.seen[i, k]]
    best, rank = order[0], 0
    for place, k in enumerate(order):
        if means[best] - means[k] > slack + local_rope * spread[best, k]:
            best, rank = k, place
        ranks[k] = rank
    return ranks


def _ranks_of_frame(frame: object) -> tuple[tuple[str, ...], np.ndarray]:
    cells, (_, own) = arrange(frame, "rankings", "block", "algorithm")
    ranks = checks.read_numbers(
        cells, "rankings", "ranks, 1 the best, and NaN or 0 where an algorithm is not ranked"
    )
    if ranks.ndim != 2 or 0 in ranks.shape:
        found = f"shape {ranks.shape}"
        raise must("rankings", "have rows and columns", found, FORMS_OF_RANKINGS)
    algorithms = checks.check_labels("rankings", own, ranks.shape[1], "A")
    ranks = np.where(ranks == 0, np.nan, ranks)
    bad = (ranks < 1) | np.isinf(ranks)
    if bad.any():
        i, k = np.argwhere(bad)[0]
        raise must(
            "rankings",
            "hold ranks, 1 the best",
            f"{ranks[i, k]:g} for {algorithms[k]!r} in row {i}",
            "Use NaN or 0 where an algorithm is not ranked.",
        )
    return algorithms, ranks


def _ranks_of_lists(rankings: Sequence[object]) -> tuple[tuple[str, ...], np.ndarray]:
    levels = [_levels(ranking, i) for i, ranking in enumerate(rankings)]
    names = list(dict.fromkeys(name for row in levels for level in row for name in level))
    if not names:
        raise must("rankings", "have at least one name", "none", FORMS_OF_RANKINGS)
    column = {name: k for k, name in enumerate(names)}
    ranks = np.full((len(levels), len(names)), np.nan)
    for i, row in enumerate(levels):
        for place, level in enumerate(row, start=1):
            for name in level:
                if not np.isnan(ranks[i, column[name]]):
                    raise must(
                        "rankings",
                        "have each name once in a ranking",
                        f"{name!r} twice in ranking {i}",
                    )
                ranks[i, column[name]] = place
    return tuple(names), ranks


def _levels(ranking: object, i: int) -> list[list[str]]:
    """Return names, the best first, those of a tie together."""
    if isinstance(ranking, str) or not isinstance(ranking, Sequence):
        raise must_be(f"rankings[{i}]", "a list of names", ranking, FORMS_OF_RANKINGS)
    return [
        [checks.check_label(name, f"rankings[{i}]") for name in level]
        if isinstance(level, tuple | list | set)
        else [checks.check_label(level, f"rankings[{i}]")]
        for level in ranking
    ]


def _check_rows(ranks: np.ndarray, least: int) -> None:
    """Check that a ranking has an algorithm, or two where those not in it are absent."""
    sizes = (~np.isnan(ranks)).sum(axis=1)
    few = np.flatnonzero(sizes < least)
    if len(few):
        raise must(
            f"rankings[{few[0]}]",
            f"have at least {format_count(least, 'algorithm')}",
            str(sizes[few[0]]),
            "Fewer compare nothing.",
        )
