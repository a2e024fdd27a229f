"""The diagnostic: the posterior at draws of the grid, recomputed by another quadrature."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bayescmp.engines.quadrature.grid import Grid
from bayescmp.engines.quadrature.likelihood import row_log_likelihoods
from bayescmp.engines.quadrature.problem import FloatArray, Standard

__all__ = ["LIMIT", "Certificate", "certify", "drawn"]

LIMIT = 0.1
_ROW_DRAWS = 4_000  # 74 draws of 54 rows
_STEP, _NATS = 0.6, 16.0  # of the quadrature: an error of 3e-4 is enough
_GROUPS = 4  # of draws: those with a small sigma0 take more nodes

IntArray = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Certificate:
    """How far the grid's log posterior is from an independent one.

    Attributes
    ----------
    sd_log_ratio : float
        Standard deviation, over draws of the grid, of the log ratio of the two.
    n : int
        Number of draws.
    passed : bool
        Whether that is below 0.1. It cannot see mass outside the grid's box.
    """

    sd_log_ratio: float
    n: int
    passed: bool


def certify(standard: Standard, grid: Grid, seed: int = 0) -> Certificate:
    """Compare the interpolated log-likelihood with the two-centre quadrature.

    About 150 cells are drawn with their posterior masses, fewer (at least 32) for more than 26
    rows: the cost stays a small part of the fit's.
    """
    count = int(np.clip(_ROW_DRAWS // standard.q, 32, 150))
    rng = np.random.default_rng(seed)
    level = (np.arange(count) + rng.random(count)) / count  # stratified
    d, s, n = drawn(grid, level)
    difference = -grid.log_likelihood[d, s, n]
    for group in np.array_split(np.argsort(s, kind="stable"), _GROUPS):
        at = grid.delta0[d[group]], grid.sigma0[s[group]], grid.nu[n[group]]
        difference[group] += row_log_likelihoods(standard, *at, _STEP, _NATS).sum(1)
    sd = float(np.std(difference))
    return Certificate(sd, count, bool(sd < LIMIT))


def drawn(grid: Grid, level: FloatArray) -> tuple[IntArray, IntArray, IntArray]:
    """Cells in which the masses, cumulated in their order, reach these shares of the whole."""
    cumulated = np.cumsum(grid.mass_both.ravel())
    target = level * cumulated[-1]
    both = np.minimum(np.searchsorted(cumulated, target), cumulated.size - 1)
    d, s = np.divmod(both, len(grid.sigma0))
    along_nu = np.cumsum(grid.mass[d, s], axis=1)
    rest = target - (cumulated[both] - grid.mass_both[d, s])
    n = np.minimum((along_nu < rest[:, None]).sum(1), len(grid.nu) - 1)
    return d, s, n
