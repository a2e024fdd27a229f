"""The results of many comparisons: a verdict for each pair, and one tidy table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from bayescmp.checks import as_names
from bayescmp.comparison.best import best_lines
from bayescmp.comparison.sentences import explained, setting
from bayescmp.comparison.tidy import NAN, PARTS, REGIONS, failed_row, row
from bayescmp.diagnostics import Diagnostics
from bayescmp.errors import InputError, unknown_name
from bayescmp.exhibit import Exhibit, Exhibited
from bayescmp.ladder import Ladder
from bayescmp.left_out import LeftOut
from bayescmp.metrics import Direction
from bayescmp.posterior import Posterior
from bayescmp.text import counted, listed, side_by_side
from bayescmp.verdict import Rope, Verdict

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bayescmp.bayesian.joint.bootstrap import BootstrapPosterior
    from bayescmp.sensitivity import PairsSensitivity

__all__ = ["Comparisons", "Pair", "PairResult"]

Pair = tuple[str, str]

#: Columns of a table for a paper, and what they are called, there and as decisions.
_HEADS = {"p_left": "first better", "p_rope": "equivalent", "p_right": "second better"}


@dataclass(frozen=True, eq=False)
class PairResult:
    """One pair's result: its verdict and how it was computed, without the draws.

    Attributes
    ----------
    verdict : Verdict
        Probabilities of the regions and what follows from them.
    summary : DataFrame
        The parameters' posteriors.
    test, engine, engine_version : str
        What computed it.
    diagnostics : Diagnostics
        Whether it can be trusted.
    datasets : int
        Number of data sets.
    seed : int
        ``compare`` with the same test, options and seed gives the same numbers.
    notes, warnings : tuple of str
        What the reader should know; the warnings.
    seconds : float
        Time it took.
    directions : tuple of Direction
        Which way each metric is better.
    resampling : str
        The correlation of folds and its reason; empty where no folds enter.
    posterior : Posterior or None
        The whole posterior, where it was asked for.
    left_out : LeftOut
        What the pair was compared without, because a score of either is missing.
    means : tuple of float
        Mean difference on each data set, positive where the second algorithm is better; empty
        where it is not kept.
    """

    verdict: Verdict
    summary: pd.DataFrame
    test: str
    engine: str
    engine_version: str
    diagnostics: Diagnostics
    datasets: int
    seed: int
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    seconds: float
    directions: tuple[Direction, ...] = ()
    resampling: str = ""
    posterior: Posterior | None = field(default=None, repr=False)
    left_out: LeftOut = field(default_factory=LeftOut)
    means: tuple[float, ...] = ()

    @property
    def trouble(self) -> tuple[str, ...]:
        """Why the result can't be trusted; empty if it can."""
        return self.warnings or (() if self.diagnostics.ok else self.diagnostics.messages)

    def without_posterior(self) -> PairResult:
        """The same result without the posterior."""
        return replace(self, posterior=None)


@dataclass(frozen=True, eq=False)
class Comparisons(Exhibited):
    """Verdicts on many pairs of algorithms.

    Attributes
    ----------
    algorithms : tuple of str
        In the order of the scores.
    results : mapping of (first, second) to PairResult
        Pairs that were compared.
    failures : mapping of (first, second) to Exception
        Pairs that could not be, and why.
    control : str or None
        The algorithm that all others were compared with; it is the first of every pair.
    metric : str
        What the scores measure.
    rope : Rope
        Region of practical equivalence.
    best : BootstrapPosterior or None
        Which of three algorithms or more is best over several data sets, without a control; see
        `bayescmp.bayesian.bootstrap`. None where that can't be asked.
    refit : callable or None
        Fits a pair again, with the same numbers, for `posterior`.
    """

    algorithms: tuple[str, ...]
    results: Mapping[Pair, PairResult]
    failures: Mapping[Pair, Exception]
    control: str | None
    metric: str
    rope: Rope
    best: BootstrapPosterior | None = None
    refit: Callable[[Pair], Posterior] | None = field(default=None, repr=False)

    def __getitem__(self, pair: Pair) -> PairResult:
        """Result of a pair (first, second), in the order in which it was compared."""
        names = as_names(pair, "pair")
        if tuple(names) not in {*self.results, *self.failures}:
            raise unknown_name("pair", " / ".join(names), map(" / ".join, self.results))
        asked = names[0], names[1]
        if asked in self.failures:
            raise self.failures[asked]
        return self.results[asked]

    def __len__(self) -> int:
        return len(self.results) + len(self.failures)

    def verdict(self, first: str, second: str) -> Verdict:
        """Verdict on two algorithms, in either order."""
        turned = str(second), str(first)
        if turned in self.results or turned in self.failures:
            return self[turned].verdict.swapped()
        return self[first, second].verdict

    def posterior(self, first: str, second: str) -> Posterior:
        """The whole posterior behind a pair's numbers.

        Parameters
        ----------
        first, second : str
            In the order in which they were compared.

        Returns
        -------
        Posterior
            As it was kept; else from the same scores, options and seed, which give the same
            numbers in the time that one pair takes.

        Raises
        ------
        InputError
            Unknown pair; posteriors that were neither kept nor can be had again.

        See Also
        --------
        bayescmp.compare : The same posterior, without the other pairs.

        Examples
        --------
        >>> import bayescmp as bc
        >>> import numpy as np
        >>> import pandas as pd
        >>> rng = np.random.default_rng(1)
        >>> means = pd.DataFrame(rng.normal([0.80, 0.87], 0.02, (15, 2)), columns=["knn", "svm"])
        >>> scores = bc.Scores.from_means(means, metric="accuracy")
        >>> comparisons = bc.compare_all(scores, rope=0.01, seed=1)
        >>> posterior = comparisons.posterior("knn", "svm")
        >>> posterior.verdict() == comparisons["knn", "svm"].verdict
        True
        """
        kept = self[first, second].posterior
        if kept is not None:
            return kept
        if self.refit is None:
            raise InputError("the posteriors were not kept; give keep_posteriors=True")
        return self.refit((str(first), str(second)))

    @property
    def order(self) -> tuple[str, ...]:
        """The algorithms, best first: by P(better) − P(worse), summed over the pairs."""
        standing = dict.fromkeys(self.algorithms, 0.0)
        for (first, second), result in self.results.items():
            lead = result.verdict.p_left - result.verdict.p_right
            standing[first] += lead
            standing[second] -= lead
        return tuple(sorted(standing, key=lambda name: -standing[name]))

    @property
    def frame(self) -> pd.DataFrame:
        """One row per pair, in order; failed pairs have no probabilities but a reason.

        Returns
        -------
        DataFrame
            first, second, p_left, p_rope, p_right (what decides: the most probable outcome, or
            the mean difference on one data set), their errors se_left, se_rope, se_right,
            predictive_left, predictive_rope, predictive_right (of the next data set), mean_left,
            mean_rope, mean_right (of the mean difference over data sets), decision,
            most_probable (region), odds (of that region over the next), odds_bound (whether they
            are beyond that value), evidence, test, engine, datasets,
            datasets_left_out and folds_left_out (without a score of both), metric, better
            ("higher" or "lower", and "(assumed)" where nothing tells), rope_low, rope_high, ok
            (diagnostics), notes, resampling (the correlation of folds and its reason), error.
        """
        import pandas as pd

        rows = [
            row(pair, self.results[pair])
            if pair in self.results
            else failed_row(pair, self.failures[pair])
            for pair in self._pairs
        ]
        frame = pd.DataFrame(rows)
        place = list(frame.columns).index("ok")
        for name, value in (
            ("metric", self.metric),
            ("better", self._better),
            ("rope_low", self.rope.low),
            ("rope_high", self.rope.high),
        ):
            frame.insert(place, name, value)
            place += 1
        return frame

    @property
    def _directions(self) -> tuple[Direction, ...]:
        return next((r.directions for r in self.results.values()), ())

    @property
    def _better(self) -> str:
        """Which way the metric is better, in a word."""
        return ", ".join(d.better for d in self._directions)

    @property
    def measured(self) -> str:
        """The metric with its direction: "accuracy ↑"; "" if not known."""
        return ", ".join(map(str, self._directions)) or self.metric

    @property
    def resampling(self) -> str:
        """The correlation of folds and its reason, those of all pairs together."""
        return "; ".join(
            dict.fromkeys(r.resampling for r in self.results.values() if r.resampling)
        )

    @property
    def _pairs(self) -> list[Pair]:
        order = {name: i for i, name in enumerate(self.algorithms)}
        return sorted([*self.results, *self.failures], key=lambda p: (order[p[0]], order[p[1]]))

    def ladder(self) -> Ladder:
        """The algorithms in order, with what is decided of each pair.

        See Also
        --------
        bayescmp.plots.plot_ladder : Draws it.

        Examples
        --------
        >>> import bayescmp as bc
        >>> import numpy as np
        >>> import pandas as pd
        >>> rng = np.random.default_rng(1)
        >>> means = pd.DataFrame(rng.normal([0.80, 0.87], 0.02, (15, 2)), columns=["knn", "svm"])
        >>> scores = bc.Scores.from_means(means, metric="accuracy")
        >>> ladder = bc.compare_all(scores, rope=0.01, seed=1).ladder()
        >>> ladder.names, ladder.rungs[0].relation
        (('svm', 'knn'), 'better')
        """
        there = {frozenset(pair) for pair in self.results}
        return Ladder.of(
            self.order,
            lambda a, b: self.verdict(a, b) if frozenset((a, b)) in there else None,
        )

    def sensitivity(self, **options: Any) -> PairsSensitivity:
        """What becomes of each pair's verdict under other assumptions.

        Parameters
        ----------
        **options
            As of `Posterior.sensitivity`.

        Raises
        ------
        InputError
            Posteriors that were neither kept nor can be had again.

        See Also
        --------
        bayescmp.Posterior.sensitivity : Of one pair.

        Examples
        --------
        >>> import bayescmp as bc
        >>> import numpy as np
        >>> import pandas as pd
        >>> rng = np.random.default_rng(1)
        >>> means = pd.DataFrame(rng.normal([0.80, 0.87], 0.02, (15, 2)), columns=["knn", "svm"])
        >>> scores = bc.Scores.from_means(means, metric="accuracy")
        >>> comparisons = bc.compare_all(scores, rope=0.01, seed=1)
        >>> comparisons.sensitivity(datasets=False)["knn", "svm"].fitted["decision"]
        'second'
        """
        from bayescmp.sensitivity import PairsSensitivity

        return PairsSensitivity(
            {p: self.posterior(*p).sensitivity(**options) for p in self.results}
        )

    def plot(self, *, ax: Axes | None = None, **options: Any) -> Axes:
        """Heat map of the verdicts; see `bayescmp.plots.plot_verdicts`."""
        from bayescmp.plots import plot_verdicts

        return plot_verdicts(self, ax=ax, **options)

    def __str__(self) -> str:
        table = self._shown().to_string(index=False, na_rep="-")
        return "\n".join([*self._head(), str(table)])

    def explain(self) -> str:
        """Plain sentences for a paper.

        Returns
        -------
        str
            By what the pairs were compared, who leads, how many pairs are decided, that they are
            no joint statement and where they are not transitive, which is likeliest to be best,
            what stays open and why, and what can't be trusted.

        See Also
        --------
        bayescmp.Verdict.explain : Of one pair.

        Examples
        --------
        >>> import bayescmp as bc
        >>> import numpy as np
        >>> import pandas as pd
        >>> rng = np.random.default_rng(1)
        >>> means = pd.DataFrame(rng.normal([0.80, 0.87], 0.02, (15, 2)), columns=["knn", "svm"])
        >>> scores = bc.Scores.from_means(means, metric="accuracy")
        >>> bc.compare_all(scores, rope=0.01, seed=1).explain().split(". ")[2]
        'svm leads: practically better than knn'
        """
        return explained(self)

    def _repr_html_(self) -> str:
        title, *more = self._head()
        return Exhibit(title, self._shown(), more).html()

    def _exhibit(self) -> Exhibit:
        """The table for a paper: a row for each kind of probability, what is decided in bold."""
        import pandas as pd

        rows = [line for pair in self._pairs for line in self._kinds(pair)]
        table = pd.DataFrame(rows, columns=["first", "second", "probability", *_HEADS, "decision"])
        bold = {
            c: list((table["decision"] == word) & table[c].notna()) for c, word in _HEADS.items()
        }
        kept = table.drop(columns=["p_rope"]) if self.rope.empty else table
        failed = [f"{self.failures[p]}" for p in self._pairs if p in self.failures]
        notes = [*([self.resampling] if self.resampling else []), *self._left_out_lines(), *failed]
        return Exhibit(f"Verdicts in {setting(self)}", kept, notes, "verdicts", bold, _HEADS)

    def _kinds(self, pair: Pair) -> list[list[object]]:
        """The rows of a pair, of which the first has its names and its decision."""
        if pair in self.failures:
            return [[*pair, "", NAN, NAN, NAN, "failed"]]
        v = self.results[pair].verdict
        kinds = {v.decides: v.probabilities, "predictive": v.expected, "mean": v.location}
        decision = dict(zip(("first", "equivalent", "second"), _HEADS.values(), strict=True))
        known = [(kind, p) for kind, p in kinds.items() if p is not None]
        return [
            [
                *(pair if i == 0 else ("", "")),
                kind,
                *(float(p[r]) for r in REGIONS),
                decision.get(v.decision, v.decision) if i == 0 else "",
            ]
            for i, (kind, p) in enumerate(known)
        ]

    def _head(self) -> list[str]:
        """What was compared, how folds are correlated, what the probabilities are of."""
        of = f" on {self.measured}" if self.measured else ""
        against = f" with {self.control}" if self.control else ""
        failed = f", {len(self.failures)} failed" if self.failures else ""
        middle = "" if self.rope.empty else "equivalent, "
        targets = dict.fromkeys(r.verdict.target for r in self.results.values())
        return [
            f"{counted(len(self), 'comparison')}{against}{of}, rope {self.rope}{failed}",
            *([self.resampling] if self.resampling else []),
            *self._left_out_lines(),
            *([] if self.best is None else best_lines(self.best)),
            f"probabilities of: first better, {middle}second better, on {listed([*targets])}",
        ]

    def _left_out_lines(self) -> list[str]:
        """What each pair was compared without, because a score of either is missing."""
        gone = {p: r.left_out.counts for p, r in self.results.items() if r.left_out}
        return [f"left out of {first} and {second}: {n}" for (first, second), n in gone.items()]

    def _shown(self) -> pd.DataFrame:
        """The columns that are printed."""
        numbers = [f"{part}_{r}" for part in PARTS if part != "se" for r in REGIONS]
        frame = self.frame[["first", "second", *numbers, "decision", "evidence", "test"]]
        return side_by_side(frame, rope=not self.rope.empty)

    __repr__ = __str__
