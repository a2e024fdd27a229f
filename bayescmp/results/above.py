"""What a result is asked and a room above it answers: pictures, sensitivity, fragility, plans.

Those rooms import results, so that results can't import them: they name what they ask for, and
the function that answers is looked up when it is called.
"""

from __future__ import annotations

from collections.abc import Callable
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, ClassVar

from bayescmp.errors import unknown_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes


#: What is asked, and "module:function" of what answers it; `Pictured.picture` is one of them.
ANSWERS = {
    "best": "bayescmp.plots.ranks:plot_best",
    "density": "bayescmp.plots.density:plot_density",
    "front": "bayescmp.plots.metrics:plot_front",
    "histogram": "bayescmp.plots.density:plot_histogram",
    "null distribution": "bayescmp.plots.classifiers:plot_null_distribution",
    "pairs' sensitivity": "bayescmp.plots.verdicts:plot_pairs_sensitivity",
    "plan": "bayescmp.plots.verdicts:plot_plan",
    "rank probabilities": "bayescmp.plots.ranks:plot_rank_probabilities",
    "regions": "bayescmp.plots.simplex:plot_regions",
    "sensitivity": "bayescmp.plots.verdicts:plot_sensitivity",
    "simplex": "bayescmp.plots.simplex:plot_simplex",
    "verdict bar": "bayescmp.plots.verdicts:plot_verdict_bar",
    "verdicts": "bayescmp.plots.matrices:plot_verdicts",
    "size of pairs' sensitivity": "bayescmp.plots.verdicts:pairs_sensitivity_size",
    "size of rank probabilities": "bayescmp.plots.ranks:ranks_size",
    "size of sensitivity": "bayescmp.plots.verdicts:sensitivity_size",
    "how verdicts change": "bayescmp.study.sensitivity:sensitivity_of_any",
    "what a verdict rests on": "bayescmp.study.fragility:fragility_of",
    "what more data decide": "bayescmp.study.planning.more:plan_of",
    "what more questions decide": "bayescmp.study.planning.means:plan_of_items",
    "what more means decide": "bayescmp.study.planning.means:plan_of_means",
    "what more means decide of a pair": "bayescmp.study.planning.means:plan_of_pair",
}


def answerer(question: str) -> Callable[..., Any]:
    """Import the function that answers a question; one that no room answers is refused."""
    if question not in ANSWERS:
        raise unknown_name("picture", question, ANSWERS)
    function: Callable[..., Any] = resolve_name(ANSWERS[question])
    return function


def ask(question: str, self: object, **given: Any) -> Any:
    """Ask about a result, with all that its method was given: ``ask(question, **locals())``."""
    return answerer(question)(self, **given)


class Pictured:
    """A result that a picture shows."""

    #: The picture, as `ANSWERS` names it.
    picture: ClassVar[str] = ""

    def _choose_picture(self, options: dict[str, Any]) -> tuple[str, object, dict[str, Any]]:
        """Return the picture's name, what it draws, and the options that it takes."""
        return self.picture, self, options

    def figure_size(self) -> tuple[float, float]:
        """Return the width and height, in inches, of the figure that `plot` needs."""
        question = f"size of {self.picture}"
        size: tuple[float, float] = (3.4, 2.3)
        return answerer(question)(self) if question in ANSWERS else size

    def plot(self, *, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the picture that shows this result best.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure if not given.
        **options
            Options of the function of `bayescmp.plots` that draws it.

        Returns
        -------
        Axes

        See Also
        --------
        bayescmp.plots : The functions that draw results.
        """
        picture, shown, rest = self._choose_picture(options)
        drawn: Axes = answerer(picture)(shown, ax=ax, **rest)
        return drawn
