"""The permutation tests under their null hypotheses, and their power on fresh data."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from bayescmp.frequentist import permutation_test
from bayescmp.frequentist.permuting import BesagClifford, GandyRule, pvalue_interval
from tests.frequentist.estimators import Centroid, Nearest, hinge

pytestmark = pytest.mark.calibration


# P-values of both permutation tests under their null hypotheses, and the risk of stopping early.
#
# Run with ``pytest -m calibration -s tests/calibration/test_permutation.py`` to see the rates.


SETS, PERMUTATIONS, CASES = 1000, 39, 24
PAPER = Path(__file__).parent.parent / "reference" / "ojala_garriga_2009.json"


def null_sets(test, count):
    """Data for which the test's hypothesis holds, and for test 2 the classes differ plainly."""
    rng = np.random.default_rng([5, len(test)])
    y = np.arange(CASES) % 2
    for _ in range(count):
        x = rng.standard_t(4, size=(CASES, 3))
        yield x + (0.8 * y[:, None] if test == "columns" else 0.0), y


def pvalues(test, count=SETS, **options):
    return np.array(
        [
            permutation_test(
                Centroid(), X, y, test=test, n=PERMUTATIONS, cv=3, seed=i, **options
            ).pvalue
            for i, (X, y) in enumerate(null_sets(test, count))
        ]
    )


def show(title, p):
    rates = ", ".join(
        f"{a:g}: {np.mean(p <= a + 1e-12):.4f}" for a in (0.025, 0.05, 0.1, 0.25, 0.5)
    )
    print(f"\n{title}: share of p at most {rates}")


@pytest.mark.parametrize("test", ["labels", "columns"])
def test_uniform_with_one_repeat_and_a_continuous_score(test):
    """p is one of 1/40, ..., 40/40, each equally likely: a chi-square over 20 pairs of them."""
    p = pvalues(test, repeats=1, scoring=hinge)
    show(f"{test}, one repeat, mean margin", p)
    counts = np.bincount(((p * 40).round().astype(int) - 1) // 2, minlength=20)
    assert stats.chisquare(counts).pvalue > 0.001
    for level in (0.05, 0.1, 0.5):
        assert np.mean(p <= level + 1e-12) == pytest.approx(level, abs=3.3 * (level / SETS) ** 0.5)


@pytest.mark.parametrize("test", ["labels", "columns"])
@pytest.mark.parametrize("repeats", [1, 10])
def test_the_level_is_kept_by_the_error_rate(test, repeats):
    """Errors are tied (24 cases), and ten repeats averaged: fewer rejections than the level."""
    p = pvalues(test, count=SETS // 2, repeats=repeats)
    show(f"{test}, {repeats} repeats, error rate", p)
    for level in (0.025, 0.05, 0.1):
        room = 3.3 * (level * (1 - level) / len(p)) ** 0.5
        assert np.mean(p <= level + 1e-12) <= level + room


@pytest.mark.parametrize("p", [0.001, 0.02, 0.04, 0.0625, 0.1, 0.5])
def test_stopping_rules(p):
    """2000 runs at a known p: Gandy's wrong decisions within their risk, work, and intervals.

    The Clopper-Pearson interval after an early stop does not know of the rule; its coverage is
    held to 0.9 where 0.95 is its nominal level.
    """
    rng, n, alpha, runs = np.random.default_rng([9, int(1e4 * p)]), 1000, 0.05, 2000
    wrong, covered, work = 0, {"gandy": 0, "besag-clifford": 0}, {"gandy": 0, "besag-clifford": 0}
    for _ in range(runs):
        hits = (rng.random(n) < p).astype(float)
        rules = {"gandy": GandyRule(alpha, 1e-3, n), "besag-clifford": BesagClifford(alpha, n)}
        for name, rule in rules.items():
            settled = rule.find_stop(hits, np.full(n, 0.5))
            k = n if settled is None else settled.n
            low, high = pvalue_interval(hits[:k].sum(), k, 0.95)
            covered[name] += low <= p <= high
            work[name] += k
            if name == "gandy" and settled is not None:
                wrong += settled.significant != (p <= alpha)
    shares = {name: (covered[name] / runs, work[name] / runs) for name in work}
    print(f"\np = {p}: wrong {wrong} of {runs}; (coverage, mean permutations) {shares}")
    assert stats.binom.sf(wrong - 1, runs, 1e-3) > 1e-3
    assert min(c for c, _ in shares.values()) > 0.9


@pytest.mark.parametrize("ties", ["class", "first", "last", "random"])
def test_table_1_in_full(ties):
    """Ojala & Garriga's table I with 1000 random data sets, by rules for equally near rows.

    Printed for test 2 on D1: p = 0.358, itself of 1000 random data sets (standard error 0.015).
    The paper names no rule. Twenty were tried, on 100,000 to 200,000 random data sets each (NumPy
    alone): p is 0.405 by the first row, 0.301 by the last, 0.408 by one at random, 0.42 to 0.48
    by a vote of all nearest rows, and from 0.23 to 0.64 by others. Two fit all that is printed:
    one of the tied classes at random, each as likely ("class": 0.370), and the first of rows
    sorted by class, either class first by chance (0.353). Weka 3.6.14's own evaluation, run on
    10,000, gives 0.470 with IBk and 0.397 with IB1. So a plain rule agrees with the paper; that it
    was the paper's does not follow, since it was picked for agreeing.
    """
    paper = json.loads(PAPER.read_text())
    for name, table in paper["tables"].items():
        X, y = np.array([list(row) for row in table["rows"]]), np.array(list(table["labels"]))
        for test in ("labels", "columns"):
            result = permutation_test(
                Nearest(ties), X, y, test=test, n=1000, cv="loo", repeats=1, seed=3
            )
            printed = paper["published"][name][test]
            print(
                f"\n{name}, {test}, ties {ties}: mean {result.null.mean():.3f} "
                f"(sd {result.null.std():.3f}), p = {result.pvalue:.4f}; printed {printed}"
            )
            assert result.statistic == 0
            assert result.null.mean() == pytest.approx(printed["mean"], abs=0.02)
            assert result.null.std() == pytest.approx(printed["std"], abs=0.03)
            room = 0.06 if ties == "class" else 0.08  # 2.8 standard errors of the two together
            assert result.pvalue == pytest.approx(printed["pvalue"], abs=room)


# The story of Ojala & Garriga's figure 3 on fresh data, not those of the committed run.


SCRIPT = Path(__file__).parents[2] / "examples" / "permutation_power.py"
SEEDS = (11, 12, 13)
OTHERS = ("decision tree", "1 nearest neighbour", "support vector machine")


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("permutation_power", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rejections(script, name, rho):
    """Of six data sets with correlations ±rho: how many reject test 2 at level 0.05."""
    count = 0
    for seed in SEEDS:
        for signed in (-rho, rho):
            X, y = script.two_classes(signed, seed)
            result = permutation_test(
                script.CLASSIFIERS[name], X, y, test="columns", n=400, seed=seed, stop="gandy"
            )
            count += result.significant
            print(f"\n{name}, rho {signed:+.1f}: p = {result.pvalue:.4f} of {len(result.null)}")
    return count


@pytest.mark.parametrize("rho", [0.6, 0.8])
def test_naive_bayes_never_uses_it(script, rho):
    assert rejections(script, "naive Bayes", rho) == 0


@pytest.mark.parametrize("name", OTHERS)
def test_the_others_always_use_a_strong_correlation(script, name):
    assert rejections(script, name, 0.8) == 6


@pytest.mark.parametrize("name", OTHERS)
def test_at_a_correlation_of_06_most_data_sets_show_it(script, name):
    """Not all: when this was first asked for at least 5 of 6, the tree had 5, the others 4.

    The paper's "larger than approximately 0.4" is of one data set. The least possible error is
    Φ(-1/√(1-ρ²)): 0.159 without correlation, 0.138 at 0.4, 0.106 at 0.6, 0.048 at 0.8, and an
    error rate on 200 cases has a standard error of 0.02 to 0.026. At 0.4 no classifier can be
    expected to reject.
    """
    assert rejections(script, name, 0.6) >= 4


def test_the_least_possible_error_without_and_with_correlation():
    """The figures above, by the linear rule that is best for two normal classes."""
    for rho, expected in ((0.0, 0.159), (0.4, 0.138), (0.6, 0.106), (0.8, 0.048)):
        assert stats.norm.cdf(-1 / np.sqrt(1 - rho**2)) == pytest.approx(expected, abs=0.0005)
        rng = np.random.default_rng(0)
        a, b = rng.normal(size=(2, 400_000))
        sign = np.where(np.arange(400_000) % 2, 1, -1)
        X = np.column_stack([a + sign, rho * a + np.sqrt(1 - rho**2) * b])
        wrong = np.mean(np.sign(X @ [1, -rho]) != sign)
        assert wrong == pytest.approx(expected, abs=0.002)
