"""Standings of several algorithms by one joint posterior: first places, ranks, sets, pairs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from bayescmp.base import checks
from bayescmp.base.checks import number, validate_params
from bayescmp.base.magnitudes import TIED
from bayescmp.base.typing import Pair
from bayescmp.bayesian.joint.clouds import (
    Cloud,
    Standing,
    choose,
    errors_of,
    masses_of,
    rank_intervals,
    standing_of,
)
from bayescmp.bayesian.joint.table import as_shared_rope
from bayescmp.bayesian.regions import locate_draws
from bayescmp.errors import InputError
from bayescmp.present.summary import summarise
from bayescmp.results.arviz import summarise_draws, summary_frame
from bayescmp.results.diagnostics import share_errors
from bayescmp.results.ladder import Ladder, WinnerScore
from bayescmp.results.plan import POWER, QuestionDifference
from bayescmp.results.posterior import CHAINS, Fitted, Model, split_mass
from bayescmp.results.scoreboard import tabulate_board
from bayescmp.results.verdict import (
    DatasetSpread,
    IfKnown,
    Verdict,
    check_threshold,
    lead_of,
    winners,
)
from bayescmp.scores.rope import Rope, RopeLike

# A test of several algorithms, as data.


#: Subjects of a statement: a new data set, or the average over data sets.
NEXT, AVERAGE = "next", "average"


@dataclass(frozen=True, kw_only=True)
class StandingsModel(Model):
    """A test of the standings of several algorithms, as data.

    `targets` are the subjects of its statements, the main one first, `spoken` their names, with
    ``{unit}`` for "data set" or "benchmark". `shrinks` is whether a prior pulls extreme estimates
    in, `caveat` a sentence on its P(best) (or empty), `within` the quantity that lies within the
    ROPE, `counted` the observed units if not data sets: "matches" or "rankings".
    """

    rows: str = "datasets"
    picture: str = "plot_best"
    targets: tuple[str, ...] = (NEXT, AVERAGE)
    spoken: Mapping[str, str] = field(
        default_factory=lambda: {NEXT: "on a new {unit}", AVERAGE: "on average over {unit}s"},
        hash=False,
    )
    shrinks: bool = False
    caveat: str = ""
    within: str = "differences"
    counted: str = ""


# Shared parts of posteriors of several algorithms on several data sets: standings and pairs.


#: Pairs whose masses are computed at a time.
PAIRS_AT_ONCE = 400


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class StandingsPosterior(Fitted):
    """Standings of several algorithms on a new data set, and on average over data sets.

    The one that is best on average may be beaten on most data sets. All statements come from the
    same draws, so that first places, ranks, sets and pairs agree. In all methods, ``on`` chooses a
    new data set ("next") or the "average" over data sets, and ``rope`` replaces the posterior's
    half-width.

    Attributes
    ----------
    names, datasets : tuple of str
        The L algorithms, and the data sets.
    rope : Rope
        Region of practical equivalence, symmetric or with one infinite bound.
    """

    model: StandingsModel
    rope: Rope
    datasets: tuple[str, ...]

    @property
    def targets(self) -> tuple[str, ...]:
        """The targets that the test is about."""
        return self.model.targets

    @property
    def spoken(self) -> Mapping[str, str]:
        """The targets' names in sentences."""
        return {on: words.format(unit=self.unit) for on, words in self.model.spoken.items()}

    @property
    def caveat(self) -> str:
        """A sentence on the limits of its probabilities of being best, or empty."""
        return self.model.caveat

    @property
    def has_levels(self) -> bool:
        """Whether `averages` are scores, not differences from the mean of all algorithms."""
        return False

    @property
    def is_centred(self) -> bool:
        """Whether the means of `summary` are of differences from the mean of all algorithms."""
        return not self.has_levels

    @property
    def pooled(self) -> str:
        """The words for the units that share a hierarchical prior, if there is one."""
        return f"{self.subject}s and {self.unit}s"

    @property
    def chains(self) -> int:
        """Number of chains that draws are split into."""
        return CHAINS

    @abstractmethod
    def clouds(self, on: str | None = None) -> Iterator[Cloud]:
        """Yield points with weights, some draws at a time; one of weight 1 for the average."""

    @property
    @abstractmethod
    def averages(self) -> np.ndarray:
        """Utility of each algorithm on average over data sets, draw by draw, shape (D, L)."""

    # Which is best.

    def best(self, on: str | None = None) -> dict[str, float]:
        """Return P(best) by algorithm ``on`` the "next" data set or on "average"; ties share."""
        return self._by_name(self._first_places(self._target(on)).mean(axis=0))

    def best_errors(self, on: str | None = None) -> dict[str, float]:
        """Return the Monte Carlo standard errors of `best`, by algorithm."""
        return self._by_name(self._errors(self._first_places(self._target(on))))

    def _first_places(self, on: str) -> np.ndarray:
        """Return the probability of each algorithm being best, draw by draw, shape (D, L)."""
        return self.standing(on).best

    def ranking(self, on: str | None = None, *, rope: RopeLike | None = None) -> pd.DataFrame:
        """Tabulate the standings ``on`` the "next" data set or on "average", best first.

        One row per algorithm: p_best; p_near, the probability of being within the ROPE of the
        best; expected_rank; rank_low and rank_high, the central 95% of its ranks; Monte Carlo
        standard errors se_best, se_near and se_rank.
        """
        standing = self.standing(on, rope)
        low, high = _rank_interval(standing.ranks)
        columns = {
            "p_best": standing.best.mean(axis=0),
            "se_best": self._errors(standing.best),
            "p_near": standing.near.mean(axis=0),
            "se_near": self._errors(standing.near),
            "expected_rank": standing.rank.mean(axis=0),
            "se_rank": self._errors(standing.rank),
            "rank_low": low,
            "rank_high": high,
        }
        table = pd.DataFrame(columns, index=pd.Index(self.algorithms, name="algorithm"))
        return table.sort_values(
            ["p_best", "p_near", "expected_rank"], ascending=[False, False, True], kind="stable"
        )

    def ranks(self, on: str | None = None) -> pd.DataFrame:
        """Return P(rank), (L, L), 1 being the best, ``on`` the "next" data set or on "average"."""
        return self._rank_table(self.standing(on).ranks)

    def rank_errors(self, on: str | None = None) -> pd.DataFrame:
        """Return the Monte Carlo standard errors of `ranks`, in a frame of the same shape."""
        return self._rank_table(self.standing(on).ranks_se)

    def rank_intervals(self, level: float = 0.95) -> pd.DataFrame:
        """Return intervals that cover the ranks of all algorithms on average over data sets.

        The intervals of `ranking` are for one algorithm each; with twenty, some of them often
        miss.

        Parameters
        ----------
        level : float
            Probability that all ranks lie in their intervals, over 0 and under 1. For the
            bootstrap and the Bayesian Friedman test of a table of means, whose draws are too
            certain, intervals come from t tests of all pairs with Bonferroni's adjustment.

        See Also
        --------
        ranking, bayescmp.frequentist.posthoc

        Examples
        --------
        >>> import bayescmp as bc
        >>> means = [[0.81, 0.84, 0.86], [0.74, 0.79, 0.77], [0.90, 0.91, 0.95], [0.6, 0.7, 0.8]]
        >>> posterior = bc.bayesian.bootstrap(means, rope=0.01, seed=1)
        >>> posterior.rank_intervals().T.to_dict("list")
        {'A1': [1, 3], 'A2': [1, 3], 'A3': [1, 3]}
        """
        low, high = self._bound_ranks(checks.check_level(level, "level"))
        index = pd.Index(self.algorithms, name="algorithm")
        return pd.DataFrame({"low": low, "high": high}, index=index)

    def _bound_ranks(self, level: float) -> tuple[np.ndarray, np.ndarray]:
        """Return bounds of all ranks that are covered at once with this probability."""
        return rank_intervals(self.averages, level)

    @property
    def means(self) -> np.ndarray | None:
        """Observed mean scores, (q, L), higher is better; None where there are none."""
        return None

    @property
    def weights(self) -> np.ndarray | None:
        """Draws of the data sets' weights, (D, q), if nothing else is drawn; otherwise None."""
        return None

    def chosen(self) -> WinnerScore:
        """Predict the score of the algorithm with the best observed mean.

        Returns
        -------
        WinnerScore
            In the metric's own units, on the scale "log_ratio" in logarithms.

        Raises
        ------
        InputError
            If ranks or wins are compared, not scores.

        See Also
        --------
        best : Whether another one is better.

        Examples
        --------
        >>> import bayescmp as bc
        >>> means = [[0.81, 0.84, 0.86], [0.74, 0.79, 0.77], [0.90, 0.91, 0.95], [0.6, 0.7, 0.8]]
        >>> chosen = bc.bayesian.bootstrap(means, rope=0.01, seed=1).chosen()
        >>> chosen.algorithm, round(chosen.observed, 3), round(chosen.expected, 3)
        ('A3', 0.845, 0.842)
        """
        if self.means is None:
            raise InputError(
                f"chosen() must be of mean scores (got the {self.method}, which has not kept "
                "them). Use joint_t, bootstrap without weights, leaderboard or question_bootstrap."
            )
        given, weights = NEXT not in self.targets, self.weights
        after = self.averages if given else self._draw_next()
        k, observed, *draws = choose(self.means, self.averages, after, weights, given=given)
        sign = self.sign
        average, after = (sign * values for values in draws)
        low, high, next_low, next_high = (
            float(end)
            for values in (average, after)
            for end in np.quantile(values, [0.025, 0.975])
        )
        return WinnerScore(
            self.algorithms[k],
            sign * observed,
            float(average.mean()),
            float(self._errors(average[:, None])[0]),
            (low, high),
            None if given else (next_low, next_high),
            resampled=given or weights is not None,
            unit=self.unit,
            about=self.spoken[AVERAGE],
        )

    def _draw_next(self) -> np.ndarray:
        """Draw one data set that may come next in each draw: (D, L)."""
        rng = np.random.default_rng([self.seed, 9])
        drawn = []
        for cloud in self.clouds(NEXT):
            c, m = cloud.w.shape
            at = (cloud.w.cumsum(axis=1) < rng.random((c, 1))).sum(axis=1).clip(0, m - 1)
            drawn.append(cloud.u[np.arange(c) if len(cloud.u) > 1 else 0, at])
        return np.concatenate(drawn)

    # Sets.

    def top_sets(self, on: str | None = None, *, rope: RopeLike | None = None) -> pd.DataFrame:
        """Nested sets of the best, with the probability that all of each are near the best.

        Algorithms are added in the order of their probability of being near the best, which for
        all of a set at once falls as the set grows. Options are those of `ranking`.

        One row per size: added, members, p_joint (that all are within the ROPE of the best at
        once), se_joint.
        """
        standing = self.standing(on, rope)
        order = [int(i) for i in np.argsort(-standing.near.mean(axis=0), kind="stable")]
        joint = standing.joint(order)
        names = [self.algorithms[i] for i in order]
        sizes = range(1, len(names) + 1)
        columns = {
            "added": names,
            "members": [tuple(names[:k]) for k in sizes],
            "p_joint": joint.mean(axis=0),
            "se_joint": self._errors(joint),
        }
        return pd.DataFrame(columns, index=pd.Index(sizes, name="size"))

    def top_set(
        self, threshold: float = 0.5, *, on: str | None = None, rope: RopeLike | None = None
    ) -> tuple[str, ...]:
        """Return the largest of the nested sets that are all near the best with some probability.

        If not even one algorithm is near the best on a new data set with that probability, the set
        is for the average over data sets, unless ``on`` is given.

        Parameters
        ----------
        threshold : float
            Least joint probability, over 0 and under 1.

        Returns
        -------
        tuple of str
            Empty if not even one algorithm is near the best with that probability.
        """
        return self.find_top_set(threshold, on, rope)[1]

    def find_top_set(
        self, threshold: float, on: str | None = None, rope: RopeLike | None = None
    ) -> tuple[str, tuple[str, ...], float]:
        """Return the target that `top_set` is about, its set, and the joint probability."""
        threshold = checks.check_level(threshold, "threshold")
        tried = [self._target(on)]
        tried += [AVERAGE] if on is None and AVERAGE in self.targets else []
        for target in tried:
            sets = self.top_sets(target, rope=rope)
            reached = sets[sets["p_joint"] >= threshold]
            if len(reached):
                return target, tuple(reached["members"].iloc[-1]), reached["p_joint"].iloc[-1]
        return tried[0], (), float("nan")

    # Leaderboards: the units are given, and averages over their questions are compared.

    @property
    def is_board(self) -> bool:
        """Whether mean scores of these units are compared, so that there is a leaderboard."""
        return self.has_levels and self.targets == (AVERAGE,)

    @validate_params(power=number(0, 1))
    def scoreboard(
        self, *, rope: RopeLike | None = None, threshold: float = 0.95, power: float = POWER
    ) -> pd.DataFrame:
        """Tabulate each model's mean, the first one's lead over it, and what would separate them.

        Parameters
        ----------
        rope : float or (float, float), optional
            Another half-width than the posterior's own.
        threshold, power : float
            Probability required for a decision, and that with which further questions reach it.

        Returns
        -------
        DataFrame
            One row per model, the best mean first: mean, with low and high of its 95% credible
            interval, in the metric's own direction; p_best; lead of the first model over this one,
            positive if the first is better, with lead_low and lead_high; decision on the first and
            this one ("first": the first is better); group, shared by neighbours unless the upper
            one is decided to be better; further_questions that decide the pair with the power, and
            total_questions, missing if their number is not known or more would not help.

        Raises
        ------
        InputError
            If the posterior is not about mean scores on given benchmarks; bad options.

        See Also
        --------
        plan, ranking

        Notes
        -----
        Overlapping intervals do not show that two models tie: both answered the same questions, so
        their difference is known better. A group's first and last model may still differ.

        References
        ----------
        Miller (2024), arXiv:2411.00640, sections 4 and 5; O'Hagan, Stevens & Campbell (2005),
        Pharmaceutical Statistics 4:187-201 ("assurance").

        Examples
        --------
        >>> import numpy as np
        >>> import bayescmp as bc
        >>> right = np.random.default_rng(1).random((200, 3)) < [0.6, 0.7, 0.75]
        >>> posterior = bc.bayesian.question_bootstrap(
        ...     right, rope=0.0, names=["small", "tuned", "large"], seed=1)
        >>> board = posterior.scoreboard()
        >>> board["mean"].round(3).to_dict(), board["group"].to_dict()
        ({'large': 0.755, 'tuned': 0.73, 'small': 0.575}, {'large': 1, 'tuned': 1, 'small': 2})
        """
        if not self.is_board:
            raise InputError(
                f"A scoreboard must be of mean scores on given benchmarks (got the {self.method}, "
                "which is about new ones or has no scores). Use bayescmp.bayesian.leaderboard or "
                "question_bootstrap of the scores."
            )
        return tabulate_board(self, rope, check_threshold(threshold), power)

    @property
    def about(self) -> str:
        """What a leaderboard is about, in words: "on new questions"."""
        return self.spoken[self.targets[0]]

    @property
    def sign(self) -> float:
        """1 if higher is better, otherwise -1."""
        return self.directions[0].sign if self.directions else 1.0

    def levels(self) -> pd.DataFrame:
        """Return each model's mean, with the bounds low and high of its 95% interval."""
        u = self.sign * self.levels_drawn
        low, high = np.quantile(u, [0.025, 0.975], axis=0)
        return pd.DataFrame(
            {"mean": self._find_means(), "low": low, "high": high}, index=list(self.algorithms)
        )

    @property
    def levels_drawn(self) -> np.ndarray:
        """Draws of each model's mean score, (D, L), higher is better."""
        return self.averages

    def _find_means(self) -> np.ndarray:
        """Return each model's mean, in the metric's own direction."""
        return self.sign * self.averages.mean(axis=0)

    def first_places(self) -> Mapping[str, float]:
        """Return each model's probability of being the best, as in `best`."""
        return self.best()

    def difference_of(self, first: str, second: str) -> QuestionDifference:
        """Return mean and variance of two models' difference, and the number of questions."""
        i, j = self._places(first, second)
        d = self.averages[:, j] - self.averages[:, i]
        names = self.algorithms[i], self.algorithms[j]
        return QuestionDifference(names, float(d.mean()), float(d.var()), self.count_asked(i, j))

    def count_asked(self, i: int, j: int) -> int:
        """Count the questions that two models were asked, by their places."""
        raise InputError(
            f"The number of questions must be known for a plan (got none with the {self.method}). "
            "Use bayescmp.bayesian.leaderboard or question_bootstrap of the scores."
        )

    # Helpers.

    def standing(self, on: str | None = None, rope: RopeLike | None = None) -> Standing:
        """Return what all statements about first places and ranks rest on, draw by draw."""
        target = self._target(on)
        key = (target, self._width(rope, target))
        if key not in self._standings:
            self._standings[key] = standing_of(self.clouds(key[0]), key[1])
        return self._standings[key]

    @cached_property
    def _standings(self) -> dict[tuple[str, float], Standing]:
        """Standings that were computed already, by target and half-width."""
        return {}

    def _target(self, on: str | None) -> str:
        return self.targets[0] if on is None else checks.check_choice("on", on, self.targets)

    def _region(self, rope: RopeLike | None) -> Rope:
        return self.rope if rope is None else as_shared_rope(rope)

    def _width(self, rope: RopeLike | None, on: str = AVERAGE) -> float:
        """Return the distance from the best that is near, in the utilities' units, on a target."""
        return self._region(rope).size

    def _errors(self, values: np.ndarray) -> np.ndarray:
        return errors_of(values, self.chains, independent=self.exact)

    def summary(self) -> pd.DataFrame:
        """Each algorithm's average over data sets: mean, sd, 95% credible interval.

        Models of differences only know how far an algorithm is above the mean of all.
        """
        effects = self.averages - self.averages.mean(axis=1, keepdims=True)
        if self.has_levels:
            effects = self.levels_drawn * self.sign
        rows = {
            name: summarise_draws(effects[:, k].reshape(self.chains, -1))
            for k, name in enumerate(self.algorithms)
        }
        return summary_frame(rows, self.measured).rename_axis("algorithm")

    @property
    def _places_of_pairs(self) -> np.ndarray:
        return np.array(list(combinations(range(len(self.algorithms)), 2)))

    # Pairs.

    def verdict(
        self, first: str, second: str, *, rope: RopeLike | None = None, threshold: float = 0.95
    ) -> Verdict:
        """Return the verdict on two algorithms, in either order.

        Parameters
        ----------
        first, second : str
        rope : float or (float, float), optional
            Another than the posterior's; ``(-m, inf)`` asks whether ``second`` is not worse by
            more than m.
        threshold : float
            Probability required for a decision.

        Returns
        -------
        Verdict
            The proportion of draws in which each outcome is the most probable on a new data set,
            the predictive probabilities, and those of the mean difference. Pairs are coherent.
        """
        i, j = self._places(first, second)
        region = self._region(rope)
        if i > j:
            return self.verdict(
                second, first, rope=region.swapped(), threshold=threshold
            ).swapped()
        return self._verdicts(np.array([[i, j]]), region, threshold)[0]

    def _all_verdicts(self, rope: Rope, threshold: float) -> dict[Pair, Verdict]:
        places = self._places_of_pairs
        verdicts: list[Verdict] = []
        for start in range(0, len(places), PAIRS_AT_ONCE):
            verdicts += self._verdicts(places[start : start + PAIRS_AT_ONCE], rope, threshold)
        return dict(zip(self.pairs, verdicts, strict=True))

    def ladder(self, *, threshold: float = 0.95) -> Ladder:
        """Return the algorithms in order of their expected ranks, with the verdict on each pair.

        Parameters
        ----------
        threshold : float
            Probability at which a pair is decided.

        Returns
        -------
        Ladder
            A set's joint probability is the probability that the averages of all its algorithms
            over data sets are within the ROPE of one another.

        See Also
        --------
        bayescmp.plots.plot_ladder : Draws it.
        """
        verdicts = self.verdicts(threshold=threshold)
        turned = self.verdicts(self.rope.swapped(), threshold=threshold)
        return Ladder.from_verdicts(
            tuple(self.ranking(self.targets[0]).sort_values("expected_rank", kind="stable").index),
            lambda a, b: verdicts[a, b] if (a, b) in verdicts else turned[b, a].swapped(),
            self._compute_alike,
            None if self.means is None else self.chosen(),
        )

    def _compute_alike(self, members: Sequence[str]) -> float:
        """Return the probability that averages differ by the ROPE at most, all of them at once."""
        averages = self.averages[:, [self._place(name) for name in members]]
        return float((np.ptp(averages, axis=1) <= self.rope.size).mean())

    def _masses(self, pairs: np.ndarray, rope: float) -> tuple[np.ndarray, np.ndarray]:
        """Masses farther out than a half-width, to the left and right, in each draw, (D, P)."""
        return masses_of(self.clouds(), pairs, rope)

    def _regions(self, pairs: np.ndarray, rope: Rope) -> np.ndarray:
        """Return the regions' masses in each draw, (D, P, 3): none beyond an infinite bound."""
        left, right = self._masses(pairs, self._width(rope))
        left, right = left * np.isfinite(rope.low), right * np.isfinite(rope.high)
        return split_mass(left, right, rope)

    def _verdicts(self, pairs: np.ndarray, rope: Rope, threshold: float) -> list[Verdict]:
        if self.targets == (AVERAGE,):
            return self._count(pairs, rope, threshold)
        return self._by_mass(pairs, rope, threshold)

    def _by_mass(self, pairs: np.ndarray, rope: Rope, threshold: float) -> list[Verdict]:
        """Return verdicts by the most probable outcome in each draw."""
        masses = self._regions(pairs, rope)
        return [self._verdict(pair, masses[:, k], rope, threshold) for k, pair in enumerate(pairs)]

    def _count(self, pairs: np.ndarray, rope: Rope, threshold: float) -> list[Verdict]:
        """Decide all pairs at once by averages alone: each draw lies in one region."""
        u = np.ascontiguousarray(self.averages.T)
        d = u[pairs[:, 1]] - u[pairs[:, 0]]
        slack = TIED * np.maximum(np.abs(u).max(axis=0), rope.size)
        left, right = (d < rope.low - slack).mean(axis=1), (d > rope.high + slack).mean(axis=1)
        p = split_mass(left, right, rope)
        size = len(self.averages)
        half = 0.5 / (size + 1)
        errors = np.sqrt(np.maximum(p * (1 - p), half * (1 - half)) / size)
        places = [round(q * (size - 1)) for q in (0.025, 0.5, 0.975)]
        low, middle, high = np.partition(d, places, axis=1)[:, places].T
        return [
            self.decide(
                p[k],
                errors[k],
                names=tuple(self.names[i] for i in pair),
                rope=rope,
                threshold=check_threshold(threshold),
                floor=1 / size,
                estimate=(float(middle[k]),),
                mean_interval=((float(low[k]), float(high[k])),),
            )
            for k, pair in enumerate(pairs)
        ]

    def _verdict(
        self, pair: np.ndarray, masses: np.ndarray, rope: Rope, threshold: float
    ) -> Verdict:
        shares = winners(np.round(masses, 12)).reshape(self.chains, -1, 3)
        first, second = (self.algorithms[int(place)] for place in pair)
        return self.decide(
            shares.mean(axis=(0, 1)),
            share_errors(shares, independent=self.exact),
            names=(first, second),
            threshold=check_threshold(threshold),
            floor=1 / len(masses),
            within=self.model.within,
            **self._facts_of(pair, masses, rope),
        )

    def _facts_of(self, pair: np.ndarray, masses: np.ndarray, rope: Rope) -> dict[str, Any]:
        """Return the other facts of a pair's verdict: its predictions, and its mean difference."""
        difference = self.averages[:, pair[1]] - self.averages[:, pair[0]]
        return {
            "rope": rope,
            "expected": masses.mean(axis=0),
            "location": locate_draws(difference, rope).mean(axis=0),
            **lead_of(difference[:, None]),
            "spread": self._spread(pair),
            "known": IfKnown.from_masses(masses),
        }

    def _spread(self, pair: np.ndarray) -> tuple[DatasetSpread, ...]:
        """Return a pair's spread between data sets, if the model has a scale of it."""
        return ()

    def explain(self, form: str = "short", *, threshold: float = 0.5) -> str:
        """State which algorithm is best on a new data set and on average, and near the best.

        Parameters
        ----------
        form : {"short", "paper"}
            As for `Posterior.explain`.
        threshold : float
            Least joint probability of the set of best algorithms.
        """
        from bayescmp.present.forms import explain

        return explain(summarise(self, threshold=threshold), form)

    def overview(self) -> pd.DataFrame:
        """Tabulate P(best) on each target, with the numbers needed to interpret it.

        One row per algorithm, the best on a new data set first: p_next, p_average, p_near (to the
        best on a new data set), expected_rank; ``se_`` of each.
        """
        main = self.ranking(self.targets[0])
        table = main.loc[:, []].copy()
        for on in self.targets:
            one = self.ranking(on).loc[table.index]
            table[f"p_{on}"], table[f"se_{on}"] = one["p_best"], one["se_best"]
        return table.join(main[["p_near", "se_near", "expected_rank", "se_rank"]])

    def figure_size(self) -> tuple[float, float]:
        """Width and height, in inches, of the figure that `plot` needs."""
        return 3.4, 0.7 + 0.26 * min(len(self.algorithms), 40)


def _rank_interval(ranks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the central 95% of each algorithm's ranks."""
    total = np.cumsum(ranks, axis=1)
    size = ranks.shape[1] - 1
    low = np.minimum((total < 0.025 - 1e-12).sum(axis=1), size) + 1
    high = np.minimum((total < 0.975 - 1e-12).sum(axis=1), size) + 1
    return low, high
