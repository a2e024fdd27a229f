"""Pictures of a report: what `bayescmp.plots` draws, as SVG that stands inside a page."""

from __future__ import annotations

import io
import re
import warnings
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bayescmp.markup import visible

__all__ = ["any_letter", "picture"]

_SVG, _LINK = "http://www.w3.org/2000/svg", "{http://www.w3.org/1999/xlink}href"
#: What a page needs of a picture: text as text, no background, the same bytes for the same plot.
_STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "bayescmp",
    "font.family": "sans-serif",
    "figure.facecolor": "none",
    "axes.facecolor": "none",
}
#: A number with more decimals than a screen shows.
_LONG = re.compile(r"(\.\d\d)\d+")


def picture(
    draw: Callable[..., object],
    size: tuple[float, float],
    *,
    name: str,
    title: str,
    description: str = "",
) -> str:
    """One plot as an SVG element.

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
    str
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    text = io.StringIO()
    with rc_context(_STYLE), any_letter():
        figure = Figure(figsize=size, layout="constrained")
        draw(ax=figure.add_subplot())
        figure.savefig(text, format="svg", metadata={"Date": None})
    return _inline(text.getvalue(), name, title, description)


@contextmanager
def any_letter() -> Iterator[None]:
    """Without warnings of letters that the font lacks: the reader's fonts may have them."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")
        yield


def _inline(text: str, name: str, title: str, description: str) -> str:
    """The element alone, without what a file needs; ids are its own."""
    root = ElementTree.fromstring(text)
    for child in list(root):
        if child.tag == f"{{{_SVG}}}metadata":
            root.remove(child)
    width = root.attrib.pop("width").removesuffix("pt")
    del root.attrib["height"]
    _own_ids(root, name)
    _joined(root)
    _named(root, name, title, description)
    root.set("style", f"max-width:{float(width) / 72:.2f}in")
    for element in root.iter():  # in a page the element needs no namespaces
        element.tag = element.tag.removeprefix(f"{{{_SVG}}}")
        if _LINK in element.attrib:
            element.set("href", element.attrib.pop(_LINK))
    return str(visible(ElementTree.tostring(root, encoding="unicode")))


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
