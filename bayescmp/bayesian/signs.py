"""Two algorithms on the means of several data sets: the Bayesian sign and signed-rank tests.

Masses of pair sums (Walsh averages) in the signed-rank test (Benavoli et al. 2014) are those of a
Dirichlet process: weights w ~ Dirichlet(s, 1, ..., 1) of a pseudo-observation z0 and the sorted
differences z_1 <= ... <= z_q are g / Σg with g_0 ~ Gamma(s) and e_i ~ Exponential(1). The mass
right of the ROPE is Σ_ij w_i w_j [z_i + z_j > 2r]. Row i of that sum has every j >= first[i], and
``first`` falls as i grows: a staircase, symmetric. Let d be the first row with first[d] <= d, and
E the cumulative weights. Rows d and later are all paired with each other; earlier rows have all
their pairs among those, and each counts twice:

    Σ_ij = (T - E[d])² + 2 Σ_{i<d} e_i (T - E[first[i]]),    T = E[q].
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, gammainc, gammainccinv, gammaincinv, gammaln

from bayescmp.base.arguments import either, must, must_be
from bayescmp.base.checks import (
    Seed,
    check_choice,
    check_names,
    check_whole,
    one_table,
    seed_of,
)
from bayescmp.base.fields import about
from bayescmp.base.magnitudes import HEAVIEST, MOST, ROUNDING
from bayescmp.base.typing import Json, Variation
from bayescmp.results.arviz import row_of
from bayescmp.results.plan import Plan
from bayescmp.results.posterior import (
    Model,
    Posterior,
    name_closed_form,
    probabilities_of,
    split_mass,
)
from bayescmp.results.regions import THREE
from bayescmp.results.verdict import IfKnown
from bayescmp.scores.differences import Differences, as_differences
from bayescmp.scores.frames import arrange, pair_of
from bayescmp.scores.rope import Rope, RopeLike, as_rope
from bayescmp.wording.text import format_exactly, words_of

# Dirichlet posteriors of the sign test: weights of the regions, and which is the largest.


#: Places of the prior's weight, with its shares on (left, rope, right).
PLACES = {
    "left": (1.0, 0.0, 0.0),
    "rope": (0.0, 1.0, 0.0),
    "right": (0.0, 0.0, 1.0),
    "sides": (0.5, 0.0, 0.5),
}


def slack_of(z: np.ndarray, rope: Rope) -> float:
    """Return the distance at which a difference still equals a bound of the ROPE."""
    return ROUNDING * max(float(np.abs(z).max()), rope.size)


def count_regions(z: np.ndarray, rope: Rope) -> np.ndarray:
    """Count data sets left of, in (bounds included) and right of the ROPE, shape (3,)."""
    slack = slack_of(z, rope)
    left = int((z < rope.low - slack).sum())
    right = int((z > rope.high + slack).sum())
    return np.array([left, len(z) - left - right, right], dtype=float)


def largest_component(alpha: np.ndarray, points: int = 4001) -> tuple[np.ndarray, float]:
    """Return the probability that each component of a Dirichlet vector is the largest.

    With independent G_k ~ Gamma(α_k, 1) it is P(k is largest) = ∫ f_k(g) Π_{j≠k} F_j(g) dg, by the
    trapezoid rule in t = log g. A component with α = 0 is never the largest. Also returned is how
    far the sum of the probabilities was from one.
    """
    live = np.flatnonzero(alpha > 0)
    a = alpha[live, None]
    # The largest component is at least the one with the largest parameter, whose quantiles
    # therefore bound where it can be.
    top, tiny = float(a.max()), 1e-18
    # P(G < g) <= g^α / Γ(α + 1): for α < 1 the quantile itself may be too small a number
    low = np.log(gammaincinv(top, tiny)) if top > 1 else (np.log(tiny) + gammaln(top + 1)) / top
    t = np.linspace(low, np.log(gammainccinv(top, tiny)), points)
    g = np.exp(t)
    density = np.exp(a * t - g - gammaln(a))  # of log G_k
    below = gammainc(a, g)
    others = np.array([np.delete(below, k, axis=0).prod(axis=0) for k in range(len(live))])
    mass = (density * others).sum(axis=1) * (t[1] - t[0])
    p = np.zeros(len(alpha))
    p[live] = mass / mass.sum()
    return p, abs(float(mass.sum()) - 1)


def larger_side(alpha: np.ndarray) -> np.ndarray:
    """P(θ_left > θ_right), 0 and P(θ_right > θ_left) for a Dirichlet, shape (3,)."""
    left, _, right = alpha
    if left == right == 0:
        return np.array([0.5, 0.0, 0.5])
    if left == 0 or right == 0:
        return np.array([float(right == 0), 0.0, float(left == 0)])
    return np.array([betainc(right, left, 0.5), 0.0, betainc(left, right, 0.5)])


# Shared parts of the tests on the means of several data sets: reading, and their posteriors.


#: Places of a prior's weight, in words.
WHERE = {
    "rope": "in the ROPE",
    "sides": "half on each side",
    "left": "on the left",
    "right": "on the right",
}


#: Draws, and how many of them are enough for a clear verdict and a summary, if none are given.
USUAL, ENOUGH = 50_000, 4000


@dataclass(frozen=True, kw_only=True)
class MeansModel(Model):
    """A test on the means of several data sets, as data.

    `draw_masses` turns the posterior and a ROPE into draws of the three masses, (1, draw, 3),
    `largest` into a verdict's numbers: probabilities ``p`` that each is the largest, their
    ``errors``, the ``expected`` masses, and the least probability ``floor``. `without_rope` is
    where a prior in the ROPE lies if there is none; `exact` is whether probabilities are computed,
    not counted in draws.
    """

    rows: str = "datasets"
    shows: tuple[str, ...] = ("simplex",)
    picture: str = "plot_simplex"
    picture_without_rope: str = "plot_histogram"
    fixed: Mapping[str, str] = field(
        default_factory=lambda: {"rho": "the test takes means, not folds"}, hash=False
    )
    draw_masses: Callable[[MeansPosterior, Rope], np.ndarray]
    largest: Callable[[MeansPosterior, Rope], Json]
    without_rope: str = "at zero"
    exact: bool = True


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MeansPosterior(Posterior):
    """Posterior of a test on the means of several data sets.

    Its three masses are the probabilities that the model's target ("a new data set") falls left
    of, in and right of the ROPE. Its methods take a ROPE instead of the test's own.

    Attributes
    ----------
    z : ndarray of shape (q,)
        Mean difference on each data set.
    datasets : tuple of str
        Names of the data sets.
    prior, place : float; str
        Weight of the prior, and where: "left", "rope", "right", or "sides" (half on each side).
    size, enough : int
        Number of draws; of draws for a clear verdict and for the summary.

    Examples
    --------
    >>> import bayescmp as bc
    >>> z = [0.012, -0.003, 0.025, 0.03, 0.008, 0.041, -0.011, 0.017]
    >>> posterior = bc.bayesian.sign(z, rope=0.005, seed=1)
    >>> posterior.masses().mean(axis=(0, 1)).round(1).tolist()
    [0.1, 0.2, 0.7]
    """

    model: MeansModel
    z: np.ndarray = field(metadata=about("dataset"))
    datasets: tuple[str, ...]
    prior: float = field(metadata=about(least=0))
    place: str = field(metadata=about(among=tuple(PLACES)))
    size: int = field(metadata=about(least=1, below=MOST + 5))
    enough: int = field(metadata=about(least=1, below=MOST + 5))

    def counts(self, rope: RopeLike | None = None) -> np.ndarray:
        """Count data sets left of, in (bounds included) and right of the ROPE, shape (3,)."""
        return count_regions(self.z, self._region(rope))

    def weights(self, rope: RopeLike | None = None) -> np.ndarray:
        """Return the sign test's Dirichlet parameters: counts and prior weight, (3,)."""
        region = self._region(rope)
        place = "sides" if region.empty and self.place == "rope" else self.place
        where = np.array(PLACES[place])
        if region.one_sided:  # an end beyond the infinite one is still within
            beyond = 0 if np.isinf(region.low) else 2
            where[1], where[beyond] = where[1] + where[beyond], 0.0
        return self.counts(region) + self.prior * where

    def masses(self, rope: RopeLike | None = None) -> np.ndarray:
        """Draw the three masses, (1, draw, 3), by the same weights for every ROPE."""
        region = self._region(rope)
        return self._own_masses if region == self.rope else self.model.draw_masses(self, region)

    @cached_property
    def _own_masses(self) -> np.ndarray:
        return self.model.draw_masses(self, self.rope)

    @cached_property
    def walsh_models(self) -> dict[Rope, WalshModel]:
        """The pair sums in the signed-rank test's regions, by the ROPE."""
        return {}

    def _weigh_regions(self, rope: Rope) -> Json:
        """Return the probability that each of the three masses is the largest."""
        return {
            **self.model.largest(self, rope),
            "exact": self.model.exact,
            "prior": self._prior_in_words(rope),
            "known": IfKnown.from_masses(self.masses(rope)),
        }

    def _weigh_outcomes(self, rope: Rope) -> tuple[np.ndarray, np.ndarray]:
        parts = self.model.largest(self, rope)
        return parts["p"], parts["errors"]

    @cached_property
    def fewer(self) -> MeansPosterior:
        """The posterior with as many draws as a clear verdict needs, or itself."""
        return self if self.size <= self.enough else replace(self, size=self.enough)

    def _largest_difference(self) -> float:
        return float(np.abs(self.z).max())

    @property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws of the masses left of, in and right of the ROPE, each of shape (chain, draw)."""
        masses = self.masses()
        return {name: masses[..., i] for i, name in enumerate(THREE.regions)}

    @property
    def prior_text(self) -> str:
        """The prior in words."""
        return self._prior_in_words(self.rope)

    def _prior_in_words(self, rope: Rope) -> str:
        where = WHERE[self.place]
        if rope.empty and self.place == "rope":
            where = self.model.without_rope
        return f"weight {format_exactly(self.prior)} {where}"

    def prior_facts(self) -> Json:
        """Return the prior as words and plain numbers, for JSON."""
        return {**super().prior_facts(), "weight": self.prior, "place": self.place}

    def _vary(self, datasets: bool, refit: bool) -> Iterator[Variation]:
        """Yield other weights and places of the prior; then each data set left out in turn."""
        for weight in sorted({0.0, 2 * self.prior or 1.0}):
            yield "prior", f"weight {weight:g}", probabilities_of(replace(self, prior=weight))
        for place in PLACES if self.prior else ():
            if place != self.place:
                yield "prior", WHERE[place], probabilities_of(replace(self, place=place))
        few = len(self.z) < 3 or not datasets
        for i, name in enumerate(() if few else self.datasets):
            yield "without", name, probabilities_of(self.without(np.array([i])))

    def without(self, left_out: np.ndarray) -> MeansPosterior:
        """Return the posterior without some data sets, by their places."""
        rest = np.delete(np.arange(len(self.z)), left_out)
        return replace(self, z=self.z[rest], datasets=tuple(self.datasets[i] for i in rest))

    def plan(
        self,
        first: str | None = None,
        second: str | None = None,
        *,
        datasets: Iterable[int] = range(0, 41, 5),
        threshold: float = 0.95,
        simulations: int = 400,
        seed: Seed = 1,
        n_jobs: int | None = 1,
        progress: bool = True,
    ) -> Plan:
        """Predict how many more data sets decide the verdict, and for which outcome.

        Means of further data sets are simulated from a Student-t fitted to those seen, and all
        means decided by the same rule. All numbers of data sets share their random numbers.

        Parameters
        ----------
        first, second : str, optional
            The two algorithms, in either order.
        datasets, threshold, simulations, seed, n_jobs, progress
            As for `HierarchicalPosterior.plan`.

        Returns
        -------
        Plan
            With a frame, ``needed()``, ``explain()`` and ``plot()``.

        References
        ----------
        O'Hagan, Stevens & Campbell (2005), Pharmaceutical Statistics 4:187-201 ("assurance").
        """
        self.name_pair(first, second)
        from bayescmp.study.planning.means import plan_of_means

        return plan_of_means(
            self,
            datasets=datasets,
            threshold=threshold,
            simulations=simulations,
            seed=seed,
            n_jobs=n_jobs,
            progress=progress,
        )

    def _summary_rows(self) -> dict[str, dict[str, float]]:
        masses = self.fewer.masses()
        ends = np.quantile(masses, [0.5, 0.025, 0.975], axis=(0, 1))
        both = masses.mean(axis=(0, 1)), masses.std(axis=(0, 1), ddof=1)
        columns = zip(*both, *ends, strict=True)
        return {r: row_of(*row) for r, row in zip(THREE.regions, columns, strict=True)}

    @property
    def own_draws(self) -> int:
        """Number of independent draws behind the verdict at 0.95; 0 in closed form."""
        return 0 if self.model.exact else round(1 / self.verdict_without_limits().floor)


def read_means(
    x: ArrayLike | Differences,
    rope: RopeLike | None,
    prior: object,
    place: str,
    draws: object,
    seed: Seed,
    names: Sequence[str] | None,
    test: str,
) -> Json:
    """Check what both tests take, and make of it what both posteriors hold."""
    d = _means(x, names)
    if d.q < 2:
        raise must(
            "x",
            f"have at least two data sets for the {test}",
            f"only {d.datasets[0]!r}",
            f"Use {either('bayescmp.bayesian.correlated_t', test='correlated_t')} on the folds of "
            "one data set.",
        )
    z, size = d.means, check_whole("draws", USUAL if draws is None else draws, least=2)
    z.flags.writeable = False
    return {
        "z": z,
        "datasets": d.datasets,
        "names": d.names,
        **words_of(d.unit),
        **d.described(folds=False),
        "rope": as_rope(rope),
        "prior": _weight(prior),
        "place": check_choice("place", place, tuple(PLACES)),
        "size": size + size % 2,
        "enough": ENOUGH if draws is None else size + size % 2,
        "seed": seed_of(seed),
        **name_closed_form(),
    }


def _means(x: ArrayLike | Differences, names: Sequence[str] | None) -> Differences:
    """Read differences, a row per data set; a bare (q,) array is q data sets of one mean each."""
    if isinstance(x, Differences):
        return as_differences(x, names=names)
    pair = pair_of(x, "x", "dataset")
    if pair is not None:
        (first, second), own, datasets = np.hsplit(pair[0], 2), *pair[1:]
        d = Differences.from_arrays(first, second, rho=0.0, names=own, datasets=datasets)
        return as_differences(d, names=names)
    x, (datasets, *_) = arrange(x, "x", "dataset", "fold")
    if isinstance(x, Sequence | np.ndarray) and not isinstance(x, str) and len(x):
        x = [[value] for value in x] if np.ndim(x[0]) == 0 else x
    return Differences(x, rho=0.0, names=check_names(names), datasets=datasets)


def _weight(prior: Any) -> float:
    try:
        weight = np.nan if isinstance(prior, bool | np.bool_) else float(prior)
    except (TypeError, ValueError, OverflowError):
        weight = np.nan
    if not 0 <= weight <= HEAVIEST:
        raise must_be(
            "prior", "a weight of 0 to 1e9, in data sets", prior, "Its region is set by place."
        )
    return weight


# The Bayesian sign test: two algorithms on the means of q data sets (Benavoli et al. 2017).


@one_table()
def sign(
    x: ArrayLike | Differences,
    *,
    rope: RopeLike | None = None,
    prior: float = 1.0,
    place: str = "rope",
    draws: int | None = None,
    seed: Seed = None,
    names: Sequence[str] | None = None,
) -> MeansPosterior:
    """Bayesian sign test of two algorithms on several data sets.

    Data sets left of, in and right of the ROPE are counted; the probabilities θ that a new data
    set falls there have a Dirichlet posterior. The probability that each θ is the largest is
    computed by quadrature, with no Monte Carlo error.

    Parameters
    ----------
    x : Differences, DataFrame of two algorithms, or array_like of shape (q,)
        Mean differences on q >= 2 data sets, second minus first; rows of several are averaged.
    rope : float or (float, float), optional
        Region of practical equivalence, in units of the metric; its bounds are within. By default
        the direction is judged. With 0, differences of zero count half to each side.
    prior : float
        Weight of the prior, in data sets, > 0 or 0 for none.
    place : {"rope", "left", "right", "sides"}
        Where the prior's weight lies; "sides", and "rope" without one, put half on each side.
    draws : int, optional
        Draws for plots and ArviZ, by default 50,000.
    seed : int or numpy Generator, optional
    names : (str, str), optional

    Returns
    -------
    MeansPosterior

    Raises
    ------
    InputError
        Missing or infinite differences, fewer than two data sets, bad options.

    See Also
    --------
    signed_rank, bayescmp.frequentist.sign_test

    References
    ----------
    Benavoli, Corani, Demšar & Zaffalon (2017), JMLR 18(77), section 4.1.

    Examples
    --------
    >>> import bayescmp as bc
    >>> z = [0.012, -0.003, 0.025, 0.03, 0.008, 0.041, -0.011, 0.017]
    >>> posterior = bc.bayesian.sign(z, rope=0.005)
    >>> {region: round(p, 3) for region, p in posterior.verdict().probabilities.items()}
    {'left': 0.013, 'rope': 0.061, 'right': 0.926}
    """
    return MeansPosterior(
        model=SIGN, **read_means(x, rope, prior, place, draws, seed, names, "sign test")
    )


def draw_sign_masses(posterior: MeansPosterior, rope: Rope) -> np.ndarray:
    """Draw the masses from their Dirichlet, shape (1, draw, 3)."""
    rng = np.random.default_rng(posterior.seed)
    g = rng.standard_gamma(posterior.weights(rope), (posterior.size, 3))
    if rope.empty:
        g = g @ np.array([[1, 0, 0], [0.5, 0, 0.5], [0, 0, 1]])
    return (g / g.sum(axis=1, keepdims=True))[None]


def largest_by_quadrature(posterior: MeansPosterior, rope: Rope) -> Json:
    """Integrate the Dirichlet over where each mass is the largest."""
    alpha = posterior.weights(rope)
    mean = alpha / alpha.sum()
    if rope.one_sided:
        left, rest, right = alpha
        worse = larger_side(np.array([left + right, 0.0, rest]))[[0, 2]]
        p, error = np.where([left, 1, right], worse[[0, 1, 0]], 0.0), 1e-14
    elif rope.empty:
        p, error = larger_side(alpha), 1e-14
        mean = np.array([mean[0] + mean[1] / 2, 0.0, mean[2] + mean[1] / 2])
    else:
        p, error = largest_component(alpha)
    return {"p": p, "errors": np.full(3, max(error, 1e-14)), "expected": mean, "floor": 1e-12}


SIGN = MeansPosterior.answering(
    MeansModel(
        kind="sign",
        method="Bayesian sign test",
        reference="Benavoli et al. 2017",
        draw_masses=draw_sign_masses,
        largest=largest_by_quadrature,
        without_rope="half on each side",
    )
)


# Masses of pair sums (Walsh averages) under a Dirichlet process, for the signed-rank test.


#: Numbers in an array of one chunk of draws: few enough for a core's caches, unless that leaves so
#: few draws that calling NumPy costs more than its work; and a bound for any q.
CHUNK, FEW, MANY = 2**17, 512, 2**22
#: Bytes of weights that are kept for the next call.
KEPT = 2**26


@dataclass(frozen=True, eq=False)
class WalshModel:
    """Sorted differences `z` (q,), the ROPE of half a pair's sum, and the pseudo-observation z0.

    `prior` is its weight s, `place` where it is: "left" (minus infinity), "rope" (zero), "right",
    or "sides" (half to each side).
    """

    z: np.ndarray
    rope: Rope
    prior: float
    place: str

    def swapped(self) -> WalshModel:
        """Return the comparison with the algorithms in the other order."""
        place = {"left": "right", "right": "left"}.get(self.place, self.place)
        return WalshModel(-self.z[::-1], self.rope.swapped(), self.prior, place)

    @cached_property
    def left(self) -> _Region:
        """The pairs left of the ROPE, of the differences in the other order."""
        return self.swapped().right

    @cached_property
    def right(self) -> _Region:
        """The pairs right of the ROPE; those exactly at its bound count half."""
        q, slack, end = len(self.z), 2 * slack_of(self.z, self.rope), 2 * self.rope.high
        strict = np.searchsorted(self.z, end - self.z + slack, side="right")
        weak = np.searchsorted(self.z, end - self.z - slack, side="left")
        stairs = [strict] if np.array_equal(strict, weak) else [strict, weak]
        z0 = {"left": ((q, q), 0.0), "right": ((0, 0), 1.0), "sides": ((0, q), 0.5)}
        if np.isinf(end):  # nothing is beyond, not even a z0 that is infinite itself
            z0 = dict.fromkeys(z0, ((q, q), 0.0))
        starts, own = z0.get(self.place) or (
            (
                int(np.searchsorted(self.z, end + slack, side="right")),
                int(np.searchsorted(self.z, end - slack, side="left")),
            ),
            0.5 if end <= slack else 0.0,
        )
        return _Region(tuple(_Stairs.from_weights(first) for first in stairs), starts, own)


@dataclass(frozen=True, eq=False)
class _Stairs:
    """Pairs (i, j), j >= first[i] (q,); rows before `start` are empty, from `diagonal` on full."""

    first: np.ndarray
    start: int
    diagonal: int

    @classmethod
    def from_weights(cls, first: np.ndarray) -> _Stairs:
        q = len(first)
        diagonal = int(np.count_nonzero(first > np.arange(q)))  # first falls, the places rise
        return cls(first, min(int(np.count_nonzero(first >= q)), diagonal), diagonal)

    def mass(self, e: np.ndarray, E: np.ndarray) -> np.ndarray:
        """Return the mass under the weights e (q, n), with E (q + 1, n) their cumulative sums."""
        a, d, total = self.start, self.diagonal, E[-1]
        square = (total - E[d]) ** 2
        if a == d:
            return square
        pairs = np.einsum("in,in->n", e[a:d], E[self.first[a:d]])
        return square + 2 * (total * (E[d] - E[a]) - pairs)

    def mass_reversed(self, e: np.ndarray, E: np.ndarray) -> np.ndarray:
        """Return the mass under the weights in reverse order, for which E is not summed again."""
        a, d, q = self.start, self.diagonal, len(self.first)
        square = E[q - d] ** 2
        if a == d:
            return square
        return square + 2 * np.einsum("in,in->n", e[q - d : q - a], E[q - self.first[a:d][::-1]])


@dataclass(frozen=True, eq=False)
class _Region:
    """A region of the pair sums.

    `stairs` are without and with pairs at the bound of the ROPE, which count half (only one if no
    ties); `starts` are the first differences whose pair with z0 is in the region, likewise; `own`
    is the share of the pair (z0, z0).
    """

    stairs: tuple[_Stairs, ...]
    starts: tuple[int, int]
    own: float

    def mass(self, e: np.ndarray, E: np.ndarray, g0: np.ndarray, reverse: bool) -> np.ndarray:
        """Return the mass of the region, not normalised, shape (n,)."""
        q = len(e)
        masses = [s.mass_reversed(e, E) if reverse else s.mass(e, E) for s in self.stairs]
        with_z0 = [E[q - k] if reverse else E[q] - E[k] for k in self.starts]
        return sum(masses) / len(masses) + g0 * (with_z0[0] + with_z0[1]) + self.own * g0**2

    def expected(self, s: float) -> float:
        """Return the expected mass: E[w_i w_j] = α_i (α_j + [i = j]) / (A (A + 1))."""
        q = len(self.stairs[0].first)
        pairs = np.mean([(q - x.first).sum() + (q - x.diagonal) for x in self.stairs])
        with_z0 = s * sum(q - k for k in self.starts)
        total = q + s
        return float((pairs + with_z0 + self.own * s * (s + 1)) / (total * (total + 1)))


def expected_masses(model: WalshModel) -> np.ndarray:
    """Posterior means of the masses left of, in and right of the ROPE, shape (3,); exact."""
    right, left = (side.expected(model.prior) for side in (model.right, model.left))
    return split_mass(left, right, model.rope)


def draw_masses(model: WalshModel, pairs: int, seed: int) -> np.ndarray:
    """Draw the masses left of, in and right of the ROPE: shape (pairs, 2, 3).

    Weights are exchangeable and serve twice, in the order of the differences and in reverse:
    swapping the algorithms swaps the sides of the same draws. The same seed gives the same
    weights.
    """
    right, left = model.right, model.left
    left_mass, right_mass = np.empty((2, pairs, 2))
    done = 0
    for e, E, g0 in _weights(len(model.z), model.prior, pairs, seed):
        part = slice(done, done + len(g0))
        total = (E[-1] + g0) ** 2
        for k, reverse in enumerate((False, True)):
            right_mass[part, k] = right.mass(e, E, g0, reverse) / total
            if model.rope.empty:
                left_mass[part, k] = 1 - right_mass[part, k]
            else:
                left_mass[part, k] = left.mass(e, E, g0, not reverse) / total
        done += len(g0)
    return np.clip(split_mass(left_mass, right_mass, model.rope), 0, 1)


Weights = tuple[np.ndarray, np.ndarray, np.ndarray]


def _weights(q: int, s: float, pairs: int, seed: int) -> Iterable[Weights]:
    """Yield differences' weights (q, n), their cumulative sums (q + 1, n), and z0's weight (n,).

    In chunks, not normalised. Weights of no more than `KEPT` bytes stay for the next call: another
    ROPE or pair of algorithms under the same seed needs the same ones.
    """
    if 16 * q * pairs <= KEPT:
        return _kept_weights(q, s, pairs, seed)
    return _drawn_weights(q, s, pairs, seed)


@lru_cache(maxsize=2)
def _kept_weights(q: int, s: float, pairs: int, seed: int) -> tuple[Weights, ...]:
    return tuple(_drawn_weights(q, s, pairs, seed))


def _drawn_weights(q: int, s: float, pairs: int, seed: int) -> Iterator[Weights]:
    rng = np.random.default_rng(seed)
    size = max(CHUNK // q, min(FEW, MANY // q), 1)
    for start in range(0, pairs, size):
        n = min(size, pairs - start)
        e = rng.standard_exponential((q, n))
        E = np.empty((q + 1, n))
        E[0] = 0
        for i in range(q):  # np.cumsum over the first axis takes ten times as long
            np.add(E[i], e[i], out=E[i + 1])
        yield e, E, rng.standard_gamma(s, n)


#: Masses that differ by less are equal: they tie by structure (all differences zero, say).
TIE = 1e-12


@one_table()
def signed_rank(
    x: ArrayLike | Differences,
    *,
    rope: RopeLike | None = None,
    prior: float = 0.5,
    place: str = "rope",
    draws: int | None = None,
    seed: Seed = None,
    names: Sequence[str] | None = None,
) -> MeansPosterior:
    """Bayesian signed-rank test of two algorithms on several data sets.

    A Dirichlet process puts weights w ~ Dirichlet(s, 1, ..., 1) on a pseudo-observation z0 and the
    q differences. A draw's masses are θ_right = Σ_ij w_i w_j [z_i + z_j > 2r], θ_left likewise,
    and θ_rope the rest: where the mean of two data sets' differences falls. Sums at ±2r count
    half. The verdict is the proportion of draws in which each is the largest.

    Parameters
    ----------
    x : Differences, DataFrame of two algorithms, or array_like of shape (q,)
        Mean differences on q >= 2 data sets, second minus first; rows of several are averaged.
    rope : float or (float, float), optional
        Region of practical equivalence, in units of the metric; by default the direction is
        judged.
    prior : float
        Weight s of the pseudo-observation, >= 0.
    place : {"rope", "left", "right", "sides"}
        Where z0 is: at zero, at minus or plus infinity, or half to each side.
    draws : int, optional
        An even number; by default 4,000, or 50,000 if the threshold is within four standard
        errors.
    seed : int or numpy Generator, optional
    names : (str, str), optional

    Returns
    -------
    MeansPosterior

    Raises
    ------
    InputError
        Missing or infinite differences, fewer than two data sets, bad options.

    See Also
    --------
    sign, bayescmp.frequentist.wilcoxon

    References
    ----------
    Benavoli, Mangili, Corani, Zaffalon & Ruggeri (2014), ICML 32; Benavoli, Corani, Demšar &
    Zaffalon (2017), JMLR 18(77).

    Examples
    --------
    Mean differences of accuracy on eight data sets, second minus first:

    >>> import bayescmp as bc
    >>> z = [0.012, -0.003, 0.025, 0.03, 0.008, 0.041, -0.011, 0.017]
    >>> posterior = bc.bayesian.signed_rank(z, rope=0.005, seed=1)
    >>> round(posterior.verdict().p_right, 2), posterior.verdict().decision
    (0.97, 'second')
    """
    return MeansPosterior(
        model=SIGNED_RANK,
        **read_means(x, rope, prior, place, draws, seed, names, "signed-rank test"),
    )


def draw_rank_masses(posterior: MeansPosterior, rope: Rope) -> np.ndarray:
    """Draw masses of the pairs' means, (1, draw, 3); draws 2k and 2k + 1 share weights."""
    pairs = draw_masses(_model_of(posterior, rope), posterior.size // 2, posterior.seed)
    return pairs.reshape(1, -1, 3)


def largest_by_draws(posterior: MeansPosterior, rope: Rope) -> Json:
    """Count the draws in which each mass is the largest."""
    shares = _winners(posterior.masses(rope)).reshape(3, -1, 2)
    return {
        "p": shares.mean(axis=(1, 2)),
        "errors": _errors(shares),
        "expected": expected_masses(_model_of(posterior, rope)),
        "floor": 1 / posterior.size,
    }


def _model_of(posterior: MeansPosterior, rope: Rope) -> WalshModel:
    known = posterior.walsh_models
    if rope not in known:
        z = np.sort(posterior.z)
        known[rope] = WalshModel(z, rope, posterior.prior, posterior.place)
    return known[rope]


SIGNED_RANK = MeansPosterior.answering(
    MeansModel(
        kind="signed_rank",
        method="Bayesian signed-rank test",
        reference="Benavoli et al. 2014",
        target="the average of two new {p.unit}s",
        draw_masses=draw_rank_masses,
        largest=largest_by_draws,
        exact=False,
    )
)


def _winners(masses: np.ndarray) -> np.ndarray:
    """Return one for the largest mass of each draw, by region; those that tie share it."""
    regions = [masses[..., i] for i in range(3)]  # one by one: reducing an axis of 3 is slow
    least = np.maximum(np.maximum(regions[0], regions[1]), regions[2]) - TIE
    best = [m >= least for m in regions]
    share = 1 / (best[0].astype(np.int8) + best[1] + best[2])
    return np.stack([b * share for b in best])


def _errors(shares: np.ndarray) -> np.ndarray:
    """Return Monte Carlo errors of shares (regions, pairs, 2), never 0; pairs are independent."""
    pairs = shares.shape[1]
    spread = ((shares[..., 0] + shares[..., 1]) / 2).std(axis=1, ddof=1) / np.sqrt(pairs)
    p = shares.mean(axis=(1, 2))
    size = 2 * pairs
    moved = (p * size + 0.5) / (size + 1)
    return np.where((p > 0) & (p < 1), spread, np.sqrt(moved * (1 - moved) / size))
