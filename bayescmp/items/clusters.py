"""Items that belong together: sums over clusters, and what each adds to the mean."""

from __future__ import annotations

import numpy as np

__all__ = ["contributions", "totals"]


def totals(x: np.ndarray, cluster: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Sum of the numbers in each cluster, and how many they are.

    Parameters
    ----------
    x : ndarray of shape (n,)
    cluster : ndarray of int, shape (n,), or None
        None where each is a cluster of its own.

    Returns
    -------
    sums, sizes : ndarray of shape (K,)

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp.items.clusters import totals
    >>> [part.tolist() for part in totals(np.array([1.0, 0.0, 1.0]), np.array([7, 7, 3]))]
    [[1.0, 1.0], [1.0, 2.0]]
    """
    if cluster is None:
        return x, np.ones(len(x))
    codes = np.unique(cluster, return_inverse=True)[1]
    return np.bincount(codes, weights=x), np.bincount(codes).astype(float)


def contributions(x: np.ndarray, cluster: np.ndarray | None) -> np.ndarray:
    """One value per cluster, of which the mean is that of all items.

    The mean of n items in K clusters is a ratio of sums, Σ S_k / Σ n_k. Its linear approximation
    is the mean of y_k = m + (S_k − m·n_k)·K/n, so that the variance of y over K is the clustered
    variance of m (Miller 2024, eq. 4, with K/(K − 1)). Clusters of one item each are the items.

    Parameters
    ----------
    x : ndarray of shape (n, L)
        A column for each model, or of differences.
    cluster : ndarray of int, shape (n,), or None
        None where each item is a cluster of its own.

    Returns
    -------
    ndarray of shape (K, L)

    References
    ----------
    Miller (2024), Adding error bars to evals, arXiv:2411.00640; Cochran (1977), Sampling
    techniques, section 9A (ratio estimates of clusters of unequal size).

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp.items.clusters import contributions
    >>> contributions(np.array([[1.0], [0.0], [1.0]]), np.array([7, 7, 3])).ravel().round(3)
    array([0.889, 0.444])
    """
    if cluster is None:
        return x
    codes, sizes = np.unique(cluster, return_inverse=True, return_counts=True)[1:]
    if len(sizes) == len(x):
        return x
    mean = x.mean(axis=0)
    sums = np.column_stack([np.bincount(codes, weights=column) for column in x.T])
    return np.asarray(mean + (sums - mean * sizes[:, None]) * (len(sizes) / len(x)))
