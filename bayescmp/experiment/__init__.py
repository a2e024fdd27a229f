"""Experiments: cross-validated runs of scikit-learn estimators into Scores."""

from __future__ import annotations

from bayescmp.experiment.data import Dataset, Fold, HoldoutResample, labels_of
from bayescmp.experiment.run import ExperimentScores, run_experiment

__all__ = ["Dataset", "ExperimentScores", "Fold", "HoldoutResample", "labels_of", "run_experiment"]


def __dir__() -> list[str]:
    return __all__
