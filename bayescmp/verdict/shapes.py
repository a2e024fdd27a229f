"""The shapes a verdict may have: which regions there are, and what they are called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bayescmp.errors import InputError

__all__ = ["FOUR", "THREE", "Shape", "shape_of"]


@dataclass(frozen=True)
class Shape:
    """A set of regions that share all probability.

    Attributes
    ----------
    regions : tuple of str
        In the order in which they are shown.
    within : str
        The one of practical equivalence, which is there only with a rope.
    decisions : mapping of str to str
        Region to what is decided when its probability reaches the threshold.
    labels, outcomes, clauses : mapping of str to str
        Region in a few words, as a decision, and as a clause; ``{first}`` and ``{second}`` stand
        for the names.
    mirror : mapping of str to str
        Regions that change places when the two algorithms do.
    """

    regions: tuple[str, ...]
    within: str
    decisions: Mapping[str, str]
    labels: Mapping[str, str]
    outcomes: Mapping[str, str]
    clauses: Mapping[str, str]
    mirror: Mapping[str, str]

    def named(self, values: Iterable[float]) -> dict[str, float]:
        """Numbers in the order of the regions, each under its region's name."""
        return dict(zip(self.regions, map(float, values), strict=True))


#: Two algorithms, one metric.
THREE = Shape(
    regions=("left", "rope", "right"),
    within="rope",
    decisions={"left": "first", "rope": "equivalent", "right": "second"},
    labels={"left": "{first} better", "rope": "equivalent", "right": "{second} better"},
    outcomes={"left": "{first} is practically better", "rope": "practically equivalent",
              "right": "{second} is practically better"},
    clauses={"left": "{first} is practically better",
             "rope": "the two are practically equivalent",
             "right": "{second} is practically better"},
    mirror={"left": "right", "right": "left"},
)  # fmt: skip

#: Two algorithms, several metrics: one dominates where it is practically better in at least one
#: metric and practically worse in none; in a trade-off each is practically better in one.
FOUR = Shape(
    regions=("equivalent", "first", "second", "trade_off"),
    within="equivalent",
    decisions={"equivalent": "equivalent", "first": "first", "second": "second",
               "trade_off": "trade-off"},
    labels={"equivalent": "equivalent", "first": "{first} dominates",
            "second": "{second} dominates", "trade_off": "trade-off"},
    outcomes={"equivalent": "practically equivalent in all metrics",
              "first": "{first} dominates", "second": "{second} dominates",
              "trade_off": "trade-off: each is practically better in some metric"},
    clauses={"equivalent": "the two are practically equivalent in all metrics",
             "first": "{first} dominates", "second": "{second} dominates",
             "trade_off": "there is a trade-off"},
    mirror={"first": "second", "second": "first"},
)  # fmt: skip


def shape_of(regions: Iterable[str]) -> Shape:
    """The shape that has these regions, in any order.

    Raises
    ------
    InputError
        If there is none.
    """
    names = set(regions)
    for shape in (THREE, FOUR):
        if names == set(shape.regions):
            return shape
    raise InputError(
        f"probabilities of {sorted(names)!r}; accepted: the regions "
        f"{', '.join(THREE.regions)}, or {', '.join(FOUR.regions)}"
    )
