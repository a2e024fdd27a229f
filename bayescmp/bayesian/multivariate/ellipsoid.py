"""The region of highest density of a multivariate t: an ellipsoid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayescmp.errors import InputError

__all__ = ["Ellipsoid"]


@dataclass(frozen=True, eq=False)
class Ellipsoid:
    """Region of highest density, of a given probability.

    Attributes
    ----------
    prob : float
        Its probability.
    centre : ndarray of shape (p,)
        Its middle.
    axes : ndarray of shape (r, p)
        Semi-axes, the longest first; r < p where metrics depend on each other.
    """

    prob: float
    centre: np.ndarray
    axes: np.ndarray

    def outline(self, points: int = 361) -> np.ndarray:
        """Points of the boundary in a plane, shape (points, 2); a segment where r = 1.

        Raises
        ------
        InputError
            If there are not two metrics.

        See Also
        --------
        bayescmp.frequentist.hotelling_paired

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.bayesian import multivariate_t
        >>> x = np.array([[0.03, 0.01], [0.02, 0.03], [0.04, 0.02], [0.03, 0.03], [0.05, 0.02]])
        >>> posterior = multivariate_t(x, rho=0.2, rope=0.01, metrics=["tpr", "auc"], seed=1)
        >>> posterior.ellipsoid(0.9).outline().shape
        (361, 2)
        """
        if len(self.centre) != 2:
            raise InputError(
                f"the ellipsoid has {len(self.centre)} metrics; an outline needs two: choose them "
                "with posterior.select(metrics)"
            )
        angle = np.linspace(0, 2 * np.pi, points)
        around = np.stack([np.cos(angle), np.sin(angle)], axis=1)[:, : len(self.axes)]
        return np.asarray(self.centre + around @ self.axes)
