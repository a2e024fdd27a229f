"""Time of the rank tests, beside scikit-posthocs and autorank where they are installed.

Run with ``pytest -m benchmark -s tests/benchmarks/test_frequentist_speed.py``. Times are the best
of several runs in one process; ratios to the peers are printed, not asserted.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import io
import time
import warnings

import numpy as np
import pandas as pd
import pytest

import bayescmp.frequentist as f

pytestmark = pytest.mark.benchmark


def best(function, repeats=5):
    """Best of several wall times, seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


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
