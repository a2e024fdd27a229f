"""Outlines of the smallest regions of a plane that hold a share of some draws."""

from __future__ import annotations

import numpy as np

__all__ = ["CONTOURS", "WIDTHS", "outlines"]

#: Probability within the contours, and how thick they are drawn.
CONTOURS, WIDTHS = (0.5, 0.95), (1.5, 0.9)
#: Cells a side of the histogram that contours come from; width of the kernel that smooths it.
CELLS, SMOOTH = 70, 2.5


def outlines(draws: np.ndarray, prob: float) -> list[np.ndarray]:
    """Outline of the densest cells of a smoothed histogram that hold this share of the draws.

    Parameters
    ----------
    draws : ndarray of shape (D, 2)
    prob : float
        Between 0 and 1.

    Returns
    -------
    list of ndarray of shape (n, 2)
        Lines, one a piece.
    """
    from contourpy import contour_generator
    from scipy.ndimage import gaussian_filter

    low, high = np.quantile(draws, [0.0005, 0.9995], axis=0)
    room = 0.1 * np.maximum(high - low, 1e-12)
    edges = np.linspace(low - room, high + room, CELLS + 1).T
    counts, *_ = np.histogram2d(draws[:, 0], draws[:, 1], bins=list(edges))
    smooth = gaussian_filter(counts, SMOOTH)
    densest = np.argsort(-smooth, axis=None, kind="stable")
    held = np.cumsum(counts.ravel()[densest])
    level = smooth.ravel()[densest[np.searchsorted(held, prob * held[-1])]]
    middles = [(e[1:] + e[:-1]) / 2 for e in edges]
    lines = contour_generator(x=middles[0], y=middles[1], z=smooth.T).lines(level)
    return [np.asarray(line) for line in lines]
