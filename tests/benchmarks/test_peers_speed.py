"""Speed beside other packages, in one run: ranks, tests, permutations, curves, aggregates.

Run with ``pytest -m benchmark -s tests/benchmarks/test_peers_speed.py``.
"""

import contextlib
import importlib
import importlib.util
import io
import subprocess
import sys
import time
import warnings
from itertools import count
from time import perf_counter

import numpy as np
import pandas as pd
import pytest
from joblib import Parallel, delayed
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, permutation_test_score
from sklearn.naive_bayes import GaussianNB

import bayescmp as bc
import bayescmp.frequentist as f
from bayescmp import curves
from bayescmp.bayesian import correlated_t, sign, signed_rank
from bayescmp.frequentist import permutation_test

pytestmark = pytest.mark.benchmark


# Sign, signed-rank and correlated t beside baycomp 1.0.3, in one run; many pairs at once.


@pytest.fixture(scope="module")
def baycomp():
    import baycomp

    return baycomp


def best(call, repeats=5):
    """Best of several wall times, seconds."""
    seconds = []
    for _ in range(repeats):
        start = perf_counter()
        call()
        seconds.append(perf_counter() - start)
    return min(seconds)


def inputs():
    """Twenty pairs of score vectors: rounded, so that differences tie, and not."""
    rng = np.random.default_rng(4)
    for i in range(20):
        q = int(rng.integers(4, 60))
        x = rng.uniform(0.6, 0.9, q)
        y = x + rng.normal(0.01, 0.03, q)
        if i % 2:  # eighths are exact in binary: ties are ties for both packages
            x, y = np.round(8 * x * 4) / 32, np.round(8 * y * 4) / 32
        yield x, y, [0.0, 1 / 32, 0.01, 1 / 16][i % 4]


def three(p):
    """Of (left, rope, right), or baycomp's (left, right) where there is no rope."""
    return p if len(p) == 3 else (p[0], 0.0, p[1])


@pytest.mark.parametrize("case", range(20))
def test_correlated_t_is_baycomps(baycomp, case):
    x, y, rope = list(inputs())[case]
    n = len(x) - len(x) % 2
    expected = three(baycomp.CorrelatedTTest.probs(x[:n], y[:n], rope, runs=2))
    v = correlated_t((y - x)[:n], rho=2 / n, rope=rope).verdict()
    assert tuple(v.probabilities.values()) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("case", range(20))
def test_signed_rank_is_baycomps(baycomp, case):
    x, y, rope = list(inputs())[case]
    expected = three(baycomp.SignedRankTest.probs(x, y, rope, nsamples=50_000, random_state=1))
    v = signed_rank(y - x, rope=rope, seed=1).verdict()
    for p, (region, own) in zip(expected, v.probabilities.items(), strict=True):
        error = np.hypot(v.errors[region], np.sqrt(own * (1 - own) / 50_000) + 1e-5)
        assert abs(own - p) < 4.5 * error


@pytest.mark.parametrize("case", range(20))
def test_sign_is_baycomps(baycomp, case):
    """With no rope baycomp leaves out draws in which ties are the largest; its own draws of
    θ_right > θ_left are what is compared there. Where ties never win, both are the same."""
    x, y, rope = list(inputs())[case]
    draws = baycomp.SignTest.sample(x, y, rope, nsamples=50_000, random_state=1)
    if rope:
        expected = three(baycomp.SignTest.probs(x, y, rope, nsamples=50_000, random_state=1))
    else:
        right = (draws[:, 2] > draws[:, 0]).mean()
        expected = (1 - right, 0.0, right)
        if (draws.argmax(axis=1) == 1).mean() < 1e-3:
            same = baycomp.SignTest.probs(x, y, 0, nsamples=50_000, random_state=1)
            assert same == pytest.approx((1 - right, right), abs=2e-3)
    v = sign(y - x, rope=rope).verdict()
    for p, own in zip(expected, v.probabilities.values(), strict=True):
        assert abs(own - p) < 4.5 * np.sqrt(own * (1 - own) / 50_000) + 2e-3


@pytest.mark.parametrize(("q", "ratio"), [(54, 15), (1000, 40)])
def test_signed_rank_is_many_times_faster_than_baycomp(baycomp, q, ratio, beside):
    rng = np.random.default_rng(q)
    x = rng.uniform(0.6, 0.9, q)
    y = x + rng.normal(0.003, 0.03, q)
    seeds = count(1)

    def own():
        # each call is a first one, of a seed whose weights are not kept
        signed_rank(y - x, rope=0.01, draws=50_000, seed=next(seeds)).verdict()

    # baycomp's cost is linear in its draws: 1/25 of them at q = 1000, to spare time
    part = 1 if q < 100 else 25

    def other():
        baycomp.SignedRankTest.probs(x, y, 0.01, nsamples=50_000 // part, random_state=1)

    ours, theirs = best(own, 3), best(other, 1 + 2 * (q < 100)) * part
    job = f"signed-rank test, {q} data sets, 50,000 draws"
    assert beside(job, "baycomp", theirs, ours) >= ratio


PEAK = """
import numpy as np
from bayescmp.bayesian import signed_rank

def peak():
    line = next(x for x in open("/proc/self/status") if x.startswith("VmHWM"))
    return int(line.split()[1]) / 1024

before = peak()
x = np.random.default_rng(1).normal(0.003, 0.03, 1000)
signed_rank(x, rope=0.01, draws=50_000, seed=1).verdict()
print(before, peak())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc")
def test_peak_memory_of_the_process_at_a_thousand_data_sets():
    done = subprocess.run([sys.executable, "-c", PEAK], capture_output=True, text=True, check=True)
    before, peak = map(float, done.stdout.split())
    print(f"\npeak memory {peak:.0f} MB, after the imports {before:.0f} MB")
    assert peak < 400


def test_190_pairs_of_20_algorithms_on_100_data_sets():
    rng = np.random.default_rng(0)
    values = 0.7 + rng.normal(0, 0.05, (100, 20)) + np.linspace(0, 0.1, 20)
    scores = bc.Scores.from_means(pd.DataFrame(values, columns=[f"a{i}" for i in range(20)]))
    start = perf_counter()
    result = bc.compare_all(scores, rope=0.01, draws=50_000, seed=1)
    seconds = perf_counter() - start
    print(f"\n190 pairs, 50,000 draws each: {seconds:.1f} s")
    assert len(result.results) == 190
    assert seconds < 20


@pytest.mark.filterwarnings("ignore::bayescmp.DiagnosticWarning")  # of two constant data sets
def test_45_hierarchical_pairs_from_the_file_to_the_table(reference_dir, tmp_path):
    """10 algorithms on 54 data sets, 100 folds each: the five of the table, and shifted copies."""
    frame = pd.read_csv(reference_dir / "accuracy_10x10cv_uci54.csv")
    frame = frame.drop(columns="dataset").rename(columns={"dataset_id": "dataset"})
    rng = np.random.default_rng(5)
    again = frame.assign(algorithm=frame["algorithm"] + "2")
    noise = rng.integers(-2, 3, len(frame)) / frame["n_test"]
    again["accuracy"] = (frame["accuracy"] + noise).clip(0, 1)
    both = pd.concat([frame, again])[
        ["dataset", "algorithm", "repeat", "fold", "n_test", "accuracy"]
    ]
    both.to_csv(tmp_path / "scores.csv", index=False)

    def run():
        scores = bc.Scores.read(tmp_path / "scores.csv")
        return bc.compare_all(scores, "accuracy", 0.01, seed=1, engine="quadrature").frame

    start = perf_counter()
    frame = run()
    seconds = perf_counter() - start
    print(f"\n45 hierarchical pairs, from the CSV to the table: {seconds:.1f} s")
    assert len(frame) == 45
    assert frame["p_left"].notna().all()
    assert seconds < 5


# Time of the rank tests, beside scikit-posthocs and autorank where they are installed.
#
# Times are the best of several runs in one process; ratios to the peers are printed, not asserted.


def report(text):
    print(text)


def table(n, k):
    rng = np.random.default_rng([n, k])
    return rng.normal(size=(n, k)) + 0.02 * np.arange(k) + rng.normal(size=(n, 1))


def rank_tests(x):
    """Friedman, aligned ranks and Quade, each with all pairs by Holm."""
    for omnibus in (f.friedman, f.friedman_aligned_ranks, f.quade):
        omnibus(x)
    for kind in ("friedman", "aligned", "quade"):
        f.posthoc(x, test=kind, adjust="holm")


@pytest.mark.parametrize("decimals", [2, 9])
def test_exact_wilcoxon_of_all_pairs(decimals):
    """With ties and zeros (accuracies of two decimals), and without."""
    x = np.round(np.random.default_rng(1).uniform(0.5, 1, (50, 20)), decimals)
    seconds = best(lambda: f.posthoc(x, test="wilcoxon"))
    report(f"\nexact Wilcoxon, 190 pairs x 50 data sets, {decimals} decimals: {seconds:.3f} s")
    assert seconds < 1


@pytest.mark.parametrize(("k", "n", "limit"), [(20, 100, 0.1), (100, 1000, 2.0)])
def test_three_rank_tests_with_all_pairs(k, n, limit):
    x = table(n, k)
    seconds = best(lambda: rank_tests(x))
    report(
        f"\n{k} algorithms x {n} data sets, three tests with all pairs by Holm: {seconds:.4f} s"
    )
    assert seconds < limit


@pytest.mark.parametrize(("k", "limit"), [(9, 5.0), (10, 30.0)])
def test_bergmann_hommel(k, limit):
    """The first call makes the exhaustive sets."""
    from bayescmp.frequentist import multiplicity

    multiplicity.exhaustive_sets.cache_clear()
    p = np.random.default_rng(k).uniform(size=k * (k - 1) // 2)
    first = best(lambda: f.adjust(p, "bergmann-hommel"), repeats=1)
    again = best(lambda: f.adjust(p, "bergmann-hommel"))
    report(f"\nBergmann-Hommel, {k} algorithms: {first:.3f} s, then {again:.3f} s")
    assert first < limit


def test_adjustments_of_many():
    p = np.random.default_rng(1).uniform(size=4950) ** 3
    for method in ("holm", "hommel", "rom", "shaffer", "nemenyi"):
        seconds = best(lambda m=method: f.adjust(p, m), repeats=3)
        report(f"\n4950 pairs, {method}: {seconds:.4f} s")
        assert seconds < 5


@pytest.mark.parametrize(("k", "n"), [(20, 100), (100, 1000)])
def test_beside_scikit_posthocs(k, n, beside):
    """Its Friedman and Quade comparisons of all pairs (it has no aligned ranks), and SciPy."""
    import scikit_posthocs as peer
    from scipy import stats

    x = table(n, k)
    frame = pd.DataFrame(x)

    def theirs():
        stats.friedmanchisquare(*x.T)
        peer.posthoc_conover_friedman(frame, p_adjust="holm")
        peer.posthoc_quade(frame, p_adjust="holm")

    def ours():
        f.friedman(x)
        f.posthoc(x, test="friedman", adjust="holm")
        f.posthoc(x, test="quade", adjust="holm")

    repeats = 3 if k <= 20 else 1
    a, b = best(ours, 5), best(theirs, repeats)
    size = f"{k} algorithms x {n} data sets"
    beside(f"Friedman and Quade tests of all pairs, {size}", "scikit-posthocs", b, a)
    c, d = best(lambda: f.nemenyi(x)), best(lambda: peer.posthoc_nemenyi_friedman(frame), repeats)
    beside(f"Nemenyi test of all pairs, {size}", "scikit-posthocs", d, c)


@pytest.mark.parametrize(("k", "n"), [(20, 100)])
def test_beside_autorank(k, n, beside):
    """Its one call tests normality and then takes Friedman with Nemenyi."""
    autorank = importlib.import_module("autorank").autorank
    x = table(n, k)
    frame = pd.DataFrame(x, columns=[f"A{i}" for i in range(k)])

    def theirs():
        quiet = contextlib.redirect_stdout(io.StringIO())  # it prints its tables
        with warnings.catch_warnings(), quiet:
            warnings.simplefilter("ignore")
            autorank(frame, alpha=0.05, verbose=False, force_mode="nonparametric")

    def ours():
        f.friedman(x)
        f.nemenyi(x).cliques()

    a, b = best(ours), best(theirs, 3)
    beside(f"Friedman and Nemenyi, {k} algorithms x {n} data sets", "autorank", b, a)


# Time of the permutation test beside scikit-learn's permutation_test_score, in one run.
#
# Both use two processes, started before; stratified ten-fold cross-validation, 1000 permutations,
# Gaussian naive Bayes. Ours measures the original ten times, scikit-learn once.


JOBS, N = 2, 1000


def data(name):
    if name == "null":
        rng = np.random.default_rng(0)
        return rng.normal(size=(150, 5)), rng.integers(0, 2, 150)
    return {"iris": load_iris, "breast cancer": load_breast_cancer}[name](return_X_y=True)


def timed(function):
    start = time.perf_counter()
    actual = function()
    return time.perf_counter() - start, actual


@pytest.mark.parametrize("name", ["iris", "breast cancer", "null"])
def test_beside_scikit_learn(name, beside):
    X, y = data(name)
    Parallel(n_jobs=JOBS)(delayed(time.sleep)(0.1) for _ in range(2 * JOBS))
    permutation_test(GaussianNB(), X, y, n=4, n_jobs=JOBS)
    cv = StratifiedKFold(10, shuffle=True, random_state=0)
    theirs, (_, _, p) = timed(
        lambda: permutation_test_score(
            GaussianNB(), X, y, cv=cv, n_permutations=N, n_jobs=JOBS, random_state=0
        )
    )
    ours, full = timed(lambda: permutation_test(GaussianNB(), X, y, n=N, n_jobs=JOBS, seed=0))
    early, stopped = timed(
        lambda: permutation_test(GaussianNB(), X, y, n=N, n_jobs=JOBS, seed=0, stop="gandy")
    )
    job = f"permutation test of labels, {name}, {N:,} permutations, {JOBS} processes"
    beside(job, "scikit-learn", theirs, ours)
    beside(f"{job}, Gandy's rule", "scikit-learn", theirs, early)
    assert (p <= 0.05) == full.significant == stopped.significant
    assert ours <= theirs
    assert 4 * early <= theirs


# Time of the areas of many folds, beside scikit-learn called fold by fold.


def best_of_runs(function, repeats):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        actual = function()
        times.append(time.perf_counter() - start)
    return min(times), actual


@pytest.mark.parametrize("decimals", [1, 9])
def test_ten_thousand_folds_of_a_hundred(decimals, beside):
    """With many ties and with none."""
    rng = np.random.default_rng(0)
    y = rng.permuted(np.tile(np.arange(100) < 40, (10_000, 1)), axis=1).astype(int)
    score = np.round(rng.normal(size=y.shape) + y, decimals)
    ours, areas = best_of_runs(lambda: curves.auc(y, score), 5)
    theirs, expected = best_of_runs(
        lambda: [roc_auc_score(a, b) for a, b in zip(y, score, strict=True)], 1
    )
    precision, _ = best_of_runs(lambda: curves.auc_pr(y, score), 3)
    print(f"\n10,000 folds of 100, {decimals} decimals: AUC-PR {precision:.3f} s")
    job = f"AUC of 10,000 folds of 100, scores of {decimals} decimals"
    beside(job, "scikit-learn", theirs, ours)
    np.testing.assert_allclose(areas, expected, rtol=0, atol=1e-12)
    assert theirs >= 5 * ours


# Aggregates of runs beside rliable, in one run: the same numbers, in less time.


REPS = 2000


@pytest.fixture(scope="module")
def rliable():
    """rliable 1.2.0; arch 7.2.0, which it needs, does not import beside pandas 3."""
    try:
        from rliable import library
    except (ImportError, TypeError) as error:
        pytest.skip(f"rliable: {error}")
    return library


@pytest.fixture(scope="module")
def runs():
    """Ten runs of two algorithms on 26 tasks, as on the Atari 100k benchmark."""
    rng = np.random.default_rng(1)
    level = rng.normal(size=26)
    return {
        a: shift + level + rng.standard_t(3, (10, 26)) for a, shift in (("dqn", 0), ("sac", 0.4))
    }


def check(ours, theirs, seconds, least, beside):
    """Estimates to rounding; interval ends to a twelfth of their width, which resampling moves."""
    frame, (estimate, low, high) = ours.frame, theirs
    width = frame["high"] - frame["low"]
    assert frame["estimate"].to_numpy() == pytest.approx(estimate, rel=1e-12)
    for name, end in (("low", low), ("high", high)):
        assert np.all(np.abs(frame[name] - end) < width / 12 + 1e-12)
    job = f"{ours.measure} of 10 runs x 26 tasks with intervals, {REPS:,} resamples"
    assert beside(job, "rliable", seconds[1], seconds[0]) > least


@pytest.mark.parametrize("measure", ["iqm", "mean", "median"])
def test_aggregates(rliable, runs, measure, beside):
    from rliable import metrics

    of = getattr(metrics, f"aggregate_{measure}")
    np.random.seed(1)  # noqa: NPY002
    theirs, (points, ends) = timed(
        lambda: rliable.get_interval_estimates(runs, lambda x: np.array([of(x)]), reps=REPS)
    )
    own, ours = timed(
        lambda: bc.frequentist.aggregate_runs(runs, measure=measure, resamples=REPS, seed=1)
    )
    expected = [points[a][0] for a in runs], *([ends[a][i, 0] for a in runs] for i in (0, 1))
    check(ours, expected, (own, theirs), least=1, beside=beside)


def test_improvement(rliable, runs, beside):
    from rliable import metrics

    pair = {"pair": (runs["sac"], runs["dqn"])}
    theirs, (points, ends) = timed(
        lambda: rliable.get_interval_estimates(pair, metrics.probability_of_improvement, reps=REPS)
    )
    own, ours = timed(
        lambda: bc.frequentist.probability_of_improvement(*runs.values(), resamples=REPS, seed=1)
    )
    expected = points["pair"], ends["pair"][0], ends["pair"][1]
    check(ours, expected, (own, theirs), least=1, beside=beside)


def test_profiles(rliable, runs, beside):
    at = np.linspace(-2, 2, 41)
    theirs, (points, ends) = timed(lambda: rliable.create_performance_profile(runs, at, reps=REPS))
    own, ours = timed(
        lambda: bc.frequentist.performance_profiles(runs, at, resamples=REPS, seed=1)
    )
    expected = (
        np.concatenate([points[a] for a in runs]),
        *(np.concatenate([ends[a][i] for a in runs]) for i in (0, 1)),
    )
    check(ours, expected, (own, theirs), least=1, beside=beside)


def test_bayesian_twins(rliable, runs, beside):
    """Slower than resampling, for weights are no counts: still faster than rliable."""
    from rliable import metrics

    theirs, _ = timed(
        lambda: rliable.get_interval_estimates(
            runs, lambda x: np.array([metrics.aggregate_iqm(x)]), reps=REPS
        )
    )
    own, _ = timed(lambda: bc.bayesian.aggregate_runs(runs, draws=REPS, seed=1))
    job = f"iqm of 10 runs x 26 tasks by the Bayesian bootstrap, {REPS:,} draws"
    assert beside(job, "rliable", theirs, own) > 1
