"""The version, and how computations that need no engine name themselves."""

from __future__ import annotations

__version__ = "0.1.0"


def built_in() -> str:
    """Name the package and its version as an engine: "built in, bayescmp 0.1.0"."""
    return f"built in, bayescmp {__version__}"
