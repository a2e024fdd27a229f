"""Standings of several algorithms from weighted points: shares of first places and ranks.

A draw of a joint posterior is a cloud of points: utilities of all algorithms on a data set that
may come next, with the probability of each. A single point is an average over data sets.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from bayescmp.base.magnitudes import TIED
from bayescmp.base.records import Record
from bayescmp.results.diagnostics import mean_errors

#: Batches of a cloud's draws, whose means show the precision of the probabilities of ranks.
BATCHES = 40
#: Draws of a batch, at least.
BATCH = 100


@dataclass(frozen=True, eq=False)
class Cloud:
    """Points of some of a posterior's draws.

    Utilities `u` are (c, m, L), or (1, m, L) if common to all draws, higher is better; weights `w`
    (c, m) sum to one in each draw; `ranks` is the result of `rank_points`, if known.
    """

    u: np.ndarray
    w: np.ndarray
    ranks: tuple[np.ndarray, np.ndarray] | None = None

    def share(self, of_points: np.ndarray) -> np.ndarray:
        """Return weighted sums over the points, (c, ...), of numbers of shape (c or 1, m, ...)."""
        c, m = self.w.shape
        flat = of_points.reshape(len(of_points), m, -1)
        same = len(flat) == 1
        summed = self.w @ flat[0] if same else np.matmul(self.w[:, None, :], flat)[:, 0]
        return np.asarray(summed.reshape(c, *of_points.shape[2:]))


@dataclass(frozen=True, eq=False)
class Standing(Record):
    """Standings of L algorithms, draw by draw.

    Of shape (D, L): `best`, the probability of being the best, which ties share; `near`, of being
    within the ROPE of the best; `rank`, the expected rank; `average`, the utility on average over
    the points. `ranks` (L, L) are probabilities of each algorithm (row) to have each rank,
    `ranks_se` their Monte Carlo standard errors by batches. `near_points` marks the algorithms
    near the best at each point, as bits, with the points' weights.
    """

    best: np.ndarray
    near: np.ndarray
    rank: np.ndarray
    average: np.ndarray
    ranks: np.ndarray
    ranks_se: np.ndarray
    near_points: tuple[tuple[np.ndarray, np.ndarray], ...]

    def joint(self, order: Sequence[int]) -> np.ndarray:
        """Probability, (D, L), that the first, the first two, ... of an order are all near."""
        shares = []
        for packed, w in self.near_points:
            near = np.unpackbits(packed, axis=-1, count=len(order)).astype(bool)
            all_near = np.logical_and.accumulate(near[..., list(order)], axis=-1)
            shares.append(Cloud(all_near, w).share(all_near.astype(float)))
        return np.concatenate(shares)


def standing_of(clouds: Iterable[Cloud], rope: float) -> Standing:
    """Find the standings over all draws, some draws at a time."""
    parts: list[tuple[np.ndarray, ...]] = []
    batches: list[np.ndarray] = []
    points: list[tuple[np.ndarray, np.ndarray]] = []
    for cloud in clouds:
        above, tied = cloud.ranks or rank_points(cloud.u)
        near = near_best(cloud.u, rope)
        numbers = (
            np.where(above == 0, 1 / tied, 0.0),
            near.astype(float),
            above + (tied + 1) / 2,
            cloud.u,
        )
        parts.append(tuple(map(cloud.share, numbers)))
        batches.append(_rank_shares(cloud, above, tied))
        points.append((np.packbits(near, axis=-1), cloud.w))
    best, near_shares, rank, average = (np.concatenate(part) for part in zip(*parts, strict=True))
    ranks, error = _over_batches(np.concatenate(batches), len(best))
    return Standing(best, near_shares, rank, average, ranks, error, tuple(points))


def first_places(clouds: Iterable[Cloud]) -> tuple[np.ndarray, np.ndarray]:
    """Return ``best`` and ``average`` of `standing_of`, both (D, L), without the cost of ranks."""
    parts = []
    for cloud in clouds:
        first = near_best(cloud.u, 0.0)
        parts.append(
            (cloud.share(first / first.sum(axis=-1, keepdims=True)), cloud.share(cloud.u))
        )
    best, average = (np.concatenate(part) for part in zip(*parts, strict=True))
    return best, average


def _over_batches(sums: np.ndarray, draws: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean over all draws of batches' sums (b, L, L), and its error from how batches differ."""
    mean = sums.sum(axis=0) / draws
    error = sums.std(axis=0, ddof=1) * np.sqrt(len(sums)) / draws if len(sums) > 1 else 0 * mean
    return mean, np.maximum(error, 0.5 / draws**1.5)


def rank_points(u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Count how many are better than each in `u`, (..., L), and how many tie with it."""
    L = u.shape[-1]
    order = np.argsort(-u, axis=-1)
    ordered = np.take_along_axis(u, order, axis=-1)
    slack = TIED * np.abs(u).max(axis=-1, keepdims=True)
    gaps = ordered[..., :-1] - ordered[..., 1:] > slack
    places = np.arange(L, dtype=np.int32)
    above = np.empty(u.shape, dtype=np.int32)
    np.put_along_axis(above, order, np.broadcast_to(places, u.shape), axis=-1)
    rows = ~gaps.all(axis=-1)
    if not rows.any():
        return above, np.ones((1,) * u.ndim, dtype=np.int32)
    tied = np.ones(u.shape, dtype=np.int32)
    above[rows], tied[rows] = _with_ties(order[rows], gaps[rows])
    return above, tied


def _with_ties(order: np.ndarray, gaps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rank rows in order, (R, L), from whether each is better than the next, (R, L - 1)."""
    L = order.shape[1]
    places, edge = np.arange(L), np.ones((len(order), 1), dtype=bool)
    starts, stops = np.concatenate([edge, gaps], axis=1), np.concatenate([gaps, edge], axis=1)
    first = np.maximum.accumulate(np.where(starts, places, 0), axis=1)
    last = np.minimum.accumulate(np.where(stops, places, L)[:, ::-1], axis=1)[:, ::-1]
    above, tied = np.empty(order.shape, dtype=np.int32), np.empty(order.shape, dtype=np.int32)
    np.put_along_axis(above, order, first.astype(np.int32), axis=1)
    np.put_along_axis(tied, order, (last - first + 1).astype(np.int32), axis=1)
    return above, tied


def near_best(u: np.ndarray, rope: float) -> np.ndarray:
    """Return whether each is within the ROPE of the best, bound included, shape (..., L)."""
    slack = TIED * np.maximum(np.abs(u).max(axis=-1, keepdims=True), rope)
    return np.asarray(u >= u.max(axis=-1, keepdims=True) - rope - slack)


def _rank_shares(cloud: Cloud, above: np.ndarray, tied: np.ndarray) -> np.ndarray:
    """Probability of each rank, summed over the draws of each batch, shape (batches, L, L)."""
    c, L = len(cloud.w), above.shape[-1]
    count = max(min(BATCHES, c // BATCH), 1)
    batch = np.arange(c) * count // c
    if len(above) == 1:
        weights = np.zeros((count, cloud.w.shape[1]))
        np.add.at(weights, batch, cloud.w)
        held = _share_ranks(above[0], np.broadcast_to(tied, above.shape)[0])
        return np.asarray((weights @ held.reshape(len(held), -1)).reshape(count, L, L))
    cell = (batch[:, None, None] * L + np.arange(L)) * L + above
    weight = np.broadcast_to(cloud.w[..., None], above.shape) / tied
    size = count * L * L
    counts = np.bincount(cell.ravel(), weights=weight.ravel(), minlength=size)
    several = np.broadcast_to(tied > 1, above.shape)
    cell, weight, left = (np.broadcast_to(x, above.shape)[several] for x in (cell, weight, tied))
    for offset in range(1, int(left.max(initial=1))):
        covers = left > offset
        counts += np.bincount(cell[covers] + offset, weights=weight[covers], minlength=size)
    return counts.reshape(count, L, L)


def _share_ranks(above: np.ndarray, tied: np.ndarray) -> np.ndarray:
    """Return the share that each algorithm has in each rank at each point, (m, L) -> (m, L, L)."""
    places = np.arange(above.shape[-1])
    covers = (above[..., None] <= places) & (places < (above + tied)[..., None])
    return np.asarray(covers / tied[..., None])


def choose(
    means: np.ndarray,
    averages: np.ndarray,
    following: np.ndarray,
    weights: np.ndarray | None = None,
    *,
    given: bool = False,
) -> tuple[int, float, np.ndarray, np.ndarray]:
    """Choose the algorithm with the best observed mean, and draw what it will score.

    The algorithm's own effect is drawn, whichever is the best of the draw: selection does not bias
    a posterior (Efron 2011, JASA 106:1602-1614). Without shrinkage the choice is resampled
    (Tsamardinos, Greasidou & Borboudakis 2018, Machine Learning 107:1895-1922): the amount by
    which the best of each resample falls back to its observed mean is subtracted. Data sets are
    resampled or, if `given`, means that scatter as the posterior does.

    Observed `means` (q, L), higher is better, are filled by an algorithm's average if missing.
    `averages` and `following` (D, L) are draws of effects on average and on a new data set, up to
    a constant. Dirichlet `weights` (D, q) resample the choice, corrected for the variance of their
    means, (q - 1)/(q + 1) of a mean's; if data sets are `given`, they are their counts. The
    results are the algorithm's place, observed mean, and scores (D,) on average and on a new data
    set.
    """
    averages, following = (u - u.mean(axis=1, keepdims=True) for u in (averages, following))
    effects = averages.mean(axis=0)
    level = np.nanmean(means - effects, axis=1, keepdims=True)
    filled = np.where(np.isnan(means), level + effects, means)
    q = len(filled)
    counts = weights[0] if given and weights is not None else np.full(q, 1 / q)
    observed = counts @ filled
    k, base = int(observed.argmax()), float(observed.mean())
    if given or weights is not None:
        off = averages - effects
        if not given:
            off = (weights @ (filled - filled.mean(axis=1, keepdims=True))) - (observed - base)
            off *= np.sqrt((q + 1) / (q - 1))
        best = (observed + off).argmax(axis=1)
        base -= float(off[np.arange(len(off)), best].mean())
    return k, float(observed[k]), base + averages[:, k], base + following[:, k]


def rank_intervals(averages: np.ndarray, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Return bounds, (L,), of rank intervals that jointly cover with probability `level`.

    A draw of `averages` (D, L) is as far out as its rank furthest in the tail of an algorithm's
    ranks. The intervals span the ranks of all but the furthest draws.
    """
    above, tied = rank_points(averages)
    first, last = above + 1, above + np.broadcast_to(tied, above.shape)
    L = averages.shape[1]
    ranks = np.arange(1, L + 1)[:, None, None]
    before, behind = (first <= ranks).mean(axis=1), (last >= ranks).mean(axis=1)  # (L, L)
    column = np.arange(L)
    tail = np.minimum(before[last - 1, column], behind[first - 1, column]).min(axis=1)
    kept = tail >= np.quantile(tail, 1 - level, method="lower")
    return first[kept].min(axis=0), last[kept].max(axis=0)


def separated_ranks(
    values: np.ndarray, weights: np.ndarray, level: float = 0.95
) -> tuple[np.ndarray, np.ndarray]:
    """Return bounds, (L,), of the ranks of mean scores, from the pairs that differ.

    Rank i is above 1 by the algorithms that are better than i, and below L by those that are
    worse, by t tests of all pairs with Bonferroni's adjustment: for normal differences all
    intervals cover at once with probability `level`. See Al Mohamad, Goeman & van Zwet 2019,
    arXiv:1812.05507, section 2; Mogstad, Romano, Shaikh & Wilhelm 2024, Review of Economic Studies
    91:476-518. `values` (q, L) are scores, higher is better, or NaN, and `weights` (q,) count the
    data sets.
    """
    d = values[:, None, :] - values[:, :, None]  # (q, L, L): the second minus the first
    w = np.where(np.isnan(d), 0.0, weights[:, None, None])
    w = w / w.sum(axis=0)
    d = np.nan_to_num(d)
    mean = (w * d).sum(axis=0)
    squares = (w**2).sum(axis=0)
    error = np.sqrt((w**2 * (d - mean) ** 2).sum(axis=0) / (1 - squares))
    pairs = values.shape[1] * (values.shape[1] - 1) / 2
    bound = stdtrit(1 / squares - 1, 1 - (1 - level) / (2 * pairs)) * error
    noise = TIED * np.nanmax(np.abs(values))
    better = mean > bound + noise  # of the pair (i, j): j is better than i
    return 1 + better.sum(axis=1), values.shape[1] - better.sum(axis=0)


def masses_of(
    clouds: Iterable[Cloud], pairs: np.ndarray, rope: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return masses left and right of the ROPE, (D, P) each, for pairs (P, 2) in each draw."""
    sides: list[tuple[np.ndarray, np.ndarray]] = []
    for cloud in clouds:
        d = cloud.u[..., pairs[:, 1]] - cloud.u[..., pairs[:, 0]]
        slack = TIED * np.maximum(np.abs(cloud.u).max(axis=-1, keepdims=True), rope)
        left, right = (d < -rope - slack).astype(float), (d > rope + slack).astype(float)
        sides.append((cloud.share(left), cloud.share(right)))
    lefts, rights = zip(*sides, strict=True)
    return np.concatenate(lefts), np.concatenate(rights)


def errors_of(values: np.ndarray, chains: int, *, independent: bool) -> np.ndarray:
    """Return Monte Carlo standard errors sd/√ess of means over draws (D, m), none of them zero.

    Chains follow one another in `values`; unless draws are independent, their effective number is
    estimated. If all agree on a probability, the error is as if half a draw disagreed.
    """
    D = len(values)
    errors = mean_errors(values.reshape(chains, D // chains, -1), independent=independent)
    return np.asarray(np.maximum(errors, 0.5 / (D + 1) / np.sqrt(D)))
