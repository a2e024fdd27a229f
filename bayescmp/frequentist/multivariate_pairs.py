"""All pairs of algorithms by Hotelling's test, after MANOVA."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayescmp.base import checks
from bayescmp.base.declare import declare, flag, share
from bayescmp.frequentist.comparisons import ComparedPairs, PosthocResult, index_of, pairs_of
from bayescmp.frequentist.groups import pairwise_t, tukey
from bayescmp.frequentist.multiplicity import adjust as adjust_p
from bayescmp.frequentist.multiplicity import canonical
from bayescmp.frequentist.multivariate_samples import (
    Design,
    as_design,
    chance,
    hotelling_f,
    paired_distances,
    squared_distances,
)
from bayescmp.frequentist.results import corrected_for
from bayescmp.results.ladder import bracketed, underlined
from bayescmp.scores.blocks import Blocks
from bayescmp.scores.metrics import head_table, list_metrics
from bayescmp.wording.markup import Exhibit
from bayescmp.wording.text import counted


# Result of Hotelling's tests of pairs, with cliques of those not found different.
@dataclass(frozen=True, eq=False, kw_only=True)
class PairwiseHotelling(ComparedPairs):
    """Hotelling's tests of pairs of algorithms, with raw and adjusted p-values.

    Attributes
    ----------
    method, adjust : str
    names, metrics : tuple of str
    pairs : ndarray of int, shape (m, 2)
        First and second algorithm of each comparison.
    difference : ndarray of shape (m, p)
        Second minus first, with the sign flipped for metrics of which lower values are better.
    distance : ndarray of shape (m,)
        Mahalanobis distance of the means, √(d̄ᵀS⁻¹d̄).
    statistic : ndarray of shape (m,)
        T².
    f, df1, df2 : ndarrays of shape (m,)
    rank : ndarray of int, shape (m,)
        Dimension of the space in which the metrics of each pair vary.
    pvalue, adjusted : ndarray of shape (m,)
    means : ndarray of shape (L, p)
        In each metric's own direction.
    signs : ndarray of shape (p,)
        -1 for metrics of which lower values are better.
    control : str or None
    n : int
    design : Design
        The scores.
    notes : tuple of str
    directions, resampling, left_out
        Where the numbers come from; see `Described`.
    """

    columns: ClassVar[dict[str, str]] = {
        "distance": "distance",
        "statistic": "statistic",
        "F": "f",
        "df1": "df1",
        "df2": "df2",
        "rank": "rank",
    }

    metrics: tuple[str, ...]
    distance: np.ndarray
    f: np.ndarray
    df1: np.ndarray
    df2: np.ndarray
    rank: np.ndarray
    means: np.ndarray
    signs: np.ndarray
    design: Design = field(repr=False)

    @property
    def on_measured(self) -> str:
        """For a heading: the metrics, with their directions where these are known."""
        return f" on {list_metrics(self.metrics, self.directions)}"

    @cached_property
    def differences(self) -> pd.DataFrame:
        """Mean differences, one row a comparison and one column per metric."""
        labels = self.frame[["first", "second"]]
        values = pd.DataFrame(self.difference, columns=list(self.metrics))
        return head_table(pd.concat([labels, values], axis=1), self.measured)

    def bracketed(self, alpha: float = 0.05) -> str:
        """The cliques as text, ``{c4.5, (lda, rf), qda, knn}``; singles stand alone.

        Examples
        --------
        Simulated scores of three algorithms in eight folds; the third is better in both metrics:

        >>> import numpy as np
        >>> from bayescmp.frequentist import pairwise_hotelling
        >>> x = np.random.default_rng(0).normal(size=(3, 8, 2))
        >>> x[2] += [2, 2]
        >>> result = pairwise_hotelling(x, names=["a", "b", "c"], metrics=["tpr", "tnr"])
        >>> result.bracketed()
        '{(a, b), c}'
        """
        return bracketed(self.names, self._groups(alpha))

    def underline(self, metric: str | None = None, alpha: float = 0.05, *, digits: int = 3) -> str:
        """Algorithms ordered by one metric, best first, multivariate cliques underlined.

        Parameters
        ----------
        metric : str, optional
            The first if not given.
        alpha : float
            Family-wise level.
        digits : int
            Decimals of the means.

        Returns
        -------
        str
            Cliques need not be neighbours in any one metric: a line has gaps.
        """
        at = self._metric(metric)
        order = np.argsort(-self.signs[at] * self.means[:, at], kind="stable")
        place = np.argsort(order)
        groups = [tuple(sorted(int(place[i]) for i in g)) for g in self._groups(alpha)]
        digits = checks.whole("digits", digits, 0)
        means = np.round(self.means[order, at], digits) + 0.0  # no "-0.000"
        values = [f"{mean:.{digits}f}" for mean in means]
        return underlined([self.names[i] for i in order], values, groups)

    def univariate(self, metric: str, *, adjust: str = "holm") -> PosthocResult:
        """Post-hoc comparison on one metric alone: its ordering, and where differences are.

        Parameters
        ----------
        metric : str
        adjust : str
            For the paired t tests; without blocks it is Tukey's test, which needs none.
        """
        at = self._metric(metric)
        rows = [sample[:, at] for sample in self.design.samples]
        options: dict[str, Any] = {
            "rho": self.design.rho,
            "lower_is_better": bool(self.signs[at] < 0),
            "names": self.names,
        }
        if self.design.block:
            pairs = pairwise_t(rows, adjust=adjust, control=self.control, **options)
        else:
            pairs = tukey(rows, block=False, **options)
        known = self.described()
        known["directions"] = self.directions[at : at + 1]
        return replace(pairs, **known)

    def to_dict(self, alpha: float = 0.05) -> dict[str, object]:
        """The result as plain numbers and text, for JSON; alpha is the cliques'."""
        return {
            "method": self.method,
            "adjust": self.adjust,
            "control": self.control,
            "metrics": list(self.metrics),
            "n": self.n,
            "comparisons": self._records(),
            "cliques": [list(c) for c in self.cliques(alpha)],
            "notes": list(self.notes),
            **self.origin(),
        }

    @declare(alpha=share)
    def text(self, alpha: float = 0.05) -> str:
        """The result in words, with the cliques at level alpha."""
        return self._exhibit(alpha).text()

    def _exhibit(self, alpha: float = 0.05) -> Exhibit:
        facts = {f"cliques at {alpha:g}": self.bracketed(alpha)}
        bold = {"adjusted": list(self.different(alpha))}
        names = ("first", "second")
        apart, pairs = int(self.different(alpha).sum()), counted(len(self.pvalue), "pair")
        return Exhibit(
            f"{apart or 'none'} of {pairs} differ{'s' * (apart < 2)} at {alpha:g}",
            self.frame,
            self.all_notes,
            "pairs",
            bold,
            heads={"first": "A", "second": "B"},
            facts=facts,
            setting=self._title,
            names=names,
        )

    def _paper(self) -> Exhibit:
        return replace(self._exhibit(), title=self._title, setting="", heads={})

    def _metric(self, metric: str | None) -> int:
        if metric is None:
            return 0
        checks.choice("metric", metric, self.metrics)
        return self.metrics.index(metric)


@declare(pooled=flag)
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
    2 of 3 pairs differ at 0.05
    Hotelling tests, paired on tpr ↑, tnr ↑, all pairs, adjusted by Bonferroni, n =
    8
    <BLANKLINE>
    cliques at 0.05: {(a, b), c}
    <BLANKLINE>
    A  B  distance  statistic       F  df1  df2  rank   pvalue  adjusted
    a  b    0.4145      1.374  0.5889    2    6     2     0.58      1.00
    a  c     2.819      63.56   27.24    2    6     2  0.00098    0.0029
    b  c     2.167      37.56    16.1    2    6     2   0.0039     0.012
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
    title = "Hotelling tests, " + ("paired" if design.block else "two-sample")
    title += ", pooled covariance" if pooled else ""
    return PairwiseHotelling(
        method=title + corrected_for(design.rho),
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
    factor = 1 / n + design.rho / (1 - design.rho)
    return squared / factor, rank, n - 1, factor


def _two_sample(design: Design, pairs: np.ndarray) -> _Tests:
    """Each pair pools its two covariances."""
    means = design.means
    centred = [sample - sample.mean(axis=0) for sample in design.samples]
    freedom = design.sizes[pairs].sum(axis=1) - 2
    squared, rank = np.empty(len(pairs)), np.empty(len(pairs), dtype=int)
    for value in np.unique(freedom):  # samples of one size, as a rule, go all at once
        some = np.flatnonzero(freedom == value)
        residuals = np.array([np.concatenate([centred[i], centred[j]]) for i, j in pairs[some]])
        difference = (means[pairs[some, 1]] - means[pairs[some, 0]])[:, None, :]
        distances, rank[some] = squared_distances(
            residuals, difference, design.largest, int(value), design.metrics
        )
        squared[some] = distances[:, 0]
    factor = _mean_factor(design, pairs)
    return squared / factor, rank, freedom, factor


def _pooled(design: Design, pairs: np.ndarray) -> _Tests:
    """All pairs share the covariance of MANOVA's error."""
    residuals, _, freedom = design.decompose()
    difference = design.means[pairs[:, 1]] - design.means[pairs[:, 0]]
    squared, rank = squared_distances(
        residuals, difference, design.largest, freedom, design.metrics
    )
    factor = _mean_factor(design, pairs)
    return squared / factor, np.full(len(pairs), rank), freedom, factor


def _mean_factor(design: Design, pairs: np.ndarray) -> np.ndarray:
    """Return the variance of a difference of two means, in units of that of one fold."""
    overlap = design.rho / (1 - design.rho)
    return np.asarray((1 / design.sizes[pairs]).sum(axis=1) + 2 * overlap)


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
