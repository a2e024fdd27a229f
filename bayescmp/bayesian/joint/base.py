"""What posteriors of several algorithms on several data sets share: pairs, sentences, saving."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from bayescmp import _html
from bayescmp.bayesian.joint.standing import masses_of
from bayescmp.bayesian.joint.standings import NEXT, StandingPosterior
from bayescmp.bayesian.joint.words import sentences, top_sets_in_words
from bayescmp.diagnostics import share_errors
from bayescmp.errors import InputError, unknown_name
from bayescmp.ladder import Ladder
from bayescmp.pairs import Pair, PairsPosterior
from bayescmp.text import as_shown, counted, fact
from bayescmp.typing import Coordinates
from bayescmp.verdict import (
    THREE,
    Known,
    Rope,
    Spread,
    Verdict,
    central,
    check_threshold,
    winners,
)
from bayescmp.verdict.rope import RopeLike

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["JointBase", "Pair"]

#: Pairs whose masses are computed at a time.
BATCH = 400


@dataclass(frozen=True, eq=False, repr=False)
class JointBase(StandingPosterior, PairsPosterior):
    """Posterior of several algorithms on several data sets, with every pair's probabilities.

    Attributes
    ----------
    datasets : tuple of str
        Names of the data sets.
    """

    _: KW_ONLY
    datasets: tuple[str, ...]

    #: Who proposed the model, and what a pair's probabilities are of.
    reference: ClassVar[str] = ""
    quantity: ClassVar[str] = "mean difference"
    within: ClassVar[str] = "differences"

    @property
    def target(self) -> str:
        """What a pair's probabilities are about."""
        return f"a new {self.unit}"

    @property
    def data_text(self) -> str:
        """What was observed: "10 data sets"."""
        return counted(len(self.datasets), self.unit)

    @property
    @abstractmethod
    def prior_text(self) -> str:
        """The prior in words."""

    @property
    def pairs(self) -> list[Pair]:
        """All pairs (first, second), in the algorithms' order."""
        return list(combinations(self.algorithms, 2))

    # -- pairs ---------------------------------------------------------------------------------

    def verdict(
        self, first: str, second: str, *, rope: RopeLike | None = None, threshold: float = 0.95
    ) -> Verdict:
        """The verdict on two algorithms, in either order.

        Parameters
        ----------
        first, second : str
        rope : float, optional
            Another half-width than the posterior's own.
        threshold : float
            Probability at which a region is decided for.

        Returns
        -------
        Verdict
            The share of draws in which each outcome is the most probable on the next data set,
            the predictive probabilities, and those of the mean difference. Pairs are coherent:
            all come from the same draws.

        See Also
        --------
        bayescmp.frequentist.friedman, bayescmp.frequentist.posthoc

        Examples
        --------
        >>> import bayescmp as bc
        >>> means = [[0.81, 0.84, 0.86], [0.74, 0.79, 0.77], [0.90, 0.91, 0.95], [0.6, 0.7, 0.8]]
        >>> posterior = bc.bayesian.bootstrap(means, rope=0.01, seed=1)
        >>> posterior.verdict("A1", "A3").decision
        'second'
        """
        i, j = self._place(first), self._place(second)
        if i == j:
            raise InputError(f"first and second are both {first!r}: nothing to compare")
        if i > j:
            return self.verdict(second, first, rope=rope, threshold=threshold).swapped()
        width, places = self._width(rope), np.array([[i, j]])
        left, right = self._masses(places, width)
        return self._verdict(places[0], left[:, 0], right[:, 0], width, threshold)

    def verdicts(
        self, rope: RopeLike | None = None, *, threshold: float = 0.95
    ) -> dict[Pair, Verdict]:
        """The verdict on every pair (first, second), in the algorithms' order.

        Parameters
        ----------
        rope, threshold
            As for `verdict`.

        See Also
        --------
        bayescmp.frequentist.friedman, bayescmp.frequentist.posthoc

        Examples
        --------
        >>> import bayescmp as bc
        >>> means = [[0.81, 0.84, 0.86], [0.74, 0.79, 0.77], [0.90, 0.91, 0.95], [0.6, 0.7, 0.8]]
        >>> posterior = bc.bayesian.bootstrap(means, rope=0.01, seed=1)
        >>> [verdict.decision for verdict in posterior.verdicts().values()]
        ['undecided', 'second', 'undecided']
        """
        width = self._width(rope)
        places = np.array(list(combinations(range(len(self.algorithms)), 2)))
        verdicts: list[Verdict] = []
        for start in range(0, len(places), BATCH):
            part = places[start : start + BATCH]
            left, right = self._masses(part, width)
            verdicts += [
                self._verdict(pair, left[:, k], right[:, k], width, threshold)
                for k, pair in enumerate(part)
            ]
        return dict(zip(self.pairs, verdicts, strict=True))

    def frame(self, rope: RopeLike | None = None, *, threshold: float = 0.95) -> pd.DataFrame:
        """All pairs' verdicts, one row each.

        Parameters
        ----------
        rope, threshold
            As for `verdict`.

        Returns
        -------
        DataFrame
            first, second; ``p_``, ``se_`` (what decides) and ``predictive_`` of each region;
            decision, most_probable, evidence.

        See Also
        --------
        bayescmp.frequentist.friedman, bayescmp.frequentist.posthoc

        Examples
        --------
        >>> import bayescmp as bc
        >>> means = [[0.81, 0.84, 0.86], [0.74, 0.79, 0.77], [0.90, 0.91, 0.95], [0.6, 0.7, 0.8]]
        >>> posterior = bc.bayesian.bootstrap(means, rope=0.01, seed=1)
        >>> posterior.frame()[["first", "second", "decision"]]
          first second   decision
        0    A1     A2  undecided
        1    A1     A3     second
        2    A2     A3  undecided
        """
        import pandas as pd

        rows = [
            {
                "first": a,
                "second": b,
                **{f"p_{r}": p for r, p in v.probabilities.items()},
                **{f"se_{r}": e for r, e in v.errors.items()},
                **{f"predictive_{r}": p for r, p in (v.expected or {}).items()},
                "decision": v.decision,
                "most_probable": v.ranked[0],
                "evidence": v.evidence,
            }
            for (a, b), v in self.verdicts(rope, threshold=threshold).items()
        ]
        return pd.DataFrame(rows)

    def ladder(self, *, threshold: float = 0.95) -> Ladder:
        """The algorithms in order of their expected ranks, with what is decided of each pair.

        Parameters
        ----------
        threshold : float
            Probability at which a pair is decided.

        Returns
        -------
        Ladder
            Its joint probability of a set is that of all its algorithms having averages over data
            sets within the rope of one another.

        See Also
        --------
        bayescmp.plots.plot_ladder : Draws it.

        Examples
        --------
        >>> import bayescmp as bc
        >>> means = [[0.81, 0.84, 0.86], [0.74, 0.79, 0.77], [0.90, 0.91, 0.95], [0.6, 0.7, 0.8]]
        >>> ladder = bc.bayesian.bootstrap(means, rope=0.01, seed=1).ladder()
        >>> ladder.names, [rung.relation for rung in ladder.rungs]
        (('A3', 'A2', 'A1'), ['undecided', 'undecided'])
        """
        verdicts = self.verdicts(threshold=threshold)
        return Ladder.of(
            tuple(self.ranking(self.targets[0]).sort_values("expected_rank", kind="stable").index),
            lambda a, b: verdicts[a, b] if (a, b) in verdicts else verdicts[b, a].swapped(),
            self._alike,
        )

    def _alike(self, members: Sequence[str]) -> float:
        """Probability that averages differ by the rope at most, all of them at once."""
        averages = self.averages[:, [self._place(name) for name in members]]
        return float((np.ptp(averages, axis=1) <= self.rope.high).mean())

    def _masses(self, pairs: np.ndarray, rope: float) -> tuple[np.ndarray, np.ndarray]:
        """Masses left and right of the rope in each draw, (D, P) each."""
        return masses_of(self.clouds(NEXT), pairs, rope)

    def _verdict(
        self, pair: np.ndarray, left: np.ndarray, right: np.ndarray, rope: float, threshold: float
    ) -> Verdict:
        masses = np.stack([left, np.maximum(1 - left - right, 0.0), right], axis=-1)
        shares = winners(np.round(masses, 12)).reshape(self.chains, -1, 3)
        difference = self.averages[:, pair[1]] - self.averages[:, pair[0]]
        sides = [difference < -rope, np.abs(difference) <= rope, difference > rope]
        first, second = (self.algorithms[int(k)] for k in pair)
        return Verdict.of(
            THREE,
            shares.mean(axis=(0, 1)),
            share_errors(shares, independent=self.exact),
            expected=masses.mean(axis=0),
            location=[float(side.mean()) for side in sides],
            names=(first, second),
            rope=Rope(-rope, rope),
            threshold=check_threshold(threshold),
            floor=1 / len(masses),
            method=f"{self.method}, {self.reference}",
            **self.described(),
            target=self.target,
            prior=self.prior_text,
            quantity=self.quantity,
            within=self.within,
            mean_interval=central(difference[:, None]),
            spread=self._spread(pair),
            known=Known.of(masses),
        )

    def _spread(self, pair: np.ndarray) -> tuple[Spread, ...]:
        """How far data sets differ in a pair's difference, where the model has a scale of it."""
        return ()

    def _place(self, name: str) -> int:
        if name not in self.algorithms:
            raise unknown_name("algorithm", name, self.algorithms)
        return self.algorithms.index(name)

    # -- telling -------------------------------------------------------------------------------

    def explain(self, threshold: float = 0.5) -> str:
        """Plain sentences for a paper.

        Parameters
        ----------
        threshold : float
            Least joint probability of the set of best algorithms that is named.

        Returns
        -------
        str
            Which algorithm is best on the next data set and which on average, which are within the
            rope of the best, the largest set of these, and why no adjustment for multiple
            comparisons is made.

        See Also
        --------
        bayescmp.frequentist.friedman, bayescmp.frequentist.posthoc

        Examples
        --------
        >>> import bayescmp as bc
        >>> means = [[0.81, 0.84, 0.86], [0.74, 0.79, 0.77], [0.90, 0.91, 0.95], [0.6, 0.7, 0.8]]
        >>> posterior = bc.bayesian.bootstrap(means, rope=0.01, seed=1)
        >>> posterior.explain().split(", ")[0]
        'Of 3 algorithms on 4 data sets'
        """
        return " ".join(sentences(self, self._compared() + self._on_measured, threshold))

    def _compared(self) -> str:
        return f"{counted(len(self.algorithms), self.subject)} on {self.data_text}"

    def overview(self) -> pd.DataFrame:
        """P(best) on each target side by side, with what is needed to read them.

        Returns
        -------
        DataFrame
            One row per algorithm, the best on the next data set first: p_next, p_average, p_near
            (within the rope of the best on the next data set), expected_rank; ``se_`` of each.

        See Also
        --------
        bayescmp.frequentist.friedman, bayescmp.frequentist.posthoc

        Examples
        --------
        >>> import bayescmp as bc
        >>> means = [[0.81, 0.84, 0.86], [0.74, 0.79, 0.77], [0.90, 0.91, 0.95], [0.6, 0.7, 0.8]]
        >>> posterior = bc.bayesian.bootstrap(means, rope=0.01, seed=1)
        >>> posterior.overview()["p_average"].round(1).to_dict()
        {'A3': 1.0, 'A2': 0.0, 'A1': 0.0}
        """
        main = self.ranking(self.targets[0])
        table = main.loc[:, []].copy()
        for on in self.targets:
            one = self.ranking(on).loc[table.index]
            table[f"p_{on}"], table[f"se_{on}"] = one["p_best"], one["se_best"]
        return table.join(main[["p_near", "se_near", "expected_rank", "se_rank"]])

    def plot(self, *, ax: Axes | None = None, **options: object) -> Axes:
        """P(best) of each algorithm with its errors; see `bayescmp.plots.plot_best`.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure if not given.
        **options
            Passed on to the plot.

        See Also
        --------
        bayescmp.frequentist.friedman, bayescmp.frequentist.posthoc

        Examples
        --------
        >>> import bayescmp as bc
        >>> means = [[0.81, 0.84, 0.86], [0.74, 0.79, 0.77], [0.90, 0.91, 0.95], [0.6, 0.7, 0.8]]
        >>> axes = bc.bayesian.bootstrap(means, rope=0.01, seed=1).plot()
        >>> [label.get_text() for label in axes.get_yticklabels()]
        ['A3', 'A2', 'A1']
        """
        from bayescmp.plots import plot_best

        return plot_best(self, ax=ax, **options)

    def figure_size(self) -> tuple[float, float]:
        """Width and height, in inches, of the figure that `plot` needs."""
        return 3.4, 0.7 + 0.26 * min(len(self.algorithms), 40)

    @property
    def _on_measured(self) -> str:
        return f" on {self.measured}" if self.measured else ""

    def _title(self) -> str:
        rope = "no rope" if self.rope.empty else f"rope {self.rope}"
        return f"{self.method}: {self._compared()}{self._on_measured}, {rope}\n" + fact(
            "prior", self.prior_text
        )

    def _result_text(self) -> str:
        table = self.overview()
        shown = table[[c for c in table.columns if not c.startswith("se_")]].rename(
            columns={"p_next": "p_best_next", "p_average": "p_best_average"}
        )
        sets = self.top_sets(self.targets[0])
        shown_sets = (sets[c].head(6).tolist() for c in ("members", "p_joint"))
        text = top_sets_in_words(*shown_sets)
        largest = table.filter(like="se_").drop(columns="se_rank").to_numpy().max()
        more = f", and {len(table) - 15} more algorithms" if len(table) > 15 else ""
        return "\n".join(
            [
                as_shown(shown.head(15)) + more,
                f"all near the best at once: {text}",
                f"Monte Carlo errors of probabilities: {largest:.1g} at most",
            ]
        )

    def _result_html(self) -> str:
        return _html.table(self.overview(), index=True)

    # -- saving --------------------------------------------------------------------------------

    def _coords(self) -> Coordinates:
        coords = {"algorithm": list(self.algorithms), "dataset": list(self.datasets)}
        return coords, {"average": ["algorithm"], "p_best": ["algorithm"]}

    def _shared_draws(self) -> Mapping[str, np.ndarray]:
        """Averages and shares of first places, in chains."""
        shape = (self.chains, -1, len(self.algorithms))
        return {
            "average": self.averages.reshape(shape),
            "p_best": self.standing(self.targets[0]).best.reshape(shape),
        }
