"""Every pair's difference on a data set that was seen, from draws of the true effects there."""

from __future__ import annotations

import numpy as np

__all__ = ["on_one_dataset"]

#: Batches of each chain, whose means tell how precise a probability is.
BATCHES = 10


def on_one_dataset(d: np.ndarray, rope: float) -> dict[str, np.ndarray]:
    """Means, intervals and probabilities of differences.

    Parameters
    ----------
    d : ndarray of shape (chain, draw, P)
        Draws of P differences.
    rope : float
        Half-width; its ends belong to it.

    Returns
    -------
    dict of str to ndarray of shape (P,)
        mean, low, high (of the central 95 %), then ``p_`` and ``se_`` of left, rope and right.
    """
    low, high = np.quantile(d, [0.025, 0.975], axis=(0, 1))
    sides = {"left": d < -rope, "rope": np.abs(d) <= rope, "right": d > rope}
    columns = {"mean": d.mean(axis=(0, 1)), "low": low, "high": high}
    columns |= {f"p_{side}": inside.mean(axis=(0, 1)) for side, inside in sides.items()}
    return columns | {f"se_{side}": _batch_errors(inside) for side, inside in sides.items()}


def _batch_errors(inside: np.ndarray) -> np.ndarray:
    """Standard errors of shares by the means of batches of neighbouring draws, none of them 0."""
    means = [part.mean(axis=1) for part in np.array_split(inside, BATCHES, axis=1)]
    batches = np.concatenate(means)
    draws = inside.shape[0] * inside.shape[1]
    error = batches.std(axis=0, ddof=1) / np.sqrt(len(batches))
    return np.asarray(np.maximum(error, 0.5 / draws**1.5))
