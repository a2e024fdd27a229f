"""Posterior of metrics of two confusion matrices, by Dirichlet draws."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bayescmp.bayesian.confusion.cells import compared, drawn_cells
from bayescmp.bayesian.confusion.chosen import CountMetric, chosen_metrics
from bayescmp.bayesian.regions.membership import membership
from bayescmp.bayesian.regions.posterior import SeveralPosterior
from bayescmp.diagnostics import share_errors
from bayescmp.draws import kernel_density, summarise
from bayescmp.fitted import Fitted
from bayescmp.metrics import Direction, headed
from bayescmp.posterior import probabilities_of
from bayescmp.text import counted, exactly, fact
from bayescmp.verdict import THREE, Verdict, central, check_threshold

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bayescmp.typing import Coordinates, Groups, Json, Variation
    from bayescmp.verdict.rope import RopesLike

__all__ = ["ConfusionPosterior"]

#: Where left, rope and right stand among the four regions, of one metric.
ONE_METRIC = [1, 0, 2]
#: Weights of the prior that a verdict is tried with.
WEIGHTS = (0.5, 1.0, 2.0)


@dataclass(frozen=True, eq=False, repr=False)
class ConfusionPosterior(SeveralPosterior):
    """Draws of one or several metrics of two algorithms, and of their differences.

    Attributes
    ----------
    values : mapping of str to ndarray of shape (chain, draw, p)
        "first" and "second", in the metrics' own directions, and "delta", second minus first with
        metrics for which lower is better flipped. Draws are independent.
    counts : ndarray of shape (2, 4), or (2, 2, 2) where paired
        (tp, fn, fp, tn) of the two; where paired the joint table, by truth, first and second
        prediction (0 negative, 1 positive).
    prior : ndarray of shape (4,)
        The Dirichlet prior's weights of tp, fn, fp, tn.
    chosen : tuple of CountMetric
        The metrics; empty where a file does not tell them, for they were functions of the user's.
    """

    _: KW_ONLY
    values: Mapping[str, np.ndarray]
    counts: np.ndarray
    prior: np.ndarray
    chosen: tuple[CountMetric, ...] = ()

    method: ClassVar[str] = "Bayesian comparison of confusion matrices"
    kind: ClassVar[str] = "confusion"
    stored: ClassVar[dict[str, tuple[str, ...]]] = {
        "posterior": ("first", "second"),
        "constant_data": ("counts", "prior"),
    }
    reference: ClassVar[str] = "Caelen 2017, Tötsch & Hoffmann 2020"
    shows: ClassVar[tuple[str, ...]] = ("regions", "density")

    @property
    def fixed(self) -> Mapping[str, str]:  # type: ignore[override]
        """What a sensitivity analysis can't vary, and why."""
        unknown = {} if self.chosen else {"prior": "the file does not hold the metrics' functions"}
        return {**unknown, "rho": "items are independent"}

    @property
    def paired(self) -> bool:
        """Whether the joint table of both algorithms' predictions is known."""
        return self.counts.ndim == 3

    @property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws, shape (chain, draw, p)."""
        return self.values

    @property
    def target(self) -> str:
        """What the verdict is about."""
        return "items like those of the test set"

    @property
    def quantity(self) -> str:
        """What lies in the regions."""
        return "difference"

    @property
    def prior_text(self) -> str:
        """The prior in words."""
        weights = ", ".join(f"{exactly(w)}" for w in self.prior)
        split = ", of both, as if they were independent within a class" if self.paired else ""
        return f"Dirichlet({weights}) on tp, fn, fp, tn{split}"

    def verdict(self, rope: RopesLike | None = None, *, threshold: float = 0.95) -> Verdict:
        """Shares of the draws in the regions: three with one metric, four with several.

        Parameters
        ----------
        rope : float, sequence or mapping, optional
            Other regions than the posterior's own.
        threshold : float
            Probability at which a region is decided for.

        See Also
        --------
        bayescmp.frequentist.sign_test

        Examples
        --------
        >>> from bayescmp.bayesian import confusion
        >>> first, second = (40, 10, 5, 45), (45, 5, 5, 45)
        >>> posterior = confusion(first, second, "accuracy", rope=0.01, seed=1)
        >>> round(posterior.verdict().p_right, 1)
        0.8
        """
        ropes, threshold = self.ropes(rope), check_threshold(threshold)
        shares = membership(self.values["delta"], ropes)
        p, errors = shares.mean(axis=(0, 1)), share_errors(shares, independent=True)
        floor, interval = 1 / shares[..., 0].size, central(self.values["delta"])
        if self.p > 1:
            return self._four(ropes, threshold, p, errors, floor=floor, mean_interval=interval)
        return Verdict.of(
            THREE,
            p[ONE_METRIC],
            errors[ONE_METRIC],
            names=self.names,
            rope=ropes[0],
            threshold=threshold,
            floor=floor,
            **self.described(),
            method=f"{self.method}, {self.reference}",
            target=self.target,
            prior=self.prior_text,
            quantity=self.quantity,
            mean_interval=interval,
        )

    def variations(self, *, datasets: bool = True, refit: bool = False) -> Iterator[Variation]:
        """Other weights of the Dirichlet prior, the same in each cell: 1/2 (Jeffreys'), 1 and 2.

        See Also
        --------
        bayescmp.Posterior.variations : What it yields.

        Examples
        --------
        >>> from bayescmp.bayesian import confusion
        >>> first, second = (40, 10, 5, 45), (45, 5, 5, 45)
        >>> posterior = confusion(first, second, "accuracy", rope=0.01, seed=1)
        >>> [setting for _, setting, _ in posterior.variations()]
        ['0.5 in each cell', '2 in each cell']
        """
        for weight in WEIGHTS if self.chosen else ():
            if (self.prior != weight).any():
                other = self._with_prior(np.full(4, weight))
                yield "prior", f"{weight:g} in each cell", probabilities_of(other)

    def _with_prior(self, prior: np.ndarray) -> ConfusionPosterior:
        """As many draws under another prior."""
        size = self.values["delta"][..., 0].size
        cells = drawn_cells(self.counts, prior, size, self.seed)
        return replace(self, prior=prior, values=compared(cells, self.chosen))

    def summary(self) -> pd.DataFrame:
        """Metrics of the two and their difference: mean, sd, median, central 95 % interval.

        See Also
        --------
        bayescmp.frequentist.sign_test

        Examples
        --------
        >>> from bayescmp.bayesian import confusion
        >>> first, second = (40, 10, 5, 45), (45, 5, 5, 45)
        >>> posterior = confusion(first, second, "accuracy", rope=0.01, seed=1)
        >>> float(posterior.summary().loc[("accuracy", "difference"), "mean"].round(2))
        0.05
        """
        import pandas as pd

        rows = {
            (metric, name): summarise(self.values[part][..., j])
            for j, metric in enumerate(self.metrics)
            for part, name in (
                ("first", self.names[0]),
                ("second", self.names[1]),
                ("delta", "difference"),
            )
        }
        return headed(
            pd.DataFrame.from_dict(rows, orient="index").rename_axis(["metric", "of"]),
            self.measured,
        )

    def density(self) -> tuple[np.ndarray, np.ndarray]:
        """Kernel estimate of the density of the first metric's difference.

        See Also
        --------
        bayescmp.frequentist.sign_test

        Examples
        --------
        >>> from bayescmp.bayesian import confusion
        >>> first, second = (40, 10, 5, 45), (45, 5, 5, 45)
        >>> posterior = confusion(first, second, "accuracy", rope=0.01, seed=1)
        >>> x, density = posterior.density()
        >>> x.shape
        (400,)
        """
        return kernel_density(self.values["delta"][..., 0])

    def plot(self, *, ax: Axes | None = None, **options: Any) -> Axes:
        """One metric: the density of its difference; two: the regions; more: the verdict.

        See Also
        --------
        bayescmp.plots.plot_density, bayescmp.plots.plot_regions

        Examples
        --------
        >>> from bayescmp.bayesian import confusion
        >>> first, second = (40, 10, 5, 45), (45, 5, 5, 45)
        >>> posterior = confusion(first, second, "accuracy", rope=0.01, seed=1)
        >>> axes = posterior.plot()
        """
        from bayescmp import plots

        if self.p == 1:
            return plots.plot_density(self, ax=ax, **options)
        if self.p == 2 or "metrics" in options:
            return plots.plot_regions(self, ax=ax, **options)
        return plots.plot_verdict_bar(self.verdict(**options), ax=ax)

    def figure_size(self) -> tuple[float, float]:
        """Width and height in inches that `plot` needs: the density's with one metric."""
        return (3.4, 2.3) if self.p == 1 else super().figure_size()

    def _title(self) -> str:
        items = round(float(self.counts.sum() if self.paired else self.counts[0].sum()))
        how = "paired item by item" if self.paired else "not paired: taken as independent"
        lines = fact("prior", self.prior_text), fact("data", f"{counted(items, 'item')}, {how}")
        return "\n".join([super()._title(), *lines])

    # -- saving --------------------------------------------------------------------------------

    def _groups(self) -> dict[str, dict[str, np.ndarray]]:
        constant = {"counts": self.counts.ravel(), "prior": self.prior}
        return {"posterior": dict(self.values), "constant_data": constant}

    def _coords(self) -> Coordinates:
        cells = [str(i) for i in range(8)]
        dims = {name: ["metric"] for name in self.values}
        coords = {"metric": list(self.metrics), "cell": cells, "count": ["tp", "fn", "fp", "tn"]}
        return coords, {**dims, "counts": ["cell"], "prior": ["count"]}

    def _attributes(self) -> Json:
        named = bool(self.chosen) and all(metric.by_name for metric in self.chosen)
        return {**super()._attributes(), "paired": self.paired, "named": named}

    @classmethod
    def _restore(cls, common: Json, more: Json, groups: Groups) -> Fitted:
        values = {k: v.to_numpy() for k, v in groups["posterior"].data_vars.items()}
        counts, prior = (groups["constant_data"][k].to_numpy() for k in ("counts", "prior"))
        shape = (2, 2, 2) if more["paired"] else (2, 4)
        return cls(
            **common,
            metrics=tuple(more["metrics"]),
            values=values,
            counts=counts.reshape(shape),
            prior=prior,
            chosen=_named(common["directions"]) if more.get("named") else (),
        )


def _named(directions: Sequence[Direction]) -> tuple[CountMetric, ...]:
    """Metrics by their names, with the directions that they had."""
    return chosen_metrics([d.metric for d in directions], [d.lower for d in directions])
