"""The regions of a verdict: their names, their decisions, and which of them are possible."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from bayescmp.base.arguments import must_be


@dataclass(frozen=True)
class Shape:
    """A set of regions that share all probability.

    Attributes
    ----------
    name : str
        The name under which `bayescmp.wording.regions` has the words for the regions.
    regions : tuple of str
        In the order in which they are shown.
    within : str
        The one of practical equivalence, which is there only with a ROPE.
    decisions, mirror : mapping of str to str
        Region to the outcome that is decided; regions that change places with the algorithms.
    impossible : tuple of str
        Regions of probability zero, which are not shown.
    """

    name: str
    regions: tuple[str, ...]
    within: str
    decisions: dict[str, str]
    mirror: Mapping[str, str]
    impossible: tuple[str, ...] = ()

    @property
    def possible(self) -> dict[str, str]:
        """Map the regions that can be to their decisions."""
        return {r: d for r, d in self.decisions.items() if r not in self.impossible}

    def key_by_region(self, values: Iterable[float]) -> dict[str, float]:
        """Name numbers that are in the order of the regions, each by its region."""
        return dict(zip(self.regions, map(float, values), strict=True))


#: Two algorithms, one metric.
THREE = Shape(
    name="three",
    regions=("left", "rope", "right"),
    within="rope",
    decisions={"left": "first", "rope": "equivalent", "right": "second"},
    mirror={"left": "right", "right": "left"},
)

#: Two algorithms, several metrics: one dominates if it is practically better in at least one
#: metric and practically worse in none; in a trade-off each is practically better in one.
FOUR = Shape(
    name="four",
    regions=("equivalent", "first", "second", "trade_off"),
    within="equivalent",
    decisions={
        "equivalent": "equivalent",
        "first": "first",
        "second": "second",
        "trade_off": "trade-off",
    },
    mirror={"first": "second", "second": "first"},
)


def _not_worse(shape: Shape, name: str, worse: str) -> Shape:
    """Make two regions of a shape: an algorithm is practically worse, or it is not."""
    return replace(
        shape,
        name=name,
        decisions=shape.decisions | {shape.within: "not worse"},
        impossible=tuple(r for r in shape.regions if r not in (worse, shape.within)),
    )


#: Shapes for a ROPE with only one finite bound, for one metric or several, by the side of that
#: bound. "low" asks whether the second algorithm is worse than the first, "high" the reverse.
ONE_SIDED = {
    ("low", 3): _not_worse(THREE, "three low", "left"),
    ("high", 3): _not_worse(THREE, "three high", "right"),
    ("low", 4): _not_worse(FOUR, "four low", "first"),
    ("high", 4): _not_worse(FOUR, "four high", "second"),
}


def shape_of(regions: Iterable[str], side: str = "") -> Shape:
    """Find the shape with these regions; `side`, "low" or "high", is a one-sided ROPE's bound."""
    names = set(regions)
    for shape in (THREE, FOUR):
        if names == set(shape.regions):
            return ONE_SIDED[side, len(names)] if side else shape
    known = f"{', '.join(THREE.regions)}, or {', '.join(FOUR.regions)}"
    raise must_be("probabilities", f"of the regions {known}", sorted(names))
