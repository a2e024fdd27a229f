"""The Bayesian sign test: two algorithms on the means of q data sets (Benavoli et al. 2017)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.bayesian.signs.base import RankPosterior, read_means
from bayescmp.bayesian.signs.dirichlet import PLACES, count_regions, larger_side, largest_component
from bayescmp.calls import one_table
from bayescmp.differences import Differences
from bayescmp.verdict import Verdict, as_rope, check_threshold

if TYPE_CHECKING:
    from bayescmp.checks import Seed
    from bayescmp.verdict.rope import RopeLike, RopesLike


__all__ = ["SignPosterior", "sign"]


@one_table
def sign(
    x: ArrayLike | Differences,
    *,
    rope: RopeLike,
    prior: float = 1.0,
    place: str = "rope",
    draws: int = 50_000,
    seed: Seed = None,
    names: Sequence[str] | None = None,
) -> SignPosterior:
    """Bayesian sign test of two algorithms on several data sets.

    Data sets left of, in and right of the rope are counted; the probabilities θ that a new data
    set falls there have a Dirichlet posterior. The verdict, the probability that each θ is the
    largest, is computed by quadrature, with no Monte Carlo error.

    Parameters
    ----------
    x : Differences or array_like of shape (q,)
        Mean differences of scores on q >= 2 data sets, second minus first. Rows of several
        differences are averaged.
    rope : float or (float, float)
        Region of practical equivalence, in units of the metric; a difference exactly at its end
        is within. With 0, differences of zero count half to each side.
    prior : float
        Weight of the prior, in data sets, > 0 or 0 for none.
    place : {"rope", "left", "right", "sides"}
        Where the prior's weight lies; "sides" puts half on each side, and so does "rope" where
        there is none.
    draws : int
        Draws for plots and ArviZ.
    seed : int or numpy Generator, optional
        The same seed gives the same draws.
    names : (str, str), optional
        The two algorithms.

    Returns
    -------
    SignPosterior

    Raises
    ------
    InputError
        Missing or infinite differences, fewer than two data sets, a bad rope, prior, place, number
        of draws or seed.

    See Also
    --------
    signed_rank : Uses the sizes of the differences as well as their signs.
    bayescmp.frequentist.sign_test : The frequentist twin.

    References
    ----------
    Benavoli, Corani, Demšar & Zaffalon (2017), Journal of Machine Learning Research 18(77),
    section 4.1.

    Examples
    --------
    Mean differences of accuracy on eight data sets, second minus first:

    >>> import bayescmp as bc
    >>> z = [0.012, -0.003, 0.025, 0.03, 0.008, 0.041, -0.011, 0.017]
    >>> posterior = bc.bayesian.sign(z, rope=0.005)
    >>> posterior.counts().tolist()
    [1.0, 1.0, 6.0]
    >>> {region: round(p, 3) for region, p in posterior.verdict().probabilities.items()}
    {'left': 0.013, 'rope': 0.061, 'right': 0.926}
    """
    common = read_means(x, rope, prior, place, draws, seed, names, "sign test")
    return SignPosterior(**common)


@dataclass(frozen=True, eq=False, repr=False)
class SignPosterior(RankPosterior):
    """Posterior of the Bayesian sign test: a Dirichlet, whose verdict is exact.

    The three masses θ are the probabilities that a new data set falls left of, in and right of
    the rope.
    """

    _: KW_ONLY
    method: ClassVar[str] = "Bayesian sign test"
    kind: ClassVar[str] = "sign"
    stored: ClassVar[dict[str, tuple[str, ...]]] = {"constant_data": ("z",)}
    reference: ClassVar[str] = "Benavoli et al. 2017"
    target: ClassVar[str] = "a new data set"
    without_rope: ClassVar[str] = "half on each side"

    def counts(self, rope: RopeLike | None = None) -> np.ndarray:
        """Data sets left of, in and right of the rope, shape (3,); its ends belong to it.

        Parameters
        ----------
        rope : float or (float, float), optional
            The test's own if not given.

        See Also
        --------
        bayescmp.frequentist.sign_test : Counts wins and losses, without a rope.

        Examples
        --------
        >>> import bayescmp as bc
        >>> z = [0.012, -0.003, 0.025, 0.03, 0.008, 0.041, -0.011, 0.017]
        >>> posterior = bc.bayesian.sign(z, rope=0.005, seed=1)
        >>> posterior.counts(rope=0.011).tolist()
        [0.0, 3.0, 5.0]
        """
        return count_regions(self.z, self.rope if rope is None else as_rope(rope))

    def weights(self, rope: RopeLike | None = None) -> np.ndarray:
        """Parameters of the Dirichlet posterior, counts and the prior's weight: shape (3,).

        Where there is no rope, a prior in it lies half on each side.

        Parameters
        ----------
        rope : float or (float, float), optional
            The test's own if not given.

        See Also
        --------
        bayescmp.frequentist.sign_test

        Examples
        --------
        >>> import bayescmp as bc
        >>> z = [0.012, -0.003, 0.025, 0.03, 0.008, 0.041, -0.011, 0.017]
        >>> posterior = bc.bayesian.sign(z, rope=0.005, seed=1)
        >>> posterior.weights().tolist()
        [1.0, 2.0, 6.0]
        """
        region = self.rope if rope is None else as_rope(rope)
        place = "sides" if region.empty and self.place == "rope" else self.place
        return self.counts(region) + self.prior * np.array(PLACES[place])

    def masses(self, rope: RopeLike | None = None) -> np.ndarray:
        """Draws of θ, shape (1, draw, 3).

        Where there is no rope, what falls exactly on zero counts half to each side.

        Parameters
        ----------
        rope : float or (float, float), optional
            The test's own if not given.

        See Also
        --------
        bayescmp.frequentist.sign_test

        Examples
        --------
        >>> import bayescmp as bc
        >>> z = [0.012, -0.003, 0.025, 0.03, 0.008, 0.041, -0.011, 0.017]
        >>> posterior = bc.bayesian.sign(z, rope=0.005, seed=1)
        >>> posterior.masses().mean(axis=(0, 1)).round(1).tolist()
        [0.1, 0.2, 0.7]
        """
        region = self.rope if rope is None else as_rope(rope)
        rng = np.random.default_rng(self.seed)
        g = rng.standard_gamma(self.weights(region), (self.size, 3))
        if region.empty:
            g = g @ np.array([[1, 0, 0], [0.5, 0, 0.5], [0, 0, 1]])
        return (g / g.sum(axis=1, keepdims=True))[None]

    def verdict(self, rope: RopesLike | None = None, *, threshold: float = 0.95) -> Verdict:
        """Probability that each θ is the largest, by quadrature.

        Parameters
        ----------
        rope : float or (float, float), optional
            Another region than the test's own.
        threshold : float
            Probability at which a region is decided for.

        Returns
        -------
        Verdict
            Exact; with no rope P(θ_right > θ_left), from a Beta distribution.

        See Also
        --------
        bayescmp.frequentist.sign_test

        Examples
        --------
        >>> import bayescmp as bc
        >>> z = [0.012, -0.003, 0.025, 0.03, 0.008, 0.041, -0.011, 0.017]
        >>> posterior = bc.bayesian.sign(z, rope=0.005, seed=1)
        >>> round(posterior.verdict(rope=0).p_right, 3)
        0.923
        """
        region = self.rope if rope is None else as_rope(rope)
        alpha = self.weights(region)
        mean = alpha / alpha.sum()
        if region.empty:
            p, error = larger_side(alpha), 1e-14
            mean = np.array([mean[0] + mean[1] / 2, 0.0, mean[2] + mean[1] / 2])
        else:
            p, error = largest_component(alpha)
        return self._verdict(
            region,
            check_threshold(threshold),
            p,
            np.full(3, max(error, 1e-14)),
            mean,
            floor=1e-12,
            exact=True,
        )
