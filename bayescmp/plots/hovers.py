"""What a mark says when the pointer rests on it, in pictures that can: SVG inside a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure

__all__ = ["hover", "named_marks"]

_TEXTS: WeakKeyDictionary[Artist, tuple[str, ...]] = WeakKeyDictionary()


def hover(artist: Artist, texts: Iterable[str]) -> None:
    """Keep what an artist's marks say: a text each of a collection, one text of anything else."""
    _TEXTS[artist] = tuple(texts)


def named_marks(figure: Figure) -> dict[str, Sequence[str]]:
    """Texts by the id of the group of their marks, which the artists of the figure are given."""
    marked = [artist for artist in figure.findobj() if _TEXTS.get(artist)]
    for number, artist in enumerate(marked):
        artist.set_gid(f"marks-{number}")
    return {str(artist.get_gid()): _TEXTS[artist] for artist in marked}
