"""Plans: operating characteristics, decisions of one table, today's verdict, the limit, means."""

import dataclasses
import json
import operator
import os
import runpy
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp import frequentist
from bayescmp.bayesian import HierarchicalPrior, hierarchical_t
from bayescmp.bayesian.hierarchical.answers import grid_probabilities
from bayescmp.bayesian.hierarchical.problem import pose
from bayescmp.engines.quadrature import Settings
from bayescmp.results.plan import Plan, predict_decisions
from bayescmp.scores.differences import Differences, SufficientStatistics
from bayescmp.scores.rope import Rope, as_rope
from bayescmp.study.planning import deciding, means
from bayescmp.study.planning.deciding import (
    DecisionRule,
    TrueDifferences,
    decide,
    frame_of,
    right_decisions,
    run_all,
    share_error,
    simulated_tests,
)
from bayescmp.study.planning.means import Population
from bayescmp.study.planning.more import Continuation, FurtherData, continuations, join_statistics
from bayescmp.summaries.plan import tabulate_item_plan, tabulate_plan
from tests.rows import each_row

# Operating characteristics: shares, errors, settings, and the committed table.


MAKE = runpy.run_path(str(Path(__file__).parents[2] / "evidence" / "operating_characteristics.py"))
SETTINGS, TABLE = MAKE["SETTINGS"], MAKE["TABLE"]
DECISIONS = ["first", "equivalent", "second", "undecided"]
SMALL = {
    "rope": 0.01,
    "rho": 0.1,
    "datasets": [4, 12],
    "delta0": [0.0, 0.03],
    "sigma0": [0.002],
    "simulations": 12,
    "seed": 1,
}


@pytest.fixture(scope="module")
def small():
    return bc.calibrate(**SMALL)


def test_shares_sum_to_one_and_errors_are_binomial(small):
    frame = small.frame
    assert len(frame) == 2 * 2 * 3
    np.testing.assert_allclose(
        frame[["first", "equivalent", "second", "undecided"]].sum(axis=1), 1
    )
    assert (frame["wrong"] <= 1 - frame["undecided"] + 1e-12).all()
    assert share_error(0.5, 100) == pytest.approx(0.05, rel=0.01)
    assert 0 < share_error(0.0, 100) < 0.01


def test_plain_truths_are_seen(small):
    at = small.frame.set_index(["datasets", "delta0", "test"])
    assert at.loc[(12, 0.0, "hierarchical_t"), "equivalent"] > 0.5
    assert at.loc[(12, 0.03, "hierarchical_t"), "second"] == 1
    assert at.loc[(12, 0.03, "wilcoxon"), ["second", "wrong"]].tolist() == [1, 0]
    assert (at.loc[(4, slice(None), "wilcoxon"), "undecided"] == 1).all()  # p is .125 at best


def test_the_same_seed_on_one_process_or_two():
    few = {**SMALL, "datasets": [4], "delta0": [0.01], "simulations": 14}
    once, again, other = (
        bc.calibrate(**few, **more).frame for more in ({}, {"n_jobs": 2}, {"noise": 0.05})
    )
    pd.testing.assert_frame_equal(again, once)
    assert not other.equals(once)


def test_many_studies_on_shared_nodes_are_decided_as_few_one_by_one():
    """From 20 on they are solved together: 19 of these decide as before, and one is new."""
    one = {**SMALL, "datasets": [6], "delta0": [0.03], "sigma0": [0.02]}
    few, many = (
        n * bc.calibrate(**{**one, "simulations": n}).frame[["first", "equivalent", "second"]]
        for n in (19, 20)
    )
    more = (many - few).to_numpy()
    assert more == pytest.approx(more.round(), abs=1e-9)
    assert ((more.round() >= 0) & (more.round().sum(axis=1, keepdims=True) <= 1)).all()
    assert 5 < few.iloc[0].sum() < 18


@pytest.mark.calibration
def test_the_frequentist_error_rate_is_the_level():
    """Wilcoxon at δ0 = 0: each rejection is an error; 400 tables of eight data sets."""
    table = bc.calibrate(
        rope=0.01,
        rho=0.1,
        datasets=[8],
        delta0=[0],
        sigma0=[0.02],
        folds=3,
        simulations=400,
        seed=3,
    )
    row = table.frame.set_index("test").loc["wilcoxon"]
    exact = 10 / 256  # 2 P(V <= 3), the largest attainable level under .05
    assert row["wrong"] == pytest.approx(exact, abs=3.5 * np.sqrt(exact / 400))


def test_shown_in_every_way(small):
    lines = small.to_markdown().splitlines()
    assert len(lines) == 2 + len(small.frame)
    assert "hierarchical_t" in lines[2]
    assert "12 simulated tables a row (seed 1), ROPE ±0.01" in str(small)
    assert "<table" in small._repr_html_()


@each_row(
    ("change", "message"),
    [
        ({"rope": 0.0, "delta0": None}, "delta0 must be given without a ROPE above"),
        ({"sigma0": [0.0]}, "sigma0 must be positive"),
        ({"datasets": [1]}, "datasets"),
        ({"delta0": []}, "delta0 must be"),
    ],
)
def test_bad_settings(change, message):
    with pytest.raises(bc.InputError, match=message):
        bc.calibrate(**{**SMALL, **change})


def test_the_committed_table_is_what_its_command_makes():
    """A few of its rows again, by another seed: within four standard errors of both."""
    committed = pd.read_csv(TABLE, comment="#")
    again = bc.calibrate(
        **{**SETTINGS, "datasets": [10], "delta0": [0.0, 0.02], "simulations": 20, "seed": 1}
    ).frame
    keys = ["datasets", "delta0", "sigma0", "test"]
    both = again.merge(committed, on=keys, suffixes=("", "_was"), validate="one_to_one")
    assert len(both) == len(again)
    for column in (*DECISIONS, "wrong"):
        error = np.hypot(both[f"se_{column}"], both[f"se_{column}_was"])
        z = (both[column] - both[f"{column}_was"]) / error
        assert np.abs(z).max() < 4, column


# Decisions of one table are those of the public tests; what is right follows from the truth.


ROPE = as_rope(0.01)
TRUTH = TrueDifferences(delta0=0.02, sigma0=0.03, nu=8.0, noise=0.05, rho=0.2, folds=5)


def test_masses_are_those_of_the_t():
    t = stats.t(8, 0.02, 0.03)
    wanted = [t.cdf(-0.01), t.cdf(0.01) - t.cdf(-0.01), t.sf(0.01)]
    np.testing.assert_allclose(TRUTH.masses(ROPE), wanted, rtol=1e-12)
    normal = TrueDifferences(0.02, 0.03, np.inf, 0.05, 0.2, 5)
    assert normal.masses(ROPE)[0] == pytest.approx(stats.norm.cdf(-1), rel=1e-9)


def test_the_most_probable_outcome_is_right_and_a_tie_has_none():
    assert TRUTH.outcomes(ROPE) == ("second",)
    assert TrueDifferences(-0.02, 0.001, 8.0, 0.05, 0.2, 5).outcomes(ROPE) == ("first",)
    assert TrueDifferences(0.0, 0.001, 8.0, 0.05, 0.2, 5).outcomes(ROPE) == ("equivalent",)
    assert TrueDifferences(0.0, 0.1, 8.0, 0.05, 0.2, 5).outcomes(ROPE) == ()


def test_moments_and_correlation_of_the_simulated():
    x = np.stack(TRUTH.simulate(40_000, [1]).x)
    means = x.mean(axis=1)
    between, within = 0.03**2 * 8 / 6, 0.05**2
    assert x.mean() == pytest.approx(0.02, abs=4 * means.std() / 200)
    assert means.var() == pytest.approx(between + within * (0.2 + 0.8 / 5), rel=0.05)
    assert x.var(axis=1, ddof=1).mean() == pytest.approx(within * 0.8, rel=0.02)
    assert np.cov(x[:, 0], x[:, 1])[0, 1] == pytest.approx(between + 0.2 * within, rel=0.06)
    heavy = stats.kurtosis(means)
    assert heavy > 0.1  # 6/(nu - 4) = 1.5 of the effects, diluted by the noise


def test_more_data_sets_keep_the_first():
    few, many = TRUTH.simulate(3, [1, 7]), TRUTH.simulate(9, [1, 7])
    for a, b in zip(few.x, many.x[:3], strict=True):
        np.testing.assert_array_equal(a, b)


RULE = DecisionRule(as_rope(0.01), HierarchicalPrior.corani2017(), 0.95, 0.05)


@each_row("delta0", [-0.03, 0.0, 0.03])
def test_each_test_decides_as_it_does_for_users(delta0):
    q = 6
    x = TrueDifferences(delta0, 0.004, 10.0, 0.02, 0.1, 10).simulate(q, [3])
    made = decide(x, RULE, simulated_tests(RULE.rope))
    verdict = hierarchical_t(x, rope=0.01, engine="quadrature", seed=1).verdict()
    p = grid_probabilities(pose(x, RULE.prior, RULE.rope), RULE.rope, Settings.quick())
    assert p == pytest.approx([verdict.p_left, verdict.p_rope, verdict.p_right], abs=2e-3)
    assert made["hierarchical_t"] == verdict.decision
    means = [row.mean() for row in x.x]
    rejected = frequentist.wilcoxon(means).pvalue < 0.05
    assert (made["wilcoxon"] != "undecided") == rejected
    assert (made["tost_means"] == "equivalent") == (
        frequentist.tost_means(means, rope=0.01).pvalue < 0.05
    )
    if rejected:
        assert made["wilcoxon"] == ("second" if sum(means) > 0 else "first")


def test_no_rope_no_test_of_equivalence():
    x = TrueDifferences(0.0, 0.004, 10.0, 0.02, 0.1, 10).simulate(6, [3])
    rule = DecisionRule(as_rope(0), RULE.prior, 0.95, 0.05)
    assert list(decide(x, rule, simulated_tests(rule.rope))) == ["hierarchical_t", "wilcoxon"]


def test_what_is_right():
    for delta0, sigma0, hierarchical, side, equivalence in [
        (0.0, 0.002, ("equivalent",), (), ("equivalent",)),
        (0.0, 0.05, (), (), ("equivalent",)),
        (0.005, 0.03, ("second",), ("second",), ("equivalent",)),
        (0.01, 0.03, ("second",), ("second",), ()),
        (-0.02, 0.002, ("first",), ("first",), ()),
    ]:
        truth = TrueDifferences(delta0, sigma0, 10.0, 0.02, 0.1, 10)
        right = right_decisions(truth, RULE.rope, simulated_tests(RULE.rope))
        assert right == {
            "hierarchical_t": hierarchical,
            "wilcoxon": side,
            "tost_means": equivalence,
        }


def test_results_come_in_order_and_the_bar_is_called_as_asked(capsys):
    tasks = [(i, 2) for i in range(8)]
    wanted = [i**2 for i in range(8)]
    assert run_all(operator.pow, tasks, n_jobs=1, title="powers", progress=False) == wanted
    assert capsys.readouterr().err == ""
    assert run_all(operator.pow, tasks, n_jobs=2, title="powers", progress=True) == wanted
    assert "powers" in capsys.readouterr().err


def test_the_time_told_is_that_of_all_designs(monkeypatch, capsys):
    """A clock that counts data sets stands in for one of seconds."""
    clock = [0.0]

    def decide_slowly(posterior, further, threshold):
        clock[0] += posterior.z.size + further.shape[1]
        return ["undecided"] * len(further)

    monkeypatch.setattr(deciding, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(means, "decide_with", decide_slowly)
    bc.bayesian.sign([0.01, 0.02, -0.01], rope=0.01).plan(datasets=(0, 5, 10, 40), simulations=9)
    assert clock == [3 + 5 + 3 + 10 + 3 + 40]
    told = "simulated studies: about {} s of processor time, in {}\n"
    assert capsys.readouterr().err == told.format(64, "1 process")
    monkeypatch.setattr(deciding, "solve_tasks", lambda f, tasks, *_: (f(*task) for task in tasks))
    asked = {"datasets": (5, 10, 40), "simulations": 9, "n_jobs": 2}
    bc.bayesian.sign([0.01, 0.02, -0.01], rope=0.01).plan(**asked)
    assert capsys.readouterr().err == told.format(64, "2 processes")


def test_an_interruption_reaches_the_caller():
    def interrupted(i):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_all(interrupted, [(1,), (2,)], n_jobs=1, title="", progress=False)


#: Each task writes the number of its process, and takes longer than the test.
LONG = """
import os, signal, sys, time
from bayescmp.base.workers import in_order

signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background

def task(i):
    with open(sys.argv[1], "a") as file:
        file.write(f"{os.getpid()}\\n")
    time.sleep(300)

list(in_order(task, [(i,) for i in range(4)], n_jobs=2))
"""


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def until(happened, seconds=60):
    end = time.monotonic() + seconds
    while not happened() and time.monotonic() < end:
        time.sleep(0.05)
    return happened()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no process groups")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_workers_end_with_us_and_say_nothing(number, tmp_path):
    """Ctrl-C goes to the whole group, a SIGKILL to us alone."""
    pids = tmp_path / "pids"
    with subprocess.Popen(
        [sys.executable, "-c", LONG, str(pids)],
        start_new_session=True,
        stderr=subprocess.PIPE,
        text=True,
    ) as main:
        assert until(lambda: pids.exists() and len(pids.read_text().split()) == 2)
        workers = [int(pid) for pid in pids.read_text().split()]
        if number == signal.SIGINT:
            os.killpg(main.pid, number)
        else:
            main.kill()
        assert until(lambda: main.poll() is not None)
        assert until(lambda: not any(map(is_alive, workers)))
        if number == signal.SIGINT:
            assert main.stderr.read().count("Traceback") == 1  # ours


LIMIT = {"first": 0.0, "equivalent": 0.1, "second": 0.9}


def plan_of(decided, n=10, **options):
    return Plan(frame_of(decided), LIMIT, ("knn", "gbm"), 0.95, n, 1, **options)


@pytest.fixture
def after():
    decided = {
        (0, 0): ["undecided"] * 10,
        (5, 0): ["second"] * 4 + ["undecided"] * 6,
        (10, 0): ["second"] * 8 + ["equivalent"] + ["undecided"],
    }
    return plan_of(decided, today="undecided")


def test_shares_and_errors(after):
    row = after.frame.iloc[2]
    assert (row["decided"], row["second"], row["equivalent"]) == pytest.approx((0.9, 0.8, 0.1))
    assert row["se_second"] == share_error(0.8, 10)
    assert after.frame["se_decided"].iloc[0] == 0  # today's verdict: nothing is simulated
    assert share_error(0.8, 4000) == pytest.approx(np.sqrt(0.16 / 4000), rel=1e-3)


def test_what_is_needed(after):
    assert after.needed() == 10
    assert after.needed(0.3) == 5
    assert after.needed(0.95) is None


def test_explained_before_any_data_and_with_more_folds():
    text = plan_of({(5, 0): ["undecided"] * 10}).explain()
    assert "Power with 5 data sets: <0.100. Power 0.80 is not reached." in text
    text = plan_of({(0, 9): ["first"] * 10}, today="first").explain()
    assert 'Verdict today: "knn better".' in text
    assert "Power with 9 more folds on each data set seen: >0.900" in text


def test_shares_of_none_and_of_all_are_bounds_and_today_is_none():
    made = {
        (0, 0): ["undecided"] * 20,
        (5, 0): ["second"] * 20,
        (9, 0): ["second"] * 10 + ["first"] * 10,
    }
    shown = tabulate_plan(plan_of(made, today="undecided", n=20))
    assert shown.iloc[0].tolist() == [0, "-", "-", "-", "-", "yes"]
    assert shown.iloc[1].tolist() == [5, ">0.950", "<0.050", "<0.050", ">0.950", "<0.050"]
    assert shown.iloc[2].tolist() == [9, ">0.950", "0.500", "<0.050", "0.500", "<0.050"]


def test_shown_as_text_html_and_json(after):
    assert str(after).splitlines()[0].startswith("Enough to decide with power 0.80: 10 ")
    assert "datasets" in str(after)
    assert "0.900 ± 0.1" in str(after)
    assert "<table" in after._repr_html_()
    facts = json.loads(json.dumps(after.to_dict()))
    assert facts["rows"][2]["datasets"] == 10
    assert facts["text"] == after.explain()
    folds = plan_of({(0, 9): ["first"] * 10}, today="first")
    assert "more_folds" in tabulate_plan(folds)


# Plans: today's verdict, the limit, common random numbers.


PRIOR, REGION = HierarchicalPrior.corani2017(), Rope(-0.01, 0.01)
Q, FOLDS, RHO, SIGMA = 4000, 5, 0.3, 0.02
BOUND = 1.0


@pytest.fixture(scope="module")
def many():
    """A continuation of many data sets whose δ_i and σ_i are known."""
    rng = np.random.default_rng(1)
    delta = rng.normal(0.01, 0.03, Q)
    shared, own = rng.standard_normal((Q, 1)), rng.standard_normal((Q, FOLDS))
    x = delta[:, None] + SIGMA * (np.sqrt(RHO) * shared + np.sqrt(1 - RHO) * own)
    problem = pose(Differences(x, rho=RHO), PRIOR, REGION)
    return Continuation(problem, PRIOR, BOUND, 0.01, 0.03, 8.0, delta, np.full(Q, SIGMA), [1, 0])


def test_more_folds_are_as_if_all_had_been_drawn_at_once(many):
    """Variances of means and of sums of squares: those of N equicorrelated normals."""
    more = 7
    total = FOLDS + more
    s = many.pose_problem(FurtherData(0, None, more)).statistics
    z = s.mean - many.delta
    assert s.n.tolist() == [total] * Q
    accuracy = 5 * np.sqrt(2 / Q)  # five standard errors of a variance, relative
    assert z.mean() == pytest.approx(0, abs=5 * z.std() / np.sqrt(Q))
    assert z.var() == pytest.approx(SIGMA**2 * (1 + (total - 1) * RHO) / total, rel=accuracy)
    within = s.ss / (SIGMA**2 * (1 - RHO))  # chi-square with N - 1 degrees of freedom
    assert within.mean() == pytest.approx(total - 1, abs=5 * np.sqrt(2 * (total - 1) / Q))
    assert within.var() == pytest.approx(2 * (total - 1), rel=2.5 * accuracy)
    before = many.problem.statistics.mean - many.delta
    covariance = SIGMA**2 * (RHO + (1 - RHO) / total)  # of a part's mean with the whole's
    assert (z * before).mean() == pytest.approx(covariance, rel=2 * accuracy)


def test_new_data_sets_come_from_the_population(many):
    s = many.pose_problem(FurtherData(Q, 6, 0)).statistics
    mean, ss, n = s.mean[Q:], s.ss[Q:], 6
    assert s.n[Q:].tolist() == [n] * Q
    spread = 0.03**2 * 8 / 6 + SIGMA**2 * (1 + (n - 1) * RHO) / n
    assert mean.mean() == pytest.approx(0.01, abs=5 * np.sqrt(spread / Q))
    kurtosis = 10  # of the means: not above that of t_8, 4.5, and some
    assert mean.var() == pytest.approx(spread, rel=5 * np.sqrt(kurtosis / Q))
    assert (ss / (SIGMA**2 * (1 - RHO))).mean() == pytest.approx(
        n - 1, abs=5 * np.sqrt(2 * (n - 1) / Q)
    )


def test_a_larger_design_contains_the_smaller_one(many):
    few, more = (many.pose_problem(FurtherData(k, None, 0)).statistics.mean for k in (5, 9))
    np.testing.assert_array_equal(few, more[: Q + 5])


def test_joined_statistics_are_those_of_all_differences():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(3, 4)), rng.normal(1, 2, size=(3, 6))

    def ss(z):
        return ((z - z.mean(1, keepdims=True)) ** 2).sum(1)

    s = SufficientStatistics(np.full(3, 4), x.mean(1), ss(x), np.full(3, 0.1), np.zeros(3, bool))
    both = np.hstack([x, y])
    result = join_statistics(s, 6, y.mean(1), ss(y))
    np.testing.assert_allclose(result.mean, both.mean(1))
    np.testing.assert_allclose(result.ss, ss(both))


def test_a_continued_problem_is_that_of_all_the_data():
    x = np.random.default_rng(3).normal(0.01, 0.02, (7, 5))
    x[2] = 0.01  # a data set whose differences are all equal
    d = Differences(x, rho=0.2, resolution=0.001)
    seen = pose(Differences(x[:4], rho=0.2, resolution=0.001), PRIOR, REGION)
    continued = seen.replace_statistics(d.statistics(), PRIOR, BOUND)
    whole = pose(d, dataclasses.replace(PRIOR, delta0_bound=BOUND), REGION)
    for key, value in whole.data.items():
        np.testing.assert_allclose(continued.data[key], value, rtol=1e-12, err_msg=key)


def test_continuations_take_different_draws_of_the_posterior():
    x = np.random.default_rng(4).normal(0.01, 0.02, (4, 5))
    posterior = hierarchical_t(x, rho=0.2, rope=0.01, engine="quadrature", seed=1)
    each = continuations(posterior, 50, 7)
    assert len({c.delta0 for c in each}) == 50
    draws = posterior.draws
    at = np.argwhere(draws["delta0"] == each[0].delta0)[0]
    np.testing.assert_array_equal(each[0].sigma, draws["sigma"][tuple(at)])
    assert each[0].bound == posterior.prior_bounds["delta0_bound"]


BEFORE = {
    "delta0": 0.02,
    "sigma0": 0.01,
    "rope": 0.01,
    "rho": 0.1,
    "datasets": [4, 10],
    "simulations": 12,
}


@pytest.fixture(scope="module")
def posterior():
    x = TrueDifferences(0.016, 0.01, 10.0, 0.02, 0.1, 10).simulate(6, [5])
    return bc.bayesian.hierarchical_t(x, rope=0.01, engine="quadrature", seed=1)


@pytest.fixture(scope="module")
def plan(posterior):
    return posterior.plan(datasets=[0, 4, 20], more_folds=[0, 20], simulations=12)


def test_no_further_data_leave_todays_verdict(posterior, plan):
    row = plan.frame.set_index(["datasets", "more_folds"]).loc[(0, 0)]
    assert plan.today == posterior.verdict().decision
    assert row[plan.today] == 1
    alone = posterior.plan(datasets=[0], simulations=12).frame
    pd.testing.assert_series_equal(alone.iloc[0], plan.frame.iloc[0])
    assert plan.frame[["datasets", "more_folds"]].to_numpy().tolist() == [
        [0, 0],
        [4, 0],
        [20, 0],
        [0, 20],
        [4, 20],
        [20, 20],
    ]


def test_the_limit_is_the_verdict(posterior, plan):
    v = posterior.verdict()
    assert list(plan.limit.values()) == [v.p_left, v.p_rope, v.p_right]


def test_the_same_seed_and_another(posterior):
    once, again, other = (
        posterior.plan(datasets=[2, 5, 9], simulations=9, seed=seed).frame for seed in (1, 1, 2)
    )
    pd.testing.assert_frame_equal(again, once)
    assert not other.equals(once)


@pytest.mark.slow
def test_a_plan_before_any_data_decides_what_users_would():
    """Each simulated study by the public test, at its full resolution; the data are the same."""
    plan = bc.plan(**BEFORE, seed=3)
    truth = TrueDifferences(0.02, 0.01, 10.0, 0.02, 0.1, 10)
    for q in (4, 10):
        fits = [
            bc.bayesian.hierarchical_t(
                truth.simulate(q, [3, s]), rope=0.01, engine="quadrature", seed=1
            )
            for s in range(12)
        ]
        largest = np.array([fit.verdict().p_right for fit in fits])
        clear = np.abs(largest - 0.95) > 0.002  # what the coarser grid may be off by
        row = plan.frame.set_index("datasets").loc[q]
        made = (largest > 0.95)[clear].sum()
        assert made <= round(12 * row["second"]) <= made + (~clear).sum()
        assert row["decided"] == pytest.approx(row["second"])
    assert plan.limit == {"first": 0.0, "equivalent": 0.0, "second": 1.0}


def test_several_values_of_the_truth_are_drawn_from():
    plan = bc.plan(**{**BEFORE, "delta0": [-0.06, 0.06], "sigma0": 0.002, "datasets": [8]})
    row = plan.frame.iloc[0]
    assert (row["first"], row["second"]) == (0.5, 0.5)
    assert plan.limit == {"first": 0.5, "equivalent": 0.0, "second": 0.5}


@each_row(
    ("change", "message"),
    [
        (
            {"delta0": [0, 1], "sigma0": [1, 2, 3]},
            "sigma0 must have .*as many as delta0, 2 .got 3",
        ),
        ({"rope": 0}, "noise must be given without a ROPE above"),
    ],
)
def test_bad_assumptions(change, message):
    with pytest.raises(bc.InputError, match=message):
        bc.plan(**{**BEFORE, **change})


@each_row(
    ("change", "message"),
    [
        ({"datasets": [-1]}, "datasets"),
        ({"folds": 1}, "folds"),
        ({"more_folds": -2}, "more_folds"),
    ],
)
def test_bad_continuations(posterior, change, message):
    with pytest.raises(bc.InputError, match=message):
        posterior.plan(**{"datasets": [1], "simulations": 2, **change})


# Plans from means: a fitted Student-t, the same rule, and what has none.


Z = [0.012, -0.003, 0.025, 0.03, 0.008, 0.041, -0.011, 0.017, 0.02, 0.001]
QUICK = {"datasets": [0, 5, 20], "simulations": 30, "progress": False}


def signed_rank(z=Z, **options):
    return bc.bayesian.signed_rank(z, rope=0.01, seed=1, **options)


def bootstrap(z=Z):
    return bc.bayesian.bootstrap(np.column_stack([np.zeros(len(z)), z]), rope=0.01, seed=1)


def test_the_fit_is_that_of_a_t_by_brute_force():
    """Mean and sd of δ0 by SciPy's t on a grid over (δ0, σ0), ν fixed at 5."""
    z = np.array(Z)
    draws = Population.from_means(z, Rope(-0.01, 0.01), 20_000, 1)
    here = np.abs(draws.nu - 5) < 1.5

    delta0, sigma0 = np.linspace(-0.02, 0.05, 701), np.linspace(0.002, 0.08, 391)[:, None]
    density = np.exp(stats.t.logpdf(z[:, None, None], 5, delta0, sigma0).sum(axis=0) - 30)
    weight = density.sum(axis=0) / density.sum()
    mean = weight @ delta0
    sd = np.sqrt(weight @ (delta0 - mean) ** 2)
    assert draws.delta0[here].mean() == pytest.approx(mean, abs=0.05 * sd)
    assert draws.delta0[here].std() == pytest.approx(sd, rel=0.06)


def test_simulated_means_come_from_the_t_and_more_keep_the_first():
    n = 4000
    truth = Population(np.full(n, 0.01), np.full(n, 0.02), np.full(n, 6.0))
    few, many = truth.simulate_means(2, 3), truth.simulate_means(5, 3)
    np.testing.assert_array_equal(few, many[:, :2])
    assert stats.kstest(many.ravel(), stats.t(6, 0.01, 0.02).cdf).pvalue > 1e-3


def test_the_limit_is_the_likeliest_region_of_the_truth():
    for delta0 in [-0.05, 0.0, 0.004, 0.05]:
        truth = Population(np.array([delta0]), np.array([0.006]), np.array([8.0]))
        wanted = "first" if delta0 < -0.01 else "second" if delta0 > 0.01 else "equivalent"
        for pairs in (False, True):
            assert truth.share_likeliest(Rope(-0.01, 0.01), pairs=pairs)[wanted] == 1


def test_a_pair_of_data_sets_varies_less_than_one():
    """At σ0 = 0.02 the rope holds little of one data set, and most of a mean of two."""
    z = stats.norm(0, 0.012)
    assert z.cdf(0.005) - z.cdf(-0.005) < z.sf(0.005)  # one: a side is likelier
    truth = Population(np.array([1e-6]), np.array([0.012]), np.array([1e9]))
    assert truth.share_likeliest(Rope(-0.005, 0.005), pairs=False)["second"] == 1
    assert truth.share_likeliest(Rope(-0.005, 0.005), pairs=True)["equivalent"] == 1


@each_row("make", [signed_rank, lambda: bc.bayesian.sign(Z, rope=0.01, seed=1)])
def test_each_study_is_decided_by_the_public_test(make):
    posterior = make()
    plan = posterior.plan(**{**QUICK, "simulations": 12})
    truth = Population.from_means(posterior.z, posterior.rope, 12, 1)
    further = truth.simulate_means(20, 1)
    for k in (5, 20):
        largest = []
        for row in further:
            z = np.append(Z, row[:k])
            test = signed_rank if posterior.kind == "signed_rank" else bc.bayesian.sign
            own = test(z) if test is signed_rank else test(z, rope=0.01, seed=1)
            largest.append(max(own.verdict().probabilities.values()))
        clear = np.abs(np.array(largest) - 0.95) > 0.012
        made = (np.array(largest) >= 0.95)[clear].sum()
        predicted = round(12 * plan.frame.set_index("datasets").loc[k, "decided"])
        assert made <= predicted <= made + (~clear).sum()


def test_today_the_names_and_the_seed():
    posterior = signed_rank(names=("knn", "gbm"))
    plan, again = posterior.plan(**QUICK), posterior.plan(**QUICK, n_jobs=2)
    pd.testing.assert_frame_equal(plan.frame, again.frame)
    assert (plan.names, plan.today) == (("knn", "gbm"), posterior.verdict().decision)
    assert plan.frame.loc[0, plan.today] == 1
    assert not posterior.plan(**QUICK, seed=2).frame.equals(plan.frame)


def test_the_bootstrap_of_a_pair_in_either_order():
    plan = bootstrap().plan("A1", "A2", **QUICK)
    swapped = bootstrap().plan("A2", "A1", **QUICK)
    assert swapped.names == ("A2", "A1")
    assert plan.today == {"first": "second", "second": "first"}.get(swapped.today, swapped.today)
    last, other = plan.frame.iloc[-1], swapped.frame.iloc[-1]
    assert last["second"] == pytest.approx(other["first"], abs=0.35)


def test_the_bootstrap_decides_by_the_counts_alone():
    """Dirichlet(1, ..., 1) weights add up to a Dirichlet of the counts: SciPy's draws."""
    counts = [1, 3, 9]
    z = np.repeat([-0.05, 0.0, 0.05], counts)
    p = bootstrap(z).verdict("A1", "A2").p_right
    draws = stats.dirichlet(counts).rvs(200_000, random_state=1)
    assert p == pytest.approx((draws.argmax(axis=1) == 2).mean(), abs=0.02)


@each_row(
    ("ask", "message"),
    [
        (lambda: signed_rank().plan(datasets=[-1]), "datasets"),
        (
            lambda: bc.bayesian.sign([0.0, 0.0, 0.0], rope=0).plan(),
            "rope must be above zero if all differences",
        ),
        (
            lambda: bootstrap().plan("A1", "A1"),
            r"second must differ from first \(got 'A1' for both\)",
        ),
        (lambda: bootstrap().plan("A1"), "second must be one of 'A1', 'A2'.*got None"),
        (
            lambda: bc.bayesian.bootstrap(
                np.random.default_rng(1).random((5, 4, 2)), rope=0.01, rho=0
            ).plan("A1", "A2"),
            "hierarchical_t",
        ),
        (
            lambda: bc.bayesian.friedman(np.random.default_rng(1).random((5, 3))).plan("A1", "A2"),
            "bootstrap of the same scores",
        ),
    ],
)
def test_what_can_not_be_planned(ask, message):
    with pytest.raises(bc.InputError, match=message):
        ask()


def test_the_advice_of_the_hierarchical_test_can_be_followed():
    """Means alone: what it recommends takes them, and plans."""
    with pytest.raises(bc.InputError, match=r"bayescmp\.bayesian\.signed_rank"):
        bc.bayesian.hierarchical_t([[z] for z in Z], rho=0.1, rope=0.01)
    assert len(signed_rank().plan(**QUICK).frame) == 3


# Plans of items: closed forms against simulated benchmarks, and the cheapest design.


FOUR = {"difference": 0.03, "between": 0.06, "within": 0.24, "rope": 0.01}


def simulated(rng, n, k, difference, between, within, studies):
    """Mean differences and standard errors of studies with n questions and k epochs."""
    d = rng.normal(difference, np.sqrt(between), (studies, n))
    d = d + rng.normal(0, np.sqrt(within / k), (studies, n))
    return d.mean(axis=1), d.std(axis=1, ddof=1) / np.sqrt(n)


@pytest.mark.parametrize(
    ("n", "k"),
    [
        (200, 1),
        (600, 4),
        *(pytest.param(*larger, marks=pytest.mark.slow) for larger in ((600, 1), (2000, 4))),
    ],
)
@pytest.mark.parametrize("rope", [0.0, 0.03])
def test_chances_and_width_are_those_of_simulated_studies(n, k, rope):
    """4,000 studies, each decided by the t posterior of its mean: within four errors."""
    plan = bc.plan_items(**{**FOUR, "rope": rope}, questions=[n], epochs=[k]).frame.iloc[0]
    mean, se = simulated(np.random.default_rng([n, k]), n, k, 0.03, 0.06, 0.24, 4000)
    left = stats.t.cdf((-rope - mean) / se, n - 1)
    right = stats.t.sf((rope - mean) / se, n - 1)
    outcomes = {
        "first": left >= 0.95,
        "equivalent": (1 - left - right) >= 0.95,
        "second": right >= 0.95,
    }
    for decision, made in outcomes.items():
        error = np.sqrt(plan.get(decision, 0) * (1 - plan.get(decision, 0)) / 4000) + 1e-3
        assert made.mean() == pytest.approx(plan.get(decision, 0), abs=4 * error + 0.005), decision
    width = 2 * stats.t.ppf(0.975, n - 1) * se.mean()
    assert plan["width"] == pytest.approx(width, rel=0.012)


def test_the_detectable_difference_has_the_power():
    plan = bc.plan_items(**FOUR, questions=[800], epochs=[2], power=0.9)
    detectable = plan.frame["detectable"].iloc[0]
    again = bc.plan_items(**{**FOUR, "difference": detectable}, questions=[800], epochs=[2])
    assert again.frame["second"].iloc[0] == pytest.approx(0.9, abs=1e-12)
    # Miller (2024), section 5: (z_α + z_β) standard errors beyond the margin
    se = np.sqrt((0.06 + 0.24 / 2) / 800)
    assert detectable == pytest.approx(0.01 + (stats.norm.ppf(0.95) + stats.norm.ppf(0.9)) * se)


@each_row("costs", [(2.0, 0.5), (30.0, 0.1)])
@each_row("within", [0.0, 0.24])
def test_the_cheapest_design_is_that_of_brute_force(costs, within):
    plan = bc.plan_items(**{**FOUR, "within": within})
    best = plan.cheapest(*costs)
    wanted = ((0.03 - 0.01) / (stats.norm.ppf(0.95) + stats.norm.ppf(0.8))) ** 2
    every = []
    for k in range(1, 200):
        n = int(np.ceil((0.06 + within / k) / wanted))
        every.append((n * (costs[0] + k * costs[1]), k))
    cost, _ = min(every)
    assert best.cost == pytest.approx(best.questions * (costs[0] + best.epochs * costs[1]))
    assert cost <= best.cost <= cost * 1.002  # whole questions
    outcomes = bc.plan_items(
        **{**FOUR, "within": within}, questions=[best.questions], epochs=[best.epochs]
    )
    assert outcomes.frame["decided"].iloc[0] >= 0.8


def test_a_decided_difference_stays_within_the_region_for_equivalence():
    """By brute force: the posterior means at which the region holds 0.95."""
    rope, sd = Rope(-0.02, 0.03), 0.009
    x = np.linspace(-0.05, 0.05, 200_001)
    inside = stats.norm.cdf((0.03 - x) / sd) - stats.norm.cdf((-0.02 - x) / sd) >= 0.95
    law = stats.norm(0.012, 0.011)
    wanted = law.cdf(x[inside][-1]) - law.cdf(x[inside][0])
    made = predict_decisions(0.012, 0.011**2, sd**2, rope, 0.95)
    assert made["equivalent"] == pytest.approx(wanted, abs=1e-4)
    assert sum(made.values()) == pytest.approx(1)


def answers(n, rng=None):
    """Right and wrong answers of two models, 0.06 apart."""
    rng = rng or np.random.default_rng(6)
    p = rng.beta(2, 2, n)
    return rng.random(n) < p, rng.random(n) < np.clip(p + 0.06, 0, 1)


def test_chances_from_answers_at_hand_come_true():
    """Of further answers drawn with the posterior's own proportions, as many are decided."""
    posterior = bc.bayesian.paired_proportions(*answers(300), rope=0.02, seed=1)
    predicted = posterior.plan(questions=[900]).frame["decided"].iloc[0]
    rng = np.random.default_rng(7)
    theta = rng.dirichlet(posterior.weights.ravel(), 300)
    decided = 0
    for t in theta:
        counts = posterior.counts + rng.multinomial(900, t).reshape(2, 2)
        fit = bc.bayesian.paired_proportions(counts, rope=0.02)
        left, right = fit.tail(-0.02, upper=False)[0], fit.tail(0.02, upper=True)[0]
        decided += max(left, 1 - left - right, right) >= 0.95
    assert decided / 300 == pytest.approx(
        predicted, abs=2 * np.sqrt(predicted * (1 - predicted) / 300) + 0.02
    )


def test_today_and_the_number_of_questions():
    posterior = bc.bayesian.paired_proportions(*answers(300), rope=0.02)
    plan = posterior.plan(questions=[0, 100])
    assert plan.seen == 300
    assert plan.frame["further_questions"].tolist() == [0, 100]
    assert plan.frame["total_questions"].tolist() == [300, 400]
    decided = posterior.verdict().decision != "undecided"
    assert plan.frame["decided"].iloc[0] == pytest.approx(float(decided), abs=1e-9)
    low, high = posterior.interval
    assert plan.frame["width"].iloc[0] == pytest.approx(high - low, rel=0.01)


def test_more_epochs_take_away_only_what_is_within():
    """K = 2 epochs seen; with many, the width falls to that of the questions alone."""
    rng = np.random.default_rng(8)
    d = rng.normal(0.02, np.sqrt(0.04), 400) + rng.normal(0, np.sqrt(0.2 / 2), 400)
    posterior = bc.bayesian.cluster_bootstrap(d, rope=0.01, seed=1)
    plan = posterior.plan(questions=[0], epochs=[2, 10**6], seen_epochs=2, within=0.2)
    today, many = plan.frame["width"]
    between = d.var(ddof=1) - 0.1
    assert many / today == pytest.approx(np.sqrt(between / (between + 0.1)), rel=0.01)


def test_results_of_compare_plan():
    import pandas as pd

    first, second = answers(200)
    table = pd.DataFrame(
        {
            "model": ["a"] * 200 + ["b"] * 200,
            "item": [*range(200)] * 2,
            "passage": np.tile(np.arange(200) // 4, 2),
            "correct": np.append(first, second).astype(int),
        }
    )
    plain = bc.compare(bc.Items(table.drop(columns="passage")), "a", "b", rope=0.02)
    clustered = bc.compare(bc.Items(table, columns={"cluster": "passage"}), "a", "b", rope=0.02)
    for posterior in (plain, clustered):
        plan = posterior.plan(questions=[0, 1000])
        assert plan.names == ("a", "b")
        assert plan.seen == 200
        assert plan.frame["decided"].is_monotonic_increasing
        assert "1000 further questions (1200 in total)" in " ".join(plan.explain().split())


@each_row(
    ("ask", "message"),
    [
        (lambda: bc.plan_items(**{**FOUR, "between": 0, "within": 0}), "got 0 for both"),
        (lambda: bc.plan_items(**FOUR).cheapest(0, 1), "cost_question must be"),
        (
            lambda: bc.plan_items(**FOUR).cheapest(1, 1, difference=0.005),
            "difference must be beyond the region",
        ),
        (lambda: bc.plan_items(**{**FOUR, "between": 0}).cheapest(1, 1), "between must be over 0"),
        (
            lambda: bc.bayesian.paired_proportions([[4, 1], [3, 2]], rope=0).plan(epochs=[2]),
            "within must be the variance of single answers",
        ),
    ],
)
def test_bad_numbers(ask, message):
    with pytest.raises(bc.InputError, match=message):
        ask()


def test_shown_and_for_json():
    plan = bc.plan_items(**FOUR, questions=[500, 1000])
    assert plan.needed(0.99) is None
    assert tabulate_item_plan(plan).shape == plan.frame.shape
    assert "<table" in plan._repr_html_()
    assert plan.to_dict()["rows"][1]["total_questions"] == 1000
