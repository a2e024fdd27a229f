"""Engines fit models. All approximate the same posterior, and say how well."""

from bayescmp.engines.base import (
    Availability,
    Engine,
    Fit,
    FitRequest,
    SamplerSettings,
)
from bayescmp.engines.registry import engines, find_engine, register

__all__ = [
    "Availability",
    "Engine",
    "Fit",
    "FitRequest",
    "SamplerSettings",
    "engines",
    "find_engine",
    "register",
]


def __dir__() -> list[str]:
    return __all__
