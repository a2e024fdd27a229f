"""Which pairs are shown in full: those among the leading algorithms."""

from __future__ import annotations

import pytest

from bayescmp.crosscheck.plan import make_plan
from bayescmp.report.selection import in_full, rule
from tests.report.conftest import scores_of

NAMES = tuple("abcdef")  # of rising skill


def plan_of(metric):
    return make_plan(
        scores_of(NAMES), metric, 0.02, metrics=None, algorithms=None, datasets=None, twins=None,
        threshold=0.95, alpha=0.05, adjust_by="holm", rho=None, seed=1, options={},
    )  # fmt: skip


@pytest.fixture(scope="module")
def plan():
    return plan_of("accuracy")


@pytest.mark.parametrize(("most", "leading"), [(0, ""), (2, "ef"), (3, "def"), (9, "cdef")])
def test_pairs_among_the_best_mean_ranks(plan, most, leading):
    shown = in_full(plan, most)
    assert {name for pair in shown for name in pair} == set(leading)
    assert len(shown) == len(leading) * (len(leading) - 1) // 2 <= most
    assert f"of {len(plan.pairs)} in all" in rule(plan, shown)


def test_all_where_there_are_few_and_nothing_is_said(plan):
    assert in_full(plan, 15) == list(plan.pairs)
    assert rule(plan, in_full(plan, 15)) == ""


def test_losses_lead_by_the_lowest():
    plan = plan_of("log_loss")
    ranks = plan.scores.means("log_loss").rank(axis=1).mean()
    assert {name for pair in in_full(plan, 3) for name in pair} == set(ranks.nsmallest(3).index)


def test_the_first_metric_leads_and_is_named():
    plan = plan_of(["log_loss", "accuracy"])
    assert "of the best mean rank in log_loss, of 15 in all, are shown" in rule(
        plan, in_full(plan, 3)
    )
    none = "No pair in log_loss, of 15 in all, is shown in full; the others stand in the tables"
    assert rule(plan, []) == f"{none} above."
