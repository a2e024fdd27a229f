"""How tests are called on scores."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.study import calls

QUIET = {"seed": 1, "progress": False}


def test_wilcoxon_and_sign_test_take_the_means():
    rng = np.random.default_rng(2)
    x = bc.Differences(rng.normal(0.02, 0.05, (12, 10)), rho=0.1)
    assert calls.wilcoxon(x).pvalue == pytest.approx(stats.wilcoxon(x.means).pvalue, rel=1e-10)
    won = int((x.means > 0).sum())
    assert calls.sign_test(x).pvalue == pytest.approx(stats.binomtest(won, 12).pvalue, rel=1e-10)


def test_means_that_are_zero_but_for_rounding_are_ties():
    rows = [[0.1, 0.2, -0.3], [0.3, -0.1, -0.2], [0.1, 0.1, 0.1], [0.2, 0.2, 0.2]]
    assert abs(np.mean(rows[0])) > 0
    tied = calls.sign_test(bc.Differences(rows, rho=0.1))
    assert tied.pvalue == bc.frequentist.sign_test(2, 0, 2).pvalue


def test_dominance_of_the_same_differences_does_not_depend_on_the_way_in():
    """`compare` and the cross-check take constant metrics by the same smallest step."""
    rng = np.random.default_rng(1)
    base = rng.integers(10, 20, 10)
    rows = [
        {
            "dataset": "d",
            "algorithm": a,
            "fold": f,
            "acc": base[f] / 20 + 0.05 * i,
            "auc": rng.random(),
        }
        for i, a in enumerate("ab")
        for f in range(10)
    ]
    scores = bc.Scores(pd.DataFrame(rows))
    own = bc.compare(scores, "a", "b", ["acc", "auc"], 0.01, seed=1).verdict()
    frame = bc.crosscheck(scores, rope=0.01, metrics=["acc", "auc"], **QUIET).frame
    row = frame[frame["bayesian"] == "multivariate_t"].iloc[0]
    assert row["p_trade_off"] == own.probabilities["trade_off"]
