"""Tables of evidence in Markdown, straight from the files that runs wrote: none is copied."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path

import measured
import pandas as pd

RATES = measured.FOLDER / "null_rates.csv"


def rows(path: Path, where: str | None, pivot: str | None) -> pd.DataFrame:
    """The rows that meet a condition, with the values of one column side by side if asked."""
    frame = measured.read(path)
    if where:
        frame = frame.loc[pd.read_csv(path, comment="#").query(where).index]
    if not pivot:
        return frame
    column, value = pivot.split(", ")
    index = [name for name in frame if name not in (column, value)]
    wide = frame.pivot(index=index, columns=column, values=value).reset_index()
    return frame[index].drop_duplicates().merge(wide, how="left", on=index).fillna("")


def markdown(frame: pd.DataFrame, columns: Iterable[str]) -> str:
    """A Markdown table of these columns: ``name = title`` or ``name:format = title``."""
    titles, cells = [], []
    for line in columns:
        name, title = line.split(" = ", 1)
        name, _, form = name.partition(":")
        values = [format(Decimal(v), f"z{form}") if form and v else v for v in frame[name]]
        cells.append(
            [re.sub("^-(?=[0-9])", "−", v).replace(" ± ", "\u00a0±\u00a0") for v in values]
        )
        titles.append(title)
    lines = [titles, ["---"] * len(titles), *zip(*cells, strict=True)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def source(path: Path) -> str:
    """When, how and with what a table was measured; its file has a long command in full."""
    record = measured.record(path)
    command = textwrap.shorten(record["command"], 120, placeholder=" …")
    versions = record["versions"].replace("not recorded", "versions not recorded")
    file = f"{{download}}`{path.name} </../evidence/{path.name}>`"
    return f"{file}, measured on {record['date']} by `{command}` ({versions})."


def figure(text: str) -> str:
    """One figure: ``name.csv; condition; column:format``, or ``max column`` of several rows."""
    name, where, column = text.split("; ")
    column, _, form = column.rpartition(":")
    column, best = column.split()[-1], {"min": min, "max": max}.get(column.split()[0])
    values = [Decimal(v) for v in rows(measured.FOLDER / name, where, None)[column]]
    if best is None and len(values) != 1:
        raise ValueError(f"{text!r} is of {len(values)} rows; accepted: one, or their min or max")
    return format(best(values) if best else values[0], form)


def rate(test: str) -> str:
    """The share of true null hypotheses that a test rejected."""
    return figure(f"{RATES.name}; test == {test!r}; rate:.3f")
