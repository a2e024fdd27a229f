"""Summary of estimates: means with their intervals, and what these are about."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bayescmp.base.arguments import either
from bayescmp.bayesian.paired.clusters import FEWEST
from bayescmp.present.summary import Cells, Column, Explanation, Summary, summarise
from bayescmp.results.estimates import Estimate, Estimates, Sample, Way, tabulate
from bayescmp.wording.references import cite_short
from bayescmp.wording.text import (
    align_numbers,
    format_count,
    format_estimate,
    format_number,
    join_items,
    sentence_of,
    write_number,
)

if TYPE_CHECKING:
    import pandas as pd

#: By whether there is one estimate, and whether it has an interval.
ONE = {
    True: "{name}: {quantity} {mean} ({level} credible interval {low} to {high})",
    False: "{name}: {quantity} {mean} (no interval)",
}
BEST = {
    True: "{best}: {name}, {mean} ({level} credible interval {low} to {high})",
    False: "{best}: {name}, {mean} (no interval)",
}
PROPORTIONS = "{count} with {level} credible intervals"
#: Subject of the intervals, by the kind of sample.
ABOUT = {
    Sample.TRIALS: "Intervals are about the proportion in further independent trials of the same "
    "kind.",
    Sample.FOLDS: "Intervals are about the average score over training sets of this size, not "
    "about individual trained models.",
    Sample.RUNS: "Intervals are about further runs on the same data, not about new data.",
    Sample.QUESTIONS: "Intervals are about new questions of the same kind.",
    Sample.DATASETS: "Intervals of a mean over data sets are about data sets like these.",
    Sample.BENCHMARKS: "Intervals of a mean over benchmarks are about benchmarks like these.",
}
CLUSTERED = "Intervals are about new questions of the same kind, in new clusters."
OVERLAP = "Overlapping intervals do not show whether two {subjects} differ; {compare} does."
NOISE = (
    "{between}% of the variance of this mean is between questions, {own}% is the model's own "
    "noise between epochs."
)
EPOCHS = {
    "all": "More epochs would narrow the interval as more questions would.",
    "some": "With many more epochs, the interval would shrink to {width:.2f} of its width.",
    "none": "More epochs would not narrow the interval.",
}
LEGEND = {
    "low": "low, high: {level} credible interval",
    "wilson_low": "Wilson: {level} confidence interval",
    "own_noise": "own noise: proportion of the variance of the mean between epochs, not between "
    "questions",
}
#: Notes on means without an interval, and on intervals of units that are all alike.
NOTES = {
    Way.SINGLE: "no interval for {where}: a single score does not show how it varies",
    Way.ALIKE: "no interval for {where}: all scores are equal, and nothing shows how they vary",
    Way.FEW: "no interval for {where}: at least {least} {units} are required",
    Way.EXTREMES: "all scores are equal for {where}: half a unit at either bound of the metric "
    "replaces the spread that was not observed",
}
#: Columns of a table that are written with the same decimals.
BOUNDS = ("mean", "low", "high", "wilson_low", "wilson_high")
LEFT_OUT = "left out, without a score of all {subjects}: {count}"
METHODS = {
    Way.JEFFREYS: "{on_each}Jeffreys' interval of a proportion, {brown}",
    Way.STUDENT: "{on_each}correlated t posterior of one algorithm's scores, {corani}; "
    "{resampling}",
    Way.BOOTSTRAP: "{on_each}Bayesian bootstrap over {units}, {rubin}",
    Way.CORRECTED: "{on_each}a judge's mean corrected by human scores, Angelopoulos et al. 2023",
    Way.JUDGES: "{on_each}Bayesian bootstrap over {units} and judges, Owen 2007",
}
ON_EACH = "on each {unit}, "
#: Most places that a note names.
NAMED = 3


@summarise.register
def summarise_estimates(result: Estimates) -> Summary:
    """Summarise means with their intervals."""
    over_known = any(one.known for one in result.main)
    shown = result.main if over_known or len(result.datasets) < 2 else result.estimates
    several = len({one.dataset for one in shown}) > 1
    sentences = _describe(result, shown)
    methods = [sentence_of(text) for text in _name_methods(result)]
    table, columns = _tabulate(result, shown, datasets=several)
    return Summary(
        _headline(result),
        table,
        columns,
        label="estimates",
        setting="" if result.direction is None else str(result.direction),
        notes=list(_list_notes(result)),
        sentences=[" ".join(sentences)],
        legend="; ".join(
            text.format(level=_level(result))
            for column, text in LEGEND.items()
            if column in tabulate(shown)
        ),
        method="; ".join(_name_methods(result)),
        more=either("more: .frame, .explain(), .plot(), .to_dict()", ""),
        explanation=lambda: Explanation(
            short=[f"{_headline(result)}.", *sentences],
            methods=[f"{text}." for text in methods],
        ),
        further=lambda: _each_dataset(result) if over_known and len(result.datasets) > 1 else (),
    )


def _level(result: Estimates) -> str:
    return f"{100 * result.level:g}%"


def _quantity(result: Estimates) -> str:
    return "proportion" if result.direction is None else f"mean {result.direction.metric}"


def _headline(result: Estimates) -> str:
    """State the mean of the only or the best algorithm with its interval."""
    main, way = result.main, result.direction
    if way is None and len(main) > 1:
        count = format_count(len(main), "proportion")
        return PROPORTIONS.format(count=count, level=_level(result))
    one = main[0]
    mean, low, high = (
        format_estimate(one.mean, one.interval) if one.known else [format_number(one.mean), "", ""]
    )
    form = (ONE if len(main) == 1 else BEST)[one.known]
    best = "" if way is None else "Lowest mean" if way.lower else "Highest mean"
    return form.format(
        name=one.name,
        quantity=_quantity(result) if way is not None or one.sample is Sample.TRIALS else "mean",
        best=best,
        mean=mean,
        low=low,
        high=high,
        level=_level(result),
    )


def _describe(result: Estimates, shown: Sequence[Estimate]) -> list[str]:
    """State what the intervals are about, the noise of one model, and what they do not answer."""
    known = [one for one in shown if one.known]
    about = {
        CLUSTERED if one.clusters is not None and one.judges is None else ABOUT[one.sample]: None
        for one in known
    }
    sentences = [*about]
    alone = result.main[0]
    if len(result.main) == 1 and alone.own_noise is not None:
        own = round(100 * alone.own_noise)
        kind = "all" if own == 100 else "some" if own else "none"
        width = (1 - alone.own_noise) ** 0.5
        sentences += [
            NOISE.format(between=100 - own, own=own),
            EPOCHS[kind].format(width=width),
        ]
    if len(result.names) > 1:
        function = "bayescmp.compare_counts" if result.direction is None else "bayescmp.compare"
        sentences.append(
            OVERLAP.format(
                subjects=f"{result.subject}s",
                compare=either(function, "`bayescmp compare`"),
            )
        )
    return sentences


def _tabulate(
    result: Estimates, shown: Sequence[Estimate], *, datasets: bool
) -> tuple[pd.DataFrame, dict[object, Column]]:
    table = tabulate(shown).drop(columns=["between", "within"], errors="ignore")
    numbers = table.columns.intersection([*BOUNDS])
    texts = [
        *align_numbers(table[numbers].to_numpy(dtype=float, na_value=math.nan).ravel().tolist()),
        *(format_estimate(one.mean, one.interval)[0] for one in shown if one.known),
    ]
    decimals = max(len(text.partition(".")[2]) for text in texts)
    for column in numbers:
        values = table[column].astype(float)
        table[column] = ["" if math.isnan(v) else write_number(v, f".{decimals}f") for v in values]
    samples = {one.sample for one in shown}
    word = f"{next(iter(samples)).value}s" if len(samples) == 1 else "n"
    if datasets:
        units = _units(result)
        table["dataset"] = [
            f"mean of {one.n} {units}" if one.dataset is None else one.dataset for one in shown
        ]
    else:
        table = table.drop(columns="dataset", errors="ignore")
    columns: dict[object, Column] = {
        "name": Column(Cells.NAME, "" if result.direction is None else result.subject),
        "dataset": Column(Cells.NAME, _units(result)[:-1]),
        "n": Column(head=word),
        "wilson_low": Column(head="Wilson low"),
        "wilson_high": Column(head="Wilson high"),
        "own_noise": Column(head="own noise"),
    }
    return table, columns


def _units(result: Estimates) -> str:
    overall = {one.sample.value for one in result.estimates if one.dataset is None}
    return f"{next(iter(overall), 'data set')}s"


def _each_dataset(result: Estimates) -> list[Summary]:
    """Return the table of all data sets, which only ``full()`` shows."""
    shown = [one for one in result.estimates if one.dataset is not None]
    table, columns = _tabulate(result, shown, datasets=True)
    return [Summary(f"Means on each of {len(result.datasets)} {_units(result)}", table, columns)]


def _list_notes(result: Estimates) -> list[str]:
    """State which means have no interval, and why."""
    notes = []
    for way, text in NOTES.items():
        where: dict[str, None] = {}
        for one in result.estimates:
            if one.way is way:
                where[_place(result, one)] = None
        if where:
            named = [*where][:NAMED]
            more = len(where) - len(named)
            places = join_items([*named, *([f"{more} more"] if more else [])])
            few = {one.clusters is not None for one in result.estimates if one.way is way}
            units = "clusters" if few == {True} else _few_units(result)
            notes.append(text.format(where=places, least=FEWEST, units=units))
    if result.left_out:
        notes.append(
            LEFT_OUT.format(
                subjects=f"{result.subject}s", count=format_count(result.left_out, "score")
            )
        )
    return notes


def _place(result: Estimates, one: Estimate) -> str:
    """Name an algorithm, or an algorithm on a data set."""
    if one.dataset is None and one.sample is not Sample.TRIALS:
        return f"the mean over {_units(result)}"
    return f"{one.name} on {one.dataset}" if len(result.datasets) > 1 else one.name


def _few_units(result: Estimates) -> str:
    samples = [one.sample.value for one in result.estimates if one.way is Way.FEW]
    return join_items([f"{sample}s" for sample in dict.fromkeys(samples)], "or")


def _name_methods(result: Estimates) -> list[str]:
    methods: dict[str, None] = {}
    for one in result.estimates:
        way = Way.BOOTSTRAP if one.way is Way.EXTREMES else one.way
        if way in METHODS:
            units = "clusters" if one.clusters and way is Way.BOOTSTRAP else f"{one.sample.value}s"
            alone = one.dataset is None or len(result.datasets) < 2
            text = METHODS[way].format(
                on_each="" if alone else ON_EACH.format(unit=_units(result)[:-1]),
                units=units,
                resampling=result.resampling,
                brown=cite_short("brown2001"),
                corani=cite_short("corani2015"),
                rubin=cite_short("rubin1981"),
            )
            methods[text] = None
    return [*methods]
