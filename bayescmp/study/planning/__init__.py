"""Before and after the data: how often a rule decides, and how often it is wrong."""

from __future__ import annotations

from bayescmp.study.planning.characteristics import Calibration, calibrate
from bayescmp.study.planning.deciding import Plan
from bayescmp.study.planning.more import plan, plan_of

__all__ = ["Calibration", "Plan", "calibrate", "plan", "plan_of"]


def __dir__() -> list[str]:
    return __all__
