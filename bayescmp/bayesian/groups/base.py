"""Posterior of several algorithms on one data set: pairs, joint statements, cliques."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp import _html, checks
from bayescmp.bayesian.groups.effects import EffectsPosterior
from bayescmp.bayesian.groups.ranking import joint_equivalence, pair_regions
from bayescmp.bayesian.regions.membership import region_index
from bayescmp.cliques import maximal_cliques
from bayescmp.errors import InputError, unknown_name
from bayescmp.metrics import listed
from bayescmp.posterior import Posterior
from bayescmp.text import as_shown, plus_minus, probability
from bayescmp.verdict import FOUR, THREE, Ropes, Verdict, check_threshold
from bayescmp.verdict.words import ropes_in_words

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bayescmp.typing import Json
    from bayescmp.verdict.rope import RopesLike

__all__ = ["GroupsPosterior", "Pair"]

Pair = tuple[str, str]
#: What may be decided of a pair.
DECISIONS = {*THREE.decisions.values(), *FOUR.decisions.values()}


@dataclass(frozen=True, eq=False, repr=False)
class GroupsPosterior(EffectsPosterior):
    """Posterior of the effects of L algorithms in p metrics on one data set, pair by pair.

    See `EffectsPosterior` for its attributes.
    """

    @property
    def pairs(self) -> list[Pair]:
        """All pairs (first, second), in the algorithms' order."""
        return list(combinations(self.algorithms, 2))

    # -- pairs ---------------------------------------------------------------------------------

    @abstractmethod
    def pair(self, first: str, second: str) -> Posterior:
        """The posterior of the difference of two algorithms, second minus first.

        See Also
        --------
        bayescmp.frequentist.tukey, bayescmp.frequentist.pairwise_hotelling

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> round(posterior.pair("knn", "gbm").location, 3)
        0.09
        """

    def verdict(
        self,
        first: str | None = None,
        second: str | None = None,
        *,
        rope: RopesLike | None = None,
        threshold: float = 0.95,
    ) -> Verdict:
        """The verdict on two algorithms, in either order.

        Parameters
        ----------
        first, second : str, optional
            May be left out where there are only two.
        rope : float, sequence or mapping, optional
            Other regions than the posterior's own.
        threshold : float
            Probability at which a region is decided for.

        Returns
        -------
        Verdict
            Over three regions with one metric, over four with several.

        See Also
        --------
        bayescmp.frequentist.tukey, bayescmp.frequentist.pairwise_hotelling

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> posterior.verdict("knn", "gbm").decision
        'second'
        """
        i, j = self._pair(first, second)
        names = self.algorithms[i], self.algorithms[j]
        return self._decide(*names, self.ropes(rope), check_threshold(threshold))

    def verdicts(
        self, rope: RopesLike | None = None, *, threshold: float = 0.95
    ) -> dict[Pair, Verdict]:
        """The verdict on every pair (first, second), in the algorithms' order.

        Parameters
        ----------
        rope : float, sequence or mapping, optional
            Other regions than the posterior's own.
        threshold : float
            Probability at which a region is decided for.

        See Also
        --------
        bayescmp.frequentist.tukey, bayescmp.frequentist.pairwise_hotelling

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> {pair: verdict.decision for pair, verdict in posterior.verdicts().items()}
        {('knn', 'svm'): 'equivalent', ('knn', 'gbm'): 'second', ('svm', 'gbm'): 'second'}
        """
        key = (self.ropes(rope), check_threshold(threshold))
        if key not in self._verdicts:
            self._verdicts[key] = self._all_verdicts(*key)
        return dict(self._verdicts[key])

    @cached_property
    def _verdicts(self) -> dict[tuple[Ropes, float], dict[Pair, Verdict]]:
        """What was computed already."""
        return {}

    def _all_verdicts(self, ropes: Ropes, threshold: float) -> dict[Pair, Verdict]:
        return {pair: self._decide(*pair, ropes, threshold) for pair in self.pairs}

    def _decide(self, first: str, second: str, ropes: Ropes, threshold: float) -> Verdict:
        """One pair's verdict: over three regions with one metric, over four with several."""
        region = ropes[0] if self.p == 1 else ropes
        return self.pair(first, second).verdict(region, threshold=threshold)

    def frame(self, rope: RopesLike | None = None, *, threshold: float = 0.95) -> pd.DataFrame:
        """All pairs' verdicts, one row each.

        Parameters
        ----------
        rope, threshold
            As for `verdicts`.

        Returns
        -------
        DataFrame
            first, second, ``p_`` and ``se_`` of each region, decision, most_probable, evidence.

        See Also
        --------
        bayescmp.frequentist.tukey, bayescmp.frequentist.pairwise_hotelling

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> posterior.frame()[["first", "second", "decision"]]
          first second    decision
        0   knn    svm  equivalent
        1   knn    gbm      second
        2   svm    gbm      second
        """
        import pandas as pd

        rows = [
            {"first": a, "second": b, **{f"p_{r}": p for r, p in v.probabilities.items()},
             **{f"se_{r}": e for r, e in v.errors.items()}, "decision": v.decision,
             "most_probable": v.ranked[0], "evidence": v.evidence}
            for (a, b), v in self.verdicts(rope, threshold=threshold).items()
        ]  # fmt: skip
        return pd.DataFrame(rows)

    def joint(
        self, outcomes: Mapping[Pair, str] | None = None, rope: RopesLike | None = None
    ) -> float:
        """Probability that several pairs' outcomes hold all at once.

        Parameters
        ----------
        outcomes : mapping of (first, second) to str, optional
            "equivalent", "first", "second" or "trade-off"; the decided verdicts of all pairs if
            not given, whose joint probability is that of making no error in any of them.
        rope : float, sequence or mapping, optional
            Other regions than the posterior's own.

        Returns
        -------
        float
            Share of the joint draws; 1 if there is no outcome.

        See Also
        --------
        bayescmp.frequentist.tukey : Holds the familywise error instead.

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> both = {("knn", "gbm"): "second", ("svm", "gbm"): "second"}
        >>> posterior.joint(both) > 0.99
        True
        """
        return float(self._hold(outcomes, rope).mean())

    def joint_error(
        self, outcomes: Mapping[Pair, str] | None = None, rope: RopesLike | None = None
    ) -> float:
        """Monte Carlo standard error of `joint`.

        Parameters
        ----------
        outcomes, rope
            As for `joint`.

        See Also
        --------
        bayescmp.frequentist.tukey : Holds the familywise error instead.

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> posterior.joint_error({("knn", "gbm"): "second"}) < 0.001
        True
        """
        return float(self._share_errors(self._hold(outcomes, rope)[:, None])[0])

    def _hold(self, outcomes: Mapping[Pair, str] | None, rope: RopesLike | None) -> np.ndarray:
        """Whether all outcomes hold, draw by draw."""
        ropes = self.ropes(rope)
        if outcomes is None:
            decisions = {pair: v.decision for pair, v in self.verdicts(ropes).items()}
            outcomes = {k: d for k, d in decisions.items() if d in DECISIONS}
        if not outcomes:
            return np.ones(len(self.effects), dtype=bool)
        pairs = np.array([self._pair(*pair) for pair in outcomes])
        wanted = [region_index(outcome) for outcome in outcomes.values()]
        regions = pair_regions(self.effects, pairs, ropes)
        return np.asarray(np.all(regions == np.array(wanted), axis=1))

    def cliques(self, rope: RopesLike | None = None, *, threshold: float = 0.95) -> pd.DataFrame:
        """Largest sets of algorithms of which every two are practically equivalent.

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

    def intervals(self, prob: float = 0.95) -> pd.DataFrame:
        """Central intervals of every pair's difference in every metric, second minus first.

        Parameters
        ----------
        prob : float
            Probability within an interval, over 0 and under 1.

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

    def _found_text(self) -> str:
        by = self.metrics[0] if self.p == 1 else "dominance"
        table = as_shown(self.ranking())
        decided = [
            f"{a} vs {b}: {v.label(v.ranked[0])} "
            f"({probability(v.probabilities[v.ranked[0]], v.floor)})"
            for (a, b), v in self.verdicts().items() if v.decision in DECISIONS
        ]  # fmt: skip
        count = len(self.pairs)
        lines = [f"{len(decided)} of {count} pairs decided"]
        if decided:
            more = f", and {len(decided) - 6} more" if len(decided) > 6 else ""
            joint = f"{probability(self.joint())} {plus_minus(self.joint_error())}"
            lines[0] += f" (all at once with probability {joint}): {'; '.join(decided[:6])}{more}"
        return "\n".join([f"ranked by {by}", table, *lines])

    def _found_html(self) -> str:
        return _html.table(self.ranking(), index=True)

    @property
    def method(self) -> str:  # type: ignore[override]
        """What was fitted, in words; of one metric it is an analysis of variance."""
        return "Bayesian blocked MANOVA" if self.p > 1 else "Bayesian blocked ANOVA"

    def _common(self, first: str, second: str) -> Json:
        """What the posterior of a pair has of this one."""
        return {
            "names": (first, second), "dataset": self.dataset, "rho": self.rho,
            "engine": self.engine, "engine_version": self.engine_version,
            "diagnostics": self.diagnostics, "seed": self.seed, "notes": self.notes,
            "metric": ", ".join(self.metrics), "directions": self.directions,
            "resampling": self.resampling, "left_out": self.left_out,
            "source": f"{self.method} of {len(self.algorithms)} algorithms, {self.reference}",
        }  # fmt: skip

    def _title(self) -> str:
        where = f" ({self.dataset})" if self.dataset else ""
        ropes = ropes_in_words(self.ropes(), self.metrics) or "none"
        metrics = listed(self.metrics, self.directions)
        return (
            f"{self.method}: {len(self.algorithms)} algorithms on {metrics}\n"
            f"{'rope':<13}{ropes}\n{'data':<13}{self.x.shape[1]} folds{where}, rho {self.rho:.4g}"
        )

    def _place(self, name: str) -> int:
        if name not in self.algorithms:
            raise unknown_name("algorithm", name, self.algorithms)
        return self.algorithms.index(name)

    def _pair(self, first: str | None, second: str | None) -> tuple[int, int]:
        if first is None and second is None and len(self.algorithms) == 2:
            return 0, 1
        if first is None or second is None:
            raise InputError(
                "first and second are needed: there are " + ", ".join(map(repr, self.algorithms))
            )
        i, j = self._place(first), self._place(second)
        if i == j:
            raise InputError(f"first and second are both {first!r}: nothing to compare")
        return i, j
