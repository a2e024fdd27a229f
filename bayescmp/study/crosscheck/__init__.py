"""A Bayesian verdict and its frequentist counterpart in one row, and why they disagree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayescmp.study.crosscheck.check import crosscheck
from bayescmp.study.crosscheck.results import CrossCheck
from bayescmp.study.question import Twin, twins

if TYPE_CHECKING:
    TWINS: tuple[Twin, ...]

__all__ = ["TWINS", "CrossCheck", "Twin", "crosscheck", "twins"]


def __getattr__(name: str) -> tuple[Twin, ...]:
    if name == "TWINS":  # as the catalogue has them now
        return twins()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
