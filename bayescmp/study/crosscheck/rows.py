"""Rows of a cross-check: drafts, then judged, and where two answers disagree, in words."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from bayescmp.base.typing import Json, Pair
from bayescmp.catalogue import FrequentistTest, frequentist_test, title
from bayescmp.errors import InputError
from bayescmp.frequentist import EffectSize
from bayescmp.results.verdict import Verdict
from bayescmp.scores.pairing import LeftOut
from bayescmp.scores.rope import Rope
from bayescmp.study.question import Question, Twin
from bayescmp.summaries.verdict import is_without_rope
from bayescmp.wording.text import format_probability, join_items, sentence_of, state_pvalue

# Words for where and why the Bayesian and the frequentist answer disagree.


#: What a row can say, and the short form that tables and colours go by.
AGREEMENTS = {
    "agree": "significant, and decided for the same algorithm",
    "open": "neither decides",
    "equivalent": "not significant, and practically equivalent",
    "not_worse": "not practically worse, whether significantly different or not",
    "significant_equivalent": "significant, but practically equivalent",
    "significant_undecided": "significant, but undecided",
    "decided_only": "decided, but not significant",
    "trade_off": "better on one metric, worse on another",
    "contradict": "the Bayesian and the frequentist answer contradict each other",
    "failed": "one of the two could not be computed",
}

#: Those in which one answer finds a difference that matters and the other does not.
DISAGREE = ("significant_equivalent", "significant_undecided", "decided_only", "contradict")

#: A row of a cross-check: what two answers to one question say, by column.
Row: TypeAlias = Mapping[str, Any]


def agreement(decision: str, significant: bool | None, favours: str) -> str:
    """State whether a Bayesian decision and a frequentist one agree, as one of `AGREEMENTS`.

    `decision` is "first", "equivalent", "second", "not worse", "trade-off", "undecided" or
    "borderline"; anything else has failed. `significant` is whether equality is rejected (None:
    not computed), `favours` the side of the estimate: "first", "second" or "".
    """
    alone = {"not worse": "not_worse", "trade-off": "trade_off"}
    if significant is None:
        return "failed"
    if decision in ("undecided", "borderline"):
        return "significant_undecided" if significant else "open"
    if decision == "equivalent":
        return "significant_equivalent" if significant else "equivalent"
    if decision not in ("first", "second"):
        return alone.get(decision, "failed")
    if not significant:
        return "decided_only"
    return "contradict" if favours and favours != decision else "agree"


#: Texts for the result of the frequentist test.
TESTS = {
    "significant": "{test}: significant ({p}).",
    "contradict": "{test}: significant for {favoured} ({p}).",
    "unadjusted": "{test}: not significant once adjusted ({p}; unadjusted {unadjusted}).",
    "": "{test}: not significant ({p}).",
}
#: Texts for the result of two one-sided tests with the same ROPE, or of the one test of the
#: margin.
EQUIVALENCE = {
    ("margin", True): "One-sided test of the margin: not worse ({p}).",
    ("margin", False): "One-sided test of the margin: not shown to be not worse ({p}).",
    ("ROPE", True): "TOST: equivalent ({p}).",
    ("ROPE", False): "TOST: not shown to be equivalent ({p}).",
}
#: Texts of the verdict.
VERDICTS = {
    "better": "Bayesian verdict: {winner} is better ({p}).",
    "practically better": "Bayesian verdict: {winner} is practically better ({p}).",
    "dominates": "Bayesian verdict: {winner} dominates ({p}).",
    "equivalent": "Bayesian verdict: practically equivalent ({p}).",
    "trade-off": "Bayesian verdict: better in one metric, worse in another ({p}).",
    "one-sided": "Bayesian verdict: {one_sided}.",
}
UNDECIDED = {
    "lead": "Bayesian verdict: {word}. {leader} leads, but the lead may be too small to matter "
    "(better {p}, equivalent {equivalent}).",
    "equivalent": "Bayesian verdict: {word} (equivalent {equivalent}).",
    "equivalent, cause": "Bayesian verdict: {word}, {cause} (equivalent {equivalent}).",
    "better": "Bayesian verdict: {word} ({leader} better {p}).",
    "better, cause": "Bayesian verdict: {word}, {cause} ({leader} better {p}).",
    "p_left": "Bayesian verdict: {word} ({first} dominates {p}).",
    "p_right": "Bayesian verdict: {word} ({second} dominates {p}).",
    "p_rope": "Bayesian verdict: {word} (equivalent {p}).",
    "p_trade_off": "Bayesian verdict: {word} (a trade-off {p}).",
}
NOT_COMPARED = {True: "not compared: {error}", False: "not compared"}
OTHERS = {True: "{tests}: not significant ({p}).", False: "{tests}: significant ({p})."}


def in_words(row: Row) -> str:
    """State what each of the two answers is, for a reader who has seen neither."""
    if row["agreement"] == "failed":
        return NOT_COMPARED[bool(row["error"])].format(error=row["error"])
    return " ".join(filter(None, [_of_test(row), _of_tost(row), _of_verdict(row)]))


def _of_test(row: Row) -> str:
    """State whether the test is significant, with its adjusted p-value."""
    kind = "unadjusted" if row["unadjusted"] else ""  # verdicts are not adjusted for the pairs
    if row["significant"]:
        kind = "contradict" if row["agreement"] == "contradict" else "significant"
    return TESTS[kind].format(
        test=sentence_of(title(row["frequentist"])),
        favoured=row[row["favours"]] if kind == "contradict" else "",
        p=state_pvalue(row["adjusted"]),
        unadjusted=state_pvalue(row["pvalue"]),
    )


def _of_tost(row: Row) -> str:
    """State what the tests with the same ROPE find, if they were done and concern the verdict."""
    if row.get("equivalent") is None:
        return ""
    if not row.get("one_sided") and row["decision"] != "equivalent":
        return ""
    kind = "margin" if row.get("one_sided") else "ROPE"
    p = state_pvalue(row["tost_adjusted"])
    return EQUIVALENCE[kind, bool(row["equivalent"])].format(p=p)


def _of_verdict(row: Row) -> str:
    """State the verdict, and if it is undecided, the most probable outcome."""
    several = not math.isnan(row["p_trade_off"])
    decision, column, winner = row["decision"], "p_rope", ""
    if row.get("one_sided"):
        return VERDICTS["one-sided"].format(one_sided=row["one_sided"])
    if decision in ("first", "second"):
        winner = row[decision]
        column = "p_left" if decision == "first" else "p_right"
        without = row.get("without_rope") or math.isnan(row["p_rope"])
        kind = "better" if without else "practically better"
        kind = "dominates" if several else kind
    elif decision in ("equivalent", "trade-off"):
        kind = decision
        column = "p_rope" if decision == "equivalent" else "p_trade_off"
    else:
        return _of_undecided(row, several)
    return VERDICTS[kind].format(winner=winner, p=format_probability(row[column]))


def _of_undecided(row: Row, several: bool) -> str:
    """Name the most probable region, and the cause, of an undecided verdict."""
    p = {column: row[column] for column in ("p_left", "p_right", "p_rope", "p_trade_off")}
    lead = max(p["p_left"], p["p_right"])
    leader = row["first"] if p["p_left"] > p["p_right"] else row["second"]
    if several:
        kind = max(p, key=lambda column: p[column])
        lead = p[kind]
    elif row["significant"] and p["p_rope"] >= min(p["p_left"], p["p_right"]) and p["p_rope"] > 0:
        kind = "lead"
    else:
        kind = "equivalent" if p["p_rope"] > lead else "better"
        kind = f"{kind}, cause" if row["cause"] else kind
    return UNDECIDED[kind].format(
        word="borderline" if row["decision"] == "borderline" else "undecided",
        leader=leader,
        first=row["first"],
        second=row["second"],
        cause=row["cause"],
        p=format_probability(lead),
        equivalent=format_probability(p["p_rope"]),
    )


def others_in_words(rows: list[Row]) -> str:
    """Add a pair's tests that disagree with its main row's (the first of `rows`), in words."""
    main, *others = rows
    differs: dict[str, Row] = {}
    for row in others:
        if row["significant"] is not None and row["significant"] != main["significant"]:
            differs.setdefault(row["frequentist"], row)
    differs.pop(main["frequentist"], None)
    if not differs or main["significant"] is None:
        return ""
    names = [title(name) for name in differs]
    return OTHERS[bool(main["significant"])].format(
        tests=sentence_of(join_items(names)),
        p=", ".join(state_pvalue(row["adjusted"]) for row in differs.values()),
    )


JOINT = {
    True: "Significant only in {metrics} together.",
    False: "Significant in {alone} separately, not in {metrics} together.",
}


def joint_words(joint: bool | None, single: Mapping[str, bool], metrics: tuple[str, ...]) -> str:
    """State if several metrics together give a different answer from each separately."""
    if joint is None or not single or joint == any(single.values()):
        return ""
    alone = join_items([metric for metric, significant in single.items() if significant])
    return JOINT[joint].format(metrics=join_items(list(metrics)), alone=alone)


# Rows of a cross-check: first as drafts, then judged once all p-values are there.


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
PLACES = ("left", "rope", "right", "trade_off")


@dataclass(frozen=True)
class FrequentistFacts:
    """A frequentist test's result; `adjusted` is set only if the test adjusts p-values."""

    statistic: float
    pvalue: float
    favours: str
    adjusted: float | None = None
    effect: EffectSize | None = None
    equivalence: float = NAN

    @cached_property
    def effect_columns(self) -> dict[str, str | float]:
        """The effect size, if there is one, and its 95% interval."""
        values: tuple[str | float, ...] = ("", NAN, NAN, NAN)
        if (effect := self.effect) is not None:
            values = (effect.measure, effect.estimate, *effect.confidence_interval(0.95))
        columns = ("effect", "effect_size", "effect_low", "effect_high")
        return dict(zip(columns, values, strict=True))

    @classmethod
    def run(cls, test: FrequentistTest, x: object, rope: Rope | None = None) -> FrequentistFacts:
        """Run a scope's test of x, and with a ROPE the catalogue's test of equivalence for it."""
        result, beside = test.call(x), _beside(test, rope)
        if math.isnan(result.pvalue):
            raise InputError(f"{test.title} has no p-value: {'; '.join(result.notes)}")
        return cls(
            float(result.statistic),
            float(result.pvalue),
            test.favours(result),
            effect=getattr(result, "effect", None),
            equivalence=NAN if beside is None else float(beside.call(x, rope=rope).pvalue),
        )

    @classmethod
    def of_rows(
        cls, test: FrequentistTest, x: object, rope: Rope | None
    ) -> list[FrequentistFacts]:
        """Run a test on all data sets at once; its test of equivalence has to do the same."""
        of_each: Any = test.by_row
        rows, beside = of_each(x), _beside(test, rope)
        equivalence = np.full(len(rows.pvalue), NAN)
        if beside is not None:
            of_each = beside.by_row
            equivalence = of_each(x, rope=rope).pvalue
        sides = np.sign(rows.estimate - test.equal)
        numbers = zip(rows.statistic, rows.pvalue, sides, equivalence, strict=True)
        return [
            cls(float(t), float(p), SIDES[side], effect=rows.effect(i), equivalence=float(also))
            for i, (t, p, side, also) in enumerate(numbers)
        ]

    @classmethod
    def of_pairs(cls, result: Any) -> list[FrequentistFacts]:
        """Read a result on all pairs, in their order."""
        lead = np.asarray(result.difference)
        sides = np.sign(lead if lead.ndim == 1 else np.zeros(len(lead)))
        own = result.adjusted if result.adjust != "none" else [None] * len(sides)
        return [
            cls(float(s), float(p), SIDES[side], None if a is None else float(a))
            for s, p, side, a in zip(result.statistic, result.pvalue, sides, own, strict=True)
        ]


#: The side of an estimate, by its sign.
SIDES = {1: "second", 0: "", -1: "first"}


def _beside(test: FrequentistTest, rope: Rope | None) -> FrequentistTest | None:
    """Return a test's test of equivalence, if it has one and there is a ROPE."""
    if not test.equivalence or rope is None or rope.empty:
        return None
    return frequentist_test(test.equivalence, test.scope)


@dataclass(frozen=True, eq=False)
class UnadjustedRow:
    """A Bayesian test and its counterpart on one pair of algorithms, not yet adjusted.

    Several metrics are joined by commas in `metric`; `dataset` is empty over all; `error` is why
    the verdict or the test is missing, `left_out` what has no score of either.
    """

    twin: Twin
    metric: str
    dataset: str
    pair: Pair
    verdict: Verdict | None = None
    test: FrequentistFacts | None = None
    error: str = ""
    left_out: LeftOut | None = None

    @property
    def family(self) -> tuple[Twin, str, str]:
        """The key of p-values that are adjusted together: pairs, by one test on one data set."""
        return self.twin, self.metric, self.dataset


#: Whether the test of each metric is significant on a data set: by data set and pair.
Alone: TypeAlias = Mapping[tuple[str, str, str], dict[str, bool]]


def judge_drafts(
    drafts: list[UnadjustedRow], question: Question, alone: Alone | None = None
) -> list[Json]:
    """Adjust the drafts' p-values, judge them and put them into words.

    `alone` holds tests of each metric on each data set, if not among the drafts. One row per
    draft, by metric, pair and the order of tests; see `CrossCheck.frame`.
    """
    adjusted = {
        id(draft): p
        for family in _families(drafts)
        for draft, p in zip(family, _adjust_family(family, question), strict=True)
    }
    place = {pair: i for i, pair in enumerate(question.pairs)}
    order = {twin: i for i, twin in enumerate(question.twins)}
    metrics = {m: i for i, m in enumerate(question.metrics)}
    drafts = sorted(
        drafts, key=lambda d: (metrics.get(d.metric, len(metrics)), place[d.pair], order[d.twin])
    )
    tost = _adjusted_equivalence(drafts, question)
    rows = [
        _row(d, adjusted.get(id(d), NAN), tost.get(id(d), NAN), question.alpha) for d in drafts
    ]
    _tell_joint(rows, question, alone or significant_alone(rows, question))
    return rows


def _families(drafts: list[UnadjustedRow]) -> list[list[UnadjustedRow]]:
    """Group drafts whose p-values are adjusted together."""
    families: dict[Hashable, list[UnadjustedRow]] = {}
    for draft in drafts:
        if draft.test is not None:
            families.setdefault(draft.family, []).append(draft)
    return list(families.values())


def _adjust_family(family: list[UnadjustedRow], question: Question) -> list[float]:
    """Adjust by the test's own procedure (Tukey's), else by the requested one."""
    tests = [d.test for d in family if d.test is not None]
    if _by_itself(family):
        return [float(t.adjusted) for t in tests if t.adjusted is not None]
    return question.adjust_pvalues([t.pvalue for t in tests])


def _adjusted_equivalence(drafts: list[UnadjustedRow], question: Question) -> dict[int, float]:
    """Return adjusted p-values of the tests of equivalence, over the same families."""
    adjusted: dict[int, float] = {}
    for family in _families(drafts):
        having = [d for d in family if d.test is not None and not math.isnan(d.test.equivalence)]
        if having:
            p = question.adjust_pvalues([d.test.equivalence for d in having if d.test is not None])
            adjusted.update(zip(map(id, having), p, strict=True))
    return adjusted


def _by_itself(family: list[UnadjustedRow]) -> bool:
    """Return whether the test adjusts by its own procedure."""
    return all(d.test is not None and d.test.adjusted is not None for d in family)


def stand_ins(drafts: list[UnadjustedRow], question: Question) -> bool:
    """Return whether Holm's procedure somewhere replaces one that needs every pair."""
    return any(
        not question.has_enough_pvalues(len(family))
        for family in _families(drafts)
        if not _by_itself(family)
    )


def significant_alone(rows: Iterable[Row], question: Question) -> Alone:
    """Return whether the first test on single data sets finds a difference by each metric."""
    alone: dict[tuple[str, str, str], dict[str, bool]] = {}
    twin = next((twin for twin in question.twins if twin.scope == "dataset"), None)
    own = () if twin is None else (twin.bayesian, twin.frequentist, twin.scope)
    for row in rows:
        named = row["bayesian"], row["frequentist"], row["scope"]
        if named == own and row["significant"] is not None:
            key = row["dataset"], row["first"], row["second"]
            alone.setdefault(key, {})[row["metric"]] = row["significant"]
    return alone


def _tell_joint(rows: list[Json], question: Question, alone: Alone) -> None:
    """Note where the metrics together lead to a different answer from each alone."""
    for row in rows:
        if row["scope"] == "metrics":
            key = row["dataset"], row["first"], row["second"]
            more = joint_words(row["significant"], alone.get(key, {}), question.joint)
            row["words"] = " ".join(filter(None, [more, row["words"]]))


def _row(draft: UnadjustedRow, adjusted: float, tost: float, alpha: float) -> Json:
    significant = None if draft.test is None else bool(adjusted <= alpha)
    verdict, decision = draft.verdict, getattr(draft.verdict, "decision", "failed")
    test, left_out = draft.test or FrequentistFacts(NAN, NAN, ""), draft.left_out or LeftOut()
    row = {
        "scope": draft.twin.scope,
        "metric": draft.metric,
        "dataset": draft.dataset,
        "first": draft.pair[0],
        "second": draft.pair[1],
        "bayesian": draft.twin.bayesian,
        **_probabilities(verdict),
        "decision": decision,
        "cause": getattr(verdict, "cause", ""),
        "evidence": getattr(verdict, "evidence", "none"),
        "frequentist": draft.twin.frequentist,
        "statistic": test.statistic,
        "pvalue": test.pvalue,
        "adjusted": adjusted,
        "significant": significant,
        "unadjusted": None if draft.test is None else bool(test.pvalue <= alpha),
        "favours": test.favours,
        **test.effect_columns,
        "tost": test.equivalence,
        "tost_adjusted": tost,
        "equivalent": None if math.isnan(tost) else bool(tost <= alpha),
        "agreement": agreement(decision, significant, test.favours),
        "words": "",
        "better": ", ".join(way.better for way in getattr(verdict, "directions", ())),
        "pairing": getattr(verdict, "pairing", ""),
        "resampling": getattr(verdict, "resampling", ""),
        "datasets_left_out": len(left_out.datasets),
        "folds_left_out": left_out.folds,
        "error": draft.error,
    }
    without = verdict is not None and is_without_rope(verdict)
    row["words"] = in_words({**row, "one_sided": _one_sided(verdict), "without_rope": without})
    return row


def _one_sided(verdict: Verdict | None) -> str:
    """State what a verdict over two regions is: "svm not worse (0.998)"; empty for any other."""
    if verdict is None or not verdict.shape.impossible:
        return ""
    top = verdict.ranked[0]
    shown = f"{verdict.label(top)} ({format_probability(verdict.probabilities[top])})"
    return shown if verdict.decided else f"{verdict.decision}: {shown}"


def _probabilities(verdict: Verdict | None) -> dict[str, float]:
    """Return what decides, the predictive and mean's probabilities; NaN if there is none."""
    parts = {"p": "probabilities", "predictive": "expected", "mean": "location"}
    columns = {f"{name}_{place}": NAN for name in parts for place in PLACES}
    for name, part in parts.items():
        masses = getattr(verdict, part, None) or {}
        columns |= {f"{name}_{_PLACES[r]}": float(value) for r, value in masses.items()}
    return columns


def plain_verdict(p: object, names: Pair, like: Verdict) -> Verdict:
    """Make a verdict from three plain probabilities, by the ROPE and threshold of another."""
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
        pairing=like.pairing,
    )
