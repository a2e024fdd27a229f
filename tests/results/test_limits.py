"""Answers without a ROPE: for which ROPEs one is better, and for which both are equivalent."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq
from scipy.stats import t

import bayescmp as bc
from bayescmp import bayesian
from bayescmp.commands.cli import main
from tests.rows import each_row

SCORES = "examples/data/scores.csv"


def one_dataset(names=("gbm", "svm")):
    """A posterior of 100 differences with location 0.02, scale 0.005 and 99 degrees of freedom."""
    z = np.random.default_rng(1).normal(size=100)
    z = (z - z.mean()) / z.std(ddof=1)
    return bayesian.correlated_t(0.02 + 0.05 * z, rho=0.0, names=names)


def test_limits_of_a_student_distribution():
    limits = one_dataset().rope_limits()
    # 0.02 - 0.005 t_99(0.95), with the quantile 1.6604 of R's qt(0.95, 99); the search stops
    # within 0.001 of the larger bound of the interval, 0.03
    within = 3e-5
    assert limits.leader == "svm"
    assert limits.better_up_to == pytest.approx(0.02 - 0.005 * 1.6604, abs=within)
    x = t(99, 0.02, 0.005)
    equivalent = brentq(lambda r: x.cdf(r) - x.cdf(-r) - 0.95, 0, 0.1)
    assert limits.equivalent_from == pytest.approx(equivalent, abs=within)


def test_limits_to_all_digits(monkeypatch):
    """0.02 - 0.005 t_99(0.95) = 0.011698, if the search stops later."""
    monkeypatch.setattr("bayescmp.results.limits.TOLERANCE", 1e-9)
    assert one_dataset().rope_limits().better_up_to == pytest.approx(0.011698, abs=5e-7)
    wider = one_dataset().rope_limits(0.9).better_up_to
    assert wider == pytest.approx(t(99, 0.02, 0.005).ppf(0.1), abs=1e-9)


@each_row("scale", ["difference", "log_ratio"])
def test_limits_where_lower_is_better_name_the_algorithm_with_the_lower_scores(scale):
    """Student's limits of the turned differences, or of logarithms of ratios, by SciPy."""
    rng = np.random.default_rng(3)
    x = {"a": 0.5 + 0.02 * rng.normal(size=10), "b": 0.4 + 0.02 * rng.normal(size=10)}
    table = pd.DataFrame(
        [("d", name, fold, v) for name in x for fold, v in enumerate(x[name])],
        columns=["dataset", "algorithm", "fold", "log_loss"],
    )
    limits = bc.compare(bc.Scores(table).on_scale(scale), "a", "b").rope_limits()
    d = np.log(x["a"] / x["b"]) if scale == "log_ratio" else x["a"] - x["b"]
    law = t(9, d.mean(), d.std(ddof=1) * np.sqrt(1 / 10 + 1 / 9))
    assert limits.leader == "b"
    within = 1e-3 * law.ppf(0.975)
    assert limits.better_up_to == pytest.approx(law.ppf(0.05), abs=within)
    equivalent = brentq(lambda r: law.cdf(r) - law.cdf(-r) - 0.95, 0, 2)
    assert limits.equivalent_from == pytest.approx(equivalent, abs=within)
    turned = bc.compare(bc.Scores(table).on_scale(scale), "b", "a").rope_limits()
    assert turned.leader == "b"
    assert turned.better_up_to == pytest.approx(limits.better_up_to, rel=1e-9)


@pytest.fixture(scope="module")
def scores():
    return bc.Scores.read(SCORES)


PAIRS = {
    "hierarchical_t": lambda s, a, b: bc.compare(s, a, b, "accuracy", seed=1),
    "signed_rank": lambda s, a, b: bc.compare(s, a, b, "accuracy", test="signed_rank", seed=1),
    "sign": lambda s, a, b: bc.compare(s, a, b, "accuracy", test="sign", seed=1),
    "two_sample_t": lambda s, a, b: bayesian.two_sample_t(
        *(s.means("accuracy")[name].to_numpy() for name in (a, b)), names=(a, b), seed=1
    ),
}


@each_row("test", PAIRS)
def test_a_verdict_changes_at_its_limits_and_nowhere_else(scores, test):
    posterior = PAIRS[test](scores, "knn", "tree")
    limits = posterior.verdict().limits
    step = 0.002 * max(map(abs, posterior.z if test in ("sign", "signed_rank") else (0.1,)))
    outcomes = {r: posterior.verdict(r).decision for r in np.linspace(0, 0.1, 21)}
    for r, decision in outcomes.items():
        if abs(r - limits.better_up_to) > step and abs(r - limits.equivalent_from) > step:
            expected = "first" if r < limits.better_up_to else "undecided"
            assert decision == ("equivalent" if r > limits.equivalent_from else expected)
    turned = PAIRS[test](scores, "tree", "knn").rope_limits()
    assert turned.leader == limits.leader
    both = (turned.better_up_to, turned.equivalent_from)
    # Monte Carlo error of the signed-rank test, whose draws differ in the other order
    limits_of_first = (limits.better_up_to, limits.equivalent_from)
    assert both == pytest.approx(limits_of_first, abs=step, nan_ok=True)


def test_no_limit_where_nothing_is_decided(scores):
    undecided = bc.compare(scores, "svm", "lda", "accuracy", dataset="iris").rope_limits()
    assert np.isnan(undecided.better_up_to)
    assert undecided.equivalent_from > 0
    two = bayesian.sign([0.01, 0.02], place="sides").rope_limits()  # two never decide
    assert np.isnan([two.better_up_to, two.equivalent_from]).all()
    same = bayesian.correlated_t(np.zeros(10), rho=0.1).verdict()
    assert (same.limits.leader, same.limits.equivalent_from) == ("", 0.0)
    assert "The two are practically equivalent for any ROPE." in same.explain()


@each_row("size", [1e-69, 1.0, 1e69])
def test_differences_of_any_size_have_limits(size):
    limits = bayesian.sign(np.full(8, size)).rope_limits()
    assert limits.leader == "second"
    assert 0 <= limits.better_up_to <= size
    assert limits.equivalent_from == pytest.approx(size, rel=0.01)


def test_differences_that_are_all_zero_have_limits():
    """The prior alone makes the second better without a ROPE, and nothing with one."""
    limits = bc.bayesian.sign(np.zeros(5), prior=9, place="right").rope_limits()
    assert (limits.leader, limits.better_up_to) == ("second", 0.0)
    assert np.isnan(limits.equivalent_from)


def test_limits_need_one_metric_and_a_threshold(scores):
    several = bayesian.multivariate_t(np.random.default_rng(1).normal(size=(20, 2)), rho=0.1)
    with pytest.raises(bc.InputError, match="Limits of a ROPE must be of one metric"):
        several.rope_limits()
    with pytest.raises(bc.InputError) as error:
        one_dataset().rope_limits(0.4)
    assert error.value.argument == "threshold"


def test_a_rope_that_is_given_is_answered_as_before(scores):
    none = bc.compare(scores, "gbm", "svm", "accuracy", seed=1).verdict()
    zero = bc.compare(scores, "gbm", "svm", "accuracy", 0, seed=1).verdict()
    given = bc.compare(scores, "gbm", "svm", "accuracy", 0.01, seed=1).verdict()
    assert none == zero
    assert given.limits is None
    wide = bc.compare(scores, "gbm", "svm", "accuracy", none.limits.equivalent_from, seed=1)
    assert wide.verdict().decision == "equivalent"


def test_the_leaders_limits_of_all_pairs_are_those_of_each(scores):
    some = ("gbm", "svm", "lda", "tree")
    comparisons = bc.compare_all(scores, "accuracy", algorithms=some, seed=1, n_jobs=1)
    leader = comparisons.order[0]
    for name in set(some) - {leader}:
        pair = next(p for p in comparisons.results if {leader, name} == set(p))
        limits = bc.compare(scores, *pair, "accuracy", seed=1).rope_limits()
        if pair in comparisons.limits:
            assert comparisons.limits[pair] == limits
        else:
            assert np.isnan(limits.better_up_to)


def test_names_are_printed_as_given():
    names = ("ROPE up to ±{better}", "the two")
    text = one_dataset(names).verdict().explain()
    assert "the two is practically better for any ROPE up to ±0.011" in text


def test_the_command_line_needs_no_rope(capsys):
    main(["compare", SCORES, "gbm", "svm", "--metric", "accuracy", "--json"])
    facts = json.loads(capsys.readouterr().out)
    limits = bc.compare(bc.Scores.read(SCORES), "gbm", "svm", "accuracy", seed=1).rope_limits()
    assert facts["verdict"]["limits"] == limits.to_dict()
    main(["undominated", SCORES, "--metric", "accuracy", "--metric", "auc"])
    assert "practically" not in capsys.readouterr().out
    assert main(["plan", "--delta0", "0.02", "--sigma0", "0.01", "--rho", "0.1"]) == 2
    assert "--rope must be given" in capsys.readouterr().err
