"""What a cross-check refuses before it begins."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp import bayesian, frequentist
from bayescmp.study.crosscheck import TWINS, Twin, crosscheck

QUIET = {"seed": 1, "engine": "quadrature", "progress": False}


def test_a_new_twin_is_one_line(scores):
    twins = (*TWINS, Twin("sign", "wilcoxon", "datasets"))
    before = crosscheck(scores, "accuracy", 0.05, **QUIET)
    result = crosscheck(scores, "accuracy", 0.05, twins=twins, **QUIET)
    assert len(result.frame) == len(before.frame) + 3
    rows = result.frame.query("bayesian == 'sign' and frequentist == 'wilcoxon'")
    wilcoxon = result.frame.query("bayesian == 'signed_rank' and frequentist == 'wilcoxon'")
    assert list(rows["pvalue"]) == list(wilcoxon["pvalue"])


@pytest.mark.parametrize("twin", TWINS, ids=lambda t: f"{t.bayesian}-{t.frequentist}")
def test_every_twin_exists(twin):
    assert callable(getattr(bayesian, twin.bayesian))
    if twin.scope != "table":
        assert callable(getattr(frequentist, twin.frequentist))


def test_unknown_scope():
    with pytest.raises(bc.InputError, match="scope='folds'; accepted"):
        Twin("sign", "wilcoxon", "folds")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("signs", "wilcoxon", "datasets"), "unknown Bayesian test 'signs': did you mean 'sign'"),
        (("sign", "wilcoxn", "datasets"), "unknown frequentist test 'wilcoxn': did you mean"),
        (("sign", "nemenyi", "table"), "unknown frequentist test 'nemenyi': known: 'friedman'"),
        (("HierarchicalPrior", "wilcoxon", "datasets"), "unknown Bayesian test"),
    ],
)
def test_unknown_tests(names, message):
    with pytest.raises(bc.InputError, match=message):
        Twin(*names)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rope": None}, "rope is missing"),
        ({"rope": -1}, "negative"),
        ({"rope": {"auc": 0.1}}, "unknown metric of rope 'auc'"),
        ({"metric": "acuracy"}, "did you mean 'accuracy'"),
        ({"alpha": 1}, "alpha=1; accepted"),
        ({"alpha": "low"}, "alpha='low'; accepted"),
        ({"alpha": None}, "alpha=None; accepted"),
        ({"threshold": 0.2}, "threshold=0.2; accepted"),
        ({"threshold": "high"}, "threshold='high'; accepted"),
        ({"twins": "wilcoxon"}, "twins='wilcoxon'; accepted"),
        ({"twins": []}, "accepted: at least one"),
        ({"twins": [("sign", "wilcoxon")]}, "accepted: at least one"),
        ({"twins": [Twin("multivariate_t", "hotelling_paired", "metrics")]}, "not enough for any"),
        ({"adjust": "hulm"}, "unknown adjustment 'hulm'"),
        ({"datasets": "iris", "algorithms": ["knn", "svm", "gmb"]}, "did you mean 'gbm'"),
        ({"algorithms": ["knn"]}, "at least two"),
        ({"algorithms": ["knn", "gmb"]}, "did you mean 'gbm'"),
        ({"datasets": ["irish"]}, "did you mean 'iris'"),
        ({"datasets": []}, "datasets is empty"),
        ({"priors": 1}, "unknown option 'priors'"),
    ],
)
def test_bad_input(scores, change, message):
    arguments = {"metric": "accuracy", "rope": 0.05, **QUIET, **change}
    with pytest.raises(bc.InputError, match=message):
        crosscheck(scores, **arguments)


def test_procedures_for_all_pairs(scores, table):
    frame = crosscheck(scores, "accuracy", 0.05, adjust="shaffer", **QUIET).frame
    rows = frame.query("frequentist == 'wilcoxon' and bayesian == 'signed_rank'")
    own = frequentist.adjust(rows["pvalue"], "shaffer", n_algorithms=3)
    assert np.allclose(rows["adjusted"], own, rtol=1e-12)
    many = pd.concat([table.assign(algorithm=table["algorithm"] + str(i)) for i in range(4)])
    with pytest.raises(bc.InputError, match="for 12 algorithms"):
        crosscheck(many, "accuracy", 0.05, adjust="bergmann-hommel", **QUIET)


def test_differences_are_refused(scores):
    x = scores.differences("knn", "gbm", "accuracy")
    with pytest.raises(bc.InputError, match="differences of one pair"):
        crosscheck(x, rope=0.05)
