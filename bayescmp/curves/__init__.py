"""ROC and precision-recall curves of cross-validated scores, their areas, and threshold sweeps.

Everything is vectorised over folds: labels and scores are (folds, n) arrays, or one array per fold
where folds differ in size. Ties of the score are one point of a curve (Fawcett 2006).
"""

from __future__ import annotations

from bayescmp.curves.curves import (
    AucInterval,
    AverageCurve,
    PrCurves,
    RocCurves,
    ThresholdSweep,
    auc,
    auc_interval,
    auc_pr,
    pr_curves,
    roc_curves,
    threshold_of_loss,
    threshold_sweep,
)

__all__ = [
    "AucInterval",
    "AverageCurve",
    "PrCurves",
    "RocCurves",
    "ThresholdSweep",
    "auc",
    "auc_interval",
    "auc_pr",
    "pr_curves",
    "roc_curves",
    "threshold_of_loss",
    "threshold_sweep",
]


def __dir__() -> list[str]:
    return __all__
