"""What posteriors of the effects of several algorithms share: the effects, and ranks."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.bayesian.groups.ranking import (
    dominance,
    holders,
    mean_ranks,
    rank_shares,
    ranked_scores,
)
from bayescmp.diagnostics import mean_errors, share_errors
from bayescmp.draws import summarise
from bayescmp.fitted import Fitted
from bayescmp.metrics import headed
from bayescmp.text import counted
from bayescmp.verdict import Ropes, as_ropes

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.typing import Coordinates, Json
    from bayescmp.verdict.rope import RopesLike

__all__ = ["EffectsPosterior"]


@dataclass(frozen=True, eq=False, repr=False)
class EffectsPosterior(Fitted):
    """Posterior of the effects of L algorithms in p metrics on one data set.

    Effects are deviations from the mean of all algorithms, with higher the better: metrics for
    which lower is better are flipped.

    Attributes
    ----------
    names : tuple of str
        The L algorithms.
    metrics : tuple of str
        The p metrics.
    rope : Ropes
        One per metric.
    dataset : str
        Name of the data set; "" if it has none.
    x : ndarray of shape (L, n, p)
        The scores, higher the better.
    rho : float
        Correlation of two folds.
    """

    _: KW_ONLY
    metrics: tuple[str, ...]
    rope: Ropes
    dataset: str
    x: np.ndarray
    rho: float

    reference: ClassVar[str] = ""

    @property
    def data_text(self) -> str:
        """What was observed: "10 folds"."""
        return counted(self.x.shape[1], self.sample)

    @property
    @abstractmethod
    def prior_text(self) -> str:
        """The prior in words."""

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The L algorithms."""
        return tuple(self.names)

    @property
    def p(self) -> int:
        """Number of metrics."""
        return len(self.metrics)

    def ropes(self, rope: RopesLike | None = None) -> Ropes:
        """The posterior's own ropes, or those given, one per metric.

        See Also
        --------
        bayescmp.frequentist.anova, bayescmp.frequentist.manova

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> posterior.ropes()[0].high, posterior.ropes(0.05)[0].high
        (0.02, 0.05)
        """
        return Ropes(self.rope) if rope is None else as_ropes(rope, self.metrics)

    @cached_property
    def effects(self) -> np.ndarray:
        """Draws of the effects, chains one after the other: shape (N, L, p)."""
        tau = self.draws["tau"]
        return np.asarray(tau.reshape(-1, *tau.shape[2:]))

    # -- ranks ---------------------------------------------------------------------------------

    def rank_probabilities(
        self, by: str | ArrayLike | None = None, *, rope: RopesLike | None = None
    ) -> pd.DataFrame:
        """Probability of every rank, 1 being the best.

        Parameters
        ----------
        by : str or array_like of shape (p,), optional
            What to rank by: a metric, or weights of the metrics. By default the metric if there is
            only one, else "dominance": how many others an algorithm practically dominates, less
            how many dominate it. (Metrics can't be added up without weights; dominance does not
            need to.) Algorithms that tie share their ranks equally.
        rope : float, sequence or mapping, optional
            For dominance, other regions than the posterior's own.

        Returns
        -------
        DataFrame of shape (L, L)
            One row per algorithm, one column per rank; rows and columns sum to one.

        See Also
        --------
        rank_errors : Monte Carlo errors of these.
        bayescmp.frequentist.anova, bayescmp.frequentist.manova

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> posterior.rank_probabilities().round(1).loc["svm"].to_dict()
        {1: 0.0, 2: 0.9, 3: 0.1}
        """
        return self._rank_table(rank_shares(self._scores(by, rope)))

    def rank_errors(
        self, by: str | ArrayLike | None = None, *, rope: RopesLike | None = None
    ) -> pd.DataFrame:
        """Monte Carlo standard errors of `rank_probabilities`.

        Parameters
        ----------
        by, rope
            As for `rank_probabilities`.

        Returns
        -------
        DataFrame of shape (L, L)

        See Also
        --------
        bayescmp.frequentist.anova, bayescmp.frequentist.manova

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> bool((posterior.rank_errors() < 0.01).all(axis=None))
        True
        """
        scores = self._scores(by, rope)
        ranks = range(1, len(self.algorithms) + 1)
        errors = [self._share_errors(holders(scores, rank)) for rank in ranks]
        return self._rank_table(np.stack(errors, axis=1))

    def ranking(
        self, by: str | ArrayLike | None = None, *, rope: RopesLike | None = None
    ) -> pd.DataFrame:
        """The algorithms ranked, the best expected rank first.

        Parameters
        ----------
        by, rope
            As for `rank_probabilities`.

        Returns
        -------
        DataFrame
            One row per algorithm: expected_rank, p_best (shared where algorithms tie) and with
            several metrics p_undominated, the probability that no other practically dominates it;
            se_rank, se_best and se_undominated are their Monte Carlo standard errors.

        See Also
        --------
        bayescmp.frequentist.anova, bayescmp.frequentist.manova

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> posterior.ranking()["expected_rank"].round(1).to_dict()
        {'gbm': 1.0, 'svm': 2.1, 'knn': 2.9}
        """
        import pandas as pd

        scores = self._scores(by, rope)
        ranks, best = mean_ranks(scores), holders(scores, 1)
        columns = {
            "expected_rank": ranks.mean(axis=0),
            "se_rank": mean_errors(self._by_chain(ranks), independent=self.exact),
            "p_best": best.mean(axis=0),
            "se_best": self._share_errors(best),
        }
        if self.p > 1:
            _, losses = dominance(self.effects, self.ropes(rope))
            undominated = (losses == 0).astype(float)
            columns["p_undominated"] = undominated.mean(axis=0)
            columns["se_undominated"] = self._share_errors(undominated)
        table = pd.DataFrame(columns, index=pd.Index(self.algorithms, name="algorithm"))
        return table.sort_values("expected_rank", kind="stable")

    def p_best(self, by: str | ArrayLike | None = None) -> dict[str, float]:
        """Probability that each algorithm is the best.

        Parameters
        ----------
        by
            As for `rank_probabilities`.

        See Also
        --------
        bayescmp.frequentist.anova, bayescmp.frequentist.manova

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> posterior.p_best()["gbm"] > 0.99
        True
        """
        shares = holders(self._scores(by, None), 1).mean(axis=0)
        return {name: float(p) for name, p in zip(self.algorithms, shares, strict=True)}

    def _scores(self, by: str | ArrayLike | None, rope: RopesLike | None) -> np.ndarray:
        """What is ranked, draw by draw: (N, L)."""
        return ranked_scores(self.effects, self.metrics, self.ropes(rope), by)

    def _rank_table(self, values: np.ndarray) -> pd.DataFrame:
        import pandas as pd

        index = pd.Index(self.algorithms, name="algorithm")
        columns = pd.Index(range(1, len(self.algorithms) + 1), name="rank")
        return pd.DataFrame(values, index=index, columns=columns)

    def _share_errors(self, shares: np.ndarray) -> np.ndarray:
        """Monte Carlo standard errors of the means of shares, one per column."""
        return share_errors(self._by_chain(shares), independent=self.exact)

    def _by_chain(self, values: np.ndarray) -> np.ndarray:
        """Numbers of all draws, (N, m), as (chain, draw, m)."""
        chains, draws = self.draws["tau"].shape[:2]
        return values.reshape(chains, draws, -1).astype(float)

    # -- telling -------------------------------------------------------------------------------

    def summary(self) -> pd.DataFrame:
        """Effects of the algorithms, higher the better: mean, sd, median, 95 % interval.

        See Also
        --------
        bayescmp.frequentist.anova, bayescmp.frequentist.manova

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> posterior.summary()["mean"].round(2).to_dict()
        {('knn', 'm1'): -0.03, ('svm', 'm1'): -0.02, ('gbm', 'm1'): 0.06}
        """
        import pandas as pd

        rows = {
            (a, m): summarise(self.draws["tau"][..., i, j])
            for i, a in enumerate(self.algorithms)
            for j, m in enumerate(self.metrics)
        }
        return headed(
            pd.DataFrame.from_dict(rows, orient="index").rename_axis(["algorithm", "metric"]),
            self.measured,
        )

    # -- saving --------------------------------------------------------------------------------

    def _coords(self) -> Coordinates:
        coords = {
            "algorithm": list(self.algorithms),
            "metric": list(self.metrics),
            "fold": np.arange(self.x.shape[1]).tolist(),
        }
        return coords, {
            "x": ["algorithm", "fold", "metric"],
            "tau": ["algorithm", "metric"],
            "folds": ["fold"],
        }

    def _attributes(self) -> Json:
        more = {"metrics": list(self.metrics), "dataset": self.dataset, "rho": self.rho}
        return {**super()._attributes(), **more}
