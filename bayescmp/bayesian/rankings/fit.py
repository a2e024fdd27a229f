"""Several algorithms compared by pairwise wins, by whole rankings, or only by their ranks.

With ties, the Bradley-Terry and the Plackett-Luce model are Davidson's and the Davidson-Luce
model. A ranking is a sequence of choices: of the algorithms that are left, the best is chosen, or
a set S of k that tie. With worths alpha = exp(beta), it is chosen in proportion to

    f(S) = exp(nu_k) (product of alpha over S)^(1/k),    nu_1 = 0

(Firth, Kosmidis & Turner 2019; Turner et al. 2020, equation 3). Sums of f over all sets of one
size are elementary symmetric polynomials of alpha^(1/k), to which algorithms are added one at a
time from the last place up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import expit

from bayescmp.base.arguments import must_be
from bayescmp.base.checks import (
    RhoLike,
    Seed,
    number,
    one_of,
    optional,
    read_numbers,
    seed_of,
    text,
    validate_params,
)
from bayescmp.bayesian.joint.bootstrap import BootstrapPosterior, ResamplingModel, resample
from bayescmp.bayesian.joint.clouds import Cloud, rank_points
from bayescmp.bayesian.joint.standings import AVERAGE, NEXT
from bayescmp.bayesian.rankings.abilities import (
    AT_ONCE,
    DRAWN_CELLS,
    SIGMA_SD,
    AbilityModel,
    AbilityPosterior,
    Replicates,
    fit_abilities,
    log_prior,
    precision,
    rope_of_chance,
)
from bayescmp.bayesian.rankings.outcomes import (
    POLICIES,
    RankTable,
    WinTable,
    read_rankings,
    read_wins,
)
from bayescmp.scores.rope import RopeLike
from bayescmp.scores.scores import Scores


@validate_params(metric=optional(text), local_rope=number(0), ties=one_of(*POLICIES))
def bradley_terry(
    wins: Scores | pd.DataFrame,
    *,
    metric: str | None = None,
    rope: RopeLike = 0.05,
    ties: str = "davidson",
    local_rope: float = 0.0,
    seed: Seed = None,
) -> AbilityPosterior:
    """Find the best of several algorithms from pairwise wins: the Bayesian Bradley-Terry model.

    Algorithm i beats j with probability exp(βi) / (exp(βi) + exp(βj)), β ~ N(0, σ²), σ ~
    LogNormal(0, 0.5). Only wins are needed, of matches, preferences, or data sets.

    Parameters
    ----------
    wins : Scores or DataFrame
        Scores: one win per data set, by mean scores. A square frame: wins of the row over the
        column. One row per pair: two columns of names (first and second, alg1 and alg2, ...), two
        of wins (win1 and win2, ...) and perhaps one of ties. One row per match: winner and loser,
        or two players (model_a and model_b, ...) and the winner, by name, by column or "tie".
    metric : str, optional
        Of several in `Scores`.
    rope : float
        How far from one half a probability of winning, excluding ties, counts as equivalent.
    ties : {"davidson", "spread", "add", "forget"}
        "davidson": with a separate probability, exp(ν + (βi + βj)/2) next to exp(βi) and exp(βj),
        ν ~ N(0, 2²) (Davidson 1970); "spread": half of them, rounded up, as wins of each; "add":
        all as wins of each; "forget": not at all.
    local_rope : float
        For folds: a lead of at most this many standard deviations of the folds' differences is a
        tie; Wainer (2023) proposes 0.4.
    seed : int or numpy Generator, optional

    Returns
    -------
    AbilityPosterior

    Raises
    ------
    InputError
        Another form of wins, missing or negative counts, algorithms that no chain of matches
        links, bad options.

    Warns
    -----
    DiagnosticWarning
        If importance sampling cannot be relied on (Pareto k over 0.7).

    See Also
    --------
    plackett_luce, friedman, bayescmp.frequentist.sign_test

    Notes
    -----
    Wainer's package gives wins among decided matches the probability that they have among all;
    here wins and ties share one multinomial distribution, as in Davidson's model.

    References
    ----------
    Wainer (2023), JMLR 24(341); Davidson (1970), JASA 65:317-328.

    Examples
    --------
    >>> import pandas as pd
    >>> import bayescmp as bc
    >>> matches = pd.DataFrame({"winner": ["a"] * 8 + ["b"] * 9 + ["a"] * 2,
    ...                         "loser": ["b"] * 8 + ["c"] * 9 + ["c"] * 2})
    >>> posterior = bc.bayesian.bradley_terry(matches, seed=1)
    >>> {name: round(p, 1) for name, p in posterior.best().items()}
    {'a': 1.0, 'b': 0.0, 'c': 0.0}
    """
    region = rope_of_chance(rope)
    table = read_wins(wins, metric=metric, local_rope=local_rope)
    outcomes = replace(table, ties=ties)
    return fit_abilities(BRADLEY_TERRY, outcomes, region, seed_of(seed))


@dataclass(frozen=True, eq=False)
class Davidson:
    """Log posterior of abilities and ν, given σ; `counts` (P, 3) of pairs that met: wins, ties."""

    pairs: np.ndarray
    counts: np.ndarray
    size: int
    has_ties: bool
    sigma_sd: float = SIGMA_SD

    @classmethod
    def from_wins(cls, outcomes: WinTable, sigma_sd: float = SIGMA_SD) -> Davidson:
        """Read wins, with ties by their policy."""
        table = outcomes.count_ties()
        L = len(table.algorithms)
        i, j = np.triu_indices(L, 1)
        counts = np.stack([table.wins[i, j], table.wins[j, i], table.tied[i, j]], axis=1)
        met = counts.sum(axis=1) > 0
        pairs = np.stack([i, j], axis=1)[met]
        return cls(pairs, counts[met], L, bool(table.tied.any()), sigma_sd)

    @property
    def parameters(self) -> int:
        """Number of abilities and ν."""
        return self.size + self.has_ties

    def _outcomes(self, x: np.ndarray) -> np.ndarray:
        """Return the log probabilities of each pair's outcomes, (N, P, 3)."""
        a, b = x[:, self.pairs[:, 0]], x[:, self.pairs[:, 1]]
        tie = x[:, [self.size]] + (a + b) / 2 if self.has_ties else np.full_like(a, -np.inf)
        top = np.maximum(np.maximum(a, b), tie)
        total = top + np.log(np.exp(a - top) + np.exp(b - top) + np.exp(tie - top))
        return np.stack([a - total, b - total, tie - total], axis=-1)

    def log_densities(self, x: np.ndarray, log_sigma: np.ndarray) -> np.ndarray:
        """Return the log posterior densities of points (N, d) at values of log σ (N,)."""
        step = max(AT_ONCE // (3 * len(self.pairs)), 1)
        parts = []
        for start in range(0, len(x), step):
            log_p = self._outcomes(x[start : start + step])
            used = np.where(self.counts > 0, log_p, 0.0)
            parts.append(np.einsum("npk,pk->n", used, self.counts))
        prior = log_prior(x[:, : self.size], x[:, self.size :], log_sigma, self.sigma_sd)
        return np.asarray(np.concatenate(parts) + prior)

    def density(self, x: np.ndarray, log_sigma: float) -> tuple[float, np.ndarray, np.ndarray]:
        """Return the log posterior density at a point, its gradient and its negative Hessian."""
        log_p = float(self.log_densities(x[None], np.array([log_sigma]))[0])
        p = np.exp(self._outcomes(x[None])[0])
        n = self.counts.sum(axis=1)
        features = np.array([[1, 0, 0], [0, 1, 0], [0.5, 0.5, 1]])  # of each outcome: i, j, ν
        mean = p @ features
        slope = self.counts @ features - n[:, None] * mean
        spread = np.einsum("pk,ka,kb->pab", p, features, features)
        curve = n[:, None, None] * (spread - mean[:, :, None] * mean[:, None, :])
        places = np.concatenate([self.pairs, np.full((len(self.pairs), 1), self.size)], axis=1)
        d = self.size + 1
        gradient, H = np.zeros(d), np.zeros((d, d))
        np.add.at(gradient, places, slope)
        np.add.at(H, (places[:, :, None], places[:, None, :]), curve)
        weight = precision(self.size, 1, log_sigma)
        full = np.append(x, 0.0)[:d]
        gradient -= weight * full
        H[np.diag_indices(d)] += weight
        used = d if self.has_ties else self.size
        return log_p, gradient[:used], H[:used, :used]


def _replicate_wins(posterior: AbilityPosterior) -> Replicates:
    """Count wins among the matches with a winner, and as many that the model draws."""
    assert isinstance(posterior.outcomes, WinTable)  # as the model says
    model = Davidson.from_wins(posterior.outcomes)
    beta = posterior.averages
    chance = expit(beta[:, model.pairs[:, 0]] - beta[:, model.pairs[:, 1]])
    decided = (model.counts[:, 0] + model.counts[:, 1]).astype(int)
    drawn = np.random.default_rng([posterior.seed, 4]).binomial(decided, chance)
    return Replicates(model.pairs, model.counts[:, 0], decided, drawn)


BRADLEY_TERRY = AbilityPosterior.answering(
    AbilityModel(
        kind="bradley_terry",
        method="Bayesian Bradley-Terry model",
        reference="Wainer 2023",
        fixed={
            "rho": "the model takes wins, not folds",
            "without": "of a data set only its wins are kept",
        },
        pose=Davidson.from_wins,
        replicate=_replicate_wins,
        counted="matches",
    )
)


# The Bayesian Plackett-Luce model: several algorithms by whole rankings, with ties.


#: Most numbers that are worked on at a time: they stay in the processor's cache.
TABLE_CELLS = 200_000


@dataclass(frozen=True, eq=False)
class DavidsonLuce:
    """Log posterior of abilities and of each ν of ties, given σ.

    `places`, `counts` and `censored` are as of `RankTable`; `ties` are the sizes of ties seen, in
    rising order; `sigma_sd` is the standard deviation of log σ.
    """

    places: np.ndarray
    counts: np.ndarray
    censored: np.ndarray
    ties: tuple[int, ...]
    sigma_sd: float = SIGMA_SD

    @classmethod
    def from_ranks(cls, table: RankTable, sigma_sd: float = SIGMA_SD) -> DavidsonLuce:
        """Read rankings."""
        return cls(table.places, table.counts, table.censored, table.tie_sizes, sigma_sd)

    @property
    def size(self) -> int:
        """Number of algorithms."""
        return int(self.places.shape[1])

    @property
    def parameters(self) -> int:
        """Number of abilities and ν."""
        return self.size + len(self.ties)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Sizes of the sets that may be chosen."""
        return (1, *self.ties)

    @cached_property
    def order(self) -> np.ndarray:
        """Algorithms of each ranking from the last to the best, (L, R); L where there is none."""
        order = np.argsort(-self.places, axis=1, kind="stable")
        there = np.take_along_axis(self.places, order, axis=1) > 0
        return np.asarray(np.where(there, order, self.size).T)

    @cached_property
    def chosen(self) -> np.ndarray:
        """Counts of sets chosen from the algorithms up to each place of `order`, (L, R)."""
        padded = np.column_stack([self.places, np.zeros(len(self.places), dtype=int)])
        place = np.take_along_axis(padded, self.order.T, axis=1).T
        above = np.vstack([place[1:], np.zeros_like(place[:1])])
        last = np.where(self.censored, self.places.max(axis=1), 0)
        return np.where((place > 0) & (place != above) & (place != last), self.counts, 0)

    @cached_property
    def totals(self) -> np.ndarray:
        """Coefficients of abilities and ν in the log product of f over all chosen sets."""
        total = np.zeros(self.size + len(self.ties))
        last = self.places.max(axis=1) - self.censored
        for place in range(1, last.max() + 1):
            there = (self.places == place) & (place <= last)[:, None]
            k = there.sum(axis=1)
            total[: self.size] += (self.counts / np.maximum(k, 1)) @ there
            for at, size in enumerate(self.ties):
                total[self.size + at] += self.counts[k == size].sum()
        return total

    # Densities.

    def log_likelihoods(self, x: np.ndarray) -> np.ndarray:
        """Log probabilities of the rankings at points (N, d): abilities, then ν of each size."""
        tables = sum(k + 1 for k in self.sizes)
        step = max(TABLE_CELLS // (tables * len(self.places)), 1)
        parts = [self._log_sums(x[i : i + step]) for i in range(0, len(x), step)]
        return np.asarray(x @ self.totals - np.concatenate(parts))

    def _log_sums(self, x: np.ndarray) -> np.ndarray:
        """Σ log Σ_S f(S) over all choices, (N,)."""
        worth = self._worths(x)
        sums = [np.zeros((k + 1, len(x), len(self.places))) for k in self.sizes]
        for e in sums:
            e[0] = 1
        rates = self._rates(x)[:, :, None]
        total = x[:, : self.size].max(axis=1) * self.chosen.sum()
        for items, count in zip(self.order, self.chosen, strict=True):
            for e, y in zip(sums, worth, strict=True):
                e[1:] += y[:, items] * e[:-1]
            here = count > 0
            if here.any():
                Z = sum(rate * e[-1][:, here] for rate, e in zip(rates, sums, strict=True))
                total += np.log(Z) @ count[here]
        return np.asarray(total)

    def _worths(self, x: np.ndarray) -> list[np.ndarray]:
        """alpha^(1/k), the largest alpha being 1, with 0 for no algorithm: (N, L + 1) each."""
        beta = x[:, : self.size]
        beta = beta - beta.max(axis=1, keepdims=True)
        none = np.zeros((len(x), 1))
        return [np.hstack([np.exp(beta / k), none]) for k in self.sizes]

    def _rates(self, x: np.ndarray) -> np.ndarray:
        """exp(ν) of each size, (sizes, N)."""
        return np.exp(np.vstack([np.zeros(len(x)), x[:, self.size :].T]))

    def log_densities(self, x: np.ndarray, log_sigma: np.ndarray) -> np.ndarray:
        """Return the log posterior densities of points (N, d) at values of log σ (N,)."""
        prior = log_prior(x[:, : self.size], x[:, self.size :], log_sigma, self.sigma_sd)
        return self.log_likelihoods(x) + prior

    def density(self, x: np.ndarray, log_sigma: float) -> tuple[float, np.ndarray, np.ndarray]:
        """Return the log posterior density at a point, its gradient and its negative Hessian."""
        log_p = float(self.log_densities(x[None], np.array([log_sigma]))[0])
        weight = precision(self.size, len(self.ties), log_sigma)
        gradient, H = self.totals - weight * x, np.diag(weight)
        for count, mean, second in self._moments(x):
            gradient -= count @ mean
            H += second - (mean.T * count) @ mean
        return log_p, gradient, H

    def _moments(self, x: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Yield each place's moments of the chosen set (coded 1/k): counts, means, squares."""
        worth, rates = self._worths(x[None]), self._rates(x[None])[:, 0]
        states = [_Sums.empty(k, len(self.places), self.size) for k in self.sizes]
        for items, count in zip(self.order, self.chosen, strict=True):
            for state, y in zip(states, worth, strict=True):
                state.add(y[0, items], np.minimum(items, self.size - 1))
            if count.any():
                yield count, *self._of_place(states, rates, count)

    def _of_place(
        self, states: list[_Sums], rates: np.ndarray, count: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        L, d = self.size, self.size + len(self.ties)
        mean, second = np.zeros((len(count), d)), np.zeros((d, d))
        Z = sum(rate * state.e[-1] for rate, state in zip(rates, states, strict=True))
        Z = np.where(count > 0, Z, 1.0)
        for at, (k, rate, state) in enumerate(zip(self.sizes, rates, states, strict=True)):
            share, each = rate * state.e[-1] / Z, rate * state.g[-1] / Z[:, None] / k
            mean[:, :L] += each
            second[:L, :L] += np.diag(count @ each) / k
            if k > 1:
                pairs = np.tensordot(count * rate / Z, state.h[-1], 1) / k**2
                second[:L, :L] += pairs + pairs.T
                mean[:, L + at - 1] = share
                second[L + at - 1, L + at - 1] = count @ share
                second[:L, L + at - 1] = second[L + at - 1, :L] = count @ each
        return mean, second

    # Simulation.

    def simulate_places(self, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Draw places of rankings of the same algorithms, (N, R, L), censored as observed."""
        N, (R, L) = len(x), self.places.shape
        left = np.broadcast_to(self.places > 0, (N, R, L)).copy()
        places = np.zeros((N, R, L), dtype=int)
        choices = np.where(self.censored, self.places.max(axis=1) - 1, L)
        for place in range(1, L + 1):
            going = left.any(axis=2) & (place <= choices)
            if not going.any():
                break
            taken = self._one_choice(x, left, rng) & going[..., None]
            places[taken] = place
            left &= ~taken
        return np.where(left, places.max(axis=2, keepdims=True) + 1, places)

    def _one_choice(self, x: np.ndarray, left: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Draw a set of those left, (N, R, L): first its size, then its algorithms in turn."""
        N, R, L = left.shape
        most = max(self.sizes)
        worth = np.stack(self._worths(x))[:, :, None, :L] * left  # (sizes, N, R, L)
        tails = np.zeros((L + 1, most + 1, len(self.sizes), N, R))  # of algorithms j and after
        tails[L, 0] = 1
        for j in reversed(range(L)):
            tails[j] = tails[j + 1]
            tails[j, 1:] += worth[..., j] * tails[j + 1, :-1]
        rates = self._rates(x)[:, :, None]
        f = np.stack([rates[at] * tails[0, k, at] for at, k in enumerate(self.sizes)])
        bounds = np.cumsum(f, axis=0)
        at = (rng.random((N, R)) * bounds[-1] >= bounds[:-1]).sum(axis=0)
        need = np.array(self.sizes)[at]
        taken = np.zeros((N, R, L), dtype=bool)
        n, r = np.indices((N, R))
        for j in range(L):
            whole = tails[j, need, at, n, r]
            with_j = worth[at, n, r, j] * tails[j + 1, np.maximum(need - 1, 0), at, n, r]
            taken[..., j] = (need > 0) & (rng.random((N, R)) * whole < with_j)
            need = need - taken[..., j]
        return taken


@dataclass(frozen=True, eq=False)
class _Sums:
    """Elementary symmetric polynomials of y up to degree k in each ranking, with derivatives.

    `e` (k + 1, R) sum products over all sets of each size, `g` (k + 1, R, L) over sets with an
    algorithm, `h` (k + 1, R, L, L), or (0,) if k = 1, over sets with two, in the place of the
    later.
    """

    e: np.ndarray
    g: np.ndarray
    h: np.ndarray

    @classmethod
    def empty(cls, k: int, R: int, L: int) -> _Sums:
        """Start with rankings of no algorithm."""
        e = np.zeros((k + 1, R))
        e[0] = 1
        return cls(e, np.zeros((k + 1, R, L)), np.zeros((k + 1, R, L, L) if k > 1 else (0,)))

    def add(self, y: np.ndarray, items: np.ndarray) -> None:
        """Add an algorithm to each ranking, by its y (R,) and its place (R,); y is 0 for none."""
        e, g, h = self.e, self.g, self.h
        row = np.arange(len(items))
        if len(h):
            h[2:] += y[:, None, None] * h[1:-1]
            h[1:, row, items] += y[:, None] * g[:-1]
        g[1:] += y[:, None] * g[:-1]
        g[1:, row, items] += y * e[:-1]
        e[1:] += y * e[:-1]


#: Replicates of the posterior predictive check.
REPLICATES = 400


@validate_params(metric=optional(text), local_rope=number(0))
def plackett_luce(
    rankings: Scores | pd.DataFrame | Iterable[Sequence[object]],
    *,
    metric: str | None = None,
    rope: RopeLike = 0.05,
    local_rope: float = 0.0,
    unranked: str = "absent",
    seed: Seed = None,
) -> AbilityPosterior:
    """Find the best of several algorithms from whole rankings: the Bayesian Plackett-Luce model.

    The best is chosen from all algorithms of a ranking, the next from those that are left, and so
    on, algorithm i in proportion to exp(βi). Sets of k that tie are chosen in proportion to
    exp(νk) times the geometric mean of their exp(β) (Davidson-Luce). β ~ N(0, σ²), σ ~
    LogNormal(0, 0.5), ν ~ N(0, 2²), as in `bradley_terry`.

    Parameters
    ----------
    rankings : Scores, DataFrame or sequence of sequences of str
        Scores: one ranking per data set, by mean scores. A frame of ranks: one row per ranking, 1
        the best, equal ones a tie, NaN or 0 not ranked. A list of rankings: names, the best first,
        where a tuple of names is a tie.
    metric : str, optional
        Of several in `Scores`.
    rope : float
        How far from one half a probability of being above, excluding ties, counts as equivalent.
    local_rope : float
        For folds: from the best down, a tie takes in algorithms within this many standard
        deviations of the folds' differences from its best. 0: equal means only.
    unranked : {"absent", "last"}
        Unnamed algorithms were not compared, or came after all named ones (the first three of
        ten).
    seed : int or numpy Generator, optional

    Returns
    -------
    AbilityPosterior

    Raises
    ------
    InputError
        Another form of rankings, a name twice in one, a ranking that compares nothing, algorithms
        that no chain of rankings links, bad options.

    Warns
    -----
    DiagnosticWarning
        If importance sampling cannot be relied on (Pareto k over 0.7).

    See Also
    --------
    bradley_terry, friedman, bayescmp.frequentist.friedman

    Notes
    -----
    Sizes of ties that were never seen have no probability. The log-concave posterior is sampled
    from normal approximations on a grid of σ, whose importance ratios are judged by Pareto k.

    References
    ----------
    Plackett (1975), Applied Statistics 24:193-202; Turner, van Etten, Firth & Kosmidis (2020),
    Computational Statistics 35:1027-1057, section 2, for ties; Calvo, Ceberio & Lozano (2018),
    GECCO Companion, 324-325, for its use on algorithms.

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
    region = rope_of_chance(rope)
    table = read_rankings(rankings, metric=metric, local_rope=local_rope, unranked=unranked)
    return fit_abilities(PLACKETT_LUCE, table, region, seed_of(seed))


def _replicate_rankings(posterior: AbilityPosterior) -> Replicates:
    """Count how often one was above another, as seen and in rankings that the model draws."""
    assert isinstance(posterior.outcomes, RankTable)  # as the model says
    model = _one_by_one(posterior.outcomes)
    there = model.places > 0
    pairs = np.stack(np.triu_indices(model.size, 1), axis=1)
    matches = (there[:, pairs[:, 0]] & there[:, pairs[:, 1]]).sum(axis=0)
    pairs, matches = pairs[matches > 0], matches[matches > 0]
    drawn = [_count_above(places, pairs) for places in _drawn_rankings(posterior, model)]
    return Replicates(pairs, _count_above(model.places, pairs), matches, np.concatenate(drawn))


def _one_by_one(table: RankTable) -> DavidsonLuce:
    places = np.repeat(table.places, table.counts, axis=0)
    censored = np.repeat(table.censored, table.counts)
    return DavidsonLuce(places, np.ones(len(places)), censored, table.tie_sizes)


def _drawn_rankings(posterior: AbilityPosterior, model: DavidsonLuce) -> Iterator[np.ndarray]:
    """Yield rankings that the posterior draws, some replicates at a time."""
    x = np.concatenate([posterior.abilities, posterior.nu], axis=-1)
    x = x.reshape(-1, x.shape[-1])
    x = x[:: max(len(x) // REPLICATES, 1)]
    rng = np.random.default_rng([posterior.seed, 4])
    step = max(DRAWN_CELLS // (model.places.size * max(model.sizes)), 1)
    for start in range(0, len(x), step):
        yield model.simulate_places(x[start : start + step], rng)


def _count_above(places: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Count how often the first of each pair is above the second, over all rankings, (..., P)."""
    a, b = places[..., pairs[:, 0]], places[..., pairs[:, 1]]
    return np.asarray(((a > 0) & (b > 0) & (a < b)).sum(axis=-2))


PLACKETT_LUCE = AbilityPosterior.answering(
    AbilityModel(
        kind="plackett_luce",
        method="Bayesian Plackett-Luce model",
        reference="Turner et al. 2020",
        fixed={
            "rho": "the model takes ranks, not folds",
            "without": "of a data set only its ranking is kept",
        },
        targets=(AVERAGE, NEXT),
        pose=DavidsonLuce.from_ranks,
        replicate=_replicate_rankings,
        counted="rankings",
    )
)


# The Bayesian Friedman test: several algorithms by their ranks (Benavoli et al. 2015).


@validate_params(metric=optional(text))
def friedman(
    scores: Scores | ArrayLike,
    *,
    metric: str | None = None,
    rope: RopeLike = 0.0,
    rho: RhoLike | None = None,
    prior: float = 1.0,
    lower_is_better: bool = False,
    draws: int = 4000,
    seed: Seed = None,
) -> BootstrapPosterior:
    """Find the best of several algorithms from their ranks: the Bayesian Friedman test.

    Algorithms are ranked on each data set. A Dirichlet process puts weights w ~ Dirichlet(s, 1,
    ..., 1) on a data set where all tie and on the q that were seen; a draw's mean ranks are
    weighted means. With folds, draws of the true means are ranked, so that a lead within the noise
    counts little.

    Parameters
    ----------
    scores : Scores, DataFrame, or array_like of shape (q, L) or (q, n, L)
        As for `bootstrap`.
    metric : str, optional
        Of several in `Scores`.
    rope : float
        Half-width of the region of practical equivalence, in ranks. With 0 a tie counts half each.
    rho, lower_is_better, draws, seed
        As for `bootstrap`.
    prior : float
        Weight s of the data set where all tie, >= 0.

    Returns
    -------
    BootstrapPosterior

    Raises
    ------
    InputError
        As for `bootstrap`; a negative weight of the prior.

    See Also
    --------
    bootstrap, plackett_luce, bayescmp.frequentist.friedman

    References
    ----------
    Benavoli, Corani, Mangili & Zaffalon (2015), Proceedings of the 32nd International Conference
    on Machine Learning, 1264-1272.

    Examples
    --------
    >>> import pandas as pd
    >>> import bayescmp as bc
    >>> means = pd.DataFrame({"knn": [0.81, 0.74, 0.90, 0.66, 0.71, 0.83],
    ...                       "svm": [0.84, 0.79, 0.91, 0.70, 0.70, 0.85],
    ...                       "gbm": [0.86, 0.77, 0.95, 0.71, 0.74, 0.86]})
    >>> posterior = bc.bayesian.friedman(means, seed=1)
    >>> posterior.mean_ranks()["mean"].round(1).to_dict()
    {'knn': 2.7, 'svm': 2.0, 'gbm': 1.3}
    """
    prior = _weight(prior)
    return resample(
        FRIEDMAN,
        "the Bayesian Friedman test",
        scores=scores,
        metric=metric,
        rope=rope,
        rho=rho,
        prior=prior,
        lower_is_better=lower_is_better,
        draws=draws,
        seed=seed,
    )


def _weight(prior: object) -> float:
    accepted = "a weight of at least 0, in data sets"
    value = read_numbers(prior, "prior", accepted)
    if value.ndim or not 0 <= float(value) < float("inf"):
        raise must_be("prior", accepted, prior)
    return float(value)


def _draw_weights(posterior: BootstrapPosterior) -> np.ndarray:
    """Draw the weights, shape (D, q + 1): the data sets', then the prior's."""
    rng = np.random.default_rng([posterior.seed, 0])
    seen = rng.standard_gamma(1.0, (posterior.size, len(posterior.x)))
    tied = rng.standard_gamma(posterior.prior or 0.0, (posterior.size, 1))
    drawn = np.concatenate([seen, tied], axis=1)
    return np.asarray(drawn / drawn.sum(axis=1, keepdims=True))


def _ranks_of(means: np.ndarray, w: np.ndarray) -> Cloud:
    """Return negative ranks on each data set, and on one where all tie."""
    above, tied = rank_points(means)
    c, _, L = means.shape
    shape = (c, 1, L)
    above = np.concatenate([above, np.zeros(shape, dtype=above.dtype)], axis=1)
    tied = np.broadcast_to(tied, means.shape)
    tied = np.concatenate([tied, np.full(shape, L, dtype=tied.dtype)], axis=1)
    return Cloud(-(above + (tied + 1) / 2), w, (above, tied))


FRIEDMAN = BootstrapPosterior.answering(
    ResamplingModel(
        kind="friedman",
        method="Bayesian Friedman test",
        reference="Benavoli et al. 2015",
        quantity="mean difference of ranks",
        within="differences of ranks",
        fixed={"rho": "it widens the noise of the {p.sample}s only"},
        draw_weights=_draw_weights,
        cloud_of=_ranks_of,
        prior_words="weight {weight} on a {p.unit} where all {p.subject}s tie",
        has_prior=True,
    )
)
