"""Posterior odds of two regions, and the grade of evidence that they carry."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["GRADES", "Odds", "grade", "odds_of"]

#: Upper ends of the grades of evidence (Corani et al. 2017, section 3.3).
GRADES = ((3.0, "weak"), (20.0, "positive"), (math.inf, "strong"))

#: Probabilities below this are rounding.
ROUNDING = 1e-15


def grade(odds: float) -> str:
    """Grade of evidence for odds of at least one.

    Parameters
    ----------
    odds : float
        Odds of the more probable region over the other.

    Returns
    -------
    str
        "weak" (1-3), "positive" (3-20) or "strong" (over 20).

    References
    ----------
    Corani, Benavoli, Demšar, Mangili & Zaffalon (2017), section 3.3.
    """
    if math.isnan(odds):
        return "none"
    return next(name for end, name in GRADES if odds <= end)


@dataclass(frozen=True)
class Odds:
    """Posterior odds of one region over another.

    Attributes
    ----------
    over, under : str
        The two regions; ``value`` is P(over) / P(under).
    value : float
        The odds; NaN where neither region was seen.
    bound : {"", "over", "under"}
        Set where one of the regions has no mass that can be told from zero: the odds are then
        beyond ``value``, which is never infinite.
    """

    over: str
    under: str
    value: float
    bound: str = ""

    @property
    def favours(self) -> str:
        """The more probable of the two regions."""
        return self.under if self.value < 1 else self.over

    @property
    def grade(self) -> str:
        """Grade of the evidence for the region that is favoured."""
        return grade(max(self.value, 1 / self.value) if self.value > 0 else math.nan)

    def __str__(self) -> str:
        if math.isnan(self.value):
            return "neither seen"
        size = self.value if self.value >= 1 else 1 / self.value
        return f"{'over ' if self.bound else ''}{size:.3g} : 1 for {self.favours} ({self.grade})"


def odds_of(over: str, under: str, p: float, other: float, floor: float) -> Odds:
    """Odds with probabilities below ``floor``, or rounding, replaced by it: a bound then."""
    floor = max(floor, ROUNDING)
    if p < floor and other < floor:
        return Odds(over, under, math.nan)
    bound = "under" if p < floor else "over" if other < floor else ""
    return Odds(over, under, max(p, floor) / max(other, floor), bound)
