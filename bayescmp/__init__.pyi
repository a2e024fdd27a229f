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
from bayescmp._version import __version__
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
