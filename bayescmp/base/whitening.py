"""Whitening by the scatter of the errors, in the subspace where they vary; no matrix is inverted.

The scatter of the residuals R is E = RᵀR, singular if metrics are linearly dependent. With R
scaled to columns of length one, R·diag(s)⁻¹ = UΣVᵀ, the map A = diag(s)⁻¹·V·Σ⁻¹ over the nonzero
singular values has AᵀEA = I, and yᵀE⁻y = |Aᵀy|² for every y in the subspace. Scaling first makes
the rank free of the metrics' units.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayescmp.base.arguments import must
from bayescmp.base.magnitudes import check_size
from bayescmp.errors import InputError
from bayescmp.wording.text import format_count, join_items

#: A metric whose residuals are this small, relative to the metric, does not vary.
CONSTANT = 1e-10

#: Singular values of the scaled residuals up to here are zero, unless rounding is coarser.
SINGULAR = 1e-8

#: The rounding error of a difference of scores, relative to the scores.
ROUNDING = 8 * np.finfo(float).eps


@dataclass(frozen=True, eq=False)
class Whitening:
    """The subspace in which residuals vary, and the map that makes them spherical there.

    All arrays may have leading dimensions, one subspace each.

    Attributes
    ----------
    map, basis : ndarray of shape (..., p, k)
        A, and an orthonormal basis in scaled coordinates, zero beyond the rank; k = min(residuals,
        p).
    rank : ndarray of int, shape (...)
    scale : ndarray of shape (..., p)
        Lengths of the residuals' columns; if these don't vary, the metric's own size.
    constant : ndarray of bool, shape (..., p)
        Metrics whose residuals don't vary.
    tolerance : ndarray of shape (...)
        Scaled coordinates up to here are rounding.
    """

    map: np.ndarray
    rank: np.ndarray
    basis: np.ndarray
    scale: np.ndarray
    constant: np.ndarray
    tolerance: np.ndarray

    def coordinates(self, y: np.ndarray) -> np.ndarray:
        """Whiten effects y of shape (..., m, p); the coordinates are (..., m, k)."""
        return np.asarray(y @ self.map)

    def project_outside(self, y: np.ndarray) -> np.ndarray:
        """Return the (scaled) part of effects y, (..., m, p), in which no error varies."""
        scaled = y / self.scale[..., None, :]
        rest = scaled - (scaled @ self.basis) @ np.swapaxes(self.basis, -1, -2)
        size = np.maximum(1.0, np.linalg.norm(scaled, axis=-1, keepdims=True))
        limit = np.where(self.constant[..., None, :], CONSTANT, self.tolerance[..., None, None])
        return np.where(np.abs(rest) > limit * size, rest, 0.0)


def whiten(residuals: np.ndarray, largest: np.ndarray) -> Whitening:
    """Find the subspace of residuals (..., N, p) by an SVD; `largest`, (..., p), are sizes."""
    for metric in np.moveaxis(residuals, -1, 0):
        check_size(metric, "the deviations from the means")
    largest = np.broadcast_to(largest, (*residuals.shape[:-2], residuals.shape[-1]))
    root = np.sqrt(residuals.shape[-2])
    length = np.sqrt(np.sum(residuals**2, axis=-2))
    constant = length <= CONSTANT * root * largest
    scale = np.where(constant, np.where(largest > 0, largest, 1.0), length)
    scaled = np.where(constant[..., None, :], 0.0, residuals / scale[..., None, :])
    _, singular, vt = np.linalg.svd(scaled, full_matrices=False)
    coarse = np.where(constant, 0.0, ROUNDING * root * largest / scale).max(axis=-1)
    tolerance = np.maximum(SINGULAR, coarse)
    kept = singular > tolerance[..., None]
    basis = np.swapaxes(vt, -1, -2) * kept[..., None, :]
    inverse = np.divide(1.0, singular, out=np.zeros_like(singular), where=kept)
    return Whitening(
        map=basis * inverse[..., None, :] / scale[..., :, None],
        rank=kept.sum(axis=-1),
        basis=basis,
        scale=scale,
        constant=constant,
        tolerance=tolerance,
    )


def describe(
    residuals: np.ndarray, space: Whitening, metrics: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Name metrics without error of residuals (N, p): constant ones, then linear combinations."""
    constant = tuple(m for m, quiet in zip(metrics, space.constant, strict=True) if quiet)
    if space.rank == np.sum(~space.constant):  # fewer columns only have larger singular values
        return constant, ()
    scaled = np.where(space.constant, 0.0, residuals / space.scale)
    kept: list[int] = []
    dependent = []
    for k in np.flatnonzero(~space.constant).tolist():
        singular = np.linalg.svd(scaled[:, [*kept, k]], compute_uv=False)
        if np.sum(singular > space.tolerance) > len(kept):
            kept.append(k)
        else:
            dependent.append(metrics[k])
    return constant, tuple(dependent)


def few_folds(x: np.ndarray, freedom: int, metrics: Sequence[str], have: str) -> InputError:
    """Make the error for more metrics than degrees of freedom; `have` is the available amount."""
    from scipy import linalg  # which takes time to import, and only a refusal needs it

    p = x.shape[1]
    centred = x - x.mean(axis=0)
    length = np.linalg.norm(centred, axis=0)
    order = linalg.qr(centred / np.where(length > 0, length, 1.0), mode="r", pivoting=True)[1]
    excess = max(p - freedom, 1)
    drop = [metrics[column] for column in sorted(order[p - excess :])]
    return must(
        "x",
        f"have at most {format_count(freedom, 'metric')}, as many as the degrees of freedom of "
        "the error",
        f"{p} metrics and {have}",
        f"Drop {excess} of {quote_names(metrics)} (most nearly determined by the others: "
        f"{quote_names(drop)}), or give more folds.",
    )


def quote_names(names: Sequence[str]) -> str:
    """Join names as text: ``'a', 'b' and 'c'``."""
    return join_items([repr(name) for name in names])
