"""What a report shows: which pairs in full, and how many more data sets would decide."""

from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp import bayesian
from bayescmp.report.opening import (
    MOST,
    detailed,
    further_datasets,
    in_full,
    leading_pair,
    needed_of,
    rule,
)
from tests.report.conftest import plan_of, scores_of

NAMES = tuple("abcdef")  # of rising skill


def leading_by(metric):
    return plan_of(scores_of(NAMES), metric, 0.02)


@pytest.fixture(scope="module")
def question():
    return leading_by("accuracy")


@pytest.mark.parametrize(("most", "leading"), [(0, ""), (2, "ef"), (3, "def"), (9, "cdef")])
def test_pairs_among_the_best_mean_ranks(question, most, leading):
    shown = in_full(question, most)
    assert {name for pair in shown for name in pair} == set(leading)
    assert len(shown) == len(leading) * (len(leading) - 1) // 2 <= most
    assert f"of {len(question.pairs)} in all" in rule(question, most)


def test_all_where_there_are_few_and_nothing_is_said(question):
    assert in_full(question, 15) == list(question.pairs)
    assert rule(question, 15) == rule(question, None) == ""
    many = list(combinations(range(30), 2))
    assert rule(SimpleNamespace(pairs=many), len(many)) == ""


def test_losses_lead_by_the_lowest():
    question = leading_by("log_loss")
    ranks = question.scores.means("log_loss").rank(axis=1).mean()
    assert {name for pair in in_full(question, 3) for name in pair} == set(
        ranks.nsmallest(3).index
    )


def test_the_first_metric_leads_and_is_named():
    question = leading_by(["log_loss", "accuracy"])
    assert "of the best mean rank in log_loss, of 15 in all, are shown" in rule(question, 3)
    none = "No pair in log_loss, of 15 in all, is shown in full; the others stand in the tables"
    assert rule(question, 0).startswith(f"{none} above. Only ")


@pytest.mark.parametrize("metric", ["accuracy", "log_loss"])
def test_the_leading_pair_is_that_of_the_two_best_mean_ranks(metric):
    question = leading_by(metric)
    ranks = question.scores.means(metric).rank(axis=1, ascending=metric == "log_loss").mean()
    pair = leading_pair(question)
    assert set(pair) == set(ranks.nsmallest(2).index)
    assert pair in question.pairs


@pytest.mark.parametrize("k", range(2, 9))
def test_so_many_algorithms_have_so_many_pairs(k):
    """Nine algorithms: so many of them lead as have no more pairs."""
    nine = plan_of(scores_of("abcdefghi"), "accuracy", 0.02)
    pairs = k * (k - 1) // 2
    assert len(in_full(nine, pairs)) == pairs
    assert len(in_full(nine, pairs - 1)) == (k - 1) * (k - 2) // 2


def test_one_rule_for_one_pair_and_for_many(question):
    assert rule(question, 3) == (
        "The 3 pairs among the 3 algorithms of the best mean rank in accuracy, of 15 in all, are "
        "shown in full; the others stand in the tables above. Only a pair in full has pictures, "
        "estimates for each data set, the other Bayesian tests and a check of whether the model "
        "explains the data."
    )
    assert rule(question, 1).startswith(
        "The pair of the 2 algorithms of the best mean rank in accuracy, of 15 in all, is shown "
    )


def test_what_a_pair_in_full_has_on_one_data_set():
    question = plan_of(scores_of(NAMES), "accuracy", 0.02, datasets=["iris"])
    assert rule(question, 3).endswith(
        " Only a pair in full has pictures and a check of whether the model explains the data."
    )


@pytest.mark.parametrize(("algorithms", "pairs"), [(8, 28), (9, 1)])
def test_of_more_than_eight_algorithms_the_leading_pair_alone(algorithms, pairs):
    question = plan_of(scores_of("abcdefghi"[:algorithms]), "accuracy", 0.02)
    shown = in_full(question, None)
    assert len(shown) == pairs
    assert leading_pair(question) in shown


@pytest.mark.parametrize(
    ("algorithms", "datasets", "most", "each"),
    [(8, 31, None, True), (9, 30, None, True), (9, 31, None, False), (9, 31, 1, True)],
)
def test_many_algorithms_on_many_data_sets_are_not_estimated_on_each(
    algorithms, datasets, most, each
):
    """Unless somebody says how many pairs to show in full; the page says so."""
    rng = np.random.default_rng(1)
    means = pd.DataFrame(
        rng.uniform(size=(datasets, algorithms)), columns=list("abcdefghi"[:algorithms])
    )
    question = plan_of(bc.Scores.from_means(means, metric="accuracy"), "accuracy", 0.02)
    assert detailed(question, most) is each
    assert ("estimates for each data set, the other" in rule(question, most)) == (
        each and algorithms > 8
    )
    asked = (
        " Estimates for each of more than 30 data sets, and a rope curve, are shown when in_full "
        "is set."
    )
    assert rule(question, most).endswith(asked) is not each


def test_over_several_data_sets_only_what_is_shown_is_computed(question):
    """Of metrics together also the first test on each data set, which they are set beside."""
    assert {t.scope for t in needed_of(question).twins} == {"datasets", "table"}
    both = leading_by(["accuracy", "log_loss"])
    scopes = [t.scope for t in needed_of(both).twins if t.scope not in ("datasets", "table")]
    assert scopes == ["dataset", "metrics", "groups_metrics"]
    one = plan_of(scores_of(NAMES), "accuracy", 0.02, datasets=["iris"])
    assert needed_of(one) is one
    alone = plan_of(
        scores_of(NAMES),
        "accuracy",
        0.02,
        twins=[t for t in question.twins if t.scope == "dataset"],
    )
    assert needed_of(alone) is alone


def rows(seed: int) -> np.ndarray:
    """Six data sets whose mean lies a little beyond the rope."""
    rng = np.random.default_rng(seed)
    return rng.normal(0.013, 0.008, (6, 1)) + rng.normal(0, 0.004, (6, 10))


def verdict_on(x: np.ndarray):
    return bayesian.hierarchical_t(x, rho=0.1, rope=0.01, engine="quadrature").verdict()


@pytest.mark.parametrize("seed", [4, 5])
def test_so_many_data_sets_like_those_at_hand_reach_the_threshold(seed):
    """The rows again and again are data sets like those at hand."""
    x = rows(seed)
    now = verdict_on(x)
    more = further_datasets(now, len(x))
    assert now.decision == "undecided"
    assert more is not None
    then = verdict_on(np.concatenate([x] * round(1 + more / len(x))))
    assert max(then.probabilities.values()) == pytest.approx(now.threshold, abs=0.01)


def test_the_likeliest_outcome_has_to_be_likelier_than_not():
    means = [0.02] * 4 + [-0.02] * 4 + [0.0] * 4
    undecided = bayesian.sign(means, rope=0.01, seed=1, prior=0.01).verdict()
    assert max(undecided.probabilities.values()) < 0.5
    assert further_datasets(undecided, 12) is None


def test_more_than_twenty_times_as_many_are_no_plan():
    verdict = bayesian.correlated_t(
        [0.011, 0.02, 0.001, 0.0105], rho=0.2, rope=0.01, names=("a", "b")
    ).verdict()
    p = max(verdict.probabilities.values())
    assert 0.5 < p < 0.6
    assert further_datasets(verdict, 4) is None
    assert MOST == 20
