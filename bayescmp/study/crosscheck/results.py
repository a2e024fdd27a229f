"""Results of a cross-check: a tidy table of all tests, a row per pair, and its text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from bayescmp.base.arguments import either
from bayescmp.base.checks import text, validate_params
from bayescmp.base.typing import Json, as_json
from bayescmp.catalogue import title
from bayescmp.frequentist import TestResult
from bayescmp.present.forms import Summarised, as_html, as_text
from bayescmp.present.summary import Cells, Column, Explanation, Summary, summarise
from bayescmp.scores.rope import Rope
from bayescmp.study.comparisons import (
    Comparisons,
    headline,
    heads_of,
)
from bayescmp.study.crosscheck.rows import DISAGREE, Row, others_in_words
from bayescmp.wording.markup import escape, list_notes
from bayescmp.wording.text import (
    PROBABILITIES,
    adjusted_by,
    cut_all,
    cut_name,
    fold_text,
    format_count,
    side_by_side,
    state_pvalue,
    words_of,
)

# A cross-check on a terminal: the leader, agreement of the two kinds of tests, and p-values.


#: Scopes of tests on each data set alone.
ALONE = ("dataset", "runs")
#: On how many data sets these find either better.
WINS, SIDES = ("for_first", "for_second", "neither"), ("first", "second", "")
#: Columns of a pair's row that are not an adjusted p-value, besides those of probabilities.
_OTHER = (
    *("metric", "first", "second", "test", "decision", "cause", "evidence", "agreement", "words"),
    *WINS,
)
#: Words for rows in which the two answers agree.
AGREE = ("agree", "equivalent", "not_worse")
#: Pairs of a table, and disagreements in words, that are shown at most.
MOST_PAIRS, MOST_WORDS = 30, 10
#: Fewest tests that leave less space for names.
FEW_TESTS = 3


MORE = "{pairs} on which they disagree: {where}"
OMNIBUS = "All {subject}s together: {p} ({test})."
#: On how many pairs the Bayesian verdict and the tests agree.
COUNTS = {
    "agree": "The Bayesian verdict and {tests} decide alike on {count} of {pairs}.",
    "open": "Neither decides on {count} of {pairs}.",
    "disagree": "They disagree on {count} of {pairs}.",
    "other": "A trade-off, or not compared: {count} of {pairs}.",
}
#: The same of one pair.
ONE = {
    "agree": "The Bayesian verdict and {tests} agree.",
    "open": "The Bayesian verdict and {tests} are both undecided.",
    "disagree": "The Bayesian verdict and {tests} disagree.",
}


def summarise_metric(check: CrossCheck, metric: str) -> Summary:
    """Summarise the cross-check's rows on whole pairs by one metric."""
    comparisons = check.comparisons[metric]
    rows = check.pairs[check.pairs["metric"] == metric]
    apart = rows[rows["agreement"].isin([*DISAGREE, "failed"])]
    notes = [
        f"{row['first']} and {row['second']}: {row['words']}"
        for row in apart.head(MOST_WORDS).to_dict(orient="records")
    ]
    if len(apart) > MOST_WORDS:
        pairs = format_count(len(apart) - MOST_WORDS, "more pair")
        notes.append(MORE.format(pairs=pairs, where=either(".pairs", "--full")))
    table, columns = _pvalues(rows.head(MOST_PAIRS))
    return Summary(
        headline(comparisons),
        table,
        columns,
        notes=[*notes, *comparisons.doubts, *check.notes],
        label="crosscheck",
        setting=comparisons.setting,
        sentences=[
            *comparisons.sentences,
            *filter(None, [_describe_agreement(check, metric, rows)]),
        ],
        legend=_legend(check, rows),
        method="; ".join(comparisons.methods),
        more=either("more: .full(), .frame, .pairs, .comparisons, bayescmp.report", ""),
    )


def _describe_agreement(check: CrossCheck, metric: str, rows: pd.DataFrame) -> str:
    """State on how many pairs the verdicts and the tests agree, after the test of all."""
    texts = []
    if metric in check.omnibus:
        test, words = check.omnibus[metric], words_of(check.comparisons[metric].unit)
        texts.append(OMNIBUS.format(p=state_pvalue(test.pvalue), test=test.method, **words))
    kinds = [_kind_of(agreement) for agreement in rows["agreement"]]
    tests = _deciding_test(check, rows) or "the tests"
    if len(rows) == 1:
        texts += [ONE[kinds[0]].format(tests=tests)] if kinds[0] in ONE else []
        return " ".join(texts)
    pairs = format_count(len(rows), "pair")
    return " ".join(
        [
            *texts,
            *(
                template.format(tests=tests, count=kinds.count(kind), pairs=pairs)
                for kind, template in COUNTS.items()
                if kind in kinds or kind == "agree"
            ),
        ]
    )


def _kind_of(agreement: str) -> str:
    if agreement in AGREE:
        return "agree"
    if agreement in DISAGREE:
        return "disagree"
    return "open" if agreement == "open" else "other"


def _deciding_test(check: CrossCheck, rows: pd.DataFrame) -> str:
    """Name the first test, shown next to the verdict, if others answer otherwise; else ""."""
    adjusted = rows[_tests(rows)]
    answers = (adjusted <= check.alpha).where(adjusted.notna()).nunique(axis="columns")
    first = title(adjusted.columns[0])
    named = first if first.endswith(" test") else f"{first} test"
    return f"the {named}" if (answers > 1).any() else ""


def _pvalues(rows: pd.DataFrame) -> tuple[pd.DataFrame, dict[object, Column]]:
    """Tabulate the verdict on each pair with the adjusted p-values of its tests."""
    tests = _tests(rows)
    names = list(dict.fromkeys([*rows["first"], *rows["second"]]))
    labels = dict(zip(names, cut_all(names, 14 if len(tests) < FEW_TESTS else 10), strict=True))
    table = {
        "first": [labels[name] for name in rows["first"]],
        "second": [labels[name] for name in rows["second"]],
        "verdict": [_decision(dict(row), labels) for _, row in rows.iterrows()],
        **{test: rows[test] for test in tests},
        "mark": ["" if agreement in (*AGREE, "open") else "*" for agreement in rows["agreement"]],
    }
    columns: dict[object, Column] = {
        "first": Column(Cells.WORDS, "A"),
        "second": Column(Cells.WORDS, "B"),
        "verdict": Column(Cells.WORDS, "Bayes: better"),
        **{test: Column(Cells.P_VALUE, title(test)) for test in tests},
        "mark": Column(head=" "),
    }
    return pd.DataFrame(table), columns


def _tests(rows: pd.DataFrame) -> list[str]:
    """Return the columns of adjusted p-values."""
    numbers = rows.select_dtypes(float).columns.difference([*_OTHER], sort=False)
    return [column for column in numbers if not column.startswith(PROBABILITIES)]


def _decision(row: Json, labels: Mapping[str, str] | None = None) -> str:
    """Name the better one, or else the verdict."""
    if row["decision"] not in ("first", "second"):
        return str(row["decision"])
    name = str(row[row["decision"]])
    return labels[name] if labels else cut_name(name, 16)


P_VALUES_ADJUSTED = "p-values {adjusted}, level {alpha:g}"
P_VALUE_ALONE = "p-values at the level {alpha:g}"
DISAGREEMENT = "*: the Bayesian verdict and {tests} disagree"


def _legend(check: CrossCheck, rows: pd.DataFrame) -> str:
    """Explain the numbers and marks, and count the pairs that are not shown."""
    over = len(rows) - MOST_PAIRS
    left = f"{format_count(over, 'more pair')}: {either('.full()', '--full')}"
    alike = rows.head(MOST_PAIRS)["agreement"].isin([*AGREE, "open"]).all()
    template = P_VALUES_ADJUSTED if len(rows) > 1 else P_VALUE_ALONE
    return "; ".join(
        [
            template.format(adjusted=adjusted_by(check.adjust, "the pairs"), alpha=check.alpha),
            *(
                []
                if alike
                else [DISAGREEMENT.format(tests=_deciding_test(check, rows) or "the tests")]
            ),
            *([left] if over > 0 else []),
        ]
    )


# Results of a cross-check: a tidy table of each test and its counterpart, and a row per pair.


#: What a pair's row takes from its main one.
_OF_MAIN = (
    *(f"{kind}_{r}" for kind in ("p", "predictive", "mean") for r in ("left", "rope", "right")),
    *("decision", "cause", "evidence"),
)
#: Columns of a pair's row, whatever was tested.
PAIR_COLUMNS = (
    *("metric", "first", "second", "test"),
    *_OF_MAIN,
    *("for_first", "for_second", "neither", "agreement", "words"),
)
#: Columns that are not printed where every row is.
_HIDDEN = (
    *("scope", "statistic", "pvalue", "significant", "favours", "better", "pairing", "resampling"),
    *("datasets_left_out", "folds_left_out", "error"),
    *("effect", "effect_size", "effect_low", "effect_high", "tost", "tost_adjusted", "equivalent"),
)
#: Decisions that decide nothing.
_OPEN = ("undecided", "borderline", "failed")


@dataclass(frozen=True, eq=False, repr=False)
class CrossCheck(Summarised):
    """Bayesian verdicts next to their frequentist counterparts.

    Attributes
    ----------
    rows : tuple of mapping
        One per Bayesian test and its counterpart; ``frame`` is the same as a table.
    algorithms, datasets, metrics : tuple of str
    joint : tuple of str
        Metrics compared together; empty if none.
    ropes : mapping of str to Rope
    comparisons : mapping of str to Comparisons
        For each metric, the verdicts of the pairs' main test.
    omnibus : mapping of str to TestResult
        For each metric, the test of all algorithms, if at least three: by ranks over data sets; on
        one data set the analysis of variance, Cochran's Q for items, Kruskal-Wallis for runs. Its
        ``effect`` is Kendall's W or partial η².
    threshold, alpha : float
        Probability required for a decision; level of adjusted p-values.
    adjust : str
        How p-values were adjusted over the pairs (separately on each data set).
    seed : int
    notes : tuple of str
        Where the analysis departs from the options given.
    """

    rows: tuple[Row, ...]
    algorithms: tuple[str, ...]
    datasets: tuple[str, ...]
    metrics: tuple[str, ...]
    joint: tuple[str, ...]
    ropes: Mapping[str, Rope]
    comparisons: Mapping[str, Comparisons]
    omnibus: Mapping[str, TestResult]
    threshold: float
    alpha: float
    adjust: str
    seed: int
    notes: tuple[str, ...] = ()

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The tidy table.

        One row per test and its counterpart: scope (see `bayescmp.study.question.SCOPES`), metric,
        dataset ("" over all), first, second, bayesian (test); p_left, p_rope, p_right, p_trade_off
        (which decide), ``predictive_`` and ``mean_`` of the same regions; decision, cause (why it
        is undecided), evidence, frequentist (test), statistic, pvalue, adjusted, significant
        (adjusted), unadjusted (whether pvalue itself is significant), favours; effect (its name),
        effect_size, effect_low, effect_high (95% interval); tost and tost_adjusted (p-values of
        two one-sided tests with the ROPE), equivalent (whether the adjusted one is significant);
        agreement (see `bayescmp.study.crosscheck.rows.AGREEMENTS`), words, better ("higher" or
        "lower"), pairing, resampling (the correlation of folds and its reason), datasets_left_out,
        folds_left_out (without a score of both), error.
        """
        return pd.DataFrame(list(self.rows))

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """One row per pair and metric: the verdict, its twins' adjusted p-values, and the words.

        metric, first, second, test, p_left, p_rope, p_right (what decides), ``predictive_`` and
        ``mean_`` of the same regions, decision, cause, evidence; the adjusted p-value of each
        frequentist test over the data sets; for_first, for_second and neither, on how many data
        sets the corrected t test is significant for either or for none; agreement, words. Empty if
        there are several data sets and no test over them.
        """
        rows = [self._pair_row(m, a, b) for m, a, b in self._list_compared()]
        return pd.DataFrame(rows, columns=None if rows else list(PAIR_COLUMNS))

    def _list_compared(self) -> list[tuple[str, str, str]]:
        """Return the metrics and pairs that have a separate row."""
        return [
            key
            for key, rows in self._by_pair.items()
            if key[0] in self.metrics and (_select_overall(rows) or len(self.datasets) == 1)
        ]

    @cached_property
    def _by_pair(self) -> dict[tuple[str, str, str], list[Row]]:
        rows: dict[tuple[str, str, str], list[Row]] = {}
        for row in self.rows:
            rows.setdefault((row["metric"], row["first"], row["second"]), []).append(row)
        return rows

    @validate_params(metric=text, first=text, second=text)
    def of_pair(self, metric: str, first: str, second: str) -> list[Row]:
        """Return all rows of a pair and metric."""
        return self._by_pair.get((metric, first, second), [])

    def _pair_row(self, metric: str, first: str, second: str) -> Json:
        rows = self.of_pair(metric, first, second)
        over = _select_overall(rows) or rows
        main, more = over[0], others_in_words(over)
        pvalues: dict[str, float] = {}
        for row in over:
            pvalues.setdefault(row["frequentist"], row["adjusted"])
        return {
            "metric": metric,
            "first": first,
            "second": second,
            "test": main["bayesian"],
            **{k: main[k] for k in _OF_MAIN},
            **pvalues,
            **_wins(rows),
            "agreement": main["agreement"],
            "words": f"{main['words']} {more}".rstrip(),
        }

    @validate_params(metric=text, first=text, second=text)
    def on_datasets(self, metric: str, first: str, second: str) -> list[Row]:
        """Return a pair's rows on each data set, by the first test that was run on them."""
        rows = [row for row in self.of_pair(metric, first, second) if row["scope"] == "dataset"]
        return [row for row in rows if row["bayesian"] == rows[0]["bayesian"]]

    def to_dict(self) -> Json:
        """Return everything as plain numbers and text, for JSON; what is not known is None."""
        asked = ("threshold", "alpha", "adjust", "seed", "notes", "omnibus", "rows")
        compared = {k: getattr(self, k) for k in ("algorithms", "datasets", "metrics", "joint")}
        ropes = {"ropes": {m: rope.ends for m, rope in self.ropes.items()}}
        facts: Json = as_json({**compared, **ropes, **{k: getattr(self, k) for k in asked}})
        return facts

    def _summaries(self) -> list[Summary]:
        """Summarise each metric; all rows if no test judges a whole pair."""
        return [summarise_metric(self, metric) for metric in self._metrics] or [summarise(self)]

    def __str__(self) -> str:
        return "\n\n".join([*map(as_text, self._summaries()), *self._list_joint_tests()])

    def _repr_html_(self) -> str:
        lines = (f"<div>{escape(line)}</div>" for line in self._joint_lines())
        return "".join([*map(as_html, self._summaries()), *lines])

    def __repr__(self) -> str:
        heads = [headline(comparisons) for comparisons in self.comparisons.values()]
        return f"<CrossCheck: {'; '.join(heads)}; {format_count(len(self.rows), 'row')}>"

    @property
    def _metrics(self) -> list[str]:
        return [m for m in self.metrics if (self.pairs["metric"] == m).any()]

    def full(self) -> str:
        """Write every table with all its rows: probabilities, p-values and words of all pairs."""
        shown = [as_text(each) for each in self._summaries()] if len(self.pairs) else []
        every = as_text(summarise(self), whole=True)
        return "\n\n".join([*shown, every, *self._list_joint_tests()])

    def _list_joint_tests(self) -> list[str]:
        """Write the joint tests of several metrics as a block of lines."""
        lines = [fold_text(line) for line in self._joint_lines()]
        return ["\n".join(lines)] if lines else []

    def _shown(self) -> pd.DataFrame:
        """Return what is printed: a row per pair, or all rows where no test judges whole pairs."""
        shown = self.pairs
        if not len(shown):
            shown = self.frame.drop(columns=list(_HIDDEN)).dropna(axis="columns", how="all")
        return side_by_side(shown, {r for rope in self.ropes.values() for r in heads_of(rope)})

    def _joint_lines(self) -> list[str]:
        """Write the joint tests of several metrics, a line per pair."""
        lines = []
        for (metric, first, second), rows in self._by_pair.items():
            joint = [row for row in rows if row["scope"] == "metrics"]
            if not joint or not len(self.pairs):
                continue
            words = joint[0]["words"] if len(joint) == 1 else _on_each(joint)
            lines.append(TOGETHER.format(metrics=metric, first=first, second=second, words=words))
        return lines


TOGETHER = "{metrics} together, {first} and {second}: {words}"
EVERY = (
    "Bayesian verdicts and their frequentist counterparts, ROPE {ropes}, threshold {threshold:g}; "
    "p-values {adjusted}, level {alpha:g}"
)
#: A pair in words, by whether there are several metrics.
IN_WORDS = {
    True: "{first} and {second} in {metric}: {words}",
    False: "{first} and {second}: {words}",
}


@summarise.register
def _summarise_cross_check(check: CrossCheck) -> Summary:
    """Summarise a row per pair, or all rows if no test judges whole pairs; the pairs in words."""
    heads = dict.fromkeys(
        head for rope in check.ropes.values() for head in heads_of(rope).values()
    )
    methods = dict.fromkeys(
        how
        for each in check.comparisons.values()
        if (how := ", ".join(filter(None, (each.pairing, each.resampling))))
    )
    several = len(check.metrics) > 1
    keys = ("metric", "first", "second") if several else ("first", "second")
    table, words, hidden = check._shown(), [], {"metric"} - {*keys}
    if len(check.pairs):
        rows: list[Json] = check.pairs.to_dict(orient="records")  # type: ignore[assignment]
        words = [IN_WORDS[several].format(**row) for row in rows]
        table["decision"] = [_decision(row) for row in rows]
        hidden |= {"cause", "evidence", "agreement", "words"}
    table = table[[*keys, *(column for column in table if column not in {*keys, *hidden})]]
    measured = {m: each.measured for m, each in check.comparisons.items()}
    ropes = ", ".join(f"{measured.get(m) or m} {rope}" for m, rope in check.ropes.items())
    title = EVERY.format(
        ropes=ropes,
        threshold=check.threshold,
        adjusted=adjusted_by(check.adjust),
        alpha=check.alpha,
    )
    notes = [*words, *check.notes]
    return Summary(
        title,
        table,
        {
            **dict.fromkeys(keys, Column(Cells.NAME)),
            **dict.fromkeys(_tests(table), Column(Cells.P_VALUE)),
        },
        notes=notes,
        label="crosscheck",
        legend=f"probabilities of: {', '.join(heads)}",
        method="; ".join(methods),
        explanation=lambda: _explain(check, title, notes),
    )


def _explain(check: CrossCheck, title: str, notes: Sequence[str]) -> Explanation:
    metrics = [summarise_metric(check, metric) for metric in check._metrics]
    sentences = [text for each in metrics for text in (f"{each.headline}.", *each.sentences)]
    sentences += check._joint_lines()
    limits = dict.fromkeys(note for each in metrics for note in each.notes) if metrics else notes
    used = dict.fromkeys(each.method for each in metrics)
    return Explanation(
        short=sentences,
        results=[*sentences, *list_notes([*limits])],
        methods=[f"{title}.", *(f"{method}." for method in used)],
    )


def _on_each(rows: list[Row]) -> str:
    """State on how many data sets the joint tests decide."""
    rejected = sum(bool(row["significant"]) for row in rows)
    decided = sum(row["decision"] not in _OPEN for row in rows)
    sets = format_count(len(rows), "data set")
    return ON_EACH.format(rejected=rejected, datasets=sets, decided=decided)


ON_EACH = "significant on {rejected} of {datasets}, decided on {decided}"


def _select_overall(rows: list[Row]) -> list[Row]:
    """Return rows of tests over the data sets, or that could not be made at all."""
    return [row for row in rows if row["scope"] in ("datasets", "table") or not row["dataset"]]


def _wins(rows: list[Row]) -> dict[str, int]:
    """State on how many data sets the first frequentist test of each alone finds either better."""
    alone = [row for row in rows if row["scope"] in ALONE]
    return count_wins(
        [row for row in alone if row["bayesian"] == alone[0]["bayesian"] and row["dataset"]]
    )


def count_wins(rows: Sequence[Row]) -> dict[str, int]:
    """Count the tests on single data sets that find the first better, the second, or neither."""
    sides = [row["favours"] if row["significant"] else "" for row in rows]
    return {name: sides.count(side) for name, side in zip(WINS, SIDES, strict=True)}
