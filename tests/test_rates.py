"""Metrics from confusion counts: scikit-learn's values, 0/0, names."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.errors import InputError
from bayescmp.rates import COUNTS, canonical, derivable, rate, rates

# One table: tp 30, fn 10, fp 5, tn 55.
TABLE = (30, 10, 5, 55)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tpr", 30 / 40), ("recall", 0.75), ("sensitivity", 0.75), ("fnr", 0.25), ("fpr", 5 / 60),
        ("tnr", 55 / 60), ("specificity", 55 / 60), ("precision", 30 / 35), ("ppv", 30 / 35),
        ("fdr", 5 / 35), ("npv", 55 / 65), ("accuracy", 0.85), ("error", 0.15),
        ("informedness", 0.75 + 55 / 60 - 1), ("balanced_accuracy", (0.75 + 55 / 60) / 2),
        ("jaccard", 30 / 45), ("f1", 2 / (40 / 30 + 35 / 30)),
    ],
)  # fmt: skip
def test_definitions(name, value):
    assert rate(name, *TABLE) == pytest.approx(value, rel=1e-14)


def test_as_in_scikit_learn():
    from sklearn import metrics as sk

    truth = np.repeat([1, 1, 0, 0], TABLE)
    expected = np.repeat([1, 0, 1, 0], TABLE)
    for name, function in {
        "mcc": sk.matthews_corrcoef, "kappa": sk.cohen_kappa_score, "f1": sk.f1_score,
        "jaccard": sk.jaccard_score, "balanced_accuracy": sk.balanced_accuracy_score,
    }.items():  # fmt: skip
        assert rate(name, *TABLE) == pytest.approx(function(truth, expected), rel=1e-13), name


def test_undefined_is_nan():
    assert np.isnan(rate("precision", 0, 4, 0, 6))
    assert np.isnan(rate("mcc", 0, 4, 0, 6))
    assert np.isnan(rate("tpr", [0, 2], [0, 2], [1, 1], [1, 1])).tolist() == [True, False]


def test_large_counts_do_not_overflow():
    assert rate("mcc", *(10**5 * np.array(TABLE))) == pytest.approx(float(rate("mcc", *TABLE)))


def test_names():
    assert canonical("Recall") == canonical("test_recall") == "tpr"
    assert canonical("auc") is None
    with pytest.raises(InputError, match=r"unknown metric 'precison'.*'precision'"):
        rate("precison", *TABLE)


def test_derivable():
    assert set(derivable([*COUNTS, "auc"])) == set(rates())
    assert derivable(["accuracy"]) == ("error",)
    assert derivable(["error"]) == ("accuracy",)
    assert derivable(["tp", "fn"]) == ()
