"""The first screen of a report: the compared data, the leader, and the verdicts."""

from __future__ import annotations

import math
import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from bayescmp.errors import InputError
from bayescmp.report.pictures import any_letter, picture
from bayescmp.results.verdict import Verdict
from bayescmp.scores.pairing import NOT_PAIRED
from bayescmp.scores.rope import describe_rope, rope_phrase
from bayescmp.study.comparisons import (
    Comparisons,
    PairResult,
    count_doubtful,
    describe_best,
    describe_rivals,
    headline,
    heads_of,
    open_pairs,
)
from bayescmp.study.crosscheck.results import CrossCheck
from bayescmp.study.question import Question
from bayescmp.wording.text import format_count, join_items

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.base.typing import Json, Pair


# A report in brief: verdicts, errors, and versions.


def summarise_pairs(pairs: list[Json]) -> Json:
    """Count decided pairs, and show where the Bayesian and frequentist answers disagree."""
    parts = [(pair, part) for pair in pairs for part in pair["parts"]]
    decisions = Counter(
        part["verdict"]["decision"] if "verdict" in part else "failed" for _, part in parts
    )
    disagreements = [
        {k: pair[k] for k in ("id", "first", "second")}
        | {k: part[k] for k in ("metric", "words", "agreement")}
        for pair, part in parts
        if part["disagrees"]
    ]
    return {
        "total": len(parts),
        "better": decisions["first"] + decisions["second"],
        "equivalent": decisions["equivalent"],
        "not_worse": decisions["not worse"],
        "undecided": decisions["undecided"] + decisions["borderline"],
        "failed": decisions["failed"],
        "disagreements": disagreements,
    }


def diagnostics(pairs: list[Json]) -> list[Json]:
    """List the diagnostics of every fit, in the order of the pairs."""
    of_pair = ("id", "first", "second")
    of_part = ("metric", "test", "engine", "ok", "diagnostics", "notes", "seconds", "error")
    return [
        {**{k: pair[k] for k in of_pair}, **{k: part.get(k) for k in of_part}}
        for pair in pairs
        for part in pair["parts"]
    ]


def versions(pairs: list[Json]) -> dict[str, str]:
    """Return the versions of this package, its dependencies, and the engines that fitted."""
    import pandas
    import scipy

    from bayescmp.base.version import __version__

    engines = {
        part["engine"]: part["engine_version"]
        for pair in pairs
        for part in pair["parts"]
        if "engine" in part
    }
    return {
        "bayescmp": __version__,
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "SciPy": scipy.__version__,
        "pandas": pandas.__version__,
        **{f"engine {name}": version for name, version in engines.items()},
    }


# The compared data: data sets, algorithms, metrics and how they were resampled.


#: What was compared: by whether there is one score of each, and one data set.
DATA = {
    (True, True): "{datasets}{how}.",
    (True, False): "{datasets}{how}.",
    (False, True): "{datasets}, {scores} of each algorithm on it{how}.",
    (False, False): "{datasets}, {scores} of each algorithm on each{how}.",
}
#: Sentences about practical equivalence, by kind of ROPE, and by whether the metric has to be
#: named.
EQUIVALENT = {
    ("none", False): "No difference counts as practically equivalent.",
    ("none", True): "No difference in {metric} counts as practically equivalent.",
    ("margin", False): "The question is whether {asked} is worse than {other} by more than the "
    "{rope}.",
    ("margin", True): "The question is whether {asked} is worse in {metric} than {other} by more "
    "than the {rope}.",
    ("ROPE", False): "Differences within {rope} count as practically equivalent.",
    ("ROPE", True): "Differences in {metric} within {rope} count as practically equivalent.",
}


def describe_setting(setting: Json) -> str:
    """Write the first paragraph: the data, and what counts as practically equivalent."""
    folds, datasets = setting["folds"], len(setting["datasets"])
    several = f"{folds[0]} to {folds[-1]} scores"
    how = ", ".join(filter(None, (setting["pairing"], setting["resampling"])))
    data = DATA[folds == [1], datasets == 1].format(
        datasets=format_count(datasets, "data set"),
        scores=format_count(folds[0], "score") if len(folds) == 1 else several,
        how=f" ({how})" if how else "",
    )
    ropes = setting["ropes"]
    if len({rope["phrase"] for rope in ropes.values()}) == 1:  # the same in all metrics
        ropes = {join_items([*ropes]): next(iter(ropes.values()))}
    named = len(setting["ropes"]) > 1
    sentences = [_describe_equivalence(setting, m, rope, named) for m, rope in ropes.items()]
    return " ".join([data, *sentences])


def _describe_equivalence(setting: Json, metric: str, rope: Json, named: bool) -> str:
    first, second = setting["algorithms"][:2]
    asked, other = (second, first) if rope["high"] is None else (first, second)
    if len(setting["algorithms"]) > 2:
        asked, other = "the lower-ranked of every two", "the other"
    kind = "none" if rope["empty"] else "margin" if rope["one_sided"] else "ROPE"
    text = rope["phrase"] if kind == "margin" else rope["text"]
    return EQUIVALENT[kind, named].format(metric=metric, asked=asked, other=other, rope=text)


def setting(question: Question) -> Json:
    """Describe the data, the metrics and the settings, for the first section."""
    s, frame = question.scores, question.scores.frame
    has = frame["algorithm"].astype(str).isin(question.algorithms)
    sizes = frame[has].groupby(["dataset", "algorithm"], sort=False, observed=True).size()
    facts: Json = {
        "algorithms": list(question.algorithms),
        "datasets": list(s.datasets),
        "metrics": list(question.metrics),
        "measured": [f"{m} ({s.direction(m).way})" for m in question.metrics],
        "joint": list(question.joint),
        "ropes": {
            m: {
                "low": r.ends[0],
                "high": r.ends[1],
                "text": describe_rope(r, s.scale),
                "empty": r.empty,
                "one_sided": r.one_sided,
                "sides": heads_of(r),
                "phrase": rope_phrase(r)
                if r.empty or r.one_sided
                else f"ROPE {describe_rope(r, s.scale)}",
            }
            for m, r in question.ropes.items()
        },
        "uneven": _list_uneven(sizes, question.algorithms),
        "folds": sorted({int(n) for n in sizes}),
        "rows": int(has.sum()),
        "threshold": question.threshold,
        "alpha": question.alpha,
        "adjust": question.adjust,
        "seed": question.seed,
        **dict(zip(("pairing", "resampling"), _how_scores_pair(question), strict=True)),
        "estimand": estimand(paired=question.paired, resampled=bool((sizes > 1).any())),
        "prior": str(question.options.get("prior") or ""),
    }
    return {**facts, "text": describe_setting(facts)}


def estimand(*, paired: bool, resampled: bool) -> Json:
    """Return a ``text`` on what a report's numbers average over, and the works it ``cites``.

    `paired`: scores of the same folds are compared; `resampled`: an algorithm has several scores
    on a data set. Cross-validation estimates the average error of models fitted to other training
    sets (Bates, Hastie & Tibshirani 2024, section 3).
    """
    kind = "runs" if not paired else "folds" if resampled else "scores"
    return {"text": ESTIMANDS[kind], "cites": ["bates2024"] if paired else []}


#: Sentence on the average that is compared, by the kind of observations.
ESTIMANDS = {
    "runs": "The comparison is about averages over runs like these on the same data, not one "
    "trained model.",
    "folds": "The comparison is about averages over training sets of this size, not single "
    "trained models.",
    "scores": "The comparison is about averages over training sets of this size, not single "
    "trained models, if each score comes from cross-validation.",
}


def _list_uneven(sizes: pd.Series, algorithms: tuple[str, ...]) -> list[Json]:
    """State where an algorithm has fewer scores on a data set than another."""
    short = []
    for dataset, row in sizes.unstack(fill_value=0).iterrows():
        counts = {a: int(row.get(a, 0)) for a in algorithms}
        most = max(counts.values())
        short += [
            {"dataset": str(dataset), "algorithm": a, "scores": n, "of": most}
            for a, n in counts.items()
            if n < most
        ]
    return short


def _how_scores_pair(question: Question) -> tuple[str, str]:
    """Name what pairs scores; and the correlation of folds' differences, with its reason."""
    if not question.paired:
        return NOT_PAIRED, ""
    for pair in question.pairs:
        try:
            x = question.scores.differences(*pair, question.metrics[0], rho=question.rho)
        except InputError:  # its folds don't pair; another's may
            continue
        return x.pairing, x.rho_sentence
    return "", ""


# Pairs that a report shows in full, and the tests that it needs of all.


#: Pairs that are all shown in full by default: those of eight algorithms.
ALL = 28
#: Data sets on each of which the leading pair is estimated even then.
MANY = 30
#: Scopes of tests that a report over several data sets shows, and those of metrics together.
_SHOWN, _TOGETHER = ("datasets", "table"), ("metrics", "groups_metrics")


def in_full(question: Question, most: int | None) -> list[Pair]:
    """List pairs among as many leading algorithms as give at most this many pairs.

    Algorithms lead by their mean rank in the first metric, known before anything is compared. None
    shows all pairs of up to eight algorithms; of more, only the leading pair.
    """
    if len(question.pairs) <= (ALL if most is None else most):
        return list(question.pairs)
    if most is None:
        return [leading_pair(question)]
    leading = set(_list_leading(question)[: _most_algorithms(most)])
    return [pair for pair in question.pairs if leading.issuperset(pair)]


def shows_details(question: Question, most: int | None) -> bool:
    """Return whether pairs that are shown in full have estimates for each data set."""
    few = len(question.pairs) <= ALL or len(question.scores.datasets) <= MANY
    return few or most is not None


def leading_pair(question: Question) -> Pair:
    """Return the two algorithms of the best mean rank, in the order of the question."""
    ahead = set(_list_leading(question)[:2])
    return next((pair for pair in question.pairs if ahead.issuperset(pair)), question.pairs[0])


def needed_of(question: Question) -> Question:
    """Keep the question's tests that the report shows; on single data sets only p-values."""
    if len(question.scores.datasets) == 1:
        return question
    shown = (*_SHOWN, *_TOGETHER) if question.joint else _SHOWN
    kept = [t for t in question.twins if t.scope in shown]
    return replace(question, twins=tuple(kept)) if kept else question


def _most_algorithms(most: int) -> int:
    """Count the algorithms that have at most this many pairs: k (k - 1) / 2."""
    return (1 + isqrt(1 + 8 * most)) // 2


def _list_leading(question: Question) -> list[str]:
    """Sort algorithms by their mean rank over the data sets, the best first."""
    metric = question.metrics[0]
    means = question.scores.means(metric)[list(question.algorithms)]
    ranks = means.rank(axis=1, ascending=question.scores.lower_is_better(metric))
    return [str(name) for name in ranks.mean().sort_values(kind="stable").index]


def rule(question: Question, most: int | None) -> str:
    """State in a few sentences which pairs are shown in full; "" where every one is."""
    shown = in_full(question, most)
    if len(shown) == len(question.pairs):
        return ""
    several, each = len(question.scores.datasets) > 1, shows_details(question, most)
    which = SHOWN["none" if not shown else "one" if len(shown) == 1 else "several"].format(
        shown=len(shown),
        algorithms=len({name for pair in shown for name in pair}),
        metric=question.metrics[0],
        pairs=len(question.pairs),
    )
    contents = IN_FULL["one" if not several else "each" if each else "several"]
    return " ".join([which, contents, *([] if each else [ON_REQUEST.format(many=MANY)])])


#: Which pairs are shown in full.
SHOWN = {
    "none": "No pair in {metric}, of {pairs} in all, is shown in full; the others are in the "
    "tables above.",
    "one": "The pair of the {algorithms} algorithms of the best mean rank in {metric}, of {pairs} "
    "in all, is shown in full; the others are in the tables above.",
    "several": "The {shown} pairs among the {algorithms} algorithms of the best mean rank in "
    "{metric}, of {pairs} in all, are shown in full; the others are in the tables above.",
}
#: The content of a pair in full, on one data set, or on several with or without estimates of each.
IN_FULL = {
    "one": "Only a pair in full has figures and a check of whether the model explains the data.",
    "several": "Only a pair in full has figures, the other Bayesian tests and a check of whether "
    "the model explains the data.",
    "each": "Only a pair in full has figures, estimates for each data set, the other Bayesian "
    "tests and a check of whether the model explains the data.",
}
ON_REQUEST = (
    "Estimates for each of more than {many} data sets, and a ROPE curve, are shown when in_full "
    "is set."
)


# Number of further data sets that would decide a verdict, by a formula instead of a simulation.


#: Largest multiple of the available data sets that is given as a number.
MOST = 20


def further_datasets(verdict: Verdict, datasets: int) -> int | None:
    """Estimate how many more data sets would decide, if they were like the available ones.

    The estimate is kept, and its standard error shrinks with the root of the number of data sets:
    p = Φ(z) of the most probable outcome becomes Φ(z·√(m/q)), and reaches the threshold t at m =
    q·(Φ⁻¹(t)/z)² (Cohen 1988, sec. 12.8). None if p is at most one half, or for more than twenty
    times as many. `bayescmp.plan` gives probabilities.
    """
    p = max(verdict.probabilities.values())
    if not 0.5 < p < 1 or verdict.threshold >= 1:
        return None
    normal = NormalDist()
    needed = datasets * (normal.inv_cdf(verdict.threshold) / normal.inv_cdf(p)) ** 2
    return math.ceil(needed) - datasets if needed <= MOST * datasets else None


# The first screen of a report: the leader, the verdicts, the undecided and the untrusted pairs.


def opening(
    question: Question, check: CrossCheck, metric: str, pairs: Sequence[Json], *, pictures: bool
) -> Json:
    """Collect the content of the first screen by one metric, from the pairs with their parts.

    It has sentences ``leads`` and ``best``; lists ``open`` and ``untrusted``; a count ``warning``;
    ``holds``, the pair in front, why, and the assumptions of its decision; and ``ladder``, a plot.
    """
    comparisons = check.comparisons[metric]
    place = question.metrics.index(metric)
    parts = [(pair, pair["parts"][place]) for pair in pairs]
    return {
        "leads": " ".join(
            filter(None, [f"{headline(comparisons)}.", describe_rivals(comparisons)])
        ),
        "best": " ".join(filter(None, describe_best(comparisons))),
        "open": _list_open_pairs(comparisons, {(p["first"], p["second"]): p["id"] for p in pairs}),
        "untrusted": list_untrusted(parts),
        "warning": "; ".join(count_doubtful(comparisons)),
        "holds": describe_leading(question, parts),
        "ladder": _ladder(comparisons, f"ladder-{place + 1}") if pictures else {},
    }


def _list_open_pairs(comparisons: Comparisons, ids: Mapping[Pair, str]) -> list[Json]:
    """Group undecided pairs by cause, each with what links to it."""
    return [
        {
            "cause": open_.cause,
            "plan": extrapolate_pairs([comparisons.results[pair] for pair in open_.pairs]),
            "count": open_.count,
            "advice": open_.advice,
            "pairs": [
                {"id": ids[pair], "first": pair[0], "second": pair[1]} for pair in open_.pairs
            ],
        }
        for open_ in open_pairs(comparisons)
    ]


def extrapolate_pairs(results: Sequence[PairResult]) -> str:
    """State how many more data sets would decide how many of the pairs; "" for one data set."""
    q = min(result.datasets for result in results)
    if q < 2:
        return ""
    more = [further_datasets(result.verdict, result.datasets) for result in results]
    needed = [n for n in more if n is not None]
    kind = "none" if not needed else "one" if len(more) == 1 else "several"
    twice, tenfold = (sum(n <= (times - 1) * q for n in needed) for times in (2, 10))
    return EXTRAPOLATED[kind].format(
        count=format_count(max(min(needed, default=0), 1), "more data set"),
        pairs=len(more),
        twice=twice,
        tenfold=tenfold,
    )


#: Number of further data sets that would decide.
EXTRAPOLATED = {
    "none": "By extrapolation, no realistic number of further data sets like these would decide",
    "one": "By extrapolation, about {count} like these would decide it",
    "several": "By extrapolation, twice as many data sets like these would decide {twice} of "
    "{pairs}, ten times as many {tenfold}",
}


def list_untrusted(parts: Sequence[tuple[Json, Json]]) -> list[Json]:
    """List pairs that could not be compared, or whose posterior cannot be trusted, and why."""
    return [
        {
            **{k: pair[k] for k in ("id", "first", "second")},
            "why": part["trouble"] if "verdict" in part else part["error"],
        }
        for pair, part in parts
        if not part.get("ok", False)
    ]


def describe_leading(question: Question, parts: Sequence[tuple[Json, Json]]) -> Json:
    """Return the leading pair, with what becomes of its verdict; empty if unknown."""
    for pair, part in parts:
        if part.get("holds"):
            names = {k: pair[k] for k in ("id", "first", "second")}
            return {**names, "why": explain_leading(question), "text": part["holds"]}
    return {}


def explain_leading(question: Question) -> str:
    """State what, by the first metric, puts the leading pair in front; "" for two algorithms."""
    if len(question.algorithms) == 2:
        return ""
    ranked, several = len(question.scores.datasets) > 1, len(question.metrics) > 1
    return LEADING[ranked, several].format(metric=question.metrics[0])


#: Reason why a pair comes first, by whether there are several data sets, and several metrics.
LEADING = {
    (False, False): ", the two best",
    (False, True): ", the two best in {metric}",
    (True, False): ", the two best by mean rank",
    (True, True): ", the two best by mean rank in {metric}",
}
LADDER = "Ladder of {algorithms}: {measured}"
LADDER_IN_WORDS = "From best to worst: {names}. {decided} of {pairs} decided."


def _ladder(comparisons: Comparisons, name: str) -> Json:
    from bayescmp.plots import plot_ladder
    from bayescmp.plots.ladder import ladder_size

    ladder = comparisons.ladder()
    if len(ladder.names) < 3:
        return {}
    with any_letter():
        size = ladder_size(comparisons)
    return picture(
        lambda ax: plot_ladder(comparisons, ax=ax),
        size,
        name=name,
        title=LADDER.format(
            algorithms=format_count(len(ladder.names), "algorithm"), measured=comparisons.measured
        ),
        description=LADDER_IN_WORDS.format(
            names=", ".join(ladder.names),
            decided=ladder.decided,
            pairs=format_count(ladder.pairs, "pair"),
        ),
    )
