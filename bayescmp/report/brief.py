"""A report in brief: what is decided, what went wrong, and with which versions."""

from __future__ import annotations

import platform
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from bayescmp.typing import Json

__all__ = ["brief", "diagnostics", "versions"]


def brief(pairs: list[Json]) -> Json:
    """How many pairs are decided, and where the Bayesian and frequentist answers disagree."""
    parts = [(pair, part) for pair in pairs for part in pair["parts"]]
    decisions = Counter(
        part["verdict"]["decision"] if "verdict" in part else "failed" for _, part in parts
    )
    disagreements = [
        {
            "id": pair["id"],
            "first": pair["first"],
            "second": pair["second"],
            "metric": part["metric"],
            "words": part["words"],
            "agreement": part["agreement"],
        }
        for pair, part in parts
        if part["disagrees"]
    ]
    return {
        "total": len(parts),
        "better": decisions["first"] + decisions["second"],
        "equivalent": decisions["equivalent"],
        "undecided": decisions["undecided"] + decisions["borderline"],
        "failed": decisions["failed"],
        "disagreements": disagreements,
    }


def diagnostics(pairs: list[Json]) -> list[Json]:
    """Diagnostics of every fit, in the order of the pairs."""
    return [
        {
            "id": pair["id"],
            "first": pair["first"],
            "second": pair["second"],
            **{
                k: part.get(k)
                for k in (
                    "metric",
                    "test",
                    "engine",
                    "ok",
                    "diagnostics",
                    "notes",
                    "seconds",
                    "error",
                )
            },
        }
        for pair in pairs
        for part in pair["parts"]
    ]


def versions(pairs: list[Json]) -> dict[str, str]:
    """Versions of this package, of what it runs on, and of the engines that fitted."""
    import pandas
    import scipy

    from bayescmp._version import __version__

    engines = {
        part["engine"]: part["engine_version"]
        for pair in pairs
        for part in pair["parts"]
        if "engine" in part
    }
    return {
        "bayescmp": __version__,
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "SciPy": scipy.__version__,
        "pandas": pandas.__version__,
        **{f"engine {name}": version for name, version in engines.items()},
    }
