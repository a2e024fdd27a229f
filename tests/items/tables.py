"""Small tables of items for the tests of this folder."""

from __future__ import annotations

import numpy as np
import pandas as pd


def answers(right: dict[str, list[float]], **columns: object) -> pd.DataFrame:
    """One row per model and item, items numbered from 1; further columns repeat for each model."""
    parts = [
        pd.DataFrame(
            {"model": name, "item": np.arange(1, len(values) + 1), "score": values, **columns}
        )
        for name, values in right.items()
    ]
    return pd.concat(parts, ignore_index=True)


#: Two models on two benchmarks of three items each; items of one name are different items.
TWO = pd.DataFrame(
    {
        "model": ["a"] * 6 + ["b"] * 6,
        "benchmark": (["x"] * 3 + ["y"] * 3) * 2,
        "item": [1, 2, 3] * 4,
        "score": [0, 0, 1, 1, 1, 1, 1, 0, 1, 0, 1, 1],
    }
)
