"""Runs on tasks: arrays, tables of scores, directions, what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.errors import InputError
from bayescmp.frequentist.aggregates.runs import pair_of_runs, read_runs

RUNS = {
    name: np.random.default_rng(i).normal(i, 1, (4, 3)).round(2)
    for i, name in enumerate(("dqn", "sac"))
}


def table(column="score", runs=RUNS):
    """The runs as a table of scores, in an order of its own."""
    rows = [
        {"dataset": f"task {t}", "algorithm": name, "seed": seed, column: x[seed, t]}
        for name, x in runs.items() for seed in range(len(x)) for t in range(x.shape[1])
    ]  # fmt: skip
    return bc.Scores(pd.DataFrame(rows), resampling="seeds")


def test_data_sets_are_tasks_and_seeds_are_runs():
    result = read_runs(table("accuracy"), "aggregate_runs")
    for name, x in RUNS.items():
        assert np.sort(result.values[name], axis=0) == pytest.approx(np.sort(x, axis=0))
    assert (result.least, result.tasks, result.lower) == (4, 3, False)
    assert result.named("mean") == "mean of accuracy ↑"


@pytest.mark.parametrize("wing", [bc.frequentist, bc.bayesian], ids=["frequentist", "bayesian"])
def test_tables_give_what_arrays_give(wing):
    scores = table("accuracy")
    one, other = (wing.aggregate_runs(x, seed=1).frame for x in (scores, RUNS))
    assert one.to_numpy() == pytest.approx(other.to_numpy())
    one, other = (wing.performance_profiles(x, [0, 1], seed=1).frame for x in (scores, RUNS))
    assert one.equals(other)
    improvement = wing.probability_of_improvement
    assert improvement(scores, seed=1).frame.equals(improvement(*RUNS.values(), seed=1).frame)


@pytest.mark.parametrize("wing", [bc.frequentist, bc.bayesian], ids=["frequentist", "bayesian"])
def test_lower_is_better(wing):
    """Losses are the negated scores: their profiles and improvements are the same."""
    losses = table("log_loss", {name: -x for name, x in RUNS.items()})
    profile = wing.performance_profiles(losses, [-1.0], seed=1).frame
    assert list(profile.index) == ["dqn < -1", "sac < -1"]
    expected = wing.performance_profiles(RUNS, [1.0], seed=1).frame
    assert profile.to_numpy() == pytest.approx(expected.to_numpy())
    improved = wing.probability_of_improvement(losses, seed=1).estimate
    assert improved == pytest.approx(wing.probability_of_improvement(*RUNS.values()).estimate)
    means = wing.aggregate_runs(losses, measure="mean", seed=1)
    assert means.estimate == pytest.approx([-x.mean() for x in RUNS.values()])
    assert "mean of log_loss ↓" in str(means)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([[1, 2]], "a mapping"),
        ("abc", "a mapping"),
        ({}, "a mapping"),
        ({"a": [1, 2]}, r"shape \(2,\)"),
        ({"a": [["x", "y"]]}, r"scores\['a'\]"),
        ({"a": [[1, np.nan]]}, "is nan for run 0 of task 1"),
        ({"a": [[1, 2]], "b": [[1, 2, 3]]}, r"\[2, 3\] tasks"),
        (bc.Scores(table("accuracy").frame.iloc[1:], resampling="seeds"),
         "'dqn' has 3 scores on data set 'task 0' and 4 on 'task 1'"),
    ],
)  # fmt: skip
def test_refused(scores, message):
    with pytest.raises(InputError, match=message):
        read_runs(scores, "aggregate_runs")


def test_a_metric_is_of_scores():
    with pytest.raises(InputError, match="unknown metric 'auc'"):
        read_runs(table("accuracy"), "aggregate_runs", "auc")
    with pytest.raises(InputError, match="metric='auc' is for Scores"):
        read_runs(RUNS, "aggregate_runs", "auc")


def test_a_pair_is_two_algorithms():
    three = table("accuracy", {**RUNS, "ppo": RUNS["sac"] + 1})
    with pytest.raises(InputError, match=r"'dqn', 'sac', 'ppo'; accepted: two of them"):
        pair_of_runs(three, None, "probability_of_improvement", None)
    with pytest.raises(InputError, match="second is missing"):
        pair_of_runs(RUNS["dqn"], None, "probability_of_improvement", None)
    chosen = three.select(algorithms=["sac", "ppo"])
    assert list(pair_of_runs(chosen, None, "", None).values) == ["sac", "ppo"]
