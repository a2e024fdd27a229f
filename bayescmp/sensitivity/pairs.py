"""The sensitivity of verdicts on several pairs: a table each, and what they say together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayescmp import _html
from bayescmp.errors import unknown_name
from bayescmp.pairs import Pair, PairVariation, all_probabilities
from bayescmp.sensitivity.progress import shown
from bayescmp.sensitivity.refits import pair_refits
from bayescmp.sensitivity.result import QUESTIONS, Sensitivity, tabulated
from bayescmp.text import as_shown, counted, listed
from bayescmp.verdict import check_threshold

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bayescmp.pairs import PairsPosterior

__all__ = ["PairsSensitivity", "sensitivity_of_pairs"]


@dataclass(frozen=True, eq=False, repr=False)
class PairsSensitivity:
    """Verdicts on pairs of algorithms, and how they change under other assumptions.

    Attributes
    ----------
    pairs : mapping of (first, second) to Sensitivity
        Each pair's own.
    """

    pairs: Mapping[Pair, Sensitivity]

    def __getitem__(self, pair: Pair) -> Sensitivity:
        """That of a pair (first, second), in the order in which it was compared."""
        if pair not in self.pairs:
            raise unknown_name("pair", " / ".join(map(str, pair)), map(" / ".join, self.pairs))
        return self.pairs[pair]

    @property
    def frame(self) -> pd.DataFrame:
        """The pairs' tables one after the other: first, second, and the columns of each."""
        import pandas as pd

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

    def explain(self) -> str:
        """One paragraph: which decisions hold under every change, and what changes the others.

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> posterior.sensitivity().explain().split(":")[0]
        'Sensitivity of 3 decisions'
        """
        firm = [f"{a} vs {b}" for (a, b), each in self.pairs.items() if each.holds]
        parts = [f"Sensitivity of {counted(len(self.pairs), 'decision')}:"]
        if firm:
            verb = "holds" if len(firm) == 1 else "hold"
            parts.append(f"{len(firm)} {verb} under every change ({listed(firm)}).")
        parts += [self._changes(pair) for pair, each in self.pairs.items() if not each.holds]
        fixed = next(iter(self.pairs.values())).fixed
        why = [f"{QUESTIONS[question]} ({reason})" for question, reason in fixed.items()]
        return " ".join([*parts, *([f"Not varied: {listed(why)}."] if why else [])])

    def _changes(self, pair: Pair) -> str:
        """What changes the decision on a pair, question by question."""
        frame = self.pairs[pair].frame
        changed = frame[frame["changes"]]
        asked = [q for q in QUESTIONS if q in set(changed["question"])]
        decision = frame["decision"].iloc[0]
        return f"{pair[0]} vs {pair[1]} ({decision}) changes with {self._named(changed, asked)}."

    @staticmethod
    def _named(changed: pd.DataFrame, asked: Sequence[str]) -> str:
        return listed(
            [
                f"{QUESTIONS[q]} ({counted(int((changed['question'] == q).sum()), 'setting')})"
                for q in asked
            ]
        )

    def plot(self, *, ax: Axes | None = None, **options: object) -> Axes:
        """One column per pair, one row per setting: the decision, with a dot where it changes.

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> ax = posterior.sensitivity().plot()

        See Also
        --------
        bayescmp.plots.plot_pairs_sensitivity : What draws it.
        """
        from bayescmp.plots import plot_pairs_sensitivity

        return plot_pairs_sensitivity(self, ax=ax, **options)

    def figure_size(self) -> tuple[float, float]:
        """Width and height, in inches, of the figure that `plot` needs.

        Examples
        --------
        >>> import bayescmp as bc
        >>> posterior = bc.bayesian.bootstrap([[0.8, 0.9], [0.7, 0.6]], rope=0.01)
        >>> posterior.sensitivity().figure_size()[0] > 0
        True

        See Also
        --------
        bayescmp.plots.plot_pairs_sensitivity
        """
        from bayescmp.plots.pairs_sensitivity import figure_size

        return figure_size(self)

    def changed(self) -> pd.DataFrame:
        """The rows whose decision is another than that of the fit.

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> posterior.sensitivity().changed()["question"].unique().tolist()
        ['rho', 'rope', 'threshold']
        """
        frame = self.frame
        return frame[frame["changes"]].reset_index(drop=True)

    def __str__(self) -> str:
        table = self.changed().drop(columns=["change", "changes"])
        shown_table = as_shown(table, index=False) if len(table) else "no decision changes"
        return f"Decisions that change\n{shown_table}\n\n{self.explain()}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        table = _html.table(self.changed())
        return _html.titled("Sensitivity", _html.escape(self.explain()), table)


def sensitivity_of_pairs(
    posterior: PairsPosterior,
    *,
    ropes: Sequence[float],
    thresholds: Sequence[float],
    threshold: float,
    datasets: bool,
    refit: bool = False,
    progress: bool = False,
) -> PairsSensitivity:
    """How the verdicts on all pairs change; see `PairsPosterior.sensitivity`."""
    own = posterior.verdicts(threshold=check_threshold(threshold))
    each = shown(_varied(posterior, ropes, datasets, refit), progress)
    rows: list[PairVariation] = [("fit", "as fitted", all_probabilities(posterior)), *each]
    return PairsSensitivity(
        {
            pair: tabulated(
                [(q, s, p[pair]) for q, s, p in rows], verdict, thresholds, posterior.fixed
            )
            for pair, verdict in own.items()
        }
    )


def _varied(
    posterior: PairsPosterior, ropes: Sequence[float], datasets: bool, refit: bool
) -> Iterator[PairVariation]:
    """The test's own variations, those that take another fit, and multiples of the rope."""
    yield from posterior.pair_variations(datasets=datasets, refit=refit)
    yield from pair_refits(posterior)
    rope = posterior.rope
    for m in () if rope.empty else ropes:
        yield "rope", f"{m:g} times", all_probabilities(posterior, rope.scaled(m))
