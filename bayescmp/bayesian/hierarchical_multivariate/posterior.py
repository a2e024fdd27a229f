"""Posterior of the hierarchical multivariate t test: verdicts on the next data set and on each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bayescmp.bayesian.hierarchical.mixture import next_interval
from bayescmp.bayesian.hierarchical_multivariate.draws import HierarchicalMultivariateDraws
from bayescmp.bayesian.hierarchical_multivariate.masses import region_masses
from bayescmp.bayesian.hierarchical_multivariate.variations import reweighted
from bayescmp.bayesian.regions.membership import membership
from bayescmp.diagnostics import share_errors
from bayescmp.errors import unknown_name
from bayescmp.verdict import (
    FOUR,
    Known,
    Ropes,
    Spread,
    Verdict,
    central,
    check_threshold,
    winners,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bayescmp.typing import Variation
    from bayescmp.verdict.rope import RopesLike

__all__ = ["HierarchicalMultivariatePosterior"]


@dataclass(frozen=True, eq=False, repr=False)
class HierarchicalMultivariatePosterior(HierarchicalMultivariateDraws):
    """Posterior of the hierarchical multivariate t test.

    See `HierarchicalMultivariateDraws` for its attributes.
    """

    method: ClassVar[str] = "Bayesian hierarchical multivariate t test"
    kind: ClassVar[str] = "hierarchical_multivariate_t"
    stored: ClassVar[dict[str, tuple[str, ...]]] = {
        "posterior": ("delta0", "tau", "nu", "delta"),
        "constant_data": ("n", "means", "mixing"),
    }
    shows: ClassVar[tuple[str, ...]] = ("regions", "datasets")
    reference: ClassVar[str] = "after Corani et al. 2017"

    def masses(self, rope: RopesLike | None = None) -> np.ndarray:
        """For each draw, the four regions' probabilities on the next data set.

        Parameters
        ----------
        rope : optional
            The fit's own if not given; see `as_ropes`.

        Returns
        -------
        ndarray of shape (chain, draw, 4)
            Masses of the multivariate t of that draw in the order equivalent, first, second,
            trade_off.

        See Also
        --------
        bayescmp.frequentist.hotelling_paired, bayescmp.frequentist.wilcoxon

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.bayesian import hierarchical_multivariate_t
        >>> xs = np.random.default_rng(1).normal([0.02, 0.03], 0.02, size=(8, 10, 2))
        >>> posterior = hierarchical_multivariate_t(
        ...     xs, rho=0.1, rope=0.01, metrics=["tpr", "auc"], seed=1
        ... )  # doctest: +SKIP
        >>> posterior.masses().shape  # doctest: +SKIP
        (4, 1000, 4)
        """
        return np.asarray(self._replicates(self.ropes(rope)).mean(axis=0))

    def _replicates(self, ropes: Ropes) -> np.ndarray:
        """Masses by replicates of the quasi-random directions: (replicate, chain, draw, 4)."""
        return self._own_replicates if ropes == self.ropes() else self._computed(ropes)

    @cached_property
    def _own_replicates(self) -> np.ndarray:
        return self._computed(self.ropes())

    def _computed(self, ropes: Ropes) -> np.ndarray:
        d = self.fit.draws
        r = self.mixing.shape[0]
        masses = region_masses(
            d["delta0"].reshape(-1, r),
            self._root.reshape(-1, r, r),
            d["nu"].ravel(),
            self.mixing,
            ropes,
            seed=self.seed,
        )
        return masses.reshape(len(masses), *d["nu"].shape, 4)

    @property
    def fixed(self) -> Mapping[str, str]:  # type: ignore[override]
        """What a sensitivity analysis can't vary, and why."""
        if self.observed is not None:
            return {}
        one = len(self.mixing) == 1
        why = "of one metric, hierarchical_t varies it" if one else "the file is from version 0.1"
        return dict.fromkeys(("prior", "rho", "without"), why)

    def variations(self, *, datasets: bool = True, refit: bool = False) -> Iterator[Variation]:
        """Other priors and correlations, and each data set left out, by reweighting.

        The draws are reweighted by Pareto-smoothed importance sampling, with a data set's own
        means integrated out of its likelihood, and k-hat is given. Where it is over 0.7 the
        weights are marked as unreliable, or the model is refitted if ``refit`` is true.

        See Also
        --------
        bayescmp.Posterior.variations : What it yields.

        References
        ----------
        Vehtari, Simpson, Gelman, Yao & Gabry (2024), Journal of Machine Learning Research 25(72).

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.bayesian import hierarchical_multivariate_t
        >>> xs = np.random.default_rng(1).normal([0.02, 0.03], 0.02, size=(8, 10, 2))
        >>> posterior = hierarchical_multivariate_t(
        ...     xs, rho=0.1, rope=0.01, metrics=["tpr", "auc"], seed=1
        ... )  # doctest: +SKIP
        >>> len(list(posterior.variations()))  # doctest: +SKIP
        15
        """
        if self.observed is not None:
            yield from reweighted(self, self.observed, datasets=datasets, refit=refit)

    def verdict(self, rope: RopesLike | None = None, *, threshold: float = 0.95) -> Verdict:
        """Probabilities of the four regions for the next data set.

        Parameters
        ----------
        rope : optional
            Other regions than the fit's own; nothing is fitted again. See `as_ropes`.
        threshold : float
            Probability at which a region is decided for.

        Returns
        -------
        Verdict
            The share of the posterior of (δ0, Σ0, ν) in which each region is the most probable.
            Errors hold that of the sampler and that of the regions' masses.

        See Also
        --------
        bayescmp.frequentist.hotelling_paired, bayescmp.frequentist.wilcoxon

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.bayesian import hierarchical_multivariate_t
        >>> xs = np.random.default_rng(1).normal([0.02, 0.03], 0.02, size=(8, 10, 2))
        >>> posterior = hierarchical_multivariate_t(
        ...     xs, rho=0.1, rope=0.01, metrics=["tpr", "auc"], seed=1
        ... )  # doctest: +SKIP
        >>> posterior.verdict().ranked[0]  # doctest: +SKIP
        'second'
        """
        ropes, threshold = self.ropes(rope), check_threshold(threshold)
        replicates = self._replicates(ropes)
        masses = replicates.mean(axis=0)
        shares = winners(masses)
        errors = share_errors(shares)
        if len(replicates) > 1:
            each = winners(replicates).mean(axis=(1, 2))
            errors = np.hypot(errors, each.std(axis=0, ddof=1) / np.sqrt(len(each)))
        return self._four(
            ropes,
            threshold,
            shares.mean(axis=(0, 1)),
            errors,
            floor=1 / masses[..., 0].size,
            expected=masses.mean(axis=(0, 1)),
            location=membership(self.draws["delta0"], ropes).mean(axis=(0, 1)),
            mean_interval=central(self.draws["delta0"]),
            spread=self._spread,
            known=Known.of(masses),
        )

    @cached_property
    def _spread(self) -> tuple[Spread, ...]:
        """How far data sets differ in each metric; the same for all ropes."""
        marginals = [
            {
                "nu": self.draws["nu"],
                "delta0": self.draws["delta0"][..., k],
                "sigma0": self.tau[..., k],
            }
            for k in range(self.p)
        ]
        # a metric that never differs has no spread, and the same difference everywhere: none
        return tuple(
            Spread(
                float(np.median(m["sigma0"])),
                scale,
                next_interval(m) if m["sigma0"].any() else (0.0, 0.0),
                "τ",
            )
            for m, scale in zip(marginals, central(self.tau), strict=True)
        )

    def dataset_verdict(
        self, dataset: str, rope: RopesLike | None = None, *, threshold: float = 0.95
    ) -> Verdict:
        """Probabilities of the four regions on one of the data sets, as estimated by the model.

        Parameters
        ----------
        dataset : str
            Its name.
        rope, threshold
            As for `verdict`.

        Returns
        -------
        Verdict
            Shares of the draws of δ_i.

        Raises
        ------
        InputError
            Unknown data set.

        See Also
        --------
        bayescmp.frequentist.hotelling_paired

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.bayesian import hierarchical_multivariate_t
        >>> xs = np.random.default_rng(1).normal([0.02, 0.03], 0.02, size=(8, 10, 2))
        >>> posterior = hierarchical_multivariate_t(
        ...     xs, rho=0.1, rope=0.01, metrics=["tpr", "auc"], seed=1
        ... )  # doctest: +SKIP
        >>> posterior.dataset_verdict("3").ranked[0]  # doctest: +SKIP
        'second'
        """
        if dataset not in self.datasets:
            raise unknown_name("data set", dataset, self.datasets)
        ropes = self.ropes(rope)
        delta = self.draws["delta"][:, :, self.datasets.index(dataset)]
        shares = membership(delta, ropes)
        verdict = self._four(
            ropes,
            check_threshold(threshold),
            shares.mean(axis=(0, 1)),
            share_errors(shares),
            floor=1 / shares[..., 0].size,
            mean_interval=central(delta),
        )
        return replace(verdict, target=f"the data set {dataset}")

    def by_dataset(self, rope: RopesLike | None = None) -> pd.DataFrame:
        """Each data set's own differences: as measured, and as estimated by the model (shrunken).

        Parameters
        ----------
        rope : optional
            The fit's own if not given; see `as_ropes`.

        Returns
        -------
        DataFrame
            One row per data set: n; for each metric observed mean, posterior mean and sd of δ_i;
            the probabilities of the four regions.

        See Also
        --------
        bayescmp.frequentist.hotelling_paired

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.bayesian import hierarchical_multivariate_t
        >>> xs = np.random.default_rng(1).normal([0.02, 0.03], 0.02, size=(8, 10, 2))
        >>> posterior = hierarchical_multivariate_t(
        ...     xs, rho=0.1, rope=0.01, metrics=["tpr", "auc"], seed=1
        ... )  # doctest: +SKIP
        >>> posterior.by_dataset()["p_second"]  # doctest: +SKIP
        """
        import pandas as pd

        delta = self.draws["delta"]
        mean, sd = delta.mean(axis=(0, 1)), delta.std(axis=(0, 1), ddof=1)
        p = membership(delta, self.ropes(rope)).mean(axis=(0, 1))
        table = {"n": self.n}
        for k, m in enumerate(self.metrics):
            table |= {
                f"observed {m}": self.means[:, k],
                f"mean {m}": mean[:, k],
                f"sd {m}": sd[:, k],
            }
        table |= {f"p_{region}": p[:, i] for i, region in enumerate(FOUR.regions)}
        return pd.DataFrame(table, index=pd.Index(self.datasets, name="dataset"))

    def plot(self, *, ax: Axes | None = None, **options: Any) -> Axes:
        """Two metrics: the next data set's differences over the regions; else a labelled bar.

        With two metrics the lines hold 50 and 95 % of the next data set's mean differences, and
        the dots are the data sets' means; see `bayescmp.plots.plot_regions` and
        `plot_verdict_bar`. Of more metrics ``metrics=(a, b)`` shows two.

        See Also
        --------
        bayescmp.plots.plot_regions, bayescmp.plots.plot_verdict_bar

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.bayesian import hierarchical_multivariate_t
        >>> xs = np.random.default_rng(1).normal([0.02, 0.03], 0.02, size=(8, 10, 2))
        >>> posterior = hierarchical_multivariate_t(
        ...     xs, rho=0.1, rope=0.01, metrics=["tpr", "auc"], seed=1
        ... )  # doctest: +SKIP
        >>> axes = posterior.plot()  # doctest: +SKIP
        """
        from bayescmp.plots import plot_regions, plot_verdict_bar

        metrics = options.pop("metrics", None)
        shown = self if metrics is None else self.select(metrics)
        if shown.p != 2:
            return plot_verdict_bar(shown.verdict(**options), ax=ax)
        return plot_regions(_NextDataset(shown), ax=ax, **options)


@dataclass(frozen=True)
class _NextDataset:
    """What a plot over the regions has to know: draws on the next data set, means as dots."""

    posterior: HierarchicalMultivariatePosterior

    shows: ClassVar[tuple[str, ...]] = ("regions", "folds")

    @property
    def metrics(self) -> tuple[str, ...]:
        return self.posterior.metrics

    @property
    def draws(self) -> Mapping[str, np.ndarray]:
        return {"delta": self.posterior.next_dataset()}

    @property
    def x(self) -> np.ndarray:
        return self.posterior.means

    def __getattr__(self, name: str) -> object:  # the rest is the posterior's own
        return getattr(self.posterior, name)
