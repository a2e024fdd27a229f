"""Abilities, by which algorithms win: their prior, importance sampling, and their posteriors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy.special import expit, gammaln, logit, logsumexp

from bayescmp.bayesian.joint.standings import AVERAGE, NEXT, Cloud, JointBase, masses_of
from bayescmp.bayesian.joint.table import symmetric
from bayescmp.bayesian.sampling import psis
from bayescmp.errors import InputError
from bayescmp.results.arviz import summarise
from bayescmp.results.diagnostics import Diagnostics, share_errors
from bayescmp.results.saving import array
from bayescmp.results.verdict import Verdict, central, check_threshold
from bayescmp.scores.metrics import headed
from bayescmp.scores.rope import Rope
from bayescmp.wording.text import counted

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.scores.rope import RopeLike

__all__ = [
    "SIGMA_SD",
    "WIDER_SD",
    "AbilityPosterior",
    "Nodes",
    "in_words",
    "judged",
    "log_prior",
    "log_sigmas",
    "precision",
    "rope_of_chance",
    "sampled",
]


# The prior of abilities that the Bradley-Terry and the Plackett-Luce model share.


#: log σ ~ N(0, SIGMA_SD), and ν of the ties ~ N(0, NU_SD).
SIGMA_SD, NU_SD = 0.5, 2.0
#: A wider prior, for the sensitivity to it.
WIDER_SD = 1.0


def log_sigmas(sd: float = SIGMA_SD) -> np.ndarray:
    """Values of log σ, five standard deviations of its prior to each side."""
    return np.linspace(-5 * sd, 5 * sd, 51)


def log_prior(
    beta: np.ndarray, nu: np.ndarray, log_sigma: np.ndarray, sigma_sd: float = SIGMA_SD
) -> np.ndarray:
    """Log prior density, up to a constant: β ~ N(0, σ²), log σ ~ N(0, 0.5²), ν ~ N(0, 2²).

    Parameters
    ----------
    beta : ndarray of shape (N, L)
        Abilities.
    nu : ndarray of shape (N, any)
        Of ties.
    log_sigma : ndarray of shape (N,)
    sigma_sd : float
        Another standard deviation of log σ.

    Returns
    -------
    ndarray of shape (N,)
    """
    abilities = -0.5 * (beta**2).sum(axis=1) * np.exp(-2 * log_sigma) - beta.shape[1] * log_sigma
    spread = -0.5 * (log_sigma / sigma_sd) ** 2
    return np.asarray(abilities + spread - 0.5 * (nu**2).sum(axis=1) / NU_SD**2)


def precision(abilities: int, ties: int, log_sigma: float) -> np.ndarray:
    """Prior precisions of this many abilities and ν, given log σ."""
    return np.append(np.full(abilities, np.exp(-2 * log_sigma)), np.full(ties, 1 / NU_SD**2))


def in_words(*, ties: bool) -> str:
    """The prior, with that of ties where they have one."""
    return "β ~ N(0, σ²), σ ~ LogNormal(0, 0.5)" + (", ν ~ N(0, 2²)" if ties else "")


# Log-concave posteriors by importance sampling, around normal approximations on a grid.


#: Log density at a point and a value, with its gradient and its negative Hessian.
Density = Callable[[np.ndarray, float], tuple[float, np.ndarray, np.ndarray]]
#: Degrees of freedom of the proposals' tails, and proposals for each draw that is kept.
TAIL, MANY = 7.0, 2
#: Numbers that are worked on at a time.
AT_ONCE = 4_000_000


@dataclass(frozen=True, eq=False)
class Nodes:
    """Normal approximations at m values of a scale.

    Attributes
    ----------
    value : ndarray of shape (m,)
        The values.
    log_weight : ndarray of shape (m,)
        Approximate log posterior mass of each, up to a constant.
    mode : ndarray of shape (m, d)
    root : ndarray of shape (m, d, d)
        Lower triangular; its product with its transpose is the covariance.
    """

    value: np.ndarray
    log_weight: np.ndarray
    mode: np.ndarray
    root: np.ndarray

    @classmethod
    def of(
        cls,
        values: np.ndarray,
        start: np.ndarray,
        density: Density,
    ) -> Nodes:
        """By Newton's method at each value, from the mode at the value before.

        Parameters
        ----------
        values : ndarray of shape (m,)
        start : ndarray of shape (d,)
        density : callable
            Log density, its gradient and its negative Hessian at a point and a value.
        """
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
    """Mode of a concave log density, its value there and the negative Hessian."""
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


def sampled(
    nodes: Nodes,
    log_density: Callable[[np.ndarray, np.ndarray], np.ndarray],
    draws: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray, float]:
    """Draws of equal weight, and how good the proposals were.

    Parameters
    ----------
    nodes : Nodes
    log_density : callable
        Of points (N, d) and values (N,), shape (N,).
    draws : int
    rng : numpy Generator

    Returns
    -------
    x : ndarray of shape (draws, d)
    value : ndarray of shape (draws,)
    k : float
        Shape of the tail of the importance ratios; below 0.7 they can be relied on.

    References
    ----------
    Vehtari, Simpson, Gelman, Yao & Gabry (2024), Pareto smoothed importance sampling, Journal of
    Machine Learning Research 25(72).
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


# Posteriors of abilities, by which algorithms win: chances of winning, ranks, top sets.


#: Largest shape of the tail of importance ratios that can be relied on.
K_LIMIT = 0.7


def rope_of_chance(rope: RopeLike) -> float:
    """Half-width of a region around a chance of one half.

    Raises
    ------
    InputError
        If it is not symmetric, or not below one half.
    """
    width = symmetric(rope)
    if width >= 0.5:
        raise InputError(
            f"rope={rope!r}; accepted: how far a probability of winning may be from one half, "
            "0 <= rope < 0.5"
        )
    return width


def judged(k: float) -> Diagnostics:
    """Diagnostics of importance sampling, from the shape of the tail of its ratios."""
    if k < K_LIMIT:
        return Diagnostics(exact=True)
    message = f"Pareto k {k:.2f} is over {K_LIMIT}: importance sampling misses part of it"
    return Diagnostics(exact=True, messages=(message,))


@dataclass(frozen=True, eq=False, repr=False)
class AbilityPosterior(JointBase):
    """Posterior of abilities: the first beats the second with probability 1 / (1 + exp(β₂ − β₁)).

    Attributes
    ----------
    abilities : ndarray of shape (chain, draw, L)
        Abilities β on the logit scale.
    rope : Rope
        How far a probability of winning may be from one half.
    matches : int
        Number of matches, or of rankings.
    pareto_k : float
        Shape of the tail of the importance ratios; below 0.7 they can be relied on.
    """

    _: KW_ONLY
    abilities: np.ndarray = field(metadata=array("algorithm", group="posterior"))
    matches: int
    pareto_k: float

    targets: ClassVar[tuple[str, ...]] = (AVERAGE,)
    shrinks: ClassVar[bool] = True
    counted: ClassVar[str] = "matches"
    within: ClassVar[str] = "chances of winning minus one half"

    @property
    def spoken(self) -> Mapping[str, str]:
        """What the two targets are called in sentences."""
        return {AVERAGE: "by ability", NEXT: "in the next ranking"}

    @property
    def chains(self) -> int:  # type: ignore[override]
        """Number of chains."""
        return int(self.abilities.shape[0])

    @property
    def averages(self) -> np.ndarray:
        """Ability of each algorithm, draw by draw, shape (D, L)."""
        return self.abilities.reshape(-1, self.abilities.shape[-1])

    def clouds(self, on: str = AVERAGE) -> Iterator[Cloud]:
        """The abilities.

        Parameters
        ----------
        on : {"average"}

        Yields
        ------
        Cloud

        See Also
        --------
        bayescmp.frequentist.sign_test

        Examples
        --------
        >>> import pandas as pd
        >>> import bayescmp as bc
        >>> wins = pd.DataFrame([[0, 7], [3, 0]], index=["a", "b"], columns=["a", "b"])
        >>> next(bc.bayesian.bradley_terry(wins, seed=1).clouds()).u.shape
        (10000, 1, 2)
        """
        beta = self.averages
        yield Cloud(beta[:, None, :], np.ones((len(beta), 1)))

    def _width(self, rope: RopeLike | None) -> float:
        return float(logit(0.5 + (self.rope.high if rope is None else rope_of_chance(rope))))

    def _masses(self, pairs: np.ndarray, rope: float) -> tuple[np.ndarray, np.ndarray]:
        return masses_of(AbilityPosterior.clouds(self), pairs, rope)

    def _verdict(
        self, pair: np.ndarray, left: np.ndarray, right: np.ndarray, rope: float, threshold: float
    ) -> Verdict:
        shares = np.stack([left, np.maximum(1 - left - right, 0.0), right], axis=-1)
        beta, half = self.averages, float(expit(rope)) - 0.5
        chance = expit(beta[:, pair[1]] - beta[:, pair[0]]) - 0.5
        first, second = (self.algorithms[int(k)] for k in pair)
        return self.decide(
            shares.mean(axis=0),
            share_errors(shares.reshape(self.chains, -1, 3), independent=self.exact),
            names=(first, second),
            rope=Rope(-half, half),
            threshold=check_threshold(threshold),
            floor=1 / len(shares),
            target=f"{self.counted} like these",
            within=self.within,
            mean_interval=central(chance[:, None]),
        )

    def chances(self, rope: RopeLike | None = None) -> pd.DataFrame:
        """Probability that the better of each pair wins where there is a winner.

        Parameters
        ----------
        rope : float, optional
            Another distance from one half than the posterior's own.

        Returns
        -------
        DataFrame
            One row per pair, better first by mean ability: mean, the ends low and high of the
            central 95 % interval, above_half (the probability that the first is the abler) and
            in_rope.

        See Also
        --------
        bayescmp.frequentist.sign_test

        Examples
        --------
        >>> import pandas as pd
        >>> import bayescmp as bc
        >>> wins = pd.DataFrame([[0, 7], [3, 0]], index=["a", "b"], columns=["a", "b"])
        >>> bc.bayesian.bradley_terry(wins, seed=1).chances()["above_half"].round(1).to_dict()
        {('a', 'b'): 0.9}
        """
        import pandas as pd

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

    def summary(self) -> pd.DataFrame:
        """Abilities less their mean: mean, sd, median, central 95 % interval.

        Returns
        -------
        DataFrame
            One row per algorithm, on the logit scale.

        See Also
        --------
        bayescmp.frequentist.sign_test

        Examples
        --------
        >>> import pandas as pd
        >>> import bayescmp as bc
        >>> wins = pd.DataFrame([[0, 7], [3, 0]], index=["a", "b"], columns=["a", "b"])
        >>> bc.bayesian.bradley_terry(wins, seed=1).summary()["mean"].round(1).to_dict()
        {'a': 0.3, 'b': -0.3}
        """
        import pandas as pd

        effects = self.abilities - self.abilities.mean(axis=-1, keepdims=True)
        rows = {name: summarise(effects[..., k]) for k, name in enumerate(self.algorithms)}
        return headed(
            pd.DataFrame.from_dict(rows, orient="index").rename_axis("algorithm"), self.measured
        )

    def _compared(self) -> str:
        these = counted(len(self.algorithms), self.subject)
        return f"{these} in {self.matches} {self.counted}"

    def _footer(self) -> list[str]:
        lines = super()._footer()
        if self.diagnostics.ok:
            at = next(i for i, line in enumerate(lines) if line.startswith("diagnostics"))
            size = self.abilities.shape[0] * self.abilities.shape[1]
            lines[at] = f"diagnostics  ok ({size} draws, Pareto k {self.pareto_k:.2f})"
        return lines
