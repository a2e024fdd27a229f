"""Before and after the data: how often a rule decides, and how often it is wrong."""

from __future__ import annotations

from bayescmp.study.planning.deciding import Calibration, calibrate
from bayescmp.study.planning.means import plan_items
from bayescmp.study.planning.more import plan

__all__ = ["Calibration", "calibrate", "plan", "plan_items"]


def __dir__() -> list[str]:
    return __all__
