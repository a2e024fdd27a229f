"""Summaries of plans: what amounts of data decide a verdict."""

from __future__ import annotations

import pandas as pd

from bayescmp.base.arguments import either
from bayescmp.present.summary import Column, Summary, summarise
from bayescmp.results.plan import ItemPlan, Plan, decisions_of, shape_within
from bayescmp.results.regions import THREE
from bayescmp.scores.rope import rope_phrase
from bayescmp.wording.regions import LABELS, fill_in
from bayescmp.wording.text import (
    format_count,
    format_probability,
    format_share,
    join_items,
    words_of,
    write_number,
)

#: The power that the headlines are about.
POWER = 0.8

ENOUGH = "Enough to decide with power {power:.2f}: {amount}"
NOT_ENOUGH = "No planned amount of data decides with power {power:.2f}"

# Data sets and folds.

TODAY = "Verdict today: {decision}."
POWER_OF = {
    True: "Power with {amount}: {decided} ({ways}).",
    False: "Power with {amount}: {decided}.",
}
REACHED = "Power {power:.2f} is reached with {amount}."
NOT_REACHED = "Power {power:.2f} is not reached."
LIMIT = "With infinitely many {unit}s: {ways}."
SIMULATED = (
    "Power is the probability of a decision at the threshold {threshold:g}, in {studies} for each "
    "amount of data"
)


@summarise.register
def summarise_plan(plan: Plan) -> Summary:
    """Summarise how much further data decide a verdict."""
    folds = plan.frame["more_folds"].unique().tolist()
    enough = {m: plan.needed(POWER, more_folds=m) for m in folds}
    amounts = [_write_amount(plan, n, m) for m, n in enough.items() if n is not None]
    headline = ENOUGH if amounts else NOT_ENOUGH
    labels = {d: _write_label(plan, region) for region, d in plan.shape.possible.items()}
    ways = [
        f"{_quote(plan, decision)} {format_probability(p)}"
        for decision, p in plan.limit.items()
        if p > 0
    ]
    studies = format_count(plan.simulations, "simulated study", "simulated studies")
    simulated = SIMULATED.format(threshold=plan.threshold, studies=studies)
    units = "benchmarks" if plan.unit == "benchmark" else "datasets"
    return Summary(
        headline.format(power=POWER, amount=amounts[0] if amounts else ""),
        tabulate_plan(plan),
        {**{d: Column(head=label) for d, label in labels.items()}, "datasets": Column(head=units)},
        label="plan",
        setting=" and ".join(plan.names),
        sentences=[
            " ".join(
                [
                    *([TODAY.format(decision=_quote(plan, plan.today))] if plan.today else []),
                    *(text for m in folds for text in _describe_power(plan, m)),
                    LIMIT.format(unit=plan.unit, ways=join_items(ways)),
                ]
            )
        ],
        method=simulated,
        more=either("more: .frame, .needed(), .explain(), .plot()", ""),
    )


def _describe_power(plan: Plan, more_folds: int) -> list[str]:
    """State the power of the largest amount of data, and the least that is enough."""
    rows = plan.frame[plan.frame["more_folds"] == more_folds]
    last = rows.iloc[int(rows["datasets"].argmax())]
    ways = {d: last[d] for d in plan.shape.possible.values() if last[d] > 0}
    decided = format_share(last["decided"], last["se_decided"], plan.simulations)
    split = [f"{_quote(plan, d)} {_write_share(plan, p)}" for d, p in ways.items()]
    enough = plan.needed(POWER, more_folds=more_folds)
    least = (
        NOT_REACHED.format(power=POWER)
        if enough is None
        else REACHED.format(power=POWER, amount=_write_amount(plan, enough, more_folds))
    )
    power = POWER_OF[bool(split)].format(
        amount=_write_amount(plan, int(last["datasets"]), more_folds),
        decided=decided,
        ways=join_items(split),
    )
    return [power, least]


def tabulate_plan(plan: Plan) -> pd.DataFrame:
    """Return the printed table: proportions, power with its standard error, today's verdict."""
    folds = ["more_folds"] if plan.frame["more_folds"].any() else []
    shares = ("decided", *decisions_of(plan.shape))
    table = plan.frame[["datasets", *folds, *shares]].copy()
    simulated = plan.frame[["datasets", "more_folds"]].any(axis=1)
    for column in shares:
        errors = plan.frame["se_decided"] if column == "decided" else [0.0] * len(table)
        rows = zip(plan.frame[column], errors, simulated, strict=True)
        table[column] = [
            _write_share(plan, p, e) if s else ("yes" if p else "-") for p, e, s in rows
        ]
    return table


def _write_share(plan: Plan, p: float, error: float = 0.0) -> str:
    return format_share(p, error, plan.simulations)


def _write_amount(plan: Plan, datasets: int, more_folds: int) -> str:
    parts, sample = [], words_of(plan.unit)["sample"]
    if datasets:
        parts.append(format_count(datasets, f"{'more ' * bool(plan.today)}{plan.unit}"))
    if more_folds:
        parts.append(f"{format_count(more_folds, f'more {sample}')} on each {plan.unit} seen")
    return join_items(parts) or "no further data"


def _quote(plan: Plan, decision: str) -> str:
    regions = {d: region for region, d in plan.shape.possible.items()}
    return f'"{_write_label(plan, regions[decision])}"' if decision in regions else decision


def _write_label(plan: Plan, region: str) -> str:
    return fill_in(LABELS, plan.shape.name, region, plan.names)


# Questions and epochs.

POWER_OF_DESIGN = (
    "With {design}, the probability of a decision at the threshold {threshold:g} (power) is "
    "{decided}. The 95% credible interval is expected to be {width:.3g} wide. A difference of "
    "{detectable:.3g} is decided with power {power:g}."
)
#: Heads of the numbers of questions, by whether there are answers already.
QUESTIONS = {
    True: {
        "further_questions": Column(head="further"),
        "total_questions": Column(head="total"),
    },
    False: {"total_questions": Column(head="questions")},
}
COUNTED = (
    "further, total: numbers of further questions and of total questions; decided: probability of "
    "a decision, in all and for each outcome; "
)
LEGEND = (
    "width: expected width of the 95% credible interval; detectable: least difference that is "
    "decided with the requested power"
)
FURTHER = "Power {power:.2f} is reached with {designs}."
PLANNED = (
    "Planned for a mean difference of {difference}, with variance {between:.4g} between "
    "questions and {within:.4g} between answers to one question"
)


@summarise.register
def summarise_item_plan(plan: ItemPlan) -> Summary:
    """Summarise what numbers of questions and epochs decide."""
    last, seen = plan.frame.iloc[-1], plan.benchmark
    further = {k: plan.further(POWER, epochs=k) for k in plan.frame["epochs"].unique().tolist()}
    totals = {k: plan.seen + n for k, n in further.items() if n is not None}
    designs = [_write_design(plan, n, k) for k, n in totals.items()]
    fewest = min(totals, key=lambda k: k * totals[k], default=None)
    several = [FURTHER.format(power=POWER, designs=join_items(designs, "or"))]
    power = POWER_OF_DESIGN.format(
        design=_write_design(plan, int(last["total_questions"]), int(last["epochs"])),
        threshold=plan.threshold,
        decided=format_probability(last["decided"]),
        width=last["width"],
        detectable=last["detectable"],
        power=plan.power,
    )
    planned = PLANNED.format(
        difference=write_number(seen.difference, ".4g"), between=seen.between, within=seen.within
    )
    return Summary(
        NOT_ENOUGH.format(power=POWER)
        if fewest is None
        else ENOUGH.format(power=POWER, amount=_write_design(plan, totals[fewest], fewest)),
        tabulate_item_plan(plan).drop(columns=_list_unused(plan)),
        {**_name_decisions(plan), **QUESTIONS[plan.seen > 0]},
        label="plan",
        setting=rope_phrase(plan.rope),
        sentences=[" ".join([*(several if len(designs) > 1 else []), power])],
        legend=f"{COUNTED if plan.seen else ''}{LEGEND}",
        method=planned,
        more=either("more: .frame, .further(), .needed(), .cheapest(), .explain()", ""),
    )


def tabulate_item_plan(plan: ItemPlan) -> pd.DataFrame:
    """Return the printed table."""
    table = plan.frame.copy()
    for column in ("decided", *decisions_of(shape_within(plan.rope))):
        table[column] = [format_probability(p) for p in table[column]]
    for column in ("width", "detectable"):
        table[column] = [f"{v:.3g}" for v in table[column]]
    return table


def _has_epochs(plan: ItemPlan) -> bool:
    return bool(plan.frame["epochs"].max() > 1)


def _list_unused(plan: ItemPlan) -> list[str]:
    """List the columns that repeat others, or have a single number."""
    return [
        "undecided" if plan.seen else "further_questions",
        *([] if _has_epochs(plan) else ["epochs"]),
    ]


def _write_design(plan: ItemPlan, questions: int, epochs: int) -> str:
    """Write the numbers of a design: "100 further questions (400 in total) and 4 epochs"."""
    several = [format_count(epochs, "epoch")] if _has_epochs(plan) else []
    if not plan.seen:
        return join_items([format_count(questions, "question"), *several])
    more = questions - plan.seen
    further = format_count(more, "further question") if more else "no further questions"
    return join_items([f"{further} ({questions} in total)", *several])


def _name_decisions(plan: ItemPlan) -> dict[str, Column]:
    shape = shape_within(plan.rope)
    if shape is THREE:
        first, second = plan.names
        return {"first": Column(head=first), "second": Column(head=second)}
    labels = {d: fill_in(LABELS, shape.name, r, plan.names) for r, d in shape.possible.items()}
    return {d: Column(head=label) for d, label in labels.items()}
