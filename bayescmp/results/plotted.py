"""Results that a plot shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Plotted:
    """A result with its own plot."""

    #: The function of `bayescmp.plots` that draws it.
    picture: ClassVar[str] = ""

    def _choose_picture(self, options: dict[str, Any]) -> tuple[str, object, dict[str, Any]]:
        """Return the function's name, its subject, and its options."""
        return self.picture, self, options

    def figure_size(self) -> tuple[float, float]:
        """Return the width and height, in inches, of the figure that `plot` needs."""
        return 3.4, 2.3

    def plot(self, *, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the plot that shows this result best.

        In a new figure if `ax` is not given; options are those of the function of
        `bayescmp.plots`.
        """
        from bayescmp import plots

        name, shown, rest = self._choose_picture(options)
        drawn: Axes = getattr(plots, name)(shown, ax=ax, **rest)
        return drawn
