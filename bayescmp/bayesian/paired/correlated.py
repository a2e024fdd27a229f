"""The correlated t test in closed form, and what the tests on one data set's folds share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, stdtr, stdtrit

from bayescmp.base import checks
from bayescmp.base.checks import Seed, declare, one_table, seed_of, share
from bayescmp.base.magnitudes import ROUNDING, step_seen
from bayescmp.base.typing import Json, Variation
from bayescmp.bayesian.sampling import OF_METRIC, draw_closed_groups, vary_rho
from bayescmp.errors import InputError, warn_user
from bayescmp.results.arviz import row_of
from bayescmp.results.posterior import (
    CHAINS,
    DRAWS,
    Model,
    Posterior,
    name_closed_form,
    probabilities_of,
    split_mass,
)
from bayescmp.results.saving import array
from bayescmp.scores.differences import Differences, as_differences
from bayescmp.scores.resampling import inflation
from bayescmp.scores.rope import Rope, RopeLike, as_rope
from bayescmp.wording.text import format_count, words_of

# What the tests on one data set share: reading its differences, and their posteriors' words.


def read_dataset(
    x: ArrayLike | Differences,
    rho: ArrayLike | None,
    names: Sequence[str] | None,
    resolution: ArrayLike | None,
    least: int = 2,
) -> Differences:
    """Read the differences of one data set, from what the user gave; too few are refused."""
    d = as_differences(x, rho=rho, names=names, resolution=resolution)
    if d.q > 1:
        raise InputError(
            f"x has {d.q} data sets, this test takes one: pick it with x.row(name), or use "
            "bayescmp.bayesian.hierarchical_t for all of them"
        )
    if d.n[0] < least:
        raise InputError(
            f"x has {format_count(int(d.n[0]), 'difference')} for data set "
            f"{d.datasets[0]!r}; at least {least} folds are needed"
        )
    return d


def student_density(t: np.ndarray, df: int) -> np.ndarray:
    """Density of Student's t, as `scipy.stats.t` has it, which takes long to import."""
    constant = gammaln((df + 1) / 2) - gammaln(df / 2) - np.log(df * np.pi) / 2
    return np.asarray(np.exp(constant - (df + 1) / 2 * np.log1p(t * t / df)))


def name_dataset(d: Differences, x: object) -> str:
    """The data set's name, where it was given one."""
    return d.datasets[0] if isinstance(x, Differences) else ""


def rounding_squares(n: int, h: float) -> float:
    """Sum of squares of n errors of rounding to a step h, each uniform on ±h/2: n·h²/12."""
    return n * h**2 / 12


def spread_of(d: Differences) -> tuple[float, tuple[str, ...]]:
    """Sum of squares; of equal differences that of rounding to the metric's resolution.

    Where that is not known, it is the smallest step seen, the size of the common difference. Zeros
    show no step: their sum is 0.
    """
    s = d.statistics()
    if not s.constant[0]:
        return float(s.ss[0]), ()
    known = float(d.resolution[0])
    h = step_seen(d.x) if np.isnan(known) else known
    if np.isnan(h):
        return 0.0, ()
    seen = " as seen" if np.isnan(known) else ""
    note = f"all differences are equal: spread from the metric's resolution{seen}, h = {h:.3g}"
    return rounding_squares(int(s.n[0]), h), (note,)


# The correlated t test: two algorithms on the folds of one data set.


@one_table
def correlated_t(
    x: ArrayLike | Differences,
    *,
    rho: ArrayLike | None = None,
    rope: RopeLike,
    names: Sequence[str] | None = None,
    resolution: float | None = None,
    seed: Seed = None,
) -> CorrelatedPosterior:
    """Bayesian correlated t test of two algorithms on one data set.

    The folds' differences are normal and, because training sets overlap, correlated at rho. With
    the prior p(δ, σ) ∝ 1/σ their mean δ has the posterior t_{n−1}(d̄, c·s²), where
    c = 1/n + rho/(1 − rho).

    Parameters
    ----------
    x : Differences or array_like of shape (n,)
        Differences of scores on one data set, second minus first, n >= 2.
    rho : float, optional
        Correlation of two folds' differences, 1/folds for cross-validation. Required for plain
        arrays; overrides that of a `Differences`.
    rope : float or (float, float)
        Region of practical equivalence, in units of the metric: its half-width or its two ends.
    names : (str, str), optional
        The two algorithms.
    resolution : float, optional
        Smallest step h of the metric, for differences that are all equal: their sum of squares is
        then that of rounding to this step, n·h²/12. Known from the scores where x comes from
        `Scores.differences`; where it is not known, the size of the common difference; where that
        is zero, the width of the rope, with a warning.
    seed : int or numpy Generator, optional
        Seed of ``draws``; nothing else is random.

    Returns
    -------
    CorrelatedPosterior

    Raises
    ------
    InputError
        More than one data set, fewer than two differences, missing or infinite ones, a bad rho,
        rope, resolution or seed.

    Warns
    -----
    DiagnosticWarning
        If all differences are zero and the rope gives the resolution.

    See Also
    --------
    robust_t : With Student-t noise, where folds have outliers.
    hierarchical_t : Over several data sets.
    bayescmp.frequentist.corrected_t : The frequentist twin, with the same t statistic.

    References
    ----------
    Corani & Benavoli (2015), A Bayesian approach for comparing cross-validated algorithms on
    multiple data sets, Machine Learning 100:285-304, eq. (10); Nadeau & Bengio (2003), Machine
    Learning 52:239-281, for c.

    Examples
    --------
    Ten folds of a cross-validation, differences of accuracy, second minus first:

    >>> import bayescmp as bc
    >>> x = [0.02, 0.035, 0.01, 0.04, 0.025, 0.03, 0.015, 0.02, 0.05, 0.03]
    >>> posterior = bc.bayesian.correlated_t(x, rho=0.1, rope=0.01, names=("knn", "gbm"))
    >>> verdict = posterior.verdict()
    >>> round(verdict.p_right, 3), verdict.decision
    (0.994, 'second')
    """
    d = read_dataset(x, rho, names, resolution)
    s = d.statistics()
    n, correlation, region = int(s.n[0]), float(s.rho[0]), as_rope(rope)
    ss, notes = spread_of(d)
    from_rope = ss == 0
    if from_rope:
        ss, notes = rounding_squares(n, region.width), (_from_rope(region),)
    return CorrelatedPosterior(
        df=n - 1,
        location=float(s.mean[0]),
        scale=_scale(n, correlation, ss),
        from_rope=from_rope,
        dataset=name_dataset(d, x),
        x=d.x[0],
        rho=correlation,
        names=d.names,
        rope=region,
        **name_closed_form(),
        seed=seed_of(seed),
        notes=notes,
        **words_of(d.unit),
        **d.described(),
    )


def _scale(n: int, rho: float, ss: float) -> float:
    """√(c·s²) with c = 1/n + rho/(1 − rho) (Nadeau & Bengio 2003)."""
    return float(np.sqrt(inflation(n, rho) * ss / (n - 1)))


def _from_rope(rope: Rope) -> str:
    """Return the note on differences that are all zero, and warn where the rope has a width."""
    text = "all differences are zero, and nothing indicates the metric's resolution"
    if not rope.width:
        return f"{text}: all mass is on one point"
    text += (
        f": the rope's width stands in, h = {rope.width:.3g}. Give resolution, e.g. "
        "1/n_test for accuracy"
    )
    warn_user(text)
    return text


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CorrelatedPosterior(Posterior):
    """Posterior of the Bayesian correlated t test: δ ~ t_df(location, scale).

    Or such a t that is part of a larger posterior; `source` and `prior_words` then name its method
    and prior. Intervals have the same ends as those of `bayescmp.frequentist.corrected_t`.

    Attributes
    ----------
    dataset : str
        Name of the data set; "" if it has none.
    x : ndarray of shape (n,)
        The differences.
    rho : float
        Correlation of two of them.
    df : int
        Degrees of freedom, n − 1.
    location : float
        Mean of the differences.
    scale : float
        √(c·s²) with c = 1/n + rho/(1 − rho); 0 leaves all mass on one point.
    from_rope : bool
        Whether only the rope gives the metric's resolution: all differences are zero.
    source, prior_words : str
        What was fitted, and its prior, in words.

    Examples
    --------
    >>> import bayescmp as bc
    >>> x = [0.02, 0.035, 0.01, 0.04, 0.025, 0.03, 0.015, 0.02, 0.05, 0.03]
    >>> posterior = bc.bayesian.correlated_t(x, rho=0.1, rope=0.01)
    >>> round(float(posterior.cdf(0.01)), 4)  # not practically better
    0.0058
    >>> [round(end, 4) for end in posterior.hdi(0.95)]
    [0.0149, 0.0401]
    >>> posterior.quantile([0.025, 0.5, 0.975]).round(4).tolist()
    [0.0149, 0.0275, 0.0401]
    >>> posterior.pdf([0.0, 0.0275]).round(2).tolist()
    [0.1, 69.93]
    """

    dataset: str
    x: np.ndarray = field(metadata=array("fold"))
    rho: float
    df: int
    location: float
    scale: float
    from_rope: bool = False
    source: str = ""
    prior_words: str = "p(δ, σ) ∝ 1/σ"

    model: Model = Model(
        kind="correlated_t",
        method="Bayesian correlated t test",
        reference="Corani & Benavoli 2015",
        target="the {p.unit} {p.dataset}",
        target_unnamed="this {p.unit}",
        prior="{p.prior_words}",
        shows=("density",),
        picture="density",
        fixed={"prior": "p(δ, σ) ∝ 1/σ has nothing to set"},
        dims=OF_METRIC,
    )

    @property
    def data_text(self) -> str:
        """What was observed: "10 folds"."""
        return format_count(len(self.x), self.sample)

    def pdf(self, x: ArrayLike) -> np.ndarray:
        """Density of δ at points in units of the metric.

        Raises
        ------
        InputError
            If all mass is on one point.
        """
        if self.scale == 0:
            raise InputError(
                "all differences are equal: the posterior is a point, without density"
            )
        t = (checks.read_numbers(x, "x", "differences") - self.location) / self.scale
        return student_density(t, self.df) / self.scale

    def cdf(self, x: ArrayLike) -> np.ndarray:
        """Posterior probability of a difference of at most x, in units of the metric."""
        distance = checks.read_numbers(x, "x", "differences") - self.location
        if self.scale == 0:
            return (distance >= 0).astype(float)
        return np.asarray(stdtr(self.df, distance / self.scale))

    def quantile(self, p: ArrayLike) -> np.ndarray:
        """Posterior quantiles of δ, in units of the metric.

        Parameters
        ----------
        p : array_like
            Probabilities, 0 to 1.
        """
        p = checks.read_numbers(p, "p", "probabilities, 0 to 1")
        if not np.all((p >= 0) & (p <= 1)):
            raise InputError(f"p={p!r}; accepted: probabilities, 0 to 1")
        if self.scale == 0:
            return np.full(p.shape, self.location)
        # stdtrit is not odd to the last digit: the lower half serves both
        lower = np.where(p <= 0.5, p, 1 - p)
        return self.location + np.where(p <= 0.5, 1, -1) * self.scale * stdtrit(self.df, lower)

    @declare(prob=share)
    def hdi(self, prob: float = 0.95) -> tuple[float, float]:
        """Highest density interval of δ, which is also the central one: the density is symmetric.

        Parameters
        ----------
        prob : float
            Its probability, in (0, 1).
        """
        low, high = self.quantile([(1 - prob) / 2, (1 + prob) / 2])
        return float(low), float(high)

    def density(self) -> tuple[np.ndarray, np.ndarray]:
        """Density of δ on a grid, in units of the metric; a narrow spike for a single point."""
        if self.scale == 0:
            width = 1e-3 * (max(abs(self.location), self.rope.size) or 1.0)
            return self.location + width * np.array([-1.0, 0.0, 1.0]), np.array([0, 1 / width, 0])
        x = self.location + self.scale * stdtrit(self.df, 0.9995) * np.linspace(-1, 1, 401)
        return x, self.pdf(x)

    @cached_property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Independent draws of δ, "delta" of shape (chain, draw)."""
        rng = np.random.default_rng(self.seed)
        return {"delta": self.location + self.scale * rng.standard_t(self.df, (CHAINS, DRAWS))}

    def _vary(self, datasets: bool, refit: bool) -> Iterator[Variation]:
        """Yield other correlations of folds, on which only the scale depends."""
        return vary_rho(self, len(self.x), "scale", probabilities_of)

    def _weigh_regions(self, rope: Rope) -> Json:
        scale = self._scale_at(rope)
        ends = rope.low - self.location, self.location - rope.high
        left, right = (self._tail(beyond, scale, rope) for beyond in ends)
        half = float(scale * stdtrit(self.df, 0.975))
        return {
            "p": split_mass(left, right, rope),
            "errors": np.zeros(3),
            "estimate": (self.location,),
            "mean_interval": ((self.location - half, self.location + half),),
            "floor": 1e-15,
            "exact": True,
        }

    def _scale_at(self, rope: Rope) -> float:
        """Return the scale that a fit with this rope has."""
        if not self.from_rope or not rope.width:
            return self.scale
        n = len(self.x)
        return _scale(n, self.rho, rounding_squares(n, rope.width))

    def _tail(self, beyond: float, scale: float, rope: Rope) -> float:
        """Posterior mass outside the end that the location is so far beyond.

        A point at the end itself belongs to the rope; with no rope it counts half to each side.
        """
        if scale > 0:
            return float(stdtr(self.df, beyond / scale))
        if abs(beyond) <= ROUNDING * max(abs(self.location), rope.size):
            return 0.5 if rope.empty else 0.0
        return float(beyond > 0)

    def _summary_rows(self) -> dict[str, dict[str, float]]:
        """Return the row of δ; its sd is infinite for two or three differences."""
        low, high = self.hdi(0.95)
        sd = self.scale * np.sqrt(self.df / (self.df - 2)) if self.df > 2 else np.inf
        sd = sd if self.scale else 0.0
        return {"delta": row_of(self.location, sd, self.location, low, high)}

    def _predictive_groups(self) -> dict[str, dict[str, np.ndarray]]:
        if self.source:  # part of a larger model, whose likelihood is another
            return {}
        location = self.draws["delta"][..., None, None]
        return draw_closed_groups(
            self.x[:, None, None], location, self.rho, "differences", self.seed
        )


#: One metric, or one weighted sum of metrics, of a closed form of several.
MARGINAL = CorrelatedPosterior.answering(
    replace(
        CorrelatedPosterior.model,
        kind="marginal_t",
        method="{p.source}",
        reference="t with {p.df} degrees of freedom",
    )
)
