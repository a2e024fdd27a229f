"""What posteriors of several algorithms on one data set share: pairs, ranks, cliques."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bayescmp import _html
from bayescmp.bayesian.groups.ranking import (
    dominance,
    joint_equivalence,
    pair_regions,
    rank_shares,
    share_errors,
)  # fmt: skip
from bayescmp.bayesian.regions.membership import region_index
from bayescmp.cliques import maximal_cliques
from bayescmp.errors import InputError, unknown_name
from bayescmp.posterior import Posterior, summarise
from bayescmp.verdict import Ropes, Verdict, as_ropes, check_threshold, winners
from bayescmp.verdict.words import ropes_in_words

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["GroupsPosterior", "Pair"]

Pair = tuple[str, str]


@dataclass(frozen=True, eq=False, repr=False)
class GroupsPosterior(Posterior):
    """Posterior of the effects of L algorithms in p metrics on one data set.

    Effects are deviations from the mean of all algorithms, with higher the better: metrics for
    which lower is better are flipped.

    Attributes
    ----------
    names : tuple of str
        The L algorithms.
    metrics : tuple of str
        The p metrics.
    rope : Ropes
        One a metric.
    dataset : str
        Name of the data set; "" if it has none.
    x : ndarray of shape (L, n, p)
        The scores, higher the better.
    rho : float
        Correlation of two folds.
    """

    _: KW_ONLY
    names: Any
    metrics: tuple[str, ...]
    rope: Any
    dataset: str
    x: np.ndarray
    rho: float

    method: ClassVar[str] = "Bayesian blocked MANOVA"
    reference: ClassVar[str] = ""

    @property
    @abstractmethod
    def prior_text(self) -> str:
        """The prior in words."""

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The L algorithms."""
        return tuple(self.names)

    @property
    def p(self) -> int:
        """Number of metrics."""
        return len(self.metrics)

    @property
    def pairs(self) -> list[Pair]:
        """All pairs (first, second), in the algorithms' order."""
        return list(combinations(self.algorithms, 2))

    def ropes(self, rope: Any = None) -> Ropes:
        """The posterior's own ropes, or those given, one a metric."""
        return Ropes(self.rope) if rope is None else as_ropes(rope, self.metrics)

    @cached_property
    def effects(self) -> np.ndarray:
        """Draws of the effects, chains one after the other: shape (N, L, p)."""
        tau = self.draws["tau"]
        return np.asarray(tau.reshape(-1, *tau.shape[2:]))

    # -- pairs ---------------------------------------------------------------------------------

    def verdicts(self, rope: Any = None, *, threshold: float = 0.95) -> dict[Pair, Verdict]:
        """The verdict on every pair (first, second), in the algorithms' order.

        Parameters
        ----------
        rope : float, sequence or mapping, optional
            Other regions than the posterior's own.
        threshold : float
            Probability at which a region is decided for.
        """
        key = ("verdicts", self.ropes(rope), check_threshold(threshold))
        if key not in self._memo:
            self._memo[key] = self._all_verdicts(*key[1:])
        return dict(self._memo[key])

    def _all_verdicts(self, ropes: Ropes, threshold: float) -> dict[Pair, Verdict]:
        return {pair: self._decide(*pair, ropes, threshold) for pair in self.pairs}

    @cached_property
    def _memo(self) -> dict[Any, Any]:
        """What was computed already, by what it was computed from."""
        return {}

    @abstractmethod
    def pair(self, first: str, second: str) -> Posterior:
        """The posterior of the difference of two algorithms."""

    def _decide(self, first: str, second: str, ropes: Ropes, threshold: float) -> Verdict:
        """One pair's verdict: over three regions with one metric, over four with several."""
        region = ropes[0] if self.p == 1 else ropes
        return self.pair(first, second).verdict(region, threshold=threshold)

    def verdict(  # type: ignore[override]
        self,
        first: str | None = None,
        second: str | None = None,
        *,
        rope: Any = None,
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
        """
        i, j = self._pair(first, second)
        a, b = self.algorithms[i], self.algorithms[j]
        return self._decide(a, b, self.ropes(rope), check_threshold(threshold))

    def frame(self, rope: Any = None, *, threshold: float = 0.95) -> pd.DataFrame:
        """All pairs' verdicts, one row each.

        Returns
        -------
        DataFrame
            first, second, p_ and se_ of each region, decision, most_probable, evidence.
        """
        import pandas as pd

        rows = [
            {"first": a, "second": b, **{f"p_{r}": p for r, p in v.probabilities.items()},
             **{f"se_{r}": e for r, e in v.errors.items()}, "decision": v.decision,
             "most_probable": v.ranked[0], "evidence": v.evidence}
            for (a, b), v in self.verdicts(rope, threshold=threshold).items()
        ]  # fmt: skip
        return pd.DataFrame(rows)

    def joint(self, outcomes: Mapping[Pair, str] | None = None, rope: Any = None) -> float:
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
        """
        return float(self._hold(outcomes, rope).mean())

    def joint_error(self, outcomes: Mapping[Pair, str] | None = None, rope: Any = None) -> float:
        """Monte Carlo standard error of `joint`, for the same arguments."""
        return float(self._errors(self._hold(outcomes, rope)[:, None])[0])

    def _hold(self, outcomes: Mapping[Pair, str] | None, rope: Any) -> np.ndarray:
        """Whether all outcomes hold, draw by draw."""
        ropes = self.ropes(rope)
        if outcomes is None:
            found = {k: v.decision for k, v in self.verdicts(ropes).items()}
            outcomes = {k: d for k, d in found.items() if d != "undecided"}
        if not outcomes:
            return np.ones(len(self.effects), dtype=bool)
        pairs = np.array([self._pair(*pair) for pair in outcomes])
        codes = pair_regions(self.effects, pairs, ropes)
        wanted = [region_index(told) for told in outcomes.values()]
        return np.asarray(np.all(codes == np.array(wanted), axis=1))

    def _errors(self, shares: np.ndarray) -> np.ndarray:
        return share_errors(shares, len(self.draws["tau"]), independent=self.exact)

    def cliques(self, rope: Any = None, *, threshold: float = 0.95) -> pd.DataFrame:
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
            members, and joint: the probability that they are all equivalent at once, which is
            smaller than that of any pair. Sets may overlap; none holds a single algorithm.
        """
        import pandas as pd

        verdicts = self.verdicts(rope, threshold=threshold)
        size = len(self.algorithms)
        alike = np.zeros((size, size), dtype=bool)
        for (a, b), v in verdicts.items():
            i, j = self._pair(a, b)
            alike[i, j] = alike[j, i] = v.decision == "equivalent"
        found = maximal_cliques(alike)
        ropes = self.ropes(rope)
        rows = [
            {"members": tuple(self.algorithms[i] for i in members),
             "joint": joint_equivalence(self.effects, members, ropes)}
            for members in found
        ]  # fmt: skip
        return pd.DataFrame(rows, columns=["members", "joint"])

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
        """
        import pandas as pd

        if not 0 < prob < 1:
            raise InputError(f"prob={prob!r}; accepted: over 0 and under 1")
        rows = {
            (a, b, metric): told
            for a, b in self.pairs
            for metric, told in zip(self.metrics, self._interval(a, b, prob), strict=True)
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

    # -- ranks ---------------------------------------------------------------------------------

    def rank_probabilities(self, by: Any = None, *, rope: Any = None) -> pd.DataFrame:
        """Probability of every rank, 1 being the best.

        Parameters
        ----------
        by : str or array_like of shape (p,), optional
            What to rank by: a metric, or a weighted sum of metrics by its weights. If not given,
            with one metric that one; with several "dominance": the number of others that an
            algorithm practically dominates less that by which it is dominated. Metrics can't be
            added up without weights, and dominance does not try to; algorithms that tie share
            their ranks equally.
        rope : float, sequence or mapping, optional
            For dominance, other regions than the posterior's own.

        Returns
        -------
        DataFrame of shape (L, L)
            One row an algorithm, one column a rank; rows and columns sum to one.
        """
        import pandas as pd

        shares = rank_shares(self._scores(by, rope))
        index = pd.Index(self.algorithms, name="algorithm")
        columns = pd.Index(range(1, len(self.algorithms) + 1), name="rank")
        return pd.DataFrame(shares, index=index, columns=columns)

    def ranking(self, by: Any = None, *, rope: Any = None) -> pd.DataFrame:
        """How the algorithms stand, the best expected rank first.

        Parameters
        ----------
        by, rope
            As for `rank_probabilities`.

        Returns
        -------
        DataFrame
            One row an algorithm: expected_rank, p_best (shared where algorithms tie) and its Monte
            Carlo standard error se_best; with several metrics p_undominated, the probability that
            no other practically dominates it.
        """
        import pandas as pd

        table = self.rank_probabilities(by, rope=rope)
        ranks = table.columns.to_numpy(dtype=float)
        found = pd.DataFrame(
            {"expected_rank": table.to_numpy() @ ranks, "p_best": table[1],
             "se_best": self._errors(winners(self._scores(by, rope)))}, index=table.index,
        )  # fmt: skip
        if self.p > 1:
            _, beaten = self._dominance(self.ropes(rope))
            found["p_undominated"] = (beaten == 0).mean(axis=0)
        return found.sort_values("expected_rank", kind="stable")

    def p_best(self, by: Any = None) -> dict[str, float]:
        """Probability of each algorithm to be the best; see `rank_probabilities` for ``by``."""
        column = self.rank_probabilities(by)[1]
        return {str(name): float(p) for name, p in column.items()}

    def _scores(self, by: Any, rope: Any) -> np.ndarray:
        """What is ranked, draw by draw: (N, L)."""
        if by is None:
            by = self.metrics[0] if self.p == 1 else "dominance"
        if isinstance(by, str):
            if by in self.metrics:
                return np.asarray(self.effects[..., self.metrics.index(by)])
            if by != "dominance" or self.p == 1:
                others = ["dominance"] if self.p > 1 else []
                raise unknown_name("metric to rank by", by, [*self.metrics, *others])
            beats, beaten = self._dominance(self.ropes(rope))
            return beats - beaten
        weights = np.asarray(by, dtype=float)
        if weights.shape != (self.p,) or not np.all(np.isfinite(weights)):
            raise InputError(f"by={by!r}; accepted: a metric, 'dominance', or {self.p} weights")
        return np.asarray(self.effects @ weights)

    def _dominance(self, ropes: Ropes) -> tuple[np.ndarray, np.ndarray]:
        key = ("dominance", ropes)
        if key not in self._memo:
            self._memo[key] = dominance(self.effects, ropes)
        found: tuple[np.ndarray, np.ndarray] = self._memo[key]
        return found

    # -- telling -------------------------------------------------------------------------------

    def summary(self) -> pd.DataFrame:
        """Effects of the algorithms, higher the better: mean, sd, median, 95 % interval."""
        import pandas as pd

        rows = {
            (a, m): summarise(self.draws["tau"][..., i, j])
            for i, a in enumerate(self.algorithms)
            for j, m in enumerate(self.metrics)
        }
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis(["algorithm", "metric"])

    def rope_curve(self, widths: Any = None) -> pd.DataFrame:
        """Not of several algorithms: that of a pair is ``pair(first, second).rope_curve()``."""
        raise InputError("several algorithms have no rope curve: take pair(first, second)")

    def plot(self, *, ax: Any = None, **options: Any) -> Any:
        """Heat map of the rank probabilities; see `bayescmp.plots.plot_rank_probabilities`."""
        from bayescmp.plots import plot_rank_probabilities

        return plot_rank_probabilities(self, ax=ax, **options)

    def __str__(self) -> str:
        by = self.metrics[0] if self.p == 1 else "dominance"
        table = self.ranking().to_string(float_format=lambda v: f"{v:.4f}")
        decided = [
            f"{a} vs {b}: {v.label(v.ranked[0])} ({v.probabilities[v.ranked[0]]:.4f})"
            for (a, b), v in self.verdicts().items() if v.decision != "undecided"
        ]  # fmt: skip
        count = len(self.pairs)
        told = [f"{len(decided)} of {count} pairs decided"]
        if decided:
            more = f", and {len(decided) - 6} more" if len(decided) > 6 else ""
            joint = f"{self.joint():.4f} ± {self.joint_error():.1g}"
            told[0] += f" (all at once with probability {joint}): {'; '.join(decided[:6])}{more}"
        return "\n".join([self._title(), f"ranked by {by}", table, *told, *self._footer()])

    __repr__ = __str__

    def _found_html(self) -> str:
        return _html.table(self.ranking(), index=True)

    def _kind(self) -> str:
        """What was fitted, in words; of one metric it is an analysis of variance."""
        return self.method if self.p > 1 else self.method.replace("MANOVA", "ANOVA")

    def _title(self) -> str:
        where = f" ({self.dataset})" if self.dataset else ""
        ropes = ropes_in_words(self.ropes(), self.metrics) or "none"
        return (
            f"{self._kind()}: {len(self.algorithms)} algorithms on {', '.join(self.metrics)}\n"
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

    # -- saving --------------------------------------------------------------------------------

    def _coords(self) -> tuple[dict[str, Any], dict[str, Any]]:
        coords = {"algorithm": list(self.algorithms), "metric": list(self.metrics),
                  "fold": np.arange(self.x.shape[1]).tolist()}  # fmt: skip
        return coords, {"x": ["algorithm", "fold", "metric"], "tau": ["algorithm", "metric"]}

    def _attributes(self) -> dict[str, Any]:
        more = {"metrics": list(self.metrics), "dataset": self.dataset, "rho": self.rho}
        return {**super()._attributes(), **more}
