"""Groups of algorithms that cannot be told apart: maximal cliques, also as underlined text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayescmp.text import WIDTH

__all__ = ["bracketed", "maximal_cliques", "underlined"]


def maximal_cliques(alike: np.ndarray) -> tuple[tuple[int, ...], ...]:
    """Maximal sets of which every two members are alike.

    They may overlap, and need not be neighbours in any order. Sets of one are left out.

    Parameters
    ----------
    alike : ndarray of bool, shape (L, L)
        Symmetric; the diagonal is not looked at.

    Returns
    -------
    tuple of tuple of int
        Members ascending, sets in the order of their members.

    References
    ----------
    Bron & Kerbosch 1973, algorithm 457, with the pivot of Tomita et al. 2006; sets as bits.
    """
    size = len(alike)
    near = [sum(1 << j for j in range(size) if j != i and alike[i, j]) for i in range(size)]
    cliques: list[tuple[int, ...]] = []

    def extend(clique: int, candidates: int, excluded: int) -> None:
        if not candidates and not excluded:
            cliques.append(_bits(clique))
            return
        pivot = max(_bits(candidates | excluded), key=lambda i: (near[i] & candidates).bit_count())
        for i in _bits(candidates & ~near[pivot]):
            extend(clique | 1 << i, candidates & near[i], excluded & near[i])
            candidates &= ~(1 << i)
            excluded |= 1 << i

    extend(0, (1 << size) - 1, 0)
    return tuple(sorted(c for c in cliques if len(c) > 1))


def _bits(number: int) -> tuple[int, ...]:
    places = []
    while number:
        low = number & -number
        places.append(low.bit_length() - 1)
        number ^= low
    return tuple(places)


def underlined(
    names: Sequence[str], values: Sequence[str], groups: Sequence[Sequence[int]]
) -> str:
    """Names from best to worst, with a line under each group, or beside it where names are long.

    A line stops short of the next name, and has a gap where an algorithm in between is not in
    the group.

    Parameters
    ----------
    names, values : sequences of str
        In the order in which they are to be written.
    groups : sequence of sequences of int
        Places of the members.

    Returns
    -------
    str
    """
    widths = [max(len(n), len(v)) for n, v in zip(names, values, strict=True)]
    if sum(widths) + 2 * len(widths) > WIDTH:
        return _lined_beside(names, values, groups)
    lines = [
        "  ".join(text.ljust(w) for text, w in zip(row, widths, strict=True)).rstrip()
        for row in (names, values)
    ]
    for group in groups:
        members = set(group)
        cells = []
        for place, width in enumerate(widths):
            mark = "─" if place in members else " "
            joined = place in members and place + 1 in members
            cells.append(mark * width + ("──" if joined else "  "))
        lines.append("".join(cells).rstrip())
    return "\n".join(lines)


def _lined_beside(
    names: Sequence[str], values: Sequence[str], groups: Sequence[Sequence[int]]
) -> str:
    """A name a line, the groups as columns."""
    name, value = max(map(len, names)), max(map(len, values))
    return "\n".join(
        f"{n:<{name}}  {v:>{value}}  {' '.join('│' if i in g else ' ' for g in groups)}".rstrip()
        for i, (n, v) in enumerate(zip(names, values, strict=True))
    )


def bracketed(names: Sequence[str], groups: Sequence[Sequence[int]]) -> str:
    """Groups in parentheses, members of none alone: ``{c4.5, (lda, rf), qda}``.

    Parameters
    ----------
    names : sequence of str
    groups : sequence of sequences of int
        Places of the members; they may overlap.

    Returns
    -------
    str
        Each group stands where its first member would.
    """
    grouped = {i for group in groups for i in group}
    items = [(min(g), "(" + ", ".join(names[i] for i in sorted(g)) + ")") for g in groups]
    items += [(i, name) for i, name in enumerate(names) if i not in grouped]
    return "{" + ", ".join(text for _, text in sorted(items)) + "}"
