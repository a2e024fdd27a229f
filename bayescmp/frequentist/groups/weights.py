"""Weights of metrics in a learned measure: their length and sign, and how they are written."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["normalised", "written"]


def normalised(vectors: np.ndarray) -> np.ndarray:
    """Columns of length one, the largest element positive (the first, of equally large ones)."""
    length = np.linalg.norm(vectors, axis=0)
    unit = vectors / np.where(length > 0, length, 1.0)
    size = np.abs(unit)
    if not size.size:
        return unit
    first = np.argmax(size >= size.max(axis=0) * (1 - 1e-9), axis=0)
    sign = np.where(np.take_along_axis(unit, first[None], axis=0)[0] < 0, -1.0, 1.0)
    return np.asarray(unit * sign)


def written(weights: np.ndarray, metrics: Sequence[str], digits: int) -> str:
    """A weighted sum as text, without the metrics of weight 0.

    Parameters
    ----------
    weights : ndarray of shape (p,)
    metrics : sequence of str
    digits : int
        Decimals; significant digits of a weight that would round to 0.
    """
    terms = [
        ("−" if w < 0 else "+", f"{_decimal(abs(w), digits)}·{m}")
        for m, w in zip(metrics, weights, strict=True)
        if w != 0
    ]
    if not terms:
        return "0"
    first = ("−" if terms[0][0] == "−" else "") + terms[0][1]
    return " ".join([first, *(f"{sign} {text}" for sign, text in terms[1:])])


def _decimal(weight: float, digits: int) -> str:
    text = f"{weight:.{digits}f}"
    return text if float(text) else f"{weight:.{max(digits, 1)}g}"
