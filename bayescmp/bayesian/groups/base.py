"""Posterior of several algorithms on one data set: pairs, joint statements, cliques."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp import _html, checks
from bayescmp.bayesian.groups.ranking import joint_equivalence
from bayescmp.bayesian.groups.verdicts import DECISIONS, Pair, PairwisePosterior
from bayescmp.cliques import maximal_cliques
from bayescmp.ladder import Ladder
from bayescmp.metrics import listed
from bayescmp.text import as_shown, counted, plus_minus, probability
from bayescmp.verdict.words import ropes_in_words

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bayescmp.typing import Json
    from bayescmp.verdict.rope import RopesLike

__all__ = ["GroupsPosterior", "Pair"]


@dataclass(frozen=True, eq=False, repr=False)
class GroupsPosterior(PairwisePosterior):
    """Posterior of the effects of L algorithms in p metrics on one data set, pair by pair.

    See `EffectsPosterior` for its attributes.
    """

    # -- pairs ---------------------------------------------------------------------------------

    def cliques(self, rope: RopesLike | None = None, *, threshold: float = 0.95) -> pd.DataFrame:
        """Largest sets of algorithms in which every two are practically equivalent.

        Parameters
        ----------
        rope : float, sequence or mapping, optional
            Other regions than the posterior's own.
        threshold : float
            Probability of equivalence that every pair of a set reaches.

        Returns
        -------
        DataFrame
            members; joint, the probability that they are all equivalent at once, which is smaller
            than that of any pair; se_joint, its Monte Carlo standard error. Sets may overlap;
            none holds a single algorithm.

        See Also
        --------
        bayescmp.frequentist.pairwise_hotelling : Its result has ``cliques()`` too.

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> posterior.cliques()["members"].tolist()
        [('knn', 'svm')]
        """
        import pandas as pd

        ropes, size = self.ropes(rope), len(self.algorithms)
        alike = np.zeros((size, size), dtype=bool)
        for pair, v in self.verdicts(rope, threshold=threshold).items():
            i, j = self._pair(*pair)
            alike[i, j] = alike[j, i] = v.decision == "equivalent"
        rows = []
        for members in maximal_cliques(alike):
            at_once = joint_equivalence(self.effects, members, ropes)
            names = tuple(self.algorithms[i] for i in members)
            rows.append((names, at_once.mean(), self._share_errors(at_once[:, None])[0]))
        return pd.DataFrame(rows, columns=["members", "joint", "se_joint"])

    def ladder(self) -> Ladder:
        """The algorithms in order of their expected ranks, with what is decided of each pair.

        See Also
        --------
        bayescmp.plots.plot_ladder : Draws it.

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> posterior.ladder().names, posterior.ladder().equivalent
        (('gbm', 'svm', 'knn'), ((1, 2),))
        """
        cliques = self.cliques()
        joint = {
            frozenset(m): p for m, p in zip(cliques["members"], cliques["joint"], strict=True)
        }
        return Ladder.of(
            tuple(self.ranking().index),
            lambda a, b: self.verdict(a, b),
            lambda members: float(joint[frozenset(members)]),
        )

    def intervals(self, prob: float = 0.95) -> pd.DataFrame:
        """Central intervals of every pair's difference in every metric, second minus first.

        Parameters
        ----------
        prob : float
            Probability within an interval, between 0 and 1, exclusive.

        Returns
        -------
        DataFrame
            mean, low and high, indexed by first, second and metric.

        See Also
        --------
        bayescmp.frequentist.tukey

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> posterior.intervals(0.9).round(3).reset_index()
          first second metric   mean    low   high
        0   knn    svm     m1  0.008 -0.004  0.019
        1   knn    gbm     m1  0.090  0.078  0.102
        2   svm    gbm     m1  0.082  0.071  0.094
        """
        import pandas as pd

        prob = checks.level(prob, "prob")
        rows = {
            (*pair, metric): ends
            for pair in self.pairs
            for metric, ends in zip(self.metrics, self._interval(*pair, prob), strict=True)
        }
        table = pd.DataFrame.from_dict(rows, orient="index", columns=["mean", "low", "high"])
        table.index = pd.MultiIndex.from_tuples(table.index, names=["first", "second", "metric"])
        return table

    def _interval(self, first: str, second: str, prob: float) -> np.ndarray:
        """Mean and ends of each metric's difference, shape (p, 3)."""
        i, j = self._pair(first, second)
        d = self.effects[:, j] - self.effects[:, i]
        low, high = np.quantile(d, [(1 - prob) / 2, (1 + prob) / 2], axis=0)
        return np.stack([d.mean(axis=0), low, high], axis=1)

    # -- telling -------------------------------------------------------------------------------

    def plot(self, *, ax: Axes | None = None, **options: Any) -> Axes:
        """Heat map of the rank probabilities; see `bayescmp.plots.plot_rank_probabilities`.

        See Also
        --------
        bayescmp.plots.plot_rank_probabilities

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> axes = posterior.plot()
        >>> [label.get_text() for label in axes.get_yticklabels()]
        ['gbm', 'svm', 'knn']
        """
        from bayescmp.plots import plot_rank_probabilities

        return plot_rank_probabilities(self, ax=ax, **options)

    def figure_size(self) -> tuple[float, float]:
        """Width and height in inches that `plot` needs.

        See Also
        --------
        bayescmp.plots.plot_rank_probabilities

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> width, height = posterior.figure_size()
        >>> width > 0 and height > 0
        True
        """
        from bayescmp.plots.rank_heatmap import figure_size

        return figure_size(self)

    def _result_text(self) -> str:
        by = self.metrics[0] if self.p == 1 else "dominance"
        table = as_shown(self.ranking())
        decided = [
            f"{a} vs {b}: {v.label(v.ranked[0])} "
            f"({probability(v.probabilities[v.ranked[0]], v.floor)})"
            for (a, b), v in self.verdicts().items()
            if v.decision in DECISIONS
        ]
        count = len(self.pairs)
        lines = [f"{len(decided)} of {counted(count, 'pair')} decided"]
        if decided:
            more = f", and {len(decided) - 6} more" if len(decided) > 6 else ""
            joint = f"{probability(self.joint())} {plus_minus(self.joint_error())}"
            lines[0] += f" (all at once with probability {joint}): {'; '.join(decided[:6])}{more}"
        return "\n".join([f"ranked by {by}", table, *lines])

    def _result_html(self) -> str:
        return _html.table(self.ranking(), index=True)

    @property
    def method(self) -> str:  # type: ignore[override]
        """What was fitted, in words; of one metric it is an analysis of variance."""
        return "Bayesian blocked MANOVA" if self.p > 1 else "Bayesian blocked ANOVA"

    def _common(self, first: str, second: str) -> Json:
        """What the posterior of a pair has of this one."""
        all_of_them = counted(len(self.algorithms), self.subject)
        return {
            "names": (first, second),
            "dataset": self.dataset,
            "rho": self.rho,
            "engine": self.engine,
            "engine_version": self.engine_version,
            "diagnostics": self.diagnostics,
            "seed": self.seed,
            "notes": self.notes,
            "metric": ", ".join(self.metrics),
            "directions": self.directions,
            "resampling": self.resampling,
            "left_out": self.left_out,
            "subject": self.subject,
            "sample": self.sample,
            "unit": self.unit,
            "source": f"{self.method} of {all_of_them}, {self.reference}",
        }

    def _title(self) -> str:
        where = f" ({self.dataset})" if self.dataset else ""
        ropes = ropes_in_words(self.ropes(), self.metrics) or "none"
        metrics = listed(self.metrics, self.directions)
        return (
            f"{self.method}: {counted(len(self.algorithms), self.subject)} on {metrics}\n"
            f"{'rope':<13}{ropes}\n{'data':<13}{self.data_text}{where}, rho {self.rho:.4g}"
        )
