"""Before and after the data: how often a rule decides, and how often it is wrong."""

from __future__ import annotations

from bayescmp.planning.characteristics import Calibration, calibrate
from bayescmp.planning.more import plan, plan_of
from bayescmp.planning.result import Plan

__all__ = ["Calibration", "Plan", "calibrate", "plan", "plan_of"]


def __dir__() -> list[str]:
    return __all__
