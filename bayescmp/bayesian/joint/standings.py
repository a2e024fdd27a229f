"""Posteriors that tell which of several algorithms is best: first places, ranks and top sets."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from bayescmp import checks
from bayescmp.bayesian.joint.standing import Cloud, Standing, errors_of, standing_of
from bayescmp.bayesian.joint.table import symmetric
from bayescmp.draws import summarise
from bayescmp.metrics import headed
from bayescmp.posterior import Fitted
from bayescmp.verdict import Rope
from bayescmp.verdict.rope import RopeLike

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["AVERAGE", "NEXT", "TARGETS", "StandingPosterior"]

#: What a statement is about: the next data set, or the average over data sets.
NEXT, AVERAGE = "next", "average"
TARGETS = (NEXT, AVERAGE)


@dataclass(frozen=True, eq=False, repr=False)
class StandingPosterior(Fitted):
    """How several algorithms stand on the next data set, and on average over data sets.

    The two are different questions and are never mixed: the one that is best on average may be
    beaten on most data sets. All statements come from the same draws, so that first places, ranks,
    sets and pairs agree with one another.

    Attributes
    ----------
    names : tuple of str
        The L algorithms.
    rope : Rope
        Region of practical equivalence, symmetric.
    """

    _: KW_ONLY
    rope: Rope

    #: Which of the targets the model is about.
    targets: ClassVar[tuple[str, ...]] = TARGETS
    #: Whether a hierarchical prior pulls extreme estimates in.
    shrinks: ClassVar[bool] = False
    #: How far its probabilities of being best can be trusted: a sentence, or empty.
    caveat: ClassVar[str] = ""
    #: How draws are split into chains.
    chains: ClassVar[int] = 4

    @property
    def pooled(self) -> str:
        """What shares a hierarchical prior, where `shrinks`."""
        return f"{self.subject}s and {self.unit}s"

    @property
    def spoken(self) -> Mapping[str, str]:
        """What the two targets are called in sentences."""
        return {NEXT: f"on the next {self.unit}", AVERAGE: f"on average over {self.unit}s"}

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The L algorithms."""
        return tuple(self.names)

    @abstractmethod
    def clouds(self, on: str = NEXT) -> Iterator[Cloud]:
        """Points with weights, some draws at a time; a single one of weight 1 for the average."""

    @property
    @abstractmethod
    def averages(self) -> np.ndarray:
        """Utility of each algorithm on average over data sets, draw by draw, shape (D, L)."""

    # -- which is best -------------------------------------------------------------------------

    def best(self, on: str | None = None) -> dict[str, float]:
        """Probability of each algorithm being best.

        Parameters
        ----------
        on : {"next", "average"}, optional
            Best on the next data set, or best on average over data sets.

        Returns
        -------
        dict of str to float
            They sum to one; algorithms that tie share the first place.

        See Also
        --------
        best_errors : Monte Carlo errors of these.
        ranking : With errors, ranks, and which are practically as good as the best.

        Examples
        --------
        >>> import bayescmp as bc
        >>> means = [[0.81, 0.84, 0.86], [0.74, 0.79, 0.77], [0.90, 0.91, 0.95], [0.6, 0.7, 0.8]]
        >>> posterior = bc.bayesian.bootstrap(means, rope=0.01, seed=1)
        >>> {name: round(p, 2) for name, p in posterior.best().items()}
        {'A1': 0.0, 'A2': 0.25, 'A3': 0.75}
        """
        return self._by_name(self._first_places(self._target(on)).mean(axis=0))

    def best_errors(self, on: str | None = None) -> dict[str, float]:
        """Monte Carlo standard errors of `best`.

        Parameters
        ----------
        on : {"next", "average"}, optional
            As for `best`.

        See Also
        --------
        ranking : With all that is said of the algorithms' standing.

        Examples
        --------
        >>> import bayescmp as bc
        >>> means = [[0.81, 0.84, 0.86], [0.74, 0.79, 0.77], [0.90, 0.91, 0.95], [0.6, 0.7, 0.8]]
        >>> posterior = bc.bayesian.bootstrap(means, rope=0.01, seed=1)
        >>> {name: round(se, 3) for name, se in posterior.best_errors().items()}
        {'A1': 0.0, 'A2': 0.003, 'A3': 0.003}
        """
        return self._by_name(self._errors(self._first_places(self._target(on))))

    def _by_name(self, values: np.ndarray) -> dict[str, float]:
        return {name: float(value) for name, value in zip(self.algorithms, values, strict=True)}

    def _first_places(self, on: str) -> np.ndarray:
        """Probability of each algorithm being best, draw by draw, shape (D, L)."""
        return self.standing(on).best

    def ranking(self, on: str | None = None, *, rope: RopeLike | None = None) -> pd.DataFrame:
        """How the algorithms stand, the most probable best first.

        Parameters
        ----------
        on : {"next", "average"}, optional
            On the next data set, or on average over data sets.
        rope : float, optional
            Another half-width than the posterior's own.

        Returns
        -------
        DataFrame
            One row per algorithm: p_best; p_near, the probability of being within the rope of the
            best; expected_rank; rank_low and rank_high, the central 95 % of its ranks; se_best,
            se_near and se_rank, the Monte Carlo standard errors.

        See Also
        --------
        bayescmp.frequentist.friedman, bayescmp.frequentist.posthoc

        Examples
        --------
        >>> import bayescmp as bc
        >>> means = [[0.81, 0.84, 0.86], [0.74, 0.79, 0.77], [0.90, 0.91, 0.95], [0.6, 0.7, 0.8]]
        >>> posterior = bc.bayesian.bootstrap(means, rope=0.02, seed=1)
        >>> posterior.ranking()["p_near"].round(2).to_dict()
        {'A3': 1.0, 'A2': 0.5, 'A1': 0.0}
        """
        import pandas as pd

        standing = self.standing(on, rope)
        low, high = _rank_interval(standing.ranks)
        columns = {
            "p_best": standing.best.mean(axis=0),
            "se_best": self._errors(standing.best),
            "p_near": standing.near.mean(axis=0),
            "se_near": self._errors(standing.near),
            "expected_rank": standing.rank.mean(axis=0),
            "se_rank": self._errors(standing.rank),
            "rank_low": low,
            "rank_high": high,
        }
        table = pd.DataFrame(columns, index=pd.Index(self.algorithms, name="algorithm"))
        return table.sort_values(
            ["p_best", "p_near", "expected_rank"], ascending=[False, False, True], kind="stable"
        )

    def ranks(self, on: str | None = None) -> pd.DataFrame:
        """Probability of every rank, 1 being the best.

        Parameters
        ----------
        on : {"next", "average"}, optional
            On the next data set, or on average over data sets.

        Returns
        -------
        DataFrame of shape (L, L)
            One row per algorithm, one column per rank; rows and columns sum to one.

        See Also
        --------
        rank_errors : Monte Carlo errors of these.
        bayescmp.plots.plot_ranks : Draws it.

        Examples
        --------
        >>> import bayescmp as bc
        >>> means = [[0.81, 0.84, 0.86], [0.74, 0.79, 0.77], [0.90, 0.91, 0.95], [0.6, 0.7, 0.8]]
        >>> posterior = bc.bayesian.bootstrap(means, rope=0.01, seed=1)
        >>> posterior.ranks().loc["A2"].round(2).to_dict()
        {1: 0.25, 2: 0.75, 3: 0.0}
        """
        return self._rank_table(self.standing(on).ranks)

    def rank_errors(self, on: str | None = None) -> pd.DataFrame:
        """Monte Carlo standard errors of `ranks`.

        Parameters
        ----------
        on : {"next", "average"}, optional
            As for `ranks`.

        Returns
        -------
        DataFrame of shape (L, L)

        See Also
        --------
        bayescmp.frequentist.friedman, bayescmp.frequentist.posthoc

        Examples
        --------
        >>> import bayescmp as bc
        >>> means = [[0.81, 0.84, 0.86], [0.74, 0.79, 0.77], [0.90, 0.91, 0.95], [0.6, 0.7, 0.8]]
        >>> posterior = bc.bayesian.bootstrap(means, rope=0.01, seed=1)
        >>> bool((posterior.rank_errors() < 0.01).all(axis=None))
        True
        """
        return self._rank_table(self.standing(on).ranks_se)

    # -- sets ----------------------------------------------------------------------------------

    def top_sets(self, on: str | None = None, *, rope: RopeLike | None = None) -> pd.DataFrame:
        """Nested sets of the best, with the probability that all of each are near the best.

        Algorithms are added in the order of their own probability of being within the rope of the
        best; the joint probability falls as the set grows.

        Parameters
        ----------
        on : {"next", "average"}, optional
            On the next data set, or on average over data sets.
        rope : float, optional
            Another half-width than the posterior's own.

        Returns
        -------
        DataFrame
            One row per size: added, members, p_joint (that all are within the rope of the best at
            once), se_joint.

        See Also
        --------
        top_set : The largest of them above a threshold.

        Examples
        --------
        >>> import bayescmp as bc
        >>> means = [[0.81, 0.84, 0.86], [0.74, 0.79, 0.77], [0.90, 0.91, 0.95], [0.6, 0.7, 0.8]]
        >>> posterior = bc.bayesian.bootstrap(means, rope=0.02, seed=1)
        >>> posterior.top_sets()[["added", "p_joint"]].round(1)
             added  p_joint
        size
        1       A3      1.0
        2       A2      0.5
        3       A1      0.0
        """
        import pandas as pd

        standing = self.standing(on, rope)
        order = [int(i) for i in np.argsort(-standing.near.mean(axis=0), kind="stable")]
        joint = standing.joint(order)
        names = [self.algorithms[i] for i in order]
        sizes = range(1, len(names) + 1)
        columns = {
            "added": names,
            "members": [tuple(names[:k]) for k in sizes],
            "p_joint": joint.mean(axis=0),
            "se_joint": self._errors(joint),
        }
        return pd.DataFrame(columns, index=pd.Index(sizes, name="size"))

    def top_set(
        self, threshold: float = 0.5, *, on: str | None = None, rope: RopeLike | None = None
    ) -> tuple[str, ...]:
        """The largest of the nested sets that are all near the best with some probability.

        Parameters
        ----------
        threshold : float
            Least joint probability, over 0 and under 1.
        on, rope
            As for `top_sets`.

        Returns
        -------
        tuple of str
            Empty where not even one algorithm is near the best with that probability.

        See Also
        --------
        bayescmp.frequentist.friedman, bayescmp.frequentist.posthoc

        Examples
        --------
        >>> import bayescmp as bc
        >>> means = [[0.81, 0.84, 0.86], [0.74, 0.79, 0.77], [0.90, 0.91, 0.95], [0.6, 0.7, 0.8]]
        >>> posterior = bc.bayesian.bootstrap(means, rope=0.02, seed=1)
        >>> posterior.top_set(0.4), posterior.top_set(0.9)
        (('A3', 'A2'), ('A3',))
        """
        sets = self.top_sets(on, rope=rope)
        reached = sets[sets["p_joint"] >= checks.level(threshold, "threshold")]
        return tuple(reached["members"].iloc[-1]) if len(reached) else ()

    # -- helpers -------------------------------------------------------------------------------

    def standing(self, on: str | None = None, rope: RopeLike | None = None) -> Standing:
        """What all statements about first places and ranks rest on, draw by draw.

        Parameters
        ----------
        on : {"next", "average"}, optional
        rope : float, optional
            Another half-width than the posterior's own.

        Returns
        -------
        Standing

        See Also
        --------
        bayescmp.frequentist.friedman, bayescmp.frequentist.posthoc

        Examples
        --------
        >>> import bayescmp as bc
        >>> means = [[0.81, 0.84, 0.86], [0.74, 0.79, 0.77], [0.90, 0.91, 0.95], [0.6, 0.7, 0.8]]
        >>> posterior = bc.bayesian.bootstrap(means, rope=0.02, seed=1)
        >>> posterior.standing("average").best.shape
        (4000, 3)
        """
        key = (self._target(on), self._width(rope))
        if key not in self._standings:
            self._standings[key] = standing_of(self.clouds(key[0]), key[1])
        return self._standings[key]

    @cached_property
    def _standings(self) -> dict[tuple[str, float], Standing]:
        """What was computed already."""
        return {}

    def _target(self, on: str | None) -> str:
        return self.targets[0] if on is None else checks.choice("on", on, self.targets)

    def _width(self, rope: RopeLike | None) -> float:
        return self.rope.high if rope is None else symmetric(rope)

    def _errors(self, values: np.ndarray) -> np.ndarray:
        return errors_of(values, self.chains, independent=self.exact)

    def _rank_table(self, values: np.ndarray) -> pd.DataFrame:
        import pandas as pd

        index = pd.Index(self.algorithms, name="algorithm")
        columns = pd.Index(range(1, len(self.algorithms) + 1), name="rank")
        return pd.DataFrame(values, index=index, columns=columns)

    def summary(self) -> pd.DataFrame:
        """Each algorithm's average over data sets less that of all: mean, sd, 95 % interval.

        Returns
        -------
        DataFrame
            One row per algorithm, higher is better.

        See Also
        --------
        bayescmp.frequentist.friedman, bayescmp.frequentist.posthoc

        Examples
        --------
        >>> import bayescmp as bc
        >>> means = [[0.81, 0.84, 0.86], [0.74, 0.79, 0.77], [0.90, 0.91, 0.95], [0.6, 0.7, 0.8]]
        >>> posterior = bc.bayesian.bootstrap(means, rope=0.02, seed=1)
        >>> posterior.summary()["mean"].round(2).to_dict()
        {'A1': -0.04, 'A2': 0.0, 'A3': 0.04}
        """
        import pandas as pd

        effects = self.averages - self.averages.mean(axis=1, keepdims=True)
        rows = {
            name: summarise(effects[:, k].reshape(self.chains, -1))
            for k, name in enumerate(self.algorithms)
        }
        return headed(
            pd.DataFrame.from_dict(rows, orient="index").rename_axis("algorithm"), self.measured
        )


def _rank_interval(ranks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Central 95 % of each algorithm's ranks."""
    total = np.cumsum(ranks, axis=1)
    size = ranks.shape[1] - 1
    low = np.minimum((total < 0.025 - 1e-12).sum(axis=1), size) + 1
    high = np.minimum((total < 0.975 - 1e-12).sum(axis=1), size) + 1
    return low, high
