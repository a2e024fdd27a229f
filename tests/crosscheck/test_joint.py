"""Several metrics together, and all algorithms at once."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import bayescmp as bc
from bayescmp import bayesian, frequentist
from bayescmp.crosscheck import crosscheck

QUIET = {"seed": 1, "engine": "quadrature", "progress": False}


def test_equal_accuracy_different_in_tpr_and_fpr(together):
    rows = together.frame.query("scope == 'metrics' and first == 'plain' and second == 'shy'")
    assert len(rows) == 2
    assert rows["significant"].astype(bool).all()
    assert (rows["decision"] == "trade-off").all()
    assert (
        rows["words"]
        .str.startswith("significant only in (tpr, fpr) together; significant; better")
        .all()
    )
    accuracy = together.frame.query(
        "bayesian == 'correlated_t' and first == 'plain' and second == 'shy'"
    )
    assert not accuracy["significant"].astype(bool).any()


def test_joint_numbers_are_the_tests(together, counts):
    blocks = bc.scores_blocks(
        counts, metrics=["tpr", "fpr"], dataset="two", algorithms=["plain", "same"]
    )
    verdict = bayesian.multivariate_t(blocks, rope=0.02, seed=1).verdict()
    test = frequentist.hotelling_paired(blocks)
    row = together.frame.query(
        "scope == 'metrics' and dataset == 'two' and first == 'plain' and second == 'same'"
    ).iloc[0]
    p = verdict.probabilities
    assert (row.p_left, row.p_rope) == (p["first"], p["equivalent"])
    assert (row.p_right, row.p_trade_off) == (p["second"], p["trade_off"])
    assert row.pvalue == test.pvalue
    assert row.statistic == test.statistic
    assert row.favours == ""


def test_groups_beside_tukey_and_hotelling(together, counts):
    blocks = bc.scores_blocks(counts, metrics=["accuracy"], dataset="one")
    tukey = frequentist.tukey(blocks.x[:, :, 0], rho=blocks.rho, names=blocks.algorithms)
    rows = together.frame.query("scope == 'groups' and dataset == 'one'")
    assert np.allclose(rows["adjusted"], tukey.adjusted, rtol=1e-12)
    pooled = together.frame.query("scope == 'groups_metrics' and dataset == 'one'")
    both = bc.scores_blocks(counts, metrics=["tpr", "fpr"], dataset="one")
    own = frequentist.pairwise_hotelling(both, pooled=True, adjust="none")
    assert np.allclose(pooled["pvalue"], own.pvalue, rtol=1e-12)


def test_metrics_alone_are_compared_each_too(counts):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.DiagnosticWarning)
        result = crosscheck(counts, ["tpr", "fpr"], 0.02, algorithms=["plain", "shy"], **QUIET)
    assert result.metrics == result.joint == ("tpr", "fpr")
    rows = result.frame.query("bayesian == 'correlated_t' and dataset == 'one'").set_index(
        "metric"
    )
    assert rows.loc["tpr", "p_left"] > 0.9  # "plain" has the higher recall
    assert rows.loc["fpr", "p_right"] > 0.9  # and the higher false positive rate, which is worse
    x = counts.frame
    own = 1 - x["accuracy"]
    error = crosscheck(counts, "error", 0.02, algorithms=["plain", "shy"], datasets="one", **QUIET)
    d = (
        own[(x.algorithm == "plain") & (x.dataset == "one")].to_numpy()
        - own[(x.algorithm == "shy") & (x.dataset == "one")].to_numpy()
    )
    row = error.frame.query("bayesian == 'correlated_t'").iloc[0]
    t = d.mean() / np.sqrt((1 / 20 + 0.1 / 0.9) * d.var(ddof=1))
    assert row.statistic == pytest.approx(t, rel=1e-9)
