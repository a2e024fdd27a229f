"""Draws of the cells of confusion matrices, and of metrics of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayescmp.bayesian.confusion.chosen import CountMetric
from bayescmp.errors import InputError

__all__ = ["compared", "drawn_cells", "joint_prior"]

CHAINS = 4


def drawn_cells(counts: np.ndarray, prior: np.ndarray, draws: int, seed: int) -> np.ndarray:
    """Draws of expected (tp, fn, fp, tn) of both algorithms, shape (2, chain, draw, 4)."""
    rng = np.random.default_rng(seed)
    size = (CHAINS, -(-draws // CHAINS))
    if counts.ndim == 3:
        weights = joint_prior(prior)
        theta = rng.dirichlet((counts + weights).ravel(), size).reshape(*size, 2, 2, 2)
        tables = theta.sum(axis=-1), theta.sum(axis=-2)  # (..., truth, prediction)
        order = [(1, 1), (1, 0), (0, 1), (0, 0)]
        parts = [np.stack([t[..., i, j] for i, j in order], axis=-1) for t in tables]
        return np.stack(parts) * max(counts.sum(), 1.0)
    drawn = [rng.dirichlet(c + prior, size) * max(c.sum(), 1.0) for c in counts]
    return np.stack(drawn)


def joint_prior(prior: np.ndarray) -> np.ndarray:
    """Weights of the eight cells (truth, first, second), alike for the two algorithms.

    Within a class the weights of right and wrong multiply, as if the two were independent, so that
    the table of each algorithm has the four weights of the prior, whichever is named first.

    Parameters
    ----------
    prior : ndarray of shape (4,)
        Weights of tp, fn, fp, tn.

    Returns
    -------
    ndarray of shape (2, 2, 2)
    """
    tp, fn, fp, tn = prior
    by_class = np.array([[tn, fp], [fn, tp]])  # truth, prediction
    outer = by_class[:, :, None] * by_class[:, None, :]
    return np.asarray(outer / by_class.sum(axis=1)[:, None, None])


def compared(cells: np.ndarray, chosen: Sequence[CountMetric]) -> dict[str, np.ndarray]:
    """Draws of the metrics of both, and of their differences."""
    columns = []
    for m in chosen:
        values = np.asarray(m.function(*np.moveaxis(cells, -1, 0)), dtype=float)
        if values.shape != cells.shape[:-1]:
            raise InputError(
                f"metric {m.name!r} gives shape {values.shape} for counts of shape "
                f"{cells.shape[:-1]}; accepted: a function of arrays tp, fn, fp, tn, element by "
                "element"
            )
        if not np.all(np.isfinite(values)):
            raise InputError(
                f"metric {m.name!r} is 0/0 or infinite in {int((~np.isfinite(values)).sum())} "
                "draws; give another metric, or a prior with more weight in every cell"
            )
        columns.append(values)
    both = np.stack(columns, axis=-1)
    signs = np.array([m.direction.sign for m in chosen])
    return {"first": both[0], "second": both[1], "delta": (both[1] - both[0]) * signs}
