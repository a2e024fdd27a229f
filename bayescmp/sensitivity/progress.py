"""A bar for variations whose number is not known beforehand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

__all__ = ["shown"]

Row = TypeVar("Row")


def shown(rows: Iterable[Row], progress: bool) -> Iterator[Row]:
    """The same rows, counted on a bar as they are computed."""
    if not progress:
        yield from rows
        return
    from tqdm.auto import tqdm  # it warns in a notebook without widgets

    yield from tqdm(rows, desc="variations", leave=False)
