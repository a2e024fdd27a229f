"""The words of a referee: its last decision, its proposals, and the gain so far."""

from __future__ import annotations

from bayescmp.base.typing import Json
from bayescmp.present.summary import Cells, Column, Summary, summarise
from bayescmp.study.referee.referee import Referee
from bayescmp.wording.text import format_count, format_estimate, format_number

HEADLINES = {
    "none": "no proposals yet",
    "keep": "keep: {name} replaces {against}",
    "discard": "discard: {name} does not replace {against}",
    "measure": "measure more: {name} against {against} is undecided",
}
LAST = {
    "keep": "After {n}, {name} is better than {against}{margin} ({numbers}).",
    "discard": "After {n}, {name} is not shown to be better than {against}{margin} ({numbers}).",
    "measure": "After {n} of at most {budget}, it is undecided whether {name} is better than "
    "{against}{margin} ({numbers}).",
}
NUMBERS = {
    True: "mean difference {estimate}, {level:g}% confidence sequence {low} to {high}",
    False: "mean difference {estimate}, too few {unit}s for bounds",
}
WHY = "It was discarded because {why}."
GAINS = {
    "known": "Gain of {name} over the start: {estimate} (95% credible interval {low} to {high}), "
    "from {runs} that did not lead to its keep.",
    "unknown": "The gain of {name} over the start is not known yet: the {unit}s that led to its "
    "keep are too good. Measure it on others.",
}
VALID = (
    "The probability of ever keeping a change that is not better is {alpha:g} or less, over all "
    "proposals and looks; {spent:.2g} of it is used."
)
METHOD = {
    "questions": "betting, hedged capital with plug-in bets (Waudby-Smith & Ramdas 2024), level "
    "alpha·6/(π²k²) for proposal k",
    "seeds": "e-process of the t test (Pérez-Ortiz et al. 2024), level alpha·6/(π²k²) for "
    "proposal k",
    None: "",
}
#: Proposals that the text shows.
SHOWN = 8


@summarise.register
def _summarise_referee(referee: Referee) -> Summary:
    state, history = referee.state, referee.frame
    margin = f", margin {state['margin']:g}" if state["margin"] else ""
    setting = f"{format_count(len(history), 'proposal')}, alpha {state['alpha']:g}{margin}"
    valid = VALID.format(alpha=state["alpha"], spent=referee.spent)
    if not len(history):
        return Summary(HEADLINES["none"], history, setting=setting, sentences=[valid])
    last = state["proposals"][-1]
    named = {name: last[name] for name in ("name", "against")}
    unit = state["units"].removesuffix("s")
    sentence = LAST[last["decision"]].format(
        **named,
        n=format_count(last["n"], unit),
        margin=f" by more than {state['margin']:g}" if state["margin"] else "",
        budget=state["budget"],
        numbers=_write_numbers(last, unit),
    )
    why = [WHY.format(why=last["why"])] if last["why"] else []
    shown = history[["name", "against", "n", "difference", "low", "high", "decision"]]
    return Summary(
        HEADLINES[last["decision"]].format(**named),
        shown.iloc[-SHOWN:].reset_index(drop=True),
        {
            "name": Column(Cells.NAME, "proposal"),
            "against": Column(Cells.NAME),
            "decision": Column(Cells.WORDS),
        },
        label="referee",
        setting=setting,
        sentences=[" ".join([sentence, *why]), *_describe_gain(referee), valid],
        legend="low, high: bounds of the mean difference that are valid at every look",
        method=METHOD[state["units"]],
    )


def _write_numbers(last: Json, unit: str) -> str:
    """Write the difference of a proposal, and its bounds if it has any yet."""
    ends = last["low"], last["high"]
    if None in ends:
        estimate = format_number(last["difference"])
        return NUMBERS[False].format(estimate=estimate, unit=unit)
    estimate, low, high = format_estimate(last["difference"], ends)
    level = round(100 * (1 - last["level"]), 4)
    return NUMBERS[True].format(estimate=estimate, low=low, high=high, level=level)


def _describe_gain(referee: Referee) -> list[str]:
    state, gain = referee.state, referee.gain
    name = state["incumbent"]["name"]
    if name == state["start"]["name"]:
        return []
    unit = state["units"].removesuffix("s")
    if gain is None:
        return [GAINS["unknown"].format(name=name, unit=unit)]
    estimate, low, high = format_estimate(*gain)
    runs = format_count(len(state["incumbent"]["scores"]), unit)
    return [GAINS["known"].format(name=name, estimate=estimate, low=low, high=high, runs=runs)]
