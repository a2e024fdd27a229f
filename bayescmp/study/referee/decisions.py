"""Decisions on proposals, and the gain of the incumbent, as changes of a state."""

from __future__ import annotations

import math
from copy import deepcopy
from typing import Any

import numpy as np

from bayescmp.base.arguments import arg, either, must, must_be
from bayescmp.base.typing import Json
from bayescmp.frequentist.sequences import confidence_sequence, find_crossings, student_bounds
from bayescmp.results.verdict import Interval
from bayescmp.study.referee.scores import BUDGETS, ScorePairs, UnitScores
from bayescmp.study.referee.state import PROPOSAL

#: Why a proposal was discarded without being worse.
SPENT, OVERTAKEN = "the budget is used up", "the incumbent changed meanwhile"


# Questions that may be put.


def check_proposed(state: Json, pairs: ScorePairs, against: str | None) -> None:
    """Refuse a proposal against a former incumbent, and scores that the state does not take."""
    incumbent = state["incumbent"]["name"]
    if against is not None and not (isinstance(against, str) and against == incumbent):
        raise must_be("against", f"the incumbent, {incumbent!r}", against)
    _settle_units(state, pairs)


def _settle_units(state: Json, pairs: ScorePairs) -> None:
    """Find whether units are questions or seeds, once for a state; refuse scores of other ones."""
    kind = pairs.candidate.kind or pairs.incumbent.kind
    if state["units"] is None:
        if kind is None:
            numbered = either("a Series with the index 'seed' or 'question'", "a column 'seed'")
            raise must(
                "units",
                "be 'questions' or 'seeds'",
                "scores that do not show what they are of",
                f"Give {arg('units', 'seeds')}, or {numbered}.",
            )
        state["units"] = kind
    elif kind not in (None, state["units"]):
        raise must("units", f"be {state['units']!r}, as before", kind or "")
    if state["budget"] is None:
        state["budget"] = BUDGETS[state["units"]]
    if state["units"] == "questions":
        for name, runs in (("incumbent", pairs.incumbent), ("candidate", pairs.candidate)):
            outside = runs.scores[(runs.scores < 0) | (runs.scores > 1)]
            if len(outside):
                raise must(
                    name,
                    "have scores from 0 to 1 on questions",
                    f"{outside[0]:g}",
                    f"For scores of any size give {arg('units', 'seeds')}.",
                )


# Decisions.


def level_of(k: int, alpha: float) -> float:
    """Return the share of alpha that proposal k = 1, 2, ... may use: α·6/(π²k²)."""
    return alpha * 6 / (math.pi * k) ** 2


def open_proposal(state: Json, name: str) -> Json:
    """Add a proposal, which has its share of alpha from now on."""
    level = level_of(len(state["proposals"]) + 1, state["alpha"])
    proposal = dict.fromkeys(PROPOSAL) | {"name": name, "level": level, "n": 0, "digest": ""}
    proposal |= {"against": state["incumbent"]["name"], "decision": "measure", "why": ""}
    state["proposals"].append(proposal)
    return proposal


def check_continued(proposal: Json, pairs: ScorePairs) -> None:
    """Refuse scores that do not begin with those of the look before."""
    n = proposal["n"]
    if n and (pairs.n < n or pairs.digest(n) != proposal["digest"]):
        raise must(
            "candidate",
            f"begin with the {n} scores that {proposal['name']!r} was measured on before",
            f"{pairs.n} scores" if pairs.n < n else "other scores",
            "For another change choose another name.",
        )


def judge(state: Json, proposal: Json, pairs: ScorePairs) -> None:
    """Decide a proposal, and put it in place if it is kept."""
    x = pairs.differences(lower_is_better=state["lower_is_better"])
    better, worse = look(x, state["units"], state["margin"], proposal["level"])
    proposal |= {"n": pairs.n, "digest": pairs.digest(pairs.n), "difference": float(x.mean())}
    bounds = find_bounds(x, state["units"], proposal["level"])
    low, high = (end if math.isfinite(end) else None for end in bounds)
    proposal |= {"low": low, "high": high}
    if proposal["against"] != state["incumbent"]["name"]:
        proposal |= {"decision": "discard", "why": OVERTAKEN}
        return
    if better:
        proposal["decision"] = "keep"
        state["incumbent"] = {
            "name": proposal["name"],
            "labels": [],
            "scores": [],
            "selected": pairs.candidate.labels or pairs.candidate.scores.tolist(),
        }
    elif worse or pairs.n >= state["budget"]:
        proposal |= {"decision": "discard", "why": "" if worse else SPENT}
        add_fresh(state, state["incumbent"], pairs.incumbent)


def look(x: np.ndarray, units: str, margin: float, level: float) -> tuple[bool, bool]:
    """Return whether a mean is above a margin, and whether not; each *ever* errs with `level`."""
    if units == "seeds":
        low, high = student_bounds(x, level)
        return low > margin, high <= margin
    if not -1 < margin < 1:
        return margin <= -1, margin >= 1
    above, below = find_crossings(x, margin, level)
    return above, below and not above


def find_bounds(x: np.ndarray, units: str, level: float) -> Interval:
    """Return the bounds of a mean that `look` looks at."""
    if units == "seeds":
        return student_bounds(x, level)
    return confidence_sequence(x, alpha=level).interval


# The gain, from scores that did not lead to a keep.


def add_fresh(state: Json, holder: Json, runs: UnitScores) -> None:
    """Add an incumbent's scores, except those that it was kept for and those that are there."""
    if runs.labels is not None:
        known = {*map(str, holder["selected"]), *holder["labels"]}
        new = [i for i, label in enumerate(runs.labels) if label not in known]
        holder["labels"] += [runs.labels[i] for i in new]
        holder["scores"] += [float(runs.scores[i]) for i in new]
    else:
        own = runs.scores.tolist()
        if not any(_overlap(own, there) for there in (holder["selected"], holder["scores"])):
            holder["scores"] += own
    if holder is state["incumbent"] and holder["name"] == state["start"]["name"]:
        state["start"] = deepcopy(holder)


def _overlap(one: list[float], other: list[Any]) -> bool:
    """Whether the shorter of two lists is the beginning, or the end, of the other."""
    n = min(len(one), len(other))
    return n > 0 and (one[:n] == other[:n] or one[:n] == other[-n:])


def find_gain(state: Json) -> tuple[float, Interval] | None:
    """Return the incumbent's gain over the start and its 95% interval; None if not measured."""
    if state["incumbent"]["name"] == state["start"]["name"]:
        return None
    sign = -1 if state["lower_is_better"] else 1
    start, now = (sign * np.array(state[part]["scores"], float) for part in ("start", "incumbent"))
    if min(len(start), len(now)) < 2:
        return None
    from bayescmp.bayesian.unpaired import two_sample_t

    posterior = two_sample_t(start, now)
    low, high = (posterior.distribution.quantile(p) for p in (0.025, 0.975))
    return float(now.mean() - start.mean()), (float(low), float(high))
