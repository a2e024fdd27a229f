"""What all plots share: axes, colours, files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayescmp.errors import InputError
from bayescmp.files import as_path, replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescmp.typing import PathLike

__all__ = ["COLUMN", "axes_for", "save", "text_size"]

#: Width of a column of a two-column paper, inches.
COLUMN = 3.4


def axes_for(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """The axes given, or those of a new figure of that size in inches."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=size, layout="constrained")[1]


def text_size(ax: Axes) -> float:
    """Font size that stays legible when the axes are one column wide."""
    figure: Any = ax.figure
    width = ax.get_position().width * figure.get_figwidth()
    return float(min(10.0, max(7.0, 2.6 * width)))


def save(ax: Axes, path: PathLike, *, dpi: int = 300) -> None:
    """Write the figure of some axes to a file, in whole or not at all.

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

    Examples
    --------
    >>> from bayescmp import bayesian, plots
    >>> posterior = bayesian.correlated_t([0.01, 0.03, 0.02, 0.00], rho=0.2, rope=0.01)
    >>> plots.save(plots.plot_density(posterior), "density.pdf")
    """
    path = as_path("path", path)
    figure: Any = ax.figure
    known = figure.canvas.get_supported_filetypes()
    ending = path.suffix.lower().lstrip(".")
    if ending not in known:
        raise InputError(
            f"cannot write {str(path)!r}: unknown picture format {ending!r}; accepted: "
            f"{', '.join(sorted(known))}"
        )
    with replacing(path) as part:
        figure.savefig(part, format=ending, dpi=dpi, bbox_inches="tight")
