"""Directions and ranges of metrics by name."""

import pytest

from bayescmp.metrics import known_range, lower_is_better


@pytest.mark.parametrize("name", ["error", "Error Rate", "log_loss", "test_log_loss", "RMSE",
                                  "brier",
                                  "fpr", "my_error", "fit_time", "Hamming Loss"])  # fmt: skip
def test_lower(name):
    assert lower_is_better(name)


@pytest.mark.parametrize("name", ["accuracy", "AUC", "neg_log_loss", "test_neg_mean_squared_error",
                                  "neg_brier_score", "f1_macro", "r2", "something"])  # fmt: skip
def test_higher(name):
    assert not lower_is_better(name)


def test_negated_scores_of_scikit_learn():
    """Every scorer of scikit-learn is higher-is-better by its documentation."""
    from sklearn.metrics import get_scorer_names

    assert [s for s in get_scorer_names() if lower_is_better(s)] == []


def test_ranges():
    assert known_range("test_f1_macro") == (0, 1)
    assert known_range("F1 (weighted)") == (0, 1)
    assert known_range("matthews_corrcoef") == (-1, 1)
    assert known_range("rmse") is None
