"""Scores of several algorithms on the same folds, as the posteriors of their effects need them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bayescmp.bayesian.groups.levels import NoiseLevels
from bayescmp.bayesian.multivariate.subspace import Steps, Subspace
from bayescmp.blocks import Blocks
from bayescmp.steps import ROUNDING, smallest_step
from bayescmp.text import counted
from bayescmp.verdict import Ropes

if TYPE_CHECKING:
    from bayescmp.typing import Json

__all__ = ["GroupsData", "errors_of"]

#: Data set of `Blocks` to which no name was given.
UNNAMED = "data"
#: What to say of a metric without errors.
STILL = "{metric} has no error left once fold effects are removed"


@dataclass(frozen=True, eq=False)
class GroupsData:
    """Scores, the subspace in which their errors vary, and what all posteriors have of them.

    Attributes
    ----------
    x : ndarray of shape (L, n, p)
        Scores, higher the better.
    rho : float
        Correlation of two folds' errors.
    names : tuple of str
        The algorithms.
    declared : ndarray of shape (p,)
        Resolutions as given; NaN where not.
    space : Subspace
        In which the errors vary.
    common : dict
        Attributes of every posterior.
    """

    x: np.ndarray
    rho: float
    names: tuple[str, ...]
    declared: np.ndarray
    space: Subspace
    common: Json

    @classmethod
    def of(cls, blocks: Blocks, ropes: Ropes, declared: np.ndarray) -> GroupsData:
        """The data of blocks.

        Raises
        ------
        InputError
            If there are more metrics than degrees of freedom.
        """
        x = blocks.oriented
        seen = np.array([smallest_step(x[..., j]) for j in range(blocks.p)])
        space = Subspace.of(
            errors_of(x),
            np.abs(x).max(axis=(0, 1)),
            blocks.metrics,
            Steps.of(declared, seen, ropes),
            freedom=(blocks.L - 1) * (blocks.n - 1),
            have=f"{blocks.L} algorithms on {counted(blocks.n, 'fold')}",
        )
        common = {
            "names": blocks.algorithms,
            "metrics": blocks.metrics,
            "x": x,
            "rho": blocks.rho,
            "rope": ropes,
            "metric": ", ".join(blocks.metrics),
            "directions": blocks.directions,
            "resampling": blocks.rho_sentence,
            "left_out": blocks.left_out,
            "dataset": "" if blocks.dataset == UNNAMED else blocks.dataset,
        }
        return cls(x, blocks.rho, blocks.algorithms, declared, space, common)

    def warn(self) -> None:
        """Warn the user if the resolution of a metric without any error is not known."""
        self.space.warn_if_borrowed(STILL)

    @property
    def inflation(self) -> float:
        """The factor c = 1/n + rho/(1 − rho) of the variance of a mean over folds."""
        return 1 / self.x.shape[1] + self.rho / (1 - self.rho)

    @property
    def location(self) -> np.ndarray:
        """Effects as observed, shape (L, p)."""
        means = self.x.mean(axis=1)
        return np.asarray(means - means.mean(axis=0))

    @property
    def roundings(self) -> float:
        """Errors of rounding in the scatter: a difference of two then has n·h²/12."""
        L, n, _ = self.x.shape
        return (L - 1) * n / 2

    @property
    def root(self) -> np.ndarray:
        """B of shape (p, r) with BBᵀ the scatter of the errors."""
        return self.space.root(self.roundings)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader should know of dependent metrics and of those without errors."""
        return self.space.notes(STILL)

    # -- a noise level for each ----------------------------------------------------------------

    def levels(self, seed: int) -> NoiseLevels | None:
        """The posterior of the algorithms' noise levels; None where nothing distinguishes them."""
        L, n, _ = self.x.shape
        if L < 3 or not self.space.space.rank:
            return None
        errors = (self.space.residuals @ self.space.whitener).reshape(L, n, -1)
        scatter = np.einsum("ija,kjb->ikab", errors, errors)
        each = np.arange(L)
        scatter[each, each] += self._rounding
        return NoiseLevels(scatter, n, seed)

    @cached_property
    def _alike(self) -> np.ndarray:
        """Whether an algorithm differs from another by the same amount in every fold: (L, p)."""
        limit = ROUNDING * np.abs(self.x).max(axis=(0, 1))
        alike = np.zeros((len(self.x), self.x.shape[2]), dtype=bool)
        for i in range(len(self.x)):
            for k in range(i):
                same = np.ptp(self.x[i] - self.x[k], axis=0) <= limit
                alike[i] |= same
                alike[k] |= same
        alike[:, self.space.still] = False
        return alike

    @property
    def _rounding(self) -> np.ndarray:
        """Scatter of rounding of algorithms that are alike, in whitened coordinates: (L, k, k)."""
        variance = self._alike * self.space.steps.size**2 * self.x.shape[1] / 24
        M = self.space.whitener
        return np.einsum("ja,ij,jb->iab", M, variance, M)

    @property
    def lifted(self) -> tuple[str, ...]:
        """What to say of algorithms that are alike."""
        return tuple(
            f"{metric} of {' and '.join(np.array(self.names)[self._alike[:, j]])} differs by the "
            f"same amount in every fold: spread from its resolution, h = {h:.3g}"
            for j, (metric, h) in enumerate(
                zip(self.space.metrics, self.space.steps.size, strict=True)
            )
            if self._alike[:, j].any()
        )

    def errors(self, levels: NoiseLevels, shares: np.ndarray) -> np.ndarray:
        """E(π) in all r coordinates, those of rounding last: (..., r, r)."""
        varying = levels.errors(shares)
        k, still = varying.shape[-1], len(self.space.still)
        whole = np.zeros((*shares.shape[:-1], k + still, k + still))
        whole[..., :k, :k] = varying
        own = (1 - np.sum(shares**2, axis=-1)) / (shares.shape[-1] - 1)
        at = np.arange(k, k + still)
        whole[..., at, at] = own[..., None]
        return whole

    def against_equal(self, seed: int) -> tuple[str, ...]:
        """What to say where one covariance is taken for all, and a check rejects it."""
        levels = self.levels(seed)
        if levels is None or levels.check.allows:
            return ()
        return (
            f"one covariance for all algorithms, though a check rejects it "
            f"({levels.check}); variances='own' with normal noise has one for each",
        )


def errors_of(x: np.ndarray) -> np.ndarray:
    """Deviations from algorithms' and folds' means, x_ij − x̄_i − x̄_j + x̄, shape (L·n, p)."""
    deviation = x - x.mean(axis=1, keepdims=True)
    return np.asarray((deviation - deviation.mean(axis=0)).reshape(-1, x.shape[-1]))
