"""Posteriors of several algorithms on one data set: effects, ranks, pairs, joint statements."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.base import checks
from bayescmp.bayesian.groups.ranks import (
    dominance,
    holders,
    joint_equivalence,
    mean_ranks,
    pair_regions,
    rank_shares,
    ranked_scores,
)
from bayescmp.bayesian.multivariate.base import as_matrix, as_names
from bayescmp.bayesian.regions import region_index
from bayescmp.errors import InputError
from bayescmp.results.above import answerer
from bayescmp.results.arviz import summarise
from bayescmp.results.diagnostics import mean_errors, share_errors
from bayescmp.results.ladder import Ladder, maximal_cliques
from bayescmp.results.posterior import PairsPosterior, Posterior
from bayescmp.results.saving import array
from bayescmp.results.verdict import Verdict, check_threshold, headline, ropes_in_words
from bayescmp.scores.blocks import Blocks
from bayescmp.scores.metrics import headed, listed
from bayescmp.scores.resampling import inflation
from bayescmp.scores.rope import Ropes, as_ropes
from bayescmp.wording.markup import Exhibit
from bayescmp.wording.regions import FOUR, THREE
from bayescmp.wording.text import counted, cut_all, plus_minus, probability

if TYPE_CHECKING:
    import pandas as pd
    from typing_extensions import Self

    from bayescmp.base.typing import Json, Pair
    from bayescmp.scores.rope import RopesLike


#: What may be decided of a pair.
DECISIONS = {*THREE.decisions.values(), *FOUR.decisions.values()}


@dataclass(frozen=True, eq=False, repr=False)
class GroupsPosterior(PairsPosterior):
    """Posterior of the effects of L algorithms in p metrics on one data set, pair by pair.

    Effects are deviations from the mean of all algorithms, with higher the better: metrics for
    which lower is better are flipped.

    Attributes
    ----------
    names : tuple of str
        The L algorithms.
    metrics : tuple of str
        The p metrics.
    rope : Ropes
        One per metric.
    dataset : str
        Name of the data set; "" if it has none.
    x : ndarray of shape (L, n, p)
        The scores, higher the better.
    rho : float
        Correlation of two folds.
    """

    _: KW_ONLY
    metrics: tuple[str, ...]
    rope: Ropes
    dataset: str
    x: np.ndarray = field(metadata=array("algorithm", "fold", "metric"))
    rho: float

    @property
    def data_text(self) -> str:
        """What was observed: "10 folds"."""
        return counted(self.x.shape[1], self.sample)

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

    def ropes(self, rope: RopesLike | None = None) -> Ropes:
        """The posterior's own ropes, or those given, one per metric.

        See Also
        --------
        bayescmp.frequentist.anova, bayescmp.frequentist.manova

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> posterior.ropes()[0].high, posterior.ropes(0.05)[0].high
        (0.02, 0.05)
        """
        return Ropes(self.rope) if rope is None else as_ropes(rope, self.metrics)

    @cached_property
    def effects(self) -> np.ndarray:
        """Draws of the effects, chains one after the other: shape (N, L, p)."""
        tau = self.draws["tau"]
        return np.asarray(tau.reshape(-1, *tau.shape[2:]))

    # -- ranks ---------------------------------------------------------------------------------

    def rank_probabilities(
        self, by: str | ArrayLike | None = None, *, rope: RopesLike | None = None
    ) -> pd.DataFrame:
        """Probability of every rank, 1 being the best.

        Parameters
        ----------
        by : str or array_like of shape (p,), optional
            What to rank by: a metric, or weights of the metrics. By default the metric if there is
            only one, else "dominance": how many others an algorithm practically dominates, less
            how many dominate it. (Metrics can't be added up without weights; dominance does not
            need to.) Algorithms that tie share their ranks equally.
        rope : float, sequence or mapping, optional
            For dominance, other regions than the posterior's own.

        Returns
        -------
        DataFrame of shape (L, L)
            One row per algorithm, one column per rank; rows and columns sum to one.

        See Also
        --------
        rank_errors : Monte Carlo errors of these.
        bayescmp.frequentist.anova, bayescmp.frequentist.manova

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> posterior.rank_probabilities().round(1).loc["svm"].to_dict()
        {1: 0.0, 2: 0.9, 3: 0.1}
        """
        return self._rank_table(rank_shares(self._scores(by, rope)))

    def rank_errors(
        self, by: str | ArrayLike | None = None, *, rope: RopesLike | None = None
    ) -> pd.DataFrame:
        """Monte Carlo standard errors of `rank_probabilities`.

        Parameters
        ----------
        by, rope
            As for `rank_probabilities`.

        Returns
        -------
        DataFrame of shape (L, L)

        See Also
        --------
        bayescmp.frequentist.anova, bayescmp.frequentist.manova

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> bool((posterior.rank_errors() < 0.01).all(axis=None))
        True
        """
        scores = self._scores(by, rope)
        ranks = range(1, len(self.algorithms) + 1)
        errors = [self._share_errors(holders(scores, rank)) for rank in ranks]
        return self._rank_table(np.stack(errors, axis=1))

    def ranking(
        self, by: str | ArrayLike | None = None, *, rope: RopesLike | None = None
    ) -> pd.DataFrame:
        """The algorithms ranked, the best expected rank first.

        Parameters
        ----------
        by, rope
            As for `rank_probabilities`.

        Returns
        -------
        DataFrame
            One row per algorithm: expected_rank, p_best (shared where algorithms tie) and with
            several metrics p_undominated, the probability that no other practically dominates it;
            se_rank, se_best and se_undominated are their Monte Carlo standard errors.

        See Also
        --------
        bayescmp.frequentist.anova, bayescmp.frequentist.manova

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> posterior.ranking()["expected_rank"].round(1).to_dict()
        {'gbm': 1.0, 'svm': 2.1, 'knn': 2.9}
        """
        import pandas as pd

        scores = self._scores(by, rope)
        ranks, best = mean_ranks(scores), holders(scores, 1)
        columns = {
            "expected_rank": ranks.mean(axis=0),
            "se_rank": mean_errors(self._by_chain(ranks), independent=self.exact),
            "p_best": best.mean(axis=0),
            "se_best": self._share_errors(best),
        }
        if self.p > 1:
            _, losses = dominance(self.effects, self.ropes(rope))
            undominated = (losses == 0).astype(float)
            columns["p_undominated"] = undominated.mean(axis=0)
            columns["se_undominated"] = self._share_errors(undominated)
        table = pd.DataFrame(columns, index=pd.Index(self.algorithms, name="algorithm"))
        return table.sort_values("expected_rank", kind="stable")

    def p_best(self, by: str | ArrayLike | None = None) -> dict[str, float]:
        """Probability that each algorithm is the best.

        Parameters
        ----------
        by
            As for `rank_probabilities`.

        See Also
        --------
        bayescmp.frequentist.anova, bayescmp.frequentist.manova

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> posterior.p_best()["gbm"] > 0.99
        True
        """
        shares = holders(self._scores(by, None), 1).mean(axis=0)
        return {name: float(p) for name, p in zip(self.algorithms, shares, strict=True)}

    def _scores(self, by: str | ArrayLike | None, rope: RopesLike | None) -> np.ndarray:
        """What is ranked, draw by draw: (N, L)."""
        return ranked_scores(self.effects, self.metrics, self.ropes(rope), by)

    def _rank_table(self, values: np.ndarray) -> pd.DataFrame:
        import pandas as pd

        index = pd.Index(self.algorithms, name="algorithm")
        columns = pd.Index(range(1, len(self.algorithms) + 1), name="rank")
        return pd.DataFrame(values, index=index, columns=columns)

    def _share_errors(self, shares: np.ndarray) -> np.ndarray:
        """Monte Carlo standard errors of the means of shares, one per column."""
        return share_errors(self._by_chain(shares), independent=self.exact)

    def _by_chain(self, values: np.ndarray) -> np.ndarray:
        """Numbers of all draws, (N, m), as (chain, draw, m)."""
        chains, draws = self.draws["tau"].shape[:2]
        return values.reshape(chains, draws, -1).astype(float)

    # -- telling -------------------------------------------------------------------------------

    def summary(self) -> pd.DataFrame:
        """Effects of the algorithms, higher the better: mean, sd, median, 95 % interval.

        See Also
        --------
        bayescmp.frequentist.anova, bayescmp.frequentist.manova

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> posterior.summary()["mean"].round(2).to_dict()
        {('knn', 'm1'): -0.03, ('svm', 'm1'): -0.02, ('gbm', 'm1'): 0.06}
        """
        import pandas as pd

        rows = {
            (a, m): summarise(self.draws["tau"][..., i, j])
            for i, a in enumerate(self.algorithms)
            for j, m in enumerate(self.metrics)
        }
        return headed(
            pd.DataFrame.from_dict(rows, orient="index").rename_axis(["algorithm", "metric"]),
            self.measured,
        )

    @property
    def pairs(self) -> list[Pair]:
        """All pairs (first, second), in the algorithms' order."""
        return list(combinations(self.algorithms, 2))

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
            {
                "first": a,
                "second": b,
                **{f"p_{r}": p for r, p in v.probabilities.items()},
                **{f"se_{r}": e for r, e in v.errors.items()},
                "decision": v.decision,
                "most_probable": v.ranked[0],
                "evidence": v.evidence,
            }
            for (a, b), v in self.verdicts(rope, threshold=threshold).items()
        ]
        return pd.DataFrame(rows)

    def joint(
        self, outcomes: Mapping[Pair, str] | None = None, rope: RopesLike | None = None
    ) -> float:
        """Probability that the outcomes of several pairs all hold.

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

    def _place(self, name: str) -> int:
        checks.choice("algorithm", name, self.algorithms)
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

    def figure_size(self) -> tuple[float, float]:
        """Width and height in inches that `plot` needs."""
        size: tuple[float, float] = answerer("size of rank probabilities")(self)
        return size

    def exhibit(self) -> Exhibit:
        """Which ranks first, which pairs are decided, and how all of them rank."""
        import pandas as pd

        verdicts = self.verdicts()
        table, by = self.ranking(), self.metrics[0] if self.p == 1 else "dominance"
        decided = [headline(v) for v in verdicts.values() if v.decision in DECISIONS]
        counts = f"{len(decided)} of {counted(len(self.pairs), 'pair')} decided"
        if decided:
            joint = f"{probability(self.joint())} {plus_minus(self.joint_error())}".rstrip()
            more = f"; and {len(decided) - 6} more" if len(decided) > 6 else ""
            counts += f", all at once with probability {joint}: {'; '.join(decided[:6])}{more}"
        shown = {
            "": cut_all(table.index, 24),
            "expected rank": [f"{rank:.1f}" for rank in table["expected_rank"]],
            "best": [probability(p) for p in table["p_best"]],
        }
        ropes = ropes_in_words(self.ropes(), self.metrics)
        measured = listed(self.metrics, self.directions)
        return Exhibit(
            f"{table.index[0]} ranks first by {by}",
            pd.DataFrame(shown),
            self._doubts(),
            "groups",
            setting=f"{measured}, {f'rope {ropes}' if ropes else 'no rope'}",
            sentences=[f"{counts}."],
            legend="best: probability of being the best",
            method="; ".join(self._how()),
            more="more: .verdict(a, b), .ranking(), .plot(), .sensitivity()",
        )

    @property
    def method(self) -> str:
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

    # -- other metrics: some of them, linear combinations, learned measures ---------------------

    @property
    def inflation(self) -> float:
        """The factor c = 1/n + rho/(1 − rho) of the variance of a mean over folds."""
        return inflation(self.x.shape[1], self.rho)

    @property
    @abstractmethod
    def within(self) -> np.ndarray:
        """Covariance of the errors within algorithms, shape (p, p)."""

    @abstractmethod
    def _mapped(self, M: np.ndarray) -> dict[str, Any]:
        """Fields of its own, of linear combinations M of the metrics."""

    def transform(
        self, matrix: ArrayLike, *, metrics: Sequence[str] | None = None, rope: RopesLike = 0.0
    ) -> Self:
        """Posterior of linear combinations of the metrics, exactly; of draws those of each draw.

        Parameters
        ----------
        matrix : array_like of shape (k, p)
            One row per new metric, of metrics that are higher the better.
        metrics : sequence of str, optional
            Names of the k new metrics.
        rope : float, sequence or mapping
            Their regions of practical equivalence.

        See Also
        --------
        bayescmp.frequentist.learned_measures

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.bayesian import groups
        >>> x = np.random.default_rng(1).normal([0.7, 0.8], 0.01, size=(3, 10, 2))
        >>> x[2] += 0.05
        >>> posterior = groups(x, ["tpr", "auc"], rho=0.1, rope=0.01, seed=1)
        >>> mean = posterior.transform([[0.5, 0.5]], metrics=["mean"], rope=0.01)
        >>> mean.verdict("A1", "A3").decision
        'second'
        """
        M = as_matrix(matrix, self.p, 2)
        names = as_names(metrics, len(M))
        return replace(
            self,
            x=self.x @ M.T,
            metrics=names,
            metric=", ".join(names),
            rope=as_ropes(rope, names),
            **self._mapped(M),
        )

    def select(self, metrics: Sequence[str] | str) -> Self:
        """The posterior of some of the metrics, with their ropes, in the order given.

        See Also
        --------
        bayescmp.frequentist.learned_measures

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.bayesian import groups
        >>> x = np.random.default_rng(1).normal([0.7, 0.8], 0.01, size=(3, 10, 2))
        >>> x[2] += 0.05
        >>> posterior = groups(x, ["tpr", "auc"], rho=0.1, rope=0.01, seed=1)
        >>> posterior.select("auc").metrics
        ('auc',)
        """
        wanted = [metrics] if isinstance(metrics, str) else list(metrics)
        if not wanted:
            raise InputError(f"metrics is empty; known: {', '.join(map(repr, self.metrics))}")
        ropes = dict(zip(self.metrics, self.ropes(), strict=True))
        columns = [self._metric(m) for m in wanted]
        chosen = [ropes[m] for m in wanted]
        return self.transform(np.eye(self.p)[columns], metrics=wanted, rope=chosen)

    def learned(self, k: int | None = None, *, rope: RopesLike = 0.0) -> Self:
        """Posterior on learned measures: the combinations that separate the algorithms most.

        Eigenvectors of E⁻¹H as `bayescmp.frequentist.learned_measures` finds them, for
        standardised metrics, each with its sign chosen so that its weights sum to at least zero:
        on the whole, more of it is better. They were learned from the same scores, so verdicts on
        them are somewhat overconfident of a difference.

        Parameters
        ----------
        k : int, optional
            How many; all if not given.
        rope : float, sequence or mapping
            Their regions of practical equivalence, in standard deviations within algorithms.

        Raises
        ------
        InputError
            If k is under 1, or more than there are.

        See Also
        --------
        bayescmp.frequentist.learned_measures

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.bayesian import groups
        >>> x = np.random.default_rng(1).normal([0.7, 0.8], 0.01, size=(3, 10, 2))
        >>> x[2] += 0.05
        >>> posterior = groups(x, ["tpr", "auc"], rho=0.1, rope=0.01, seed=1)
        >>> posterior.learned(1, rope=0.5).ranking().index[0]
        'A3'
        """
        measures = self._measures()
        count = len(measures) if k is None else checks.whole("k", k)
        if count > len(measures):
            raise InputError(f"k={k!r}; accepted: at most {len(measures)}, there are no more")
        weights = measures[:count]
        names = [f"M{j + 1}" for j in range(len(weights))]
        formulas = [
            f"{m} = {_sum_of(w, self.metrics)}" for m, w in zip(names, weights, strict=True)
        ]
        note = "learned from the same scores: verdicts on them are too sure of a difference"
        learned = self.transform(weights, metrics=names, rope=rope)
        return replace(learned, notes=(*self.notes, *formulas, note))

    def _measures(self) -> np.ndarray:
        """Learned measures as rows, of unit standard deviation within algorithms."""
        from bayescmp.frequentist.multivariate_groups import learned_measures

        blocks = Blocks(
            self.x,
            rho=self.rho,
            algorithms=self.algorithms,
            metrics=self.metrics,
            lower_is_better=[False] * self.p,
        )
        measures = learned_measures(blocks, block=True, rho=self.rho)
        within, w = self.within, measures.weights
        w = w / np.sqrt(np.einsum("is,ij,js->s", w, within, w))
        standardised = w * np.sqrt(np.diag(within))[:, None]
        return np.asarray((w * np.where(standardised.sum(axis=0) < 0, -1.0, 1.0)).T)

    def _metric(self, name: str) -> int:
        checks.choice("metric", name, self.metrics)
        return self.metrics.index(name)


def _sum_of(weights: np.ndarray, metrics: Sequence[str]) -> str:
    """A weighted sum in words."""
    return " ".join(f"{w:+.3g}·{m}" for w, m in zip(weights, metrics, strict=True))


def errors_of(x: np.ndarray) -> np.ndarray:
    """Deviations from algorithms' and folds' means, x_ij − x̄_i − x̄_j + x̄, shape (L·n, p)."""
    deviation = x - x.mean(axis=1, keepdims=True)
    return np.asarray((deviation - deviation.mean(axis=0)).reshape(-1, x.shape[-1]))
