"""The words, colours and signs of a verdict's regions.

Colours are those of Okabe & Ito (2008), which the colour-blind can distinguish; hatches, signs,
markers and dashes serve in grey. Regions have the names of one metric (left, rope, right) and of
several (first, equivalent, second, trade_off).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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


# Words for each region, by the name of its shape (`bayescmp.results.regions.Shape`).


#: Texts by a shape's name and a region. ``{first}`` and ``{second}`` stand for the algorithms'
#: names, ``{practically}`` for "practically " if there is a ROPE.
Texts = Mapping[str, Mapping[str, str]]


def _of_shapes(
    three: dict[str, str], four: dict[str, str], one_sided: dict[str, dict[str, str]]
) -> Texts:
    """Collect the texts of every shape; impossible regions of one-sided shapes keep theirs."""
    whole = {"three": three, "four": four}
    return whole | {name: whole[name.split()[0]] | texts for name, texts in one_sided.items()}


#: A region in a few words.
LABELS = _of_shapes(
    {"left": "{first} better", "rope": "equivalent", "right": "{second} better"},
    {
        "equivalent": "equivalent",
        "first": "{first} dominates",
        "second": "{second} dominates",
        "trade_off": "trade-off",
    },
    {
        "three low": {"left": "{second} worse", "rope": "{second} not worse"},
        "three high": {"right": "{first} worse", "rope": "{first} not worse"},
        "four low": {"first": "{second} worse", "equivalent": "{second} not worse"},
        "four high": {"second": "{first} worse", "equivalent": "{first} not worse"},
    },
)

#: A region as a clause.
CLAUSES = _of_shapes(
    {
        "left": "{first} is {practically}better",
        "rope": "the two are {practically}equivalent",
        "right": "{second} is {practically}better",
    },
    {
        "equivalent": "the two are {practically}equivalent in all metrics",
        "first": "{first} dominates",
        "second": "{second} dominates",
        "trade_off": "there is a trade-off",
    },
    {
        "three low": {
            "left": "{second} is {practically}worse",
            "rope": "{second} is not {practically}worse",
        },
        "three high": {
            "right": "{first} is {practically}worse",
            "rope": "{first} is not {practically}worse",
        },
        "four low": {
            "first": "{second} is {practically}worse in a metric",
            "equivalent": "{second} is not {practically}worse in any metric",
        },
        "four high": {
            "second": "{first} is {practically}worse in a metric",
            "equivalent": "{first} is not {practically}worse in any metric",
        },
    },
)

#: A decision as a headline.
HEADLINES = _of_shapes(
    {
        "left": "{first} is {practically}better than {second}",
        "rope": "{first} and {second} are {practically}equivalent",
        "right": "{second} is {practically}better than {first}",
    },
    {
        "equivalent": "{first} and {second} are {practically}equivalent in all metrics",
        "first": "{first} dominates {second}",
        "second": "{second} dominates {first}",
        "trade_off": "{first} and {second}: a trade-off",
    },
    {
        "three low": {
            "left": "{second} is {practically}worse than {first}",
            "rope": "{second} is not {practically}worse than {first}",
        },
        "three high": {
            "right": "{first} is {practically}worse than {second}",
            "rope": "{first} is not {practically}worse than {second}",
        },
        "four low": {
            "first": "{second} is {practically}worse than {first} in a metric",
            "equivalent": "{second} is not {practically}worse than {first} in any metric",
        },
        "four high": {
            "second": "{first} is {practically}worse than {second} in a metric",
            "equivalent": "{first} is not {practically}worse than {second} in any metric",
        },
    },
)


def fill_in(
    texts: Texts, shape: str, region: str, names: Sequence[str], *, has_rope: bool = True
) -> str:
    """Write a region with the algorithms' names, as a label, a clause or a headline.

    Without a ROPE, an algorithm is not practically better, but better.

    Examples
    --------
    >>> from bayescmp.wording.regions import CLAUSES, fill_in
    >>> fill_in(CLAUSES, "three", "right", ("knn", "svm"))
    'svm is practically better'
    """
    practically = "practically " if has_rope else ""
    template = texts[shape][region]
    return template.format(first=names[0], second=names[1], practically=practically)
