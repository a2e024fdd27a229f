"""The content of a report, as plain data: the templates only lay it out."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp import frequentist
from bayescmp.base.arguments import must, must_be
from bayescmp.base.checks import as_names
from bayescmp.base.typing import Pair, as_json
from bayescmp.base.version import __version__
from bayescmp.catalogue import title as title_of
from bayescmp.errors import InputError
from bayescmp.items.pair import count_flips
from bayescmp.plots.ladder import ladder_size, plot_ladder
from bayescmp.present.forms import as_html
from bayescmp.present.paper import split_paragraphs
from bayescmp.present.summary import summarise
from bayescmp.report.methods import methods
from bayescmp.report.opening import (
    diagnostics,
    in_full,
    leading_pair,
    needed_of,
    opening,
    rule,
    setting,
    shows_details,
    summarise_pairs,
    versions,
)
from bayescmp.report.pairs import (
    PairBlocks,
    Singles,
    adjust_singles,
    describe_several_metrics,
    find_significant,
    named_rows,
    pair_id,
    say_what_holds,
)
from bayescmp.report.pictures import picture, rank_diagram
from bayescmp.results.posterior import Posterior
from bayescmp.results.regions import THREE
from bayescmp.results.verdict import frame_of
from bayescmp.scores.rope import Rope
from bayescmp.study.compare import compare
from bayescmp.study.comparisons import average_of, heads_of
from bayescmp.study.crosscheck.check import PairPart, compare_each_pair, conclude
from bayescmp.study.crosscheck.results import CrossCheck, count_wins
from bayescmp.study.crosscheck.rows import AGREEMENTS, DISAGREE
from bayescmp.study.question import Question
from bayescmp.wording.markup import html_bars, html_table
from bayescmp.wording.regions import SIGNS, WORDS
from bayescmp.wording.text import format_count, format_probability, join_items, sentence_of

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.base.checks import Seed
    from bayescmp.base.typing import Json
    from bayescmp.items.items import Items
    from bayescmp.results.posterior import Fitted


#: A row of a table, as `DataFrame.itertuples` gives it.
Row = Any


def gather(
    question: Question,
    *,
    title: str,
    n_jobs: int | None = None,
    progress: bool | None,
    most: int | None = None,
    pictures: bool = True,
    draw: Callable[[PairPart], None] | None = None,
    sensitivity: bool = False,
) -> Json:
    """Carry out the question and collect the report's content: plain numbers and texts, unrounded.

    NaN becomes None. `most` pairs are shown in full (see `bayescmp.report.opening`), with plots on
    request; `draw` draws a pair's plots for a paper. `sensitivity` adds each verdict under other
    assumptions; `progress` None shows a bar on a terminal.
    """
    blocks: dict[tuple[str, Pair], Json] = {}
    parts: list[PairPart] = []
    singles: dict[str, dict[Pair, Singles]] = {metric: {} for metric in question.metrics}
    full, needed = in_full(question, most), needed_of(question)
    writer = PairBlocks(
        question,
        full,
        leading_pair(question),
        shows_details(question, most),
        pictures,
        sensitivity,
        posteriors=draw is not None,
    )
    rest = [pair for pair in question.pairs if pair not in full]
    parts_of_pairs = compare_each_pair(
        needed, keep=writer, n_jobs=n_jobs, progress=progress, brief=rest
    )
    for part in parts_of_pairs:
        singles[part.metric][part.pair], block = part.content
        if part.main is not None:
            blocks[part.metric, part.pair] = block
            if draw is not None:
                draw(part)
        parts.append(part.light())
    alone = {metric: adjust_singles(question, of_pairs) for metric, of_pairs in singles.items()}
    by_metric = find_significant(alone)
    check = conclude(needed, parts, progress=progress, alone=by_metric)
    for metric, comparisons in check.comparisons.items():
        if not comparisons.results:
            raise must(
                "twins",
                f"give a verdict by {metric!r} on a pair, for a report",
                "none",
                "Use a twin of scope 'datasets' or 'table', or one data set.",
            )
    pairs = _pairs(question, check, blocks, full, alone)
    content: Json = {
        "title": title,
        "setting": setting(question),
        "metrics": [_metric(question, check, m, pairs, pictures) for m in question.metrics],
        "pairs": pairs,
        "brief": summarise_pairs(pairs),
        "rule": rule(question, most),
        "several": describe_several_metrics(question, check, by_metric),
        "diagnostics": diagnostics(pairs),
        "agreements": AGREEMENTS,
        "versions": versions(pairs),
        "notes": list(check.notes),
    }
    return {**content, "methods": methods(question, content)}


def _metric(
    question: Question, check: CrossCheck, metric: str, pairs: list[Json], pictures: bool
) -> Json:
    """Collect scores, ranks and the matrix of verdicts by one metric."""
    place = question.metrics.index(metric)
    parts = [pair["parts"][place] for pair in pairs]
    means = question.scores.means(metric)[list(question.algorithms)]
    diagram = f"ranks-{place + 1}"
    lower = question.scores.lower_is_better(metric)
    best = means.min(axis=1) if lower else means.max(axis=1)
    omnibus = check.omnibus.get(metric)
    overall = average_of(means, question.scores.scale)
    average = "geometric mean" if question.scores.scale == "log_ratio" else "mean"
    targets = {part["verdict"]["target"] for part in parts if "verdict" in part}
    return {
        "name": metric,
        "direction": str(question.scores.direction(metric)),
        "lower_is_better": lower,
        "no_rope": question.ropes[metric].empty,
        "means": named_rows(means),
        "best": [as_json(b) for b in best],
        "average": average,
        "average_title": sentence_of(average),
        "overall": [as_json(mean) for mean in overall.values()],
        "opening": opening(question, check, metric, pairs, pictures=pictures),
        "ranks": rank_rows(means, lower, overall),
        "diagram": rank_diagram(means, lower, question.alpha, diagram) if pictures else {},
        "omnibus": None if omnibus is None else omnibus.to_dict(),
        "order": list(check.comparisons[metric].order),
        "place": place,
        "kinds": _kinds(parts),
        "cells": _tabulate_cells(question, pairs, place),
        "twins": list(dict.fromkeys(test for part in parts for test in part["adjusted"])),
        "effects": sum(len(part["effects"]) for part in parts),
        "sensitive": any(part.get("sensitivity") for part in parts),
        "label": _label(question, metric),
        "tests": [
            title_of(test) for test in dict.fromkeys(p["test"] for p in parts if "test" in p)
        ],
        "prior": _prior(parts),
        "target": targets.pop() if len(targets) == 1 else "a new data set",
        "counted": len(question.scores.datasets) > 1 and any(part["alone"] for part in parts),
    }


def _label(question: Question, metric: str) -> str:
    """Name the metric in a label of LaTeX, different for each."""
    plain = re.sub("[^a-z0-9]+", "-", metric.lower()).strip("-")
    return f"{plain}-{question.metrics.index(metric) + 1}" if len(question.metrics) > 1 else plain


def _prior(parts: list[Json]) -> str:
    """Return the prior of all pairs; "" where bounds taken from the data make it differ."""
    priors = {part["verdict"]["prior"] for part in parts if "verdict" in part}
    return str(priors.pop() or "") if len(priors) == 1 else ""


#: Kinds of probabilities: what a verdict's JSON calls them.
_KINDS = ("probabilities", "predictive", "mean")


def _kinds(parts: list[Json]) -> dict[str, str]:
    """Return the kinds of probabilities that the verdicts by a metric have, and their names."""
    known = [part["verdict"] for part in parts if "verdict" in part]
    first = list(dict.fromkeys(verdict["quantity"] for verdict in known))
    titles = {"probabilities": " or ".join(first)}
    return titles | {k: k for k in _KINDS[1:] if any(verdict[k] for verdict in known)}


def rank_rows(means: pd.DataFrame, lower: bool, overall: dict[str, float]) -> list[Json]:
    """Rank the algorithms over the data sets, one row per algorithm; none if impossible."""
    try:
        table = frequentist.average_ranks(means, lower_is_better=lower).frame
    except InputError:
        return []
    return [
        {
            "algorithm": str(n),
            "average": as_json(overall.get(str(n), np.nan)),
            **{str(k): as_json(v) for k, v in row.items() if k != "mean_score"},
        }
        for n, row in table.to_dict(orient="index").items()
    ]


def _tabulate_cells(
    question: Question, pairs: list[Json], place: int
) -> dict[str, dict[str, Json]]:
    """Return the matrix of verdicts: row's algorithm, column's algorithm, what to show."""
    cells: dict[str, dict[str, Json]] = {
        row: {column: {} for column in question.algorithms} for row in question.algorithms
    }
    rope = question.ropes[question.metrics[place]]
    turned = {"left": "right", "rope": "rope", "right": "left"}
    signs, words = SIGNS, {r: f"{w} {'to' if r == 'rope' else 'than'}" for r, w in WORDS.items()}
    if rope.one_sided:
        turned |= {"rope": "turned"}
        within, other = ("≤", "≥") if math.isinf(rope.high) else ("≥", "≤")
        signs = {**signs, "rope": within, "turned": other}
        words |= {
            r: f"not {'worse' if signs[r] == '≥' else 'better'} than" for r in ("rope", "turned")
        }
    for pair in pairs:
        part = pair["parts"][place]
        if "verdict" not in part:
            continue
        p = part["verdict"]["probabilities"]
        best = max(p, key=lambda r: p[r])
        for first, second, region in (
            (pair["first"], pair["second"], best),
            (pair["second"], pair["first"], turned[best]),
        ):
            cells[first][second] = {
                "region": "rope" if region == "turned" else region,
                "p": p[best],
                "sign": signs[region],
                "id": pair["id"],
                "decided": part["decided"],
                "adjusted": part["adjusted"],
                "label": f"{first} {words[region]} {second}: {format_probability(p[best])}",
            }
    return cells


def _pairs(
    question: Question,
    check: CrossCheck,
    blocks: dict[tuple[str, Pair], Json],
    full: list[Pair],
    alone: dict[str, dict[Pair, list[Json]]],
) -> list[Json]:
    words_of = check.pairs.set_index(["metric", "first", "second"]).to_dict(orient="index")

    def part_of(metric: str, pair: Pair) -> Json:
        rows = check.of_pair(metric, *pair)
        failed = {"metric": metric, "error": rows[0]["error"] if rows else ""}
        own = alone[metric][pair] or [  # in brief: there may be thousands
            {k: as_json(row[k]) for k in _ON_A_DATASET} for row in check.on_datasets(metric, *pair)
        ]
        return {
            **blocks.get((metric, pair), failed),
            **_summarise_crosscheck(rows, words_of.get((metric, *pair), {}), pair in full),
            "wins": count_wins(own),
            "alone": own,
        }

    return [
        {
            "id": pair_id(question, pair),
            "first": pair[0],
            "second": pair[1],
            "full": pair in full,
            "parts": [part_of(metric, pair) for metric in question.metrics],
        }
        for pair in question.pairs
    ]


def _summarise_crosscheck(rows: list[Row], summary: Mapping[Hashable, Any], full: bool) -> Json:
    """Describe a pair's part of the cross-check in words, test by test."""
    over = [row for row in rows if row["scope"] in ("datasets", "table")] or rows
    return {
        "words": summary.get("words", ""),
        "agreement": summary.get("agreement", "failed"),
        "disagrees": summary.get("agreement") in DISAGREE,
        "twins": _twins(over, full),
        "adjusted": _adjusted_pvalues(over),
        "effects": _effects(over),
    }


def _adjusted_pvalues(rows: list[Row]) -> Json:
    """Return the adjusted p-value of each frequentist test."""
    adjusted: Json = {}
    for row in rows:
        adjusted.setdefault(row["frequentist"], as_json(row["adjusted"]))
    return adjusted


def _effects(rows: list[Row]) -> list[Json]:
    """List the tests, without repetition, with an effect size or a test of equivalence."""
    kept = {row["frequentist"]: _twin(row) for row in reversed(rows)}
    having = (row for row in kept.values() if row["effect"] or row["tost"] is not None)
    return list(having)[::-1]


_KEPT = (
    *("bayesian", "p_left", "p_rope", "p_right"),
    *(f"{part}_{r}" for part in ("predictive", "mean") for r in THREE.regions),
    *("decision", "cause", "evidence", "frequentist", "statistic", "pvalue", "adjusted"),
    *("significant", "favours", "effect", "effect_size", "effect_low", "effect_high"),
    *("tost", "tost_adjusted", "agreement", "words", "error"),
)


#: Values for the Bayesian half of a row whose Bayesian test was not run.
_UNASKED = dict.fromkeys(("bayesian", "decision", "cause", "evidence", "agreement", "words"), "")
#: Columns of the test of a pair on one data set.
_ON_A_DATASET = ("dataset", "statistic", "pvalue", "adjusted", "significant", "favours")


def _twin(row: Row) -> Json:
    return {k: as_json(row[k]) for k in _KEPT}


def _twins(rows: Sequence[object], full: bool) -> list[Json]:
    """List a pair's rows; of a pair in the tables some have their frequentist half only."""
    twins = [_twin(row) for row in rows]
    for twin in twins:
        if not full and twin["p_left"] is None and not twin["error"]:
            twin.update(_UNASKED)
    return twins


# The page on models' answers to questions: verdict, noise, flips, and what to write of them.


#: Flips, and models of a ladder, that a page shows.
MOST_FLIPS, MOST_MODELS = 30, 40


def gather_items(
    items: Items,
    rope: object,
    *,
    models: Iterable[str] | None,
    benchmarks: Iterable[str] | str | None,
    threshold: float,
    seed: Seed,
    title: str | None,
    options: Json,
) -> Json:
    """Collect a page on items for its template: headings with sentences, tables, pictures."""
    names = list(items.models) if models is None else as_names(models, "algorithms")
    datasets = None if benchmarks is None else as_names(benchmarks, "datasets")
    if len(names) not in (2, len(items.models)):
        raise must_be("algorithms", "two models, or all, for items", names)
    if datasets is not None and len(datasets) != 1:
        raise must_be("datasets", "one benchmark, or all, for items", datasets)
    asked: Json = {
        "rope": rope,
        "dataset": None if datasets is None else datasets[0],
        "seed": seed,
        **options,
    }
    fitted = compare(items, *(names if len(names) == 2 else ()), **asked)
    if isinstance(fitted, Posterior):
        holds = {
            "heading": "Would it survive?",
            "says": [f"The verdict: {say_what_holds(fitted, threshold)}."],
        }
        parts = [_verdict(fitted, threshold), holds, *_answers(items, names, datasets, seed)]
    else:
        parts = [_standings(fitted), _all_pairs(fitted, threshold)]
    where = join_items(list(items.benchmarks) if datasets is None else datasets)
    compared = join_items(names) if len(names) < 5 else format_count(len(names), "model")
    return {
        "title": f"{compared} on {where}" if title is None else str(title),
        "lede": f"{items.size_text}{f'; read as {items.recognised}' if items.recognised else ''}.",
        "notes": items.notes,
        "parts": [
            *parts,
            {"heading": "In a paper", "says": split_paragraphs(fitted.explain("paper"))},
        ],
        "versions": {"bayescmp": __version__, "seed": fitted.seed},
    }


def _verdict(posterior: Posterior, threshold: float) -> Json:
    title = posterior.verdict(threshold=threshold).explain()
    return {
        "heading": "In brief",
        "shown": as_html(summarise(posterior, threshold=threshold)),
        "drawn": [picture(posterior.plot, posterior.figure_size(), name="verdict", title=title)],
    }


def _standings(fitted: Fitted) -> Json:
    drawn = [
        picture(fitted.plot, fitted.figure_size(), name="best", title="Probability of being best")
    ]
    if len(fitted.names) <= MOST_MODELS:
        title = "Verdict on each pair"
        draw = partial(plot_ladder, fitted)
        drawn.append(picture(draw, ladder_size(fitted), name="ladder", title=title))
    return {"heading": "In brief", "shown": as_html(summarise(fitted)), "drawn": drawn}


def _all_pairs(fitted: Fitted, threshold: float) -> Json:
    frame = frame_of(fitted.verdicts(threshold=threshold).values())
    rope = fitted.rope if isinstance(fitted.rope, Rope) else fitted.rope[0]  # of one metric
    heads = {f"p_{region}": head for region, head in heads_of(rope).items()}
    shown = frame[[c for c in ("first", "second", *heads, "decision") if c in frame]]
    formats = dict.fromkeys(heads, format_probability)
    return {"heading": "All pairs", "shown": html_table(shown, heads=heads, formats=formats)}


def _answers(
    items: Items, names: list[str], benchmarks: list[str] | None, seed: Seed
) -> Iterable[Json]:
    """Collect additions to the verdict on answers: noise if there are epochs, and flips."""
    pair = items.pair(*names, benchmarks=benchmarks)
    if pair.epochs[0] > 1 and pair.judge is None:
        noise = items.noise(*names, benchmarks=benchmarks, seed=seed)
        shares = [("rope", "questions", 1 - noise.share), ("right", "models' own", noise.share)]
        yield {
            "heading": "Noise of the answers",
            "says": [noise.explain()],
            "shown": html_bars((r, name, p, f"{100 * p:.0f}%") for r, name, p in shares),
        }
    if pair.flippable:
        flips = pair.flips()
        heads = {"item": "question", "first": names[0], "second": names[1]}
        most = flips.head(MOST_FLIPS)
        left = len(flips) - len(most)
        more = [f"Shown are the first {len(most)}; .flips() has all."] if left else []
        yield {
            "heading": "Which answers flipped",
            "says": [count_flips(flips, pair.names)[1], *more],
            "shown": html_table(most, heads=heads) if len(flips) else "",
        }
