"""Draws of numbers in one dimension from the points of a random lattice."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

#: Points of a lattice, their distance in the middle, and the range of its logarithm.
POINTS, STEP, RANGE = 32, 0.2, 1.5
#: Places of a lattice's points.
PLACES = np.arange(POINTS, dtype=float)

#: A log density at numbers whose last axis runs along a lattice.
LogDensity = Callable[[np.ndarray], np.ndarray]


def pick(
    rng: np.random.Generator, log_f: LogDensity, at: np.ndarray, scale: np.ndarray | float = 1.0
) -> np.ndarray:
    """Draw from a density on a random lattice through each number, of distances times `scale`."""
    step = STEP * scale * np.exp(rng.uniform(-RANGE, RANGE, at.shape))
    own = (POINTS * rng.random(at.shape)).astype(int)
    x = PLACES - own[..., None]
    x *= step[..., None]
    x += at[..., None]
    # the largest sum with a Gumbel variable has the probability of its density
    wait = rng.standard_exponential(x.shape)
    chosen = (log_f(x) - np.log(wait, out=wait)).argmax(axis=-1)
    return np.asarray(at + step * (chosen - own))
