"""Maps that correlate metrics."""

from __future__ import annotations

import numpy as np


def mixing(rng: np.random.Generator, p: int) -> np.ndarray:
    """A random (p, p) map of determinant one: of any seed it is far from singular."""
    return np.eye(p) + np.tril(rng.normal(size=(p, p)), -1)
