"""Summaries of posteriors of which algorithm is best."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from bayescmp.base.arguments import either
from bayescmp.bayesian.joint.standings import StandingsPosterior
from bayescmp.present.summary import Cells, Column, Explanation, Summary, summarise
from bayescmp.scores.rope import rope_phrase
from bayescmp.summaries.board import summarise_board
from bayescmp.summaries.chosen import describe_chosen
from bayescmp.summaries.fitted import (
    describe_method,
    describe_parameters,
    engine_details,
    list_doubts,
)
from bayescmp.wording.text import (
    align_numbers,
    format_count,
    format_probability,
    join_items,
    plus_minus,
    sentence_of,
)

#: Algorithms that the table shows, and that a sentence names, if their probability is at least so.
MOST_SHOWN, MOST_NAMED, LEAST_NAMED = 15, 3, 0.005

HEADLINE = "{name} is most likely to be best {on}"
BEST = "Probability of being best {on}: {probabilities}."
NEAR = "Probability of being within {width} of the best {on}: {probabilities}."
#: The largest set near the best; the second sentence of "elsewhere" is about another target.
TOP_SET = {
    "none": "No {subject} is within {width} of the best {on} with probability {threshold:g} or "
    "more.",
    "one": "{names} is within {width} of the best {on} with probability {p}; no larger nested set "
    "reaches {threshold:g}.",
    "several": "{names} are all within {width} of the best {on} at once with probability {p}; no "
    "larger nested set reaches {threshold:g}.",
}
MULTIPLICITY = {
    True: "Probabilities are not adjusted for multiple comparisons. All statements come from one "
    "joint posterior, in which {shared} share a hierarchical prior. The prior pulls extreme "
    "estimates towards each other, the more strongly the more are compared, which is the purpose "
    "of adjusted p-values (Gelman, Hill & Yajima 2012).",
    False: "Probabilities are not adjusted for multiple comparisons. All statements come from one "
    "joint posterior and are valid jointly, however many are made. This posterior does not shrink "
    "extreme estimates as a hierarchical model does (Gelman, Hill & Yajima 2012), so the "
    "probability of being best is optimistic for the one that looks best of many.",
}
#: The compared algorithms, by whether matches or rankings were counted, not data sets.
DATA = {True: "{count} in {data}", False: "{count} on {data}"}
#: Titles and data, by whether the metric is known.
TITLES = {
    True: "{method}: {data} on {measured}, {rope}",
    False: "{method}: {data}, {rope}",
}
COMPARED = {True: "Compared: {data} in {measured}.", False: "Compared: {data}."}
PRIOR = "Prior: {}."

#: Heads of the probabilities; what they mean is in the legend.
HEADS = {"p_next": "best (new)", "p_average": "best (average)", "p_near": "near best"}
LEGENDS = {
    "p_next": "best (new): probability of being the best {next}",
    "p_average": "best (average): probability of being the best {average}",
    "p_near": "near best: probability of being within the {rope} of the best {main}",
}
OBSERVED = "mean: observed mean over the {unit}s"
#: The head if there is only one target.
ONLY_HEAD, ONLY_LEGEND = "best", "best: probability of being the best {main}"


@summarise.register
def summarise_standings(
    posterior: StandingsPosterior, *, threshold: float = 0.5, decided_at: float = 0.95
) -> Summary:
    """Summarise which algorithm is most likely to be best; pairs are decided at `decided_at`."""
    main = posterior.targets[0]
    unit = "" if posterior.rope.empty else _unit(posterior)
    setting = (posterior.measured, f"{rope_phrase(posterior.rope)}{unit}")
    best = [list_probabilities(posterior, on) for on in posterior.targets]
    top = describe_top_set(posterior, threshold) if posterior.rope.size > 0 else []
    table, columns = _tabulate(posterior)
    own = Summary(
        HEADLINE.format(name=posterior.ranking(main).index[0], on=posterior.spoken[main]),
        table,
        columns,
        notes=list_doubts(posterior),
        label="standings",
        setting=", ".join(filter(None, setting)),
        sentences=[" ".join([*best, *top])],
        legend=_write_legend(posterior),
        method=write_method(posterior),
        more=either("more: .ranking(), .verdict(a, b), .frame, .explain(), .plot()", ""),
        details=engine_details(posterior),
        explanation=lambda: _explain(posterior, threshold),
        further=lambda: [describe_parameters(posterior, _write_title(posterior))],
    )
    if not posterior.is_board:
        return own
    return summarise_board(posterior, replace(own, sentences=()), decided_at)


def _explain(posterior: StandingsPosterior, threshold: float) -> Explanation:
    score = [] if posterior.means is None else [describe_chosen(posterior.chosen())]
    near = [_name_near(posterior), *describe_top_set(posterior, threshold)]
    compared = COMPARED[bool(posterior.measured)].format(
        data=describe_data(posterior), measured=posterior.measured
    )
    return Explanation(
        short=[
            compared,
            *(list_probabilities(posterior, on) for on in posterior.targets),
            posterior.caveat,
            *score,
        ],
        results=[
            compared,
            *(list_probabilities(posterior, on, errors=True) for on in posterior.targets),
            posterior.caveat,
            *(near if posterior.rope.size > 0 else []),
            *score,
            MULTIPLICITY[posterior.model.shrinks].format(shared=posterior.pooled),
        ],
        methods=[f"{write_method(posterior)}.", PRIOR.format(posterior.prior_text)],
    )


def describe_data(posterior: StandingsPosterior) -> str:
    """State what is compared, and on what."""
    count = format_count(len(posterior.algorithms), posterior.subject)
    return DATA[bool(posterior.model.counted)].format(count=count, data=posterior.data_text)


def _write_title(posterior: StandingsPosterior) -> str:
    return TITLES[bool(posterior.measured)].format(
        method=posterior.method,
        data=describe_data(posterior),
        measured=posterior.measured,
        rope=rope_phrase(posterior.rope),
    )


def write_method(posterior: StandingsPosterior) -> str:
    """Write the test, the data and the engine in one line."""
    first, *others = describe_method(posterior, describe_data(posterior))
    return "; ".join([sentence_of(first), *others])


def list_probabilities(posterior: StandingsPosterior, on: str, *, errors: bool = False) -> str:
    """List the algorithms that are most likely to be best `on` a target, perhaps with `errors`."""
    table = posterior.ranking(on).head(MOST_NAMED)
    texts = [
        f"{name} {format_probability(p)} {plus_minus(se) if errors else ''}".rstrip()
        for name, p, se in zip(table.index, table["p_best"], table["se_best"], strict=True)
        if p >= LEAST_NAMED
    ]
    return BEST.format(on=posterior.spoken[on], probabilities=", ".join(texts))


def list_best(p: Mapping[str, float], on: str) -> str:
    """List the algorithms that are most likely to be best, by their probabilities."""
    ranked = sorted(p, key=lambda name: -p[name])[:MOST_NAMED]
    texts = [f"{name} {format_probability(p[name])}" for name in ranked if p[name] >= LEAST_NAMED]
    return BEST.format(on=on, probabilities=", ".join(texts))


def _name_near(posterior: StandingsPosterior) -> str:
    main = posterior.targets[0]
    table = posterior.ranking(main).sort_values("p_near", ascending=False, kind="stable")
    near = table["p_near"].head(MOST_NAMED)
    return NEAR.format(
        width=_width(posterior),
        on=posterior.spoken[main],
        probabilities=", ".join(f"{name} {format_probability(p)}" for name, p in near.items()),
    )


def describe_top_set(posterior: StandingsPosterior, threshold: float) -> list[str]:
    """Name the largest set near the best, if need be on average, and whether there is none."""
    main = posterior.targets[0]
    on, members, joint = posterior.find_top_set(threshold)
    facts = {
        "subject": posterior.subject,
        "width": _width(posterior),
        "threshold": threshold,
        "names": join_items(members),
        "p": format_probability(joint),
    }
    none = TOP_SET["none"].format(on=posterior.spoken[main], **facts)
    if not members:
        return [none]
    kind = "one" if len(members) == 1 else "several"
    there = TOP_SET[kind].format(on=posterior.spoken[on], **facts)
    return [there] if on == main else [none, there]


def _width(posterior: StandingsPosterior) -> str:
    return f"{posterior.rope.size:g}{_unit(posterior)}"


def _unit(posterior: StandingsPosterior) -> str:
    return " ranks" if "ranks" in posterior.model.within else ""


def _tabulate(posterior: StandingsPosterior) -> tuple[pd.DataFrame, dict[str, Column]]:
    """Return the first algorithms with their probabilities, and what the columns are."""
    table = posterior.overview().head(MOST_SHOWN)
    keys = [key for key in HEADS if key in table and (key != "p_near" or posterior.rope.size)]
    heads = HEADS | ({} if len(posterior.targets) > 1 else {keys[0]: ONLY_HEAD})
    shown = table[[*keys, "expected_rank"]].rename_axis(index="algorithm").reset_index()
    shown["expected_rank"] = [f"{rank:.1f}" for rank in shown["expected_rank"]]
    means = _observed_means(posterior)
    if means:
        written = align_numbers([means[name] for name in shown["algorithm"]])
        shown.insert(1, "observed", written)
    return shown, {
        "algorithm": Column(Cells.NAME, posterior.subject),
        **{key: Column(Cells.PROBABILITY, heads[key]) for key in keys},
        "observed": Column(head="mean"),
        "expected_rank": Column(head="expected rank"),
    }


def _observed_means(posterior: StandingsPosterior) -> dict[str, float]:
    """Return each model's mean over the benchmarks; none if there are gaps, or no questions."""
    means = posterior.means
    if (
        posterior.unit != "benchmark"
        or posterior.is_board
        or means is None
        or np.isnan(means).any()
    ):
        return {}
    average = posterior.sign * means.mean(axis=0)
    return dict(zip(posterior.algorithms, average.tolist(), strict=True))


def _write_legend(posterior: StandingsPosterior) -> str:
    """State what the columns are, and how many algorithms the table does not show."""
    spoken, main = posterior.spoken, posterior.targets[0]
    several = len(posterior.targets) > 1
    kinds = [f"p_{on}" for on in posterior.targets] if several else []
    templates = [LEGENDS[kind] for kind in kinds] if several else [ONLY_LEGEND]
    templates += [LEGENDS["p_near"]] if posterior.rope.size > 0 else []
    rope = "margin" if posterior.rope.one_sided else "ROPE"
    facts = {"main": spoken[main], "rope": rope, "next": "", "average": "", **spoken}
    observed = [OBSERVED.format(unit=posterior.unit)] if _observed_means(posterior) else []
    more = len(posterior.algorithms) - MOST_SHOWN
    left = format_count(more, f"more {posterior.subject}")
    return "; ".join(
        [
            *observed,
            *(template.format(**facts) for template in templates),
            *([f"{left}: {either('.ranking()', '--full')}"] if more > 0 else []),
        ]
    )
