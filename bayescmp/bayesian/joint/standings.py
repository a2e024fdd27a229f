"""How several algorithms stand, by one joint posterior: first places, ranks, sets and pairs."""

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
from bayescmp.base.arguments import either
from bayescmp.base.deferred import KnownAnswers, remember
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
from bayescmp.results.arviz import summarise, summary_frame
from bayescmp.results.diagnostics import share_errors
from bayescmp.results.ladder import Chosen, Ladder
from bayescmp.results.posterior import CHAINS, Fitted, Model, split_mass
from bayescmp.results.saving import labels
from bayescmp.results.verdict import (
    Known,
    Spread,
    Verdict,
    check_threshold,
    lead_of,
    winners,
)
from bayescmp.scores.rope import Rope, RopeLike, rope_phrase
from bayescmp.wording.markup import Exhibit
from bayescmp.wording.text import (
    cut_all,
    format_count,
    format_probability,
    join_items,
    plus_minus,
    sentence_of,
)

# What a test of several algorithms is about, as data.


#: What a statement is about: the next data set, or the average over data sets.
NEXT, AVERAGE = "next", "average"


@dataclass(frozen=True, kw_only=True)
class StandingsModel(Model):
    """A test that says how several algorithms stand, as data.

    `targets` are what it says something about, the main one first, and `spoken` what each is
    called in sentences, with ``{unit}`` for what there may be several of. `shrinks` says whether a
    hierarchical prior pulls extreme estimates in, `caveat` how far its probabilities of being best
    can be trusted (a sentence, or empty), `within` what lies within the rope.
    """

    rows: str = "datasets"
    picture: str = "plot_best"
    targets: tuple[str, ...] = (NEXT, AVERAGE)
    spoken: Mapping[str, str] = field(
        default_factory=lambda: {NEXT: "on the next {unit}", AVERAGE: "on average over {unit}s"},
        hash=False,
    )
    shrinks: bool = False
    caveat: str = ""
    within: str = "differences"


# Which algorithm is best, in sentences for a paper.


def sentences(p: StandingsPosterior, compared: str, threshold: float) -> list[str]:
    """Say which is best on each target, which are as good, and why nothing is adjusted.

    `compared` says what was compared, "3 algorithms on 12 data sets"; `threshold` is the least
    joint probability of the top set that is named.
    """
    parts = [f"Of {compared}, {'; '.join(_name_best(p, on) for on in p.targets)}."]
    parts += [p.caution] if p.caution else []
    main = p.targets[0]
    if p.rope.size > 0:
        parts += [_name_near(p, main), _set(p, threshold)]
    parts += filter(None, [p.expectation])
    return [*parts, explain_multiplicity(shrinks=p.model.shrinks, shared=p.pooled)]


def _name_best(p: StandingsPosterior, on: str) -> str:
    table = p.ranking(on)
    name, row = table.index[0], table.iloc[0]
    chance = f"{format_probability(row['p_best'])} {plus_minus(row['se_best'])}".rstrip()
    return f"{name} is the likeliest to be best {p.spoken[on]} ({chance})"


def _name_near(p: StandingsPosterior, on: str) -> str:
    table = p.ranking(on).sort_values("p_near", ascending=False, kind="stable").head(3)
    each = [f"{name} with {format_probability(row['p_near'])}" for name, row in table.iterrows()]
    return f"Within {p._reach} of the best {p.spoken[on]}: {join_items(each)}."


def _set(p: StandingsPosterior, threshold: float) -> str:
    """Name the largest set near the best, if need be on average, and where there is none."""
    main, width = p.targets[0], p._reach
    on, members, joint = p.find_top_set(threshold)
    least = f"probability {threshold:g} or more"
    none = f"No {p.subject} is within {width} of the best {p.spoken[main]} with {least}"
    if not members:
        return f"{none}."
    p_joint = format_probability(joint)
    chance = f"with probability {p_joint}; no larger nested set reaches {threshold:g}."
    there = "the best" if on == main else f"the best {p.spoken[on]}"
    if len(members) == 1:
        those = f"{members[0]} alone is within {width} of {there} {chance}"
    else:
        every = "both" if len(members) == 2 else "all"
        those = f"{join_items(members)} are {every} within {width} of {there} at once {chance}"
    return those if on == main else f"{none}; {those}"


def explain_multiplicity(*, shrinks: bool, shared: str = "algorithms and data sets") -> str:
    """Say why probabilities of one joint posterior are not adjusted, in two sentences."""
    if shrinks:
        return (
            "No adjustment for multiple comparisons is made: all statements are read off one "
            f"joint posterior, in which {shared} share a hierarchical prior that "
            "pulls extreme estimates in. The more there are to compare, the more it pulls, which "
            "is what adjusting p-values is for (Gelman, Hill & Yajima 2012)."
        )
    return (
        "No adjustment for multiple comparisons is made: all statements are read off one joint "
        "posterior, and hold jointly, however many are made. This posterior does not "
        "shrink extreme estimates as a hierarchical model does (Gelman, Hill & Yajima 2012), so "
        "the probability of being best is somewhat optimistic for the one that looks best of many."
    )


# What posteriors of several algorithms on several data sets share: standings, pairs, text.


#: Algorithms that a text shows.
MOST_SHOWN = 15
#: Pairs whose masses are computed at a time.
PAIRS_AT_ONCE = 400


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class StandingsPosterior(Fitted):
    """How several algorithms stand on the next data set, and on average over data sets.

    The two are different questions and are never mixed: the one that is best on average may be
    beaten on most data sets. All statements come from the same draws, so that first places, ranks,
    sets and pairs agree with one another.

    In all methods, ``on`` asks about the next data set ("next") or the average over data sets
    ("average"), and ``rope`` is another half-width than the posterior's own.

    Attributes
    ----------
    names : tuple of str
        The L algorithms.
    rope : Rope
        Region of practical equivalence, symmetric or with one infinite end.
    datasets : tuple of str
        Names of the data sets.
    """

    model: StandingsModel
    rope: Rope
    datasets: tuple[str, ...] = field(metadata=labels("dataset"))

    @property
    def targets(self) -> tuple[str, ...]:
        """The targets that the test is about."""
        return self.model.targets

    @property
    def spoken(self) -> Mapping[str, str]:
        """What the targets are called in sentences."""
        return {on: words.format(unit=self.unit) for on, words in self.model.spoken.items()}

    @property
    def caveat(self) -> str:
        """How far its probabilities of being best can be trusted: a sentence, or empty."""
        return self.model.caveat

    @property
    def caution(self) -> str:
        """The caveat as a sentence; empty if there is none."""
        return f"{sentence_of(self.caveat)}." if self.caveat else ""

    @property
    def pooled(self) -> str:
        """What shares a hierarchical prior, where there is one."""
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
        """Probability of each algorithm being best ``on`` the "next" data set or on "average".

        Returns
        -------
        dict of str to float
            They sum to one; algorithms that tie share the first place.

        See Also
        --------
        best_errors : Monte Carlo errors of these.
        ranking : With errors, ranks, and which are practically as good as the best.
        """
        return self._by_name(self._first_places(self._target(on)).mean(axis=0))

    def best_errors(self, on: str | None = None) -> dict[str, float]:
        """Monte Carlo standard errors of `best`, by algorithm."""
        return self._by_name(self._errors(self._first_places(self._target(on))))

    def _first_places(self, on: str) -> np.ndarray:
        """Probability of each algorithm being best, draw by draw, shape (D, L)."""
        return self.standing(on).best

    def ranking(self, on: str | None = None, *, rope: RopeLike | None = None) -> pd.DataFrame:
        """How the algorithms stand ``on`` the "next" data set or on "average", best first.

        A ``rope`` is another half-width than the posterior's own.

        Returns
        -------
        DataFrame
            One row per algorithm: p_best; p_near, the probability of being within the rope of the
            best; expected_rank; rank_low and rank_high, the central 95% of its ranks; se_best,
            se_near and se_rank, the Monte Carlo standard errors.
        """
        return self._rank(self.standing(on, rope)).copy()

    @remember  # what is printed asks for them again and again
    def _rank(self, standing: Standing) -> pd.DataFrame:
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
        """Probability of every rank ``on`` the "next" data set or on "average", 1 being the best.

        Returns
        -------
        DataFrame of shape (L, L)
            One row per algorithm, one column per rank; rows and columns sum to one.

        See Also
        --------
        rank_errors : Monte Carlo errors of these.
        bayescmp.plots.plot_ranks : Draws it.
        """
        return self._rank_table(self.standing(on).ranks)

    def rank_errors(self, on: str | None = None) -> pd.DataFrame:
        """Monte Carlo standard errors of `ranks`, in a frame of the same shape."""
        return self._rank_table(self.standing(on).ranks_se)

    def rank_intervals(self, level: float = 0.95) -> pd.DataFrame:
        """Return intervals that cover the ranks of all algorithms on average over data sets.

        The intervals of `ranking` are for one algorithm each; with twenty algorithms, some of them
        often miss.

        Parameters
        ----------
        level : float
            Probability that all ranks lie in their intervals, over 0 and under 1. It is the
            posterior probability, except for the bootstrap and the Bayesian Friedman test of a
            table of means: their draws are too certain with few data sets, and the intervals come
            from t tests of all pairs with Bonferroni's adjustment.

        Returns
        -------
        DataFrame
            One row per algorithm: low and high, 1 being the best.

        See Also
        --------
        ranking : Of each algorithm by itself, also on the next data set.
        bayescmp.frequentist.posthoc : Which pairs differ.

        Notes
        -----
        The coverage in simulated studies is listed in the evidence on which algorithm is best,
        with that of intervals by Tukey's test (Al Mohamad, Goeman & van Zwet 2019,
        arXiv:1812.05507).

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
        """Draws of the data sets' weights, (D, q), where nothing else is drawn; None elsewhere."""
        return None

    def chosen(self) -> Chosen:
        """What the algorithm with the best observed mean is expected to score.

        Returns
        -------
        Chosen
            In the metric's own units, on a table's scale "log_ratio" in logarithms.

        Raises
        ------
        InputError
            Where no scores are compared but ranks or wins, and of a file of version 0.1.

        See Also
        --------
        best : Whether another one is better.

        References
        ----------
        Efron (2011), Tweedie's formula and selection bias, Journal of the American Statistical
        Association 106:1602-1614: posterior means stay right, however one was selected.

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
                f"chosen() needs mean scores, which the {self.method} has not kept; accepted: "
                "joint_t, bootstrap without weights, leaderboard, question_bootstrap"
            )
        given, weights = NEXT not in self.targets, self.weights
        after = self.averages if given else self._draw_next()
        k, observed, *draws = choose(self.means, self.averages, after, weights, given=given)
        sign = self.directions[0].sign if self.directions else 1.0
        average, after = (sign * values for values in draws)
        low, high, next_low, next_high = (
            float(end)
            for values in (average, after)
            for end in np.quantile(values, [0.025, 0.975])
        )
        return Chosen(
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

        Algorithms are added in the order of their own probability of being within the rope of the
        best; the joint probability falls as the set grows. Options are those of `ranking`.

        Returns
        -------
        DataFrame
            One row per size: added, members, p_joint (that all are within the rope of the best at
            once), se_joint.

        See Also
        --------
        top_set : The largest of them above a threshold.
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
        """The largest of the nested sets that are all near the best with some probability.

        Where not even one algorithm is near the best on the next data set with that probability,
        the set is that on average over data sets, unless ``on`` is given.

        Parameters
        ----------
        threshold : float
            Least joint probability, over 0 and under 1.

        Returns
        -------
        tuple of str
            Empty where not even one algorithm is near the best with that probability.
        """
        return self.find_top_set(threshold, on, rope)[1]

    def find_top_set(
        self, threshold: float, on: str | None = None, rope: RopeLike | None = None
    ) -> tuple[str, tuple[str, ...], float]:
        """The target that `top_set` is about, its set, and the set's joint probability.

        Returns
        -------
        on : {"next", "average"}
        members : tuple of str
        p : float
            That they are all near the best at once; NaN if there are none.

        See Also
        --------
        top_set
        """
        threshold = checks.check_level(threshold, "threshold")
        tried = [self._target(on)]
        tried += [AVERAGE] if on is None and AVERAGE in self.targets else []
        for target in tried:
            sets = self.top_sets(target, rope=rope)
            reached = sets[sets["p_joint"] >= threshold]
            if len(reached):
                return target, tuple(reached["members"].iloc[-1]), reached["p_joint"].iloc[-1]
        return tried[0], (), float("nan")

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
        return KnownAnswers()

    def _target(self, on: str | None) -> str:
        return self.targets[0] if on is None else checks.check_choice("on", on, self.targets)

    def _region(self, rope: RopeLike | None) -> Rope:
        """The rope asked for, or the posterior's own."""
        return self.rope if rope is None else as_shared_rope(rope)

    def _width(self, rope: RopeLike | None, on: str = AVERAGE) -> float:
        """How far from the best is near, in the utilities' units, on a target."""
        return self._region(rope).size

    def _errors(self, values: np.ndarray) -> np.ndarray:
        return errors_of(values, self.chains, independent=self.exact)

    def summary(self) -> pd.DataFrame:
        """Each algorithm's average over data sets less that of all: mean, sd, 95% interval.

        One row per algorithm; higher is better.
        """
        effects = self.averages - self.averages.mean(axis=1, keepdims=True)
        rows = {
            name: summarise(effects[:, k].reshape(self.chains, -1))
            for k, name in enumerate(self.algorithms)
        }
        return summary_frame(rows, self.measured).rename_axis("algorithm")

    @property
    def _places_of_pairs(self) -> np.ndarray:
        """Places of both algorithms of all pairs, shape (P, 2)."""
        return np.array(list(combinations(range(len(self.algorithms)), 2)))

    # Pairs.

    def verdict(
        self, first: str, second: str, *, rope: RopeLike | None = None, threshold: float = 0.95
    ) -> Verdict:
        """The verdict on two algorithms, in either order.

        Parameters
        ----------
        first, second : str
        rope : float or (float, float), optional
            Another half-width than the posterior's own; ``(-m, inf)`` asks whether ``second`` is
            not worse than ``first`` by more than m.
        threshold : float
            Probability at which a region is decided for.

        Returns
        -------
        Verdict
            The share of draws in which each outcome is the most probable on the next data set,
            the predictive probabilities, and those of the mean difference. Pairs are coherent:
            all come from the same draws.
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
        """Probability that averages differ by the rope at most, all of them at once."""
        averages = self.averages[:, [self._place(name) for name in members]]
        return float((np.ptp(averages, axis=1) <= self.rope.size).mean())

    def _masses(self, pairs: np.ndarray, rope: float) -> tuple[np.ndarray, np.ndarray]:
        """Masses farther out than a half-width, to the left and right, in each draw, (D, P)."""
        return masses_of(self.clouds(), pairs, rope)

    def _regions(self, pairs: np.ndarray, rope: Rope) -> np.ndarray:
        """Masses of the three regions in each draw, (D, P, 3): none beyond an infinite end."""
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
        """Return what else a verdict says of a pair: its predictions, and its mean difference."""
        difference = self.averages[:, pair[1]] - self.averages[:, pair[0]]
        return {
            "rope": rope,
            "expected": masses.mean(axis=0),
            "location": locate_draws(difference, rope).mean(axis=0),
            **lead_of(difference[:, None]),
            "spread": self._spread(pair),
            "known": Known.from_masses(masses),
        }

    def _spread(self, pair: np.ndarray) -> tuple[Spread, ...]:
        """How far data sets differ in a pair's difference, where the model has a scale of it."""
        return ()

    # Telling.

    def explain(self, form: str = "short", *, threshold: float = 0.5) -> str:
        """Say which is best, in sentences.

        Parameters
        ----------
        form : {"short", "paper"}
            "short": a few sentences for any reader. "paper": a results paragraph, a methods
            paragraph, and BibTeX entries.
        threshold : float
            Least joint probability of the set of best algorithms that is named.

        Returns
        -------
        str
            Which algorithm is best on the next data set and which on average, which are within the
            rope of the best, the largest set of these, and why no adjustment for multiple
            comparisons is made.
        """
        from bayescmp.present.paper import write_explanation

        chances = [self._chances(on) for on in self.targets]
        return write_explanation(
            form,
            [*chances, self.caution, self.expectation],
            sentences(self, self._describe_data() + self._on_measured, threshold),
            [f"{self._method_line()}. Prior: {self.prior_text}."],
        )

    def _describe_data(self) -> str:
        return f"{format_count(len(self.algorithms), self.subject)} on {self.data_text}"

    def overview(self) -> pd.DataFrame:
        """P(best) on each target side by side, with what is needed to read them.

        Returns
        -------
        DataFrame
            One row per algorithm, the best on the next data set first: p_next, p_average, p_near
            (within the rope of the best on the next data set), expected_rank; ``se_`` of each.
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

    @property
    def _reach(self) -> str:
        """How far from the best counts as near, with its unit where that is not the metric's."""
        return f"{self.rope.size:g}{self._unit}"

    @property
    def _unit(self) -> str:
        return " ranks" if "ranks" in self.model.within else ""

    @property
    def _on_measured(self) -> str:
        return f" on {self.measured}" if self.measured else ""

    def _title(self) -> str:
        rope = rope_phrase(self.rope)
        return f"{self.method}: {self._describe_data()}{self._on_measured}, {rope}"

    def exhibit(self) -> Exhibit:
        """Which is likeliest to be best, how the others stand, and how sure that is."""
        main = self.targets[0]
        near = [_set(self, 0.5)] if self.rope.size > 0 else []
        rope = f"{rope_phrase(self.rope)}{'' if self.rope.empty else self._unit}"
        return Exhibit(
            f"{self.ranking(main).index[0]} is the likeliest to be best",
            self._top_table(),
            self._doubts(),
            "standings",
            setting=", ".join(text for text in (self.measured, rope) if text),
            sentences=[" ".join([*(self._chances(on) for on in self.targets), *near])],
            legend=self._legend(main),
            method=self._method_line(),
            more=either("more: .ranking(), .verdict(a, b), .frame(), .explain(), .plot()", ""),
        )

    def _method_line(self) -> str:
        first, *others = self._describe_method()
        return "; ".join([sentence_of(first), *others])

    def _chances(self, on: str) -> str:
        """The likeliest to be best on a target: "Best on average: svm 0.69, logistic 0.22."."""
        table = self.ranking(on).head(3)
        shown = [
            f"{name} {format_probability(p)}" for name, p in table["p_best"].items() if p >= 0.005
        ]
        return f"Best {self.spoken[on]}: {', '.join(shown)}."

    @property
    def expectation(self) -> str:
        """What the chosen algorithm is expected to score, in words; "" where it has no score."""
        return "" if self.means is None else self.chosen().explain()

    def _legend(self, on: str) -> str:
        """Say what "near" is, and how many algorithms the table has no room for."""
        reach = "margin" if self.rope.one_sided else "rope"
        near = [f"near: within the {reach} of the best {self.spoken[on]}"]
        more = len(self.algorithms) - MOST_SHOWN
        left = (
            [f"{format_count(more, f'more {self.subject}')}: {either('.ranking()', '--full')}"]
            if more > 0
            else []
        )
        return "; ".join([*(near if self.rope.size > 0 else []), *left])

    def _top_table(self) -> pd.DataFrame:
        """The overview as texts, of the first algorithms."""
        table = self.overview()
        most = table.head(MOST_SHOWN)
        heads = {"p_next": "best next", "p_average": "best on average", "p_near": "near"}
        shown = {
            "": cut_all(most.index, 24),
            **{
                head: [format_probability(probability) for probability in most[column]]
                for column, head in heads.items()
                if column in most
            },
            "expected rank": [f"{rank:.1f}" for rank in most["expected_rank"]],
        }
        return pd.DataFrame(shown)


def _rank_interval(ranks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Central 95% of each algorithm's ranks."""
    total = np.cumsum(ranks, axis=1)
    size = ranks.shape[1] - 1
    low = np.minimum((total < 0.025 - 1e-12).sum(axis=1), size) + 1
    high = np.minimum((total < 0.975 - 1e-12).sum(axis=1), size) + 1
    return low, high
