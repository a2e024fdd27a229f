"""The Bayesian Bradley-Terry model: several algorithms by who beat whom (Wainer 2023)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.special import expit

from bayescmp.base import checks
from bayescmp.base.checks import Seed
from bayescmp.base.declare import declare, number, one_of, optional, text
from bayescmp.bayesian.rankings.abilities import (
    AT_ONCE,
    SIGMA_SD,
    AbilityModel,
    AbilityPosterior,
    Replicates,
    fit_abilities,
    log_prior,
    precision,
    rope_of_chance,
)
from bayescmp.bayesian.rankings.outcomes import POLICIES, WinTable, read_wins
from bayescmp.scores.rope import RopeLike
from bayescmp.scores.scores import Scores


@declare(metric=optional(text), local_rope=number(0), ties=one_of(*POLICIES))
def bradley_terry(
    wins: Scores | pd.DataFrame,
    *,
    metric: str | None = None,
    rope: RopeLike = 0.05,
    ties: str = "davidson",
    local_rope: float = 0.0,
    seed: Seed = None,
) -> AbilityPosterior:
    """Which of several algorithms is best, by who beat whom: the Bayesian Bradley-Terry model.

    Algorithm i beats j with probability exp(βi) / (exp(βi) + exp(βj)), β ~ N(0, σ²), σ ~
    LogNormal(0, 0.5). Only wins are needed: matches in an arena, people's preferences, or the
    number of data sets on which an algorithm was better.

    Parameters
    ----------
    wins : Scores or DataFrame
        Scores: one win per data set, by mean scores. A square frame: wins of the row over the
        column. A frame with one row per pair: two columns of names (first and second, alg1 and
        alg2, ...), two of their wins (win1 and win2, ...) and perhaps one of ties. A frame with
        one row per match: columns winner and loser, or two players (model_a and model_b, ...) and
        the winner, by name, by column or "tie".
    metric : str, optional
        Which metric, where `Scores` has several.
    rope : float
        Two algorithms are equivalent where the probability of winning is within this distance of
        one half, where there is a winner.
    ties : {"davidson", "spread", "add", "forget"}
        How ties count. "davidson": with a probability of their own, exp(ν + (βi + βj)/2) beside
        exp(βi) and exp(βj), ν ~ N(0, 2²) (Davidson 1970); "spread": half of them, rounded up, as
        wins of each; "add": all as wins of each; "forget": not at all.
    local_rope : float
        For scores with folds: a lead on a data set of no more than this many standard deviations
        of the folds' differences is a tie; Wainer (2023) proposes 0.4.
    seed : int or numpy Generator, optional
        The same seed gives the same numbers.

    Returns
    -------
    AbilityPosterior

    Raises
    ------
    InputError
        Another form of wins, missing or negative counts, algorithms that no chain of matches
        links, a bad rope, policy or seed.

    Warns
    -----
    DiagnosticWarning
        If importance sampling can't be relied on (Pareto k over 0.7).

    See Also
    --------
    plackett_luce : By whole rankings.
    friedman : By ranks, without a model.
    bayescmp.frequentist.sign_test : The frequentist twin, for two algorithms.

    Notes
    -----
    The program of Wainer's package counts wins among the matches with a winner, but gives them the
    probability that they have among all matches; here wins and ties share one multinomial
    distribution, as in Davidson's model.

    References
    ----------
    Wainer (2023), A Bayesian Bradley-Terry model to compare multiple ML algorithms on multiple
    data sets, Journal of Machine Learning Research 24(341); Davidson (1970), Journal of the
    American Statistical Association 65:317-328.

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
    return fit_abilities(BRADLEY_TERRY, outcomes, region, checks.seed_of(seed))


@dataclass(frozen=True, eq=False)
class Davidson:
    """Log posterior of abilities and of ν, given σ; a row for each pair that met.

    `counts` (P, 3) are wins of the first, wins of the second, ties; `has_ties` says whether ties
    have a probability of their own; `sigma_sd` is the standard deviation of log σ.
    """

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
        """Log probabilities of each pair's outcomes, (N, P, 3)."""
        a, b = x[:, self.pairs[:, 0]], x[:, self.pairs[:, 1]]
        tie = x[:, [self.size]] + (a + b) / 2 if self.has_ties else np.full_like(a, -np.inf)
        top = np.maximum(np.maximum(a, b), tie)
        total = top + np.log(np.exp(a - top) + np.exp(b - top) + np.exp(tie - top))
        return np.stack([a - total, b - total, tie - total], axis=-1)

    def log_densities(self, x: np.ndarray, log_sigma: np.ndarray) -> np.ndarray:
        """Log posterior densities of points (N, d) at values of log σ (N,)."""
        step = max(AT_ONCE // (3 * len(self.pairs)), 1)
        parts = []
        for start in range(0, len(x), step):
            log_p = self._outcomes(x[start : start + step])
            used = np.where(self.counts > 0, log_p, 0.0)
            parts.append(np.einsum("npk,pk->n", used, self.counts))
        prior = log_prior(x[:, : self.size], x[:, self.size :], log_sigma, self.sigma_sd)
        return np.asarray(np.concatenate(parts) + prior)

    def density(self, x: np.ndarray, log_sigma: float) -> tuple[float, np.ndarray, np.ndarray]:
        """Log posterior density at a point, its gradient and its negative Hessian."""
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


def _replicate(posterior: AbilityPosterior) -> Replicates:
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
        replicate=_replicate,
        counted="matches",
    )
)
