"""What is known of metrics by their names: direction and range."""

from __future__ import annotations

import re

__all__ = ["is_time", "known_range", "lower_is_better", "normalise"]

_LOWER = {
    "error", "err", "error_rate", "misclassification", "misclassification_rate", "zero_one_loss",
    "hamming_loss", "loss", "log_loss", "logloss", "cross_entropy", "hinge_loss", "brier",
    "brier_score", "brier_score_loss", "perplexity", "mse", "rmse", "mae", "mape", "msle", "rmsle",
    "mean_squared_error", "root_mean_squared_error", "mean_absolute_error", "max_error",
    "mean_absolute_percentage_error", "mean_squared_log_error", "median_absolute_error",
    "mean_pinball_loss", "fp", "fn", "fpr", "fnr", "fdr", "false_positive_rate",
    "false_negative_rate", "eer", "ece", "time", "fit_time", "score_time", "train_time",
    "test_time", "runtime", "cost", "risk", "regret",
}  # fmt: skip

_UNIT = {
    "accuracy", "acc", "balanced_accuracy", "top_k_accuracy", "error", "err", "error_rate",
    "misclassification", "misclassification_rate", "zero_one_loss", "hamming_loss", "auc",
    "roc_auc", "auc_pr", "auc_pr_trapezoid", "auc_roc", "pr_auc", "average_precision", "f1",
    "f1_score", "f_measure", "f_score", "precision", "recall", "sensitivity", "specificity",
    "tpr", "tnr", "fpr", "fnr", "fdr", "ppv", "npv", "jaccard", "jaccard_score", "dice",
    "iou", "ndcg", "brier", "brier_score", "brier_score_loss", "eer", "ece",
}  # fmt: skip

_SIGNED = {"mcc", "matthews_corrcoef", "kappa", "cohen_kappa", "cohen_kappa_score",
           "adjusted_rand_score", "ari", "informedness", "youden"}  # fmt: skip

_AVERAGES = re.compile(r"_(micro|macro|weighted|samples|ovr|ovo|binary)$")


def normalise(name: str) -> str:
    """A metric's name in lower case with underscores, without scikit-learn's prefixes.

    ``test_f1_macro`` and ``F1 (macro)`` are both ``f1``; ``neg_``, which turns the direction, is
    kept.
    """
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    plain = re.sub(r"^(test|valid|validation)_", "", plain)
    while _AVERAGES.search(plain):
        plain = _AVERAGES.sub("", plain)
    return plain


def lower_is_better(name: str) -> bool:
    """Whether lower values of the metric are better, as far as its name tells.

    Parameters
    ----------
    name : str
        Name of the metric; scikit-learn's ``neg_...`` scores are higher-is-better.
    """
    plain = normalise(name)
    if plain.startswith("neg_"):
        return False
    return plain in _LOWER or plain.endswith(("_error", "_loss"))


def is_time(name: str) -> bool:
    """Whether the metric is how long something took, which is no score of the result."""
    return normalise(name) == "time" or normalise(name).endswith(("_time", "runtime"))


def known_range(name: str) -> tuple[float, float] | None:
    """Range of the metric, as far as its name tells: (0, 1), (-1, 1) or None."""
    plain = normalise(name)
    if plain in _UNIT:
        return (0.0, 1.0)
    return (-1.0, 1.0) if plain in _SIGNED else None
