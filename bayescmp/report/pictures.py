"""Pictures of a report: what `bayescmp.plots` draws, as SVG that stands inside a page."""

from __future__ import annotations

import io
import re
import warnings
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bayescmp.markup import visible
from bayescmp.plots import caption
from bayescmp.plots.hovers import named_marks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["any_letter", "picture"]

_SVG, _LINK = "http://www.w3.org/2000/svg", "{http://www.w3.org/1999/xlink}href"
#: What a page needs of a picture: text as text, no background, the same bytes for the same plot.
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
    """One plot as an SVG element, with its caption.

    Parameters
    ----------
    draw : callable
        Draws on the axes ``ax`` it is given.
    size : (float, float)
        Width and height in inches.
    name : str
        Starts every id of the picture, so that several can stand in one page.
    title, description : str
        For those who do not see it.

    Returns
    -------
    dict
        "svg" and "caption".
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
    """Lay the figure out now and for good: writing it would draw it twice otherwise.

    Paths that clip are put in the figure's own coordinates, as the backend would write out the
    transform of each for every mark, which takes longer than all else.
    """
    from matplotlib.transforms import IdentityTransform, TransformedPath

    engine = figure.get_layout_engine()
    assert engine is not None
    engine.execute(figure)
    figure.set_layout_engine(None)
    for artist in figure.findobj():
        clip = artist.get_clip_path()
        if isinstance(clip, TransformedPath):
            path, affine = clip.get_transformed_path_and_affine()
            artist.set_clip_path(affine.transform_path(path), IdentityTransform())


@contextmanager
def any_letter() -> Iterator[None]:
    """Without warnings of letters that the font lacks: the reader's fonts may have them."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")
        yield


def _inline(
    text: str, name: str, title: str, description: str, marks: Mapping[str, Sequence[str]]
) -> str:
    """The element alone, without what a file needs; ids are its own."""
    root = ElementTree.fromstring(text)
    for child in list(root):
        if child.tag == f"{{{_SVG}}}metadata":
            root.remove(child)
    width = root.attrib.pop("width").removesuffix("pt")
    del root.attrib["height"]
    _hovering(root, marks)
    _own_ids(root, name)
    _joined(root)
    _named(root, name, title, description)
    root.set("style", f"max-width:{float(width) / 72:.2f}in")
    for element in root.iter():  # in a page the element needs no namespaces
        element.tag = element.tag.removeprefix(f"{{{_SVG}}}")
        if _LINK in element.attrib:
            element.set("href", element.attrib.pop(_LINK))
    return str(visible(ElementTree.tostring(root, encoding="unicode")))


def _hovering(root: ElementTree.Element, marks: Mapping[str, Sequence[str]]) -> None:
    """A title in each mark that says something, which browsers show without a script."""
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
            if key == _LINK:
                element.set(key, f"#{name}-{value[1:]}")
            elif "url(#" in value:
                element.set(key, value.replace("url(#", f"url(#{name}-"))
            elif key in ("d", "x", "y", "points", "transform"):
                element.set(key, " ".join(_LONG.sub(r"\1", value).split()))


def _joined(root: ElementTree.Element) -> None:
    """Neighbours that are clipped alike share one group: a density has hundreds of them."""
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


def _named(root: ElementTree.Element, name: str, title: str, description: str) -> None:
    """A title and a description, which screen readers read."""
    root.set("role", "img")
    labels = [("title", title), ("desc", description)]
    for place, (tag, words) in enumerate((t, w) for t, w in labels if w):
        element = ElementTree.Element(tag, {"id": f"{name}-{tag}"})
        element.text = words
        root.insert(place, element)
    root.set("aria-labelledby", " ".join(f"{name}-{tag}" for tag, words in labels if words))
