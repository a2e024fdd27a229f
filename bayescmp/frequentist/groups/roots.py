"""The four statistics of MANOVA from the roots of E⁻¹H, and their null distributions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special, stats

__all__ = ["RootTest", "four_tests", "largest_root_sf"]


@dataclass(frozen=True)
class RootTest:
    """One of the four tests.

    Attributes
    ----------
    name : str
    statistic : float
    f : float
    df : (float, float)
        Degrees of freedom of F.
    pvalue : float
        Of this F, as R and SAS print it.
    kind : str
        "exact", "approximate", "bound": the true p-value is no smaller than ``pvalue``; or
        "undefined": there are too few degrees of freedom for this F, and ``f`` and ``pvalue`` are
        NaN.
    refined : float
        The p-value whose level holds: exact for Roy's root, by Rao's F for Wilks' Λ, from two
        moments for Pillai's trace and by McKeon's F for that of Hotelling and Lawley.
    """

    name: str
    statistic: float
    f: float
    df: tuple[float, float]
    pvalue: float
    kind: str
    refined: float


def four_tests(roots: np.ndarray, p: int, hypothesis: int, error: int) -> tuple[RootTest, ...]:
    """Wilks, Pillai, Hotelling-Lawley and Roy.

    Parameters
    ----------
    roots : ndarray of shape (s,)
        Eigenvalues λ of E⁻¹H in descending order, s = min(p, ν_h); infinite where E has no
        variance and H has.
    p : int
        Rank of the metrics.
    hypothesis, error : int
        Degrees of freedom ν_h and ν_e >= p.

    Returns
    -------
    tuple of four RootTest

    References
    ----------
    Rao 1951 (Wilks); Pillai 1954; Pillai & Samson 1959 (Hotelling-Lawley); Roy 1953 and the
    bound on his root's F: as in R's ``summary.manova``. For the refined p-values Muller 1998,
    Journal of Computational and Graphical Statistics 7 (Pillai); McKeon 1974, Biometrika 61
    (Hotelling-Lawley); Chiani 2016 (Roy).
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
    """P(λ₁ >= root) under the null hypothesis, exact.

    The joint density of θ = λ/(1+λ) is C·∏θ^m(1-θ)^k·∏(θ_i - θ_j), s = min(p, ν_h) roots,
    m = (|p-ν_h|-1)/2, k = (ν_e-p-1)/2. Its integral below x is C times the Pfaffian of the matrix
    of the double integrals of sign(u - v)·u^(m+i-1)·v^(m+j-1)·(1-u)^k·(1-v)^k, with one more row
    of single integrals if s is odd (de Bruijn 1955); these follow from incomplete beta functions
    by a recursion. Absolute error is about 1e-13 for up to four roots and under 1e-6 for ten.

    Parameters
    ----------
    root : float
    p, hypothesis, error : int
        As for `four_tests`.

    Returns
    -------
    float

    References
    ----------
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


# -- helpers -----------------------------------------------------------------------------------


def _double_integrals(shape: np.ndarray, b: float, x: float) -> np.ndarray:
    """Skew-symmetric matrix of ∫∫ sign(u - v) f_i(u) f_j(v), f_i the Beta(shape_i, b) densities.

    With F_j the distribution functions it is 2∫f_i F_j - F_i(x)F_j(x). F_(j+1) is F_j less
    t^a(1-t)^b/(a·B(a, b)), a = shape_j, so that ∫f_i F_(j+1) follows from ∫f_i F_j; the first of
    them is ∫f_i F_i = F_i(x)²/2.
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
    s, m, n = _smn(p, hypothesis, error)
    with np.errstate(invalid="ignore"):
        shares = np.where(np.isinf(roots), 1.0, roots / (1 + roots))
    trace = float(np.sum(shares))
    above, below = s * (2 * m + s + 1), s * (2 * n + s + 1)
    left = s - trace
    f = (2 * n + s + 1) / (2 * m + s + 1) * trace / left if left > 0 else np.inf
    f = np.inf if np.isinf(roots[0]) else f
    refined = 0.0 if np.isinf(f) else _pillai_sf(trace, p, hypothesis, error)
    return _test("Pillai", trace, f, above, below, s == 1, refined)


def _pillai_sf(trace: float, p: int, hypothesis: int, error: int) -> float:
    """Upper tail of Pillai's trace over s as a beta variable with its mean and variance."""
    s, total = min(p, hypothesis), hypothesis + error
    mean = p * hypothesis / (total * s)
    variance = 2 * p * hypothesis * error * (total - p) / (total**2 * (total - 1) * (total + 2))
    size = mean * (1 - mean) / (variance / s**2) - 1
    left = max(1 - trace / s, 0.0)
    return float(special.betainc((1 - mean) * size, mean * size, left))


def _hotelling_lawley(roots: np.ndarray, p: int, hypothesis: int, error: int) -> RootTest:
    s, m, n = _smn(p, hypothesis, error)
    trace = float(np.sum(roots))
    above, below = s * (2 * m + s + 1), 2 * (s * n + 1)
    if below <= 0:  # ν_e = p: the trace has no mean, so that no F can be fitted to it
        nan = float("nan")
        return RootTest("Hotelling-Lawley", trace, nan, (above, below), nan, "undefined", nan)
    f = below * trace / (s**2 * (2 * m + s + 1))
    refined = _mckeon_sf(trace, p, hypothesis, error)
    return _test("Hotelling-Lawley", trace, f, above, below, s == 1, refined)


def _mckeon_sf(trace: float, p: int, hypothesis: int, error: int) -> float | None:
    """Upper tail of the Hotelling-Lawley trace by McKeon's F; None where it has no variance."""
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


def _smn(p: int, hypothesis: int, error: int) -> tuple[int, float, float]:
    s = min(p, hypothesis)
    return s, (abs(p - hypothesis) - 1) / 2, (error - p - 1) / 2


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
