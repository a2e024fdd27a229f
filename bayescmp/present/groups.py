"""Groups of algorithms as text: with a line under each group, or in parentheses."""

from __future__ import annotations

from collections.abc import Sequence

from bayescmp.wording.text import WIDTH, cut_all, screen_width


def underline_groups(
    names: Sequence[str], values: Sequence[str], groups: Sequence[Sequence[int]]
) -> str:
    """Write names from best to worst, with a line under each group, or next to long names.

    A line has a gap if an algorithm in between is not in the group. Groups hold places of members.
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
    """Write a name a line, with the groups as columns."""
    value = max(map(len, values))
    names = cut_all(names, max(WIDTH - value - 2 * len(groups) - 3, 8))
    name = max(map(screen_width, names))
    return "\n".join(
        f"{n}{' ' * (name - screen_width(n))}  {v:>{value}}  "
        f"{' '.join('│' if i in g else ' ' for g in groups)}".rstrip()
        for i, (n, v) in enumerate(zip(names, values, strict=True))
    )


def bracket_groups(names: Sequence[str], groups: Sequence[Sequence[int]]) -> str:
    """Put groups in parentheses, members of none alone: ``{c4.5, (lda, rf), qda}``."""
    grouped = {i for group in groups for i in group}
    items = [(min(g), "(" + ", ".join(names[i] for i in sorted(g)) + ")") for g in groups]
    items += [(i, name) for i, name in enumerate(names) if i not in grouped]
    return "{" + ", ".join(text for _, text in sorted(items)) + "}"
