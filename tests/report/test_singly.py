"""Tests on each data set by itself, adjusted over the pairs: those of the cross-check."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.catalogue import frequentist_test
from bayescmp.crosscheck import rows as drafts
from bayescmp.crosscheck.check import compared
from bayescmp.crosscheck.twins import Twin
from bayescmp.report.selection import needed_of
from bayescmp.report.singly import adjusted, singles_of, wins
from tests.report.conftest import QUIET, plan_of

COLUMNS = ["dataset", "statistic", "pvalue", "adjusted", "significant", "favours"]


def rows_of(plan):
    parts = compared(needed_of(plan), progress=False, brief=plan.pairs)
    return adjusted(plan, {part.pair: singles_of(plan, part) for part in parts})


@pytest.mark.parametrize("test", ["corrected_t", "paired_t"])
def test_they_are_the_crosschecks(plain, test):
    """With a function for all data sets at once and without."""
    assert (frequentist_test(test, "dataset").by_row is None) == (test == "paired_t")
    twins = [
        Twin("hierarchical_t", "wilcoxon", "datasets"), Twin("correlated_t", test, "dataset")
    ]  # fmt: skip
    plan = plan_of(plain, "accuracy", 0.02, twins=twins, options={"engine": "quadrature"})
    check = bc.crosscheck(plain, "accuracy", 0.02, twins=twins, **QUIET)
    counts = check.pairs.set_index(["first", "second"])[["for_first", "for_second", "neither"]]
    for pair, rows in rows_of(plan).items():
        expected = [{c: row[c] for c in COLUMNS} for row in check.on_datasets("accuracy", *pair)]
        assert rows == expected != []
        assert wins(rows) == counts.loc[pair].to_dict()


def test_one_data_set_has_none(plain):
    plan = plan_of(plain, "accuracy", 0.02, datasets=["iris"])
    (first, *_) = compared(plan, progress=False)
    assert singles_of(plan, first) == {}


def test_a_test_that_fails_on_a_data_set_is_neither_and_adjusts_nothing(plain):
    plan = plan_of(plain, "accuracy", 0.02, alpha=0.05)
    pair, other = plan.pairs[:2]
    low = drafts.Test(3.0, 0.03, "second")
    singles = {pair: {"iris": low}, other: {"iris": None}}
    rows = adjusted(plan, singles)
    assert rows[pair] == [
        {"dataset": "iris", "statistic": 3.0, "pvalue": 0.03, "adjusted": 0.03,
         "significant": True, "favours": "second"},
    ]  # fmt: skip
    assert rows[other] == [dict.fromkeys(COLUMNS) | {"dataset": "iris"}]
    assert wins(rows[pair]) == {"for_first": 0, "for_second": 1, "neither": 0}
    assert wins(rows[other]) == {"for_first": 0, "for_second": 0, "neither": 1}
    endless = adjusted(plan, {pair: {"iris": drafts.Test(np.inf, 0.0, "first")}})
    assert endless[pair][0]["statistic"] is None  # JSON has no infinity
