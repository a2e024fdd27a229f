"""A report on each pair: by one metric, by several together, on each single data set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.base.typing import Pair, as_json
from bayescmp.catalogue import FrequentistTest
from bayescmp.errors import InputError
from bayescmp.present.paper import split_paragraphs
from bayescmp.report.pictures import pair_figures
from bayescmp.results.sensitivity import Sensitivity
from bayescmp.scores.differences import Differences
from bayescmp.scores.rope import Ropes
from bayescmp.study.crosscheck.check import PairPart
from bayescmp.study.crosscheck.results import CrossCheck
from bayescmp.study.crosscheck.rows import Alone, FrequentistFacts, significant_alone
from bayescmp.study.question import Question, tests_of
from bayescmp.summaries.sensitivity import describe_changes, describe_fragility
from bayescmp.summaries.verdict import list_odds, tabulate_outcomes, write_headline

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.base.typing import Json
    from bayescmp.results.posterior import Posterior


# Tables as JSON takes them.


def named_rows(frame: pd.DataFrame) -> list[Json]:
    """List a table's rows of numbers: each one's name and values."""
    return [
        {"name": str(n), "values": [as_json(v) for v in row]}
        for n, row in zip(frame.index, frame.to_numpy(), strict=True)
    ]


def by_row(frame: pd.DataFrame) -> dict[str, Json]:
    """Return a table of numbers by row and column; pandas' own way takes a millisecond."""
    columns = [str(c) for c in frame.columns]
    return {
        str(k): dict(zip(columns, map(as_json, row), strict=True))
        for k, row in zip(frame.index, frame.to_numpy().tolist(), strict=True)
    }


def pair_id(question: Question, pair: Pair) -> str:
    """Return the id that links to a pair use."""
    return f"pair-{question.pairs.index(pair) + 1}"


# The report on one pair by one metric, collected while its posterior is there.


@dataclass(frozen=True)
class PairBlocks:
    """The extent of a report on each pair.

    `question`'s first test is reported separately for each data set. `full` are pairs shown in
    full, `leading` the one whose block shows assumptions. `details`, `pictures`, `sensitivity` and
    `posteriors` are whether pairs have estimates for each data set, plots, a paragraph on
    assumptions, and keep their posteriors.
    """

    question: Question
    full: Collection[Pair]
    leading: Pair
    details: bool
    pictures: bool
    sensitivity: bool
    posteriors: bool

    def __call__(self, part: PairPart) -> PairPart:
        """Complete a compared part with single data sets, and its block."""
        question = self.question
        alone = singles_of(question, part)
        kept = part if self.posteriors else part.light()
        if part.main is None:
            return replace(kept, content=(alone, {}))
        name = f"{pair_id(question, part.pair)}-{question.metrics.index(part.metric) + 1}"
        return replace(kept, content=(alone, self._block(part, name)))

    def _block(self, part: PairPart, name: str) -> Json:
        leads = part.pair == self.leading
        block = _in_tables(part, self.sensitivity, leads)
        if part.pair not in self.full:
            return block
        drawn = pair_figures(part, name, leads, self.details) if self.pictures else {}
        return {**block, **_in_full(part, self.details), "figures": drawn}


def _in_tables(part: PairPart, sensitivity: bool, leads: bool) -> Json:
    main = part.main
    assert main is not None
    posterior: Any = main.posterior
    verdict = main.verdict
    asked = verdict.threshold
    return {
        "metric": part.metric,
        "direction": posterior.measured,
        "test": main.test,
        "verdict": verdict.to_dict(),
        "floor": verdict.floor,
        "sensitivity": posterior.sensitivity(threshold=asked).explain("paper").split("\n\n")[0]
        if sensitivity
        else "",
        "holds": say_what_holds(posterior, asked) if leads and main.diagnostics.exact else "",
        "decided": verdict.decided,
        "region": verdict.ranked[0],
        "prior_bounds": dict(posterior.prior_bounds),
        "summary": by_row(posterior.summary()),
        "engine": main.engine,
        "engine_version": main.engine_version,
        "ok": not main.trouble,
        "trouble": "; ".join(main.trouble),
        "diagnostics": str(replace(main.diagnostics, misfit=())),
        "notes": list(dict.fromkeys([*main.notes, *main.warnings])),
        "seconds": main.seconds,
    }


def _in_full(part: PairPart, details: bool) -> Json:
    """Return what a pair in full adds: its verdict in words, the model's check, the data sets."""
    assert part.main is not None
    verdict = part.main.verdict
    return {
        "diagnostics": str(part.main.diagnostics),
        "verdict": verdict.to_dict(),
        "explained": split_paragraphs(verdict.explain("paper")),
        "odds": list_odds(verdict),
        "labels": {r: verdict.label(r) for r in verdict.probabilities},
        "outcome": write_headline(verdict),
        "columns": tabulate_outcomes(verdict),
        "datasets": _datasets(part.table) if details else _mean_differences(part),
    }


#: At most so many data sets are left out to see whether a decision survives, which takes a second
#: or two: a limit of time would not give the same report again.
MOST_LEFT_OUT, SECONDS = 3, 3600.0


def say_what_holds(posterior: Posterior, threshold: float) -> str:
    """State under what the decision holds, and whether it survives without a few data sets."""
    varied = posterior.sensitivity(threshold=threshold, datasets=False)
    assert isinstance(varied, Sensitivity)  # one pair
    holds = describe_changes(varied, briefly=True)
    try:
        fragility = posterior.fragility(threshold=threshold, most=MOST_LEFT_OUT, seconds=SECONDS)
    except InputError:  # a test of which nothing can be left out
        return " ".join(holds)
    return " ".join([*holds, *describe_fragility(fragility)])


def _datasets(table: pd.DataFrame | None) -> list[Json]:
    if table is None:
        return []
    plain = table.rename(columns={"2.5%": "low", "97.5%": "high"})
    return [
        {"dataset": str(n), **{str(k): as_json(v) for k, v in row.items()}}
        for n, row in plain.to_dict(orient="index").items()
    ]


def _mean_differences(part: PairPart) -> list[Json]:
    """List mean differences on each data set, without what the model makes of them."""
    assert part.x is not None
    rows = zip(part.x.datasets, part.x.n, part.x.means, strict=True)
    return [{"dataset": str(d), "n": int(n), "observed": as_json(m)} for d, n, m in rows]


# The report's part on several metrics together.


Row = Any
_COLUMNS = (
    *("dataset", "first", "second", "bayesian", "p_left", "p_rope", "p_right", "p_trade_off"),
    *("decision", "frequentist", "statistic", "pvalue", "adjusted", "significant"),
    *("agreement", "words", "error"),
)


def describe_several_metrics(
    question: Question, check: CrossCheck, alone: Alone | None = None
) -> Json | None:
    """Return the answers of the tests of several metrics; None where each was compared alone.

    They have metrics; ``outcomes``, what can be decided; ``pairs``, on how many data sets each
    was; ``agreement`` and ``disagreements`` of the joint test and those of each alone; and all
    ``rows``.
    """
    if not question.joint:
        return None
    rows = [row for row in check.rows if row["metric"] == question.joint_name]
    pairwise = [row for row in rows if row["scope"] == "metrics"]
    single = alone or significant_alone(check.rows, question)
    kinds = [(row, _kind(row, single)) for row in pairwise]
    return {
        "metrics": list(question.joint),
        "single": list(question.metrics),
        "outcomes": _outcomes(Ropes(question.ropes[metric] for metric in question.joint)),
        "pairs": [_pair(i, pair, kinds) for i, pair in enumerate(question.pairs)],
        "agreement": {
            k: sum(kind == k for _, kind in kinds)
            for k in ("both", "joint", "single", "none", "failed")
        },
        "disagreements": [
            {k: row[k] for k in ("dataset", "first", "second", "words")}
            for row, kind in kinds
            if kind in ("joint", "single")
        ],
        "columns": list(_COLUMNS),
        "rows": [[as_json(row[c]) for c in _COLUMNS] for row in rows],
    }


def _outcomes(ropes: Ropes) -> dict[str, str]:
    """Name the outcomes that are counted; with one infinite bound of the ROPEs there are two."""
    if not ropes.one_sided:
        both = {"better_first": "first dominates", "equivalent": "equivalent"}
        return both | {"better_second": "second dominates", "trade_off": "trade-off"}
    if np.isinf(ropes.high).all():
        return {"better_first": "second worse", "equivalent": "second not worse"}
    return {"equivalent": "first not worse", "better_second": "first worse"}


def _kind(row: Row, alone: Alone) -> str:
    if row["significant"] is None:
        return "failed"
    single = any(alone.get((row["dataset"], row["first"], row["second"]), {}).values())
    joint = bool(row["significant"])
    return (("none", "single"), ("joint", "both"))[joint][single]


def _pair(place: int, pair: tuple[str, str], kinds: list[tuple[Row, str]]) -> Json:
    own = [(row, kind) for row, kind in kinds if (row["first"], row["second"]) == pair]
    decided = Counter(row["decision"] for row, _ in own)
    rejecting = Counter(kind for _, kind in own)
    return {
        "id": f"pair-{place + 1}",
        "first": pair[0],
        "second": pair[1],
        "better_first": decided["first"],
        "equivalent": decided["equivalent"] + decided["not worse"],
        "better_second": decided["second"],
        "trade_off": decided["trade-off"],
        "undecided": decided["undecided"] + decided["borderline"],
        "failed": decided["failed"],
        "significant": sum(bool(row["significant"]) for row, _ in own),
        "only_joint": rejecting["joint"],
        "only_single": rejecting["single"],
    }


# The frequentist test on each single data set, of every pair: p-values alone.


#: Tests by data set; None where one failed.
Singles = Mapping[str, FrequentistFacts | None]

_SIDES = {1.0: "second", -1.0: "first"}


def singles_of(question: Question, part: PairPart) -> Singles:
    """Run the first frequentist test separately on each data set, for p-values only."""
    if part.x is None or len(question.scores.datasets) == 1:
        return {}
    twin = next(
        (twin for twin in tests_of(question.twins, part.x) if twin.scope == "dataset"), None
    )
    return (
        {}
        if twin is None
        else dict(zip(part.x.datasets, _on_each(twin.check, part.x), strict=True))
    )


def _on_each(test: FrequentistTest, x: Differences) -> list[FrequentistFacts | None]:
    if test.by_row is None:
        return [_on_one(test, x.row(dataset)) for dataset in x.datasets]
    rows = test.by_row(x)
    sides = np.sign(rows.estimate - test.equal)
    return [
        FrequentistFacts(float(statistic), float(pvalue), _SIDES.get(float(side), ""))
        for statistic, pvalue, side in zip(rows.statistic, rows.pvalue, sides, strict=True)
    ]


def _on_one(test: FrequentistTest, row: Differences) -> FrequentistFacts | None:
    try:
        return FrequentistFacts.run(test, row)
    except InputError:
        return None


def adjust_singles(question: Question, singles: Mapping[Pair, Singles]) -> dict[Pair, list[Json]]:
    """Adjust p-values of pairs' `singles_of` over the pairs, separately on each data set."""
    rows: dict[Pair, list[Json]] = {pair: [] for pair in singles}
    for dataset in question.scores.datasets:
        family = {pair: tests[dataset] for pair, tests in singles.items() if dataset in tests}
        pvalues = [test.pvalue for test in family.values() if test is not None]
        over = iter(question.adjust_pvalues(pvalues) if pvalues else ())
        for pair, test in family.items():
            p = None if test is None else next(over)
            rows[pair].append({"dataset": dataset, **_row(test, p, question.alpha)})
    return rows


def _row(test: FrequentistFacts | None, p: float | None, alpha: float) -> Json:
    if test is None or p is None:
        return dict.fromkeys(("statistic", "pvalue", "adjusted", "significant", "favours"))
    return {
        "statistic": test.statistic if np.isfinite(test.statistic) else None,
        "pvalue": test.pvalue,
        "adjusted": p,
        "significant": p <= alpha,
        "favours": test.favours,
    }


def find_significant(alone: Mapping[str, Mapping[Pair, list[Json]]]) -> Alone:
    """Return what the adjusted tests by each metric say on each data set."""
    by_metric: dict[tuple[str, str, str], dict[str, bool]] = {}
    for metric, of_pairs in alone.items():
        for pair, rows in of_pairs.items():
            for row in rows:
                if row["significant"] is not None:
                    by_metric.setdefault((row["dataset"], *pair), {})[metric] = row["significant"]
    return by_metric
