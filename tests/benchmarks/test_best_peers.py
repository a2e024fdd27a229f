"""Who is best, beside the packages people use for it: what each says of one table, and its time.

Five classifiers on 54 data sets of the UCI repository, means of 10 x 10 folds. Run with
``pytest -m benchmark -s tests/benchmarks/test_best_peers.py``; a package that is not installed is
skipped, and so is bbtcomp where CmdStan is not. Times are of one run after the imports.
"""

import contextlib
import io
import time
from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from bayescmp import bayesian

pytestmark = pytest.mark.benchmark

ROPE = 0.01


@pytest.fixture(scope="module")
def means(reference_dir):
    frame = pd.read_csv(reference_dir / "accuracy_means_uci54.csv")
    return frame.drop(columns=["dataset_id"]).set_index("dataset")


@pytest.fixture(scope="module")
def ours(means):
    """Each of the tests that need nothing but means, with its seconds."""
    ranks = means.rank(axis=1, ascending=False, method="min")
    calls = {
        "bootstrap": lambda: bayesian.bootstrap(means, rope=ROPE, seed=1),
        "friedman": lambda: bayesian.friedman(means, seed=1),
        "bradley_terry": lambda: bayesian.bradley_terry(wins_of(means), seed=1),
        "plackett_luce": lambda: bayesian.plackett_luce(ranks, seed=1),
    }
    posteriors = {}
    print()
    for name, call in calls.items():
        seconds, posterior = timed(call)
        posteriors[name] = posterior
        show(name, seconds, posterior.best("average"))
    return posteriors


def wins_of(means):
    """A table with a row a pair: data sets won, lost and tied."""
    rows = []
    for a, b in combinations(means.columns, 2):
        d = means[a] - means[b]
        rows.append((a, b, int((d > 0).sum()), int((d < 0).sum()), int((d == 0).sum())))
    return pd.DataFrame(rows, columns=["first", "second", "win1", "win2", "ties"])


def timed(call):
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def show(name, seconds, best):
    print(f"{name:<22} {seconds:6.2f} s  " + ", ".join(f"{k} {v:.3f}" for k, v in best.items()))


def by_ability(posterior):
    return posterior.summary()["mean"].sort_values(ascending=False)


def test_all_of_ours_say_who_is_best(ours):
    for posterior in ours.values():
        assert sum(posterior.best("average").values()) == pytest.approx(1)


def test_tabarenas_elo_with_its_bootstrap(means, ours):
    """The ratings are our abilities on another scale, less what the prior pulls in."""
    elo_utils = pytest.importorskip("bencheval.elo_utils")
    evaluator = pytest.importorskip("bencheval.evaluator").BenchmarkEvaluator(
        method_col="method", task_col="task", error_col="metric_error"
    )
    long = (1 - means).rename_axis("task").reset_index()
    long = long.melt("task", var_name="method", value_name="metric_error")
    quiet = contextlib.redirect_stderr(io.StringIO())
    with quiet:
        seconds, elo = timed(lambda: evaluator.compute_elo(long, BOOTSTRAP_ROUNDS=1000))
        helper = elo_utils.EloHelper("method", "task", "metric_error")
        rounds = helper.compute_elo_ratings_from_ranks(
            long, BOOTSTRAP_ROUNDS=1000, show_process=False
        )
    first = pd.Series(rounds.idxmax(axis=1)).value_counts(normalize=True)
    shares = {name: float(first.get(name, 0.0)) for name in means.columns}
    show("TabArena's Elo", seconds, shares)
    print(elo.to_string())
    mle = np.log(10) / 400 * (elo["elo"] - elo["elo"].mean())
    abilities = by_ability(ours["bradley_terry"])
    assert list(elo.index) == list(abilities.index)
    np.testing.assert_allclose(mle, abilities, atol=0.15)


def test_autoranks_bayesian_mode(means):
    """Pairs by the signed-rank test, whose three probabilities are ours."""
    autorank = pytest.importorskip("autorank")
    with contextlib.redirect_stdout(io.StringIO()):
        seconds, result = timed(
            lambda: autorank.autorank(
                means, approach="bayesian", rope=ROPE, rope_mode="absolute", random_state=1
            )
        )
    print(f"autorank, Bayesian     {seconds:6.2f} s  pairs alone, no probability to be best")
    print(result.decision_matrix.to_string())
    for a, b in combinations(result.rankdf.index, 2):
        theirs = result.posterior_matrix.loc[a, b]
        ours = bayesian.signed_rank(means[b] - means[a], rope=ROPE, seed=1).verdict()
        sides = sorted([ours.p_left, ours.p_right])
        assert sorted([theirs[0], theirs[2]]) == pytest.approx(sides, abs=0.015), (a, b)
        assert theirs[1] == pytest.approx(ours.p_rope, abs=0.015), (a, b)


@pytest.mark.filterwarnings("ignore")  # of its own
def test_bbtcomps_bradley_terry(means, tmp_path):
    """Pair by pair, with half of the ties as wins of each, as by default there.

    Its tables have two decimals, and its probabilities are shares of 4,000 draws.
    """
    bbtcomp = pytest.importorskip("bbtcomp")
    with contextlib.redirect_stdout(io.StringIO()):
        if not bbtcomp.check_setup():
            pytest.skip("bbtcomp needs CmdStan")
    quiet = {"show_progress": False, "seed": 1, "output_dir": str(tmp_path)}
    run = partial(bbtcomp.bbtcomp, means, dbcol=None, lrope=False, **quiet)
    run()  # compiles its program
    seconds, model = timed(run)
    ours, posterior = timed(lambda: bayesian.bradley_terry(wins_of(means), ties="spread", seed=1))
    print(f"\nbbtcomp                {seconds:6.2f} s\nbradley_terry          {ours:6.2f} s")
    theirs = pd.DataFrame(bbtcomp.table_pwin(model)).set_index(["larger", "smaller"])
    theirs = theirs.rename_axis(["better", "worse"])
    chances = posterior.chances().loc[theirs.index]
    print(chances.join(theirs, rsuffix=" of bbtcomp").to_string())
    for column, same in (("mean", "mean"), ("above.50", "above_half"), ("in.rope", "in_rope")):
        error = 0 if column == "mean" else np.sqrt(chances[same] * (1 - chances[same]) / 1000)
        assert (abs(theirs[column] - chances[same]) <= 0.01 + 4 * error).all(), column
