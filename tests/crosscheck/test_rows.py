"""P-values of rows, adjusted over the pairs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp import frequentist
from bayescmp.crosscheck import crosscheck

QUIET = {"seed": 1, "engine": "quadrature", "progress": False}


def test_p_values_are_scipys_and_adjusted_over_the_pairs(wide):
    frame = crosscheck(wide, "accuracy", 0.01, adjust="bonferroni", seed=1, progress=False).frame
    means = wide.means()
    for _, row in frame.query("frequentist == 'wilcoxon'").iterrows():
        own = stats.wilcoxon(means[row.second] - means[row.first]).pvalue
        assert row.pvalue == pytest.approx(own, rel=1e-10)
        assert row.adjusted == pytest.approx(min(3 * own, 1), rel=1e-10)
        assert row.significant == (3 * own <= 0.05)
    won = int((means["svm"] > means["knn"]).sum())
    row = frame.query("frequentist == 'sign_test' and second == 'svm' and first == 'knn'").iloc[0]
    assert row.pvalue == pytest.approx(stats.binomtest(won, 20).pvalue, rel=1e-10)
    assert row.favours == "second"


def test_p_values_of_one_data_set_are_adjusted_on_that_data_set(scores):
    frame = crosscheck(scores, "accuracy", 0.05, adjust="holm", **QUIET).frame
    rows = frame.query("bayesian == 'correlated_t' and dataset == 'iris'")
    own = frequentist.adjust(rows["pvalue"], "holm")
    assert np.allclose(rows["adjusted"], own, rtol=1e-12)


def test_holm_stands_in_where_a_pair_is_missing_and_it_is_said(table):
    more = pd.concat([table, table[table.algorithm == "knn"].assign(
        algorithm="nb", accuracy=table["accuracy"].to_numpy()[::-1][:30])])  # fmt: skip
    gap = (more.dataset == "wine") & (more.algorithm == "svm") & (more.fold == 2)
    with (
        pytest.warns(bc.DiagnosticWarning, match="3 of 6 pairs could not"),
        pytest.warns(bc.DiagnosticWarning, match="Holm's procedure stands in for shaffer"),
    ):
        result = crosscheck(more[~gap], "accuracy", 0.05, adjust="shaffer", **QUIET)
    (note,) = result.notes
    assert note in str(result)
    assert "stands in for shaffer" in result._repr_html_()
    assert result.to_dict()["notes"] == [note]
    rows = result.frame.query("frequentist == 'wilcoxon' and bayesian == 'signed_rank'")
    assert len(rows) == 3
    own = frequentist.adjust(rows["pvalue"], "holm")
    assert np.allclose(rows["adjusted"], own, rtol=1e-12)
    assert crosscheck(more, "accuracy", 0.05, adjust="shaffer", **QUIET).notes == ()


def test_effects_and_equivalence_stand_beside_the_tests(table):
    """The catalogue's line says which test of equivalence; the result has its effect size."""
    check = bc.crosscheck(table, "accuracy", 0.05, engine="quadrature", seed=1, progress=False)
    x = bc.Scores(table).differences("knn", "gbm", "accuracy")
    rows = {r["frequentist"]: r for r in check.of_pair("accuracy", "knn", "gbm")[::-1]}
    wilcoxon, alone = rows["wilcoxon"], rows["corrected_t"]
    expected = bc.frequentist.tost_means(x.means, rope=0.05, method="wilcoxon")
    assert wilcoxon["tost"] == pytest.approx(expected.pvalue)
    assert wilcoxon["tost_adjusted"] >= wilcoxon["tost"]
    assert wilcoxon["effect"] == "rank-biserial correlation"
    effect = bc.frequentist.rank_biserial(x.means)
    actual = [wilcoxon[k] for k in ("effect_size", "effect_low", "effect_high")]
    assert actual == pytest.approx([effect.estimate, *effect.confidence_interval()])
    row = x.row(alone["dataset"])
    assert alone["tost"] == pytest.approx(bc.frequentist.tost_paired(row, rope=0.05).pvalue)
    assert alone["effect"] == "Cohen's d"
    means = bc.frequentist.tost_means(x.means, rope=0.05)
    assert rows["sign_test"]["tost"] == pytest.approx(means.pvalue)
    assert rows["sign_test"]["effect"] == ""
    assert rows["quade"]["equivalent"] is None


def test_without_a_rope_there_is_no_equivalence(table):
    check = bc.crosscheck(table, "accuracy", 0, engine="quadrature", seed=1, progress=False)
    assert check.frame["tost"].isna().all()
    assert check.omnibus["accuracy"].effect.measure == "Kendall's W"
