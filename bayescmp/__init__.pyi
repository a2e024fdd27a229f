from . import (
    bayesian,
    catalogue,
    curves,
    engines,
    experiment,
    frequentist,
    plots,
    sklearn,
)
from .base.version import __version__
from .bayesian.hierarchical.problem import HierarchicalPrior
from .bayesian.saved import load
from .errors import (
    DiagnosticWarning,
    DirectionWarning,
    EngineError,
    EngineNotFound,
    InputError,
)
from .experiment import HoldoutResample, run_experiment
from .items.items import Items
from .report import report
from .results.estimates import Estimate, Estimates
from .results.plan import ItemPlan, Plan
from .results.posterior import Posterior
from .results.sensitivity import Fragility, PairsSensitivity, Sensitivity
from .results.verdict import Odds, Verdict
from .scores.blocks import Blocks, scores_blocks
from .scores.differences import Differences
from .scores.means import MeanDifferences, Means
from .scores.resampling import Resampling, rho_from_sizes
from .scores.rope import Rope, Ropes
from .scores.runs import Runs
from .scores.scores import Scores
from .study.compare import compare, compare_all
from .study.counts import compare_counts
from .study.crosscheck import CrossCheck, crosscheck
from .study.estimate import estimate
from .study.gate import Gate, gate
from .study.moderators import Moderators
from .study.planning import Calibration, calibrate, plan, plan_items
from .study.procedure import (
    decision_agreement,
    procedure,
    scores_at_thresholds,
    which_test,
)
from .study.referee import Referee
from .study.undominated import Undominated, undominated

__all__ = [
    "Blocks",
    "Calibration",
    "CrossCheck",
    "DiagnosticWarning",
    "Differences",
    "DirectionWarning",
    "EngineError",
    "EngineNotFound",
    "Estimate",
    "Estimates",
    "Fragility",
    "Gate",
    "HierarchicalPrior",
    "HoldoutResample",
    "InputError",
    "ItemPlan",
    "Items",
    "MeanDifferences",
    "Means",
    "Moderators",
    "Odds",
    "PairsSensitivity",
    "Plan",
    "Posterior",
    "Referee",
    "Resampling",
    "Rope",
    "Ropes",
    "Runs",
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
    "compare_counts",
    "crosscheck",
    "curves",
    "decision_agreement",
    "engines",
    "estimate",
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
