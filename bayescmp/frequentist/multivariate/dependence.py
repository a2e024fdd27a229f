"""Which metrics are constant or linearly dependent, and what a result says of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayescmp.whitening import Whitening, describe, listed

__all__ = ["Dependence"]


@dataclass(frozen=True)
class Dependence:
    """Metrics that add nothing to the error.

    Attributes
    ----------
    metrics : tuple of str
        All of them.
    constant : tuple of str
        Those that do not vary.
    dependent : tuple of str
        Linear combinations of the metrics named before them.
    rank : int
        Dimension of the subspace in which the rest varies.
    """

    metrics: tuple[str, ...]
    constant: tuple[str, ...]
    dependent: tuple[str, ...]
    rank: int

    @classmethod
    def of(cls, residuals: np.ndarray, space: Whitening, metrics: tuple[str, ...]) -> Dependence:
        """From residuals of shape (N, p) and their whitening."""
        return cls(metrics, *describe(residuals, space, metrics), int(space.rank))

    @property
    def notes(self) -> tuple[str, ...]:
        """One sentence for the constant metrics and one for the dependent ones."""
        notes = []
        if self.constant:
            verb = "does" if len(self.constant) == 1 else "do"
            notes.append(f"{listed(self.constant)} {verb} not vary")
        if self.dependent:
            verb = "is" if len(self.dependent) == 1 else "are each"
            left_out = {*self.constant, *self.dependent}
            kept = [m for m in self.metrics if m not in left_out]
            notes.append(f"{listed(self.dependent)} {verb} a linear combination of {listed(kept)}")
        return tuple(notes)

    @property
    def notes_with_rank(self) -> tuple[str, ...]:
        """The same, and the subspace that a test is confined to."""
        if not self.notes:
            return ()
        where = f"tested in the subspace of rank {self.rank} of {len(self.metrics)} metrics"
        return (*self.notes, where)
