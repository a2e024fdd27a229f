"""Several algorithms in other metrics: some of them, linear combinations, learned measures."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from bayescmp import checks
from bayescmp.bayesian.groups.base import GroupsPosterior
from bayescmp.blocks import Blocks
from bayescmp.errors import InputError, unknown_name

if TYPE_CHECKING:
    from typing_extensions import Self

    from bayescmp.verdict.rope import RopesLike

__all__ = ["LinearGroupsPosterior"]


@dataclass(frozen=True, eq=False, repr=False)
class LinearGroupsPosterior(GroupsPosterior):
    """A posterior of effects that linear maps of the metrics transform exactly.

    See `EffectsPosterior` for its attributes.
    """

    @property
    def inflation(self) -> float:
        """The factor c = 1/n + rho/(1 − rho) of the variance of a mean over folds."""
        return 1 / self.x.shape[1] + self.rho / (1 - self.rho)

    @property
    @abstractmethod
    def within(self) -> np.ndarray:
        """Covariance of the errors within algorithms, shape (p, p)."""

    @abstractmethod
    def transform(
        self, matrix: ArrayLike, *, metrics: Sequence[str] | None = None, rope: RopesLike = 0.0
    ) -> Self:
        """Posterior of linear combinations of the metrics, exactly."""

    def select(self, metrics: Sequence[str] | str) -> Self:
        """The posterior of some of the metrics, with their ropes, in the order given.

        See Also
        --------
        bayescmp.frequentist.learned_measures

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.bayesian import groups
        >>> x = np.random.default_rng(1).normal([0.7, 0.8], 0.01, size=(3, 10, 2))
        >>> x[2] += 0.05
        >>> posterior = groups(x, ["tpr", "auc"], rho=0.1, rope=0.01, seed=1)
        >>> posterior.select("auc").metrics
        ('auc',)
        """
        wanted = [metrics] if isinstance(metrics, str) else list(metrics)
        if not wanted:
            raise InputError(f"metrics is empty; known: {', '.join(map(repr, self.metrics))}")
        ropes = dict(zip(self.metrics, self.ropes(), strict=True))
        columns = [self._metric(m) for m in wanted]
        chosen = [ropes[m] for m in wanted]
        return self.transform(np.eye(self.p)[columns], metrics=wanted, rope=chosen)

    def learned(self, k: int | None = None, *, rope: RopesLike = 0.0) -> Self:
        """Posterior on learned measures: the combinations that separate the algorithms most.

        Eigenvectors of E⁻¹H as `bayescmp.frequentist.learned_measures` finds them, for
        standardised metrics, each with its sign chosen so that its weights sum to at least zero:
        on the whole, more of it is better. They were learned from the same scores, so verdicts on
        them are somewhat overconfident of a difference.

        Parameters
        ----------
        k : int, optional
            How many; all if not given.
        rope : float, sequence or mapping
            Their regions of practical equivalence, in standard deviations within algorithms.

        Raises
        ------
        InputError
            If k is under 1, or more than there are.

        See Also
        --------
        bayescmp.frequentist.learned_measures

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.bayesian import groups
        >>> x = np.random.default_rng(1).normal([0.7, 0.8], 0.01, size=(3, 10, 2))
        >>> x[2] += 0.05
        >>> posterior = groups(x, ["tpr", "auc"], rho=0.1, rope=0.01, seed=1)
        >>> posterior.learned(1, rope=0.5).ranking().index[0]
        'A3'
        """
        measures = self._measures()
        count = len(measures) if k is None else checks.whole("k", k)
        if count > len(measures):
            raise InputError(f"k={k!r}; accepted: at most {len(measures)}, there are no more")
        weights = measures[:count]
        names = [f"M{j + 1}" for j in range(len(weights))]
        formulas = [
            f"{m} = {_sum_of(w, self.metrics)}" for m, w in zip(names, weights, strict=True)
        ]
        note = "learned from the same scores: verdicts on them are too sure of a difference"
        learned = self.transform(weights, metrics=names, rope=rope)
        return replace(learned, notes=(*self.notes, *formulas, note))

    def _measures(self) -> np.ndarray:
        """Learned measures as rows, of unit standard deviation within algorithms."""
        from bayescmp.frequentist.groups.manova import learned_measures

        blocks = Blocks(
            self.x,
            rho=self.rho,
            algorithms=self.algorithms,
            metrics=self.metrics,
            lower_is_better=[False] * self.p,
        )
        measures = learned_measures(blocks, block=True, rho=self.rho)
        within, w = self.within, measures.weights
        w = w / np.sqrt(np.einsum("is,ij,js->s", w, within, w))
        standardised = w * np.sqrt(np.diag(within))[:, None]
        return np.asarray((w * np.where(standardised.sum(axis=0) < 0, -1.0, 1.0)).T)

    def _metric(self, name: str) -> int:
        if name not in self.metrics:
            raise unknown_name("metric", name, self.metrics)
        return self.metrics.index(name)


def _sum_of(weights: np.ndarray, metrics: Sequence[str]) -> str:
    """A weighted sum in words."""
    return " ".join(f"{w:+.3g}·{m}" for w, m in zip(weights, metrics, strict=True))
