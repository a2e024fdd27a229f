"""The figures of a report, drawn as SVG inside its page."""

from __future__ import annotations

import io
import re
import warnings
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp import frequentist
from bayescmp.errors import InputError
from bayescmp.plots import caption, plot_critical_difference, plot_rope_curve
from bayescmp.plots.critical_difference import figure_size
from bayescmp.plots.drawing import named_marks
from bayescmp.report.geometry import draw_density, draw_estimates, draw_simplex
from bayescmp.results.verdict import Verdict
from bayescmp.scores.rope import Rope
from bayescmp.study.crosscheck.check import PairPart
from bayescmp.wording.markup import visible
from bayescmp.wording.text import format_count, format_probability

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from bayescmp.base.typing import Json


# Figures of a report: plots by `bayescmp.plots`, as SVG inside a page.


_SVG, _LINK = "http://www.w3.org/2000/svg", "{http://www.w3.org/1999/xlink}href"
#: Settings of a page's pictures: text as text, no background, the same bytes for the same plot.
_STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "bayescmp",
    "font.family": "sans-serif",
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "figure.autolayout": False,
    "figure.constrained_layout.use": False,
}
#: A number with more decimals than a screen shows.
_LONG = re.compile(r"(\.\d\d)\d+")


def picture(
    draw: Callable[..., Axes],
    size: tuple[float, float],
    *,
    name: str,
    title: str,
    description: str = "",
) -> dict[str, str]:
    """Draw one plot as an SVG element ("svg") with its "caption".

    `draw` draws on the axes ``ax``, `size` is in inches, `name` starts every id of the figure;
    title and description are for readers who do not see it.
    """
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    text = io.StringIO()
    with rc_context(_STYLE), any_letter():
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasSVG(figure)
        ax = draw(ax=figure.add_subplot())
        _settle(figure)
        marks = named_marks(figure)
        figure.savefig(text, format="svg", metadata={"Date": None})
    return {
        "svg": _inline(text.getvalue(), name, title, description, marks),
        "caption": caption(ax),
    }


def _settle(figure: Figure) -> None:
    """Lay the figure out for good, with clipping paths in its coordinates: writing is faster."""
    from matplotlib.transforms import IdentityTransform, TransformedPath

    engine = figure.get_layout_engine()
    assert engine is not None
    engine.execute(figure)
    for ax in figure.axes:
        ax.apply_aspect()
    figure.set_layout_engine(None)
    for artist in figure.findobj():
        clip = artist.get_clip_path()
        if isinstance(clip, TransformedPath):
            path, affine = clip.get_transformed_path_and_affine()
            artist.set_clip_path(affine.transform_path(path), IdentityTransform())


@contextmanager
def any_letter() -> Iterator[None]:
    """Suppress warnings about letters that the font lacks: the reader's fonts may have them."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")
        yield


def _inline(
    text: str, name: str, title: str, description: str, marks: Mapping[str, Sequence[str]]
) -> str:
    """Return the element alone, without what a file needs; its ids are its own."""
    root = ElementTree.fromstring(text)
    for child in list(root):
        if child.tag == f"{{{_SVG}}}metadata":
            root.remove(child)
    width = root.attrib.pop("width").removesuffix("pt")
    del root.attrib["height"]
    _add_titles(root, marks)
    _own_ids(root, name)
    _join_clipped(root)
    _name_picture(root, name, title, description)
    root.set("style", f"max-width:{float(width) / 72:.2f}in")
    for element in root.iter():  # in a page the element needs no namespaces
        element.tag = element.tag.removeprefix(f"{{{_SVG}}}")
        if _LINK in element.attrib:
            element.set("href", element.attrib.pop(_LINK))
    return str(visible(ElementTree.tostring(root, encoding="unicode")))


def _add_titles(root: ElementTree.Element, marks: Mapping[str, Sequence[str]]) -> None:
    """Give each mark that says something a title, which browsers show without a script."""
    groups = {element.get("id"): element for element in root.iter() if element.get("id") in marks}
    for name, texts in marks.items():
        group = groups[name]
        drawn = list(group.iter(f"{{{_SVG}}}use")) if len(texts) > 1 else [group]
        for element, words in zip(drawn, texts, strict=True):
            title = ElementTree.Element("title")
            title.text = words
            element.insert(0, title)


def _own_ids(root: ElementTree.Element, name: str) -> None:
    """Prefix ids that something refers to, drop the others, and shorten numbers."""
    used = set()
    for element in root.iter():
        used.update(re.findall(r"url\(#([^)]+)\)", " ".join(element.attrib.values())))
        used.add(element.get(_LINK, "").removeprefix("#"))
    for element in root.iter():
        if element.get("id") in used:
            element.set("id", f"{name}-{element.get('id')}")
        elif "id" in element.attrib:
            del element.attrib["id"]
        for key, value in element.attrib.items():
            if key == _LINK and value.startswith("#"):  # else an image, which is in it
                element.set(key, f"#{name}-{value[1:]}")
            elif "url(#" in value:
                element.set(key, value.replace("url(#", f"url(#{name}-"))
            elif key in ("d", "x", "y", "points", "transform"):
                element.set(key, " ".join(_LONG.sub(r"\1", value).split()))


def _join_clipped(root: ElementTree.Element) -> None:
    """Join neighbours that are clipped alike in one group: a density has hundreds of them."""
    for parent in list(root.iter()):
        last = None
        for child in list(parent):
            child.tail = None
            if child.tag != f"{{{_SVG}}}g" or set(child.attrib) != {"clip-path"}:
                last = None
            elif last is not None and last.attrib == child.attrib:
                last.extend(list(child))
                parent.remove(child)
            else:
                last = child
        if parent.text is not None and not parent.text.strip():
            parent.text = None


def _name_picture(root: ElementTree.Element, name: str, title: str, description: str) -> None:
    root.set("role", "img")
    labels = [("title", title), ("desc", description)]
    for place, (tag, words) in enumerate((t, w) for t, w in labels if w):
        element = ElementTree.Element(tag, {"id": f"{name}-{tag}"})
        element.text = words
        root.insert(place, element)
    root.set("aria-labelledby", " ".join(f"{name}-{tag}" for tag, words in labels if words))


# The figures of pairs and of ranks.


#: Ropes along a ROPE curve, a third of them up to the report's own.
WIDTHS = 16


def pair_figures(part: PairPart, name: str, leads: bool, details: bool = True) -> dict[str, Json]:
    """Return a pair's figures: "simplex" or "density", "shrinkage", "rope".

    All but the ROPE curve, for the leading pair only (`leads`), are numbers that a template draws.
    `details` adds more than the outcome; `name` starts the id of the curve.
    """
    assert part.main is not None
    posterior: Any = part.main.posterior
    verdict = part.main.verdict
    title = f"{' against '.join(part.pair)}, {part.metric}"
    drawn = _outcomes(posterior, verdict, title)
    if not details:
        return drawn
    if part.table is not None:
        drawn["shrinkage"] = {
            "title": f"On each data set: {title}",
            "description": "The numbers are in the table below the picture.",
            **draw_estimates(part.table, posterior, verdict),
        }
    rope = verdict.rope
    if leads and isinstance(rope, Rope) and rope.size:
        widths = np.linspace(0, 3 * rope.size, WIDTHS)
        drawn["rope"] = picture(
            partial(plot_rope_curve, posterior, widths=widths),
            (4.2, 2.6),
            name=f"{name}-r",
            title=f"Rope curve: {title}",
            description="Each probability as the region of practical equivalence widens.",
        )
    return drawn


def _outcomes(posterior: Any, verdict: Verdict, title: str) -> dict[str, Json]:
    """Return a pair's simplex, or its density if there is no simplex or no ROPE."""
    finite = not verdict.rope.empty and not verdict.rope.one_sided
    if "simplex" in posterior.shows and finite:
        kind, drawn = "simplex", draw_simplex(posterior, verdict)
    elif "density" in posterior.shows:
        kind, drawn = "density", draw_density(posterior, verdict)
    else:
        return {}
    outcomes = (
        f"{verdict.label(r)} {format_probability(p)}" for r, p in verdict.probabilities.items()
    )
    titles = {"title": f"{kind.capitalize()}: {title}", "description": "; ".join(outcomes)}
    return {kind: {**titles, **drawn}}


def rank_diagram(means: pd.DataFrame, lower: bool, alpha: float, name: str) -> Json:
    """Draw the critical-difference diagram of the ranks of means; empty if it cannot be drawn."""
    if means.shape[1] < 3 or len(means) < 2:
        return {}
    try:
        tests = frequentist.nemenyi(means, lower_is_better=lower)
    except InputError:  # scores are missing
        return {}
    with any_letter():
        size = figure_size(tests, alpha=alpha)
    order = ", ".join(tests.names[i] for i in tests.order)
    return picture(
        partial(plot_critical_difference, tests, alpha=alpha),
        size,
        name=name,
        title=f"Critical differences of {format_count(len(tests.names), 'algorithm')}",
        description=f"From the best mean rank to the worst: {order}.",
    )
