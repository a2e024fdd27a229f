"""Posteriors of several algorithms that give a verdict on every pair."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bayescmp.fitted import Fitted
from bayescmp.verdict import Verdict

if TYPE_CHECKING:
    from bayescmp.sensitivity import PairsSensitivity

__all__ = ["Pair", "PairVariation", "PairsPosterior", "all_probabilities"]

Pair = tuple[str, str]
#: What is varied, how, in words, and every pair's probabilities then.
PairVariation = tuple[str, str, dict[Pair, np.ndarray]]


@dataclass(frozen=True, eq=False, repr=False)
class PairsPosterior(Fitted):
    """The posterior of several algorithms, with a verdict on every pair."""

    #: What a sensitivity analysis can't vary, and why: questions as in `Sensitivity.frame`.
    fixed: ClassVar[Mapping[str, str]] = {}

    @property
    @abstractmethod
    def pairs(self) -> list[Pair]:
        """All pairs (first, second), in the algorithms' order."""

    @abstractmethod
    def verdicts(self, rope: Any = None, *, threshold: float = 0.95) -> dict[Pair, Verdict]:
        """The verdict on every pair (first, second), in the algorithms' order."""

    def pair_variations(
        self, *, datasets: bool = True, refit: bool = False
    ) -> Iterator[PairVariation]:
        """All pairs' probabilities under other assumptions than the fit's.

        Parameters
        ----------
        datasets : bool
            Whether to leave out each data set in turn, where there are several.
        refit : bool
            As of `Posterior.variations`.

        Yields
        ------
        question, setting : str
            As of `Posterior.variations`.
        probabilities : dict of (first, second) to ndarray
            In the order of the verdict's regions.

        See Also
        --------
        PairsPosterior.sensitivity : Puts them in a table, with other ropes and thresholds.

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> [(question, setting) for question, setting, _ in posterior.pair_variations()]
        [('rho', '0'), ('rho', '0.5')]
        """
        yield from ()

    def sensitivity(
        self,
        *,
        ropes: Sequence[float] = (0.5, 1.0, 2.0),
        thresholds: Sequence[float] = (0.9, 0.95, 0.99),
        threshold: float = 0.95,
        datasets: bool = True,
        refit: bool = False,
        progress: bool = False,
    ) -> PairsSensitivity:
        """How every pair's verdict changes under other assumptions.

        Parameters
        ----------
        ropes, thresholds, threshold, datasets, refit, progress
            As of `Posterior.sensitivity`.

        Returns
        -------
        PairsSensitivity
            With a frame, ``explain()``, ``plot()``, and each pair's own table by its names.

        See Also
        --------
        bayescmp.plots.plot_pairs_sensitivity : Draws it.

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> result = posterior.sensitivity()
        >>> result["knn", "gbm"].holds, result["knn", "svm"].holds
        (True, False)
        """
        from bayescmp.sensitivity import sensitivity_of_pairs

        return sensitivity_of_pairs(
            self,
            ropes=ropes,
            thresholds=thresholds,
            threshold=threshold,
            datasets=datasets,
            refit=refit,
            progress=progress,
        )


def all_probabilities(posterior: PairsPosterior, rope: Any = None) -> dict[Pair, np.ndarray]:
    """The regions' probabilities of every pair, in the order of the verdicts' regions."""
    return {
        pair: np.array(list(verdict.probabilities.values()))
        for pair, verdict in posterior.verdicts(rope).items()
    }
