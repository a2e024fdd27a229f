"""Is B better than A, worse, or practically the same?

Bayesian comparison of learning algorithms from cross-validated scores, with the frequentist tests
beside it. Names are imported when they are first used: ``import bayescmp`` loads no engine, no
ArviZ and no plotting.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Public name to the module that holds it.
_NAMES = {
    "Scores": "bayescmp.scores",
    "Differences": "bayescmp.differences",
    "rho_from_sizes": "bayescmp.differences",
    "Rope": "bayescmp.verdict",
    "Verdict": "bayescmp.verdict",
    "Odds": "bayescmp.verdict",
    "Posterior": "bayescmp.posterior",
    "HierarchicalPrior": "bayescmp.bayesian.prior",
    "compare": "bayescmp.comparison",
    "compare_all": "bayescmp.comparison",
    "load": "bayescmp.bayesian.saved",
    "InputError": "bayescmp.errors",
    "DiagnosticWarning": "bayescmp.errors",
    "EngineError": "bayescmp.errors",
    "EngineNotFound": "bayescmp.errors",
}
_MODULES = ("bayesian", "engines", "frequentist", "plots")

__all__ = [
    "DiagnosticWarning",
    "Differences",
    "EngineError",
    "EngineNotFound",
    "HierarchicalPrior",
    "InputError",
    "Odds",
    "Posterior",
    "Rope",
    "Scores",
    "Verdict",
    "__version__",
    "bayesian",
    "compare",
    "compare_all",
    "engines",
    "frequentist",
    "load",
    "plots",
    "rho_from_sizes",
]

if TYPE_CHECKING:
    from bayescmp import bayesian, engines, frequentist, plots
    from bayescmp.bayesian.prior import HierarchicalPrior
    from bayescmp.bayesian.saved import load
    from bayescmp.comparison import compare, compare_all
    from bayescmp.differences import Differences, rho_from_sizes
    from bayescmp.errors import DiagnosticWarning, EngineError, EngineNotFound, InputError
    from bayescmp.posterior import Posterior
    from bayescmp.scores import Scores
    from bayescmp.verdict import Odds, Rope, Verdict


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        value = getattr(importlib.import_module(_NAMES[name]), name)
    elif name in _MODULES:
        value = importlib.import_module(f"bayescmp.{name}")
    else:
        raise AttributeError(f"module 'bayescmp' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
