"""The Bayesian signed-rank test on the means of q data sets (Benavoli et al. 2014)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.bayesian.signs.base import RankPosterior, read_means
from bayescmp.bayesian.signs.walsh import WalshModel, draw_masses, expected_masses
from bayescmp.calls import one_table
from bayescmp.differences import Differences
from bayescmp.verdict import Rope, Verdict, as_rope, check_threshold

if TYPE_CHECKING:
    from bayescmp.checks import Seed
    from bayescmp.verdict.rope import RopeLike, RopesLike


__all__ = ["SignedRankPosterior", "signed_rank"]

#: Masses that differ by less are equal: they tie by structure (all differences zero, say).
TIE = 1e-12


@one_table
def signed_rank(
    x: ArrayLike | Differences,
    *,
    rope: RopeLike,
    prior: float = 0.5,
    place: str = "rope",
    draws: int = 50_000,
    seed: Seed = None,
    names: Sequence[str] | None = None,
) -> SignedRankPosterior:
    """Bayesian signed-rank test of two algorithms on several data sets.

    A Dirichlet process puts weights w ~ Dirichlet(s, 1, ..., 1) on a pseudo-observation z0 and the
    q differences. A draw's masses are θ_right = Σ_ij w_i w_j [z_i + z_j > 2r], θ_left likewise,
    and θ_rope the rest: the probabilities that the mean of two data sets' differences falls there.
    Sums exactly at ±2r count half. The verdict is the share of draws in which each is the largest.

    Parameters
    ----------
    x : Differences or array_like of shape (q,)
        Mean differences of scores on q >= 2 data sets, second minus first. Rows of several
        differences are averaged.
    rope : float or (float, float)
        Region of practical equivalence, in units of the metric.
    prior : float
        Weight s of the pseudo-observation, >= 0.
    place : {"rope", "left", "right", "sides"}
        Where z0 is: at zero, at minus or plus infinity, or half to each side.
    draws : int
        Number of draws; an odd number is raised by one, because weights are used in pairs.
    seed : int or numpy Generator, optional
        The same seed gives the same numbers.
    names : (str, str), optional
        The two algorithms.

    Returns
    -------
    SignedRankPosterior

    Raises
    ------
    InputError
        Missing or infinite differences, fewer than two data sets, a bad rope, prior, place, number
        of draws or seed.

    See Also
    --------
    sign : Uses the signs of the differences alone.
    bayescmp.frequentist.wilcoxon : The frequentist twin.

    References
    ----------
    Benavoli, Mangili, Corani, Zaffalon & Ruggeri (2014), A Bayesian Wilcoxon signed-rank test
    based on the Dirichlet process, ICML 32; Benavoli, Corani, Demšar & Zaffalon (2017), Journal
    of Machine Learning Research 18(77).

    Examples
    --------
    Mean differences of accuracy on eight data sets, second minus first:

    >>> import bayescmp as bc
    >>> z = [0.012, -0.003, 0.025, 0.03, 0.008, 0.041, -0.011, 0.017]
    >>> posterior = bc.bayesian.signed_rank(z, rope=0.005, seed=1)
    >>> round(posterior.verdict().p_right, 2), posterior.verdict().decision
    (0.97, 'second')
    """
    common = read_means(x, rope, prior, place, draws, seed, names, "signed-rank test")
    return SignedRankPosterior(**common)


@dataclass(frozen=True, eq=False, repr=False)
class SignedRankPosterior(RankPosterior):
    """Posterior of the Bayesian signed-rank test: independent draws of a Dirichlet process.

    The three masses are the probabilities that the mean of the differences of two new data sets
    (a Walsh average) falls left of, in and right of the rope.
    """

    _: KW_ONLY
    method: ClassVar[str] = "Bayesian signed-rank test"
    kind: ClassVar[str] = "signed_rank"
    stored: ClassVar[dict[str, tuple[str, ...]]] = {"constant_data": ("z",)}
    reference: ClassVar[str] = "Benavoli et al. 2014"
    target: ClassVar[str] = "the average of two new data sets"

    def masses(self, rope: RopeLike | None = None) -> np.ndarray:
        """Draws of the three masses, shape (1, draw, 3).

        The same seed draws the same weights for every rope. Draws 2k and 2k + 1 share a set of
        weights, in the order of the differences and in the reverse one.

        Parameters
        ----------
        rope : float or (float, float), optional
            The test's own if not given.

        See Also
        --------
        bayescmp.frequentist.wilcoxon

        Examples
        --------
        >>> import bayescmp as bc
        >>> z = [0.012, -0.003, 0.025, 0.03, 0.008, 0.041, -0.011, 0.017]
        >>> posterior = bc.bayesian.signed_rank(z, rope=0.005, seed=1)
        >>> posterior.masses().shape
        (1, 50000, 3)
        """
        if rope is None or as_rope(rope) == self.rope:
            return self._own_masses.reshape(1, -1, 3)
        return self._pairs(as_rope(rope)).reshape(1, -1, 3)

    @cached_property
    def _own_masses(self) -> np.ndarray:
        return self._pairs(self.rope)

    def _pairs(self, rope: Rope) -> np.ndarray:
        return draw_masses(self._model(rope), self.size // 2, self.seed)

    def _model(self, rope: Rope) -> WalshModel:
        return WalshModel(np.sort(self.z), rope, self.prior, self.place)

    def verdict(self, rope: RopesLike | None = None, *, threshold: float = 0.95) -> Verdict:
        """Share of the draws in which each mass is the largest.

        Parameters
        ----------
        rope : float or (float, float), optional
            Another region than the test's own; its masses are drawn from the same weights.
        threshold : float
            Probability at which a region is decided for.

        Returns
        -------
        Verdict
            With Monte Carlo errors; the expected masses are exact.

        See Also
        --------
        bayescmp.frequentist.wilcoxon, bayescmp.frequentist.tost_means

        Examples
        --------
        >>> import bayescmp as bc
        >>> z = [0.012, -0.003, 0.025, 0.03, 0.008, 0.041, -0.011, 0.017]
        >>> posterior = bc.bayesian.signed_rank(z, rope=0.005, seed=1)
        >>> {k: round(p, 3) for k, p in posterior.verdict().expected.items()}
        {'left': 0.062, 'rope': 0.183, 'right': 0.755}
        """
        region = self.rope if rope is None else as_rope(rope)
        shares = _winners(self.masses(region)).reshape(-1, 2, 3)
        return self._verdict(
            region,
            check_threshold(threshold),
            shares.mean(axis=(0, 1)),
            _errors(shares),
            expected_masses(self._model(region)),
            floor=1 / self.size,
        )

    def _footer(self) -> list[str]:
        lines = super()._footer()
        lines[1] = f"diagnostics  ok ({self.size} independent draws)"
        return lines


def _winners(masses: np.ndarray) -> np.ndarray:
    """For each draw, one for the largest mass; those that tie share it."""
    regions = [masses[..., i] for i in range(3)]  # one by one: reducing an axis of 3 is slow
    least = np.maximum(np.maximum(regions[0], regions[1]), regions[2]) - TIE
    best = [m >= least for m in regions]
    share = 1 / (best[0].astype(np.int8) + best[1] + best[2])
    return np.stack([b * share for b in best], axis=-1)


def _errors(shares: np.ndarray) -> np.ndarray:
    """Monte Carlo errors of the shares' means; shares of shape (pairs, 2, regions).

    The two draws of a pair depend on each other, the pairs do not. A region that won all draws or
    none is moved by half a draw, so that its error is never zero.
    """
    pairs, size = len(shares), shares.shape[0] * shares.shape[1]
    spread = shares.mean(axis=1).std(axis=0, ddof=1) / np.sqrt(pairs)
    p = shares.mean(axis=(0, 1))
    moved = (p * size + 0.5) / (size + 1)
    return np.where((p > 0) & (p < 1), spread, np.sqrt(moved * (1 - moved) / size))
