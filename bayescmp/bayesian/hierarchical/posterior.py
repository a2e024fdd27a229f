"""Posterior of the hierarchical correlated t test: verdict, summary, data sets, saving."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bayescmp.bayesian.hierarchical import saving
from bayescmp.bayesian.hierarchical.answers import (
    Answer,
    answer_of,
    central_of,
    masses_of,
)
from bayescmp.bayesian.hierarchical.base import HierarchicalBase
from bayescmp.bayesian.hierarchical.predictive import PREDICTED, arviz_groups
from bayescmp.bayesian.hierarchical.prior import HierarchicalPrior
from bayescmp.bayesian.hierarchical.problem import MODEL, UPPER
from bayescmp.bayesian.sampling.run import sample
from bayescmp.engines.base import SamplerSettings
from bayescmp.engines.registry import find_engine
from bayescmp.posterior import Posterior
from bayescmp.text import fact
from bayescmp.verdict import THREE, Known, Rope, Spread, Verdict, as_rope, check_threshold

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bayescmp.typing import Coordinates, Groups, Json
    from bayescmp.verdict.rope import RopeLike, RopesLike

__all__ = ["HierarchicalPosterior"]


@dataclass(frozen=True, eq=False, repr=False)
class HierarchicalPosterior(HierarchicalBase):
    """Posterior of the hierarchical correlated t test.

    See `HierarchicalBase` for its attributes.
    """

    method: ClassVar[str] = "Bayesian hierarchical correlated t test"
    kind: ClassVar[str] = "hierarchical_t"
    stored: ClassVar[dict[str, tuple[str, ...]]] = {
        "posterior": ("delta0", "sigma0", "nu", "delta", "sigma"),
        "constant_data": ("n", "mean", "ss", "rho", "constant", "step"),
    }
    shows: ClassVar[tuple[str, ...]] = ("simplex", "density", "shrinkage", "datasets")

    @cached_property
    def _answer(self) -> Answer:
        return answer_of(self.fit, self.problem, self.seed)

    def _answer_at(self, rope: Rope) -> Answer:
        """Its own answer, or a refitted one if the resolution came from the rope and that differs.

        With no rope the sides share all probability evenly, at any resolution.
        """
        if rope == self.rope or self.problem.with_rope(rope, self.prior) is self.problem:
            return self._answer
        if rope not in self._refitted:
            problem = self.problem.with_rope(rope, self.prior)
            request = problem.request(self.seed, SamplerSettings())
            fit, _ = sample(find_engine(self.engine, MODEL), request, UPPER)
            self._refitted[rope] = answer_of(fit, problem, self.seed)
        return self._refitted[rope]

    @cached_property
    def _refitted(self) -> dict[Rope, Answer]:
        return {}

    @property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws of delta0, sigma0, nu (chain, draw) and delta, sigma (chain, draw, q).

        From an exact posterior they are seeded quasi-random ones.
        """
        return self._answer.draws

    @property
    def upper_draws(self) -> Mapping[str, np.ndarray]:
        """Draws of delta0, sigma0, nu only, shape (chain, draw); cheap for any q."""
        return self._answer.upper

    def masses(self, rope: RopeLike | None = None) -> np.ndarray:
        """For each draw, the three regions' probabilities on the next data set.

        Parameters
        ----------
        rope : float or (float, float), optional
            The fit's own if not given.

        Returns
        -------
        ndarray of shape (chain, draw, 3)
            Masses of t_ν(δ0, σ0) left of, in and right of the rope: each row is a point of the
            simplex.

        See Also
        --------
        bayescmp.frequentist.wilcoxon : On the means of the data sets.

        References
        ----------
        Corani et al. (2017), section 3.3.

        Examples
        --------
        >>> import bayescmp as bc
        >>> x = [[0.02, 0.03, 0.01, 0.04], [0.01, 0.0, 0.02, 0.01], [0.03, 0.05, 0.02, 0.03]]
        >>> posterior = bc.bayesian.hierarchical_t(x, rho=0.25, rope=0.01, engine="quadrature")
        >>> posterior.masses().shape
        (4, 2500, 3)
        """
        region = self.rope if rope is None else as_rope(rope)
        return masses_of(self._answer_at(region).upper, region)

    def verdict(self, rope: RopesLike | None = None, *, threshold: float = 0.95) -> Verdict:
        """Probabilities of the three regions for the next data set.

        Parameters
        ----------
        rope : float or (float, float), optional
            Another region than the fit's own. Nothing is fitted again, unless all differences are
            zero and the fit took the metric's resolution from its rope.
        threshold : float
            Probability at which a region is decided for.

        Returns
        -------
        Verdict
            The share of the posterior of (δ0, σ0, ν) in which each region is the most probable.

        See Also
        --------
        bayescmp.frequentist.wilcoxon : On the means of the data sets.

        Examples
        --------
        >>> import bayescmp as bc
        >>> x = [[0.02, 0.03, 0.01, 0.04], [0.01, 0.0, 0.02, 0.01], [0.03, 0.05, 0.02, 0.03]]
        >>> posterior = bc.bayesian.hierarchical_t(x, rho=0.25, rope=0.01, engine="quadrature")
        >>> verdict = posterior.verdict(rope=0.005)
        >>> verdict.p_right > posterior.verdict(rope=0.02).p_right
        True
        """
        region = self.rope if rope is None else as_rope(rope)
        answer = self._answer_at(region)
        parts = answer.parts(region)
        return Verdict.of(
            THREE,
            parts.probabilities,
            parts.errors,
            expected=parts.expected,
            location=parts.location,
            names=self.names,
            rope=region,
            threshold=check_threshold(threshold),
            exact=self.exact,
            floor=answer.floor,
            method=f"{self.method}, Corani et al. 2017",
            **self.described(),
            target=f"a new {self.unit}",
            prior=self.prior_text,
            mean_interval=(central_of(answer, "delta0"),),
            spread=answer.later(_spread),
            known=answer.later(_known, region),
        )

    def by_dataset(self, rope: RopeLike | None = None) -> pd.DataFrame:
        """Each data set's own difference: as measured, and as estimated by the model (shrunken).

        Parameters
        ----------
        rope : float or (float, float), optional
            The fit's own if not given.

        Returns
        -------
        DataFrame
            One row per data set: n, observed mean, posterior mean and sd of δ_i, central 95 %
            interval, and the probabilities that δ_i is left of, in and right of the rope.

        See Also
        --------
        bayescmp.plots.plot_shrinkage : Draws it.

        Examples
        --------
        >>> import bayescmp as bc
        >>> x = [[0.02, 0.03, 0.01, 0.04], [0.01, 0.0, 0.02, 0.01], [0.03, 0.05, 0.02, 0.03]]
        >>> posterior = bc.bayesian.hierarchical_t(x, rho=0.25, rope=0.01, engine="quadrature")
        >>> posterior.by_dataset()[["observed", "mean"]].round(3).to_numpy().tolist()
        [[0.025, 0.023], [0.01, 0.014], [0.032, 0.027]]
        """
        region = self.rope if rope is None else as_rope(rope)
        if region not in self._tables:
            self._tables[region] = self._table(region)
        return self._tables[region].copy()

    @cached_property
    def _tables(self) -> dict[Rope, pd.DataFrame]:
        """A report asks for the same one twice: for its table and for its picture."""
        return {}

    def _table(self, region: Rope) -> pd.DataFrame:
        import pandas as pd

        answer = self._answer_at(region)
        low, high = np.quantile(answer.draws["delta"], [0.025, 0.975], axis=(0, 1))
        mean, sd, p = answer.datasets(region)
        table = {
            "n": self.statistics.n,
            "observed": self.statistics.mean,
            "mean": mean,
            "sd": sd,
            "2.5%": low,
            "97.5%": high,
            **{f"p_{r}": p[:, i] for i, r in enumerate(THREE.regions)},
        }
        return pd.DataFrame(table, index=pd.Index(self.datasets, name="dataset"))

    def plot(self, *, ax: Axes | None = None, **options: Any) -> Axes:
        """The simplex plot, or with no rope the density of δ0.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure if not given.
        **options
            Passed on to the plot.

        Examples
        --------
        >>> import bayescmp as bc
        >>> x = [[0.02, 0.03, 0.01, 0.04], [0.01, 0.0, 0.02, 0.01], [0.03, 0.05, 0.02, 0.03]]
        >>> posterior = bc.bayesian.hierarchical_t(x, rho=0.25, rope=0.01, engine="quadrature")
        >>> ax = posterior.plot()

        See Also
        --------
        bayescmp.plots.plot_simplex, bayescmp.plots.plot_density : What draws it.
        """
        from bayescmp.plots import plot_density, plot_simplex

        region = self.rope if options.get("rope") is None else as_rope(options["rope"])
        plot = plot_density if region.empty else plot_simplex
        return plot(self, ax=ax, **options)

    def _advice(self) -> str:
        return "the built-in engine (engine='quadrature') needs no sampler"

    def _title(self) -> str:
        return f"{super()._title()}\n{fact('prior', self.prior_text)}"

    # -- saving --------------------------------------------------------------------------------

    def _groups(self) -> dict[str, dict[str, np.ndarray]]:
        return {
            "posterior": dict(self.draws),
            "sample_stats": dict(self.fit.sample_stats),
            "constant_data": saving.constants_of(self.problem),
        }

    def _predictive_groups(self) -> dict[str, dict[str, np.ndarray]]:
        return arviz_groups(self.draws, self.problem, self.seed)

    def _coords(self) -> Coordinates:
        predictive = ("differences", *PREDICTED)
        per = ("delta", "sigma", *saving.constants_of(self.problem), *predictive)
        return {"dataset": self.datasets}, {name: ["dataset"] for name in per}

    def _attributes(self) -> Json:
        prior = dataclasses.asdict(self.prior)
        return {**super()._attributes(), "prior": prior, **saving.attributes_of(self.problem)}

    @classmethod
    def _restore(cls, common: Json, more: Json, groups: Groups) -> Posterior:
        problem = saving.restored_problem(more, groups["constant_data"])
        return cls(
            **common,
            prior=HierarchicalPrior(**more["prior"]),
            datasets=tuple(map(str, groups["constant_data"].coords["dataset"].to_numpy())),
            problem=problem,
            fit=saving.restored_fit(common, problem, groups),
        )


def _spread(answer: Answer) -> tuple[Spread]:
    return (answer.spread,)


def _known(answer: Answer, rope: Rope) -> Known:
    return Known.of(masses_of(answer.upper, rope))
