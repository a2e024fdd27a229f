"""Stages of a command's work, on a bar."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["stages"]


@contextmanager
def stages(*names: str) -> Iterator[Callable[[], None]]:
    """Name the stage that a command is at, on a bar that goes when all is done.

    Nothing is shown where the errors do not go to a terminal.

    Parameters
    ----------
    *names : str
        The stages, in their order.

    Yields
    ------
    callable
        To be called at the end of each stage but the last.
    """
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from tqdm import tqdm

    layout = "{desc}: stage {n_fmt} of {total_fmt} [{elapsed}]"
    with tqdm(total=len(names), initial=1, desc=names[0], leave=False, bar_format=layout) as bar:

        def ended() -> None:
            bar.set_description_str(names[int(bar.n)], refresh=False)
            bar.update()
            bar.refresh()

        yield ended
