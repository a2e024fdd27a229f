"""Names that fit beside a plot: cut in the middle, still different, and never mathematics."""

from __future__ import annotations

from collections.abc import Iterable

from bayescmp.shortened import cut, cut_all

__all__ = ["shorten", "shorten_all"]


def shorten(name: str, most: int = 28) -> str:
    """A name cut in the middle to a length that fits; '$' does not start mathematics."""
    return _plain(cut(str(name), most))


def shorten_all(names: Iterable[object], most: int = 28) -> list[str]:
    """Names cut in the middle to a length that fits, and different where they were.

    Examples
    --------
    >>> from bayescmp.plots._names import shorten_all
    >>> forests = [f"RandomForestClassifier(n_estimators={n}, n_jobs=-1)" for n in (100, 500)]
    >>> shorten_all(["svm", *forests], 18)
    ['svm', 'RandomF…100…bs=-1)', 'RandomF…500…bs=-1)']
    """
    return [_plain(name) for name in cut_all(names, most)]


def _plain(name: str) -> str:
    return name.replace("$", r"\$")
