"""Summaries of what a verdict depends on: other assumptions, and units that are left out."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from bayescmp.base.arguments import either
from bayescmp.base.typing import RELIABLE, Pair
from bayescmp.present.summary import Cells, Column, Explanation, Summary, summarise
from bayescmp.results.sensitivity import Fragility, PairsSensitivity, Sensitivity
from bayescmp.results.verdict import Verdict
from bayescmp.scores.rope import Rope, ends_in_words
from bayescmp.summaries.verdict import (
    is_of_metrics,
    write_clause,
    write_headline,
    write_heads,
    write_setting,
)
from bayescmp.wording.text import (
    format_count,
    format_probability,
    join_items,
    words_of,
)

# Other assumptions.

#: The varied part of a fit.
QUESTIONS = {
    "prior": "the prior",
    "model": "the model",
    "rho": "the correlation of {sample}s",
    "rope": "the ROPE",
    "without": "single {unit}s left out",
    "runs": "single runs left out",
    "threshold": "the threshold",
}
#: The units that rows of these two questions leave out.
LEFT_OUT = {"without": "{unit}", "runs": "run"}

HEADLINES = {
    "same": "{verdict}; unchanged in all {total}",
    "changes": "{verdict}; unchanged in {same} of {total}",
}
#: A varied part, with or without its settings.
VARIED = {"settings": "{0} ({1})", "no settings": "{0}"}
OUTCOME, MORE = "{0}: {1}", "and {0}"
SAME = "The verdict does not change with {questions}."
CHANGES = "The verdict changes with {questions}."
MOST_INFLUENTIAL = (
    'Most influential {unit}: {name}. Without it, the probability of "{outcome}" is {now} instead '
    "of {was}."
)
NO_INFLUENCE = (
    'Leaving out any single {unit} does not change the probability of "{outcome}", {was}.'
)
NOT_VARIED = "Not varied: {questions}."

#: Settings of reweighted draws.
REWEIGHTED = {
    "reliable": "{setting} (k-hat {k_hat:.2f})",
    "refitted": "{setting} (k-hat {k_hat:.2f}, refitted)",
    "can be refitted": "{setting} (k-hat {k_hat:.2f}, needs a refit)",
    "unreliable": "{setting} (k-hat {k_hat:.2f}, not reliable)",
}
#: Rows of a table that are not named by their question and setting.
ROWS = {"fit": "as fitted", "rope": "ROPE {setting}"}

#: Settings that are named; of more, only their number.
MOST_SETTINGS, MOST_CHANGES = 4, 3


class VariedSettings(NamedTuple):
    """The varied settings in words; their rows, and the rows with a different verdict."""

    words: str
    rows: pd.DataFrame
    changed: pd.DataFrame


def list_questions(sensitivity: Sensitivity) -> Iterator[VariedSettings]:
    """Yield what was varied, in the order of `QUESTIONS`."""
    asked = dict(iter(sensitivity.frame.groupby("question", sort=False)))
    known = words_of(sensitivity.verdict.unit)
    for question, words in QUESTIONS.items():
        if question in asked:
            rows = asked[question]
            yield VariedSettings(words.format(**known), rows, rows[rows["changes"]])


@summarise.register
def summarise_sensitivity(sensitivity: Sensitivity) -> Summary:
    """Summarise under which assumptions the verdict changes."""
    varied = len(sensitivity.frame) - 1
    changed = int(sensitivity.frame["changes"].sum())
    sentences = [*describe_changes(sensitivity), _describe_influence(sensitivity)]
    return Summary(
        HEADLINES["changes" if changed else "same"].format(
            verdict=write_headline(sensitivity.verdict),
            same=varied - changed,
            total=format_count(varied, "setting"),
        ),
        _tabulate(sensitivity),
        {"decision": Column(Cells.WORDS)},
        label="sensitivity",
        setting=sensitivity.verdict.measured,
        sentences=[" ".join(filter(None, [*sentences, _describe_fixed(sensitivity)]))],
        legend="*: the verdict changes" if changed else "",
        explanation=lambda: Explanation(methods=[f"{sensitivity.verdict.method}."]),
        more=either("more: .frame, .plot()", ""),
    )


def describe_changes(sensitivity: Sensitivity, *, briefly: bool = False) -> list[str]:
    """State what does not change the verdict, and what does; `briefly`: the first that does."""
    same, changes = [], []
    for words, rows, changed in list_questions(sensitivity):
        if changed.empty:
            settings = _list_settings(sensitivity, rows)
            same.append(VARIED["no settings" if briefly else "settings"].format(words, settings))
        else:
            shown = changed.head(1) if briefly else changed
            changes.append(VARIED["settings"].format(words, _list_outcomes(sensitivity, shown)))
    return [
        *([SAME.format(questions=join_items(same, "or"))] if same else []),
        *([CHANGES.format(questions=join_items(changes))] if changes else []),
    ]


def name_setting(sensitivity: Sensitivity, row: Mapping[Any, Any]) -> str:
    """Name the setting of a row of `Sensitivity.frame`: a ROPE by its bounds, weights by k-hat."""
    setting, rope = str(row["setting"]), sensitivity.verdict.rope
    multiple = row["question"] == "rope" and setting.endswith(" times")
    if multiple and isinstance(rope, Rope) and not rope.empty:
        factor = float(setting.split(" ")[0])
        return ends_in_words(rope.scaled(factor), of_ratios=sensitivity.verdict.of_ratios)
    k_hat = float(row["k_hat"])
    if math.isnan(k_hat):
        return setting
    kind = "can be refitted" if row["can_refit"] else "unreliable"
    kind = "refitted" if row["refitted"] else "reliable" if k_hat <= RELIABLE else kind
    return REWEIGHTED[kind].format(setting=setting, k_hat=k_hat)


def _list_settings(sensitivity: Sensitivity, rows: pd.DataFrame) -> str:
    settings = [name_setting(sensitivity, row) for row in rows.to_dict(orient="records")]
    if len(settings) > MOST_SETTINGS:
        return format_count(len(settings), "setting")
    return join_items(settings)


def _list_outcomes(sensitivity: Sensitivity, rows: pd.DataFrame) -> str:
    """List settings with their verdicts; of many, only the first."""
    records = rows.head(MOST_CHANGES).to_dict(orient="records")
    shown = [
        OUTCOME.format(
            name_setting(sensitivity, row), _label(sensitivity.verdict, row["decision"])
        )
        for row in records
    ]
    more = len(rows) - len(shown)
    return "; ".join([*shown, *([MORE.format(format_count(more, "other"))] if more else [])])


def _describe_influence(sensitivity: Sensitivity) -> str:
    """Name the data set, or the run, whose absence changes the probabilities most."""
    rows = sensitivity.frame[sensitivity.frame["question"].isin(LEFT_OUT)].reset_index(drop=True)
    if rows.empty:
        return ""
    verdict, fitted = sensitivity.verdict, sensitivity.fitted
    row = rows.iloc[int(rows["change"].argmax())]
    columns = [f"p_{region}" for region in verdict.shape.regions]
    moves = np.abs(row[columns].to_numpy(dtype=float) - fitted[columns].to_numpy(dtype=float))
    region = verdict.shape.regions[int(np.argmax(moves))]
    was, now = (format_probability(each[f"p_{region}"]) for each in (fitted, row))
    unit = LEFT_OUT[row["question"]].format(unit=verdict.unit)
    if was == now:
        top = verdict.ranked[0]
        p = format_probability(fitted[f"p_{top}"])
        return NO_INFLUENCE.format(unit=unit, outcome=verdict.label(top), was=p)
    return MOST_INFLUENTIAL.format(
        unit=unit,
        name=name_setting(sensitivity, row.to_dict()),
        outcome=verdict.label(region),
        now=now,
        was=was,
    )


def _describe_fixed(sensitivity: Sensitivity) -> str:
    """State what the test cannot vary, and why."""
    known = words_of(sensitivity.verdict.unit)
    fixed = sensitivity.fixed.items()
    why = [
        VARIED["settings"].format(QUESTIONS[question].format(**known), reason)
        for question, reason in fixed
    ]
    return NOT_VARIED.format(questions=join_items(why)) if why else ""


def _tabulate(sensitivity: Sensitivity) -> pd.DataFrame:
    """Write the table as texts; of several metrics' outcomes, only the most probable one."""
    frame, verdict = sensitivity.frame, sensitivity.verdict
    shown = dict(zip(verdict.possible, write_heads(verdict), strict=True))
    if is_of_metrics(verdict):
        top = verdict.ranked[0]
        shown = {top: shown[top]}
    marks = np.where(frame["changes"], " *", "")
    decisions = [_label(verdict, decision) for decision in frame["decision"]]
    return pd.DataFrame(
        {
            "": [_name_row(sensitivity, row) for row in frame.to_dict(orient="records")],
            **{
                head: [format_probability(p) for p in frame[f"p_{region}"]]
                for region, head in shown.items()
            },
            "decision": [f"{text}{mark}" for text, mark in zip(decisions, marks, strict=True)],
        }
    )


def _label(verdict: Verdict, decision: object) -> str:
    """Return a decision in a few words: "svm better"."""
    labels = {d: verdict.label(region) for region, d in verdict.shape.decisions.items()}
    return labels.get(str(decision), str(decision))


def _name_row(sensitivity: Sensitivity, row: Mapping[Hashable, Any]) -> str:
    question = str(row["question"])
    template = ROWS.get(question, "{question} {setting}")
    return template.format(question=question, setting=name_setting(sensitivity, row))


# Several pairs.

PAIRS_HEADLINE = {
    1: "1 of {total} is unchanged in all settings",
    2: "{same} of {total} are unchanged in all settings",
}
UNCHANGED_PAIRS = "Unchanged in all settings: {pairs}."
CHANGED_PAIR = "{first} and {second} ({decision}): the verdict changes with {questions}."


@summarise.register
def summarise_pairs_sensitivity(sensitivity: PairsSensitivity) -> Summary:
    """Summarise which verdicts do not change, and the settings that change the others."""
    pairs = sensitivity.pairs
    same = [f"{a} and {b}" for (a, b), each in pairs.items() if each.holds]
    rows = [
        {
            "": f"{first}, {second}",
            "setting": _name_row(each, row),
            "decision": _label(each.verdict, row["decision"]),
            "as fitted": _label(each.verdict, each.fitted["decision"]),
        }
        for (first, second), each in pairs.items()
        for row in each.frame[each.frame["changes"]].to_dict(orient="records")
    ]
    columns = ["", "setting", "decision", "as fitted"]
    one = next(iter(pairs.values()))
    sentences = [
        *([UNCHANGED_PAIRS.format(pairs="; ".join(same))] if same else []),
        *(_describe_pair(pair, each) for pair, each in pairs.items() if not each.holds),
        _describe_fixed(one),
    ]
    return Summary(
        PAIRS_HEADLINE[1 if len(same) == 1 else 2].format(
            same=len(same), total=format_count(len(pairs), "verdict")
        ),
        pd.DataFrame(rows, columns=columns),
        {
            **dict.fromkeys(columns, Column(Cells.WORDS)),
            **dict.fromkeys(columns[:2], Column(Cells.NAME)),
        },
        label="sensitivity",
        sentences=[" ".join(filter(None, sentences))],
        explanation=lambda: Explanation(methods=[f"{one.verdict.method}."]),
        more=either("more: .frame, .plot(), and each pair's own by its names", ""),
    )


def _describe_pair(pair: Pair, sensitivity: Sensitivity) -> str:
    by = [
        VARIED["settings"].format(words, format_count(len(changed), "setting"))
        for words, _, changed in list_questions(sensitivity)
        if len(changed)
    ]
    return CHANGED_PAIR.format(
        first=pair[0],
        second=pair[1],
        decision=_label(sensitivity.verdict, sensitivity.fitted["decision"]),
        questions=join_items(by),
    )


# Units left out.

#: The smallest set, and equal units in it.
LEFT_OUT_SET, TIMES = "{size} of {units} ({names})", "{k} × {name}"
#: The effect of the smallest set, by whether the verdict was decided, and whether it then is.
WITHOUT = {
    (True, True): "Without {left_out}, {now} (probability that {was}: {p}, threshold "
    "{threshold:g}).",
    (True, False): "Without {left_out}, the verdict is undecided (probability that {was}: {p}, "
    "threshold {threshold:g}).",
    (False, True): "The verdict is undecided. Without {left_out}, {now}.",
}
#: No set was found: by whether all sets of the sizes tried were tried, and whether of one.
WITHIN = {
    (True, True): "The verdict does not change if any single one of {units} is left out.",
    (True, False): "The verdict does not change if any {tried} of {units} are left out.",
    (False, True): "The verdict does not change without any set tried, of 1 of {units}.",
    (False, False): "The verdict does not change without any set tried, of up to {tried} of "
    "{units}.",
}
NEAREST = 'The probability of "{outcome}" comes closest to the threshold at {p}.'
LATE = "The search stopped {stopped}, before any of {units} was left out."
NOTHING = "None of {units} can be left out."
STOPPED = "The search stopped {stopped}."

SMALLEST = "No smaller set changes the verdict."
STEPWISE = "Larger sets were built step by step from the {word}s that change the probability most."
UPPER_BOUND = "This number is an upper bound."
RULED_OUT = "No set of up to {number} changes the verdict."

FRAGILITY_HEADLINES = {
    "exact": "{verdict}; leaving out {size} of {units} changes the verdict",
    "at most": "{verdict}; leaving out at most {size} of {units} changes the verdict",
    "same": "{verdict}; no set tried changes the verdict",
    "nothing": "{verdict}; nothing was left out",
}
FRAGILITY_LEGEND = "Probabilities that decide (threshold {threshold:g}), without these."


@summarise.register
def summarise_fragility(fragility: Fragility) -> Summary:
    """Summarise how few data sets, questions or folds the verdict depends on."""
    verdict = fragility.verdict
    shape, units = verdict.shape, format_count(fragility.total, fragility.word)
    table = fragility.frame.drop(columns="changes")
    table = table.drop(columns=[f"p_{r}" for r in shape.regions if r not in verdict.possible])
    table["decision"] = [_label(verdict, decision) for decision in table["decision"]]
    kind = "nothing" if not fragility.tried else "same"
    if fragility.size is not None:
        kind = "exact" if fragility.exact else "at most"
    return Summary(
        FRAGILITY_HEADLINES[kind].format(
            verdict=write_headline(verdict), size=fragility.size, units=units
        ),
        table,
        {
            "left_out": Column(head="left out"),
            "name": Column(head="the last one"),
            **{
                f"p_{region}": Column(Cells.PROBABILITY, verdict.label(region))
                for region in verdict.possible
            },
        },
        label="fragility",
        setting=write_setting(verdict),
        sentences=[" ".join(describe_fragility(fragility))],
        legend=FRAGILITY_LEGEND.format(threshold=verdict.threshold),
        explanation=lambda: Explanation(methods=[f"{verdict.method}, without some of {units}."]),
    )


def describe_fragility(fragility: Fragility) -> list[str]:
    """State what the verdict depends on, and whether fewer might change it."""
    units = format_count(fragility.total, fragility.word)
    if not fragility.tried:
        late = fragility.stopped.startswith("after")
        return [(LATE if late else NOTHING).format(stopped=fragility.stopped, units=units)]
    smallest = _describe_set(fragility, units)
    stopped = [STOPPED.format(stopped=fragility.stopped)] if fragility.stopped else []
    return [*smallest, *_describe_bound(fragility), *stopped]


def _describe_set(fragility: Fragility, units: str) -> list[str]:
    verdict, frame = fragility.verdict, fragility.frame
    clauses = {d: write_clause(verdict, region) for region, d in verdict.shape.decisions.items()}
    was, now = (clauses.get(frame["decision"].iloc[row]) for row in (0, -1))
    row = frame.iloc[0 if was else -1]
    region = max(verdict.shape.regions, key=lambda r: row[f"p_{r}"])
    p = format_probability(float(frame[f"p_{region}"].iloc[-1]))
    if fragility.size is None:
        within = WITHIN[fragility.exact, fragility.tried == 1]
        return [
            within.format(tried=fragility.tried, units=units),
            NEAREST.format(outcome=verdict.label(region), p=p),
        ]
    times = Counter(fragility.names)
    names = [name if k == 1 else TIMES.format(k=k, name=name) for name, k in times.items()]
    return [
        WITHOUT[was is not None, now is not None].format(
            left_out=LEFT_OUT_SET.format(
                size=fragility.size, units=units, names=join_items(names)
            ),
            was=was,
            now=now,
            p=p,
            threshold=verdict.threshold,
        )
    ]


def _describe_bound(fragility: Fragility) -> list[str]:
    """State whether a smaller set might change the verdict."""
    if fragility.exact:
        return [SMALLEST] if fragility.size and fragility.size > 1 else []
    ruled_out = format_count(fragility.at_least - 1, fragility.word)
    return [
        *([UPPER_BOUND] if fragility.size is not None else []),
        *([RULED_OUT.format(number=ruled_out)] if fragility.at_least > 1 else []),
        STEPWISE.format(word=fragility.word),
    ]
