"""Where and why the Bayesian and the frequentist answer disagree, in words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeAlias

from bayescmp.catalogue import title
from bayescmp.frequentist.results import show_p
from bayescmp.text import probability

__all__ = [
    "AGREEMENTS",
    "DISAGREE",
    "Row",
    "agreement",
    "in_words",
    "joint_words",
    "others_in_words",
]

#: What a row can say, and the short form that tables and colours go by.
AGREEMENTS = {
    "agree": "significant, and decided for the same algorithm",
    "open": "neither decides",
    "equivalent": "not significant, and practically equivalent",
    "significant_equivalent": "significant, but practically equivalent",
    "significant_undecided": "significant, but undecided",
    "decided_only": "decided, but not significant",
    "trade_off": "better on one metric, worse on another",
    "contradict": "the Bayesian and the frequentist answer contradict each other",
    "failed": "one of the two could not be computed",
}

#: Those of which one answer finds a difference that matters, and the other does not.
DISAGREE = ("significant_equivalent", "significant_undecided", "decided_only", "contradict")

#: A row of a cross-check: what two answers to one question say, by column.
Row: TypeAlias = Mapping[str, Any]


def agreement(decision: str, significant: bool | None, favours: str) -> str:
    """Whether a Bayesian decision and a frequentist one agree.

    Parameters
    ----------
    decision : str
        "first", "equivalent", "second", "trade-off", "undecided" or "borderline";
        anything else has failed.
    significant : bool or None
        Whether the frequentist test rejects equality; None where it could not be computed.
    favours : str
        The side of its estimate: "first", "second", or "" where it has none.

    Returns
    -------
    str
        One of `AGREEMENTS`.
    """
    if significant is None or decision not in (
        "first",
        "equivalent",
        "second",
        "trade-off",
        "undecided",
        "borderline",
    ):
        return "failed"
    if decision in ("undecided", "borderline"):
        return "significant_undecided" if significant else "open"
    if decision == "equivalent":
        return "significant_equivalent" if significant else "equivalent"
    if decision == "trade-off":
        return "trade_off"
    if not significant:
        return "decided_only"
    return "contradict" if favours and favours != decision else "agree"


def in_words(row: Row) -> str:
    """What a row says, for a reader who has seen neither test.

    Parameters
    ----------
    row : mapping
        first, second, p_left, p_rope, p_right, p_trade_off, decision, cause, pvalue, significant,
        unadjusted, favours, agreement, error.

    Returns
    -------
    str
    """
    return _WORDS[row["agreement"]](row)


def _agree(row: Row) -> str:
    """A test of several metrics has no side: that one dominates is the verdict's alone."""
    if math.isnan(row["p_trade_off"]):
        return f"both: {row[row['decision']]} better"
    return f"significant, and {row[row['decision']]} dominates"


def _open(row: Row) -> str:
    why = f": {row['cause']}" if row["cause"] else ""
    return f"{_not_significant(row)}, and {_undecided(row)}{why}"


def _not_significant(row: Row) -> str:
    """Verdicts are not adjusted for the number of pairs: where that makes the difference."""
    if row["unadjusted"]:
        return f"not significant once adjusted ({show_p(row['pvalue'], 2)} alone)"
    return "not significant"


def _undecided(row: Row) -> str:
    return "borderline" if row["decision"] == "borderline" else "undecided"


def _equivalent(row: Row) -> str:
    shown = probability(row["p_rope"])
    return f"{_not_significant(row)}, yet equivalent with probability {shown}{_by_tost(row)}"


def _by_tost(row: Row) -> str:
    """What two one-sided tests with the same rope make of it, where they were done."""
    if row.get("equivalent") is None:
        return ""
    verb = "agree" if row["equivalent"] else "do not"
    return f"; two one-sided tests {verb} ({show_p(row['tost_adjusted'], 2)})"


def _significant_equivalent(row: Row) -> str:
    return f"significant, but practically equivalent{_by_tost(row)}"


def _significant_undecided(row: Row) -> str:
    """Which of the possible reasons keeps the verdict open."""
    if not math.isnan(row["p_trade_off"]):
        return _undecided_of_four(row)
    p = {k: row[f"p_{k}"] for k in ("left", "rope", "right")}
    side = {"first": "left", "second": "right"}.get(row["favours"], "")
    if not side:
        return f"significant, but {_undecided(row)}"
    leader = row[row["favours"]]
    if p["rope"] >= p["left" if side == "right" else "right"] and p["rope"] > 0:
        return (
            f"significant, but {_undecided(row)} whether the lead of {leader} matters: better "
            f"with probability {probability(p[side])}, equivalent with {probability(p['rope'])}"
        )
    shown = probability(p[side])
    return f"significant, but {_undecided(row)}: {leader} better with probability {shown}"


def _undecided_of_four(row: Row) -> str:
    """Of several metrics: which region is the most probable."""
    named = {
        "p_left": f"{row['first']} dominates",
        "p_right": f"{row['second']} dominates",
        "p_rope": "equivalent",
        "p_trade_off": "a trade-off",
    }
    best = max(named, key=lambda column: row[column])
    shown = probability(row[best])
    return f"significant, but {_undecided(row)}: {named[best]} with probability {shown}"


def _decided_only(row: Row) -> str:
    side = "left" if row["decision"] == "first" else "right"
    winner = row[row["decision"]]
    shown = probability(row[f"p_{side}"])
    return f"{_not_significant(row)}, yet {winner} better with probability {shown}"


def _trade_off(row: Row) -> str:
    head = "significant" if row["significant"] else _not_significant(row)
    return (
        f"{head}; better on one metric and worse on another with probability "
        f"{probability(row['p_trade_off'])}"
    )


def _contradict(row: Row) -> str:
    return f"significant for {row[row['favours']]}, yet {row[row['decision']]} practically better"


def _failed(row: Row) -> str:
    return f"not compared: {row['error']}" if row["error"] else "not compared"


_WORDS = {
    "agree": _agree,
    "open": _open,
    "equivalent": _equivalent,
    "significant_equivalent": _significant_equivalent,
    "significant_undecided": _significant_undecided,
    "decided_only": _decided_only,
    "trade_off": _trade_off,
    "contradict": _contradict,
    "failed": _failed,
}


def others_in_words(rows: list[Row]) -> str:
    """What the other tests of a pair add to its main row; "" if nothing.

    Parameters
    ----------
    rows : list of mapping
        The pair's rows over data sets, the main one first.

    Returns
    -------
    str
        Tests that disagree with the main row's, with their p-values.
    """
    main, *others = rows
    differs: dict[str, Row] = {}
    for row in others:
        if row["significant"] is not None and row["significant"] != main["significant"]:
            differs.setdefault(row["frequentist"], row)
    differs.pop(main["frequentist"], None)
    if not differs or main["significant"] is None:
        return ""
    names = [title(name) for name in differs]
    p = ", ".join(show_p(row["adjusted"], 2) for row in differs.values())
    which = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    verb = "not significant" if main["significant"] else "significant"
    return f"{verb} by {which} ({p})"


def joint_words(joint: bool | None, single: Mapping[str, bool], metrics: tuple[str, ...]) -> str:
    """Where several metrics together lead to another answer than each alone.

    Parameters
    ----------
    joint : bool or None
        Whether the test of all metrics together rejects.
    single : mapping of str to bool
        Whether the test of each metric alone does.
    metrics : tuple of str
        The metrics that are taken together.

    Returns
    -------
    str
        "" where they agree.
    """
    if joint is None or not single or joint == any(single.values()):
        return ""
    together = f"({', '.join(metrics)})"
    if joint:
        return f"significant only in {together} together"
    alone = ", ".join(m for m, s in single.items() if s)
    return f"significant in {alone} alone, not in {together} together"
