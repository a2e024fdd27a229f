"""Which pictures a report shows, of pairs and of ranks."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp import frequentist
from bayescmp.crosscheck.pairs import PairPart
from bayescmp.errors import InputError
from bayescmp.plots import (
    plot_critical_difference,
    plot_density,
    plot_rope_curve,
    plot_shrinkage,
    plot_simplex,
)
from bayescmp.plots.critical_difference import figure_size
from bayescmp.report.pictures import any_letter, picture
from bayescmp.text import counted, probability
from bayescmp.verdict import Rope

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.typing import Json

__all__ = ["pair_figures", "rank_diagram"]

#: Hexagons along a side of a simplex: enough for a screen.
CELLS = 30
#: Ropes along a rope curve, a third of them up to the report's own.
WIDTHS = 16


def pair_figures(part: PairPart, name: str, leads: bool, details: bool = True) -> dict[str, Json]:
    """The pictures of a pair, while its posterior is there; of the leading one the rope curve.

    Parameters
    ----------
    part : PairPart
    name : str
        Starts the ids of the pictures.
    leads : bool
        Whether this is the leading pair.
    details : bool
        Whether to draw more than the outcome; see `bayescmp.report.selection.detailed`.

    Returns
    -------
    dict
        Of pictures by kind: "simplex" or "density", "shrinkage", "rope".
    """
    assert part.main is not None
    posterior: Any = part.main.posterior
    title = f"{' against '.join(part.pair)}, {part.metric}"
    drawn = _outcomes(part, name, title)
    if not details:
        return drawn
    if part.table is not None:
        drawn["shrinkage"] = picture(
            partial(plot_shrinkage, posterior),
            (4.2, 1.1 + 0.155 * len(part.table)),
            name=f"{name}-h",
            title=f"On each data set: {title}",
            description="The numbers are in the table below the picture.",
        )
    rope = part.main.verdict.rope
    if leads and isinstance(rope, Rope) and not rope.empty:
        widths = np.linspace(0, 3 * max(-rope.low, rope.high), WIDTHS)
        drawn["rope"] = picture(
            partial(plot_rope_curve, posterior, widths=widths),
            (4.2, 2.6),
            name=f"{name}-r",
            title=f"Rope curve: {title}",
            description="Each probability as the region of practical equivalence widens.",
        )
    return drawn


def _outcomes(part: PairPart, name: str, title: str) -> dict[str, Json]:
    """The simplex of a pair, or its density where there is no simplex or no rope."""
    assert part.main is not None
    posterior: Any = part.main.posterior
    verdict = part.main.verdict
    description = "; ".join(
        f"{verdict.label(r)} {probability(p)}" for r, p in verdict.probabilities.items()
    )
    if "simplex" in posterior.shows and not verdict.rope.empty:
        drawn = picture(
            partial(plot_simplex, posterior, cells=CELLS),
            (3.2, 2.9),
            name=f"{name}-s",
            title=f"Simplex: {title}",
            description=description,
        )
        return {"simplex": drawn}
    if "density" in posterior.shows:
        drawn = picture(
            partial(plot_density, posterior),
            (4.2, 2.4),
            name=f"{name}-d",
            title=f"Density: {title}",
            description=description,
        )
        return {"density": drawn}
    return {}


def rank_diagram(means: pd.DataFrame, lower: bool, alpha: float, name: str) -> Json:
    """The critical-difference diagram of the ranks; empty where it can't be drawn.

    Parameters
    ----------
    means : DataFrame
        Mean scores: a row per data set, a column per algorithm.
    lower : bool
        Whether lower scores are better.
    alpha : float
        Level of the test.
    name : str
        Starts the ids of the picture.
    """
    if means.shape[1] < 3 or len(means) < 2:
        return {}
    try:
        tests = frequentist.nemenyi(means, lower_is_better=lower)
    except InputError:  # scores are missing
        return {}
    with any_letter():
        size = figure_size(tests, alpha=alpha)
    order = ", ".join(tests.names[i] for i in tests.order)
    return picture(
        partial(plot_critical_difference, tests, alpha=alpha),
        size,
        name=name,
        title=f"Critical differences of {counted(len(tests.names), 'algorithm')}",
        description=f"From the best mean rank to the worst: {order}.",
    )
