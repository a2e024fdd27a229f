"""Summary of a leaderboard: means, leads of the first model, and what would separate the two."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from bayescmp.base.arguments import either
from bayescmp.bayesian.groups.base import GroupsPosterior
from bayescmp.bayesian.joint.standings import StandingsPosterior
from bayescmp.present.summary import Cells, Column, Explanation, Summary
from bayescmp.results.plan import POWER
from bayescmp.results.scoreboard import OPEN
from bayescmp.scores.rope import Rope
from bayescmp.summaries.fitted import ALL_PAIRS, tabulate_pairs
from bayescmp.summaries.rivals import list_first_names, list_rivals
from bayescmp.wording.text import (
    align_numbers,
    cut_name,
    format_count,
    write_number,
)

#: Headlines, by the verdicts on the first model and the others.
HEADLINES = {
    "tied": "{tied} tie for the best mean",
    "first": "{leader} is {better} than {others}",
    "open": "{leader} has the best mean; undecided against {others}",
    "same": "{leader} has the best mean; equivalent to {others}",
    "": "{leader} has the best mean",
}
EVERY = {2: "both others"}
#: By whether there is a ROPE.
BETTER = {True: "practically better", False: "better"}
#: Further questions that would decide on the first two models, by whether there is a ROPE.
SEPARATED = {
    True: "With about {further} ({total} in total{of}), the predicted probability of a decision "
    "on {names} is {power:g} (power).",
    False: "With about {further} ({total} in total{of}), the predicted probability of a decision "
    "on {names}, in either direction, is {power:g} (power).",
}
OVERLAP = (
    "overlapping intervals of two means do not show that the two models tie; for the verdict on "
    "each pair see {pairs}"
)
#: A group whose first model is decided to be better than others in it.
CHAIN = (
    "group 1 joins neighbours that are undecided; within it {leader} is decided to be better than "
    "{names}"
)
LEGEND = (
    "CrI: 95% credible interval; lead: how much better the mean of {leader} is; group: neighbours "
    "share a group unless the upper one is decided to be better; best: probability of being the "
    "best {on}"
)
#: Further questions of several benchmarks.
IN_PROPORTION = ", of each benchmark in proportion"
#: Longest name of the leader in the head of a column.
LONGEST_HEAD = 9


def summarise_board(
    posterior: StandingsPosterior | GroupsPosterior, own: Summary, threshold: float
) -> Summary:
    """Summarise a leaderboard of questions, with parts of its `own` summary by ranks."""
    board = posterior.scoreboard(threshold=threshold)
    rope: Rope = posterior.ropes()[0]
    leader = cut_name(str(board.index[0]), LONGEST_HEAD)
    shown, columns = _tabulate(posterior, board)
    headline = write_headline(board, rope)
    sentences = describe_board(board, rope, len(getattr(posterior, "datasets", ())) > 1)
    ranking = replace(own, notes=(), setting="", method="", more="", explanation=None)

    def explain() -> Explanation:
        ranks = own.explanation() if own.explanation is not None else Explanation(own.sentences)
        lead = [f"{headline}.", *sentences]
        results = None if ranks.results is None else [*lead, *ranks.results]
        return Explanation([*lead, *(ranks.short or ())], results, ranks.methods)

    calls = [
        ".scoreboard()",
        ".verdict(a, b)",
        *([".plan(a, b)"] if posterior.has_plan else []),
        ".explain()",
        ".plot()",
    ]
    pairs = either(".frame", "--full")
    return replace(
        own,
        headline=headline,
        table=shown,
        columns=columns,
        notes=[*own.notes, *_describe_chain(board), OVERLAP.format(pairs=pairs)],
        label="standings",
        sentences=[" ".join(sentences)],
        legend=LEGEND.format(leader=leader, on=posterior.about),
        more=either(f"more: {', '.join(calls)}", ""),
        explanation=explain,
        further=lambda: [
            ranking,
            tabulate_pairs(posterior, threshold),
            *(one for one in own.further() if one.headline != ALL_PAIRS),
        ],
    )


def write_headline(board: pd.DataFrame, rope: Rope) -> str:
    """State whether the first model is better than all others, or than which it may not be."""
    leader, *others = board.index
    decisions = dict(zip(others, board["decision"].iloc[1:], strict=True))
    undecided = [name for name in others if decisions[name] in OPEN]
    same = [name for name in others if decisions[name] == "equivalent"]
    tied = [leader, *(name for name in others if board["lead"][name] == 0)]
    kind, names = "", others
    if len(tied) > 1:
        kind = "tied"
    elif all(decision == "first" for decision in decisions.values()):
        kind = "first"
    elif undecided:
        kind, names = "open", undecided
    elif same:
        kind, names = "same", same
    every = len(names) > 1 and len(names) == len(others)
    counted = EVERY.get(len(names), f"all {len(names)} others")
    counted = counted if every else format_count(len(names), "other")
    return HEADLINES[kind].format(
        leader=leader,
        tied=list_first_names(tied),
        better=BETTER[not rope.empty],
        others=names[0] if len(names) == 1 else counted,
    )


def describe_board(board: pd.DataFrame, rope: Rope, several: bool) -> list[str]:
    """State how the first model compares with the others, and what separates the first two."""
    leader, *others = board.index
    by_decision: dict[str, list[str]] = {}
    for name in others:
        decision = board["decision"][name]
        by_decision.setdefault("undecided" if decision in OPEN else decision, []).append(name)
    sentences = [list_rivals(leader, by_decision, has_rope=not rope.empty)]
    second = board.iloc[1]
    if second["decision"] in OPEN and not pd.isna(second["further_questions"]):
        further = round_up(int(second["further_questions"]))
        sentences.append(
            SEPARATED[not rope.empty].format(
                further=format_count(further, "further question"),
                total=further + second["total_questions"] - second["further_questions"],
                of=IN_PROPORTION if several else "",
                names=list_first_names([leader, others[0]]),
                power=POWER,
            )
        )
    return sentences


def _describe_chain(board: pd.DataFrame) -> list[str]:
    """Name the models of the first group over which the first one's lead is decided."""
    worse = [*board.index[(board["group"] == 1) & (board["decision"] == "first")]]
    if not worse:
        return []
    return [CHAIN.format(leader=board.index[0], names=list_first_names(worse))]


def _tabulate(
    posterior: StandingsPosterior | GroupsPosterior, board: pd.DataFrame
) -> tuple[pd.DataFrame, dict[Any, Column]]:
    """Return the printed table, and what its columns are."""
    leader = cut_name(str(board.index[0]), LONGEST_HEAD)
    numbers = board[["mean", "low", "high"]].to_numpy()
    decimals = len(align_numbers(numbers.ravel().tolist())[0].partition(".")[2])
    leads = board[["lead", "lead_low", "lead_high"]].to_numpy(dtype=float)
    shown = pd.DataFrame(
        {
            "model": board.index,
            "mean": [_with_interval(row, decimals) for row in numbers],
            "lead": [_with_interval(row, decimals) for row in leads],
            "group": board["group"].to_numpy(),
            "best": board["p_best"].to_numpy(),
        }
    )
    return shown, {
        "model": Column(Cells.NAME, posterior.subject),
        "mean": Column(Cells.WORDS, "mean (CrI)"),
        "lead": Column(Cells.WORDS, f"lead of {leader} (CrI)"),
        "best": Column(Cells.PROBABILITY, "best"),
    }


def round_up(number: int) -> int:
    """Round a number of questions up to three digits."""
    unit = 10 ** max(len(str(number)) - 3, 0)
    return -(-number // unit) * unit


def _with_interval(numbers: np.ndarray, decimals: int) -> str:
    """Write an estimate with its interval: "0.660 (0.604 to 0.713)"; nothing if it is missing."""
    if np.isnan(numbers[0]):
        return ""
    value, low, high = (write_number(v, f".{decimals}f") for v in numbers)
    return f"{value} ({low} to {high})"
