"""What a verdict depends on: other assumptions, for one pair or every, and what is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from bayescmp.base.arguments import either
from bayescmp.base.deferred import Sealed
from bayescmp.base.typing import Json, Pair, as_facts
from bayescmp.errors import unknown_name
from bayescmp.results.plotted import Plotted
from bayescmp.results.verdict import Verdict
from bayescmp.scores.rope import Rope, ends_in_words
from bayescmp.wording.markup import Exhibit, Exhibited, Told
from bayescmp.wording.text import (
    cut_all,
    format_count,
    format_probability,
    join_items,
    sentence_of,
    words_of,
)

#: What is varied, and what a paragraph calls it.
QUESTIONS = {
    "prior": "the prior",
    "model": "the model",
    "rho": "the correlation of {sample}s",
    "rope": "the rope",
    "without": "single {unit}s left out",
    "runs": "single runs left out",
    "threshold": "the threshold",
}
#: What rows of these two questions leave out.
LEFT_OUT = {"without": "{unit}s", "runs": "runs"}


def _in_words(words: Mapping[str, str], verdict: Verdict) -> dict[str, str]:
    """Put a verdict's own units into words."""
    known = words_of(verdict.unit)
    return {question: text.format(**known) for question, text in words.items()}


def named_rope(ends: str) -> str:
    """Name a region by its ends and by what it is; a margin says that itself."""
    return ends if ends.startswith("margin") else f"ROPE {ends}"


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(Exhibited, Plotted):
    """A verdict, and how it changes under other assumptions.

    Attributes
    ----------
    frame : DataFrame
        The fit itself, then one row per variation: question ("fit", "prior", "model", "rho",
        "rope", "without", "runs", "threshold"), setting in words, p_left, p_rope, p_right (those
        that decide; with several metrics p_equivalent, p_first, p_second, p_trade_off), decision,
        change (the largest change of a probability), changes (whether the decision is another).
    verdict : Verdict
        The verdict that is varied.
    fixed : mapping of str to str
        Questions that can't be asked of the test, and why.

    Examples
    --------
    >>> import bayescmp as bc
    >>> x = [[0.04, 0.05, 0.03], [0.05, 0.04, 0.05], [0.06, 0.03, 0.05], [0.04, 0.05, 0.04]]
    >>> posterior = bc.bayesian.hierarchical_t(x, rho=0.3, rope=0.01, engine="quadrature")
    >>> sensitivity = posterior.sensitivity()
    >>> int((sensitivity.frame["question"] == "without").sum())
    4
    >>> sensitivity.brief()
    '"second is practically better" holds under every change of ...; it changes with single ...'
    >>> sensitivity.explain().split(":")[0]
    'Sensitivity of the decision "second is practically better"'
    """

    picture: ClassVar[str] = "plot_sensitivity"

    frame: pd.DataFrame
    verdict: Verdict
    fixed: Mapping[str, str] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        """Whether the decision is the same under every variation."""
        return not bool(self.frame["changes"].any())

    def questions(self) -> Iterator[tuple[str, pd.DataFrame, pd.DataFrame]]:
        """Yield what was varied, in words; its rows, and those with another decision."""
        asked = dict(iter(self.frame.groupby("question", sort=False)))
        for question, words in _in_words(QUESTIONS, self.verdict).items():
            if question in asked:
                rows = asked[question]
                yield words, rows, rows[rows["changes"]]

    def _compose_explanation(self) -> Told:
        held, changed = [], []
        for words, rows, other in self.questions():
            if other.empty:
                held.append(f"{words} ({self._settings(rows)})")
            else:
                changed.append(f"{words} ({self._outcomes(other)})")
        decision = self.fitted["decision"]
        outcome = self._outcome(decision)
        parts = [f'Sensitivity of the decision "{outcome}"{self._on_measured}:']
        if held:
            parts.append(f"it holds under every change of {join_items(held)}.")
        if changed:
            parts.append(f"{'It' if held else 'it'} changes with {join_items(changed)}.")
        short = [" ".join(parts), self._largest()]
        methods = [f"{sentence_of(self.verdict.method)}."]
        return Told(short, methods=methods, paper=[*short, self._not_varied()])

    def _outcomes(self, rows: pd.DataFrame) -> str:
        """Say what decides otherwise, and how; of many only the first."""
        records = rows.head(3).to_dict(orient="records")
        shown = [
            f"{self.name_setting(row)}: {self._label(str(row['decision']))}" for row in records
        ]
        more = len(rows) - len(shown)
        return "; ".join(shown) + (f"; and {format_count(more, 'other')}" if more else "")

    def _settings(self, rows: pd.DataFrame) -> str:
        """Write settings in words; of many only how many there are."""
        settings = [self.name_setting(row) for row in rows.to_dict(orient="records")]
        return join_items(settings) if len(settings) <= 4 else f"each of {len(settings)}"

    def name_setting(self, row: Mapping[Hashable, Any]) -> str:
        """Name the setting of a row of `frame`, a rope by its ends: "±0.02", "margin 0.02"."""
        setting, rope = str(row["setting"]), self.verdict.rope
        multiple = row["question"] == "rope" and setting.endswith(" times")
        if multiple and isinstance(rope, Rope) and not rope.empty:
            factor = float(setting.split(" ")[0])
            return ends_in_words(rope.scaled(factor), of_ratios=self.verdict.of_ratios)
        return setting

    def _not_varied(self) -> str:
        """Say what the test can't vary, and why."""
        known = _in_words(QUESTIONS, self.verdict)
        why = [f"{known[question]} ({reason})" for question, reason in self.fixed.items()]
        return f"Not varied: {join_items(why)}." if why else ""

    def brief(self) -> str:
        """Say in one clause under what the decision holds, and what changes it first."""
        held, changed = [], []
        for words, _, other in self.questions():
            if other.empty:
                held.append(words)
                continue
            first = other.iloc[0].to_dict()
            outcome = self._outcome(first["decision"])
            changed.append(f"{words} ({self.name_setting(first)}: {outcome})")
        decision = self.fitted["decision"]
        undecided = decision not in self.verdict.shape.decisions.values()
        own = decision if undecided else f'"{self._outcome(decision)}"'
        always = f" under every change of {join_items(held)}" if held else ""
        holds = f"{own}{' holds' if held and not undecided else ''}{always}"
        return f"{holds}; it changes with {join_items(changed)}" if changed else holds

    def _outcome(self, decision: str) -> str:
        """Say what was decided by the algorithms' names; keep "undecided" and "borderline"."""
        shape = self.verdict.shape
        region = next((r for r, d in shape.decisions.items() if d == decision), None)
        if region is None:
            return decision
        return self.verdict.say("outcomes", region)

    def _largest(self) -> str:
        """Name the data set, or the run, whose absence changes the verdict most."""
        rows = self.frame[self.frame["question"].isin(LEFT_OUT)].reset_index(drop=True)
        if rows.empty:
            return ""
        row = rows.iloc[int(rows["change"].argmax())]
        every = _in_words(LEFT_OUT, self.verdict)[row["question"]]
        region = self.verdict.shape.regions[int(np.argmax(self._moves(row)))]
        was, now = (format_probability(each[f"p_{region}"]) for each in (self.fitted, row))
        if was == now:
            likeliest = format_probability(self.fitted[f"p_{self.verdict.ranked[0]}"])
            return f"Of all {every} none moves its probability, {likeliest}."
        return (
            f"Of all {every} {row['setting']} matters most: without it the "
            f'probability of "{self.verdict.label(region)}" is {now} instead of {was}.'
        )

    @property
    def fitted(self) -> pd.Series:
        """The row of the fit itself."""
        return self.frame.iloc[0]

    def _moves(self, row: pd.Series) -> np.ndarray:
        columns = [f"p_{r}" for r in self.verdict.shape.regions]
        own, other = (each[columns].to_numpy(dtype=float) for each in (self.fitted, row))
        return np.asarray(np.abs(other - own))

    def figure_size(self) -> tuple[float, float]:
        """Return the width and height, in inches, of the figure that `plot` needs."""
        from bayescmp.plots.verdicts import sensitivity_size

        return sensitivity_size(self)

    def exhibit(self) -> Exhibit:
        """Show what holds, what changes it, and the table of all settings."""
        from bayescmp.present.verdict import write_headline

        state = "whatever was varied" if self.holds else "but it depends"
        return Exhibit(
            f"{write_headline(self.verdict)}, {state}",
            self._in_names(),
            label="sensitivity",
            setting=self.verdict.measured,
            sentences=[self._compose_explanation().write_results()],
            words=["decision"],
            legend="*: another decision than as fitted" if self.frame["changes"].any() else "",
            more=either("more: .frame, .plot()", ""),
        )

    def _in_names(self) -> pd.DataFrame:
        """Write the table as texts: settings in words, outcomes by the algorithms' names."""
        frame, verdict = self.frame, self.verdict
        heads = cut_all(map(verdict.label, verdict.possible), 14)
        table = {
            "": [self._setting(row) for row in frame.to_dict(orient="records")],
            **{
                head: [format_probability(p) for p in frame[f"p_{region}"]]
                for head, region in zip(heads, verdict.possible, strict=True)
            },
            "decision": [self._label(decision) for decision in frame["decision"]],
        }
        table["decision"] = [
            f"{text} *" if changes else text
            for text, changes in zip(table["decision"], frame["changes"], strict=True)
        ]
        return pd.DataFrame(table)

    def _label(self, decision: str) -> str:
        """Say in a few words what was decided: "svm better"."""
        labels = {d: self.verdict.label(r) for r, d in self.verdict.shape.decisions.items()}
        return labels.get(decision, decision)

    def _setting(self, row: Mapping[Hashable, Any]) -> str:
        """Name a row's question and setting; a rope by what it is."""
        question, setting = str(row["question"]), str(row["setting"])
        if question == "fit":
            return "as fitted"
        if question == "rope":
            return named_rope(self.name_setting(row))
        return cut_all([f"{question} {setting}"], 29)[0]

    def __repr__(self) -> str:
        return f"<Sensitivity: {self.exhibit().title}; {len(self.frame) - 1} settings>"

    @property
    def _on_measured(self) -> str:
        return f" on {self.verdict.measured}" if self.verdict.measured else ""


# Of several pairs: a table each, and what they say together.


@dataclass(frozen=True, eq=False, repr=False)
class PairsSensitivity(Exhibited, Plotted):
    """Verdicts on pairs of algorithms, and how they change under other assumptions.

    Attributes
    ----------
    pairs : mapping of (first, second) to Sensitivity
        Each pair's own.

    Examples
    --------
    >>> from bayescmp.bayesian import groups
    >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
    >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
    >>> sensitivity = posterior.sensitivity()
    >>> sensitivity["knn", "gbm"].holds, sensitivity["knn", "svm"].holds
    (True, False)
    >>> sensitivity.exhibit().title
    '2 of 3 decisions hold throughout'
    >>> sensitivity.changed()["question"].unique().tolist()
    ['rho', 'rope', 'threshold']
    """

    picture: ClassVar[str] = "plot_pairs_sensitivity"

    pairs: Mapping[Pair, Sensitivity]

    def __getitem__(self, pair: Pair) -> Sensitivity:
        """Return a pair's sensitivity: (first, second) in the order in which it was compared."""
        if pair not in self.pairs:
            raise unknown_name("pair", " / ".join(map(str, pair)), map(" / ".join, self.pairs))
        return self.pairs[pair]

    @property
    def frame(self) -> pd.DataFrame:
        """The pairs' tables one after the other: first, second, and the columns of each."""
        tables = []
        for (first, second), each in self.pairs.items():
            table = each.frame.copy()
            table.insert(0, "first", first)
            table.insert(1, "second", second)
            tables.append(table)
        return pd.concat(tables, ignore_index=True)

    @property
    def holds(self) -> bool:
        """Whether all decisions are the same under every variation."""
        return all(each.holds for each in self.pairs.values())

    def _compose_explanation(self) -> Told:
        firm = [f"{a} vs {b}" for (a, b), each in self.pairs.items() if each.holds]
        parts = [f"Sensitivity of {format_count(len(self.pairs), 'decision')}:"]
        if firm:
            verb = "holds" if len(firm) == 1 else "hold"
            parts.append(f"{len(firm)} {verb} under every change ({join_items(firm)}).")
        parts += [self._changes(pair) for pair, each in self.pairs.items() if not each.holds]
        one = next(iter(self.pairs.values()))
        short, methods = " ".join(parts), [f"{sentence_of(one.verdict.method)}."]
        return Told([short], methods=methods, paper=[short, one._not_varied()])

    def _changes(self, pair: Pair) -> str:
        """Say what changes the decision on a pair, question by question."""
        each = self.pairs[pair]
        by = [
            f"{words} ({format_count(len(other), 'setting')})"
            for words, _, other in each.questions()
            if len(other)
        ]
        now = each._label(str(each.fitted["decision"]))
        return f"{pair[0]} vs {pair[1]} ({now}) changes with {join_items(by)}."

    def changed(self) -> pd.DataFrame:
        """Return the rows whose decision differs from that of the fit."""
        frame = self.frame
        return frame[frame["changes"]].reset_index(drop=True)

    def figure_size(self) -> tuple[float, float]:
        """Return the width and height, in inches, of the figure that `plot` needs."""
        from bayescmp.plots.verdicts import pairs_sensitivity_size

        return pairs_sensitivity_size(self)

    def exhibit(self) -> Exhibit:
        """Show which decisions hold throughout, and the settings that change the others."""
        firm = sum(each.holds for each in self.pairs.values())
        rows = [
            {
                "": f"{first}, {second}",
                "setting": each._setting(row),
                "decision": each._label(str(row["decision"])),
                "as fitted": each._label(str(each.fitted["decision"])),
            }
            for (first, second), each in self.pairs.items()
            for row in each.frame[each.frame["changes"]].to_dict(orient="records")
        ]
        columns = ["", "setting", "decision", "as fitted"]
        hold = f"hold{'s' * (firm == 1)} throughout"
        return Exhibit(
            f"{firm} of {format_count(len(self.pairs), 'decision')} {hold}",
            pd.DataFrame(rows, columns=columns),
            label="sensitivity",
            sentences=[self._compose_explanation().write_results()],
            words=columns,
            more=either("more: .frame, .plot(), and each pair's own by its names", ""),
        )


# How few data sets, questions or folds a verdict hangs on: the result, told and as a table.


@dataclass(frozen=True, eq=False, repr=False)
class Fragility(Sealed, Exhibited):
    """The smallest set found without which a decision is another.

    Attributes
    ----------
    frame : DataFrame
        The fit itself, then one row for each unit left out, in addition to those above it:
        left_out (how many are), name, p_left, p_rope, p_right, decision, changes (whether the
        decision is another). Where no set changes it, the set that came closest is shown.
    verdict : Verdict
        The verdict that is examined.
    word : str
        What is left out: "data set", "question", "cluster", "fold".
    total : int
        How many there are.
    size : int or None
        How many have to be left out; None where no set was found that changes the decision.
    at_least : int
        Every smaller set is known to change nothing. Where it is below ``size``, the size is an
        upper bound.
    tried : int
        The largest number of units that were left out.
    stopped : str
        Why the search ended without a set, in words; empty where it found one.

    Examples
    --------
    >>> import bayescmp as bc
    >>> fragility = bc.bayesian.paired_proportions([[0, 40], [60, 0]], rope=0).fragility()
    >>> fragility.explain()
    'Without 4 of 100 questions (4 × right for second alone) it would no longer be decided ...'
    >>> fragility.brief(), fragility.to_dict()["size"]
    ('another decision without 4 of 100 questions (4 × right for second alone)', 4)
    """

    frame: pd.DataFrame
    verdict: Verdict
    word: str
    total: int
    size: int | None
    at_least: int
    tried: int
    stopped: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """What is left out for another decision; empty where no set was found."""
        return () if self.size is None else tuple(self.frame["name"][1:])

    @property
    def survives(self) -> bool:
        """Whether no set was found that changes the decision."""
        return self.size is None

    @property
    def exact(self) -> bool:
        """Whether no smaller set exists, or, where none was found, none of the sizes tried.

        False where nothing was left out: the time was over, or there is too little to go without.
        """
        least = self.tried + 1 if self.size is None else self.size
        return self.tried > 0 and self.at_least >= least

    def _compose_explanation(self) -> Told:
        how = f"The verdict of the {self.verdict.method} without some of {self._count_units()}."
        return Told([self._finding(), self._bound(), self._end()], methods=[how])

    def brief(self) -> str:
        """Say in one clause what the decision would not survive, or what it does."""
        if self.size is not None:
            at_most = "" if self.exact else "at most "
            return f"another decision without {at_most}{self._left_out()}"
        if not self.tried:
            return (
                f"the search stopped {self.stopped}" if self._late else "nothing can be left out"
            )
        tried = "" if self.exact else ", as far as tried"
        number = "one" if self.tried == 1 else self.tried
        return f"the same decision without any {number} of {self._count_units()}{tried}"

    def _finding(self) -> str:
        if not self.tried:
            late = f"was left out: the search stopped {self.stopped}"
            return f"Of {self._count_units()} none {late if self._late else 'can be left out'}."
        if self.size is not None:
            now = "" if self._decided else "It is undecided now. "
            return f"{now}Without {self._left_out()} {self._change()}."
        nearest = format_probability(self._probability(-1))
        same = f"it stays decided that {self._clause()}" if self._decided else "it stays undecided"
        which = "Whichever" if self.exact else "Whichever was tried of up to"
        return (
            f"{which} {'one' if self.tried == 1 else self.tried} of {self._count_units()} "
            f"{'is' if self.tried == 1 else 'are'} left out, {same}: the probability of "
            f'"{self.verdict.label(self._region)}" comes to {nearest} at the nearest.'
        )

    @property
    def _late(self) -> bool:
        """Whether the time was over before anything was left out."""
        return not self.tried and self.stopped.startswith("after")

    def _change(self) -> str:
        """Say what is decided instead."""
        now = self._outcomes.get(self.frame["decision"].iloc[-1])
        if not self._decided:
            return f"it would be decided that {now}"
        p, asked = format_probability(self._probability(-1)), f"{self.verdict.threshold:g} asked"
        instead = f", but that {now}" if now else ""
        return f"it would no longer be decided that {self._clause()} ({p}, {asked}){instead}"

    def _bound(self) -> str:
        """Say whether a smaller set may do it."""
        if self.exact or not self.tried:
            return "No smaller set does this." if self.size and self.size > 1 else ""
        reached = self.size is not None
        larger = "larger sets were built step by step from those that move it most"
        if self.at_least == 1:
            return f"This is an upper bound: {larger}." if reached else f"{sentence_of(larger)}."
        ruled_out = format_count(self.at_least - 1, self.word)
        if reached:
            return f"This is an upper bound: no set of up to {ruled_out} does it; {larger}."
        return f"No set of up to {ruled_out} changes it; {larger}."

    def _end(self) -> str:
        return f"The search stopped {self.stopped}." if self.stopped and self.tried else ""

    def _left_out(self) -> str:
        """Write the names, repeated ones with a count: "2 of 54 data sets (anneal and vowel)"."""
        times = Counter(self.names)
        names = [name if k == 1 else f"{k} × {name}" for name, k in times.items()]
        return f"{self.size} of {self._count_units()} ({join_items(names)})"

    def _count_units(self) -> str:
        return format_count(self.total, self.word)

    @property
    def _outcomes(self) -> dict[str, str]:
        """Return what each decision says."""
        decisions = self.verdict.shape.decisions
        return {d: self.verdict.say("clauses", region) for region, d in decisions.items()}

    @property
    def _decided(self) -> bool:
        return self.frame["decision"].iloc[0] in self._outcomes

    @property
    def _region(self) -> str:
        """Return the region that is decided for, or that came closest to it in the end."""
        shape = self.verdict.shape
        row = self.frame.iloc[0 if self._decided else -1]
        return max(shape.regions, key=lambda region: row[f"p_{region}"])

    def _probability(self, row: int) -> float:
        return float(self.frame[f"p_{self._region}"].iloc[row])

    def _clause(self) -> str:
        return self._outcomes[self.frame["decision"].iloc[0]]

    def to_dict(self) -> Json:
        """Return everything as plain numbers and strings, for JSON."""
        kept = ("names", "word", "total", "size", "at_least", "tried", "stopped")
        return as_facts(self, *kept, rows=self.frame, text=self.explain())

    def _exhibit(self) -> Exhibit:
        verdict = self.verdict
        from bayescmp.present.verdict import write_headline, write_setting

        shape = verdict.shape
        table = self.frame.drop(columns=["changes", *(f"p_{r}" for r in shape.impossible)])
        labels = {d: verdict.label(region) for region, d in shape.decisions.items()}
        table["decision"] = [labels.get(d, d) for d in table["decision"]]
        heads = {f"p_{region}": verdict.label(region) for region in shape.possible}
        at_most = "" if self.exact else "at most "
        changes = f"leaving out {at_most}{self.size} of {self._count_units()} changes it"
        changes = self.brief() if self.size is None else changes
        return Exhibit(
            f"{write_headline(verdict)}; {changes}",
            table,
            label="fragility",
            heads={"left_out": "left out", "name": "the last one", **heads},
            setting=write_setting(verdict),
            sentences=(self.explain(),),
            legend=f"Probabilities that decide (threshold {verdict.threshold:g}), without these.",
            formats=dict.fromkeys(heads, format_probability),
        )

    def __repr__(self) -> str:
        return f"<Fragility: {self.brief()}>"
