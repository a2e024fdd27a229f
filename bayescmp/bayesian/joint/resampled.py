"""Draws of the true mean scores on each data set, from its own folds alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import stdtrit

from bayescmp.bayesian.joint.table import FoldTable
from bayescmp.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["TrueMeans"]


@dataclass(frozen=True, eq=False)
class TrueMeans:
    """Posterior of the mean scores on each data set given its folds.

    With X the centred folds of a data set, its contrasts are multivariate t with n − 1 degrees of
    freedom around those of the means, with scale matrix (1/n + rho/(1 − rho)) XᵀX / (n − 1): the
    posterior of the correlated t test for every pair. Xᵀg with a standard normal g has the
    covariance XᵀX, also with fewer folds than algorithms.

    Attributes
    ----------
    table : FoldTable
    roots : ndarray of shape (q, r, L)
        r vectors on each data set whose outer products sum to (1/n + rho/(1 − rho)) XᵀX.
    df : ndarray of shape (q,)
        Degrees of freedom, n − 1.
    """

    table: FoldTable
    roots: np.ndarray
    df: np.ndarray

    @classmethod
    def of(cls, table: FoldTable) -> TrueMeans:
        """From a table of folds or means."""
        r = max(min(int(table.n.max()) - 1, table.L), 0)
        roots = np.zeros((table.q, r, table.L))
        for i, c in enumerate(table.inflation()):
            X = table.centred(i)
            root = X if len(X) <= r else np.asarray(np.linalg.qr(X, mode="r"))
            if len(root) > r:  # n folds about their mean span n − 1 dimensions
                root = _compressed(root, r)
            roots[i, : len(root)] = np.sqrt(c) * root
        return cls(table, roots, table.n - 1.0)

    @property
    def fixed(self) -> bool:
        """Whether all draws are the means themselves: no folds, and no runs missing."""
        return not self.roots.any() and bool(self.table.seen.all())

    def drawn(self, size: int, rng: np.random.Generator) -> np.ndarray:
        """So many draws of all data sets, shape (size, q, L), or (1, q, L) if they are fixed."""
        means = np.where(self.table.seen, self.table.means, 0.0)
        if self.fixed:
            return means[None]
        u = np.broadcast_to(means, (size, *means.shape)).copy()
        if self.roots.any():
            g = rng.standard_normal((size, *self.roots.shape[:2]))
            g /= np.sqrt(rng.chisquare(np.maximum(self.df, 1.0), (size, len(self.df))))[..., None]
            u += np.matmul(g.swapaxes(0, 1), self.roots).swapaxes(0, 1)
        if not self.table.seen.all():
            self._fill(u, rng)
        return u

    def _fill(self, u: np.ndarray, rng: np.random.Generator) -> None:
        """Put the leads that algorithms have on other data sets where they were not run."""
        seen = self.table.seen
        shared = seen.astype(int) @ seen.T.astype(int)
        draw = np.arange(len(u))
        for i in np.flatnonzero(~seen.all(axis=1)):
            for k in np.flatnonzero(~seen[i]):
                donors = np.flatnonzero(seen[:, k] & (shared[i] > 0))
                if not len(donors):
                    raise InputError(
                        f"algorithm {self.table.algorithms[k]!r} was never run together with any "
                        f"of those run on data set {self.table.datasets[i]!r}; leave out the data "
                        "set, or complete its runs"
                    )
                donor = donors[rng.integers(len(donors), size=len(u))]
                both = seen[donor] & seen[i]
                count = both.sum(axis=1)
                there = (u[draw, donor] * both).sum(axis=1) / count
                here = (u[:, i] * both).sum(axis=1) / count
                u[:, i, k] = here + u[draw, donor, k] - there

    def leads(self) -> pd.DataFrame:
        """Leads over the mean of the algorithms run on a data set, with 95 % intervals."""
        import pandas as pd

        rows = []
        for i, dataset in enumerate(self.table.datasets):
            seen = np.flatnonzero(self.table.seen[i])
            means, root = self.table.means[i, seen], self.roots[i][:, seen]
            lead = means - means.mean()
            root = root - root.mean(axis=1, keepdims=True)
            df = max(self.df[i], 1.0)
            half = stdtrit(df, 0.975) * np.sqrt((root**2).sum(axis=0) / df)
            rows += [
                (dataset, self.table.algorithms[k], x, x - h, x + h)
                for k, x, h in zip(seen, lead, half, strict=True)
            ]
        columns = ["dataset", "algorithm", "lead", "low", "high"]
        return pd.DataFrame(rows, columns=columns).set_index(columns[:2])


def _compressed(root: np.ndarray, size: int) -> np.ndarray:
    """The same sum of outer products from fewer vectors, where its rank is no higher."""
    _, values, axes = np.linalg.svd(root, full_matrices=False)
    return np.asarray(values[:size, None] * axes[:size])
