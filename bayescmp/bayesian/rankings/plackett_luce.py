"""The Bayesian Plackett-Luce model: several algorithms by whole rankings, with ties."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from bayescmp import checks
from bayescmp._version import built_in
from bayescmp.bayesian.joint.standing import Cloud, Standing
from bayescmp.bayesian.joint.standings import AVERAGE, NEXT
from bayescmp.bayesian.rankings.abilities import AbilityPosterior, judged, rope_of_chance
from bayescmp.bayesian.rankings.davidson_luce import DavidsonLuce
from bayescmp.bayesian.rankings.importance import Nodes, sampled
from bayescmp.bayesian.rankings.prior import SIGMA_SD, WIDER_SD, in_words, log_sigmas
from bayescmp.bayesian.rankings.rankings import RankTable, read_rankings
from bayescmp.pairs import PairVariation, all_probabilities
from bayescmp.posterior import CHAINS, DRAWS, Fitted
from bayescmp.scores import Scores
from bayescmp.typing import Coordinates, Groups, Json
from bayescmp.verdict import Rope

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.checks import Seed
    from bayescmp.verdict.rope import RopeLike

__all__ = ["PlackettLucePosterior", "plackett_luce"]

#: Rankings that may come next, drawn for each draw of the posterior.
POINTS = 8
#: Replicates of the posterior predictive check, and numbers that are worked on at a time.
REPLICATES, AT_ONCE = 400, 200_000


def plackett_luce(
    rankings: Scores | pd.DataFrame | Iterable[Sequence[object]],
    *,
    metric: str | None = None,
    rope: RopeLike = 0.05,
    local_rope: float = 0.0,
    unranked: str = "absent",
    seed: Seed = None,
) -> PlackettLucePosterior:
    """Which of several algorithms is best, by whole rankings: the Bayesian Plackett-Luce model.

    The best is chosen from all algorithms of a ranking, the next from those that are left, and so
    on, algorithm i with a probability in proportion to exp(βi). Sets of k that tie are chosen in
    proportion to exp(νk) times the geometric mean of their exp(β) (the Davidson-Luce model of the
    R package PlackettLuce). β ~ N(0, σ²), σ ~ LogNormal(0, 0.5), ν ~ N(0, 2²), as in
    `bradley_terry`, of which this is the form for more than two at a time.

    Parameters
    ----------
    rankings : Scores, DataFrame or sequence of sequences of str
        Scores: one ranking per data set, by mean scores. A frame of ranks: one row per ranking,
        one column per algorithm, 1 the best, equal ones a tie, NaN or 0 not ranked. A list of
        rankings: names from the best on, a tuple of names being a tie.
    metric : str, optional
        Which metric, where `Scores` has several.
    rope : float
        Two algorithms are equivalent where the probability that one is ranked above the other is
        within this distance of one half, where they do not tie.
    local_rope : float
        Of scores with folds: from the best down, algorithms within this many standard deviations
        of the folds' differences from the best of a tie belong to it. 0: equal means only.
    unranked : {"absent", "last"}
        Algorithms that a ranking does not name were not compared in it, or came after all that it
        names, in an unknown order (the first three of ten).
    seed : int or numpy Generator, optional
        The same seed gives the same numbers.

    Returns
    -------
    PlackettLucePosterior

    Raises
    ------
    InputError
        Another form of rankings, a name twice in one, a ranking that compares nothing, algorithms
        that no chain of rankings links, a bad rope, option or seed.

    Warns
    -----
    DiagnosticWarning
        If importance sampling can't be relied on (Pareto k over 0.7).

    See Also
    --------
    bradley_terry : Of pairs.
    friedman : Of ranks, without a model.
    bayescmp.frequentist.friedman : The frequentist question: are they all alike?

    Notes
    -----
    Sizes of ties that were never seen have no probability. The posterior is log-concave: it is
    sampled from normal approximations on a grid of σ, whose importance ratios are judged by their
    Pareto k.

    References
    ----------
    Plackett (1975), Applied Statistics 24:193-202; Turner, van Etten, Firth & Kosmidis (2020),
    Modelling rankings in R: the PlackettLuce package, Computational Statistics 35:1027-1057,
    section 2, for ties; Calvo, Ceberio & Lozano (2018), Bayesian inference for algorithm ranking
    analysis, GECCO Companion, 324-325, for its use on algorithms.

    Examples
    --------
    >>> import bayescmp as bc
    >>> races = [["a", "b", "c"]] * 9 + [["b", "a", "c"]] * 4 + [["a", ("b", "c")]] * 3
    >>> posterior = bc.bayesian.plackett_luce(races, seed=1)
    >>> {name: round(p, 1) for name, p in posterior.best().items()}
    {'a': 1.0, 'b': 0.0, 'c': 0.0}
    >>> {name: round(p, 1) for name, p in posterior.best("next").items()}
    {'a': 0.8, 'b': 0.2, 'c': 0.0}
    """
    width = rope_of_chance(rope)
    table = read_rankings(rankings, metric=metric, local_rope=local_rope, unranked=unranked)
    return fitted_rankings(table, width, checks.seed_of(seed))


def fitted_rankings(
    table: RankTable, width: float, seed: int, *, sigma_sd: float = SIGMA_SD
) -> PlackettLucePosterior:
    """The posterior of a table of rankings."""
    model = DavidsonLuce.of(table, sigma_sd)
    L = model.size
    nodes = Nodes.of(log_sigmas(sigma_sd), np.zeros(L + len(model.ties)), model.density)
    rng = np.random.default_rng([seed, 1])
    x, log_sigma, k = sampled(nodes, model.log_densities, CHAINS * DRAWS, rng)
    posterior = PlackettLucePosterior(
        names=table.algorithms,
        datasets=(),
        rope=Rope(-width, width),
        abilities=x[:, :L].reshape(CHAINS, DRAWS, L),
        nu=x[:, L:].reshape(CHAINS, DRAWS, -1),
        sigma=np.exp(log_sigma).reshape(CHAINS, DRAWS),
        places=table.places,
        counts=table.counts,
        censored=table.censored,
        matches=table.total,
        pareto_k=k,
        metric=table.metric,
        directions=table.directions,
        engine="exact",
        engine_version=built_in(),
        diagnostics=judged(k),
        seed=seed,
    )
    posterior.warn_if_doubtful()
    return posterior


@dataclass(frozen=True, eq=False, repr=False)
class PlackettLucePosterior(AbilityPosterior):
    """Posterior of the Bayesian Plackett-Luce model.

    Attributes
    ----------
    nu : ndarray of shape (chain, draw, sizes)
        ν of ties of each size that was seen, in rising order.
    sigma : ndarray of shape (chain, draw)
        How far abilities spread.
    places : ndarray of int, shape (R, L)
        The different rankings: 1 the best; ties share a place, 0 is not in the ranking.
    counts : ndarray of int, shape (R,)
        How often each was seen.
    censored : ndarray of bool, shape (R,)
        Whether the last place holds algorithms of which only is known that they are below.
    """

    _: KW_ONLY
    nu: np.ndarray
    sigma: np.ndarray
    places: np.ndarray
    counts: np.ndarray
    censored: np.ndarray

    method: ClassVar[str] = "Bayesian Plackett-Luce model"
    kind: ClassVar[str] = "plackett_luce"
    reference: ClassVar[str] = "Turner et al. 2020"
    targets: ClassVar[tuple[str, ...]] = (AVERAGE, NEXT)
    counted: ClassVar[str] = "rankings"
    fixed: ClassVar[Mapping[str, str]] = {
        "rho": "the model takes ranks, not folds",
        "without": "of a data set only its ranking is kept",
    }
    stored: ClassVar[dict[str, tuple[str, ...]]] = {
        "posterior": ("abilities", "sigma"),
        "constant_data": ("places", "counts", "censored"),
    }

    @property
    def prior_text(self) -> str:
        """The prior in words."""
        return in_words(ties=self.nu.shape[-1] > 0)

    @property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws of abilities (chain, draw, L), sigma (chain, draw) and, with ties, nu."""
        draws = {"abilities": self.abilities, "sigma": self.sigma}
        return draws | ({"nu": self.nu} if self.nu.shape[-1] else {})

    def pair_variations(
        self, *, datasets: bool = True, refit: bool = False
    ) -> Iterator[PairVariation]:
        """A wider prior of σ, fitted again.

        See Also
        --------
        PairsPosterior.pair_variations : What it yields.

        Examples
        --------
        >>> import bayescmp as bc
        >>> races = [["a", "b", "c"], ["b", "a", "c"], ["a", "c", "b"]]
        >>> posterior = bc.bayesian.plackett_luce(races, seed=1)
        >>> [setting for _, setting, _ in posterior.pair_variations()]
        ['σ ~ LogNormal(0, 1)']
        """
        table = RankTable(self.algorithms, self.places, self.counts, self.censored)
        wider = fitted_rankings(table, self.rope.high, self.seed, sigma_sd=WIDER_SD)
        yield "prior", f"σ ~ LogNormal(0, {WIDER_SD:g})", all_probabilities(wider)

    def clouds(self, on: str = AVERAGE) -> Iterator[Cloud]:
        """The abilities, or what algorithms are ranked by in eight rankings that may come next.

        Parameters
        ----------
        on : {"average", "next"}
            The next ranking is one of all algorithms without ties.

        Yields
        ------
        Cloud

        See Also
        --------
        bayescmp.frequentist.friedman

        Examples
        --------
        >>> import bayescmp as bc
        >>> races = [["a", "b", "c"], ["b", "a", "c"], ["a", "c", "b"]]
        >>> posterior = bc.bayesian.plackett_luce(races, seed=1)
        >>> next(posterior.clouds("next")).u.shape[1:]
        (8, 3)
        """
        if on == AVERAGE:
            yield from super().clouds(on)
            return
        rng = np.random.default_rng([self.seed, 2])
        step = max(AT_ONCE // (POINTS * len(self.algorithms)), 1)
        for start in range(0, len(self.averages), step):
            beta = self.averages[start : start + step, None, :]
            u = beta + rng.gumbel(size=(len(beta), POINTS, beta.shape[2]))
            yield Cloud(u, np.full(u.shape[:2], 1 / POINTS))

    def standing(self, on: str | None = None, rope: RopeLike | None = None) -> Standing:
        """What all statements about first places and ranks rest on, draw by draw.

        Parameters
        ----------
        on : {"average", "next"}, optional
        rope : float, optional
            Another distance from one half than the posterior's own. In the next ranking the best
            alone is near itself: a ranking has no distances.

        Returns
        -------
        Standing

        See Also
        --------
        bayescmp.frequentist.friedman

        Examples
        --------
        >>> import bayescmp as bc
        >>> races = [["a", "b", "c"], ["b", "a", "c"], ["a", "c", "b"]]
        >>> bc.bayesian.plackett_luce(races, seed=1).standing("next").best.shape
        (10000, 3)
        """
        return super().standing(on, 0.0 if self._target(on) == NEXT else rope)

    def check(self) -> pd.DataFrame:
        """Posterior predictive check: how often one is ranked above another, and in the model.

        Returns
        -------
        DataFrame
            One row per pair that was ranked together: wins, how often the first was above;
            matches, how often both were in a ranking; expected wins, and the ends low and high of
            their central 95 %; inside, whether the wins are between. Rankings that do not follow a
            single ability are outside.

        See Also
        --------
        bayescmp.frequentist.friedman

        Examples
        --------
        >>> import bayescmp as bc
        >>> races = [["a", "b", "c"], ["b", "a", "c"], ["a", "c", "b"]]
        >>> bc.bayesian.plackett_luce(races, seed=1).check()["inside"].tolist()
        [True, True, True]
        """
        import pandas as pd

        first, second = np.triu_indices(len(self.algorithms), 1)
        model = self._repeated()
        there = model.places > 0
        matches = (there[:, first] & there[:, second]).sum(axis=0)
        met = matches > 0
        first, second, matches = first[met], second[met], matches[met]
        drawn = np.concatenate(
            [_above(places, first, second) for places in self._replicates(model)]
        )
        low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
        won = _above(model.places, first, second)
        pairs = list(combinations(self.algorithms, 2))
        columns = {
            "wins": won,
            "matches": matches,
            "expected": drawn.mean(axis=0),
            "low": low,
            "high": high,
            "inside": (low <= won) & (won <= high),
        }
        index = pd.MultiIndex.from_tuples([pairs[k] for k in np.flatnonzero(met)])
        return pd.DataFrame(columns, index=index)

    def _repeated(self) -> DavidsonLuce:
        """The model of the rankings one by one."""
        table = RankTable(self.algorithms, self.places, self.counts, self.censored)
        places = np.repeat(self.places, self.counts, axis=0)
        censored = np.repeat(self.censored, self.counts)
        return DavidsonLuce(places, np.ones(len(places)), censored, table.tie_sizes)

    def _replicates(self, model: DavidsonLuce) -> Iterator[np.ndarray]:
        """Rankings that the posterior draws, some replicates at a time."""
        x = np.concatenate([self.abilities, self.nu], axis=-1)
        x = x.reshape(-1, x.shape[-1])
        x = x[:: max(len(x) // REPLICATES, 1)]
        rng = np.random.default_rng([self.seed, 4])
        step = max(AT_ONCE // (model.places.size * max(model.sizes)), 1)
        for start in range(0, len(x), step):
            yield model.simulated(x[start : start + step], rng)

    # -- saving --------------------------------------------------------------------------------

    def _groups(self) -> dict[str, dict[str, np.ndarray]]:
        constant = {
            "places": self.places,
            "counts": self.counts,
            "censored": self.censored.astype(int),
        }
        return {"posterior": dict(self.draws), "constant_data": constant}

    def _coords(self) -> Coordinates:
        coords, dims = super()._coords()
        coords["ranking"] = np.arange(len(self.counts)).tolist()
        each = {"counts": ["ranking"], "censored": ["ranking"]}
        return coords, {**dims, "places": ["ranking", "algorithm"], **each}

    def _attributes(self) -> Json:
        return {**super()._attributes(), "matches": self.matches, "pareto_k": self.pareto_k}

    @classmethod
    def _restore(cls, common: Json, more: Json, groups: Groups) -> Fitted:
        own, constant = groups["posterior"], groups["constant_data"]
        sigma = own["sigma"].to_numpy()
        return cls(
            **common,
            **more,
            abilities=own["abilities"].to_numpy(),
            sigma=sigma,
            nu=own["nu"].to_numpy() if "nu" in own else np.empty((*sigma.shape, 0)),
            places=constant["places"].to_numpy(),
            counts=constant["counts"].to_numpy(),
            censored=constant["censored"].to_numpy().astype(bool),
            datasets=(),
        )


def _above(places: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """How often the first of each pair is above the second, summed over rankings, (..., P)."""
    a, b = places[..., first], places[..., second]
    return np.asarray(((a > 0) & (b > 0) & (a < b)).sum(axis=-2))
