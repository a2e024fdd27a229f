"""A referee of loops: its evidence by other integrals, its state, and what is refused."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats

import bayescmp as bc
from bayescmp.commands.cli import main
from bayescmp.errors import InputError
from bayescmp.frequentist import confidence_sequence
from bayescmp.frequentist.sequences import find_crossings, student_bounds
from bayescmp.study.referee.decisions import level_of
from tests.rows import each_row

RNG = np.random.default_rng(5)
OLD = RNG.normal(0.70, 0.01, 20).round(4)
BETTER, SAME = OLD + 0.03 + RNG.normal(0, 0.004, 20).round(4), OLD + RNG.normal(0, 0.01, 20)


def evidence(x, mean):
    """E, by integrating the noncentral t density over effect sizes N(0, 1) (SciPy 1.17.1)."""
    t, n = stats.ttest_1samp(x, mean).statistic, len(x)
    found = integrate.quad(
        lambda d: stats.nct.pdf(t, n - 1, d * math.sqrt(n)) * stats.norm.pdf(d), -8, 8
    )[0]
    return found / stats.t.pdf(t, n - 1)


def test_bounds_are_where_the_evidence_is():
    x = np.array([0.9, 1.4, 0.2, 1.1, 0.7, 1.3, 0.5])
    low, high = student_bounds(x, 0.01)
    for end in (low, high):
        assert max(evidence(x[:n], end) for n in range(2, 8)) == pytest.approx(100, rel=1e-6)
    assert student_bounds(-x, 0.01) == pytest.approx((-high, -low), rel=1e-12)
    assert student_bounds(1e6 + x, 0.01)[0] == pytest.approx(1e6 + low, abs=1e-6)
    assert student_bounds(x[:1], 0.01) == (-np.inf, np.inf)


def test_crossings_are_those_of_the_confidence_sequence():
    x = np.tile([1.0, 0, 0, 1, -1, 0, 0, 0, 1, 0], 40)
    low, high = confidence_sequence(x, alpha=0.05).interval
    for mean in (low - 1e-3, low + 1e-3, high - 1e-3, high + 1e-3):
        assert find_crossings(x, mean, 0.05) == (low > mean, high < mean)


def test_all_proposals_share_alpha():
    assert sum(level_of(k, 0.05) for k in range(1, 200_001)) == pytest.approx(0.05, abs=1e-6)


@pytest.fixture
def referee(tmp_path):
    return bc.Referee(tmp_path / "state.json", units="seeds", alpha=0.1)


def propose(referee, name, old, new, n):
    return referee.propose(name, incumbent=old[:n], candidate=new[:n])


def test_a_loop_from_start_to_gain(referee):
    assert propose(referee, "same", OLD, SAME, 4) == "measure"
    assert propose(referee, "same", OLD, SAME, 20) == "discard"
    assert propose(referee, "b{x} <1>", OLD, BETTER, 3) == "measure"
    assert propose(referee, "b{x} <1>", OLD, BETTER, 12) == "keep"
    assert propose(referee, "b{x} <1>", OLD, BETTER, 12) == "keep"  # asked again after a kill
    again = bc.Referee(referee.path)
    assert (again.incumbent, again.state["alpha"]) == ("b{x} <1>", 0.1)
    assert again.spent == pytest.approx(0.1 * 6 / math.pi**2 * 1.25)
    assert again.gain is None
    assert "not known yet" in str(again)
    # the runs that led to the keep do not count, nor do they later; fresh ones do
    assert propose(referee, "worse", BETTER[:12], BETTER[:12] - 0.05 * (1 + SAME[:12]), 12) == (
        "discard"
    )
    assert again.gain is None
    fresh = 0.72 + (SAME - OLD)
    assert propose(referee, "no better", fresh, fresh - SAME, 20) == "discard"
    estimate, (low, high) = again.gain
    assert estimate == pytest.approx(fresh.mean() - OLD.mean(), abs=1e-12)
    assert low < estimate < high
    more = OLD + 1
    referee.record(incumbent=more)
    assert again.gain[0] == pytest.approx(np.r_[fresh, more].mean() - OLD.mean(), abs=1e-12)
    assert "b{x} <1>" in str(again)
    assert "b{x} <1>" in again.to_markdown().replace("\\", "")
    assert json.loads(json.dumps(again.to_dict()))["incumbent"] == "b{x} <1>"


def test_decisions_do_not_depend_on_how_often_it_is_looked(tmp_path):
    once, often = (bc.Referee(tmp_path / name, units="seeds") for name in ("1", "2"))
    looks = (propose(often, "b", OLD, BETTER, n) for n in range(2, 13))
    kept = 2 + next(i for i, decision in enumerate(looks) if decision == "keep")
    assert propose(once, "b", OLD, BETTER, kept) == "keep"


def test_questions_and_lower_scores(tmp_path):
    old, new = np.tile([1.0, 0, 0, 0, 1], 100), np.tile([1.0, 1, 1, 0, 1], 100)
    index = pd.Index([f"q{i}" for i in range(500)], name="question")
    referee = bc.Referee(tmp_path / "a", lower_is_better=True)
    worse = referee.propose(
        "new", incumbent=pd.Series(old[::-1], index[::-1]), candidate=pd.Series(new, index)
    )
    assert (worse, referee.state["units"]) == ("discard", "questions")
    low, high = confidence_sequence(old - new, alpha=level_of(1, 0.05)).interval
    row = referee.frame.iloc[0]
    assert (row["low"], row["high"]) == pytest.approx((low, high), abs=1e-12)
    better = bc.Referee(tmp_path / "b", units="questions")
    assert better.propose("new", incumbent=old, candidate=new) == "keep"
    margin = bc.Referee(tmp_path / "c", units="questions", margin=0.4, budget=500)
    assert margin.propose("new", incumbent=old, candidate=new) == "discard"


@each_row(
    ("names", "message"),
    [
        ({"candidate": OLD[:3]}, "as many scores as the incumbent, 4"),
        ({"candidate": [0.1, np.nan, 0.2, 0.3]}, "candidate must hold finite numbers"),
        ({"name": "decided"}, "name must be new"),
        ({"name": "open", "candidate": SAME[4:8]}, "begin with the 4 scores"),
        ({"name": ""}, "not empty"),
        ({"against": "other"}, "against must be the incumbent, 'start'"),
        ({"candidate": pd.DataFrame({"a": OLD[:4]})}, "candidate must be one column"),
        (
            {"candidate": pd.Series(OLD[:4], pd.Index(range(4), name="question"))},
            "units must be 'seeds', as before",
        ),
        (
            {
                "incumbent": pd.Series(OLD[:4], pd.Index(range(4), name="seed")),
                "candidate": pd.Series(OLD[:4], pd.Index(range(2, 6), name="seed")),
            },
            "each unit of the candidate|on each unit",
        ),
    ],
)
def test_what_is_refused_leaves_the_state(referee, names, message):
    propose(referee, "decided", OLD, SAME, 20)
    propose(referee, "open", OLD, SAME, 4)
    before = referee.path.read_bytes()
    with pytest.raises(InputError, match=message):
        referee.propose(**{"name": "new", "incumbent": OLD[:4], "candidate": SAME[:4], **names})
    assert referee.path.read_bytes() == before


def test_other_settings_and_other_files_are_refused(referee, tmp_path):
    propose(referee, "a", OLD, SAME, 4)
    for option in ({"alpha": 0.05}, {"margin": 0.1}, {"budget": 9}, {"units": "questions"}):
        with pytest.raises(InputError, match=f"{next(iter(option))} must be .* as in"):
            bc.Referee(referee.path, **option)
    with pytest.raises(InputError, match="units must be 'questions' or 'seeds'"):
        propose(bc.Referee(tmp_path / "new"), "a", OLD, SAME, 4)
    assert not (tmp_path / "new").exists()
    with pytest.raises(InputError, match="scores from 0 to 1 on questions"):
        propose(bc.Referee(tmp_path / "new", units="questions"), "a", OLD, SAME + 1, 4)
    text = referee.path.read_text()
    for damaged in ("", "[]", text[:-5], text.replace("referee", "x"), text.replace("0.1,", "9,")):
        referee.path.write_text(damaged)
        with pytest.raises(InputError, match="the state of a Referee"):
            bc.Referee(referee.path)


def test_an_overtaken_proposal_is_discarded(referee):
    assert propose(referee, "slow", OLD, BETTER, 3) == "measure"
    assert propose(referee, "fast", OLD, BETTER, 12) == "keep"
    assert propose(referee, "slow", OLD, BETTER, 12) == "discard"
    assert referee.incumbent == "fast"
    assert referee.frame["why"].tolist() == ["the incumbent changed meanwhile", ""]


def test_several_at_once_lose_no_proposal(tmp_path):
    def loop(worker):
        own = bc.Referee(tmp_path / "state.json", units="seeds")
        return [propose(own, f"{worker} {i}", OLD, SAME, 4) for i in range(6)]

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(loop, range(4)))
    history = bc.Referee(tmp_path / "state.json").frame
    assert sorted(history["name"]) == sorted(f"{w} {i}" for w in range(4) for i in range(6))
    assert history["level"].tolist() == [level_of(k, 0.05) for k in range(1, 25)]


@pytest.mark.slow
def test_a_killed_loop_leaves_a_whole_state(tmp_path):
    path = tmp_path / "state.json"
    code = (
        "import bayescmp as bc, numpy as np, itertools\n"
        f"r = bc.Referee({str(path)!r}, units='seeds')\n"
        "x = np.random.default_rng(1).normal(size=(2, 4))\n"
        "start = len(r.frame)\n"
        "for i in itertools.count(start):\n"
        "    r.propose(str(i), incumbent=x[0], candidate=x[1])\n"
    )
    seen = 0
    for _ in range(3):
        process = subprocess.Popen([sys.executable, "-c", code])
        until = time.time() + 60
        while time.time() < until and (
            not path.exists() or len(bc.Referee(path).frame) < seen + 5
        ):
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        seen = len(bc.Referee(path).frame)
    assert bc.Referee(path).frame["name"].tolist() == [str(i) for i in range(seen)]
    assert seen >= 15


# On the command line.


def write(path, scores, **columns):
    pd.DataFrame({**columns, "reward": scores}).to_csv(path, index=False)
    return str(path)


def test_the_command_has_a_status_for_each_decision(tmp_path, capsys):
    state = str(tmp_path / "state.json")
    old = write(tmp_path / "a.csv", OLD, seed=range(20))

    def keep(n, x, *more):
        change = write(tmp_path / "b.csv", x[:n], seed=range(n))
        return main(["keep", state, "--incumbent", old, "--candidate", change, *more])

    assert keep(4, SAME) == 3
    assert "it is undecided whether b is better than start" in capsys.readouterr().out
    assert keep(20, SAME) == 1
    assert keep(12, BETTER) == 0  # another change in the same file
    printed = capsys.readouterr().out
    assert "keep: b (2) replaces start" in printed
    assert keep(12, BETTER, "--json") == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["decision"], facts["incumbent"]) == ("keep", "b (2)")
    history = bc.Referee(state).frame
    assert history["name"].tolist() == ["b", "b (2)"]
    assert keep(12, BETTER, "--alpha", "0.2") == 2
    assert keep(12, BETTER, "--against", "start", "--name", "c") == 2
    assert main(["keep", state, "--incumbent", old, "--candidate", "none.csv"]) == 2
    assert main(["keep", old, "--incumbent", old, "--candidate", old]) == 2
    plain = write(tmp_path / "plain.csv", OLD)
    fresh = str(tmp_path / "fresh.json")
    assert main(["keep", fresh, "--incumbent", plain, "--candidate", plain]) == 2
    assert "--units seeds" in capsys.readouterr().err
    assert (
        main(
            [
                "keep",
                fresh,
                "--incumbent",
                plain,
                "--candidate",
                plain,
                "--units",
                "seeds",
                "--name",
                "x",
            ]
        )
        == 1
    )
