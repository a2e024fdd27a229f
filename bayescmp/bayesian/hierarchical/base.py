"""What a hierarchical posterior was fitted with, and how much the verdict depends on it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from bayescmp.bayesian.hierarchical.marginals import MarginalPosterior
from bayescmp.bayesian.hierarchical.prior import HierarchicalPrior
from bayescmp.bayesian.hierarchical.problem import MODEL, UPPER, Scaled
from bayescmp.bayesian.hierarchical.verify import Verification, other_engine
from bayescmp.bayesian.sampling.run import checked_settings, sample
from bayescmp.checks import seed_of
from bayescmp.engines.base import Fit
from bayescmp.sufficient import SufficientStatistics
from bayescmp.text import counted
from bayescmp.verdict import as_rope

if TYPE_CHECKING:
    from bayescmp.checks import Seed
    from bayescmp.planning import Plan
    from bayescmp.sensitivity import Sensitivity
    from bayescmp.typing import Json
    from bayescmp.verdict.rope import RopeLike

__all__ = ["HierarchicalBase"]


@dataclass(frozen=True, eq=False, repr=False)
class HierarchicalBase(MarginalPosterior):
    """The problem, the prior and the fit of the hierarchical correlated t test.

    Attributes
    ----------
    prior : HierarchicalPrior
        The prior it was fitted with.
    problem : Scaled
        The data as the engine saw them.
    fit : Fit
        The engine's fit, on the problem's scale.
    """

    _: KW_ONLY
    prior: HierarchicalPrior
    problem: Scaled
    fit: Fit

    @property
    def data_text(self) -> str:
        """What was observed: "10 data sets"."""
        return counted(len(self.statistics.n), "data set")

    @property
    def statistics(self) -> SufficientStatistics:
        """Means and sums of squares of the data sets."""
        return self.problem.statistics

    @property
    def prior_bounds(self) -> Mapping[str, float]:
        """Bounds of δ0, σ0 and σ_i that were taken from the data, in units of the metric.

        Examples
        --------
        >>> import bayescmp as bc
        >>> x = [[0.02, 0.03, 0.01, 0.04], [0.01, 0.0, 0.02, 0.01], [0.03, 0.05, 0.02, 0.03]]
        >>> posterior = bc.bayesian.hierarchical_t(x, rho=0.25, rope=0.01, engine="quadrature")
        >>> round(posterior.prior_bounds["delta0_bound"], 3)
        0.05
        """
        names = ("delta0_bound", "sigma0_upper", "sigma_upper")
        return {name: float(self.problem.data[name]) * self.problem.scale for name in names}

    @property
    def prior_text(self) -> str:
        """The whole prior in words, with the bounds that were taken from the data.

        Examples
        --------
        >>> import bayescmp as bc
        >>> x = [[0.02, 0.03, 0.01, 0.04], [0.01, 0.0, 0.02, 0.01], [0.03, 0.05, 0.02, 0.03]]
        >>> posterior = bc.bayesian.hierarchical_t(x, rho=0.25, rope=0.01, engine="quadrature")
        >>> posterior.prior_text.split(" [")[0]
        'corani2017: δ0 ~ U(-0.05, 0.05)'
        """
        bounds = self.prior_bounds
        rule = self.prior.resolved_rule(self.problem.span, bounds["delta0_bound"])
        return self.prior.in_words(**bounds, delta0_rule=rule)

    def prior_facts(self) -> Json:
        """The prior as words and plain numbers, for JSON."""
        return self.prior.to_dict()

    def verify(
        self,
        *,
        engine: str = "auto",
        rope: RopeLike | None = None,
        seed: Seed = None,
        chains: int = 4,
        warmup: int = 1000,
        draws: int = 5000,
        adapt_delta: float = 0.8,
        progress: bool = False,
    ) -> Verification:
        """A second opinion: fit the same problem again with another engine.

        Parameters
        ----------
        engine : str
            The other engine. "auto" is a Stan engine for a posterior of the built-in one, CmdStan
            before PyStan, and the built-in one for a posterior of Stan.
        rope : float or (float, float), optional
            The posterior's own if not given.
        seed : int or numpy Generator, optional
            One more than the posterior's own if not given.
        chains, warmup, draws, adapt_delta
            Settings of the sampler, with more draws than usual, for smaller errors.
        progress : bool
            Whether to show a progress bar.

        Returns
        -------
        Verification

        Raises
        ------
        EngineNotFound
            If there is no other engine.

        See Also
        --------
        hierarchical_t : The first opinion.

        Examples
        --------
        Here by the same engine, which has to agree with itself; left out, ``engine`` is a Stan
        engine.

        >>> import bayescmp as bc
        >>> x = [[0.02, 0.03, 0.01, 0.04], [0.01, 0.0, 0.02, 0.01], [0.03, 0.05, 0.02, 0.03]]
        >>> posterior = bc.bayesian.hierarchical_t(x, rho=0.25, rope=0.01, engine="quadrature")
        >>> posterior.verify(engine="quadrature").agrees
        True
        """
        other = other_engine(MODEL, self.exact, engine)
        number = self.seed + 1 if seed is None else seed_of(seed)
        settings = checked_settings(chains, warmup, draws, adapt_delta)
        fit, diagnostics = sample(other, self.problem.request(number, settings, progress), UPPER)
        second = dataclasses.replace(
            self,
            fit=fit,
            engine=fit.engine,
            engine_version=fit.version,
            diagnostics=diagnostics,
            seed=number,
            notes=(),
        )
        return Verification(self, second, self.rope if rope is None else as_rope(rope))

    def sensitivity(
        self,
        *,
        rhos: Iterable[float] | None = None,
        ropes: Sequence[float] = (0.5, 1.0, 2.0),
        thresholds: Sequence[float] = (0.9, 0.95, 0.99),
        threshold: float = 0.95,
        datasets: bool = True,
        refit: bool = True,
        progress: bool = False,
    ) -> Sensitivity:
        """How the verdict changes under other assumptions, and without each data set.

        Everything is refitted by the built-in engine, whatever the engine of the fit: the other
        preset, normal data sets (ν about 1000), ten times δ0's bound, a half-t prior of σ0; other
        correlations; other ropes; each data set left out in turn; other thresholds.

        Parameters
        ----------
        rhos : iterable of float, optional
            Correlations of folds; 0, twice the fit's own, and 0.5 if not given.
        ropes : sequence of float
            Multiples of the rope.
        thresholds : sequence of float
            Probabilities at which a region is decided for.
        threshold : float
            The threshold of the decision itself.
        datasets : bool
            Whether to leave out data sets.
        refit : bool
            As other tests have it; here every setting is a fit of its own.
        progress : bool
            Whether to show a progress bar.

        Returns
        -------
        Sensitivity
            With a frame, ``explain()`` and ``plot()``.

        See Also
        --------
        hierarchical_t : The fit.

        Examples
        --------
        >>> import bayescmp as bc
        >>> x = [[0.04, 0.05, 0.03], [0.05, 0.04, 0.05], [0.06, 0.03, 0.05], [0.04, 0.05, 0.04]]
        >>> posterior = bc.bayesian.hierarchical_t(x, rho=0.3, rope=0.01, engine="quadrature")
        >>> table = posterior.sensitivity().frame
        >>> int((table["question"] == "without").sum())
        4
        """
        from bayescmp.sensitivity import sensitivity_of

        return sensitivity_of(
            self,
            rhos=rhos,
            ropes=ropes,
            thresholds=thresholds,
            threshold=threshold,
            datasets=datasets,
            progress=progress,
        )

    def plan(
        self,
        *,
        datasets: Iterable[int] = range(0, 41, 5),
        folds: int | None = None,
        more_folds: int | Iterable[int] = 0,
        threshold: float = 0.95,
        simulations: int = 400,
        seed: Seed = 1,
        n_jobs: int | None = 1,
        progress: bool = False,
    ) -> Plan:
        """How many more data sets, or folds, decide the verdict, and for which outcome.

        Further data are simulated from the posterior: from its draws of δ0, σ0 and ν, and of the
        data sets' own δ_i and σ_i; a new data set has the folds, the correlation and the σ of one
        of those seen. The model is refitted to all data together with the built-in engine, keeping
        the bound of δ0. All amounts of data share their random numbers.

        Parameters
        ----------
        datasets : iterable of int
            Numbers of further data sets.
        folds : int, optional
            Differences on each of them; as many as on those seen if not given.
        more_folds : int or iterable of int
            Numbers of further differences on each data set seen: its cross-validation repeated.
        threshold : float
            Probability at which the test decides.
        simulations : int
            Simulated continuations.
        seed : int or numpy Generator
            The same seed gives the same table.
        n_jobs : int, optional
            Processes, as joblib takes it.
        progress : bool
            Whether to show a progress bar.

        Returns
        -------
        Plan
            With a frame, ``needed()``, ``explain()`` and ``plot()``.

        Notes
        -----
        A chance is an average over the posterior of δ0, σ0 and ν. In simulations from five, eight
        and ten data sets as many verdicts are decided as predicted, on average over truths drawn
        from a population; for one fixed truth that need not hold.

        See Also
        --------
        bayescmp.plan : Before there are any data.

        References
        ----------
        Kruschke (2013), Journal of Experimental Psychology: General 142:573-603; Pan & Banerjee
        (2021), arXiv:2112.03509.

        Examples
        --------
        Twenty simulations, for speed:

        >>> import bayescmp as bc
        >>> x = [[0.02, 0.03, 0.01, 0.04], [0.01, 0.0, 0.02, 0.01], [0.03, 0.05, 0.02, 0.03]]
        >>> posterior = bc.bayesian.hierarchical_t(x, rho=0.25, rope=0.01, engine="quadrature")
        >>> plan = posterior.plan(datasets=[0, 10], simulations=20)
        >>> plan.frame["decided"].is_monotonic_increasing
        True
        """
        from bayescmp.planning import plan_of

        return plan_of(
            self,
            datasets=datasets,
            folds=folds,
            more_folds=more_folds,
            threshold=threshold,
            simulations=simulations,
            seed=seed,
            n_jobs=n_jobs,
            progress=progress,
        )
