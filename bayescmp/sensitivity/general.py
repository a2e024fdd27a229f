"""The sensitivity of any verdict: the test's own variations, ropes and thresholds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bayescmp.sensitivity.progress import shown
from bayescmp.sensitivity.result import Sensitivity, tabulated
from bayescmp.verdict import check_threshold

if TYPE_CHECKING:
    from bayescmp.posterior import Posterior
    from bayescmp.typing import Variation

__all__ = ["sensitivity_of_any"]


def sensitivity_of_any(
    posterior: Posterior,
    *,
    ropes: Sequence[float],
    thresholds: Sequence[float],
    threshold: float,
    datasets: bool,
    refit: bool = False,
    progress: bool = False,
) -> Sensitivity:
    """How a verdict changes under other assumptions; see `Posterior.sensitivity`."""
    own = posterior.verdict(threshold=check_threshold(threshold))
    rows = [("fit", "as fitted", np.array(list(own.probabilities.values())))]
    rows += shown(posterior.variations(datasets=datasets, refit=refit), progress)
    rows += _ropes(posterior, ropes)
    return tabulated(rows, own, thresholds, posterior.fixed)


def _ropes(posterior: Posterior, multiples: Sequence[float]) -> Iterator[Variation]:
    """Multiples of the rope; none without one."""
    if posterior.rope.empty:
        return
    for m in multiples:
        verdict = posterior.verdict(posterior.rope.scaled(m))
        yield "rope", f"{m:g} times", np.array(list(verdict.probabilities.values()))
