"""Posteriors of the sign and the signed-rank test: verdict, summary, draws, saving."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bayescmp.bayesian.signs.dirichlet import PLACES, count_regions, larger_side, largest_component
from bayescmp.bayesian.signs.walsh import WalshModel, draw_masses, expected_masses
from bayescmp.posterior import Posterior, summarise
from bayescmp.verdict import Rope, Verdict, as_rope, check_threshold

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["RankPosterior", "SignPosterior", "SignedRankPosterior"]

REGIONS = ("left", "rope", "right")
#: Masses that differ by less are equal: they tie by structure (all differences zero, say).
TIE = 1e-12


@dataclass(frozen=True, eq=False, repr=False)
class RankPosterior(Posterior):
    """What the posteriors of the two tests on means share.

    Attributes
    ----------
    z : ndarray of shape (q,)
        Mean difference on each data set, in the data sets' order.
    datasets : tuple of str
        Names of the data sets.
    prior : float
        Weight of the prior.
    place : str
        Where it lies: "left", "rope", "right", or "sides" (half on each side).
    size : int
        Number of draws.
    """

    _: KW_ONLY
    z: np.ndarray
    datasets: tuple[str, ...]
    prior: float
    place: str
    size: int

    #: What a draw's masses are the probabilities of, and who proposed the test.
    target: ClassVar[str] = ""
    reference: ClassVar[str] = ""

    @abstractmethod
    def masses(self, rope: Any = None) -> np.ndarray:
        """For each draw, the three regions' probabilities; shape (chain, draw, 3)."""

    @property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws of the masses left of, in and right of the rope, each of shape (chain, draw)."""
        masses = self.masses()
        return {name: masses[..., i] for i, name in enumerate(REGIONS)}

    @property
    def prior_text(self) -> str:
        """The prior in words."""
        where = {"rope": "in the rope", "sides": "half on each side", "left": "on the left",
                 "right": "on the right"}[self.place]  # fmt: skip
        return f"weight {self.prior:g} {where}"

    def summary(self) -> pd.DataFrame:
        """Posterior of the three masses: mean, sd, median, central 95 % interval.

        Returns
        -------
        DataFrame
        """
        import pandas as pd

        rows = {name: summarise(draws) for name, draws in self.draws.items()}
        return pd.DataFrame.from_dict(rows, orient="index")

    def plot(self, *, ax: Any = None, **options: Any) -> Any:
        """The simplex plot, or with no rope a histogram; see `bayescmp.plots`."""
        from bayescmp.plots import plot_histogram, plot_simplex

        region = self.rope if options.get("rope") is None else as_rope(options["rope"])
        plot = plot_histogram if region.empty else plot_simplex
        return plot(self, ax=ax, **options)

    def _verdict(
        self, rope: Rope, threshold: float, p: np.ndarray, errors: np.ndarray,
        expected: np.ndarray, **options: Any,
    ) -> Verdict:  # fmt: skip
        def named(values: np.ndarray) -> dict[str, float]:
            return dict(zip(REGIONS, map(float, values), strict=True))

        return Verdict(
            named(p), named(errors), self.names, rope, threshold, expected=named(expected),
            method=f"{self.method}, {self.reference}", metric=self.metric, target=self.target,
            prior=self.prior_text, **options,
        )  # fmt: skip

    def _title(self) -> str:
        return f"{super()._title()}\n{'prior':<13}{self.prior_text}; {len(self.z)} data sets"

    # -- saving --------------------------------------------------------------------------------

    def _groups(self) -> dict[str, dict[str, np.ndarray]]:
        return {"posterior": dict(self.draws), "constant_data": {"z": self.z}}

    def _coords(self) -> tuple[dict[str, Any], dict[str, Any]]:
        return {"dataset": self.datasets}, {"z": ["dataset"]}

    def _attributes(self) -> dict[str, Any]:
        more = {"prior": self.prior, "place": self.place, "size": self.size}
        return {**super()._attributes(), **more}

    @classmethod
    def _restore(cls, common: dict[str, Any], more: dict[str, Any], groups: Any) -> Posterior:
        constant = groups["constant_data"]
        names = constant.coords["dataset"].to_numpy()
        return cls(**common, **more, z=constant["z"].to_numpy(), datasets=tuple(map(str, names)))


@dataclass(frozen=True, eq=False, repr=False)
class SignPosterior(RankPosterior):
    """Posterior of the Bayesian sign test: a Dirichlet, whose verdict is exact.

    The three masses θ are the probabilities that a new data set falls left of, in and right of
    the rope.
    """

    _: KW_ONLY
    method: ClassVar[str] = "Bayesian sign test"
    kind: ClassVar[str] = "sign"
    reference: ClassVar[str] = "Benavoli et al. 2017"
    target: ClassVar[str] = "a new data set"

    def counts(self, rope: Any = None) -> np.ndarray:
        """Data sets left of, in and right of the rope, shape (3,); its ends belong to it."""
        return count_regions(self.z, self.rope if rope is None else as_rope(rope))

    def weights(self, rope: Any = None) -> np.ndarray:
        """Parameters of the Dirichlet: counts and the prior's weight, shape (3,)."""
        return self.counts(rope) + self.prior * np.array(PLACES[self.place])

    def masses(self, rope: Any = None) -> np.ndarray:
        """Draws of θ, shape (1, draw, 3).

        Where there is no rope, what falls exactly on zero counts half to each side.
        """
        region = self.rope if rope is None else as_rope(rope)
        rng = np.random.default_rng(self.seed)
        g = rng.standard_gamma(self.weights(region), (self.size, 3))
        if region.empty:
            g = g @ np.array([[1, 0, 0], [0.5, 0, 0.5], [0, 0, 1]])
        return (g / g.sum(axis=1, keepdims=True))[None]

    def verdict(self, rope: Any = None, *, threshold: float = 0.95) -> Verdict:
        """Probabilities of each θ to be the largest, by quadrature.

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
            region, check_threshold(threshold), p, np.full(3, max(error, 1e-14)), mean,
            floor=1e-12, exact=True,
        )  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class SignedRankPosterior(RankPosterior):
    """Posterior of the Bayesian signed-rank test: independent draws of a Dirichlet process.

    The three masses are the probabilities that the mean of the differences of two new data sets
    (a Walsh average) falls left of, in and right of the rope.
    """

    _: KW_ONLY
    method: ClassVar[str] = "Bayesian signed-rank test"
    kind: ClassVar[str] = "signed_rank"
    reference: ClassVar[str] = "Benavoli et al. 2014"
    target: ClassVar[str] = "the average of two new data sets"

    def masses(self, rope: Any = None) -> np.ndarray:
        """Draws of the three masses, shape (1, draw, 3).

        The same seed draws the same weights for every rope. Draws 2k and 2k + 1 share a set of
        weights, in the order of the differences and in the reverse one.
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

    def verdict(self, rope: Any = None, *, threshold: float = 0.95) -> Verdict:
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
        """
        region = self.rope if rope is None else as_rope(rope)
        shares = _winners(self.masses(region)).reshape(-1, 2, 3)
        return self._verdict(
            region, check_threshold(threshold), shares.mean(axis=(0, 1)), _errors(shares),
            expected_masses(self._model(region)), floor=1 / self.size,
        )  # fmt: skip

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
