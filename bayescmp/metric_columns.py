"""One metric of a table of scores: its numbers, and what every pair of algorithms asks of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bayescmp.deferred import Lean
from bayescmp.metrics import Direction, check_sign, known_range

__all__ = ["MetricColumn"]


@dataclass(frozen=True, eq=False)
class MetricColumn(Lean):
    """A metric's scores, one for each row of the table; read once, and judged once.

    Attributes
    ----------
    values : ndarray of shape (n,)
        NaN where missing; not to be changed.
    direction : Direction

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp.metric_columns import MetricColumn
    >>> from bayescmp.metrics import direction
    >>> column = MetricColumn(np.array([75.0, 90.0]), direction("accuracy"))
    >>> column.lower, column.span, column.finite
    (False, 100.0, True)
    """

    values: np.ndarray
    direction: Direction

    @cached_property
    def finite(self) -> bool:
        """Whether no score is missing or infinite."""
        return bool(np.isfinite(self.values).all())

    @cached_property
    def lower(self) -> bool:
        """Whether lower is better.

        Raises
        ------
        InputError
            If the sign of the values contradicts the metric's name: a negated loss.
        """
        check_sign(self.direction, self.values)
        return self.direction.lower

    @cached_property
    def span(self) -> float | None:
        """Length of the metric's range: 1 for accuracy, 100 for percent, None if unbounded."""
        ends = known_range(self.direction.metric)
        if ends is None:
            return None
        largest = np.nanmax(np.abs(self.values))
        length = ends[1] - ends[0]
        return length * 100 if 1 < largest <= 100 else length if largest <= 1 else None
