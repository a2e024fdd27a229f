"""The difference between two algorithms against a feature of the data sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayescmp.base.checks import optional, text
from bayescmp.plots.captions import facts_of_posterior, note
from bayescmp.plots.drawing import (
    Look,
    axes_for,
    column,
    frame_axes,
    hover,
    in_metric,
    ink,
    label_below,
    label_beside,
    made_of,
    paper,
    quantity,
    shorten,
    shorten_all,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescmp.study.moderators import Moderators

__all__ = ["plot_moderators"]


@made_of(
    "a result of posterior.moderators(features)",
    "bayescmp.study.moderators:Moderators",
    feature=optional(text),
)
def plot_moderators(
    result: Moderators, *, feature: str | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the predicted difference against a feature of the data sets.

    Parameters
    ----------
    result : Moderators
        From the method ``moderators`` of a posterior.
    feature : str, optional
        The feature; by default the one with the largest effect.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The line is the mean difference with its 95% credible band, the other features at their
        means. Circles are observed mean differences minus the other features' effects; the grey
        band is the ROPE.

    Raises
    ------
    InputError
        If the feature is unknown.

    See Also
    --------
    plot_shrinkage : The difference on each data set.

    Examples
    --------
    >>> import numpy as np
    >>> import bayescmp as bc
    >>> rng = np.random.default_rng(1)
    >>> size = {str(i + 1): float(i % 5) for i in range(15)}
    >>> x = np.array([*size.values()])[:, None] / 100 + rng.normal(0, 0.01, (15, 5))
    >>> posterior = bc.bayesian.hierarchical_t(x, rho=0.2, rope=0.01, seed=1)
    >>> ax = bc.plots.plot_moderators(posterior.moderators({"size": size}))
    >>> ax.get_xlabel()
    'size'
    """
    feature = result.strongest if feature is None else feature
    curve, points = result.curve(feature), result.adjusted(feature)
    posterior = result.posterior
    ax = axes_for(ax, (column(), 2.5))
    rope = posterior.rope
    x = curve.index.to_numpy(dtype=float)
    band: Look = {"linewidth": 0, "alpha": 0.25}
    ax.fill_between(x, curve["low"], curve["high"], color=quantity(), zorder=2, **band)
    ax.plot(x, curve["mean"], color=quantity(), linewidth=1.5, zorder=3)
    ring: Look = {"facecolors": paper(), "edgecolors": ink(0.75), "linewidths": 0.7}
    marks = ax.scatter(points[feature], points["difference"], s=17, zorder=4, **ring)
    hover(marks, (f"{name}: {value:.4g}" for name, value in points["difference"].items()))
    ax.set_ylim(*ax.get_ylim())
    if not rope.empty:
        low, high = np.clip([rope.low, rope.high], *ax.get_ylim())
        ax.axhspan(low, high, color=ink(0.1), linewidth=0, zorder=0)
    ax.axhline(0, color=ink(0.5), linewidth=0.6, zorder=1)
    frame_axes(ax, "left", "bottom", labelsize=7.5)
    ax.locator_params(nbins=5)
    first, second = shorten_all(posterior.names, 16)
    kind = "log ratio" if posterior.of_ratios else "difference"
    words = f"{kind}{in_metric(posterior.measured)}, {second} minus {first}"
    label_beside(ax, words, 8)
    label_below(ax, shorten(feature, 40), 8)
    others = "the other features at their means" if len(result.features) > 1 else ""
    marked = ["line and band: mean difference with its 95% credible interval", others]
    rings = "circles: observed mean differences on the data sets"
    facts = facts_of_posterior(posterior)
    shown = f"Predicted difference against {feature}"
    return note(ax, shown, facts, *filter(None, marked), rings)
