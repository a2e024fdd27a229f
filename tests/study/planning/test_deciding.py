"""Decisions of one table are those of the public tests; what is right follows from the truth."""

from __future__ import annotations

import json
import operator
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from scipy import stats

from bayescmp import frequentist
from bayescmp.bayesian import HierarchicalPrior, hierarchical_t
from bayescmp.bayesian.hierarchical.answers import grid_probabilities
from bayescmp.bayesian.hierarchical.problem import pose
from bayescmp.engines.quadrature import Settings
from bayescmp.results.plan import Plan
from bayescmp.scores.rope import as_rope
from bayescmp.study.planning.deciding import (
    Rule,
    Truth,
    decide,
    frame_of,
    right_decisions,
    run_all,
    share_error,
    simulated_tests,
)

ROPE = as_rope(0.01)
TRUTH = Truth(delta0=0.02, sigma0=0.03, nu=8.0, noise=0.05, rho=0.2, folds=5)


def test_masses_are_those_of_the_t():
    t = stats.t(8, 0.02, 0.03)
    wanted = [t.cdf(-0.01), t.cdf(0.01) - t.cdf(-0.01), t.sf(0.01)]
    np.testing.assert_allclose(TRUTH.masses(ROPE), wanted, rtol=1e-12)
    normal = Truth(0.02, 0.03, np.inf, 0.05, 0.2, 5)
    assert normal.masses(ROPE)[0] == pytest.approx(stats.norm.cdf(-1), rel=1e-9)


def test_the_most_probable_outcome_is_right_and_a_tie_has_none():
    assert TRUTH.outcomes(ROPE) == ("second",)
    assert Truth(-0.02, 0.001, 8.0, 0.05, 0.2, 5).outcomes(ROPE) == ("first",)
    assert Truth(0.0, 0.001, 8.0, 0.05, 0.2, 5).outcomes(ROPE) == ("equivalent",)
    assert Truth(0.0, 0.1, 8.0, 0.05, 0.2, 5).outcomes(ROPE) == ()


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


RULE = Rule(as_rope(0.01), HierarchicalPrior.corani2017(), 0.95, 0.05)


@pytest.mark.parametrize("delta0", [-0.03, 0.0, 0.012, 0.03])
@pytest.mark.parametrize("q", [6, 20])
def test_each_test_decides_as_it_does_for_users(q, delta0):
    x = Truth(delta0, 0.004, 10.0, 0.02, 0.1, 10).simulate(q, [3])
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
    x = Truth(0.0, 0.004, 10.0, 0.02, 0.1, 10).simulate(6, [3])
    rule = Rule(as_rope(0), RULE.prior, 0.95, 0.05)
    assert list(decide(x, rule, simulated_tests(rule.rope))) == ["hierarchical_t", "wilcoxon"]


@pytest.mark.parametrize(
    ("delta0", "sigma0", "hierarchical", "side", "equivalence"),
    [
        (0.0, 0.002, ("equivalent",), (), ("equivalent",)),
        (0.0, 0.05, (), (), ("equivalent",)),
        (0.005, 0.03, ("second",), ("second",), ("equivalent",)),
        (0.01, 0.03, ("second",), ("second",), ()),
        (-0.02, 0.002, ("first",), ("first",), ()),
    ],
)
def test_what_is_right(delta0, sigma0, hierarchical, side, equivalence):
    truth = Truth(delta0, sigma0, 10.0, 0.02, 0.1, 10)
    right = right_decisions(truth, RULE.rope, simulated_tests(RULE.rope))
    assert right == {"hierarchical_t": hierarchical, "wilcoxon": side, "tost_means": equivalence}


def test_results_come_in_order_and_the_bar_is_called_as_asked(capsys):
    tasks = [(i, 2) for i in range(8)]
    wanted = [i**2 for i in range(8)]
    assert run_all(operator.pow, tasks, n_jobs=1, title="powers", progress=False) == wanted
    assert capsys.readouterr().err == ""
    assert run_all(operator.pow, tasks, n_jobs=2, title="powers", progress=True) == wanted
    assert "powers" in capsys.readouterr().err


def test_an_interruption_reaches_the_caller():
    def interrupted(i):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_all(interrupted, [(1,), (2,)], n_jobs=1, title="", progress=False)


#: Each task writes the number of its process, and takes longer than the test.
LONG = """
import os, signal, sys, time
from bayescmp.study.planning.deciding import run_all

signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background

def task(i):
    with open(sys.argv[1], "a") as file:
        file.write(f"{os.getpid()}\\n")
    time.sleep(300)

run_all(task, [(i,) for i in range(4)], n_jobs=2, title="", progress=False)
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


def plan(decided, n=10, **options):
    return Plan(frame_of(decided), LIMIT, ("knn", "gbm"), 0.95, n, 1, **options)


@pytest.fixture
def after():
    decided = {
        (0, 0): ["undecided"] * 10,
        (5, 0): ["second"] * 4 + ["undecided"] * 6,
        (10, 0): ["second"] * 8 + ["equivalent"] + ["undecided"],
    }
    return plan(decided, today="undecided")


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


def test_explained(after):
    assert after.explain() == (
        "Today the verdict is undecided. Chances of a decision at 0.95: with 10 more data sets "
        '0.900 ± 0.1 ("equivalent" 0.100 and "gbm better" 0.800), 0.80 is reached with 10 more '
        'data sets. With infinitely many data sets: "equivalent" 0.100 and "gbm better" 0.900.'
    )


def test_explained_before_any_data_and_with_more_folds():
    text = plan({(5, 0): ["undecided"] * 10}).explain()
    assert text.startswith("Chances of a decision at 0.95: with 5 data sets <0.100, none of")
    text = plan({(0, 9): ["first"] * 10}, today="first").explain()
    assert "with 9 more folds on each data set seen >0.900" in text
    assert 'Today the verdict is "knn better".' in text


def test_shares_of_none_and_of_all_are_bounds_and_today_is_none():
    made = {
        (0, 0): ["undecided"] * 20,
        (5, 0): ["second"] * 20,
        (9, 0): ["second"] * 10 + ["first"] * 10,
    }
    shown = plan(made, today="undecided", n=20).shown()
    assert shown.iloc[0].tolist() == [0, "-", "-", "-", "-", "yes"]
    assert shown.iloc[1].tolist() == [5, ">0.950", "<0.050", "<0.050", ">0.950", "<0.050"]
    assert shown.iloc[2].tolist() == [9, ">0.950", "0.500", "<0.050", "0.500", "<0.050"]


def test_shown_as_text_html_and_json(after):
    assert str(after).splitlines()[0].split()[:3] == ["datasets", "decided", "first"]
    assert "0.900 ± 0.1" in str(after)
    assert "<table" in after._repr_html_()
    facts = json.loads(json.dumps(after.to_dict()))
    assert facts["rows"][2]["datasets"] == 10
    assert facts["text"] == after.explain()
    folds = plan({(0, 9): ["first"] * 10}, today="first")
    assert "more_folds" in folds.shown()
