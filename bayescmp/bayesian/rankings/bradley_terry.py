"""The Bayesian Bradley-Terry model: several algorithms by who beat whom (Wainer 2023)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit

from bayescmp._version import built_in
from bayescmp.base import checks
from bayescmp.base.declare import declare, number, one_of, optional, text
from bayescmp.bayesian.rankings.abilities import (
    AT_ONCE,
    SIGMA_SD,
    WIDER_SD,
    AbilityPosterior,
    Nodes,
    in_words,
    judged,
    log_prior,
    log_sigmas,
    precision,
    rope_of_chance,
    sampled,
)
from bayescmp.bayesian.rankings.outcomes import WinTable, read_wins
from bayescmp.results.posterior import CHAINS, DRAWS, Model, all_probabilities
from bayescmp.results.saving import Contents, array, part
from bayescmp.scores.rope import Rope
from bayescmp.scores.scores import Scores

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.base.checks import Seed
    from bayescmp.base.typing import PairVariation
    from bayescmp.scores.rope import RopeLike

__all__ = ["BradleyTerryPosterior", "bradley_terry"]

POLICIES = ("davidson", "spread", "add", "forget")


@declare(metric=optional(text), local_rope=number(0), ties=one_of(*POLICIES))
def bradley_terry(
    wins: Scores | pd.DataFrame,
    *,
    metric: str | None = None,
    rope: RopeLike = 0.05,
    ties: str = "davidson",
    local_rope: float = 0.0,
    seed: Seed = None,
) -> BradleyTerryPosterior:
    """Which of several algorithms is best, by who beat whom: the Bayesian Bradley-Terry model.

    Algorithm i beats j with probability exp(βi) / (exp(βi) + exp(βj)), β ~ N(0, σ²), σ ~
    LogNormal(0, 0.5). Only wins are needed: matches in an arena, people's preferences, or the
    number of data sets on which an algorithm was better.

    Parameters
    ----------
    wins : Scores or DataFrame
        Scores: one win per data set, by mean scores. A square frame: wins of the row over the
        column. A frame with one row per pair: two columns of names (first and second, alg1 and
        alg2,
        ...), two of their wins (win1 and win2, ...) and maybe one of ties. A list of matches:
        columns winner and loser, or two players (model_a and model_b, ...) and the winner, by
        name, by column or "tie".
    metric : str, optional
        Which metric, where `Scores` has several.
    rope : float
        Two algorithms are equivalent where the probability of winning is within this distance of
        one half, where there is a winner.
    ties : {"davidson", "spread", "add", "forget"}
        A probability of their own, exp(ν + (βi + βj)/2) beside exp(βi) and exp(βj), ν ~ N(0, 2²)
        (Davidson 1970); half of them, rounded up, as wins of each; all as wins of each; not at
        all.
    local_rope : float
        Of scores with folds: a lead on a data set of no more than this many standard deviations
        of the folds' differences is a tie; Wainer (2023) proposes 0.4.
    seed : int or numpy Generator, optional
        The same seed gives the same numbers.

    Returns
    -------
    BradleyTerryPosterior

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
    plackett_luce : Of whole rankings.
    friedman : Of ranks, without a model.
    bayescmp.frequentist.sign_test : Of two algorithms, the frequentist twin.

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
    width = rope_of_chance(rope)
    table = read_wins(wins, metric=metric, local_rope=local_rope)
    return fitted_wins(table, ties, width, checks.seed_of(seed))


def fitted_wins(
    table: WinTable, ties: str, width: float, seed: int, *, sigma_sd: float = SIGMA_SD
) -> BradleyTerryPosterior:
    """The posterior of a table of wins."""
    model = replace(Davidson.of(table, ties), sigma_sd=sigma_sd)
    start = np.zeros(len(table.algorithms) + model.has_ties)
    nodes = Nodes.of(log_sigmas(sigma_sd), start, model.density)
    rng = np.random.default_rng([seed, 1])
    x, log_sigma, k = sampled(nodes, model.log_densities, CHAINS * DRAWS, rng)
    L = len(table.algorithms)
    posterior = BradleyTerryPosterior(
        names=table.algorithms,
        datasets=(),
        rope=Rope(-width, width),
        abilities=x[:, :L].reshape(CHAINS, DRAWS, L),
        nu=x[:, L:].reshape(CHAINS, DRAWS, -1),
        sigma=np.exp(log_sigma).reshape(CHAINS, DRAWS),
        wins=table.wins,
        tied=table.ties,
        ties=ties,
        matches=table.matches,
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


@dataclass(frozen=True, eq=False)
class Davidson:
    """Log posterior of abilities and of ν, given σ; a row for each pair that met.

    Attributes
    ----------
    pairs : ndarray of int, shape (P, 2)
    counts : ndarray of shape (P, 3)
        Wins of the first, wins of the second, ties.
    size : int
        Number of algorithms.
    has_ties : bool
        Whether ties have a probability of their own.
    sigma_sd : float
        Standard deviation of log σ.
    """

    pairs: np.ndarray
    counts: np.ndarray
    size: int
    has_ties: bool
    sigma_sd: float = SIGMA_SD

    @classmethod
    def of(cls, table: WinTable, policy: str) -> Davidson:
        """From wins, with ties by their policy."""
        has_ties = policy == "davidson" and bool(table.ties.any())
        if policy != "davidson":
            table = table.without_ties(policy)
        L = len(table.algorithms)
        i, j = np.triu_indices(L, 1)
        counts = np.stack([table.wins[i, j], table.wins[j, i], table.ties[i, j]], axis=1)
        met = counts.sum(axis=1) > 0
        return cls(np.stack([i, j], axis=1)[met], counts[met], L, has_ties)

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


def _read_nu(file: Contents) -> np.ndarray:
    """Draws of ν, shape (chain, draw, 1), or (chain, draw, 0) where ties have none."""
    draws = file.groups["posterior"]
    return draws["nu"][..., None] if "nu" in draws else np.empty((*draws["sigma"].shape, 0))


@dataclass(frozen=True, eq=False, repr=False)
class BradleyTerryPosterior(AbilityPosterior):
    """Posterior of the Bayesian Bradley-Terry model.

    Attributes
    ----------
    nu : ndarray of shape (chain, draw, 0 or 1)
        ν of ties, where they have a probability of their own.
    sigma : ndarray of shape (chain, draw)
        How far abilities spread.
    wins, tied : ndarray of shape (L, L)
        Wins of the row over the column, and ties.
    ties : str
        What was made of ties.
    """

    _: KW_ONLY
    nu: np.ndarray = field(metadata=part(None, _read_nu))
    sigma: np.ndarray = field(metadata=array(group="posterior"))
    wins: np.ndarray = field(metadata=array("algorithm", "opponent"))
    tied: np.ndarray = field(metadata=array("algorithm", "opponent"))
    ties: str

    model: Model = Model(
        kind="bradley_terry",
        method="Bayesian Bradley-Terry model",
        reference="Wainer 2023",
        quantity="chance of winning minus one half",
        picture="best",
        fixed={
            "rho": "the model takes wins, not folds",
            "without": "of a data set only its wins are kept",
        },
        dims={
            "average": ("algorithm",),
            "p_best": ("algorithm",),
        },
    )

    @property
    def prior_text(self) -> str:
        """The prior in words."""
        return in_words(ties=self.nu.shape[-1] > 0)

    @property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws of abilities (chain, draw, L), sigma and, with ties, nu (chain, draw)."""
        draws = {"abilities": self.abilities, "sigma": self.sigma}
        return draws | ({"nu": self.nu[..., 0]} if self.nu.shape[-1] else {})

    def pair_variations(
        self, *, datasets: bool = True, refit: bool = False
    ) -> Iterator[PairVariation]:
        """A wider prior of σ, and other ways to count ties, fitted again.

        See Also
        --------
        PairsPosterior.pair_variations : What it yields.

        Examples
        --------
        >>> import pandas as pd
        >>> import bayescmp as bc
        >>> wins = pd.DataFrame([[0, 7], [3, 0]], index=["a", "b"], columns=["a", "b"])
        >>> posterior = bc.bayesian.bradley_terry(wins, seed=1)
        >>> [question for question, _, _ in posterior.pair_variations()]
        ['prior']
        """
        table = WinTable(self.algorithms, self.wins, self.tied)
        width, seed = self.rope.high, self.seed
        wider = fitted_wins(table, self.ties, width, seed, sigma_sd=WIDER_SD)
        yield "prior", f"σ ~ LogNormal(0, {WIDER_SD:g})", all_probabilities(wider)
        for policy in POLICIES if self.tied.any() else ():
            if policy != self.ties:
                other = fitted_wins(table, policy, width, seed)
                yield "model", f"ties: {policy}", all_probabilities(other)

    def check(self) -> pd.DataFrame:
        """Posterior predictive check: wins of each pair beside those that the model draws.

        Returns
        -------
        DataFrame
            One row per pair that met: wins of the first as the model has them (ties by their
            policy), expected, and the ends low and high of their central 95 %; inside, whether
            they are between. Wins that do not follow a single ability are outside.

        See Also
        --------
        bayescmp.frequentist.sign_test

        Examples
        --------
        >>> import pandas as pd
        >>> import bayescmp as bc
        >>> wins = pd.DataFrame([[0, 7], [3, 0]], index=["a", "b"], columns=["a", "b"])
        >>> bc.bayesian.bradley_terry(wins, seed=1).check()["inside"].tolist()
        [True]
        """
        import pandas as pd

        table = WinTable(self.algorithms, self.wins, self.tied)
        model = Davidson.of(table, self.ties)
        beta = self.averages
        chance = expit(beta[:, model.pairs[:, 0]] - beta[:, model.pairs[:, 1]])
        decided = (model.counts[:, 0] + model.counts[:, 1]).astype(int)
        rng = np.random.default_rng([self.seed, 4])
        drawn = rng.binomial(decided, chance)
        low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
        won = model.counts[:, 0]
        names = [(self.algorithms[i], self.algorithms[j]) for i, j in model.pairs]
        columns = {
            "wins": won,
            "matches": decided,
            "expected": drawn.mean(axis=0),
            "low": low,
            "high": high,
            "inside": (low <= won) & (won <= high),
        }
        return pd.DataFrame(columns, index=pd.MultiIndex.from_tuples(names))
