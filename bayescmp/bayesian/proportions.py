"""Two or more proportions from different, independent trials, with Beta posteriors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betaincc, betaincinv, betaln, expit, logit, xlogy

from bayescmp.base.arguments import either, must_be
from bayescmp.base.checks import (
    Seed,
    is_number,
    items_of,
    seed_of,
)
from bayescmp.base.fields import about
from bayescmp.base.records import Record
from bayescmp.base.typing import Json
from bayescmp.bayesian.paired.items import ItemModel, ItemPosterior, solve_quantile
from bayescmp.errors import InputError
from bayescmp.results.arviz import row_of
from bayescmp.results.plan import ItemPlan
from bayescmp.results.posterior import CHAINS, DRAWS, name_closed_form
from bayescmp.results.verdict import Interval
from bayescmp.scores.counts import Counts, SuccessCounts, read_two_counts
from bayescmp.scores.metrics import Direction
from bayescmp.scores.rope import RopeLike, as_rope
from bayescmp.wording.text import format_count, format_exactly

# Integrals over Beta distributions.


#: Smallest and largest weight of a Beta prior. Under a smaller one, proportions that no float can
#: tell from 0 have a noticeable probability.
LEAST, MOST = 0.05, 1e9
#: Tanh-sinh nodes, as distances from the lower bound in half-lengths of the interval, and weights.
_STEP = 0.05
_T = _STEP * np.arange(-72, 73)
_FROM_LOW = 2 / (1 + np.exp(-np.pi * np.sinh(_T)))
_WEIGHT = _STEP * np.pi / 2 * np.cosh(_T) / np.cosh(np.pi / 2 * np.sinh(_T)) ** 2

#: The two parameters of a Beta distribution.
Weights = tuple[float, float]


def upper_tail(first: Weights, second: Weights, x: float) -> tuple[float, float]:
    """P(p₂ − p₁ > x) for independent p₁ ~ Beta(first) and p₂ ~ Beta(second), and its error.

    It is ∫ P(p₂ > F₁⁻¹(u) + x) du over 0 to 1, where p₁ is the narrower, so that the integrand has
    no step, by tanh-sinh nodes. The error is the change from half of the nodes.
    """
    if abs(x) >= 1:
        return float(x < 0), 0.0
    if _variance(first) > _variance(second):  # 1 − p₂ and 1 − p₁ have the same difference
        first, second = second[::-1], first[::-1]
    below = float(betainc(*first, -x)) if x < 0 else 0.0  # there any p₂ is large enough
    above = float(betaincc(*first, 1 - x)) if x > 0 else 0.0  # there none is
    half = (1 - below - above) / 2
    if half <= 0:
        return below, 0.0
    u, rest = below + half * _FROM_LOW, above + half * _FROM_LOW[::-1]
    low = u < rest
    beyond = np.empty_like(u)  # by p₁, or by 1 − p₁ where p₁ may be near 1: with all digits
    beyond[low] = betaincc(*second, np.clip(betaincinv(*first, u[low]) + x, 0, 1))
    beyond[~low] = betainc(*second[::-1], np.clip(betaincinv(*first[::-1], rest[~low]) - x, 0, 1))
    terms = half * _WEIGHT * beyond
    whole, coarse = terms.sum(), 2 * terms[::2].sum()
    return float(min(below + whole, 1.0)), float(abs(whole - coarse)) + 1e-15


def _variance(weights: Weights) -> float:
    a, b = weights
    return a * b / ((a + b) ** 2 * (a + b + 1))


#: Gauss-Legendre nodes of a panel; panels are between these quantiles of all distributions.
_NODES, _NODE_WEIGHTS = np.polynomial.legendre.leggauss(16)
_TAILS = np.array([1e-14, 1e-9, 1e-5, 1e-3, 0.03, 0.2])


def probabilities_best(weights: Sequence[Weights]) -> np.ndarray:
    """Return P(each of several Beta variables is the largest), ∫ f_i(x) Π F_j(x) dx."""
    a, b = np.array(weights).T[..., None]
    lower, upper = logit(betaincinv(a, b, _TAILS)), -logit(betaincinv(b, a, _TAILS))
    middle = logit(betaincinv(a, b, 0.5))
    edges = np.unique(np.nan_to_num(np.r_[lower.ravel(), middle.ravel(), upper.ravel()]))
    half = np.diff(edges)[:, None] / 2
    t = ((edges[1:] + edges[:-1])[:, None] / 2 + half * _NODES).ravel()
    steps = (half * _NODE_WEIGHTS).ravel()
    x, rest = expit(t), expit(-t)
    density = np.exp(xlogy(a, x) + xlogy(b, rest) - betaln(a, b)) * steps
    below = np.where(t < 0, betainc(a, b, x), betaincc(b, a, rest))
    ones = np.ones((1, len(t)))
    before = np.cumprod(np.r_[ones, below[:-1]], axis=0)
    after = np.cumprod(np.r_[ones, below[:0:-1]], axis=0)[::-1]
    best = (density * before * after).sum(axis=1) / density.sum(axis=1)
    return np.asarray(best / best.sum())


# Two proportions.


def proportions(
    first: Counts | Mapping[str, ArrayLike] | ArrayLike | str,
    second: ArrayLike | str | None = None,
    *,
    rope: RopeLike | None = None,
    prior: tuple[float, float] = (0.5, 0.5),
    names: Sequence[str] | None = None,
    seed: Seed = None,
) -> ProportionsPosterior:
    """Bayesian comparison of two proportions of successes in different, independent trials.

    With s successes in n trials and the prior Beta(a, b), a proportion's posterior is Beta(a + s,
    b + n − s). Probabilities of their difference are integrals, without draws.

    Parameters
    ----------
    first, second : (int, int) or str
        Successes and trials of each: (14, 20), or "14/20"; or ``first`` maps two names to them.
    rope : float or (float, float), optional
        Region of practical equivalence, in proportions; by default the direction is judged.
    prior : (float, float)
        Weights of the Beta prior: ½ and ½ is Jeffreys' prior, 1 and 1 the uniform one.
    names : (str, str), optional
        The two algorithms, if ``first`` is not a mapping.
    seed : int or numpy Generator, optional
        Of ``draws``; nothing else is random.

    Returns
    -------
    ProportionsPosterior

    Raises
    ------
    InputError
        More successes than trials, no trials, numbers that are not whole; bad options.

    See Also
    --------
    bayescmp.compare_counts, paired_proportions, bayescmp.frequentist.barnard

    References
    ----------
    Agresti & Min (2005), Biometrics 61:515-523, section 2, on Beta(½, ½).

    Examples
    --------
    An agent solved 14 of 20 tasks, and a new version 17 of 20 other tasks:

    >>> import bayescmp as bc
    >>> posterior = bc.bayesian.proportions((14, 20), (17, 20), rope=0.05, names=("old", "new"))
    >>> verdict = posterior.verdict()
    >>> round(verdict.p_left, 4), round(verdict.p_rope, 4), round(verdict.p_right, 4)
    (0.0636, 0.1656, 0.7707)
    """
    counts = read_two_counts(first, second, names)
    one, other = counts
    return ProportionsPosterior(
        answer=_answer(counts[one], counts[other], read_prior(prior)),
        dataset="",
        names=(one, other),
        rope=as_rope(rope),
        **name_closed_form(),
        seed=seed_of(seed),
        pairing=SEPARATE,
        sample="trial",
        metric=RATE.metric,
        directions=(RATE,),
        notes=(SAME_QUESTIONS.format(items=either("bayescmp.Items", "a table of answers")),),
    )


#: The metric.
RATE = Direction("success rate", evidence="declared")
#: Why the trials do not pair.
SEPARATE = "from different, independent trials"
SAME_QUESTIONS = (
    "if both were tried on the same questions, their answers pair and show more: compare {items}"
)


def read_prior(prior: object) -> Weights:
    """Read the two weights of a Beta prior."""
    given = items_of(prior) if isinstance(prior, tuple | list | np.ndarray) else ()
    weights = [float(weight) for weight in given if is_number(weight)]
    if not len(given) == len(weights) == 2 or not all(LEAST <= w <= MOST for w in weights):
        raise must_be(
            "prior", f"two weights from {LEAST:g} to {MOST:g}, such as (0.5, 0.5)", prior
        )
    return weights[0], weights[1]


def _answer(first: SuccessCounts, second: SuccessCounts, prior: Weights) -> Independent:
    counts = np.array([first, second], dtype=float)
    return Independent(counts[:, 0], counts[:, 1], np.array(prior))


def weights_of(counts: Counts, prior: Weights) -> list[Weights]:
    """Return the parameters of each proportion's Beta posterior."""
    a, b = prior
    return [(a + count.successes, b + count.trials - count.successes) for count in counts.values()]


@dataclass(frozen=True, eq=False)
class Independent(Record):
    """The difference of two proportions, by `successes`, `trials` (2,) and a Beta `prior`."""

    successes: np.ndarray = field(metadata=about(least=0))
    trials: np.ndarray = field(metadata=about(least=1))
    prior: np.ndarray = field(metadata=about(over=0))

    floor, exact, ends = 1e-15, True, (-1.0, 1.0)

    @cached_property
    def weights(self) -> tuple[Weights, Weights]:
        """Parameters of the two Beta posteriors."""
        a, b = self.prior + np.c_[self.successes, self.trials - self.successes]
        return (float(a[0]), float(a[1])), (float(b[0]), float(b[1]))

    @property
    def prior_text(self) -> str:
        """The prior in words."""
        return f"Beta({', '.join(map(format_exactly, self.prior))}) of each proportion"

    @property
    def prior_numbers(self) -> Json:
        """The prior as plain numbers, for JSON."""
        return {"weights": self.prior.tolist()}

    @property
    def questions(self) -> int:
        """Number of trials of both."""
        return int(self.trials.sum())

    @property
    def size_text(self) -> str:
        """Number of trials, in words."""
        return format_count(self.questions, "trial")

    def details(self, names: tuple[str, str]) -> str:
        """Return the counts in words."""
        each = zip(names, self.successes, self.trials, strict=True)
        counts = [(name, f"{s:.0f}/{n:.0f}") for name, s, n in each]
        return ", ".join(name if name == count else f"{name} {count}" for name, count in counts)

    def tail(self, x: float, upper: bool) -> tuple[float, float]:
        """P(δ > x) or P(δ < x), and its numerical error."""
        first, second = self.weights
        return upper_tail(first, second, x) if upper else upper_tail(second, first, -x)

    def quantile(self, p: float) -> float:
        """Return the quantile of δ."""
        if p not in self._quantiles:
            self._quantiles[p] = solve_quantile(self, p)
        return self._quantiles[p]

    @cached_property
    def _quantiles(self) -> dict[float, float]:
        return {}

    def vary_prior(self) -> Iterator[tuple[str, Independent]]:
        """Yield what is found under other priors, each with its words."""
        for weight, words in ((0.5, "Jeffreys' prior"), (1.0, "uniform"), (2.0, "two in each")):
            if (self.prior != weight).any():
                yield words, replace(self, prior=np.full(2, weight))

    def density(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the density of δ on a grid."""
        x = np.linspace(self.quantile(1e-4), self.quantile(1 - 1e-4), 201)
        below = np.array([self.tail(at, False)[0] for at in x])
        return x, np.gradient(below, x)

    def draw(self, seed: int) -> Mapping[str, np.ndarray]:
        """Independent draws of both proportions, "first" and "second", and of "delta"."""
        rng = np.random.default_rng(seed)
        first, second = (rng.beta(*weights, (CHAINS, DRAWS)) for weights in self.weights)
        return {"first": first, "second": second, "delta": second - first}

    def rows(self, interval: Interval) -> dict[str, dict[str, float]]:
        """Return the summary's numbers, of δ and of both proportions."""
        means = [a / (a + b) for a, b in self.weights]
        variances = [_variance(weights) for weights in self.weights]
        row = (means[1] - means[0], float(np.sqrt(sum(variances))), self.quantile(0.5))
        rows = {"delta": row_of(*row, *interval)}
        for name, mean, variance, (a, b) in zip(
            ("first", "second"), means, variances, self.weights, strict=True
        ):
            quantiles = betaincinv(a, b, [0.5, 0.025, 0.975])
            rows[name] = row_of(mean, float(np.sqrt(variance)), *map(float, quantiles))
        return rows


PROPORTIONS = ItemModel(
    kind="proportions",
    method="Bayesian comparison of independent proportions",
    reference="Agresti & Min 2005",
    quantity="difference in success rate",
    target="new trials on {p.dataset}",
    target_unnamed="new trials",
    answer=Independent,
    unplanned="Plans need pairs of scores, and trials are independent.",
    fixed={"rho": "trials are independent"},
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ProportionsPosterior(ItemPosterior):
    """Posterior of the difference of two proportions from independent trials.

    Attributes
    ----------
    answer : Independent
        The counts, the prior, and the distribution of the difference.

    Examples
    --------
    >>> import bayescmp as bc
    >>> posterior = bc.bayesian.proportions("14/20", "17/20", rope=0.05)
    >>> posterior.summary()["median"].round(2).to_dict()
    {'delta': 0.14, 'first': 0.7, 'second': 0.84}
    """

    model: ItemModel = PROPORTIONS

    @property
    def data_text(self) -> str:
        """The counts of both."""
        return self.details

    def plan(self, *args: Any, **options: Any) -> ItemPlan:
        """Refuse a plan, and name the call that counts further trials."""
        row = self.summary()["mean"]
        spread = sum(p * (1 - p) for p in (row["first"], row["second"]))
        raise InputError(
            "The plan must be of questions that pair (got separate trials). For the number of "
            "trials of each, from none, use "
            f"bayescmp.plan_items(difference={row['delta']:.3g}, between={spread:.3g}, "
            f"rope={self.rope.size:g})."
        )
