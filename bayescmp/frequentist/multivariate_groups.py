"""Several algorithms, several metrics: MANOVA, one-way or in blocks, and learned measures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import special, stats

from bayescmp.base.arguments import must, must_be
from bayescmp.base.checks import check_level, count, flag, is_number, read_numbers, validate_params
from bayescmp.base.records import Record
from bayescmp.base.typing import as_facts
from bayescmp.base.whitening import Whitening, few_folds, whiten
from bayescmp.frequentist.groups import tukey
from bayescmp.frequentist.multivariate import PairwiseHotelling, pairwise_of
from bayescmp.frequentist.multivariate_samples import Dependence, MultivariateDesign, as_design
from bayescmp.frequentist.results import DescribedResult, PosthocResult, TestResult, corrected_for
from bayescmp.frequentist.variance import AnovaTable, anova
from bayescmp.present.forms import Summarised, as_text
from bayescmp.present.summary import Cells, Column, Explanation, Summary, summarise
from bayescmp.scores.blocks import Blocks
from bayescmp.scores.metrics import head_table, list_metrics
from bayescmp.wording.markup import named_rows
from bayescmp.wording.references import cite_test, state_method
from bayescmp.wording.text import format_count, format_number, state_pvalue


# The four statistics of MANOVA from the roots of E⁻¹H, and their null distributions.
@dataclass(frozen=True)
class RootTest:
    """One of the four tests of a multivariate analysis of variance.

    `pvalue` is of F, `f` with degrees of freedom `df`, as R and SAS print it. `kind` is "exact",
    "approximate", "bound" (the true p-value is at least ``pvalue``), or "undefined" (too few
    degrees of freedom; NaN). `refined` is the p-value that controls the error rate: exact for
    Roy's root, by Rao's F for Wilks' Λ, from two moments for Pillai's trace, by McKeon's F for
    Hotelling-Lawley.
    """

    name: str
    statistic: float
    f: float
    df: tuple[float, float]
    pvalue: float
    kind: str
    refined: float


def four_tests(roots: np.ndarray, p: int, hypothesis: int, error: int) -> tuple[RootTest, ...]:
    """Return the tests of Wilks, Pillai, Hotelling-Lawley and Roy.

    Rao 1951 (Wilks); Pillai 1954; Pillai & Samson 1959 (Hotelling-Lawley); Roy 1953 and the bound
    of his F, as in R's ``summary.manova``. Refined: Muller 1998, Journal of Computational and
    Graphical Statistics 7 (Pillai); McKeon 1974, Biometrika 61 (Hotelling-Lawley); Chiani 2016
    (Roy).
    """
    if len(roots) == 0:
        names = ("Wilks", "Pillai", "Hotelling-Lawley", "Roy")
        nothing = (0.0, (0.0, float(error)), 1.0, "exact", 1.0)
        return tuple(RootTest(n, float(n == "Wilks"), *nothing) for n in names)
    return (
        _wilks(roots, p, hypothesis, error),
        _pillai(roots, p, hypothesis, error),
        _hotelling_lawley(roots, p, hypothesis, error),
        _roy(roots, p, hypothesis, error),
    )


def largest_root_sf(root: float, p: int, hypothesis: int, error: int) -> float:
    """Return the exact P(λ₁ >= root) under the null hypothesis.

    The joint density of θ = λ/(1+λ) is C·∏θ^m(1-θ)^k·∏(θ_i - θ_j), s = min(p, ν_h) roots, m =
    (|p-ν_h|-1)/2, k = (ν_e-p-1)/2. Its integral below x is C times the Pfaffian of the matrix of
    the double integrals of sign(u - v)·u^(m+i-1)·v^(m+j-1)·(1-u)^k·(1-v)^k, with one row of single
    integrals if s is odd. Absolute error: about 1e-13 for up to four roots, under 1e-6 for ten.
    Chiani 2016, Journal of Multivariate Analysis 143, theorem 2 and algorithm 1.
    """
    if root <= 0:
        return 1.0
    if np.isinf(root):
        return 0.0
    s, x = min(p, hypothesis), root / (1 + root)
    m, k = (abs(p - hypothesis) - 1) / 2, (error - p - 1) / 2
    shape = m + np.arange(1, s + 1)
    pfaffian = np.sqrt(max(np.linalg.det(_double_integrals(shape, k + 1, x)), 0.0))
    i = np.arange(1, s + 1)
    constant = s / 2 * np.log(np.pi) + np.sum(
        special.gammaln((i + 2 * m + 2 * k + s + 2) / 2)
        - special.gammaln(i / 2)
        - special.gammaln((i + 2 * m + 1) / 2)
        - special.gammaln((i + 2 * k + 1) / 2)
    )
    below = np.exp(constant + np.sum(special.betaln(shape, k + 1))) * pfaffian
    return float(np.clip(1 - below, 0.0, 1.0))


# The four statistics and their p-values.


def _double_integrals(shape: np.ndarray, b: float, x: float) -> np.ndarray:
    """Return the skew-symmetric ∫∫ sign(u - v) f_i(u) f_j(v), f_i the Beta(shape_i, b) density.

    With the distribution functions it is 2∫f_i F_j - F_i(x)F_j(x); F_(j+1) is F_j minus
    t^a(1-t)^b/(a·B(a, b)), a = shape_j, so each follows from the one before, the first being ∫f_i
    F_i = F_i(x)²/2.
    """
    s = len(shape)
    single = special.betainc(shape, b, x)
    log_beta = special.betaln(shape, b)
    size = s + s % 2
    matrix = np.zeros((size, size))
    for i in range(s):
        integral = single[i] ** 2 / 2
        for j in range(i, s - 1):
            total = shape[i] + shape[j]
            step = special.betaln(total, 2 * b) - log_beta[i] - log_beta[j]
            integral -= np.exp(step) / shape[j] * special.betainc(total, 2 * b, x)
            matrix[i, j + 1] = 2 * integral - single[i] * single[j + 1]
    if s % 2:
        matrix[:s, s] = single
    return matrix - matrix.T


def _wilks(roots: np.ndarray, p: int, hypothesis: int, error: int) -> RootTest:
    log_wilks = -float(np.sum(np.log1p(roots)))
    square = p**2 + hypothesis**2 - 5
    t = np.sqrt((p**2 * hypothesis**2 - 4) / square) if square > 0 else 1.0
    above = p * hypothesis
    below = (error - (p - hypothesis + 1) / 2) * t - (above - 2) / 2
    f = float(np.expm1(-log_wilks / t)) * below / above
    exact = min(p, hypothesis) <= 2
    return _test("Wilks", float(np.exp(log_wilks)), f, above, below, exact, None)


def _pillai(roots: np.ndarray, p: int, hypothesis: int, error: int) -> RootTest:
    s, free = min(p, hypothesis), error - p
    with np.errstate(invalid="ignore"):
        shares = np.where(np.isinf(roots), 1.0, roots / (1 + roots))
    trace = float(np.sum(shares))
    left = 0.0 if np.isinf(roots[0]) else s - trace
    f = (free + s) / max(p, hypothesis) * trace / left if left > 0 else np.inf
    refined = 0.0 if np.isinf(f) else _pillai_sf(trace, p, hypothesis, error)
    return _test("Pillai", trace, f, p * hypothesis, s * (free + s), s == 1, refined)


def _pillai_sf(trace: float, p: int, hypothesis: int, error: int) -> float:
    """Return the upper tail of Pillai's trace over s as a beta variable with its two moments."""
    s, total = min(p, hypothesis), hypothesis + error
    mean = p * hypothesis / (total * s)
    variance = 2 * p * hypothesis * error * (total - p) / (total**2 * (total - 1) * (total + 2))
    size = mean * (1 - mean) / (variance / s**2) - 1
    left = max(1 - trace / s, 0.0)
    return float(special.betainc((1 - mean) * size, mean * size, left))


def _hotelling_lawley(roots: np.ndarray, p: int, hypothesis: int, error: int) -> RootTest:
    s, above, trace = min(p, hypothesis), float(p * hypothesis), float(np.sum(roots))
    below = s * (error - p - 1.0) + 2
    if below <= 0:  # ν_e = p: the trace has no mean, so that no F can be fitted to it
        nan = float("nan")
        return RootTest("Hotelling-Lawley", trace, nan, (above, below), nan, "undefined", nan)
    f = below * trace / (s * above)
    refined = _mckeon_sf(trace, p, hypothesis, error)
    return _test("Hotelling-Lawley", trace, f, above, below, s == 1, refined)


def _mckeon_sf(trace: float, p: int, hypothesis: int, error: int) -> float | None:
    """Return the upper tail of the Hotelling-Lawley trace by McKeon's F; None if undefined."""
    if error <= p + 3:
        return None
    above = p * hypothesis
    ratio = (error + hypothesis - p - 1) * (error - 1) / ((error - p - 3) * (error - p))
    below = 4 + (above + 2) / (ratio - 1)
    scale = above * (below - 2) / (below * (error - p - 1))
    return float(stats.f.sf(trace / scale, above, below))


def _roy(roots: np.ndarray, p: int, hypothesis: int, error: int) -> RootTest:
    above = max(p, hypothesis)
    below = error - above + hypothesis
    f = float(roots[0]) * below / above
    bound = float(stats.f.sf(f, above, below))
    alone = min(p, hypothesis) == 1
    exact = bound if alone else max(bound, largest_root_sf(roots[0], p, hypothesis, error))
    kind = "exact" if alone else "bound"
    return RootTest("Roy", float(roots[0]), f, (float(above), float(below)), bound, kind, exact)


def _test(
    name: str,
    statistic: float,
    f: float,
    above: float,
    below: float,
    exact: bool,
    refined: float | None,
) -> RootTest:
    p = float(stats.f.sf(f, above, below))
    kind = "exact" if exact else "approximate"
    better = p if exact or refined is None else refined
    return RootTest(name, statistic, float(f), (float(above), float(below)), p, kind, better)


# Result of a multivariate analysis of variance.
@dataclass(frozen=True, eq=False, repr=False)
class ManovaResult(Summarised, DescribedResult):
    """Result of MANOVA: L algorithms, p metrics.

    Attributes
    ----------
    method : str
    H, E : ndarray of shape (p, p)
        Sums of squares and products between algorithms, and of the error, without the blocks'.
    df : (int, int)
        Degrees of freedom ν_h = L - 1 of H and ν_e of E.
    rank : int
        Dimension of the space in which the metrics vary: p, unless some are dependent.
    eigenvalues : ndarray of shape (s,)
        Of E⁻¹H in that space, divided by ``inflation``, descending; s = min(rank, ν_h).
    vectors : ndarray of shape (p, s)
        Eigenvectors a, of variance aᵀEa/ν_e = 1 within algorithms.
    tests : tuple of RootTest
        Wilks, Pillai, Hotelling-Lawley, Roy.
    means : ndarray of shape (L, p)
        In each metric's own direction.
    names, metrics : tuple of str
    n : int
        Folds of an algorithm (the largest number, if they differ).
    design : Design
        The scores.
    inflation : float
        n(1/n + ρ/(1-ρ)), by which overlapping folds make H larger; 1 for independent ones.
    constant, dependent : tuple of str
        Metrics whose errors do not vary, and linear combinations of the ones before.
    notes : tuple of str
    directions, resampling, left_out
        See `DescribedResult`.
    """

    method: str
    H: np.ndarray
    E: np.ndarray
    df: tuple[int, int]
    rank: int
    eigenvalues: np.ndarray
    vectors: np.ndarray
    tests: tuple[RootTest, ...]
    means: np.ndarray
    names: tuple[str, ...]
    metrics: tuple[str, ...]
    n: int
    design: MultivariateDesign = field(repr=False)
    inflation: float = 1.0
    constant: tuple[str, ...] = ()
    dependent: tuple[str, ...] = ()

    @property
    def block(self) -> bool:
        """Whether folds are blocks."""
        return self.design.block

    @property
    def rho(self) -> float:
        """Correlation of folds that the tests are corrected for."""
        return self.design.rho

    @property
    def wilks(self) -> RootTest:
        """Wilks' Λ = ∏ 1/(1+λ)."""
        return self.tests[0]

    @property
    def pillai(self) -> RootTest:
        """Pillai's trace Σ λ/(1+λ)."""
        return self.tests[1]

    @property
    def hotelling_lawley(self) -> RootTest:
        """Hotelling and Lawley's trace Σ λ."""
        return self.tests[2]

    @property
    def roy(self) -> RootTest:
        """Roy's largest root λ₁; the p-value of its F is a lower bound, ``refined`` is exact."""
        return self.tests[3]

    @property
    def statistic(self) -> float:
        """Wilks' Λ."""
        return self.wilks.statistic

    @property
    def pvalue(self) -> float:
        """P-value of Wilks' Λ by Rao's F."""
        return self.wilks.pvalue

    @property
    def bartlett(self) -> TestResult:
        """Bartlett's χ² of Wilks' Λ: -(ν_e - (p - ν_h + 1)/2)·log Λ, with p·ν_h d.o.f."""
        row = self.dimensionality().iloc[0]
        return TestResult(
            method="Bartlett's χ² of Wilks' Λ",
            statistic=float(row["statistic"]),
            pvalue=float(row["pvalue"]),
            df=float(row["df"]),
            names=self.names,
            n=self.n,
            symbol="χ²",
            notes=("approximate",),
        ).of(self)

    @cached_property
    def table(self) -> pd.DataFrame:
        """The four tests, one row each: statistic, F, df1, df2, pvalue, kind, refined."""
        rows = [
            (t.statistic, t.f, t.df[0], t.df[1], t.pvalue, t.kind, t.refined) for t in self.tests
        ]
        columns = ["statistic", "F", "df1", "df2", "pvalue", "kind", "refined"]
        index = pd.Index([test.name for test in self.tests], name="test")
        return self._tabulate(rows, index, columns)

    def dimensionality(self) -> pd.DataFrame:
        """Test whether the means lie in a space of r dimensions, for r = 0, 1, ...

        D_r² = (ν_e + ν_h - (p + ν_h + 1)/2)·Σ_{j>r} log(1 + λ_j), p the rank, is about χ² with (p
        - r)(ν_h - r) degrees of freedom; r = 0 means equal means (Bartlett's χ²). The frame has
        the index r = 0 ... s - 1 and the columns eigenvalue (λ_{r+1}), statistic, df, pvalue.

        Mardia, Kent & Bibby 1979, eq. 12.5.7 and sec. 12.5.4; Aslan 2009, eq. 4.72-4.81.
        """
        hypothesis, error = self.df
        roots = self.eigenvalues if len(self.eigenvalues) else np.zeros(1)
        r = np.arange(len(roots))
        factor = error + hypothesis - (self.rank + hypothesis + 1) / 2
        statistic = factor * np.cumsum(np.log1p(roots)[::-1])[::-1]
        df = np.maximum((self.rank - r) * (hypothesis - r), 0).astype(float)
        pvalue = np.where(df > 0, stats.chi2.sf(statistic, np.maximum(df, 1)), 1.0)
        columns = {"eigenvalue": roots, "statistic": statistic, "df": df, "pvalue": pvalue}
        return self._tabulate(columns, pd.Index(r, name="r"))

    def dimension(self, alpha: float = 0.05) -> int:
        """Return the smallest r that `dimensionality` does not reject; 0 without differences."""
        pvalues = self.dimensionality()["pvalue"].to_numpy()
        kept = np.flatnonzero(pvalues > check_level(alpha, "alpha"))
        return int(kept[0]) if len(kept) else len(self.eigenvalues)

    @cached_property
    def measures(self) -> LearnedMeasures:
        """Return the eigenvectors of E⁻¹H as new measures; see `learned_measures`."""
        deviation = np.sqrt(np.diag(self.E) / self.df[1])
        return LearnedMeasures(
            weights=normalise_columns(self.vectors),
            standardised=normalise_columns(self.vectors * deviation[:, None]),
            eigenvalues=self.eigenvalues,
            names=self.names,
            metrics=self.metrics,
            design=self.design,
            notes=self.notes,
        )

    def pairwise(self, *, adjust: str = "bonferroni", **options: Any) -> PairwiseHotelling:
        """Test which pairs differ, by `pairwise_hotelling` with this design and rho."""
        return pairwise_of(self.design, adjust=adjust, **options)

    @property
    def frame(self) -> pd.DataFrame:
        """The tests, one per row."""
        return self.table.reset_index().rename_axis(columns=self.measured or None)

    def to_dict(self, alpha: float = 0.05) -> dict[str, object]:
        """Return the result as plain numbers and text, for JSON; alpha is the dimension's."""
        kept = ("method", "df", "rank", "eigenvalues", "names", "metrics", "n", "rho")
        return self.collect_facts(
            *kept, tests=self.table.reset_index(), dimension=self.dimension(alpha)
        )

    def text(self, alpha: float = 0.05) -> str:
        """Write the result in words, with the dimension at level alpha."""
        return as_text(summarise(self, alpha=alpha))


#: By whether they differ.
DIFFER = {
    True: "The algorithms differ at {alpha:g} ({test}: {p})",
    False: "The algorithms are not shown to differ at {alpha:g} ({test}: {p})",
}


@summarise.register
def _summarise_manova_result(result: ManovaResult, *, alpha: float = 0.05) -> Summary:
    alpha, p = check_level(alpha, "alpha"), float(result.table["refined"].iloc[0])
    heading = f"{result.method} on {list_metrics(result.metrics, result.directions)}"
    return Summary(
        DIFFER[p <= alpha].format(alpha=alpha, test=result.table.index[0], p=state_pvalue(p)),
        result.frame,
        {"pvalue": Column(Cells.P_VALUE), "refined": Column(Cells.P_VALUE)},
        notes=result.all_notes,
        label="manova",
        facts={
            "algorithms": f"{len(result.names)}, n = {result.n}",
            "degrees of freedom": f"{result.df[0]} and {result.df[1]}, rank {result.rank}",
            "eigenvalues": ", ".join(map(format_number, result.eigenvalues)),
            "dimension": f"{result.dimension(alpha)} at {alpha:g}",
        },
        setting=heading,
        explanation=lambda: Explanation(methods=[state_method(heading, result.cites)]),
        legend="refined: a more accurate p-value; exact if the p-value of F is a lower bound",
    )


#: Singular values of the effects below this share of the largest are rounding.
ROUNDING = 1e-12


def manova(
    x: ArrayLike | Blocks,
    *,
    block: bool = True,
    rho: float | None = None,
    names: Iterable[str] | None = None,
    metrics: Iterable[str] | None = None,
) -> ManovaResult:
    """Perform a multivariate analysis of variance of L algorithms on one data set.

    Parameters
    ----------
    x : array_like of shape (L, n, p), or Blocks
        Scores: algorithms, folds, metrics. Without blocks also L arrays (n_i, p).
    block : bool
        Whether folds are the same for all; their effect is then taken out of the error, W = T - B
        - BL, with (L-1)(n-1) degrees of freedom and not L(n-1).
    rho : float, optional
        Correlation of folds by overlapping training sets; by default that of the Blocks, or 0 (the
        textbook test). H is divided by 1 + nρ/(1-ρ), its inflation under the null hypothesis. H
        and E are then Wishart with one scale, and the test is as exact as without rho.
    names, metrics : iterable of str, optional
        Names of the algorithms and metrics; for Blocks, those to be used.

    Returns
    -------
    ManovaResult
        Linearly dependent metrics (tp, fn, fp and tn with blocks) are tested in their subspace, of
        dimension ``rank``, and a note names them. If algorithms differ in a direction without
        error, the largest eigenvalue is infinite and p is 0.

    Raises
    ------
    InputError
        More metrics than degrees of freedom of the error; fewer than 2 algorithms or folds,
        unbalanced blocks, missing or infinite scores, rho outside [0, 1).

    See Also
    --------
    pairwise_hotelling, learned_measures, bayescmp.bayesian.groups

    References
    ----------
    Rencher 2002, ch. 6; Yıldız & Alpaydın, eq. 3; Aslan 2009, eq. 4.62-4.88; for rho Nadeau &
    Bengio 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp.frequentist import manova
    >>> x = np.random.default_rng(0).normal(size=(3, 8, 2))
    >>> x[2] += [2, 2]
    >>> result = manova(x, names=["a", "b", "c"], metrics=["tpr", "tnr"])
    >>> result.dimension(), round(result.tests[0].pvalue, 4)
    (1, 0.0001)
    """
    design = as_design(x, "manova", block, rho, names, metrics)
    residuals, effects, freedom = design.decompose()
    space = whiten(residuals, design.largest)
    outside = space.project_outside(effects)
    free = np.linalg.matrix_rank(outside) if np.any(outside != 0) else 0
    if free and int(space.rank) + free > freedom:
        folds = (
            f"{format_count(len(design.samples[0]), 'fold')} of {len(design.samples)} algorithms"
        )
        raise few_folds(residuals, freedom, design.metrics, folds)
    hypothesis = len(design.samples) - 1
    inflation = 1 + int(design.sizes.max()) * design.rho / (1 - design.rho)
    rank = int(space.rank) + int(free)
    roots, vectors = _roots(space, effects, outside, int(free), min(rank, hypothesis))
    dependence = Dependence.from_residuals(residuals, space, design.metrics)
    notes = dependence.notes_with_rank
    if free:
        infinite = "algorithms differ in a direction without error: its eigenvalue is infinite"
        notes = (*dependence.notes, infinite)  # not in the errors' subspace alone
    layout = "folds as blocks" if block else "one-way"
    return ManovaResult(
        method=f"MANOVA, {layout}{corrected_for(design.rho)}",
        cites=cite_test("manova", corrected=design.rho > 0),
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
    """Learn the measures that separate the algorithms best, from any metrics or raw counts.

    Parameters
    ----------
    x, block, rho, names, metrics
        As for `manova`. With tp, fn, fp and tn, measures are learned from the confusion matrices.

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
    >>> import numpy as np
    >>> from bayescmp.frequentist import learned_measures
    >>> x = np.random.default_rng(0).normal(size=(3, 8, 2))
    >>> x[2] += [2, -2]
    >>> learned_measures(x, metrics=["tpr", "tnr"]).formula(1)
    'M1 = 0.71·tpr − 0.70·tnr'
    """
    return manova(x=x, block=block, rho=rho, names=names, metrics=metrics).measures


# Roots of E⁻¹H.


def _roots(
    space: Whitening, effects: np.ndarray, outside: np.ndarray, free: int, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return E⁻¹H's eigenvalues, descending (infinite without error), and eigenvectors."""
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


# Learned measures: the combinations of metrics in which several algorithms differ most, and how
# their weights are written.


def normalise_columns(vectors: np.ndarray) -> np.ndarray:
    """Scale columns to length one, with the largest element (the first of equals) positive."""
    length = np.linalg.norm(vectors, axis=0)
    unit = vectors / np.where(length > 0, length, 1.0)
    size = np.abs(unit)
    if not size.size:
        return unit
    first = np.argmax(size >= size.max(axis=0) * (1 - 1e-9), axis=0)
    sign = np.where(np.take_along_axis(unit, first[None], axis=0)[0] < 0, -1.0, 1.0)
    return np.asarray(unit * sign)


def format_weighted_sum(weights: np.ndarray, metrics: Sequence[str], digits: int) -> str:
    """Write a weighted sum as text, without the metrics of weight 0."""
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


LEARNED = (
    "the measure was learned from the same scores to separate the algorithms: its p-values are "
    "too small; MANOVA's hold"
)


#: Weights, of a column of length one, up to here are rounding if they are in either scale.
NOTHING = 1e-12


Answer = TypeVar("Answer", AnovaTable, PosthocResult)


@dataclass(frozen=True, eq=False, repr=False)
class LearnedMeasures(Summarised, Record):
    """Eigenvectors of E⁻¹H as measures, the one that separates the algorithms most first.

    Within algorithms the measures are uncorrelated (orthogonal in E). If metrics are dependent,
    the vector with the shortest standardised weights is taken.

    Attributes
    ----------
    weights : ndarray of shape (p, s)
        Columns of length one, for metrics in their own units and directions; largest weight
        positive.
    standardised : ndarray of shape (p, s)
        For metrics divided by their standard deviation within algorithms, of length one.
    eigenvalues : ndarray of shape (s,)
        Variance between algorithms over that within (in sums of squares), descending.
    names, metrics : tuple of str
    design : Design
        The scores.
    notes : tuple of str
    """

    weights: np.ndarray
    standardised: np.ndarray
    eigenvalues: np.ndarray
    names: tuple[str, ...]
    metrics: tuple[str, ...]
    design: MultivariateDesign = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def share(self) -> np.ndarray:
        """Share of each eigenvalue in their sum, shape (s,)."""
        roots = self.eigenvalues
        if np.isinf(roots).any():
            return np.where(np.isinf(roots), 1.0, 0.0) / np.isinf(roots).sum()
        total = float(roots.sum())
        return roots / total if total > 0 else np.zeros_like(roots)

    @property
    def labels(self) -> tuple[str, ...]:
        """M1, M2, ..."""
        return tuple(f"M{k + 1}" for k in range(len(self.eigenvalues)))

    @property
    def frame(self) -> pd.DataFrame:
        """Weights of the metrics (rows) in each measure (columns)."""
        index = pd.Index(self.metrics, name="metric")
        table = pd.DataFrame(self.weights, index=index, columns=list(self.labels))
        return head_table(table, self.design.measured)

    def project(self, x: ArrayLike | None = None) -> Any:
        """Return scores in the learned measures, shape (..., s).

        ``x`` are other scores, (..., p); by default those that the measures were learned from, as
        a list if algorithms differ in their number of folds.
        """
        if x is None:
            values = [sample @ self.weights for sample in self.design.samples]
            return np.array(values) if len({len(row) for row in values}) == 1 else values
        scores = read_numbers(x, "x", f"(..., {len(self.metrics)})")
        if scores.shape[-1:] != (len(self.metrics),):
            shape = f"(..., {len(self.metrics)}), the metrics {', '.join(self.metrics)}"
            raise must("x", f"have shape {shape}", f"shape {scores.shape}")
        return scores @ self.weights

    @property
    def projections(self) -> Any:
        """The scores in the learned measures, shape (L, n, s)."""
        return self.project()

    def means(self) -> pd.DataFrame:
        """Return the mean of each measure, algorithms x measures."""
        values = np.array([np.mean(scores, axis=0) for scores in self.project()])
        index = pd.Index(self.names, name="algorithm")
        return pd.DataFrame(values, index=index, columns=list(self.labels))

    def anova(self, k: int = 1) -> AnovaTable:
        """Analyse the variance of measure k = 1, 2, ..., with blocks and rho as in the MANOVA.

        Its F is (ν_e/ν_h)·λ_k. The measure was chosen to make that large, so the p-value is
        descriptive, not a test: under equal means it is often below 0.05. To test, use `manova`,
        or learn on some folds and `project` others.
        """
        return replace(self._ask(anova, k), notes=(LEARNED,))

    def tukey(self, k: int = 1) -> PosthocResult:
        """Test all pairs on measure k = 1, 2, ...; see `anova` for the validity of the p-values.

        Differences are second minus first; neither direction of the measure is better.
        """
        result = self._ask(tukey, k)
        return replace(result, notes=(*result.notes, LEARNED))

    def _ask(self, test: Callable[..., Answer], k: int) -> Answer:
        """Return the answer of a test on measure k, which has no better side."""
        at = self._column(k)
        rows = [sample[:, at] for sample in self.project()]
        result = test(rows, block=self.design.block, rho=self.design.rho, names=self.names)
        known = self.design.described() | {"directions": ()}
        return replace(result, method=f"{result.method}, on M{k}", **known)

    @validate_params(digits=count(0), standardised=flag)
    def formula(self, k: int = 1, *, digits: int = 2, standardised: bool = False) -> str:
        """Write out measure k = 1, 2, ..., as in ``M1 = −0.38·tp + 0.73·fp``; omit zero weights.

        Parameters
        ----------
        k, digits : int
            Number of the measure; decimals of weights, or significant digits of very small ones.
        standardised : bool
            Whether weights are for standardised metrics, which show how much each contributes.
        """
        at = self._column(k)
        column = (self.standardised if standardised else self.weights)[:, at]
        rounding = np.abs([self.weights[:, at], self.standardised[:, at]]).max(axis=0) < NOTHING
        return (
            f"M{k} = {format_weighted_sum(np.where(rounding, 0.0, column), self.metrics, digits)}"
        )

    def to_dict(self) -> dict[str, object]:
        """Return the measures as plain numbers and text, for JSON."""
        formulas = [self.formula(k + 1) for k in range(len(self.eigenvalues))]
        weights = dict(zip(self.metrics, self.weights, strict=True))
        own = as_facts(self, "eigenvalues", "share", "notes", formulas=formulas, weights=weights)
        return own | self.design.origin()

    def _column(self, k: int) -> int:
        if not is_number(k) or k not in range(1, len(self.eigenvalues) + 1):
            raise must_be("k", f"1 to {len(self.eigenvalues)}, the measures", k)
        return int(k) - 1


@summarise.register
def _summarise_learned_measures(measures: LearnedMeasures) -> Summary:
    facts = {
        measures.formula(k): f"λ = {root:.4g}, {100 * share:.1f}%"
        for k, (root, share) in enumerate(
            zip(measures.eigenvalues, measures.share, strict=True), 1
        )
    }
    return Summary(
        f"Learned measures{measures.design.on_measured}",
        named_rows(measures.means()),
        notes=measures.notes,
        label="measures",
        facts=facts,
    )
