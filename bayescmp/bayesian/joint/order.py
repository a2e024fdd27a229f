"""An order of algorithms and data sets that their scores decide, not the table they came in.

A sampler given the same numbers in another order draws others. It is given them in this order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bayescmp.bayesian.joint.table import FoldTable
from bayescmp.ordering import places_by

__all__ = ["Order", "in_order", "order_of"]


@dataclass(frozen=True, eq=False)
class Order:
    """Where each algorithm and each data set of the ordered table stood.

    Attributes
    ----------
    algorithms, datasets : ndarray of int, shape (L,), (q,)
    """

    algorithms: np.ndarray
    datasets: np.ndarray

    def restored(self, draws: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Draws of mu, Sigma0, nu and u with algorithms and data sets where they stood."""
        a, d = np.argsort(self.algorithms), np.argsort(self.datasets)
        restored = {
            "mu": draws["mu"][..., a],
            "Sigma0": draws["Sigma0"][..., a[:, None], a],
            "u": draws["u"][..., d[:, None], a],
        }
        # In the memory's own order sums are the same to the last bit after saving and loading.
        return draws | {name: np.ascontiguousarray(x) for name, x in restored.items()}


def order_of(means: np.ndarray, n: np.ndarray, rho: np.ndarray) -> Order:
    """Algorithms by their mean lead, and data sets by their leads.

    Parameters
    ----------
    means : ndarray of shape (q, L)
        Mean scores, up to a constant of each data set; NaN where an algorithm was not run.
    n, rho : ndarray of shape (q,)
        Folds, and their correlation.
    """
    leads = means - np.nanmean(means, axis=1, keepdims=True)
    leads /= np.nanmax(np.abs(leads), initial=0.0) or 1.0
    keys = [np.nanmean(leads, axis=0), np.nanmedian(leads, axis=0), np.nanmin(leads, axis=0)]
    algorithms = places_by(*keys)
    datasets = places_by(*np.nan_to_num(leads[:, algorithms].T, nan=2.0), n, rho)
    return Order(algorithms, datasets)


def in_order(table: FoldTable) -> tuple[FoldTable, Order]:
    """The table with algorithms by their mean lead, and data sets by their leads.

    Parameters
    ----------
    table : FoldTable

    Returns
    -------
    FoldTable, Order
    """
    order = order_of(table.means, table.n, table.rho)
    algorithms, datasets = order.algorithms, order.datasets
    ordered = replace(
        table,
        x=table.x[datasets][..., algorithms],
        rho=table.rho[datasets],
        algorithms=tuple(table.algorithms[k] for k in algorithms),
        datasets=tuple(table.datasets[i] for i in datasets),
    )
    return ordered, order
