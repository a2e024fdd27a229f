"""Abilities, by which algorithms win: their prior, importance sampling, and their posterior."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from scipy.special import expit, gammaln, logit, logsumexp

from bayescmp.base.arguments import must_be
from bayescmp.base.checks import number, validate_params
from bayescmp.base.fields import about
from bayescmp.base.typing import PairVariation
from bayescmp.base.version import built_in
from bayescmp.bayesian.joint.clouds import Cloud
from bayescmp.bayesian.joint.standings import AVERAGE, NEXT, StandingsModel, StandingsPosterior
from bayescmp.bayesian.joint.table import as_shared_rope
from bayescmp.bayesian.rankings.outcomes import RankTable, WinTable
from bayescmp.results.arviz import psis
from bayescmp.results.diagnostics import Diagnostics
from bayescmp.results.posterior import CHAINS, DRAWS, all_probabilities
from bayescmp.results.verdict import Verdict, lead_of
from bayescmp.scores.rope import Rope, RopeLike

# The prior of abilities that the Bradley-Terry and the Plackett-Luce model share.


#: log σ ~ N(0, SIGMA_SD), and ν of the ties ~ N(0, NU_SD).
SIGMA_SD, NU_SD = 0.5, 2.0
#: A wider prior, for the sensitivity to it.
WIDER_SD = 1.0


def log_prior(
    beta: np.ndarray, nu: np.ndarray, log_sigma: np.ndarray, sigma_sd: float = SIGMA_SD
) -> np.ndarray:
    """Log prior density, up to a constant: β ~ N(0, σ²), log σ ~ N(0, 0.5²), ν ~ N(0, 2²).

    `beta` are (N, L), `nu` of ties (N, any), `log_sigma` (N,), with standard deviation `sigma_sd`.
    """
    abilities = -0.5 * (beta**2).sum(axis=1) * np.exp(-2 * log_sigma) - beta.shape[1] * log_sigma
    spread = -0.5 * (log_sigma / sigma_sd) ** 2
    return np.asarray(abilities + spread - 0.5 * (nu**2).sum(axis=1) / NU_SD**2)


def precision(abilities: int, ties: int, log_sigma: float) -> np.ndarray:
    """Return prior precisions of this many abilities and ν, given log σ."""
    return np.append(np.full(abilities, np.exp(-2 * log_sigma)), np.full(ties, 1 / NU_SD**2))


# Log-concave posteriors by importance sampling, around normal approximations on a grid.


#: Log density at a point and a value, with its gradient and its negative Hessian.
Density = Callable[[np.ndarray, float], tuple[float, np.ndarray, np.ndarray]]
#: Degrees of freedom of the proposals' tails, and proposals for each draw that is kept.
TAIL, MANY = 7.0, 2
#: Most numbers in memory at a time.
AT_ONCE = 4_000_000


@dataclass(frozen=True, eq=False)
class ScaleNodes:
    """Normal approximations at m values of a scale: `mode` (m, d), `root` (m, d, d) of covariance.

    `log_weight` (m,) is the approximate log posterior mass of each value, up to a constant.
    """

    value: np.ndarray
    log_weight: np.ndarray
    mode: np.ndarray
    root: np.ndarray

    @classmethod
    def from_values(
        cls,
        values: np.ndarray,
        start: np.ndarray,
        density: Density,
    ) -> ScaleNodes:
        """Find modes by Newton's method at each value, from `density` and its derivatives."""
        centres, at = [], start
        for value in values:
            at, log_p, H = _maximum(at, float(value), density)
            L = np.linalg.cholesky(H)
            root = np.linalg.inv(L).T
            centres.append((log_p - np.log(np.diag(L)).sum(), at, root))
        weights, modes, roots = zip(*centres, strict=True)
        return cls(values, np.array(weights), np.array(modes), np.array(roots))


def _maximum(
    at: np.ndarray, value: float, density: Density
) -> tuple[np.ndarray, float, np.ndarray]:
    """Find the mode of a concave log density, its value there and the negative Hessian."""
    log_p, gradient, H = density(at, value)
    for _ in range(100):
        step = np.linalg.solve(H, gradient)
        size = 1.0
        while size > 1e-6:
            new = density(at + size * step, value)
            if new[0] >= log_p - 1e-12 * abs(log_p):
                break
            size /= 2
        at, (log_p, gradient, H) = at + size * step, new
        if gradient @ step < 1e-10:
            break
    return at, log_p, H


def draw_by_importance(
    nodes: ScaleNodes,
    log_density: Callable[[np.ndarray, np.ndarray], np.ndarray],
    draws: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray, float]:
    """Draw points (draws, d) and values (draws,) of equal weight, with a check of the proposals.

    `log_density` takes points (N, d) and values (N,). The last result is the tail shape of the
    importance ratios, reliable below 0.7 (Vehtari, Simpson, Gelman, Yao & Gabry 2024, JMLR
    25(72)).
    """
    N, d = MANY * draws, nodes.mode.shape[1]
    p = np.exp(nodes.log_weight - logsumexp(nodes.log_weight))
    which = rng.choice(len(p), size=N, p=p)
    z = rng.standard_normal((N, d)) / np.sqrt(rng.chisquare(TAIL, N) / TAIL)[:, None]
    x = nodes.mode[which] + np.einsum("nij,nj->ni", nodes.root[which], z)
    log_det = np.log(np.diagonal(nodes.root, axis1=1, axis2=2)).sum(axis=1)
    log_q = (
        np.log(p[which])
        - log_det[which]
        + gammaln((TAIL + d) / 2)
        - gammaln(TAIL / 2)
        - d / 2 * np.log(TAIL * np.pi)
        - (TAIL + d) / 2 * np.log1p((z**2).sum(axis=1) / TAIL)
    )
    value = nodes.value[which]
    ratio = log_density(x, value) - log_q
    weights, k = psis(ratio)
    kept = np.searchsorted(np.cumsum(weights), (np.arange(draws) + rng.random()) / draws)
    kept = rng.permutation(np.minimum(kept, N - 1))
    return x[kept], value[kept], k


# Posteriors of abilities, by which algorithms win: probabilities of winning, ranks, top sets.


#: Points of Elo's scale for one unit of ability: 400 points are odds of 10 to 1.
ELO = 400 / np.log(10)
#: Largest shape of the tail of importance ratios that can be relied on.
K_LIMIT = 0.7


def rope_of_chance(rope: RopeLike) -> Rope:
    """Read a region around a probability of one half: symmetric, and below one half."""
    region = as_shared_rope(rope)
    if region.size >= 0.5:
        raise must_be(
            "rope", "how far a probability of winning may be from one half, 0 <= rope < 0.5", rope
        )
    return region


def judge_ratios(k: float) -> Diagnostics:
    """Judge importance sampling by the shape of the tail of its ratios."""
    if k < K_LIMIT:
        return Diagnostics(exact=True)
    message = f"Pareto k {k:.2f} is over {K_LIMIT}: importance sampling misses part of it"
    return Diagnostics(exact=True, messages=(message,))


#: Outcomes from which abilities are learnt.
Outcomes: TypeAlias = WinTable | RankTable


class Replicates(NamedTuple):
    """Wins of P pairs that met, (P,), and those that the model draws, (N, P)."""

    pairs: np.ndarray
    wins: np.ndarray
    matches: np.ndarray
    drawn: np.ndarray


@dataclass(frozen=True, kw_only=True)
class AbilityModel(StandingsModel):
    """A test by abilities: `pose` gives the log posterior of outcomes, `replicate` draws wins."""

    quantity: str = "probability of winning minus one half"
    target: str = "{p.model.counted} like these"
    targets: tuple[str, ...] = (AVERAGE,)
    spoken: Mapping[str, str] = field(
        default_factory=lambda: {AVERAGE: "by ability", NEXT: "in a new ranking"}, hash=False
    )
    shrinks: bool = True
    within: str = "probabilities of winning minus one half"
    unplanned: str = (
        "It knows {p.model.counted}, not the scores behind them. With scores of two "
        "{p.subject}s on several {p.unit}s, the posterior of bayescmp.bayesian.signed_rank has "
        ".plan()."
    )
    pose: Callable[[Any, float], Any]
    replicate: Callable[[AbilityPosterior], Replicates]


def fit_abilities(
    model: AbilityModel,
    outcomes: Outcomes,
    rope: Rope,
    seed: int,
    *,
    sigma_sd: float = SIGMA_SD,
) -> AbilityPosterior:
    """Draw the posterior of abilities, and warn where importance sampling cannot be relied on."""
    likelihood = model.pose(outcomes, sigma_sd)  # Davidson, or DavidsonLuce
    L, start = likelihood.size, np.zeros(likelihood.parameters)
    log_sigmas = np.linspace(-5 * sigma_sd, 5 * sigma_sd, 51)
    nodes = ScaleNodes.from_values(log_sigmas, start, likelihood.density)
    rng = np.random.default_rng([seed, 1])
    x, log_sigma, k = draw_by_importance(nodes, likelihood.log_densities, CHAINS * DRAWS, rng)
    posterior = AbilityPosterior(
        model=model,
        names=outcomes.algorithms,
        datasets=(),
        rope=rope,
        abilities=x[:, :L].reshape(CHAINS, DRAWS, L),
        nu=x[:, L:].reshape(CHAINS, DRAWS, -1),
        sigma=np.exp(log_sigma).reshape(CHAINS, DRAWS),
        outcomes=outcomes,
        matches=outcomes.matches,
        pareto_k=k,
        metric=outcomes.metric,
        directions=outcomes.directions,
        engine="exact",
        engine_version=built_in(),
        diagnostics=judge_ratios(k),
        seed=seed,
    )
    posterior.warn_if_doubtful()
    return posterior


#: How arrays of outcomes are saved.
#: Rankings that may come next, drawn for each draw of the posterior.
POINTS = 8
#: Most numbers of these rankings in memory at a time.
DRAWN_CELLS = 200_000


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AbilityPosterior(StandingsPosterior):
    """Posterior of abilities: the first beats the second with probability 1 / (1 + exp(β₂ − β₁)).

    Attributes
    ----------
    abilities : ndarray of shape (chain, draw, L)
        Abilities β on the logit scale.
    nu : ndarray of shape (chain, draw, sizes)
        ν of ties of each size that was seen, in rising order; of matches there is one size.
    sigma : ndarray of shape (chain, draw)
        How far abilities spread.
    rope : Rope
        How far a probability of winning may be from one half.
    matches : int
        Number of matches, or of rankings.
    pareto_k : float
        Tail shape of the importance ratios, reliable below 0.7.
    outcomes : WinTable or RankTable
        The matches, with the treatment of ties, or the rankings.

    Examples
    --------
    >>> import pandas as pd
    >>> import bayescmp as bc
    >>> wins = pd.DataFrame([[0, 7], [3, 0]], index=["a", "b"], columns=["a", "b"])
    >>> bc.bayesian.bradley_terry(wins, seed=1).chances()["above_half"].round(1).to_dict()
    {('a', 'b'): 0.9}
    >>> races = [["a", "b", "c"], ["b", "a", "c"], ["a", "c", "b"]]
    >>> bc.bayesian.plackett_luce(races, seed=1).check()["inside"].tolist()
    [True, True, True]
    """

    model: AbilityModel
    abilities: np.ndarray = field(metadata=about("algorithm", group="posterior"))
    nu: np.ndarray
    sigma: np.ndarray = field(metadata=about(group="posterior"))
    matches: int
    pareto_k: float
    outcomes: Outcomes

    @property
    def prior_text(self) -> str:
        """The prior in words."""
        return "β ~ N(0, σ²), σ ~ LogNormal(0, 0.5)" + ", ν ~ N(0, 2²)" * (self.nu.shape[-1] > 0)

    @property
    def data_text(self) -> str:
        """The size of the data in words: "30 matches"."""
        return f"{self.matches} {self.model.counted}"

    @property
    def chains(self) -> int:
        """Number of chains."""
        return int(self.abilities.shape[0])

    @property
    def averages(self) -> np.ndarray:
        """Ability of each algorithm, draw by draw, shape (D, L)."""
        return self.abilities.reshape(-1, self.abilities.shape[-1])

    @property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws of abilities, sigma and, with ties, nu: one of matches, else one of each size."""
        draws = {"abilities": self.abilities, "sigma": self.sigma}
        if not self.nu.shape[-1]:
            return draws
        return draws | {"nu": self.nu[..., 0] if isinstance(self.outcomes, WinTable) else self.nu}

    def clouds(self, on: str | None = None) -> Iterator[Cloud]:
        """Yield the abilities, or what ranks algorithms in eight rankings that may come next."""
        if self._target(on) == AVERAGE:
            yield Cloud(self.averages[:, None, :], np.ones((len(self.averages), 1)))
            return
        rng = np.random.default_rng([self.seed, 2])
        step = max(DRAWN_CELLS // (POINTS * len(self.algorithms)), 1)
        for start in range(0, len(self.averages), step):
            beta = self.averages[start : start + step, None, :]
            u = beta + rng.gumbel(size=(len(beta), POINTS, beta.shape[2]))
            yield Cloud(u, np.full(u.shape[:2], 1 / POINTS))

    def _region(self, rope: RopeLike | None) -> Rope:
        return self.rope if rope is None else rope_of_chance(rope)

    def _width(self, rope: RopeLike | None, on: str = AVERAGE) -> float:
        """Width within which one is near the best: none in a ranking that may come next."""
        if on == NEXT:
            return 0.0
        return float(logit(0.5 + self._region(rope).size))

    def _verdicts(self, pairs: np.ndarray, rope: Rope, threshold: float) -> list[Verdict]:
        return self._by_mass(pairs, rope, threshold)  # a ROPE of probabilities, not of abilities

    def _facts_of(self, pair: np.ndarray, masses: np.ndarray, rope: Rope) -> dict[str, Any]:
        beta = self.averages
        chance = expit(beta[:, pair[1]] - beta[:, pair[0]]) - 0.5
        return {"rope": rope, **lead_of(chance[:, None])}

    def _vary(self, datasets: bool, refit: bool) -> Iterator[PairVariation]:
        """Yield a wider prior of σ, and other ways to count ties, fitted again."""
        fit = partial(fit_abilities, self.model, rope=self.rope, seed=self.seed)
        wider = fit(self.outcomes, sigma_sd=WIDER_SD)
        yield "prior", f"σ ~ LogNormal(0, {WIDER_SD:g})", all_probabilities(wider)
        for setting, other in self.outcomes.vary_ties():
            yield "model", setting, all_probabilities(fit(other))

    def check(self) -> pd.DataFrame:
        """Compare each pair's wins with the model's draws of them (posterior predictive check).

        One row per pair that met: wins of the first (ties by their policy; of rankings, how often
        it was above), matches (with a winner; of rankings, with both), expected wins, low and high
        of their central 95%; inside, whether the wins are between.
        """
        pairs, wins, matches, drawn = self.model.replicate(self)
        low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
        columns = {
            "wins": wins,
            "matches": matches,
            "expected": drawn.mean(axis=0),
            "low": low,
            "high": high,
            "inside": (low <= wins) & (wins <= high),
        }
        names = [(self.algorithms[i], self.algorithms[j]) for i, j in pairs]
        return pd.DataFrame(columns, index=pd.MultiIndex.from_tuples(names))

    def chances(self, rope: RopeLike | None = None) -> pd.DataFrame:
        """Return the probability that the better of each pair wins, excluding ties.

        Parameters
        ----------
        rope : float, optional
            Another distance from one half than the posterior's own.

        Returns
        -------
        DataFrame
            One row per pair, better first by mean ability: mean, the ends low and high of the
            central 95% interval, above_half (the probability that the first is the abler) and
            in_rope.
        """
        beta, width = self.averages, self._width(rope)
        order = np.argsort(-beta.mean(axis=0), kind="stable")
        rows = {}
        for place, i in enumerate(order):
            for j in order[place + 1 :]:
                lead = beta[:, i] - beta[:, j]
                p = expit(lead)
                low, high = np.quantile(p, [0.025, 0.975])
                rows[self.algorithms[i], self.algorithms[j]] = (
                    p.mean(),
                    low,
                    high,
                    np.mean(lead > 0),
                    np.mean(np.abs(lead) <= width),
                )
        columns = ["mean", "low", "high", "above_half", "in_rope"]
        table = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
        table.index = pd.MultiIndex.from_tuples(table.index, names=["better", "worse"])
        return table

    @validate_params(base=number())
    def elo(self, base: float = 1000) -> pd.DataFrame:
        """Return the abilities on Elo's scale, on which 400 points are odds of 10 to 1.

        A rating is base + 400/ln(10) times the ability minus the mean of all. With ratings d
        apart, the higher one wins with probability 1/(1 + 10^(-d/400)), ties excluded.

        Parameters
        ----------
        base : float
            The mean rating of the algorithms, in each draw.

        Returns
        -------
        DataFrame
            One row per algorithm, best first: mean, low and high of its central 95% credible
            interval.

        Notes
        -----
        Ratings are relative to these algorithms, and shrunk towards the base by the prior, which
        matters if matches are few. Overlapping intervals do not show that two algorithms are
        alike; `verdict` compares them. The order of matches does not matter.

        References
        ----------
        Elo (1978), The Rating of Chessplayers, Past and Present.

        Examples
        --------
        >>> import pandas as pd
        >>> import bayescmp as bc
        >>> matches = pd.DataFrame({"winner": ["a"] * 80 + ["b"] * 20,
        ...                         "loser": ["b"] * 80 + ["a"] * 20})
        >>> bc.bayesian.bradley_terry(matches, seed=1).elo()["mean"].round(-1).to_dict()
        {'a': 1120.0, 'b': 880.0}
        """
        above = self.averages - self.averages.mean(axis=1, keepdims=True)
        ratings = base + ELO * above
        low, high = np.quantile(ratings, [0.025, 0.975], axis=0)
        columns = {"mean": ratings.mean(axis=0), "low": low, "high": high}
        table = pd.DataFrame(columns, index=pd.Index(self.algorithms, name="algorithm"))
        return table.sort_values("mean", ascending=False, kind="stable")

    @property
    def own_draws(self) -> int:
        """Number of weighted draws."""
        return len(self.averages)
