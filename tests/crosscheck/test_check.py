"""Bayesian verdicts beside their frequentist twins, from scores to rows."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp import frequentist
from bayescmp.crosscheck import TWINS, crosscheck

QUIET = {"seed": 1, "engine": "quadrature", "progress": False}


def test_one_row_a_pair_of_twins(checked):
    over = [t for t in TWINS if t.scope in ("datasets", "table")]
    alone = [t for t in TWINS if t.scope in ("dataset", "groups")]
    assert len(checked.frame) == 3 * (len(over) + 3 * len(alone))
    assert list(checked.pairs["first"]) == ["knn", "knn", "gbm"]
    assert list(checked.pairs["second"]) == ["gbm", "svm", "svm"]


def test_one_data_set(scores, table):
    result = crosscheck(bc.Scores(table[table.dataset == "iris"]), "accuracy", 0.05, **QUIET)
    assert set(result.frame["bayesian"]) == {"correlated_t", "groups"}
    assert set(result.pairs["test"]) == {"correlated_t"}
    again = crosscheck(scores, "accuracy", 0.05, datasets="iris", **QUIET)
    assert np.array_equal(result.frame["pvalue"], again.frame["pvalue"])
    assert result.omnibus["accuracy"].symbol == "F"  # folds as blocks: test_omnibus.py


def test_means_alone_take_the_tests_on_means(wide):
    result = crosscheck(wide, "accuracy", 0.01, seed=1, progress=False)
    assert set(result.frame["bayesian"]) == {"signed_rank", "sign"}
    assert set(result.pairs["test"]) == {"signed_rank"}
    own = frequentist.iman_davenport(wide.means())
    assert result.omnibus["accuracy"].pvalue == own.pvalue


def test_lower_is_better_is_flipped_for_both(table):
    turned = table.assign(error=1 - table["accuracy"])
    better = crosscheck(bc.Scores(turned), "accuracy", 0.05, **QUIET).frame
    lower = crosscheck(bc.Scores(turned), "error", 0.05, **QUIET).frame
    same = ["p_left", "p_rope", "p_right", "pvalue"]
    assert np.allclose(better[same], lower[same], atol=1e-6)
    assert list(better["favours"]) == list(lower["favours"])
    assert list(better["words"]) == list(lower["words"])


def test_no_pair_at_all_is_an_error(table):
    gap = (table.dataset == "wine") & (table.algorithm == "svm") & (table.fold == 2)
    with pytest.raises(bc.InputError, match="don't pair"):
        crosscheck(bc.Scores(table[~gap]), "accuracy", 0.05, algorithms=["knn", "svm"], **QUIET)


def test_posteriors_are_kept_where_asked_for(scores, checked):
    assert checked.comparisons["accuracy"]["knn", "gbm"].posterior is None
    kept = crosscheck(scores, "accuracy", 0.05, keep_posteriors=True, **QUIET)
    assert kept.comparisons["accuracy"]["knn", "gbm"].posterior.kind == "hierarchical_t"


def test_same_seed_same_numbers(scores, checked):
    again = crosscheck(scores, "accuracy", 0.05, **QUIET)
    pd.testing.assert_frame_equal(again.frame, checked.frame)


def test_several_ropes(scores):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.DiagnosticWarning)
        result = crosscheck(
            scores, ["accuracy", "log_loss"], {"accuracy": 0.05, "log_loss": (-0.1, 0.2)},
            twins=[t for t in TWINS if t.scope == "datasets"], **QUIET,
        )  # fmt: skip
    assert result.metrics == ("accuracy", "log_loss")
    assert result.ropes["log_loss"] == bc.Rope(-0.1, 0.2)


def test_algorithms_left_out_may_lack_scores(table):
    gap = (table.dataset == "wine") & (table.algorithm == "svm")
    broken = table.assign(accuracy=table["accuracy"].mask(gap))
    result = crosscheck(broken, "accuracy", 0.05, algorithms=["knn", "gbm"], **QUIET)
    assert list(result.pairs["agreement"]) != ["failed"]


def test_items_stand_beside_mcnemar_and_cochran():
    rng = np.random.default_rng(1)
    table = pd.DataFrame([
        {"model": m, "item": i, "correct": float(rng.random() < p)}
        for m, p in (("a", 0.4), ("b", 0.7), ("c", 0.6)) for i in range(60)
    ])  # fmt: skip
    items = bc.Items(table)
    check = bc.crosscheck(items, rope=0.02, seed=1, progress=False)
    rows = check.frame.query("frequentist == 'mcnemar'")
    assert len(rows) == 3
    for _, row in rows.iterrows():
        counts = items.pair(row["first"], row["second"]).counts()
        assert row["pvalue"] == bc.frequentist.mcnemar(counts).pvalue
        own = bc.bayesian.paired_proportions(counts, rope=0.02).verdict()
        assert row["p_right"] == own.p_right
    wide = table.pivot(index="item", columns="model", values="correct")
    assert check.omnibus["accuracy"].pvalue == bc.frequentist.cochran_q(wide).pvalue
