"""What differs between two descriptions of an experiment, in words."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["differing", "short"]


def differing(there: Mapping[str, object], here: Mapping[str, object]) -> list[str]:
    """What differs between two descriptions, each in a few words."""
    differences: list[str] = []
    for part in here:
        if part == "folds" and differences:  # they follow from the seed and the data
            continue
        old, new = there.get(part), here[part]
        if isinstance(old, dict) and isinstance(new, dict):
            differences += _differences(part, old, new)
        elif old != new:
            differences.append(f"{part} is {short(old)} there, {short(new)} here")
    return differences[:6] + ([f"and {len(differences) - 6} more"] if len(differences) > 6 else [])


def _differences(part: str, old: Mapping[str, object], new: Mapping[str, object]) -> list[str]:
    """The names that one of them has only, then those of which both have something else."""
    differences = []
    for alone, where in (
        ([n for n in old if n not in new], "there"),
        ([n for n in new if n not in old], "here"),
    ):
        if alone:
            differences.append(f"{part}: {short(', '.join(map(repr, alone)))} {where} only")
    both = [name for name in new if name in old and new[name] != old[name]]
    return differences + [_difference(part, name, old[name], new[name]) for name in both]


def _difference(part: str, name: str, was: object, now: object) -> str:
    if isinstance(was, dict) and isinstance(now, dict):
        inner = next(k for k in sorted({*was, *now}) if was.get(k) != now.get(k))
        what = f" {inner}" if inner else ""
        return (
            f"{part}: {name!r} has{what} {short(was.get(inner))} there, "
            f"{short(now.get(inner))} here"
        )
    return f"{part}: {name!r} is {short(was)} there, {short(now)} here"


def short(value: object) -> str:
    """A value in at most 60 characters."""
    text = "none" if value is None else str(value)
    return text if len(text) <= 60 else text[:57] + "..."
