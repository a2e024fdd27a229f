"""The tables of calls on these pages, so that both columns can be run."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
ROW = re.compile(r"^\| (.*`.*) \| (.*`.*) \|$", re.MULTILINE)
CODE = re.compile(r"`([^`]+)`")


def calls(page: str) -> tuple[list[str], list[str]]:
    """Code of the left and of the right column of a page's table."""
    rows = ROW.findall((HERE / f"{page}.md").read_text(encoding="utf-8"))
    left, right = (CODE.findall(" ".join(cells)) for cells in zip(*rows, strict=True))
    return left, right


def run(code: list[str], names: dict[str, object]) -> list[object]:
    """Values of calls, one after the other; one that begins with a dot is of the last result."""
    values, last = [], None
    for call in code:
        of_last = call.startswith(".")
        value = eval(f"_{call}" if of_last else call, {**names, "_": last})
        last = last if of_last else value
        values.append(value)
    return values
