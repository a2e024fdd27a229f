"""One difference: its density, the mass on the right, and the verdict as the ROPE widens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from bayescmp.base.arguments import must_be
from bayescmp.base.checks import count
from bayescmp.plots.captions import facts_of_posterior, note
from bayescmp.plots.drawing import (
    DASHED,
    PAIR,
    Look,
    axes_for,
    column,
    fill,
    frame_axes,
    hover,
    in_metric,
    ink,
    label_below,
    label_beside,
    label_difference,
    label_in_lines,
    legend_above,
    made_of,
    region_ink,
    region_labels,
    shorten_all,
    text_size,
)
from bayescmp.results.limits import RopeLimits
from bayescmp.results.posterior import Posterior
from bayescmp.results.verdict import Verdict
from bayescmp.scores.rope import Rope, RopeLike, Ropes, rope_phrase
from bayescmp.summaries.verdict import ratios
from bayescmp.wording.regions import COLOURS, DASHES, LABELS, fill_in
from bayescmp.wording.text import (
    describe_improvement,
    format_estimate,
    format_limit,
    format_probability,
)

# Density plot of a difference's posterior, with the region of practical equivalence.


@made_of(PAIR)
def plot_density(posterior: Any, *, ax: Axes | None = None, rope: RopeLike | None = None) -> Axes:
    r"""Draw the posterior density of the mean difference and its masses around the ROPE.

    Parameters
    ----------
    posterior : Posterior
        One with ``density()`` and a verdict with the ``location`` of the mean difference.
    ax : matplotlib Axes, optional
    rope : float or (float, float), optional
        Another region than the posterior's own.

    Returns
    -------
    matplotlib Axes
        The three parts of the area are tinted, with probabilities above. Below, a dot is the
        median and a line the 95% credible interval. Long tails are cut, with an arrow and the
        probability.

    See Also
    --------
    plot_simplex, plot_rope_curve

    Examples
    --------
    >>> from bayescmp import bayesian, plots
    >>> x = [0.01, 0.03, 0.02, 0.00, 0.02]
    >>> posterior = bayesian.correlated_t(x, rho=0.2, rope=0.01, names=("knn", "gbm"))
    >>> ax = plots.plot_density(posterior)
    >>> ax.get_xlabel().split("\n")[0]
    'mean improvement of gbm over knn'
    """
    x, y = posterior.density()
    verdict = posterior.verdict(rope)
    region, masses = verdict.rope, verdict.location or verdict.probabilities
    ax = axes_for(ax, (column(), 2.3))
    low, high = span_of(x, y, region, verdict.mean_interval[0])
    _fill(ax, x, y, verdict, masses)
    ax.plot(x, y, color=ink(), linewidth=1.0)
    ax.set(xlim=(low, high), ylim=(-0.09 * float(y.max()), float(y.max()) * 1.06))
    for edge in edges_of(region):
        ax.axvline(edge, color=ink(0.65), linewidth=0.8, linestyle=DASHED)
    _interval(ax, x, y, verdict)
    beyond = _write_tails(ax, x, y, (low, high))
    shown = {part: format_probability(masses[part]) for part in verdict.possible}
    _write_outcomes(ax, verdict, shown, 0.0, 1.02, "bottom")
    _finish_density(ax, posterior, verdict)
    quantity, *marks = describe_density(verdict)
    return note(ax, quantity, facts_of_posterior(posterior, verdict), *marks, *beyond)


def describe_density(verdict: Verdict) -> list[str]:
    """Return the quantity that a density shows, and the meaning of its marks."""
    below = "below the curve: median and 95% credible interval"
    return [f"Posterior density of the {verdict.quantity}", below, _say_dashes(verdict)]


def describe_estimate(verdict: Verdict) -> str:
    """Write the median with its interval, and the meaning of dashed lines, below a density."""
    (middle,), (interval,) = verdict.estimate, verdict.mean_interval
    rounded = ratios if verdict.of_ratios else format_estimate
    mid, low, high = rounded(middle, interval)
    return "; ".join(filter(None, (f"median {mid} (95%: {low} to {high})", _say_dashes(verdict))))


def _say_dashes(verdict: Verdict) -> str:
    """State what the dashed lines are; without a ROPE the one at zero needs no name."""
    words = rope_phrase(verdict.rope, of_ratios=verdict.of_ratios)
    return "" if verdict.rope.empty else f"dashed: {words}"


def edges_of(region: Rope) -> list[float]:
    """Return the finite bounds of a ROPE, without repetition."""
    return [end for end in dict.fromkeys((region.low, region.high)) if np.isfinite(end)]


def _sum_below(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the probability below each point of a density."""
    area = np.concatenate([[0.0], np.cumsum((y[1:] + y[:-1]) / 2 * np.diff(x))])
    return np.asarray(area / area[-1])


#: Tails are shown up to so many half-widths of the central half: 4 deviations of a Gaussian.
REACH = 6.0


def span_of(
    x: np.ndarray, y: np.ndarray, region: Rope, interval: tuple[float, float]
) -> tuple[float, float]:
    """Return the limits of the axis: the interval and the ROPE are inside, long tails are cut."""
    low, first, middle, third, high = np.interp(
        [0.001, 0.25, 0.5, 0.75, 0.999], _sum_below(x, y), x
    )
    reach = REACH * (third - first) / 2
    low, high = max(low, middle - reach), min(high, middle + reach)
    ends = [*interval, *([] if region.empty else edges_of(region))]
    low, high = min(low, *ends, high), max(high, *ends, low)
    room = 0.06 * (high - low)
    return float(low - room), float(high + room)


def _fill(
    ax: Axes, x: np.ndarray, y: np.ndarray, verdict: Verdict, masses: Mapping[str, float]
) -> None:
    region = verdict.rope
    assert isinstance(region, Rope)  # one metric
    ends = {
        "left": (-np.inf, region.low),
        "rope": (region.low, region.high),
        "right": (region.high, np.inf),
    }
    for part, (a, b) in ends.items():
        inside = np.unique(np.concatenate([x[(x > a) & (x < b)], np.clip([a, b], x[0], x[-1])]))
        if len(inside) > 1:
            area = ax.fill_between(inside, np.interp(inside, x, y), **fill(part, 0.45))
            hover(area, [f"{verdict.label(part)} {format_probability(masses[part])}"])


def _interval(ax: Axes, x: np.ndarray, y: np.ndarray, verdict: Verdict) -> None:
    (middle,), ((low, high),) = verdict.estimate, verdict.mean_interval
    at = -0.045 * float(y.max())
    ax.axhline(0, color=ink(0.5), linewidth=0.5)
    ax.plot([low, high], [at, at], color=ink(), linewidth=1.4, solid_capstyle="butt")
    (dot,) = ax.plot([middle], [at], "o", color=ink(), markersize=4)
    hover(dot, [f"median {middle:.4g}, 95% credible interval {low:.4g} to {high:.4g}"])


def _write_tails(ax: Axes, x: np.ndarray, y: np.ndarray, ends: tuple[float, float]) -> list[str]:
    """Draw arrows with the probability beyond the ends, where it shows; return words for them."""
    tails = tails_beyond(x, y, ends)
    for side, p in tails.items():
        edge, words = (0.0, "← {}") if side == "left" else (1.0, "{} →")
        place = (edge, 0.14 if p < 0.1 else 0.3)
        text = words.format(format_probability(p))
        ax.annotate(text, place, xycoords="axes fraction", ha=side, fontsize=7)
    return describe_tails(tails)


def tails_beyond(x: np.ndarray, y: np.ndarray, ends: tuple[float, float]) -> dict[str, float]:
    """Return the probabilities beyond the ends, "left" and "right", that are worth a mark."""
    # Beyond the points of the density.
    off = max(1 - float(np.diff(x) @ (y[1:] + y[:-1]) / 2), 0.0) / 2
    low, high = off + (1 - 2 * off) * np.interp(ends, x, _sum_below(x, y))
    return {side: float(p) for side, p in (("left", low), ("right", 1 - high)) if p >= 0.001}


def describe_tails(tails: Mapping[str, float]) -> list[str]:
    """Write the probabilities beyond the ends for a caption."""
    return [f"beyond the {side} edge: {format_probability(p)}" for side, p in tails.items()]


def _write_outcomes(
    ax: Axes, verdict: Verdict, shown: Mapping[str, str], left: float, up: float, side: str
) -> None:
    """Write probabilities at the left, in the middle and at the right, so far up."""
    names = shorten_all(verdict.names, 16)
    labels = {r: label_in_lines(verdict.shape, r, names) for r in verdict.shape.regions}
    labels |= {"rope": fill_in(LABELS, verdict.shape.name, "rope", names)}
    first, *_, last = (r for r in ("left", "rope", "right") if r in shown)
    places = dict.fromkeys(shown, (0.5, "center")) | {
        first: (left, "left"),
        last: (1 - left, "right"),
    }
    style: Look = {
        "fontsize": min(text_size(ax), 8),
        "transform": ax.transAxes,
        "linespacing": 1.2,
    }
    for region, (across, flush) in places.items():
        words = f"{labels[region]}\n{shown[region]}"
        ax.text(across, up, words, ha=flush, va=side, color=region_ink(region), **style)


def _finish_density(ax: Axes, posterior: Posterior, verdict: Verdict) -> None:
    size = text_size(ax)
    first, second = shorten_all(verdict.names, 16)
    ax.set_yticks([])
    frame_axes(ax, axis="x", labelsize=min(size, 7.5))
    ax.locator_params(axis="x", nbins=6)
    shown = f"mean {describe_improvement(first, second)}"
    words = label_difference(ax, (first, second), posterior, shown)
    label_below(ax, words, size, describe_estimate(verdict))


# Histogram of the mass on the right, for tests on means without a ROPE.


@made_of(PAIR, bins=count(2, most=10_000))
def plot_histogram(
    posterior: Any, *, ax: Axes | None = None, rope: RopeLike | None = 0, bins: int = 50
) -> Axes:
    """Draw the posterior of the probability that the second algorithm is better.

    Without a ROPE the simplex is a line, with this histogram. Draws to the right of one half
    favour the second algorithm.

    Parameters
    ----------
    posterior : Posterior
        One with ``masses(rope)`` of shape (chain, draw, 3) and ``verdict(rope)``.
    ax : matplotlib Axes, optional
    rope : float
        Only 0, no region; `plot_simplex` draws the others.
    bins : int
        An even number of bars, so that none straddles one half.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        If there is a region of practical equivalence, or the number of bars is odd.

    See Also
    --------
    plot_simplex : For tests with a ROPE.

    Examples
    --------
    >>> from bayescmp import bayesian, plots
    >>> means = [0.02, 0.03, -0.01, 0.00, 0.02, 0.04, 0.01]
    >>> posterior = bayesian.sign(means, rope=0, seed=1, names=("knn", "gbm"))
    >>> ax = plots.plot_histogram(posterior)
    """
    verdict = posterior.verdict(0 if rope is None else rope)
    if not verdict.rope.empty:
        raise must_be("rope", "0", rope, "With a ROPE use bayescmp.plots.plot_simplex.")
    if bins % 2:
        raise must_be("bins", "an even number, at least 2", bins)
    ax = axes_for(ax, (column(), 2.1))
    right = posterior.masses(verdict.rope)[..., 2].ravel()
    heights, edges = np.histogram(right, bins=bins, range=(0, 1), density=True)
    for region, part in (("left", slice(0, bins // 2)), ("right", slice(bins // 2, bins))):
        style = fill(region, 0.8)
        ax.bar(edges[:-1][part], heights[part], width=1 / bins, align="edge", **style)
    ax.axvline(0.5, color=ink(), linewidth=0.8, linestyle=DASHED)
    ax.set(xlim=(0, 1), ylim=(0, heights.max() * 1.5))
    _label_histogram(ax, posterior, verdict)
    quantity = f"Posterior of the probability that {verdict.names[1]} is better"
    return note(ax, quantity, facts_of_posterior(posterior, verdict), "dashed: one half")


def _label_histogram(ax: Axes, posterior: Posterior, verdict: Verdict) -> None:
    size, chances = text_size(ax), verdict.probabilities
    shown = {r: format_probability(chances[r], verdict.floor) for r in ("left", "right")}
    _write_outcomes(ax, verdict, shown, 0.02, 0.98, "top")
    second = shorten_all(verdict.names, 16)[1]
    label_below(ax, f"probability that {second} is better{in_metric(posterior.measured)}", size)
    ax.set_yticks([])
    frame_axes(ax, "bottom", axis="x", labelsize=min(size, 7.5))


# Rope curve: the three probabilities as the region of practical equivalence widens.


#: Points of a line whose numbers are shown where the pointer rests on it.
NUMBERS = 7


@made_of(PAIR)
def plot_rope_curve(
    posterior: Posterior, *, ax: Axes | None = None, widths: ArrayLike | None = None
) -> Axes:
    """Draw how the verdict's probabilities depend on the width of the ROPE.

    Parameters
    ----------
    posterior : Posterior
        One with ``rope_curve(widths)``.
    ax : matplotlib Axes, optional
    widths : array_like, optional
        Half-widths of symmetric ROPEs; by default up to three times the posterior's own.

    Returns
    -------
    matplotlib Axes
        A line per region, with a band of two standard errors; a vertical line is the posterior's
        own ROPE, a horizontal one the usual threshold, 0.95.

    See Also
    --------
    plot_density : The density that the ROPE cuts.

    Examples
    --------
    >>> from bayescmp import bayesian, plots
    >>> x = [0.01, 0.03, 0.02, 0.00, 0.02]
    >>> posterior = bayesian.correlated_t(x, rho=0.2, rope=0.01, names=("knn", "gbm"))
    >>> ax = plots.plot_rope_curve(posterior, widths=[0, 0.01, 0.02, 0.03])
    >>> print(ax.get_xlabel())
    half-width of the ROPE
    horizontal: 0.95; vertical: its own
    """
    table = posterior.rope_curve(widths)
    x = table.index.to_numpy()
    ax = axes_for(ax, (column(), 2.3))
    verdict = posterior.verdict()
    shape = verdict.shape
    labels = region_labels(shape, posterior.names, 16)
    for region in (r for r in shape.regions if r not in shape.impossible):
        p, error = table[f"p_{region}"].to_numpy(), 2 * table[f"se_{region}"].to_numpy()
        # With no ROPE its probability is 0 by definition, however much sits at zero.
        of_width = region == shape.within and not shape.impossible
        shown = x > 0 if of_width else np.full(len(x), True)
        at, values, colour = x[shown], p[shown], COLOURS[region]
        ends = (p - error)[shown], (p + error)[shown]
        ax.fill_between(at, *ends, linewidth=0, color=colour, alpha=0.25)
        look: Look = {"color": colour, "linestyle": DASHES[region], "linewidth": 1.4}
        (line,) = ax.plot(at, values, label=labels[region], **look)
        places = np.unique(
            np.linspace(0, len(at) - 1, NUMBERS if len(at) else 0).round().astype(int)
        )
        steps = ", ".join(f"{format_probability(values[i])} at {at[i]:.3g}" for i in places)
        hover(line, [f"{line.get_label()}: {steps}"])
    ax.axhline(0.95, color=ink(0.4), linewidth=0.6, zorder=0)
    own = posterior.rope
    whole = isinstance(own, Rope) and (own.one_sided or own.low == -own.high)
    end = 1.0 if isinstance(own, Ropes) else own.size if whole else np.inf
    if x[0] < end < x[-1]:
        ax.axvline(end, color=ink(0.65), linewidth=0.8, linestyle=DASHED, zorder=0)
    marks = ["horizontal: 0.95", *["vertical: its own"] * bool(x[0] < end < x[-1])]
    if verdict.limits is not None:
        marks += _mark_limits(ax, verdict.limits, x[-1])
    _finish_rope_curve(ax, posterior, x, verdict.decides, "; ".join(marks))
    quantity = f"Probabilities as the ROPE widens, of the {verdict.decides}"
    errors = table[[f"se_{r}" for r in shape.possible]].to_numpy()
    marks += ["bands: two standard errors"] * bool((errors > 0).any())
    return note(ax, quantity, facts_of_posterior(posterior, verdict), *marks, threshold=None)


def _mark_limits(ax: Axes, limits: RopeLimits, end: float) -> list[str]:
    """Mark up to which ROPE one is better, and from which on both are equivalent."""
    ends = {
        f"{limits.leader} better up to": (limits.better_up_to, False),
        "equivalent from": (limits.equivalent_from, True),
    }
    marks = []
    for what, (limit, up) in ends.items():
        if 0 < limit < end:
            ax.axvline(limit, color=ink(0.65), linewidth=0.8, linestyle=DASHED, zorder=0)
            marks.append(f"{what} {format_limit(limit, up=up)}")
    return marks


def _finish_rope_curve(
    ax: Axes, posterior: Posterior, x: np.ndarray, decides: str, marks: str
) -> None:
    size = text_size(ax)
    ax.set(xlim=(x[0], x[-1] if x[-1] > x[0] else x[0] + 1), ylim=(-0.02, 1.02))
    several = isinstance(posterior.rope, Ropes)
    one = "margin" if posterior.rope.one_sided else "half-width of the ROPE"
    width = "multiple of the ropes" if several else one
    label_below(ax, f"{width}{in_metric(posterior.measured)}\n{marks}", size)
    label_beside(ax, f"probability: {decides}", size)
    frame_axes(ax, "left", "bottom", labelsize=min(size, 7.5))
    legend_above(ax, *ax.get_legend_handles_labels(), min(size, 7.5))
