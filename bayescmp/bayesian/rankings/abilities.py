"""Posteriors of abilities, by which algorithms win: chances of winning, ranks, top sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy.special import expit, logit

from bayescmp.bayesian.joint.base import JointBase
from bayescmp.bayesian.joint.standing import Cloud, masses_of
from bayescmp.bayesian.joint.standings import AVERAGE, NEXT
from bayescmp.bayesian.joint.table import symmetric
from bayescmp.diagnostics import Diagnostics, share_errors
from bayescmp.draws import summarise
from bayescmp.errors import InputError
from bayescmp.metrics import headed
from bayescmp.text import counted
from bayescmp.typing import Coordinates
from bayescmp.verdict import THREE, Rope, Verdict, central, check_threshold

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.verdict.rope import RopeLike

__all__ = ["AbilityPosterior", "judged", "rope_of_chance"]

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
    abilities: np.ndarray
    matches: int
    pareto_k: float

    targets: ClassVar[tuple[str, ...]] = (AVERAGE,)
    shrinks: ClassVar[bool] = True
    counted: ClassVar[str] = "matches"
    quantity: ClassVar[str] = "chance of winning minus one half"
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
        return Verdict.of(
            THREE,
            shares.mean(axis=0),
            share_errors(shares.reshape(self.chains, -1, 3), independent=self.exact),
            names=(first, second),
            rope=Rope(-half, half),
            threshold=check_threshold(threshold),
            floor=1 / len(shares),
            method=f"{self.method}, {self.reference}",
            **self.described(),
            target=f"{self.counted} like these",
            prior=self.prior_text,
            quantity=self.quantity,
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

    def _coords(self) -> Coordinates:
        coords = {"algorithm": list(self.algorithms), "opponent": list(self.algorithms)}
        return coords, {"abilities": ["algorithm"]}
