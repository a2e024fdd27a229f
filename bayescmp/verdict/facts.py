"""Facts beside a verdict's probabilities: intervals, and how far data sets differ."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from bayescmp.typing import Json


__all__ = ["Interval", "Known", "Spread", "central", "turned"]

#: Lower and upper end of a central 95 % interval.
Interval = tuple[float, float]


def central(draws: np.ndarray) -> tuple[Interval, ...]:
    """Central 95 % intervals of draws, one for each entry of the last axis.

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp.verdict import central
    >>> central(np.linspace(0, 1, 201)[:, None])
    ((0.025, 0.975),)
    """
    flat = draws.reshape(-1, draws.shape[-1])
    ends = np.quantile(flat, [0.025, 0.975], axis=0).T
    return tuple((float(low), float(high)) for low, high in ends)


def turned(interval: Interval) -> Interval:
    """The interval of a difference, as seen when the two algorithms change places."""
    low, high = interval
    return -high, -low


@dataclass(frozen=True)
class Spread:
    """How far data sets differ in one metric, and what follows for the next one.

    Attributes
    ----------
    median : float
        Posterior median of the scale of the data sets' differences (σ0, or τ of a metric).
    interval : (float, float)
        Its central 95 % interval.
    following : (float, float)
        Central 95 % interval of the difference on the next data set (predictive).
    symbol : str
        What the model calls the scale.
    """

    median: float
    interval: Interval
    following: Interval
    symbol: str = "σ0"

    def swapped(self) -> Spread:
        """The same with the two algorithms in the other order."""
        return replace(self, following=turned(self.following))

    def to_dict(self) -> Json:
        """Plain numbers and strings, for JSON."""
        return {
            "symbol": self.symbol,
            "median": self.median,
            "interval": list(self.interval),
            "next": list(self.following),
        }


@dataclass(frozen=True)
class Known:
    """How probable the likeliest outcome on the next data set would be, were the parameters known.

    The largest of the regions' masses, over the posterior of the upper level's parameters: the
    predictive probability that any number of further data sets could reach.

    Attributes
    ----------
    median : float
        Posterior median.
    interval : (float, float)
        Central 95 % interval.
    """

    median: float
    interval: Interval

    @classmethod
    def of(cls, masses: np.ndarray) -> Known:
        """From draws of the regions' masses, shape (..., regions).

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.verdict import Known
        >>> Known.of(np.array([[0.2, 0.1, 0.7], [0.5, 0.2, 0.3], [0.1, 0.0, 0.9]])).median
        0.7
        """
        low, middle, high = np.quantile(masses.max(axis=-1), [0.025, 0.5, 0.975])
        return cls(float(middle), (float(low), float(high)))

    def to_dict(self) -> Json:
        """Plain numbers, for JSON."""
        return {"median": self.median, "interval": list(self.interval)}
