"""One pair by one metric: every test's own numbers, and what fails."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp import bayesian, frequentist
from bayescmp.crosscheck import TWINS, crosscheck
from tests.catalogue.swap import swap

QUIET = {"seed": 1, "engine": "quadrature", "progress": False}


def test_verdicts_are_those_of_the_tests(scores, checked):
    frame = checked.frame
    x = scores.differences("knn", "svm", "accuracy")
    for name in ("hierarchical_t", "signed_rank", "sign"):
        options = {"engine": "quadrature"} if name == "hierarchical_t" else {}
        own = getattr(bayesian, name)(x, rope=0.05, seed=1, **options).verdict()
        row = frame.query("bayesian == @name and second == 'svm' and first == 'knn'").iloc[0]
        assert (row.p_left, row.p_rope, row.p_right) == (own.p_left, own.p_rope, own.p_right)
        assert row.decision == own.decision


def test_on_each_data_set_corrected_t_beside_correlated_t(scores):
    frame = crosscheck(scores, "accuracy", 0.05, adjust="none", **QUIET).frame
    x = scores.differences("knn", "gbm", "accuracy").row("wine")
    row = frame.query(
        "bayesian == 'correlated_t' and dataset == 'wine' and first == 'knn' and second == 'gbm'"
    ).iloc[0]
    d = x.x[0]
    t = d.mean() / np.sqrt((1 / 10 + 0.2 / 0.8) * d.var(ddof=1))  # 2 x 5 folds: rho = 1/5
    assert row.statistic == pytest.approx(t, rel=1e-12)
    assert row.pvalue == pytest.approx(2 * stats.t.sf(abs(t), 9), rel=1e-10)
    scale = d.mean() / t
    assert row.p_left == pytest.approx(stats.t.cdf((-0.05 - d.mean()) / scale, 9), rel=1e-9)


def test_shrunken_data_sets_are_the_hierarchical_tests(scores, checked):
    frame = checked.frame
    x = scores.differences("knn", "gbm", "accuracy")
    table = bayesian.hierarchical_t(x, rope=0.05, seed=1, engine="quadrature").by_dataset()
    rows = frame.query(
        "bayesian == 'hierarchical_t' and scope == 'dataset' and first == 'knn'"
        " and second == 'gbm'"
    ).set_index("dataset")
    assert np.array_equal(rows["p_rope"], table.loc[rows.index, "p_rope"])


def test_a_pair_that_fails_has_a_row_that_says_so(table):
    gap = (table.dataset == "wine") & (table.algorithm == "svm") & (table.fold == 2)
    with pytest.warns(bc.DiagnosticWarning, match="2 of 3 pairs could not be compared"):
        result = crosscheck(bc.Scores(table[~gap]), "accuracy", 0.05, **QUIET)
    rows = result.frame[result.frame["second"] == "svm"]
    assert set(rows.query("scope == 'datasets'")["agreement"]) == {"failed"}
    assert rows["error"].str.contains("don't pair").any()
    assert (result.pairs["decision"] != "failed").sum() == 1


def test_another_test_does_not_stand_in_for_the_main_one(scores, monkeypatch):
    def broken(x, **_):
        raise RuntimeError("no luck")

    swap(monkeypatch, "hierarchical_t", broken)
    with pytest.raises(RuntimeError, match="no luck"):
        crosscheck(scores, "accuracy", 0.05, **QUIET | {"engine": None})


def test_a_test_that_fails_on_a_data_set_is_reported_there(scores, monkeypatch):
    own = frequentist.corrected_t

    def picky(x):
        if x.datasets == ("wine",):
            raise bc.InputError("no wine")
        return own(x)

    swap(monkeypatch, ("corrected_t", "dataset"), picky)
    frame = crosscheck(scores, "accuracy", 0.05, **QUIET).frame
    rows = frame[frame["frequentist"] == "corrected_t"]
    assert set(rows.loc[rows["dataset"] == "wine", "words"]) == {"not compared: no wine"}
    assert (rows.loc[rows["dataset"] != "wine", "error"] == "").all()


def test_an_engine_that_is_not_there_is_an_error(scores, monkeypatch):
    def missing(x, *, rope, seed=None, engine="auto"):
        raise bc.EngineNotFound(f"engine {engine} is not installed")

    swap(monkeypatch, "hierarchical_t", missing)
    with pytest.raises(bc.EngineNotFound, match="cmdstan is not installed"):
        crosscheck(scores, "accuracy", 0.05, **QUIET | {"engine": "cmdstan"})


def test_two_algorithms_have_no_table_to_rank(scores):
    result = crosscheck(scores, "accuracy", 0.05, algorithms=["knn", "svm"], **QUIET)
    assert set(result.frame["scope"]) == {"datasets", "dataset"}
    assert "quade" not in result.pairs
    assert not result.frame["error"].any()


def test_the_tests_that_rank_alone(scores):
    twins = [t for t in TWINS if t.scope == "table"]
    result = crosscheck(scores, "accuracy", 0.05, twins=twins, seed=1, progress=False)
    assert list(result.pairs["test"]) == ["signed_rank"] * 3
    assert {"quade", "friedman"} <= set(result.pairs)
