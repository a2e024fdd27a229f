"""Results of a cross-check: a tidy table of all pairs of twins, a row per pair, and its text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from bayescmp.base.arguments import either
from bayescmp.base.checks import declare, text
from bayescmp.base.deferred import remember
from bayescmp.base.typing import Json, as_json
from bayescmp.catalogue import title
from bayescmp.frequentist import TestResult
from bayescmp.scores.rope import Rope
from bayescmp.study.comparisons import (
    Comparisons,
    headline,
    heads_of,
)
from bayescmp.study.crosscheck.rows import DISAGREE, Row, others_in_words
from bayescmp.wording.markup import Exhibit, Exhibited, Told, escape
from bayescmp.wording.text import (
    PROBABILITIES,
    adjusted_by,
    cut_all,
    cut_name,
    fold_text,
    format_count,
    format_pvalue,
    join_items,
    side_by_side,
    state_pvalue,
    words_of,
)

# A cross-check on a terminal: who leads, where the two kinds of answers agree, and their p-values.


#: On how many data sets a test of each alone finds either better.
WINS, SIDES = ("for_first", "for_second", "neither"), ("first", "second", "")
#: Columns of a pair's row that are not an adjusted p-value, besides those of probabilities.
_OTHER = (
    *("metric", "first", "second", "test", "decision", "cause", "evidence", "agreement", "words"),
    *WINS,
)
#: What a row says where the two answers agree.
AGREE = ("agree", "equivalent", "not_worse")
#: Pairs of a table, and disagreements in words, that are shown at most.
MOST_PAIRS, MOST_WORDS = 30, 10
#: Tests from which on there is less room for names.
FEW_TESTS = 3


def exhibit_of(check: CrossCheck, metric: str) -> Exhibit:
    """Show the cross-check's rows on whole pairs by one metric."""
    comparisons = check.comparisons[metric]
    rows = check.pairs[check.pairs["metric"] == metric]
    apart = rows[rows["agreement"].isin([*DISAGREE, "failed"])]
    notes = [
        f"{row['first']} and {row['second']}: {row['words']}"
        for row in apart.head(MOST_WORDS).to_dict(orient="records")
    ]
    if len(apart) > MOST_WORDS:
        more = format_count(len(apart) - MOST_WORDS, "more pair")
        notes.append(f"{more} on which they disagree: {either('.pairs', '--full')}")
    return Exhibit(
        headline(comparisons),
        _pvalues(rows.head(MOST_PAIRS)),
        [*notes, *comparisons.doubts, *check.notes],
        "crosscheck",
        words=["B", "Bayes: better"],
        setting=comparisons.setting,
        sentences=[
            *comparisons.sentences,
            *filter(None, [_say_agreement(check, metric, rows)]),
        ],
        legend=_legend(check, rows),
        method="; ".join(comparisons.methods),
        more=either("more: .full(), .frame, .pairs, .comparisons, bayescmp.report", ""),
    )


def _say_agreement(check: CrossCheck, metric: str, rows: pd.DataFrame) -> str:
    """Say on how many pairs Bayes and the tests agree, after the test of all algorithms."""
    texts = []
    if metric in check.omnibus:
        test, words = check.omnibus[metric], words_of(check.comparisons[metric].unit)
        texts.append(
            f"All {words['subject']}s together: {state_pvalue(test.pvalue)} ({test.method})."
        )
    both = f"Bayes and {_deciding_test(check, rows) or 'the tests'}"
    if len(rows) == 1:
        return " ".join([*texts, _of_one(rows["agreement"].iloc[0], both)]).rstrip()
    counts = {
        "agree on {}": rows["agreement"].isin([*AGREE]).sum(),
        "both leave {} open": rows["agreement"].isin(["open"]).sum(),
        "disagree on {}": rows["agreement"].isin(DISAGREE).sum(),
    }
    agreed = [words.format(n) for words, n in counts.items() if n]
    if agreed:
        pairs = format_count(len(rows), "pair")
        texts.append(f"Of {pairs}, {both} {join_items(agreed)}.")
    if others := len(rows) - sum(counts.values()):
        texts.append(f"A trade-off, or not compared: {format_count(others, 'pair')}.")
    return " ".join(texts)


def _of_one(agreement: str, both: str) -> str:
    """Say whether Bayes and the tests agree on the only pair."""
    if agreement in AGREE:
        return f"{both} agree."
    if agreement == "open":
        return f"{both} both leave it open."
    return f"{both} disagree." if agreement in DISAGREE else ""


def _deciding_test(check: CrossCheck, rows: pd.DataFrame) -> str:
    """Name the first test, which stands beside Bayes, if others answer otherwise; else ""."""
    adjusted = rows[_tests(rows)]
    answers = (adjusted <= check.alpha).where(adjusted.notna()).nunique(axis="columns")
    first = title(adjusted.columns[0]).removesuffix(" test")
    return f"the {first} test" if (answers > 1).any() else ""


def _pvalues(rows: pd.DataFrame) -> pd.DataFrame:
    """Tabulate the verdict on each pair beside the adjusted p-values of its tests."""
    tests = _tests(rows)
    names = list(dict.fromkeys([*rows["first"], *rows["second"]]))
    labels = dict(zip(names, cut_all(names, 14 if len(tests) < FEW_TESTS else 10), strict=True))
    table = {
        "A": [labels[name] for name in rows["first"]],
        "B": [labels[name] for name in rows["second"]],
        "Bayes: better": [_decision(dict(row), labels) for _, row in rows.iterrows()],
        **{title(t): [format_pvalue(p) for p in rows[t]] for t in tests},
        " ": ["" if agreement in (*AGREE, "open") else "*" for agreement in rows["agreement"]],
    }
    return pd.DataFrame(table)


def _tests(rows: pd.DataFrame) -> list[str]:
    """Return the columns of adjusted p-values."""
    numbers = rows.select_dtypes(float).columns.difference([*_OTHER], sort=False)
    return [column for column in numbers if not column.startswith(PROBABILITIES)]


def _decision(row: Json, labels: Mapping[str, str] | None = None) -> str:
    """Name the better one, or say what the verdict is otherwise."""
    if row["decision"] not in ("first", "second"):
        return str(row["decision"])
    name = str(row[row["decision"]])
    return labels[name] if labels else cut_name(name, 16)


def _legend(check: CrossCheck, rows: pd.DataFrame) -> str:
    """Explain the numbers and marks, and say how many pairs are not shown."""
    over = len(rows) - MOST_PAIRS
    left = (
        f"; {format_count(over, 'more pair')}: {either('.full()', '--full')}" if over > 0 else ""
    )
    adjusted = f" {adjusted_by(check.adjust, 'the pairs')}" if len(rows) > 1 else ""
    alike = rows.head(MOST_PAIRS)["agreement"].isin([*AGREE, "open"]).all()
    marked = "" if alike else f"; *: Bayes and {_deciding_test(check, rows) or 'they'} disagree"
    return f"p-values{adjusted}, level {check.alpha:g}{marked}{left}"


# Results of a cross-check: a tidy table of all pairs of twins, and a row per pair.


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
class CrossCheck(Exhibited):
    """Bayesian verdicts beside their frequentist twins.

    Attributes
    ----------
    rows : tuple of mapping
        One per pair of twins; ``frame`` is the same as a table.
    algorithms, datasets : tuple of str
    metrics : tuple of str
        Metrics that are each compared alone.
    joint : tuple of str
        Metrics compared together; empty if none.
    ropes : mapping of str to Rope
    comparisons : mapping of str to Comparisons
        For each metric, the verdicts of the pairs' main test.
    omnibus : mapping of str to TestResult
        For each metric, the test of all algorithms if there are three or more: by ranks over data
        sets; on one data set by the analysis of variance, Cochran's Q for items, or Kruskal-Wallis
        for runs that do not pair. Its ``effect`` is Kendall's W or partial η².
    threshold : float
        Probability at which a region is decided for.
    alpha : float
        Level at which an adjusted p-value is significant.
    adjust : str
        How p-values were adjusted over the pairs (on each data set by itself).
    seed : int
        The same seed gives the same numbers on the same engine.
    notes : tuple of str
        Where the analysis departs from what was asked for.
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

        Returns
        -------
        DataFrame
            One row per pair of twins: scope (see `bayescmp.study.question.SCOPES`), metric,
            dataset ("" over all), first, second, bayesian (test); p_left, p_rope, p_right,
            p_trade_off (what decides), ``predictive_`` and ``mean_`` of the same regions;
            decision, cause (why it is undecided), evidence, frequentist (test), statistic,
            pvalue, adjusted, significant (adjusted), unadjusted (whether pvalue itself is
            significant), favours; effect (its name), effect_size, effect_low, effect_high (95%
            interval); tost and tost_adjusted (p-values of two one-sided tests with the rope),
            equivalent (whether the adjusted one is significant); agreement (see
            `bayescmp.study.crosscheck.rows.AGREEMENTS`), words, better ("higher" or "lower"),
            pairing, resampling (the correlation of folds and its reason), datasets_left_out,
            folds_left_out (without a score of both), error.
        """
        return pd.DataFrame(list(self.rows))

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """One row per pair and metric: the verdict, its twins' adjusted p-values, and the words.

        Returns
        -------
        DataFrame
            metric, first, second, test, p_left, p_rope, p_right (what decides), ``predictive_``
            and ``mean_`` of the same regions, decision, cause, evidence; the adjusted
            p-value of each frequentist test over the data sets; for_first, for_second and neither,
            on how many data sets the corrected t test is significant for either or for none;
            agreement, words. Empty if there are several data sets and no test over them.
        """
        rows = [self._pair_row(m, a, b) for m, a, b in self._list_compared()]
        return pd.DataFrame(rows, columns=None if rows else list(PAIR_COLUMNS))

    def _list_compared(self) -> list[tuple[str, str, str]]:
        """Return the metrics and pairs that have a row of their own."""
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

    @declare(metric=text, first=text, second=text)
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

    @declare(metric=text, first=text, second=text)
    def on_datasets(self, metric: str, first: str, second: str) -> list[Row]:
        """Return a pair's rows on each data set, of the first such twins that were run."""
        rows = [row for row in self.of_pair(metric, first, second) if row["scope"] == "dataset"]
        return [row for row in rows if row["bayesian"] == rows[0]["bayesian"]]

    def to_dict(self) -> Json:
        """Return everything as plain numbers and text, for JSON; what is not known is None."""
        asked = ("threshold", "alpha", "adjust", "seed", "notes", "omnibus", "rows")
        compared = {k: getattr(self, k) for k in ("algorithms", "datasets", "metrics", "joint")}
        ropes = {"ropes": {m: rope.ends for m, rope in self.ropes.items()}}
        facts: Json = as_json({**compared, **ropes, **{k: getattr(self, k) for k in asked}})
        return facts

    @remember
    def _exhibits(self) -> list[Exhibit]:
        """Show each metric; all rows where no test judges a whole pair."""
        return [exhibit_of(self, metric) for metric in self._metrics] or [self._paper()]

    def __str__(self) -> str:
        return "\n\n".join(
            [*(each.text() for each in self._exhibits()), *self._list_joint_tests()]
        )

    def _repr_html_(self) -> str:
        lines = (f"<div>{escape(n)}</div>" for n in self._joint_lines())
        return "".join([*(each.html() for each in self._exhibits()), *lines])

    def _compose_explanation(self) -> Told:
        shown = self._exhibits()
        short = [text for each in shown for text in (f"{each.title}.", *each.sentences)]
        limits = dict.fromkeys(note for each in shown for note in each.notes)
        methods = dict.fromkeys(each.method for each in shown)
        return Told(
            [*short, *self._joint_lines()],
            [*limits],
            [f"{self._title()}.", *(f"{method}." for method in methods)],
        )

    def __repr__(self) -> str:
        heads = [headline(comparisons) for comparisons in self.comparisons.values()]
        return f"<CrossCheck: {'; '.join(heads)}; {format_count(len(self.rows), 'row')}>"

    @property
    def _metrics(self) -> list[str]:
        """Return the metrics of which pairs have a row."""
        return [m for m in self.metrics if (self.pairs["metric"] == m).any()]

    def full(self) -> str:
        """Write everything there is to read: all pairs with probabilities, p-values and words."""
        shown = [each.text() for each in self._exhibits()] if len(self.pairs) else []
        return "\n\n".join([*shown, self._paper().text(whole=True), *self._list_joint_tests()])

    def _paper(self) -> Exhibit:
        """Show a row per pair, or all rows if no test judges whole pairs; the pairs in words."""
        heads = dict.fromkeys(
            head for rope in self.ropes.values() for head in heads_of(rope).values()
        )
        methods = dict.fromkeys(
            how
            for each in self.comparisons.values()
            if (how := ", ".join(filter(None, (each.pairing, each.resampling))))
        )
        keys = ("metric", "first", "second") if len(self.metrics) > 1 else ("first", "second")
        table, words, hidden = self._shown(), [], {"metric"} - {*keys}
        if len(self.pairs):
            rows: list[Json] = self.pairs.to_dict(orient="records")  # type: ignore[assignment]
            several = len(self.metrics) > 1
            words = [
                f"{row['first']} and {row['second']}"
                f"{' on ' + row['metric'] if several else ''}: {row['words']}"
                for row in rows
            ]
            table["decision"] = [_decision(row) for row in rows]
            hidden |= {"cause", "evidence", "agreement", "words"}
        table = table[[*keys, *(column for column in table if column not in {*keys, *hidden})]]
        return Exhibit(
            self._title(),
            table.assign(**{t: [*map(format_pvalue, table[t])] for t in _tests(table)}),
            [*words, *self.notes],
            "crosscheck",
            legend=f"probabilities of: {', '.join(heads)}",
            method="; ".join(methods),
            names=keys,
        )

    def _list_joint_tests(self) -> list[str]:
        """Write the joint tests of several metrics as a block of lines."""
        lines = [fold_text(line) for line in self._joint_lines()]
        return ["\n".join(lines)] if lines else []

    def _title(self) -> str:
        ways = {m: each.measured for m, each in self.comparisons.items()}
        ropes = ", ".join(f"{ways.get(m) or m} {rope}" for m, rope in self.ropes.items())
        return (
            f"Bayesian verdicts and their frequentist twins, ROPE {ropes}, threshold "
            f"{self.threshold:g}; p-values {adjusted_by(self.adjust)}, level {self.alpha:g}"
        )

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
            lines.append(f"{metric} together, {first} and {second}: {words}")
        return lines


def _on_each(rows: list[Row]) -> str:
    """Say on how many data sets the joint tests decide."""
    rejected = sum(bool(row["significant"]) for row in rows)
    decided = sum(row["decision"] not in _OPEN for row in rows)
    sets = format_count(len(rows), "data set")
    return f"significant on {rejected} of {sets}, decided on {decided}"


def _select_overall(rows: list[Row]) -> list[Row]:
    """Return rows of tests over the data sets, or that could not be made at all."""
    return [row for row in rows if row["scope"] in ("datasets", "table") or not row["dataset"]]


def _wins(rows: list[Row]) -> dict[str, int]:
    """Say on how many data sets the first frequentist test of each alone finds either better."""
    alone = [row for row in rows if row["scope"] == "dataset"]
    return count_wins(
        [row for row in alone if row["bayesian"] == alone[0]["bayesian"] and row["dataset"]]
    )


def count_wins(rows: Sequence[Row]) -> dict[str, int]:
    """Count the tests on single data sets that find the first better, the second, or neither."""
    sides = [row["favours"] if row["significant"] else "" for row in rows]
    return {name: sides.count(side) for name, side in zip(WINS, SIDES, strict=True)}
