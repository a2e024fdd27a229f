"""Posteriors of several algorithms on one data set: effects, ranks, pairs, joint statements."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from bayescmp.base import checks
from bayescmp.base.arguments import must, must_be
from bayescmp.base.checks import number, validate_params
from bayescmp.base.fields import about
from bayescmp.base.magnitudes import TIED
from bayescmp.base.records import read_only
from bayescmp.base.typing import Json, Pair
from bayescmp.bayesian.joint.clouds import rank_points
from bayescmp.bayesian.multivariate.base import as_matrix, as_names, find_columns, name_chosen
from bayescmp.bayesian.regions import region_index, sides
from bayescmp.bayesian.sampling import ONE_DATA_SET
from bayescmp.errors import InputError, unknown_name
from bayescmp.results.arviz import summarise_draws, summary_frame
from bayescmp.results.diagnostics import mean_errors, share_errors
from bayescmp.results.ladder import Ladder, maximal_cliques
from bayescmp.results.plan import POWER, ItemPlan, QuestionDifference
from bayescmp.results.posterior import Fitted, Posterior
from bayescmp.results.scoreboard import draw_unvaried, find_ends, tabulate_board
from bayescmp.results.verdict import Verdict, check_threshold
from bayescmp.scores.blocks import Blocks
from bayescmp.scores.metrics import bounds_of
from bayescmp.scores.resampling import inflation
from bayescmp.scores.rope import RopeLike, Ropes, RopesLike, as_ropes
from bayescmp.wording.text import (
    format_count,
)

if TYPE_CHECKING:
    from typing import Self


# Ranks of several algorithms, and dominance between them, from draws of their effects: each
# probability is a proportion of the draws, or a mean over them.

#: The ranking by several metrics unless a metric or weights are given.
DOMINANCE = "dominance"


def ranked_scores(
    effects: np.ndarray, metrics: Sequence[str], ropes: Ropes, by: object = None
) -> np.ndarray:
    """Return what algorithms are ranked by, draw by draw: (N, L), higher is better.

    `effects` are (N, L, p), higher is better. `by` is a metric, "dominance" (wins minus losses,
    only with several metrics; their default), or weights (p,) of the metrics.
    """
    several = len(metrics) > 1
    if by is None:
        by = DOMINANCE if several else metrics[0]
    if isinstance(by, str):
        if by in metrics:
            return np.asarray(effects[..., list(metrics).index(by)])
        if by != DOMINANCE or not several:
            known = [*metrics, DOMINANCE] if several else metrics
            raise unknown_name("metric to rank by", by, known, "by")
        wins, losses = dominance(effects, ropes)
        return np.asarray(wins - losses)
    weights = checks.read_numbers(by, "by", "a metric, 'dominance', or weights")
    if weights.shape != (len(metrics),) or not np.all(np.isfinite(weights)):
        raise must_be("by", f"a metric, 'dominance', or {len(metrics)} weights", by)
    return np.asarray(effects @ weights)


def holders(scores: np.ndarray, rank: int) -> np.ndarray:
    """Return each algorithm's share in a rank, shared by ties, draw by draw: (N, L)."""
    above, tied = rank_points(scores)
    return np.asarray(((above < rank) & (rank <= above + tied)) / tied)


def rank_shares(scores: np.ndarray) -> np.ndarray:
    """Return the share of draws, (L, L), in which each algorithm has rank 1, 2, ..., L."""
    above, tied = rank_points(scores)
    ranks = range(1, scores.shape[1] + 1)
    held = [np.mean(((above < r) & (r <= above + tied)) / tied, axis=0) for r in ranks]
    return np.stack(held, axis=1)


def mean_ranks(scores: np.ndarray) -> np.ndarray:
    """Return each rank in each draw, (N, L), 1 being the best; tied ones get their mean rank."""
    above, tied = rank_points(scores)
    return np.asarray(above + (tied + 1) / 2)


def dominance(effects: np.ndarray, ropes: Ropes) -> tuple[np.ndarray, np.ndarray]:
    """Return how many others each algorithm dominates, and by how many it is, (N, L) each.

    Algorithm i dominates j if it is practically better in at least one metric and practically
    worse in none; effects are (N, L, p). The farther finite bound of a ROPE is used on both sides.
    """
    ropes, (n, size, _) = Ropes(rope.size for rope in ropes), effects.shape
    wins, losses = np.zeros((n, size), dtype=int), np.zeros((n, size), dtype=int)
    for i in range(size):
        for j in range(i + 1, size):
            worse, better = sides(effects[:, j] - effects[:, i], ropes)
            second, first = better & ~worse, worse & ~better
            wins[:, j] += second
            losses[:, i] += second
            wins[:, i] += first
            losses[:, j] += first
    return wins, losses


def pair_regions(effects: np.ndarray, pairs: np.ndarray, ropes: Ropes) -> np.ndarray:
    """Return the region of each pair's difference, as an index into the four `REGIONS`: (N, m)."""
    regions = np.empty((len(effects), len(pairs)), dtype=np.int8)
    for k, (i, j) in enumerate(pairs):
        worse, better = sides(effects[:, j] - effects[:, i], ropes)
        regions[:, k] = worse + 2 * better.astype(np.int8)
    return regions


def joint_equivalence(effects: np.ndarray, members: Sequence[int], ropes: Ropes) -> np.ndarray:
    """Return whether all members are equivalent at once, (N,); never with a ROPE of 0."""
    within = np.full(len(effects), not ropes.empty)
    ordered = sorted(members)  # a pair's difference is second minus first, as ROPEs have it
    for a, i in enumerate(ordered):
        for j in ordered[a + 1 :]:
            worse, better = sides(effects[:, j] - effects[:, i], ropes)
            within &= ~(worse | better)
    return within


# The posterior: effects, ranks, pairs, joint statements.

#: Why nothing is planned of clusters.
CLUSTERS = (
    "It has the means of clusters, not how many questions are in each. The posteriors of "
    "bayescmp.bayesian.question_bootstrap, of Items.group(), and of bayescmp.compare of two "
    "models have .plan()."
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class GroupsPosterior(Fitted):
    """Posterior of the effects of L algorithms in p metrics on one data set, pair by pair.

    Effects are deviations from the mean of all algorithms, higher is better.

    Attributes
    ----------
    names, metrics : tuple of str
        The L algorithms and the p metrics.
    rope : Ropes
        One per metric.
    dataset : str
        Name of the data set; "" if it has none.
    x : ndarray of shape (L, n, p)
        The scores, higher is better.
    rho : float
        Correlation of two folds.
    """

    rope: Ropes
    dataset: str
    x: np.ndarray = field(metadata=about("algorithm", "fold", "metric"))
    rho: float = field(metadata=about(least=0, below=1))

    @property
    def data_text(self) -> str:
        """The size of the data in words: "10 folds"."""
        return format_count(self.x.shape[1], self.sample)

    @cached_property
    def effects(self) -> np.ndarray:
        """Draws of the effects, chains one after the other: shape (N, L, p)."""
        tau = self.draws["tau"]
        return read_only(np.asarray(tau.reshape(-1, *tau.shape[2:])))

    @property
    def is_centred(self) -> bool:
        """Whether the means of `summary` are of differences from the mean of all algorithms."""
        return True

    # Leaderboards of questions.

    @property
    def is_board(self) -> bool:
        """Whether mean scores over the questions of a benchmark are compared, by one metric."""
        return self.unit == "benchmark" and self.p == 1 and self.rho == 0

    @validate_params(power=number(0, 1))
    def scoreboard(
        self, *, rope: RopeLike | None = None, threshold: float = 0.95, power: float = POWER
    ) -> pd.DataFrame:
        """Tabulate each model's mean, the first one's lead over it, and what would separate them.

        Parameters and columns are those of `QuestionsPosterior.scoreboard`. Intervals of means are
        Student's t over the questions (or clusters), for each model separately.

        Raises
        ------
        InputError
            If the posterior is not about questions, or about several metrics; bad options.
        """
        if not self.is_board:
            raise InputError(
                "A scoreboard must be of one metric's scores of questions "
                f"(got {self.data_text} and {format_count(self.p, 'metric')}). Use ranking()."
            )
        return tabulate_board(self, rope, check_threshold(threshold), power)

    @property
    def about(self) -> str:
        """What a leaderboard is about, in words."""
        return f"on new {self.sample}s"

    @property
    def sign(self) -> float:
        """1 if higher is better by the first metric, otherwise -1."""
        return self.directions[0].sign if self.directions else 1.0

    def levels(self) -> pd.DataFrame:
        """Return each model's mean, with the bounds low and high of its 95% interval."""
        x = self.sign * self.x[..., 0]
        n, mean = x.shape[1], x.mean(axis=1)
        half = stdtrit(n - 1, 0.975) * x.std(axis=1, ddof=1) / np.sqrt(n)
        low, high = np.clip([mean - half, mean + half], *bounds_of(self.metrics[0], x))
        table = pd.DataFrame({"mean": mean, "low": low, "high": high}, index=[*self.algorithms])
        size, ends = len(self.effects), find_ends(self.metrics[0], x)
        for name in table.index[np.ptp(x, axis=1) <= TIED * np.abs(x).max(axis=1)]:
            drawn = draw_unvaried(table["mean"][name], ends, n, size, self.seed)
            table.loc[name, ["low", "high"]] = np.quantile(drawn, [0.025, 0.975])
        return table

    def first_places(self) -> dict[str, float]:
        """Return each model's probability of being the best, as in `p_best`."""
        return self.p_best()

    def difference_of(self, first: str, second: str) -> QuestionDifference:
        """Return mean and variance of two models' difference, and the number of questions.

        Refused are folds, clusters, and a difference that does not vary.
        """
        i, j = self._pair(first, second)
        d = self.effects[:, j, 0] - self.effects[:, i, 0]
        if self.unplanned:
            raise InputError(self.unplanned)
        names = self.algorithms[i], self.algorithms[j]
        return QuestionDifference(names, float(d.mean()), float(d.var()), self.x.shape[1])

    @property
    def unplanned(self) -> str:
        """Why there is no plan, and what to do instead; "" of questions."""
        if not self.is_board:
            return ONE_DATA_SET.format(p=self)
        return CLUSTERS if self.sample == "cluster" else ""

    def plan(
        self, first: str | None = None, second: str | None = None, **options: Any
    ) -> ItemPlan:
        """Predict how many more questions, or answers to each, decide the verdict on a pair.

        Parameters
        ----------
        first, second : str, optional
            The two models; the first two of `scoreboard` if not given.
        **options
            Those of `ItemPosterior.plan`.

        Returns
        -------
        ItemPlan

        Raises
        ------
        InputError
            Folds instead of questions, clusters, unknown names, numbers outside their ranges.
        """
        if self.unplanned:
            return super().plan()
        from bayescmp.study.planning.means import plan_of_board

        return plan_of_board(self, first, second, **options)

    # Ranks.

    def rank_probabilities(
        self, by: str | ArrayLike | None = None, *, rope: RopesLike | None = None
    ) -> pd.DataFrame:
        """Return the probability of every rank, 1 being the best, (L, L): algorithms by ranks.

        Parameters
        ----------
        by : str or array_like of shape (p,), optional
            A metric, or weights of the metrics; by default the only metric, or "dominance": how
            many others an algorithm practically dominates, minus how many dominate it. Ties share
            ranks.
        rope : float, sequence or mapping, optional
            For dominance, other regions. The farther finite bound is used on both sides.
        """
        return self._rank_table(rank_shares(self._scores(by, rope)))

    def rank_errors(
        self, by: str | ArrayLike | None = None, *, rope: RopesLike | None = None
    ) -> pd.DataFrame:
        """Return Monte Carlo errors of `rank_probabilities`, in a frame of the same shape."""
        scores = self._scores(by, rope)
        ranks = range(1, len(self.algorithms) + 1)
        errors = [self._share_errors(holders(scores, rank)) for rank in ranks]
        return self._rank_table(np.stack(errors, axis=1))

    def ranking(
        self, by: str | ArrayLike | None = None, *, rope: RopesLike | None = None
    ) -> pd.DataFrame:
        """Rank the algorithms, the best expected rank first, by what `rank_probabilities` takes.

        The frame has one row per algorithm: expected_rank, p_best (ties share) and with several
        metrics p_undominated, the probability that no other practically dominates it; se_rank,
        se_best and se_undominated are Monte Carlo standard errors.
        """
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
        """Return each algorithm's P(best); ``by`` as for `rank_probabilities`."""
        return self._by_name(holders(self._scores(by, None), 1).mean(axis=0))

    def _scores(self, by: str | ArrayLike | None, rope: RopesLike | None) -> np.ndarray:
        """Return what is ranked, draw by draw: (N, L)."""
        return ranked_scores(self.effects, self.metrics, self.ropes(rope), by)

    def _share_errors(self, shares: np.ndarray) -> np.ndarray:
        """Return the Monte Carlo standard errors of the means of shares, one per column."""
        return share_errors(self._by_chain(shares), independent=self.exact)

    def _by_chain(self, values: np.ndarray) -> np.ndarray:
        """Return numbers of all draws, (N, m), as (chain, draw, m)."""
        chains, draws = self.draws["tau"].shape[:2]
        return values.reshape(chains, draws, -1).astype(float)

    def summary(self) -> pd.DataFrame:
        """Return effects of the algorithms, higher is better: mean, sd, median, 95% interval."""
        rows = {
            (a, m): summarise_draws(self.draws["tau"][..., i, j])
            for i, a in enumerate(self.algorithms)
            for j, m in enumerate(self.metrics)
        }
        return summary_frame(rows, self.measured).rename_axis(["algorithm", "metric"])

    @abstractmethod
    def pair(self, first: str, second: str) -> Posterior:
        """Return the posterior of the difference of two algorithms, second minus first."""

    def verdict(
        self,
        first: str | None = None,
        second: str | None = None,
        *,
        rope: RopesLike | None = None,
        threshold: float = 0.95,
    ) -> Verdict:
        """Return the verdict on two algorithms, in either order.

        Parameters
        ----------
        first, second : str, optional
            May be left out if there are only two.
        rope, threshold : optional
            Regions to use instead of the posterior's; the probability at which one is decided for.

        Returns
        -------
        Verdict
            Over three regions with one metric, over four with several.
        """
        i, j = self._pair(first, second)
        names, ropes = (self.algorithms[i], self.algorithms[j]), self.ropes(rope)
        verdict = self._decide(*names, ropes, check_threshold(threshold))
        if self.p > 1 or not ropes[0].empty:
            return verdict
        return replace(verdict, limits=self.pair(*names).rope_limits(threshold))

    def _all_verdicts(self, ropes: Ropes, threshold: float) -> dict[Pair, Verdict]:
        return {pair: self._decide(*pair, ropes, threshold) for pair in self.pairs}

    def _decide(self, first: str, second: str, ropes: Ropes, threshold: float) -> Verdict:
        """One pair's verdict: over three regions with one metric, over four with several."""
        region = ropes[0] if self.p == 1 else ropes
        return self.pair(first, second).verdict_without_limits(region, threshold=threshold)

    def joint(
        self, outcomes: Mapping[Pair, str] | None = None, rope: RopesLike | None = None
    ) -> float:
        """Return the share of joint draws in which the outcomes of several pairs are all true.

        Parameters
        ----------
        outcomes : mapping of (first, second) to str, optional
            "equivalent", "first", "second", "trade-off" or "not worse"; by default the decided
            verdicts of all pairs, with the probability that none of them is wrong.
        rope : float, sequence or mapping, optional
            Other regions than the posterior's.
        """
        return float(self._hold(outcomes, rope).mean())

    def joint_error(
        self, outcomes: Mapping[Pair, str] | None = None, rope: RopesLike | None = None
    ) -> float:
        """Return the Monte Carlo standard error of `joint`, for the same outcomes."""
        return float(self._share_errors(self._hold(outcomes, rope)[:, None])[0])

    def _hold(self, outcomes: Mapping[Pair, str] | None, rope: RopesLike | None) -> np.ndarray:
        ropes = self.ropes(rope)
        if not isinstance(outcomes, Mapping | None) or any(
            not isinstance(pair, tuple) or len(pair) != 2 for pair in outcomes or ()
        ):
            raise must_be("outcomes", "a mapping of pairs (first, second) to decisions", outcomes)
        if outcomes is None:
            outcomes = {k: v.decision for k, v in self.verdicts(ropes).items() if v.decided}
        if not outcomes:
            return np.ones(len(self.effects), dtype=bool)
        pairs = np.array([self._pair(*pair) for pair in outcomes])
        wanted = [region_index(outcome) for outcome in outcomes.values()]
        regions = pair_regions(self.effects, pairs, ropes)
        return np.asarray(np.all(regions == np.array(wanted), axis=1))

    def _pair(self, first: str | None, second: str | None) -> tuple[int, int]:
        if first is None and second is None and len(self.algorithms) == 2:
            return 0, 1
        if first is None or second is None:
            raise must(
                "first",
                "be given with second",
                hint=f"There are {', '.join(map(repr, self.algorithms))}.",
            )
        return self._places(first, second)

    # Pairs.

    def cliques(self, rope: RopesLike | None = None, *, threshold: float = 0.95) -> pd.DataFrame:
        """Return the largest sets of algorithms in which every two are practically equivalent.

        Parameters
        ----------
        rope, threshold : optional
            Other regions than the posterior's own; the probability of equivalence that every pair
            of a set reaches.

        Returns
        -------
        DataFrame
            members; joint, the probability that they are all equivalent at once, which is smaller
            than any pair's probability; se_joint, its Monte Carlo standard error. Sets may
            overlap; none has a single member.

        See Also
        --------
        bayescmp.frequentist.pairwise_hotelling : Its result has ``cliques()`` too.
        """
        ropes, size = self.ropes(rope), len(self.algorithms)
        alike = np.zeros((size, size), dtype=bool)
        for pair, verdict in self.verdicts(rope, threshold=threshold).items():
            i, j = self._pair(*pair)
            alike[i, j] = alike[j, i] = verdict.decision == "equivalent"
        rows = []
        for members in maximal_cliques(alike):
            at_once = joint_equivalence(self.effects, members, ropes)
            names = tuple(self.algorithms[i] for i in members)
            rows.append((names, at_once.mean(), self._share_errors(at_once[:, None])[0]))
        return pd.DataFrame(rows, columns=["members", "joint", "se_joint"])

    def ladder(self) -> Ladder:
        """Return the algorithms in order of expected rank, with the verdict on each pair."""
        cliques = self.cliques()
        joint = {
            frozenset(m): p for m, p in zip(cliques["members"], cliques["joint"], strict=True)
        }
        return Ladder.from_verdicts(
            tuple(self.ranking().index),
            lambda a, b: self.verdict(a, b),
            lambda members: float(joint[frozenset(members)]),
        )

    def intervals(self, prob: float = 0.95) -> pd.DataFrame:
        """Return central intervals of every pair's difference in every metric, second minus first.

        Parameters
        ----------
        prob : float
            Probability within an interval, between 0 and 1, exclusive.

        Returns
        -------
        DataFrame
            mean, low and high, indexed by first, second and metric.
        """
        prob = checks.check_level(prob, "prob")
        rows = {
            (*pair, metric): ends
            for pair in self.pairs
            for metric, ends in zip(self.metrics, self._interval(*pair, prob), strict=True)
        }
        table = pd.DataFrame.from_dict(rows, orient="index", columns=["mean", "low", "high"])
        table.index = pd.MultiIndex.from_tuples(table.index, names=["first", "second", "metric"])
        return table

    def _interval(self, first: str, second: str, prob: float) -> np.ndarray:
        """Return mean and bounds of each metric's difference, shape (p, 3)."""
        i, j = self._pair(first, second)
        d = self.effects[:, j] - self.effects[:, i]
        low, high = np.quantile(d, [(1 - prob) / 2, (1 + prob) / 2], axis=0)
        return np.stack([d.mean(axis=0), low, high], axis=1)

    def figure_size(self) -> tuple[float, float]:
        """Return the width and height, in inches, of the figure that `plot` needs."""
        from bayescmp.plots.ranks import ranks_size

        return ranks_size(self)

    def name_criterion(self, by: object) -> str:
        """Name what ranks the algorithms."""
        if by is None:
            return self.metrics[0] if self.p == 1 else "dominance"
        return by if isinstance(by, str) else "the weights given"

    @property
    def method(self) -> str:
        """The fitted model in words; with one metric it is an analysis of variance."""
        return "Bayesian blocked MANOVA" if self.p > 1 else "Bayesian blocked ANOVA"

    def _common_fields(self, first: str, second: str) -> Json:
        """Return what the posterior of a pair shares with this one."""
        all_of_them = format_count(len(self.algorithms), self.subject)
        kept = ("dataset", "rho", "notes", "subject", "sample")
        return {
            "names": (first, second),
            **{name: getattr(self, name) for name in kept},
            **self.computation,
            **self.described(),
            "metric": ", ".join(self.metrics),
            "source": f"{self.method} of {all_of_them}, {self.reference}",
        }

    # Other metrics: some of them, linear combinations, learned measures.

    @property
    def inflation(self) -> float:
        """The factor c = 1/n + rho/(1 − rho) of the variance of a mean over folds."""
        return inflation(self.x.shape[1], self.rho)

    @property
    @abstractmethod
    def within(self) -> np.ndarray:
        """Covariance of the errors within algorithms, shape (p, p)."""

    @abstractmethod
    def _map_fields(self, M: np.ndarray) -> dict[str, Any]:
        """Return the posterior's own fields for linear combinations M of the metrics."""

    def transform(
        self, matrix: ArrayLike, *, metrics: Sequence[str] | None = None, rope: RopesLike = 0.0
    ) -> Self:
        """Return the posterior of linear combinations of the metrics: exact, or draw by draw.

        Parameters
        ----------
        matrix : array_like of shape (k, p)
            One row per new metric, of metrics oriented so that higher is better.
        metrics : sequence of str, optional
            Names of the k new metrics.
        rope : float, sequence or mapping
            Their regions of practical equivalence.
        """
        M = as_matrix("matrix", matrix, self.p, 2)
        names = as_names(metrics, len(M))
        return replace(
            self,
            x=self.x @ M.T,
            metrics=names,
            metric=", ".join(names),
            rope=as_ropes(rope, names),
            **self._map_fields(M),
        )

    def select(self, metrics: Sequence[str] | str) -> Self:
        """Return the posterior of some of the metrics, with their ROPEs, in the order given."""
        columns = find_columns(metrics, self.metrics)
        own = name_chosen(self, columns)
        return self.transform(np.eye(self.p)[columns], metrics=own["metrics"], rope=own["rope"])

    def learned(self, k: int | None = None, *, rope: RopesLike = 0.0) -> Self:
        """Return the posterior on the combinations of metrics that separate the algorithms most.

        Eigenvectors of E⁻¹H as `bayescmp.frequentist.learned_measures` finds them, for
        standardised metrics, each with its sign chosen so that its weights sum to at least zero:
        on the whole, more of it is better. They were learned from the same scores, so verdicts on
        them are somewhat overconfident of a difference.

        Parameters
        ----------
        k : int, optional
            How many, at least 1; all if not given.
        rope : float, sequence or mapping
            Their regions of practical equivalence, in standard deviations within algorithms.
        """
        measures = self._measures()
        count = len(measures) if k is None else checks.check_whole("k", k)
        if count > len(measures):
            raise must_be("k", f"at most {len(measures)}, there are no more", k)
        weights = measures[:count]
        names = [f"M{j + 1}" for j in range(len(weights))]
        formulas = [
            f"{m} = {_sum_of(w, self.metrics)}" for m, w in zip(names, weights, strict=True)
        ]
        note = (
            "learned from the same scores: verdicts on them are overconfident about a difference"
        )
        learned = self.transform(weights, metrics=names, rope=rope)
        return replace(learned, notes=(*self.notes, *formulas, note))

    def _measures(self) -> np.ndarray:
        """Return learned measures as rows, of unit standard deviation within algorithms."""
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


def _sum_of(weights: np.ndarray, metrics: Sequence[str]) -> str:
    """Write a weighted sum in words."""
    return " ".join(f"{w:+.3g}·{m}" for w, m in zip(weights, metrics, strict=True))


def errors_of(x: np.ndarray) -> np.ndarray:
    """Deviations from algorithms' and folds' means, x_ij − x̄_i − x̄_j + x̄, shape (L·n, p)."""
    deviation = x - x.mean(axis=1, keepdims=True)
    return np.asarray((deviation - deviation.mean(axis=0)).reshape(-1, x.shape[-1]))
