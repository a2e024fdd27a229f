"""Runs that do not pair: read, compared, cross-checked, reported; what is refused."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.scores.blocks import unpaired_scores

pytestmark = pytest.mark.usefixtures("without_pictures")

QUIET = {"seed": 1, "progress": False}
RUNS = {
    "dqn": [212.0, 180, 195, 201, 188],
    "sac": [230.0, 224, 199, 241, 218, 236],
    "ppo": [205.0, 199, 210, 190, 222, 215, 188],
}


def table(metric="reward", sign=1, datasets=("pong",)):
    rows = [
        {"dataset": d, "algorithm": a, "seed": s, metric: sign * v}
        for d in datasets
        for a, values in RUNS.items()
        for s, v in enumerate(values)
    ]
    higher = [] if sign < 0 else [metric]
    lower = [metric] if sign < 0 else []
    frame = pd.DataFrame(rows)
    return bc.Scores(frame, resampling="seeds", higher_is_better=higher, lower_is_better=lower)


def test_compare_takes_the_two_sample_test():
    posterior = bc.compare(table(), "dqn", "sac", rope=5, test="two-sample")
    own = bc.bayesian.two_sample_t(RUNS["dqn"], RUNS["sac"], rope=5)
    assert posterior.verdict().probabilities == own.verdict().probabilities
    assert posterior.names == ("dqn", "sac")
    assert posterior.measured == "reward ↑"
    assert posterior.resampling == "runs that do not pair"


def test_lower_is_better_turns_the_scores():
    one = bc.compare(table("cost", -1), "dqn", "sac", rope=5, test="two_sample_t").verdict()
    other = bc.compare(table(), "dqn", "sac", rope=5, test="two_sample_t").verdict()
    assert one.p_right == pytest.approx(other.p_right)


def test_all_pairs():
    result = bc.compare_all(table(), rope=5, test="two_sample_t", seed=1)
    assert set(result.frame["test"]) == {"two_sample_t"}
    own = bc.bayesian.two_sample_t(RUNS["sac"], RUNS["ppo"], rope=5).verdict()
    assert result.results["sac", "ppo"].verdict.p_left == own.p_left


def test_the_crosscheck_runs_the_twins_for_independent_samples():
    """P-values by SciPy, Cliff's delta by its definition."""
    frame = bc.crosscheck(table(), rope=5, paired=False, **QUIET).frame
    assert set(frame["scope"]) == {"runs"}
    rows = frame.query("first == 'dqn' and second == 'sac'").set_index("frequentist")
    a, b = RUNS["dqn"], RUNS["sac"]
    expected = {
        "welch": stats.ttest_ind(b, a, equal_var=False).pvalue,
        "brunner_munzel": stats.brunnermunzel(b, a).pvalue,
        "mann_whitney": stats.mannwhitneyu(b, a).pvalue,
    }
    assert rows["pvalue"].to_dict() == pytest.approx(expected)
    delta = np.sign(np.subtract.outer(b, a)).mean()
    assert rows.loc["mann_whitney", "effect_size"] == pytest.approx(delta)
    assert rows.loc["welch", "favours"] == "second"


def test_the_report_says_that_runs_do_not_pair(tmp_path):
    files = [tmp_path / f"r.{kind}" for kind in ("html", "md", "tex")]
    bc.report(table(), files, rope=5, paired=False, **QUIET)
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert "runs that do not pair" in text
        assert "Welch" in text
        assert re.search(r"Kruskal\\?-Wallis test of all algorithms: p = 0.0", text)
        assert "Cliff" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rho": 0.1}, "rho=0.1 is for paired scores"),
        ({"scale": "log_ratio"}, "scale='log_ratio' is for paired scores"),
        ({"dataset": "breakout"}, "unknown data set 'breakout'"),
        ({"engine": "cmdstan"}, "unknown option of two_sample_t 'engine'"),
    ],
)
def test_compare_refuses(options, message):
    with pytest.raises(bc.InputError, match=message):
        bc.compare(table(), "dqn", "sac", rope=5, test="two_sample_t", **options)


@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        (table(datasets=("pong", "breakout")), {}, "paired=False on 2 data sets"),
        (table(), {"rho": 0.1}, "neither rho nor a scale"),
        (table(), {"scale": "log_ratio"}, "neither rho nor a scale"),
        (table(), {"metric": ["reward", "reward_2"]}, "one metric at a time|unknown metric"),
    ],
)
def test_the_crosscheck_refuses(scores, options, message):
    with pytest.raises(bc.InputError, match=message):
        bc.crosscheck(scores, rope=5, paired=False, **QUIET, **options)


def test_what_is_no_pair_of_samples():
    scores = table(datasets=("pong", "breakout"))
    with pytest.raises(bc.InputError, match="2 data sets, and runs that do not pair"):
        unpaired_scores(scores, "dqn", "sac")
    with pytest.raises(bc.InputError, match="nothing to compare"):
        unpaired_scores(scores, "dqn", "dqn", dataset="pong")
    frame = scores.frame
    frame.loc[0, "reward"] = np.nan
    gap = bc.Scores(frame, resampling="seeds", higher_is_better=["reward"], missing="common")
    with pytest.raises(bc.InputError, match=r"'reward' is nan for dataset 'pong'"):
        unpaired_scores(gap, "dqn", "sac", dataset="pong")
