"""What all plots share: axes, widths, files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from bayescmp.errors import InputError
from bayescmp.files import as_path, replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescmp.typing import PathLike

__all__ = ["COLUMN", "TRUETYPE", "axes_for", "column", "fixed_width", "save", "sized", "text_size"]

#: Width of a column of a two-column paper, inches.
COLUMN = 3.4
#: Fonts that journals accept, embedded as outlines that can be searched: never Type 3.
TRUETYPE = {"pdf.fonttype": 42, "ps.fonttype": 42}

_FIXED: ContextVar[float | None] = ContextVar("width", default=None)


@contextmanager
def fixed_width(inches: float) -> Iterator[None]:
    """All figures that plots make are exactly so wide."""
    before = _FIXED.set(inches)
    try:
        yield
    finally:
        _FIXED.reset(before)


def column() -> float:
    """Width of a figure that fills a column, inches."""
    return _FIXED.get() or COLUMN


def sized(width: float, height: float) -> tuple[float, float]:
    """A figure's width and height, inches, with the width of the style that is on."""
    return _FIXED.get() or width, height


def axes_for(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """The axes given, or those of a new figure of that size in inches."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=sized(*size), layout="constrained")[1]


def text_size(ax: Axes) -> float:
    """Font size that stays legible when the axes are one column wide."""
    figure = ax.figure.figure
    width = ax.get_position().width * figure.get_figwidth()
    return float(min(10.0, max(7.0, 2.6 * width)))


def save(ax: Axes, path: PathLike, *, dpi: int = 300) -> None:
    """Write the figure of some axes to a file, in whole or not at all.

    The picture has exactly the size of the figure, and fonts are embedded as TrueType (Type 42).

    Parameters
    ----------
    ax : matplotlib Axes
        What a plot function returned.
    path : path-like
        The file; its ending (png, svg, pdf, ...) says what is written.
    dpi : int
        Dots per inch, for pictures made of dots.

    Raises
    ------
    InputError
        If the format is not known or the file can't be written.

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
        raise InputError(
            f"cannot write {str(path)!r}: unknown picture format {ending!r}; accepted: "
            f"{', '.join(sorted(known))}"
        )
    from matplotlib import rc_context

    with replacing(path) as part, rc_context({**TRUETYPE, "savefig.bbox": None}):
        figure.savefig(part, format=ending, dpi=dpi)
