"""Rows of a cross-check: first as drafts, then judged once all p-values are there."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from bayescmp.blocks import Blocks
from bayescmp.catalogue import FrequentistTest, frequentist_test
from bayescmp.crosscheck.plan import Pair, Plan
from bayescmp.crosscheck.twins import Twin
from bayescmp.crosscheck.words import agreement, in_words, joint_words
from bayescmp.differences import Differences
from bayescmp.frequentist import EffectSize
from bayescmp.items.pair import ItemPair
from bayescmp.left_out import LeftOut
from bayescmp.predictions import RankedPair
from bayescmp.unpaired import UnpairedScores
from bayescmp.verdict import Rope, Verdict

if TYPE_CHECKING:
    from collections.abc import Hashable

    from bayescmp.typing import Json


__all__ = ["Draft", "Test", "finished", "plain_verdict", "stand_ins"]

NAN = float("nan")
#: A region's column; the names of regions with one metric and with several.
_PLACES = {
    "left": "left",
    "rope": "rope",
    "right": "right",
    "first": "left",
    "equivalent": "rope",
    "second": "right",
    "trade_off": "trade_off",
}
#: What frequentist tests are given.
Given: TypeAlias = Differences | Blocks | ItemPair | RankedPair | UnpairedScores
PLACES = ("left", "rope", "right", "trade_off")


@dataclass(frozen=True)
class Test:
    """What is kept of a frequentist test; adjusted only where it adjusts by itself."""

    statistic: float
    pvalue: float
    favours: str
    adjusted: float | None = None
    effect: EffectSize | None = None
    equivalence: float = NAN

    @classmethod
    def run(cls, test: FrequentistTest, x: Given, rope: Rope | None = None) -> Test:
        """By a test whose result has a statistic, a p-value and an estimate.

        Where the catalogue names a test of equivalence beside it, and there is a rope, its p-value
        too.
        """
        result = test.call(x)
        return cls(
            float(result.statistic),
            float(result.pvalue),
            test.favours(result),
            effect=getattr(result, "effect", None),
            equivalence=_equivalence(test, x, rope),
        )

    @classmethod
    def of_pairs(cls, result: Any) -> list[Test]:
        """From a result on all pairs, in their order."""
        lead = np.asarray(result.difference)
        sides = np.sign(lead if lead.ndim == 1 else np.zeros(len(lead)))
        own = result.adjusted if result.adjust != "none" else [None] * len(sides)
        words = {1: "second", -1: "first"}
        return [
            cls(float(s), float(p), words.get(int(side), ""), None if a is None else float(a))
            for s, p, side, a in zip(result.statistic, result.pvalue, sides, own, strict=True)
        ]


def _equivalence(test: FrequentistTest, x: Given, rope: Rope | None) -> float:
    """The p-value of the test of equivalence that stands beside a test; NaN where none does."""
    if not test.equivalence or rope is None or rope.empty:
        return NAN
    beside = frequentist_test(test.equivalence, test.scope)
    return float(beside.call(x, rope=rope).pvalue)


@dataclass(frozen=True, eq=False)
class Draft:
    """One pair of twins on one pair of algorithms, not yet adjusted.

    Attributes
    ----------
    twin : Twin
    metric : str
        Several are joined by commas.
    dataset : str
        "" over all.
    pair : (str, str)
    verdict : Verdict or None
    test : Test or None
    error : str
        Why one of them is missing.
    left_out : LeftOut or None
        What was compared without, because a score of either is missing.
    """

    twin: Twin
    metric: str
    dataset: str
    pair: Pair
    verdict: Verdict | None = None
    test: Test | None = None
    error: str = ""
    left_out: LeftOut | None = None

    @property
    def family(self) -> tuple[Twin, str, str]:
        """What p-values are adjusted together: the pairs, by one test on one data set."""
        return self.twin, self.metric, self.dataset


def finished(drafts: list[Draft], plan: Plan) -> list[Json]:
    """The drafts with adjusted p-values, judged and put into words.

    Parameters
    ----------
    drafts : list of Draft
    plan : Plan

    Returns
    -------
    list of dict
        One a draft, sorted by metric, pair and the order of the twins; see `CrossCheck.frame`.
    """
    adjusted = {
        id(draft): p
        for family in _families(drafts)
        for draft, p in zip(family, _adjusted(family, plan), strict=True)
    }
    place = {pair: i for i, pair in enumerate(plan.pairs)}
    order = {twin: i for i, twin in enumerate(plan.twins)}
    metrics = {m: i for i, m in enumerate(plan.metrics)}
    drafts = sorted(
        drafts, key=lambda d: (metrics.get(d.metric, len(metrics)), place[d.pair], order[d.twin])
    )
    tost = _adjusted_equivalence(drafts, plan)
    rows = [_row(d, adjusted.get(id(d), NAN), tost.get(id(d), NAN), plan.alpha) for d in drafts]
    _tell_joint(rows, plan)
    return rows


def _families(drafts: list[Draft]) -> list[list[Draft]]:
    """Drafts that have a p-value, by what is adjusted together."""
    families: dict[Hashable, list[Draft]] = {}
    for draft in drafts:
        if draft.test is not None:
            families.setdefault(draft.family, []).append(draft)
    return list(families.values())


def _adjusted(family: list[Draft], plan: Plan) -> list[float]:
    """By the test's own procedure (Tukey's), else by the one that was asked for."""
    tests = [d.test for d in family if d.test is not None]
    if _by_itself(family):
        return [float(t.adjusted) for t in tests if t.adjusted is not None]
    return plan.adjusted([t.pvalue for t in tests])


def _adjusted_equivalence(drafts: list[Draft], plan: Plan) -> dict[int, float]:
    """Adjusted p-values of the tests of equivalence, over the same families."""
    adjusted: dict[int, float] = {}
    for family in _families(drafts):
        having = [d for d in family if d.test is not None and not math.isnan(d.test.equivalence)]
        if having:
            p = plan.adjusted([d.test.equivalence for d in having if d.test is not None])
            adjusted.update(zip(map(id, having), p, strict=True))
    return adjusted


def _by_itself(family: list[Draft]) -> bool:
    """Whether the test adjusts by its own procedure."""
    return all(d.test is not None and d.test.adjusted is not None for d in family)


def stand_ins(drafts: list[Draft], plan: Plan) -> bool:
    """Whether Holm's procedure stands in somewhere for one that needs every pair."""
    return any(
        not plan.whole(len(family)) for family in _families(drafts) if not _by_itself(family)
    )


def _tell_joint(rows: list[Json], plan: Plan) -> None:
    """Note where the metrics together lead to another answer than each alone."""
    single: dict[tuple[str, str, str], dict[str, bool]] = {}
    alone = next((t.frequentist for t in plan.twins if t.scope == "dataset"), None)
    for row in rows:
        if row["frequentist"] == alone and row["significant"] is not None:
            key = row["dataset"], row["first"], row["second"]
            single.setdefault(key, {})[row["metric"]] = row["significant"]
    for row in rows:
        if row["scope"] == "metrics":
            key = row["dataset"], row["first"], row["second"]
            more = joint_words(row["significant"], single.get(key, {}), plan.joint)
            row["words"] = f"{more}; {row['words']}" if more else row["words"]


def _row(draft: Draft, adjusted: float, tost: float, alpha: float) -> Json:
    significant = None if draft.test is None else bool(adjusted <= alpha)
    decision = "failed" if draft.verdict is None else draft.verdict.decision
    test, left_out = draft.test or Test(NAN, NAN, ""), draft.left_out or LeftOut()
    row = {
        "scope": draft.twin.scope,
        "metric": draft.metric,
        "dataset": draft.dataset,
        "first": draft.pair[0],
        "second": draft.pair[1],
        "bayesian": draft.twin.bayesian,
        **_probabilities(draft.verdict),
        "decision": decision,
        "cause": "" if draft.verdict is None else draft.verdict.cause,
        "evidence": "none" if draft.verdict is None else draft.verdict.evidence,
        "frequentist": draft.twin.frequentist,
        "statistic": test.statistic,
        "pvalue": test.pvalue,
        "adjusted": adjusted,
        "significant": significant,
        "unadjusted": None if draft.test is None else bool(test.pvalue <= alpha),
        "favours": test.favours,
        **_effect(test.effect),
        "tost": test.equivalence,
        "tost_adjusted": tost,
        "equivalent": None if math.isnan(tost) else bool(tost <= alpha),
        "agreement": agreement(decision, significant, test.favours),
        **_source(draft.verdict),
        "datasets_left_out": len(left_out.datasets),
        "folds_left_out": left_out.folds,
        "error": draft.error,
    }
    return {**row, "words": in_words(row)}


def _effect(effect: EffectSize | None) -> dict[str, str | float]:
    """The effect size that a test's result has, and its 95 % interval."""
    low, high = (NAN, NAN) if effect is None else effect.confidence_interval(0.95)
    return {
        "effect": "" if effect is None else effect.measure,
        "effect_size": NAN if effect is None else effect.estimate,
        "effect_low": low,
        "effect_high": high,
    }


def _source(verdict: Verdict | None) -> dict[str, str]:
    """Which way is better, and how folds are correlated."""
    return {
        "better": "" if verdict is None else ", ".join(d.better for d in verdict.directions),
        "resampling": "" if verdict is None else verdict.resampling,
    }


def _probabilities(verdict: Verdict | None) -> dict[str, float]:
    """What decides, the predictive and the mean's probabilities; NaN where there is none."""
    parts: dict[str, Mapping[str, float] | None] = {"p": None, "predictive": None, "mean": None}
    if verdict is not None:
        parts = {
            "p": verdict.probabilities,
            "predictive": verdict.expected,
            "mean": verdict.location,
        }
    columns = {f"{name}_{place}": NAN for name in parts for place in PLACES}
    for name, part in parts.items():
        columns |= {f"{name}_{_PLACES[r]}": float(value) for r, value in (part or {}).items()}
    return columns


def plain_verdict(p: object, names: Pair, like: Verdict) -> Verdict:
    """A verdict from three plain probabilities, by the rope and threshold of another."""
    probabilities = dict(zip(("left", "rope", "right"), map(float, np.asarray(p)), strict=True))
    return Verdict(
        probabilities,
        dict.fromkeys(probabilities, 0.0),
        names,
        like.rope,
        like.threshold,
        floor=like.floor,
        exact=like.exact,
        target="this data set",
        directions=like.directions,
        resampling=like.resampling,
    )
