"""How fragile is a verdict? The same data under other priors, correlations, ropes, without one."""

from __future__ import annotations

from bayescmp.sensitivity.general import sensitivity_of_any
from bayescmp.sensitivity.hierarchical import sensitivity_of
from bayescmp.sensitivity.pairs import PairsSensitivity, sensitivity_of_pairs
from bayescmp.sensitivity.result import Sensitivity

__all__ = [
    "PairsSensitivity",
    "Sensitivity",
    "sensitivity_of",
    "sensitivity_of_any",
    "sensitivity_of_pairs",
]


def __dir__() -> list[str]:
    return __all__
