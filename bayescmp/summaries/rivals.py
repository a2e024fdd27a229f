"""Sentences on how a leader compares with the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bayescmp.wording.text import join_items

#: Names, and pairs, that a sentence lists; the others are counted.
MOST = 6
#: How the leader, or the control, does against others.
RIVALS = {
    "first": "{leader} is practically better than {names}.",
    "equivalent": "{leader} is practically equivalent to {names}.",
    "second": "{leader} is practically worse than {names}.",
    "leader not worse": "{leader} is not practically worse than {names}.",
    "not worse": "{leader} is not practically better than {names}.",
    "undecided": "Undecided: {leader} against {names}.",
    "failed": "Not compared: {leader} and {names}.",
}
#: The same without a ROPE.
RIVALS_WITHOUT_ROPE = {
    "first": "{leader} is better than {names}.",
    "second": "{leader} is worse than {names}.",
}


def list_rivals(leader: str, by_decision: Mapping[str, Sequence[str]], *, has_rope: bool) -> str:
    """State how a leader compares with others by decision; `has_rope`: practically better."""
    templates = RIVALS | ({} if has_rope else RIVALS_WITHOUT_ROPE)
    return " ".join(
        template.format(leader=leader, names=list_first_names(by_decision[decision]))
        for decision, template in templates.items()
        if decision in by_decision
    )


def list_first_names(names: Sequence[str]) -> str:
    """List names with commas (quoted if one contains a comma); of many only the first."""
    names = list(names)
    if len(names) > 1 and any("," in name for name in names):
        names = [repr(name) for name in names]
    if len(names) <= MOST + 1:
        return join_items(names)
    return join_items([*names[:MOST], f"{len(names) - MOST} more"])
