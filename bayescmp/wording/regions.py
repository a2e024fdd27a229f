"""The regions of a verdict: their names, descriptions, colours and signs.

All are the same in every plot, table and report. Colours are those of Okabe & Ito (2008), which
the colour-blind can distinguish; hatches, signs, markers and dashes distinguish the regions in
grey. Regions go by the names of one metric (left, rope, right) and of several (first, equivalent,
second, trade_off).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from bayescmp.errors import InputError

# Colours, signs and markers of the regions, the same in every plot, table and report.


Dashes = str | tuple[float, tuple[float, ...]]

BLUE, GREY, VERMILION, GREEN = "#0072B2", "#7f7f7f", "#D55E00", "#009E73"
#: Regions of several metrics, by the region of one metric that looks the same.
_SAME = {"first": "left", "equivalent": "rope", "second": "right"}


def _add_synonyms(texts: dict[str, str]) -> dict[str, str]:
    return texts | {name: texts[same] for name, same in _SAME.items() if same in texts}


COLOURS = _add_synonyms({"left": BLUE, "rope": GREY, "right": VERMILION}) | {"trade_off": GREEN}
HATCHES = _add_synonyms({"rope": "....", "right": "////"}) | {"trade_off": "xxxx"}
MARKERS = _add_synonyms({"left": "<", "rope": "s", "right": ">"}) | {"trade_off": "D"}
DASHES: dict[str, Dashes] = {
    "left": "-",
    "rope": (0, (1, 1.2)),
    "right": (0, (5, 1.5)),
    "first": "-",
    "equivalent": (0, (1, 1.2)),
    "second": (0, (5, 1.5)),
    "trade_off": (0, (4, 1.2, 1, 1.2)),
}
#: The sign in a cell of a matrix, for the algorithm of its row.
SIGNS = {"left": "+", "rope": "=", "right": "−"}
WORDS = {"left": "better", "rope": "equivalent", "right": "worse"}
#: Regions along a bar, from one algorithm to the other.
ORDER = ("left", "first", "rope", "equivalent", "trade_off", "right", "second")
#: Colour of other quantities (shares, counts, p-values), on light and on dark backgrounds.
QUANTITY, QUANTITY_ON_DARK = "#5E3C99", "#B2ABD2"
#: Colours of many algorithms, the first two those of a pair: without the green of trade-offs, and
#: without the yellow of the set, which is too pale for lines.
ALGORITHMS = (BLUE, VERMILION, "#CC79A7", "#E69F00", "#56B4E9", QUANTITY, "#000000")


# The shapes that a verdict may have: its regions and their names.


@dataclass(frozen=True)
class Shape:
    """A set of regions that share all probability.

    Attributes
    ----------
    regions : tuple of str
        In the order in which they are shown.
    within : str
        The one of practical equivalence, which is there only with a ROPE.
    decisions : mapping of str to str
        Region to the outcome that is decided when its probability reaches the threshold.
    labels, outcomes, clauses, headlines : mapping of str to str
        Region in a few words, as a decision, as a clause and as a headline. ``{first}`` and
        ``{second}`` stand for the names, ``{practically}`` for "practically " if there is a ROPE.
    mirror : mapping of str to str
        Regions that change places when the two algorithms do.
    impossible : tuple of str
        Regions that cannot be: their probability is zero, and they are not shown.
    """

    regions: tuple[str, ...]
    within: str
    decisions: dict[str, str]
    labels: dict[str, str]
    outcomes: dict[str, str]
    clauses: dict[str, str]
    headlines: dict[str, str]
    mirror: Mapping[str, str]
    impossible: tuple[str, ...] = ()

    @property
    def possible(self) -> dict[str, str]:
        """Map the regions that can be to their decisions."""
        return {r: d for r, d in self.decisions.items() if r not in self.impossible}

    def say(self, what: str, region: str, names: Sequence[str], *, has_rope: bool = True) -> str:
        """Return a region's label, outcome or clause ("labels", ...) with the names filled in.

        Without a ROPE, an algorithm is not practically better, but better.
        """
        texts: dict[str, str] = getattr(self, what)
        practically = "practically " if has_rope else ""
        return texts[region].format(first=names[0], second=names[1], practically=practically)

    def key_by_region(self, values: Iterable[float]) -> dict[str, float]:
        """Name numbers that are in the order of the regions, each by its region."""
        return dict(zip(self.regions, map(float, values), strict=True))


#: Two algorithms, one metric.
THREE = Shape(
    regions=("left", "rope", "right"),
    within="rope",
    decisions={"left": "first", "rope": "equivalent", "right": "second"},
    labels={"left": "{first} better", "rope": "equivalent", "right": "{second} better"},
    outcomes={"left": "{first} is {practically}better", "rope": "{practically}equivalent",
              "right": "{second} is {practically}better"},
    clauses={"left": "{first} is {practically}better",
             "rope": "the two are {practically}equivalent",
             "right": "{second} is {practically}better"},
    headlines={"left": "{first} is {practically}better than {second}",
               "rope": "{first} and {second} are {practically}equivalent",
               "right": "{second} is {practically}better than {first}"},
    mirror={"left": "right", "right": "left"},
)  # fmt: skip

#: Two algorithms, several metrics: one dominates if it is practically better in at least one
#: metric and practically worse in none; in a trade-off each is practically better in one.
FOUR = Shape(
    regions=("equivalent", "first", "second", "trade_off"),
    within="equivalent",
    decisions={"equivalent": "equivalent", "first": "first", "second": "second",
               "trade_off": "trade-off"},
    labels={"equivalent": "equivalent", "first": "{first} dominates",
            "second": "{second} dominates", "trade_off": "trade-off"},
    outcomes={"equivalent": "{practically}equivalent in all metrics",
              "first": "{first} dominates", "second": "{second} dominates",
              "trade_off": "trade-off: each is {practically}better in some metric"},
    clauses={"equivalent": "the two are {practically}equivalent in all metrics",
             "first": "{first} dominates", "second": "{second} dominates",
             "trade_off": "there is a trade-off"},
    headlines={"equivalent": "{first} and {second} are {practically}equivalent in all metrics",
               "first": "{first} dominates {second}", "second": "{second} dominates {first}",
               "trade_off": "{first} and {second}: a trade-off"},
    mirror={"first": "second", "second": "first"},
)  # fmt: skip


def _not_worse(shape: Shape, worse: str, other: str) -> Shape:
    """Make two regions of a shape: the named algorithm is practically worse, or it is not."""
    name, than, rope = f"{{{other}}}", "{first}" if other == "second" else "{second}", shape.within
    impossible = tuple(r for r in shape.regions if r not in (worse, rope))
    some, every = ("", "") if shape is THREE else (" in a metric", " in any metric")

    def both(before: str, after: str = "") -> dict[str, str]:
        """Make a text for each region: what comes before and after "practically worse"."""
        return {
            worse: f"{before} {{practically}}worse{after}{some}",
            rope: f"{before} not {{practically}}worse{after}{every}",
        }

    return replace(
        shape,
        decisions=shape.decisions | {rope: "not worse"},
        labels=shape.labels | {worse: f"{name} worse", rope: f"{name} not worse"},
        outcomes=shape.outcomes | both(f"{name} is"),
        clauses=shape.clauses | both(f"{name} is"),
        headlines=shape.headlines | both(f"{name} is", f" than {than}"),
        impossible=impossible,
    )


#: Shapes for a ROPE with only one finite bound, for one metric or several, by the side of that
#: bound. "low" asks whether the second algorithm is worse than the first, "high" the reverse.
ONE_SIDED = {
    ("low", 3): _not_worse(THREE, "left", "second"),
    ("high", 3): _not_worse(THREE, "right", "first"),
    ("low", 4): _not_worse(FOUR, "first", "second"),
    ("high", 4): _not_worse(FOUR, "second", "first"),
}


def shape_of(regions: Iterable[str], side: str = "") -> Shape:
    """Find the shape that has these regions, in any order.

    `side`, "low" or "high", is the finite bound of a one-sided ROPE.
    """
    names = set(regions)
    for shape in (THREE, FOUR):
        if names == set(shape.regions):
            return ONE_SIDED[side, len(names)] if side else shape
    raise InputError(
        f"probabilities must be of the regions {', '.join(THREE.regions)}, or "
        f"{', '.join(FOUR.regions)} (got {sorted(names)!r})."
    )
