"""Shared by all plots: axes, styles of journals, ink, labels and names that fit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache, wraps
from inspect import signature
from pkgutil import resolve_name
from types import TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from matplotlib import rc_context, rcParams
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Rectangle
from matplotlib.textpath import text_to_path
from matplotlib.ticker import MaxNLocator

from bayescmp.base.arguments import must, must_be
from bayescmp.base.checks import Kind, count, instance, number, one_of, optional, validate_params
from bayescmp.base.files import as_path, replace_when_whole
from bayescmp.base.typing import PathLike
from bayescmp.results.posterior import Fitted, Posterior
from bayescmp.results.regions import Shape
from bayescmp.wording.regions import (
    COLOURS,
    HATCHES,
    LABELS,
    MARKERS,
    QUANTITY,
    QUANTITY_ON_DARK,
    fill_in,
)
from bayescmp.wording.text import cut_all, cut_name, write_number

if TYPE_CHECKING:
    from matplotlib.typing import ColorType  # from matplotlib 3.8 on

# What all plots share: axes, widths, files.


#: Width of a column of a two-column paper, inches.
COLUMN = 3.4
#: Fonts that journals accept, embedded as outlines that can be searched: never Type 3.
TRUETYPE = {"pdf.fonttype": 42, "ps.fonttype": 42}

_FIXED: ContextVar[float | None] = ContextVar("width", default=None)


#: How a mark is drawn, as matplotlib's keyword arguments.
Look: TypeAlias = dict[str, Any]

#: Kinds of parameters: axes to draw in, and whether to draw in those or in new ones.
AXES = instance("matplotlib Axes", "matplotlib.axes:Axes")
AX = optional(AXES)


@contextmanager
def fixed_width(inches: float) -> Iterator[None]:
    """Make all figures of plots exactly so wide."""
    before = _FIXED.set(inches)
    try:
        yield
    finally:
        _FIXED.reset(before)


def column() -> float:
    """Return the width, in inches, of a figure that fills a column."""
    return _FIXED.get() or COLUMN


def size_figure(width: float, height: float) -> tuple[float, float]:
    """Return a figure's width and height in inches, with the width of the style that is on."""
    return _FIXED.get() or width, height


def axes_for(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """Return the axes given, or those of a new figure of that size in inches."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=size_figure(*size), layout="constrained")[1]


def text_size(ax: Axes) -> float:
    """Return a font size that stays legible when the axes are one column wide."""
    figure = ax.figure.figure
    width = ax.get_position().width * figure.get_figwidth()
    return float(min(10.0, max(7.0, 2.6 * width)))


@validate_params(ax=AXES, dpi=count(most=2400))
def save(ax: Axes, path: PathLike, *, dpi: int = 300) -> None:
    """Write the figure of some axes to a file, in whole or not at all.

    The image has exactly the size of the figure, with fonts embedded as TrueType (Type 42).

    Parameters
    ----------
    ax : matplotlib Axes
    path : path-like
        The file; its ending (png, svg, pdf, ...) sets the format.
    dpi : int
        Dots per inch, for raster formats.

    Raises
    ------
    InputError
        If the format is not known or the file cannot be written.

    See Also
    --------
    style : Figures as wide as a journal's column.

    Examples
    --------
    >>> from bayescmp import bayesian, plots
    >>> posterior = bayesian.correlated_t([0.01, 0.03, 0.02, 0.00], rho=0.2, rope=0.01)
    >>> plots.save(plots.plot_density(posterior), "density.pdf")
    """
    path = as_path("path", path)
    figure = ax.figure.figure
    known = figure.canvas.get_supported_filetypes()
    ending = path.suffix.lower().lstrip(".")
    if ending not in known:
        endings = ", ".join(sorted(known))
        raise must("path", f"end in {endings}", f"{ending!r} of {str(path)!r}")

    with replace_when_whole(path) as part, rc_context({**TRUETYPE, "savefig.bbox": None}):
        figure.savefig(part, format=ending, dpi=dpi)


# Styles of journals: figures exactly as wide as their columns, with fonts they accept.


#: TeX points and millimetres in an inch.
POINTS, MILLIMETRES = 72.27, 25.4
#: Twelve of these points, in inches.
PICA = 12 / POINTS
#: Both come with matplotlib, so that a figure looks alike everywhere; the second has the letters
#: that the first lacks.
SERIF, SANS = ["STIXGeneral", "DejaVu Sans"], ["DejaVu Sans"]


@dataclass(frozen=True)
class _Venue:
    """Widths of a column and of the text, inches."""

    column: float
    text: float
    serif: bool = True


#: As in the venues' own style files; see `style` for where each is published.
VENUES = {
    "jmlr": _Venue(6.0, 6.0),  # \textwidth 6.0 true in
    "neurips": _Venue(5.5, 5.5),  # \newgeometry{textwidth=5.5in, ...}
    "ieee": _Venue(21 * PICA, 43 * PICA),  # \columnsep 1pc, \textwidth 43pc, two columns
    "slides": _Venue(140 / MILLIMETRES, 140 / MILLIMETRES, serif=False),  # 160 mm, hmargin=1cm
}


class Style(dict[str, object]):
    """Settings of matplotlib for a venue; a context manager fixes `width`, in inches."""

    def __init__(self, settings: dict[str, object], width: float) -> None:
        super().__init__(settings)
        self.width = width
        self._open: list[ExitStack] = []

    def __enter__(self) -> Style:
        stack = ExitStack()
        stack.enter_context(rc_context({str(setting): value for setting, value in self.items()}))
        stack.enter_context(fixed_width(self.width))
        self._open.append(stack)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.pop().close()


@validate_params(venue=one_of(*VENUES), columns=number(0))
def style(venue: str, *, columns: float = 1) -> Style:
    r"""Make figures for a journal: exactly as wide as its columns, in fonts that it accepts.

    Parameters
    ----------
    venue : {"jmlr", "neurips", "ieee", "slides"}
        "jmlr" and "neurips" have one column, of 6 and 5.5 inches; "ieee" has columns of 252 pt
        (3.49 in) in a text of 7.14 in; "slides" are Beamer's at 16:9, with 140 mm of text.
    columns : float
        How many columns a figure spans: 2 for one across a page of "ieee", 0.5 for two side by
        side.

    Returns
    -------
    Style
        Used in a ``with`` statement, figures get the width and fonts; it is also a dictionary for
        ``matplotlib.rcParams.update``. Dark styles: ``with plt.style.context("dark_background"),
        plots.style("slides"): ...``

    Raises
    ------
    InputError
        If the venue is unknown, or has fewer columns.

    References
    ----------
    JMLR: ``jmlr2e.sty`` of github.com/JmlrOrg/jmlr-style-file. NeurIPS: ``neurips_2026.sty``.
    IEEE: ``IEEEtran.cls`` 1.8b (the IEEE Author Center rounds to 3.5 and 7.16 inches). Beamer:
    ``beamer.cls``, aspectratio=169.

    See Also
    --------
    save : Writes a figure without changing its size.

    Examples
    --------
    >>> from bayescmp import bayesian, plots
    >>> posterior = bayesian.correlated_t([0.01, 0.03, 0.02, 0.00], rho=0.2, rope=0.01)
    >>> with plots.style("neurips", columns=0.5):
    ...     ax = plots.plot_density(posterior)
    ...     plots.save(ax, "density.pdf")  # \includegraphics{density}: no scaling
    >>> float(ax.figure.get_figwidth())
    2.75
    """
    sizes = VENUES[venue]
    gap = max(sizes.text - 2 * sizes.column, 0.0)
    width = columns * sizes.column + max(columns - 1, 0) * gap
    if not 0 < width <= sizes.text + 1e-9:
        most = 2 if sizes.text > sizes.column else 1
        raise must_be("columns", f"over 0, at most {most} for {venue!r}", columns)
    return Style(_settings(sizes, width), width)


def _settings(venue: _Venue, width: float) -> dict[str, object]:
    return {
        **TRUETYPE,
        "font.family": SERIF if venue.serif else SANS,
        "mathtext.fontset": "stix" if venue.serif else "dejavusans",
        "font.size": 8.0,
        "axes.linewidth": 0.6,
        "figure.figsize": (width, 0.62 * width),
        "figure.constrained_layout.use": True,
        "savefig.bbox": None,
        "savefig.dpi": 300,
    }


# Ink and paper: the colours of the current matplotlib style, and mixtures of them.


Rgb = tuple[float, float, float]


def _rgb(colour: ColorType) -> np.ndarray:
    return np.array(to_rgb(colour))


def mix_colours(colour: ColorType, other: ColorType, share: float) -> Rgb:
    """Mix two colours, with a given share of the first."""
    r, g, b = (share * _rgb(colour) + (1 - share) * _rgb(other)).tolist()
    return r, g, b


def paper() -> Rgb:
    """Return the style's background; white if it is transparent."""
    name = rcParams["axes.facecolor"]
    return to_rgb("white" if name == "none" else name)


def ink(share: float = 1.0) -> Rgb:
    """Return the style's colour of text; a smaller share of it is nearer to the background."""
    return mix_colours(rcParams["text.color"], paper(), share)


def luminance(colour: ColorType) -> float:
    """Compute the relative luminance of sRGB, 0 for black and 1 for white (WCAG 2.2)."""
    rgb = _rgb(colour)
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ np.array([0.2126, 0.7152, 0.0722]))


def pick_text_colour(colour: ColorType) -> str:
    """Choose black or white, whichever contrasts more with a colour behind it."""
    return "black" if luminance(colour) > 0.179 else "white"


def quantity() -> str:
    """Return the colour of quantities other than regions: shares, counts, p-values."""
    return QUANTITY if luminance(paper()) > 0.4 else QUANTITY_ON_DARK


def region_ink(region: str) -> Rgb:
    """Return a region's colour for text: far enough from the background to be read."""
    return mix_colours(COLOURS[region], ink(), 0.62)


def shades() -> LinearSegmentedColormap:
    """Make a colour map from the background to the colour of quantities."""
    return LinearSegmentedColormap.from_list("bayescmp", [paper(), to_rgb(quantity())])


def fill(region: str, share: float = 0.55) -> Look:
    """Return an area's look by its region: a paler colour, and a hatch that remains in grey."""
    return {
        "facecolor": mix_colours(COLOURS[region], paper(), share),
        "edgecolor": COLOURS[region],
        "hatch": HATCHES.get(region),
        "linewidth": 0,
    }


#: On the right of zero the first-named is better: its marker points there.
POINTING = {"left": ">", "first": ">", "right": "<", "second": "<"}


def look_of(region: str) -> Look:
    """Return how the interval of a decided pair looks, or, for no region, of an undecided one."""
    if region:
        mark = {"marker": POINTING.get(region, MARKERS[region]), "color": COLOURS[region]}
        return {**mark, "linewidth": 1.6, "markersize": 4.5}
    ring = {"marker": "o", "color": ink(0.65), "markerfacecolor": paper()}
    return {**ring, "linewidth": 1.0, "markersize": 4.5}


#: Dashes of straight lines: the bounds of a ROPE, a mean, a half.
DASHED = (0, (4, 2))


def frame_axes(ax: Axes, *sides: str, **ticks: Any) -> None:
    """Draw no frame but the sides that are named, and ticks that look so."""
    ax.tick_params(**ticks)
    for side, spine in ax.spines.items():
        spine.set_visible(side in sides)


def frame_cell(ax: Axes, x: float, y: float, side: float, width: float) -> None:
    """Draw a square around the middle of a cell."""
    corner = x - side / 2, y - side / 2
    style: Look = {"fill": False, "edgecolor": ink(), "linewidth": width, "zorder": 3}
    ax.add_artist(Rectangle(corner, side, side, **style))  # which changes no limits


def label_cells(ax: Axes, columns: Sequence[str], rows: Sequence[str], **across: Any) -> None:
    """Write names above the columns and next to the rows of cells that need no frame."""
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("bottom")
    ax.set_xticks(range(len(columns)), columns, **across)
    ax.set_yticks(range(len(rows)), rows)
    frame_axes(ax, length=0)


def write_inside(
    ax: Axes, x: float, y: float, text: str, size: float, colour: ColorType, **more: Any
) -> None:
    """Write in the middle of a cell or a bar."""
    more |= {"ha": "center", "va": "center", "in_layout": False}  # it needs no room outside
    ax.text(x, y, text, fontsize=size, color=colour, **more)


# Labels that fit: widths of texts, broken lines, columns of legends.


#: Width of a letter of names to the size of the font; inches that a figure keeps at its edges.
LETTER, EDGE = 0.6, 0.08
#: Letters are a little wider if they are fitted to the dots of a screen.
ROUNDING = 1.08
#: Inches of a legend's handle with its gaps, at 7 points.
HANDLE = 0.42


def text_width(text: str, size: float) -> float:
    """Measure the longest line of a text in inches, with no need to draw it first."""
    family = tuple(rcParams["font.family"])
    return ROUNDING * max(_line_width(line, size, family) for line in text.split("\n"))


def measure_widest(texts: Iterable[str], size: float) -> float:
    """Measure the widest of some texts in inches."""
    return max(text_width(text, size) for text in texts)


@lru_cache(maxsize=4096)
def _line_width(line: str, size: float, family: tuple[str, ...]) -> float:
    if not line.strip():
        return 0.0
    font = FontProperties(family=list(family), size=size)
    width, _, _ = text_to_path.get_text_width_height_descent(line.replace("\\$", "$"), font, False)
    return float(width) / 72


def letters(inches: float, size: float, most: int = 28, least: int = 9) -> int:
    """Count how many letters of a name fit."""
    return int(min(max(72 * inches / (LETTER * size), least), most))


#: Inches of the lowest row: its text has 6 pt. If columns are narrower, only rows have names, with
#: numbers that the columns have too.
LEGIBLE = 0.12


def row_text(inches: float, most: float = 7.5) -> float:
    """Return the font size at which lines so far below each other do not touch."""
    return float(min(max(72 * inches / 1.45, 3.0), most))


def pitch(count: int, most: float, together: float) -> float:
    """Return the inches of a row: many are smaller, to fit together on a page, but legible."""
    return max(min(most, together / count), LEGIBLE)


def room(ax: Axes) -> float:
    """Return the inches across that the figure has for some axes with their labels."""
    figure = ax.figure.figure
    spec = ax.get_subplotspec()
    if spec is None:
        share = ax.get_position().width
    else:
        share = len(spec.colspan) / spec.get_gridspec().ncols
    return float(share * figure.get_figwidth()) - 2 * EDGE


def measure_inner_width(ax: Axes) -> float:
    """Return the inches across that are left for the axes next to the labels of their rows."""
    labels = (label.get_text() for label in ax.get_yticklabels())
    size = max((float(label.get_fontsize()) for label in ax.get_yticklabels()), default=7.0)
    beside = max((text_width(text, size) for text in labels), default=0.0)
    return room(ax) - beside - (0.2 if ax.get_ylabel() else 0.1)


#: Possible line breaks: not before a sign that belongs to the preceding word.
_UNBROKEN = re.compile(r" (?![↑↓%<>])")


def wrap_text(text: str, inches: float, size: float) -> str:
    """Break a text at spaces so that its lines fit, and keep its own breaks."""
    lines = []
    for line in text.split("\n"):
        now = ""
        for word in _UNBROKEN.split(line):
            longer = f"{now} {word}" if now else word
            if now and text_width(longer, size) > inches:
                lines.append(now)
                longer = word
            now = longer
        lines.append(now)
    return "\n".join(lines)


def label_below(ax: Axes, text: str, size: float, *more: str) -> None:
    """Write a label below the axes: in their middle if it fits there, else flush right."""
    fitted = wrap_text("\n".join([text, *filter(None, more)]), room(ax), size)
    middle = text_width(fitted, size) <= measure_inner_width(ax)
    ax.set_xlabel(fitted, fontsize=size, loc="center" if middle else "right")


def label_beside(ax: Axes, text: str, size: float) -> None:
    """Write a label to the left of the axes, in lines no longer than the figure is high."""
    high = 0.8 * ax.figure.figure.get_figheight()
    ax.set_ylabel(wrap_text(text, high, size), fontsize=size)


def legend_columns(labels: Iterable[str], inches: float, size: float) -> int:
    """Count the columns of a legend that fit."""
    widths = [text_width(label, size) + HANDLE * size / 7 for label in labels]
    fits = [n for n in range(1, len(widths) + 1) if _legend_width(widths, n) <= inches]
    return max(fits, default=1)


def _legend_width(widths: Sequence[float], columns: int) -> float:
    return float(sum(max(part) for part in np.array_split(widths, columns)))


def legend_above(
    ax: Axes, handles: Sequence[Artist], labels: Sequence[str], size: float = 7.0
) -> None:
    """Put a legend above the axes: over their middle if it fits there, else flush right."""
    wide = measure_inner_width(ax)
    columns = legend_columns(labels, max(wide, room(ax)), size)
    widths = [text_width(label, size) + HANDLE * size / 7 for label in labels]
    middle = _legend_width(widths, columns) <= wide
    ax.legend(
        handles,
        labels,
        fontsize=size,
        frameon=False,
        loc="lower center" if middle else "lower right",
        ncols=columns,
        bbox_to_anchor=(0.5 if middle else 1.0, 1.0),
        borderaxespad=0.2,
        borderpad=0.1,
        handlelength=1.6,
        columnspacing=1.0,
        handletextpad=0.5,
    )


# Names that fit next to a plot: cut in the middle, still different, and never mathematics.


def shorten(name: str, most: int = 28) -> str:
    """Cut a name in the middle to a length that fits; '$' does not start mathematics."""
    return _escape_dollars(cut_name(str(name), most))


def shorten_all(names: Iterable[object], most: int = 28) -> list[str]:
    """Cut names in the middle to a length that fits, and keep them different where they were."""
    return [_escape_dollars(name) for name in cut_all(names, most)]


def region_labels(shape: Shape, names: Sequence[str], most: int) -> dict[str, str]:
    """Return what each region is called, with names cut to a length that fits."""
    short = shorten_all(names, most)
    return {r: fill_in(LABELS, shape.name, r, short) for r in shape.regions}


def label_in_lines(shape: Shape, region: str, names: Sequence[str]) -> str:
    """Return the name of a region, its last word on a separate line."""
    lines = "\n".join(LABELS[shape.name][region].rsplit(" ", 1))
    return lines.format(first=names[0], second=names[1])


def in_metric(measured: str) -> str:
    """State the metric of a difference, if known."""
    return f" in {measured}" if measured else ""


def label_difference(ax: Axes, names: Sequence[str], posterior: Any, words: str) -> str:
    """Set round percentages as ticks of a log difference; return the axis's label, or `words`."""
    if posterior.of_ratios:
        ticks = percentages(*ax.get_xlim(), 7)
        ax.set_xticks([*ticks], [*ticks.values()])
    return name_difference(names, posterior, words)


def name_difference(names: Sequence[str], posterior: Any, words: str) -> str:
    """Name the difference on an axis: `words`, unless it is one of logarithms."""
    if not posterior.of_ratios:
        return f"{words}{in_metric(posterior.measured)}"
    way = posterior.directions[0]
    own, other = names if way.lower else names[::-1]
    return f"{own}'s {way.metric} larger than {other}'s by"


def percentages(low: float, high: float, room: int) -> dict[float, str]:
    """Return round percentages by their places on an axis of logarithms."""
    ticks = ticks_of(float(100 * np.expm1(low)), float(100 * np.expm1(high)), room)
    return {float(np.log1p(tick / 100)): f"{write_number(tick, 'g')}%" for tick in ticks}


def ticks_of(low: float, high: float, room: int) -> list[float]:
    """Return round numbers from low to high, at most as many as there is room for."""
    ticks = MaxNLocator(nbins=max(room, 2), steps=[1, 2, 5, 10]).tick_values(low, high)
    slack = 1e-9 * (high - low)
    return [float(tick) for tick in ticks if low - slack <= tick <= high + slack]


def _escape_dollars(name: str) -> str:
    return name.replace("$", r"\$")


# One panel per algorithm, if they would hide each other in a single panel.


#: How many algorithms can be distinguished in one panel.
MOST = 8
#: Inches: least width of a panel, its height, the margins around all of them.
PANEL, HEIGHT, AROUND = 0.98, 0.84, 0.4


def facets(names: Sequence[str], draw: Callable[[Axes, int], None], across: str, up: str) -> Axes:
    """Draw one panel per algorithm in a new figure, all on the same axes."""
    width, height = facets_size(names)
    wide = _columns(width)
    panels = panels_of(len(names), wide, (width, height))
    figure = panels[0].figure
    titles = shorten_all(names, letters(0.85 * width / wide - 0.25, 6.5))
    for i, (panel, title) in enumerate(zip(panels, titles, strict=False)):
        draw(panel, i)
        panel.set_title(title, fontsize=6.5, pad=2)
        panel.tick_params(labelsize=6, length=2)
        panel.locator_params(nbins=3)
    figure.supxlabel(wrap_text(across, width - 0.2, 8), fontsize=8)
    figure.supylabel(wrap_text(up, height - 0.2, 8), fontsize=8)
    return panels[0]


def panels_of(count: int, wide: int, size: tuple[float, float]) -> list[Axes]:
    """Return so many panels of a new figure, so many in a row, all on the same axes."""
    first = axes_for(None, size)
    figure = first.figure
    first.remove()
    grid = figure.subplots(-(-count // wide), wide, sharex=True, sharey=True, squeeze=False)
    panels: list[Axes] = grid.ravel().tolist()
    for panel in panels[count:]:
        panel.remove()
    for panel in panels[max(count - wide, 0) : count]:
        panel.tick_params(labelbottom=True)  # also above a place that is empty
    return panels[:count]


def facets_size(names: Sequence[str]) -> tuple[float, float]:
    """Return width and height, in inches, of the figure of the panels."""
    width, _ = size_figure(column(), 0.0)
    return width, AROUND + HEIGHT * -(-len(names) // _columns(width))


def _columns(width: float) -> int:
    return max(int((width - 0.2) // PANEL), 1)


# Inputs of a plot: anything else is refused by one message, before a figure is made.


#: What the plots of one pair of algorithms accept.
PAIR = "the posterior of one pair of algorithms, e.g. bc.compare(scores, a, b, metric, rope=rope)"

P = ParamSpec("P")
R = TypeVar("R")


def made_of(
    accepted: str, *homes: str, **kinds: Kind
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Check a plot's arguments before it draws, first of all what it is made of.

    `accepted` is for the message; `PAIR` also refuses posteriors of more than two algorithms.
    `homes` are the accepted classes ("module:name"; any by default), `kinds` those of the other
    parameters except ``ax``.
    """

    def checked(plot: Callable[P, R]) -> Callable[P, R]:
        takes = signature(plot)
        common = {"ax": AX} if "ax" in takes.parameters else {}
        draw = validate_params(**{**common, **kinds})(plot)

        @wraps(plot)
        def drawn(*args: P.args, **kwargs: P.kwargs) -> R:
            name, given = next(iter(takes.bind(*args, **kwargs).arguments.items()))
            if homes and not isinstance(given, tuple(map(resolve_name, homes))):
                raise must_be(name, accepted, given)
            if accepted == PAIR and isinstance(given, Fitted) and not isinstance(given, Posterior):
                raise must_be(name, accepted, given)
            try:
                return draw(*args, **kwargs)
            except AttributeError as error:
                if all(error.obj is not part for part in _parts(given)):
                    raise
                raise must_be(name, accepted, given) from None

        return drawn

    return checked


def _parts(given: object) -> Iterator[object]:
    """Yield an argument, and its members if it is a list or a mapping."""
    yield given
    if isinstance(given, Mapping):
        yield from given.values()
    elif isinstance(given, Sequence):
        yield from given


# Text of a mark under the pointer, in formats that can show it: SVG inside a page.


_TEXTS: WeakKeyDictionary[Artist, tuple[str, ...]] = WeakKeyDictionary()


def hover(artist: Artist, texts: Iterable[str]) -> None:
    """Keep what an artist's marks say: a text for each mark of a collection, else one for all."""
    _TEXTS[artist] = tuple(texts)


def named_marks(figure: Figure) -> dict[str, Sequence[str]]:
    """Return texts by the id of their marks' group, which the figure's artists are given."""
    marked = [artist for artist in figure.findobj() if _TEXTS.get(artist)]
    for i, artist in enumerate(marked):
        artist.set_gid(f"marks-{i}")
    return {str(artist.get_gid()): _TEXTS[artist] for artist in marked}
