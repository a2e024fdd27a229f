"""All pairs of algorithms by Hotelling's test, after MANOVA."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.blocks import Blocks
from bayescmp.frequentist.groups.hotelling_result import PairwiseHotelling
from bayescmp.frequentist.multivariate.distances import (
    chance,
    hotelling_f,
    paired_distances,
    squared_distances,
)
from bayescmp.frequentist.multivariate.samples import Design, as_design
from bayescmp.frequentist.pairs.adjust import adjust as adjust_p
from bayescmp.frequentist.pairs.adjust import canonical
from bayescmp.frequentist.pairs.places import index_of, pairs_of

__all__ = ["pairwise_hotelling", "pairwise_of"]


def pairwise_hotelling(
    x: ArrayLike | Blocks,
    *,
    block: bool = True,
    pooled: bool = False,
    rho: float | None = None,
    adjust: str = "bonferroni",
    control: str | int | None = None,
    names: Iterable[str] | None = None,
    metrics: Iterable[str] | None = None,
) -> PairwiseHotelling:
    """Hotelling's test of every pair of algorithms, after MANOVA.

    Parameters
    ----------
    x : array_like of shape (L, n, p), or Blocks
        Scores: algorithms, folds, metrics. Without blocks also L arrays (n_i, p).
    block : bool
        Whether folds are the same for all: the paired test, else that of two samples. (The thesis
        uses two samples after a blocked MANOVA, which wastes the pairing.)
    pooled : bool
        Whether all algorithms share one covariance, that of MANOVA's error with its degrees of
        freedom, rather than each pair having its own.
    rho : float, optional
        As for `hotelling_paired` and `manova`.
    adjust : str
        One of the procedures of `adjust`.
    control : str or int, optional
        Compare with this algorithm only.
    names, metrics : iterable of str, optional
        As for `manova`.

    Returns
    -------
    PairwiseHotelling

    Raises
    ------
    InputError
        As for `manova`; unknown adjustment or control.

    See Also
    --------
    manova : Whether any differ.
    bayescmp.bayesian.groups : The Bayesian twin.

    References
    ----------
    Yıldız & Alpaydın, sec. 2.2 and 3.5 (paired, Holm); Aslan 2009, eq. 4.82-4.84 (two samples,
    Bonferroni).

    Examples
    --------
    Simulated scores of three algorithms in eight folds; the third is better in both metrics:

    >>> import numpy as np
    >>> from bayescmp.frequentist import pairwise_hotelling
    >>> x = np.random.default_rng(0).normal(size=(3, 8, 2))
    >>> x[2] += [2, 2]
    >>> print(pairwise_hotelling(x, names=["a", "b", "c"], metrics=["tpr", "tnr"]))
    Hotelling tests, paired on tpr ↑, tnr ↑, all pairs, adjusted by bonferroni, n = 8
      a → b  T² =    1.374  p = 0.584     adjusted p = 1
      a → c  T² =    63.56  p = 0.000976  adjusted p = 0.00293
      b → c  T² =    37.56  p = 0.00388   adjusted p = 0.0116
      cliques at 0.05: {(a, b), c}
    """
    design = as_design(
        x, block=block, rho=rho, names=names, metrics=metrics, test="pairwise_hotelling"
    )
    return pairwise_of(design, pooled=pooled, adjust=adjust, control=control)


def pairwise_of(
    design: Design,
    *,
    pooled: bool = False,
    adjust: str = "bonferroni",
    control: str | int | None = None,
) -> PairwiseHotelling:
    """The pairwise tests of scores that were checked; see `pairwise_hotelling`."""
    method = canonical(adjust)
    at = None if control is None else index_of(control, design.names)
    pairs = pairs_of(len(design.samples), at)
    means = design.means
    test = _pooled if pooled else _paired if design.block else _two_sample
    t2, rank, freedom, factor = test(design, pairs)
    f, below, p = hotelling_f(t2, rank, freedom)
    return PairwiseHotelling(
        method=_title(design, pooled),
        adjust=method,
        names=design.names,
        metrics=design.metrics,
        pairs=pairs,
        difference=(means[pairs[:, 1]] - means[pairs[:, 0]]) * design.signs,
        distance=np.sqrt(t2 * factor),
        statistic=t2,
        f=f,
        df1=rank.astype(float),
        df2=np.asarray(below, dtype=float),
        rank=rank,
        pvalue=p,
        adjusted=adjust_p(p, method),
        means=means,
        signs=design.signs,
        control=None if at is None else design.names[at],
        n=int(design.sizes.max()),
        design=design,
        notes=_notes(t2, rank, len(design.metrics), float(np.min(freedom))),
    ).of(design)


# -- the three designs: T², rank, degrees of freedom of the covariance, variance factor ----------

_Tests = tuple[np.ndarray, np.ndarray, float | np.ndarray, float | np.ndarray]


def _paired(design: Design, pairs: np.ndarray) -> _Tests:
    """Each pair's differences have a covariance of their own."""
    squared, rank = paired_distances(design.x, pairs, design.metrics)
    n = int(design.sizes[0])
    factor = 1 / n + _overlap(design)
    return squared / factor, rank, n - 1, factor


def _two_sample(design: Design, pairs: np.ndarray) -> _Tests:
    """Each pair of samples has a pooled covariance of its own."""
    centred = [sample - sample.mean(axis=0) for sample in design.samples]
    freedom = design.sizes[pairs].sum(axis=1) - 2
    squared, rank = np.empty(len(pairs)), np.empty(len(pairs), dtype=int)
    for value in np.unique(freedom):  # samples of one size, as a rule, go all at once
        some = np.flatnonzero(freedom == value)
        residuals = np.array([np.concatenate([centred[i], centred[j]]) for i, j in pairs[some]])
        difference = _differences(design, pairs[some])[:, None, :]
        distances, ranks = squared_distances(
            residuals, difference, design.largest, int(value), design.metrics
        )
        squared[some], rank[some] = distances[:, 0], ranks
    factor = _mean_factor(design, pairs)
    return squared / factor, rank, freedom, factor


def _pooled(design: Design, pairs: np.ndarray) -> _Tests:
    """All pairs share the error covariance of the MANOVA."""
    residuals, _, freedom = design.decompose()
    squared, rank = squared_distances(
        residuals, _differences(design, pairs), design.largest, freedom, design.metrics
    )
    factor = _mean_factor(design, pairs)
    return squared / factor, np.full(len(pairs), rank), freedom, factor


def _differences(design: Design, pairs: np.ndarray) -> np.ndarray:
    means = design.means
    return np.asarray(means[pairs[:, 1]] - means[pairs[:, 0]])


def _mean_factor(design: Design, pairs: np.ndarray) -> np.ndarray:
    """Variance of a difference of two means relative to the covariance within."""
    return np.asarray((1 / design.sizes[pairs]).sum(axis=1) + 2 * _overlap(design))


def _overlap(design: Design) -> float:
    return design.rho / (1 - design.rho)


def _title(design: Design, pooled: bool) -> str:
    rho = design.rho
    kind = "Hotelling tests, " + ("paired" if design.block else "two-sample")
    return (
        kind
        + (", pooled covariance" if pooled else "")
        + (f", corrected for rho = {rho:.4g}" if rho else "")
    )


def _notes(t2: np.ndarray, rank: np.ndarray, p: int, freedom: float) -> tuple[str, ...]:
    notes = []
    if np.any(rank < p):
        low, high = int(rank.min()), int(rank.max())
        used = f"{low}" if low == high else f"{low} to {high}"
        notes.append(f"some metrics are dependent or don't vary: rank {used} of {p} used")
    if np.isinf(t2).any():
        same = "an infinite T²: the pair differs by the same amount in every fold"
        notes.append(same + chance(freedom))
    return tuple(notes)
