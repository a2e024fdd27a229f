"""The page on models' answers to questions: verdict, noise, flips, and what to write of them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from bayescmp.base.checks import as_names
from bayescmp.base.version import __version__
from bayescmp.errors import InputError
from bayescmp.items.pair import count_flips
from bayescmp.plots.ladder.draw import ladder_size, plot_ladder
from bayescmp.report.pairs import say_what_holds
from bayescmp.report.pictures import picture
from bayescmp.results.posterior import Posterior
from bayescmp.study.compare import compare
from bayescmp.wording.markup import html_bars, html_table
from bayescmp.wording.text import as_sentence, format_count, join_items

if TYPE_CHECKING:
    from bayescmp.base.checks import Seed
    from bayescmp.base.typing import Json
    from bayescmp.items.items import Items
    from bayescmp.results.posterior import Fitted

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
    if len(names) not in (2, len(items.models)) or (datasets is not None and len(datasets) != 1):
        raise InputError(
            f"algorithms={names!r}, datasets={datasets!r} of items; accepted: two models, or all; "
            "one benchmark, or all"
        )
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
            "says": [as_sentence(say_what_holds(fitted, threshold))],
        }
        parts = [_verdict(fitted, threshold), holds, *_answers(items, names, datasets, seed)]
        forms = ("paper", "checklist", "methods")
    else:
        parts = [_standings(fitted), _pairs(fitted, threshold)]
        forms = ("paper", "methods")
    where = join_items(list(items.benchmarks) if datasets is None else datasets)
    compared = join_items(names) if len(names) < 5 else format_count(len(names), "model")
    return {
        "title": f"{compared} on {where}" if title is None else str(title),
        "lede": f"{items.size_text}{f'; read as {items.recognised}' if items.recognised else ''}.",
        "notes": items.notes,
        "parts": [
            *parts,
            {"heading": "In a paper", "says": [fitted.explain(form) for form in forms]},
        ],
        "versions": {"bayescmp": __version__, "seed": fitted.seed},
    }


def _verdict(posterior: Posterior, threshold: float) -> Json:
    title = posterior.verdict(threshold=threshold).explain()
    return {
        "heading": "In brief",
        "shown": posterior.exhibit(threshold=threshold).html(),
        "drawn": [picture(posterior.plot, posterior.figure_size(), name="verdict", title=title)],
    }


def _standings(fitted: Fitted) -> Json:
    drawn = [picture(fitted.plot, fitted.figure_size(), name="best", title="Who is best")]
    if len(fitted.names) <= MOST_MODELS:
        title = "What is decided of each pair"
        draw = partial(plot_ladder, fitted)
        drawn.append(picture(draw, ladder_size(fitted), name="ladder", title=title))
    return {"heading": "In brief", "shown": fitted.exhibit().html(), "drawn": drawn}


def _pairs(fitted: Fitted, threshold: float) -> Json:
    frame = fitted.frame(threshold=threshold)
    heads = {"p_left": "first better", "p_rope": "equivalent", "p_right": "second better"}
    shown = frame[[c for c in ("first", "second", *heads, "decision") if c in frame]]
    return {"heading": "All pairs", "shown": html_table(shown, heads=heads)}


def _answers(
    items: Items, names: list[str], benchmarks: list[str] | None, seed: Seed
) -> Iterable[Json]:
    """Collect what answers show beside the verdict: noise where there are epochs, and flips."""
    pair = items.pair(*names, benchmarks=benchmarks)
    if pair.epochs[0] > 1 and pair.judge is None:
        noise = items.noise(*names, benchmarks=benchmarks, seed=seed)
        shares = [("rope", "questions", 1 - noise.share), ("right", "models' own", noise.share)]
        yield {
            "heading": "Noise of the answers",
            "says": [noise.explain()],
            "shown": html_bars((r, name, p, f"{100 * p:.0f} %") for r, name, p in shares),
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
