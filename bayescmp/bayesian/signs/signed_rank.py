"""The Bayesian signed-rank test on the means of q data sets (Benavoli et al. 2014).

Its masses of pair sums (Walsh averages) are those of a Dirichlet process. The posterior puts
weights w ~ Dirichlet(s, 1, ..., 1) on a pseudo-observation z0 and the sorted differences
z_1 <= ... <= z_q: w = g / Σg with g_0 ~ Gamma(s) and the others e_i ~ Exponential(1).
The mass right of the rope is Σ_ij w_i w_j [z_i + z_j > 2r]. Row i of that sum holds every
j >= first[i], and ``first`` falls as i grows: a staircase. With cumulative weights E, its mass
takes one pass over the rows, and less than that, for the matrix is symmetric. From the first row
d with first[d] <= d on, all rows are paired with each other; those before have all their pairs
from d on, and each such pair counts twice:

    Σ_ij = (T - E[d])² + 2 Σ_{i<d} e_i (T - E[first[i]]),    T = E[q].
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.base.checks import Seed, one_table
from bayescmp.base.typing import Json
from bayescmp.bayesian.signs.sign import (
    MeansModel,
    MeansPosterior,
    read_means,
    slack_of,
)
from bayescmp.scores.differences import Differences
from bayescmp.scores.rope import Rope, RopeLike

# Masses of pair sums (Walsh averages) under a Dirichlet process, for the signed-rank test.


#: Numbers in an array of one chunk of draws: few enough for a core's caches, unless that leaves
#: so few draws that calling NumPy costs more than its work; and a bound that holds for any q.
CHUNK, FEW, MOST = 2**16, 512, 2**22
#: Bytes of weights that are kept for the next call.
KEPT = 2**26


@dataclass(frozen=True, eq=False)
class WalshModel:
    """Sorted differences `z` (q,), the rope of half a pair's sum, and the pseudo-observation z0.

    `prior` is its weight s, `place` where it is: "left" (minus infinity), "rope" (zero), "right"
    (plus infinity), or "sides" (its pairs count half to each side).
    """

    z: np.ndarray
    rope: Rope
    prior: float
    place: str

    def swapped(self) -> WalshModel:
        """Return the comparison with the algorithms in the other order."""
        place = {"left": "right", "right": "left"}.get(self.place, self.place)
        return WalshModel(-self.z[::-1], self.rope.swapped(), self.prior, place)

    def right(self) -> _Region:
        """The pairs right of the rope; those exactly at its end count half."""
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
    """Pairs (i, j) of sorted differences with j >= first[i].

    Rows start at `first` (q,), which is q for an empty one: those before `start` are empty, those
    from `diagonal` on hold each other.
    """

    first: np.ndarray
    start: int
    diagonal: int

    @classmethod
    def from_weights(cls, first: np.ndarray) -> _Stairs:
        q = len(first)
        diagonal = int(np.argmax(np.r_[first <= np.arange(q), True]))
        return cls(first, min(int(np.argmax(np.r_[first < q, True])), diagonal), diagonal)

    def mass(self, e: np.ndarray, E: np.ndarray) -> np.ndarray:
        """Mass under the weights e (q, n), with E (q + 1, n) their cumulative sums."""
        a, d, total = self.start, self.diagonal, E[-1]
        square = (total - E[d]) ** 2
        if a == d:
            return square
        pairs = np.einsum("in,in->n", e[a:d], E[self.first[a:d]])
        return square + 2 * (total * (E[d] - E[a]) - pairs)

    def mass_reversed(self, e: np.ndarray, E: np.ndarray) -> np.ndarray:
        """Mass under the weights in reverse order, for which E is not summed again."""
        a, d, q = self.start, self.diagonal, len(self.first)
        square = E[q - d] ** 2
        if a == d:
            return square
        return square + 2 * np.einsum("in,in->n", e[q - d : q - a], E[q - self.first[a:d][::-1]])


@dataclass(frozen=True, eq=False)
class _Region:
    """A region of the pair sums.

    `stairs` are those without and with the pairs exactly at the end of the rope, which so count
    half; a single one where there are none. `starts` are the first differences whose pair with z0
    is in the region, without and with ties, `own` is the share of the pair (z0, z0).
    """

    stairs: tuple[_Stairs, ...]
    starts: tuple[int, int]
    own: float

    def mass(self, e: np.ndarray, E: np.ndarray, g0: np.ndarray, reverse: bool) -> np.ndarray:
        """Mass of the region, not normalised, shape (n,)."""
        q = len(e)
        masses = [s.mass_reversed(e, E) if reverse else s.mass(e, E) for s in self.stairs]
        with_z0 = [E[q - k] if reverse else E[q] - E[k] for k in self.starts]
        return sum(masses) / len(masses) + g0 * (with_z0[0] + with_z0[1]) + self.own * g0**2

    def expected(self, s: float) -> float:
        """Expected mass: E[w_i w_j] = α_i (α_j + [i = j]) / (A (A + 1))."""
        q = len(self.stairs[0].first)
        pairs = np.mean([(q - x.first).sum() + (q - x.diagonal) for x in self.stairs])
        with_z0 = s * sum(q - k for k in self.starts)
        total = q + s
        return float((pairs + with_z0 + self.own * s * (s + 1)) / (total * (total + 1)))


def expected_masses(model: WalshModel) -> np.ndarray:
    """Posterior means of the masses left of, in and right of the rope, shape (3,); exact."""
    right, left = (m.right().expected(model.prior) for m in (model, model.swapped()))
    return np.array([left, max(1 - left - right, 0.0), right])


def draw_masses(model: WalshModel, pairs: int, seed: int) -> np.ndarray:
    """Draw the masses left of, in and right of the rope: shape (pairs, 2, 3).

    Every set of weights serves twice, in the order of the differences and in the reverse one:
    the weights are exchangeable, so both are draws of the posterior. Swapping the algorithms then
    gives the very same draws with their sides swapped, and the errors of the two largely cancel.
    The same seed gives the same weights, whatever the rope.
    """
    right, left = model.right(), model.swapped().right()
    out = np.empty((pairs, 2, 3))
    done = 0
    for e, E, g0 in _weights(len(model.z), model.prior, pairs, seed):
        part = out[done : done + len(g0)]
        total = (E[-1] + g0) ** 2
        for k, reverse in enumerate((False, True)):
            part[:, k, 2] = right.mass(e, E, g0, reverse) / total
            if model.rope.empty:
                part[:, k, 0] = 1 - part[:, k, 2]
            else:
                part[:, k, 0] = left.mass(e, E, g0, not reverse) / total
        done += len(g0)
    out[..., 1] = 1 - out[..., 0] - out[..., 2]
    return np.clip(out, 0, 1, out=out)


Weights = tuple[np.ndarray, np.ndarray, np.ndarray]


def _weights(q: int, s: float, pairs: int, seed: int) -> Iterable[Weights]:
    """Yield differences' weights (q, n), their cumulative sums (q + 1, n), and z0's weight (n,).

    They come in chunks, so that memory does not grow with the draws, and are not normalised.
    Weights that take no more than `KEPT` bytes stay for the next call: another rope, or another
    pair of algorithms under the same seed, needs the very same ones.
    """
    if 16 * q * pairs <= KEPT:
        return _kept_weights(q, s, pairs, seed)
    return _drawn_weights(q, s, pairs, seed)


@lru_cache(maxsize=1)
def _kept_weights(q: int, s: float, pairs: int, seed: int) -> tuple[Weights, ...]:
    return tuple(_drawn_weights(q, s, pairs, seed))


def _drawn_weights(q: int, s: float, pairs: int, seed: int) -> Iterator[Weights]:
    rng = np.random.default_rng(seed)
    size = max(CHUNK // q, min(FEW, MOST // q), 1)
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


@one_table
def signed_rank(
    x: ArrayLike | Differences,
    *,
    rope: RopeLike,
    prior: float = 0.5,
    place: str = "rope",
    draws: int = 50_000,
    seed: Seed = None,
    names: Sequence[str] | None = None,
) -> MeansPosterior:
    """Bayesian signed-rank test of two algorithms on several data sets.

    A Dirichlet process puts weights w ~ Dirichlet(s, 1, ..., 1) on a pseudo-observation z0 and the
    q differences. A draw's masses are θ_right = Σ_ij w_i w_j [z_i + z_j > 2r], θ_left likewise,
    and θ_rope the rest: the probabilities that the mean of two data sets' differences falls there.
    Sums exactly at ±2r count half. The verdict is the share of draws in which each is the largest.

    Parameters
    ----------
    x : Differences or array_like of shape (q,)
        Mean differences of scores on q >= 2 data sets, second minus first. Rows of several
        differences are averaged.
    rope : float or (float, float)
        Region of practical equivalence, in units of the metric.
    prior : float
        Weight s of the pseudo-observation, >= 0.
    place : {"rope", "left", "right", "sides"}
        Where z0 is: at zero, at minus or plus infinity, or half to each side.
    draws : int
        Number of draws; an odd number is raised by one, because weights are used in pairs.
    seed : int or numpy Generator, optional
        The same seed gives the same numbers.
    names : (str, str), optional
        The two algorithms.

    Returns
    -------
    MeansPosterior

    Raises
    ------
    InputError
        Missing or infinite differences, fewer than two data sets, a bad rope, prior, place, number
        of draws or seed.

    See Also
    --------
    sign : Uses the signs of the differences alone.
    bayescmp.frequentist.wilcoxon : The frequentist twin.

    References
    ----------
    Benavoli, Mangili, Corani, Zaffalon & Ruggeri (2014), A Bayesian Wilcoxon signed-rank test
    based on the Dirichlet process, ICML 32; Benavoli, Corani, Demšar & Zaffalon (2017), Journal
    of Machine Learning Research 18(77).

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
    """Draw the masses of the pairs' means, shape (1, draw, 3).

    Draws 2k and 2k + 1 share a set of weights, in the order of the differences and in reverse.
    """
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
    return WalshModel(np.sort(posterior.z), rope, posterior.prior, posterior.place)


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
    """Monte Carlo errors of the shares' means; shares of shape (regions, pairs, 2).

    The two draws of a pair depend on each other, the pairs do not. A region that won all draws or
    none is moved by half a draw, so that its error is never zero.
    """
    pairs = shares.shape[1]
    spread = ((shares[..., 0] + shares[..., 1]) / 2).std(axis=1, ddof=1) / np.sqrt(pairs)
    p = shares.mean(axis=(1, 2))
    size = 2 * pairs
    moved = (p * size + 0.5) / (size + 1)
    return np.where((p > 0) & (p < 1), spread, np.sqrt(moved * (1 - moved) / size))
