"""Styles of journals: figures exactly as wide as their columns, with fonts they accept."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType

from bayescmp.errors import InputError, unknown_name
from bayescmp.plots._canvas import TRUETYPE, fixed_width

__all__ = ["Style", "style"]

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
    """Settings of matplotlib for a venue; as a context manager it also fixes figures' widths.

    Attributes
    ----------
    width : float
        Width of the figures that plots make, inches.
    """

    def __init__(self, settings: dict[str, object], width: float) -> None:
        super().__init__(settings)
        self.width = width
        self._open: list[ExitStack] = []

    def __enter__(self) -> Style:
        from matplotlib import rc_context

        stack = ExitStack()
        stack.enter_context(rc_context({str(k): v for k, v in self.items()}))
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


def style(venue: str, *, columns: float = 1) -> Style:
    r"""Make figures for a journal: exactly as wide as its columns, in fonts that it accepts.

    Parameters
    ----------
    venue : {"jmlr", "neurips", "ieee", "slides"}
        "jmlr" and "neurips" have one column, of 6 and 5.5 inches; "ieee" has columns of 21 picas
        (252 pt, 3.49 in) in a text of 43 picas (7.14 in); "slides" are those of Beamer at 16:9,
        with 140 mm of text.
    columns : float
        How many columns a figure spans: 2 for one across a page of "ieee", 0.5 for two side by
        side.

    Returns
    -------
    Style
        To be used in a ``with`` statement, in which figures get the width and fonts; it is also a
        dictionary for ``matplotlib.rcParams.update``, which sets all but the width. Dark styles
        go with it: ``with plt.style.context("dark_background"), plots.style("slides"): ...``

    Raises
    ------
    InputError
        Unknown venue, or more columns than it has.

    References
    ----------
    JMLR: ``jmlr2e.sty`` of github.com/JmlrOrg/jmlr-style-file. NeurIPS: ``neurips_2026.sty``, and
    "5.5 inches (33 picas) wide" in its formatting instructions. IEEE: ``IEEEtran.cls`` 1.8b; the
    IEEE Author Center, "Size requirements for graphics", rounds its widths to 3.5 and 7.16 inches,
    which IEEEtran's columns do not quite hold. Beamer: ``beamer.cls``, aspectratio=169.

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
    if venue not in VENUES:
        raise unknown_name("venue", venue, VENUES)
    of = VENUES[venue]
    gap = max(of.text - 2 * of.column, 0.0)
    width = columns * of.column + max(columns - 1, 0) * gap
    if not 0 < width <= of.text + 1e-9:
        most = 2 if of.text > of.column else 1
        raise InputError(f"columns={columns!r}; accepted: over 0, at most {most} for {venue!r}")
    return Style(_settings(of, width), width)


def _settings(of: _Venue, width: float) -> dict[str, object]:
    return {
        **TRUETYPE,
        "font.family": SERIF if of.serif else SANS,
        "mathtext.fontset": "stix" if of.serif else "dejavusans",
        "font.size": 8.0,
        "axes.linewidth": 0.6,
        "figure.figsize": (width, 0.62 * width),
        "figure.constrained_layout.use": True,
        "savefig.bbox": None,
        "savefig.dpi": 300,
    }
