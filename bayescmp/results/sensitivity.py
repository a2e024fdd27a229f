"""Sensitivity of a verdict to other assumptions, for one pair or every, and to omitted units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import pandas as pd

from bayescmp.base.records import Record
from bayescmp.base.typing import Json, Pair, as_facts
from bayescmp.errors import unknown_name
from bayescmp.present.forms import Summarised
from bayescmp.results.plotted import Plotted
from bayescmp.results.verdict import Verdict


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(Summarised, Plotted):
    """A verdict, and how it changes under other assumptions.

    Attributes
    ----------
    frame : DataFrame
        The fit itself, then one row per variation: question ("fit", "prior", "model", "rho",
        "rope", "without", "runs", "threshold"), setting in words, p_left, p_rope, p_right (that
        decide; or of the four regions), decision, change (the largest of a probability), changes
        (whether the verdict does); k_hat of reweighted draws, refitted and can_refit (see
        `base.typing.Reweighted`).
    verdict : Verdict
        The verdict that is varied.
    fixed : mapping of str to str
        Questions that cannot be asked of the test, and why.

    Examples
    --------
    >>> import bayescmp as bc
    >>> x = [[0.04, 0.05, 0.03], [0.05, 0.04, 0.05], [0.06, 0.03, 0.05], [0.04, 0.05, 0.04]]
    >>> posterior = bc.bayesian.hierarchical_t(x, rho=0.3, rope=0.01, engine="quadrature")
    >>> sensitivity = posterior.sensitivity()
    >>> sensitivity.explain().split(". ")[0]
    'second is practically better than first; unchanged in 15 of 17 settings'
    """

    picture: ClassVar[str] = "plot_sensitivity"

    frame: pd.DataFrame
    verdict: Verdict
    fixed: Mapping[str, str] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        """Whether the decision is the same under every variation."""
        return not bool(self.frame["changes"].any())

    @property
    def fitted(self) -> pd.Series:
        """The row of the fit itself."""
        return self.frame.iloc[0]

    def figure_size(self) -> tuple[float, float]:
        """Return the width and height, in inches, of the figure that `plot` needs."""
        from bayescmp.plots.verdicts import sensitivity_size

        return sensitivity_size(self)


# Several pairs: one table per pair.


@dataclass(frozen=True, eq=False, repr=False)
class PairsSensitivity(Summarised, Plotted):
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

    def changed(self) -> pd.DataFrame:
        """Return the rows whose decision differs from that of the fit."""
        frame = self.frame
        return frame[frame["changes"]].reset_index(drop=True)

    def figure_size(self) -> tuple[float, float]:
        """Return the width and height, in inches, of the figure that `plot` needs."""
        from bayescmp.plots.verdicts import pairs_sensitivity_size

        return pairs_sensitivity_size(self)


# The smallest number of data sets, questions or folds that change a verdict.


@dataclass(frozen=True, eq=False, repr=False)
class Fragility(Record, Summarised):
    """The smallest set found without which a verdict changes.

    Attributes
    ----------
    frame : DataFrame
        The fit itself, then one row for each unit left out, in addition to those above it:
        left_out (how many are), name, p_left, p_rope, p_right, decision, changes (whether the
        verdict does); of the closest set if none changes it.
    verdict : Verdict
        The verdict that is examined.
    word : str
        What is left out: "data set", "question", "cluster", "fold".
    total : int
        How many there are.
    size : int or None
        How many have to be left out; None if no set was found that changes the decision.
    at_least : int
        Every smaller set is known to change nothing. Below ``size``, the size is an upper bound.
    tried : int
        The largest number of units that were left out.
    stopped : str
        Why the search ended without a set, in words; empty if it found one.

    Examples
    --------
    >>> import bayescmp as bc
    >>> fragility = bc.bayesian.paired_proportions([[0, 40], [60, 0]], rope=0).fragility()
    >>> fragility.explain().split(". ")[1][:38]
    'Without 4 of 100 questions (4 × right '
    >>> fragility.to_dict()["size"]
    4
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
        """The units whose removal changes the verdict; empty if no set was found."""
        return () if self.size is None else tuple(self.frame["name"][1:])

    @property
    def survives(self) -> bool:
        """Whether no set was found that changes the decision."""
        return self.size is None

    @property
    def exact(self) -> bool:
        """Whether no smaller set exists, or, if none was found, none of the sizes tried."""
        least = self.tried + 1 if self.size is None else self.size
        return self.tried > 0 and self.at_least >= least

    def to_dict(self) -> Json:
        """Return everything as plain numbers and strings, for JSON."""
        kept = ("names", "word", "total", "size", "at_least", "tried", "stopped")
        return as_facts(self, *kept, rows=self.frame, text=self.explain())
