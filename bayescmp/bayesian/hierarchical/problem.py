"""The prior of the hierarchical correlated t test, and the data of its program."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, replace

import numpy as np
from scipy.special import logit

from bayescmp.base import checks
from bayescmp.base.arguments import arg, must, must_be
from bayescmp.base.checks import instance
from bayescmp.base.fields import about
from bayescmp.base.magnitudes import places_by
from bayescmp.base.typing import Json
from bayescmp.bayesian.sampling import round_for_sampler
from bayescmp.engines.base import FitRequest, SamplerSettings, StanData
from bayescmp.scores.differences import Differences, SufficientStatistics
from bayescmp.scores.means import MeanDifferences
from bayescmp.scores.rope import Rope
from bayescmp.scores.runs import Runs
from bayescmp.wording.text import format_exactly, write_number

# Prior of the hierarchical correlated t test.


#: A bound, the least and the largest of several, or none that is known.
Bound = float | tuple[float, float] | None
#: Rules for the bounds, in words.
RANGE, LARGEST = "range of the metric", "max|x|"
LEAST = "100 standard errors of a mean"


#: The kind of the parameter ``prior``.
PRIOR = instance(
    "a HierarchicalPrior, as HierarchicalPrior.corani2017() or .benavoli2017()",
    f"{__name__}:HierarchicalPrior",
)


@dataclass(frozen=True)
class HierarchicalPrior:
    """Prior of the upper level of the hierarchical correlated t test.

    δ0 ~ Uniform(−b, b), σ0 ~ Uniform(0, k0·sd of the means), σ_i ~ Uniform(0, k·mean within-sd), ν
    − nu_offset ~ Gamma(α, β), α ~ Uniform(alpha), β ~ Uniform(beta).

    Attributes
    ----------
    alpha, beta : (float, float)
        Bounds of the shape and of the rate of ν's Gamma prior; equal bounds fix it.
    nu_offset : float
        Subtracted from ν before the Gamma prior, 0 to 1. The authors' program has 1.
    delta0_bound : float or None
        b, in units of the metric. None: the length of the metric's range if it is bounded (1 for
        accuracy), else the largest difference seen.
    largest_difference : bool
        Whether b is the largest difference seen, even for bounded metrics.
    sigma0_factor, sigma_factor : float
        k0 and k.
    name : str
        What results call the prior.

    Examples
    --------
    >>> import bayescmp as bc
    >>> str(bc.HierarchicalPrior.corani2017()).split("], ")[-1]
    'ν − 1 ~ Gamma(α, β), α ~ U(0.5, 5), β ~ U(0.05, 0.15)'
    >>> str(bc.HierarchicalPrior.benavoli2017()).split("], ")[-1]
    'ν − 1 ~ Gamma(α, β), α ~ U(1, 2), β ~ U(0.01, 0.1)'
    >>> prior = bc.HierarchicalPrior(delta0_bound=1.0)
    >>> prior.in_words(1.0, 20.0, 30.0).split(" [1000")[0]
    'custom: δ0 ~ U(−1, 1), σ0 ~ U(0, 20)'
    """

    alpha: tuple[float, float] = (0.5, 5.0)
    beta: tuple[float, float] = (0.05, 0.15)
    nu_offset: float = 1.0
    delta0_bound: float | None = None
    largest_difference: bool = False
    sigma0_factor: float = 1000.0
    sigma_factor: float = 1000.0
    name: str = "custom"

    def __post_init__(self) -> None:
        for part in ("alpha", "beta"):
            object.__setattr__(self, part, checks.check_bounds(getattr(self, part), part))
        checks.check_flags(largest_difference=self.largest_difference)
        if not checks.is_number(self.nu_offset) or not 0 <= self.nu_offset <= 1:
            raise must_be("nu_offset", "0 to 1", self.nu_offset)
        for part in ("sigma0_factor", "sigma_factor", "delta0_bound"):
            value = getattr(self, part)
            if value is not None:
                checks.positive_of_any_size(value, part)

    @classmethod
    def corani2017(cls) -> HierarchicalPrior:
        """Return the default, the prior of Corani et al. 2017, Machine Learning 106, sec. 3."""
        return cls(name="corani2017")

    @classmethod
    def benavoli2017(cls) -> HierarchicalPrior:
        """Return the prior of the tutorial (Benavoli et al. 2017, JMLR 18(77)), as published."""
        return cls((1.0, 2.0), (0.01, 0.1), largest_difference=True, name="benavoli2017")

    def to_dict(self) -> Json:
        """Return everything as plain numbers and strings, for JSON."""
        return {**asdict(self), "alpha": list(self.alpha), "beta": list(self.beta)}

    def in_words(
        self,
        delta0_bound: Bound = None,
        sigma0_upper: Bound = None,
        sigma_upper: Bound = None,
        delta0_rule: str = "",
        within: bool = True,
    ) -> str:
        """Return the whole prior in words: of δ0, σ0, the data sets' σ_i and ν.

        Bounds are those that a fit (or several) took from its data; without them the rules are
        stated, of δ0 only `delta0_rule`, if given. `within` is whether there are σ_i.
        """
        nu = f"ν − {format_exactly(self.nu_offset)}" if self.nu_offset else "ν"
        spread = f"{format_exactly(self.sigma0_factor)} × sd of the means, or {LEAST} if larger"
        of_folds = f"{format_exactly(self.sigma_factor)} × mean sd within"
        parts = [
            "δ0 ~ " + _say_bound(delta0_rule or self._bound_rule(), delta0_bound, both=True),
            "σ0 ~ " + _say_bound(spread, sigma0_upper),
            *(["σ_i ~ " + _say_bound(of_folds, sigma_upper)] if within else []),
            f"{nu} ~ Gamma(α, β)",
            say_range("α", self.alpha),
            say_range("β", self.beta),
        ]
        return f"{self.name}: {', '.join(parts)}"

    def _bound_rule(self) -> str:
        """Say how δ0's bound is found."""
        if self.delta0_bound is not None:
            return format_exactly(self.delta0_bound)
        return LARGEST if self.largest_difference else f"{RANGE}, or {LARGEST}"

    def resolved_rule(self, span: float | None, bound: float) -> str:
        """Say which rule gave δ0 its bound, given the length of the metric's range."""
        if self.delta0_bound is not None:
            return self._bound_rule()
        ranged = span is not None and not self.largest_difference and bound <= span
        return RANGE if ranged else LARGEST

    def __str__(self) -> str:
        return self.in_words()


def _say_bound(rule: str, value: Bound, *, both: bool = False) -> str:
    """Name a uniform distribution with its bound: a number, and the rule that it came from."""
    ends = value if isinstance(value, tuple) else (value, value)
    shown = ["b" if end is None else write_number(end, ".4g") for end in ends]
    bound = shown[0]
    if shown[0] != shown[1]:
        bound, rule = "b", f"{rule}, {shown[0]} to {shown[1]}"
    rule_in_words = f" [b = {rule}]" if bound == "b" else "" if rule == bound else f" [{rule}]"
    return f"U({f'−{bound}' if both else '0'}, {bound}){rule_in_words}"


def say_range(letter: str, ends: tuple[float, float]) -> str:
    """Say from where to where a parameter's prior is uniform, or what the parameter is."""
    low, high = map(format_exactly, ends)
    return f"{letter} = {low}" if low == high else f"{letter} ~ U({low}, {high})"


def bound_gamma(alpha: tuple[float, float], beta: tuple[float, float]) -> StanData:
    """Return bounds of shape and rate of ν's Gamma distribution, as the programs name them."""
    names = ("alpha_lower", "alpha_upper", "beta_lower", "beta_upper")
    return dict(zip(names, (*alpha, *beta), strict=True))


# From differences and a prior to the data of the hierarchical program.


MODEL = "hierarchical_correlated_t"
#: Parameters of the upper level, and variables of the program that results are made of, with
#: whether each is a scalar.
UPPER = ("delta0", "sigma0", "nu")
KEEP = {**dict.fromkeys(UPPER, True), "delta": False, "sigma": False}


@dataclass(frozen=True, eq=False)
class ScaledProblem:
    """The program's data on the scale of the mean within-sd, and the way back.

    `data` is the program's data block, its rows sorted (row i is data set ``order[i]``), and
    `scale` is in units of the metric; `statistics` are of the data sets in their own order and
    units, with a spread for `constant` (q,) ones from the resolution `step` (q,), which only the
    ROPE gives if `from_rope`. `span` is the length of the metric's range, if any, `largest` (q,)
    the largest difference of any fold, if known.
    """

    data: StanData
    scale: float = field(metadata=about(over=0))
    order: np.ndarray
    statistics: SufficientStatistics
    constant: np.ndarray = field(metadata=about("dataset"))
    step: np.ndarray = field(metadata=about("dataset", over=0, gaps=True))
    span: float | None = None
    from_rope: bool = False
    largest: np.ndarray | None = field(default=None, metadata=about("dataset"))

    def check_rows(self) -> None:
        """Refuse rows of the data that are not those of the statistics, in the stated order."""
        s, order = self.statistics, self.order
        if not np.array_equal(np.sort(order), np.arange(len(s.n))):
            raise must_be("order", f"each number from 0 to {len(s.n) - 1} once", order.tolist())
        rows = rows_of(s, self.scale)
        same = {name: np.allclose(self.data[name], v[order], 1e-9, 0) for name, v in rows.items()}
        for name, right in {**same, "q": self.data["q"] == len(order)}.items():
            if not right:
                raise must_be(f"problem.data.{name}", "the value that the statistics give")

    def with_rope(self, rope: Rope, prior: HierarchicalPrior) -> ScaledProblem:
        """The problem as another ROPE poses it: the same, unless the ROPE gave the resolution."""
        if not self.from_rope or not rope.width:
            return self
        none = np.zeros_like(self.statistics.ss)
        raw = replace(self.statistics, ss=none)
        steps = np.full(len(none), rope.width)
        return _scale_statistics(raw, steps, none, prior, self.span, True)

    def change_assumptions(
        self,
        prior: HierarchicalPrior,
        *,
        rho: float | None = None,
        without: int | np.ndarray | None = None,
    ) -> ScaledProblem:
        """Return the problem with another prior or rho, or without some of the data sets."""
        rows = np.arange(len(self.order))
        rows = rows if without is None else np.delete(rows, without)
        s = self.statistics
        rhos = s.rho if rho is None else np.full(len(s.rho), rho)
        stats = s.select(rows, rho=rhos, constant=self.constant)
        bound = self.data["delta0_bound"] * self.scale
        largest = np.full(len(self.order), bound) if self.largest is None else self.largest
        return _scale_statistics(
            stats, self.step[rows], largest[rows], prior, self.span, self.from_rope
        )

    def replace_statistics(
        self, statistics: SufficientStatistics, prior: HierarchicalPrior, bound: float
    ) -> ScaledProblem:
        """Return the problem with other statistics of its data sets, and perhaps further ones.

        The first q rows are the observed data sets, in their own order. `bound` is δ0's.
        """
        more = len(statistics.n) - len(self.step)
        step = np.append(self.step, np.full(more, np.nan))
        prior = replace(prior, delta0_bound=bound)
        largest = np.full(len(step), bound)
        return _scale_statistics(statistics, step, largest, prior, self.span, self.from_rope)

    def ends_of(self, rope: Rope) -> tuple[float, float]:
        """Return the lower and the upper bound of a ROPE in the problem's unit."""
        return rope.low / self.scale, rope.high / self.scale

    def own_order(self, values: np.ndarray) -> np.ndarray:
        """Return values of shape (..., q) in the data sets' own order."""
        return values[..., np.argsort(self.order)]

    def orient_canonically(self) -> tuple[ScaledProblem, float, np.ndarray]:
        """Return the problem or its mirror image, whichever comes first, for a sampler.

        Data are rounded to eleven digits. Also return the sign, -1 for the mirror image, and the
        index of each of its rows in this problem.
        """
        varying = ("xbar", "ss", "delta0_bound", "sigma0_upper", "sigma_upper")
        data = {k: round_for_sampler(v) if k in varying else v for k, v in self.data.items()}
        images = {
            sign: _in_order({**data, "xbar": sign * data["xbar"] + 0.0}) for sign in (1.0, -1.0)
        }
        sign = min(images, key=lambda s: images[s][0]["xbar"].tolist())
        chosen, rows = images[sign]
        return replace(self, data=chosen, order=self.order[rows]), sign, rows

    def request(self, seed: int, settings: SamplerSettings, progress: bool = False) -> FitRequest:
        """Return the request for an engine."""
        inits = self.inits(seed, settings.chains)
        return FitRequest(MODEL, self.data, seed, KEEP, inits, settings, progress)

    def inits(self, seed: int, chains: int) -> list[StanData]:
        """Draw initial values near the data, one mapping per chain."""
        rng = np.random.default_rng([seed, 1])
        x, q = self.data["xbar"], int(self.data["q"])
        bound, upper = self.data["delta0_bound"], self.data["sigma0_upper"]
        spread = min(float(np.std(x)) + 0.1, upper / 4)
        centre = np.median(x) + 0.1 * spread * rng.normal(size=chains)
        delta0 = np.clip(centre / bound, -0.9, 0.9)
        sigma0 = spread * rng.uniform(0.5, 1.5, size=chains)
        return [
            {
                "delta0_logit": float(logit((delta0[i] + 1) / 2)),
                "sigma0_logit": float(logit(sigma0[i] / upper)),
                "nu_raw": rng.uniform(2, 10),
                "alpha_unit": rng.uniform(0.25, 0.75),
                "beta_unit": rng.uniform(0.25, 0.75),
                "z": (0.1 * rng.normal(size=q)).tolist(),
                "log_lambda": (0.1 * rng.normal(size=q)).tolist(),
            }
            for i in range(chains)
        ]


def _in_order(data: StanData) -> tuple[StanData, np.ndarray]:
    """Return a data block with its rows sorted, and which row went where."""
    rows = places_by(*(data[name] for name in ("xbar", "ss", "n", "rho", "factor")))
    names = ("n", "xbar", "ss", "rho", "factor")
    return {**data, **{name: data[name][rows] for name in names}}, rows


def rows_of(stats: SufficientStatistics, scale: float) -> StanData:
    """Return a row for each data set, as the program takes it, in its own order."""
    return {
        "n": stats.n,
        "xbar": stats.mean / scale,
        "ss": stats.ss / scale**2,
        "rho": stats.rho,
        "factor": stats.factor,
    }


def pose(
    d: Differences | Runs | MeanDifferences, prior: HierarchicalPrior, rope: Rope
) -> ScaledProblem:
    """Return the program's data for these scores; the prior's bounds are filled in from them."""
    raw = d.statistics()
    if isinstance(d, MeanDifferences):  # no row is constant
        return _scale_statistics(raw, np.full(d.q, np.nan), d.largest, prior, d.span, False)
    step, from_rope = _steps(d, raw, rope)
    return _scale_statistics(raw, step, d.largest, prior, d.span, from_rope)


def _scale_statistics(
    raw: SufficientStatistics,
    step: np.ndarray,
    largest: np.ndarray,
    prior: HierarchicalPrior,
    span: float | None,
    from_rope: bool,
) -> ScaledProblem:
    """Return the problem from the statistics, with constant rows unchanged."""
    ss = np.where(raw.constant, raw.scores * step**2 / 12, raw.ss)
    stats = replace(raw, ss=ss)
    scale = _mean(stats.within)
    order = places_by(raw.mean, ss, raw.n, raw.rho, raw.factor)
    data = {
        "q": len(order),
        **{name: row[order] for name, row in rows_of(stats, scale).items()},
        **{k: v / scale for k, v in _bounds(stats, prior, float(largest.max()), span).items()},
        **bound_gamma(prior.alpha, prior.beta),
        "nu_offset": prior.nu_offset,
    }
    return ScaledProblem(data, scale, order, stats, raw.constant, step, span, from_rope, largest)


def _steps(
    d: Differences | Runs, raw: SufficientStatistics, rope: Rope
) -> tuple[np.ndarray, bool]:
    """Return each data set's resolution, and whether only the ROPE gives it."""
    known = d.resolution
    if not np.isnan(known[raw.constant]).any():
        return np.where(raw.constant, known, np.nan), False
    seen = d.step_seen if np.isnan(known).all() else float(np.nanmin(known))
    if not np.isnan(seen):
        return np.where(np.isnan(known), seen, known), False
    if not rope.width:
        raise must(
            "rope",
            "be given if all differences are zero, since nothing else shows the resolution of the "
            "metric",
            "none",
            f"Use {arg('rope', 0.01)}, for instance.",
        )
    return np.full(d.q, rope.width), True


def _bounds(
    stats: SufficientStatistics, prior: HierarchicalPrior, largest: float, span: float | None
) -> dict[str, float]:
    """Return the upper bounds of the uniform priors, in units of the metric.

    If the means agree far better than their noise, σ0's bound is 100 standard errors of a mean.
    """
    error = stats.within * np.sqrt(stats.factor)
    q = len(stats.mean)
    spread = math.sqrt(math.fsum((stats.mean - _mean(stats.mean)) ** 2) / (q - 1))
    return {
        "delta0_bound": _delta0_bound(stats, prior, largest, span),
        "sigma0_upper": max(prior.sigma0_factor * spread, 100 * _mean(error)),
        "sigma_upper": prior.sigma_factor * _mean(stats.within),
    }


def _mean(values: np.ndarray) -> float:
    """Mean by an exactly rounded sum: to the last bit the same in any order of the data sets."""
    return math.fsum(values) / len(values)


def _delta0_bound(
    stats: SufficientStatistics, prior: HierarchicalPrior, largest: float, span: float | None
) -> float:
    """Bound of δ0: the prior's own, else the metric's range, else the largest difference."""
    if prior.delta0_bound is not None:
        return prior.delta0_bound
    if largest == 0:  # all rows zero: what their spread was made of
        largest = float(np.sqrt(12 * stats.ss / stats.scores).max())
    if prior.largest_difference or span is None:
        return largest
    return max(span, largest)
