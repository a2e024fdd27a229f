"""How few data sets, questions or folds a verdict hangs on: the result, told and as a table."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pandas as pd

from bayescmp.base.deferred import Sealed
from bayescmp.base.typing import Json
from bayescmp.results.verdict import Verdict, headline, settings
from bayescmp.wording.markup import Exhibit, Exhibited, Told
from bayescmp.wording.text import as_sentence, counted, listed, probability


@dataclass(frozen=True, eq=False, repr=False)
class Fragility(Sealed, Exhibited):
    """The smallest set found without which a decision is another.

    Attributes
    ----------
    frame : DataFrame
        The fit itself, then one row for each unit left out, on top of those above it: left_out
        (how many are), name, p_left, p_rope, p_right, decision, changes (whether the decision is
        another). Where no set changes it, of the set that came closest.
    verdict : Verdict
        The one that is examined.
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
        """Whether no other search could find a smaller set, or one at all as large as tried."""
        return self.at_least >= (self.tried + 1 if self.size is None else self.size)

    def _told(self) -> Told:
        how = f"The verdict of the {self.verdict.method} without some of {self._all()}"
        return Told([self._finding(), self._bound(), self._end()], methods=[how])

    def brief(self) -> str:
        """One clause: what the decision would not survive, or what it does."""
        if self.size is not None:
            at_most = "" if self.exact else "at most "
            return f"another decision without {at_most}{self._left_out()}"
        if not self.tried:
            return (
                f"the search stopped {self.stopped}" if self._late else "nothing can be left out"
            )
        tried = "" if self.exact else ", as far as tried"
        return f"the same decision without any {self.tried} of {self._all()}{tried}"

    def _finding(self) -> str:
        if not self.tried:
            late = f"was left out: the search stopped {self.stopped}"
            return f"Of {self._all()} none {late if self._late else 'can be left out'}."
        if self.size is not None:
            now = "" if self._decided else "It is undecided now. "
            return f"{now}Without {self._left_out()} {self._change()}."
        nearest = probability(self._probability(-1))
        same = f"it stays decided that {self._clause()}" if self._decided else "it stays undecided"
        which = "Whichever" if self.exact else "Whichever was tried of up to"
        return (
            f"{which} {self.tried} of {self._all()} "
            f"{'is' if self.tried == 1 else 'are'} left out, {same}: the probability of "
            f'"{self.verdict.label(self._region)}" comes to {nearest} at the nearest.'
        )

    @property
    def _late(self) -> bool:
        """Whether the time was over before anything was left out."""
        return not self.tried and self.stopped.startswith("after")

    def _change(self) -> str:
        """What is decided instead."""
        now = self._outcomes.get(self.frame["decision"].iloc[-1])
        if not self._decided:
            return f"it would be decided that {now}"
        p, asked = probability(self._probability(-1)), f"{self.verdict.threshold:g} asked"
        instead = f", but that {now}" if now else ""
        return f"it would no longer be decided that {self._clause()} ({p}, {asked}){instead}"

    def _bound(self) -> str:
        """Whether a smaller set may do it."""
        if self.exact:
            return "No smaller set does this." if self.size and self.size > 1 else ""
        start = "" if self.size is None else "This is an upper bound: "
        larger = "larger sets were built step by step from those that move it most"
        if self.at_least == 1:
            return f"{start}{larger}."
        does = "changes it" if self.size is None else "does it"
        ruled_out = counted(self.at_least - 1, self.word)
        return as_sentence(f"{start}no set of up to {ruled_out} {does}; {larger}")

    def _end(self) -> str:
        return f"The search stopped {self.stopped}." if self.stopped and self.tried else ""

    def _left_out(self) -> str:
        """The names, those that repeat with how often: "2 of 54 data sets (anneal and vowel)"."""
        times = Counter(self.names)
        names = [name if k == 1 else f"{k} × {name}" for name, k in times.items()]
        return f"{self.size} of {self._all()} ({listed(names)})"

    def _all(self) -> str:
        return counted(self.total, self.word)

    @property
    def _outcomes(self) -> dict[str, str]:
        """What each decision says."""
        first, second = self.verdict.names
        shape = self.verdict.shape
        clause = {r: text.format(first=first, second=second) for r, text in shape.clauses.items()}
        return {decision: clause[region] for region, decision in shape.decisions.items()}

    @property
    def _decided(self) -> bool:
        return self.frame["decision"].iloc[0] in self._outcomes

    @property
    def _region(self) -> str:
        """The one that is decided for, or came closest to it in the end."""
        shape = self.verdict.shape
        row = self.frame.iloc[0 if self._decided else -1]
        return max(shape.regions, key=lambda region: row[f"p_{region}"])

    def _probability(self, row: int) -> float:
        return float(self.frame[f"p_{self._region}"].iloc[row])

    def _clause(self) -> str:
        return self._outcomes[self.frame["decision"].iloc[0]]

    def to_dict(self) -> Json:
        """Everything as plain numbers and strings, for JSON."""
        return {
            "rows": self.frame.to_dict(orient="records"),
            "names": list(self.names),
            "word": self.word,
            "total": self.total,
            "size": self.size,
            "at_least": self.at_least,
            "tried": self.tried,
            "stopped": self.stopped,
            "text": self.explain(),
        }

    def _exhibit(self) -> Exhibit:
        verdict = self.verdict
        shape = verdict.shape
        table = self.frame.drop(columns=["changes", *(f"p_{r}" for r in shape.impossible)])
        labels = {d: verdict.label(region) for region, d in shape.decisions.items()}
        table["decision"] = [labels.get(d, d) for d in table["decision"]]
        heads = {f"p_{region}": verdict.label(region) for region in shape.possible}
        at_most = "" if self.exact else "at most "
        changes = f"leaving out {at_most}{self.size} of {self._all()} changes it"
        changes = self.brief() if self.size is None else changes
        return Exhibit(
            f"{headline(verdict)}; {changes}",
            table,
            label="fragility",
            heads={"left_out": "left out", "name": "the last one", **heads},
            setting=settings(verdict),
            sentences=(self.explain(),),
            legend=f"Probabilities that decide ({verdict.threshold:g} asked), without these.",
        )

    def __repr__(self) -> str:
        return f"<Fragility: {self.brief()}>"
