"""Twins: those of the catalogue, and one's own."""

from __future__ import annotations

import pytest

import bayescmp as bc
from bayescmp import bayesian, frequentist
from bayescmp.crosscheck import TWINS, Twin, crosscheck

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
