"""Several algorithms, several metrics: MANOVA, one-way and with folds as blocks."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.blocks import Blocks
from bayescmp.frequentist.groups.manova_result import ManovaResult
from bayescmp.frequentist.groups.measures import LearnedMeasures
from bayescmp.frequentist.groups.roots import four_tests
from bayescmp.frequentist.multivariate.dependence import Dependence
from bayescmp.frequentist.multivariate.samples import Design, as_design
from bayescmp.text import counted
from bayescmp.whitening import Whitening, few_folds, whiten

__all__ = ["learned_measures", "manova"]

#: Singular values of the effects below it, beside the largest, are rounding.
ROUNDING = 1e-12


def manova(
    x: ArrayLike | Blocks,
    *,
    block: bool = True,
    rho: float | None = None,
    names: Iterable[str] | None = None,
    metrics: Iterable[str] | None = None,
) -> ManovaResult:
    """Multivariate analysis of variance of L algorithms on one data set.

    Parameters
    ----------
    x : array_like of shape (L, n, p), or Blocks
        Scores: algorithms, folds, metrics. Without blocks also L arrays (n_i, p).
    block : bool
        Whether folds are blocks, the same for all algorithms, as in `anova`; their effect is then
        taken out of the error, W = T - B - BL, which has (L-1)(n-1) degrees of freedom instead of
        L(n-1).
    rho : float, optional
        Correlation between folds that comes from their overlapping training sets; if not given
        that of the Blocks, 0 for plain numbers. 0 is the textbook test. Otherwise H is divided by
        n·c = 1 + nρ/(1-ρ), which is the ratio of H's mean under the null hypothesis to ν_h/ν_e
        times E's, and leaves both Wishart with one scale: the test is as exact as without rho.
        `anova` does the same for one metric.
    names : iterable of str, optional
        The algorithms; of Blocks those to be compared.
    metrics : iterable of str, optional
        The metrics; of Blocks those to be used.

    Returns
    -------
    ManovaResult
        Linearly dependent metrics (tp, fn, fp and tn with blocks) are tested in the subspace in
        which they vary, of dimension ``rank``, and a note names them. Where algorithms differ in
        a direction that has no error, the largest eigenvalue is infinite and p is 0.

    Raises
    ------
    InputError
        More metrics than degrees of freedom of the error, which names what to drop; fewer than
        2 algorithms or folds, unbalanced blocks, missing or infinite scores, rho outside [0, 1).

    See Also
    --------
    pairwise_hotelling : Which pairs differ.
    learned_measures : In which combination of the metrics.
    bayescmp.bayesian.groups : The Bayesian twin.

    References
    ----------
    Rencher 2002, ch. 6; Yıldız & Alpaydın, eq. 3; Aslan 2009, eq. 4.62-4.88; for rho Nadeau &
    Bengio 2003.

    Examples
    --------
    Simulated scores of three algorithms in eight folds; the third is better in both metrics:

    >>> import numpy as np
    >>> from bayescmp.frequentist import manova
    >>> x = np.random.default_rng(0).normal(size=(3, 8, 2))
    >>> x[2] += [2, 2]
    >>> result = manova(x, names=["a", "b", "c"], metrics=["tpr", "tnr"])
    >>> print(result.table[["statistic", "F"]].round(4))  # doctest: +NORMALIZE_WHITESPACE
    tpr ↑, tnr ↑      statistic        F
    test
    Wilks                0.1579   9.8603
    Pillai               0.8479   5.1522
    Hotelling-Lawley     5.2984  15.8952
    Roy                  5.2915  37.0403
    >>> result.dimension()
    1
    """
    design = as_design(x, block=block, rho=rho, names=names, metrics=metrics, test="manova")
    residuals, effects, freedom = design.decompose()
    space = whiten(residuals, design.largest)
    outside = space.outside(effects)
    free = np.linalg.matrix_rank(outside) if np.any(outside != 0) else 0
    if free and int(space.rank) + free > freedom:
        folds = f"{counted(len(design.samples[0]), 'fold')} of {len(design.samples)} algorithms"
        raise few_folds(residuals, freedom, design.metrics, folds)
    hypothesis = len(design.samples) - 1
    inflation = 1 + int(design.sizes.max()) * design.rho / (1 - design.rho)
    rank = int(space.rank) + int(free)
    roots, vectors = _roots(space, effects, outside, int(free), min(rank, hypothesis))
    dependence = Dependence.of(residuals, space, design.metrics)
    notes = dependence.notes_with_rank
    if free:
        infinite = "algorithms differ in a direction without error: its eigenvalue is infinite"
        notes = (*dependence.notes, infinite)  # not in the errors' subspace alone
    return ManovaResult(
        method=_title(design),
        H=effects.T @ effects,
        E=residuals.T @ residuals,
        df=(hypothesis, freedom),
        rank=rank,
        eigenvalues=roots / inflation,
        vectors=vectors * np.sqrt(freedom),
        tests=four_tests(roots / inflation, rank, hypothesis, freedom),
        means=design.means,
        names=design.names,
        metrics=design.metrics,
        n=int(design.sizes.max()),
        design=design,
        inflation=inflation,
        constant=dependence.constant,
        dependent=dependence.dependent,
        notes=notes,
    ).of(design)


def learned_measures(
    x: ArrayLike | Blocks,
    *,
    block: bool = True,
    rho: float | None = None,
    names: Iterable[str] | None = None,
    metrics: Iterable[str] | None = None,
) -> LearnedMeasures:
    """Measures that separate the algorithms best, learned from any metrics or the raw counts.

    Parameters
    ----------
    x, block, rho, names, metrics
        As for `manova`. With tp, fn, fp, tn as metrics the measures are learned from the
        confusion matrices themselves.

    Returns
    -------
    LearnedMeasures

    Raises
    ------
    InputError
        As for `manova`.

    See Also
    --------
    manova : The test that goes with them.

    References
    ----------
    Yıldız & Alpaydın, sec. 3.6; Rencher 2002, sec. 8.4 (discriminant functions).

    Examples
    --------
    The third of three simulated algorithms trades the second metric for the first:

    >>> import numpy as np
    >>> from bayescmp.frequentist import learned_measures
    >>> x = np.random.default_rng(0).normal(size=(3, 8, 2))
    >>> x[2] += [2, -2]
    >>> print(learned_measures(x, metrics=["tpr", "tnr"]))
    Learned measures on tpr ↑, tnr ↑
      M1 = 0.71·tpr − 0.70·tnr   (λ = 5.364, 99.3 %)
      M2 = 0.44·tpr + 0.90·tnr   (λ = 0.03628, 0.7 %)
    """
    return manova(x, block=block, rho=rho, names=names, metrics=metrics).measures


# -- helpers -----------------------------------------------------------------------------------


def _roots(
    space: Whitening, effects: np.ndarray, outside: np.ndarray, free: int, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues of E⁻¹H, descending, and eigenvectors of length one in E.

    Directions without error come first, with infinite eigenvalues.
    """
    _, singular, vt = np.linalg.svd(space.coordinates(effects), full_matrices=False)
    width = max(count - free, 0)
    roots = np.zeros(count)
    vectors = np.zeros((effects.shape[1], count))
    finite = np.where(singular > ROUNDING * singular.max(initial=0), singular, 0.0)[:width] ** 2
    roots[free : free + len(finite)] = finite
    vectors[:, free : free + len(finite)] = space.map @ vt[: len(finite)].T
    if free:
        first = np.linalg.svd(outside, full_matrices=False)[2][:free]
        roots[:free] = np.inf
        vectors[:, :free] = (first / space.scale).T[:, :count]
    return roots, vectors


def _title(design: Design) -> str:
    layout = "folds as blocks" if design.block else "one-way"
    corrected = f", corrected for rho = {design.rho:.4g}" if design.rho else ""
    return f"MANOVA, {layout}{corrected}"
