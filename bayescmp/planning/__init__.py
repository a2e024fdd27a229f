"""Before and after the data: how often a rule decides, and how often it is wrong."""

from __future__ import annotations

from bayescmp.planning.characteristics import Calibration, calibrate

__all__ = ["Calibration", "calibrate"]
