"""Names that fit a column or a picture: cut in the middle, and still different."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import takewhile

__all__ = ["cut", "cut_all"]

#: Letters of the least that is kept at either end.
END = 2


def cut_all(names: Iterable[object], most: int = 28) -> list[str]:
    """Names cut in the middle to a length that fits, and different where they were.

    Examples
    --------
    >>> from bayescmp.shortened import cut_all
    >>> forests = [f"RandomForestClassifier(n_estimators={n}, n_jobs=-1)" for n in (100, 500)]
    >>> cut_all(["svm", *forests], 18)
    ['svm', 'RandomF…100…bs=-1)', 'RandomF…500…bs=-1)']
    """
    whole = [str(n) for n in names]
    labels = {n: cut(n, most) for n in whole}
    for alike in _colliding(labels):
        labels |= dict(zip(alike, _distinguished(alike, most), strict=True))
    for alike in _colliding(labels):  # nothing short tells them apart: numbers do
        labels |= {n: f"{cut(n, most - 2 - len(str(k)))} #{k}" for k, n in enumerate(alike, 1)}
    return [labels[n] for n in whole]


def cut(name: str, most: int) -> str:
    """A name cut in the middle to a length.

    Examples
    --------
    >>> from bayescmp.shortened import cut
    >>> cut("RandomForestClassifier", 12)
    'Random…ifier'
    """
    if len(name) <= most:
        return name
    tail = max((most - 1) // 2, END)
    return f"{name[: most - 1 - tail]}…{name[-tail:]}"


def _colliding(labels: dict[str, str]) -> list[list[str]]:
    groups = defaultdict(list)
    for name, label in labels.items():
        groups[label].append(name)
    return [g for g in groups.values() if len(g) > 1]


def _distinguished(names: list[str], most: int) -> list[str]:
    """Names that begin and end alike, with the words in the middle that differ."""
    start = _common(names)
    end = _common([n[start:][::-1] for n in names])
    middles = [n[start : len(n) - end] for n in names]
    longest = min(max(map(len, middles)), most - 2 - 2 * END)
    tail = min((most - 2 - longest) // 2, end)
    head = most - 2 - longest - tail
    return [
        f"{n[:head]}…{m[:longest]}…{n[len(n) - tail :]}"
        for n, m in zip(names, middles, strict=True)
    ]


def _common(names: list[str]) -> int:
    """Letters that all names begin with, up to where a word ends."""
    alike = sum(
        1 for _ in takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    )
    while alike and names[0][alike - 1].isalnum():
        alike -= 1
    return alike
