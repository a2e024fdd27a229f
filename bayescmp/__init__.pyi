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
from bayescmp.base.version import __version__
from bayescmp.bayesian.hierarchical.problem import HierarchicalPrior
from bayescmp.bayesian.saved import load
from bayescmp.errors import (
    DiagnosticWarning,
    DirectionWarning,
    EngineError,
    EngineNotFound,
    InputError,
)
from bayescmp.experiment import HoldoutResample, run_experiment
from bayescmp.items.items import Items
from bayescmp.report import report
from bayescmp.results.plan import ItemPlan, Plan
from bayescmp.results.posterior import Posterior
from bayescmp.results.sensitivity import Fragility, PairsSensitivity, Sensitivity
from bayescmp.results.verdict import Odds, Verdict
from bayescmp.scores.blocks import Blocks, scores_blocks
from bayescmp.scores.differences import Differences
from bayescmp.scores.resampling import Resampling, rho_from_sizes
from bayescmp.scores.rope import Rope, Ropes
from bayescmp.scores.scores import Scores
from bayescmp.study.compare import compare, compare_all
from bayescmp.study.crosscheck import CrossCheck, crosscheck
from bayescmp.study.gate import Gate, gate
from bayescmp.study.planning import Calibration, calibrate, plan, plan_items
from bayescmp.study.procedure import (
    decision_agreement,
    procedure,
    scores_at_thresholds,
    which_test,
)
from bayescmp.study.undominated import Undominated, undominated

__all__ = [
    "Blocks",
    "Calibration",
    "CrossCheck",
    "DiagnosticWarning",
    "Differences",
    "DirectionWarning",
    "EngineError",
    "EngineNotFound",
    "Fragility",
    "Gate",
    "HierarchicalPrior",
    "HoldoutResample",
    "InputError",
    "ItemPlan",
    "Items",
    "Odds",
    "PairsSensitivity",
    "Plan",
    "Posterior",
    "Resampling",
    "Rope",
    "Ropes",
    "Scores",
    "Sensitivity",
    "Undominated",
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
    "gate",
    "load",
    "plan",
    "plan_items",
    "plots",
    "procedure",
    "report",
    "rho_from_sizes",
    "run_experiment",
    "scores_at_thresholds",
    "scores_blocks",
    "sklearn",
    "undominated",
    "which_test",
]
