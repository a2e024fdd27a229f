"""The stratified bootstrap: rliable's numbers, all resamples, profiles, seeds."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
import bayescmp.frequentist as f
from bayescmp.errors import InputError
from bayescmp.frequentist.aggregates import (
    aggregate_scores,
    aggregate_weighted,
    compute_improvement,
    compute_profile,
    pair_of_runs,
    read_runs,
    weighted_above,
    weighted_improvement,
)
from tests.rows import each_row

RNG = np.random.default_rng(1)
X, Y = RNG.gamma(2, size=(7, 9)), RNG.gamma(3, size=(5, 9))


def test_the_interquartile_mean_is_scipys_trimmed_mean():
    """SciPy 1.17.1, trim_mean(x, 0.25, axis=None), as rliable 1.2.0 calls it."""
    assert aggregate_scores(X, "iqm") == pytest.approx(stats.trim_mean(X, 0.25, axis=None))
    both = np.stack([X, 2 * X])
    one = float(aggregate_scores(X, "iqm"))
    assert aggregate_scores(both, "iqm") == pytest.approx([one, 2 * one])
    assert aggregate_scores(X[:1, :2], "iqm") == pytest.approx(X[:1, :2].mean())


def test_means_and_medians_are_of_the_tasks():
    assert aggregate_scores(X, "mean") == pytest.approx(X.mean(axis=0).mean())
    assert aggregate_scores(X, "median") == pytest.approx(np.median(X.mean(axis=0)))


def test_improvement_is_the_mann_whitney_share():
    expected = [stats.mannwhitneyu(Y[:, t], X[:, t]).statistic / 35 for t in range(9)]
    assert compute_improvement(X, Y) == pytest.approx(expected)
    assert compute_improvement(X, X) == pytest.approx(np.full(9, 0.5))


def test_equal_weights_are_no_weights():
    x = RNG.normal(size=(4, 6))  # 24 scores: the quartiles fall between them
    even = np.full((1, 4, 6), 0.25)
    for measure in ("iqm", "mean", "median"):
        assert aggregate_weighted(x, even, measure)[0] == pytest.approx(
            float(aggregate_scores(x, measure))
        )
    of_x, of_y = np.full((1, *X.shape), 1 / 7), np.full((1, *Y.shape), 1 / 5)
    actual = weighted_improvement(X, Y, of_x, of_y)
    assert actual[0] == pytest.approx(compute_improvement(X, Y).mean())


def test_whole_weights_are_repeated_runs():
    """A weight of 2/4 is the run twice: the same as a resample."""
    for measure in ["iqm", "mean", "median"]:
        x = RNG.normal(size=(3, 8))
        counts = np.array([[2, 1, 1], [0, 3, 1], [1, 1, 2]] + [[4, 0, 0]] * 5).T
        weights = counts[None] / 4
        repeated = np.stack([np.repeat(x[:, t], counts[:, t]) for t in range(8)], axis=1)
        assert aggregate_weighted(x, weights, measure)[0] == pytest.approx(
            float(aggregate_scores(repeated, measure))
        )


def test_shares_above_a_threshold():
    at = np.array([1.0, 2.5])
    assert compute_profile(X, at) == pytest.approx([(X > 1).mean(), (X > 2.5).mean()])
    assert weighted_above(X, np.full((1, *X.shape), 1 / 7), at)[0] == pytest.approx(
        compute_profile(X, at)
    )


RUNS = {
    name: np.random.default_rng(i).normal(i, 1, (4, 3)).round(2)
    for i, name in enumerate(("dqn", "sac"))
}


def table(column="score", runs=RUNS):
    """The runs as a table of scores, in an order of its own."""
    rows = [
        {"dataset": f"task {t}", "algorithm": name, "seed": seed, column: x[seed, t]}
        for name, x in runs.items()
        for seed in range(len(x))
        for t in range(x.shape[1])
    ]
    return bc.Scores(pd.DataFrame(rows), resampling="seeds")


def test_data_sets_are_tasks_and_seeds_are_runs():
    result = read_runs(table("accuracy"), "aggregate_runs")
    for name, x in RUNS.items():
        assert np.sort(result.values[name], axis=0) == pytest.approx(np.sort(x, axis=0))
    assert (result.fewest_runs, result.tasks, result.lower) == (4, 3, False)
    assert result.name_measure("mean") == "mean of accuracy ↑"


def test_tables_give_what_arrays_give():
    for wing in [bc.frequentist, bc.bayesian]:
        scores = table("accuracy")
        one, other = (wing.aggregate_runs(x, seed=1).frame for x in (scores, RUNS))
        assert one.to_numpy() == pytest.approx(other.to_numpy())
        one, other = (wing.performance_profiles(x, [0, 1], seed=1).frame for x in (scores, RUNS))
        assert one.equals(other)
        improvement = wing.probability_of_improvement
        assert improvement(scores, seed=1).frame.equals(improvement(*RUNS.values(), seed=1).frame)


def test_lower_is_better():
    """Losses are the negated scores: their profiles and improvements are the same."""
    for wing in [bc.frequentist, bc.bayesian]:
        losses = table("log_loss", {name: -x for name, x in RUNS.items()})
        profile = wing.performance_profiles(losses, [-1.0], seed=1).frame
        assert list(profile.index) == ["dqn < -1", "sac < -1"]
        expected = wing.performance_profiles(RUNS, [1.0], seed=1).frame
        assert profile.to_numpy() == pytest.approx(expected.to_numpy())
        improved = wing.probability_of_improvement(losses, seed=1).estimate
        assert improved == pytest.approx(wing.probability_of_improvement(*RUNS.values()).estimate)
        means = wing.aggregate_runs(losses, measure="mean", seed=1)
        assert means.estimate == pytest.approx([-x.mean() for x in RUNS.values()])
        assert "Mean of log_loss ↓" in str(means)


@each_row(
    ("scores", "message"),
    [
        ([[1, 2]], "a mapping"),
        ("abc", "a mapping"),
        ({}, "a mapping"),
        ({"a": [1, 2]}, r"shape \(2,\)"),
        ({"a": [["x", "y"]]}, r"scores\['a'\]"),
        ({"a": [[1, np.nan]]}, r"must be finite \(got nan for run 0 of task 1\)"),
        ({"a": [[1, 2]], "b": [[1, 2, 3]]}, r"must have as many tasks as .*, 2 \(got 3\)"),
        (
            bc.Scores(table("accuracy").frame.iloc[1:], resampling="seeds"),
            r"scores\['dqn'\] must .*got 3 on data set 'task 0' and 4 on 'task 1'",
        ),
    ],
)
def test_refused(scores, message):
    with pytest.raises(InputError, match=message):
        read_runs(scores, "aggregate_runs")


def test_a_metric_is_of_scores():
    with pytest.raises(InputError, match=r"metric must be .*\(got 'auc'\)"):
        read_runs(table("accuracy"), "aggregate_runs", "auc")
    with pytest.raises(InputError, match="metric must be None for arrays"):
        read_runs(RUNS, "aggregate_runs", "auc")


def test_a_pair_is_two_algorithms():
    three = table("accuracy", {**RUNS, "ppo": RUNS["sac"] + 1})
    with pytest.raises(
        InputError, match=r"of two algorithms, without second \(got 'dqn', 'sac', 'ppo'"
    ):
        pair_of_runs(three, None, None)
    with pytest.raises(InputError, match="second must be an array"):
        pair_of_runs(RUNS["dqn"], None, None)
    chosen = three.select(algorithms=["sac", "ppo"])
    assert list(pair_of_runs(chosen, None, None).values) == ["sac", "ppo"]


def test_shown():
    result = f.aggregate_runs({"a": [[1, 2], [3, 4]], "b": [[2, 2], [5, 4]]}, seed=1)
    head, *_, tail = str(result).splitlines()
    assert head.startswith("Interquartile mean ")
    assert head.endswith(" 2 tasks, 2 runs")
    assert tail.startswith("Stratified")
    assert "<table" in result._repr_html_()
    assert json.loads(json.dumps(result.to_dict()))["rows"]["a"]["estimate"] == 2.5
    wide, narrow = result.interval(0.99), result.interval(0.5)
    assert wide.loc["a", "low"] <= narrow.loc["a", "low"]
    with pytest.raises(InputError, match="level must be"):
        result.interval(2)


def test_told_with_numbers_and_the_runs_there_are():
    for module in [f, bc.bayesian]:
        result = module.aggregate_runs({"a": [[1, 3], [1, 3]], "b": [[2, 2]] * 3}, seed=1)
        numbers = (
            "(2 tasks, 2 to 3 runs): a 2 (95% interval 2 to 2) and b 2 (95% interval 2 to 2)."
        )
        assert result.explain() == f"Interquartile mean {numbers}"
        profile = module.performance_profiles({"a": [[1, 3], [1, 3]]}, range(8), seed=1)
        assert profile.explain().endswith(
            ", a > 5 0 (95% interval 0 to 0) and 2 rows more in the table."
        )


def test_a_single_run_has_no_interval_of_runs():
    for module in [f, bc.bayesian]:
        single = module.aggregate_runs({"a": [[1, 2, 4]], "b": [[2, 2, 3]] * 2}, seed=1)
        assert "Notes: a bootstrap of a single run is always that run" in single.explain("paper")
        assert "single run" in str(single)
        assert "single run" not in str(module.aggregate_runs({"a": [[1, 2], [2, 4]]}, seed=1))


def scores(seed=1, runs=8, tasks=12):
    rng = np.random.default_rng(seed)
    level = rng.normal(size=tasks)
    return {
        a: shift + level + rng.standard_t(3, (runs, tasks))
        for a, shift in (("dqn", 0.0), ("sac", 0.4))
    }


#: rliable 1.2.0 with arch 7.2.0, get_interval_estimates(scores(), metric, reps=4000): estimate,
#: low, high of dqn, of sac. Without a seed: its ends move by about 0.01 from run to run.
RLIABLE = {
    "iqm": ((-0.06831496711089784, -0.3051, 0.1998), (0.8036994931763166, 0.5769, 1.0236)),
    "mean": ((-0.17213763561848439, -0.4977, 0.0954), (0.9982019772970899, 0.6328, 1.387)),
    "median": ((-0.12562194896830634, -0.4038, 0.2359), (1.0538480509332957, 0.5499, 1.3907)),
}


def test_as_in_rliable():
    for measure in RLIABLE:
        frame = f.aggregate_runs(scores(), measure=measure, resamples=4000, seed=1).frame
        for name, (estimate, low, high) in zip(("dqn", "sac"), RLIABLE[measure], strict=True):
            row = frame.loc[name]
            assert row["estimate"] == pytest.approx(estimate, rel=1e-12)
            assert [row["low"], row["high"]] == pytest.approx([low, high], abs=0.03)


def test_improvement_and_profiles_as_in_rliable():
    """rliable 1.2.0: metrics.probability_of_improvement(sac, dqn), create_performance_profile."""
    given = scores()
    row = f.probability_of_improvement(given["dqn"], given["sac"], seed=1).frame.iloc[0]
    assert row["estimate"] == pytest.approx(0.6940104166666666, rel=1e-12)
    assert [row["low"], row["high"]] == pytest.approx([0.6172, 0.7657], abs=0.015)
    profile = f.performance_profiles(given, [0.0], seed=1).frame.loc["sac > 0"]
    assert profile["estimate"] == pytest.approx(0.7604166666666666, rel=1e-12)
    assert [profile["low"], profile["high"]] == pytest.approx([0.6771, 0.8333], abs=0.0105)


def test_by_all_resamples():
    """Two tasks of three runs: 27² resamples, each as likely."""
    for measure in ["iqm", "mean", "median"]:
        x = np.random.default_rng(2).normal(size=(3, 2))
        choices = list(itertools.product(range(3), repeat=3))
        every = [
            float(aggregate_scores(np.c_[x[list(a), 0], x[list(b), 1]], measure))
            for a in choices
            for b in choices
        ]
        result = f.aggregate_runs({"a": x}, measure=measure, resamples=40_000, seed=1)
        assert result.draws.mean() == pytest.approx(np.mean(every), abs=0.01)
        assert result.draws.std() == pytest.approx(np.std(every), rel=0.02)
        low, high = np.quantile(every, [0.1, 0.9])
        ends = result.interval(0.8).loc["a", ["low", "high"]].to_numpy()
        assert ends == pytest.approx([low, high], abs=0.05)


def test_profiles_are_shares():
    given = scores()
    frame = f.performance_profiles(given, [-1, 0, 1], seed=1).frame
    for name, x in given.items():
        for t in (-1, 0, 1):
            row = frame.loc[f"{name} > {t}"]
            assert row["estimate"] == pytest.approx((x > t).mean())
            assert row["low"] < row["estimate"] < row["high"]


def test_a_profiles_interval_is_binomial_on_one_task():
    """Resamples of one task's runs above a threshold are binomial."""
    x = np.arange(10.0)[:, None]
    draws = f.performance_profiles({"a": x}, [6.5], resamples=20_000, seed=1).draws[0]
    assert draws.mean() == pytest.approx(0.3, abs=0.004)
    assert draws.std() == pytest.approx(np.sqrt(0.3 * 0.7 / 10), rel=0.02)


def test_improvement_and_its_mirror():
    given = scores()
    one = f.probability_of_improvement(given["dqn"], given["sac"], seed=1)
    other = f.probability_of_improvement(given["sac"], given["dqn"], seed=1)
    assert one.estimate[0] == pytest.approx(1 - other.estimate[0])
    assert "Stratified bootstrap" in str(one)
    assert one.to_dict()["rows"]["improvement"]["low"] < one.estimate[0]


def test_seeds_and_unequal_runs():
    given = scores()
    given["sac"] = given["sac"][:5]
    a, b = (f.aggregate_runs(given, seed=3) for _ in range(2))
    assert np.array_equal(a.draws, b.draws)
    assert (a.runs, a.tasks) == (5, 12)
