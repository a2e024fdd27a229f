"""What the tests on the means of several data sets share: reading, and their posteriors."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from bayescmp._version import built_in
from bayescmp.bayesian.signs.dirichlet import PLACES
from bayescmp.bounds import HEAVIEST, MOST_DRAWS
from bayescmp.checks import choice, seed_of, whole
from bayescmp.diagnostics import Diagnostics
from bayescmp.differences import Differences, as_differences
from bayescmp.draws import summarise, summary_frame
from bayescmp.errors import InputError
from bayescmp.posterior import Posterior, probabilities_of
from bayescmp.text import counted, exactly
from bayescmp.verdict import THREE, Known, Rope, Verdict, as_rope

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bayescmp.checks import Seed
    from bayescmp.typing import Coordinates, Groups, Json, Variation
    from bayescmp.verdict.rope import RopeLike

__all__ = ["RankPosterior", "read_means"]

#: Where a prior's weight lies, in words.
WHERE = {
    "rope": "in the rope",
    "sides": "half on each side",
    "left": "on the left",
    "right": "on the right",
}


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
    #: Where a prior in the rope lies when there is none.
    without_rope: ClassVar[str] = "at zero"
    shows: ClassVar[tuple[str, ...]] = ("simplex",)
    fixed: ClassVar[Mapping[str, str]] = {"rho": "the test takes means, not folds"}

    @abstractmethod
    def masses(self, rope: RopeLike | None = None) -> np.ndarray:
        """For each draw, the three regions' probabilities; shape (chain, draw, 3)."""

    @property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws of the masses left of, in and right of the rope, each of shape (chain, draw)."""
        masses = self.masses()
        return {name: masses[..., i] for i, name in enumerate(THREE.regions)}

    @property
    def data_text(self) -> str:
        """What was observed: "10 data sets"."""
        return counted(len(self.datasets), "data set")

    @property
    def prior_text(self) -> str:
        """The prior in words."""
        return self._prior_in_words(self.rope)

    def _prior_in_words(self, rope: Rope) -> str:
        """The prior in words, under a rope."""
        where = WHERE[self.place]
        if rope.empty and self.place == "rope":
            where = self.without_rope
        return f"weight {exactly(self.prior)} {where}"

    def prior_facts(self) -> Json:
        """The prior as words and plain numbers, for JSON."""
        return {**super().prior_facts(), "weight": self.prior, "place": self.place}

    def variations(self, *, datasets: bool = True, refit: bool = False) -> Iterator[Variation]:
        """Other weights and places of the prior; then each data set left out in turn.

        See Also
        --------
        bayescmp.Posterior.variations : What it yields.

        Examples
        --------
        >>> import bayescmp as bc
        >>> posterior = bc.bayesian.sign([0.012, -0.003, 0.025, 0.03], rope=0.005, seed=1)
        >>> [setting for _, setting, _ in posterior.variations()][:3]
        ['weight 0', 'weight 2', 'on the left']
        """
        for weight in sorted({0.0, 2 * self.prior or 1.0}):
            yield "prior", f"weight {weight:g}", probabilities_of(replace(self, prior=weight))
        for place in PLACES if self.prior else ():
            if place != self.place:
                yield "prior", WHERE[place], probabilities_of(replace(self, place=place))
        few = len(self.z) < 3 or not datasets
        for i, name in enumerate(() if few else self.datasets):
            others = (*self.datasets[:i], *self.datasets[i + 1 :])
            other = replace(self, z=np.delete(self.z, i), datasets=others)
            yield "without", name, probabilities_of(other)

    def summary(self) -> pd.DataFrame:
        """Posterior of the three masses: mean, sd, median, central 95 % interval.

        Returns
        -------
        DataFrame
            One row per region.

        See Also
        --------
        bayescmp.frequentist.sign_test, bayescmp.frequentist.wilcoxon

        Examples
        --------
        >>> import bayescmp as bc
        >>> z = [0.012, -0.003, 0.025, 0.03, 0.008, 0.041, -0.011, 0.017]
        >>> posterior = bc.bayesian.sign(z, rope=0.005, seed=1)
        >>> posterior.summary()["mean"].round(1).to_dict()
        {'left': 0.1, 'rope': 0.2, 'right': 0.7}
        """
        rows = {name: summarise(draws) for name, draws in self.draws.items()}
        return summary_frame(rows, self.measured)

    def plot(self, *, ax: Axes | None = None, **options: Any) -> Axes:
        """The simplex plot, or with no rope a histogram.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure if not given.
        **options
            Passed on to the plot.

        Examples
        --------
        >>> import bayescmp as bc
        >>> posterior = bc.bayesian.sign([0.012, -0.003, 0.025, 0.03], rope=0.005, seed=1)
        >>> ax = posterior.plot()

        See Also
        --------
        bayescmp.plots.plot_simplex, bayescmp.plots.plot_histogram : What draws it.
        """
        from bayescmp.plots import plot_histogram, plot_simplex

        region = self.rope if options.get("rope") is None else as_rope(options["rope"])
        plot = plot_histogram if region.empty else plot_simplex
        return plot(self, ax=ax, **options)

    def _verdict(
        self,
        rope: Rope,
        threshold: float,
        p: np.ndarray,
        errors: np.ndarray,
        expected: np.ndarray,
        **options: Any,
    ) -> Verdict:
        return Verdict.of(
            THREE,
            p,
            errors,
            expected=expected,
            names=self.names,
            rope=rope,
            threshold=threshold,
            method=f"{self.method}, {self.reference}",
            **self.described(),
            target=self.target.replace("data set", self.unit),
            prior=self._prior_in_words(rope),
            known=Known.of(self.masses(rope)),
            **options,
        )

    def _title(self) -> str:
        sets = counted(len(self.z), "data set")
        return f"{super()._title()}\n{'prior':<13}{self.prior_text}; {sets}"

    # -- saving --------------------------------------------------------------------------------

    def _groups(self) -> dict[str, dict[str, np.ndarray]]:
        return {"posterior": dict(self.draws), "constant_data": {"z": self.z}}

    def _coords(self) -> Coordinates:
        return {"dataset": self.datasets}, {"z": ["dataset"]}

    def _attributes(self) -> Json:
        more = {"prior": self.prior, "place": self.place, "size": self.size}
        return {**super()._attributes(), **more}

    @classmethod
    def _restore(cls, common: Json, more: Json, groups: Groups) -> Posterior:
        constant = groups["constant_data"]
        names = constant.coords["dataset"].to_numpy()
        return cls(**common, **more, z=constant["z"].to_numpy(), datasets=tuple(map(str, names)))


def read_means(
    x: ArrayLike | Differences,
    rope: RopeLike,
    prior: object,
    place: str,
    draws: object,
    seed: Seed,
    names: Sequence[str] | None,
    test: str,
) -> Json:
    """Check what both tests take, and make of it what both posteriors hold.

    Raises
    ------
    InputError
        Fewer than two data sets, a bad rope, prior, place, number of draws or seed.
    """
    d = _means(x, names)
    if d.q < 2:
        raise InputError(
            f"x has one data set only ({d.datasets[0]!r}); the {test} needs at least two: use "
            "bayescmp.bayesian.correlated_t on the folds of one data set"
        )
    z, size = d.means, whole("draws", draws, least=2, most=MOST_DRAWS)
    z.flags.writeable = False
    return {
        "z": z,
        "datasets": d.datasets,
        "names": d.names,
        **d.described(folds=False),
        "unit": d.unit,
        "rope": as_rope(rope),
        "prior": _weight(prior),
        "place": choice("place", place, tuple(PLACES)),
        "size": size + size % 2,
        "seed": seed_of(seed),
        "engine": "exact",
        "engine_version": built_in(),
        "diagnostics": Diagnostics(exact=True),
    }


def _means(x: ArrayLike | Differences, names: Sequence[str] | None) -> Differences:
    """Differences with one row per data set; a bare (q,) array is q data sets of one mean each."""
    if isinstance(x, Differences):
        return as_differences(x, names=names)
    if hasattr(x, "to_numpy"):
        x = x.to_numpy()
    if isinstance(x, Sequence | np.ndarray) and not isinstance(x, str) and len(x):
        x = [[value] for value in x] if np.ndim(x[0]) == 0 else x
    return as_differences(x, rho=0.0, names=names)


def _weight(prior: Any) -> float:
    accepted = "accepted: a weight of 0 to 1e9, in data sets (place says where it lies)"
    try:
        weight = np.nan if isinstance(prior, bool | np.bool_) else float(prior)
    except (TypeError, ValueError):
        raise InputError(f"prior is {type(prior).__name__}, not a number; {accepted}") from None
    if not 0 <= weight <= HEAVIEST:
        raise InputError(f"prior={prior!r}; {accepted}")
    return weight
