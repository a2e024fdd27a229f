"""Several algorithms on one data set: blocks of folds, metrics that follow, runs unpaired."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.errors import InputError
from bayescmp.scores.blocks import columns_behind, derive_metric
from tests.rows import each_row


def test_bare_arrays():
    x = np.arange(24.0).reshape(2, 4, 3)
    blocks = bc.Blocks(x, rho=0.25, metrics=["error", "auc", "mcc"])
    assert blocks.algorithms == ("A1", "A2")
    assert blocks.signs.tolist() == [-1, 1, 1]
    assert bc.Blocks(x[..., 0]).p == 1
    x[0, 0, 0] = 99
    assert blocks.x[0, 0, 0] == 0
    with pytest.raises(ValueError, match="read-only"):
        blocks.x[0, 0, 0] = 1
    assert "2 algorithms, 4 folds, 3 metrics" in repr(blocks)


@each_row(
    ("x", "options", "message"),
    [
        (np.ones(3), {}, r"x must have shape .*got shape \(3,\)"),
        (np.ones((2, 0, 1)), {}, "x must have shape"),
        ([[1, 2], [3]], {}, "rows of the same length"),
        (
            np.full((2, 3, 1), np.inf),
            {},
            "must be finite .got inf for metric 'm1' of algorithm 'A1'",
        ),
        (np.ones((2, 3, 1)), {"metrics": ["a", "b"]}, "must be one name"),
        (
            np.ones((2, 3, 2)),
            {"metrics": ["a", "a"]},
            "metrics must have different names .*'a' twice",
        ),
        (np.ones((2, 3, 2)), {"lower_is_better": [True]}, "lower_is_better must .*got 1 for 2"),
        (np.ones((2, 3, 2)), {"rho": [0.1, 0.2]}, "must be one number"),
    ],
)
def test_bad_arrays(x, options, message):
    with pytest.raises(InputError, match=message):
        bc.Blocks(x, **options)


def test_a_metric_that_follows_is_the_same_for_the_table_and_for_blocks():
    labels = {"dataset": "d", "algorithm": ["a", "a", "b", "b"], "fold": [1, 2, 1, 2]}
    counts = {"tp": [8, 0, 9, 0], "fn": [2, 0, 1, 0], "fp": [1, 1, 2, 2], "tn": [9, 9, 8, 8]}
    scores = bc.Scores(pd.DataFrame({**labels, **counts}))
    recall, lower = derive_metric(scores, "recall")
    assert np.array_equal(recall, [0.8, np.nan, 0.9, np.nan], equal_nan=True)
    assert not lower
    assert derive_metric(scores, "fpr")[1]
    assert derive_metric(scores, "recall", np.array([[0], [2]]))[0].tolist() == [[0.8], [0.9]]
    percent = bc.Scores(pd.DataFrame({**labels, "accuracy": [80.0, 81.0, 82.0, 83.0]}))
    assert derive_metric(percent, "error")[0].tolist() == [20, 19, 18, 17]


TABLE = pd.DataFrame(
    {
        "dataset": "d",
        "algorithm": ["a", "b"],
        "fold": 1,
        "tp": [8, 6],
        "fn": [2, 4],
        "fp": [1, 3],
        "tn": [9, 7],
    }
)


def test_columns_behind_a_metric():
    scores = bc.Scores(TABLE)
    assert columns_behind(scores, "tp") == ("tp",)
    assert columns_behind(scores, "precision") == ("tp", "fn", "fp", "tn")
    error = bc.Scores(TABLE[["dataset", "algorithm", "fold"]].assign(Error=[0.1, 0.2]))
    assert columns_behind(error, "error_rate") == ("Error",)
    assert columns_behind(error, "accuracy") == ("Error",)
    assert derive_metric(error, "accuracy")[0].tolist() == [0.9, 0.8]
    with pytest.raises(bc.InputError, match=r"metric must be .*\(got 'tpr'\)"):
        columns_behind(error, "tpr")


def test_values_by_hand():
    precision, lower = derive_metric(bc.Scores(TABLE), "precision")
    assert precision.tolist() == [8 / 9, 6 / 9]
    assert not lower


@pytest.fixture
def counts() -> pd.DataFrame:
    """Two data sets, three algorithms, 2 x 3 folds of 10 positives and 10 negatives, shuffled."""
    rng = np.random.default_rng(3)
    rows = [
        {
            "dataset": d,
            "algorithm": a,
            "repeat": r,
            "fold": f,
            "tp": (tp := int(rng.integers(5, 11))),
            "fn": 10 - tp,
            "fp": (fp := int(rng.integers(0, 5))),
            "tn": 10 - fp,
        }
        for d in ("one", "two")
        for a in ("x", "y", "z")
        for r in (1, 2)
        for f in (1, 2, 3)
    ]
    return pd.DataFrame(rows).sample(frac=1, random_state=1)


def test_pairs_by_repeat_and_fold(counts):
    blocks = bc.scores_blocks(bc.Scores(counts), dataset="two", metrics=["tp", "fpr"])
    for i, a in enumerate(blocks.algorithms):
        actual = counts[(counts.dataset == "two") & (counts.algorithm == a)]
        actual = actual.sort_values(["repeat", "fold"])
        assert blocks.x[i, :, 0].tolist() == actual.tp.tolist()
        assert blocks.x[i, :, 1] == pytest.approx((actual.fp / 10).to_numpy())
    assert (blocks.L, blocks.n, blocks.p) == (3, 6, 2)
    assert blocks.rho == pytest.approx(1 / 3)
    assert blocks.dataset == "two"


def test_direction(counts):
    """Differences are second minus first after flipping: positive says the second is better."""
    blocks = bc.scores_blocks(bc.Scores(counts), dataset="one", metrics=["tpr", "miss_rate"])
    assert blocks.lower_is_better == (False, True)
    x, y = (blocks.x[blocks.algorithms.index(a)] for a in ("x", "y"))
    assert blocks.differences("x", "y")[:, 0] == pytest.approx(y[:, 0] - x[:, 0])
    assert blocks.differences("x", "y")[:, 1] == pytest.approx(x[:, 1] - y[:, 1])
    declared = bc.Scores(counts.assign(score=1.0), lower_is_better=["score"])
    assert bc.scores_blocks(declared, dataset="one", metrics=["score"]).signs.tolist() == [-1]


def test_differences_agree_with_those_of_scores(counts):
    scores = bc.Scores(counts.assign(accuracy=(counts.tp + counts.tn) / 20))
    blocks = bc.scores_blocks(scores, dataset="one", metrics=["accuracy", "error"])
    row = scores.differences("x", "z", "accuracy").row("one")
    assert blocks.differences("x", "z") == pytest.approx(np.column_stack([row.x[0]] * 2))
    assert blocks.rho == row.rho[0]


def test_error_from_accuracy_alone():
    frame = pd.DataFrame({"algorithm": ["a", "a", "b", "b"], "fold": [1, 2, 1, 2]})
    for factor in (1, 100):  # percent, too
        scores = bc.Scores(frame.assign(accuracy=factor * np.array([0.9, 0.8, 0.7, 0.75])))
        actual = bc.scores_blocks(scores, metrics="error").x[..., 0]
        assert actual == pytest.approx(factor * np.array([[0.1, 0.2], [0.3, 0.25]]))
        with pytest.raises(InputError, match=r"metric must be .*\(got 'tpr'\)"):
            bc.scores_blocks(scores, metrics="tpr")


def test_all_columns_but_times_by_default(counts):
    blocks = bc.scores_blocks(bc.Scores(counts.assign(fit_time=1.0)), dataset="one")
    assert blocks.metrics == ("tp", "fn", "fp", "tn")


def test_select(counts):
    blocks = bc.scores_blocks(
        bc.Scores(counts), dataset="one", metrics=["tp", "fp", "f1"], algorithms=["x", "y", "z"]
    )
    some = blocks.select(algorithms=["z", 0], metrics=["f1", "fp"])
    assert some.algorithms == ("z", "x")
    assert some.lower_is_better == (False, True)
    assert np.array_equal(some.x, blocks.x[np.ix_([2, 0], range(6), [2, 1])])
    assert blocks.pair("y", "x").algorithms == ("y", "x")
    assert blocks.means().loc["y", "fp"] == pytest.approx(blocks.x[1, :, 1].mean())
    with pytest.raises(InputError, match=r"metric must be .*\(got 'f2'\)"):
        blocks.select(metrics=["f2"])
    for algorithm in ("w", 3, -1):
        with pytest.raises(InputError, match=r"algorithm must be"):
            blocks.pair("x", algorithm)


def test_undefined_metric_names_the_fold(counts):
    row = counts[(counts.dataset == "two") & (counts.algorithm == "y")].index[0]
    counts.loc[row, ["tp", "fn", "fp", "tn"]] = [0, 10, 0, 10]
    fold = counts.loc[row]
    expected = (
        f"'precision' must be .*0/0 for dataset 'two', algorithm 'y', repeat {fold['repeat']}, "
        f"fold {fold['fold']}"
    )
    with pytest.raises(InputError, match=expected):
        bc.scores_blocks(bc.Scores(counts), dataset="two", metrics=["precision"])
    assert bc.scores_blocks(bc.Scores(counts), dataset="two", metrics=["recall"]).n == 6


def test_unbalanced_blocks(counts):
    gone = counts[(counts.dataset == "one") & (counts.algorithm == "y")].index[0]
    fold = counts.loc[gone]
    with pytest.raises(
        InputError,
        match=f"repeat {fold['repeat']}, fold {fold['fold']}, which has no partner.*'y'",
    ):
        bc.scores_blocks(bc.Scores(counts.drop(gone)), dataset="one", metrics=["tp"], rho=0.1)
    some = bc.scores_blocks(
        bc.Scores(counts.drop(gone)), dataset="one", metrics=["tp"], algorithms=["x", "z"]
    )
    assert some.n == 6


@each_row(
    ("options", "message"),
    [
        ({"dataset": "three"}, r"data set must be .*\(got 'three'\)"),
        ({"dataset": None}, "dataset must be given .* '(one|two)', '"),
        (
            {"metrics": ["tp", "precison"]},
            r"metric must be .*\(got 'precison'\)\. Did you mean 'precision'",
        ),
        ({"metrics": ["tp", "tp"]}, "metrics must have different names .*'tp' twice"),
        ({"metrics": []}, "metrics must name"),
        ({"algorithms": ["x", "w"]}, r"algorithm must be .*\(got 'w'\)"),
        ({"rho": 1.0}, "rho must be at least 0"),
    ],
)
def test_bad_requests(counts, options, message):
    arguments = {"dataset": "one", "metrics": ["tp"], **options}
    with pytest.raises(InputError, match=message):
        bc.scores_blocks(bc.Scores(counts), **arguments)


def test_missing_scores(counts):
    part = counts[~((counts.dataset == "two") & (counts.algorithm == "z"))]
    with pytest.raises(
        InputError, match=r"'z' must have scores on data set 'two'.*missing='common'"
    ):
        bc.scores_blocks(bc.Scores(part), dataset="two", metrics=["tp"])
    holes = counts.astype({"tp": float})
    holes.loc[holes.index[0], "tp"] = np.nan
    with pytest.raises(InputError, match="'tp' must be finite"):
        bc.scores_blocks(bc.Scores(holes), dataset=holes.dataset.iloc[0], metrics=["tpr"])


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
    assert posterior.pairing == "not paired: independent runs"


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
        assert "not paired" in text
        assert "Welch" in text
        assert re.search(r"Kruskal\\?-Wallis test of all algorithms: p = 0.0", text)
        assert "Cliff" in text


@each_row(
    ("options", "message"),
    [
        ({"rho": 0.1}, "rho must be left out, since two_sample_t takes"),
        ({"scale": "log_ratio"}, "scale must be left out, since two_sample_t takes"),
        ({"dataset": "breakout"}, r"data set must be .*\(got 'breakout'\)"),
        ({"engine": "cmdstan"}, r"option of two_sample_t must be .*\(got 'engine'\)"),
    ],
)
def test_compare_refuses(options, message):
    with pytest.raises(bc.InputError, match=message):
        bc.compare(table(), "dqn", "sac", rope=5, test="two_sample_t", **options)


@each_row(
    ("scores", "options", "message"),
    [
        (table(), {"rho": 0.1}, "paired=False must be without rho and scale"),
        (table(), {"scale": "log_ratio"}, "paired=False must be without rho and scale"),
        (table(), {"metric": ["reward", "reward_2"]}, "metric must be"),
    ],
)
def test_the_crosscheck_refuses(scores, options, message):
    with pytest.raises(bc.InputError, match=message):
        bc.crosscheck(scores, rope=5, paired=False, **QUIET, **options)


def test_what_is_no_pair_of_samples():
    scores = table(datasets=("pong", "breakout"))
    two_sample = {"rope": 5, "test": "two_sample_t"}
    with pytest.raises(bc.InputError, match=r"dataset must be given .* has 2 data sets. Name one"):
        bc.compare(scores, "dqn", "sac", **two_sample)
    with pytest.raises(bc.InputError, match="second must differ from first"):
        bc.compare(scores, "dqn", "dqn", dataset="pong", **two_sample)
    frame = scores.frame
    frame.loc[0, "reward"] = np.nan
    gap = bc.Scores(frame, resampling="seeds", higher_is_better=["reward"], missing="common")
    with pytest.raises(bc.InputError, match=r"'reward' must .*got nan for dataset 'pong'"):
        bc.compare(gap, "dqn", "sac", dataset="pong", **two_sample)
