"""Adjusted p-values for families of hypotheses, and the distributions of the largest statistic."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import cache, lru_cache, partial

import numpy as np
import scipy  # whose submodules are imported when they are first used
from numpy.polynomial import chebyshev
from numpy.typing import ArrayLike
from scipy import special

from bayescmp.base import checks
from bayescmp.base.arguments import arg, must, must_be
from bayescmp.base.magnitudes import underflow_is_zero
from bayescmp.errors import unknown_name

# The studentized range: of normals of known deviation, and over an estimate of it.


#: Ranges of normals beyond this have a probability under 1e-290.
FARTHEST = 52.0


#: Trapezoidal rule, exponentially convergent for functions that decay on both sides: the largest
#: of very many normals is still below 13, and weights below -9 are under 1e-19.
NODES = np.linspace(-9.0, 13.0, 353)


def normal_range_sf(q: ArrayLike, k: int) -> np.ndarray:
    """Return P(range of k independent standard normals > q), accurate in the far tail.

    P(R > q) = k ∫ φ(z) {Φ(z)^{k-1} − [Φ(z) − Φ(z−q)]^{k-1}} dz, z being the largest; with
    Φ(z−q)/Φ(z) in the bracket, tiny probabilities keep their digits. Nemenyi 1963; Demšar 2006,
    table 5a divides its quantiles by √2.
    """
    return _by_parts(q, partial(_tail, k=k))


def _by_parts(q: ArrayLike, sf: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Return tail probabilities of any shape, from bounded memory for thousands of pairs."""
    q = np.asarray(q, dtype=float)
    parts = np.split(q.reshape(-1), range(1024, q.size, 1024))
    return np.clip(np.concatenate([sf(part) for part in parts]), 0.0, 1.0).reshape(q.shape)


@underflow_is_zero
def _tail(q: np.ndarray, k: int) -> np.ndarray:
    z, log_cdf = NODES, special.log_ndtr(NODES)
    largest = (z[1] - z[0]) * k * np.exp(-0.5 * z**2 + (k - 1) * log_cdf) / np.sqrt(2 * np.pi)
    share = np.exp(special.log_ndtr(z - q[:, None]) - log_cdf)  # P(another < z - q | it is < z)
    with np.errstate(divide="ignore"):  # q = 0: every other is below, log 0
        outside = -np.expm1((k - 1) * np.log1p(-np.minimum(share, 1.0)))
    return outside @ largest


def normal_range_ppf(alpha: float, k: int) -> float:
    """Return the range that k independent standard normals exceed with probability alpha."""
    return float(
        scipy.optimize.brentq(
            lambda q: float(normal_range_sf(q, k)) - alpha, 0.0, 40.0, xtol=1e-13, rtol=8.9e-16
        )
    )


def critical_value(alpha: float, method: str, k: int, pairs: int, df: float = math.inf) -> float:
    """Return how many standard errors are significant, by "nemenyi", "bonferroni" or "none"."""
    if method == "nemenyi":
        return normal_range_ppf(alpha, k) / math.sqrt(2)
    tail = alpha / (2 * (pairs if method == "bonferroni" else 1))
    return float(scipy.stats.norm.isf(tail) if math.isinf(df) else scipy.stats.t.isf(tail, df))


def studentized_range_sf(q: ArrayLike, k: int, df: float) -> np.ndarray:
    """Return P(range of k normals over an independent estimate s of their deviation > q).

    P = ∫ P(R > q·s) f(s) ds over the density of s = √(χ²_df/df), with P(R > r) tabulated once for
    each k (SciPy's double integral takes milliseconds). Copenhaver & Holland 1988; R's ``ptukey``.
    """
    return _by_parts(q, partial(_integral, df=df, tail=_log_tail(k)))


def _integral(q: np.ndarray, df: float, tail: scipy.interpolate.CubicSpline) -> np.ndarray:
    """Integrate by the trapezoidal rule in u = log s; the integrand decays, so it converges fast.

    The far tail of R falls as exp(-r²/4), so the integrand is largest about s² = df/(df + q²/2),
    to which the nodes are shifted.
    """
    peak = -0.5 * np.log1p(q**2 / (2 * df))[:, None]
    width = 1 / np.sqrt(2 * df)
    # The log density falls as df·u on the left of the peak, which few d.o.f. make long, and near
    # the peak as a Gaussian of that width: in units of it, df·width = √(df/2).
    v = np.arange(-9.0 - 40.0 / np.sqrt(0.5 * df), 9.0, 0.2) * width
    u = peak + v
    s = np.exp(u)
    log_norm = np.log(2.0) + 0.5 * df * np.log(0.5 * df) - special.gammaln(0.5 * df)
    log_density = log_norm + df * u - 0.5 * df * s**2
    r = q[:, None] * s
    inside = r < FARTHEST
    log_tail = np.where(inside, tail(np.where(inside, r, 0.0)), -np.inf)
    return np.asarray(np.exp(log_density + log_tail).sum(axis=1) * (v[1] - v[0]))


@lru_cache(maxsize=128)
def _log_tail(k: int) -> scipy.interpolate.CubicSpline:
    """Return log P(R > r) of k normals as a spline over [0, FARTHEST]."""
    r = np.linspace(0.0, FARTHEST, 2601)
    return scipy.interpolate.CubicSpline(r, np.log(np.maximum(normal_range_sf(r, k), 1e-307)))


# The largest of several t statistics that share a control: Dunnett's distribution.


#: Nodes in z, the shared deviation: normals beyond have a weight under 1e-55.
REACH = 16.0


def largest_t_sf(c: float, loadings: np.ndarray, df: float, *, two_sided: bool = True) -> float:
    """Return P(the largest of m statistics ≥ c), accurate in the far tail.

    T_j = (√(1-λ_j²)·e_j + λ_j·z)/s with independent standard normals e_j and z and s =
    √(χ²_df/df), so that T_i and T_j have the correlation λ_i·λ_j. The two integrals are
    trapezoidal sums, which converge exponentially. Dunnett 1955, JASA 50; Hsu 1996, Multiple
    Comparisons, sec. 3.2.
    """
    if math.isinf(c):
        return 0.0 if c > 0 else 1.0
    s, mass = _scales(c, df)
    own = np.sqrt(1 - loadings**2)
    step = min(0.1, float(own.min()) / 5)
    z = np.arange(-REACH, REACH + step, step)
    kept = np.zeros((len(s), len(z)))  # log P(all below c | s, z)
    for load, root in zip(loadings, own, strict=True):
        over = special.ndtr((load * z - c * s[:, None]) / root)
        if two_sided:
            over = over + special.ndtr((-load * z - c * s[:, None]) / root)
        with np.errstate(divide="ignore"):
            kept += np.log1p(-np.minimum(over, 1.0))
    density = np.exp(-0.5 * z**2) * step / math.sqrt(2 * math.pi)
    return float(np.clip(mass @ (-np.expm1(kept) @ density), 0.0, 1.0))


def _scales(c: float, df: float) -> tuple[np.ndarray, np.ndarray]:
    """Return nodes in s and their weights, log s equally spaced where the tail comes from."""
    if math.isinf(df):
        return np.ones(1), np.ones(1)
    width = 1 / math.sqrt(2 * df)
    low = -0.5 * math.log1p(c**2 / df) - 9 * width - 20 / df
    u = np.arange(low, 9 * width + 0.2 / df, 0.15 * width)
    log_norm = math.log(2) + 0.5 * df * math.log(0.5 * df) - float(special.gammaln(0.5 * df))
    density = np.exp(log_norm + df * u - 0.5 * df * np.exp(2 * u))
    return np.exp(u), density * (u[1] - u[0])


def largest_t_ppf(alpha: float, loadings: np.ndarray, df: float) -> float:
    """Return the size that the largest of m statistics exceeds with probability alpha."""

    def gap(c: float) -> float:
        return largest_t_sf(c, loadings, df) - alpha

    high = 1.0
    while gap(high) > 0:
        high *= 2
    return float(scipy.optimize.brentq(gap, 0.0, high, xtol=1e-10))


# Logical constraints among all pairs: Shaffer's counts and Bergmann and Hommel's sets.


#: Bell(10) = 115 975 partitions take half a second; each further algorithm takes six times more.
MOST_ALGORITHMS = 10


@cache
def _possible_counts(n_algorithms: int) -> int:
    """Return possible numbers of true pair hypotheses, sums of C(j, 2), as bits."""
    if n_algorithms < 2:
        return 1
    counts = 0
    for j in range(1, n_algorithms + 1):
        counts |= _possible_counts(n_algorithms - j) << (j * (j - 1) // 2)
    return counts


def shaffer_counts(n_algorithms: int) -> np.ndarray:
    """Count the hypotheses that can still be true when i - 1 are rejected, for i = 1..m.

    Shaffer 1986, JASA 81, "static" procedure; García & Herrera 2008, eq. in sec. 2.1.
    """
    m = n_algorithms * (n_algorithms - 1) // 2
    for small in range(2, n_algorithms):  # fills the cache without deep recursion
        _possible_counts(small)
    bits = _possible_counts(n_algorithms)
    possible = np.array([s for s in range(m + 1) if bits >> s & 1])
    remaining = np.arange(m, 0, -1)
    return possible[np.searchsorted(possible, remaining, side="right") - 1].astype(float)


def _partitions(n_algorithms: int) -> np.ndarray:
    """Return all partitions of L algorithms, as restricted growth strings, (Bell(L), L)."""
    labels = np.zeros((1, 1), dtype=np.int8)
    for _ in range(1, n_algorithms):
        choices = labels.max(axis=1).astype(int) + 2  # any existing group, or another
        rows = np.repeat(labels, choices, axis=0)
        ends = np.cumsum(choices)
        group = np.arange(ends[-1]) - np.repeat(ends - choices, choices)
        labels = np.column_stack([rows, group.astype(np.int8)])
    return labels


@lru_cache(maxsize=4)
def exhaustive_sets(n_algorithms: int) -> np.ndarray:
    """Return the sets of pair hypotheses that can be exactly the true ones.

    These are the pairs within the groups of some partition of the algorithms, one set per
    partition (without the empty one), the same as in García & Herrera 2008, figure 1.
    """
    labels = _partitions(n_algorithms)
    first, second = np.triu_indices(n_algorithms, k=1)
    sets = labels[:, first] == labels[:, second]
    sets = sets[sets.any(axis=1)]
    sets.flags.writeable = False  # it is cached
    return sets


def bergmann_hommel(p: np.ndarray, n_algorithms: int) -> np.ndarray:
    """Return Bergmann and Hommel's adjusted p-values, exactly (before they are made monotone).

    adjusted_i = max{ |I|·min_{j∈I} p_j : I exhaustive, i ∈ I } (Bergmann & Hommel 1988; Wright
    1992, Biometrics 48; García & Herrera 2008, sec. 2.2).
    """
    if n_algorithms > MOST_ALGORITHMS:
        raise must(
            "method",
            f"not be 'bergmann-hommel' for more than {MOST_ALGORITHMS} algorithms",
            str(n_algorithms),
            "The number of its exhaustive sets grows like the Bell numbers. Use 'shaffer', which "
            "is nearly as powerful, or compare against a control.",
        )
    sets = exhaustive_sets(n_algorithms)
    size = sets.sum(axis=1)
    smallest = np.full(len(sets), np.inf)
    for pair, value in enumerate(p):
        np.minimum(smallest, value, out=smallest, where=sets[:, pair])
    bound = size * smallest
    return np.array([bound.max(where=sets[:, pair], initial=0.0) for pair in range(len(p))])


# Critical values of Rom's step-up procedure, and their inverse.


#: Up to here the recursion damps its own rounding errors (the factor is α/(1-α)).
LARGEST = 0.5


def rom_critical(alpha: np.ndarray, m: int) -> np.ndarray:
    """Return the critical values c_1 (for the largest p) to c_m (for the smallest).

    Rom 1990, Biometrika 77, eq. 4, solved for c_r, since r independent uniform p-values are to be
    rejected with probability exactly α:

        Σ_{l=1}^{r-1} α^l = Σ_{l=1}^{r-1} C(r, l) c_{l+1}^{r-l}.
    """
    critical = np.empty((m, len(alpha)))
    critical[0] = alpha
    for r in range(2, m + 1):
        total = alpha * (1 - alpha ** (r - 1)) / (1 - alpha)
        power = np.arange(2, min(r - 1, 40) + 1)  # (r c)^j / j! is below 1e-30 beyond
        if len(power):
            earlier = critical[r - power]  # c_{l+1} with l = r - j
            log_choose = -np.log(r + 1) - special.betaln(power + 1, r - power + 1)
            total = total - np.sum(np.exp(log_choose)[:, None] * earlier ** power[:, None], axis=0)
        critical[r - 1] = total / r
    return critical


@lru_cache(maxsize=8)
def _fit(m: int) -> np.ndarray:
    """Fit Chebyshev coefficients, shape (40, m), of the smooth c_r(α)/α on (0, `LARGEST`)."""
    nodes = (chebyshev.chebpts1(40) + 1) * LARGEST / 2
    fit = chebyshev.chebfit(4 * nodes - 1, (rom_critical(nodes, m) / nodes).T, 39)
    fit.flags.writeable = False  # it is cached
    return np.asarray(fit)


def rom_adjusted(p: np.ndarray) -> np.ndarray:
    """Return the level α at which each p equals its critical value, before the step-up minimum."""
    m = len(p)
    rank = np.arange(1.0, m + 1)
    fit = _fit(m)

    def critical(alpha: np.ndarray) -> np.ndarray:
        return alpha * chebyshev.chebval(4 * alpha - 1, fit, tensor=False)

    within = p <= critical(np.full(m, LARGEST))
    low, high = np.zeros(m), np.minimum(rank * p, LARGEST)  # c_r(α) ≥ α/r, so α ≤ r·p
    for _ in range(60):
        middle = (low + high) / 2
        above = critical(middle) >= p
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return np.where(within, high, rank * p)


# Adjusted p-values for families of hypotheses, one front for all procedures.


def adjust(
    p: ArrayLike,
    method: str = "holm",
    *,
    n_algorithms: int | None = None,
    alpha: float | None = None,
) -> np.ndarray:
    """Adjust p-values: return the smallest level at which the procedure rejects each hypothesis.

    Parameters
    ----------
    p : array_like of shape (m,)
        Raw p-values. For the procedures on all pairs (shaffer, bergmann-hommel, nemenyi) there are
        m = L(L-1)/2, in the order (1,2), (1,3), ..., (L-1,L).
    method : str
        ========================  ===========================================  ==============
        name (and others)         procedure                                    controls
        ========================  ===========================================  ==============
        none                      no adjustment                                nothing
        bonferroni (bonferroni-   single step, m p                             FWER
        dunn, dunn)
        holm                      step-down                                    FWER
        holland                   step-down, Šidák factors                     FWER [1]_
        hochberg                  step-up                                      FWER [1]_
        hommel                    closed Simes                                 FWER [1]_
        rom                       step-up, exact under independence            FWER [1]_
        li                        two-step, by the largest p                   independence [3]_
        finner                    step-down, 1 - (1-p)^(m/i)                   global null [2]_
        benjamini-hochberg (bh,   step-up                                      FDR [1]_
        fdr)
        nemenyi (range)           single step, studentized range; all pairs    FWER
        shaffer                   step-down, logically possible; all pairs     FWER
        bergmann-hommel           closure over exhaustive sets; all pairs, to  FWER
        (bergmann)                10 algorithms
        ========================  ===========================================  ==============
    n_algorithms : int, optional
        L, for the procedures on all pairs; read from m if not given.
    alpha : float, optional
        For "rom": use the multipliers alpha/c_i of this one level (García et al. 2010). Decisions
        at alpha are the same, but the numbers are not adjusted p-values at other levels.

    Returns
    -------
    ndarray of shape (m,)
        At least the raw p-values and at most 1. A smaller p never gets a larger adjusted one.

    Raises
    ------
    InputError
        An unknown method; bad p-values; for the procedures on all pairs, a number that is not
        L(L-1)/2; more than 10 algorithms for bergmann-hommel.

    See Also
    --------
    posthoc : Adjusts its comparisons.

    Notes
    -----
    .. [1] Under independence or suitable positive dependence of the p-values (Sarkar 1998, Simes's
           inequality); Bonferroni, Holm, Shaffer and Bergmann-Hommel need no such condition.
    .. [2] With the critical values 1 - (1-α)^(i/m), as García et al. (2010) print it, the level is
           kept if all hypotheses are true. With 5 of 10 true the family-wise error is 14% at α =
           5%, with 20 of 45 it is 45%. Offered to reproduce papers.
    .. [3] Li's level is α for independent p-values. For comparisons of 5 to 10 equal algorithms
           with a control it is 6 to 7.6% at α = 5%. Offered to reproduce papers.

    Bergmann and Hommel's procedure may reject a pair and retain one with a smaller p. Here, as in
    the R package scmamp, adjusted values are made monotone, which can only raise them: for p =
    0.001, 0.011, 0.031, 0.681, 0.041, 0.011 for the six pairs of four algorithms, the fifth is
    0.062, not 0.041. The level is kept, at some loss of power.

    References
    ----------
    García, Fernández, Luengo & Herrera 2010, Information Sciences 180, sec. 4.3 (Bonferroni-Dunn
    to Li); Holm 1979, Scand. J. Stat. 6; Hochberg 1988, Biometrika 75; Hommel 1988, Biometrika 75;
    Holland & Copenhaver 1987, Biometrics 43; Rom 1990, Biometrika 77; Finner 1993, JASA 88;
    Li 2008, JSPI 138; Benjamini & Hochberg 1995, JRSS B 57; Shaffer 1986, JASA 81; Bergmann &
    Hommel 1988; García & Herrera 2008, JMLR 9, sec. 2 (all pairs).

    Examples
    --------
    >>> from bayescmp.frequentist import adjust
    >>> adjust([0.01, 0.04, 0.03], "holm")
    array([0.03, 0.06, 0.06])
    >>> adjust([0.01, 0.04, 0.03], "hochberg")
    array([0.03, 0.04, 0.04])
    """
    p = _check_p(p)
    name = find_procedure(method, "method")
    if alpha is not None and name != "rom":
        raise must_be("alpha", f"None for method {name!r}", alpha, "Only 'rom' uses it.")
    if name in _ALL_PAIRS:
        adjusted = _ALL_PAIRS[name](p, _n_algorithms(len(p), n_algorithms, name))
    else:
        adjusted = _by_rank(p, partial(_rom, alpha=alpha) if name == "rom" else _MARGINAL[name])
    return np.clip(adjusted, p, 1.0)


def find_procedure(method: str, argument: str = "adjust") -> str:
    """Return the procedure's own name, from any of its names."""
    plain = re.sub(r"[\s_]+", "-", str(method).strip().lower())
    plain = _ALIASES.get(plain, plain)
    if plain not in METHODS:
        raise unknown_name("adjustment", method, METHODS, argument)
    return plain


# Procedures that see the sorted p-values alone; p ascending.


def _by_rank(p: np.ndarray, procedure: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = procedure(p[order])
    return adjusted


def _step_down(values: np.ndarray) -> np.ndarray:
    """Reject a hypothesis only with all before it: a running maximum."""
    return np.maximum.accumulate(values)


def _step_up(values: np.ndarray) -> np.ndarray:
    """Reject a hypothesis with any after it: a running minimum from the largest p."""
    return np.minimum.accumulate(values[::-1])[::-1]


def _count_remaining(p: np.ndarray) -> np.ndarray:
    """Count the hypotheses not yet rejected at each step: m, m-1, ..., 1."""
    return np.arange(len(p), 0, -1, dtype=float)


def _sidak(p: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    """Return 1 - (1-p)^exponent, accurate for small p."""
    with np.errstate(divide="ignore"):  # p = 1 is log 0: the answer is 1
        return -np.expm1(exponent * np.log1p(-p))


def _li(p: np.ndarray) -> np.ndarray:
    below = p + (1 - p[-1])  # in this order: exact where the largest p is 1
    return np.divide(p, below, out=np.zeros_like(p), where=below > 0)


def _hommel(p: np.ndarray) -> np.ndarray:
    """Close Simes's test (Wright 1992's algorithm, as in R's ``p.adjust``)."""
    m = len(p)
    best = np.full(m, np.min(m * p / np.arange(1, m + 1)))
    for size in range(m - 1, 1, -1):
        head = m - size + 1
        tail = np.min(size * p[head:] / np.arange(2, size + 1))
        simes = np.minimum(size * p[:head], tail)
        best[:head] = np.maximum(best[:head], simes)
        best[head:] = np.maximum(best[head:], simes[-1])
    return best


def _rom(p: np.ndarray, alpha: float | None) -> np.ndarray:
    from_largest = p[::-1]
    if alpha is None:
        return _step_up(rom_adjusted(from_largest)[::-1])
    if not 0 < alpha <= 0.5:
        raise must_be("alpha", "over 0 and at most 0.5", alpha)
    critical = rom_critical(np.array([alpha]), len(p))[:, 0]
    return _step_up((alpha / critical * from_largest)[::-1])


# Procedures on all pairs; p in the order of the pairs.


def _shaffer(p: np.ndarray, n_algorithms: int) -> np.ndarray:
    return _by_rank(p, lambda ranked: _step_down(shaffer_counts(n_algorithms) * ranked))


def _bergmann_hommel(p: np.ndarray, n_algorithms: int) -> np.ndarray:
    order = np.argsort(p, kind="stable")
    ranked = p[order]
    highest = _step_down(bergmann_hommel(p, n_algorithms)[order])
    return highest[np.searchsorted(ranked, p, side="right") - 1]  # equal p, equal adjusted p


_MARGINAL: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "none": np.copy,
    "bonferroni": lambda p: len(p) * p,
    "holm": lambda p: _step_down(_count_remaining(p) * p),
    "holland": lambda p: _step_down(_sidak(p, _count_remaining(p))),
    "hochberg": lambda p: _step_up(_count_remaining(p) * p),
    "hommel": _hommel,
    "finner": lambda p: _step_down(_sidak(p, len(p) / np.arange(1.0, len(p) + 1))),
    "li": _li,
    "benjamini-hochberg": lambda p: _step_up(len(p) / np.arange(1.0, len(p) + 1) * p),
}
_ALL_PAIRS: dict[str, Callable[[np.ndarray, int], np.ndarray]] = {
    # at z √2 the studentized range of normals is the p-value of a difference of two
    "nemenyi": lambda p, L: normal_range_sf(math.sqrt(2) * scipy.stats.norm.isf(p / 2), L),
    "shaffer": _shaffer,
    "bergmann-hommel": _bergmann_hommel,
}

#: Every procedure by its own name.
METHODS = (*_MARGINAL, "rom", *_ALL_PAIRS)

_ALIASES = {
    "bonferroni-dunn": "bonferroni",
    "dunn": "bonferroni",
    "bh": "benjamini-hochberg",
    "fdr": "benjamini-hochberg",
    "fdr-bh": "benjamini-hochberg",
    "bergmann": "bergmann-hommel",
    "shaffer-static": "shaffer",
    "range": "nemenyi",
}


# Validation.


def _check_p(p: ArrayLike) -> np.ndarray:
    accepted = "a vector of numbers from 0 to 1"
    try:
        values = np.array(p, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise must_be("p", accepted, p) from None
    if values.ndim != 1 or not len(values):
        raise must_be("p", f"{accepted}, at least one", values)
    bad = np.flatnonzero(~((values >= 0) & (values <= 1)))
    if len(bad):
        raise must_be(f"p[{bad[0]}]", "from 0 to 1", values[bad[0]])
    return values


def _n_algorithms(m: int, given: int | None, method: str) -> int:
    """Return L, where m = L(L-1)/2."""
    count = (1 + math.isqrt(1 + 8 * m)) // 2
    if count * (count - 1) // 2 != m:
        raise must(
            "p",
            f"have L(L-1)/2 p-values, those of all pairs, for {arg('method', method)}",
            str(m),
            "Against a control use 'holm', 'hommel' or 'bonferroni'.",
        )
    L = count if given is None else checks.check_whole("n_algorithms", given, 2)
    if count != L:
        raise must("n_algorithms", f"be {count} for {m} p-values", str(L))
    return count
