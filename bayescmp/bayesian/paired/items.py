"""What the tests of two models on the same items share: reading them, their posteriors' words."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.optimize import brentq

from bayescmp import checks
from bayescmp.errors import InputError
from bayescmp.items.pair import ItemPair
from bayescmp.posterior import Posterior
from bayescmp.text import fact
from bayescmp.verdict import THREE, Interval, Rope, Verdict, as_rope, check_threshold

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bayescmp.typing import Coordinates, Json, Variation
    from bayescmp.verdict.rope import RopesLike

__all__ = ["ItemPosterior", "one_benchmark", "source_of"]


@dataclass(frozen=True, eq=False, repr=False)
class ItemPosterior(Posterior):
    """What the posteriors of δ, the mean difference over a benchmark's questions, share.

    Attributes
    ----------
    dataset : str
        The benchmark; "" if it has no name.
    """

    _: KW_ONLY
    dataset: str

    reference: ClassVar[str] = ""
    #: What δ is.
    quantity: ClassVar[str] = "mean difference"
    shows: ClassVar[tuple[str, ...]] = ("density",)

    @abstractmethod
    def tail(self, x: float, *, upper: bool) -> tuple[float, float]:
        """P(δ > x) or P(δ < x), and its numerical error."""

    @abstractmethod
    def density(self) -> tuple[np.ndarray, np.ndarray]:
        """Density of δ on a grid, in units of the metric."""

    @property
    @abstractmethod
    def ends(self) -> tuple[float, float]:
        """Between which δ lies with certainty."""

    @property
    @abstractmethod
    def size_text(self) -> str:
        """How much there is, in words: "120 items"."""

    @property
    def details(self) -> str:
        """What more there is to say of the data."""
        return ""

    def quantile(self, p: float) -> float:
        """Posterior quantile of δ.

        Parameters
        ----------
        p : float
            In (0, 1).

        Raises
        ------
        InputError
            If p is outside (0, 1).

        See Also
        --------
        bayescmp.frequentist.mcnemar : The frequentist twin.

        Examples
        --------
        >>> import bayescmp as bc
        >>> posterior = bc.bayesian.paired_proportions([[40, 5], [14, 25]], rope=0.02)
        >>> round(posterior.quantile(0.5), 3)
        0.104
        """
        p = checks.level(p, "p")
        low, high = self.ends
        upper = p > 0.5

        def beyond(x: float) -> float:
            mass = self.tail(x, upper=upper)[0]
            return (1 - p) - mass if upper else mass - p

        if beyond(low) >= 0 or beyond(high) <= 0:
            return low if beyond(low) >= 0 else high
        return float(brentq(beyond, low, high, xtol=1e-14, rtol=1e-13))

    @cached_property
    def interval(self) -> Interval:
        """Central 95 % interval of δ."""
        return self.quantile(0.025), self.quantile(0.975)

    def verdict(self, rope: RopesLike | None = None, *, threshold: float = 0.95) -> Verdict:
        """Probabilities that δ is left of, in and right of the rope.

        Parameters
        ----------
        rope : float or (float, float), optional
            Another region than the test's own.
        threshold : float
            Probability at which a region is decided for.

        Returns
        -------
        Verdict
            Exact, by quadrature.

        See Also
        --------
        bayescmp.frequentist.mcnemar : The frequentist twin.

        Examples
        --------
        >>> import bayescmp as bc
        >>> posterior = bc.bayesian.paired_proportions([[40, 5], [14, 25]], rope=0.02)
        >>> round(posterior.verdict(rope=0).p_right, 3)
        0.982
        """
        region = self.rope if rope is None else as_rope(rope)
        p, errors = self._parts(region)
        return Verdict.of(
            THREE,
            p,
            errors,
            names=self.names,
            rope=region,
            threshold=check_threshold(threshold),
            floor=1e-15,
            exact=True,
            method=f"{self.method}, {self.reference}",
            **self.described(),
            target=f"new questions of {self.dataset}" if self.dataset else "new questions",
            prior=self.prior_text,
            quantity=self.quantity,
            mean_interval=(self.interval,),
        )

    def variations(self, *, datasets: bool = True, refit: bool = False) -> Iterator[Variation]:
        """Other weights of the prior, or of the clusters.

        See Also
        --------
        bayescmp.Posterior.variations : What it yields.

        Examples
        --------
        >>> import bayescmp as bc
        >>> posterior = bc.bayesian.paired_proportions([[40, 5], [14, 25]], rope=0.02)
        >>> [setting for _, setting, _ in posterior.variations()]
        ['a tenth in each cell', 'one in each cell', 'two in each cell']
        """
        for setting, other in self._others():
            yield "prior", setting, other._parts(self.rope)[0]

    @abstractmethod
    def _others(self) -> Iterator[tuple[str, ItemPosterior]]:
        """The posterior under other priors, each with its words."""

    def _parts(self, rope: Rope) -> tuple[np.ndarray, list[float]]:
        """Probabilities of the three regions, and their numerical errors."""
        left, below = self.tail(rope.low, upper=False)
        right, above = self.tail(rope.high, upper=True)
        inside = 0.0 if rope.empty else max(1 - left - right, 0.0)
        p = np.array([left, inside, right])
        return p / p.sum(), [below, below + above, above]

    def summary(self) -> pd.DataFrame:
        """Posterior of δ: mean, sd, median, central 95 % interval.

        Returns
        -------
        DataFrame
            Of right and wrong answers with a row for each model's accuracy.

        See Also
        --------
        bayescmp.frequentist.mcnemar : The frequentist twin.

        Examples
        --------
        >>> import bayescmp as bc
        >>> posterior = bc.bayesian.paired_proportions([[40, 5], [14, 25]], rope=0.02)
        >>> posterior.summary().loc["delta", ["2.5%", "97.5%"]].round(3).tolist()
        [0.007, 0.206]
        """
        import pandas as pd

        return pd.DataFrame.from_dict(self._rows(), orient="index")

    @abstractmethod
    def _rows(self) -> dict[str, dict[str, float]]:
        """Rows of the summary."""

    def plot(self, *, ax: Axes | None = None, **options: Any) -> Axes:
        """The density of δ with the masses of the regions.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure if not given.
        **options
            Passed on to the plot.

        See Also
        --------
        bayescmp.plots.plot_density : What draws it.

        Examples
        --------
        >>> import bayescmp as bc
        >>> posterior = bc.bayesian.paired_proportions([[40, 5], [14, 25]], rope=0.02)
        >>> ax = posterior.plot()
        """
        from bayescmp.plots import plot_density

        return plot_density(self, ax=ax, **options)

    def _title(self) -> str:
        of = f" of {self.dataset}" if self.dataset else ""
        more = f": {self.details}" if self.details else ""
        lines = fact("prior", self.prior_text), fact("data", f"{self.size_text}{of}{more}")
        return "\n".join([super()._title(), *lines])

    def _coords(self) -> Coordinates:
        return {}, {}

    def _attributes(self) -> Json:
        return {**super()._attributes(), "dataset": self.dataset}


def one_benchmark(x: ItemPair, test: str) -> ItemPair:
    """The pair, which has to be of one benchmark.

    Raises
    ------
    InputError
    """
    if len(x.benchmarks) > 1:
        raise InputError(
            f"x has {len(x.benchmarks)} benchmarks, {test} takes one: pick it with x.on(name), or "
            "compare them all by bayescmp.compare, which takes the hierarchical test"
        )
    return x


def source_of(x: object, names: Sequence[str] | None) -> dict[str, Any]:
    """What a posterior keeps of where its items come from."""
    if not isinstance(x, ItemPair):
        return {"names": checks.names(names), "dataset": ""}
    return {
        "names": x.names if names is None else checks.names(names),
        "dataset": x.benchmarks[0] if x.benchmarks != ("benchmark",) else "",
        "metric": x.direction.metric,
        "directions": (x.direction,),
        "left_out": x.left_out,
    }
