"""Colours, signs and markers of the regions, the same in every plot, table and report.

Colours are those of Okabe & Ito (2008), which the colour-blind can distinguish; hatches, signs,
markers and dashes distinguish the regions in grey. Regions go by the names of one metric (left,
rope, right) and of several (first, equivalent, second, trade_off).
"""

from __future__ import annotations

__all__ = [
    "ALGORITHMS", "COLOURS", "DASHES", "HATCHES", "MARKERS", "ORDER", "QUANTITY",
    "QUANTITY_ON_DARK", "SIGNS", "WORDS",
]  # fmt: skip

Dashes = str | tuple[float, tuple[float, ...]]

BLUE, GREY, VERMILION, GREEN = "#0072B2", "#7f7f7f", "#D55E00", "#009E73"
#: One of several metrics to the same of one.
_SAME = {"first": "left", "equivalent": "rope", "second": "right"}


def _both(of: dict[str, str]) -> dict[str, str]:
    return of | {name: of[same] for name, same in _SAME.items() if same in of}


COLOURS = _both({"left": BLUE, "rope": GREY, "right": VERMILION}) | {"trade_off": GREEN}
HATCHES = _both({"rope": "....", "right": "////"}) | {"trade_off": "xxxx"}
MARKERS = _both({"left": "<", "rope": "s", "right": ">"}) | {"trade_off": "D"}
DASHES: dict[str, Dashes] = {
    "left": "-",
    "rope": (0, (1, 1.2)),
    "right": (0, (5, 1.5)),
    "first": "-",
    "equivalent": (0, (1, 1.2)),
    "second": (0, (5, 1.5)),
    "trade_off": (0, (4, 1.2, 1, 1.2)),
}
#: What a cell of a matrix says of the algorithm of its row.
SIGNS = {"left": "+", "rope": "=", "right": "−"}
WORDS = {"left": "better", "rope": "equivalent", "right": "worse"}
#: Along a bar, the two algorithms at the ends.
ORDER = ("left", "first", "rope", "equivalent", "trade_off", "right", "second")
#: Colour of what is not a region (shares, counts, p-values), on light and on dark backgrounds.
QUANTITY, QUANTITY_ON_DARK = "#5E3C99", "#B2ABD2"
#: Colours of many algorithms, the first two those of a pair: without the green of trade-offs, and
#: without the yellow of the set, which is too pale for lines.
ALGORITHMS = (BLUE, VERMILION, "#CC79A7", "#E69F00", "#56B4E9", QUANTITY, "#000000")
