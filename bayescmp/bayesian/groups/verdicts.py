"""Several algorithms on one data set: verdicts on pairs, and joint statements."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from bayescmp.bayesian.groups.effects import EffectsPosterior
from bayescmp.bayesian.groups.ranking import pair_regions
from bayescmp.bayesian.regions.membership import region_index
from bayescmp.errors import InputError, unknown_name
from bayescmp.pairs import Pair, PairsPosterior
from bayescmp.posterior import Posterior
from bayescmp.verdict import FOUR, THREE, Ropes, Verdict, check_threshold

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.verdict.rope import RopesLike

__all__ = ["DECISIONS", "Pair", "PairwisePosterior"]

#: What may be decided of a pair.
DECISIONS = {*THREE.decisions.values(), *FOUR.decisions.values()}


@dataclass(frozen=True, eq=False, repr=False)
class PairwisePosterior(EffectsPosterior, PairsPosterior):
    """Effects of several algorithms, and verdicts on all of their pairs.

    See `EffectsPosterior` for its attributes.
    """

    @property
    def pairs(self) -> list[Pair]:
        """All pairs (first, second), in the algorithms' order."""
        return list(combinations(self.algorithms, 2))

    @abstractmethod
    def pair(self, first: str, second: str) -> Posterior:
        """The posterior of the difference of two algorithms, second minus first.

        See Also
        --------
        bayescmp.frequentist.tukey, bayescmp.frequentist.pairwise_hotelling

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> round(posterior.pair("knn", "gbm").location, 3)
        0.09
        """

    def verdict(
        self,
        first: str | None = None,
        second: str | None = None,
        *,
        rope: RopesLike | None = None,
        threshold: float = 0.95,
    ) -> Verdict:
        """The verdict on two algorithms, in either order.

        Parameters
        ----------
        first, second : str, optional
            May be left out where there are only two.
        rope : float, sequence or mapping, optional
            Other regions than the posterior's own.
        threshold : float
            Probability at which a region is decided for.

        Returns
        -------
        Verdict
            Over three regions with one metric, over four with several.

        See Also
        --------
        bayescmp.frequentist.tukey, bayescmp.frequentist.pairwise_hotelling

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> posterior.verdict("knn", "gbm").decision
        'second'
        """
        i, j = self._pair(first, second)
        names = self.algorithms[i], self.algorithms[j]
        return self._decide(*names, self.ropes(rope), check_threshold(threshold))

    def verdicts(
        self, rope: RopesLike | None = None, *, threshold: float = 0.95
    ) -> dict[Pair, Verdict]:
        """The verdict on every pair (first, second), in the algorithms' order.

        Parameters
        ----------
        rope : float, sequence or mapping, optional
            Other regions than the posterior's own.
        threshold : float
            Probability at which a region is decided for.

        See Also
        --------
        bayescmp.frequentist.tukey, bayescmp.frequentist.pairwise_hotelling

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> {pair: verdict.decision for pair, verdict in posterior.verdicts().items()}
        {('knn', 'svm'): 'equivalent', ('knn', 'gbm'): 'second', ('svm', 'gbm'): 'second'}
        """
        key = (self.ropes(rope), check_threshold(threshold))
        if key not in self._verdicts:
            self._verdicts[key] = self._all_verdicts(*key)
        return dict(self._verdicts[key])

    @cached_property
    def _verdicts(self) -> dict[tuple[Ropes, float], dict[Pair, Verdict]]:
        """What was computed already."""
        return {}

    def _all_verdicts(self, ropes: Ropes, threshold: float) -> dict[Pair, Verdict]:
        return {pair: self._decide(*pair, ropes, threshold) for pair in self.pairs}

    def _decide(self, first: str, second: str, ropes: Ropes, threshold: float) -> Verdict:
        """One pair's verdict: over three regions with one metric, over four with several."""
        region = ropes[0] if self.p == 1 else ropes
        return self.pair(first, second).verdict(region, threshold=threshold)

    def frame(self, rope: RopesLike | None = None, *, threshold: float = 0.95) -> pd.DataFrame:
        """All pairs' verdicts, one row each.

        Parameters
        ----------
        rope, threshold
            As for `verdicts`.

        Returns
        -------
        DataFrame
            first, second, ``p_`` and ``se_`` of each region, decision, most_probable, evidence.

        See Also
        --------
        bayescmp.frequentist.tukey, bayescmp.frequentist.pairwise_hotelling

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> posterior.frame()[["first", "second", "decision"]]
          first second    decision
        0   knn    svm  equivalent
        1   knn    gbm      second
        2   svm    gbm      second
        """
        import pandas as pd

        rows = [
            {
                "first": a,
                "second": b,
                **{f"p_{r}": p for r, p in v.probabilities.items()},
                **{f"se_{r}": e for r, e in v.errors.items()},
                "decision": v.decision,
                "most_probable": v.ranked[0],
                "evidence": v.evidence,
            }
            for (a, b), v in self.verdicts(rope, threshold=threshold).items()
        ]
        return pd.DataFrame(rows)

    def joint(
        self, outcomes: Mapping[Pair, str] | None = None, rope: RopesLike | None = None
    ) -> float:
        """Probability that the outcomes of several pairs all hold.

        Parameters
        ----------
        outcomes : mapping of (first, second) to str, optional
            "equivalent", "first", "second" or "trade-off"; the decided verdicts of all pairs if
            not given, whose joint probability is that of making no error in any of them.
        rope : float, sequence or mapping, optional
            Other regions than the posterior's own.

        Returns
        -------
        float
            Share of the joint draws; 1 if there is no outcome.

        See Also
        --------
        bayescmp.frequentist.tukey : Holds the familywise error instead.

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> both = {("knn", "gbm"): "second", ("svm", "gbm"): "second"}
        >>> posterior.joint(both) > 0.99
        True
        """
        return float(self._hold(outcomes, rope).mean())

    def joint_error(
        self, outcomes: Mapping[Pair, str] | None = None, rope: RopesLike | None = None
    ) -> float:
        """Monte Carlo standard error of `joint`.

        Parameters
        ----------
        outcomes, rope
            As for `joint`.

        See Also
        --------
        bayescmp.frequentist.tukey : Holds the familywise error instead.

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> posterior.joint_error({("knn", "gbm"): "second"}) < 0.001
        True
        """
        return float(self._share_errors(self._hold(outcomes, rope)[:, None])[0])

    def _hold(self, outcomes: Mapping[Pair, str] | None, rope: RopesLike | None) -> np.ndarray:
        """Whether all outcomes hold, draw by draw."""
        ropes = self.ropes(rope)
        if outcomes is None:
            decisions = {pair: v.decision for pair, v in self.verdicts(ropes).items()}
            outcomes = {k: d for k, d in decisions.items() if d in DECISIONS}
        if not outcomes:
            return np.ones(len(self.effects), dtype=bool)
        pairs = np.array([self._pair(*pair) for pair in outcomes])
        wanted = [region_index(outcome) for outcome in outcomes.values()]
        regions = pair_regions(self.effects, pairs, ropes)
        return np.asarray(np.all(regions == np.array(wanted), axis=1))

    def _place(self, name: str) -> int:
        if name not in self.algorithms:
            raise unknown_name("algorithm", name, self.algorithms)
        return self.algorithms.index(name)

    def _pair(self, first: str | None, second: str | None) -> tuple[int, int]:
        if first is None and second is None and len(self.algorithms) == 2:
            return 0, 1
        if first is None or second is None:
            raise InputError(
                "first and second are needed: there are " + ", ".join(map(repr, self.algorithms))
            )
        i, j = self._place(first), self._place(second)
        if i == j:
            raise InputError(f"first and second are both {first!r}: nothing to compare")
        return i, j
