"""Is B better than A, worse, or practically the same?

Bayesian comparison of learning algorithms from cross-validated scores, with the frequentist tests
beside it. Names are imported when they are first used: ``import bayescmp`` loads no engine, no
ArviZ and no plotting.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from bayescmp._version import __version__

# Public name to the module that holds it.
_NAMES = {
    "Scores": "bayescmp.scores",
    "Items": "bayescmp.items.items",
    "Blocks": "bayescmp.blocks",
    "scores_blocks": "bayescmp.score_blocks",
    "Differences": "bayescmp.differences",
    "rho_from_sizes": "bayescmp.rho",
    "Rope": "bayescmp.verdict",
    "Resampling": "bayescmp.resampling",
    "Ropes": "bayescmp.verdict",
    "Verdict": "bayescmp.verdict",
    "Odds": "bayescmp.verdict",
    "Posterior": "bayescmp.posterior",
    "HierarchicalPrior": "bayescmp.bayesian.hierarchical.prior",
    "compare": "bayescmp.comparison.compare",
    "compare_all": "bayescmp.comparison",
    "CrossCheck": "bayescmp.crosscheck",
    "crosscheck": "bayescmp.crosscheck",
    "report": "bayescmp.report",
    "decision_agreement": "bayescmp.procedure",
    "procedure": "bayescmp.procedure",
    "scores_at_thresholds": "bayescmp.procedure",
    "which_test": "bayescmp.procedure",
    "Calibration": "bayescmp.planning",
    "calibrate": "bayescmp.planning",
    "Plan": "bayescmp.planning",
    "plan": "bayescmp.planning",
    "Sensitivity": "bayescmp.sensitivity",
    "load": "bayescmp.bayesian.saved",
    "run_experiment": "bayescmp.experiment",
    "HoldoutResample": "bayescmp.experiment",
    "InputError": "bayescmp.errors",
    "DiagnosticWarning": "bayescmp.errors",
    "DirectionWarning": "bayescmp.errors",
    "EngineError": "bayescmp.errors",
    "EngineNotFound": "bayescmp.errors",
}
_MODULES = (
    "bayesian",
    "catalogue",
    "curves",
    "engines",
    "experiment",
    "frequentist",
    "plots",
    "sklearn",
)

__all__ = [
    "Blocks",
    "Calibration",
    "CrossCheck",
    "DiagnosticWarning",
    "Differences",
    "DirectionWarning",
    "EngineError",
    "EngineNotFound",
    "HierarchicalPrior",
    "HoldoutResample",
    "InputError",
    "Items",
    "Odds",
    "Plan",
    "Posterior",
    "Resampling",
    "Rope",
    "Ropes",
    "Scores",
    "Sensitivity",
    "Verdict",
    "__version__",
    "bayesian",
    "calibrate",
    "catalogue",
    "compare",
    "compare_all",
    "crosscheck",
    "curves",
    "decision_agreement",
    "engines",
    "experiment",
    "frequentist",
    "load",
    "plan",
    "plots",
    "procedure",
    "report",
    "rho_from_sizes",
    "run_experiment",
    "scores_at_thresholds",
    "scores_blocks",
    "sklearn",
    "which_test",
]

if TYPE_CHECKING:
    from bayescmp import (
        bayesian,
        catalogue,
        curves,
        engines,
        experiment,
        frequentist,
        plots,
        sklearn,
    )
    from bayescmp.bayesian.hierarchical.prior import HierarchicalPrior
    from bayescmp.bayesian.saved import load
    from bayescmp.blocks import Blocks
    from bayescmp.comparison import compare_all
    from bayescmp.comparison.compare import compare
    from bayescmp.crosscheck import CrossCheck, crosscheck
    from bayescmp.differences import Differences
    from bayescmp.errors import (
        DiagnosticWarning,
        DirectionWarning,
        EngineError,
        EngineNotFound,
        InputError,
    )
    from bayescmp.experiment import HoldoutResample, run_experiment
    from bayescmp.items.items import Items
    from bayescmp.planning import Calibration, Plan, calibrate, plan
    from bayescmp.posterior import Posterior
    from bayescmp.procedure import (
        decision_agreement,
        procedure,
        scores_at_thresholds,
        which_test,
    )
    from bayescmp.report import report
    from bayescmp.resampling import Resampling
    from bayescmp.rho import rho_from_sizes
    from bayescmp.score_blocks import scores_blocks
    from bayescmp.scores import Scores
    from bayescmp.sensitivity import Sensitivity
    from bayescmp.verdict import Odds, Rope, Ropes, Verdict


class _Package(ModuleType):
    """The package, in which a function keeps its name though a subpackage has it too.

    `bayescmp.report` is the function, also after Python has put the subpackage of that name there,
    which it does when something in it is first imported.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if name in _NAMES and isinstance(value, ModuleType):
            value = getattr(value, name)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


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
