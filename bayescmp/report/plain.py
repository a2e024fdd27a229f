"""Numbers and tables as JSON takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.typing import Json

__all__ = ["by_row", "named_rows", "number"]


def number(value: object) -> object:
    """A plain number or text; None for anything not finite."""
    if isinstance(value, (np.floating, float)):
        return float(value) if np.isfinite(value) else None
    return value.item() if isinstance(value, np.generic) else value


def named_rows(frame: pd.DataFrame) -> list[Json]:
    """A table of numbers: each row's name and values."""
    return [
        {"name": str(n), "values": [number(v) for v in row]}
        for n, row in zip(frame.index, frame.to_numpy(), strict=True)
    ]


def by_row(frame: pd.DataFrame) -> dict[str, Json]:
    """A table of numbers by row and column; pandas' own way takes a millisecond."""
    columns = [str(c) for c in frame.columns]
    return {
        str(k): dict(zip(columns, map(number, row), strict=True))
        for k, row in zip(frame.index, frame.to_numpy().tolist(), strict=True)
    }
